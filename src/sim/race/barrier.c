/* barrier.c - what precedes what: clocks, barriers of a CTA and of a warp.
 *
 * shfl, votes and matches order nothing, and neither does it that a warp's
 * lanes execute together (PTX ISA 8.9). */
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include "sim/race/shadow.h"
#include <stdlib.h>
#include <string.h>

uint64_t tc_hz_clock(tc_warp *w) {
    tc_hz_warp *hw = tc_hz_warp_of(w);
    if (hw->tick) {
        hw->tick = false;
        hw->clock = ++w->cta->run->hazard->stamp;
    }
    return hw->clock;
}

/* ---- a CTA's state ---- */

/* Lanes let go of what they know, and know k from now on (or nothing). */
static void point_lanes(tc_hz_warp *hw, uint32_t lanes, tc_hz_know *k) {
    tc_hz_know *last = NULL;
    uint32_t n = 0;
    if (k) {
        k->refs += tc_popc(lanes);
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        tc_hz_know **at = &hw->known[tc_first(m)];
        if (*at != last) {
            tc_hz_know_unref(last, n);
            last = *at;
            n = 0;
        }
        n++;
        *at = k;
    }
    tc_hz_know_unref(last, n);
}

static void forget_warp(tc_hz_warp *hw) {
    point_lanes(hw, UINT32_MAX, NULL);
    for (uint32_t m = hw->releases; m; m &= m - 1) {
        tc_hz_know_point(&hw->release[tc_first(m)], NULL);
    }
    for (uint32_t m = hw->acquires; m; m &= m - 1) {
        tc_hz_know_point(&hw->acquire[tc_first(m)], NULL);
    }
    tc_hz_know_point(&hw->old, NULL);
    tc_hz_know_point(&hw->lesson, NULL);
    tc_hz_know_point(&hw->result, NULL);
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

static void forget(tc_hazard *h, tc_hz_cta *z) {
    for (uint32_t i = 0; i < z->cta->nwarps; i++) {
        forget_warp(&z->warps[i]);
    }
    for (int i = 0; i < TC_BARRIERS; i++) {
        tc_hz_know_point(&z->arrived[i], NULL);
    }
    if (z->touched) {
        tc_hz_lines_clear(h, z->shared, z->nshared);
        tc_hz_late_clear(h, z);
    }
    if (z->tensor) {
        tc_hz_lines_clear(h, z->tensor, z->ntensor);
    }
    z->touched = false;
    tc_hz_barriers_free(z);
    tc_hz_remotes_free(z);
}

void tc_hz_retire(tc_cta *c) {
    tc_hazard *h = c->run->hazard;
    for (tc_hz_cta **at = &h->ctas; *at; at = &(*at)->next) {
        if (*at == c->hz) {
            *at = c->hz->next;
            tc_hz_set_live(h, c->hz->index, false);
            forget(h, c->hz);
            return;
        }
    }
}

static tc_hz_cta *new_hz_cta(tc_cta *c) {
    tc_hz_cta *z = tc_xcalloc(1, sizeof *z);
    z->cta = c;
    z->nshared = (c->shared_bytes + TC_HZ_LINE - 1) / TC_HZ_LINE;
    z->shared = tc_xcalloc(z->nshared + 1, sizeof *z->shared);
    z->late = tc_xcalloc(z->nshared + 1, sizeof *z->late);
    z->warps = tc_xcalloc(c->nwarps, sizeof *z->warps);
    if (c->local) {
        z->local = tc_xcalloc(c->nwarps * TC_LANES, c->local_bytes);
    }
    return z;
}

void tc_hazard_cta_start(tc_cta *c) {
    tc_hazard *h = c->run->hazard;
    if (!c->hz) {
        c->hz = new_hz_cta(c);
    }
    tc_hz_cta *z = c->hz;
    tc_hz_retire(c);
    tc_hz_know *k = tc_hz_know_copy(NULL);
    k->runs = UINT32_C(1) << c->rank % 32;
    tc_hz_know_all(k, c->index, 0);
    h->stamp++;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_hz_warp *hw = &z->warps[i];
        point_lanes(hw, UINT32_MAX, k);
        hw->all = k;
        hw->clock = h->stamp;
    }
    tc_hz_know_drop(k);
    if (z->local) {
        memset(z->local, 0, c->nwarps * TC_LANES * c->local_bytes);
    }
    z->index = c->index;
    tc_hz_set_live(h, c->index, true);
    z->next = h->ctas;
    h->ctas = z;
}

