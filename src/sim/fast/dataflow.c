/* dataflow.c - what a launch can know about a function's registers before it
 * runs: which are always written before they are read, and which hold one
 * value all through.
 *
 * A register counts as written from an op on if every path from the function's
 * begin has an unguarded write of it. One op that writes, on every way to every
 * read, means that a reader sees what that op gave, whatever lanes go when. */
#include "sim/fast/dataflow.h"
#include "base/cancel.h"
#include "sim/core/run.h"
#include <stdlib.h>
#include <string.h>

/* ---- registers of an op ---- */

static void visit_operand(tc_flow *f, const tc_ptx_operand *o, bool read,
                          bool write, tc_visit *visit, void *user) {
    uint32_t n = o->kind == TC_PO_VECTOR ? o->nvec : 1;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *e =
            o->kind == TC_PO_VECTOR ? &f->r->module->vec[o->slot + i] : o;
        int64_t reg = tc_fast_reg(f->func, e);
        bool base = e->kind == TC_PO_ADDRESS;
        if (reg >= 0) {
            visit(f, (uint32_t)reg, read || base, write && !base, user);
        }
        if (reg >= 0 && e->nvec == 16 && !base) { /* .b128: two slots */
            visit(f, (uint32_t)reg, true, true, user);
            if (reg + 1 < f->n) {
                visit(f, (uint32_t)reg + 1, true, true, user);
            }
        }
    }
}

/* A wait that makes products land writes their registers. */
static void visit_products(tc_flow *f, tc_visit *visit, void *user) {
    for (uint32_t i = f->func->begin; i < f->func->end; i++) {
        const tc_ptx_op *op = &f->r->module->code[i];
        if (op->opcode == TC_PTX_WGMMA_MMA_ASYNC) {
            visit_operand(f, &op->a[0], true, true, visit, user);
        }
    }
}

void tc_flow_visit(tc_flow *f, const tc_ptx_op *op, tc_visit *visit,
                   void *user) {
    bool later = tc_ptx_lands_later(op);
    tc_ptx_operand guard = {.kind = TC_PO_PRED, .slot = (uint32_t)op->guard};
    if (op->guard >= 0) {
        visit_operand(f, &guard, true, false, visit, user);
    }
    if (op->opcode == TC_PTX_WGMMA_WAIT_GROUP) {
        visit_products(f, visit, user);
    }
    for (int i = op->noperands < 8 ? op->noperands : 8; i-- > 0;) {
        /* sources (higher places) before destinations */
        bool dst = (op->dst >> i & 1) != 0, src = (op->src >> i & 1) != 0;
        visit_operand(f, &op->a[i], src || later, dst || later, visit, user);
    }
}

/* ---- blocks ---- */

bool tc_flow_ends_block(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_BRA || op->opcode == TC_PTX_RET ||
           op->opcode == TC_PTX_EXIT || op->opcode == TC_PTX_TRAP;
}

static bool has_targets(const tc_ptx_op *op) {
    return op->opcode != TC_PTX_BRX_IDX;
}

static bool find_blocks(tc_flow *f) {
    const tc_ptx_func *func = f->func;
    const tc_ptx_op *code = f->r->module->code;
    uint32_t len = func->end - func->begin, n = 0;
    f->leader = tc_xcalloc(len + 1u, sizeof *f->leader);
    f->leader[0] = 1;
    for (uint32_t i = 0; i < len; i++) {
        const tc_ptx_op *op = &code[func->begin + i];
        if (!has_targets(op)) {
            return false;
        }
        if (op->opcode == TC_PTX_BRA) {
            if (op->target < func->begin || op->target >= func->end) {
                return false;
            }
            f->leader[op->target - func->begin] = 1;
        }
        if (tc_flow_ends_block(op)) {
            f->leader[i + 1] = 1;
        }
    }
    f->begin = tc_xcalloc(len + 2u, sizeof *f->begin);
    for (uint32_t i = 0; i < len; i++) {
        if (f->leader[i]) {
            f->begin[n++] = i;
        }
        f->leader[i] = n - 1;
    }
    f->begin[n] = len;
    f->nblocks = n;
    return true;
}

/* ---- written before read ---- */

