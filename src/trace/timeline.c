/* timeline.c - the timeline: lanes of a trace, alike ones together. */
#include "trace/timeline.h"

#include <stdlib.h>
#include <string.h>

/* A lane's history is what it did and in which order, not when: completions
 * are not its doing, and lanes that take turns on a branch still agree. */
static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static uint64_t action(const tc_trace_event *e) {
    uint64_t h = mix(e->kind, (uint64_t)(uint32_t)e->group);
    h = mix(h, (uint64_t)(uint32_t)e->line);
    return mix(h, ((uint64_t)e->ptx_line << 32) ^ e->barrier);
}

static int by_cycle(const void *a, const void *b) {
    const tc_trace_event *x = *(const tc_trace_event *const *)a;
    const tc_trace_event *y = *(const tc_trace_event *const *)b;
    if (x->cycle != y->cycle) {
        return x->cycle < y->cycle ? -1 : 1;
    }
    return x < y ? -1 : x > y; /* one array: the order of recording */
}

static int by_warp(const void *a, const void *b) {
    const tc_trace_event *x = *(const tc_trace_event *const *)a;
    const tc_trace_event *y = *(const tc_trace_event *const *)b;
    if (x->cta != y->cta) {
        return x->cta < y->cta ? -1 : 1;
    }
    if (x->warp != y->warp) {
        return x->warp < y->warp ? -1 : 1;
    }
    return by_cycle(a, b);
}

/* The issue that a completion belongs to, or NULL. */
static const tc_trace_event *issue_of(const tc_trace *t,
                                      const tc_trace_event *e) {
    if (e->cause < 0 || (size_t)e->cause >= t->n ||
        !tc_trace_is_issue(t->events[e->cause].kind)) {
        return NULL;
    }
    return &t->events[e->cause];
}

/* The bar of an ordinal: bars stay sorted by ordinal. */
static tc_timeline_bar *bar_of(tc_timeline *tl, tc_timeline_row *row, int *cap,
                               int32_t group) {
    size_t lo = row->nbars;
    while (lo > 0 && row->bars[lo - 1].group >= group) {
        lo--;
    }
    if (lo < row->nbars && row->bars[lo].group == group) {
        return &row->bars[lo];
    }
    int n = (int)row->nbars;
    tc_timeline_bar fresh = {.group = group,
                             .issue = UINT64_MAX,
                             .begin = UINT64_MAX,
                             .end = 0,
                             .waited = UINT64_MAX};
    TC_PUSH(tl->arena, row->bars, n, *cap, fresh);
    memmove(&row->bars[lo + 1], &row->bars[lo],
            (row->nbars - lo) * sizeof *row->bars);
    row->nbars = (size_t)n;
    row->bars[lo] = fresh;
    return &row->bars[lo];
}

/* The share of an event's bytes that these lanes moved. */
static uint64_t share(const tc_trace_event *e, uint32_t lanes) {
    int all = __builtin_popcount(e->lanes);
    if (e->bytes <= 0 || all == 0) {
        return 0;
    }
    return (uint64_t)e->bytes * (uint64_t)__builtin_popcount(e->lanes & lanes) /
           (uint64_t)all;
}

static void add_issue(tc_timeline_bar *b, const tc_trace_event *e,
                      uint32_t lanes, uint32_t landed) {
    if (e->cycle < b->issue) {
        b->issue = e->cycle;
    }
    if (!b->committed && b->line == 0) {
        b->line = e->line;
    }
    b->bytes += share(e, lanes);
    b->copies++;
    if ((e->lanes & lanes & ~landed) != 0) {
        b->end = UINT64_MAX; /* and no later completion lowers it */
    }
}

static void add_commit(tc_timeline_bar *b, const tc_trace_event *e) {
    if (b->committed) { /* other lanes of the row, later */
        return;
    }
    b->committed = true;
    b->begin = e->cycle;
    b->line = e->line;
}

static void add_complete(tc_timeline_bar *b, const tc_trace_event *e) {
    uint64_t at = e->end > e->cycle ? e->end : e->cycle;
    if (b->end < at) {
        b->end = at;
    }
}

/* A wait that guarantees ordinal n guarantees all older ones: PTX ISA,
 * cp.async.wait_group ("all prior cp.async-groups are complete"). */
static void add_wait(tc_timeline_row *row, const tc_trace_event *e) {
    for (size_t i = row->nbars; i-- > 0;) {
        tc_timeline_bar *b = &row->bars[i];
        if (b->group > e->group || !b->committed) {
            continue;
        }
        if (b->waited != UINT64_MAX) {
            return;
        }
        b->wait_begin = e->cycle;
        b->waited = e->end > e->cycle ? e->end : e->cycle;
        b->wait_line = e->line;
    }
}

/* Copies that report to a barrier rather than to a group have no bar. */
static bool in_a_group(const tc_trace_event *issue) {
    return issue->object == TC_OBJECT_GROUP ||
           issue->object == TC_OBJECT_BULK_GROUP ||
           issue->object == TC_OBJECT_NONE;
}

