/* sm.c - the SMs: four schedulers each, and the grid's way over them.
 *
 * Each SM runs for a quantum of cycles, then the next one: shorter than the
 * way to L2 and back, so that what they share is nearly in the order of time.
 * A scheduler issues one op a cycle: the warp that issued last while it can,
 * else the next one that can. */
#include "sim/mbarrier.h"
#include "sim/timing.h"
#include "sim/transfer.h"
#include <stdlib.h>
#include <string.h>

enum { QUANTUM = 256, CHECK = 64 /* quanta */ };

/* The CTAs of one cluster: resident together. */
typedef struct tc_gang {
    tc_cta *ctas;
    tc_cta **peers;
    tc_sm **sms; /* where each is */
    bool busy;
} tc_gang;

typedef struct tc_grid {
    tc_run *run;
    tc_timing *t;
    tc_gang *gangs;
    uint32_t ngangs, size; /* CTAs of a gang */
    uint32_t per_sm;       /* CTAs that an SM holds */
    uint32_t next, total;  /* clusters */
    uint32_t live;         /* gangs */
    uint64_t end;          /* the last exit */
} tc_grid;

/* ---- warps in and out of an SM ---- */

static void add_warp(tc_sm *sm, tc_warp *w) {
    uint32_t s = 0;
    for (uint32_t i = 1; i < TC_SCHEDULERS; i++) {
        s = sm->nwarps[i] < sm->nwarps[s] ? i : s;
    }
    uint32_t n = sm->nwarps[s]++;
    sm->warp[s][n] = w;
    sm->wake[s][n] = 0;
    sm->due[s] = 0;
    w->core->wake = &sm->wake[s][n];
    w->core->due = &sm->due[s];
    w->core->next = sm->now;
}

static void drop_warps(tc_sm *sm, const tc_cta *c) {
    for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
        uint32_t keep = 0;
        for (uint32_t i = 0; i < sm->nwarps[s]; i++) {
            tc_warp *w = sm->warp[s][i];
            if (w->cta == c) {
                w->core->wake = NULL;
                continue;
            }
            sm->warp[s][keep] = w;
            sm->wake[s][keep] = 0; /* asked again */
            w->core->wake = &sm->wake[s][keep++];
        }
        sm->nwarps[s] = keep;
        sm->last[s] = 0;
        sm->due[s] = 0;
    }
}

/* ---- gangs ---- */

static void start(tc_grid *g, tc_gang *gang) {
    for (uint32_t i = 0; i < g->size; i++) {
        tc_cta *c = &gang->ctas[i];
        tc_cta_start(c, tc_cta_index(g->run, g->next, i));
        gang->sms[i]->nctas++;
        for (uint32_t k = 0; k < c->nwarps; k++) {
            add_warp(gang->sms[i], &c->warps[k]);
        }
    }
    gang->busy = true;
    g->live++;
    g->next++;
}

/* A place for each CTA of the gang, from SM `from` on. */
static bool place(tc_grid *g, tc_gang *gang, uint32_t from) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < g->t->nsms * g->per_sm && found < g->size; i++) {
        tc_sm *sm = &g->t->sms[(from + i) % g->t->nsms];
        uint32_t here = sm->nctas;
        for (uint32_t k = 0; k < found; k++) {
            here += gang->sms[k] == sm;
        }
        if (here < g->per_sm && here <= i / g->t->nsms + sm->nctas) {
            gang->sms[found++] = sm;
        }
    }
    return found == g->size;
}

static void make(tc_grid *g, tc_gang *gang) {
    gang->ctas = tc_xcalloc(g->size, sizeof *gang->ctas);
    gang->peers = tc_xcalloc(g->size, sizeof *gang->peers);
    gang->sms = tc_xcalloc(g->size, sizeof *gang->sms);
    for (uint32_t i = 0; i < g->size; i++) {
        tc_cta_init(&gang->ctas[i], g->run);
    }
    tc_cta_bind(gang->ctas, gang->peers, g->size);
}

