/* cluster.c - clusters: their barrier (PTX ISA 9.7.13.3), and the use of
 * another CTA's shared memory while that CTA runs (5.1.6: from when it is known
 * to have started until it ends). */
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <stdlib.h>
#include <string.h>

/* The barrier of one cluster. Threads that arrive for the nth time publish to
 * one of two slots in turn: nobody arrives again before all have waited. */
typedef struct tc_race_cluster {
    struct tc_race_cluster *next;
    uint32_t first; /* index of the cluster's first CTA */
    struct {
        uint32_t count;
        tc_vclock *arrived, *over;
    } slot[2];
} tc_race_cluster;

/* An access to another CTA's shared memory. */
typedef struct tc_race_remote {
    struct tc_race_remote *next;
    tc_access by;
    uint64_t clock; /* the latest */
    tc_race_agent *agent;
    uint64_t offset;
    uint32_t bytes;
} tc_race_remote;

static uint32_t first_of(const tc_cta *c) {
    return c->peers && c->peers[0] ? c->peers[0]->index : c->index;
}

static void clear(tc_race_cluster *k) {
    for (int i = 0; i < 2; i++) {
        tc_vclock_set(&k->slot[i].arrived, NULL);
        tc_vclock_set(&k->slot[i].over, NULL);
        k->slot[i].count = 0;
    }
}

void tc_race_async_free(tc_race *h) {
    while (h->clusters) {
        tc_race_cluster *k = h->clusters;
        h->clusters = k->next;
        clear(k);
        free(k);
    }
    tc_race_settle_doubts(h);
}

/* One of a cluster that has ended is used again. */
static tc_race_cluster *cluster_of(tc_race *h, const tc_cta *c) {
    tc_race_cluster *spare = NULL;
    for (tc_race_cluster *k = h->clusters; k; k = k->next) {
        if (k->first == first_of(c)) {
            return k;
        }
        spare = tc_race_live(h, k->first) ? spare : k;
    }
    if (!spare) {
        spare = tc_xcalloc(1, sizeof *spare);
        spare->next = h->clusters;
        h->clusters = spare;
    }
    clear(spare);
    spare->first = first_of(c);
    return spare;
}

void tc_race_cluster_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_race *h = w->cta->run->race;
    if (!h) {
        return;
    }
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_race_cluster *k = cluster_of(h, w->cta);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t n = ++hw->arrivals[i];
        if (k->slot[n & 1].count != n) {
            tc_vclock *fresh = tc_vclock_copy(NULL);
            tc_vclock_set(&k->slot[n & 1].over, NULL);
            tc_vclock_set(&k->slot[n & 1].arrived, fresh);
            tc_vclock_unref(fresh);
            k->slot[n & 1].count = n;
        }
        tc_vclock *into = k->slot[n & 1].arrived;
        into->runs |= UINT32_C(1) << w->cta->rank % 32;
        if (!(op->flags & TC_PM_RELAXED)) {
            tc_race_release(w, i, into);
        } else if (hw->releases >> i & 1) { /* a release pattern */
            tc_vclock_join(into, hw->release[i], h->nthreads);
        }
    }
}

void tc_race_cluster_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_race *h = w->cta->run->race;
    (void)op;
    if (!h) {
        return;
    }
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_race_cluster *k = cluster_of(h, w->cta);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t n = hw->arrivals[i];
        if (k->slot[n & 1].count != n || !n) {
            continue;
        }
        if (!k->slot[n & 1].over) {
            k->slot[n & 1].over = tc_vclock_copy(k->slot[n & 1].arrived);
        }
        tc_race_acquire(w, UINT32_C(1) << i, k->slot[n & 1].over);
        hw->phase[i]++;
    }
    hw->position = 0;
}

/* ---- another CTA's memory ---- */

void tc_race_remotes_free(tc_race_cta *z) {
    while (z->remotes) {
        tc_race_remote *m = z->remotes;
        z->remotes = m->next;
        if (m->agent) {
            m->agent->listed--;
        }
        free(m);
    }
}

static tc_finding finding_of(const tc_race_remote *m, tc_finding_kind kind) {
    return (tc_finding){.kind = kind,
                        .space = TC_PS_SHARED,
                        .address = m->offset,
                        .bytes = m->bytes,
                        .to = m->bytes,
                        .at = m->by,
                        .missing = kind == TC_FINDING_REMOTE_EXITED
                                       ? TC_MISSING_CLUSTER_END
                                       : TC_MISSING_CLUSTER_START};
}

