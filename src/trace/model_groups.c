/* model_groups.c - intervals of what is in flight: groups of copies, single
 * copies, loads and stores of tensor memory. */
#include "trace/model_build.h"

/* ---- groups (PTX ISA 9.7.9.25.3, 9.7.9.27.2, 9.7.15.7) ---- */

/* Copies that become one group, or that one cp.async.mbarrier.arrive tracks. */
typedef struct tc_flight {
    int32_t group;         /* ordinal */
    int32_t first, commit; /* positions, or -1 */
    int32_t wait;          /* the first that guarantees it, or -1 */
    int32_t read;          /* the first that guarantees its sources, or -1 */
    int32_t barrier;       /* row of the mbarrier that tracks it, or -1 */
    int32_t phase;         /* of that */
    uint64_t landed;       /* the last byte of all; 0 none yet */
    int32_t last;          /* the completion that was */
    uint64_t bytes;
    uint32_t copies, open; /* copy instructions; those not landed */
} tc_flight;

/* The scratch of the index is left as it was found. */
static void clear(tc_model *m, const tc_row *row) {
    for (size_t k = 0; k < row->nevents; k++) {
        uint32_t p = row->events[k];
        int32_t cause = m->index->cause[p];
        m->index->scratch[p] = 0;
        m->index->lanes[p] = 0;
        if (cause >= 0) {
            m->index->scratch[cause] = 0;
        }
    }
}

typedef struct tc_flights {
    tc_model *m;
    const tc_row *row;
    tc_flight *at;
    int n, cap;
    int32_t *of;    /* by position: the flight of an issue, + 1 */
    uint32_t *left; /* by position: its lanes of the row that have not landed */
} tc_flights;

/* An event's bytes, those of the row's lanes. */
static uint64_t share(const tc_trace_event *e, uint32_t lanes) {
    int all = __builtin_popcount(e->lanes);
    if (e->bytes <= 0 || all == 0) {
        return 0;
    }
    uint32_t own = lanes ? e->lanes & lanes : e->lanes;
    return (uint64_t)e->bytes * (uint64_t)__builtin_popcount(own) /
           (uint64_t)all;
}

static tc_flight *begin_flight(tc_flights *f, int32_t group) {
    tc_flight fresh = {.group = group,
                       .first = -1,
                       .commit = -1,
                       .wait = -1,
                       .read = -1,
                       .barrier = -1,
                       .phase = -1,
                       .last = -1};
    TC_PUSH(f->m->arena, f->at, f->n, f->cap, fresh);
    return &f->at[f->n - 1];
}

/* The one that takes copies of this ordinal now: neither committed nor
 * tracked. */
static tc_flight *open_flight(tc_flights *f, int32_t group) {
    tc_flight *last = f->n ? &f->at[f->n - 1] : NULL;
    bool open =
        last && last->group == group && last->commit < 0 && last->barrier < 0;
    return open ? last : begin_flight(f, group);
}

static uint32_t own_lanes(const tc_flights *f, const tc_trace_event *e) {
    return f->row->lanes ? e->lanes & f->row->lanes : e->lanes;
}

static void add_issue(tc_flights *f, uint32_t p, const tc_trace_event *e) {
    tc_flight *x = open_flight(f, e->group);
    x->first = x->first < 0 ? (int32_t)p : x->first;
    x->bytes += share(e, f->row->lanes);
    x->copies++;
    x->open++;
    f->of[p] = (int32_t)(x - f->at) + 1;
    f->left[p] = own_lanes(f, e);
}

static void add_complete(tc_flights *f, uint32_t p, const tc_trace_event *e) {
    int32_t cause = f->m->index->cause[p];
    int32_t i = cause >= 0 ? f->of[cause] : 0;
    if (i == 0) {
        return;
    }
    tc_flight *x = &f->at[i - 1];
    bool was = f->left[cause] != 0;
    f->left[cause] &= ~e->lanes;
    x->open -= was && f->left[cause] == 0;
    if (tc_event_end(e) >= x->landed) {
        x->landed = tc_event_end(e);
        x->last = (int32_t)p;
    }
}

/* A commit also takes what an mbarrier tracks already: nothing has come
 * between, it is the same copies. */