/* Round after round: one CTA to each SM, then a second one, ... */
static void fill(tc_grid *g) {
    for (uint32_t i = 0; i < g->ngangs && g->next < g->total; i++) {
        make(g, &g->gangs[i]);
        if (!place(g, &g->gangs[i], i * g->size % g->t->nsms)) {
            return;
        }
        start(g, &g->gangs[i]);
    }
}

static bool ended(const tc_grid *g, const tc_gang *gang) {
    for (uint32_t i = 0; i < g->size; i++) {
        if (gang->ctas[i].nlive) {
            return false;
        }
    }
    return true;
}

/* Its place is free at sm's cycle: the next cluster starts there. */
static void retire(tc_grid *g, tc_gang *gang, uint64_t now) {
    for (uint32_t i = 0; i < g->size; i++) {
        drop_warps(gang->sms[i], &gang->ctas[i]);
        gang->sms[i]->nctas--;
    }
    tc_cluster_finish(gang->ctas, g->size);
    gang->busy = false;
    g->live--;
    g->end = now > g->end ? now : g->end;
    if (g->next < g->total && !g->run->stopped) {
        start(g, gang);
    }
}

static void retire_ended(tc_grid *g, uint64_t now) {
    for (uint32_t i = 0; i < g->ngangs; i++) {
        if (g->gangs[i].busy && ended(g, &g->gangs[i])) {
            retire(g, &g->gangs[i], now);
        }
    }
}

/* ---- one SM ---- */

/* Cycles of the warp since its last issue, by cause. */
static void account(tc_sm *sm, uint32_t s, uint32_t i, uint64_t unit_free) {
    const tc_warp *w = sm->warp[s][i];
    uint64_t *stalls = w->cta->run->counters.stalls, next = w->core->next;
    uint64_t now = sm->now, woke = sm->wake[s][i];
    woke = woke > next ? woke : next;
    uint64_t free = unit_free > woke ? unit_free : woke;
    stalls[sm->why[s][i]] += woke - next;
    stalls[TC_STALL_PIPE] += free - woke;
    stalls[TC_STALL_NOT_SELECTED] += now - free;
}

/* When a warp whose operands are ready may issue, for its unit's sake. */
static uint64_t unit_free(const tc_sm *sm, uint32_t s, uint32_t i) {
    uint64_t at = sm->unit_free[s][sm->unit[s][i]];
    if (sm->memory[s][i] && sm->lsu_free > at + TC_LSU_QUEUE) {
        at = sm->lsu_free - TC_LSU_QUEUE;
    }
    return at;
}

/* Asks the scoreboard about a warp that issued, or was woken. */
static void look(tc_sm *sm, uint32_t s, uint32_t i) {
    tc_warp *w = sm->warp[s][i];
    tc_stall why = TC_STALL_FIXED;
    uint64_t t = w->alive ? tc_timing_when(w, &why) : UINT64_MAX;
    const tc_timing_op *op =
        &w->cta->run->timing->ops[w->core->cur >= 0 ? w->core->pc : 0];
    sm->wake[s][i] = t > 1 ? t : 1;
    sm->why[s][i] = (uint8_t)why;
    sm->unit[s][i] = op->unit;
    sm->memory[s][i] =
        op->class >= TC_CLASS_LDG && op->class <= TC_CLASS_LDGSTS;
}

/* One scheduler's cycle. Returns the cycle at which there may be something to
 * do. */
static uint64_t schedule(tc_sm *sm, uint32_t s, bool *exited) {
    uint64_t soonest = UINT64_MAX, now = sm->now;
    uint32_t n = sm->nwarps[s];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = sm->last[s] + i;
        at = at >= n ? at - n : at;
        bool chosen = sm->warp[s][at]->core->cur >= 0; /* who will issue */
        if (sm->wake[s][at] == 0 || (sm->wake[s][at] <= now && !chosen)) {
            look(sm, s, at);
        }
        uint64_t t = sm->wake[s][at];
        if (t <= now) {
            uint64_t free = unit_free(sm, s, at);
            t = free > t ? free : t;
        }
        if (t > now) {
            soonest = t < soonest ? t : soonest;
            continue;
        }
        tc_warp *w = sm->warp[s][at];
        account(sm, s, at, t);
        tc_timing_issue(w, s);
        sm->wake[s][at] = 0;
        sm->last[s] = at;
        *exited |= !w->alive;
        return now + 1;
    }
    return soonest;
}