/* Says what is wrong already. False: the memory is no more. */
static bool alive(tc_race *h, tc_cta *owner, const tc_vclock *k,
                  const tc_race_remote *m) {
    if (owner->ended || !tc_race_live(h, owner->index)) {
        tc_finding f = finding_of(m, TC_FINDING_REMOTE_EXITED);
        tc_race_find(h->run, &f);
        return false;
    }
    if (!(k->runs >> owner->rank % 32 & 1)) {
        tc_finding f = finding_of(m, TC_FINDING_CLUSTER_SYNC);
        tc_race_find(h->run, &f);
    }
    return true;
}

static void keep(tc_race_cta *z, const tc_race_remote *m) {
    for (tc_race_remote *e = z->remotes; e && !m->agent; e = e->next) {
        if (e->by.op == m->by.op && e->by.cta == m->by.cta && !e->agent &&
            e->by.warp == m->by.warp && e->by.lane == m->by.lane) {
            e->by = m->by;
            e->clock = m->clock;
            return;
        }
    }
    tc_race_remote *e = tc_xmalloc(sizeof *e);
    *e = *m;
    e->next = z->remotes;
    z->remotes = e;
}

void tc_race_remote_transfer(tc_race_agent *g, tc_cta *owner, uint64_t offset,
                             uint32_t bytes) {
    tc_race_remote m = {.by = g->issue,
                        .clock = g->issued,
                        .offset = offset,
                        .bytes = bytes,
                        .agent = g};
    if (alive(g->h, owner, g->vclock, &m)) {
        m.agent = g;
        keep(owner->race, &m);
        g->listed++;
    }
}

/* Loads, stores and atomics are visited here; of barriers only the order of
 * lives is looked at, and a transfer has its own say (above). */
void tc_race_remote_access(tc_warp *w, const tc_ptx_op *op, int lane,
                           tc_cta *owner, uint64_t offset, uint32_t bytes) {
    tc_race *h = w->cta->run->race;
    if (!h || owner == w->cta || !owner->race) {
        return;
    }
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_ptx_effect effect = tc_ptx_effect_of(op);
    bool atomic = effect == TC_PTX_EFFECT_ATOMIC;
    bool load = effect == TC_PTX_EFFECT_LOAD, store = !load;
    bool access = atomic || load || effect == TC_PTX_EFFECT_STORE;
    bool thread = access || effect == TC_PTX_EFFECT_MBARRIER;
    tc_race_remote m = {
        .by = tc_access_of(w, op, lane), .offset = offset, .bytes = bytes};
    if (!alive(h, owner, hw->vclock[lane], &m) || !thread) {
        return;
    }
    m.clock = tc_race_epoch(w);
    keep(owner->race, &m);
    if (!access) {
        return;
    }
    uint64_t addr[TC_LANES] = {0};
    bool strong = atomic || (op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED |
                                          TC_PM_ACQUIRE | TC_PM_RELEASE));
    uint32_t bit = UINT32_C(1) << lane;
    addr[lane] = offset;
    if (strong && (atomic || !store)) {
        tc_race_strong(w, op, owner->race, bit, addr, TC_RACE_STRONG_LOAD);
    }
    uint8_t flags = store ? TC_RACE_STORE : 0;
    uint32_t record = tc_shadow_record_get(
        w, op, (uint8_t)(flags | (atomic ? TC_RACE_STRONG : 0)));
    tc_race_visit v =
        tc_race_visit_of(w, record, owner->race, TC_PS_SHARED, bytes);
    tc_race_visit_bytes(&v, lane, offset, bytes, store);
    if (strong && store) {
        tc_race_strong(w, op, owner->race, bit, addr,
                       atomic ? TC_RACE_STRONG_ATOMIC : TC_RACE_STRONG_STORE);
    }
}

static bool vclock_at_end(const tc_cta *c, const tc_race_remote *m) {
    const tc_vclock *last = NULL;
    uint32_t t = m->by.warp * TC_LANES + m->by.lane;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        for (uint32_t v = c->warps[i].valid; v; v &= v - 1) {
            const tc_vclock *k = c->race->warps[i].vclock[tc_first_bit(v)];
            if (k == last) {
                continue;
            }
            last = k;
            if (m->agent
                    ? tc_race_agent_vclock(m->agent, k, false, false)
                    : tc_vclock_covers_threads(k, m->by.cta, t, 1, m->clock)) {
                return true;
            }
        }
    }
    return false;
}

/* The oldest first, as they are told. */
static void reverse(tc_race_remote **list) {
    tc_race_remote *back = NULL;
    for (tc_race_remote *m = *list, *next; m; m = next) {
        next = m->next;
        m->next = back;
        back = m;
    }
    *list = back;
}

void tc_race_remotes_check(tc_cta *c) {
    reverse(&c->race->remotes);
    for (const tc_race_remote *m = c->race->remotes; m; m = m->next) {
        if (!vclock_at_end(c, m)) {
            tc_finding f = finding_of(m, TC_FINDING_REMOTE_EXITED);
            tc_race_find(c->run, &f);
        }
    }
}
