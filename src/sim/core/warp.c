/* warp.c - lanes of a warp: splits, divergence, reconvergence, turns.
 *
 * Independent thread scheduling (PTX ISA 3.1): lanes at the same pc run
 * together as a split. The split with the lowest pc goes first, so that the
 * others are caught up with and merged; a split that used up its turn without
 * getting anywhere lets the one that waited longest go, so that a spinning
 * lane never starves the lane it waits for. */
#include "sim/core/run.h"
#include <stdlib.h>
#include <string.h>

/* What only ops off the common path touch. */
static void reset_rest(tc_warp_core *k) {
    memset(k->ncommit, 0, sizeof k->ncommit);
    memset(k->arrived, 0, sizeof k->arrived);
    memset(k->nbulk, 0, sizeof k->nbulk);
    if (k->poll) {
        memset(k->poll, 0, TC_LANES * sizeof *k->poll);
    }
    k->tensor_begin = k->wgmma_free = k->wgmma_groups = 0;
    free(k->wgmma_touched);
    k->wgmma_touched = NULL;
    k->mb_ever = k->mb_passed = k->mb_expired = k->cl_arrived = k->cl_owed = 0;
    memset(k->wait_since, 0, sizeof k->wait_since);
    k->cl_since = k->cl_done = 0;
    k->polls = k->poll_progress = 0;
    k->short_turns = 0;
    k->batches = NULL;
    k->copies = NULL;
    k->nbatches = 0;
    k->tail = &k->batches;
}

void tc_warp_start(tc_warp *w, uint32_t pc) {
    tc_warp_core *k = w->core;
    if (!k->clean) {
        reset_rest(k);
    }
    memset(&k->split[0], 0, sizeof k->split[0]);
    w->alive = w->valid;
    k->nsplit = 1;
    k->moved = 0;
    k->cur = -1;
    k->split[0].pc = pc;
    k->split[0].mask = w->valid;
    k->short_turns = 0;
    k->turns = 0;
    k->loop_turn = k->loop_power = 0;
    k->looping = false;
    k->limit = 0;
    tc_frames_start(w);
    k->clean = true;
}

static void drop_split(tc_warp_core *k, int i) {
    uint32_t moved = k->moved >> --k->nsplit & 1;
    if (i != k->nsplit) {
        k->split[i] = k->split[k->nsplit];
    }
    k->moved &= ~(UINT32_C(1) << i | UINT32_C(1) << k->nsplit);
    k->moved |= i == k->nsplit ? 0 : moved << i;
}

void tc_warp_save(tc_warp *w) {
    tc_warp_core *k = w->core;
    if (k->cur < 0) {
        return;
    }
    if (k->mask == 0) {
        drop_split(k, k->cur);
    } else {
        k->moved |= UINT32_C(1) << k->cur;
        k->split[k->cur].pc = k->pc;
        k->split[k->cur].mask = k->mask;
        k->split[k->cur].frame = w->frame;
    }
    k->cur = -1;
    if (k->ask) { /* its scheduler chooses a split anew */
        *k->ask |= k->ask_bit;
        *k->due = 0;
    }
}

void tc_warp_wait(tc_warp *w, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        uint64_t *since = &w->core->wait_since[tc_first_bit(lanes)];
        *since = *since ? *since : w->cta->run->cycle;
    }
}

uint64_t tc_warp_waited(tc_warp *w, uint32_t lanes) {
    uint64_t begin = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t *since = &w->core->wait_since[tc_first_bit(lanes)];
        uint64_t from = *since ? *since : w->cta->run->cycle;
        begin = from > begin ? from : begin;
        *since = 0;
    }
    return begin;
}

static bool may_join(const tc_split *s) {
    return s->state == TC_SPLIT_READY || s->state == TC_SPLIT_WARP;
}

/* One that has moved is where another one is. Without branches: they would go
 * either way. */
