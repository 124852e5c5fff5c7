/* deadlock.c - what is found when nobody can go on, and where everybody is when
 * a run is cut short: of every waiter who it is, where, for what, and what it
 * lacks. */
#include "sim/async/mbarrier.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include "sim/launch.h"
#include "sim/race/race.h"

/* ---- which mbarrier a split waits for ---- */

typedef struct tc_awaited {
    const tc_mbarrier *m; /* NULL: none */
    const tc_ptx_op *op;
    uint32_t offset, phase;
} tc_awaited;

/* Suspended in a try_wait, or one that asks again and again, in vain. */
static tc_awaited awaited(const tc_warp *w, const tc_split *s) {
    static const tc_poll none = {0};
    const tc_poll *all = w->core->poll;
    const tc_poll *p = all ? &all[tc_first_bit(s->mask)] : &none;
    tc_awaited a = {0};
    if (s->mbarrier) {
        a = (tc_awaited){NULL, s->op, s->mbarrier - 1, s->mphase};
    } else if (p->op && p->progress == w->cta->run->progress &&
               (s->state == TC_SPLIT_READY || s->state == TC_SPLIT_UNTIL)) {
        a = (tc_awaited){NULL, p->op, p->offset, p->phase};
    } else {
        return a;
    }
    a.m =
        tc_mbarrier_entry((tc_mbarrier_ref){.cta = w->cta, .offset = a.offset});
    return a;
}

/* The variable of the kernel that holds an offset of shared memory, if there is
 * one; the offset is from its begin on then. */
static void find_object(const tc_run *r, uint32_t offset, tc_waiter *to) {
    const tc_ptx_module *m = r->module;
    int self = (int)(r->func - m->funcs), best = -1;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        uint64_t at = r->symbols[i];
        bool mine = y->func == self || y->func < 0;
        bool in = offset >= at && (y->is_extern || offset - at < y->size);
        if (y->space == TC_PS_SHARED && mine && in &&
            (best < 0 || at >= r->symbols[best])) {
            best = i;
        }
    }
    to->object = best >= 0 ? &m->symbols[best] : NULL;
    to->offset = best >= 0 ? offset - (uint32_t)r->symbols[best] : offset;
}

/* The split that holds a lane of a live warp, or NULL. */
static const tc_split *split_of(const tc_warp *w, uint32_t lane) {
    for (int i = 0; i < w->core->nsplit && w->alive; i++) {
        if (w->core->split[i].mask >> lane & 1) {
            return &w->core->split[i];
        }
    }
    return NULL;
}

static bool is_in(const tc_arrivers *a, uint32_t id) {
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->id[i] == id) {
            return true;
        }
    }
    return false;
}

static const tc_warp *warp_of(const tc_cta *c, uint32_t id) {
    uint32_t rank = id / 1024, warp = id % 1024 / TC_LANES;
    const tc_cta *p = c->peers && rank < c->ncluster ? c->peers[rank] : c;
    return warp < p->nwarps ? &p->warps[warp] : NULL;
}

/* Those who arrived in the phase before, and not in this one: by warps. */
static void find_absent(const tc_cta *c, const tc_mbarrier *m, tc_waiter *to) {
    tc_arena *arena = c->run->sim->arena;
    tc_wait_lanes *all = NULL;
    int n = 0, cap = 0;
    for (uint32_t i = 0; i < m->before.n && m->before.n <= 1024; i++) {
        uint32_t first = m->before.id[i] / TC_LANES * TC_LANES, lanes = 0;
        for (uint32_t j = 0; j < m->before.n; j++) {
            uint32_t id = m->before.id[j];
            bool same = id - first < TC_LANES && !is_in(&m->now, id);
            if (same && j < i) { /* told already */
                lanes = 0;
                break;
            }
            lanes |= same ? UINT32_C(1) << (id - first) : 0;
        }
        const tc_warp *w = warp_of(c, first);
        if (lanes && w) {
            tc_wait_lanes one = {w->cta->index, w->index, lanes,
                                 !(w->alive & lanes)};
            TC_PUSH(arena, all, n, cap, one);
        }
    }
    to->absent = all;
    to->nabsent = n;
}

