/* stream_order.c - the clocks of streams, events and the host, and what they say
 * of two accesses. */
#include "runtime/order/stream_order.h"
#include "base/arena.h"
#include "runtime/order/stream_shadow.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 512, READERS = 16, TOLD = 64 };

/* Of each slot, how many of its operations have ended; what is beyond n: 0. */
typedef struct clock {
    uint64_t *at;
    uint32_t n;
} clock;

/* A stream. The first is the legacy default one; that of a stream that is gone,
 * and whose work the host has waited for, is used again. */
typedef struct stream_slot {
    uint32_t stream;
    bool blocking, gone;
    uint64_t at; /* operations so far */
    clock known; /* to the last of them */
} stream_slot;

typedef struct event {
    uint64_t id;
    clock known;
} event;

/* Who accessed a byte: the last to write, and who has read since. */
typedef struct access {
    uint32_t op, slot;
    uint64_t at;
    uint32_t how;
} access;

typedef struct byte_state {
    uint32_t first, n; /* of entries */
} byte_state;

typedef struct memo {
    uint64_t key;
    uint32_t value;
} memo;

typedef struct told_pair {
    uint64_t where, before;
} told_pair;

struct tc_stream_order {
    void (*found)(void *, const tc_stream_race *);
    void *user;
    stream_slot *slots;
    uint32_t nslots;
    bool lost; /* more streams than are followed: nothing is said any more */
    clock host;
    event *events;
    uint32_t nevents, cevents;
    tc_stream_op *ops; /* since the host last waited for all */
    uint32_t nops, cops;
    uint32_t current; /* slot of the last one; nslots: none */
    tc_stream_shadow *shadow;
    byte_state *states; /* by number; 0: nobody */
    uint32_t nstates, cstates;
    access *entries;
    uint32_t nentries, centries;
    memo *memos; /* of the last operation: state and how, to state */
    uint32_t nmemos, cmemos;
    tc_stream_flight *flights;
    uint32_t nflights, cflights;
    told_pair told[TOLD];
    uint32_t ntold;
    uint32_t how; /* while the shadow is changed */
};

/* ---- clocks ---- */

static uint64_t of(const clock *c, uint32_t i) {
    return i < c->n ? c->at[i] : 0;
}

static void reach(clock *c, uint32_t n) {
    if (n > c->n) {
        c->at = tc_xrealloc(c->at, n * sizeof *c->at);
        memset(c->at + c->n, 0, (n - c->n) * sizeof *c->at);
        c->n = n;
    }
}

static void join(clock *c, const clock *d) {
    reach(c, d->n);
    for (uint32_t i = 0; i < d->n; i++) {
        c->at[i] = c->at[i] > d->at[i] ? c->at[i] : d->at[i];
    }
}

/* ---- life ---- */

static void clear(tc_stream_order *o) {
    tc_stream_shadow_free(o->shadow);
    o->shadow = tc_stream_shadow_new();
    o->nstates = 1;
    o->nentries = o->nops = o->nflights = 0;
    o->current = o->nslots;
}

tc_stream_order *
tc_stream_order_new(void (*found)(void *, const tc_stream_race *), void *user) {
    tc_stream_order *o = tc_xcalloc(1, sizeof *o);
    o->found = found;
    o->user = user;
    o->slots = tc_xcalloc(SLOTS, sizeof *o->slots);
    o->slots[0].blocking = true;
    o->nslots = 1;
    o->cstates = 64;
    o->states = tc_xcalloc(o->cstates, sizeof *o->states);
    o->cmemos = 64;
    o->memos = tc_xcalloc(o->cmemos, sizeof *o->memos);
    clear(o);
    return o;
}

void tc_stream_order_free(tc_stream_order *o) {
    if (!o) {
        return;
    }
    for (uint32_t i = 0; i < o->nslots; i++) {
        free(o->slots[i].known.at);
    }
    for (uint32_t i = 0; i < o->nevents; i++) {
        free(o->events[i].known.at);
    }
    tc_stream_shadow_free(o->shadow);
    free(o->slots);
    free(o->events);
    free(o->host.at);
    free(o->ops);
    free(o->states);
    free(o->entries);
    free(o->memos);
    free(o->flights);
    free(o);
}

