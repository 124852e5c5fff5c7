/* order.c - what precedes what: the checker's clocks.
 *
 * Threads that pass a barrier together share one vector afterwards, so that a
 * barrier costs one vector, not one a thread. shfl and votes order nothing. */
#include "sim/hazard.h"
#include <stdlib.h>
#include <string.h>

/* What a strong store after a fence (or a release) published at an address. */
typedef struct tc_hz_sync {
    struct tc_hz_sync *next;
    tc_ptx_space space;
    uint64_t address;
    tc_hz_clock *clock;
} tc_hz_sync;

static tc_hz_clock *new_clock(const tc_hz_cta *z) {
    return tc_xcalloc(1, sizeof(tc_hz_clock) + sizeof(uint32_t) * z->nthreads);
}

static void drop(tc_hz_clock *k) {
    if (k && --k->refs == 0) {
        free(k);
    }
}

static void point(tc_hz_clock **at, tc_hz_clock *k) {
    k->refs++;
    drop(*at);
    *at = k;
}

static void join(tc_hz_clock *into, const tc_hz_clock *k, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        into->at[i] = into->at[i] > k->at[i] ? into->at[i] : k->at[i];
    }
}

bool tc_hazard_knows(const tc_hz_cta *z, uint32_t me, uint32_t other,
                     uint32_t clock) {
    return me == other || z->known[me]->at[other] >= clock;
}

static void forget(tc_hz_cta *z) {
    for (uint32_t i = 0; i < z->nthreads; i++) {
        drop(z->known[i]);
        drop(z->fenced[i]);
        z->known[i] = z->fenced[i] = NULL;
    }
    while (z->syncs) {
        tc_hz_sync *s = z->syncs;
        z->syncs = s->next;
        drop(s->clock);
        free(s);
    }
}

static tc_hz_cta *new_hz_cta(const tc_cta *c) {
    tc_hz_cta *z = tc_xcalloc(1, sizeof *z);
    uint32_t n = c->nwarps * TC_LANES;
    z->nthreads = n;
    z->known = tc_xcalloc(n, sizeof *z->known);
    z->fenced = tc_xcalloc(n, sizeof *z->fenced);
    z->clock = tc_xcalloc(n, sizeof *z->clock);
    z->phase = tc_xcalloc(n, sizeof *z->phase);
    z->position = tc_xcalloc(c->nwarps, sizeof *z->position);
    z->release = tc_xcalloc(c->nwarps, sizeof *z->release);
    z->shared.bytes = c->shared_bytes;
    if (c->local) {
        z->local = tc_xcalloc(n, c->local_bytes);
    }
    return z;
}

void tc_hazard_cta_start(tc_cta *c) {
    if (!c->hz) {
        c->hz = new_hz_cta(c);
    }
    tc_hz_cta *z = c->hz;
    forget(z);
    tc_hz_clock *zero = new_clock(z);
    for (uint32_t i = 0; i < z->nthreads; i++) {
        point(&z->known[i], zero);
        z->clock[i] = 1;
        z->phase[i] = 0;
    }
    memset(z->position, 0, c->nwarps * sizeof *z->position);
    memset(z->release, 0, c->nwarps * sizeof *z->release);
    if (z->local) {
        memset(z->local, 0, z->nthreads * c->local_bytes);
    }
    free(z->shared.cells);
    z->shared.cells = NULL;
    z->shared.shift = 2;
}

void tc_hazard_cta_free(tc_cta *c) {
    tc_hz_cta *z = c->hz;
    if (!z) {
        return;
    }
    forget(z);
    free(z->known);
    free(z->fenced);
    free(z->clock);
    free(z->phase);
    free(z->position);
    free(z->release);
    free(z->local);
    free(z->shared.cells);
    free(z);
    c->hz = NULL;
}

/* Adds what the thread knows, itself included, and lets its clock tick. */
static void gather(tc_hz_cta *z, uint32_t t, tc_hz_clock *into,
                   const tc_hz_clock **last) {
    if (z->known[t] != *last) {
        join(into, z->known[t], z->nthreads);
        *last = z->known[t];
    }
    if (into->at[t] < z->clock[t]) {
        into->at[t] = z->clock[t];
    }
}

