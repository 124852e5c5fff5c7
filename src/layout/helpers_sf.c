/* helpers_sf.c - layouts of scale factors and of Trainium. */
#include "layout/algebra.h"
#include "layout/helpers.h"
#include "layout/internal.h"

#include <string.h>

/* Scale factors of tcgen05.mma, and Trainium. */

#define AX(name) (&tcl_axes[TCL_##name])

enum { CELL = 4 }; /* scale factors of 8 bits in a cell of tensor memory */

static tc_layout_result multiple(tc_layout_ctx *cx, const char *what,
                                 int64_t value, int64_t of) {
    int64_t rest;
    TCL_TRY(tcl_mod(cx, value, of, &rest));
    return rest == 0 ? TC_LAYOUT_OK
                     : tcl_fail(cx, "bad_argument",
                                "%s must be a multiple of %lld, and is %lld",
                                what, (long long)of, (long long)value);
}

/* TVM tcgen05.py, sf_smem_layout: super-blocks of 128 rows, of 32 lanes with
 * 16 bytes each; unit extents dropped. */
tc_layout_result tc_sf_smem_layout(tc_layout_ctx *cx, int64_t rows,
                                   int64_t sf_k, int64_t sf_per_mma,
                                   int64_t sf_reuse, const int64_t *depth,
                                   const tc_layout **out) {
    enum { ROWS = 128, LANES = 32, LANE_BYTES = 16, BLOCK = 512 };
    int64_t in_lane, k_bytes, stage;
    TCL_TRY(multiple(cx, "the number of rows", rows, ROWS));
    TCL_TRY(tcl_mod(cx, CELL, sf_per_mma, &in_lane));
    if (in_lane != 0) {
        return tcl_fail(cx, "bad_argument",
                        "the scale factors of one MMA must divide %d, and are "
                        "%lld",
                        CELL, (long long)sf_per_mma);
    }
    TCL_TRY(multiple(cx, "the scale factors of a row", sf_k, CELL));
    TCL_TRY(tcl_div(cx, CELL, sf_per_mma, &in_lane));
    TCL_TRY(tcl_mul(cx, sf_k / CELL, BLOCK, &k_bytes));
    TCL_TRY(tcl_mul(cx, rows / ROWS, k_bytes, &stage));
    const tc_iter raw[] = {
        {rows / ROWS, k_bytes, tc_axis_m},
        {ROWS / LANES, CELL, tc_axis_m},
        {LANES, LANE_BYTES, tc_axis_m},
        {sf_k / CELL, BLOCK, tc_axis_m},
        {sf_per_mma, in_lane, tc_axis_m},
        {in_lane, 1, tc_axis_m},
        {sf_reuse > 1 ? sf_reuse : 1, 0, tc_axis_m},
    };
    tc_iter it[8];
    int n = 0;
    if (depth != NULL) {
        it[n++] = (tc_iter){*depth, stage, tc_axis_m};
    }
    for (unsigned i = 0; i < sizeof raw / sizeof *raw; i++) {
        if (raw[i].extent != 1) {
            it[n++] = raw[i];
        }
    }
    *out = tc_layout_tile(cx->arena, it, n, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

/* How the atoms of k steps lie: consecutive ones share a column if they can. */
static tc_layout_result sf_outer(tc_layout_ctx *cx, int64_t m, int64_t k,
                                 int64_t per_mma, int64_t stage,
                                 const tc_layout **out) {
    int64_t pack = per_mma > 0 ? CELL / per_mma : 0;
    tc_iter it[3];
    int n = 0;
    while (pack > 1 && k % pack != 0) {
        pack /= 2;
    }
    pack = pack > 1 ? pack : 1;
    it[n++] = (tc_iter){m, CELL, AX(TCol)};
    if (k != 1 && (pack == 1 || k != pack)) {
        it[n++] = (tc_iter){k / pack, stage, AX(TCol)};
    }
    if (k != 1 && pack > 1) {
        it[n++] = (tc_iter){pack, per_mma, AX(TCol)};
    }
    *out = tc_layout_tile(cx->arena, it, n, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

tc_layout_result tc_sf_tmem_layout(tc_layout_ctx *cx, int64_t rows,
                                   int64_t sf_k, int64_t sf_per_mma,
                                   int64_t sf_reuse, const int64_t *depth,
                                   const tc_layout **out) {
    int64_t k, m, stage;
    const tc_layout *outer, *base;
    TCL_TRY(multiple(cx, "the scale factors of a row", sf_k, sf_per_mma));
    TCL_TRY(tcl_div(cx, sf_k, sf_per_mma, &k));
    TCL_TRY(tcl_div(cx, rows, 32, &m));
    TCL_TRY(tcl_mul(cx, m, CELL, &stage));
    const tc_iter cells[] = {{32, 1, AX(TLane)}, {sf_per_mma, 1, AX(TCol)}};
    const tc_iter warps[] = {{4, 32, AX(TLane)}};
    const tc_layout *atom =
        tc_layout_tile(cx->arena, cells, 2, warps, 1, NULL, 0);
    TCL_TRY(sf_outer(cx, m, k, sf_per_mma, stage, &outer));
    TCL_TRY(tc_layout_direct_sum(cx, atom, outer, (int64_t[]){m, k}, 2,
                                 (int64_t[]){32, sf_per_mma}, 2, &base));
    const tc_axis *axis = base->nshard > 0 ? base->shard[0].axis : AX(TCol);
    tc_iter *it = TC_NEWN(cx->arena, tc_iter, base->nshard + 2);
    int n = 0;
    if (depth != NULL) {
        it[n++] = (tc_iter){*depth, stage, axis};
    }
    for (int i = 0; i < base->nshard; i++) {
        it[n++] = base->shard[i];
    }
    if (sf_reuse > 1) {
        it[n++] = (tc_iter){sf_reuse, 0, axis};
    }
    *out = tcl_wrap(cx->arena, it, n, base->replica, base->nreplica,
                    base->offset, base->noffset);
    return TC_LAYOUT_OK;
}

/* --- Trainium --------------------------------------------------------------*/

enum { PARTITIONS = 128 };

static tc_layout_result check_partitions(tc_layout_ctx *cx, const char *marks,
                                         const int64_t *shape, int n,
                                         int *large) {
    int count = 0, last = 0;
    int64_t product = 1;
    if (strlen(marks) != (size_t)n || strspn(marks, "PF") != (size_t)n) {
        return tcl_fail(cx, "bad_argument",
                        "the annotation \"%s\" must hold a P or an F for each "
                        "of the %d dimensions",
                        marks, n);
    }
    for (int i = 0; i < n; i++) {
        if (marks[i] == 'P') {
            TCL_TRY(tcl_mul(cx, product, shape[i], &product));
            count++;
            last = i;
        }
    }
    *large = count == 1 && product > PARTITIONS ? last : -1;
    if (product > PARTITIONS && (count != 1 || product % PARTITIONS != 0)) {
        return tcl_fail(cx, "bad_argument",
                        "the P dimensions hold %lld partitions: at most %d, "
                        "or a multiple of that in a single P",
                        (long long)product, PARTITIONS);
    }
    return TC_LAYOUT_OK;
}

/* Row-major strides on P and on F. A single P beyond 128 partitions is split:
 * its high part is the slowest on F. */
tc_layout_result tc_trainium_layout(tc_layout_ctx *cx, const char *annotation,
                                    const int64_t *shape, int n, bool psum,
                                    const tc_layout **out) {
    int large = -1;
    int64_t p = 1, f = 1;
    TCL_TRY(check_partitions(cx, annotation, shape, n, &large));
    tc_iter *it = TC_NEWN(cx->arena, tc_iter, n + 1);
    int extra = large >= 0;
    for (int i = n - 1; i >= 0; i--) {
        bool on_p = annotation[i] == 'P';
        tc_iter *to = &it[i + (extra && i >= large)];
        int64_t extent = i == large ? PARTITIONS : shape[i];
        int64_t *stride = on_p ? &p : &f;
        *to = (tc_iter){extent, *stride, on_p ? AX(P) : AX(F)};
        TCL_TRY(tcl_mul(cx, *stride, extent, stride));
    }
    if (extra) {
        it[large] = (tc_iter){shape[large] / PARTITIONS, f, AX(F)};
    }
    *out = tcl_wrap(cx->arena, it, n + extra, NULL, 0, NULL, 0);
    return psum ? tc_layout_to_psum(cx, *out, out) : TC_LAYOUT_OK;
}
