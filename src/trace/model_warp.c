/* model_warp.c - intervals of warps, of mbarriers and of barriers. */
#include "trace/model_build.h"

#include <stdlib.h>
#include <string.h>

/* ---- warps ---- */

static void add_stretch(tc_model *m, tc_intervals *l,
                        const tc_trace_stretch *s) {
    tc_interval i = {.begin = s->begin,
                     .end = s->end,
                     .kind =
                         s->issued ? TC_INTERVAL_COMPUTE : TC_INTERVAL_STALL,
                     .cause = s->issued ? 0 : s->cause,
                     .line = s->line,
                     .ptx_line = s->ptx_line,
                     .group = -1,
                     .phase = -1,
                     .copy = -1,
                     .last = -1,
                     .barrier = -1,
                     .count = s->issued};
    tc_intervals_add(m, l, i, 0);
}

static tc_stall cause_of(const tc_trace_event *e) {
    switch ((tc_trace_object)e->object) {
    case TC_OBJECT_GROUP:
    case TC_OBJECT_BULK_GROUP:
        return TC_STALL_COPY;
    case TC_OBJECT_MBARRIER:
        return TC_STALL_MBARRIER;
    case TC_OBJECT_BARRIER:
    case TC_OBJECT_CLUSTER:
        return TC_STALL_BARRIER;
    default:
        return TC_STALL_LONG;
    }
}

/* Without a clock's stretches: it stalls in its waits, and computes else. */
static void from_events(tc_model *m, tc_intervals *l, const tc_row *row) {
    uint64_t now = row->nevents ? m->order[row->events[0]]->cycle : 0;
    uint64_t last = now;
    for (size_t k = 0; k < row->nevents; k++) {
        uint32_t p = row->events[k];
        const tc_trace_event *e = m->order[p];
        last = tc_event_end(e) > last ? tc_event_end(e) : last;
        if (e->end <= e->cycle || e->cycle < now ||
            (e->kind != TC_TRACE_WAIT && e->kind != TC_TRACE_BARRIER)) {
            continue;
        }
        tc_interval i = tc_interval_of(m, TC_INTERVAL_COMPUTE, p);
        i.begin = now;
        i.end = e->cycle;
        tc_intervals_add(m, l, i, 0);
        i.kind = TC_INTERVAL_STALL;
        i.cause = (uint8_t)cause_of(e);
        i.begin = e->cycle;
        i.end = now = e->end;
        tc_intervals_add(m, l, i, 0);
    }
    if (row->nevents) {
        tc_interval i = tc_interval_of(m, TC_INTERVAL_COMPUTE,
                                       row->events[row->nevents - 1]);
        i.begin = now;
        i.end = last + 1;
        tc_intervals_add(m, l, i, 0);
    }
}

/* A warp's stretches were recorded in their order. */
void tc_model_warp_intervals(tc_model *m) {
    const tc_trace *t = m->trace;
    tc_intervals *of = tc_xcalloc(m->nrows + 1, sizeof *of);
    int32_t row = -1;
    for (size_t i = 0; i < t->nstretches; i++) {
        const tc_trace_stretch *s = &t->stretches[i];
        if (row < 0 || m->rows[row].cta != s->cta ||
            m->rows[row].warp != s->warp) {
            row = tc_model_warp(m, s->cta, s->warp);
        }
        if (row >= 0) {
            add_stretch(m, &of[row], s);
        }
    }
    for (size_t i = 0; i < m->nrows; i++) {
        if (m->rows[i].kind != TC_ROW_WARP) {
            continue;
        }
        if (of[i].n == 0) {
            from_events(m, &of[i], &m->rows[i]);
        }
        m->rows[i].intervals = of[i].at;
        m->rows[i].nintervals = (size_t)of[i].n;
    }
    free(of);
}

/* ---- mbarriers ---- */

/* What the phase announced, and how many arrivals it wanted: of the last fields
 * before its end. */
