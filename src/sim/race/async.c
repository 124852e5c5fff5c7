/* async.c - the checker's view of asynchronous operations, of mbarriers
 * and of proxies (PTX ISA 8.6, 9.7.9.25.1, 9.7.13.15).
 *
 * A transfer is a thread of its own. It knows what its issuer knew. Who waits
 * for the phase that it signals knows of it: "phases over" of an mbarrier are
 * part of knowledge, beside the clocks of threads. In the async proxy it sees
 * generic writes only through a proxy fence, somewhere on the way from them to
 * it; a completed phase or a waited-for bulk group makes its own writes visible
 * to the generic proxy without one (9.7.9.25.1.2). */
#include "sim/core/cp_async.h"
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <stdlib.h>
#include <string.h>

enum { PHASES = 4 };

typedef struct tc_race_link {
    struct tc_race_link *next;
    tc_race_agent *agent;
} tc_race_link;

typedef struct tc_race_phase {
    uint32_t phase;
    bool used;
    tc_vclock *arrived;          /* of those that arrived */
    tc_vclock *joined;           /* the last of them knew that: it is in it */
    tc_vclock *over;             /* the same, for those that wait */
    struct tc_race_link *agents; /* that complete on it */
} tc_race_phase;

typedef struct tc_race_barrier {
    struct tc_race_barrier *next;
    uint32_t offset, id;
    bool initialised, fenced; /* fenced: fence.mbarrier_init after it, */
    uint32_t arrivals;        /* when its thread had made so many at the
                                 cluster's barrier */
    uint32_t passed; /* CTA barriers that the initialising thread had */
    tc_access init;
    uint64_t clock;
    tc_race_phase phases[PHASES];
} tc_race_barrier;

static tc_race_agent *unlink_agent(tc_race_phase *p) {
    tc_race_link *l = p->agents;
    tc_race_agent *g = l->agent;
    p->agents = l->next;
    g->listed--;
    free(l);
    return g;
}

static void forget_phase(tc_race_phase *p) {
    tc_vclock_set(&p->arrived, NULL);
    tc_vclock_set(&p->over, NULL);
    tc_vclock_set(&p->joined, NULL);
    while (p->agents) {
        unlink_agent(p);
    }
    memset(p, 0, sizeof *p);
}

void tc_race_barriers_free(tc_race_cta *z) {
    while (z->barriers) {
        tc_race_barrier *b = z->barriers;
        z->barriers = b->next;
        for (int i = 0; i < PHASES; i++) {
            forget_phase(&b->phases[i]);
        }
        free(b);
    }
}

static tc_race_barrier *barrier_at(tc_cta *owner, uint32_t offset) {
    tc_race_cta *z = owner->race;
    for (tc_race_barrier *b = z->barriers; b; b = b->next) {
        if (b->offset == offset) {
            return b;
        }
    }
    tc_race_barrier *b = tc_xcalloc(1, sizeof *b);
    b->offset = offset;
    b->id = ++owner->run->race->nbarriers;
    b->next = z->barriers;
    z->barriers = b;
    return b;
}

uint32_t tc_race_barrier_id(tc_cta *owner, uint32_t offset) {
    return barrier_at(owner, offset)->id;
}

static tc_race_phase *phase_of(tc_race_barrier *b, uint32_t phase) {
    tc_race_phase *p = &b->phases[phase % PHASES];
    if (!p->used || p->phase != phase) {
        forget_phase(p);
        p->used = true;
        p->phase = phase;
    }
    return p;
}

/* ---- transfers ---- */

tc_race_agent *tc_race_agent_new(tc_warp *w, const tc_ptx_op *op, int lane,
                                 tc_race_proxy proxy) {
    tc_race *h = w->cta->run->race;
    if (!h) {
        return NULL;
    }
    tc_race_agent *g = tc_xcalloc(1, sizeof *g);
    g->h = h;
    g->warp = w;
    g->proxy = proxy;
    g->issue = tc_access_of(w, op, lane);
    g->issued = tc_race_epoch(w);
    g->vclock = tc_vclock_copy(NULL);
    tc_race_release(w, lane, g->vclock);
    g->next = h->agents;
    h->agents = g;
    h->nasync++;
    return g;
}

void tc_race_agent_free(tc_race_agent *g) {
    if (g) {
        g->freed = true;
    }
}

