/* trace.c - the list of events of one launch. */
#include "trace/trace.h"
#include "base/arena.h"
#include <stdlib.h>

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

void tc_trace_clear(tc_trace *t) {
    t->n = 0;
    t->cycles = 0;
    t->ctas = t->warps = 0;
    t->truncated = false;
}

int32_t tc_trace_add(tc_trace *t, const tc_trace_event *e) {
    if (t->n == TC_TRACE_LIMIT) {
        t->truncated = true;
        return -1;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 256;
        t->events = tc_xrealloc(t->events, t->cap * sizeof *t->events);
    }
    t->events[t->n] = *e;
    return (int32_t)t->n++;
}
