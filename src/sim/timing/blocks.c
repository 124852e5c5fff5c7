/* blocks.c - which blocks of the PTX become one of machine code of our own
 * making: those behind small branches, which are predicated, and the rounds of
 * counted loops. */
#include "sim/timing/own.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 4096,
    MOST_PARTS = 48, /* blocks of the PTX in one */
    PREDICATED = 10, /* ops that a branch is not worth */
    ROUNDS = 4,      /* of a counted loop at once, as ptxas does */
    UNROLLED = 128,  /* ops of all rounds */
};

typedef struct part {
    uint32_t block; /* of the PTX */
    uint32_t guard; /* the op that branches over it; TC_NO_OP: none does */
} part;

typedef struct own_maker {
    tc_own o;
    uint32_t *entries; /* by block of the PTX: ways into it */
    part parts[MOST_PARTS];
    uint32_t nparts;
    uint32_t cblocks;
} own_maker;

static const tc_code_block *block(const own_maker *k, uint32_t b) {
    return &k->o.m->ptx[b];
}

/* The branch at its end, or NULL. */
static const tc_ptx_op *branch(const own_maker *k, uint32_t b) {
    const tc_code_block *x = block(k, b);
    return x->body < x->end && !x->waits ? &k->o.code[x->body] : NULL;
}

static uint32_t target(const own_maker *k, const tc_ptx_op *op) {
    const tc_ptx_func *f = k->o.f;
    return op->target >= f->begin && op->target < f->end
               ? tc_mcode_ptx_block(k->o.m, op->target)
               : TC_NO_OP;
}

static bool falls(const own_maker *k, uint32_t b) {
    const tc_code_block *x = block(k, b);
    const tc_ptx_op *op = branch(k, b);
    uint8_t code = k->o.code[x->end - 1].opcode == TC_PTX_RET ||
                   k->o.code[x->end - 1].opcode == TC_PTX_EXIT;
    bool ends = x->waits && code && k->o.code[x->end - 1].guard < 0;
    return !ends && (!op || op->guard >= 0) && b + 1 < k->o.m->nptx;
}

static void count_entries(own_maker *k) {
    k->entries = tc_xcalloc(k->o.m->nptx + 1u, sizeof *k->entries);
    k->entries[0] = 1;
    for (uint32_t b = 0; b < k->o.m->nptx; b++) {
        const tc_ptx_op *op = branch(k, b);
        uint32_t to = op ? target(k, op) : TC_NO_OP;
        k->entries[b + 1] += falls(k, b);
        if (to != TC_NO_OP) {
            k->entries[to]++;
        }
    }
}

/* ---- what becomes one block ---- */

static uint32_t size(const own_maker *k, uint32_t b) {
    return block(k, b)->body - block(k, b)->begin;
}

/* It may be predicated: small, entered from before alone, and it goes on at
 * `to`. */
static bool small(const own_maker *k, uint32_t b, uint32_t to) {
    const tc_code_block *x = block(k, b);
    const tc_ptx_op *op = branch(k, b);
    bool there = op ? op->guard < 0 && target(k, op) == to : b + 1 == to;
    return there && !x->waits && size(k, b) <= PREDICATED && k->entries[b] == 1;
}

static void put(own_maker *k, uint32_t b, uint32_t guard) {
    k->parts[k->nparts++] = (part){b, guard};
}

/* Goes on behind b; the block that follows, or TC_NO_OP. */
static uint32_t extend(own_maker *k, uint32_t b) {
    const tc_ptx_op *op = branch(k, b);
    uint32_t next = b + 1, at = block(k, b)->body;
    if (block(k, b)->waits || next >= k->o.m->nptx ||
        k->nparts + 3 > MOST_PARTS) {
        return TC_NO_OP;
    }
    if (!op) {
        return k->entries[next] == 1 ? next : TC_NO_OP;
    }
    uint32_t to = target(k, op);
    if (to == TC_NO_OP || to <= b || op->guard < 0) {
        return TC_NO_OP;
    }
    if (small(k, next, to) && next + 1 == to && k->entries[to] == 2) {
        put(k, next, at); /* if */
        return to;
    }
    uint32_t join = to + 1; /* if and else, one behind the other */
    if (next + 1 == to && small(k, next, join) && small(k, to, join) &&
        branch(k, next) && k->entries[join] == 2) {
        put(k, next, at);
        put(k, to, at);
        return join;
    }
    return TC_NO_OP;
}

