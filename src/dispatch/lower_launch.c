/* lower_launch.c - launch variables, and scope ids as lets over them (TVM:
 * ResolveCuda in src/tirx/ir/exec_scope.cc). */
#include "dispatch/lower.h"

static tc_expr *launch_var(tc_lowering *l, tc_bind bind) {
    tc_var *v = l->launch_var[bind];
    return v != NULL ? tc_var_ref(l->arena, v) : tc_int(l->arena, 0);
}

/* threadIdx.x + threadIdx.y * X + ... */
static tc_expr *linear_thread(tc_lowering *l) {
    tc_arena *a = l->arena;
    int64_t scale = 1; /* block's product is known not to overflow */
    tc_expr *sum = launch_var(l, TC_BIND_THREAD_X);
    for (int i = 1; i < 3; i++) {
        scale *= l->out->block[i - 1];
        sum = tc_binary(a, TC_ADD, sum,
                        tc_binary(a, TC_MUL,
                                  launch_var(l, TC_BIND_THREAD_X + (tc_bind)i),
                                  tc_int(a, scale)));
    }
    return sum;
}

static tc_expr *over(tc_lowering *l, tc_binop op, tc_expr *x, int64_t y) {
    return tc_binary(l->arena, op, x, tc_int(l->arena, y));
}

/* The number of the thread in its CTA modulo y: (x + y * 32) % 32 is x % 32.
 * As in TVM, no use is made of x being below 32. */
static tc_expr *thread_modulo(tc_lowering *l, int64_t y) {
    int64_t hi[3];
    for (int i = 0; i < 3; i++) {
        tc_var *v = l->launch_var[TC_BIND_THREAD_X + i];
        hi[i] = v != NULL ? v->hi : 0;
        if (v != NULL) {
            v->hi = 0;
        }
    }
    tc_expr *e =
        tc_simplify(l->arena, over(l, TC_FLOORMOD, linear_thread(l), y));
    for (int i = 0; i < 3; i++) {
        if (l->launch_var[TC_BIND_THREAD_X + i] != NULL) {
            l->launch_var[TC_BIND_THREAD_X + i]->hi = hi[i];
        }
    }
    return e;
}

tc_expr *tc_warp_of_thread(tc_lowering *l) {
    return over(l, TC_FLOORDIV, linear_thread(l), 32);
}

tc_expr *tc_scope_id_value(tc_lowering *l, const tc_scope_id *id, int dim,
                           tc_span span) {
    tc_bind d = (tc_bind)dim;
    tc_expr *warp = tc_var_ref(l->arena, l->warp_in_cta);
    switch (id->kind) {
    case TC_ID_CTA:
        return launch_var(l, TC_BIND_BLOCK_X + d);
    case TC_ID_CTA_IN_CLUSTER:
        return launch_var(l, TC_BIND_CLUSTER_CTA_X + d);
    case TC_ID_THREAD:
        return launch_var(l, TC_BIND_THREAD_X + d);
    case TC_ID_WARP:
        return warp;
    case TC_ID_WARPGROUP:
        return over(l, TC_FLOORDIV, warp, 4);
    case TC_ID_WARP_IN_WG:
        return over(l, TC_FLOORMOD, warp, 4);
    case TC_ID_LANE:
        return thread_modulo(l, 32);
    case TC_ID_THREAD_IN_WG:
        return thread_modulo(l, 128);
    case TC_ID_CLUSTER:
        break;
    }
    tc_lower_fail(l, span, NULL, "T.cluster_id is not lowered yet");
    return tc_int(l->arena, 0);
}
