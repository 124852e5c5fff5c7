/* own_join.c - loads of words side by side in shared memory, of which one wider
 * load is made where their address is known to be aligned. */
#include "sim/timing/own.h"

enum { WORD = 4 };

static const uint32_t *sources(const tc_own *o, uint32_t at, uint32_t *n) {
    const tc_timing_op *x = &o->t->ops[at];
    *n = x->nsrc;
    return &o->t->regs[x->regs];
}

/* How many low bits of a register are always 0. */
static uint32_t zeros(const tc_own *o, uint32_t reg, uint32_t depth);

static uint32_t trailing(int64_t v) {
    return v ? (uint32_t)__builtin_ctzll((uint64_t)v) : 31;
}

static uint32_t zeros_of(const tc_own *o, uint32_t at, int i, uint32_t *next,
                         uint32_t depth) {
    const tc_ptx_operand *a = &o->code[at].a[i];
    if (a->kind == TC_PO_IMM) {
        return trailing(a->imm);
    }
    if (a->kind == TC_PO_SYMBOL) {
        uint32_t align = o->t->run->module->symbols[a->slot].align;
        uint32_t z = trailing(a->imm);
        return trailing(align) < z ? trailing(align) : z;
    }
    if (a->kind != TC_PO_REG) {
        return 0;
    }
    uint32_t n;
    const uint32_t *r = sources(o, at, &n);
    return *next < n ? zeros(o, r[(*next)++], depth) : 0;
}

static uint32_t zeros_by(const tc_own *o, uint32_t at, uint32_t depth) {
    const tc_ptx_op *op = &o->code[at];
    uint32_t next = 0, a, b;
    if (op->guard >= 0) {
        return 0;
    }
    switch (op->opcode) {
    case TC_PTX_MOV:
    case TC_PTX_CVTA:
        return zeros_of(o, at, 1, &next, depth);
    case TC_PTX_ADD:
    case TC_PTX_SUB:
        a = zeros_of(o, at, 1, &next, depth);
        b = zeros_of(o, at, 2, &next, depth);
        return a < b ? a : b;
    case TC_PTX_AND:
        a = zeros_of(o, at, 1, &next, depth);
        b = zeros_of(o, at, 2, &next, depth);
        return a > b ? a : b;
    case TC_PTX_SHL:
        a = zeros_of(o, at, 1, &next, depth);
        return op->a[2].kind == TC_PO_IMM ? a + (uint32_t)op->a[2].imm : a;
    case TC_PTX_MUL:
        return zeros_of(o, at, 1, &next, depth) +
               zeros_of(o, at, 2, &next, depth);
    case TC_PTX_MAD:
        a = zeros_of(o, at, 1, &next, depth) + zeros_of(o, at, 2, &next, depth);
        b = zeros_of(o, at, 3, &next, depth);
        return a < b ? a : b;
    default:
        return 0;
    }
}

static uint32_t zeros(const tc_own *o, uint32_t reg, uint32_t depth) {
    enum { DEEP = 12 };
    if (depth == DEEP || o->nwritten[reg] == 0 || o->nwritten[reg] > 2) {
        return 0;
    }
    uint32_t w = o->writer[reg];
    bool steps = tc_own_steps(o, w);
    uint32_t a =
        steps ? trailing(o->code[w].a[2].imm) : zeros_by(o, w, depth + 1);
    if (o->nwritten[reg] == 2) {
        uint32_t b = zeros_by(o, o->other[reg], depth + 1);
        a = b < a ? b : a;
    }
    return a;
}

/* The load of the word `at`, of the same address register, with no store
 * between; NULL. */
static tc_own_load *neighbour(tc_own *o, const tc_own_load *l, int64_t at) {
    for (uint32_t i = 0; i < o->nshared; i++) {
        tc_own_load *x = &o->shared[i];
        if (x->at == at && x->reg == l->reg && x->version == l->version &&
            x->stores == l->stores && o->cells[x->cell].same == TC_NO_OP &&
            o->cells[x->cell].bytes == WORD) {
            return x;
        }
    }
    return NULL;
}

/* n words from l on become one load. */
static void widen(tc_own *o, const tc_own_load *l, uint32_t n) {
    tc_own_load *part[4] = {0};
    uint32_t first = l->cell;
    for (uint32_t k = 0; k < n; k++) {
        part[k] = neighbour(o, l, l->at + (int64_t)k * WORD);
        if (!part[k]) {
            return;
        }
        first = part[k]->cell < first ? part[k]->cell : first;
    }
    for (uint32_t k = 0; k < n; k++) {
        o->cells[part[k]->cell].same =
            part[k]->cell == first ? TC_NO_OP : first;
    }
    o->cells[first].bytes = (uint8_t)(n * WORD);
    o->cells[first].words = (uint8_t)n;
}

void tc_own_join(tc_own *o) {
    for (uint32_t n = 4; n > 1; n /= 2) {
        for (uint32_t i = 0; i < o->nshared; i++) {
            const tc_own_load *l = &o->shared[i];
            uint32_t base = l->reg == TC_NO_OP ? 4 : zeros(o, l->reg, 0);
            bool aligned =
                l->at % (int64_t)(n * WORD) == 0 && base >= (n == 4 ? 4u : 3u);
            if (aligned && o->cells[l->cell].same == TC_NO_OP &&
                o->cells[l->cell].bytes == WORD) {
                widen(o, l, n);
            }
        }
    }
}
