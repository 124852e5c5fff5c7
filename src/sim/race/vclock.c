/* vclock.c - vector clocks: see vclock.h. */
#include "sim/race/vclock.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FOREIGN = 96 }; /* CTAs that are remembered one by one */

/* ---- arrays and blocks ---- */

static void drop_array(tc_vclock_array *a) {
    if (a && --a->refs == 0) {
        free(a);
    }
}

static uint64_t value(const tc_vclock_block *b, uint32_t t) {
    uint64_t v = b->base;
    if (t - b->first < b->count && b->more > v) {
        v = b->more;
    }
    if (b->at && b->at->at[t] > v) {
        v = b->at->at[t];
    }
    return v;
}

/* Gives the block an array of its own. */
static uint64_t *own_array(tc_vclock_block *b, uint32_t nt) {
    if (b->at && b->at->refs == 1) {
        return b->at->at;
    }
    tc_vclock_array *a = tc_xmalloc(sizeof *a + nt * sizeof(uint64_t));
    a->refs = 1;
    for (uint32_t t = 0; t < nt; t++) {
        a->at[t] = value(b, t);
    }
    drop_array(b->at);
    b->at = a;
    b->count = 0;
    return a->at;
}

static void add_range(tc_vclock_block *b, uint32_t first, uint32_t count,
                      uint64_t v, uint32_t nt) {
    if (v <= b->base || !count) {
        return;
    }
    if (!b->at) {
        bool inside = first >= b->first &&
                      first + count <= b->first + b->count && v <= b->more;
        bool around = !b->count || b->more <= b->base ||
                      (first <= b->first && v >= b->more &&
                       first + count >= b->first + b->count);
        if (inside) {
            return;
        }
        if (b->count && v == b->more && first == b->first + b->count) {
            b->count += count;
            return;
        }
        if (around) {
            b->first = first;
            b->count = count;
            b->more = v;
            return;
        }
    }
    uint64_t *at = own_array(b, nt);
    for (uint32_t t = first; t < first + count && t < nt; t++) {
        at[t] = at[t] > v ? at[t] : v;
    }
}

static void join_block(tc_vclock_block *b, const tc_vclock_block *o,
                       uint32_t nt) {
    b->base = b->base > o->base ? b->base : o->base;
    if (b->barrier) {
        return;
    }
    if (!o->at) {
        add_range(b, o->first, o->count, o->more, nt);
        return;
    }
    if (!b->at && !b->count) {
        b->at = o->at;
        b->at->refs++;
        b->first = o->first;
        b->count = o->count;
        b->more = o->more;
        return;
    }
    if (b->at == o->at) {
        add_range(b, o->first, o->count, o->more, nt);
        return;
    }
    uint64_t *at = own_array(b, nt);
    for (uint32_t t = 0; t < nt; t++) {
        uint64_t v = value(o, t);
        at[t] = at[t] > v ? at[t] : v;
    }
}

/* ---- knowledge ---- */

void tc_vclock_unref_n(tc_vclock *k, uint32_t n) {
    assert(!k || k->refs >= n);
    if (!k || (k->refs -= n)) {
        return;
    }
    for (uint32_t i = 0; i < k->n; i++) {
        drop_array(k->b[i].at);
    }
    tc_vclock_unref(k->proxy);
    free(k->b);
    free(k);
}

void tc_vclock_unref(tc_vclock *k) {
    tc_vclock_unref_n(k, 1);
}

void tc_vclock_set(tc_vclock **at, tc_vclock *k) {
    if (k) {
        k->refs++;
    }
    tc_vclock_unref(*at);
    *at = k;
}

tc_vclock *tc_vclock_copy(const tc_vclock *k) {
    tc_vclock *c = tc_xcalloc(1, sizeof *c);
    if (k) {
        *c = *k;
        c->cap = k->n + 1;
        c->b = tc_xmalloc(c->cap * sizeof *c->b);
        if (k->n) {
            memcpy(c->b, k->b, k->n * sizeof *c->b);
        }
        for (uint32_t i = 0; i < c->n; i++) {
            if (c->b[i].at) {
                c->b[i].at->refs++;
            }
        }
        if (c->proxy) {
            c->proxy->refs++;
        }
    }
    c->refs = 1;
    return c;
}

/* From block *at on: lists that come of each other have one order, mostly. *at
 * moves behind the one that is found. */
static const tc_vclock_block *search_from(const tc_vclock *k, uint32_t of,
                                          bool barrier, uint32_t *at) {
    for (uint32_t n = 0, i = *at; n < k->n; n++, i++) {
        i = i < k->n ? i : 0;
        if (k->b[i].of == of && k->b[i].barrier == barrier) {
            *at = i + 1;
            return &k->b[i];
        }
    }
    return NULL;
}

static const tc_vclock_block *look(const tc_vclock *k, uint32_t of,
                                   bool barrier) {
    uint32_t at = 0;
    return search_from(k, of, barrier, &at);
}

/* Too many CTAs: the oldest is forgotten, and all is claimed up to what was
 * known of it. */
static void forget_one(tc_vclock *k) {
    uint32_t oldest = 0;
    while (oldest < k->n && k->b[oldest].barrier) {
        oldest++;
    }
    if (oldest == k->n) {
        return;
    }
    tc_vclock_block *b = &k->b[oldest];
    uint64_t most = b->base > b->more ? b->base : b->more;
    k->floor = k->floor > most ? k->floor : most;
    drop_array(b->at);
    memmove(b, b + 1, (k->n - oldest - 1) * sizeof *b);
    k->n--;
}

