/* regalloc.c - registers that are never needed at the same time share a row.
 *
 * PTX names every value anew; a kernel of nvcc's has a hundred names where a
 * dozen values live at once. Rows that are used again and again stay near, and
 * the warps of all SMs take less memory. A register's interval reaches from the
 * first to the last op, in the order of the text, at which it is needed;
 * whoever begins behind another's end may have its row. Lanes are columns of
 * their own: what holds for one thread holds for a warp whose lanes are apart.
 */
#include "sim/core/run.h"
#include "sim/fast/dataflow.h"
#include <stdlib.h>
#include <string.h>

typedef struct tc_live {
    tc_flow *f;
    uint64_t *in, *use, *def; /* of each block */
    uint32_t *first, *last;   /* of each register; first UINT32_MAX: none */
    uint32_t at;              /* the op that is visited */
    bool guarded, paired;     /* .b128: two registers side by side */
} tc_live;

static bool is_set(const uint64_t *set, uint32_t reg) {
    return (set[reg / 64] >> reg % 64 & 1) != 0;
}

static void put(uint64_t *set, uint32_t reg) {
    set[reg / 64] |= UINT64_C(1) << reg % 64;
}

static void needed(tc_live *l, uint32_t reg, uint32_t at) {
    l->first[reg] = at < l->first[reg] ? at : l->first[reg];
    l->last[reg] = at > l->last[reg] ? at : l->last[reg];
}

/* What a block needs from before, and what it gives itself. */
static void visit(tc_flow *f, uint32_t reg, bool read, bool write, void *user) {
    tc_live *l = user;
    size_t block = (size_t)f->leader[l->at] * f->words;
    if ((read || l->guarded) && !is_set(l->def + block, reg)) {
        put(l->use + block, reg);
    }
    if (write && !read && !l->guarded) {
        put(l->def + block, reg);
    }
    needed(l, reg, l->at);
}

static void visit_all(tc_live *l) {
    tc_flow *f = l->f;
    const tc_ptx_op *code = f->r->module->code + f->func->begin;
    uint32_t n = f->func->end - f->func->begin;
    for (l->at = 0; l->at < n; l->at++) {
        const tc_ptx_op *op = &code[l->at];
        l->guarded = op->guard >= 0;
        for (int i = 0; i < 8; i++) {
            l->paired |= op->a[i].kind == TC_PO_REG && op->a[i].nvec == 16;
        }
        tc_flow_visit(f, op, visit, l);
    }
    for (int i = 0; i < f->func->nregs; i++) {
        l->paired |= f->func->regs[i].type == TC_PT_B128;
    }
}

/* What is needed where block b ends. */
static void needed_after(const tc_live *l, uint32_t b, uint64_t *out) {
    const tc_flow *f = l->f;
    const tc_ptx_op *code = f->r->module->code + f->func->begin;
    const tc_ptx_op *end = &code[f->begin[b + 1] - 1];
    memset(out, 0, f->words * sizeof *out);
    if (end->opcode == TC_PTX_BRA) {
        uint32_t to = f->leader[end->target - f->func->begin];
        memcpy(out, l->in + (size_t)to * f->words, f->words * sizeof *out);
    }
    if ((!tc_flow_ends_block(end) || end->guard >= 0) && b + 1 < f->nblocks) {
        const uint64_t *next = l->in + (size_t)(b + 1) * f->words;
        for (uint32_t i = 0; i < f->words; i++) {
            out[i] |= next[i];
        }
    }
}

/* False where that takes too long. */
static bool solve(tc_live *l, uint64_t *out) {
    tc_flow *f = l->f;
    for (bool changed = true; changed;) {
        if (!tc_flow_work(f)) {
            return false;
        }
        changed = false;
        for (uint32_t b = f->nblocks; b-- > 0;) {
            size_t at = (size_t)b * f->words;
            needed_after(l, b, out);
            for (uint32_t i = 0; i < f->words; i++) {
                uint64_t v = l->use[at + i] | (out[i] & ~l->def[at + i]);
                changed |= v != l->in[at + i];
                l->in[at + i] = v;
            }
        }
    }
    return true;
}

