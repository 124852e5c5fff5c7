/* own.c - what becomes of single ops of the PTX: none, one or several machine
 * instructions. Rules are those that ptxas 13.0 was seen to follow in the kernels
 * of src/calibrate/kernels: parameters, copies and special sizes are operands
 * from the constant bank; a product is fused with the sum that alone reads it, a
 * shift too, a sum of a constant with the address; three-input sums and logic. */
#include "sim/timing/own.h"
#include <stdlib.h>
#include <string.h>

enum { NO_FUNC = 0, CHAIN = 5, WORD = 4 };

static const uint8_t units[CHAIN] = {TC_PU_SFU, TC_PU_ALU, TC_PU_FMA,
                                     TC_PU_IMAD, TC_PU_FP64};

/* ---- kinds of ops ---- */

static bool wide(const tc_ptx_op *op) {
    return tc_ptx_type_bytes[op->type] == 8 && !(op->flags & TC_PM_WIDE);
}

static bool is_float(const tc_ptx_op *op) {
    return op->type == TC_PT_F32 || op->type == TC_PT_F64 ||
           op->type == TC_PT_F16 || op->type == TC_PT_F16X2 ||
           op->type == TC_PT_BF16 || op->type == TC_PT_BF16X2;
}

static bool is_logic(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_AND || op->opcode == TC_PTX_OR ||
           op->opcode == TC_PTX_XOR;
}

static bool is_sum(const tc_ptx_op *op) {
    return (op->opcode == TC_PTX_ADD || op->opcode == TC_PTX_SUB) &&
           !is_float(op);
}

static bool is_access(const tc_ptx_op *op) {
    switch (op->opcode) {
    case TC_PTX_LD:
    case TC_PTX_ST:
        return op->space != TC_PS_PARAM && op->space != TC_PS_CONST;
    case TC_PTX_ATOM:
    case TC_PTX_RED:
    case TC_PTX_CP_ASYNC:
    case TC_PTX_LDMATRIX:
    case TC_PTX_STMATRIX:
    case TC_PTX_WMMA_LOAD_A:
    case TC_PTX_WMMA_LOAD_B:
    case TC_PTX_WMMA_LOAD_C:
    case TC_PTX_WMMA_STORE_D:
        return true;
    default:
        return false;
    }
}

static bool writes(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_ST || op->opcode == TC_PTX_ATOM ||
           op->opcode == TC_PTX_RED || op->opcode == TC_PTX_CP_ASYNC ||
           op->opcode == TC_PTX_STMATRIX || op->opcode == TC_PTX_WMMA_STORE_D;
}

/* Sizes of the launch lie in the constant bank. */
static bool constant_special(uint32_t sr) {
    return (sr >= TC_SR_NTID_X && sr <= TC_SR_NTID_Z) ||
           (sr >= TC_SR_NCTAID_X && sr <= TC_SR_NCTAID_Z) || sr == TC_SR_ZERO ||
           sr == TC_SR_ZERO64;
}

/* It needs no instruction: its result is its source, or a constant. */
static bool vanishes(tc_own *o, const tc_ptx_op *op) {
    switch (op->opcode) {
    case TC_PTX_CVTA:
        return true;
    case TC_PTX_MOV:
        if (op->a[1].kind == TC_PO_SPECIAL) {
            bool known =
                constant_special(op->a[1].slot) || o->specials[op->a[1].slot];
            o->specials[op->a[1].slot] = 1;
            return known;
        }
        return op->a[1].kind != TC_PO_VECTOR && op->a[0].kind != TC_PO_VECTOR;
    case TC_PTX_ABS:
    case TC_PTX_NEG:
        return is_float(op);
    case TC_PTX_CVT:
        return tc_ptx_type_bytes[op->type] == tc_ptx_type_bytes[op->type2]
                   ? !is_float(op) && op->type2 != TC_PT_F32 &&
                         op->type2 != TC_PT_F64
                   : op->type2 == TC_PT_U32 && tc_ptx_type_bytes[op->type] == 8;
    default:
        return false;
    }
}

