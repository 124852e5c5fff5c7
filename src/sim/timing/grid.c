/* grid.c - a grid's way over the SMs, under the clock.
 *
 * Each SM runs for a quantum of cycles, then the next one: long enough for its
 * registers to be used while they are near; what the SMs share (memsys.c) does
 * not mind that they come one after the other. CTAs of a cluster signal each
 * other: their SMs go cycle by cycle, so that nothing is seen on one of them
 * before it has happened on another. */
#include "base/progress/progress.h"
#include "sim/core/slab.h"
#include "sim/timing/sm.h"
#include "sim/timing/walk.h"
#include <stdlib.h>
#include <string.h>

enum {
    MANY = 128 /* CTAs */,
    QUANTUM = 4096,
    CLOSE = 64,
    CHECK = 4 * QUANTUM, /* cycles between looks at who still moves */
    CHECK_CLUSTERS = 4 * CLOSE,
    STARTS = 1024 /* clusters: how many begin between looks at cancel */
};
/* Cycles without progress after which those who look at the clock while they
 * wait are held to wait for ever. */
#define PATIENCE (UINT64_C(1) << 30)

/* The CTAs of one cluster: resident together. */
typedef struct tc_cluster_slot {
    tc_cta *ctas;
    tc_cta **peers;
    tc_sm **sms;                  /* where each is */
    struct tc_cluster_slot *next; /* of those of one CTA, the next on its SM */
    bool busy;
} tc_cluster_slot;

typedef struct tc_grid {
    tc_run *run;
    tc_timing *t;
    tc_cluster_slot *slots;
    uint32_t nslots, size;    /* CTAs of a slot */
    uint32_t per_sm;          /* CTAs that an SM holds */
    uint32_t started, total;  /* clusters */
    uint64_t *share;          /* the next one of each SM's own */
    tc_cluster_slot **on;     /* of one CTA: the first on each SM */
    uint32_t live;            /* slots */
    uint64_t end;             /* the last exit */
    uint64_t progress, moved; /* as seen by a check; the cycle of that one */
    uint64_t check;           /* the cycle of the next check */
    uint32_t soon;            /* so many of those come soon */
} tc_grid;

/* ---- slots ---- */

/* The next cluster for a slot: every nsms-th CTA is an SM's own, so that an SM
 * whose quantum comes first does not take what another one would have; whoever
 * has none left takes from the one that has most. */
static bool take(tc_grid *g, const tc_cluster_slot *slot, uint32_t *cluster) {
    uint64_t *share = g->share;
    if (g->started == g->total) {
        return false;
    }
    if (g->size > 1) {
        *cluster = g->started++;
        return true;
    }
    uint32_t s = slot->sms[0]->index;
    for (uint32_t i = 0; share[s] >= g->total && i < g->t->nsms; i++) {
        s = share[i] < share[s] ? i : s;
    }
    *cluster = (uint32_t)share[s];
    share[s] += g->t->nsms;
    g->started++;
    return true;
}

/* All CTAs that are resident. */
static tc_cta **resident(const tc_grid *g, uint32_t *n) {
    tc_cta **all = tc_xcalloc((size_t)g->nslots * g->size, sizeof *all);
    *n = 0;
    for (uint32_t i = 0; i < g->nslots * g->size; i++) {
        if (g->slots[i / g->size].busy) {
            all[(*n)++] = &g->slots[i / g->size].ctas[i % g->size];
        }
    }
    return all;
}

static void with_resident(tc_grid *g, void tell(tc_run *r, tc_cta *const *ctas,
                                                uint32_t n)) {
    uint32_t n;
    tc_cta **all = resident(g, &n);
    tell(g->run, all, n);
    free(all);
}

static bool cancelled(const tc_run *r) {
    const atomic_int *c = r->sim->options.cancel;
    return c && *c;
}

/* A quantum may start millions of clusters. */
static void start(tc_grid *g, tc_cluster_slot *slot) {
    uint32_t cluster;
    if (g->started % STARTS == 0 && cancelled(g->run)) {
        with_resident(g, g->run->hooks->cancelled);
    }
    if (g->run->stopped || !take(g, slot, &cluster)) {
        return;
    }
    for (uint32_t i = 0; i < g->size; i++) {
        tc_cta *c = &slot->ctas[i];
        tc_cta_start(c, tc_cta_index(g->run, cluster, i));
        slot->sms[i]->nctas++;
        uint64_t at = tc_sm_launch(g->t, slot->sms[i]);
        for (uint32_t k = 0; k < c->nwarps; k++) {
            tc_sm_add(slot->sms[i], &c->warps[k],
                      at + (uint64_t)k * g->t->p->warp_launch);
        }
        tc_sm_launched(g->t, slot->sms[i], c->nwarps);
    }
    slot->busy = true;
    g->live++;
}