static void wait_of_mbarrier(const tc_cta *c, const tc_awaited *a,
                             tc_waiter *to) {
    tc_mbarrier_state s = tc_mbarrier_unpack(a->m->bits);
    to->what = TC_WAIT_MBARRIER;
    to->op = a->op;
    to->phase = a->phase;
    to->current = a->m->phase;
    to->live = a->m->live;
    to->pending = s.pending;
    to->expected = s.expected;
    to->tx = s.tx;
    to->announced = (int64_t)a->m->announced;
    to->copied = (int64_t)a->m->copied;
    find_object(c->run, a->offset, to);
    if (to->live && to->phase == to->current && s.pending) {
        find_absent(c, a->m, to);
    }
}

/* All who arrived in the phase before now wait for this one, in which nobody
 * has arrived: it will not come, and who waits for it means another. */
static bool all_before_wait(const tc_cta *c, const tc_awaited *a) {
    const tc_mbarrier *m = a->m;
    if (m->now.n || !m->before.n || a->phase != m->phase) {
        return false;
    }
    for (uint32_t i = 0; i < m->before.n; i++) {
        const tc_warp *w = warp_of(c, m->before.id[i]);
        const tc_split *s = w ? split_of(w, m->before.id[i] % TC_LANES) : NULL;
        tc_awaited other = s ? awaited(w, s) : (tc_awaited){0};
        if (other.m != m || other.phase != m->phase) {
            return false;
        }
    }
    return true;
}

/* The first wait of these lanes, in a phase that nobody has begun, when two are
 * over: the earlier one of that parity was meant. */
static bool missed(const tc_warp *w, const tc_split *s, const tc_awaited *a) {
    return a->phase == a->m->phase && a->phase >= 2 && !a->m->now.n &&
           !(s->mask & w->core->mb_ever);
}

/* ---- one of them ---- */

static tc_waiter waiter_of(const tc_warp *w, const tc_split *s) {
    tc_waiter x = {.cta = w->cta->index,
                   .warp = w->index,
                   .lanes = s->mask,
                   .op = s->op && s->state != TC_SPLIT_READY
                             ? s->op
                             : &w->cta->run->module->code[s->pc]};
    tc_awaited a = awaited(w, s);
    if (a.m) {
        wait_of_mbarrier(w->cta, &a, &x);
    } else if (s->state == TC_SPLIT_BARRIER) {
        x.what = TC_WAIT_BARRIER;
        x.barrier = s->barrier;
        tc_barrier_arrivals(w->cta, s->barrier, &x.arrived, &x.wanted);
    } else if (s->state == TC_SPLIT_TENSOR) {
        x.what = TC_WAIT_TENSOR;
    } else if (s->state == TC_SPLIT_CLUSTER) {
        x.what = TC_WAIT_CLUSTER;
        tc_cluster_arrivals(w->cta, &x.arrived, &x.wanted);
    } else if (s->state == TC_SPLIT_WARP) {
        x.what = TC_WAIT_WARP;
        x.need = s->need & ~s->mask;
    }
    return x;
}

/* ---- all of them ---- */

enum { LISTED = 64 }; /* more than anyone reads */

typedef struct tc_gathered {
    tc_wait_list all;
    tc_waiter *list;
    int cap;
    uint32_t lanes;
    bool only_mbarriers, fresh; /* fresh: all of them new, and all waits the
                                   first of their threads */
    bool never;        /* somebody waits at a barrier for more threads than can
                          come, or for lanes of his warp */
    const tc_cta *cta; /* of .on */
    tc_access first;   /* the first waiter */
    tc_awaited on;     /* of the one on an mbarrier that is told of first */
    tc_access at;      /* it */
    int weight;        /* why it */
    bool several;      /* mbarriers are waited for */
} tc_gathered;