void tc_hazard_cta_free(tc_cta *c) {
    tc_hz_cta *z = c->hz;
    if (!z) {
        return;
    }
    tc_hz_retire(c);
    tc_hz_late_free(z);
    free(z->shared);
    free(z->tensor);
    free(z->local);
    free(z->warps);
    free(z);
    c->hz = NULL;
}

/* ---- to tell, and to learn ---- */

void tc_hz_publish(tc_warp *w, int lane, tc_hz_know *into) {
    tc_hz_know_join(into, tc_hz_warp_of(w)->known[lane],
                    w->cta->run->hazard->nthreads);
    tc_hz_publish_own(w, lane, into);
}

void tc_hz_publish_own(tc_warp *w, int lane, tc_hz_know *into) {
    tc_hazard *h = w->cta->run->hazard;
    tc_hz_warp *hw = tc_hz_warp_of(w);
    uint32_t t = w->index * TC_LANES + (uint32_t)lane;
    tc_hz_know_range(into, w->cta->index, t, 1, hw->clock, h->nthreads);
    if (hw->fences >> lane & 1) {
        tc_hz_know *own = tc_hz_know_copy(NULL);
        tc_hz_know_range(own, w->cta->index, t, 1, hw->fenced[lane],
                         h->nthreads);
        tc_hz_know_proxy(into, own, h->nthreads);
        tc_hz_know_drop(own);
    }
    hw->tick = true;
}

void tc_hz_set_known(tc_warp *w, uint32_t lanes, tc_hz_know *k) {
    tc_hz_warp *hw = tc_hz_warp_of(w);
    bool one = true;
    point_lanes(hw, lanes, k);
    for (uint32_t m = w->valid & ~lanes; m && one; m &= m - 1) {
        one = hw->known[tc_first(m)] == k;
    }
    hw->all = one ? k : NULL;
}

/* Lanes of mask whose knowledge is the first's, and that. */
static uint32_t alike(const tc_hz_warp *hw, uint32_t mask, tc_hz_know **k) {
    uint32_t same = 0;
    *k = hw->known[tc_first(mask)];
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first(m);
        same |= hw->known[i] == *k ? UINT32_C(1) << i : 0;
    }
    return same;
}

void tc_hz_learn(tc_warp *w, uint32_t mask, tc_hz_know *k) {
    uint32_t nt = w->cta->run->hazard->nthreads;
    tc_hz_warp *hw = tc_hz_warp_of(w);
    while (mask && k) {
        tc_hz_know *old;
        uint32_t same = alike(hw, mask, &old);
        if (old == hw->old && k == hw->lesson) {
            if (old != hw->result) {
                tc_hz_set_known(w, same, hw->result);
            }
        } else if (tc_hz_know_covers(old, k, nt)) {
            tc_hz_know_point(&hw->old, old); /* who polls asks again */
            tc_hz_know_point(&hw->lesson, k);
            tc_hz_know_point(&hw->result, old);
        } else {
            tc_hz_know *n = tc_hz_know_copy(old);
            tc_hz_know_join(n, k, nt);
            tc_hz_know_point(&hw->old, old);
            tc_hz_know_point(&hw->lesson, k);
            tc_hz_know_point(&hw->result, n);
            tc_hz_set_known(w, same, n);
            tc_hz_know_drop(n);
        }
        mask &= ~same;
    }
}

/* ---- barriers ---- */

/* Adds what the lanes know and did. */
static void gather(tc_warp *w, uint32_t lanes, tc_hz_know *into,
                   const tc_hz_know **last) {
    tc_hazard *h = w->cta->run->hazard;
    tc_hz_warp *hw = tc_hz_warp_of(w);
    uint32_t first = w->index * TC_LANES;
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = tc_first(m);
        if (hw->known[i] != *last) {
            *last = hw->known[i];
            tc_hz_know_join(into, *last, h->nthreads);
        }
        if (hw->fences >> i & 1) {
            tc_hz_know *own = tc_hz_know_copy(NULL);
            tc_hz_know_range(own, w->cta->index, first + (uint32_t)i, 1,
                             hw->fenced[i], h->nthreads);
            tc_hz_know_proxy(into, own, h->nthreads);
            tc_hz_know_drop(own);
        }
    }
    if (lanes == w->valid) {
        tc_hz_know_range(into, w->cta->index, first, TC_LANES, hw->clock,
                         h->nthreads);
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        tc_hz_know_range(into, w->cta->index, first + (uint32_t)tc_first(m), 1,
                         hw->clock, h->nthreads);
    }
}