static bool some_meet(const tc_warp_core *k) {
    uint32_t all = (uint32_t)((UINT64_C(1) << k->nsplit) - 1);
    for (uint32_t m = k->moved & all; m; m &= m - 1) {
        const tc_split *b = &k->split[tc_first_bit(m)];
        int there = 0;
        for (int i = 0; i < k->nsplit; i++) {
            const tc_split *a = &k->split[i];
            there += (a->pc == b->pc) & (a->frame == b->frame);
        }
        if (there > 1) {
            return true;
        }
    }
    return false;
}

/* Splits that can go together do: ready ones at one pc; and those that wait at
 * one op for each other. Two of which neither has moved since the last time
 * cannot. */
static void merge(tc_warp_core *k) {
    if (!some_meet(k)) {
        k->moved = 0;
        return;
    }
    for (int i = 0; i < k->nsplit; i++) {
        tc_split *a = &k->split[i];
        uint32_t others = k->moved >> i & 1 ? UINT32_MAX : k->moved;
        uint32_t later = (uint32_t)((UINT64_C(1) << k->nsplit) - 1) &
                         ~((UINT32_C(2) << i) - 1);
        for (uint32_t m = others & later; m;) {
            int j = 31 - __builtin_clz(m);
            tc_split *b = &k->split[j];
            m &= ~(UINT32_C(1) << j);
            if (a->pc == b->pc && a->frame == b->frame && may_join(a) &&
                may_join(b)) {
                a->state = TC_SPLIT_READY; /* who still lacks lanes blocks */
                a->mask |= b->mask;
                a->stamp = a->stamp < b->stamp ? a->stamp : b->stamp;
                drop_split(k, j);
            }
        }
    }
    k->moved = 0;
}

/* Who sleeps, and until now. */
static bool wakes(tc_warp_core *k, int i, uint64_t now) {
    tc_split *s = &k->split[i];
    bool wakes = s->state == TC_SPLIT_UNTIL && s->until <= now;
    if (wakes) {
        s->state = TC_SPLIT_READY;
        k->mb_expired |= s->mbarrier ? s->mask : 0;
        s->mbarrier = 0;
        k->moved |= UINT32_C(1) << i;
    }
    return wakes;
}

/* The deepest in calls, then the lowest pc; except that every other turn the
 * one that waited longest. */
static int choose(tc_warp_core *k, uint64_t now) {
    const bool fair = (k->turns & 1) != 0;
    uint64_t least = UINT64_MAX;
    int best = -1;
    for (int i = 0; i < k->nsplit; i++) {
        const tc_split *s = &k->split[i];
        bool may = s->state == TC_SPLIT_READY || wakes(k, i, now);
        uint64_t depth = UINT32_MAX - s->frame->depth;
        uint64_t place = fair ? s->stamp : depth << 32 | s->pc;
        place = may ? place : UINT64_MAX;
        best = place < least ? i : best;
        least = place < least ? place : least;
    }
    return best;
}

/* The next pc at which another split may be met. */
static uint32_t limit_of(const tc_warp_core *k, const tc_split *s) {
    uint32_t limit = UINT32_MAX;
    for (int i = 0; i < k->nsplit; i++) {
        const tc_split *o = &k->split[i];
        bool ahead =
            (o->pc > s->pc) & (o->frame == s->frame) &
            ((o->state == TC_SPLIT_READY) | (o->state == TC_SPLIT_WARP));
        uint32_t at = ahead ? o->pc : UINT32_MAX;
        limit = at < limit ? at : limit;
    }
    return limit;
}

bool tc_warp_select(tc_warp *w) {
    tc_warp_core *k = w->core;
    tc_warp_save(w);
    if (k->nsplit > 1) {
        merge(k);
    } else if (k->split[0].state == TC_SPLIT_BARRIER) {
        return false; /* most often: all wait */
    }
    bool one = k->nsplit == 1 && k->split[0].state == TC_SPLIT_READY;
    int best = one ? 0 : choose(k, w->cta->run->cycle);
    if (best < 0) {
        return false;
    }
    tc_split *s = &k->split[best];
    s->stamp = w->cta->run->cycle;
    k->selected++;
    k->cur = best;
    k->pc = s->pc;
    k->mask = s->mask;
    tc_frame_enter(w, s->frame);
    k->limit = k->nsplit > 1 ? limit_of(k, s) : UINT32_MAX;
    return true;
}

