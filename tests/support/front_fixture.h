/* front_fixture.h - runs source text through the front end for a test. */
#ifndef TC_TESTS_FRONT_FIXTURE_H
#define TC_TESTS_FRONT_FIXTURE_H

#include "front/front.h"
#include "lang/ast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    tc_arena *arena;
    tc_diags diags;
    tc_source source;
    tc_env *env;
    tc_func *func;
    tc_value last;
    bool ok, has_value;
    int line, col; /* of the first error */
    char message[512], hint[256];
} fixture;

void fixture_run(fixture *f, const char *text);
void fixture_free(fixture *f);

#endif
