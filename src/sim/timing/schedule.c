/* schedule.c - the order of a block's machine instructions: a list schedule, the
 * longest way to the block's end first. Then stall counts and scoreboards. */
#include "sim/timing/own.h"
#include <stdlib.h>
#include <string.h>

enum {
    /* What the schedule takes a load to last; the clock knows better. */
    FAR = 200,
    NEAR = 30,
    FLAG =
        13, /* a predicate to who it guards, as ptxas' stall counts have it */
    ACROSS = 1,  /* from one unit to another, more than its latency */
    BRANCH = 5,  /* stall count of a branch */
    SET = 2,     /* from what sets a scoreboard to who waits for it */
    WORDS = 96,  /* registers of loads under way */
    WINDOW = 28, /* how far ahead of the first that has not issued it looks:
                    ptxas keeps about ten loads of an unrolled loop ahead */
    MOST_STALL = 255
};

/* The cell that does its work. */
static uint32_t real(const tc_own *o, uint32_t i) {
    return o->cells[i].same == TC_NO_OP ? i : o->cells[i].same;
}

static bool far(const tc_own *o, const tc_own_cell *c) {
    uint8_t space = o->code[c->at].space;
    return c->access && space != TC_PS_SHARED && space != TC_PS_LOCAL;
}

/* Cycles from a cell to one that needs its result; expected: of one that sets a
 * scoreboard what it may take, else what stall counts must keep. */
static uint32_t apart(const tc_own *o, uint32_t from, uint32_t to,
                      bool expected) {
    const tc_own_cell *a = &o->cells[from], *b = &o->cells[to];
    if (a->access && b->access && !a->board) {
        return 1; /* the order of stores */
    }
    if (a->board) {
        uint32_t long_ = far(o, a) ? FAR : a->access ? NEAR : a->latency;
        return expected ? long_ : SET;
    }
    return a->flag && (b->guarded || b->last)
               ? FLAG
               : a->latency + (a->unit != b->unit ? ACROSS : 0u);
}

static void weigh(tc_own *o) {
    for (uint32_t i = 0; i < o->ncells; i++) {
        o->cells[i].weight = 0;
    }
    for (uint32_t i = o->ncells; i-- > 0;) {
        const tc_own_cell *c = &o->cells[i];
        for (uint32_t k = 0; k < c->nin; k++) {
            uint32_t from = o->edges[c->in + k];
            if (from & TC_OWN_LIVE) {
                continue;
            }
            from = real(o, from);
            uint32_t w = c->weight + apart(o, from, i, true);
            if (from < i && w > o->cells[from].weight) {
                o->cells[from].weight = w;
            }
        }
    }
}

/* ---- the order ---- */

typedef struct order_list {
    uint32_t *ready;  /* by cell: the cycle; UINT32_MAX: not known yet */
    uint32_t *behind; /* by cell: cells that it waits for */
    uint32_t *users;  /* in cells' order, from[i] to from[i + 1] */
    uint32_t *from;
    bool *read; /* by cell: somebody has its result */
    uint32_t *order;
    uint32_t n, words, now, first; /* first: before it all have issued */
} order_list;

static bool scheduled(const tc_own *o, uint32_t i) {
    return o->cells[i].same == TC_NO_OP && !o->cells[i].last;
}

/* Who uses whom. */
static void link_users(const tc_own *o, order_list *l) {
    uint32_t *fill = tc_xcalloc(o->ncells + 1u, sizeof *fill);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < o->ncells; i++) {
            const tc_own_cell *c = &o->cells[i];
            for (uint32_t k = 0; scheduled(o, i) && k < c->nin; k++) {
                uint32_t e = o->edges[c->in + k];
                e = e & TC_OWN_LIVE ? TC_NO_OP : real(o, e);
                if (e == TC_NO_OP || e == i || !scheduled(o, e)) {
                    continue;
                }
                if (pass == 0) {
                    l->from[e + 1]++;
                    l->behind[i]++;
                } else {
                    l->users[l->from[e] + fill[e]++] = i;
                }
            }
        }
        for (uint32_t i = 0; pass == 0 && i < o->ncells; i++) {
            l->from[i + 1] += l->from[i];
        }
        if (pass == 0) {
            l->users = tc_xcalloc(l->from[o->ncells] + 1u, sizeof *l->users);
        }
    }
    free(fill);
}

static bool held_back(const tc_own *o, const order_list *l, uint32_t i) {
    const tc_own_cell *c = &o->cells[i];
    return c->access && c->board && l->words + c->words > WORDS;
}

/* The best of those whose operands are there; else the first to be. */
static uint32_t choose(const tc_own *o, const order_list *l, bool loads) {
    uint32_t best = TC_NO_OP, soon = TC_NO_OP, open = 0;
    for (uint32_t i = l->first; i < o->ncells && open < WINDOW; i++) {
        if (!scheduled(o, i) || l->ready[i] == UINT32_MAX) {
            continue;
        }
        open++;
        if (l->behind[i] || (!loads && held_back(o, l, i))) {
            continue;
        }
        const tc_own_cell *c = &o->cells[i];
        if (l->ready[i] <= l->now) {
            if (best == TC_NO_OP || c->weight > o->cells[best].weight) {
                best = i;
            }
        } else if (soon == TC_NO_OP || l->ready[i] < l->ready[soon] ||
                   (l->ready[i] == l->ready[soon] &&
                    c->weight > o->cells[soon].weight)) {
            soon = i;
        }
    }
    return best != TC_NO_OP ? best : soon;
}