/* ---- streams ---- */

/* nslots: there is none. */
static uint32_t slot_of(const tc_stream_order *o, uint32_t stream) {
    uint32_t i = 0;
    while (i < o->nslots &&
           (o->slots[i].stream != stream || o->slots[i].gone)) {
        i++;
    }
    return i;
}

void tc_stream_made(tc_stream_order *o, uint32_t stream, bool blocking) {
    uint32_t i = 1;
    while (i < o->nslots &&
           !(o->slots[i].gone && of(&o->host, i) >= o->slots[i].at)) {
        i++;
    }
    if (i == SLOTS) {
        o->lost = true;
        return;
    }
    o->nslots += i == o->nslots;
    o->slots[i].stream = stream;
    o->slots[i].blocking = blocking;
    o->slots[i].gone = false;
    o->current = SLOTS;
}

void tc_stream_gone(tc_stream_order *o, uint32_t stream) {
    uint32_t i = slot_of(o, stream);
    if (i > 0 && i < o->nslots) {
        o->slots[i].gone = true;
    }
}

/* What comes next in the slot's stream knows of all that it waits for. */
static stream_slot *enqueue(tc_stream_order *o, uint32_t i) {
    stream_slot *s = &o->slots[i];
    join(&s->known, &o->host);
    for (uint32_t j = 1; i == 0 && j < o->nslots; j++) {
        if (o->slots[j].blocking) {
            join(&s->known, &o->slots[j].known);
        }
    }
    if (i > 0 && s->blocking) {
        join(&s->known, &o->slots[0].known);
    }
    return s;
}

/* ---- events ---- */

static event *event_of(tc_stream_order *o, uint64_t id) {
    for (uint32_t i = 0; i < o->nevents; i++) {
        if (o->events[i].id == id) {
            return &o->events[i];
        }
    }
    return NULL;
}

void tc_stream_record(tc_stream_order *o, uint32_t stream, uint64_t id) {
    uint32_t i = slot_of(o, stream);
    event *e = event_of(o, id);
    if (i == o->nslots) {
        return;
    }
    if (!e) {
        if (o->nevents == o->cevents) {
            o->cevents = o->cevents ? o->cevents * 2 : 16;
            o->events = tc_xrealloc(o->events, o->cevents * sizeof *o->events);
        }
        e = &o->events[o->nevents++];
        *e = (event){.id = id};
    }
    e->known.n = 0;
    join(&e->known, &enqueue(o, i)->known);
}

void tc_stream_after(tc_stream_order *o, uint32_t stream, uint64_t id) {
    uint32_t i = slot_of(o, stream);
    const event *e = event_of(o, id);
    if (e && i < o->nslots) {
        join(&enqueue(o, i)->known, &e->known);
    }
}

void tc_stream_forget_event(tc_stream_order *o, uint64_t id) {
    event *e = event_of(o, id);
    if (e) {
        free(e->known.at);
        *e = o->events[--o->nevents];
    }
}

/* ---- the host waits ---- */

/* What it has waited for is no longer in flight, and where that is all, nothing
 * need be remembered. */
static void settle(tc_stream_order *o) {
    bool all = true;
    for (uint32_t i = 0; i < o->nslots; i++) {
        all = all && of(&o->host, i) >= o->slots[i].at;
    }
    if (all) {
        if (o->nops) {
            clear(o);
        }
        return;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->nflights; i++) {
        if (of(&o->host, o->flights[i].slot) < o->flights[i].at) {
            o->flights[n++] = o->flights[i];
        }
    }
    o->nflights = n;
}

void tc_stream_host_stream(tc_stream_order *o, uint32_t stream) {
    uint32_t i = slot_of(o, stream);
    if (i < o->nslots) {
        join(&o->host, &enqueue(o, i)->known);
        settle(o);
    }
}

void tc_stream_host_event(tc_stream_order *o, uint64_t id) {
    const event *e = event_of(o, id);
    if (e) {
        join(&o->host, &e->known);
        settle(o);
    }
}

