/* barrier.c - what precedes what: clocks, barriers of a CTA and of a warp; its
 * end.
 *
 * shfl, votes and matches order nothing, and neither does it that a warp's
 * lanes execute together (PTX ISA 8.9). */
#include "sim/core/finding.h"
#include "sim/core/slab.h"
#include "sim/race/first_pass.h"
#include "sim/race/race.h"
#include "sim/race/shadow_line.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A new one, the warp's alone. */
static uint64_t new_clock(tc_warp *w) {
    tc_race *h = w->cta->run->race;
    return h->first ? tc_first_clock(w) : ++h->stamp;
}

uint64_t tc_race_epoch(tc_warp *w) {
    tc_race_warp *hw = tc_race_warp_of(w);
    if (hw->tick) {
        hw->tick = false;
        hw->clock = new_clock(w);
    }
    assert(hw->clock && hw->clock <= w->cta->run->race->stamp);
    return hw->clock;
}

/* ---- a CTA's state ---- */

/* Lanes let go of what they know, and know k from now on (or nothing). */
static void point_lanes(tc_race_warp *hw, uint32_t lanes, tc_vclock *k) {
    tc_vclock *last = NULL;
    uint32_t n = 0;
    if (k) {
        k->refs += tc_popc(lanes);
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        tc_vclock **at = &hw->vclock[tc_first_bit(m)];
        if (*at != last) {
            tc_vclock_unref_n(last, n);
            last = *at;
            n = 0;
        }
        n++;
        *at = k;
    }
    tc_vclock_unref_n(last, n);
}

static void forget_warp(tc_race_warp *hw) {
    point_lanes(hw, UINT32_MAX, NULL);
    for (uint32_t m = hw->releases; m; m &= m - 1) {
        tc_vclock_set(&hw->release[tc_first_bit(m)], NULL);
    }
    for (uint32_t m = hw->acquires; m; m &= m - 1) {
        tc_vclock_set(&hw->acquire[tc_first_bit(m)], NULL);
        tc_vclock_set(&hw->near[tc_first_bit(m)], NULL);
    }
    tc_vclock_set(&hw->old, NULL);
    tc_vclock_set(&hw->lesson, NULL);
    tc_vclock_set(&hw->result, NULL);
    tc_race_locks_forget(hw);
    free(hw->seen);
    hw->seen = NULL;
    free(hw->idle);
    hw->idle = NULL;
    hw->idles = 0;
    hw->all = NULL;
    hw->releases = hw->acquires = hw->fences = 0;
    hw->position = 0;
    hw->tick = false;
    memset(hw->phase, 0, sizeof hw->phase);
    memset(hw->arrivals, 0, sizeof hw->arrivals);
}

static void forget(tc_race *h, tc_race_cta *z) {
    for (uint32_t i = 0; i < z->cta->nwarps; i++) {
        forget_warp(&z->warps[i]);
    }
    for (int i = 0; i < TC_BARRIERS; i++) {
        tc_vclock_set(&z->arrived[i], NULL);
    }
    if (z->touched) {
        tc_shadow_clear(h, z->shared, z->nshared);
        tc_deferred_clear(h, z);
    }
    if (z->tensor) {
        tc_shadow_clear(h, z->tensor, z->ntensor);
    }
    z->touched = false;
    tc_race_barriers_free(z);
    tc_race_remotes_free(z);
}

void tc_race_retire(tc_cta *c) {
    tc_race *h = c->run->race;
    tc_race_cta *z = c->race;
    if (z->at) {
        *z->at = z->next;
        if (z->next) {
            z->next->at = z->at;
        }
        z->at = NULL;
        tc_race_set_live(h, z->index, false);
        h->ends++;
        forget(h, z);
    }
}

static tc_race_cta *new_hz_cta(tc_cta *c) {
    tc_race_cta *z = tc_xcalloc(1, sizeof *z);
    z->cta = c;
    z->nshared = (c->shared_bytes + TC_RACE_LINE - 1) / TC_RACE_LINE;
    z->shared = tc_xcalloc(z->nshared + 1, sizeof *z->shared);
    z->deferred = tc_xcalloc(z->nshared + 1, sizeof *z->deferred);
    z->warps = tc_xcalloc(c->nwarps, sizeof *z->warps);
    z->local = tc_zeros_new((size_t)c->nwarps * TC_LANES * c->local_bytes);
    return z;
}

