/* export.h - the timeline for other programs, and as sentences. All of
 * them tell the same facts: every interval of every row, and the marks. */
#ifndef TC_TRACE_EXPORT_H
#define TC_TRACE_EXPORT_H

#include "trace/model.h"

/* json.c: {"cycles", "rows": [{"name", "kind", "cta", "warp",
 * "intervals": [...], "marks": [...]}], "findings": [...]}. */
void tc_export_json(const tc_model *m, tc_buf *out);
/* A JSON string with its quotes; safe inside a <script> too. */
void tc_json_text(tc_buf *out, const char *text);
/* chrome.c: as Chrome's trace viewer and Perfetto read it: a process a
 * CTA, a thread each line of a row, a microsecond a cycle. */
void tc_export_chrome(const tc_model *m, tc_buf *out);
/* svg.c: a picture for slides. */
void tc_export_svg(const tc_model *m, tc_buf *out);
/* html.c: a page by itself, with the learner's source. */
void tc_export_html(const tc_model *m, tc_buf *out);

/* sentences.c: the rows, then their steps in order, a sentence a line;
 * only those of `row`, -1: all. */
void tc_model_sentences(const tc_model *m, tc_buf *out);
/* What every row is at a cycle, and what happens next. */
void tc_model_sentences_at(const tc_model *m, uint64_t cycle, tc_buf *out);

/* compare.c: two runs: for each warp, its commits, waits, barriers and
 * ends, the n-th of one beside the n-th of the other, with the difference. */
void tc_model_compare(const tc_model *a, const char *name_a, const tc_model *b,
                      const char *name_b, tc_buf *out);

#endif