/* Ops of the fast path from pc on, at most as many as may run now. Moves pc and
 * now behind them; false: the last one left the line, and k and r say where
 * things stand. */
static inline bool run_line(tc_warp *w, uint32_t *pc, uint64_t *now,
                            uint32_t mask) {
    tc_warp_core *k = w->core;
    tc_run *r = w->cta->run;
    const tc_code *c = &r->code[*pc];
    uint64_t n = c->run, left = r->deadline - *now;
    n = n < left ? n : left;
    n = n < k->limit - *pc ? n : k->limit - *pc;
    k->line_pc = *pc;
    k->line_cycle = *now;
    tc_fast *x = &r->entries[c->entry];
    const tc_fast *end = &r->entries[c[n].entry];
    const int part = mask != w->alive;
    while (x < end) {
        x = x->fn[part](w, x, mask);
    }
    *pc += (uint32_t)n;
    *now += n;
    return x == end;
}

/* The loop of a turn: nothing but ops. Who observes is in fn. */
static uint32_t run_split(tc_warp *w) {
    tc_warp_core *k = w->core;
    tc_run *r = w->cta->run;
    const tc_code *code = r->code;
    const uint32_t mask = k->mask;
    const uint64_t begin = r->cycle, deadline = r->deadline;
    uint64_t now = begin;
    uint32_t pc = k->pc;
    do {
        const tc_code *c = &code[pc];
        if (c->run) {
            if (!run_line(w, &pc, &now, mask)) {
                pc = k->pc;
                now = r->cycle;
                break;
            }
            continue;
        }
        uint32_t m = mask;
        if (c->guard >= 0) {
            m &= w->pred[c->guard] ^ c->flip;
        }
        pc++;
        now++;
        if (m == 0) {
            continue;
        }
        if (c->branch && m == mask && c->op->target != pc - 1) {
            pc = c->op->target; /* as tc_sim_op_BRA does */
            continue;
        }
        k->pc = pc;
        r->cycle = now;
        k->clean &= c->light;
        c->fn(w, c->op, m);
        pc = k->pc;
    } while (pc < k->limit && now < deadline);
    k->pc = pc;
    r->cycle = now;
    r->counters.warp_instructions += now - begin;
    r->counters.thread_instructions +=
        (now - begin) * (mask == UINT32_MAX ? TC_LANES : tc_popc(mask));
    return (uint32_t)(now - begin);
}

bool tc_warp_turn(tc_warp *w) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    bool any = false;
    while (!r->stopped && r->cycle < r->deadline && tc_warp_select(w)) {
        run_split(w);
        any = true;
    }
    tc_warp_save(w);
    k->turns++;
    return any;
}

/* ---- what control, barrier and async ops do to splits ---- */

static void make_room(tc_warp_core *k) {
    if (k->split == &k->one) {
        k->split = tc_xcalloc(TC_LANES, sizeof *k->split);
        k->split[0] = k->one;
    }
}

void tc_warp_free(tc_warp *w) {
    tc_warp_core *k = w->core;
    if (k->split != &k->one) {
        free(k->split);
    }
    free(k->poll);
    free(k->wgmma_touched);
}

tc_split *tc_warp_detach(tc_warp *w, uint32_t lanes, uint32_t pc) {
    tc_warp_core *k = w->core;
    tc_split *s;
    if (lanes == k->mask) {
        s = &k->split[k->cur];
        k->cur = -1;
        k->mask = 0;
    } else {
        /* Fewer splits than lanes exist as long as masks are disjoint. */
        make_room(k);
        s = &k->split[k->nsplit++];
        k->mask &= ~lanes;
    }
    k->moved |= UINT32_C(1) << (s - k->split);
    memset(s, 0, sizeof *s);
    s->pc = pc;
    s->mask = lanes;
    s->frame = w->frame;
    s->stamp = w->cta->run->cycle;
    k->limit = 0;
    return s;
}

