/* execute.c - a grid's way through the machine.
 *
 * Without a clock, clusters run one after another (a CTA without a cluster is
 * one of its own), their warps in turns. When the resident ones cannot go on
 * alone - all spin, sleep or wait - asynchronous operations that have not
 * landed land, then further clusters are started, up to what the machine holds
 * at once; so a CTA may wait for a later one, and a grid for all of its CTAs.
 * Only when all that is exhausted is it a deadlock. */
#include "base/progress/progress.h"
#include "sim/launch.h"
#include "sim/threads.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

enum {
    TURN = 2048,      /* ops of a warp before another one has its turn */
    SHORT_TURN = 16,  /* of one that asks, in vain, what others will answer */
    SHORT_TURNS = 16, /* how many of those after each such turn */
    IDLE = 64,   /* rounds without progress before others are given a chance */
    LONG = 1024, /* rounds in which no CTA ended, the same */
};
/* Time without progress after which those who look at the clock while they wait
 * are held to wait for ever. */
#define PATIENCE (UINT64_C(1) << 30)
/* Storage of resident CTAs that exceeds nobody's machine. */
#define MOST_BYTES (UINT64_C(1) << 30)

/* A cluster's CTAs; storage is reused. */
typedef struct tc_group {
    tc_cta *ctas, **peers;
    bool busy;
} tc_group;

struct tc_pool {
    tc_run *run;
    tc_group *groups;        /* n of them, some not busy */
    tc_cta **live;           /* CTAs of busy groups */
    uint32_t n, nlive, size; /* size: CTAs of a cluster */
    uint32_t busy, wanted, most;
    uint32_t next, total; /* clusters that are executed, */
    uint32_t all;         /* of so many that the grid has */
    uint64_t idle, since; /* rounds without progress; without an end */
    uint64_t moved;       /* cycle of the last progress */
    bool alone;           /* one cluster at a time: threads.h */
};

/* ---- the pool ---- */

static void make_group(tc_pool *p) {
    tc_group *g;
    p->groups = tc_xrealloc(p->groups, (p->n + 1) * sizeof *p->groups);
    p->live =
        tc_xrealloc(p->live, (size_t)(p->n + 1) * p->size * sizeof(tc_cta *));
    g = &p->groups[p->n++];
    g->ctas = tc_xcalloc(p->size, sizeof *g->ctas);
    g->peers = tc_xcalloc(p->size, sizeof(tc_cta *));
    g->busy = false;
    for (uint32_t i = 0; i < p->size; i++) {
        tc_cta_init(&g->ctas[i], p->run);
    }
    tc_cta_bind(g->ctas, g->peers, p->size);
}

static void list_live(tc_pool *p) {
    p->nlive = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t j = 0; j < p->size && p->groups[i].busy; j++) {
            p->live[p->nlive++] = &p->groups[i].ctas[j];
        }
    }
}

/* The kth that is executed: the grid's kth, or of a sample by turns from the
 * begin, from the end, and from a quarter, a half, three quarters on. */
static uint32_t cluster_of(const tc_pool *p, uint32_t k) {
    uint64_t quarter = k / 3 % 3 + 1;
    return p->all == p->total ? k
           : k % 3 == 0       ? k / 3
           : k % 3 == 1       ? p->all - 1 - k / 3
                              : (uint32_t)(p->all * quarter / 4) + k / 9;
}

static void start_one(tc_pool *p) {
    uint32_t i = 0;
    while (i < p->n && p->groups[i].busy) {
        i++;
    }
    if (i == p->n) {
        make_group(p);
    }
    tc_group *g = &p->groups[i];
    g->busy = true;
    p->busy++;
    uint32_t cluster = cluster_of(p, p->next++);
    for (uint32_t j = 0; j < p->size; j++) {
        tc_cta_start(&g->ctas[j], tc_cta_index(p->run, cluster, j));
    }
}

/* Up to `wanted` clusters at once. */
static void start(tc_pool *p) {
    while (p->busy < p->wanted && p->next < p->total && !p->run->stopped) {
        start_one(p);
    }
    list_live(p);
    p->idle = p->since = 0;
    p->moved = p->run->cycle;
}

static bool ended(const tc_group *g, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        if (g->ctas[i].nlive) {
            return false;
        }
    }
    return true;
}