static void issue(tc_own *o, order_list *l, uint32_t i) {
    tc_own_cell *c = &o->cells[i];
    l->now = l->ready[i] > l->now ? l->ready[i] : l->now;
    c->start = l->now++;
    c->place = l->n;
    l->order[l->n++] = i;
    l->ready[i] = UINT32_MAX;
    while (l->first < o->ncells &&
           (!scheduled(o, l->first) || l->ready[l->first] == UINT32_MAX)) {
        l->first++;
    }
    l->words += c->board && c->access ? c->words : 0;
    for (uint32_t k = 0; k < c->nin; k++) {
        uint32_t e = o->edges[c->in + k];
        e = e & TC_OWN_LIVE ? TC_NO_OP : real(o, e);
        if (e != TC_NO_OP && !l->read[e]) {
            l->read[e] = true;
            const tc_own_cell *x = &o->cells[e];
            l->words -= x->board && x->access ? x->words : 0;
        }
    }
    for (uint32_t k = l->from[i]; k < l->from[i + 1]; k++) {
        uint32_t u = l->users[k];
        uint32_t at = c->start + apart(o, i, u, true);
        l->ready[u] = at > l->ready[u] ? at : l->ready[u];
        l->behind[u]--;
    }
}

static void make_order(tc_own *o, order_list *l) {
    l->ready = tc_xcalloc(o->ncells + 1u, sizeof *l->ready);
    l->behind = tc_xcalloc(o->ncells + 1u, sizeof *l->behind);
    l->from = tc_xcalloc(o->ncells + 2u, sizeof *l->from);
    l->read = tc_xcalloc(o->ncells + 1u, sizeof *l->read);
    l->order = tc_xcalloc(o->ncells + 1u, sizeof *l->order);
    link_users(o, l);
    weigh(o);
    for (;;) {
        uint32_t i = choose(o, l, false);
        i = i == TC_NO_OP ? choose(o, l, true) : i;
        if (i == TC_NO_OP) {
            break;
        }
        issue(o, l, i);
    }
    for (uint32_t i = 0; i < o->ncells; i++) {
        if (o->cells[i].last) {
            o->cells[i].place = l->n;
            l->order[l->n++] = i;
        }
    }
}

static void free_list(order_list *l) {
    free(l->ready);
    free(l->behind);
    free(l->users);
    free(l->from);
    free(l->read);
    free(l->order);
}

/* ---- control bits ---- */

typedef struct boards {
    uint32_t
        pending[TC_SASS_BOARDS]; /* the place of the first who needs what it
                                         stands for; 0: it is free */
} boards;

/* The place of the first that needs it. */
static uint32_t first_user(const tc_own *o, const order_list *l, uint32_t i) {
    uint32_t first = l->n;
    for (uint32_t k = l->from[i]; k < l->from[i + 1]; k++) {
        const tc_own_cell *u = &o->cells[l->users[k]];
        first = u->place < first ? u->place : first;
    }
    return first;
}

/* A free scoreboard, or that of results that are needed at about the time. */
static uint8_t take_board(boards *b, uint32_t user) {
    uint8_t best = 0;
    uint32_t least = UINT32_MAX;
    for (uint8_t i = 0; i < TC_SASS_BOARDS; i++) {
        uint32_t p = b->pending[i];
        uint32_t far_off = p > user ? p - user : user - p;
        far_off = p == 0 ? 0 : far_off + 1;
        if (far_off < least) {
            least = far_off;
            best = i;
        }
    }
    uint32_t p = b->pending[best];
    b->pending[best] = p && p < user ? p : user;
    return best;
}

static void set_boards(tc_own *o, order_list *l) {
    boards b = {0};
    for (uint32_t n = 0; n < l->n; n++) {
        tc_own_cell *c = &o->cells[l->order[n]];
        for (uint32_t i = 0; i < TC_SASS_BOARDS; i++) {
            b.pending[i] = b.pending[i] <= n ? 0 : b.pending[i];
        }
        if (c->board) {
            c->set = take_board(&b, first_user(o, l, l->order[n]));
        }
    }
}

static void note_live(tc_own *o, uint32_t op, uint32_t entry) {
    if (o->nlive == o->clive) {
        o->clive = o->clive ? 2 * o->clive : 256;
        o->live = tc_xrealloc(o->live, o->clive * sizeof *o->live);
    }
    o->live[o->nlive].op = op;
    o->live[o->nlive++].entry = entry;
}

static tc_mcode_op *next_op(tc_own *o) {
    tc_mcode *m = o->m;
    if (m->nops == o->cops) {
        o->cops = o->cops ? 2 * o->cops : 256;
        m->ops = tc_xrealloc(m->ops, o->cops * sizeof *m->ops);
    }
    return &m->ops[m->nops++];
}

