/* threads.c - pieces of a grid, and who executes them: threads.h. */
#include "sim/threads.h"
#include "base/cancel.h"
#include "sim/isa/reds.h"
#include "sim/launch.h"
#include "sim/race/race.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ENOUGH = 1 << 17, /* warp instructions before other threads begin */
    PIECES = 16,      /* of the grid, a thread */
    MOST_THREADS = 64,
    KEPT = 32 << 20 /* bytes of atomics that are done later */
};

typedef struct grid_piece {
    bool ended;
    tc_red *kept; /* its atomics, n of them */
    size_t n;
} grid_piece;

typedef struct team team;

typedef struct member {
    team *team;
    tc_run own, *run; /* own but of the first one */
    tc_sim sim;
    tc_pool *pool;
    tc_reds reds;
    pthread_t thread;
} member;

struct team {
    const tc_run *fresh;
    tc_first_team *checkers;
    member *all;
    tc_run **runs;
    uint32_t n, made; /* that execute; that there are */
    uint32_t from, size,
        total; /* CTAs: of the first piece, of a piece, in all */
    atomic_bool halt;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved;
    grid_piece *pieces;
    uint32_t npieces, next;
    atomic_uint
        first; /* all pieces before have ended, their atomics are done */
};

/* ---- which launches ---- */

static bool asks_clock(const tc_ptx_op *op) {
    for (int i = 0; i < op->noperands && i < 8; i++) {
        uint32_t s = op->a[i].slot;
        if (op->a[i].kind == TC_PO_SPECIAL &&
            (s == TC_SR_CLOCK || s == TC_SR_CLOCK_HI || s == TC_SR_CLOCK64 ||
             s == TC_SR_GLOBALTIMER || s == TC_SR_GLOBALTIMER_LO ||
             s == TC_SR_GLOBALTIMER_HI)) {
            return true;
        }
    }
    return false;
}

static bool of_all(const tc_ptx_op *op) {
    return op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC;
}

static bool may_run(const tc_ptx_op *op) {
    enum {
        STRONG = TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE | TC_PM_RELEASE
    };
    switch (op->opcode) {
    case TC_PTX_NANOSLEEP:
        return false;
    case TC_PTX_CALL:
        return false;
    case TC_PTX_ATOM:
    case TC_PTX_RED:
        return !of_all(op) || (op->nvec <= 1 && op->sub != TC_ATOM_CAS &&
                               op->type != TC_PT_B128);
    case TC_PTX_LD:
    case TC_PTX_ST:
        return op->space != TC_PS_GLOBAL || !(op->flags & STRONG);
    default:
        return true;
    }
}

