/* mcode.c - the two texts of a kernel cut into blocks, and laid over each
 * other by the PTX lines of the machine code. Made once a launch. */
#include "sim/timing/mcode.h"
#include <stdlib.h>
#include <string.h>

/* Blocks beyond which a kernel's ways are not worth their table. */
enum { OPCODES = 512, MOST_BLOCKS = 4096, MOST_COVER = 1024 };

typedef struct maker {
    const tc_timing *t;
    const tc_sass *sass;
    tc_mcode *m;
    const tc_ptx_func *f;
    const tc_ptx_op *code;
    uint8_t *rank;  /* by PTX block: the best of its ops' that is seen */
    uint32_t *seen; /* by block of both: different ops of that rank */
    uint32_t *most; /* how often the one that is there most often */
    bool *waits;    /* by op of f: it does not run ahead */
} maker;

/* ---- blocks of the machine code ---- */

enum {
    BSYNC = 0x141,
    BREAK = 0x142,
    BRA = 0x147,
    EXIT = 0x14d,
    BRX = 0x149,
    CALL = 0x143,
    CALL_REL = 0x144,
    RET = 0x150
};

/* Of BRA: from the next instruction on, in words; low eight bits apart. */
static int64_t target_of(const tc_sass_op *op) {
    uint64_t high = op->low >> 34 | op->high << 30;
    int64_t upper = (int64_t)(high << 16) >> 16; /* 48 bits */
    return op->address + TC_SASS_BYTES +
           4 * (upper * 256 + (int64_t)(op->low >> 16 & 0xff));
}

static bool jumps(const tc_sass_op *op) {
    uint32_t code = op->opcode % OPCODES;
    return code == BRA || code == EXIT || code == RET || code == BRX;
}

static bool always(const tc_sass_op *op) {
    return op->guard == TC_SASS_TRUE_PRED && !op->guard_not;
}

static bool is_waiting(const maker *k, uint32_t i) {
    uint32_t at = k->m->ops[i].at;
    return at != TC_NO_OP && k->waits[at - k->m->base] &&
           tc_mcode_is(&k->sass->ops[i], &k->code[at]);
}

/* The op that a line's instruction is for: of several on one line the one that
 * it can have been made of. */
static uint32_t op_of_line(const maker *k, const uint32_t *first, int lines,
                           const tc_sass_op *op) {
    if (op->ptx_line <= 0 || op->ptx_line >= lines) {
        return TC_NO_OP;
    }
    uint32_t at = first[op->ptx_line], found = at;
    for (uint32_t i = at; at != TC_NO_OP && i < k->f->end &&
                          k->code[i].ptx_line == (uint32_t)op->ptx_line;
         i++) {
        if (tc_mcode_rank(&k->code[i]) == 3 &&
            tc_mcode_made_of(op, &k->code[i])) {
            found = i;
            break;
        }
    }
    return found;
}

static void decode_all(maker *k) {
    tc_mcode *m = k->m;
    int lines = 2;
    for (uint32_t i = k->f->begin; i < k->f->end; i++) {
        int line = (int)k->code[i].ptx_line + 1;
        lines = line > lines ? line : lines;
    }
    uint32_t *first = tc_xmalloc((size_t)lines * sizeof *first);
    memset(first, 0xff, (size_t)lines * sizeof *first);
    for (uint32_t i = k->f->end; i-- > k->f->begin;) {
        first[k->code[i].ptx_line] = i;
    }
    m->nops = (uint32_t)k->sass->nops;
    m->ops = tc_xcalloc(m->nops + 1u, sizeof *m->ops);
    m->shown = tc_xcalloc(k->f->end - k->f->begin + 1u, sizeof *m->shown);
    for (uint32_t i = 0; i < m->nops; i++) {
        tc_mcode_decode(k->t->p, &k->sass->ops[i], &m->ops[i]);
        m->ops[i].at = op_of_line(k, first, lines, &k->sass->ops[i]);
        if (m->ops[i].access && m->ops[i].at != TC_NO_OP) {
            m->shown[m->ops[i].at - m->base] = true;
        }
    }
    free(first);
}