/* ---- registers ---- */

static const uint32_t *sources(const tc_own *o, uint32_t at, uint32_t *n) {
    const tc_timing_op *x = &o->t->ops[at];
    *n = x->nsrc;
    return &o->t->regs[x->regs];
}

static const uint32_t *results(const tc_own *o, uint32_t at, uint32_t *n) {
    const tc_timing_op *x = &o->t->ops[at];
    *n = x->ndst;
    return &o->t->regs[x->regs + x->nsrc];
}

static void count(tc_own *o) {
    for (uint32_t i = o->f->begin; i < o->f->end; i++) {
        uint32_t n;
        const uint32_t *r = sources(o, i, &n);
        for (uint32_t k = 0; k < n; k++) {
            o->nread[r[k]]++;
            o->reader[r[k]] = i;
        }
        r = results(o, i, &n);
        for (uint32_t k = 0; k < n; k++) {
            o->nwritten[r[k]]++;
            o->other[r[k]] = o->writer[r[k]];
            o->writer[r[k]] = i;
        }
    }
}

/* May `a` be a part of `b`, which alone reads it? */
static bool fits(const tc_own *o, const tc_ptx_op *a, const tc_ptx_op *b) {
    bool imm = a->noperands > 2 && a->a[2].kind == TC_PO_IMM;
    bool taken = o->joined[b - o->code - o->f->begin];
    switch (a->opcode) {
    case TC_PTX_MUL:
        return !is_float(a) && is_sum(b) && !taken &&
               (a->flags & TC_PM_WIDE ? wide(b) : !wide(a));
    case TC_PTX_SHL:
        return imm && is_sum(b) && !taken && !wide(b);
    case TC_PTX_ADD:
    case TC_PTX_SUB:
        if (is_float(a)) {
            return false;
        }
        if (imm && is_access(b)) {
            return true;
        }
        return is_sum(b) && !taken && !wide(a) && !wide(b);
    case TC_PTX_AND:
    case TC_PTX_OR:
    case TC_PTX_XOR:
        return is_logic(b) && !taken && !wide(a) &&
               (a->type == TC_PT_PRED) == (b->type == TC_PT_PRED);
    case TC_PTX_SETP:
        return is_logic(b) && b->type == TC_PT_PRED && !taken;
    default:
        return false;
    }
}

static void fuse(tc_own *o) {
    for (uint32_t i = o->f->begin; i < o->f->end; i++) {
        uint32_t n;
        const uint32_t *r = results(o, i, &n);
        if (n != 1 || o->nread[r[0]] != 1 || o->nwritten[r[0]] != 1 ||
            o->code[i].guard >= 0) {
            continue;
        }
        uint32_t b = o->reader[r[0]];
        if (b > i &&
            tc_mcode_ptx_block(o->m, b) == tc_mcode_ptx_block(o->m, i) &&
            fits(o, &o->code[i], &o->code[b])) {
            o->fused[i - o->f->begin] = true;
            o->joined[b - o->f->begin] = true;
        }
    }
}

void tc_own_read(tc_own *o) {
    uint32_t n = o->t->nready + 1u, ops = o->f->end - o->f->begin + 1u;
    o->nread = tc_xcalloc(n, sizeof *o->nread);
    o->nwritten = tc_xcalloc(n, sizeof *o->nwritten);
    o->reader = tc_xcalloc(n, sizeof *o->reader);
    o->writer = tc_xcalloc(n, sizeof *o->writer);
    o->other = tc_xcalloc(n, sizeof *o->other);
    o->boards = tc_xcalloc(n, sizeof *o->boards);
    o->values = tc_xcalloc(n, sizeof *o->values);
    o->fused = tc_xcalloc(ops, sizeof *o->fused);
    o->joined = tc_xcalloc(ops, sizeof *o->joined);
    count(o);
    fuse(o);
}

