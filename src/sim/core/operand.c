/* operand.c - sources as 32 values, destinations under a mask. */
#include "sim/core/operand.h"
#include <string.h>

static void fill32(uint32_t *tmp, uint32_t v) {
    for (int i = 0; i < TC_LANES; i++) {
        tmp[i] = v;
    }
}

static void fill64(uint64_t *tmp, uint64_t v) {
    for (int i = 0; i < TC_LANES; i++) {
        tmp[i] = v;
    }
}

const uint32_t *tc_src32(tc_warp *w, const tc_ptx_operand *o, uint32_t *tmp) {
    switch (o->kind) {
    case TC_PO_REG:
        if (o->cls == TC_PF_32) {
            return tc_row32(w, o->slot);
        }
        for (int i = 0; i < TC_LANES; i++) { /* low word of a wider one */
            tmp[i] = (uint32_t)tc_row64(w, o->slot)[i];
        }
        return tmp;
    case TC_PO_SPECIAL:
        for (int i = 0; i < TC_LANES; i++) {
            tmp[i] =
                (uint32_t)tc_operand_special(w, (tc_ptx_special)o->slot, i);
        }
        return tmp;
    case TC_PO_SYMBOL:
        fill32(tmp,
               (uint32_t)(tc_symbol_address(w, o->slot) + (uint64_t)o->imm));
        return tmp;
    default:
        fill32(tmp, (uint32_t)o->imm);
        return tmp;
    }
}

const uint64_t *tc_src64(tc_warp *w, const tc_ptx_operand *o, uint64_t *tmp) {
    switch (o->kind) {
    case TC_PO_REG:
        if (o->cls == TC_PF_64) {
            return tc_row64(w, o->slot);
        }
        for (int i = 0; i < TC_LANES; i++) {
            tmp[i] = tc_row32(w, o->slot)[i];
        }
        return tmp;
    case TC_PO_SPECIAL:
        for (int i = 0; i < TC_LANES; i++) {
            tmp[i] = tc_operand_special(w, (tc_ptx_special)o->slot, i);
        }
        return tmp;
    case TC_PO_SYMBOL:
        fill64(tmp, tc_symbol_address(w, o->slot) + (uint64_t)o->imm);
        return tmp;
    default:
        fill64(tmp, (uint64_t)o->imm);
        return tmp;
    }
}

uint32_t tc_src_pred(tc_warp *w, const tc_ptx_operand *o) {
    if (o->kind == TC_PO_PRED) {
        return o->neg ? ~w->pred[o->slot] : w->pred[o->slot];
    }
    if (o->kind == TC_PO_SPECIAL) {
        return tc_operand_special(w, (tc_ptx_special)o->slot, 0) ? UINT32_MAX
                                                                 : 0;
    }
    return o->imm != 0 ? UINT32_MAX : 0;
}

/* Calls tc_put32, which calls it: each hands on only the other's file. */
void tc_put64(tc_warp *w, const tc_ptx_operand *d, const uint64_t *v,
              uint32_t mask) {
    if (d->kind != TC_PO_REG) {
        return;
    }
    if (d->cls == TC_PF_32) {
        uint32_t low[TC_LANES];
        for (int i = 0; i < TC_LANES; i++) {
            low[i] = (uint32_t)v[i];
        }
        tc_put32(w, d, low, mask);
        return;
    }
    uint64_t *to = tc_row64(w, d->slot);
    if (mask == UINT32_MAX) {
        memcpy(to, v, TC_LANES * sizeof *to);
        return;
    }
    for (unsigned i = 0; i < TC_LANES; i++) {
        to[i] = (mask >> i & 1u) != 0 ? v[i] : to[i];
    }
}

void tc_put32(tc_warp *w, const tc_ptx_operand *d, const uint32_t *v,
              uint32_t mask) {
    if (d->kind != TC_PO_REG) {
        return;
    }
    if (d->cls == TC_PF_64) {
        uint64_t wide[TC_LANES];
        for (int i = 0; i < TC_LANES; i++) {
            wide[i] = v[i];
        }
        tc_put64(w, d, wide, mask);
        return;
    }
    if (d->nvec < 4) { /* 8- and 16-bit registers have zeros above */
        uint32_t low[TC_LANES], keep = d->nvec == 1 ? 0xffu : 0xffffu;
        for (int i = 0; i < TC_LANES; i++) {
            low[i] = v[i] & keep;
        }
        tc_ptx_operand word = *d;
        word.nvec = 4;
        tc_put32(w, &word, low, mask);
        return;
    }
    uint32_t *to = tc_row32(w, d->slot);
    if (mask == UINT32_MAX) {
        memcpy(to, v, TC_LANES * sizeof *to);
        return;
    }
    for (unsigned i = 0; i < TC_LANES; i++) {
        to[i] = (mask >> i & 1u) != 0 ? v[i] : to[i];
    }
}

void tc_put_pred(tc_warp *w, const tc_ptx_operand *d, uint32_t v,
                 uint32_t mask) {
    if (d->kind == TC_PO_PRED) {
        w->pred[d->slot] = (w->pred[d->slot] & ~mask) | (v & mask);
    }
}

void tc_operand_addresses(tc_warp *w, const tc_ptx_operand *o, uint64_t *out) {
    uint64_t imm = (uint64_t)o->imm;
    if (o->neg == 1 && o->cls == TC_PF_64) {
        const uint64_t *b = tc_row64(w, o->slot);
        for (int i = 0; i < TC_LANES; i++) {
            out[i] = b[i] + imm;
        }
        return;
    }
    if (o->neg == 1) {
        const uint32_t *b = tc_row32(w, o->slot);
        for (int i = 0; i < TC_LANES; i++) {
            out[i] = (uint32_t)(b[i] + (uint32_t)imm);
        }
        return;
    }
    uint64_t a = imm + (o->neg == 2 ? tc_symbol_address(w, o->slot) : 0);
    for (int i = 0; i < TC_LANES; i++) {
        out[i] = a;
    }
}