static void add_event(tc_timeline *tl, tc_timeline_row *row, int *cap,
                      const tc_trace_event *e, const uint32_t *landed) {
    const tc_trace_event *issue;
    switch (e->kind) {
    case TC_TRACE_ISSUE:
    case TC_TRACE_BULK:
    case TC_TRACE_TENSOR:
        if (in_a_group(e)) {
            add_issue(bar_of(tl, row, cap, e->group), e, row->lanes,
                      landed[e - tl->trace->events]);
        }
        break;
    case TC_TRACE_COMMIT:
        if (!in_a_group(e)) {
            break;
        }
        add_commit(bar_of(tl, row, cap, e->group), e);
        break;
    case TC_TRACE_COMPLETE:
        issue = issue_of(tl->trace, e);
        if (issue != NULL && in_a_group(issue)) {
            add_complete(bar_of(tl, row, cap, issue->group), e);
        }
        break;
    case TC_TRACE_WAIT:
        if (e->group >= 0 && in_a_group(e)) {
            add_wait(row, e);
        }
        break;
    default:
        break;
    }
}

static void build_bars(tc_timeline *tl, tc_timeline_row *row,
                       const uint32_t *landed) {
    int cap = 0;
    for (size_t i = 0; i < row->nevents; i++) {
        add_event(tl, row, &cap, row->events[i], landed);
    }
    for (size_t i = 0; i < row->nbars; i++) {
        tc_timeline_bar *b = &row->bars[i];
        if (b->issue == UINT64_MAX) {
            b->issue = b->begin;
        }
        if (!b->committed) {
            b->begin = b->issue;
        }
        if (b->end < b->begin) { /* landed before the commit, or empty */
            b->end = b->begin;
        }
    }
}

/* The events of a run of one warp that touch these lanes. */
static void add_row(tc_timeline *tl, int *cap, const tc_trace_event **run,
                    size_t n, uint32_t lanes, const uint32_t *landed) {
    tc_timeline_row row = {
        .cta = run[0]->cta, .warp = run[0]->warp, .lanes = lanes};
    row.events = TC_NEWN(tl->arena, const tc_trace_event *, n);
    for (size_t i = 0; i < n; i++) {
        if ((run[i]->lanes & lanes) != 0) {
            row.events[row.nevents++] = run[i];
        }
    }
    build_bars(tl, &row, landed);
    int rows = (int)tl->nrows;
    TC_PUSH(tl->arena, tl->rows, rows, *cap, row);
    tl->nrows = (size_t)rows;
}

/* Splits a warp's run into rows of lanes with equal histories, in the order
 * of their lowest lanes. */
static void add_warp(tc_timeline *tl, int *cap, const tc_trace_event **run,
                     size_t n, const uint32_t *landed) {
    uint64_t history[32] = {0};
    uint32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all |= run[i]->lanes;
        if (run[i]->kind == TC_TRACE_COMPLETE) {
            continue;
        }
        uint64_t d = action(run[i]);
        for (uint32_t m = run[i]->lanes; m != 0; m &= m - 1) {
            int lane = __builtin_ctz(m);
            history[lane] = mix(history[lane], d);
        }
    }
    while (all != 0) {
        uint64_t h = history[__builtin_ctz(all)];
        uint32_t lanes = 0;
        for (uint32_t m = all; m != 0; m &= m - 1) {
            int lane = __builtin_ctz(m);
            lanes |= history[lane] == h ? UINT32_C(1) << lane : 0;
        }
        add_row(tl, cap, run, n, lanes, landed);
        all &= ~lanes;
    }
}

/* For each issue, by index, the lanes whose bytes have landed. */
static uint32_t *find_landed(const tc_trace *t) {
    uint32_t *landed = tc_xcalloc(t->n, sizeof *landed);
    for (size_t i = 0; i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        if (e->kind == TC_TRACE_COMPLETE && issue_of(t, e) != NULL) {
            landed[e->cause] |= e->lanes;
        }
    }
    return landed;
}

static void build_rows(tc_timeline *tl) {
    size_t n = tl->norder;
    const tc_trace_event **sorted = tc_xcalloc(n, sizeof *sorted);
    if (n > 0) {
        memcpy(sorted, tl->order, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, by_warp);
    }
    uint32_t *landed = find_landed(tl->trace);
    int cap = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && sorted[j]->cta == sorted[i]->cta &&
                    sorted[j]->warp == sorted[i]->warp;) {
            j++;
        }
        add_warp(tl, &cap, sorted + i, j - i, landed);
    }
    free(landed);
    free(sorted);
}

tc_timeline *tc_timeline_new(const tc_trace *t) {
    tc_arena *arena = tc_arena_new();
    tc_timeline *tl = TC_NEW(arena, tc_timeline);
    tl->arena = arena;
    tl->trace = t;
    tl->cycles = t->cycles;
    tl->norder = t->n;
    tl->order = TC_NEWN(arena, const tc_trace_event *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        tl->order[i] = e;
        uint64_t last = e->end > e->cycle ? e->end : e->cycle;
        tl->cycles = last > tl->cycles ? last : tl->cycles;
    }
    if (t->n > 0) {
        qsort(tl->order, tl->norder, sizeof *tl->order, by_cycle);
    }
    build_rows(tl);
    return tl;
}

void tc_timeline_free(tc_timeline *tl) {
    if (tl != NULL) {
        tc_arena_free(tl->arena);
    }
}

size_t tc_timeline_pending(const tc_timeline_row *row, uint64_t cycle,
                           int32_t *out, size_t cap) {
    size_t n = 0;
    for (size_t i = 0; i < row->nbars; i++) {
        const tc_timeline_bar *b = &row->bars[i];
        if (!b->committed || b->begin > cycle || b->end <= cycle) {
            continue;
        }
        if (n < cap) {
            out[n] = b->group;
        }
        n++;
    }
    return n;
}