void tc_own_put(tc_own *o, const tc_timing_op *op, uint8_t stall) {
    *next_op(o) = (tc_mcode_op){.op = *op,
                                .at = TC_NO_OP,
                                .stall = stall,
                                .set_write = TC_OWN_NO_BOARD,
                                .set_read = TC_OWN_NO_BOARD};
}

static tc_mcode_op *append(tc_own *o, const tc_own_cell *c) {
    tc_mcode_op *x = next_op(o);
    *x = (tc_mcode_op){.at = c->at,
                       .stall = 1,
                       .set_write = c->set,
                       .set_read = TC_OWN_NO_BOARD,
                       .bytes = c->bytes,
                       .guarded = c->guarded,
                       .access = c->access};
    x->op.latency = c->latency;
    x->op.interval = c->interval;
    x->op.unit = c->unit;
    x->op.class = c->class;
    x->op.busy = (uint16_t)((c->interval > 2 ? 1u : 0u) << c->unit);
    x->op.stall = (uint8_t)tc_timing_stall((tc_class)c->class);
    x->op.lsu = c->access;
    return x;
}

/* The cycle, by stall counts alone, at which it may issue; its waits. */
static uint32_t after(tc_own *o, const order_list *l, uint32_t n,
                      const uint32_t *start, uint32_t *waited, uint8_t *wait) {
    const tc_own_cell *c = &o->cells[l->order[n]];
    uint32_t at = n ? start[n - 1] + 1 : 0;
    const tc_own_cell *before = n ? &o->cells[l->order[n - 1]] : NULL;
    at += before && before->unit == c->unit && before->interval == 2;
    for (uint32_t k = 0; k < c->nin; k++) {
        uint32_t e = o->edges[c->in + k];
        if (e & TC_OWN_LIVE) {
            note_live(o, o->m->nops, e & ~TC_OWN_LIVE);
            continue;
        }
        e = real(o, e);
        const tc_own_cell *a = &o->cells[e];
        if (e == l->order[n] || a->place >= n) {
            continue;
        }
        uint32_t least = start[a->place] + apart(o, e, l->order[n], false);
        at = least > at ? least : at;
        if (a->set != TC_OWN_NO_BOARD && waited[a->set] <= a->place + 1) {
            *wait |= (uint8_t)(1u << a->set);
        }
    }
    return at;
}

static void emit(tc_own *o, const order_list *l, tc_mcode_block *b) {
    uint32_t *start = tc_xcalloc(l->n + 1u, sizeof *start);
    uint32_t waited[TC_SASS_BOARDS] = {0}; /* 1 + the place of who did */
    b->begin = o->m->nops;
    for (uint32_t n = 0; n < l->n; n++) {
        uint8_t wait = 0;
        start[n] = after(o, l, n, start, waited, &wait);
        for (uint32_t i = 0; i < TC_SASS_BOARDS; i++) {
            waited[i] = wait >> i & 1 ? n + 1 : waited[i];
        }
        tc_mcode_op *x = append(o, &o->cells[l->order[n]]);
        x->wait = wait;
        if (n > 0) {
            uint32_t stall = start[n] - start[n - 1];
            x[-1].stall = (uint8_t)(stall < MOST_STALL ? stall : MOST_STALL);
        }
        bool branch = o->code[x->at].opcode == TC_PTX_BRA;
        x->stall = branch ? BRANCH : 1;
    }
    b->end = o->m->nops;
    free(start);
}

void tc_own_schedule(tc_own *o, tc_mcode_block *b) {
    order_list l = {0};
    make_order(o, &l);
    set_boards(o, &l);
    emit(o, &l, b);
    for (uint32_t i = 0; i < o->t->nready; i++) {
        const tc_own_value *v = &o->values[i];
        for (uint32_t k = 0; v->epoch == o->epoch && k < v->n; k++) {
            uint32_t e = v->from[k];
            uint8_t set =
                e & TC_OWN_LIVE ? TC_OWN_NO_BOARD : o->cells[real(o, e)].set;
            o->boards[i] |= set < TC_SASS_BOARDS ? (uint8_t)(1u << set) : 0;
        }
    }
    free_list(&l);
}

/* Waits before its scoreboard is set anew in the block. */
static void wait_early(tc_mcode *m, const tc_mcode_block *b, uint32_t op,
                       uint32_t board) {
    for (uint32_t i = b->begin; i < op; i++) {
        if (m->ops[i].set_write == board) {
            op = i;
        }
    }
    m->ops[op].wait |= (uint8_t)(1u << board);
}

void tc_own_settle(tc_own *o) {
    tc_mcode *m = o->m;
    uint32_t block = 0, done = 0;
    for (uint32_t i = 0; i < o->nlive; i++) {
        uint32_t op = o->live[i].op;
        while (op >= m->blocks[block].end) {
            block++;
            done = 0;
        }
        uint32_t need = o->boards[o->live[i].entry] & ~done;
        done |= need;
        for (uint32_t k = 0; k < TC_SASS_BOARDS; k++) {
            if (need >> k & 1) {
                wait_early(m, &m->blocks[block], op, k);
            }
        }
    }
}