/* The lanes in masks (one of each warp from first on) synchronise. */
static void synchronise(tc_cta *c, uint32_t first, uint32_t n,
                        const uint32_t *masks, bool phase) {
    tc_hz_cta *z = c->hz;
    tc_hz_clock *k = new_clock(z);
    const tc_hz_clock *last = NULL;
    k->refs = 1;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t m = masks[i]; m; m &= m - 1) {
            gather(z, (first + i) * TC_LANES + (uint32_t)tc_first(m), k, &last);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t m = masks[i]; m; m &= m - 1) {
            uint32_t t = (first + i) * TC_LANES + (uint32_t)tc_first(m);
            point(&z->known[t], k);
            z->clock[t]++;
            z->phase[t] += phase;
        }
        if (phase && masks[i]) {
            z->position[first + i] = 0;
        }
    }
    drop(k);
}

void tc_hazard_warp_sync(tc_warp *w, uint32_t mask) {
    synchronise(w->cta, w->index, 1, &mask, false);
}

/* An aligned barrier by part of a warp while the rest is at another one. */
static void divergent(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_finding f = {.kind = TC_FINDING_BARRIER_DIVERGENCE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first(mask)),
                    .lanes = tc_popc(mask)};
    tc_find(w->cta->run, &f);
}

static bool is_aligned(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_BAR_SYNC || (op->flags & TC_PM_ALIGNED) != 0;
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

/* At the release of a barrier: orders its threads; reports what PTX leaves
 * undefined: threads gone that it wanted, a warp at two barriers. */
void tc_hazard_barrier(tc_cta *c, uint32_t id) {
    uint32_t masks[64] = {0}, gone = 0;
    const tc_ptx_op *op = NULL;
    tc_warp *at = NULL;
    uint32_t n = c->nwarps < 64 ? c->nwarps : 64, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        tc_warp *w = &c->warps[i];
        gone += tc_popc(w->valid & ~w->alive);
        check_aligned(w, id);
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
        tc_finding f = {.kind = TC_FINDING_BARRIER_DIVERGENCE,
                        .space = TC_PS_REG,
                        .at = tc_access_of(at, op, tc_first(masks[at->index])),
                        .lanes = gone,
                        .detail =
                            tc_format(c->run->sim->arena,
                                      "%u threads of the CTA had ended without "
                                      "arriving",
                                      gone)};
        tc_find(c->run, &f);
    }
    synchronise(c, 0, n, masks, true);
}

/* ---- fences and strong accesses (PTX ISA 8.9, release and acquire
 * patterns): between threads of one CTA ---- */

void tc_hazard_fence(tc_warp *w, uint32_t mask) {
    tc_hz_cta *z = w->cta->hz;
    z->release[w->index] |= mask;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t t = w->index * TC_LANES + (uint32_t)tc_first(m);
        if (!z->fenced[t]) {
            continue;
        }
        tc_hz_clock *k = new_clock(z);
        k->refs = 1;
        join(k, z->known[t], z->nthreads);
        join(k, z->fenced[t], z->nthreads);
        point(&z->known[t], k);
        drop(k);
        drop(z->fenced[t]);
        z->fenced[t] = NULL;
    }
}

static tc_hz_sync *find_sync(tc_hz_cta *z, tc_ptx_space space, uint64_t a) {
    for (tc_hz_sync *s = z->syncs; s; s = s->next) {
        if (s->space == space && s->address == a) {
            return s;
        }
    }
    return NULL;
}

static void publish(tc_hz_cta *z, uint32_t t, tc_ptx_space space, uint64_t a) {
    tc_hz_sync *s = find_sync(z, space, a);
    if (!s) {
        s = tc_xcalloc(1, sizeof *s);
        s->space = space;
        s->address = a;
        s->next = z->syncs;
        z->syncs = s;
    }
    tc_hz_clock *k = new_clock(z);
    const tc_hz_clock *last = NULL;
    k->refs = 1;
    gather(z, t, k, &last);
    z->clock[t]++;
    point(&s->clock, k);
    drop(k);
}

void tc_hazard_strong(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, bool store) {
    tc_hz_cta *z = w->cta->hz;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first(m);
        uint32_t t = w->index * TC_LANES + (uint32_t)i;
        if (store) {
            if ((op->flags & TC_PM_RELEASE) ||
                (z->release[w->index] >> i & 1)) {
                publish(z, t, space, addr[i]);
            }
            continue;
        }
        const tc_hz_sync *s = find_sync(z, space, addr[i]);
        if (!s) {
            continue;
        }
        tc_hz_clock *k = new_clock(z);
        k->refs = 1;
        join(k, s->clock, z->nthreads);
        if (z->fenced[t]) {
            join(k, z->fenced[t], z->nthreads);
        }
        point(&z->fenced[t], k);
        drop(k);
        if (op->flags & TC_PM_ACQUIRE) {
            uint32_t released = z->release[w->index];
            tc_hazard_fence(w, UINT32_C(1) << i);
            z->release[w->index] = released;
        }
    }
}
