/* intrin.c - the intrinsics of ir/ops.def as PTX: one function a row. */
#include "emit/ptx/ptx.h"

#include <string.h>

static const tc_val nothing = {.kind = TC_VAL_NONE, .type = TC_VOID};

__attribute__((unused)) static tc_val planned(tc_pe e, const tc_expr *call) {
    tc_pe_fail(e, call->span, NULL, "%s: PTX text is not built yet",
               tc_ops[call->call.op].name);
    return nothing;
}

static tc_ptx_op_fn *const op_functions[TC_OPC_COUNT] = {
#define TC_OP(id, name, lo, hi, kw, sm, flags) [TC_OPC_##id] = tc_ptx_op_##id,
#define TC_OP_PLANNED(id, name, sm)            [TC_OPC_##id] = planned,
#include "ir/ops.def"
};

tc_val tc_pe_call(tc_pe e, const tc_expr *call) {
    const tc_op_info *info = &tc_ops[call->call.op];
    if (call->call.n < info->min_args || call->call.n > info->max_args) {
        tc_pe_fail(e, call->span, NULL, "%s does not take %d arguments",
                   info->name, call->call.n);
        return nothing;
    }
    tc_pe_needs(e, 70, info->least_sm);
    e->needs_a |= (info->flags & TC_OPF_ARCH_A) != 0;
    tc_val v = op_functions[call->call.op](e, call);
    if (v.kind == TC_VAL_NONE && call->type != TC_VOID) {
        v.type = call->type; /* TVM gives some void calls the type handle */
    }
    return v;
}

/* --- arguments -------------------------------------------------------------*/

static int64_t constant(tc_pe e, const tc_expr *call, int i, int64_t missing) {
    if (i >= call->call.n) {
        return missing;
    }
    tc_val v = tc_pe_expr(e, call->call.args[i]);
    if (v.kind != TC_VAL_INT) {
        tc_pe_fail(e, call->call.args[i]->span, NULL,
                   "argument %d of %s must be known when the program is built",
                   i + 1, tc_ops[call->call.op].name);
        return missing;
    }
    return v.i;
}

static const char *string_arg(const tc_expr *call, int i) {
    return i < call->call.n && call->call.args[i]->kind == TC_E_STRING
               ? call->call.args[i]->s
               : "";
}

static const char *window_words(tc_window w) {
    return w == TC_WIN_GLOBAL   ? "global memory"
           : w == TC_WIN_SHARED ? "shared memory"
                                : "local memory";
}

/* Argument i, a pointer, as an address in window w. */
static tc_val pointer_in(tc_pe e, const tc_expr *call, int i, tc_window w) {
    tc_val v = tc_pe_expr(e, call->call.args[i]);
    if (v.type != TC_HANDLE) {
        tc_pe_fail(e, call->call.args[i]->span, "T.address_of(A[i]) makes one",
                   "argument %d of %s must be a pointer", i + 1,
                   tc_ops[call->call.op].name);
        return v;
    }
    if (v.window != w && v.window != TC_WIN_GENERIC &&
        v.window != TC_WIN_NONE) {
        tc_pe_fail(e, call->call.args[i]->span, NULL,
                   "argument %d of %s must point to %s; this points to %s",
                   i + 1, tc_ops[call->call.op].name, window_words(w),
                   window_words(v.window));
    }
    return tc_pe_to_window(e, v, w);
}

/* --- cp.async (PTX ISA 9.7.9.25.3) -----------------------------------------*/

typedef struct ptx_cp_async {
    const char *dst, *src;
    int64_t size;
    const char *modifiers, *src_size, *policy; /* text, "" if absent */
    const char *guard;
} ptx_cp_async;

static const char *prefetch_text(tc_pe e, const tc_expr *call) {
    int64_t bytes = constant(e, call, 5, -1);
    if (bytes == -1) {
        return "";
    }
    tc_pe_needs(e, 74, 80);
    if (bytes != 64 && bytes != 128 && bytes != 256) {
        tc_pe_fail(e, call->span, "64, 128 or 256",
                   "cp.async cannot prefetch %lld bytes", (long long)bytes);
    }
    return tc_format(e->arena, ".L2::%lldB", (long long)bytes);
}

static bool predicate_given(const tc_expr *call) {
    int64_t v;
    return call->call.n > 6 &&
           !(tc_expr_const(call->call.args[6], &v) && v == -1);
}

/* fill_mode "zero": nothing is read where the predicate is 0. Without it the
 * copy is issued only where the predicate is 1. */
