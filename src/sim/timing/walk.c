/* walk.c - the functional run goes ahead by blocks of the PTX; machine code is
 * laid over what ran, and issues. */
#include "sim/timing/walk.h"
#include "sim/core/cp_async.h"
#include <stdlib.h>
#include <string.h>

void tc_walk_start(tc_warp *w) {
    tc_warp_core *k = w->core;
    if (!k->walk) {
        k->walk = tc_xcalloc(1, sizeof *k->walk);
    }
    tc_mcode_walk *x = k->walk;
    x->op = x->end = x->block = x->range = x->nranges = x->nqueue = 0;
    x->head = x->n = x->naddresses = x->serial = 0;
    x->last = TC_NO_OP;
    x->begun = false;
    x->mask = 0;
    x->waits = x->ran = x->asked = 0;
    x->nran = x->laid_end = 0;
    x->ran_from = 0;
    memset(x->laid, 0, sizeof x->laid);
    memset(x->board, 0, sizeof x->board);
}

bool tc_walk_still(tc_warp_core *k) {
    tc_mcode_walk *x = k->walk;
    bool still = x && tc_walks(k) && x->ran == x->asked;
    if (x) {
        x->asked = x->ran;
    }
    return still;
}

void tc_walk_free(tc_warp_core *k) {
    if (k->walk) {
        free(k->walk->accesses);
        free(k->walk->ops);
        free(k->walk->addresses);
        free(k->walk->queue);
        free(k->walk);
        k->walk = NULL;
    }
}

/* ---- what is noted ---- */

static void *grown(void *old, uint32_t n, uint32_t *cap, size_t size) {
    if (n < *cap) {
        return old;
    }
    *cap = *cap ? *cap * 2 : 16;
    return tc_xrealloc(old, *cap * size);
}

/* Those before head are over; addresses lie in the order of accesses. */
static void make_room(tc_mcode_walk *x) {
    enum { MANY = 64 };
    if (x->head == x->n) {
        x->head = x->n = x->naddresses = 0;
    }
    if (x->head < MANY) {
        return;
    }
    uint32_t first = x->naddresses;
    for (uint32_t i = x->n; i-- > x->head;) {
        uint32_t where = x->accesses[i].where;
        first = where != TC_NO_OP ? where : first;
    }
    x->n -= x->head;
    memmove(x->accesses, x->accesses + x->head, x->n * sizeof *x->accesses);
    x->head = 0;
    x->naddresses -= first;
    if (x->naddresses) {
        memmove(x->addresses, x->addresses + first,
                x->naddresses * sizeof *x->addresses);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        x->accesses[i].where -= x->accesses[i].where != TC_NO_OP ? first : 0;
    }
}

void tc_walk_note(tc_timing *t, const tc_noted *a, const uint64_t *addresses) {
    tc_mcode_walk *x = t->ahead;
    make_room(x);
    x->accesses = grown(x->accesses, x->n, &x->cap, sizeof *x->accesses);
    tc_noted *out = &x->accesses[x->n++];
    *out = *a;
    out->serial = x->serial;
    out->event = -1;
    out->then = t->run->cycle;
    out->number = x->ran;
    out->where = TC_NO_OP;
    if (addresses) {
        x->addresses = grown(x->addresses, x->naddresses, &x->caddresses,
                             sizeof *x->addresses);
        memcpy(x->addresses[x->naddresses], addresses, sizeof *x->addresses);
        out->where = x->naddresses++;
    }
}

/* ---- charging ---- */

/* What was found as it ran is found now. */
static void found_now(const tc_run *r, tc_access *x, const tc_warp *w,
                      const tc_noted *a) {
    if (x->op == &r->module->code[a->at] && x->cta == w->cta->index &&
        x->warp == w->index && x->cycle == a->then) {
        x->cycle = r->cycle;
    }
}

static void now_in_trace(tc_timing *t, const tc_warp *w, const tc_noted *a) {
    tc_run *r = t->run;
    tc_trace_event *e = r->trace ? tc_trace_at(r->trace, a->event) : NULL;
    for (int i = 0; i < r->nfindings; i++) {
        found_now(r, &r->findings[i].at, w, a);
        found_now(r, &r->findings[i].cause, w, a);
    }
    if (e) {
        e->cycle = e->end = r->cycle;
    }
}

