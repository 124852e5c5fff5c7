/* print.h - how diagnostics look on a terminal. */
#ifndef TC_REPL_PRINT_H
#define TC_REPL_PRINT_H

#include "tilecopy.h"
#include <stdio.h>

typedef struct tc_printer {
    FILE *out;
    bool color;
    bool quiet; /* JSON mode: the session answers with an error object */
    int width;  /* columns; longer source lines are shown around the caret */
    bool wrap;  /* a terminal: messages are broken between words */
} tc_printer;

/* Writes
 *     file:line:col: error: message
 *     the source line
 *          ^~~~
 *     hint: ...
 * and leaves control characters of the learner's text out of the terminal. */
void tc_print_diag(const tc_printer *p, const tc_diag *diag);

#endif