static bool retire(tc_pool *p) {
    bool any = false;
    for (uint32_t i = 0; i < p->n; i++) {
        tc_group *g = &p->groups[i];
        if (g->busy && (p->run->stopped || ended(g, p->size))) {
            tc_cluster_finish(g->ctas, p->size);
            g->busy = false;
            p->busy--;
            tc_progress_add(p->size);
            any = true;
        }
    }
    return any;
}

static void free_pool(tc_pool *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t j = 0; j < p->size; j++) {
            tc_cta_free(&p->groups[i].ctas[j]);
        }
        free(p->groups[i].ctas);
        free(p->groups[i].peers);
    }
    free(p->groups);
    free(p->live);
}

/* ---- turns ---- */

typedef struct tc_turns {
    bool ran;      /* somebody executed an op */
    bool settled;  /* everybody is blocked, or repeats itself */
    bool spins;    /* or still sleeps */
    bool polled;   /* everybody is blocked, or asked in vain */
    uint64_t wake; /* next event, or end of a sleep */
} tc_turns;

/* Runs a warp for one turn, which an mbarrier's no ends. Returns the ops that
 * it executed. */
static uint64_t one_turn(tc_warp *w) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    uint64_t begin = r->cycle, end = begin + TURN, polls = k->polls;
    k->turn_begin = begin;
    if (k->short_turns) {
        k->short_turns--;
        end = begin + SHORT_TURN;
    }
    if (r->launch->stops && end > r->launch->stop_at) {
        end = r->launch->stop_at;
    }
    while (r->cycle < end && !r->stopped && w->alive && k->polls == polls) {
        tc_event_run(r);
        uint64_t next = tc_event_next(r);
        r->deadline = next < end ? next : end;
        if (!tc_warp_turn(w)) {
            break;
        }
    }
    k->ran += r->cycle - begin;
    k->turn_begin = r->cycle;
    return r->cycle - begin;
}

/* Can some lane of the warp go on by itself, now or later? */
static bool movable(const tc_warp *w, uint64_t *wake) {
    bool any = false;
    for (int j = 0; j < w->core->nsplit; j++) {
        const tc_split *s = &w->core->split[j];
        any |= s->state == TC_SPLIT_READY || s->state == TC_SPLIT_UNTIL;
        if (s->state == TC_SPLIT_UNTIL && s->until < *wake) {
            *wake = s->until;
        }
    }
    return any;
}

static bool ready(const tc_warp *w) {
    for (int j = 0; j < w->core->nsplit; j++) {
        if (w->core->split[j].state == TC_SPLIT_READY) {
            return true;
        }
    }
    return false;
}

static void warp_turn(tc_warp *w, tc_turns *t) {
    tc_warp_core *k = w->core;
    uint64_t polls = k->polls, asked = k->asked;
    uint64_t progress = w->cta->run->progress;
    if (one_turn(w)) {
        t->ran = true;
    }
    if (k->asked != asked && progress == w->cta->run->progress) {
        k->short_turns = SHORT_TURNS;
    }
    if (!w->alive) {
        t->settled = t->polled = t->spins = false;
        return;
    }
    bool loops = tc_warp_loops(w);
    if (movable(w, &t->wake)) {
        t->settled &= loops;
        t->spins &= k->spinning || !ready(w);
        t->polled &= loops || k->polls != polls ||
                     k->poll_progress == w->cta->run->progress;
    }
}

static bool cancelled(const tc_run *r) {
    const atomic_int *c = r->sim->options.cancel;
    return (c && *c) || (r->halt && *r->halt);
}

/* Cut short where it is cancelled: what it says is of no use then. */
static tc_turns take_turns(tc_pool *p) {
    tc_run *r = p->run;
    tc_turns t = {
        .settled = true, .polled = true, .spins = true, .wake = UINT64_MAX};
    for (uint32_t i = 0; i < p->nlive && !r->stopped && !cancelled(r); i++) {
        tc_cta *c = p->live[i];
        for (uint32_t j = 0; j < c->nwarps && !r->stopped; j++) {
            if (c->warps[j].alive) {
                warp_turn(&c->warps[j], &t);
            }
        }
    }
    if (tc_event_next(r) < t.wake) {
        t.wake = tc_event_next(r);
    }
    return t;
}

/* Twice as many clusters, if there are more and the machine has room. */
static bool start_more(tc_pool *p) {
    if (p->alone) { /* what is alone cannot go on as it does here */
        p->run->stopped = p->run->apart = true;
        return true;
    }
    if (p->next == p->total || p->busy >= p->most) {
        return false;
    }
    uint32_t n = p->busy * 2;
    p->wanted = n < p->most ? n : p->most;
    start(p);
    return true;
}

