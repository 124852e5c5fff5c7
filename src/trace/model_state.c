/* model_state.c - what rows are at a cycle. */
#include "trace/model_build.h"

/* The last interval of a warp that began by then, or NULL. */
static const tc_interval *last_begun(const tc_row *row, uint64_t cycle) {
    size_t lo = 0, hi = row->nintervals;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (row->intervals[mid].begin <= cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo ? &row->intervals[lo - 1] : NULL;
}

static size_t row_seek(const tc_model *m, const tc_row *row, uint64_t cycle) {
    tc_positions p = {row->events, row->nevents};
    return tc_positions_from(&p, tc_model_seek(m, cycle));
}

/* The wait that the warp is in, or NULL: its last ones. */
static const tc_trace_event *wait_of(const tc_model *m, const tc_row *row,
                                     uint64_t cycle) {
    enum { LOOK = 64 };
    size_t k = row_seek(m, row, cycle + 1);
    for (size_t i = 0; k > 0 && i < LOOK; i++) {
        const tc_trace_event *e = m->order[row->events[--k]];
        bool waits = e->kind == TC_TRACE_WAIT || e->kind == TC_TRACE_BARRIER;
        if (waits && e->cycle <= cycle && cycle < tc_event_end(e)) {
            return e;
        }
    }
    return NULL;
}

static bool has_exited(const tc_model *m, const tc_row *row, uint64_t cycle) {
    if (row->nevents == 0) {
        return false;
    }
    const tc_trace_event *e = m->order[row->events[row->nevents - 1]];
    return e->kind == TC_TRACE_EXIT && cycle > e->cycle;
}

/* The line of the last event that has happened: where it is between two. */
static void find_line(const tc_model *m, const tc_row *row, uint64_t cycle,
                      tc_warp_at *at) {
    size_t k = row_seek(m, row, cycle + 1);
    if (at->stalled && at->in && at->in->line > 0) {
        at->line = at->in->line;
        at->ptx_line = at->in->ptx_line;
    } else if (k > 0) {
        at->line = m->order[row->events[k - 1]]->line;
        at->ptx_line = m->order[row->events[k - 1]]->ptx_line;
    } else if (at->in) {
        at->line = at->in->line;
        at->ptx_line = at->in->ptx_line;
    }
}

tc_warp_at tc_model_warp_at(const tc_model *m, int32_t row, uint64_t cycle) {
    const tc_row *r = &m->rows[row];
    tc_warp_at at = {.in = last_begun(r, cycle)};
    at.started = at.in != NULL;
    at.exited = has_exited(m, r, cycle);
    if (at.in && cycle >= at.in->end) {
        at.in = NULL;
    }
    at.stalled = at.in && at.in->kind == TC_INTERVAL_STALL;
    at.cause = at.stalled ? at.in->cause : 0;
    at.waits = wait_of(m, r, cycle);
    find_line(m, r, cycle, &at);
    return at;
}

tc_mbarrier_at tc_model_mbarrier_at(const tc_model *m, int32_t row,
                                    uint64_t cycle) {
    const tc_trace_fields **f = m->index->fields[row];
    size_t lo = 0, hi = m->index->nfields[row];
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f[mid]->cycle <= cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    if (lo == 0) {
        return (tc_mbarrier_at){0};
    }
    const tc_trace_fields *x = f[lo - 1];
    tc_mbarrier_at at = {.live = x->live,
                         .phase = x->phase,
                         .parity = x->phase & 1,
                         .pending = x->pending,
                         .expected = x->expected,
                         .tx = x->tx,
                         .announced = x->announced,
                         .landed = x->landed,
                         .since = x->cycle};
    for (size_t i = lo; i-- > 0 && f[i]->phase == x->phase && f[i]->live;) {
        at.since = f[i]->cycle;
    }
    return at;
}

/* Adds a row to those that rise; one that is there stays alone. */
static size_t put_rising(int32_t *out, size_t cap, size_t n, int32_t row) {
    size_t have = n < cap ? n : cap, i = 0;
    while (i < have && out[i] < row) {
        i++;
    }
    if (i < have && out[i] == row) {
        return n;
    }
    for (size_t k = have < cap ? have : cap - 1; i < cap && k > i; k--) {
        out[k] = out[k - 1];
    }
    if (i < cap) {
        out[i] = row;
    }
    return n + 1;
}

size_t tc_model_waiters(const tc_model *m, int32_t row, uint64_t cycle,
                        int32_t *out, size_t cap) {
    const tc_row *r = &m->rows[row];
    size_t n = 0;
    size_t end = row_seek(m, r, cycle + 1);
    for (size_t k = 0; k < end; k++) {
        const tc_trace_event *e = m->order[r->events[k]];
        bool waits = e->kind == TC_TRACE_WAIT || e->kind == TC_TRACE_BARRIER;
        if (waits && cycle < tc_event_end(e)) {
            n = put_rising(out, cap, n, tc_model_warp(m, e->cta, e->warp));
        }
    }
    return n;
}

size_t tc_model_at(const tc_model *m, int32_t row, uint64_t cycle,
                   const tc_interval **out, size_t cap) {
    const tc_row *r = &m->rows[row];
    const tc_interval *last = last_begun(r, cycle);
    size_t end = last ? (size_t)(last - r->intervals) + 1 : 0, n = 0;
    for (size_t i = 0; i < end; i++) {
        const tc_interval *x = &r->intervals[i];
        if (x->end > cycle) {
            if (n < cap) {
                out[n] = x;
            }
            n++;
        }
    }
    return n;
}