void tc_race_cta_start(tc_cta *c) {
    tc_race *h = c->run->race;
    if (!c->race) {
        c->race = new_hz_cta(c);
    }
    tc_race_cta *z = c->race;
    tc_race_retire(c);
    tc_vclock *k = tc_vclock_copy(NULL);
    k->runs = UINT32_C(1) << c->rank % 32;
    tc_vclock_raise_cta(k, c->index, 0);
    h->stamp++;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_race_warp *hw = &z->warps[i];
        point_lanes(hw, UINT32_MAX, k);
        hw->all = k;
        hw->clock = h->stamp;
    }
    tc_vclock_unref(k);
    if (h->first) {
        tc_first_cta_start(c);
    }
    tc_zeros_again(z->local, (size_t)c->nwarps * TC_LANES * c->local_bytes);
    z->index = c->index;
    tc_race_set_live(h, c->index, true);
    z->next = h->ctas;
    if (z->next) {
        z->next->at = &z->next;
    }
    z->at = &h->ctas;
    h->ctas = z;
}

void tc_race_cta_free(tc_cta *c) {
    tc_race_cta *z = c->race;
    if (!z) {
        return;
    }
    tc_race_retire(c);
    tc_deferred_free(z);
    tc_first_cta_free(z);
    free(z->shared);
    free(z->tensor);
    free(z->writers);
    tc_zeros_free(z->local, (size_t)c->nwarps * TC_LANES * c->local_bytes);
    free(z->warps);
    free(z);
    c->race = NULL;
}

/* ---- to tell, and to learn ---- */

void tc_race_release(tc_warp *w, int lane, tc_vclock *into) {
    tc_vclock_join(into, tc_race_warp_of(w)->vclock[lane],
                   w->cta->run->race->nthreads);
    tc_race_release_own(w, lane, into);
}

void tc_race_release_own(tc_warp *w, int lane, tc_vclock *into) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    uint32_t t = w->index * TC_LANES + (uint32_t)lane;
    tc_vclock_raise(into, w->cta->index, t, 1, hw->clock, h->nthreads);
    if (hw->fences >> lane & 1) {
        tc_vclock *own = tc_vclock_copy(NULL);
        tc_vclock_raise(own, w->cta->index, t, 1, hw->fenced[lane],
                        h->nthreads);
        tc_vclock_join_proxy(into, own, h->nthreads);
        tc_vclock_unref(own);
    }
    hw->tick = true;
}

void tc_race_set_vclock(tc_warp *w, uint32_t lanes, tc_vclock *k) {
    tc_race_warp *hw = tc_race_warp_of(w);
    bool one = true;
    point_lanes(hw, lanes, k);
    for (uint32_t m = w->valid & ~lanes; m && one; m &= m - 1) {
        one = hw->vclock[tc_first_bit(m)] == k;
    }
    hw->all = one ? k : NULL;
}

/* Lanes of mask whose knowledge is the first's, and that. */
static uint32_t alike(const tc_race_warp *hw, uint32_t mask, tc_vclock **k) {
    uint32_t same = 0;
    *k = hw->vclock[tc_first_bit(mask)];
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        same |= hw->vclock[i] == *k ? UINT32_C(1) << i : 0;
    }
    return same;
}

void tc_race_acquire(tc_warp *w, uint32_t mask, tc_vclock *k) {
    uint32_t nt = w->cta->run->race->nthreads;
    tc_race_warp *hw = tc_race_warp_of(w);
    while (mask && k) {
        tc_vclock *old;
        uint32_t same = alike(hw, mask, &old);
        if (old == hw->old && k == hw->lesson) {
            if (old != hw->result) {
                tc_race_set_vclock(w, same, hw->result);
            }
        } else if (tc_vclock_covers(old, k, nt)) {
            tc_vclock_set(&hw->old, old); /* who polls asks again */
            tc_vclock_set(&hw->lesson, k);
            tc_vclock_set(&hw->result, old);
        } else {
            tc_vclock *n = tc_vclock_copy(old);
            tc_vclock_join(n, k, nt);
            tc_vclock_set(&hw->old, old);
            tc_vclock_set(&hw->lesson, k);
            tc_vclock_set(&hw->result, n);
            tc_race_set_vclock(w, same, n);
            tc_vclock_unref(n);
        }
        mask &= ~same;
    }
}