/* A transfer of atomic reads and writes. */
static bool is_reduction(const tc_ptx_op *op) {
    tc_ptx_effect e = tc_ptx_effect_of(op);
    return e == TC_PTX_EFFECT_REDUCE || e == TC_PTX_EFFECT_RED_ASYNC;
}

static uint32_t record_of(tc_race_agent *g, bool store) {
    uint32_t *at = store ? &g->writes : &g->reads;
    uint8_t flags = TC_RACE_AGENT;
    if (!*at) {
        flags |= store ? TC_RACE_STORE : 0;
        flags |= g->proxy == TC_RACE_GENERIC ? 0 : TC_RACE_PROXIED;
        /* Each reduction is relaxed at the scope of the GPU (9.7.9.25.4.2). */
        bool reduces = store && is_reduction(g->issue.op);
        flags |= reduces ? TC_RACE_STRONG : 0;
        *at = tc_shadow_record_new(g->warp, g->issue.op, flags, g);
        tc_shadow_record_of(g->h, *at)->clock = g->issued;
        if (reduces) {
            tc_shadow_record_of(g->h, *at)->scope = TC_PTX_SCOPE_GPU;
        }
    }
    return *at;
}

void tc_race_agent_access(tc_race_agent *g, tc_cta *owner, tc_ptx_space space,
                          uint64_t address, uint32_t bytes, bool store) {
    tc_vclock *vclock[TC_LANES];
    if (!g || !g->warp || (owner && !owner->race)) {
        return;
    }
    int lane = (int)g->issue.lane;
    tc_race_cta *z = space == TC_PS_GLOBAL || !owner ? NULL : owner->race;
    uint32_t record = record_of(g, store);
    tc_race_visit v = tc_race_visit_of(g->warp, record, z, space, bytes);
    for (int i = 0; i < TC_LANES; i++) {
        vclock[i] = g->vclock;
    }
    v.vclock = vclock;
    v.all = g->vclock;
    v.base = 0;
    v.agent = g;
    if (space == TC_PS_TENSOR) { /* lane, column: 512 columns of 4 bytes */
        address = (address >> 16) * 2048 + (address & 0xFFFF) * 4;
    }
    tc_race_visit_bytes(&v, lane, address, bytes, store);
    if (owner && owner != g->warp->cta) {
        tc_race_remote_transfer(g, owner, address, bytes);
    }
}

/* Within a CTA, a barrier of the CTA since the init is held to be enough: that
 * is all that libcu++'s memcpy_async has. */
static bool settled(const tc_race_agent *g, const tc_race_barrier *b) {
    uint32_t t = b->init.warp * TC_LANES + b->init.lane;
    bool same = b->init.warp == g->issue.warp && b->init.lane == g->issue.lane;
    uint32_t passed = tc_race_warp_of(g->warp)->phase[g->issue.lane];
    return b->init.cta == g->issue.cta &&
           (same ? passed > b->passed
                 : tc_vclock_covers_threads(g->vclock, b->init.cta, t, 1,
                                            b->clock));
}

/* The barrier that a transfer signals was initialised, in the generic proxy:
 * a fence must lie between (9.7.13.15.9: fence.mbarrier_init or fence.proxy).
 */
static void check_init(tc_race_agent *g, const tc_race_barrier *b) {
    bool generic = g->proxy == TC_RACE_GENERIC || /* tcgen05.commit signals */
                   tc_ptx_effect_of(g->issue.op) == TC_PTX_EFFECT_TMEM_COPY;
    if (!b->initialised || b->fenced || generic || settled(g, b) ||
        tc_vclock_covers_threads(g->vclock->proxy, b->init.cta,
                                 b->init.warp * TC_LANES + b->init.lane, 1,
                                 b->clock)) {
        return;
    }
    tc_finding f = {.kind = TC_FINDING_PROXY_FENCE,
                    .space = TC_PS_SHARED,
                    .address = b->offset,
                    .bytes = 8,
                    .to = 8,
                    .at = g->issue,
                    .cause = b->init,
                    .missing = TC_MISSING_PROXY_FENCE};
    tc_race_find(g->h->run, &f);
}