/* Intervals hold all of a block that a value lives through. */
static void stretch(tc_live *l, uint64_t *out) {
    const tc_flow *f = l->f;
    for (uint32_t b = 0; b < f->nblocks; b++) {
        needed_after(l, b, out);
        for (uint32_t reg = 0; reg < f->n; reg++) {
            if (is_set(l->in + (size_t)b * f->words, reg)) {
                needed(l, reg, f->begin[b]);
            }
            if (is_set(out, reg)) {
                needed(l, reg, f->begin[b + 1] - 1);
            }
        }
    }
}

/* A constant that everybody has as such needs no row. */
static bool has_row(const tc_live *l, uint32_t reg) {
    uint8_t is = l->f->r->fast->reg[reg];
    return l->first[reg] != UINT32_MAX &&
           (is & (TC_REG_CONST | TC_REG_GENERAL)) != TC_REG_CONST;
}

typedef struct tc_begin {
    uint32_t at, reg;
} tc_begin;

static int by_begin(const void *a, const void *b) {
    const tc_begin *x = a, *y = b;
    return x->at != y->at    ? (x->at < y->at ? -1 : 1)
           : x->reg < y->reg ? -1
                             : x->reg > y->reg;
}

/* Rows for the registers [from, from + n): the lowest that is free; of very
 * many that are needed at once the rest have one each. Returns how many there
 * are. */
static uint32_t share(const tc_live *l, uint32_t from, uint32_t n,
                      uint32_t *row) {
    enum { MOST = 4096 };
    tc_begin *order = tc_xcalloc(n + 1u, sizeof *order);
    uint32_t *until = tc_xcalloc(n + 1u, sizeof *until); /* of rows: busy */
    uint32_t count = 0, rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        row[i] = 0;
        if (has_row(l, from + i)) {
            order[count++] = (tc_begin){l->first[from + i], i};
        }
    }
    qsort(order, count, sizeof *order, by_begin);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = rows <= MOST ? 0 : rows;
        while (i < rows && until[i] > order[k].at) {
            i++;
        }
        rows += i == rows;
        until[i] = l->last[from + order[k].reg] + 1;
        row[order[k].reg] = i;
    }
    free(order);
    free(until);
    return rows;
}

void tc_flow_compact(tc_flow *f) {
    tc_fast_rows *rows = &f->r->fast->rows_of;
    if (f->func != f->r->func || f->r->trace || f->func->stack) {
        return; /* a trace wants all of them */
    }
    size_t sets = (size_t)f->nblocks * f->words + 1;
    uint64_t *out = tc_xcalloc(f->words + 1u, sizeof *out);
    tc_live l = {.f = f};
    l.in = tc_xcalloc(sets, sizeof *l.in);
    l.use = tc_xcalloc(sets, sizeof *l.use);
    l.def = tc_xcalloc(sets, sizeof *l.def);
    l.last = tc_xcalloc(f->n + 1u, sizeof *l.last);
    l.first = tc_xmalloc((f->n + 1u) * sizeof *l.first);
    memset(l.first, 0xFF, (f->n + 1u) * sizeof *l.first);
    visit_all(&l);
    if (!l.paired && solve(&l, out)) {
        stretch(&l, out);
        rows->of32 = tc_xcalloc(f->func->n32 + 1u, sizeof *rows->of32);
        rows->of64 = tc_xcalloc(f->func->n64 + 1u, sizeof *rows->of64);
        rows->n32 = share(&l, 0, f->func->n32, rows->of32);
        rows->n64 = share(&l, f->func->n32, f->func->n64, rows->of64);
    }
    free(out);
    free(l.in);
    free(l.use);
    free(l.def);
    free(l.first);
    free(l.last);
}
