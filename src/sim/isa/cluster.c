/* cluster.c - thread block clusters (PTX ISA 2.2.2): addresses of another CTA's
 * shared memory (9.7.9.23 mapa, 9.7.9.24 getctarank) and the cluster's barrier
 * (9.7.13.3). */
#include "sim/alu/alu.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"

bool tc_cluster_access(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       const uint64_t *addr, uint32_t bytes, bool store) {
    tc_run *r = w->cta->run;
    int first = tc_first_bit(mask);
    uint64_t offset[TC_LANES] = {0};
    tc_cta *owner = tc_cluster_owner(w->cta, addr[first], &offset[first]);
    if (owner != w->cta && owner->ended) {
        tc_finding_fault(w, op, first, TC_FINDING_REMOTE_EXITED, TC_PS_SHARED,
                         offset[first], bytes, TC_DETAIL_NONE);
        return false;
    }
    if (!r->race && !r->timing && !r->trace) {
        return true;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        offset[i] = addr[i] & TC_CLUSTER_OFFSET;
        if (owner != w->cta && r->race) {
            tc_race_remote_access(w, op, i, owner, offset[i], bytes);
        }
    }
    bool own = owner == w->cta;
    tc_isa_observe(w, op, own ? TC_PS_SHARED : TC_PS_CLUSTER, mask,
                   own ? offset : addr, bytes, store);
    return true;
}

/* ---- addresses ---- */

/* Generic addresses keep their window; a shared::cluster one has none. */
static uint64_t window_of(const tc_ptx_op *op) {
    return op->space == TC_PS_CLUSTER ? 0 : TC_WINDOW_SHARED;
}

/* A rank that the cluster does not have gives an address that no CTA has: the
 * access faults. */
static uint64_t map_address(uint64_t address, uint32_t rank, uint64_t window) {
    uint64_t most = (UINT64_C(1) << (32 - TC_CLUSTER_SHIFT)) - 2;
    if (address - window >= TC_WINDOW_BYTES) {
        return address; /* no shared memory: there is nothing to map */
    }
    uint64_t r = rank < most ? rank : most;
    return window + ((r + 1) << TC_CLUSTER_SHIFT) +
           ((address - window) & TC_CLUSTER_OFFSET);
}

void tc_sim_op_MAPA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t tmp[TC_LANES], out[TC_LANES];
    uint32_t ranks[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], tmp);
    const uint32_t *rank = tc_src32(w, &op->a[2], ranks);
    for (int i = 0; i < TC_LANES; i++) {
        out[i] = map_address(a[i], rank[i], window_of(op));
    }
    tc_put64(w, &op->a[0], out, mask);
}

void tc_sim_op_GETCTARANK(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t tmp[TC_LANES];
    uint32_t out[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], tmp);
    for (int i = 0; i < TC_LANES; i++) {
        uint64_t rank = (a[i] - window_of(op)) >> TC_CLUSTER_SHIFT;
        out[i] = rank && rank <= w->cta->ncluster ? (uint32_t)rank - 1
                                                  : w->cta->rank;
    }
    tc_put32(w, &op->a[0], out, mask);
}

/* ---- barrier.cluster: 9.7.13.3 ---- */

static tc_cta *peer(tc_cta *c, uint32_t i) {
    return c->peers ? c->peers[i] : c;
}

static bool all_arrived(tc_cta *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->ncluster; i++) {
        const tc_cta *p = peer(c, i);
        for (uint32_t j = 0; j < p->nwarps; j++) {
            const tc_warp *w = &p->warps[j];
            if (w->alive & ~w->core->cl_arrived) {
                return false;
            }
            any |= w->core->cl_arrived != 0;
        }
    }
    return any;
}

const tc_ptx_op *tc_cluster_arrivals(tc_cta *c, uint32_t *arrived,
                                     uint32_t *live) {
    const tc_ptx_op *op = NULL;
    *arrived = *live = 0;
    for (uint32_t i = 0; i < c->ncluster; i++) {
        const tc_cta *p = peer(c, i);
        for (uint32_t j = 0; j < p->nwarps; j++) {
            const tc_warp *w = &p->warps[j];
            uint32_t came = w->alive & w->core->cl_arrived;
            *live += tc_popc(w->alive);
            *arrived += tc_popc(came);
            op = op || !came ? op : w->core->cl_op;
        }
    }
    return op;
}