void tc_own_free(tc_own *o) {
    free(o->nread);
    free(o->nwritten);
    free(o->reader);
    free(o->writer);
    free(o->other);
    free(o->boards);
    free(o->values);
    free(o->fused);
    free(o->joined);
    free(o->cells);
    free(o->edges);
    free(o->loads);
    free(o->shared);
    free(o->live);
    free(o->waits);
}

bool tc_own_steps(const tc_own *o, uint32_t at) {
    const tc_ptx_op *op = &o->code[at];
    return is_sum(op) && op->noperands > 2 && op->a[0].kind == TC_PO_REG &&
           op->a[1].kind == TC_PO_REG && op->a[1].slot == op->a[0].slot &&
           op->a[1].cls == op->a[0].cls && op->a[2].kind == TC_PO_IMM;
}

/* ---- cells ---- */

void tc_own_begin(tc_own *o) {
    o->epoch++;
    o->ncells = o->nedges = o->nloads = o->nshared = o->nstores = 0;
    memset(o->store, 0xff, sizeof o->store);
}

static void edge(tc_own *o, tc_own_cell *c, uint32_t from) {
    for (uint32_t i = 0; i < c->nin; i++) {
        if (o->edges[c->in + i] == from) {
            return;
        }
    }
    if (o->nedges == o->cedges) {
        o->cedges = o->cedges ? 2 * o->cedges : 1024;
        o->edges = tc_xrealloc(o->edges, o->cedges * sizeof *o->edges);
    }
    o->edges[o->nedges++] = from;
    c->nin++;
}

/* Needs what the register has. */
static void need(tc_own *o, tc_own_cell *c, uint32_t reg) {
    const tc_own_value *v = &o->values[reg];
    if (reg < TC_ENTRIES) {
        return;
    }
    if (v->epoch != o->epoch) {
        edge(o, c, TC_OWN_LIVE | reg);
        return;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        edge(o, c, v->from[i]);
    }
}

static tc_own_cell *cell(tc_own *o, uint32_t at, uint8_t unit, bool guarded) {
    const tc_timing_op *x = &o->t->ops[at];
    if (o->ncells == o->ccells) {
        o->ccells = o->ccells ? 2 * o->ccells : 256;
        o->cells = tc_xrealloc(o->cells, o->ccells * sizeof *o->cells);
    }
    tc_unit_cost u = o->t->p->unit[unit];
    tc_own_cell *c = &o->cells[o->ncells++];
    *c = (tc_own_cell){.at = at,
                       .in = o->nedges,
                       .latency = u.latency,
                       .interval = u.interval,
                       .unit = unit,
                       .class = x->class,
                       .board = unit == TC_PU_SFU || unit == TC_PU_EXCHANGE,
                       .guarded = guarded,
                       .same = TC_NO_OP,
                       .set = TC_OWN_NO_BOARD};
    return c;
}

static void needs(tc_own *o, tc_own_cell *c, uint32_t at, uint32_t guard) {
    uint32_t n;
    const uint32_t *r = sources(o, at, &n);
    for (uint32_t i = 0; i < n; i++) {
        need(o, c, r[i]);
    }
    if (guard != TC_NO_OP) {
        need(o, c, guard);
    }
}

/* Its results come from these. */
static void give(tc_own *o, uint32_t at, const uint32_t *from, uint32_t n) {
    uint32_t k;
    const uint32_t *r = results(o, at, &k);
    for (uint32_t i = 0; i < k; i++) {
        tc_own_value *v = &o->values[r[i]];
        *v = (tc_own_value){.epoch = o->epoch, .version = v->version + 1};
        v->n = n < TC_OWN_SOURCES ? n : TC_OWN_SOURCES;
        memcpy(v->from, from, v->n * sizeof *from);
    }
}

/* Of an op without an instruction: its sources'. */
static void pass(tc_own *o, uint32_t at) {
    uint32_t from[TC_OWN_SOURCES], n = 0, k;
    const uint32_t *r = sources(o, at, &k);
    for (uint32_t i = 0; i < k; i++) {
        const tc_own_value *v = &o->values[r[i]];
        bool here = v->epoch == o->epoch;
        for (uint32_t j = 0; j < (here ? v->n : 1) && n < TC_OWN_SOURCES; j++) {
            from[n++] = here ? v->from[j] : TC_OWN_LIVE | r[i];
        }
    }
    give(o, at, from, n);
}

