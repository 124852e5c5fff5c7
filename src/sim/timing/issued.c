/* issued.c - what a warp issues. For the trace: stretches in which it does, and
 * stalls with their cause. For a launch that stops (tc_sim_launch.stops): how far
 * it has issued, where its functional run is ahead.
 *
 * An op of the PTX has issued once the first machine instruction made of it has,
 * and those of all ops before it: a warp stands at the first that has not. What
 * became no instruction of its own, or integers of ptxas' code (of which the line
 * alone is known), issues with the one before. What the functional run wrote behind
 * that is put back, from the last to the first. */
#include "sim/core/address.h"
#include "sim/core/cp_async.h"
#include "sim/timing/walk.h"
#include <stdlib.h>
#include <string.h>

/* ---- stretches ---- */

static void add(tc_warp *w, uint64_t begin, uint64_t end, uint32_t issued,
                tc_stall cause, const tc_ptx_op *op) {
    tc_trace_add_stretch(
        w->cta->run->trace,
        &(tc_trace_stretch){.begin = begin,
                            .end = end,
                            .cta = w->cta->index,
                            .warp = w->index,
                            .issued = issued,
                            .line = op && op->file <= 1 ? (int32_t)op->line : 0,
                            .ptx_line = op ? op->ptx_line : 0,
                            .cause = (uint8_t)cause});
}

static void close(tc_warp *w) {
    tc_warp_stretch *s = &w->core->stretch;
    if (s->issued) {
        add(w, s->begin, s->end, s->issued, TC_STALL_FIXED, s->op);
    }
    s->issued = 0;
}

void tc_stretch_stalled(tc_warp_core *k, tc_stall cause, uint64_t cycles) {
    tc_warp_stretch *s = &k->stretch;
    if (cycles > s->most) {
        s->most = cycles;
        s->cause = (uint8_t)cause;
    }
}

void tc_stretch_issue(tc_warp *w, uint64_t now, const tc_ptx_op *op) {
    tc_warp_stretch *s = &w->core->stretch;
    if (now >= s->end + TC_STALL_LEAST) {
        close(w);
        add(w, s->end, now, 0, s->cause, op);
    }
    s->begin = s->issued ? s->begin : now;
    s->issued++;
    s->end = now + 1;
    s->op = op;
    s->most = 0;
}

/* Of a warp that the run's end finds standing: at its first split that waits,
 * or at its next op. */
static void stands(tc_warp *w) {
    tc_warp_core *k = w->core;
    uint64_t now = w->cta->run->cycle;
    const tc_ptx_op *op = k->stretch.op;
    tc_stall why = TC_STALL_SLEEP;
    for (int i = 0; i < k->nsplit; i++) {
        if (k->split[i].op) {
            tc_timing_asleep(w, &why);
            op = k->split[i].op;
            break;
        }
    }
    if (now >= k->stretch.end + TC_STALL_LEAST) {
        add(w, k->stretch.end, now, 0, why, op);
    }
}

void tc_timing_warp_end(tc_warp *w) {
    if (!w->cta->run->trace) {
        return;
    }
    close(w);
    if (w->alive) {
        stands(w);
    }
}

/* ---- what ran ---- */

void tc_issued_begin(tc_warp *w, uint64_t until) {
    w->core->place = (tc_warp_place){.until = until};
}

static void record(tc_mcode_walk *x, uint32_t at) {
    if (x->nran == x->cran) {
        x->cran = x->cran ? x->cran * 2 : 64;
        x->ops = tc_xrealloc(x->ops, x->cran * sizeof *x->ops);
    }
    x->ops[x->nran++] = at;
}

void tc_issued_op(tc_warp *w, uint32_t at) {
    const tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    tc_warp_place *p = &k->place;
    if (p->ran == p->until && !p->seen) {
        r->hooks->reached(w);
    }
    p->ran++;
    if (k->walk && r->timing->ahead) {
        record(k->walk, at);
    } else if (k->walk) {
        k->walk->nran = k->walk->laid_end = 0;
        k->walk->ran_from = p->ran;
    }
}

void tc_issued_laid(tc_warp_core *k, uint32_t used) {
    tc_mcode_walk *x = k->walk;
    uint64_t from = x->queue[0].from;
    uint64_t end = used < x->nqueue ? x->queue[used].from : k->place.ran;
    uint32_t over = (uint32_t)(from - x->ran_from);
    if (over <= x->nran) {
        x->nran -= over;
        memmove(x->ops, x->ops + over, x->nran * sizeof *x->ops);
        x->ran_from = from;
    }
    x->laid_end = (uint32_t)(end - from);
}

/* ---- what of that has issued ---- */

/* Of an op, in what was laid last: how often it ran, so far as looked at; the
 * instructions made of it, and those that have issued. */