void tc_stream_host_all(tc_stream_order *o) {
    for (uint32_t i = 0; i < o->nslots; i++) {
        join(&o->host, &o->slots[i].known);
    }
    settle(o);
}

/* ---- operations ---- */

void tc_stream_begin(tc_stream_order *o, const tc_stream_op *op) {
    uint32_t i = slot_of(o, op->stream);
    o->current = SLOTS;
    if (i == o->nslots || o->lost) {
        return;
    }
    stream_slot *s = enqueue(o, i);
    reach(&s->known, i + 1);
    s->known.at[i] = ++s->at;
    if (o->nops == o->cops) {
        o->cops = o->cops ? o->cops * 2 : 64;
        o->ops = tc_xrealloc(o->ops, o->cops * sizeof *o->ops);
    }
    o->ops[o->nops++] = *op;
    o->current = i;
    if (o->nmemos) {
        memset(o->memos, 0, o->cmemos * sizeof *o->memos);
        o->nmemos = 0;
    }
}

static void tell(tc_stream_order *o, const tc_stream_race *r) {
    for (uint32_t i = 0; i < o->ntold; i++) {
        if (o->told[i].where == r->where &&
            o->told[i].before == r->before->where) {
            return;
        }
    }
    if (o->ntold < TOLD) {
        o->told[o->ntold++] = (told_pair){r->where, r->before->where};
        o->found(o->user, r);
    }
}

enum {
    PLAIN_READ = TC_SIM_READS,
    STRONG_WRITE = TC_SIM_WRITES_STRONG,
    PLAIN_WRITE = TC_SIM_WRITES,
    WRITES = PLAIN_WRITE | STRONG_WRITE
};

/* One of them writes, and they are not both strong. */
static bool conflict(uint32_t a, uint32_t b) {
    return (a & PLAIN_WRITE) || (b & PLAIN_WRITE) ||
           ((a & STRONG_WRITE) && (b & PLAIN_READ)) ||
           ((b & STRONG_WRITE) && (a & PLAIN_READ));
}

/* ---- states ---- */

static void add_entry(tc_stream_order *o, const access *a) {
    if (o->nentries == o->centries) {
        o->centries = o->centries ? o->centries * 2 : 64;
        o->entries = tc_xrealloc(o->entries, o->centries * sizeof *o->entries);
    }
    o->entries[o->nentries++] = *a;
}

static uint32_t add_state(tc_stream_order *o, const access *a, uint32_t n) {
    if (o->nstates == o->cstates) {
        o->cstates *= 2;
        o->states = tc_xrealloc(o->states, o->cstates * sizeof *o->states);
    }
    o->states[o->nstates] = (byte_state){.first = o->nentries, .n = n};
    for (uint32_t i = 0; i < n; i++) {
        add_entry(o, &a[i]);
    }
    return o->nstates++;
}

/* The state of bytes that had that one, after the current operation; a race on
 * the way is told. */
static uint32_t make_state(tc_stream_order *o, uint32_t number, uint64_t at) {
    const stream_slot *s = &o->slots[o->current];
    access now[READERS], mine = {o->nops - 1, o->current, s->at, o->how};
    uint32_t n = 1;
    byte_state old = number ? o->states[number] : (byte_state){0, 0};
    for (uint32_t i = 0; i < old.n; i++) {
        access e = o->entries[old.first + i];
        bool same = e.op == mine.op;
        bool ordered = same || of(&s->known, e.slot) >= e.at;
        bool raced = !ordered && conflict(e.how, mine.how);
        if (raced) {
            tell(o, &(tc_stream_race){.op = &o->ops[mine.op],
                                      .before = &o->ops[e.op],
                                      .where = o->ops[mine.op].where,
                                      .address = at,
                                      .writes = (mine.how & WRITES) != 0,
                                      .wrote = (e.how & WRITES) != 0});
        }
        if (same) {
            mine.how |= e.how;
        } else if (n < READERS && !raced &&
                   (!ordered || (!(mine.how & WRITES) && (e.how & WRITES)))) {
            now[n++] = e;
        }
    }
    now[0] = mine;
    return add_state(o, now, n);
}