/* ---- several instructions ---- */

/* A chain of so many instructions of each unit, the others beside it. */
static uint32_t sequence(tc_own *o, uint32_t at, uint32_t guard,
                         const uint8_t *chain, const uint8_t *all) {
    uint32_t last = TC_NO_OP;
    bool guarded = guard != TC_NO_OP || o->code[at].guard >= 0;
    for (uint32_t u = 0; u < CHAIN; u++) {
        for (uint32_t i = 0; i < all[u]; i++) {
            tc_own_cell *c = cell(o, at, units[u], guarded);
            if (last == TC_NO_OP || i >= chain[u]) {
                needs(o, c, at, guard);
            } else {
                edge(o, c, last);
            }
            last = i < chain[u] ? o->ncells - 1 : last;
            if (i + 1 == all[u] && chain[u] > all[u]) { /* it is slower */
                c->latency = (uint16_t)(c->latency * (1 + chain[u] - all[u]));
            }
        }
    }
    return last;
}

/* Of 64-bit integers: how many 32-bit ones, and whether each waits for the one
 * before (a carry). */
static uint32_t halves(const tc_ptx_op *op, bool *carry) {
    *carry = is_sum(op) || op->opcode == TC_PTX_SETP ||
             op->opcode == TC_PTX_MIN || op->opcode == TC_PTX_MAX;
    if (!wide(op) || is_float(op) || is_access(op) ||
        op->opcode == TC_PTX_CVT) {
        return 1;
    }
    return op->opcode == TC_PTX_MIN || op->opcode == TC_PTX_MAX ? 4 : 2;
}

/* ---- memory ---- */

static uint32_t space_of(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_LDMATRIX || op->opcode == TC_PTX_STMATRIX
               ? TC_PS_SHARED
               : op->space;
}

/* Loads may pass each other, not a store to their space. */
static void order(tc_own *o, tc_own_cell *c, const tc_ptx_op *op) {
    uint32_t s = space_of(op), at = (uint32_t)(c - o->cells);
    bool fixed = (op->flags & TC_PM_NC) != 0;
    if (o->store[s] != TC_NO_OP && !fixed) {
        edge(o, c, o->store[s]);
    }
    if (!writes(op)) {
        if (o->nloads == o->cloads) {
            o->cloads = o->cloads ? 2 * o->cloads : 64;
            o->loads = tc_xrealloc(o->loads, o->cloads * sizeof *o->loads);
        }
        o->loads[o->nloads++] = at;
        return;
    }
    uint32_t keep = 0;
    for (uint32_t i = 0; i < o->nloads; i++) {
        const tc_ptx_op *other = &o->code[o->cells[o->loads[i]].at];
        if (space_of(other) == s) {
            edge(o, c, o->loads[i]);
        } else {
            o->loads[keep++] = o->loads[i];
        }
    }
    o->nloads = keep;
    o->store[s] = at;
    o->nstores += s == TC_PS_SHARED || s == TC_PS_GENERIC;
}

/* A load of a word of shared memory that a wider one may do. */
static void note_load(tc_own *o, const tc_ptx_op *op, uint32_t at) {
    const tc_ptx_operand *a = &op->a[1];
    if (op->opcode != TC_PTX_LD || op->space != TC_PS_SHARED || op->nvec > 1 ||
        tc_ptx_type_bytes[op->type] != WORD || a->kind != TC_PO_ADDRESS ||
        op->guard >= 0 || o->cells[at].guarded) {
        return;
    }
    if (o->nshared == o->cshared) {
        o->cshared = o->cshared ? 2 * o->cshared : 64;
        o->shared = tc_xrealloc(o->shared, o->cshared * sizeof *o->shared);
    }
    uint32_t reg = TC_NO_OP, version = 0;
    if (a->neg == 1) {
        uint32_t n;
        reg = sources(o, o->cells[at].at, &n)[0];
        version = o->values[reg].epoch == o->epoch ? o->values[reg].version : 0;
    }
    o->shared[o->nshared++] =
        (tc_own_load){.cell = at,
                      .reg = reg,
                      .version = a->neg == 2 ? a->slot : version,
                      .stores = o->nstores,
                      .at = a->imm};
}