static uint32_t block_of(const tc_mcode *m, uint32_t op) {
    for (uint32_t i = 0; i < m->nblocks; i++) {
        if (op >= m->blocks[i].begin && op < m->blocks[i].end) {
            return i;
        }
    }
    return TC_NO_OP;
}

static void cut_sass(maker *k) {
    tc_mcode *m = k->m;
    bool *begins = tc_xcalloc(m->nops + 1u, sizeof *begins);
    begins[0] = true;
    for (uint32_t i = 0; i < m->nops; i++) {
        const tc_sass_op *op = &k->sass->ops[i];
        if (op->opcode % OPCODES == BRA) {
            int64_t to = target_of(op) / TC_SASS_BYTES;
            if (to >= 0 && to < (int64_t)m->nops) {
                begins[to] = true;
            }
        }
        begins[i + 1] |= jumps(op) || is_waiting(k, i);
    }
    m->blocks = tc_xcalloc(m->nops + 1u, sizeof *m->blocks);
    for (uint32_t i = 0; i < m->nops; i++) {
        m->nblocks += begins[i];
        tc_mcode_block *b = &m->blocks[m->nblocks - 1];
        b->begin = begins[i] ? i : b->begin;
        b->end = i + 1;
    }
    free(begins);
    for (uint32_t i = 0; i < m->nblocks; i++) {
        tc_mcode_block *b = &m->blocks[i];
        const tc_sass_op *op = &k->sass->ops[b->end - 1];
        for (uint32_t k2 = b->begin; k2 < b->end; k2++) {
            uint32_t code = k->sass->ops[k2].opcode % OPCODES;
            b->calls |= code == CALL || code == CALL_REL;
        }
        bool falls = !jumps(op) || !always(op);
        b->table = op->opcode % OPCODES == BRX;
        b->last = is_waiting(k, b->end - 1) ? b->end - 1 : TC_NO_OP;
        b->next[0] = falls && i + 1 < m->nblocks ? i + 1 : TC_NO_OP;
        b->next[1] = b->enter = b->leave = TC_NO_OP;
        if (op->opcode % OPCODES == BRA) {
            b->next[1] = block_of(m, (uint32_t)(target_of(op) / TC_SASS_BYTES));
        }
    }
    for (uint32_t i = 0; i < m->nblocks; i++) {
        for (uint32_t j = 0; j < 2; j++) {
            if (m->blocks[i].next[j] != TC_NO_OP) {
                m->blocks[m->blocks[i].next[j]].led_to = true;
            }
        }
    }
}

/* ---- covers ---- */

static size_t pair(const maker *k, uint32_t block, uint32_t p) {
    return (size_t)block * k->m->nptx + p;
}

/* Counts, for each pair of blocks, the ops of the wanted rank. */
static void count(maker *k, uint32_t block, uint32_t *times) {
    const tc_mcode_block *b = &k->m->blocks[block];
    for (uint32_t i = b->begin; i < b->end; i++) {
        uint32_t at = k->m->ops[i].at;
        if (at == TC_NO_OP ||
            !tc_mcode_made_of(&k->sass->ops[i], &k->code[at])) {
            continue;
        }
        uint32_t p = tc_mcode_ptx_block(k->m, at);
        if (tc_mcode_rank(&k->code[at]) == k->rank[p] && k->rank[p]) {
            uint32_t n = ++times[at - k->m->base];
            size_t x = pair(k, block, p);
            k->seen[x] += n == 1;
            n = tc_mcode_several(&k->code[at]) ? 1 : n;
            k->most[x] = n > k->most[x] ? n : k->most[x];
        }
    }
    for (uint32_t i = b->begin; i < b->end; i++) {
        if (k->m->ops[i].at != TC_NO_OP) {
            times[k->m->ops[i].at - k->m->base] = 0;
        }
    }
}

