/* locks.c - locks that order two critical sections only because of who took the
 * lock first.
 *
 * A lock is a word that threads take by a compare-and-swap or an exchange in a
 * loop, from one value to another, and give back by putting the first value
 * there again. Of two critical sections of one lock either may come first. So
 * what only the lock's edge orders (what the second thread knew before it took
 * the lock does not) is ordered in the other order, too, only where the first
 * section began with an acquiring fence, and the second one ends with a
 * releasing one. A section without one is reported, whichever came first here
 * (the weak happens-before of predictive race detection, for this one form).
 *
 * The first pass only looks for sections without a fence of a lock that several
 * threads take. */
#include "sim/core/finding.h"
#include "sim/race/first_pass.h"
#include "sim/race/visit.h"
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 1024,
    MOST_SECTIONS = 1 << 15, /* that are remembered */
    MOST_PENDING = 4,        /* of a section */
    MOST_OPEN = 4,           /* of a thread */
    MOST_LOCKS = 64          /* of the first pass */
};

typedef struct tc_lock_section {
    struct tc_lock_section *next; /* of the lane's open ones; of a bucket */
    const tc_race_cta *owner;
    uint64_t address, value, taken;
    const tc_ptx_op *op; /* that took it */
    uint32_t cta, thread;
    uint64_t from, to;   /* its clocks */
    tc_vclock *before;   /* what the thread knew when it took it */
    uint8_t acquired;    /* the widest scope of a fence in it, 0: none */
    uint64_t near, wide; /* what it did at clocks beyond these comes after a
                            fence of its CTA, of the device */
    tc_finding *pending; /* if it ends without a fence; NULL: none */
    uint64_t clock[MOST_PENDING]; /* of each, in this section */
    int npending;
} tc_lock_section;

typedef struct tc_lock_users {
    const tc_race_cta *owner;
    uint64_t address;
    uint32_t cta, thread;
    bool used, ctas, threads; /* several of them take it */
    uint8_t narrowest;        /* fence of a section; 0: none */
} tc_lock_users;

struct tc_race_locks {
    tc_lock_section *closed[BUCKETS];
    uint32_t nclosed;
    tc_lock_users users[MOST_LOCKS];
    tc_vclock *prior[TC_LANES];
    const tc_ptx_op *asked; /* whether it takes locks: */
    bool takes;
};

/* ---- storage ---- */

static struct tc_race_locks *locks_of(tc_race *h) {
    if (!h->locks) {
        h->locks = tc_xcalloc(1, sizeof *h->locks);
    }
    return h->locks;
}

static void free_section(tc_lock_section *s) {
    tc_vclock_unref(s->before);
    free(s->pending);
    free(s);
}

static void free_list(tc_lock_section *s) {
    while (s) {
        tc_lock_section *next = s->next;
        free_section(s);
        s = next;
    }
}

void tc_race_locks_forget(tc_race_warp *hw) {
    for (int i = 0; hw->sections && i < TC_LANES; i++) {
        free_list(hw->sections[i]);
    }
    free(hw->sections);
    hw->sections = NULL;
    hw->locked = 0;
}

void tc_race_locks_free(tc_race *h) {
    for (int i = 0; h->locks && i < BUCKETS; i++) {
        free_list(h->locks->closed[i]);
    }
    for (int i = 0; h->locks && i < TC_LANES; i++) {
        tc_vclock_unref(h->locks->prior[i]);
    }
    free(h->locks);
}

static uint32_t bucket_of(uint32_t cta, uint32_t thread) {
    return (cta * 1031u + thread) % BUCKETS;
}

/* ---- the first pass: is there a section that lacks a fence? ---- */

static tc_lock_users *users_of(struct tc_race_locks *l,
                               const tc_lock_section *s) {
    for (int i = 0; i < MOST_LOCKS; i++) {
        tc_lock_users *u = &l->users[i];
        if (!u->used) {
            *u = (tc_lock_users){.used = true,
                                 .owner = s->owner,
                                 .address = s->address,
                                 .cta = s->cta,
                                 .thread = s->thread,
                                 .narrowest = UINT8_MAX};
        }
        if (u->owner == s->owner && u->address == s->address) {
            return u;
        }
    }
    return NULL;
}

static void look_at_users(tc_run *r, const tc_lock_section *s, uint8_t fence) {
    tc_lock_users *u = users_of(locks_of(r->race), s);
    if (!u) {
        return;
    }
    u->ctas |= u->cta != s->cta;
    u->threads |= u->thread != s->thread || u->ctas;
    u->narrowest = fence < u->narrowest ? fence : u->narrowest;
    if ((u->threads && u->narrowest == 0) ||
        (u->ctas && u->narrowest <= TC_PTX_SCOPE_CTA)) {
        tc_first_doubt(r);
    }
}