/* Up to the end of the quantum. Returns the next cycle with something to do. */
static uint64_t run_sm(tc_grid *g, tc_sm *sm, uint64_t end) {
    tc_run *r = g->run;
    uint64_t soonest = sm->now;
    g->t->at = sm;
    while (sm->now < end && !r->stopped) {
        bool exited = false;
        soonest = UINT64_MAX;
        r->cycle = sm->now;
        if (tc_event_next(r) <= r->cycle) {
            tc_event_run(r);
        }
        for (uint32_t s = 0; s < TC_SCHEDULERS && !r->stopped; s++) {
            if (sm->due[s] <= sm->now) {
                sm->due[s] = UINT64_MAX; /* a release sets it to 0 */
                uint64_t t = schedule(sm, s, &exited);
                sm->due[s] = t < sm->due[s] ? t : sm->due[s];
            }
        }
        for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
            soonest = sm->due[s] < soonest ? sm->due[s] : soonest;
        }
        if (exited) {
            g->end = sm->now > g->end ? sm->now : g->end;
            retire_ended(g, sm->now);
            soonest = sm->now + 1;
        }
        uint64_t event = tc_event_next(r);
        soonest = event < soonest ? event : soonest;
        sm->now = soonest <= sm->now ? sm->now + 1 : soonest;
    }
    /* A wake-up from outside may come before what is due here. */
    sm->now = sm->now > end ? end : sm->now;
    return soonest;
}

/* ---- the grid ---- */

static bool endless(tc_grid *g) {
    bool all = true;
    for (uint32_t i = 0; i < g->ngangs * g->size; i++) {
        tc_cta *c = &g->gangs[i / g->size].ctas[i % g->size];
        for (uint32_t j = 0; c && g->gangs[i / g->size].busy && j < c->nwarps;
             j++) {
            tc_warp *w = &c->warps[j];
            if (!w->alive) {
                continue;
            }
            tc_warp_save(w);
            bool ready = false;
            for (int k = 0; k < w->core->nsplit; k++) {
                uint8_t st = w->core->split[k].state;
                ready |= st == TC_SPLIT_READY || st == TC_SPLIT_UNTIL;
            }
            all &= !ready || tc_warp_loops(w);
        }
    }
    return all;
}

/* How many CTAs an SM holds (CUDA C++ Programming Guide, occupancy): threads,
 * shared memory with the system's KiB, registers by warps of 256. */
uint32_t tc_ctas_per_sm(tc_run *r) {
    const tc_machine *mc = r->machine;
    const uint32_t *b = r->launch->block;
    uint32_t warps = (b[0] * b[1] * b[2] + 31) / 32, n = mc->max_ctas_sm;
    uint32_t regs = r->launch->registers
                        ? r->launch->registers
                        : tc_register_estimate(r->module, r->func);
    uint32_t by_threads = mc->max_threads_sm / (warps * 32);
    uint32_t by_shared = mc->shared_sm / (r->shared_bytes + 1024);
    uint32_t by_regs = mc->registers_sm / ((regs + 7) / 8 * 8 * 32 * warps);
    n = n < by_threads ? n : by_threads;
    n = n < by_shared ? n : by_shared;
    n = n < by_regs ? n : by_regs;
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
    for (uint32_t i = 0; i < g->t->nsms; i++) {
        g->t->sms[i].index = i;
    }
    g->t->memory =
        tc_memsys_new(g->t->p, g->t->nsms, (r->shared_bytes + 1024) * g->per_sm,
                      &r->counters);
    uint64_t most = (uint64_t)g->t->nsms * g->per_sm / g->size;
    most = most < 1 ? 1 : most;
    g->ngangs = most < g->total ? (uint32_t)most : g->total;
    g->gangs = tc_xcalloc(g->ngangs, sizeof *g->gangs);
    fill(g);
}

