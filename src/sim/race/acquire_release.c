/* acquire_release.c - release and acquire: fences, strong accesses and atomics
 * (PTX ISA 8.7 to 8.9).
 *
 * A place in memory holds what the last strong store to it released, and what
 * the atomics since then have added (they continue its release sequence). A
 * strong load takes that along, and knows it after its next fence, or at once
 * if it acquires. Scopes that do not reach the other thread order nothing. */
#include "sim/core/run.h"
#include "sim/race/race.h"
#include "sim/race/shadow.h"
#include <stdlib.h>
#include <string.h>

#define MANY   UINT32_MAX /* no CTA has these indices */
#define NOBODY (UINT32_MAX - 1)

/* What is released at one address. */
typedef struct tc_hz_place {
    const tc_hz_cta *owner; /* of shared memory, NULL: global */
    uint64_t address;
    bool used;
    uint32_t cta;    /* of shared memory */
    uint32_t from;   /* the CTA that released, or MANY; NOBODY: nothing */
    uint32_t narrow; /* the CTA whose narrow releases are in it, NOBODY */
    tc_hz_know *wide, *near; /* beyond the CTA; within the CTA `narrow` */
} tc_hz_place;

static size_t slot_of(const tc_hazard *h, uint32_t cta, uint64_t address) {
    uint64_t x = (address ^ (uint64_t)cta << 40) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(x >> 32) & (h->cplaces - 1);
}

static tc_hz_place *look(tc_hazard *h, const tc_hz_cta *owner,
                         uint64_t address) {
    uint32_t cta = owner ? owner->cta->index : 0;
    if (!h->nplaces) {
        return NULL;
    }
    for (size_t i = slot_of(h, cta, address); h->places[i].used;
         i = (i + 1) & (h->cplaces - 1)) {
        tc_hz_place *p = &h->places[i];
        if (p->address == address && p->owner == owner && p->cta == cta) {
            return p;
        }
    }
    return NULL;
}

static void grow(tc_hazard *h) {
    tc_hz_place *old = h->places;
    uint32_t n = h->cplaces;
    h->cplaces = n ? n * 2 : 64;
    h->places = tc_xcalloc(h->cplaces, sizeof *h->places);
    for (uint32_t i = 0; i < n; i++) {
        if (!old[i].used) {
            continue;
        }
        size_t at = slot_of(h, old[i].cta, old[i].address);
        while (h->places[at].used) {
            at = (at + 1) & (h->cplaces - 1);
        }
        h->places[at] = old[i];
    }
    free(old);
}

static tc_hz_place *place(tc_hazard *h, const tc_hz_cta *owner,
                          uint64_t address) {
    tc_hz_place *p = look(h, owner, address);
    if (p) {
        return p;
    }
    if ((h->nplaces + 1) * 2 > h->cplaces) {
        grow(h);
    }
    uint32_t cta = owner ? owner->cta->index : 0;
    size_t at = slot_of(h, cta, address);
    while (h->places[at].used) {
        at = (at + 1) & (h->cplaces - 1);
    }
    h->nplaces++;
    h->places[at] = (tc_hz_place){.used = true,
                                  .owner = owner,
                                  .address = address,
                                  .cta = cta,
                                  .from = NOBODY,
                                  .narrow = NOBODY};
    return &h->places[at];
}

void tc_hz_sync_free(tc_hazard *h) {
    for (uint32_t i = 0; i < h->cplaces; i++) {
        tc_hz_know_drop(h->places[i].wide);
        tc_hz_know_drop(h->places[i].near);
    }
    free(h->places);
    tc_hz_async_free(h);
}

/* ---- fences ---- */

void tc_hazard_fence_op(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_hz_warp *hw = tc_hz_warp_of(w);
    uint8_t scope = op && op->scope ? op->scope : TC_PTX_SCOPE_SYS;
    bool acquires =
        !op || op->opcode == TC_PTX_MEMBAR || op->sub != TC_FENCE_RELEASE;
    bool releases =
        !op || op->opcode == TC_PTX_MEMBAR || op->sub != TC_FENCE_ACQUIRE;
    for (uint32_t m = acquires ? mask & hw->acquires : 0; m; m &= m - 1) {
        int i = tc_first(m);
        uint32_t bit = UINT32_C(1) << i;
        if (scope > TC_PTX_SCOPE_CTA || hw->from[i] == w->cta->index) {
            tc_hz_learn(w, bit, hw->acquire[i]);
        }
        tc_hz_know_point(&hw->acquire[i], NULL);
        hw->acquires &= ~bit;
    }
    for (uint32_t m = releases ? mask : 0; m; m &= m - 1) {
        int i = tc_first(m);
        tc_hz_know *made = tc_hz_know_copy(NULL);
        tc_hz_publish(w, i, made);
        tc_hz_know_point(&hw->release[i], made);
        tc_hz_know_drop(made);
        hw->scope[i] = scope;
        hw->releases |= UINT32_C(1) << i;
    }
}

void tc_hazard_fence(tc_warp *w, uint32_t mask) {
    tc_hazard_fence_op(w, NULL, mask);
}

/* ---- strong accesses ---- */

uint8_t tc_hz_scope_of(const tc_ptx_op *op) {
    if (op->flags & TC_PM_VOLATILE) {
        return TC_PTX_SCOPE_SYS;
    }
    if (op->scope) {
        return op->scope;
    }
    return TC_PTX_SCOPE_GPU; /* of atom and red without one */
}