/* ---- sections ---- */

/* Does the op take a lock: does it put a constant there (in the place of one),
 * again and again until it could? */
static bool takes_locks(struct tc_race_locks *l, const tc_run *r,
                        const tc_ptx_op *op) {
    if (l->asked != op) {
        l->asked = op;
        l->takes = tc_code_loops(r->module, op, op) &&
                   tc_code_constant(r->module, op, &op->a[2]);
    }
    return l->takes;
}

static void tell_pending(tc_run *r, const tc_lock_section *s, tc_warp *w,
                         const tc_ptx_op *op, int lane, bool wide) {
    const tc_race_warp *hw = tc_race_warp_of(w);
    for (int i = 0; i < s->npending; i++) {
        tc_finding f = s->pending[i];
        if (!f.at.valid || (wide && s->clock[i] <= hw->fence[lane])) {
            continue; /* it is no race by another rule; it was released */
        }
        f.missing = TC_MISSING_FENCE_BEFORE;
        f.other = tc_access_of(w, op, lane);
        tc_race_find(r, &f);
    }
}

/* The lane puts the lock's first value back. scope: of what it released. */
static void close_section(tc_warp *w, const tc_ptx_op *op, int lane,
                          tc_lock_section *s, uint8_t scope) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    uint32_t b = bucket_of(s->cta, s->thread);
    if (h->first) {
        bool all = (op->flags & TC_PM_RELEASE) || hw->quiet;
        scope = all ? scope : 0;
        look_at_users(w->cta->run, s,
                      scope < s->acquired ? scope : s->acquired);
        free_section(s);
        return;
    }
    if (!(op->flags & TC_PM_RELEASE) || scope <= TC_PTX_SCOPE_CTA) {
        tell_pending(w->cta->run, s, w, op, lane, scope > TC_PTX_SCOPE_CTA);
    }
    s->to = hw->clock;
    hw->tick = true; /* what follows is behind it */
    if (h->locks->nclosed++ >= MOST_SECTIONS) {
        free_section(s);
        return;
    }
    s->next = h->locks->closed[b];
    h->locks->closed[b] = s;
}

/* A fence; empty: nothing has been accessed in the section before it. */
static void fence_section(tc_lock_section *s, uint8_t scope, uint64_t clock,
                          bool empty) {
    if (empty && s->acquired < scope) {
        s->acquired = scope;
    }
    s->near = clock < s->near ? clock : s->near;
    if (scope > TC_PTX_SCOPE_CTA && clock < s->wide) {
        s->wide = clock;
    }
}

static void open_section(tc_warp *w, const tc_ptx_op *op, int lane,
                         const tc_race_cta *owner, uint64_t address,
                         uint64_t old, uint64_t new) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    if (!hw->sections) {
        hw->sections = tc_xcalloc(TC_LANES, sizeof(tc_lock_section *));
    }
    tc_lock_section *s = tc_xcalloc(1, sizeof *s);
    *s = (tc_lock_section){.next = hw->sections[lane],
                           .owner = owner,
                           .address = address,
                           .value = old,
                           .taken = new,
                           .op = op,
                           .cta = w->cta->index,
                           .thread = w->index *TC_LANES + (uint32_t)lane};
    if (!h->first) {
        tc_vclock_set(&s->before, h->locks->prior[lane]);
        s->from = h->stamp + 1;
    }
    hw->tick = true; /* what came before the lock is not in it */
    s->near = s->wide = UINT64_MAX;
    if (op->flags & TC_PM_ACQUIRE) {
        fence_section(s, tc_race_scope_of(op), 0, true);
    }
    hw->sections[lane] = s;
    for (int i = 1; s && i < MOST_OPEN; i++) {
        s = s->next;
    }
    if (s) { /* which are no locks, then */
        free_list(s->next);
        s->next = NULL;
    }
    hw->locked |= UINT32_C(1) << lane;
}

/* The open section of that lock, taken out of the list; or NULL. */
static tc_lock_section *take_open(tc_race_warp *hw, int lane,
                                  const tc_race_cta *owner, uint64_t address) {
    tc_lock_section **at = &hw->sections[lane];
    while (*at && ((*at)->owner != owner || (*at)->address != address)) {
        at = &(*at)->next;
    }
    tc_lock_section *s = *at;
    if (s) {
        *at = s->next;
    }
    if (!hw->sections[lane]) {
        hw->locked &= ~(UINT32_C(1) << lane);
    }
    return s;
}