static void charge_copy(tc_timing *t, tc_warp *w, tc_batch *b) {
    tc_run *r = t->run;
    b->queued--;
    b->ahead = false;
    tc_issued_landed(r, b);
    b->complete = tc_timing_copy(w, b);
    if (r->completion == TC_COMPLETE_TIMING) {
        tc_event_push(r, (tc_event){.cycle = b->complete,
                                    .queued = &b->queued,
                                    .warp = w,
                                    .batch = b,
                                    .mask = b->mask});
    }
}

/* Lanes that add to one word: one of them does it for all. */
static bool elected(const tc_noted *a, const tc_mcode_walk *x) {
    if (!a->one || a->where == TC_NO_OP) {
        return false;
    }
    const uint64_t *at = x->addresses[a->where];
    uint64_t first = at[tc_first_bit(a->mask)];
    for (uint32_t m = a->mask; m; m &= m - 1) {
        if (at[tc_first_bit(m)] != first) {
            return false;
        }
    }
    return true;
}

/* An access as one of `bytes` a lane, where those of several ops became one. */
static void charge(tc_timing *t, tc_warp *w, tc_noted *a, uint32_t bytes) {
    const tc_ptx_op *op = &t->run->module->code[a->at];
    const tc_mcode_walk *x = w->core->walk;
    uint64_t addr[TC_LANES];
    a->done = true;
    now_in_trace(t, w, a);
    if (a->batch) {
        charge_copy(t, w, a->batch);
        return;
    }
    bytes = bytes > a->bytes ? bytes : a->bytes;
    if (elected(a, x)) {
        tc_timing_access(w, op, (tc_ptx_space)a->space,
                         a->mask & ~(a->mask - 1), x->addresses[a->where],
                         bytes, a->store);
        return;
    }
    if (a->where == TC_NO_OP && bytes == a->bytes) {
        tc_timing_run(w, op, (tc_ptx_space)a->space, a->address, bytes,
                      a->store);
        return;
    }
    for (uint32_t i = 0; i < TC_LANES; i++) {
        uint64_t at = a->where == TC_NO_OP ? a->address + (uint64_t)i * a->bytes
                                           : x->addresses[a->where][i];
        addr[i] = bytes > a->bytes ? at & ~(uint64_t)(bytes - 1) : at;
    }
    tc_timing_access(w, op, (tc_ptx_space)a->space, a->mask, addr, bytes,
                     a->store);
}

static void pass_done(tc_mcode_walk *x) {
    while (x->head < x->n && x->accesses[x->head].done) {
        x->head++;
    }
}

/* What no instruction took, of blocks before those of the last two times: of
 * copies the bytes arrive all the same. copies: they alone, of any block. */
static void drop_old(tc_timing *t, tc_warp *w, bool copies) {
    tc_mcode_walk *x = w->core->walk;
    for (uint32_t i = x->head; i < x->n; i++) {
        tc_noted *a = &x->accesses[i];
        if (a->done || (copies ? !a->batch : a->number >= x->laid[2])) {
            continue;
        }
        if (a->batch) {
            charge(t, w, a, 0);
        } else {
            now_in_trace(t, w, a);
        }
        a->done = true;
    }
    pass_done(x);
}

/* The first access of the op that is left. */
static tc_noted *find(tc_mcode_walk *x, const tc_mcode_op *op) {
    for (uint32_t i = x->head; i < x->n; i++) {
        if (x->accesses[i].at == op->at && !x->accesses[i].done) {
            return &x->accesses[i];
        }
    }
    return NULL;
}

/* Takes the accesses of one execution of its op; when the last one's result is
 * there. */
static uint64_t take(tc_timing *t, tc_warp *w, const tc_mcode_op *op,
                     uint64_t now) {
    tc_mcode_walk *x = w->core->walk;
    tc_noted *a = find(x, op);
    t->arrives = 0;
    if (!a) {
        /* Nobody passed its guard; or it is a part of an op: of an atomic that
         * became a loop. */
        return now + (op->guarded ? 1 : op->op.latency);
    }
    uint32_t serial = a->serial;
    for (tc_noted *end = x->accesses + x->n; a < end && a->serial == serial;
         a++) {
        if (a->at == op->at && !a->done) {
            a->one = op->guarded && op->op.class == TC_CLASS_ATOM &&
                     t->run->module->code[op->at].guard < 0;
            charge(t, w, a, op->bytes);
        }
    }
    pass_done(x);
    return tc_timing_later(t->arrives, now + 1);
}