/* A place for each CTA of the slot, from SM `from` on. */
static bool place(tc_grid *g, tc_cluster_slot *slot, uint32_t from) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < g->t->nsms * g->per_sm && found < g->size; i++) {
        tc_sm *sm = &g->t->sms[(from + i) % g->t->nsms];
        uint32_t here = sm->nctas;
        for (uint32_t k = 0; k < found; k++) {
            here += slot->sms[k] == sm;
        }
        if (here < g->per_sm && here <= i / g->t->nsms + sm->nctas) {
            slot->sms[found++] = sm;
        }
    }
    if (found && g->size == 1) {
        slot->next = g->on[slot->sms[0]->index];
        g->on[slot->sms[0]->index] = slot;
    }
    return found == g->size;
}

static void make(tc_grid *g, tc_cluster_slot *slot) {
    slot->ctas = tc_xcalloc(g->size, sizeof *slot->ctas);
    slot->peers = tc_xcalloc(g->size, sizeof *slot->peers);
    slot->sms = tc_xcalloc(g->size, sizeof *slot->sms);
    for (uint32_t i = 0; i < g->size; i++) {
        tc_cta_init(&slot->ctas[i], g->run);
    }
    tc_cta_bind(slot->ctas, slot->peers, g->size);
}

/* Round after round: one CTA to each SM, then a second one, ... */
static void fill(tc_grid *g) {
    for (uint32_t i = 0; i < g->nslots; i++) {
        make(g, &g->slots[i]);
        if (!place(g, &g->slots[i], i * g->size % g->t->nsms)) {
            return;
        }
        start(g, &g->slots[i]);
    }
}

static bool ended(const tc_grid *g, const tc_cluster_slot *slot) {
    for (uint32_t i = 0; i < g->size; i++) {
        if (slot->ctas[i].nlive) {
            return false;
        }
    }
    return true;
}

/* Its place is free at sm's cycle: the next cluster starts there. */
static void retire(tc_grid *g, tc_cluster_slot *slot, uint64_t now) {
    for (uint32_t i = 0; i < g->size; i++) {
        tc_sm_drop(slot->sms[i], &slot->ctas[i]);
        slot->sms[i]->nctas--;
    }
    tc_cluster_finish(slot->ctas, g->size);
    slot->busy = false;
    g->live--;
    tc_progress_add(g->size);
    g->end = now > g->end ? now : g->end;
    start(g, slot);
}

static void retire_ended(tc_grid *g, const tc_sm *sm, uint64_t now) {
    for (tc_cluster_slot *o = g->on[sm->index]; o; o = o->next) {
        if (o->busy && o->ctas[0].nlive == 0) {
            retire(g, o, now);
        }
    }
    for (uint32_t i = 0; g->size > 1 && i < g->nslots; i++) {
        if (g->slots[i].busy && ended(g, &g->slots[i])) {
            retire(g, &g->slots[i], now);
        }
    }
}

/* ---- the grid ---- */

/* What those who could go on by themselves do, all of them. */
typedef struct tc_spinners {
    bool repeat; /* come back to a state in which they were */
    bool ask;    /* that, or have last been told no by an mbarrier */
} tc_spinners;

static void look_at(tc_warp *w, tc_spinners *all) {
    tc_warp_save(w);
    bool ready = false;
    for (int k = 0; k < w->core->nsplit; k++) {
        uint8_t st = w->core->split[k].state;
        ready |= st == TC_SPLIT_READY || st == TC_SPLIT_UNTIL;
    }
    if (ready) {
        /* Who has not issued since waits for a unit: he has not come back. */
        bool issued =
            w->core->next != w->core->loop_next && !tc_walk_still(w->core);
        bool loops = issued ? tc_warp_loops(w)
                            : w->core->looping && w->core->loop_progress ==
                                                      w->cta->run->progress;
        w->core->loop_next = w->core->next;
        all->repeat &= loops;
        all->ask &= loops || w->core->poll_progress == w->cta->run->progress;
    }
}

static tc_spinners spinners(tc_grid *g) {
    tc_spinners all = {true, true};
    for (uint32_t i = 0; i < g->nslots * g->size; i++) {
        tc_cta *c = &g->slots[i / g->size].ctas[i % g->size];
        for (uint32_t j = 0; c && g->slots[i / g->size].busy && j < c->nwarps;
             j++) {
            if (c->warps[j].alive) {
                look_at(&c->warps[j], &all);
            }
        }
    }
    return all;
}

/* How many CTAs an SM holds (CUDA C++ Programming Guide, occupancy): threads,
 * shared memory with the system's KiB, registers by warps of 256. */