static void add_commit(tc_flights *f, uint32_t p, const tc_trace_event *e) {
    tc_flight *x = open_flight(f, e->group);
    for (int i = f->n - 1; i >= 0 && x->copies == 0; i--) {
        if (f->at[i].group == e->group && f->at[i].copies) {
            x = &f->at[i];
            f->n -= f->at[f->n - 1].copies == 0;
        } else if (f->at[i].group < e->group) {
            break;
        }
    }
    x->commit = (int32_t)p;
}

static void add_track(tc_flights *f, uint32_t p, const tc_trace_event *e) {
    tc_flight *x = f->n ? &f->at[f->n - 1] : NULL;
    if (x && x->commit < 0 && x->barrier < 0) {
        x->barrier = f->m->index->mbarrier_row[p];
        x->phase = e->phase;
    }
}

/* A wait that guarantees ordinal n guarantees all older ones: PTX ISA,
 * cp.async.wait_group ("all prior cp.async-groups are complete"). */
static void add_wait(tc_flights *f, uint32_t p, const tc_trace_event *e) {
    for (int i = f->n - 1; i >= 0; i--) {
        tc_flight *x = &f->at[i];
        if (x->commit < 0 || x->group > e->group) {
            continue;
        }
        int32_t *wait = e->count ? &x->read : &x->wait; /* count: .read */
        if (*wait >= 0) {
            return;
        }
        *wait = (int32_t)p;
    }
}

static void add(tc_flights *f, uint32_t p) {
    const tc_trace_event *e = f->m->order[p];
    if (tc_trace_is_issue(e->kind)) {
        add_issue(f, p, e);
        return;
    }
    switch ((tc_trace_kind)e->kind) {
    case TC_TRACE_COMPLETE:
        add_complete(f, p, e);
        break;
    case TC_TRACE_COMMIT:
        add_commit(f, p, e);
        break;
    case TC_TRACE_TRACK:
        add_track(f, p, e);
        break;
    case TC_TRACE_WAIT:
        if (e->group >= 0) {
            add_wait(f, p, e);
        }
        break;
    default:
        break;
    }
}

/* The first wait that passed this phase of an mbarrier or a later one; -1
 * none. */