/* ---- running ahead ---- */

/* Ops of the fast path from pc on, before end; false: the last one left the
 * line. */
static bool run_line(tc_timing *t, tc_warp *w, uint32_t end) {
    tc_warp_core *k = w->core;
    tc_run *r = t->run;
    const tc_code *c = &r->code[k->pc];
    uint64_t now = r->cycle;
    uint32_t n = c->run < end - k->pc ? c->run : end - k->pc;
    uint32_t from = k->pc;
    tc_fast *x = &r->entries[c->entry];
    const tc_fast *last = &r->entries[c[n].entry];
    const int part = k->mask != w->alive;
    k->line_pc = from;
    k->line_cycle = now;
    while (x < last) {
        x = x->fn[part](w, x, k->mask);
    }
    r->cycle = now;
    if (x == last) {
        k->pc = from + n;
    }
    return x == last;
}

/* An op of the general path, as sm.c's; false: the warp goes on elsewhere. */
static bool run_one(tc_timing *t, tc_warp *w) {
    tc_warp_core *k = w->core;
    uint32_t pc = k->pc++;
    const tc_code *c = &t->run->code[pc];
    uint32_t m = k->mask;
    if (t->run->launch->stops) {
        k->pc = pc;
        tc_issued_op(w, pc);
        k->pc = pc + 1;
    }
    if (c->guard >= 0) {
        m &= w->pred[c->guard] ^ c->flip;
    }
    if (m == 0) {
        return true;
    }
    if (c->branch && m == k->mask && c->op->target != pc) {
        k->pc = c->op->target;
        return true;
    }
    k->clean &= c->light;
    c->fn(w, c->op, m);
    bool left = k->again || k->cur < 0 || t->run->stopped;
    k->again = false;
    return !left && (c->branch || k->pc == pc + 1);
}

static bool run_body(tc_timing *t, tc_warp *w, uint32_t end) {
    tc_warp_core *k = w->core;
    bool on = true;
    while (on && k->pc < end && k->pc < k->limit) {
        k->walk->serial++;
        on = t->run->code[k->pc].run ? run_line(t, w, end) : run_one(t, w);
    }
    return on && k->pc == end;
}

/* The split that runs may go on, or another one. */
static bool has_split(tc_warp *w) {
    tc_warp_core *k = w->core;
    if (k->cur >= 0 && k->pc < k->limit) {
        return true;
    }
    tc_warp_save(w);
    return w->alive && tc_warp_select(w);
}

/* Has the queue what the longest block of the machine code may stand for, and
 * two? Of blocks that no instruction shows there may be several between: but
 * not for ever. */
static bool is_full(const tc_mcode *m, const tc_mcode_walk *x) {
    uint32_t want = m->longest + 2, shown = 0;
    if (x->nqueue < want || x->nqueue >= 8 * want) {
        return x->nqueue >= want;
    }
    for (uint32_t i = 0; i < x->nqueue && shown < want; i++) {
        shown += m->ptx[x->queue[i].block].shown;
    }
    return shown >= want;
}

static void run_ahead(tc_timing *t, tc_warp *w) {
    tc_warp_core *k = w->core;
    tc_mcode_walk *x = k->walk;
    const tc_mcode *m = t->mcode;
    t->ahead = x;
    while (!is_full(m, x) && !t->run->stopped && has_split(w)) {
        uint32_t i = k->pc - m->base;
        if (k->pc < m->base || m->block_at[i] == TC_NO_OP ||
            x->waits == k->pc + 1) {
            break;
        }
        const tc_code_block *b = &m->ptx[m->block_at[i]];
        x->queue = grown(x->queue, x->nqueue, &x->cqueue, sizeof *x->queue);
        x->queue[x->nqueue].block = m->block_at[i];
        x->queue[x->nqueue].from = k->place.ran;
        x->queue[x->nqueue++].mask = k->mask;
        x->ran++;
        if (!run_body(t, w, b->body)) {
            break;
        }
        if (b->waits) {
            x->waits = b->body + 1;
            break;
        }
        if (b->body < b->end && k->pc < k->limit) {
            run_one(t, w); /* a branch */
        }
    }
    t->ahead = NULL;
}

