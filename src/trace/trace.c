/* trace.c - the list of events of one launch. */
#include "trace/trace.h"
#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

#define X(id, name) name,
const char *const tc_trace_kind_names[TC_TRACE_KIND_COUNT] = {
    TC_TRACE_KINDS(X)};
#undef X

const char *const tc_trace_unit_names[TC_UNIT_COUNT] = {
    [TC_UNIT_ISSUE] = "issue", [TC_UNIT_LSU] = "lsu",
    [TC_UNIT_ASYNC] = "async", [TC_UNIT_BARRIER] = "barrier",
    [TC_UNIT_TMA] = "tma",
};

tc_trace *tc_trace_new(void) {
    return tc_xcalloc(1, sizeof(tc_trace));
}

void tc_trace_free(tc_trace *t) {
    if (t) {
        free(t->events);
        free(t);
    }
}

/* Half of a full ring at once: an event costs the same on average. */
static void drop_oldest(tc_trace *t) {
    size_t half = t->n / 2;
    memmove(t->events, t->events + half, (t->n - half) * sizeof *t->events);
    t->n -= half;
    t->dropped += half;
    t->truncated = true;
}

int32_t tc_trace_add(tc_trace *t, const tc_trace_event *e) {
    if (t->dropped + t->n >= INT32_MAX) {
        t->truncated = true;
        return -1;
    }
    if (t->n == TC_TRACE_LIMIT) {
        drop_oldest(t);
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 256;
        t->events = tc_xrealloc(t->events, t->cap * sizeof *t->events);
    }
    t->events[t->n] = *e;
    return (int32_t)(t->dropped + t->n++);
}

tc_trace_event *tc_trace_at(tc_trace *t, int32_t number) {
    uint64_t n = (uint64_t)number;
    bool kept = number >= 0 && n >= t->dropped && n - t->dropped < t->n;
    return kept ? &t->events[n - t->dropped] : NULL;
}

void tc_trace_finish(tc_trace *t) {
    for (size_t i = 0; t->dropped && i < t->n; i++) {
        int64_t c = (int64_t)t->events[i].cause - (int64_t)t->dropped;
        t->events[i].cause = c < 0 ? -1 : (int32_t)c;
    }
}