static void give(tc_hazard *h, tc_warp *w, tc_hz_place *p, uint8_t scope,
                 const tc_hz_know *k, bool adds) {
    tc_hz_know **at = scope == TC_PTX_SCOPE_CTA ? &p->near : &p->wide;
    if (!adds) {
        tc_hz_know_point(&p->near, NULL);
        tc_hz_know_point(&p->wide, NULL);
        p->from = p->narrow = NOBODY;
    }
    if (scope == TC_PTX_SCOPE_CTA && p->narrow != w->cta->index) {
        tc_hz_know_point(&p->near, NULL);
        p->narrow = w->cta->index;
    } else if (scope != TC_PTX_SCOPE_CTA) {
        p->from = p->from == NOBODY || p->from == w->cta->index ? w->cta->index
                                                                : MANY;
    }
    tc_hz_know *n = tc_hz_know_copy(*at);
    tc_hz_know_join(n, k, h->nthreads);
    tc_hz_know_point(at, n);
    tc_hz_know_drop(n);
}

static void release_at(tc_warp *w, const tc_ptx_op *op, int lane,
                       const tc_hz_cta *owner, uint64_t address, bool adds) {
    tc_hazard *h = w->cta->run->hazard;
    tc_hz_warp *hw = tc_hz_warp_of(w);
    uint8_t scope = tc_hz_scope_of(op);
    if (op->flags & TC_PM_RELEASE) {
        tc_hz_know *k = tc_hz_know_copy(NULL);
        tc_hz_publish(w, lane, k);
        give(h, w, place(h, owner, address), scope, k, adds);
        tc_hz_know_drop(k);
    } else if (hw->releases >> lane & 1) {
        uint8_t fence = hw->scope[lane];
        give(h, w, place(h, owner, address), scope < fence ? scope : fence,
             hw->release[lane], adds);
    } else if (!adds) {
        tc_hz_place *p = look(h, owner, address);
        if (p) { /* what was released there is overwritten */
            tc_hz_know_point(&p->near, NULL);
            tc_hz_know_point(&p->wide, NULL);
            p->from = p->narrow = NOBODY;
        }
    }
}

static void acquire_at(tc_warp *w, const tc_ptx_op *op, int lane,
                       const tc_hz_cta *owner, uint64_t address) {
    tc_hazard *h = w->cta->run->hazard;
    tc_hz_warp *hw = tc_hz_warp_of(w);
    tc_hz_place *p = look(h, owner, address);
    uint32_t bit = UINT32_C(1) << lane, me = w->cta->index;
    if (!p) {
        return;
    }
    tc_hz_know *take[2] = {
        tc_hz_scope_of(op) > TC_PTX_SCOPE_CTA || p->from == me ? p->wide : NULL,
        p->narrow == me ? p->near : NULL};
    for (int i = 0; i < 2; i++) {
        if (!take[i]) {
            continue;
        }
        if (op->flags & TC_PM_ACQUIRE) {
            tc_hz_learn(w, bit, take[i]);
            continue;
        }
        uint32_t from = i == 0 ? p->from : me;
        hw->from[lane] =
            !(hw->acquires & bit) || hw->from[lane] == from ? from : MANY;
        if (!hw->acquire[lane]) { /* nobody writes to what a place holds */
            tc_hz_know_point(&hw->acquire[lane], take[i]);
        } else if (!tc_hz_know_covers(hw->acquire[lane], take[i],
                                      h->nthreads)) {
            tc_hz_know *k = tc_hz_know_copy(hw->acquire[lane]);
            tc_hz_know_join(k, take[i], h->nthreads);
            tc_hz_know_point(&hw->acquire[lane], k);
            tc_hz_know_drop(k);
        }
        hw->acquires |= bit;
    }
}

void tc_hz_strong(tc_warp *w, const tc_ptx_op *op, const tc_hz_cta *owner,
                  uint32_t mask, const uint64_t *addr, tc_hz_strong_kind kind) {
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first(m);
        if (kind == TC_HZ_STRONG_LOAD) {
            acquire_at(w, op, i, owner, addr[i]);
        } else {
            release_at(w, op, i, owner, addr[i], kind == TC_HZ_STRONG_ATOMIC);
        }
    }
}

/* ---- malloc's heap ---- */

/* What is given back happens before it is allocated again (C++17
 * [new.delete.dataraces]). One place stands for the whole heap. */
enum { HEAP = 0 }; /* no memory has this address */

void tc_hazard_heap_give(tc_warp *w, int lane) {
    tc_hazard *h = w->cta->run->hazard;
    if (h) {
        tc_hz_know *k = tc_hz_know_copy(NULL);
        tc_hz_publish(w, lane, k);
        give(h, w, place(h, NULL, HEAP), TC_PTX_SCOPE_GPU, k, true);
        tc_hz_know_drop(k);
    }
}

void tc_hazard_heap_take(tc_warp *w, int lane) {
    tc_hazard *h = w->cta->run->hazard;
    const tc_hz_place *p = h ? look(h, NULL, HEAP) : NULL;
    if (p) {
        tc_hz_learn(w, UINT32_C(1) << lane, p->wide);
    }
}