static void decode_access(tc_own *o, tc_own_cell *c, const tc_ptx_op *op) {
    uint32_t bytes = tc_ptx_type_bytes[op->type] * (op->nvec ? op->nvec : 1u);
    bool shared = space_of(op) == TC_PS_SHARED;
    c->access = true;
    c->bytes = (uint8_t)(bytes > 16 ? 16 : bytes);
    c->words = (uint8_t)((c->bytes + 3) / 4);
    c->board = (o->t->ops[c->at].ndst) != 0;
    c->latency =
        (uint16_t)(shared ? o->t->p->shared_latency : o->t->p->l1_latency);
    order(o, c, op);
}

/* ---- an op ---- */

static uint32_t one(tc_own *o, uint32_t at, uint32_t guard) {
    const tc_ptx_op *op = &o->code[at];
    const tc_timing_op *x = &o->t->ops[at];
    bool carry = false, guarded = guard != TC_NO_OP || op->guard >= 0;
    uint32_t n = x->unit == TC_PU_ALU ? halves(op, &carry) : 1;
    uint32_t from = o->ncells;
    for (uint32_t i = 0; i < n; i++) {
        tc_own_cell *c = cell(o, at, x->unit, guarded);
        if (n == 1) {
            c->latency = x->latency ? x->latency : c->latency;
            c->interval = x->interval;
        }
        c->flag = op->opcode == TC_PTX_SETP ||
                  (is_logic(op) && op->type == TC_PT_PRED);
        needs(o, c, at, guard);
        if (i > 0 && carry) {
            edge(o, c, from + i - 1);
        }
        if (is_access(op)) {
            decode_access(o, c, op);
            note_load(o, op, from);
        } else if (op->opcode == TC_PTX_LD) { /* a parameter, a constant */
            c->class = TC_CLASS_LDC;
            c->board = true;
            c->latency = (uint16_t)o->t->p->shared_latency;
        } else if (op->opcode == TC_PTX_MOV &&
                   op->a[1].kind == TC_PO_SPECIAL) { /* S2R: mcode.def */
            c->unit = TC_PU_EXCHANGE;
            c->board = true;
            c->latency = 20;
            c->interval = 10;
        }
    }
    return n;
}

void tc_own_add(tc_own *o, uint32_t at, uint32_t guard, bool copy) {
    const tc_ptx_op *op = &o->code[at];
    uint8_t chain[CHAIN], all[CHAIN];
    if (o->fused[at - o->f->begin] || vanishes(o, op) ||
        (copy && tc_own_steps(o, at))) {
        pass(o, at);
        return;
    }
    uint32_t from[TC_OWN_SOURCES];
    if (tc_profile_sequence(op, chain, all)) {
        from[0] = sequence(o, at, guard, chain, all);
        give(o, at, from, 1);
        return;
    }
    uint32_t n = one(o, at, guard);
    for (uint32_t i = 0; i < n && i < TC_OWN_SOURCES; i++) {
        from[i] = o->ncells - n + i;
    }
    give(o, at, from,
         is_sum(op) ? 1 : n); /* sums follow each other by halves */
}

void tc_own_end(tc_own *o, uint32_t at) {
    const tc_timing_op *x = &o->t->ops[at];
    tc_own_cell *c = cell(o, at, x->unit, o->code[at].guard >= 0);
    c->class = x->class;
    c->board = x->ndst != 0;
    c->last = true;
    needs(o, c, at, TC_NO_OP);
    uint32_t from = o->ncells - 1;
    give(o, at, &from, 1);
}
