/* ldstmatrix.h - what the search for ldmatrix's shape and the loop that issues
 * it share. Private to the variant. */
#ifndef TC_VARIANTS_LDSTMATRIX_H
#define TC_VARIANTS_LDSTMATRIX_H

#include "variants/sides.h"

/* The segments that both sides split into. */
enum {
    TC_MX_WARPS,
    TC_MX_ROWS,
    TC_MX_COLUMNS,
    TC_MX_ROUNDS,
    TC_MX_TILES,
    TC_MX_PAIR,
    TC_MX_SEGMENTS
};

/* One way of splitting that fits. */
typedef struct tc_ldstmatrix_fit {
    const tc_layout *r, *s;
    int *r_seps, *s_seps;
    int64_t shape[TC_MX_SEGMENTS];
    int64_t num, row; /* row: elements between the rows that lanes name */
    bool trans;
} tc_ldstmatrix_fit;

typedef struct tc_ldstmatrix {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    tc_sides sides;
    const tc_layout *r, *s;               /* threads first */
    const tc_layout *r_sorted, *s_sorted; /* or NULL: already in that order */
    int64_t threads, held;
    const tc_axis *lanes;
} tc_ldstmatrix;

/* Writes v->lowered and v->issues for the fit. */
void tc_matrix_emit(tc_ldstmatrix *f, const tc_ldstmatrix_fit *x);

#endif
