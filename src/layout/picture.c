/* picture.c - the model: which elements are seen, and where each lives. */
#include "layout/picture.h"
#include "layout/internal.h"

#include <string.h>

/* --- shape and range ------------------------------------------------------ */

tc_layout_result tc_picture_default_shape(tc_layout_ctx *cx, const tc_layout *l,
                                          int64_t *shape, int *rank) {
    *rank = 1;
    if (l->kind == TC_LAYOUT_SWIZZLE || l->nshard == 0) {
        return tc_layout_size(cx, l, NULL, &shape[0]);
    }
    if (l->nshard > TC_PICTURE_RANK) {
        return tcl_fail(cx, "rank_mismatch",
                        "%d iterators are too many dimensions for a picture: "
                        "name the shape of the tile",
                        l->nshard);
    }
    *rank = l->nshard;
    for (int i = 0; i < l->nshard; i++) {
        shape[i] = l->shard[i].extent;
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result check_shape(tc_layout_ctx *cx, tc_picture *p,
                                    bool loose) {
    int64_t n = 1;
    const char *text = tcl_shape_text(cx->arena, p->shape, p->rank);
    for (int i = 0; i < p->rank; i++) {
        if (p->shape[i] < 1) {
            return tcl_fail(cx, "bad_argument",
                            "the shape %s has no elements to draw", text);
        }
        TCL_TRY(tcl_mul(cx, n, p->shape[i], &n));
    }
    TCL_TRY(tc_layout_size(cx, p->layout, NULL, &p->size));
    if (n > INT32_MAX) { /* TVM's indices are int32 */
        return tcl_fail(cx, "bad_argument",
                        "the shape %s has more than 2^31 - 1 elements: too "
                        "many to draw",
                        text);
    }
    if (n != p->size && p->layout->kind != TC_LAYOUT_SWIZZLE && !loose) {
        return tcl_fail(cx, "bad_argument",
                        "the shape %s has %lld elements, and the layout has "
                        "%lld",
                        text, (long long)n, (long long)p->size);
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result set_range(tc_layout_ctx *cx, tc_picture *p,
                                  const tc_picture_options *ask) {
    for (int i = 0; i < p->rank; i++) {
        int64_t *r = p->range[i];
        r[0] = ask->range != NULL ? ask->range[i][0] : 0;
        r[1] = ask->range != NULL ? ask->range[i][1] : p->shape[i];
        if (r[0] < 0 || r[1] > p->shape[i] || r[0] >= r[1]) {
            return tcl_fail(cx, "bad_argument",
                            "%lld:%lld is no part of dimension %d, which has "
                            "%lld",
                            (long long)r[0], (long long)r[1], i,
                            (long long)p->shape[i]);
        }
    }
    return TC_LAYOUT_OK;
}

static int digits(int64_t n) {
    int d = 1;
    for (; n >= 10; n /= 10) {
        d++;
    }
    return d;
}

/* Elements a row when one dimension is folded: a swizzle's own period, else
 * a power of two that fits the width. */
static int64_t fold_at(const tc_picture *p, int width) {
    int64_t n = p->range[0][1] - p->range[0][0], cols = 1;
    const tc_swizzle *sw = &p->layout->swizzle;
    if (tc_layout_has_swizzle(p->layout) && sw->per_element >= 0 &&
        sw->per_element + sw->atom_len <= 10) {
        cols = INT64_C(1) << (sw->per_element + sw->atom_len);
        return cols < n ? cols : n;
    }
    int64_t room = ((width > 0 ? width : 80) - 8) / (digits(n) + 1);
    while (cols * 2 <= room && cols < n) {
        cols *= 2;
    }
    return cols < n ? cols : n;
}

static void set_grid(tc_picture *p, const tc_picture_options *ask) {
    int last = p->rank - 1;
    p->folded = p->rank == 1;
    p->cols = p->range[last][1] - p->range[last][0];
    p->all_grids = 1;
    if (p->folded) {
        int64_t n = p->cols;
        p->cols = fold_at(p, ask->width);
        p->rows = (n + p->cols - 1) / p->cols;
        return;
    }
    p->rows = p->range[last - 1][1] - p->range[last - 1][0];
    for (int i = 0; i < last - 1; i++) {
        p->all_grids *= p->range[i][1] - p->range[i][0];
    }
}

/* The rows seen: all, or the first ones and the last. */
static void choose_rows(tc_layout_ctx *cx, tc_picture *p, int max) {
    p->nrows = p->rows > max ? max : (int)p->rows;
    p->row = TC_NEWN(cx->arena, int64_t, p->nrows);
    for (int i = 0; i < p->nrows; i++) {
        p->row[i] = i;
    }
    p->row[p->nrows - 1] = p->rows - 1;
}

/* --- axes and replicas ---------------------------------------------------- */

/* Sorts: thread axes from the widest subscope on, unknown ones, memory. */
static int axis_rank(const tc_axis *a) {
    if (a->cls == TC_AXIS_THREAD) {
        return TC_SCOPE_CLUSTER - (int)a->subscope;
    }
    if (a->cls == TC_AXIS_UNKNOWN) {
        return 10;
    }
    return a == tc_axis_m             ? 15
           : a == &tcl_axes[TCL_TCol] ? 14
           : a == &tcl_axes[TCL_F]    ? 13
           : a == &tcl_axes[TCL_Bank] ? 11
                                      : 12;
}

static int axis_index(const tc_picture *p, const tc_axis *a) {
    for (int i = 0; i < p->naxes; i++) {
        if (tc_axis_eq(p->axis[i], a)) {
            return i;
        }
    }
    return -1;
}

static void add_axis(tc_picture *p, const tc_axis *a) {
    if (axis_index(p, a) >= 0) {
        return;
    }
    int at = p->naxes++;
    for (; at > 0 && axis_rank(p->axis[at - 1]) > axis_rank(a); at--) {
        p->axis[at] = p->axis[at - 1];
    }
    p->axis[at] = a;
}

static void collect_axes(tc_layout_ctx *cx, tc_picture *p) {
    const tc_layout *l = p->layout;
    p->axis = TC_NEWN(cx->arena, const tc_axis *,
                      l->nshard + l->nreplica + l->noffset + 1);
    if (tc_layout_has_swizzle(l)) {
        add_axis(p, tc_axis_m);
        return;
    }
    for (int i = 0; i < l->nshard; i++) {
        add_axis(p, l->shard[i].axis);
    }
    for (int i = 0; i < l->nreplica; i++) {
        add_axis(p, l->replica[i].axis);
    }
    for (int i = 0; i < l->noffset; i++) {
        add_axis(p, l->offset[i].axis);
    }
}

static bool copy_known(const tc_picture *p, const int64_t *v) {
    for (int i = 0; i < p->ncopies; i++) {
        if (memcmp(p->copy + (size_t)i * (size_t)p->naxes, v,
                   sizeof *v * (size_t)p->naxes) == 0) {
            return true;
        }
    }
    return false;
}

/* The first place and those that the replica iterators add, each once. */
static tc_layout_result collect_copies(tc_layout_ctx *cx, tc_picture *p) {
    const tc_layout *l = p->layout;
    int64_t *v = TC_NEWN(cx->arena, int64_t, p->naxes + 1);
    p->copy = TC_NEWN(cx->arena, int64_t, TC_PICTURE_COPIES * (p->naxes + 1));
    p->all_copies = p->ncopies = 1;
    for (int i = 0; i < l->nreplica; i++) {
        if (l->replica[i].extent < 1) {
            return tcl_fail(cx, "bad_argument",
                            "a replica with the extent %lld has no picture",
                            (long long)l->replica[i].extent);
        }
        TCL_TRY(
            tcl_mul(cx, p->all_copies, l->replica[i].extent, &p->all_copies));
    }
    for (int64_t x = 1; x < p->all_copies && p->ncopies < TC_PICTURE_COPIES &&
                        x < 4 * TC_PICTURE_COPIES;
         x++) {
        int64_t rest = x;
        memset(v, 0, sizeof *v * (size_t)p->naxes);
        for (int i = l->nreplica - 1; i >= 0; i--) {
            const tc_iter *r = &l->replica[i];
            int at = axis_index(p, r->axis);
            int64_t step;
            TCL_TRY(tcl_mul(cx, rest % r->extent, r->stride, &step));
            TCL_TRY(tcl_add(cx, v[at], step, &v[at]));
            rest /= r->extent;
        }
        if (!copy_known(p, v)) {
            memcpy(p->copy + (size_t)p->ncopies * (size_t)p->naxes, v,
                   sizeof *v * (size_t)p->naxes);
            p->ncopies++;
        }
    }
    return TC_LAYOUT_OK;
}

/* --- places --------------------------------------------------------------- */

/* Row-major number of the element at a row and column, -1 behind the end. */
static int64_t index_of(const tc_picture *p, const tc_picture_grid *g, int row,
                        int col) {
    int last = p->rank - 1;
    if (p->folded) {
        int64_t at = p->range[0][0] + p->row[row] * p->cols + col;
        return at < p->range[0][1] ? at : -1;
    }
    int64_t at = 0;
    for (int i = 0; i < last - 1; i++) {
        at = at * p->shape[i] + g->lead[i];
    }
    at = at * p->shape[last - 1] + p->range[last - 1][0] + p->row[row];
    return at * p->shape[last] + p->range[last][0] + col;
}

static tc_layout_result fill_row(tc_layout_ctx *cx, const tc_picture *p,
                                 const tc_picture_grid *g, int row) {
    for (int c = 0; c < p->ncols; c++) {
        int64_t at = index_of(p, g, row, c);
        const tc_offset *out;
        int n;
        if (at < 0) {
            break;
        }
        TCL_TRY(tc_layout_apply(cx, p->layout, &at, 1, NULL, 0, &out, &n));
        int64_t *v = g->value + ((size_t)row * (size_t)p->ncols + (size_t)c) *
                                    (size_t)p->naxes;
        for (int i = 0; i < n; i++) {
            int k = axis_index(p, out[i].axis);
            if (k >= 0) {
                v[k] = out[i].value;
            }
        }
    }
    return TC_LAYOUT_OK;
}

/* What is asked for one row is thrown away with its arena; a message is kept.
 */
static tc_layout_result fill_grid(tc_layout_ctx *cx, const tc_picture *p,
                                  tc_picture_grid *g) {
    g->value =
        TC_NEWN(cx->arena, int64_t,
                (size_t)p->nrows * (size_t)p->ncols * (size_t)p->naxes + 1);
    for (int r = 0; r < p->nrows; r++) {
        tc_layout_ctx row = *cx;
        row.arena = tc_arena_new();
        tc_layout_result result = fill_row(&row, p, g, r);
        if (result != TC_LAYOUT_OK) {
            cx->tag = row.tag;
            cx->message = tc_strdup(
                cx->arena, row.message != NULL ? row.message : "no picture");
        }
        tc_arena_free(row.arena);
        TCL_TRY(result);
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result fill(tc_layout_ctx *cx, tc_picture *p, int max_grids) {
    p->ngrids = p->all_grids > max_grids ? max_grids : (int)p->all_grids;
    p->grid = TC_NEWN(cx->arena, tc_picture_grid, p->ngrids);
    for (int k = 0; k < p->ngrids; k++) {
        int64_t rest = k;
        for (int i = p->rank - 3; i >= 0; i--) {
            int64_t extent = p->range[i][1] - p->range[i][0];
            p->grid[k].lead[i] = p->range[i][0] + rest % extent;
            rest /= extent;
        }
        TCL_TRY(fill_grid(cx, p, &p->grid[k]));
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tc_picture_make(tc_layout_ctx *cx, const tc_layout *l,
                                 const tc_picture_options *ask,
                                 tc_picture **out) {
    tc_picture *p = *out = TC_NEW(cx->arena, tc_picture);
    p->layout = l;
    p->bits = ask->bits;
    p->shared = ask->shared;
    p->memory = ask->memory;
    p->first = ask->first;
    if (ask->shape == NULL) {
        TCL_TRY(tc_picture_default_shape(cx, l, p->shape, &p->rank));
    } else if (ask->rank < 1 || ask->rank > TC_PICTURE_RANK) {
        return tcl_fail(cx, "rank_mismatch",
                        "a picture has 1 to %d dimensions, not %d",
                        TC_PICTURE_RANK, ask->rank);
    } else {
        p->rank = ask->rank;
        memcpy(p->shape, ask->shape, sizeof *ask->shape * (size_t)ask->rank);
    }
    TCL_TRY(check_shape(cx, p, ask->loose));
    TCL_TRY(set_range(cx, p, ask));
    set_grid(p, ask);
    choose_rows(cx, p, ask->max_rows > 0 ? ask->max_rows : 32);
    int max_cols = ask->max_cols > 0 ? ask->max_cols : 512;
    p->ncols = p->cols > max_cols ? max_cols : (int)p->cols;
    collect_axes(cx, p);
    TCL_TRY(collect_copies(cx, p));
    return fill(cx, p, ask->max_grids > 0 ? ask->max_grids : 4);
}