/* ---- barriers ---- */

/* Adds what the lanes know and did. */
static void gather(tc_warp *w, uint32_t lanes, tc_vclock *into,
                   const tc_vclock **last) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    uint32_t first = w->index * TC_LANES;
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (hw->vclock[i] != *last) {
            *last = hw->vclock[i];
            tc_vclock_join(into, *last, h->nthreads);
        }
        if (hw->fences >> i & 1) {
            tc_vclock *own = tc_vclock_copy(NULL);
            tc_vclock_raise(own, w->cta->index, first + (uint32_t)i, 1,
                            hw->fenced[i], h->nthreads);
            tc_vclock_join_proxy(into, own, h->nthreads);
            tc_vclock_unref(own);
        }
    }
    if (lanes == w->valid) {
        tc_vclock_raise(into, w->cta->index, first, TC_LANES, hw->clock,
                        h->nthreads);
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        tc_vclock_raise(into, w->cta->index, first + (uint32_t)tc_first_bit(m),
                        1, hw->clock, h->nthreads);
    }
}

/* The lanes in masks (one of each warp) synchronise; extra: what others that
 * arrived without waiting knew and did. */
static void synchronise(tc_cta *c, const uint32_t *masks,
                        const tc_vclock *extra) {
    tc_race *h = c->run->race;
    tc_race_cta *z = c->race;
    const tc_vclock *last = NULL;
    tc_vclock *k = tc_vclock_copy(NULL);
    bool everybody = true;
    tc_vclock_raise_cta(k, c->index, 0);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        everybody = everybody && masks[i] == c->warps[i].valid;
    }
    for (uint32_t i = 0; i < c->nwarps; i++) {
        if (everybody && z->warps[i].all == last && last &&
            !z->warps[i].fences) {
            continue; /* nothing new, and the clocks are overridden */
        }
        gather(&c->warps[i], masks[i], k, &last);
    }
    tc_vclock_join(k, extra, h->nthreads);
    if (everybody) {
        tc_vclock_raise_cta(k, c->index, h->stamp);
    }
    uint64_t now = ++h->stamp;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_race_warp *hw = &z->warps[i];
        if (!masks[i]) {
            continue;
        }
        tc_race_set_vclock(&c->warps[i], masks[i], k);
        hw->fences &= ~masks[i]; /* all know of them now */
        hw->clock = h->first ? tc_first_clock(&c->warps[i]) : now;
        hw->tick = false;
        hw->position = 0;
        for (uint32_t m = masks[i]; m; m &= m - 1) {
            hw->phase[tc_first_bit(m)]++;
        }
    }
    tc_vclock_unref(k);
}

void tc_race_warp_sync(tc_warp *w, uint32_t mask) {
    const tc_vclock *last = NULL;
    tc_vclock *k = tc_vclock_copy(NULL);
    gather(w, mask, k, &last);
    tc_race_set_vclock(w, mask, k);
    tc_race_warp_of(w)->fences &= ~mask;
    tc_race_warp_of(w)->tick = true;
    tc_vclock_unref(k);
}

void tc_race_barrier_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                            uint32_t id) {
    tc_race *h = w->cta->run->race;
    const tc_vclock *last = NULL;
    (void)op;
    if (!h || id >= TC_BARRIERS || !mask) {
        return;
    }
    tc_vclock *k = tc_vclock_copy(w->cta->race->arrived[id]);
    gather(w, mask, k, &last);
    tc_vclock_set(&w->cta->race->arrived[id], k);
    tc_vclock_unref(k);
    tc_race_warp_of(w)->tick = true;
}

/* An aligned barrier by part of a warp while the rest is at another one. */
static void divergent(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_finding f = {.kind = TC_FINDING_BARRIER_DIVERGENCE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first_bit(mask)),
                    .lanes = tc_popc(mask)};
    tc_race_find(w->cta->run, &f);
}

/* Lanes of a warp may come to an aligned barrier one after the other, as they
 * leave a branch, but it must be the same instruction for all of them. */
static void check_aligned(tc_warp *w, uint32_t id) {
    const tc_ptx_op *first = NULL;
    for (int j = 0; j < w->core->nsplit; j++) {
        const tc_split *s = &w->core->split[j];
        if (s->state != TC_SPLIT_BARRIER || s->barrier != id ||
            !(s->op->flags & TC_PM_ALIGNED)) {
            continue;
        }
        if (first && s->op != first) {
            divergent(w, s->op, s->mask);
        }
        first = first ? first : s->op;
    }
}

