/* ptx_local.c - what pointers to a thread's own array reach: 32-bit words of
 * it, in memory. */
#include "emit/ptx_emit.h"

static tc_val pointer(tc_pe e, const tc_expr *ptr) {
    tc_val v = tc_pe_expr(e, ptr);
    if (v.type != TC_HANDLE) {
        tc_pe_fail(e, ptr->span, "T.address_of(A[i]) makes one",
                   "a pointer is needed here");
    }
    return v;
}

tc_val tc_pe_get_word(tc_pe e, const tc_expr *ptr) {
    tc_val v = pointer(e, ptr), r = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    const char *place = tc_pe_place(e, v);
    tc_pe_ins(e, "ld%s.b32 \t%s, %s", tc_pe_space(v), tc_pe_text(e, r), place);
    return r;
}

void tc_pe_put_word(tc_pe e, const tc_expr *ptr, tc_val word) {
    tc_val v = pointer(e, ptr);
    const char *place = tc_pe_place(e, v);
    tc_pe_ins(e, "st%s.b32 \t%s, %s", tc_pe_space(v), place,
              tc_pe_text(e, word));
}