static void count_all(maker *k) {
    tc_mcode *m = k->m;
    size_t n = (size_t)m->nblocks * m->nptx;
    uint32_t *times = tc_xcalloc(k->f->end - k->f->begin + 1u, sizeof *times);
    k->rank = tc_xcalloc(m->nptx + 1u, sizeof *k->rank);
    k->seen = tc_xcalloc(n + 1, sizeof *k->seen);
    k->most = tc_xcalloc(n + 1, sizeof *k->most);
    for (uint32_t i = 0; i < m->nops; i++) {
        uint32_t at = m->ops[i].at;
        if (at != TC_NO_OP &&
            tc_mcode_made_of(&k->sass->ops[i], &k->code[at])) {
            uint32_t p = tc_mcode_ptx_block(m, at);
            int rank = tc_mcode_rank(&k->code[at]);
            k->rank[p] = rank > k->rank[p] ? (uint8_t)rank : k->rank[p];
        }
    }
    for (uint32_t i = 0; i < m->nblocks; i++) {
        count(k, i, times);
    }
    free(times);
}

/* Have the two machine blocks an op of the PTX block in common? */
static bool share(const maker *k, uint32_t a, uint32_t b, uint32_t p) {
    const tc_mcode_block *x = &k->m->blocks[a], *y = &k->m->blocks[b];
    for (uint32_t i = x->begin; i < x->end; i++) {
        uint32_t at = k->m->ops[i].at;
        if (at == TC_NO_OP || tc_mcode_ptx_block(k->m, at) != p ||
            tc_mcode_rank(&k->code[at]) != k->rank[p] ||
            !tc_mcode_made_of(&k->sass->ops[i], &k->code[at])) {
            continue;
        }
        for (uint32_t j = y->begin; j < y->end; j++) {
            if (k->m->ops[j].at == at &&
                tc_mcode_made_of(&k->sass->ops[j], &k->code[at])) {
                return true;
            }
        }
    }
    return false;
}

/* A machine block that holds the most of a PTX block's ops stands for it, and
 * so does each that holds half of that and some of the same ops: a copy; of
 * integers alone more than half, as an address may be made a second time where it
 * is wanted. The others have what was moved out of it, or the rest. */
static void settle(maker *k, uint32_t p) {
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < k->m->nblocks; i++) {
        if (k->seen[pair(k, i, p)] > most) {
            most = k->seen[pair(k, i, p)];
            best = i;
        }
    }

    uint32_t half = k->rank[p] == 1 ? most + 1 : most;
    for (uint32_t i = 0; i < k->m->nblocks && most; i++) {
        uint32_t n = k->seen[pair(k, i, p)];
        if (i != best && n && (2 * n < half || !share(k, best, i, p))) {
            k->most[pair(k, i, p)] = 0;
        }
    }
}

static bool guarded(const maker *k, const tc_mcode_block *b, uint32_t p) {
    for (uint32_t i = b->begin; i < b->end; i++) {
        uint32_t at = k->m->ops[i].at;
        if (at != TC_NO_OP && tc_mcode_ptx_block(k->m, at) == p &&
            tc_mcode_rank(&k->code[at]) == k->rank[p] &&
            k->code[at].guard < 0 && always(&k->sass->ops[i])) {
            return false;
        }
    }
    return true;
}

/* What the block stands for: PTX blocks in their order, as often as their ops
 * are there; the one whose wait ends it comes last. */
static void cover(maker *k, uint32_t block) {
    tc_mcode *m = k->m;
    tc_mcode_block *b = &m->blocks[block];
    const uint32_t *most = &k->most[pair(k, block, 0)];
    uint32_t last = b->last != TC_NO_OP
                        ? tc_mcode_ptx_block(m, m->ops[b->last].at)
                        : TC_NO_OP;
    uint32_t rounds = 0, same = 0;
    for (uint32_t p = 0; p < m->nptx; p++) {
        rounds = most[p] > rounds ? most[p] : rounds;
        same = most[p] && (same == 0 || most[p] < same) ? most[p] : same;
    }
    bool loops = same == rounds;
    b->cover = m->ncover;
    for (uint32_t i = 0; i < (loops ? rounds : 1); i++) {
        for (uint32_t p = 0; p < m->nptx; p++) {
            uint32_t n = p == last ? 0 : loops ? most[p] > 0 : most[p];
            bool optional = n && guarded(k, b, p);
            while (n-- > 0 && b->ncover < MOST_COVER) {
                tc_mcode_put_cover(k->m, b, p, optional);
            }
        }
    }
    if (last != TC_NO_OP) {
        tc_mcode_put_cover(k->m, b, last, false);
    }
    m->longest = b->ncover > m->longest ? b->ncover : m->longest;
}

