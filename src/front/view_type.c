/* view_type.c - buffer.view("uint32"): the same bytes as another type
 * (python/tvm/tirx/buffer.py, Buffer.view). */
#include "front/internal.h"
#include "layout/algebra.h"

/* The layout and last extent in elements of `to`; false, reported, where the
 * bytes do not come out even. */
static bool recount(tc_eval_ctx *e, const tc_buffer *of, tc_dtype to,
                    tc_span at, tc_buffer *b) {
    tc_layout_ctx cx = {.arena = e->arena,
                        .target_cuda = e->front->target_cuda};
    int from_bits = tc_dtypes[of->type].bits, to_bits = tc_dtypes[to].bits;
    bool up = to_bits > from_bits;
    int ratio = up ? to_bits / from_bits : from_bits / to_bits;
    int64_t *last = &b->shape[b->rank - 1];
    tc_layout_result r = TC_LAYOUT_OK;
    if (up ? *last % ratio != 0 : __builtin_mul_overflow(*last, ratio, last)) {
        return tc_front_fail(e, at, NULL,
                             "the last extent is %lld elements of %s: they do "
                             "not make up whole elements of %s",
                             (long long)of->shape[of->rank - 1],
                             tc_dtypes[of->type].name, tc_dtypes[to].name);
    }
    *last = up ? *last / ratio : *last;
    b->layout = NULL;
    if (of->layout != NULL) {
        r = up ? tc_layout_pack(&cx, of->layout, ratio, &b->layout)
               : tc_layout_unpack(&cx, of->layout, ratio, &b->layout);
    }
    return r == TC_LAYOUT_OK ||
           tc_front_fail(e, at, NULL, "the layout has no view as %s: %s",
                         tc_dtypes[to].name,
                         r == TC_LAYOUT_FAILED ? cx.message : "none fits");
}

bool tc_view_as(tc_eval_ctx *e, tc_buffer *of, const tc_arg *type, tc_span span,
                tc_buffer **out) {
    tc_dtype to;
    if (!tc_want_dtype(e, &type->value, type->span, &to)) {
        return false;
    }
    int from_bits = tc_dtypes[of->type].bits, to_bits = tc_dtypes[to].bits;
    if (to == TC_HANDLE || of->type == TC_HANDLE || from_bits <= 0 ||
        to_bits <= 0 || of->rank < 1) {
        return tc_front_fail(e, type->span, NULL, "a view of %s as %s",
                             tc_dtypes[of->type].name, tc_dtypes[to].name);
    }
    tc_buffer *b = tc_new_buffer(e, to, of->space, of->shape, of->rank, span);
    b->base = of->base != NULL ? of->base : of;
    b->allocated_addr = of->allocated_addr;
    b->align = of->align;
    if (of->elem_offset != NULL) {
        bool up = to_bits > from_bits;
        tc_expr *ratio =
            tc_int_t(e->arena, of->elem_offset->type,
                     up ? to_bits / from_bits : from_bits / to_bits);
        b->elem_offset = tc_binary(e->arena, up ? TC_FLOORDIV : TC_MUL,
                                   of->elem_offset, ratio);
    }
    *out = b;
    return recount(e, of, to, type->span, b);
}
