/* acquire_release.c - release and acquire: fences, strong accesses and atomics
 * (PTX ISA 8.7 to 8.9).
 *
 * A place in memory holds what the last strong store to it released, and what
 * the atomics since then have added (they continue its release sequence). A
 * strong load takes that along, and knows it after its next fence, or at once
 * if it acquires. Scopes that do not reach the other thread order nothing. */
#include "sim/core/run.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <stdlib.h>
#include <string.h>

#define MANY   UINT32_MAX /* no CTA has these indices */
#define NOBODY (UINT32_MAX - 1)

/* What is released at one address. */
typedef struct tc_sync_var {
    const tc_race_cta *owner; /* of shared memory, NULL: global */
    uint64_t address;
    bool used;
    uint32_t cta;    /* of shared memory */
    uint32_t from;   /* the CTA that released, or MANY; NOBODY: nothing */
    uint32_t narrow; /* the CTA whose narrow releases are in it, NOBODY */
    tc_vclock *wide, *near; /* beyond the CTA; within the CTA `narrow` */
} tc_sync_var;

static size_t slot_of(const tc_race *h, uint32_t cta, uint64_t address) {
    uint64_t x = (address ^ (uint64_t)cta << 40) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(x >> 32) & (h->cplaces - 1);
}

static tc_sync_var *look(tc_race *h, const tc_race_cta *owner,
                         uint64_t address) {
    uint32_t cta = owner ? owner->cta->index : 0;
    if (!h->nplaces) {
        return NULL;
    }
    for (size_t i = slot_of(h, cta, address); h->places[i].used;
         i = (i + 1) & (h->cplaces - 1)) {
        tc_sync_var *p = &h->places[i];
        if (p->address == address && p->owner == owner && p->cta == cta) {
            return p;
        }
    }
    return NULL;
}

static void grow(tc_race *h) {
    tc_sync_var *old = h->places;
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

static tc_sync_var *place(tc_race *h, const tc_race_cta *owner,
                          uint64_t address) {
    tc_sync_var *p = look(h, owner, address);
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
    h->places[at] = (tc_sync_var){.used = true,
                                  .owner = owner,
                                  .address = address,
                                  .cta = cta,
                                  .from = NOBODY,
                                  .narrow = NOBODY};
    return &h->places[at];
}

void tc_race_sync_free(tc_race *h) {
    for (uint32_t i = 0; i < h->cplaces; i++) {
        tc_vclock_unref(h->places[i].wide);
        tc_vclock_unref(h->places[i].near);
    }
    free(h->places);
    free(h->flags);
    tc_race_locks_free(h);
    tc_race_async_free(h);
}

/* ---- fences ---- */

/* What the lane's strong loads have left: of its own CTA alone, or all of it.
 * The rest waits for a fence that is wide enough. */
static void take_pending(tc_warp *w, int lane, bool wide) {
    tc_race_warp *hw = tc_race_warp_of(w);
    uint32_t bit = UINT32_C(1) << lane;
    if (hw->near[lane]) {
        tc_race_acquire(w, bit, hw->near[lane]);
        tc_vclock_set(&hw->near[lane], NULL);
    }
    if (wide && hw->acquire[lane]) {
        tc_race_acquire(w, bit, hw->acquire[lane]);
        tc_vclock_set(&hw->acquire[lane], NULL);
    }
    if (!hw->acquire[lane]) {
        hw->acquires &= ~bit;
    }
}

void tc_race_fence_op(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_race_warp *hw = tc_race_warp_of(w);
    uint8_t scope = op && op->scope ? op->scope : TC_PTX_SCOPE_SYS;
    bool acquires =
        !op || op->opcode == TC_PTX_MEMBAR || op->sub != TC_FENCE_RELEASE;
    bool releases =
        !op || op->opcode == TC_PTX_MEMBAR || op->sub != TC_FENCE_ACQUIRE;
    for (uint32_t m = acquires ? mask & hw->acquires : 0; m; m &= m - 1) {
        take_pending(w, tc_first_bit(m), scope > TC_PTX_SCOPE_CTA);
    }
    if (acquires) {
        tc_race_lock_fenced(w, mask, scope);
    }
    if (acquires && scope > TC_PTX_SCOPE_CTA) {
        tc_race_flag_fenced(w, mask);
    }
    for (uint32_t m = releases ? mask : 0; m; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_vclock *made = tc_vclock_copy(NULL);
        hw->fence[i] = hw->clock;
        tc_race_release(w, i, made);
        tc_vclock_set(&hw->release[i], made);
        tc_vclock_unref(made);
        hw->scope[i] = scope;
        hw->releases |= UINT32_C(1) << i;
    }
}

void tc_race_fence(tc_warp *w, uint32_t mask) {
    tc_race_fence_op(w, NULL, mask);
}

/* ---- strong accesses ---- */

uint8_t tc_race_scope_of(const tc_ptx_op *op) {
    if (op->flags & TC_PM_VOLATILE) {
        return TC_PTX_SCOPE_SYS;
    }
    if (op->scope) {
        return op->scope;
    }
    return TC_PTX_SCOPE_GPU; /* of atom and red without one */
}

static void give(tc_race *h, tc_warp *w, tc_sync_var *p, uint8_t scope,
                 const tc_vclock *k, bool adds) {
    tc_vclock **at = scope == TC_PTX_SCOPE_CTA ? &p->near : &p->wide;
    if (!adds) {
        tc_vclock_set(&p->near, NULL);
        tc_vclock_set(&p->wide, NULL);
        p->from = p->narrow = NOBODY;
    }
    if (scope == TC_PTX_SCOPE_CTA && p->narrow != w->cta->index) {
        tc_vclock_set(&p->near, NULL);
        p->narrow = w->cta->index;
    } else if (scope != TC_PTX_SCOPE_CTA) {
        p->from = p->from == NOBODY || p->from == w->cta->index ? w->cta->index
                                                                : MANY;
    }
    tc_vclock *n = tc_vclock_copy(*at);
    tc_vclock_join(n, k, h->nthreads);
    tc_vclock_set(at, n);
    tc_vclock_unref(n);
}

static void release_at(tc_warp *w, const tc_ptx_op *op, int lane,
                       const tc_race_cta *owner, uint64_t address, bool adds) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    uint8_t scope = tc_race_scope_of(op);
    if (!owner) {
        tc_race_flag_written(w, op, lane, address);
    }
    if (!adds && (hw->locked >> lane & 1)) {
        tc_race_lock_stored(w, op, lane, owner, address);
    }
    if (op->flags & TC_PM_RELEASE) {
        tc_vclock *k = tc_vclock_copy(NULL);
        tc_race_release(w, lane, k);
        give(h, w, place(h, owner, address), scope, k, adds);
        tc_vclock_unref(k);
    } else if (hw->releases >> lane & 1) {
        uint8_t fence = hw->scope[lane];
        give(h, w, place(h, owner, address), scope < fence ? scope : fence,
             hw->release[lane], adds);
    } else if (!adds) {
        tc_sync_var *p = look(h, owner, address);
        if (p) { /* what was released there is overwritten */
            tc_vclock_set(&p->near, NULL);
            tc_vclock_set(&p->wide, NULL);
            p->from = p->narrow = NOBODY;
        }
    }
}

