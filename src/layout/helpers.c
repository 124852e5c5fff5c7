/* helpers.c - the layouts that TVM has names for. */
#include "layout/helpers.h"
#include "layout/algebra.h"
#include "layout/internal.h"

#include <string.h>

#define AX(name) (&tcl_axes[TCL_##name])

tc_layout_result tc_wg_local_layout(tc_layout_ctx *cx, int64_t cols,
                                    int64_t rows, const tc_layout **out) {
    tc_iter it[] = {{rows, 1, AX(tid_in_wg)}, {cols, 1, tc_axis_m}};
    *out = tc_layout_tile(cx->arena, it, 2, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

tc_layout_result tc_tmem_datapath_layout(tc_layout_ctx *cx,
                                         const char *datapath, int64_t rows,
                                         int64_t cols, const tc_layout **out) {
    bool d = strcmp(datapath, "D") == 0;
    if (!d && strcmp(datapath, "F") != 0) {
        return tcl_fail(cx, "bad_argument",
                        "there is no data path layout \"%s\"; there are D and "
                        "F",
                        datapath);
    }
    if (rows != (d ? 128 : 64)) {
        return tcl_fail(cx, "bad_argument",
                        "data path layout %s has %d rows, not %lld", datapath,
                        d ? 128 : 64, (long long)rows);
    }
    /* F: row r lies on lane (r / 16) * 32 + r % 16. */
    tc_iter full[] = {{rows, 1, AX(TLane)}, {cols, 1, AX(TCol)}};
    tc_iter half[] = {
        {4, 32, AX(TLane)}, {16, 1, AX(TLane)}, {cols, 1, AX(TCol)}};
    *out =
        tc_layout_tile(cx->arena, d ? full : half, d ? 2 : 3, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

/* --- tcgen05.ld and .st ----------------------------------------------------*/

/* The rows and columns that one thread's registers and lanes cover, in units
 * of 32 bits; rep is the qualifier .xN (PTX ISA, tcgen05.ld). */
static const struct tmem_atom {
    const char *shape;
    int cols;            /* columns of 32 bits for .x1 */
    int max_rep;         /* every power of two up to it */
    int regs;            /* registers of a thread for .x1 */
    tc_iter row, col[2]; /* second row iterator, columns behind the first */
    int ncol;
} atoms[] = {
    {"32x32b", 1, 128, 1, {0, 0, NULL}, {{0, 0, NULL}}, 0},
    {"16x64b", 2, 128, 1, {2, 1, AX(laneid)}, {{2, 2, AX(laneid)}}, 1},
    {"16x128b", 4, 64, 2, {2, 1, AX(m)}, {{4, 1, AX(laneid)}}, 1},
    {"16x256b",
     8,
     32,
     4,
     {2, 2, AX(m)},
     {{4, 1, AX(laneid)}, {2, 1, AX(m)}},
     2},
};

static const struct tmem_atom *find_atom(tc_layout_ctx *cx, const char *shape) {
    for (unsigned i = 0; i < sizeof atoms / sizeof *atoms; i++) {
        if (strcmp(atoms[i].shape, shape) == 0) {
            return &atoms[i];
        }
    }
    tcl_fail(cx, "bad_argument",
             "there is no tcgen05 shape \"%s\"; there are 32x32b, 16x64b, "
             "16x128b and 16x256b",
             shape);
    return NULL;
}

static tc_layout_result check_atom(tc_layout_ctx *cx, const struct tmem_atom *a,
                                   int64_t rows, int64_t cols, int bits,
                                   int64_t *rep) {
    bool whole = a == &atoms[0];
    if (bits != 16 && bits != 32) {
        return tcl_fail(cx, "bad_argument",
                        "tcgen05.ld and .st move elements of 16 or 32 bits, "
                        "not of %d",
                        bits);
    }
    if (rows != 128 && (whole || rows != 64)) {
        return tcl_fail(cx, "bad_argument", "shape %s has %s rows, not %lld",
                        a->shape, whole ? "128" : "64 or 128", (long long)rows);
    }
    int64_t unit = a->cols * (32 / bits);
    *rep = cols / unit;
    if (cols < 1 || cols % unit != 0 || *rep > a->max_rep ||
        (*rep & (*rep - 1)) != 0) {
        return tcl_fail(cx, "bad_argument",
                        "shape %s has %lld columns times a power of two up to "
                        "%d, not %lld",
                        a->shape, (long long)unit, a->max_rep, (long long)cols);
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tc_tcgen05_atom_layout(tc_layout_ctx *cx, const char *shape,
                                        int64_t rows, int64_t cols, int bits,
                                        const tc_layout **out) {
    const struct tmem_atom *a = find_atom(cx, shape);
    int64_t rep = 0;
    int n = 0;
    tc_iter it[9];
    if (a == NULL) {
        return TC_LAYOUT_FAILED;
    }
    TCL_TRY(check_atom(cx, a, rows, cols, bits, &rep));
    if (a == &atoms[0]) {
        return tc_wg_local_layout(cx, cols, rows, out);
    }
    it[n++] = (tc_iter){4, 1, AX(wid_in_wg)};
    if (rows == 128) { /* a second slab of 16 rows, in further registers */
        it[n++] = (tc_iter){2, a->regs * rep, tc_axis_m};
    }
    it[n++] = a->row;
    it[n++] = (tc_iter){8, 4, AX(laneid)};
    it[n++] = (tc_iter){rep, a->regs, tc_axis_m};
    for (int i = 0; i < a->ncol; i++) {
        it[n++] = a->col[i];
    }
    for (int i = 0; i < n; i++) { /* two elements of 16 bits a register */
        it[i].stride *= it[i].axis == tc_axis_m ? 32 / bits : 1;
    }
    if (bits == 16) {
        it[n++] = (tc_iter){2, 1, tc_axis_m};
    }
    *out = tc_layout_tile(cx->arena, it, n, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

/* --- shared memory of TMA and MMA ------------------------------------------*/

const char *tc_swizzle_mode_name(tc_swizzle_mode mode) {
    static const char *const names[] = {
        "SWIZZLE_NONE",
        "SWIZZLE_32B_ATOM",
        "SWIZZLE_64B_ATOM",
        "SWIZZLE_128B_ATOM",
    };
    return names[mode];
}

tc_layout_result tc_swizzle_mode_of(const tc_layout *l, tc_swizzle_mode *out) {
    int64_t len = l->kind == TC_LAYOUT_TILE ? 0 : l->swizzle.swizzle_len;
    if (len > TC_SWIZZLE_128B_ATOM) {
        return TC_LAYOUT_NONE;
    }
    *out = (tc_swizzle_mode)len;
    return TC_LAYOUT_OK;
}

static tc_layout_result check_bits(tc_layout_ctx *cx, int bits) {
    return bits > 0 && bits <= 128
               ? TC_LAYOUT_OK
               : tcl_fail(cx, "bad_argument",
                          "elements of %d bits do not fit a unit of 128 bits",
                          bits);
}

tc_layout_result tc_mma_atom_layout(tc_layout_ctx *cx, int bits,
                                    tc_swizzle_mode mode,
                                    const tc_layout **out) {
    tc_swizzle s = {0, mode, 3, true};
    TCL_TRY(check_bits(cx, bits));
    for (int n = 128 / bits; n > 1; n /= 2) {
        s.per_element++;
    }
    return tc_layout_make_swizzle(cx, s, out);
}

tc_layout_result tc_mma_atom_shape(tc_layout_ctx *cx, int bits,
                                   tc_swizzle_mode mode, int64_t out[2]) {
    TCL_TRY(check_bits(cx, bits));
    if (mode == TC_SWIZZLE_NONE) {
        return tcl_fail(cx, "bad_argument", "SWIZZLE_NONE has no atom");
    }
    out[0] = 8;
    out[1] = (256 << (mode - 1)) / bits;
    return TC_LAYOUT_OK;
}

tc_layout_result tc_mma_shared_layout(tc_layout_ctx *cx, int bits,
                                      tc_swizzle_mode mode,
                                      const int64_t *shape, int n,
                                      const tc_layout **out) {
    const tc_layout *l;
    if (mode == TC_SWIZZLE_NONE) {
        TCL_TRY(tcl_row_major(cx, shape, n, &l));
        return tc_layout_canonicalize(cx, l, out);
    }
    if (n < 2) {
        return tcl_fail(cx, "rank_mismatch",
                        "a swizzled shape has at least two dimensions");
    }
    int64_t *atom = TC_NEWN(cx->arena, int64_t, n);
    int64_t *column = TC_NEWN(cx->arena, int64_t, n);
    for (int i = 0; i < n; i++) {
        atom[i] = 1;
    }
    TCL_TRY(tc_mma_atom_shape(cx, bits, mode, atom + n - 2));
    TCL_TRY(tc_mma_atom_layout(cx, bits, mode, &l));
    memcpy(column, atom, sizeof *atom * (size_t)n);
    column[n - 2] = shape[n - 2];
    TCL_TRY(tc_layout_tile_to(cx, l, column, n, atom, n, &l));
    TCL_TRY(tc_layout_tile_to(cx, l, shape, n, column, n, &l));
    return tc_layout_canonicalize(cx, l, out);
}