typedef struct tc_tally {
    uint32_t ran, before, all, issued;
} tc_tally;

static void tally(const tc_timing *t, const tc_mcode_walk *x, uint32_t n,
                  tc_tally *out) {
    for (uint32_t i = 0; i < n; i++) {
        out[x->ops[i]].ran++;
    }
    for (uint32_t i = 0; i < x->nranges; i++) {
        for (uint32_t j = x->ranges[i].op; j < x->ranges[i].end; j++) {
            uint32_t at = t->mcode->ops[j].at;
            if (at != TC_NO_OP) {
                out[at].all++;
                out[at].issued +=
                    i + 1 < x->range || (i + 1 == x->range && j < x->op);
            }
        }
    }
}

/* Has its next execution? Of an op with fewer instructions than executions (the
 * counter of an unrolled loop) the last executions have them. */
static bool has_issued(const tc_timing *t, uint32_t at, tc_tally *y) {
    enum { FLOATS = 2 };
    const tc_ptx_op *op = &t->run->module->code[at];
    uint32_t before = y->before++;
    if (!t->own_code && tc_mcode_rank(op) < FLOATS) {
        return true;
    }
    if (y->all < y->ran) {
        uint32_t without = y->ran - y->all;
        return before < without || before - without < y->issued;
    }
    return before < ((uint64_t)y->issued * y->ran + y->all - 1) / y->all;
}

uint64_t tc_issued_ops(const tc_warp *w) {
    const tc_warp_core *k = w->core;
    const tc_mcode_walk *x = k->walk;
    const tc_timing *t = w->cta->run->timing;
    uint64_t ran = k->place.ran;
    if (!x || !t->mcode) {
        return ran;
    }
    if (!tc_walks(k)) {
        return x->nqueue ? x->queue[0].from : ran;
    }
    uint32_t n = x->laid_end < x->nran ? x->laid_end : x->nran, i = 0;
    tc_tally *all = tc_xcalloc(t->run->module->ncode + 1u, sizeof *all);
    tally(t, x, n, all);
    while (i < n && has_issued(t, x->ops[i], &all[x->ops[i]])) {
        i++;
    }
    free(all);
    return x->ran_from + i;
}

/* ---- what is put back ---- */

void tc_issued_write(tc_warp *w, uint8_t *bytes, uint32_t n) {
    tc_timing *t = w->cta->run->timing;
    if (!w->core->place.seen || !bytes || n > sizeof t->undo->was) {
        return;
    }
    if (t->nundo == t->cundo) {
        t->cundo = t->cundo ? t->cundo * 2 : 256;
        t->undo = tc_xrealloc(t->undo, t->cundo * sizeof *t->undo);
    }
    tc_undo *u = &t->undo[t->nundo++];
    u->at = bytes;
    u->n = n;
    memcpy(u->was, bytes, n);
}

static uint8_t *bytes_at(tc_warp *w, tc_ptx_space space, int lane,
                         uint64_t address) {
    tc_cta *c = w->cta, *owner;
    tc_sim_allocation *a;
    switch (space) {
    case TC_PS_SHARED:
        return c->shared + address;
    case TC_PS_CLUSTER:
        owner = tc_cluster_owner(c, address, &address);
        return owner ? owner->shared + address : NULL;
    case TC_PS_LOCAL:
        return c->local ? c->local +
                              ((uint64_t)w->index * TC_LANES + (uint32_t)lane) *
                                  c->local_bytes +
                              address
                        : NULL;
    case TC_PS_GLOBAL:
        a = tc_allocation_find(c->run, address);
        return a ? a->bytes + (address - a->address) : NULL;
    default:
        return NULL;
    }
}

void tc_issued_writes(tc_warp *w, tc_ptx_space space, uint32_t mask,
                      const uint64_t *addr, uint32_t bytes) {
    for (; w->core->place.seen && mask; mask &= mask - 1) {
        int i = tc_first_bit(mask);
        tc_issued_write(w, bytes_at(w, space, i, addr[i]), bytes);
    }
}

void tc_issued_restore(tc_timing *t) {
    while (t && t->nundo) {
        const tc_undo *u = &t->undo[--t->nundo];
        memcpy(u->at, u->was, u->n);
    }
}

/* ---- copies ---- */

void tc_issued_landed(tc_run *r, const tc_batch *b) {
    tc_trace_event *e;
    for (int32_t i = b->event + 1;
         r->trace && b->landed && (e = tc_trace_at(r->trace, i)); i++) {
        if (e->kind == TC_TRACE_COMPLETE && e->cause == b->event &&
            e->cycle < r->cycle) {
            e->cycle = e->end = r->cycle;
        }
    }
}