static int32_t wait_at(const tc_model *m, int32_t row, int32_t phase) {
    const tc_first_waits *w = row >= 0 ? &m->index->first_waits[row] : NULL;
    if (w == NULL || phase < 0 || w->n == 0 || phase > w->from + w->n - 1) {
        return -1;
    }
    return w->at[phase < w->from ? 0 : phase - w->from];
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* What is in flight, then landed: from `from` until all its bytes are there,
 * then until the wait is over. */
static void emit_landing(tc_model *m, tc_intervals *l, tc_interval i,
                         uint32_t thing, uint64_t from, uint64_t landed,
                         int32_t wait) {
    i.kind = TC_INTERVAL_FLIGHT;
    i.begin = from;
    i.end = landed == TC_OPEN ? landed : later(landed, from);
    tc_intervals_add(m, l, i, thing);
    i.kind = TC_INTERVAL_LANDED;
    i.begin = i.end;
    i.end = wait < 0 ? TC_OPEN : later(i.begin, tc_event_end(m->order[wait]));
    i.last = wait;
    if (i.begin != TC_OPEN) {
        tc_intervals_add(m, l, i, thing);
    }
}

static void emit(tc_flights *f, tc_intervals *l, int index) {
    tc_model *m = f->m;
    const tc_flight *x = &f->at[index];
    int32_t begins = x->first >= 0 ? x->first : x->commit;
    if (begins < 0) {
        return;
    }
    tc_interval i = tc_interval_of(m, TC_INTERVAL_UNCOMMITTED, (size_t)begins);
    i.group = x->commit >= 0 || x->barrier < 0 ? x->group : -1;
    i.copy = x->first;
    i.bytes = x->bytes;
    i.count = x->copies;
    i.barrier = x->barrier;
    i.phase = x->phase;
    i.last = x->last;
    uint64_t landed = x->open ? TC_OPEN : later(x->landed, i.begin);
    int32_t wait = x->commit >= 0    ? x->wait
                   : x->barrier >= 0 ? wait_at(m, x->barrier, x->phase)
                                     : -1;
    i.wait = wait;
    i.read = x->read;
    if (x->commit >= 0) {
        uint64_t commit = m->order[x->commit]->cycle;
        i.end = commit;
        tc_intervals_add(m, l, i, (uint32_t)index);
        i.line = m->order[x->commit]->line;
        i.ptx_line = m->order[x->commit]->ptx_line;
        emit_landing(m, l, i, (uint32_t)index, commit, landed, wait);
    } else if (x->barrier >= 0) {
        emit_landing(m, l, i, (uint32_t)index, i.begin, landed, wait);
    } else { /* nothing will ever guarantee it */
        tc_intervals_add(m, l, i, (uint32_t)index);
    }
}

/* Who guarantees each copy: its group's wait. */
static void note_waits(tc_flights *f) {
    for (size_t k = 0; k < f->row->nevents; k++) {
        uint32_t p = f->row->events[k];
        if (tc_trace_is_issue(f->m->order[p]->kind) && f->of[p]) {
            const tc_flight *x = &f->at[f->of[p] - 1];
            f->m->index->waited[p] = x->wait;
            f->m->index->tracked[p] = x->barrier;
            f->m->index->tracked_phase[p] = x->phase;
        }
    }
}

void tc_model_group_intervals(tc_model *m, tc_row *row) {
    tc_flights f = {.m = m, .row = row};
    tc_intervals l = {0};
    f.of = m->index->scratch;
    f.left = m->index->lanes;
    for (size_t k = 0; k < row->nevents; k++) {
        add(&f, row->events[k]);
    }
    for (int i = 0; i < f.n; i++) {
        emit(&f, &l, i);
    }
    note_waits(&f);
    tc_intervals_finish(m, &l, row);
    clear(m, row);
}

/* ---- single copies ---- */

/* The completion of each issue of the row: the last one. */
static void find_completions(const tc_model *m, const tc_row *row,
                             int32_t *of) {
    for (size_t k = 0; k < row->nevents; k++) {
        uint32_t p = row->events[k];
        int32_t cause = m->index->cause[p];
        if (m->order[p]->kind == TC_TRACE_COMPLETE && cause >= 0) {
            of[cause] = (int32_t)p + 1;
        }
    }
}

static void emit_copy(tc_model *m, tc_intervals *l, uint32_t p,
                      int32_t complete) {
    const tc_trace_event *e = m->order[p];
    tc_interval i = tc_interval_of(m, TC_INTERVAL_FLIGHT, p);
    i.copy = (int32_t)p;
    i.last = complete;
    i.group = e->group;
    i.bytes = e->bytes > 0 ? (uint64_t)e->bytes : 0;
    i.count = 1;
    bool tracked = e->object == TC_OBJECT_MBARRIER;
    i.barrier = tracked ? m->index->mbarrier_row[p] : -1;
    i.phase = tracked ? e->phase : -1;
    int32_t wait =
        tracked ? wait_at(m, i.barrier, i.phase) : m->index->waited[p];
    i.wait = wait;
    emit_landing(m, l, i, p, i.begin,
                 complete >= 0 ? tc_event_end(m->order[complete]) : TC_OPEN,
                 wait);
}

void tc_model_copy_intervals(tc_model *m, tc_row *row) {
    tc_intervals l = {0};
    int32_t *of = m->index->scratch;
    find_completions(m, row, of);
    for (size_t k = 0; k < row->nevents; k++) {
        uint32_t p = row->events[k];
        if (tc_trace_is_issue(m->order[p]->kind)) {
            emit_copy(m, &l, p, of[p] - 1);
        }
    }
    tc_intervals_finish(m, &l, row);
    clear(m, row);
}

/* ---- tensor memory ---- */

void tc_model_tmem_intervals(tc_model *m, tc_row *row) {
    tc_intervals l = {0};
    int32_t *of = m->index->scratch;
    find_completions(m, row, of);
    for (size_t k = 0; k < row->nevents; k++) {
        uint32_t p = row->events[k];
        const tc_trace_event *e = m->order[p];
        bool waits = e->kind == TC_TRACE_WAIT;
        if (!waits && !tc_trace_is_issue(e->kind)) {
            continue;
        }
        tc_interval i = tc_interval_of(
            m, waits ? TC_INTERVAL_WAITED : TC_INTERVAL_FLIGHT, p);
        int32_t complete = of[p] - 1;
        i.end = waits           ? tc_event_end(e)
                : complete >= 0 ? tc_event_end(m->order[complete])
                                : TC_OPEN;
        i.copy = waits ? -1 : (int32_t)p;
        i.last = waits ? (int32_t)p : complete;
        i.bytes = e->bytes > 0 ? (uint64_t)e->bytes : 0;
        tc_intervals_add(m, &l, i, p);
    }
    tc_intervals_finish(m, &l, row);
    clear(m, row);
}