/* An aligned arrive is for the whole warp. */
static void report_gone(tc_warp *w) {
    const tc_warp_core *k = w->core;
    uint32_t gone = w->valid & ~w->alive & ~k->cl_arrived;
    if (!gone || !k->cl_arrived || !(k->cl_op->flags & TC_PM_ALIGNED)) {
        return;
    }
    tc_finding f = {
        .kind = TC_FINDING_BARRIER_DIVERGENCE,
        .at = tc_access_of(w, k->cl_op, tc_first_bit(k->cl_arrived)),
        .lanes = tc_popc(gone),
        .detail = {.row = TC_DETAIL_CLUSTER_ENDED, .count = tc_popc(gone)}};
    tc_finding_add(w->cta->run, &f);
}

static void release_warp(tc_warp *w) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    if (r->sim->options.hazards) {
        report_gone(w);
    }
    uint64_t at = r->timing ? r->cycle + tc_timing_cluster(w->cta) : 0;
    k->cl_done = at;
    k->cl_owed |= k->cl_arrived;
    k->cl_arrived = 0;
    for (int i = 0; i < k->nsplit && w->alive; i++) {
        tc_split *s = &k->split[i];
        if (s->state == TC_SPLIT_CLUSTER) {
            tc_warp_release(w, s, at); /* issues its wait again */
        }
    }
}

void tc_cluster_check(tc_cta *c) {
    if (!all_arrived(c)) {
        return;
    }
    c->run->progress++;
    c->run->counters.barriers++;
    for (uint32_t i = 0; i < c->ncluster; i++) {
        tc_cta *p = peer(c, i);
        for (uint32_t j = 0; j < p->nwarps; j++) {
            release_warp(&p->warps[j]);
        }
    }
}

void tc_sim_op_BARRIER_CLUSTER_ARRIVE(tc_warp *w, const tc_ptx_op *op,
                                      uint32_t mask) {
    tc_warp_core *k = w->core;
    w->cta->run->clusters = true;
    if ((op->flags & TC_PM_ALIGNED) &&
        !tc_warp_converged(w, op, mask, w->alive)) {
        return;
    }
    uint32_t twice = mask & (k->cl_arrived | k->cl_owed);
    if (twice) {
        tc_finding f = {.kind = TC_FINDING_CLUSTER_SYNC,
                        .at = tc_access_of(w, op, tc_first_bit(twice)),
                        .lanes = tc_popc(twice),
                        .detail.row = TC_DETAIL_CLUSTER_TWICE};
        tc_finding_add(w->cta->run, &f);
    }
    tc_race_cluster_arrive(w, op, mask);
    k->cl_owed &= ~mask;
    k->cl_arrived |= mask;
    k->cl_op = op;
    tc_cluster_check(w->cta);
}

static uint32_t first_of(const tc_cta *c) {
    return c->peers && c->peers[0] ? c->peers[0]->index : c->index;
}

static void trace_wait(tc_warp *w, const tc_ptx_op *op, uint32_t lanes) {
    if (w->cta->run->trace) {
        tc_observe_event(w, op, TC_TRACE_BARRIER, TC_UNIT_BARRIER, lanes,
                         (tc_trace_event){.cycle = w->core->cl_since,
                                          .group = -1,
                                          .bytes = -1,
                                          .object = TC_OBJECT_CLUSTER,
                                          .owner = first_of(w->cta),
                                          .barrier = TC_BARRIERS});
    }
    w->core->cl_since = 0;
}

void tc_sim_op_BARRIER_CLUSTER_WAIT(tc_warp *w, const tc_ptx_op *op,
                                    uint32_t mask) {
    tc_warp_core *k = w->core;
    uint64_t now = w->cta->run->cycle;
    uint32_t pass = mask & k->cl_owed, stay = mask & ~pass;
    if (pass && now < k->cl_done) { /* all have arrived; it is on its way */
        k->cl_since = k->cl_since ? k->cl_since : now;
        tc_warp_block(w, pass, k->pc - 1, TC_SPLIT_UNTIL, op)->until =
            k->cl_done;
        pass = 0;
    }
    k->cl_owed &= ~pass;
    if (pass) {
        tc_race_cluster_wait(w, op, pass);
        trace_wait(w, op, pass);
    }
    if (stay) {
        k->cl_since = k->cl_since ? k->cl_since : now;
        tc_warp_block(w, stay, k->pc - 1, TC_SPLIT_CLUSTER, op);
    }
}

/* 9.7.13.4: only the checker has anything to do. */
void tc_sim_op_FENCE_MBARRIER_INIT(tc_warp *w, const tc_ptx_op *op,
                                   uint32_t mask) {
    tc_race_proxy_fence(w, op, mask);
}