/* ---- laying machine code over it ---- */

static void drop_queue(tc_mcode_walk *x, uint32_t n) {
    x->laid[0] += n;
    x->nqueue -= n;
    memmove(x->queue, x->queue + n, x->nqueue * sizeof *x->queue);
}

static void add_range(tc_mcode_walk *x, const tc_mcode_block *b) {
    uint32_t end = b->last == TC_NO_OP ? b->end : b->last;
    if (end == b->begin || x->nranges == TC_WALK_RANGES) {
        return;
    }
    if (x->nranges && x->ranges[x->nranges - 1].end == b->begin) {
        x->ranges[x->nranges - 1].end = end;
        return;
    }
    x->ranges[x->nranges].op = b->begin;
    x->ranges[x->nranges++].end = end;
}

static void add_block(const tc_mcode *m, tc_mcode_walk *x, uint32_t block) {
    if (block != TC_NO_OP) {
        add_range(x, &m->blocks[block]);
    }
}

/* The blocks on the way to `to`, and that one. */
static void go_to(tc_timing *t, tc_mcode_walk *x, uint32_t to) {
    tc_mcode *m = t->mcode;
    uint32_t at = x->block;
    if (!x->begun && at != to && !t->own_code) { /* at the entry */
        add_range(x, &m->blocks[at]);
    }
    if (t->own_code && at != to) {
        add_block(m, x, m->blocks[at].leave);
        add_block(m, x, m->blocks[to].enter);
        at = to;
    } else if (!t->own_code && (x->begun || at != to)) {
        for (uint32_t i = 0; i < TC_WALK_RANGES; i++) {
            at = tc_mcode_way(m, at, to);
            if (at == TC_NO_OP || at == to) {
                break;
            }
            add_range(x, &m->blocks[at]);
        }
    }
    t->jumps += at == TC_NO_OP;
    add_range(x, &m->blocks[to]);
    x->begun = true;
    x->block = to;
}

static bool start_range(const tc_timing *t, tc_warp *w) {
    tc_mcode_walk *x = w->core->walk;
    while (x->range < x->nranges) {
        bool taken = x->ranges[x->range].op != x->end;
        x->op = x->ranges[x->range].op;
        x->end = x->ranges[x->range++].end;
        if (x->op < x->end) {
            w->core->next += taken ? t->p->branch_taken : 0;
            return true;
        }
    }
    x->range = x->nranges = 0;
    return false;
}

/* Steps to the block; many where nothing leads there. */
static uint32_t near(tc_mcode *m, const tc_mcode_walk *x, uint32_t block) {
    uint32_t at = x->block, n = 0;
    do {
        at = tc_mcode_way(m, at, block);
        n++;
    } while (at != block && at != TC_NO_OP && n < TC_WALK_RANGES);
    return at == block ? n : 2 * TC_WALK_RANGES;
}

/* Chooses the machine block for what the queue begins with. */
static bool lay(tc_timing *t, tc_warp *w) {
    tc_mcode_walk *x = w->core->walk;
    tc_mcode *m = t->mcode;
    while (x->nqueue && !m->ptx[x->queue[0].block].shown) {
        drop_queue(x, 1);
        w->core->next += 2; /* its integers alone */
    }
    if (x->nqueue == 0) {
        return false;
    }
    const tc_code_block *p = &m->ptx[x->queue[0].block];
    uint32_t used = 0, block = TC_NO_OP;
    for (uint32_t i = 0; i < p->nfirst; i++) {
        uint32_t other = m->first[p->first + i], n = tc_walk_fits(m, x, other);
        uint32_t most = m->blocks[other].ncover;
        if (used && most < m->blocks[block].ncover) {
            break;
        }
        if (!used || (n >= used && !t->own_code &&
                      near(m, x, other) < near(m, x, block))) {
            block = other;
            used = n;
        }
    }
    t->laid++;
    if (!used) {
        t->unlaid++;
        used = tc_walk_takes(m, x, &block);
        if (!used) {
            drop_queue(x, 1);
            w->core->next += 2;
            return true;
        }
    }
    uint32_t mask = x->queue[0].mask;
    if (mask != x->mask && (mask & x->mask) == mask) {
        w->core->next += t->p->branch_apart;
    }
    x->mask = mask;
    x->idle = TC_LANES - (uint32_t)tc_popc(mask);
    if (t->run->launch->stops) {
        tc_issued_laid(w->core, used);
    }
    drop_queue(x, used);
    go_to(t, x, block);
    x->last = m->blocks[block].last;
    drop_old(t, w, false);
    x->laid[2] = x->laid[1];
    x->laid[1] = x->laid[0];
    return true;
}