static void note_write(tc_flow *f, uint32_t reg, bool read, bool write,
                       void *user) {
    uint64_t *set = user;
    (void)f;
    if (write && !read) {
        set[reg / 64] |= UINT64_C(1) << reg % 64;
    }
}

static bool flow_into(tc_flow *f, uint32_t block, const uint64_t *out) {
    uint64_t *in = f->in + (size_t)block * f->words;
    bool changed = false;
    for (uint32_t i = 0; i < f->words; i++) {
        uint64_t v = in[i] & out[i];
        changed |= v != in[i];
        in[i] = v;
    }
    return changed;
}

static bool flow_block(tc_flow *f, uint32_t b, uint64_t *set) {
    const tc_ptx_op *code = f->r->module->code + f->func->begin, *last = NULL;
    bool changed = false;
    memcpy(set, f->in + (size_t)b * f->words, f->words * sizeof *set);
    for (uint32_t i = f->begin[b]; i < f->begin[b + 1]; i++) {
        last = &code[i];
        if (last->guard < 0) {
            tc_flow_visit(f, last, note_write, set);
        }
    }
    if (last->opcode == TC_PTX_BRA) {
        changed |= flow_into(f, f->leader[last->target - f->func->begin], set);
    }
    if ((!tc_flow_ends_block(last) || last->guard >= 0) && b + 1 < f->nblocks) {
        changed |= flow_into(f, b + 1, set);
    }
    return changed;
}

static void note_read(tc_flow *f, uint32_t reg, bool read, bool write,
                      void *user) {
    const uint64_t *set = user;
    uint8_t *is = &f->r->fast->reg[reg];
    if (read && !(set[reg / 64] >> reg % 64 & 1)) {
        *is &= (uint8_t)~TC_REG_ASSIGNED;
    }
    if (write) {
        f->ndefs[reg]++;
        *is |= TC_REG_DEFINED;
    }
}

/* Walks all ops once more, with what is written before each. */
static void judge(tc_flow *f, uint64_t *set) {
    const tc_ptx_op *code = f->r->module->code + f->func->begin;
    for (uint32_t b = 0; b < f->nblocks; b++) {
        memcpy(set, f->in + (size_t)b * f->words, f->words * sizeof *set);
        for (uint32_t i = f->begin[b]; i < f->begin[b + 1]; i++) {
            tc_flow_visit(f, &code[i], note_read, set);
            if (code[i].guard < 0) {
                tc_flow_visit(f, &code[i], note_write, set);
            }
        }
    }
}

static void find_defs(tc_flow *f, uint64_t *set) {
    memset(f->r->fast->reg, TC_REG_ASSIGNED, f->n);
    judge(f, set);
    for (uint32_t i = 0; i < f->n; i++) {
        uint8_t *is = &f->r->fast->reg[i];
        if ((*is & TC_REG_ASSIGNED) && f->ndefs[i] == 1) {
            *is |= TC_REG_ONE_DEF;
        }
    }
}

/* False, and nothing is known, where that takes too long. */
static bool solve(tc_flow *f) {
    uint64_t *set = tc_xcalloc(f->words + 1u, sizeof *set);
    bool changed = true, ok = true;
    memset(f->in, 0xFF, (size_t)f->nblocks * f->words * sizeof *f->in);
    memset(f->in, 0, f->words * sizeof *f->in);
    while (changed && (ok = tc_flow_work(f))) {
        changed = false;
        for (uint32_t b = 0; b < f->nblocks && !tc_cancelled_at(b); b++) {
            changed |= flow_block(f, b, set);
        }
    }
    if (ok) {
        find_defs(f, set);
    }
    free(set);
    return ok;
}

/* ---- constants ---- */

/* The handler itself says what it makes of constants. */
static bool computed_value(tc_run *r, const tc_ptx_op *op, uint64_t *out) {
    tc_fast x;
    _Alignas(64) uint32_t row32[1][TC_LANES] = {{0}};
    _Alignas(64) uint64_t row64[1][TC_LANES] = {{0}};
    tc_warp w = {.r32 = row32, .r64 = row64};
    if (op->guard >= 0 || !tc_fast_decode(r, op, &x) || x.kind > TC_FAST_S64 ||
        x.ma || x.mb || x.mc ||
        (op->a[1].kind == TC_PO_SPECIAL && !tc_fast_value(r, &op->a[1], out))) {
        return false;
    }
    x.d = 0;
    x.fn[0](&w, &x, UINT32_MAX);
    *out = op->a[0].cls == TC_PF_64 ? row64[0][0] : row32[0][0];
    return true;
}