static void set_predicate(tc_pe e, const tc_expr *call, ptx_cp_async *c) {
    bool zero = strcmp(string_arg(call, 7), "zero") == 0;
    if (!zero && string_arg(call, 7)[0] != '\0') {
        tc_pe_fail(e, call->span, "\"zero\" or \"\"",
                   "cp.async has no fill mode \"%s\"", string_arg(call, 7));
    }
    if (!predicate_given(call)) {
        c->src_size =
            zero ? tc_format(e->arena, ", %lld", (long long)c->size) : "";
        return;
    }
    const tc_expr *arg = call->call.args[6];
    tc_val p = tc_pe_temp(e, TC_BOOL), v = tc_pe_expr(e, arg);
    if (v.type == TC_BOOL) {
        p = tc_pe_in_reg(e, v);
    } else {
        tc_pe_ins(e, "setp.%s.%s \t%s, %s, %d", zero ? "ne" : "eq",
                  tc_pe_num(v.type), tc_pe_text(e, p),
                  tc_pe_text(e, tc_pe_in_reg(e, v)), !zero);
    }
    if (zero) {
        tc_val size = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
        tc_pe_ins(e, "selp.b32 \t%s, %lld, 0, %s", tc_pe_text(e, size),
                  (long long)c->size, tc_pe_text(e, p));
        c->src_size = tc_format(e->arena, ", %s", tc_pe_text(e, size));
    } else {
        c->guard = tc_format(e->arena, "@%s ", tc_pe_text(e, p));
    }
}

static void set_policy(tc_pe e, const tc_expr *call, ptx_cp_async *c) {
    if (constant(e, call, 4, 0) == 0) {
        return;
    }
    tc_pe_needs(e, 74, 80);
    tc_val v = tc_pe_cast(e, TC_UINT64, tc_pe_expr(e, call->call.args[3]));
    c->policy = tc_format(e->arena, ", %s", tc_pe_text(e, tc_pe_in_reg(e, v)));
    c->modifiers = ".L2::cache_hint";
}

tc_val tc_ptx_op_PTX_CP_ASYNC(tc_pe e, const tc_expr *call) {
    ptx_cp_async c = {
        .modifiers = "", .src_size = "", .policy = "", .guard = ""};
    c.size = constant(e, call, 2, 16);
    if (c.size != 4 && c.size != 8 && c.size != 16) {
        tc_pe_fail(e, call->span, "4, 8 or 16 bytes",
                   "cp.async cannot copy %lld bytes", (long long)c.size);
        return nothing;
    }
    c.dst = tc_pe_address(e, pointer_in(e, call, 0, TC_WIN_SHARED));
    c.src = tc_pe_address(e, pointer_in(e, call, 1, TC_WIN_GLOBAL));
    set_policy(e, call, &c);
    set_predicate(e, call, &c);
    const char *prefetch = prefetch_text(e, call);
    tc_pe_ins(e, "%scp.async.%s.shared.global%s%s \t%s, %s, %lld%s%s", c.guard,
              c.size == 16 ? "cg" : "ca", c.modifiers, prefetch, c.dst, c.src,
              (long long)c.size, c.src_size, c.policy);
    return nothing;
}

tc_val tc_ptx_op_PTX_CP_ASYNC_COMMIT_GROUP(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "cp.async.commit_group");
    return nothing;
}

tc_val tc_ptx_op_PTX_CP_ASYNC_WAIT_GROUP(tc_pe e, const tc_expr *call) {
    int64_t n = constant(e, call, 0, 0);
    if (n < 0) {
        tc_pe_fail(e, call->span, "0 waits for every group",
                   "cp.async.wait_group cannot leave %lld groups in flight",
                   (long long)n);
    }
    tc_pe_ins(e, "cp.async.wait_group \t%lld", (long long)n);
    return nothing;
}

/* --- barriers, shuffles ----------------------------------------------------*/

tc_val tc_ptx_op_CUDA_CTA_SYNC(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "bar.sync \t0");
    return nothing;
}

tc_val tc_ptx_op_CUDA_WARP_SYNC(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "bar.warp.sync \t0xffffffff");
    return nothing;
}

tc_val tc_ptx_op_STORAGE_SYNC(tc_pe e, const tc_expr *call) {
    const char *scope = string_arg(call, 0);
    if (strcmp(scope, "shared") == 0 || strcmp(scope, "shared.dyn") == 0) {
        return tc_ptx_op_CUDA_CTA_SYNC(e, call);
    }
    if (strcmp(scope, "warp") == 0) {
        return tc_ptx_op_CUDA_WARP_SYNC(e, call);
    }
    tc_pe_fail(e, call->span, "\"shared\" or \"warp\"",
               "T.tvm_storage_sync(\"%s\"): PTX text is not built yet", scope);
    return nothing;
}