/* ---- what the machine tells ---- */

static uint8_t released_scope(const tc_race_warp *hw, const tc_ptx_op *op,
                              int lane) {
    uint8_t own = tc_race_scope_of(op), fence = hw->scope[lane];
    if (op->flags & TC_PM_RELEASE) {
        return own;
    }
    return !(hw->releases >> lane & 1) ? 0 : own < fence ? own : fence;
}

void tc_race_lock_before(tc_warp *w, uint32_t mask) {
    tc_race *h = w->cta->run->race;
    tc_race_warp_of(w)->quiet = tc_race_warp_of(w)->tick;
    for (uint32_t m = h->first ? 0 : mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_vclock_set(&locks_of(h)->prior[i], tc_race_warp_of(w)->vclock[i]);
    }
}

void tc_race_lock_swapped(tc_warp *w, const tc_ptx_op *op, int lane,
                          const tc_race_cta *owner, uint64_t address,
                          uint64_t old, uint64_t new) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_lock_section *s =
        hw->locked >> lane & 1 ? take_open(hw, lane, owner, address) : NULL;
    if (s && s->value == new) {
        close_section(w, op, lane, s, released_scope(hw, op, lane));
        return;
    }
    if (s) {
        free_section(s);
    }
    if (takes_locks(locks_of(h), w->cta->run, op)) {
        open_section(w, op, lane, owner, address, old, new);
    }
}

void tc_race_lock_stored(tc_warp *w, const tc_ptx_op *op, int lane,
                         const tc_race_cta *owner, uint64_t address) {
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_lock_section *s = take_open(hw, lane, owner, address);
    if (s) {
        close_section(w, op, lane, s, released_scope(hw, op, lane));
    }
}

void tc_race_lock_fenced(tc_warp *w, uint32_t mask, uint8_t scope) {
    tc_race_warp *hw = tc_race_warp_of(w);
    for (uint32_t m = mask & hw->locked; m; m &= m - 1) {
        for (tc_lock_section *s = hw->sections[tc_first_bit(m)]; s;
             s = s->next) {
            fence_section(s, scope, hw->clock, hw->tick);
        }
    }
}

/* ---- pairs ---- */

/* The closed section of s's lock that the access of record x was made in. */
static const tc_lock_section *section_of(const tc_race *h,
                                         const tc_lock_section *s,
                                         const tc_shadow_record *x, int le) {
    uint32_t thread = x->warp * TC_LANES + (uint32_t)le;
    const tc_lock_section *c = h->locks->closed[bucket_of(x->cta, thread)];
    for (; c; c = c->next) {
        if (c->cta == x->cta && c->thread == thread && c->owner == s->owner &&
            c->address == s->address && c->value == s->value &&
            c->taken == s->taken && c->from <= x->clock && x->clock <= c->to) {
            return c;
        }
    }
    return NULL;
}

tc_lock_verdict tc_race_lock_only(const tc_race_visit *v,
                                  const tc_shadow_record *x, int le, int lm,
                                  tc_finding **pending, tc_access *took) {
    const tc_race_warp *hw = v->w ? tc_race_warp_of(v->w) : NULL;
    uint32_t thread = x->warp * TC_LANES + (uint32_t)le;
    if (!hw || !(hw->locked >> lm & 1) ||
        (x->flags & (TC_RACE_COPY | TC_RACE_AGENT | TC_RACE_STRONG)) ||
        (x->cta == v->w->cta->index && x->warp == v->w->index)) {
        return TC_LOCK_ORDERED;
    }
    for (tc_lock_section *s = hw->sections[lm]; s; s = s->next) {
        const tc_lock_section *c = section_of(v->h, s, x, le);
        bool far = x->cta != v->w->cta->index;
        if (!c ||
            tc_vclock_covers_threads(s->before, x->cta, thread, 1, x->clock)) {
            continue;
        }
        if (x->clock <= (far ? c->wide : c->near)) {
            *took = (tc_access){.valid = true,
                                .op = c->op,
                                .cta = x->cta,
                                .warp = x->warp,
                                .lane = (uint32_t)le,
                                .group = -2};
            return TC_LOCK_NOT_ACQUIRED;
        }
        if (far && s->npending < MOST_PENDING) {
            if (!s->pending) {
                s->pending = tc_xcalloc(MOST_PENDING, sizeof *s->pending);
            }
            s->clock[s->npending] = tc_race_warp_of(v->w)->clock;
            *pending = &s->pending[s->npending++];
            return TC_LOCK_PENDING;
        }
    }
    return TC_LOCK_ORDERED;
}