/* The lanes in masks (one of each warp) synchronise; extra: what others that
 * arrived without waiting knew and did. */
static void synchronise(tc_cta *c, const uint32_t *masks,
                        const tc_hz_know *extra) {
    tc_hazard *h = c->run->hazard;
    tc_hz_cta *z = c->hz;
    const tc_hz_know *last = NULL;
    tc_hz_know *k = tc_hz_know_copy(NULL);
    bool everybody = true;
    tc_hz_know_all(k, c->index, 0);
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
    tc_hz_know_join(k, extra, h->nthreads);
    if (everybody) {
        tc_hz_know_all(k, c->index, h->stamp);
    }
    uint64_t now = ++h->stamp;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_hz_warp *hw = &z->warps[i];
        if (!masks[i]) {
            continue;
        }
        tc_hz_set_known(&c->warps[i], masks[i], k);
        hw->fences &= ~masks[i]; /* all know of them now */
        hw->clock = now;
        hw->tick = false;
        hw->position = 0;
        for (uint32_t m = masks[i]; m; m &= m - 1) {
            hw->phase[tc_first(m)]++;
        }
    }
    tc_hz_know_drop(k);
}

void tc_hazard_warp_sync(tc_warp *w, uint32_t mask) {
    const tc_hz_know *last = NULL;
    tc_hz_know *k = tc_hz_know_copy(NULL);
    gather(w, mask, k, &last);
    tc_hz_set_known(w, mask, k);
    tc_hz_warp_of(w)->fences &= ~mask;
    tc_hz_warp_of(w)->tick = true;
    tc_hz_know_drop(k);
}

void tc_hazard_barrier_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                              uint32_t id) {
    tc_hazard *h = w->cta->run->hazard;
    const tc_hz_know *last = NULL;
    (void)op;
    if (!h || id >= TC_BARRIERS || !mask) {
        return;
    }
    tc_hz_know *k = tc_hz_know_copy(w->cta->hz->arrived[id]);
    gather(w, mask, k, &last);
    tc_hz_know_point(&w->cta->hz->arrived[id], k);
    tc_hz_know_drop(k);
    tc_hz_warp_of(w)->tick = true;
}

/* An aligned barrier by part of a warp while the rest is at another one. */
static void divergent(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_finding f = {.kind = TC_FINDING_BARRIER_DIVERGENCE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first(mask)),
                    .lanes = tc_popc(mask)};
    tc_race_find(w->cta->run, &f);
}

static bool is_aligned(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_BAR_SYNC || op->opcode == TC_PTX_BAR_RED ||
           (op->flags & TC_PM_ALIGNED) != 0;
}

/* Lanes of a warp may come to an aligned barrier one after the other, as they
 * leave a branch, but it must be the same instruction for all of them. */
static void check_aligned(tc_warp *w, uint32_t id) {
    const tc_ptx_op *first = NULL;
    for (int j = 0; j < w->core->nsplit; j++) {
        const tc_split *s = &w->core->split[j];
        if (s->state != TC_SPLIT_BARRIER || s->barrier != id ||
            !is_aligned(s->op)) {
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
                    .at = tc_access_of(w, op, tc_first(lanes)),
                    .lanes = gone,
                    .detail = {.row = TC_DETAIL_BARRIER_ENDED, .count = gone}};
    tc_race_find(r, &f);
}

/* At the release of a barrier: orders its threads; reports what PTX leaves
 * undefined: threads gone that it wanted, a warp at two barriers. */
void tc_hazard_barrier(tc_cta *c, uint32_t id) {
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
    synchronise(c, masks, c->hz->arrived[id % TC_BARRIERS]);
    tc_hz_know_point(&c->hz->arrived[id % TC_BARRIERS], NULL);
}