static void add_fields(const tc_model *m, const tc_row *row, tc_interval *i) {
    size_t r = (size_t)(row - m->rows);
    const tc_trace_fields **f = m->index->fields[r];
    size_t lo = 0, hi = m->index->nfields[r];
    while (lo < hi) { /* the first of a later phase */
        size_t mid = lo + (hi - lo) / 2;
        if ((int64_t)f[mid]->phase <= i->phase) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    for (; lo > 0 && (int64_t)f[lo - 1]->phase == i->phase; lo--) {
        const tc_trace_fields *x = f[lo - 1];
        i->bytes = x->announced > i->bytes ? x->announced : i->bytes;
        i->count = x->expected > i->count ? x->expected : i->count;
    }
}

void tc_model_mbarrier_intervals(tc_model *m, tc_row *row) {
    tc_intervals l = {0};
    tc_interval now = {0};
    bool open = false;
    for (size_t k = 0; k < row->nevents; k++) {
        uint32_t p = row->events[k];
        const tc_trace_event *e = m->order[p];
        if (!open && e->phase >= 0) { /* its init, or the trace began later */
            now = tc_interval_of(m, TC_INTERVAL_PHASE, p);
            now.phase = e->kind == TC_TRACE_PHASE ? e->phase + 1 : e->phase;
            open = true;
            continue;
        }
        bool again = e->kind == TC_TRACE_INIT;
        if (!open || (!again && e->kind != TC_TRACE_PHASE)) {
            continue;
        }
        now.end = e->cycle;
        now.last = (int32_t)p;
        add_fields(m, row, &now);
        tc_intervals_add(m, &l, now, (uint32_t)k);
        now = tc_interval_of(m, TC_INTERVAL_PHASE, p);
        now.phase = again ? 0 : e->phase + 1;
    }
    if (open) {
        add_fields(m, row, &now);
        tc_intervals_add(m, &l, now, UINT32_MAX);
    }
    tc_intervals_finish(m, &l, row);
}

/* ---- barriers of threads ---- */

/* How often each warp has come to the barrier so far. */
typedef struct tc_comers {
    uint32_t *cta, *warp, *times;
    int n;
} tc_comers;

static uint32_t times_of(tc_comers *c, const tc_trace_event *e) {
    int i = 0;
    while (i < c->n && (c->cta[i] != e->cta || c->warp[i] != e->warp)) {
        i++;
    }
    if (i == c->n) {
        c->cta[i] = e->cta;
        c->warp[i] = e->warp;
        c->times[i] = 0;
        c->n++;
    }
    return c->times[i]++;
}

/* Those that a CTA's barrier lets go together have one end; at the cluster's,
 * who waits later goes later, and each comes once a phase. */
static void add_comer(tc_model *m, tc_intervals *l, const tc_row *row,
                      tc_comers *c, uint32_t p) {
    const tc_trace_event *e = m->order[p];
    bool cluster = row->kind == TC_ROW_CLUSTER;
    uint32_t turn = cluster ? times_of(c, e) : 0;
    for (int i = l->n - 1; i >= 0; i--) {
        tc_interval *x = &l->at[i];
        if (cluster ? x->thing == turn : x->end == tc_event_end(e)) {
            x->count++;
            x->end = tc_event_end(e) > x->end ? tc_event_end(e) : x->end;
            x->last = (int32_t)p;
            return;
        }
        if (!cluster && x->end < e->cycle) {
            break;
        }
    }
    tc_interval i = tc_interval_of(m, TC_INTERVAL_GATHER, p);
    i.end = tc_event_end(e);
    i.count = 1;
    i.last = (int32_t)p;
    TC_PUSH(m->arena, l->at, l->n, l->cap, i);
    l->at[l->n - 1].thing = cluster ? turn : (uint32_t)l->n - 1;
}

void tc_model_barrier_intervals(tc_model *m, tc_row *row) {
    tc_intervals l = {0};
    tc_comers c = {0};
    c.cta = tc_xcalloc(row->nevents + 1, sizeof *c.cta);
    c.warp = tc_xcalloc(row->nevents + 1, sizeof *c.warp);
    c.times = tc_xcalloc(row->nevents + 1, sizeof *c.times);
    for (size_t k = 0; k < row->nevents; k++) {
        add_comer(m, &l, row, &c, row->events[k]);
    }
    free(c.cta);
    free(c.warp);
    free(c.times);
    tc_intervals_finish(m, &l, row);
}
