/* first_pass.c - the first pass: which launches have one, how it ends, what
 * accesses tell it, and those of several threads: first_pass.h. */
#include "sim/race/first_visit.h"
#include "sim/race/race.h"
#include <stdlib.h>
#include <sys/mman.h>

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
    tc_race_first_undo(r);
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

/* Reads of memory that nobody may have written: where some of it is such, in the
 * allocation that was accessed last. */
static void look_fresh(tc_first_visit *v, uint32_t mask, const uint64_t *addr,
                       uint32_t bytes) {
    const tc_sim_allocation *a = v->h->first->near;
    if (a && a->fresh && !v->shared) {
        v->bad |= tc_race_unwritten_lanes(a, mask, addr, bytes) != 0;
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
    if (!store) {
        look_fresh(&v, mask, addr, bytes);
    }
    v.bad |= strong && !z && v.h->first->team; /* threads may ask each other */
    if (strong && store) {
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_STORE);
    }
    leave(&v);
}

void tc_first_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                  uint64_t base, uint32_t bytes, bool store) {
    tc_first_visit v = visit_of(w, op, space, false);
    tc_first_visit_run(&v, 0, TC_LANES - 1, base, bytes, store);
    const tc_sim_allocation *a = v.h->first->near;
    if (!store && a && a->fresh && !v.shared && bytes >= 4) {
        v.bad |= tc_race_unwritten_run(a, base, bytes);
    }
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
        if (v->h->first->team && !v->shared) { /* done later: isa/reds.h */
            *u = (*u & ~(uint64_t)UINT32_MAX) | TC_FIRST_ATOMICS;
        }
    }
}

/* The lanes' units are fetched all at once: they may lie anywhere. */
static inline void fetch_units(const tc_first_visit *v, uint32_t mask,
                               const uint64_t *addr) {
    const tc_first_pass *f = v->h->first;
    for (uint32_t m = v->shared ? 0 : mask; m; m &= m - 1) {
        uint64_t at = addr[tc_first_bit(m)] - f->near_address;
        const tc_first_page *p =
            at < f->near_size ? f->near_pages[at / TC_RACE_PAGE] : NULL;
        if (p && p->unit) {
            __builtin_prefetch(p->unit + (at % TC_RACE_PAGE >> p->shift), 1);
        }
    }
}

void tc_first_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    const tc_race_cta *z = space == TC_PS_GLOBAL ? NULL : w->cta->race;
    tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    tc_first_visit v = visit_of(w, op, space, true);
    v.bad |= !v.who; /* of a CTA alone, on memory of all */
    v.bad |= !z && v.h->first->team && !tc_team_may(w->cta->run, op);
    fetch_units(&v, mask, addr);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        visit_atomic(&v, (uint32_t)i, addr[i], bytes);
    }
    if (op->sub != TC_ATOM_EXCH) {
        look_fresh(&v, mask, addr, bytes);
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

/* ---- several threads ---- */

enum { PAGE = TC_RACE_PAGE, LOCKS = 64, WORDS = PAGE / 4 };

static size_t table_bytes(const tc_first_team *t) {
    return (size_t)(t->npages + 1) * sizeof(uint8_t *);
}

tc_first_team *tc_team_new(tc_run *first, tc_run **runs) {
    tc_first_pass *f = first->race->first;
    tc_first_team *t = tc_xcalloc(1, sizeof *t);
    t->npages = f->npages;
    t->saved = mmap(NULL, table_bytes(t), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    t->saved = tc_xhave(t->saved == MAP_FAILED ? NULL : t->saved);
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&t->lock[i], NULL);
    }
    for (uint64_t i = 0; i < f->ntouched; i++) {
        t->saved[f->touched[i]] = f->pages[f->touched[i]]->saved;
    }
    t->runs = runs;
    f->team = t;
    return t;
}

void tc_team_join(tc_first_team *t, tc_run *r) {
    r->race->first->team = t;
}

