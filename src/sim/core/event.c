/* event.c - the queue of events: a heap by cycle, then by order. */
#include "sim/core/run.h"
#include <stdlib.h>

static bool earlier(const tc_event *a, const tc_event *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void put(tc_run *r, size_t i, const tc_event *e) {
    r->events[i] = *e;
    if (e->at) {
        *e->at = i;
    }
}

/* Puts e at i, or higher. */
static void rise(tc_run *r, size_t i, const tc_event *e) {
    while (i > 0 && earlier(e, &r->events[(i - 1) / 2])) {
        put(r, i, &r->events[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(r, i, e);
}

/* Puts e at i, or lower. */
static void sink(tc_run *r, size_t i, const tc_event *e) {
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= r->nevents) {
            break;
        }
        if (c + 1 < r->nevents && earlier(&r->events[c + 1], &r->events[c])) {
            c++;
        }
        if (!earlier(&r->events[c], e)) {
            break;
        }
        put(r, i, &r->events[c]);
        i = c;
    }
    put(r, i, e);
}

void tc_event_push(tc_run *r, tc_event e) {
    if (r->nevents == r->cevents) {
        r->cevents = r->cevents ? r->cevents * 2 : 64;
        r->events = tc_xrealloc(r->events, r->cevents * sizeof *r->events);
    }
    e.order = r->norder++;
    ++*e.queued;
    rise(r, r->nevents++, &e);
}

/* The one at i is no more in the queue. */
static tc_event take(tc_run *r, size_t i) {
    tc_event e = r->events[i], last = r->events[--r->nevents];
    if (i < r->nevents && i > 0 && earlier(&last, &r->events[(i - 1) / 2])) {
        rise(r, i, &last);
    } else if (i < r->nevents) {
        sink(r, i, &last);
    }
    --*e.queued;
    return e;
}

void tc_event_remove(tc_run *r, size_t at) {
    take(r, at);
}

uint64_t tc_event_next(const tc_run *r) {
    return r->nevents ? r->events[0].cycle : UINT64_MAX;
}

void tc_event_run(tc_run *r) {
    while (r->nevents && r->events[0].cycle <= r->cycle) {
        tc_event e = take(r, 0);
        r->hooks->due(r, &e);
    }
}

void tc_event_forget(tc_run *r, const tc_warp *w) {
    size_t n = r->nevents, keep = 0;
    tc_event *old = r->events;
    for (size_t i = 0; i < n; i++) {
        if (old[i].warp != w || old[i].transfer) {
            old[keep++] = old[i];
        }
    }
    /* Re-heap: pushing in place is safe, the heap never outgrows i. */
    r->nevents = 0;
    for (size_t i = 0; i < keep; i++) {
        --*old[i].queued;
        tc_event_push(r, old[i]);
    }
}

uint64_t tc_sim_random(tc_run *r) {
    uint64_t z = r->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