/* Adds k to what the lane's next fence takes. Nobody writes to what a place
 * holds. */
static void leave_pending(tc_vclock **at, tc_vclock *k, uint32_t nthreads) {
    if (!*at) {
        tc_vclock_set(at, k);
    } else if (!tc_vclock_covers(*at, k, nthreads)) {
        tc_vclock *both = tc_vclock_copy(*at);
        tc_vclock_join(both, k, nthreads);
        tc_vclock_set(at, both);
        tc_vclock_unref(both);
    }
}

static void acquire_at(tc_warp *w, const tc_ptx_op *op, int lane,
                       const tc_race_cta *owner, uint64_t address) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_sync_var *p = look(h, owner, address);
    uint32_t bit = UINT32_C(1) << lane, me = w->cta->index;
    if (!owner && h->flags) {
        tc_race_flag_read(w, op, lane, address);
    }
    if (!p) {
        return;
    }
    tc_vclock *take[2] = {
        tc_race_scope_of(op) > TC_PTX_SCOPE_CTA || p->from == me ? p->wide
                                                                 : NULL,
        p->narrow == me ? p->near : NULL};
    for (int i = 0; i < 2; i++) {
        if (!take[i]) {
            continue;
        }
        if (op->flags & TC_PM_ACQUIRE) {
            tc_race_acquire(w, bit, take[i]);
            continue;
        }
        bool near = i == 1 || p->from == me;
        leave_pending(near ? &hw->near[lane] : &hw->acquire[lane], take[i],
                      h->nthreads);
        hw->by[lane] = op;
        hw->acquires |= bit;
    }
}

void tc_race_strong(tc_warp *w, const tc_ptx_op *op, const tc_race_cta *owner,
                    uint32_t mask, const uint64_t *addr,
                    tc_race_strong_kind kind) {
    const tc_race *h = w->cta->run->race;
    bool nothing =
        kind == TC_RACE_STRONG_LOAD
            ? !h->nplaces && !h->flags
            : kind == TC_RACE_STRONG_ATOMIC && !(op->flags & TC_PM_RELEASE) &&
                  !(tc_race_warp_of(w)->releases & mask) && (h->first || owner);
    for (uint32_t m = nothing ? 0 : mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (kind == TC_RACE_STRONG_LOAD) {
            acquire_at(w, op, i, owner, addr[i]);
        } else {
            release_at(w, op, i, owner, addr[i], kind == TC_RACE_STRONG_ATOMIC);
        }
    }
}

/* ---- malloc's heap ---- */

/* What is given back happens before it is allocated again (C++17
 * [new.delete.dataraces]). One place stands for the whole heap. */
enum { HEAP = 0 }; /* no memory has this address */

void tc_race_heap_give(tc_warp *w, int lane) {
    tc_race *h = w->cta->run->race;
    if (h) {
        tc_vclock *k = tc_vclock_copy(NULL);
        tc_race_release(w, lane, k);
        give(h, w, place(h, NULL, HEAP), TC_PTX_SCOPE_GPU, k, true);
        tc_vclock_unref(k);
    }
}

void tc_race_heap_take(tc_warp *w, int lane) {
    tc_race *h = w->cta->run->race;
    const tc_sync_var *p = h ? look(h, NULL, HEAP) : NULL;
    if (p) {
        tc_race_acquire(w, UINT32_C(1) << lane, p->wide);
    }
}
