/* diag.h - places in source text, and the path of a diagnostic to its reader.
 *
 * A span names bytes of a source; line, column and caret are worked out when
 * (and only when) a diagnostic is reported. */
#ifndef TC_BASE_DIAG_H
#define TC_BASE_DIAG_H

#include "base/arena.h"
#include "tilecopy.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text that statements came from. Immutable once parsed. */
typedef struct tc_source {
    const char *name; /* path, or "<input>" */
    const char *text; /* NUL-terminated */
    size_t len;
    int first_line; /* number of its first line, normally 1 */
} tc_source;

typedef struct tc_span {
    const tc_source *source; /* NULL: no place */
    uint32_t begin, end;     /* byte offsets, end exclusive */
} tc_span;

#define TC_NOWHERE ((tc_span){0})

tc_span tc_span_join(tc_span a, tc_span b); /* from a's begin to b's end */

/* Line and column (bytes, from 1) of a span's begin; line 0 for nowhere. */
int tc_span_line(tc_span s);
int tc_span_col(tc_span s);

/* Where diagnostics go. Counts errors so that callers can tell success. */
typedef struct tc_diags {
    tc_diag_fn fn; /* NULL: count only */
    void *user;
    int errors;
} tc_diags;

/* Reports at span; hint may be NULL. Columns count characters of UTF-8. */
void tc_diag_report(tc_diags *d, tc_severity severity, tc_span span,
                    const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The same of an error with a code, and with what it is about. */
typedef struct tc_coded {
    tc_diag_code code;
    const char *subject;
} tc_coded;
void tc_error_coded(tc_diags *d, tc_coded coded, tc_span span, const char *hint,
                    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
#define tc_error(d, span, hint, ...)                                           \
    tc_diag_report((d), TC_ERROR, (span), (hint), __VA_ARGS__)

/* Says that what was being done ("the PTX was read") is interrupted, or stopped
 * by the time limit (cancel.h). Returns false. */
bool tc_diag_cancelled(tc_diags *d, const char *doing);

/* The candidate closest to word by edit distance (with transpositions), or
 * NULL when none is close enough to be what was meant. */
const char *tc_diag_nearest(const char *word, const char *const *candidates,
                            int n);

#endif