bool tc_walk_enter(tc_timing *t, tc_warp *w) {
    tc_mcode_walk *x = w->core->walk;
    run_ahead(t, w);
    while (x->nqueue) {
        bool laid = lay(t, w);
        if (laid && start_range(t, w)) {
            return true;
        }
        if (!laid) {
            break;
        }
    }
    drop_old(t, w, true);
    return false;
}

/* ---- issue ---- */

static uint64_t latest(const tc_mcode_walk *x, uint32_t wait) {
    uint64_t at = 0;
    for (; wait; wait &= wait - 1) {
        at = tc_timing_later(at, x->board[tc_first_bit(wait)]);
    }
    return at;
}

static uint64_t when(const tc_warp_core *k, uint32_t wait, tc_stall *why) {
    uint64_t entry = latest(k->walk, wait);
    *why = (tc_stall)(entry & ((1u << TC_READY_SHIFT) - 1));
    if (entry >> TC_READY_SHIFT <= k->next) {
        *why = TC_STALL_FIXED;
    }
    return tc_timing_later(k->next, entry >> TC_READY_SHIFT);
}

uint64_t tc_walk_when(const tc_timing *t, const tc_warp_core *k,
                      tc_stall *why) {
    return when(k, t->mcode->ops[k->walk->op].wait, why);
}

static void set(tc_mcode_walk *x, uint8_t board, uint64_t at, uint8_t stall) {
    if (board < TC_SASS_BOARDS) {
        x->board[board] =
            tc_timing_later(x->board[board], at << TC_READY_SHIFT | stall);
    }
}

void tc_walk_issue(tc_timing *t, tc_warp *w, uint64_t now) {
    tc_warp_core *k = w->core;
    tc_mcode_walk *x = k->walk;
    const tc_mcode_op *op = &t->mcode->ops[x->op++];
    uint64_t due = now + op->op.latency, read = now + 1;
    t->idle += x->idle;
    if (op->access) {
        due = take(t, w, op, now);
        read = tc_timing_later(read, t->at->lsu_free);
    }
    k->next = now + op->stall;
    if (op->op.class == TC_CLASS_LDC && t->at->constants > now) {
        due = tc_timing_later(due, t->at->constants);
    }
    set(x, op->set_write, due, op->op.stall);
    set(x, op->set_read, read, op->op.stall);
    if (x->op == x->end) {
        start_range(t, w);
    }
}

/* The instruction that the op at pc executes as, or NULL. */
static const tc_mcode_op *last_of(const tc_timing *t, const tc_mcode_walk *x,
                                  uint32_t at) {
    const tc_mcode_op *op =
        x->last != TC_NO_OP ? &t->mcode->ops[x->last] : NULL;
    return op && op->at == at ? op : NULL;
}

uint64_t tc_walk_boards(const tc_timing *t, const tc_warp_core *k,
                        tc_stall *why) {
    const tc_mcode_op *op = last_of(t, k->walk, k->pc);
    return when(k, op ? op->wait : (1u << TC_SASS_BOARDS) - 1, why);
}

void tc_walk_done(tc_timing *t, tc_warp_core *k, uint32_t at, uint64_t now,
                  uint64_t due) {
    const tc_mcode_op *op = last_of(t, k->walk, at);
    k->walk->waits = 0;
    if (op) {
        set(k->walk, op->set_write, due, op->op.stall);
        set(k->walk, op->set_read, now + 1, op->op.stall);
        k->next = tc_timing_later(k->next, now + op->stall);
        k->walk->last = TC_NO_OP;
    }
}
