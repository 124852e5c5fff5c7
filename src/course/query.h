/* query.h - questions about a command's JSON answer, in jq's language: libjq
 * evaluates them (jq 1.6 or later; jqlang.github.io/jq/manual). */
#ifndef TC_COURSE_QUERY_H
#define TC_COURSE_QUERY_H

#include "base/buf.h"
#include <jansson.h>
#include <stdbool.h>

/* The first value that a program gives for an input; a new reference. NULL: it
 * gives none, or fails, and why then says how (empty: it gives none). */
json_t *tc_query(const char *program, const json_t *input, tc_buf *why);
/* Whether that value is neither false nor null; *ok: it did not fail. */
bool tc_query_holds(const char *program, const json_t *input, bool *ok,
                    tc_buf *why);
/* Whether that value is a number, which *out gets. */
bool tc_query_number(const char *program, const json_t *input, double *out,
                     tc_buf *why);

#endif