uint32_t tc_timing_residency(const tc_run *r, uint32_t regs) {
    const tc_machine *mc = r->machine;
    const uint32_t *b = r->launch->block;
    uint32_t warps = (b[0] * b[1] * b[2] + 31) / 32, n = mc->max_ctas_sm;
    uint32_t by_threads = mc->max_threads_sm / (warps * 32);
    uint32_t by_shared = mc->shared_sm / (r->shared_bytes + 1024);
    uint32_t by_regs = mc->registers_sm / ((regs + 7) / 8 * 8 * 32 * warps);
    n = n < by_threads ? n : by_threads;
    n = n < by_shared ? n : by_shared;
    return n < by_regs ? n : by_regs;
}

uint32_t tc_ctas_per_sm(tc_run *r) {
    uint32_t regs = r->launch->registers
                        ? r->launch->registers
                        : tc_register_estimate(r->module, r->func);
    uint32_t n = tc_timing_residency(r, regs);
    r->counters.registers = regs;
    return r->counters.ctas_per_sm = n ? n : 1;
}

static void begin(tc_grid *g, tc_run *r) {
    const uint32_t *n = r->launch->grid;
    uint32_t ctas = n[0] * n[1] * n[2];
    g->run = r;
    g->t = r->timing;
    g->size = r->cluster[0] * r->cluster[1] * r->cluster[2];
    g->total = ctas / g->size;
    g->per_sm = tc_ctas_per_sm(r);
    g->t->nsms = r->machine->sms < ctas ? r->machine->sms : ctas;
    g->t->sms = tc_xcalloc(g->t->nsms, sizeof *g->t->sms);
    g->share = tc_xcalloc(g->t->nsms, sizeof *g->share);
    g->on = tc_xcalloc(g->t->nsms, sizeof *g->on);
    for (uint32_t i = 0; i < g->t->nsms; i++) {
        g->t->sms[i].index = i;
        for (uint32_t k = 0; k < TC_SCHEDULERS; k++) {
            g->t->sms[i].scheduler[k].wheel.first = UINT64_MAX;
        }
        g->share[i] = i;
    }
    g->t->memory =
        tc_memsys_new(g->t->p, g->t->nsms, (r->shared_bytes + 1024) * g->per_sm,
                      &r->counters, g->t->tags, tc_timing_l2(r->sim));
    uint64_t most = (uint64_t)g->t->nsms * g->per_sm / g->size;
    most = most < 1 ? 1 : most;
    g->nslots = most < g->total ? (uint32_t)most : g->total;
    g->slots = tc_xcalloc(g->nslots, sizeof *g->slots);
    if (g->nslots * g->size >= MANY) {
        r->slab = r->sim->slab ? r->sim->slab : tc_slab_new();
        r->sim->slab = NULL;
    }
    fill(g);
}

/* All clusters end before any goes: a transfer that is over may still wait for
 * its event, and names its warp. */
static void finish(tc_grid *g) {
    for (uint32_t i = 0; i < g->nslots; i++) {
        if (g->slots[i].busy) {
            tc_cluster_finish(g->slots[i].ctas, g->size);
        }
    }
    for (uint32_t i = 0; i < g->nslots; i++) {
        tc_cluster_slot *slot = &g->slots[i];
        for (uint32_t k = 0; slot->ctas && k < g->size; k++) {
            tc_cta_free(&slot->ctas[k]);
        }
        free(slot->ctas);
        free(slot->peers);
        free(slot->sms);
    }
    free(g->slots);
    if (g->run->slab) {
        tc_slab_rewind(g->run->slab);
        g->run->sim->slab = g->run->slab;
        g->run->slab = NULL;
    }
    free(g->share);
    free(g->on);
}

/* Lands what nobody can go on without, the oldest first. */
static bool force(tc_grid *g) {
    uint32_t n;
    tc_cta **all = resident(g, &n);
    bool landed = g->run->hooks->force(g->run, all, n);
    free(all);
    return landed;
}

/* Nobody can go on: what has not landed lands; else it is a deadlock. */
static void stuck(tc_grid *g) {
    if (!force(g)) {
        uint32_t n;
        tc_cta **all = resident(g, &n);
        g->run->hooks->deadlock(g->run, all, n, g->total - g->started);
        free(all);
    }
}

/* Does everybody who will wake up by himself only wait for an mbarrier, until
 * his time is over? */
static bool only_suspended(tc_grid *g) {
    uint32_t n;
    tc_cta **all = resident(g, &n);
    bool only = true;
    for (uint32_t i = 0; i < n && only; i++) {
        for (uint32_t j = 0; j < all[i]->nwarps && only; j++) {
            const tc_warp *w = &all[i]->warps[j];
            only &= !w->alive || w->core->cur < 0; /* else it will issue */
            for (int k = 0; k < w->core->nsplit && w->alive; k++) {
                const tc_split *s = &w->core->split[k];
                only &= s->state != TC_SPLIT_READY &&
                        (s->state != TC_SPLIT_UNTIL || s->mbarrier);
            }
        }
    }
    free(all);
    return only;
}

