/* make.c - iterators and layouts made, compared and refused. */
#include "layout/internal.h"

#include <stdarg.h>
#include <string.h>

tc_layout_result tcl_fail(tc_layout_ctx *cx, const char *tag, const char *fmt,
                          ...) {
    va_list ap;
    va_start(ap, fmt);
    cx->tag = tag;
    cx->message = tc_vformat(cx->arena, fmt, ap);
    va_end(ap);
    return TC_LAYOUT_FAILED;
}

tc_layout_result tcl_not_a_tile(tc_layout_ctx *cx, const char *what) {
    return tcl_fail(cx, "not_implemented",
                    "%s needs a TileLayout; a swizzle has no iterators", what);
}

/* --- checked arithmetic -------------------------------------------------- */

static tc_layout_result overflow(tc_layout_ctx *cx, int64_t a, const char *op,
                                 int64_t b) {
    return tcl_fail(cx, "overflow", "%lld %s %lld does not fit in 64 bits",
                    (long long)a, op, (long long)b);
}

tc_layout_result tcl_mul(tc_layout_ctx *cx, int64_t a, int64_t b,
                         int64_t *out) {
    return __builtin_mul_overflow(a, b, out) ? overflow(cx, a, "*", b)
                                             : TC_LAYOUT_OK;
}

tc_layout_result tcl_add(tc_layout_ctx *cx, int64_t a, int64_t b,
                         int64_t *out) {
    return __builtin_add_overflow(a, b, out) ? overflow(cx, a, "+", b)
                                             : TC_LAYOUT_OK;
}

tc_layout_result tcl_sub(tc_layout_ctx *cx, int64_t a, int64_t b,
                         int64_t *out) {
    return __builtin_sub_overflow(a, b, out) ? overflow(cx, a, "-", b)
                                             : TC_LAYOUT_OK;
}

tc_layout_result tcl_div(tc_layout_ctx *cx, int64_t a, int64_t b,
                         int64_t *out) {
    if (b == 0) {
        return tcl_fail(cx, "divide_by_zero", "%lld is divided by zero",
                        (long long)a);
    }
    if (b == -1) {
        return tcl_sub(cx, 0, a, out);
    }
    int64_t q = a / b;
    *out = q - (a % b != 0 && (a < 0) != (b < 0));
    return TC_LAYOUT_OK;
}

tc_layout_result tcl_mod(tc_layout_ctx *cx, int64_t a, int64_t b,
                         int64_t *out) {
    if (b == 0) {
        return tcl_fail(cx, "divide_by_zero", "%lld is divided by zero",
                        (long long)a);
    }
    if (b == -1) {
        *out = 0;
        return TC_LAYOUT_OK;
    }
    int64_t r = a % b;
    *out = r != 0 && (r < 0) != (b < 0) ? r + b : r;
    return TC_LAYOUT_OK;
}

/* --- making -------------------------------------------------------------- */

tc_layout *tcl_wrap(tc_arena *a, const tc_iter *shard, int nshard,
                    const tc_iter *replica, int nreplica,
                    const tc_offset *offset, int noffset) {
    tc_layout *l = TC_NEW(a, tc_layout);
    l->kind = TC_LAYOUT_TILE;
    l->shard = shard;
    l->nshard = nshard;
    l->replica = replica;
    l->nreplica = nreplica;
    l->offset = offset;
    l->noffset = noffset;
    return l;
}

const tc_layout *tc_layout_row_major(tc_arena *a, const int64_t *shape, int n) {
    tc_iter *shard = TC_NEWN(a, tc_iter, n + 1);
    int64_t stride = 1;
    for (int i = n - 1; i >= 0; i--) {
        shard[i] = (tc_iter){shape[i], stride, tc_axis_m};
        if (__builtin_mul_overflow(stride, shape[i], &stride)) {
            stride = INT64_MAX;
        }
    }
    return tcl_wrap(a, shard, n, NULL, 0, NULL, 0);
}

tc_layout_result tcl_row_major(tc_layout_ctx *cx, const int64_t *shape, int n,
                               const tc_layout **out) {
    int64_t size;
    *out = tc_layout_row_major(cx->arena, shape, n);
    return tc_layout_size(cx, *out, NULL, &size); /* refuses an overflow */
}

static const void *copied(tc_arena *a, const void *items, size_t size) {
    return size == 0 ? NULL : memcpy(tc_alloc(a, size), items, size);
}

const tc_layout *tc_layout_tile(tc_arena *a, const tc_iter *shard, int nshard,
                                const tc_iter *replica, int nreplica,
                                const tc_offset *offset, int noffset) {
    return tcl_wrap(
        a, copied(a, shard, sizeof *shard * (size_t)nshard), nshard,
        copied(a, replica, sizeof *replica * (size_t)nreplica), nreplica,
        copied(a, offset, sizeof *offset * (size_t)noffset), noffset);
}