/* ---- the whole ---- */

static const char *unfit(const tc_run *r, const tc_sass *sass) {
    const tc_ptx_func *f = r->func;
    if (!sass || sass->nops == 0) {
        return "there is no machine code";
    }
    for (uint32_t i = f->begin; i < f->end; i++) {
        if (r->module->code[i].opcode == TC_PTX_CALL ||
            r->module->code[i].opcode == TC_PTX_BRX_IDX) {
            return "the kernel calls functions";
        }
    }
    return NULL;
}

tc_mcode *tc_mcode_new(const tc_timing *t, const tc_sass *sass) {
    tc_mcode *m = tc_xcalloc(1, sizeof *m);
    maker k = {.t = t,
               .sass = sass,
               .m = m,
               .f = t->run->func,
               .code = t->run->module->code};
    m->why = unfit(t->run, sass);
    if (m->why) {
        return m;
    }
    k.waits = tc_mcode_cut_ptx(t, m);
    decode_all(&k);
    cut_sass(&k);
    if (m->nblocks > MOST_BLOCKS || m->nptx > MOST_BLOCKS) {
        m->why = "the kernel has too many branches";
    } else {
        count_all(&k);
        for (uint32_t p = 0; p < m->nptx; p++) {
            settle(&k, p);
        }
        for (uint32_t i = 0; i < m->nblocks; i++) {
            cover(&k, i);
        }
        tc_mcode_list_first(m);
        m->way = tc_xcalloc(m->nblocks + 1u, sizeof *m->way);
        m->calls = tc_xcalloc(m->nblocks + 1u, sizeof *m->calls);
    }
    free(k.rank);
    free(k.seen);
    free(k.most);
    free(k.waits);
    return m;
}

void tc_mcode_free(tc_mcode *m) {
    if (!m) {
        return;
    }
    for (uint32_t i = 0; m->way && i < m->nblocks; i++) {
        free(m->way[i]);
        free(m->calls[i]);
    }
    free(m->way);
    free(m->calls);
    free(m->ops);
    free(m->blocks);
    free(m->ptx);
    free(m->cover);
    free(m->first);
    free(m->block_at);
    free(m->shown);
    free(m);
}

/* From every block the next one on its way to `to`, found backwards; calls: over
 * subroutines too, which are the rare way of a division or a root. */
static uint16_t *ways_to(const tc_mcode *m, uint32_t to, bool calls) {
    uint16_t *next = tc_xmalloc(m->nblocks * sizeof *next);
    uint32_t *queue = tc_xmalloc((m->nblocks + 1) * sizeof *queue);
    uint32_t head = 0, tail = 0;
    memset(next, 0xff, m->nblocks * sizeof *next);
    queue[tail++] = to;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (uint32_t i = 0; i < m->nblocks; i++) {
            const tc_mcode_block *b = &m->blocks[i];
            if (next[i] == UINT16_MAX && (calls || !b->calls) &&
                (b->next[0] == at || b->next[1] == at ||
                 (b->table && !m->blocks[at].led_to))) {
                next[i] = (uint16_t)at;
                if (b->ncover == 0 && i != to) {
                    queue[tail++] = i;
                }
            }
        }
    }
    free(queue);
    return next;
}

uint32_t tc_mcode_way(tc_mcode *m, uint32_t from, uint32_t to) {
    if (!m->way[to]) {
        m->way[to] = ways_to(m, to, false);
    }
    uint16_t next = m->way[to][from];
    if (next == UINT16_MAX) {
        m->calls[to] = m->calls[to] ? m->calls[to] : ways_to(m, to, true);
        next = m->calls[to][from];
    }
    return next == UINT16_MAX ? TC_NO_OP : next;
}