static void finish(tc_grid *g) {
    for (uint32_t i = 0; i < g->ngangs; i++) {
        tc_gang *gang = &g->gangs[i];
        if (gang->busy) {
            tc_cluster_finish(gang->ctas, g->size);
        }
        for (uint32_t k = 0; gang->ctas && k < g->size; k++) {
            tc_cta_free(&gang->ctas[k]);
        }
        free(gang->ctas);
        free(gang->peers);
        free(gang->sms);
    }
    free(g->gangs);
}

/* All CTAs that are resident. */
static tc_cta **resident(const tc_grid *g, uint32_t *n) {
    tc_cta **all = tc_xcalloc((size_t)g->ngangs * g->size, sizeof *all);
    *n = 0;
    for (uint32_t i = 0; i < g->ngangs * g->size; i++) {
        if (g->gangs[i / g->size].busy) {
            all[(*n)++] = &g->gangs[i / g->size].ctas[i % g->size];
        }
    }
    return all;
}

/* Nobody can go on: what has not landed lands, the oldest first; else it is a
 * deadlock. */
static void stuck(tc_grid *g) {
    uint32_t n;
    bool landed = tc_transfer_force(g->run);
    tc_cta **all = resident(g, &n);
    for (uint32_t i = 0; i < n && !landed; i++) {
        for (uint32_t j = 0; j < all[i]->nwarps && !landed; j++) {
            landed = tc_mbarrier_force_copies(&all[i]->warps[j]);
        }
    }
    if (!landed) {
        tc_deadlock(g->run, all, n, g->total - g->next);
    }
    free(all);
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

static void with_resident(tc_grid *g, void tell(tc_run *r, tc_cta *const *ctas,
                                                uint32_t n)) {
    uint32_t n;
    tc_cta **all = resident(g, &n);
    tell(g->run, all, n);
    free(all);
}

/* Runs every SM to the quantum's end; the next cycle with something to do. */
static uint64_t quantum(tc_grid *g, uint64_t end) {
    uint64_t soonest = UINT64_MAX;
    for (uint32_t i = 0; i < g->t->nsms && !g->run->stopped; i++) {
        tc_sm *sm = &g->t->sms[i];
        if (sm->nctas) {
            uint64_t t = run_sm(g, sm, end);
            soonest = t < soonest ? t : soonest;
        } else {
            sm->now = end;
        }
    }
    /* An SM that had its turn may have been woken by a later one. */
    for (uint32_t i = 0; i < g->t->nsms; i++) {
        const tc_sm *sm = &g->t->sms[i];
        for (uint32_t s = 0; s < TC_SCHEDULERS && sm->nctas; s++) {
            soonest = sm->due[s] < soonest ? sm->due[s] : soonest;
        }
    }
    return soonest;
}

static bool cancelled(const tc_run *r) {
    const volatile int *c = r->sim->options.cancel;
    return c && *c;
}

void tc_timing_grid(tc_run *r) {
    tc_grid g = {0};
    uint64_t end = QUANTUM, quanta = 0;
    uint64_t stop = r->launch->stop_at ? r->launch->stop_at : UINT64_MAX;
    r->deadline = UINT64_MAX;
    begin(&g, r);
    while (g.live && !r->stopped) {
        uint64_t progress = r->progress;
        end = end < stop ? end : stop;
        uint64_t soonest = quantum(&g, end);
        if (!g.live || r->stopped) {
            break;
        }
        if (end == stop) {
            with_resident(&g, tc_state_capture);
            break;
        }
        if (soonest == UINT64_MAX && progress == r->progress) {
            stuck(&g);
        } else if (soonest > end + QUANTUM && only_suspended(&g) &&
                   tc_transfer_force(r)) {
            soonest = end;
        } else if (++quanta % CHECK == 0) {
            if (cancelled(r)) {
                with_resident(&g, tc_cancelled);
            } else if (endless(&g)) {
                stuck(&g);
            }
        }
        end = soonest != UINT64_MAX && soonest > end ? soonest + QUANTUM
                                                     : end + QUANTUM;
    }
    r->cycle = g.end > r->cycle || !r->stopped ? g.end : r->cycle;
    finish(&g);
}
