/* tcgen05.c - tensor memory as PTX (PTX ISA 9.7.16): one function a row of
 * ops.def. */
#include "emit/tcgen05.h"
#include "emit/ptx/ptx.h"

#include <string.h>

static const tc_val nothing = {.kind = TC_VAL_NONE, .type = TC_VOID};

static tc_val word(tc_pe e, const tc_expr *x) {
    return tc_pe_cast(e, TC_UINT32, tc_pe_expr(e, x));
}

static const char *word_text(tc_pe e, const tc_expr *x) {
    return tc_pe_text(e, tc_pe_in_reg(e, word(e, x)));
}

/* A kernel is of one kind: alone, or a pair of CTAs (9.7.16.5). */
static long long group(tc_pe e, const tc_expr *call, int i) {
    int g = tc_tcgen05_constant(call, i) == 2 ? 2 : 1;
    if (e->cta_group != 0 && e->cta_group != g) {
        tc_pe_fail(e, call->span, "give all the same cta_group",
                   "a kernel has tcgen05 instructions of cta_group 1 or of "
                   "cta_group 2, not of both");
    }
    e->cta_group = g;
    return g;
}

static const char *string_of(const tc_expr *x) {
    return x->kind == TC_E_STRING ? x->s : "";
}

/* A fresh word register for the sum. */
static tc_val add(tc_pe e, tc_val x, tc_val y) {
    tc_val r = tc_pe_temp(e, TC_UINT32);
    tc_pe_ins(e, "add.s32 \t%s, %s, %s", tc_pe_text(e, r),
              tc_pe_text(e, tc_pe_in_reg(e, x)), tc_pe_text(e, y));
    return r;
}

/* An address in tensor memory has the lane in its upper half, the column in
 * its lower (9.7.16.1). */
static tc_val moved(tc_pe e, tc_val at, const tc_expr *row,
                    const tc_expr *col) {
    tc_val r = word(e, row), c = word(e, col);
    if (r.kind == TC_VAL_INT && c.kind == TC_VAL_INT) {
        uint32_t by = (uint32_t)r.i << 16 | ((uint32_t)c.i & 0xffff);
        return by == 0 ? tc_pe_in_reg(e, at)
                       : add(e, at, tc_pe_int(TC_UINT32, (int64_t)by));
    }
    if (r.kind == TC_VAL_INT) {
        at = r.i == 0
                 ? at
                 : add(e, at,
                       tc_pe_int(TC_UINT32, (int64_t)((uint32_t)r.i << 16)));
    } else {
        tc_val lane = tc_pe_temp(e, TC_UINT32);
        tc_pe_ins(e, "shl.b32 \t%s, %s, 16", tc_pe_text(e, lane),
                  tc_pe_text(e, r));
        at = add(e, at, lane);
    }
    return c.kind == TC_VAL_INT && c.i == 0 ? tc_pe_in_reg(e, at)
                                            : add(e, at, c);
}

/* --- allocation ------------------------------------------------------------*/

static tc_val shared_pointer(tc_pe e, const tc_expr *call, int i) {
    tc_val v = tc_pe_expr(e, call->call.args[i]);
    if (v.type != TC_HANDLE ||
        (v.window != TC_WIN_SHARED && v.window != TC_WIN_GENERIC)) {
        tc_pe_fail(e, call->call.args[i]->span, "T.address_of(A_smem[0])",
                   "argument %d of %s must point to shared memory", i + 1,
                   tc_ops[call->call.op].name);
        return v;
    }
    return tc_pe_to_window(e, v, TC_WIN_SHARED);
}

static bool columns_fit(tc_pe e, const tc_expr *call) {
    const char *why = tc_tcgen05_bad_columns(e->arena, call);
    if (why != NULL) {
        tc_pe_fail(e, call->span, NULL, "%s: %s", tc_ops[call->call.op].name,
                   why);
    }
    return why == NULL;
}