/* shfl.sync.idx: c holds the segment mask and the last lane (9.7.9.6). */
tc_val tc_ptx_op_WARP_SHUFFLE(tc_pe e, const tc_expr *call) {
    tc_expr **args = call->call.args;
    int64_t width = constant(e, call, 3, 32);
    tc_dtype t = args[1]->type;
    if (width < 1 || width > 32 || (width & (width - 1)) != 0 ||
        tc_dtypes[t].bits > 32 || tc_pe_class(t) == TC_RC_B16) {
        tc_pe_fail(e, call->span, "32-bit values, width 1 to 32",
                   "this shuffle of %s with width %lld is not built yet",
                   tc_dtypes[t].name, (long long)width);
        return nothing;
    }
    tc_val mask = tc_pe_cast(e, TC_UINT32, tc_pe_expr(e, args[0]));
    tc_val v = tc_pe_expr(e, args[1]), lane = tc_pe_expr(e, args[2]);
    v = t == TC_BOOL ? tc_pe_cast(e, TC_INT32, v) : v;
    tc_val r = tc_pe_temp(e, v.type), in = tc_pe_in_reg(e, v), out = r;
    if (t == TC_FLOAT32) {
        in = tc_pe_reg(e, TC_INT32, TC_RC_B32);
        out = tc_pe_reg(e, TC_INT32, TC_RC_B32);
        tc_pe_ins(e, "mov.b32 \t%s, %s", tc_pe_text(e, in), tc_pe_text(e, v));
    }
    tc_pe_ins(e, "shfl.sync.idx.b32 \t%s, %s, %s, %d, %s", tc_pe_text(e, out),
              tc_pe_text(e, in), tc_pe_text(e, lane),
              (int)(((32 - width) << 8) | 31), tc_pe_text(e, mask));
    if (t == TC_FLOAT32) {
        tc_pe_ins(e, "mov.b32 \t%s, %s", tc_pe_text(e, r), tc_pe_text(e, out));
    }
    return t == TC_BOOL ? tc_pe_cast(e, TC_BOOL, r) : r;
}

/* --- pointers and copies ---------------------------------------------------*/

tc_val tc_ptx_op_ADDRESS_OF(tc_pe e, const tc_expr *call) {
    const tc_expr *x = tc_memory_access_of(call);
    tc_val map;
    if (tc_pe_map_address(e, call, &map)) {
        return map;
    }
    if (x == NULL) {
        tc_pe_fail(e, call->span, "T.address_of(A[i])",
                   "T.address_of takes an element of a buffer");
        return nothing;
    }
    return tc_pe_addr(e, x->mem.buffer, x->mem.index, x->mem.n, x->span);
}

tc_val tc_ptx_op_POINTER_OFFSET(tc_pe e, const tc_expr *call) {
    tc_pointer p = tc_pointer_of(e->facts, call->call.args[0]);
    tc_val ptr = tc_pe_expr(e, call->call.args[0]);
    return tc_pe_offset(e, ptr, call->call.args[1],
                        p.elem_mixed ? 0 : tc_dtype_bytes(p.elem));
}

/* Registers that one copy of `bytes` goes through, and the ld/st suffix. */
static const char *copy_form(tc_pe e, int64_t bytes, const char **suffix) {
    tc_dtype t = bytes >= 4 ? TC_UINT32 : TC_UINT16;
    int n = bytes >= 4 ? (int)(bytes / 4) : 1;
    tc_reg_class rc = bytes >= 4 ? TC_RC_B32 : TC_RC_B16;
    tc_buf b = TC_BUF_INIT;
    *suffix = bytes == 16  ? "v4.b32"
              : bytes == 8 ? "v2.b32"
              : bytes == 4 ? "b32"
              : bytes == 2 ? "b16"
                           : "b8";
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%s", i > 0 ? ", " : "",
                      tc_pe_text(e, tc_pe_reg(e, t, rc)));
    }
    char *list = tc_buf_finish(&b, e->arena);
    return n > 1 ? tc_format(e->arena, "{%s}", list) : list;
}

tc_val tc_ptx_op_CUDA_COPY_BYTES(tc_pe e, const tc_expr *call) {
    int64_t bytes = constant(e, call, 2, 0);
    if (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)) != 0) {
        tc_pe_fail(e, call->span, "1, 2, 4, 8 or 16 bytes",
                   "T.cuda.copy_bytes cannot copy %lld bytes",
                   (long long)bytes);
        return nothing;
    }
    tc_val dst = tc_pe_expr(e, call->call.args[0]);
    tc_val src = tc_pe_expr(e, call->call.args[1]);
    if (dst.type != TC_HANDLE || src.type != TC_HANDLE) {
        tc_pe_fail(e, call->span, "T.address_of(A[i]) makes one",
                   "T.cuda.copy_bytes takes two pointers");
        return nothing;
    }
    if (tc_pe_move(e, dst, src, bytes)) {
        return nothing;
    }
    const char *suffix, *list = copy_form(e, bytes, &suffix);
    const char *from = tc_pe_address(e, src), *to = tc_pe_address(e, dst);
    tc_pe_ins(e, "ld%s.%s \t%s, %s", tc_pe_space(src), suffix, list, from);
    tc_pe_ins(e, "st%s.%s \t%s, %s", tc_pe_space(dst), suffix, to, list);
    return nothing;
}