tc_layout_result tcl_identity(tc_layout_ctx *cx, const int64_t *shape, int n,
                              const tc_layout **out) {
    int64_t extent = 1;
    for (int i = 0; i < n; i++) {
        TCL_TRY(tcl_mul(cx, extent, shape[i], &extent));
    }
    tc_iter *it = TC_NEW(cx->arena, tc_iter);
    *it = (tc_iter){extent, 1, tc_axis_m};
    *out = tcl_wrap(cx->arena, it, n > 0, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

static tc_layout_result check_swizzle(tc_layout_ctx *cx, tc_swizzle s) {
    if (s.per_element < 0 || s.swizzle_len < 0 || s.atom_len < s.swizzle_len) {
        return tcl_fail(cx, "not_well_formed",
                        "SwizzleLayout(%lld, %lld, %lld) is not well-formed: "
                        "per_element and swizzle_len must not be negative, "
                        "and atom_len must be at least swizzle_len",
                        (long long)s.per_element, (long long)s.swizzle_len,
                        (long long)s.atom_len);
    }
    if (s.per_element > 62 || s.atom_len > 62 ||
        s.per_element + s.swizzle_len + s.atom_len > 62) {
        return tcl_fail(cx, "overflow",
                        "a swizzle of 2^(%lld + %lld + %lld) elements does "
                        "not fit in 64 bits",
                        (long long)s.per_element, (long long)s.swizzle_len,
                        (long long)s.atom_len);
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_make_swizzle(tc_layout_ctx *cx, tc_swizzle sw,
                                        const tc_layout **out) {
    TCL_TRY(check_swizzle(cx, sw));
    tc_layout *l = TC_NEW(cx->arena, tc_layout);
    l->kind = TC_LAYOUT_SWIZZLE;
    l->swizzle = sw;
    *out = l;
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_compose(tc_layout_ctx *cx, tc_swizzle sw,
                                   const tc_layout *tile,
                                   const tc_layout **out) {
    bool ok;
    if (tile->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "the second part of a ComposeLayout");
    }
    TCL_TRY(check_swizzle(cx, sw));
    TCL_TRY(tc_layout_verify(cx, tile, &ok));
    tc_layout *l = TC_NEW(cx->arena, tc_layout);
    *l = *tile;
    l->kind = TC_LAYOUT_COMPOSE;
    l->swizzle = sw;
    *out = l;
    return TC_LAYOUT_OK;
}

bool tc_layout_has_swizzle(const tc_layout *l) {
    return l->kind != TC_LAYOUT_TILE;
}

const tc_layout *tc_layout_tile_part(tc_arena *a, const tc_layout *l) {
    if (l->kind == TC_LAYOUT_TILE) {
        return l;
    }
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        return NULL;
    }
    return tcl_wrap(a, l->shard, l->nshard, l->replica, l->nreplica, l->offset,
                    l->noffset);
}

void tcl_offset_set(tcl_offsets *o, const tc_axis *axis, int64_t value) {
    for (int i = 0; i < o->n; i++) {
        if (tc_axis_eq(o->items[i].axis, axis)) {
            o->items[i].value = value;
            return;
        }
    }
    o->items[o->n++] = (tc_offset){axis, value};
}

tc_layout_result tcl_offset_add(tc_layout_ctx *cx, tcl_offsets *o,
                                const tc_axis *axis, int64_t value) {
    for (int i = 0; i < o->n; i++) {
        if (tc_axis_eq(o->items[i].axis, axis)) {
            return tcl_add(cx, o->items[i].value, value, &o->items[i].value);
        }
    }
    o->items[o->n++] = (tc_offset){axis, value};
    return TC_LAYOUT_OK;
}

/* --- equality ------------------------------------------------------------ */

bool tcl_iter_eq(const tc_iter *a, const tc_iter *b) {
    return a->extent == b->extent && a->stride == b->stride &&
           tc_axis_eq(a->axis, b->axis);
}

bool tcl_swizzle_eq(tc_swizzle a, tc_swizzle b) {
    return a.per_element == b.per_element && a.swizzle_len == b.swizzle_len &&
           a.atom_len == b.atom_len && a.inner == b.inner;
}

static bool iters_eq(const tc_iter *a, int na, const tc_iter *b, int nb) {
    if (na != nb) {
        return false;
    }
    for (int i = 0; i < na; i++) {
        if (!tcl_iter_eq(&a[i], &b[i])) {
            return false;
        }
    }
    return true;
}

static bool has_offset(const tc_layout *l, const tc_offset *want) {
    for (int i = 0; i < l->noffset; i++) {
        if (tc_axis_eq(l->offset[i].axis, want->axis)) {
            return l->offset[i].value == want->value;
        }
    }
    return false;
}

bool tc_layout_equal(const tc_layout *a, const tc_layout *b) {
    if (a->kind != b->kind || a->noffset != b->noffset) {
        return false;
    }
    if (a->kind != TC_LAYOUT_TILE && !tcl_swizzle_eq(a->swizzle, b->swizzle)) {
        return false;
    }
    for (int i = 0; i < a->noffset; i++) {
        if (!has_offset(b, &a->offset[i])) {
            return false;
        }
    }
    return iters_eq(a->shard, a->nshard, b->shard, b->nshard) &&
           iters_eq(a->replica, a->nreplica, b->replica, b->nreplica);
}
