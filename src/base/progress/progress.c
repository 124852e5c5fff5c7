/* progress.c - see progress.h. A reader may see a text that is being replaced:
 * then it sees some of both, once. */
#include "base/progress/progress.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DEEPEST = 8 };

typedef struct work {
    char what[TC_PROGRESS_TEXT];
    _Atomic uint64_t done, total, began_ns, expected_ns;
} work;

static work all[DEEPEST];
static _Atomic int depth; /* of the work under way; 0: none */
static _Atomic bool shared;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void tc_progress_begin(const char *fmt, ...) {
    int at = depth;
    if (at < DEEPEST) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(all[at].what, sizeof all[at].what, fmt, ap);
        va_end(ap);
        all[at].done = all[at].total = all[at].expected_ns = 0;
        all[at].began_ns = now_ns();
    }
    depth = at + 1;
}

void tc_progress_at(uint64_t done, uint64_t total) {
    int at = atomic_load_explicit(&depth, memory_order_relaxed) - 1;
    if (at >= 0 && at < DEEPEST) {
        atomic_store_explicit(&all[at].done, done, memory_order_relaxed);
        atomic_store_explicit(&all[at].total, total, memory_order_relaxed);
    }
}

void tc_progress_add(uint64_t done) {
    int at = atomic_load_explicit(&depth, memory_order_relaxed) - 1;
    if (at >= 0 && at < DEEPEST) {
        atomic_fetch_add_explicit(&all[at].done, done, memory_order_relaxed);
    }
}

void tc_progress_expect(double seconds) {
    int at = depth - 1;
    if (at >= 0 && at < DEEPEST && seconds > 0) {
        all[at].expected_ns = (uint64_t)(seconds * 1e9);
    }
}

void tc_progress_end(void) {
    depth = depth > 0 ? depth - 1 : 0;
}

void tc_progress_share(bool yes) {
    shared = yes;
}

bool tc_progress_now(tc_progress *out) {
    int at = depth - 1;
    if (at < 0) {
        return false;
    }
    const work *w = &all[at < DEEPEST ? at : DEEPEST - 1];
    memcpy(out->what, w->what, sizeof out->what);
    out->what[sizeof out->what - 1] = '\0';
    out->done = w->done;
    out->total = w->total;
    out->seconds = (double)(now_ns() - w->began_ns) / 1e9;
    out->expected = (double)w->expected_ns / 1e9;
    out->shared = shared;
    return true;
}