tc_val tc_ptx_op_PTX_TCGEN05_ALLOC(tc_pe e, const tc_expr *call) {
    if (columns_fit(e, call)) {
        const char *to = tc_pe_address(e, shared_pointer(e, call, 0));
        tc_pe_ins(e,
                  "tcgen05.alloc.cta_group::%lld.sync.aligned.shared::cta.b32 "
                  "\t%s, %s",
                  group(e, call, 2), to, word_text(e, call->call.args[1]));
    }
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_DEALLOC(tc_pe e, const tc_expr *call) {
    if (columns_fit(e, call)) {
        const char *at = word_text(e, call->call.args[0]);
        tc_pe_ins(e,
                  "tcgen05.dealloc.cta_group::%lld.sync.aligned.b32 \t%s, %s",
                  group(e, call, 2), at, word_text(e, call->call.args[1]));
    }
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_RELINQUISH(tc_pe e, const tc_expr *call) {
    tc_pe_ins(e, "tcgen05.relinquish_alloc_permit.cta_group::%lld.sync.aligned",
              group(e, call, 0));
    return nothing;
}

/* --- ld, st, and their waits -----------------------------------------------*/

/* "[%r1]", with what 16x32bx2 needs behind it. */
static const char *place(tc_pe e, const tc_expr *call) {
    tc_expr **x = call->call.args;
    const char *at = tc_pe_text(e, moved(e, word(e, x[0]), x[1], x[2]));
    if (strcmp(string_of(x[3]), "16x32bx2") != 0) {
        return tc_format(e->arena, "[%s]", at);
    }
    long long half = (long long)tc_tcgen05_constant(call, 4);
    return tc_format(e->arena, "[%s], %lld", at,
                     tc_tcgen05_pack(call)[0] != '\0' ? 2 * half : half);
}

static const char *form(tc_pe e, const tc_expr *call, int *regs) {
    const char *why = NULL;
    const char *f = tc_tcgen05_form(e->arena, call, regs, &why);
    if (f == NULL) {
        tc_pe_fail(e, call->span, NULL, "%s: %s", tc_ops[call->call.op].name,
                   why);
    }
    return f;
}

static const char *list(tc_pe e, const tc_val *regs, int n) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%s", i > 0 ? ", " : "{", tc_pe_text(e, regs[i]));
    }
    tc_buf_putc(&b, '}');
    return tc_buf_finish(&b, e->arena);
}

/* x, an element of 32 bits, as an address. */
static tc_val element(tc_pe e, const tc_expr *call, const tc_expr *x) {
    if (x->kind != TC_E_LOAD || tc_dtype_bytes(x->type) != 4) {
        tc_pe_fail(e, call->span, "registers are elements of 32 bits",
                   "%s needs registers r[0], r[1], ...",
                   tc_ops[call->call.op].name);
        return nothing;
    }
    return tc_pe_addr(e, x->mem.buffer, x->mem.index, x->mem.n, x->span);
}

static void put(tc_pe e, const tc_loading *l) {
    const char *to = tc_pe_address(e, l->to);
    tc_pe_ins(e, "st%s.b32 \t%s, %s", tc_pe_space(l->to), to,
              tc_pe_text(e, l->reg));
}

static void put_all(tc_pe e) {
    int n = e->nloading;
    e->nloading = 0;
    for (int i = 0; i < n; i++) {
        put(e, &e->loading[i]);
    }
}

void tc_pe_settle(tc_pe e, const tc_buffer *root) {
    for (int i = 0; i < e->nloading; i++) {
        if (e->loading[i].root == root) {
            put_all(e);
        }
    }
}

void tc_pe_settle_all(tc_pe e) {
    if (e->nloading > 0) {
        tc_buf_puts(e->out,
                    "\t// the registers go to memory before a branch\n");
        if (e->facts->waits_ld) { /* whoever forgot it is to be told */
            tc_pe_ins(e, "tcgen05.wait::ld.sync.aligned");
        }
        put_all(e);
    }
}

tc_val tc_ptx_op_PTX_TCGEN05_LD(tc_pe e, const tc_expr *call) {
    int n = 0;
    const char *f = form(e, call, &n);
    tc_val *regs = TC_NEWN(e->arena, tc_val, n + 1);
    if (f == NULL) {
        return nothing;
    }
    const char *from = place(e, call);
    for (int i = 0; i < n; i++) {
        regs[i] = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    }
    tc_pe_ins(e, "tcgen05.ld.sync.aligned.%s%s.b32 \t%s, %s", f,
              tc_tcgen05_pack(call), list(e, regs, n), from);
    for (int i = 0; i < n && !e->failed; i++) {
        const tc_expr *x = call->call.args[6 + i];
        tc_loading l = {.reg = regs[i], .to = element(e, call, x)};
        if (!e->failed) {
            l.root = tc_buffer_root(x->mem.buffer);
            TC_PUSH(e->arena, e->loading, e->nloading, e->loading_cap, l);
        }
    }
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_ST(tc_pe e, const tc_expr *call) {
    int n = 0;
    const char *f = form(e, call, &n);
    tc_val *regs = TC_NEWN(e->arena, tc_val, n + 1);
    if (f == NULL) {
        return nothing;
    }
    for (int i = 0; i < n && !e->failed; i++) {
        const tc_expr *x = call->call.args[6 + i];
        if (tc_dtype_bytes(x->type) != 4) {
            element(e, call, x);
            return nothing;
        }
        regs[i] = tc_pe_in_reg(e, tc_pe_expr(e, x));
        if (regs[i].rc == TC_RC_F32) {
            tc_val bits = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
            tc_pe_ins(e, "mov.b32 \t%s, %s", tc_pe_text(e, bits),
                      tc_pe_text(e, regs[i]));
            regs[i] = bits;
        }
    }
    const char *to = place(e, call);
    tc_pe_ins(e, "tcgen05.st.sync.aligned.%s%s.b32 \t%s, %s", f,
              tc_tcgen05_pack(call), to, list(e, regs, n));
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_WAIT_LD(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "tcgen05.wait::ld.sync.aligned");
    put_all(e);
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_WAIT_ST(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "tcgen05.wait::st.sync.aligned");
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_FENCE_BEFORE(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "tcgen05.fence::before_thread_sync");
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_FENCE_AFTER(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_ins(e, "tcgen05.fence::after_thread_sync");
    return nothing;
}

/* --- cp, commit ------------------------------------------------------------*/

tc_val tc_ptx_op_PTX_TCGEN05_CP(tc_pe e, const tc_expr *call) {
    tc_expr **x = call->call.args;
    const char *cast = string_of(x[4]), *more = string_of(x[5]);
    tc_val to = moved(e, word(e, x[0]), x[6], x[7]);
    tc_val desc = tc_pe_cast(e, TC_UINT64, tc_pe_expr(e, x[1]));
    tc_pe_ins(e, "tcgen05.cp.cta_group::%lld.%s%s%s%s%s \t[%s], %s",
              group(e, call, 3), string_of(x[2]), cast[0] != '\0' ? "." : "",
              cast, more[0] != '\0' ? "." : "", more, tc_pe_text(e, to),
              tc_pe_text(e, tc_pe_in_reg(e, desc)));
    return nothing;
}

tc_val tc_ptx_op_PTX_TCGEN05_COMMIT(tc_pe e, const tc_expr *call) {
    const char *guard = "", *mask = "";
    bool several = tc_tcgen05_is_multicast(call);
    const char *bar =
        tc_pe_text(e, tc_pe_in_reg(e, shared_pointer(e, call, 0)));
    if (several) {
        tc_val m = tc_pe_cast(e, TC_UINT16, tc_pe_expr(e, call->call.args[2]));
        tc_val narrow = tc_pe_reg(e, TC_UINT16, TC_RC_B16);
        tc_pe_ins(e, "cvt.u16.u32 \t%s, %s", tc_pe_text(e, narrow),
                  tc_pe_text(e, tc_pe_in_reg(e, m)));
        mask = tc_format(e->arena, ", %s", tc_pe_text(e, narrow));
    }
    if (call->call.n > 3) {
        tc_val p = tc_pe_temp(e, TC_BOOL);
        tc_pe_ins(e, "setp.ne.u32 \t%s, %s, 0", tc_pe_text(e, p),
                  word_text(e, call->call.args[3]));
        guard = tc_format(e->arena, "@%s ", tc_pe_text(e, p));
    }
    tc_pe_ins(e,
              "%stcgen05.commit.cta_group::%lld.mbarrier::arrive::one."
              "shared::cluster%s.b64 \t[%s]%s",
              guard, group(e, call, 1), several ? ".multicast::cluster" : "",
              bar, mask);
    return nothing;
}

/* --- shared memory descriptors (PTX ISA 9.7.16.4.1) ------------------------*/

static tc_val wide(tc_pe e, tc_val v) {
    return tc_pe_in_reg(e, tc_pe_cast(e, TC_UINT64, v));
}

static tc_val merge(tc_pe e, tc_val sum, tc_val field, int bits, int at) {
    tc_val v = tc_pe_in_reg(e, field), cut = tc_pe_temp(e, TC_UINT32);
    tc_pe_ins(e, "and.b32 \t%s, %s, %d", tc_pe_text(e, cut), tc_pe_text(e, v),
              (1 << bits) - 1);
    v = wide(e, cut);
    if (at > 0) {
        tc_val up = tc_pe_temp(e, TC_UINT64);
        tc_pe_ins(e, "shl.b64 \t%s, %s, %d", tc_pe_text(e, up),
                  tc_pe_text(e, v), at);
        v = up;
    }
    tc_val r = tc_pe_temp(e, TC_UINT64);
    tc_pe_ins(e, "or.b64 \t%s, %s, %s", tc_pe_text(e, r),
              tc_pe_text(e, tc_pe_in_reg(e, sum)), tc_pe_text(e, v));
    return r;
}

/* Swizzles none, 32, 64, 128 bytes and 128 with atoms of 32 as bits 61-63. */
static int64_t swizzle_bits(tc_pe e, const tc_expr *call) {
    static const int64_t codes[] = {0, 6, 4, 2, 1};
    int64_t mode = tc_tcgen05_constant(call, 4);
    if (mode < 0 || mode > 4) {
        tc_pe_fail(e, call->span, "0, 1, 2, 3 or 4",
                   "%s needs a swizzle that is known when the program is built",
                   tc_ops[call->call.op].name);
        return 0;
    }
    return codes[mode];
}

tc_val tc_ptx_op_PTX_TCGEN05_DESC(tc_pe e, const tc_expr *call) {
    /* bits 46-47 are 1; the swizzle comes last */
    uint64_t fixed = UINT64_C(1) << 46 | (uint64_t)swizzle_bits(e, call) << 61;
    tc_val at = tc_pe_in_reg(e, shared_pointer(e, call, 1));
    tc_val start = tc_pe_temp(e, TC_UINT32), to;
    tc_pe_ins(e, "shr.u32 \t%s, %s, 4", tc_pe_text(e, start),
              tc_pe_text(e, at));
    tc_val d = tc_pe_int(TC_UINT64, (int64_t)fixed);
    d = merge(e, d, start, 14, 0);
    d = merge(e, d, word(e, call->call.args[2]), 14, 16);
    d = merge(e, d, word(e, call->call.args[3]), 14, 32);
    to = tc_pe_expr(e, call->call.args[0]);
    if (to.type != TC_HANDLE) {
        tc_pe_fail(e, call->span, "T.address_of(desc[0])",
                   "argument 1 of %s must be a pointer",
                   tc_ops[call->call.op].name);
        return nothing;
    }
    tc_pe_ins(e, "st%s.b64 \t%s, %s", tc_pe_space(to), tc_pe_address(e, to),
              tc_pe_text(e, d));
    return nothing;
}

/* The descriptor of a place further on: its lower half counts 16 bytes. */
tc_val tc_ptx_op_SMEM_DESC_ADD(tc_pe e, const tc_expr *call) {
    tc_val d = wide(e, tc_pe_expr(e, call->call.args[0]));
    tc_val by = word(e, call->call.args[1]);
    tc_val lo = tc_pe_temp(e, TC_UINT32), hi = tc_pe_temp(e, TC_UINT32);
    tc_val r = tc_pe_temp(e, TC_UINT64);
    if (by.kind == TC_VAL_INT && by.i == 0) {
        return d;
    }
    tc_pe_ins(e, "mov.b64 \t{%s, %s}, %s", tc_pe_text(e, lo), tc_pe_text(e, hi),
              tc_pe_text(e, d));
    lo = add(e, lo, by);
    tc_pe_ins(e, "mov.b64 \t%s, {%s, %s}", tc_pe_text(e, r), tc_pe_text(e, lo),
              tc_pe_text(e, hi));
    return r;
}