static void find_constants(tc_flow *f) {
    tc_fast_code *fast = f->r->fast;
    for (uint32_t i = f->func->begin; i < f->func->end; i++) {
        const tc_ptx_op *op = &f->r->module->code[i];
        int64_t d =
            op->noperands ? tc_fast_reg(f->func, &op->a[0]) : INT64_C(-1);
        uint64_t v;
        if (d < 0 || op->dst != 1 || op->guard >= 0 ||
            !(fast->reg[d] & TC_REG_ONE_DEF)) {
            continue;
        }
        if (computed_value(f->r, op, &v)) {
            fast->reg[d] |= TC_REG_CONST;
            fast->value[d] = v;
        }
    }
}

/* Whoever the general path names needs its row. */
static void note_general(tc_flow *f, uint32_t reg, bool read, bool write,
                         void *user) {
    (void)write, (void)user;
    f->r->fast->reg[reg] |= read ? TC_REG_GENERAL : 0;
}

static void find_general(tc_flow *f) {
    for (int i = 0; i < f->func->nresults; i++) { /* ret reads them */
        const tc_ptx_formal *o = &f->func->results[i];
        uint32_t reg =
            o->slot + (tc_ptx_type_bytes[o->type] >= 8 ? f->func->n32 : 0);
        if (o->reg && o->type != TC_PT_PRED && reg < f->n) {
            f->r->fast->reg[reg] |= TC_REG_GENERAL;
        }
    }
    for (uint32_t i = f->func->begin; i < f->func->end; i++) {
        const tc_ptx_op *op = &f->r->module->code[i];
        tc_fast x;
        if (!tc_fast_decode(f->r, op, &x) || !tc_fast_private(&x)) {
            tc_flow_visit(f, op, note_general, NULL);
        }
    }
}

/* ---- how long that may take ---- */

/* A wait for products looks at all that may make some. */
static uint64_t ops_of_a_walk(const tc_flow *f) {
    uint64_t len = f->func->end - f->func->begin, n = len;
    for (uint32_t i = f->func->begin; i < f->func->end; i++) {
        n += f->r->module->code[i].opcode == TC_PTX_WGMMA_WAIT_GROUP ? len : 0;
    }
    return n + (uint64_t)f->nblocks * f->words;
}

static void allow(tc_flow *f) {
    enum { FEW = 16, MOST_OPS = 1 << 24 };
    f->walk = ops_of_a_walk(f);
    f->work = f->walk < MOST_OPS / FEW ? MOST_OPS : FEW * f->walk;
    f->work = f->walk > FEW * MOST_OPS ? 0 : f->work;
}

bool tc_flow_work(tc_flow *f) {
    bool ok = f->work >= f->walk && !tc_cancelled();
    f->work -= ok ? f->walk : 0;
    return ok;
}

void tc_fast_flow(tc_run *r, const tc_ptx_func *func) {
    enum { MOST_WORDS = 1 << 20 };
    tc_fast_code *fast = r->fast;
    tc_flow f = {
        .r = r, .func = func, .n = func->n32 + func->n64 + func->npred};
    f.words = (f.n + 63) / 64;
    fast->func = func;
    free(fast->reg);
    free(fast->value);
    fast->reg = tc_xcalloc(f.n + 1u, 1);
    fast->value = tc_xcalloc(f.n + 1u, sizeof *fast->value);
    bool ok = func->end > func->begin && find_blocks(&f) &&
              (uint64_t)f.nblocks * f.words <= MOST_WORDS;
    if (ok) {
        f.in = tc_xcalloc((size_t)f.nblocks * f.words + 1, sizeof *f.in);
        f.ndefs = tc_xcalloc(f.n + 1u, sizeof *f.ndefs);
        allow(&f);
        ok = solve(&f);
    }
    if (ok) {
        find_constants(&f);
        find_general(&f);
        tc_flow_compact(&f);
    }
    free(f.leader);
    free(f.begin);
    free(f.in);
    free(f.ndefs);
}