/* A round changed nothing that another warp could see. */
static void unstick(tc_pool *p, const tc_turns *t) {
    tc_run *r = p->run;
    bool events = tc_event_next(r) != UINT64_MAX;
    p->idle++;
    if ((!t->ran || t->settled || t->polled) &&
        r->hooks->force(r, p->live, p->nlive)) {
        r->waited += tc_timing_waited(r);
        return;
    }
    bool stuck = !events && (t->settled || (!t->ran && t->wake == UINT64_MAX) ||
                             (t->polled && r->cycle - p->moved > PATIENCE));
    if (stuck || (!events && p->idle >= IDLE)) {
        if (start_more(p)) {
            return;
        }
    }
    if (stuck) {
        r->hooks->deadlock(r, p->live, p->nlive, p->total - p->next);
    } else if ((!t->ran || t->spins) && t->wake != UINT64_MAX) {
        r->cycle = t->wake > r->cycle ? t->wake : r->cycle;
        tc_event_run(r);
    }
}

static void run_pool(tc_pool *p) {
    tc_run *r = p->run;
    start(p);
    while (p->busy && !r->stopped) {
        uint64_t before = r->progress;
        if (cancelled(r) && p->alone) {
            return; /* who has all of them says where they were */
        }
        if (cancelled(r)) {
            r->hooks->cancelled(r, p->live, p->nlive);
            break;
        }
        tc_turns t = take_turns(p);
        if (cancelled(r)) {
            continue;
        }
        if (r->launch->budget && r->cycle >= r->launch->budget) {
            r->stopped = r->cut = true;
        }
        if (r->launch->stops && r->cycle >= r->launch->stop_at) {
            r->hooks->capture(r, p->live, p->nlive);
            break;
        }
        if (retire(p)) {
            start(p);
        } else if (r->stopped) {
            break;
        } else if (before == r->progress) {
            p->since++;
            unstick(p, &t);
        } else {
            p->idle = 0;
            p->moved = r->cycle;
            if (++p->since >= LONG && p->alone) {
                start_more(p);
            } else if (p->since >= LONG && p->busy < p->most) {
                p->wanted = p->busy + 1;
                start(p);
            }
        }
    }
    retire(p);
}

/* ---- how many the machine holds ---- */

static uint32_t cluster_size(const tc_run *r) {
    return r->cluster[0] * r->cluster[1] * r->cluster[2];
}

uint64_t tc_resident_ctas(tc_run *r) {
    uint64_t size = cluster_size(r);
    return (uint64_t)tc_ctas_per_sm(r) * r->machine->sms / size * size;
}

static uint32_t most_clusters(tc_run *r) {
    uint64_t n = tc_resident_ctas(r) / cluster_size(r);
    uint64_t fit = MOST_BYTES / (tc_cta_bytes(r) * cluster_size(r));
    n = n < fit ? n : fit;
    return n ? (uint32_t)n : 1;
}

static tc_pool pool_of(tc_run *r) {
    const uint32_t *g = r->launch->grid;
    tc_pool p = {.run = r, .size = cluster_size(r), .wanted = 1};
    uint32_t sample = r->launch->sample;
    p.all = p.total = g[0] * g[1] * g[2] / p.size;
    p.total = sample && sample < p.all / 4 ? sample : p.total;
    p.most = most_clusters(r);
    return p;
}

void tc_sim_execute(tc_run *r) {
    tc_pool p = pool_of(r);
    r->part = p.all ? (double)p.total / p.all : 1;
    run_pool(&p);
    free_pool(&p);
}

/* ---- for threads.c ---- */

tc_pool *tc_pool_new(tc_run *r) {
    tc_pool *p = tc_xmalloc(sizeof *p);
    *p = pool_of(r);
    p->alone = true;
    p->most = 1;
    return p;
}

bool tc_pool_execute(tc_pool *p, uint32_t from, uint32_t to) {
    p->all = to; /* all of these, in their order */
    p->next = from;
    p->total = to;
    run_pool(p);
    return !p->busy;
}

uint32_t tc_pool_live(const tc_pool *p, tc_cta *const **live) {
    *live = p->live;
    return p->busy ? p->nlive : 0;
}

void tc_pool_free(tc_pool *p) {
    p->run->stopped = true;
    retire(p);
    free_pool(p);
    free(p);
}
