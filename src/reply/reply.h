/* reply.h - what a command answers with, and the text and JSON that several
 * answers share. Knows no session. */
#ifndef TC_REPLY_REPLY_H
#define TC_REPLY_REPLY_H

#include "base/buf.h"
#include "base/diag.h"
#include "dispatch/variant.h"
#include "front/front.h"
#include <jansson.h>

/* What a command answers with: text, or in JSON mode the members of an object
 * ("command" and "ok" are added by eval). */
typedef struct tc_reply {
    tc_buf text;
    json_t *json;
} tc_reply;

/* --- json.c ----------------------------------------------------------------*/

json_t *tc_layout_json(const tc_layout *l);
json_t *tc_value_json(const tc_value *v);
json_t *tc_error_json(const tc_diag *d);

/* As JSON text, which is UTF-8: other bytes become '?'. */
json_t *tc_text_json(const char *text, size_t len);

/* --- describe.c: words that several commands share -------------------------*/

/* "A_smem[0:128, 0:32]" */
void tc_describe_region(tc_buf *b, const tc_region *r);
/* The learner's text of a span, one line, shortened to width columns. */
void tc_describe_source(tc_buf *b, tc_span span, int width);
/* text in lines no longer than width, from column on; the further lines are
 * indented. Ends the last one. */
void tc_describe_wrapped(tc_buf *b, const char *text, int column, int indent,
                         int width);
/* A line for each instruction that a verdict's lowering issues: how many bytes,
 * which shape, how often; lead goes before each. */
void tc_describe_issues(tc_buf *b, const tc_verdict *v, const char *lead);
/* The text of a line (numbered as the source's lines are), or NULL. */
const char *tc_describe_line(const tc_source *src, int line, int *len);
/* 1234567 as "1,234,567". */
void tc_describe_count(tc_buf *b, uint64_t n);
const char *tc_describe_plural(uint64_t n); /* "" or "s" */

#endif