static void report_gone(tc_warp *w, const tc_ptx_op *op, uint32_t lanes,
                        uint32_t gone) {
    tc_run *r = w->cta->run;
    tc_finding f = {.kind = TC_FINDING_BARRIER_DIVERGENCE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first_bit(lanes)),
                    .lanes = gone,
                    .detail = {.row = TC_DETAIL_BARRIER_ENDED, .count = gone}};
    tc_race_find(r, &f);
}

/* At the release of a barrier: orders its threads; reports what PTX leaves
 * undefined: threads gone that it wanted, a warp at two barriers. */
void tc_race_barrier_complete(tc_cta *c, uint32_t id) {
    uint32_t masks[64] = {0}, gone = 0, count = 0;
    const tc_ptx_op *op = NULL;
    tc_warp *at = NULL;
    for (uint32_t i = 0; i < c->nwarps && i < 64; i++) {
        tc_warp *w = &c->warps[i];
        gone += tc_popc(w->valid & ~w->alive);
        if (w->core->nsplit > 1) {
            check_aligned(w, id);
        }
        for (int j = 0; j < w->core->nsplit; j++) {
            const tc_split *s = &w->core->split[j];
            if (s->state == TC_SPLIT_BARRIER && s->barrier == id) {
                masks[i] |= s->mask;
                op = s->op;
                at = w;
                count |= s->count;
            }
        }
    }
    if (gone && !count && at) {
        report_gone(at, op, masks[at->index], gone);
    }
    synchronise(c, masks, c->race->arrived[id % TC_BARRIERS]);
    tc_vclock_set(&c->race->arrived[id % TC_BARRIERS], NULL);
}

/* ---- the end of a CTA: what is still undecided ---- */

static void settle_copies(tc_race *h, tc_race_cta *z) {
    while (z->copies) {
        tc_race_copy *k = z->copies;
        while (k->pending) {
            tc_race_settle_copy(k, k->pending->lane, false);
        }
        k->dead = true;
        z->copies = k->next;
        k->next = h->dead;
        h->dead = k;
    }
}

/* They go to another list: a later CTA's end does not look at them again. */
static void settle_agents(tc_race *h, const tc_cta *c) {
    tc_race_agent **at = &h->agents;
    while (*at) {
        tc_race_agent *g = *at;
        if (g->issue.cta != c->index) {
            at = &g->next;
            continue;
        }
        tc_race_settle_agent(g, NULL, 0, false);
        g->warp = NULL;
        *at = g->next;
        g->next = h->ended;
        h->ended = g;
    }
}

static void check_unwritten(tc_race *h, const tc_shadow_line *lines, uint64_t n,
                            tc_ptx_space space) {
    for (uint64_t i = 0; lines && i < n; i++) {
        tc_shadow_cell m = lines[i].r;
        while (m.record) {
            if (m.shape & TC_RACE_UNWRITTEN) {
                int l0, l1;
                tc_shadow_lanes_at(&m, m.b0, &l0, &l1);
                tc_finding place = {.space = space,
                                    .address = i * TC_RACE_LINE + m.b0,
                                    .bytes = m.b1 - m.b0,
                                    .to = m.b1 - m.b0};
                tc_race_unwritten(h, &place, m.record, l0,
                                  (uint32_t)(m.l1 - m.l0) + 1);
            }
            if (!m.next) {
                break;
            }
            m = h->pool[m.next];
        }
    }
}

void tc_race_cta_finish(tc_cta *c) {
    tc_race *h = c->run->race;
    tc_race_cta *z = c->race;
    h->now = 0;
    bool fault = c->run->status == TC_RUN_FAULT; /* others had yet to write */
    if (z->touched && !fault) {
        check_unwritten(h, z->shared, z->nshared, TC_PS_SHARED);
    }
    if (!fault) {
        check_unwritten(h, z->tensor, z->ntensor, TC_PS_TENSOR);
    }
    settle_copies(h, z);
    settle_agents(h, c);
    tc_race_settle_doubts(h);
    if (!c->run->stopped) {
        tc_race_remotes_check(c);
    }
    tc_race_retire(c);
}
