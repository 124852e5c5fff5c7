/* overlap.c - what a warp did while what it issued was in flight. */
#include "trace/draw/print.h"

#include <inttypes.h>
#include <stdlib.h>

/* Was it issued by that warp and is it guaranteed by somebody? */
static bool is_flight(const tc_model *m, const tc_row *row, int32_t warp,
                      const tc_interval *i) {
    bool own = row->parent == warp;
    if (row->kind == TC_ROW_COPIES && i->copy >= 0) {
        const tc_trace_event *e = m->order[i->copy];
        own = e->cta == m->rows[warp].cta && e->warp == m->rows[warp].warp;
    }
    return own && i->kind == TC_INTERVAL_FLIGHT;
}

typedef struct span {
    uint64_t from, to;
} span;

static int by_from(const void *a, const void *b) {
    const span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* The stretches in which something of the warp is in flight; *n of them. */
static span *flights_of(const tc_model *m, int32_t warp, size_t *n) {
    size_t cap = 64;
    span *all = tc_xmalloc(cap * sizeof *all);
    *n = 0;
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        for (size_t i = 0; i < row->nintervals; i++) {
            const tc_interval *x = &row->intervals[i];
            if (!is_flight(m, row, warp, x)) {
                continue;
            }
            if (*n == cap) {
                all = tc_xrealloc(all, (cap *= 2) * sizeof *all);
            }
            uint64_t end = x->end == TC_OPEN ? m->cycles : x->end;
            all[(*n)++] = (span){x->begin, end};
        }
    }
    qsort(all, *n, sizeof *all, by_from);
    return all;
}

/* Cycles of [from, to) in one of the spans. */
static uint64_t within(const span *all, size_t n, uint64_t from, uint64_t to) {
    uint64_t sum = 0, at = from;
    for (size_t i = 0; i < n && at < to; i++) {
        uint64_t lo = all[i].from > at ? all[i].from : at;
        uint64_t hi = all[i].to < to ? all[i].to : to;
        if (hi > lo) {
            sum += hi - lo;
            at = hi;
        }
    }
    return sum;
}

void tc_print_overlap(tc_buf *out, const tc_model *m, int32_t warp, int width) {
    size_t n;
    span *all = flights_of(m, warp, &n);
    const tc_row *row = &m->rows[warp];
    uint64_t flying = within(all, n, 0, m->cycles + 1), still = 0;
    uint64_t waited = 0; /* parts of the warp may wait at the same time */
    int32_t low = 0, high = 0;
    for (size_t i = 0; i < row->nevents && flying > 0; i++) {
        const tc_trace_event *e = m->order[row->events[i]];
        if (e->kind == TC_TRACE_WAIT && e->end > e->cycle) {
            uint64_t from = e->cycle > waited ? e->cycle : waited;
            uint64_t cycles = within(all, n, from, e->end);
            still += cycles;
            waited = e->end > waited ? e->end : waited;
            if (cycles > 0 && e->line > 0) {
                low = low == 0 || e->line < low ? e->line : low;
                high = e->line > high ? e->line : high;
            }
        }
    }
    free(all);
    if (flying == 0) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%s: copies in flight for %" PRIu64 " cycle%s", row->name,
                  flying, flying == 1 ? "" : "s");
    if (still > 0) {
        tc_buf_printf(&b,
                      "; it went on during %" PRIu64 " of them and stood still "
                      "in a wait during %" PRIu64,
                      flying - still, still);
    } else {
        tc_buf_puts(&b, ", and no wait held it up");
    }
    if (high > low) {
        tc_buf_printf(&b, " (lines %" PRId32 "-%" PRId32 ")", low, high);
    } else if (high > 0) {
        tc_buf_printf(&b, " (line %" PRId32 ")", high);
    }
    tc_print_wrapped(out, tc_buf_text(&b), width, 2);
    tc_buf_free(&b);
}
