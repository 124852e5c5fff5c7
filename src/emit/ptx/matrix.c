/* matrix.c - ldmatrix and stmatrix (PTX ISA 9.7.15.5.15 and .16). */
#include "emit/ptx/ptx.h"

#include <string.h>

static const tc_val nothing = {.kind = TC_VAL_NONE, .type = TC_VOID};

static bool is_string(const tc_expr *call, int i, const char *s) {
    return call->call.args[i]->kind == TC_E_STRING &&
           strcmp(call->call.args[i]->s, s) == 0;
}

/* How many tiles the call moves, and .trans; 0 (reported) for another form.
 * `fixed`: arguments before the registers. */
static int tiles_of(tc_pe e, const tc_expr *call, int fixed,
                    const char **trans) {
    int64_t flag = 0, num = 0;
    bool known = tc_expr_const(call->call.args[0], &flag) &&
                 tc_expr_const(call->call.args[1], &num);
    if (!known || (num != 1 && num != 2 && num != 4) ||
        call->call.n != fixed + num || !is_string(call, 2, ".b16")) {
        tc_pe_fail(e, call->span, "1, 2 or 4 tiles of .b16, one pointer each",
                   "%s: PTX text of this form is not built yet",
                   tc_ops[call->call.op].name);
        return 0;
    }
    *trans = flag ? ".trans" : "";
    return (int)num;
}

/* The shared address, as text. */
static const char *shared_place(tc_pe e, const tc_expr *call, int i) {
    tc_val v = tc_pe_expr(e, call->call.args[i]);
    if (v.type != TC_HANDLE ||
        (v.window != TC_WIN_SHARED && v.window != TC_WIN_GENERIC)) {
        tc_pe_fail(e, call->span, NULL,
                   "argument %d of %s must point to shared memory", i + 1,
                   tc_ops[call->call.op].name);
        return "[0]";
    }
    return tc_pe_address(e, tc_pe_to_window(e, v, TC_WIN_SHARED));
}

static const char *register_list(tc_pe e, const tc_val *regs, int n) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%s", i > 0 ? ", " : "", tc_pe_text(e, regs[i]));
    }
    return tc_buf_finish(&b, e->arena);
}

tc_val tc_ptx_op_PTX_LDMATRIX(tc_pe e, const tc_expr *call) {
    const char *trans;
    tc_val regs[4] = {{0}};
    int n = tiles_of(e, call, 4, &trans);
    if (n == 0) {
        return nothing;
    }
    for (int i = 0; i < n; i++) {
        regs[i] = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    }
    const char *from = shared_place(e, call, 3);
    tc_pe_needs(e, 65, 75);
    tc_pe_ins(e, "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 \t{%s}, %s", n,
              trans, register_list(e, regs, n), from);
    for (int i = 0; i < n; i++) {
        tc_pe_put_word(e, call->call.args[4 + i], regs[i]);
    }
    return nothing;
}

tc_val tc_ptx_op_PTX_STMATRIX(tc_pe e, const tc_expr *call) {
    const char *trans;
    tc_val regs[4] = {{0}};
    int n = tiles_of(e, call, 6, &trans);
    if (n == 0) {
        return nothing;
    }
    if (!is_string(call, 3, "m8n8") || !is_string(call, 4, "shared")) {
        tc_pe_fail(e, call->span, "shape m8n8, space shared",
                   "T.ptx.stmatrix: PTX text of this form is not built yet");
        return nothing;
    }
    for (int i = 0; i < n; i++) {
        regs[i] = tc_pe_get_word(e, call->call.args[6 + i]);
    }
    const char *to = shared_place(e, call, 5);
    tc_pe_needs(e, 78, 90);
    tc_pe_ins(e, "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 \t%s, {%s}", n,
              trans, to, register_list(e, regs, n));
    return nothing;
}
