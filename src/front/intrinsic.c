/* intrinsic.c - calls of the intrinsics of ir/ops.def. */
#include "front/internal.h"

#include <string.h>

/* How TVM's script spells the arguments (python/tvm/backend/cuda/op.py) where
 * that differs from ops.def, or where ops.def does not say. `required` come
 * first; the rest have a default. */
static const struct {
    tc_op op;
    const char *names;
    int required;
} spellings[] = {
    {TC_OPC_CUDA_CLUSTER_SYNC, "", 0},
};

static const char *names_of(tc_op op, int *required) {
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (spellings[i].op == op) {
            *required = spellings[i].required;
            return spellings[i].names;
        }
    }
    *required = tc_ops[op].min_args;
    return tc_ops[op].keywords;
}

bool tc_want_pointer(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                     tc_expr **out) {
    if (arg->value.kind == TC_V_BUFFER && !arg->value.buffer->scalar) {
        return tc_front_fail(e, arg->span, "pass A.ptr_to([i, j])",
                             "%s must be a pointer, and this is a buffer",
                             what);
    }
    if (!tc_want_expr(e, &arg->value, arg->span, what, out)) {
        return false;
    }
    return ((*out)->type == TC_HANDLE && (*out)->kind != TC_E_STRING) ||
           tc_front_fail(e, arg->span, "pass A.ptr_to([i, j])",
                         "%s must be a pointer, and this is %s", what,
                         (*out)->kind == TC_E_STRING
                             ? "a string"
                             : tc_dtypes[(*out)->type].name);
}

bool tc_want_constant(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                      const int *allowed, int n, tc_expr **out) {
    int64_t v;
    if (!tc_want_int(e, &arg->value, arg->span, what, &v)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (allowed[i] == v) {
            *out = tc_int(e->arena, v);
            return true;
        }
    }
    tc_buf text = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&text, "%s%d",
                      i == 0      ? ""
                      : i + 1 < n ? ", "
                                  : " or ",
                      allowed[i]);
    }
    char *list = tc_buf_finish(&text, e->arena);
    return tc_front_fail(e, arg->span, NULL, "%s is %lld: it must be %s", what,
                         (long long)v, list);
}

/* The memory that a pointer leads to, where it is known. */
static const tc_buffer *pointed(const tc_expr *x) {
    return x->kind == TC_E_ADDR ? x->mem.buffer : NULL;
}

static bool check_direction(tc_eval_ctx *e, const tc_arg *const *b,
                            tc_expr *const *x) {
    const tc_buffer *dst = pointed(x[0]), *src = pointed(x[1]);
    const char *hint = "cp.async copies from global to shared memory";
    if (dst != NULL && !tc_space_is_shared(dst->space)) {
        return tc_front_fail(e, b[0]->span, hint,
                             "dst is in %s memory: it must be in shared memory",
                             tc_space_name(dst->space));
    }
    if (src != NULL && src->space != TC_SPACE_GLOBAL) {
        return tc_front_fail(e, b[1]->span, hint,
                             "src is in %s memory: it must be in global memory",
                             tc_space_name(src->space));
    }
    return true;
}

static bool cp_async_policy(tc_eval_ctx *e, const tc_arg *arg, tc_expr **x) {
    if (arg == NULL || arg->value.kind == TC_V_NONE) {
        return true;
    }
    if (!tc_want_expr(e, &arg->value, arg->span, "cache_policy", &x[3])) {
        return false;
    }
    x[3] = tc_cast(e->arena, TC_UINT64, x[3]);
    x[4] = tc_int(e->arena, 1);
    return true;
}

/* cp.async: dst, src, cp_size, and TVM's optional arguments. The IR has eight:
 * dst, src, cp_size, cache policy, has one, prefetch, predicate, fill mode
 * (PTX ISA, cp.async). */
static bool cp_async(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    static const int sizes[] = {4, 8, 16}, prefetch[] = {-1, 64, 128, 256};
    tc_arena *a = e->arena;
    const tc_arg *b[8];
    tc_expr *x[8] = {
        NULL,         NULL,          NULL,          tc_int_t(a, TC_UINT64, 0),
        tc_int(a, 0), tc_int(a, -1), tc_int(a, -1), tc_string(a, "")};
    const char *text;
    if (!tc_bind_args(e, args,
                      "dst_ptr,src_ptr,cp_size,cache_policy,cache_hint,"
                      "prefetch_size,predicate,fill_mode",
                      3, b) ||
        !tc_want_pointer(e, b[0], "dst", &x[0]) ||
        !tc_want_pointer(e, b[1], "src", &x[1]) || !check_direction(e, b, x) ||
        !tc_want_constant(e, b[2], "cp_size", sizes, 3, &x[2]) ||
        !cp_async_policy(e, b[3], x) ||
        (b[5] != NULL &&
         !tc_want_constant(e, b[5], "prefetch_size", prefetch, 4, &x[5])) ||
        (b[6] != NULL &&
         !tc_want_expr(e, &b[6]->value, b[6]->span, "predicate", &x[6]))) {
        return false;
    }
    if (b[4] != NULL) {
        if (!tc_want_string(e, &b[4]->value, b[4]->span, "cache_hint", &text)) {
            return false;
        }
        if (text[0] != '\0') {
            return tc_front_fail(e, b[4]->span, NULL,
                                 "the argument 'cache_hint' is not built yet");
        }
    }
    if (b[7] != NULL) {
        if (!tc_want_string(e, &b[7]->value, b[7]->span, "fill_mode", &text)) {
            return false;
        }
        if (text[0] != '\0' && strcmp(text, "zero") != 0) {
            return tc_front_fail(e, b[7]->span, NULL,
                                 "fill_mode is \"\" or \"zero\"");
        }
        x[7] = tc_string(a, text);
    }
    *out = tc_value_expr(tc_call(a, TC_OPC_PTX_CP_ASYNC, TC_VOID, x, 8));
    return true;
}

