/* first_pass.c - the first pass: which launches have one, how it ends, and what
 * accesses tell it: first_pass.h. */
#include "sim/race/first_visit.h"

void tc_first_doubt(tc_run *r) {
    r->race->first->doubt = true;
    r->stopped = true;
}

bool tc_race_first_stops(tc_warp *w) {
    tc_run *r = w->cta->run;
    if (!r->race || !r->race->first) {
        return false;
    }
    tc_first_doubt(r);
    w->core->limit = 0;
    return true;
}

void tc_race_first_begin(tc_run *r) {
    r->race->first = tc_first_new(r);
}

bool tc_race_first_failed(tc_run *r) {
    const tc_first_pass *f = r->race ? r->race->first : NULL;
    bool well = r->status == TC_RUN_OK || r->status == TC_RUN_CANCELLED;
    if (!f || (well && !f->doubt && !r->nfindings)) {
        return false;
    }
    tc_first_undo(r);
    return true;
}

/* ---- which launches ---- */

static bool applies(const tc_ptx_op *op) {
    switch (tc_ptx_effect_of(op)) {
    case TC_PTX_EFFECT_NONE:
    case TC_PTX_EFFECT_LOAD:
    case TC_PTX_EFFECT_ATOMIC:
    case TC_PTX_EFFECT_HINT:
    case TC_PTX_EFFECT_BARRIER:
    case TC_PTX_EFFECT_FENCE:
    case TC_PTX_EFFECT_CALL:
        return true;
    case TC_PTX_EFFECT_STORE:
        return op->opcode == TC_PTX_ST || op->opcode == TC_PTX_STMATRIX ||
               op->opcode == TC_PTX_WMMA_STORE_D;
    default:
        return false;
    }
}

bool tc_race_first_applies(const tc_run *r) {
    const tc_ptx_module *m = r->module;
    const tc_sim_options *o = &r->sim->options;
    if (!o->hazards || o->timing || o->trace || o->walks || r->launch->stops ||
        r->cluster[0] * r->cluster[1] * r->cluster[2] != 1) {
        return false;
    }
    for (int i = 0; i < m->nfuncs; i++) {
        const tc_ptx_func *f = &m->funcs[i];
        bool runs = f == r->func || !f->entry;
        for (uint32_t j = f->begin; runs && j < f->end; j++) {
            if (!applies(&m->code[j])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- accesses ---- */

static bool knows_nobody(const tc_warp *w, const tc_vclock *k) {
    return k && !k->floor && k->n == 1 && k->b[0].of == w->cta->index &&
           !k->b[0].barrier;
}

enum {
    STRONG = TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE | TC_PM_RELEASE
};

static inline tc_first_visit visit_of(tc_warp *w, const tc_ptx_op *op,
                                      tc_ptx_space space, bool atomic) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    bool shared = space != TC_PS_GLOBAL;
    bool strong = (atomic || (op->flags & STRONG)) &&
                  (shared || tc_race_scope_of(op) > TC_PTX_SCOPE_CTA);
    const tc_first_shared *z = &w->cta->race->first;
    uint64_t base =
        shared || z->solo ? tc_vclock_base(hw->all, w->cta->index) : 0;
    uint64_t clock = tc_race_epoch(w);
    bool alone = knows_nobody(w, hw->all);
    return (tc_first_visit){
        .h = h,
        .w = w,
        .hw = hw,
        .op = op,
        .shared = shared ? &w->cta->race->first : NULL,
        .mine = (uint32_t)(clock << TC_FIRST_WHO),
        .known = base ? (uint32_t)((base + 1) << TC_FIRST_WHO) : 0,
        .start = z->start,
        .none = shared ? z->start : 1,
        .who = strong ? TC_FIRST_STRONG : 0,
        .alone = alone,
        .simple = alone && (shared || z->solo) && !hw->all->b[0].at &&
                  !hw->all->b[0].count,
        .solo = shared || z->solo};
}

static inline void leave(const tc_first_visit *v) {
    if (v->bad) {
        v->w->core->limit = 0;
        tc_first_doubt(v->h->run);
    }
}

void tc_first_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     uint32_t mask, const uint64_t *addr, uint32_t bytes,
                     bool store, tc_lane_steps steps) {
    const bool strong = (op->flags & STRONG) != 0;
    const tc_race_cta *z = space == TC_PS_GLOBAL ? NULL : w->cta->race;
    if (strong && !store) {
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    } else if (strong) {
        tc_race_warp_of(w)->quiet = tc_race_warp_of(w)->tick;
    }
    tc_first_visit v = visit_of(w, op, space, false);
    tc_first_visit_lanes(&v, mask, addr, bytes, store, steps);
    if (strong && store) {
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_STORE);
    }
    leave(&v);
}

void tc_first_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                  uint64_t base, uint32_t bytes, bool store) {
    tc_first_visit v = visit_of(w, op, space, false);
    tc_first_visit_run(&v, 0, TC_LANES - 1, base, bytes, store);
    leave(&v);
}