/* What a producer does after it has waited for an empty slot. */
static bool produces(const tc_run *r, const tc_ptx_op *from) {
    const tc_ptx_op *end = r->module->code + r->func->end;
    for (const tc_ptx_op *op = from; op < end && op < from + 32; op++) {
        if (op->opcode == TC_PTX_CP_ASYNC || op->opcode == TC_PTX_ST ||
            op->opcode == TC_PTX_MBARRIER_EXPECT_TX ||
            (op->more & TC_PX_MBAR_EXPECT_TX &&
             op->opcode == TC_PTX_MBARRIER_ARRIVE)) {
            return true;
        }
    }
    return false;
}

static void note_mbarrier(tc_gathered *l, const tc_warp *w, const tc_split *s,
                          const tc_awaited *a, const tc_access *at) {
    l->only_mbarriers &= a->m != NULL;
    if (!a->m) {
        return;
    }
    tc_mbarrier_state bits = tc_mbarrier_unpack(a->m->bits);
    bool untouched =
        a->m->live && a->m->phase == 0 && !a->m->now.n && bits.tx == 0;
    l->fresh &= untouched && !(s->mask & w->core->mb_ever);
    /* Told of first: a wrong phase, missing bytes, a producer. */
    bool wrong = a->phase != a->m->phase || all_before_wait(w->cta, a) ||
                 missed(w, s, a) ||
                 tc_race_phase_skipped(w, a->op, tc_first_bit(s->mask),
                                       a->offset, a->phase);
    int weight = wrong                          ? 3
                 : bits.pending == 0 && bits.tx ? 2
                 : produces(w->cta->run, a->op) ? 1
                                                : 0;
    l->several |= l->on.m && l->on.m != a->m;
    if (!l->on.m || weight > l->weight) {
        l->on = *a;
        l->at = *at;
        l->cta = w->cta;
        l->weight = weight;
    }
}

/* More threads are wanted at the split's barrier than have arrived there and
 * still run. */
static bool too_few(const tc_warp *w, const tc_split *s) {
    const tc_cta *c = w->cta;
    uint32_t arrived, wanted;
    tc_barrier_arrivals(c, s->barrier, &arrived, &wanted);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        const tc_warp_core *k = c->warps[i].core;
        for (int j = 0; j < k->nsplit && c->warps[i].alive; j++) {
            const tc_split *o = &k->split[j];
            bool here =
                o->state == TC_SPLIT_BARRIER && o->barrier == s->barrier;
            arrived += here ? 0 : tc_popc(o->mask);
        }
    }
    return arrived < wanted;
}

/* The lanes that the split waits for are gone, or wait themselves. */
static bool none_loops(const tc_warp *w, const tc_split *s) {
    for (int j = 0; j < w->core->nsplit; j++) {
        const tc_split *o = &w->core->split[j];
        bool waits = o->state != TC_SPLIT_READY && o->state != TC_SPLIT_UNTIL &&
                     o->state != TC_SPLIT_HUNG;
        if ((o->mask & s->need) && !waits) {
            return false;
        }
    }
    return true;
}

static void add_split(tc_gathered *l, const tc_warp *w, const tc_split *s) {
    const tc_run *r = w->cta->run;
    tc_awaited a = awaited(w, s);
    bool blocked = s->op && s->state != TC_SPLIT_READY;
    const tc_ptx_op *op = a.m       ? a.op
                          : blocked ? s->op
                                    : &r->module->code[s->pc];
    tc_access at = tc_access_of(w, op, tc_first_bit(s->mask));
    if (!l->first.valid) {
        l->first = at;
    }
    note_mbarrier(l, w, s, &a, &at);
    if (!l->never && ((s->state == TC_SPLIT_WARP && none_loops(w, s)) ||
                      (s->state == TC_SPLIT_BARRIER && too_few(w, s)))) {
        l->never = true;
        l->first = at;
    }
    l->lanes += tc_popc(s->mask);
    if (l->all.n < LISTED) {
        TC_PUSH(r->sim->arena, l->list, l->all.n, l->cap, waiter_of(w, s));
    } else {
        l->all.more++;
    }
}