bool tc_threads_apply(const tc_run *r) {
    const tc_ptx_module *m = r->module;
    const uint32_t *g = r->launch->grid;
    if (r->sim->options.threads < 2 || (uint64_t)g[0] * g[1] * g[2] < 4 ||
        r->launch->cooperative || r->launch->sample || r->launch->budget) {
        return false;
    }
    for (int i = 0; i < m->nfuncs; i++) {
        const tc_ptx_func *f = &m->funcs[i];
        bool runs = f == r->func || !f->entry;
        for (uint32_t j = f->begin; runs && j < f->end; j++) {
            if (!may_run(&m->code[j]) || asks_clock(&m->code[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool reads_answers(const tc_run *r) {
    const tc_ptx_module *m = r->module;
    for (int i = 0; i < m->nfuncs; i++) {
        const tc_ptx_func *f = &m->funcs[i];
        bool runs = f == r->func || !f->entry;
        for (uint32_t j = f->begin; runs && j < f->end; j++) {
            const tc_ptx_op *op = &m->code[j];
            if (op->opcode == TC_PTX_ATOM && of_all(op) && !r->code[j].unread) {
                return true;
            }
        }
    }
    return false;
}

/* ---- atomics in the order of pieces ---- */

static void land(grid_piece *p) {
    tc_reds d = {.kept = p->kept, .n = p->n};
    tc_reds_land(&d);
    free(p->kept);
    p->kept = NULL;
    p->n = 0;
}

static void end_piece(member *k, uint32_t i) {
    team *t = k->team;
    pthread_mutex_lock(&t->lock);
    grid_piece *p = &t->pieces[i];
    p->kept = k->reds.kept;
    p->n = k->reds.n;
    p->ended = true;
    k->reds.kept = NULL;
    k->reds.n = k->reds.cap = 0;
    uint32_t first = atomic_load(&t->first);
    while (first < t->npieces && t->pieces[first].ended && !t->halt) {
        land(&t->pieces[first++]);
    }
    atomic_store_explicit(&t->first, first, memory_order_release);
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}

static bool over(const team *t) {
    return t->halt || tc_cancelled();
}

/* Until all pieces before have ended. Wakes now and then: who cancels does not
 * know of it. */
static void wait_turn(tc_reds *d) {
    member *k = d->user;
    team *t = k->team;
    pthread_mutex_lock(&t->lock);
    while (t->first != d->piece && !over(t)) {
        struct timespec at;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_nsec += 10000000;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&t->moved, &t->lock, &at);
    }
    pthread_mutex_unlock(&t->lock);
}

/* ---- a member's work ---- */

static bool next_piece(team *t, uint32_t *i) {
    pthread_mutex_lock(&t->lock);
    *i = t->next;
    t->next += t->next < t->npieces;
    pthread_mutex_unlock(&t->lock);
    return *i < t->npieces;
}

static void execute_pieces(member *k) {
    team *t = k->team;
    uint32_t i;
    while (!over(t) && next_piece(t, &i)) {
        uint32_t from = t->from + i * t->size;
        uint32_t to = t->total - from > t->size ? from + t->size : t->total;
        k->reds.piece = i;
        if (!tc_pool_execute(k->pool, from, to)) {
            return;
        }
        if (tc_team_doubts(k->run)) {
            t->halt = true;
        }
        end_piece(k, i);
    }
}

static void *work(void *arg) {
    member *k = arg;
    team *t = k->team;
    const atomic_int *cancel = t->fresh->sim->options.cancel;
    const atomic_int *before = tc_cancel_by(cancel);
    tc_run_prepare(k->run, true);
    tc_team_join(t->checkers, k->run);
    k->run->reds = &k->reds;
    k->pool = tc_pool_new(k->run);
    if (!tc_cancelled()) { /* else what was made is not whole */
        execute_pieces(k);
    }
    tc_cancel_by(before);
    return NULL;
}

static void init_member(team *t, uint32_t i, tc_run *first) {
    member *k = &t->all[i];
    k->team = t;
    k->run = first;
    k->reds = (tc_reds){.first = &t->first,
                        .most = KEPT / sizeof(tc_red) / t->n,
                        .wait = wait_turn,
                        .user = k};
    if (i > 0) {
        k->sim = *first->sim;
        k->sim.arena = tc_arena_new();
        k->own = *t->fresh;
        k->own.sim = &k->sim;
        k->run = &k->own;
        k->run->halt = &t->halt;
    }
    t->runs[i] = k->run;
}

/* Threads that cannot be made are not missed. Signals are the others'. */
static uint32_t begin(team *t) {
    uint32_t n = 1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < t->n &&
           pthread_create(&t->all[n].thread, NULL, work, &t->all[n]) == 0) {
        n++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

/* ---- what they have found ---- */

static void add_up(tc_run *to, const tc_run *from) {
    uint64_t sum[sizeof to->counters / sizeof(uint64_t)];
    uint64_t more[sizeof to->counters / sizeof(uint64_t)];
    _Static_assert(sizeof sum == sizeof to->counters, "numbers of 64 bits");
    memcpy(sum, &to->counters, sizeof sum);
    memcpy(more, &from->counters, sizeof more);
    for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++) {
        sum[i] += more[i];
    }
    memcpy(&to->counters, sum, sizeof sum);
    to->cycle += from->cycle;
    to->waited += from->waited;
    to->row_bytes += from->row_bytes;
    to->others += from->others;
    to->sampled += from->sampled;
    to->sampled_bytes += from->sampled_bytes;
    to->sampled_sectors += from->sampled_sectors;
}

static bool has_failed(const team *t) {
    for (uint32_t i = 0; i < t->n; i++) {
        if (tc_team_doubts(t->runs[i])) {
            return true;
        }
    }
    return tc_team_meets(t->checkers, t->n);
}

/* All are where they were when somebody asked for the end. */
static void cancel(const team *t, tc_run *r) {
    tc_cta **all = tc_xcalloc(1, sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        tc_cta *const *live;
        uint32_t more = tc_pool_live(t->all[i].pool, &live);
        all = tc_xrealloc(all, (n + more + 1) * sizeof *all);
        memcpy(all + n, live, more * sizeof *all);
        n += more;
    }
    r->hooks->cancelled(r, all, n);
    free(all);
}

static void free_members(team *t, tc_run *r) {
    for (uint32_t i = 1; i < t->n; i++) {
        add_up(r, t->runs[i]);
    }
    r->halt = NULL;
    r->reds = NULL;
    for (uint32_t i = 1; i < t->n; i++) {
        tc_pool_free(t->all[i].pool);
        if (!r->apart && !tc_team_doubts(r)) { /* else it is done again */
            tc_race_touched(t->runs[i]);
        }
        tc_run_discard(t->runs[i]);
    }
    for (uint32_t i = 0; i < t->made; i++) {
        tc_arena_free(i > 0 ? t->all[i].sim.arena : NULL);
        free(t->all[i].reds.kept);
    }
    for (uint32_t i = 0; i < t->npieces; i++) {
        free(t->pieces[i].kept);
    }
}

static void free_team(team *t, tc_run *r) {
    free_members(t, r);
    tc_team_free(t->checkers);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->moved);
    free(t->pieces);
    free(t->runs);
    free(t->all);
}

/* ---- the launch ---- */

static void make_team(team *t, tc_run *r, const tc_run *fresh, uint32_t from) {
    uint32_t n = (uint32_t)r->sim->options.threads, left = t->total - from;
    n = n < MOST_THREADS ? n : MOST_THREADS;
    t->fresh = fresh;
    t->n = t->made = n < left ? n : left;
    t->from = from;
    t->size = left / (t->n * PIECES);
    t->size = t->size ? t->size : 1;
    t->npieces = (left + t->size - 1) / t->size;
    t->pieces = tc_xcalloc(t->npieces, sizeof *t->pieces);
    t->all = tc_xcalloc(t->n, sizeof *t->all);
    t->runs = tc_xcalloc(t->n, sizeof(tc_run *));
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->moved, NULL);
    for (uint32_t i = 0; i < t->n; i++) {
        init_member(t, i, r);
    }
    t->checkers = tc_team_new(r, t->runs);
}

/* The CTAs from `from` on; p: the pool of who was alone. */
static void together(team *t, tc_run *r, tc_pool *p) {
    t->all[0].pool = p;
    r->reds = &t->all[0].reds;
    r->halt = &t->halt;
    r->threads = t->n = begin(t);
    execute_pieces(&t->all[0]);
    for (uint32_t i = 1; i < t->n; i++) {
        pthread_join(t->all[i].thread, NULL);
    }
    const atomic_int *asked = r->sim->options.cancel;
    if (asked && *asked) {
        cancel(t, r);
    } else if (has_failed(t)) {
        tc_team_undo(t->checkers, t->n);
        r->apart = true;
    }
    tc_pool_free(p);
    free_team(t, r);
}

/* The CTAs one after the other, until it is worth while to share what is left.
 * Returns how many are done. */
static uint32_t begin_alone(tc_run *r, tc_pool *p, uint32_t total) {
    uint32_t asked = r->sim->options.alone;
    uint64_t enough = asked ? asked : ENOUGH;
    for (uint32_t i = 0; i < total; i++) {
        uint64_t ops = r->counters.warp_instructions;
        if (ops >= enough && ops / i * (total - i) >= enough) {
            return i;
        }
        if (r->stopped || !tc_pool_execute(p, i, i + 1)) {
            break;
        }
    }
    return total;
}

void tc_threads_execute(tc_run *r, const tc_run *fresh) {
    const uint32_t *g = r->launch->grid;
    team t = {.total = g[0] * g[1] * g[2]};
    tc_reds reds = {0};
    if (reads_answers(r)) {
        tc_sim_execute(r);
        return;
    }
    tc_pool *p = tc_pool_new(r);
    r->reds = &reds;
    uint32_t done = begin_alone(r, p, t.total);
    if (done < t.total) {
        make_team(&t, r, fresh, done);
        together(&t, r, p);
        return;
    }
    tc_cta *const *live;
    uint32_t n = tc_pool_live(p, &live);
    if (n) {
        r->hooks->cancelled(r, live, n);
    }
    tc_pool_free(p);
    r->reds = NULL;
}