void tc_race_agent_signals(tc_race_agent *g, tc_cta *owner, uint32_t offset,
                           uint32_t phase) {
    if (!g || !owner->race) {
        return;
    }
    tc_race_barrier *b = barrier_at(owner, offset);
    tc_race_phase *p = phase_of(b, phase);
    check_init(g, b);
    if (g->nsignals == TC_RACE_SIGNALS) {
        return;
    }
    g->signal[g->nsignals].barrier = b->id;
    g->signal[g->nsignals++].phase = phase;
    tc_race_link *l = tc_xmalloc(sizeof *l);
    *l = (tc_race_link){.next = p->agents, .agent = g};
    p->agents = l;
    g->listed++;
}

void tc_race_agent_waited(tc_race_agent *g, tc_warp *w, const tc_ptx_op *op,
                          uint32_t lanes, bool read_only) {
    (void)op;
    if (!g || !(lanes >> g->issue.lane & 1)) {
        return;
    }
    uint64_t clock = tc_race_epoch(w);
    if (read_only) {
        g->read_done = g->read_done ? g->read_done : clock;
        tc_race_settle_agent(g, w, (int)g->issue.lane, true);
        return;
    }
    g->done = g->done ? g->done : clock;
    tc_race_settle_agent(g, w, (int)g->issue.lane, false);
}

void tc_race_agent_committed(tc_race_agent *g) {
    if (g) {
        g->committed = true;
    }
}

void tc_race_agent_missed(tc_race_agent *g, tc_warp *w, const tc_ptx_op *op,
                          int64_t enough) {
    if (g) {
        g->missed = true;
        g->miss = tc_access_of(w, op, (int)g->issue.lane);
        g->leave = enough;
    }
}

/* ---- mbarriers ---- */

/* The init's fence, then the cluster's barrier, be its arrival relaxed
 * (9.7.13.4 fence.mbarrier_init): this thread has been through it. */
static bool fenced_before(const tc_warp *w, int lane, const tc_race_barrier *b,
                          const tc_vclock *k) {
    uint32_t others = k->runs & ~(UINT32_C(1) << w->cta->rank % 32);
    return b->fenced && others &&
           tc_race_warp_of(w)->arrivals[lane] > b->arrivals;
}

/* A thread that uses the barrier without knowing of its init. */
static void check_use(tc_warp *w, const tc_ptx_op *op, int lane,
                      const tc_cta *owner, const tc_race_barrier *b) {
    const tc_vclock *k = tc_race_warp_of(w)->vclock[lane];
    const tc_access *a = &b->init;
    bool same = a->cta == w->cta->index && a->warp == w->index &&
                a->lane == (uint32_t)lane;
    bool runs = (k->runs >> owner->rank % 32 & 1) != 0;
    if (!b->initialised || same ||
        (owner != w->cta && (b->fenced || !runs)) || /* or cluster-sync */
        fenced_before(w, lane, b, k) ||
        tc_vclock_covers_threads(k, a->cta, a->warp * TC_LANES + a->lane, 1,
                                 b->clock)) {
        return;
    }
    tc_finding f = {.kind = TC_FINDING_MBARRIER_REINIT,
                    .space = TC_PS_SHARED,
                    .address = b->offset,
                    .bytes = 8,
                    .to = 8,
                    .at = tc_access_of(w, op, lane),
                    .cause = *a,
                    .missing = owner == w->cta ? TC_MISSING_BARRIER
                                               : TC_MISSING_CLUSTER_BARRIER};
    tc_race_find(w->cta->run, &f);
}

void tc_race_mbarrier_init(tc_warp *w, const tc_ptx_op *op, int lane,
                           tc_cta *owner, uint32_t offset) {
    if (!w->cta->run->race) {
        return;
    }
    tc_race_barrier *b = barrier_at(owner, offset);
    for (int i = 0; i < PHASES; i++) {
        forget_phase(&b->phases[i]);
    }
    b->id = ++w->cta->run->race->nbarriers; /* another one from now on */
    b->initialised = true;
    b->fenced = false;
    b->init = tc_access_of(w, op, lane);
    b->clock = tc_race_epoch(w);
    b->passed = tc_race_warp_of(w)->phase[lane];
}

void tc_race_mbarrier_inval(tc_warp *w, const tc_ptx_op *op, int lane,
                            tc_cta *owner, uint32_t offset) {
    (void)op, (void)lane;
    if (w->cta->run->race) {
        barrier_at(owner, offset)->initialised = false;
    }
}