static tc_vclock_block *block_from(tc_vclock *k, uint32_t of, bool barrier,
                                   uint32_t *at) {
    tc_vclock_block *b = (tc_vclock_block *)search_from(k, of, barrier, at);
    if (b) {
        return b;
    }
    if (k->n >= FOREIGN) {
        forget_one(k);
    }
    if (k->n == k->cap) {
        k->cap = k->cap ? k->cap * 2 : 2;
        k->b = tc_xrealloc(k->b, k->cap * sizeof *k->b);
    }
    b = &k->b[k->n++];
    memset(b, 0, sizeof *b);
    b->of = of;
    b->barrier = barrier;
    return b;
}

static tc_vclock_block *block(tc_vclock *k, uint32_t of, bool barrier) {
    uint32_t at = 0;
    return block_from(k, of, barrier, &at);
}

void tc_vclock_join_proxy(tc_vclock *k, const tc_vclock *fenced, uint32_t nt) {
    if (!fenced || k->proxy == fenced) {
        return;
    }
    tc_vclock *p = tc_vclock_copy(k->proxy);
    tc_vclock *inner = p->proxy;
    p->proxy = NULL;
    tc_vclock_unref(inner);
    for (uint32_t i = 0, at = 0; i < fenced->n; i++) {
        const tc_vclock_block *o = &fenced->b[i];
        join_block(block_from(p, o->of, o->barrier, &at), o, nt);
    }
    p->floor = p->floor > fenced->floor ? p->floor : fenced->floor;
    tc_vclock_unref(k->proxy);
    k->proxy = p;
}

void tc_vclock_join(tc_vclock *into, const tc_vclock *k, uint32_t nt) {
    if (!k) {
        return;
    }
    into->runs |= k->runs;
    into->floor = into->floor > k->floor ? into->floor : k->floor;
    for (uint32_t i = 0, at = 0; i < k->n; i++) {
        const tc_vclock_block *o = &k->b[i];
        join_block(block_from(into, o->of, o->barrier, &at), o, nt);
    }
    tc_vclock_join_proxy(into, k->proxy, nt);
}

void tc_vclock_raise(tc_vclock *k, uint32_t cta, uint32_t first, uint32_t count,
                     uint64_t clock, uint32_t nt) {
    assert(k->refs == 1);
    add_range(block(k, cta, false), first, count, clock, nt);
}

void tc_vclock_raise_cta(tc_vclock *k, uint32_t cta, uint64_t clock) {
    assert(k->refs == 1); /* who shares it sees it stand still */
    tc_vclock_block *b = block(k, cta, false);
    if (clock >= b->base) {
        drop_array(b->at);
        b->at = NULL;
        b->count = 0;
        b->base = clock;
    }
}

void tc_vclock_raise_phases(tc_vclock *k, uint32_t barrier, uint64_t phases) {
    tc_vclock_block *b = block(k, barrier, true);
    b->base = b->base > phases ? b->base : phases;
}

uint64_t tc_vclock_phases(const tc_vclock *k, uint32_t barrier) {
    const tc_vclock_block *b = k ? look(k, barrier, true) : NULL;
    return b ? b->base : 0;
}

bool tc_vclock_covers_threads(const tc_vclock *k, uint32_t cta, uint32_t first,
                              uint32_t count, uint64_t clock) {
    if (!k) {
        return false;
    }
    if (k->floor >= clock) {
        return true;
    }
    const tc_vclock_block *b = look(k, cta, false);
    if (!b || b->base >= clock) {
        return b != NULL;
    }
    if (!b->at) {
        return b->more >= clock && first >= b->first &&
               first + count <= b->first + b->count;
    }
    for (uint32_t t = first; t < first + count; t++) {
        if (value(b, t) < clock) {
            return false;
        }
    }
    return true;
}

bool tc_vclock_covers_cta(const tc_vclock *k, uint32_t cta, uint64_t clock) {
    const tc_vclock_block *b = k ? look(k, cta, false) : NULL;
    return (k && k->floor >= clock) || (b && b->base >= clock);
}

static bool covers_block(const tc_vclock_block *b, const tc_vclock_block *o,
                         uint32_t nt) {
    if (!b || b->base < o->base) {
        return false;
    }
    if (b->at == o->at && !o->count) {
        return true;
    }
    uint32_t from = o->at ? 0 : o->first, to = o->at ? nt : from + o->count;
    for (uint32_t t = from; t < to && t < nt; t++) {
        if (value(b, t) < value(o, t)) {
            return false;
        }
    }
    return true;
}

bool tc_vclock_covers(const tc_vclock *k, const tc_vclock *o, uint32_t nt) {
    if (!o || k == o) {
        return true;
    }
    if (!k || (o->runs & ~k->runs) || o->floor > k->floor) {
        return false;
    }
    for (uint32_t i = 0, at = 0; i < o->n; i++) {
        const tc_vclock_block *b = &o->b[i];
        if (!covers_block(search_from(k, b->of, b->barrier, &at), b, nt)) {
            return false;
        }
    }
    return !o->proxy || tc_vclock_covers(k->proxy, o->proxy, nt);
}