/* Runs every SM to the quantum's end; the next cycle with something to do. Cut
 * short where it is cancelled. */
static uint64_t quantum(tc_grid *g, uint64_t end) {
    uint64_t soonest = UINT64_MAX;
    for (uint32_t i = 0;
         i < g->t->nsms && !g->run->stopped && !cancelled(g->run); i++) {
        tc_sm *sm = &g->t->sms[i];
        if (sm->nctas) {
            uint64_t t;
            while (tc_sm_run(g->t, sm, end, &t)) {
                g->end = sm->now - 1 > g->end ? sm->now - 1 : g->end;
                retire_ended(g, sm, sm->now - 1);
            }
            soonest = t < soonest ? t : soonest;
        } else {
            sm->now = end;
        }
    }
    /* An SM that had its turn may have been woken by a later one. */
    for (uint32_t i = 0; i < g->t->nsms; i++) {
        const tc_sm *sm = &g->t->sms[i];
        for (uint32_t s = 0; s < TC_SCHEDULERS && sm->nctas; s++) {
            uint64_t due = sm->due[s];
            soonest = due < soonest ? due : soonest;
        }
    }
    return soonest;
}

/* Now and then: does anybody but the clock still move? Copies that the policy
 * lets land at any time then do, one by one; TIMING's have their time. Did one
 * land? */
static bool check(tc_grid *g, uint64_t now) {
    tc_run *r = g->run;
    bool late = r->completion == TC_COMPLETE_LATE ||
                r->completion == TC_COMPLETE_RANDOM;
    tc_spinners all = spinners(g);
    if (r->progress != g->progress) {
        g->progress = r->progress;
        g->moved = now;
    } else if (all.ask && late && force(g)) {
        return true;
    }
    if (all.repeat || (all.ask && now - g->moved > PATIENCE)) {
        stuck(g);
    }
    return false;
}

/* Does everybody wait for what the policy lets land at any time? Under TIMING
 * copies have their time, and an event. */
static bool waits_for_copies(tc_grid *g, uint64_t end, uint64_t soonest) {
    return g->run->completion != TC_COMPLETE_TIMING && soonest > end + CLOSE &&
           only_suspended(g);
}

/* After a quantum that ended at `end`; returns when there is something to do
 * again. */
static uint64_t look_around(tc_grid *g, uint64_t end, uint64_t soonest,
                            bool moved, uint64_t often) {
    tc_run *r = g->run;
    if (soonest == UINT64_MAX && !moved) {
        stuck(g);
    } else if (waits_for_copies(g, end, soonest) &&
               r->hooks->force(r, NULL, 0)) {
        return end;
    } else if (end >= g->check) {
        g->soon = check(g, end) ? 2 : g->soon - (g->soon > 0);
        g->check = end + (g->soon ? CLOSE : often); /* the next one may too */
    }
    return soonest;
}

void tc_timing_grid(tc_run *r) {
    tc_grid g = {0};
    uint64_t stop = r->launch->stops ? r->launch->stop_at : UINT64_MAX;
    r->deadline = UINT64_MAX;
    begin(&g, r);
    /* Those that poll global memory: keep their SMs close in time. */
    const bool polls = g.size == 1 && g.t->nsms > 1 && tc_timing_polls(r);
    const uint64_t length = g.size > 1 ? 1 : polls ? CLOSE : QUANTUM;
    const uint64_t often = g.size > 1 ? CHECK_CLUSTERS : CHECK;
    uint64_t end = length;
    g.check = often;
    while (g.live && !r->stopped) {
        uint64_t progress = r->progress;
        end = end < stop ? end : stop;
        uint64_t soonest = quantum(&g, end);
        if (cancelled(r) && g.live && !r->stopped) {
            with_resident(&g, r->hooks->cancelled);
        }
        if (!g.live || r->stopped) {
            break;
        }
        if (end == stop) {
            with_resident(&g, r->hooks->capture);
            break;
        }
        soonest = look_around(&g, end, soonest, r->progress != progress, often);
        end = soonest != UINT64_MAX && soonest > end ? soonest + length
                                                     : end + length;
    }
    g.end = r->stopped ? g.end : tc_timing_later(g.end, r->timing->drained);
    r->cycle = g.end > r->cycle || !r->stopped ? g.end : r->cycle;
    tc_timing_count(r->timing, &r->counters);
    finish(&g);
}