static inline void visit_atomic(tc_first_visit *v, uint32_t lane,
                                uint64_t address, uint32_t bytes) {
    uint32_t shift = 0, grain = tc_first_grain_of(address, bytes);
    for (uint32_t b = 0; b < bytes; b += UINT32_C(1) << shift) {
        uint64_t n;
        uint64_t *u =
            tc_first_units_at(v, address + b, grain, true, &shift, &n);
        if (!u) {
            return;
        }
        if (v->shared) {
            *tc_first_writer_of(v, u) =
                (uint16_t)(v->w->index * TC_LANES + lane);
        }
        tc_first_strong_unit(v, u, lane, true);
    }
}

void tc_first_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    const tc_race_cta *z = space == TC_PS_GLOBAL ? NULL : w->cta->race;
    tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    tc_first_visit v = visit_of(w, op, space, true);
    v.bad |= !v.who; /* of a CTA alone, on memory of all */
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        visit_atomic(&v, (uint32_t)i, addr[i], bytes);
    }
    tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_ATOMIC);
    if ((op->flags & TC_PM_ACQUIRE) && (mask & (mask - 1))) {
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    }
    leave(&v);
}

/* ---- epochs that a comparison does not tell ---- */

bool tc_first_ordered_slow(const tc_first_visit *v, uint32_t x, uint32_t lane) {
    const tc_first_pass *f = v->h->first;
    const tc_vclock *k = v->hw->vclock[lane];
    uint64_t clock = x >> TC_FIRST_WHO;
    uint32_t who = x & TC_FIRST_WHO_MASK & ~(uint32_t)TC_FIRST_STRONG;
    x = x & TC_FIRST_WARP ? who : x & TC_FIRST_WHO_MASK;
    if (x == TC_FIRST_MANY || v->h->stamp - clock >= f->nowners ||
        (v->simple && x != lane)) {
        return false;
    }
    const tc_first_owner *o = &f->owners[clock & (f->nowners - 1)];
    if (x == TC_FIRST_CTA) {
        return tc_vclock_covers_cta(k, o->cta, clock);
    }
    if (x == TC_FIRST_WARP) {
        return tc_vclock_covers_threads(k, o->cta, o->warp * TC_LANES, TC_LANES,
                                        clock);
    }
    return (x == lane && o->cta == v->w->cta->index &&
            o->warp == v->w->index) ||
           tc_vclock_covers_threads(k, o->cta, o->warp * TC_LANES + x, 1,
                                    clock);
}

/* TC_FIRST_WARP, for a lane too, or CTA or MANY. */
static inline uint32_t width(uint32_t x) {
    return x & TC_FIRST_WARP
               ? x & TC_FIRST_WHO_MASK & ~(uint32_t)TC_FIRST_STRONG
               : TC_FIRST_WARP;
}

uint32_t tc_first_together(const tc_first_visit *v, uint32_t x, uint32_t y) {
    uint32_t strong =
        tc_first_is_strong(x) && tc_first_is_strong(y) ? TC_FIRST_STRONG : 0;
    uint32_t later = (x > y ? x : y) & ~TC_FIRST_WHO_MASK;
    uint32_t most = width(x) > width(y) ? width(x) : width(y);
    if (most == TC_FIRST_WARP && x >> TC_FIRST_WHO == y >> TC_FIRST_WHO) {
        return later | TC_FIRST_WARP | strong;
    }
    if (most == TC_FIRST_MANY || !tc_first_of_my_cta(v, x) ||
        !tc_first_of_my_cta(v, y)) {
        return TC_FIRST_MANY | strong;
    }
    return later | TC_FIRST_CTA | strong;
}
