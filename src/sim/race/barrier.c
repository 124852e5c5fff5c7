/* barrier.c - what precedes what: clocks, barriers of a CTA and of a warp.
 *
 * shfl, votes and matches order nothing, and neither does it that a warp's
 * lanes execute together (PTX ISA 8.9). */
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint64_t tc_race_epoch(tc_warp *w) {
    tc_race_warp *hw = tc_race_warp_of(w);
    if (hw->tick) {
        hw->tick = false;
        hw->clock = ++w->cta->run->race->stamp;
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
    }
    tc_vclock_set(&hw->old, NULL);
    tc_vclock_set(&hw->lesson, NULL);
    tc_vclock_set(&hw->result, NULL);
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
    if (c->local) {
        z->local = tc_xcalloc(c->nwarps * TC_LANES, c->local_bytes);
    }
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
    if (z->local) {
        memset(z->local, 0, c->nwarps * TC_LANES * c->local_bytes);
    }
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
    free(z->shared);
    free(z->tensor);
    free(z->writers);
    free(z->local);
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
        hw->clock = now;
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