/* wait_group(n): n is a number in the instruction itself. */
static bool wait_group(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    int64_t n = 0;
    if (!tc_bind_args(e, args, "num", 0, b)) {
        return false;
    }
    if (b[0] != NULL &&
        !tc_want_int(e, &b[0]->value, b[0]->span, "the number of groups", &n)) {
        return false;
    }
    if (n < 0 || n > INT32_MAX) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "%lld groups: the number must be 0 or more",
                             (long long)n);
    }
    tc_expr *x = tc_int(e->arena, n);
    *out = tc_value_expr(
        tc_call(e->arena, TC_OPC_PTX_CP_ASYNC_WAIT_GROUP, TC_VOID, &x, 1));
    return true;
}

static tc_dtype result_type(tc_op op) {
    switch (op) {
    case TC_OPC_CUDA_THREAD_RANK:
        return TC_INT32;
    default:
        return tc_ops[op].flags & TC_OPF_ADDRESS ? TC_HANDLE : TC_VOID;
    }
}

static bool plain(tc_eval_ctx *e, tc_op op, const tc_args *args,
                  tc_value *out) {
    enum { MOST = 24 };
    const tc_arg *b[MOST];
    tc_expr *x[MOST];
    int required, n = 0;
    const char *names = names_of(op, &required);
    if (!tc_bind_args(e, args, names, required, b)) {
        return false;
    }
    for (; n < args->n && b[n] != NULL; n++) {
        if (!tc_want_expr(e, &b[n]->value, b[n]->span, "the argument", &x[n])) {
            return false;
        }
    }
    if (n < args->n) { /* a gap before a keyword argument */
        return tc_front_fail(e, args->span, NULL,
                             "give the arguments of %s in order: %s",
                             args->function, names);
    }
    *out = tc_value_expr(tc_call(e->arena, op, result_type(op), x, n));
    return true;
}

/* TVM fills in what a script leaves out. */
static bool storage_sync(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    const char *scope;
    bool is_load = false;
    int64_t blocks = -1;
    if (!tc_bind_args(e, args, "storage_scope,is_load,num_blocks", 1, b) ||
        !tc_want_string(e, &b[0]->value, b[0]->span, "storage_scope", &scope) ||
        (b[1] != NULL &&
         !tc_want_bool(e, &b[1]->value, b[1]->span, "is_load", &is_load)) ||
        (b[2] != NULL &&
         !tc_want_int(e, &b[2]->value, b[2]->span, "num_blocks", &blocks))) {
        return false;
    }
    tc_expr *x[] = {tc_string(e->arena, scope),
                    tc_int_t(e->arena, TC_BOOL, is_load),
                    tc_int(e->arena, blocks)};
    *out = tc_value_expr(tc_call(e->arena, TC_OPC_STORAGE_SYNC, TC_VOID, x, 3));
    return true;
}

bool tc_call_intrinsic(tc_eval_ctx *e, tc_op op, const tc_args *args,
                       tc_value *out) {
    bool ok;
    if (!e->body->entered) {
        return tc_front_fail(
            e, args->span, "put T.device_entry() above the kernel's code",
            "%s stands before T.device_entry()", args->function);
    }
    if (op == TC_OPC_PTX_CP_ASYNC) {
        ok = cp_async(e, args, out);
    } else if (op == TC_OPC_PTX_CP_ASYNC_WAIT_GROUP) {
        ok = wait_group(e, args, out);
    } else if (op == TC_OPC_PTX_CP_ASYNC_BULK_WAIT_GROUP) {
        ok = tc_call_bulk_wait(e, args, out);
    } else if (op == TC_OPC_STORAGE_SYNC) {
        ok = storage_sync(e, args, out);
    } else if (strncmp(tc_ops[op].name, "T.ptx.tcgen05.", 14) == 0) {
        ok = tc_call_tcgen05(e, op, args, out);
    } else if (tc_is_barrier_op(op)) {
        ok = tc_call_barrier_op(e, op, args, out);
    } else {
        ok = plain(e, op, args, out);
    }
    if (ok) {
        out->expr->span = args->span;
    }
    return ok;
}