static void gather(own_maker *k, uint32_t b) {
    k->nparts = 0;
    while (b != TC_NO_OP) {
        put(k, b, TC_NO_OP);
        b = extend(k, b);
    }
}

/* ---- loops ---- */

static uint32_t all_ops(const own_maker *k) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->nparts; i++) {
        n += size(k, k->parts[i].block);
    }
    return n;
}

static bool within(const own_maker *k, uint32_t at) {
    for (uint32_t i = 0; i < k->nparts; i++) {
        const tc_code_block *x = block(k, k->parts[i].block);
        if (at >= x->begin && at < x->end) {
            return true;
        }
    }
    return false;
}

/* The register is a counter of the loop, or a sum of one. */
static bool counts(const own_maker *k, uint32_t reg, int depth) {
    const tc_own *o = &k->o;
    uint32_t w = o->writer[reg], v = o->other[reg];
    if (o->nwritten[reg] == 2) {
        return (within(k, w) && tc_own_steps(o, w) && !within(k, v)) ||
               (within(k, v) && tc_own_steps(o, v) && !within(k, w));
    }
    const tc_ptx_op *op = &o->code[w];
    if (o->nwritten[reg] != 1 || !within(k, w) || depth > 1 ||
        (op->opcode != TC_PTX_ADD && op->opcode != TC_PTX_SUB)) {
        return false;
    }
    const tc_timing_op *x = &o->t->ops[w];
    for (uint32_t i = 0; i < x->nsrc; i++) {
        if (counts(k, o->t->regs[x->regs + i], depth + 1)) {
            return true;
        }
    }
    return false;
}

/* The last block's branch closes a counted loop. */
static bool is_loop(const own_maker *k) {
    const tc_own *o = &k->o;
    const tc_ptx_op *op = branch(k, k->parts[k->nparts - 1].block);
    if (!op || op->guard < 0 || op->nounroll ||
        target(k, op) != k->parts[0].block) {
        return false;
    }
    uint32_t pred = o->t->regs[o->t->ops[op - o->code].regs];
    uint32_t w = o->writer[pred];
    if (o->nwritten[pred] != 1 || !within(k, w) ||
        o->code[w].opcode != TC_PTX_SETP) {
        return false;
    }
    const tc_timing_op *x = &o->t->ops[w];
    for (uint32_t i = 0; i < x->nsrc; i++) {
        if (counts(k, o->t->regs[x->regs + i], 0)) {
            return true;
        }
    }
    return false;
}

/* ---- the machine block ---- */

static uint32_t guard_of(const own_maker *k, const part *p) {
    return p->guard == TC_NO_OP ? TC_NO_OP
                                : k->o.t->regs[k->o.t->ops[p->guard].regs];
}

static tc_mcode_block *new_block(own_maker *k) {
    tc_mcode *m = k->o.m;
    if (m->nblocks == k->cblocks) {
        k->cblocks = k->cblocks ? 2 * k->cblocks : 64;
        m->blocks = tc_xrealloc(m->blocks, k->cblocks * sizeof *m->blocks);
    }
    tc_mcode_block *b = &m->blocks[m->nblocks++];
    *b = (tc_mcode_block){.last = TC_NO_OP,
                          .next = {TC_NO_OP, TC_NO_OP},
                          .cover = m->ncover,
                          .enter = TC_NO_OP,
                          .leave = TC_NO_OP};
    return b;
}

