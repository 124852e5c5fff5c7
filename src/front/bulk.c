/* bulk.c - groups of bulk copies: a copy from shared to global memory ends
 * when its group is waited for (PTX ISA, cp.async.bulk.wait_group; TVM:
 * backend/cuda/op.py, ptx_cp_async_bulk_wait_group). */
#include "front/internal.h"

bool tc_call_bulk_wait(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    int64_t n = 0;
    bool read = true; /* the sources may be written again */
    if (!tc_bind_args(e, args, "n,read", 0, b) ||
        (b[0] != NULL && !tc_want_int(e, &b[0]->value, b[0]->span,
                                      "the number of groups", &n)) ||
        (b[1] != NULL &&
         !tc_want_bool(e, &b[1]->value, b[1]->span, "read", &read))) {
        return false;
    }
    if (n < 0 || n > INT32_MAX) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "%lld groups: the number must be 0 or more",
                             (long long)n);
    }
    tc_expr *x[] = {tc_int(e->arena, n), tc_int_t(e->arena, TC_BOOL, read)};
    *out = tc_value_expr(
        tc_call(e->arena, TC_OPC_PTX_CP_ASYNC_BULK_WAIT_GROUP, TC_VOID, x, 2));
    return true;
}
