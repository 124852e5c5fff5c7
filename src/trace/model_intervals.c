/* model_intervals.c - the list of a row's intervals while it is made. */
#include "trace/model_build.h"

#include <stdlib.h>

tc_interval tc_interval_of(const tc_model *m, tc_interval_kind kind,
                           size_t position) {
    const tc_trace_event *e = m->order[position];
    return (tc_interval){.begin = e->cycle,
                         .end = TC_OPEN,
                         .kind = (uint8_t)kind,
                         .line = e->line,
                         .ptx_line = e->ptx_line,
                         .group = -1,
                         .phase = -1,
                         .copy = -1,
                         .last = -1,
                         .wait = -1,
                         .read = -1,
                         .barrier = -1};
}

void tc_intervals_add(tc_model *m, tc_intervals *l, tc_interval i,
                      uint32_t thing) {
    if (i.end > i.begin) {
        i.thing = thing;
        TC_PUSH(m->arena, l->at, l->n, l->cap, i);
    }
}

static int by_thing(const void *a, const void *b) {
    const tc_interval *x = a, *y = b;
    if (x->thing != y->thing) {
        return x->thing < y->thing ? -1 : 1;
    }
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_begin(const void *a, const void *b) {
    const tc_interval *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

typedef struct tc_thing {
    uint64_t begin, end;
    int first, n;
} tc_thing;

static int things_by_begin(const void *a, const void *b) {
    const tc_thing *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The intervals, sorted by thing, as things by their begin. */
static int gather(const tc_intervals *l, tc_thing *things) {
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        if (i == 0 || l->at[i].thing != l->at[i - 1].thing) {
            things[n++] = (tc_thing){.begin = l->at[i].begin, .first = i};
        }
        tc_thing *t = &things[n - 1];
        t->end = l->at[i].end > t->end ? l->at[i].end : t->end;
        t->n++;
    }
    qsort(things, (size_t)n, sizeof *things, things_by_begin);
    return n;
}

enum { LANES = 64 }; /* more than that share the last one */

/* Each thing goes to the first lane that is free at its begin. */
static uint32_t give_lanes(tc_intervals *l, const tc_thing *things, int n) {
    uint64_t busy[LANES] = {0}; /* until */
    uint32_t used = 1;
    for (int i = 0; i < n; i++) {
        uint32_t lane = 0;
        while (lane < LANES - 1 && busy[lane] > things[i].begin) {
            lane++;
        }
        busy[lane] = things[i].end;
        used = lane + 1 > used ? lane + 1 : used;
        for (int k = 0; k < things[i].n; k++) {
            l->at[things[i].first + k].lane = (uint16_t)lane;
        }
    }
    return used;
}

void tc_intervals_finish(tc_model *m, tc_intervals *l, tc_row *row) {
    row->intervals = l->at;
    row->nintervals = (size_t)l->n;
    row->nlanes = 1;
    if (l->n == 0) {
        return;
    }
    (void)m;
    qsort(l->at, (size_t)l->n, sizeof *l->at, by_thing);
    tc_thing *things = tc_xmalloc((size_t)l->n * sizeof *things);
    int n = gather(l, things);
    row->nlanes = give_lanes(l, things, n);
    free(things);
    qsort(l->at, (size_t)l->n, sizeof *l->at, by_begin);
}
