/* helpers.c - functions that construct a layout for tensor memory and its
 * registers. */
#include "layout/helpers.h"
#include "front/internal.h"

static bool answer(tc_eval_ctx *e, const tc_args *args, tc_layout_ctx *cx,
                   tc_layout_result result, const tc_layout *l, tc_value *out) {
    if (result != TC_LAYOUT_OK) {
        return tc_front_fail(e, args->span, NULL, "%s",
                             cx->message != NULL ? cx->message
                                                 : "no such layout");
    }
    *out = tc_value_layout(l);
    return true;
}

static tc_layout_ctx context(tc_eval_ctx *e) {
    return (tc_layout_ctx){.arena = e->arena,
                           .target_cuda = e->front->target_cuda};
}

bool tc_call_wg_local_layout(tc_eval_ctx *e, const tc_args *args,
                             tc_value *out) {
    const tc_arg *b[2];
    const tc_layout *l = NULL;
    int64_t cols, rows = 128;
    if (!tc_bind_args(e, args, "cols,rows", 1, b) ||
        !tc_want_int(e, &b[0]->value, b[0]->span, "cols", &cols) ||
        (b[1] != NULL &&
         !tc_want_int(e, &b[1]->value, b[1]->span, "rows", &rows))) {
        return false;
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r = tc_wg_local_layout(&cx, cols, rows, &l);
    return answer(e, args, &cx, r, l, out);
}

bool tc_call_tmem_datapath_layout(tc_eval_ctx *e, const tc_args *args,
                                  tc_value *out) {
    const tc_arg *b[3];
    const tc_layout *l = NULL;
    const char *datapath;
    int64_t rows, cols;
    if (!tc_bind_args(e, args, "datapath,rows,cols", 3, b) ||
        !tc_want_string(e, &b[0]->value, b[0]->span, "the datapath",
                        &datapath) ||
        !tc_want_int(e, &b[1]->value, b[1]->span, "rows", &rows) ||
        !tc_want_int(e, &b[2]->value, b[2]->span, "cols", &cols)) {
        return false;
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r = tc_tmem_datapath_layout(&cx, datapath, rows, cols, &l);
    return answer(e, args, &cx, r, l, out);
}

bool tc_call_tcgen05_atom_layout(tc_eval_ctx *e, const tc_args *args,
                                 tc_value *out) {
    const tc_arg *b[3];
    const tc_layout *l = NULL;
    const char *shape;
    tc_dtype type;
    int64_t *dims;
    int rank;
    if (!tc_bind_args(e, args, "instr_shape,tensor_shape,dtype", 3, b) ||
        !tc_want_string(e, &b[0]->value, b[0]->span, "the shape", &shape) ||
        !tc_want_shape(e, &b[1]->value, b[1]->span, "the tensor's shape", &dims,
                       &rank) ||
        !tc_want_dtype(e, &b[2]->value, b[2]->span, &type)) {
        return false;
    }
    if (rank != 2) {
        return tc_front_fail(e, b[1]->span, NULL,
                             "the tensor's shape is (rows, columns)");
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r = tc_tcgen05_atom_layout(&cx, shape, dims[0], dims[1],
                                                tc_dtypes[type].bits, &l);
    return answer(e, args, &cx, r, l, out);
}