void tc_team_free(tc_first_team *t) {
    t->runs[0]->race->first->team = NULL;
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_destroy(&t->lock[i]);
    }
    munmap(t->saved, table_bytes(t));
    free(t);
}

uint8_t *tc_team_save(tc_first_pass *f, uint64_t page, const uint8_t *bytes,
                      uint64_t n) {
    tc_first_team *t = f->team;
    pthread_mutex_lock(&t->lock[page % LOCKS]);
    if (!t->saved[page]) {
        t->saved[page] = tc_first_copy(f, bytes, n);
    }
    uint8_t *saved = t->saved[page];
    pthread_mutex_unlock(&t->lock[page % LOCKS]);
    return saved;
}

bool tc_team_may(const tc_run *r, const tc_ptx_op *op) {
    return r->code[op - r->module->code].unread;
}

enum { READ = 1, ATOMIC = 2, WRITTEN = 4 };

/* What was done to a unit. Strong writes of who was alone have come before all
 * that others do. */
static uint8_t kind_of(uint64_t unit) {
    uint32_t w = (uint32_t)unit, r = (uint32_t)(unit >> 32);
    bool strong = (w & TC_FIRST_WARP) && (w & TC_FIRST_STRONG);
    return !unit ? 0 : !w ? READ : strong && !r ? ATOMIC : WRITTEN;
}

static uint64_t unit_at(const tc_first_page *p, uint32_t byte) {
    uint32_t line = byte / TC_RACE_LINE;
    return p->apart >> line & 1 ? p->unit[byte >> p->shift] : p->line[line];
}

/* Adds a page's kinds to those of others; so many bytes at a time have one.
 * False: they meet. */
static bool add_page(const tc_first_page *p, uint8_t *others, uint32_t step) {
    for (uint32_t i = 0; i < PAGE; i += step) {
        uint8_t mine = kind_of(unit_at(p, i)), both = mine | others[i];
        if (mine && others[i] && both != READ && both != ATOMIC) {
            return false;
        }
        others[i] = both;
    }
    return true;
}

static bool meet_on(const tc_first_team *t, uint64_t page) {
    uint8_t others[PAGE] = {0};
    uint32_t step = 4;
    for (uint32_t i = 0; i < t->nruns; i++) {
        const tc_first_page *p = t->runs[i]->race->first->pages[page];
        step = p && UINT32_C(1) << p->shift < step ? UINT32_C(1) << p->shift
                                                   : step;
    }
    for (uint32_t i = 0; i < t->nruns; i++) {
        const tc_first_page *p = t->runs[i]->race->first->pages[page];
        if (p && !add_page(p, others, step)) {
            return true;
        }
    }
    return false;
}

/* Pages that runs[i] and a later one have touched, and somebody has written. */
static bool meets_later(const tc_first_team *t, uint32_t i) {
    const tc_first_pass *f = t->runs[i]->race->first;
    for (uint64_t k = 0; k < f->ntouched; k++) {
        uint64_t page = f->touched[k];
        bool shared = false, earlier = false;
        for (uint32_t j = 0; j < t->nruns; j++) {
            bool has = t->runs[j]->race->first->pages[page] != NULL;
            earlier |= has && j < i;
            shared |= has && j > i;
        }
        if (t->saved[page] && shared && !earlier && meet_on(t, page)) {
            return true;
        }
    }
    return false;
}

bool tc_team_meets(tc_first_team *t, uint32_t n) {
    t->nruns = n;
    for (uint32_t i = 0; i + 1 < t->nruns; i++) {
        if (meets_later(t, i)) {
            return true;
        }
    }
    return false;
}

void tc_team_undo(const tc_first_team *t, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        tc_race_first_undo(t->runs[i]);
    }
}

bool tc_team_doubts(const tc_run *r) {
    return r->race->first->doubt || r->nfindings || r->apart ||
           (r->status != TC_RUN_OK && r->status != TC_RUN_CANCELLED);
}
