/* alu.c - runs a kernel over a warp's lanes. */
#include "sim/alu/alu.h"

void tc_alu_run(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                const tc_kernel *k, int n) {
    if (k->k32 != NULL) {
        uint32_t tmp[3][TC_LANES], d[TC_LANES];
        const uint32_t *s[3];
        for (int i = 0; i < 3; i++) {
            s[i] = i < n ? tc_src32(w, &op->a[1 + i], tmp[i]) : s[0];
        }
        k->k32(op->flags, d, s[0], s[1], s[2]);
        tc_put32(w, &op->a[0], d, mask);
    } else if (k->k64 != NULL) {
        uint64_t tmp[3][TC_LANES], d[TC_LANES];
        const uint64_t *s[3];
        for (int i = 0; i < 3; i++) {
            s[i] = i < n ? tc_src64(w, &op->a[1 + i], tmp[i]) : s[0];
        }
        k->k64(op->flags, d, s[0], s[1], s[2]);
        tc_put64(w, &op->a[0], d, mask);
    }
}
