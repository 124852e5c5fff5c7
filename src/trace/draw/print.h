/* print.h - the picture of a run that is printed, with sentences below it. */
#ifndef TC_TRACE_DRAW_PRINT_H
#define TC_TRACE_DRAW_PRINT_H

#include "trace/model.h"

/* What a printed picture is told. */
typedef struct tc_print_style {
    int width;    /* columns of the whole picture; at least 40 are used */
    int max_rows; /* 0: all; else the rest is counted as text */
    bool unicode; /* bars of box characters rather than ASCII */
} tc_print_style;

/* A cycle axis; the rows of the model, those exactly alike as one where there
 * are too many; a legend of what is drawn; then notes. */
void tc_print_timeline(tc_buf *out, const tc_model *m,
                       const tc_print_style *style);

/* pair.c: the warps of two runs, a's and below each b's of the same name, on one
 * axis, without a legend. */
void tc_print_pair(tc_buf *out, const tc_model *a, const char *name_a,
                   const tc_model *b, const char *name_b,
                   const tc_print_style *style);

/* ---- notes.c ---- */

/* One paragraph, broken between words at width columns, lines after the first
 * indented. */
void tc_print_wrapped(tc_buf *out, const char *text, int width, int indent);
/* A row's name without its CTA. */
const char *tc_print_name(const tc_row *row);
/* A sentence for each group, buffer that copies go to, and phase of an
 * mbarrier, all warps and CTAs taken together: when it was issued, committed,
 * complete, waited for. */
void tc_print_notes(tc_buf *out, const tc_model *m, int width);
/* ---- overlap.c ---- */

/* What a warp did while what it issued was in flight; nothing without such. */
void tc_print_overlap(tc_buf *out, const tc_model *m, int32_t warp, int width);

#endif