tc_split *tc_warp_block(tc_warp *w, uint32_t lanes, uint32_t pc,
                        tc_split_state state, const tc_ptx_op *op) {
    tc_split *s = tc_warp_detach(w, lanes, pc);
    s->state = (uint8_t)state;
    w->cta->waits |= state == TC_SPLIT_BARRIER;
    s->op = op;
    s->since = w->cta->run->cycle;
    w->core->again |= op && pc == (uint32_t)(op - w->cta->run->module->code);
    return s;
}

void tc_warp_release(tc_warp *w, tc_split *s, uint64_t at) {
    if (w->core->ask) {
        *w->core->ask |= w->core->ask_bit;
        *w->core->due = 0;
    }
    w->core->moved |= UINT32_C(1) << (s - w->core->split);
    s->state = at ? TC_SPLIT_UNTIL : TC_SPLIT_READY;
    s->until = at;
}

/* A lane that ended is one that others need not wait for any more. */
static void recheck(tc_warp *w) {
    tc_warp_core *k = w->core;
    for (int i = 0; i < k->nsplit; i++) {
        if (k->split[i].state == TC_SPLIT_WARP) {
            k->split[i].state = TC_SPLIT_READY;
        }
    }
}

void tc_warp_kill(tc_warp *w, uint32_t lanes) {
    tc_warp_core *k = w->core;
    w->alive &= ~lanes;
    k->mask &= ~lanes;
    k->limit = 0;
    w->cta->run->progress++;
    if (w->alive == 0) {
        w->cta->nlive--;
        w->cta->ended = w->cta->nlive == 0;
    }
    recheck(w);
    if (w->cta->waits || w->cta->run->clusters) {
        w->cta->run->hooks->exited(w->cta);
    }
}

bool tc_warp_converged(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       uint32_t need) {
    tc_warp_core *k = w->core;
    if (((need & w->alive) & ~mask) == 0) {
        return true;
    }
    tc_split *s = tc_warp_block(w, mask, k->pc - 1, TC_SPLIT_WARP, op);
    s->need = need & w->alive;
    return false;
}

/* ---- endless loops ---- */

static uint64_t state_hash(const tc_warp *w) {
    const tc_warp_core *k = w->core;
    uint64_t h = w->alive;
    for (int i = 0; i < k->nsplit; i++) {
        h = tc_hash_step(h, (uint64_t)k->split[i].pc << 32 | k->split[i].mask);
        h = tc_hash_step(h, (uint64_t)k->split[i].frame->depth << 8 |
                                k->split[i].state);
    }
    return tc_frames_hash(w, h);
}

/* Who slept then has slept again since. */
static bool all_woke(const tc_warp_core *k) {
    for (int i = 0; i < k->nsplit; i++) {
        const tc_split *s = &k->split[i];
        if (s->state == TC_SPLIT_UNTIL && s->since <= k->loop_cycle) {
            return false;
        }
    }
    return true;
}

/* Memory does not change (progress stands still), so a warp is a function of
 * its own state: once a state comes back, it comes back for ever. Turns are
 * taken by splits in rotation; equal states a whole rotation apart count. */
bool tc_warp_loops(tc_warp *w) {
    tc_warp_core *k = w->core;
    uint64_t progress = w->cta->run->progress;
    uint64_t rotation = (uint64_t)(k->nsplit > 0 ? k->nsplit : 1) * 4;
    if (k->loop_power == 0 || progress != k->loop_progress) {
        k->loop_progress = progress;
        k->loop_turn = 0;
        k->loop_power = 1;
        k->loop_hash = 0;
        k->looping = k->spinning = false;
        return false;
    }
    if (k->selected == k->loop_selected) {
        return k->looping; /* it had no turn since */
    }
    k->loop_selected = k->selected;
    k->loop_turn++;
    if (k->loop_turn % rotation != 0) {
        return k->looping;
    }
    uint64_t h = state_hash(w);
    if (k->loop_hash == h && k->loop_turn > rotation) {
        k->spinning = true;
        k->looping |= all_woke(k);
    }
    if (k->loop_turn >= k->loop_power * rotation) {
        k->loop_power *= 2;
        k->loop_hash = h;
        k->loop_cycle = w->cta->run->cycle;
    }
    return k->looping;
}