static void list(tc_gathered *l, tc_cta *const *ctas, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < ctas[i]->nwarps; j++) {
            const tc_warp *w = &ctas[i]->warps[j];
            for (int k = 0; k < w->core->nsplit && w->alive; k++) {
                add_split(l, w, &w->core->split[k]);
            }
        }
    }
    l->all.list = l->list;
}

static const tc_wait_list *kept(tc_run *r, const tc_gathered *l) {
    tc_wait_list *w = TC_NEW(r->sim->arena, tc_wait_list);
    *w = l->all;
    return w;
}

static void note_phase(tc_gathered *l) {
    const tc_mbarrier *m = l->on.m;
    l->all.reason =
        l->on.phase != m->phase ? TC_REASON_PHASE : TC_REASON_PARITY;
    l->all.phase = l->on.phase;
    l->all.current = m->phase;
}

/* An mbarrier's phase got some of its bytes and waits for the rest: whoever
 * waits at another barrier waits for its waiters. */
static bool wrong_bytes(const tc_gathered *l) {
    return l->weight == 2 && l->on.m->copied != 0;
}

/* The first kind of the table that fits what the first mbarrier lacks. */
static void judge_mbarrier(tc_gathered *l, tc_finding *f) {
    const tc_mbarrier *m = l->on.m;
    tc_mbarrier_state s = tc_mbarrier_unpack(m->bits);
    f->kind = TC_FINDING_MBARRIER_DEADLOCK;
    f->at = l->at;
    f->space = TC_PS_SHARED;
    f->address = l->on.offset;
    f->bytes = f->to = 8;
    f->cause = m->arrive.valid ? m->arrive : m->init;
    f->other = m->init;
    f->missing = TC_MISSING_MORE_ARRIVALS;
    f->missing_n = s.pending;
    if (m->live && l->on.phase == m->phase && s.pending == 0 && s.tx != 0) {
        f->kind = TC_FINDING_TX_COUNT;
        f->cause = m->expect.valid ? m->expect : m->complete;
        f->missing = TC_MISSING_BYTES;
        f->missing_n = m->copied;
    } else if (l->weight == 3) {
        f->kind = TC_FINDING_MBARRIER_PHASE;
        f->missing =
            l->on.phase != m->phase ? TC_MISSING_PHASE : TC_MISSING_PARITY;
        f->missing_n = (m->phase + 1) & 1;
        note_phase(l);
    } else if (l->fresh && l->several) {
        f->kind = TC_FINDING_MBARRIER_PHASE;
        f->cause = m->init;
        f->missing = TC_MISSING_PARITY;
        f->missing_n = 1;
        l->all.reason = TC_REASON_ALL_NEW;
    }
}

void tc_sim_deadlock(tc_run *r, tc_cta *const *ctas, uint32_t n,
                     uint32_t unstarted) {
    tc_gathered l = {
        .all = {.stuck = true}, .only_mbarriers = true, .fresh = true};
    tc_finding f = {.kind = TC_FINDING_DEADLOCK};
    list(&l, ctas, n);
    f.at = l.first;
    if (l.never) {
        f.kind = TC_FINDING_BARRIER_DIVERGENCE;
    } else if (l.on.m && (l.only_mbarriers || wrong_bytes(&l))) {
        judge_mbarrier(&l, &f);
    }
    l.all.unstarted = unstarted;
    l.all.running = unstarted ? n : 0;
    f.lanes = l.lanes;
    f.waiters = kept(r, &l);
    tc_finding_add(r, &f);
    if (r->launch->stops) {
        tc_state_capture(r, ctas, n);
    }
    r->status = TC_RUN_DEADLOCK;
    r->stopped = true;
}

void tc_sim_cancelled(tc_run *r, tc_cta *const *ctas, uint32_t n) {
    tc_gathered l = {0};
    list(&l, ctas, n);
    r->where = kept(r, &l);
    r->status = TC_RUN_CANCELLED;
    r->stopped = true;
}