static void init_fence(tc_warp *w, uint32_t mask) {
    for (tc_race_barrier *b = w->cta->race->barriers; b; b = b->next) {
        if (!b->fenced && b->init.cta == w->cta->index &&
            b->init.warp == w->index && (mask >> b->init.lane & 1)) {
            b->fenced = true;
            b->arrivals = tc_race_warp_of(w)->arrivals[b->init.lane];
        }
    }
}

void tc_race_mbarrier_arrive(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase) {
    if (!w->cta->run->race) {
        return;
    }
    tc_race_barrier *b = barrier_at(owner, offset);
    check_use(w, op, lane, owner, b);
    if (op->flags & TC_PM_RELAXED) {
        return;
    }
    tc_race_phase *p = phase_of(b, phase);
    if (!p->arrived || p->arrived->refs > 1) {
        tc_vclock *k = tc_vclock_copy(p->arrived);
        tc_vclock_set(&p->arrived, k);
        tc_vclock_unref(k);
    }
    tc_vclock_set(&p->over, NULL);
    tc_vclock *known = tc_race_warp_of(w)->vclock[lane];
    if (known != p->joined) {
        tc_vclock_join(p->arrived, known, w->cta->run->race->nthreads);
        tc_vclock_set(&p->joined, known);
    }
    tc_race_release_own(w, lane, p->arrived);
}

void tc_race_mbarrier_copies(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase) {
    if (!w->cta->run->race) {
        return;
    }
    tc_race_barrier *b = barrier_at(owner, offset);
    check_use(w, op, lane, owner, b);
    for (tc_batch *t = w->core->batches; t; t = t->next) {
        uint32_t bit = UINT32_C(1) << lane;
        tc_race_copy *k = t->race;
        if (!k || !(t->mask & bit) || ((k->signals | t->done) & bit)) {
            continue;
        }
        k->signals |= bit;
        k->barrier[lane] = b->id;
        k->phase[lane] = phase;
    }
}

/* The arrival for the lane's copies before that serial counts for this phase,
 * which may be a later one than at the issue: others made the first complete */
void tc_race_mbarrier_copied(tc_warp *w, int lane, tc_cta *owner,
                             uint32_t offset, uint32_t phase, uint64_t before) {
    if (!w->cta->run->race) {
        return;
    }
    uint32_t bit = UINT32_C(1) << lane, id = barrier_at(owner, offset)->id;
    for (tc_batch *t = w->core->batches; t && t->serial < before; t = t->next) {
        tc_race_copy *k = t->race;
        if (k && (k->signals & ~t->tracked & bit) && k->barrier[lane] == id) {
            k->phase[lane] = phase;
        }
    }
}

/* Reads of copies of that phase which were not in order wait no longer. */
static void settle_phase(tc_warp *w, int lane, tc_race_phase *p) {
    while (p->agents) {
        tc_race_agent *g = unlink_agent(p);
        g->waited = true;
        tc_race_settle_agent(g, w, lane, false);
    }
}

void tc_race_mbarrier_wait(tc_warp *w, const tc_ptx_op *op, int lane,
                           tc_cta *owner, uint32_t offset, uint32_t phase) {
    if (!w->cta->run->race) {
        return;
    }
    tc_race_barrier *b = barrier_at(owner, offset);
    check_use(w, op, lane, owner, b);
    if (op->flags & TC_PM_RELAXED) {
        return;
    }
    tc_race_idle_wait(w, op, lane, owner, offset, phase);
    if (phase == UINT32_MAX) { /* before the first: nobody has arrived */
        return;
    }
    tc_race_phase *p = phase_of(b, phase);
    if (!p->over) {
        p->over = tc_vclock_copy(p->arrived);
        tc_vclock_raise_phases(p->over, b->id, (uint64_t)phase + 1);
    }
    tc_race_acquire(w, UINT32_C(1) << lane, p->over);
    settle_phase(w, lane, p);
}

/* ---- proxies ---- */