static memo *memo_of(memo *all, uint32_t size, uint64_t key) {
    uint64_t i = key * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    while (all[i & (size - 1)].key && all[i & (size - 1)].key != key) {
        i++;
    }
    return &all[i & (size - 1)];
}

static void more_memos(tc_stream_order *o) {
    uint32_t size = o->cmemos * 2;
    memo *all = tc_xcalloc(size, sizeof *all);
    for (uint32_t i = 0; i < o->cmemos; i++) {
        if (o->memos[i].key) {
            *memo_of(all, size, o->memos[i].key) = o->memos[i];
        }
    }
    free(o->memos);
    o->memos = all;
    o->cmemos = size;
}

static uint32_t next(void *user, uint32_t number, uint64_t at) {
    tc_stream_order *o = user;
    uint64_t key = (uint64_t)number << 8 | o->how << 1 | 1;
    memo *m = memo_of(o->memos, o->cmemos, key);
    if (!m->key) {
        uint32_t to = make_state(o, number, at);
        if (2 * ++o->nmemos >= o->cmemos) {
            more_memos(o);
            m = memo_of(o->memos, o->cmemos, key);
        }
        *m = (memo){key, to};
    }
    return m->value;
}

/* ---- accesses ---- */

static void add_flight(tc_stream_order *o, uint64_t address, uint64_t bytes,
                       bool write) {
    uint64_t at = o->slots[o->current].at;
    tc_stream_flight *f = o->nflights ? &o->flights[o->nflights - 1] : NULL;
    if (f && f->slot == o->current && f->at == at && f->write == write &&
        f->address + f->bytes == address) {
        f->bytes += bytes;
        return;
    }
    if (o->nflights == o->cflights) {
        o->cflights = o->cflights ? o->cflights * 2 : 16;
        o->flights = tc_xrealloc(o->flights, o->cflights * sizeof *o->flights);
    }
    o->flights[o->nflights++] =
        (tc_stream_flight){address, bytes, write, o->current, at};
}

void tc_stream_touch(tc_stream_order *o, uint64_t address, uint64_t bytes,
                     uint32_t how, bool host) {
    if (o->current >= o->nslots || !bytes || !how) {
        return;
    }
    o->how = how;
    tc_stream_shadow_apply(o->shadow, address, bytes, next, o);
    if (host) {
        add_flight(o, address, bytes, (how & WRITES) != 0);
    }
}

/* What is written atomically, or is volatile, tells the host who looks at it
 * that what came before has been done. */
void tc_stream_host_touch(tc_stream_order *o, uint64_t address, bool write,
                          uint64_t where) {
    uint32_t number = tc_stream_shadow_at(o->shadow, address);
    byte_state s = number ? o->states[number] : (byte_state){0, 0};
    for (uint32_t i = 0; i < s.n && !o->lost; i++) {
        access e = o->entries[s.first + i];
        if (of(&o->host, e.slot) >= e.at) {
            continue;
        }
        if (e.how & (PLAIN_WRITE | (write ? PLAIN_READ : 0))) {
            tell(o, &(tc_stream_race){.before = &o->ops[e.op],
                                      .where = where,
                                      .address = address,
                                      .writes = write,
                                      .wrote = (e.how & WRITES) != 0});
        } else if (e.how & STRONG_WRITE) {
            join(&o->host, &o->slots[e.slot].known);
        }
    }
    settle(o);
}

static uint32_t nobody(void *user, uint32_t number, uint64_t at) {
    (void)user, (void)number, (void)at;
    return 0;
}

void tc_stream_forget(tc_stream_order *o, uint64_t address, uint64_t bytes) {
    uint32_t n = 0;
    if (o->nops) {
        tc_stream_shadow_apply(o->shadow, address, bytes, nobody, NULL);
    }
    for (uint32_t i = 0; i < o->nflights; i++) {
        if (o->flights[i].address - address >= bytes) {
            o->flights[n++] = o->flights[i];
        }
    }
    o->nflights = n;
}

const tc_stream_flight *tc_stream_flights(const tc_stream_order *o, int *n) {
    *n = (int)o->nflights;
    return o->flights;
}