/* So many rounds of the parts. */
static void make(own_maker *k, uint32_t rounds) {
    tc_own *o = &k->o;
    tc_mcode_block *b = new_block(k);
    uint32_t final = k->parts[k->nparts - 1].block;
    tc_own_begin(o);
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = 0; i < k->nparts; i++) {
            const part *p = &k->parts[i];
            const tc_code_block *x = block(k, p->block);
            for (uint32_t at = x->begin; at < x->body; at++) {
                tc_own_add(o, at, guard_of(k, p), r + 1 < rounds);
            }
            tc_mcode_put_cover(o->m, b, p->block, p->guard != TC_NO_OP);
        }
    }
    const tc_code_block *x = block(k, final);
    if (x->body < x->end) {
        tc_own_end(o, x->body);
    }
    tc_own_join(o);
    tc_own_schedule(o, b);
    b->last = x->waits ? b->end - 1 : TC_NO_OP;
    o->m->longest = b->ncover > o->m->longest ? b->ncover : o->m->longest;
}

/* What ptxas puts before and behind a loop that it has unrolled: are there so many
 * rounds? Instructions and stall counts as it wrote them. */
static uint32_t checks(own_maker *k, bool before) {
    static const struct {
        uint8_t unit, class, stall;
    } ops[2][5] = {{{TC_PU_ALU, TC_CLASS_ALU, 13},
                    {TC_PU_BRANCH, TC_CLASS_BRANCH, 5},
                    {TC_PU_ALU, TC_CLASS_ALU, 13},
                    {TC_PU_BRANCH, TC_CLASS_BRANCH, 5}},
                   {{TC_PU_ALU, TC_CLASS_ALU, 2},
                    {TC_PU_ALU, TC_CLASS_ALU, 11},
                    {TC_PU_BRANCH, TC_CLASS_BRANCH, 5},
                    {TC_PU_ALU, TC_CLASS_ALU, 1},
                    {TC_PU_IMAD, TC_CLASS_IMAD, 12}}};
    tc_mcode_block *b = new_block(k);
    b->begin = k->o.m->nops;
    for (uint32_t i = 0; i < (before ? 5 : 4); i++) {
        const tc_timing_op op = {.unit = ops[before][i].unit,
                                 .class = ops[before][i].class,
                                 .interval = 1};
        tc_own_put(&k->o, &op, ops[before][i].stall);
    }
    b->end = k->o.m->nops;
    return k->o.m->nblocks - 1;
}

static void unroll(own_maker *k) {
    uint32_t enter = checks(k, true);
    make(k, ROUNDS);
    uint32_t b = k->o.m->nblocks - 1, leave = checks(k, false);
    k->o.m->blocks[b].enter = enter;
    k->o.m->blocks[b].leave = leave;
}

static void make_blocks(own_maker *k) {
    tc_mcode *m = k->o.m;
    for (uint32_t b = 0; b < m->nptx; b++) {
        gather(k, b);
        uint32_t n = all_ops(k);
        if (k->nparts * ROUNDS <= MOST_PARTS && n * ROUNDS <= UNROLLED &&
            is_loop(k)) {
            unroll(k);
        }
        make(k, 1);
    }
}

static const char *unfit(const tc_run *r) {
    const tc_ptx_func *f = r->func;
    for (uint32_t i = f->begin; i < f->end; i++) {
        uint16_t code = r->module->code[i].opcode;
        if (code == TC_PTX_CALL || code == TC_PTX_BRX_IDX) {
            return "the kernel calls functions";
        }
    }
    return NULL;
}

tc_mcode *tc_own_new(const tc_timing *t) {
    tc_mcode *m = tc_xcalloc(1, sizeof *m);
    own_maker k = {
        .o = {.t = t, .m = m, .f = t->run->func, .code = t->run->module->code}};
    m->why = unfit(t->run);
    if (m->why) {
        return m;
    }
    k.o.waits = tc_mcode_cut_ptx(t, m);
    if (m->nptx > MOST_BLOCKS) {
        m->why = "the kernel has too many branches";
    } else {
        tc_own_read(&k.o);
        count_entries(&k);
        make_blocks(&k);
        tc_own_settle(&k.o);
        tc_mcode_list_first(m);
        m->way = tc_xcalloc(m->nblocks + 1u, sizeof *m->way);
        m->calls = tc_xcalloc(m->nblocks + 1u, sizeof *m->calls);
    }
    tc_own_free(&k.o);
    free(k.entries);
    return m;
}