static void proxy_fence(tc_warp *w, uint32_t mask) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    uint64_t clock = tc_race_epoch(w);
    for (uint32_t m = mask; m; m &= m - 1) {
        hw->fenced[tc_first_bit(m)] = clock;
    }
    hw->fences |= mask;
    hw->tick = true;
    while (mask) {
        tc_vclock *k = hw->vclock[tc_first_bit(mask)], *n = tc_vclock_copy(k);
        uint32_t same = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            same |= hw->vclock[i] == k ? UINT32_C(1) << i : 0;
        }
        tc_vclock_join_proxy(n, k, h->nthreads);
        tc_race_set_vclock(w, same, n);
        tc_vclock_unref(n);
        mask &= ~same;
    }
}

void tc_race_proxy_fence(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!w->cta->run->race) {
        return;
    }
    if (op->opcode == TC_PTX_FENCE_MBARRIER_INIT) {
        init_fence(w, mask);
    } else if (op->opcode == TC_PTX_FENCE_PROXY &&
               (op->sub2 == TC_PROXY_ASYNC ||
                op->sub2 == TC_PROXY_ASYNC_GENERIC)) {
        proxy_fence(w, mask);
    }
}

/* ---- cp.async: what it reads and writes, and who knows of it ---- */

static tc_race_copy *new_copy(tc_warp *w, const tc_batch *b) {
    tc_race_copy *k = tc_xcalloc(1, sizeof *k);
    for (int i = 0; i < TC_LANES; i++) {
        k->group[i] = -1;
    }
    k->warp = w;
    k->mask = b->mask;
    k->issue = tc_access_of(w, b->op, tc_first_bit(b->mask));
    k->next = w->cta->race->copies;
    w->cta->race->copies = k;
    w->cta->run->race->nasync++;
    return k;
}

void tc_race_copy_issued(tc_warp *w, tc_batch *b) {
    tc_race_copy *k = b->race = new_copy(w, b);
    uint64_t dst[TC_LANES];
    uint32_t record = tc_shadow_record_new(w, b->op, TC_RACE_COPY, k);
    tc_race_visit v =
        tc_race_visit_of(w, record, NULL, TC_PS_GLOBAL, b->op->size);
    uint32_t whole = 0;
    for (uint32_t m = b->mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        dst[i] = b->dst[i];
        if (b->src_size[i] == b->op->size) {
            whole |= UINT32_C(1) << i;
        } else if (b->src_size[i]) {
            v.bytes = b->src_size[i];
            tc_race_visit_bytes(&v, i, b->src[i], b->src_size[i], false);
        }
    }
    v.bytes = b->op->size;
    if (whole) {
        tc_race_visit_lanes(&v, w, b->op, whole, b->src, false,
                            tc_race_steps_of(b->src, whole, v.bytes));
    }
    v = tc_race_visit_of(w, record, w->cta->race, TC_PS_SHARED, b->op->size);
    if (tc_race_ascending(dst, b->mask)) {
        tc_race_visit_lanes(&v, w, b->op, b->mask, dst, true,
                            tc_race_steps_of(dst, b->mask, v.bytes));
        return;
    }
    for (uint32_t m = b->mask; m; m &= m - 1) {
        tc_race_visit_bytes(&v, tc_first_bit(m), dst[tc_first_bit(m)],
                            b->op->size, true);
    }
}

void tc_race_copy_committed(tc_batch *b, uint32_t lanes) {
    for (uint32_t m = lanes; m; m &= m - 1) {
        b->race->group[tc_first_bit(m)] = b->group[tc_first_bit(m)];
    }
}

void tc_race_copy_waited(tc_warp *w, const tc_ptx_op *op, tc_batch *b,
                         uint32_t lanes, uint32_t mask, int64_t n) {
    tc_race_copy *k = b->race;
    uint64_t clock = tc_race_epoch(w);
    (void)n;
    for (uint32_t m = mask & b->mask & ~(b->done & ~lanes); m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t bit = UINT32_C(1) << i;
        if (lanes & bit) {
            k->done[i] = clock;
            tc_race_settle_copy(k, i, true);
        } else {
            k->waited |= bit;
            if (k->group[i] >= 0) {
                k->wait = tc_access_of(w, op, i);
                k->wait_lanes |= bit;
                k->wait_ncommit[i] = w->core->ncommit[i];
            }
        }
    }
    if (lanes && (lanes & b->mask) == b->mask) {
        k->done_all = clock;
    }
}
