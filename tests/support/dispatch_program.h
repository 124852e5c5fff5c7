/* dispatch_program.h - from program text to a decision, for tests. */
#ifndef DISPATCH_PROGRAM_H
#define DISPATCH_PROGRAM_H

#include "dispatch/variant.h"
#include "front/front.h"
#include "lang/ast.h"
#include <stdio.h>
#include <string.h>

typedef struct program {
    tc_arena *a;
    tc_source source;
    tc_diags diags;
    char message[400]; /* of the first diagnostic */
    int line;          /* its line */
    tc_func *func;     /* NULL: refused */
    tc_decisions decisions;
} program;

/* Parses and dispatches text, which must outlive p. The caller frees p->a. */
bool program_read(program *p, const char *text);

#endif
