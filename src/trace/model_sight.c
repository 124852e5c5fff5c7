/* model_sight.c - what a warp may see: vector clocks over the warps of a
 * cluster, from the barriers, phases and waits of the trace.
 *
 * A clock is, for each warp, a position before which all that it did is known.
 * Lanes of a warp are taken together, and proxies are not looked at: that is
 * the checker's (sim/race), whose findings count. */
#include "trace/model_build.h"

#include <stdlib.h>
#include <string.h>

struct tc_model_sight {
    const tc_model *m;
    int32_t viewer; /* warp, by its number here; -1: none, who sees nothing */
    int32_t *rows;  /* of the warps */
    int32_t nwarps;
    uint32_t *known;    /* [nwarps][nwarps]: what each knows of each */
    uint32_t **release; /* by row of an mbarrier: [2][nwarps], of the phases of
                           either parity; NULL: none yet */
    uint64_t now;       /* waits that end later are not over */
    size_t position;
};

/* A moment at which knowledge moves. */
typedef struct tc_moment {
    uint64_t cycle;
    uint32_t position;
    uint8_t what; /* order of those of one cycle: releases come first */
} tc_moment;
enum { RELEASE, ACQUIRE };

static int by_time(const void *a, const void *b) {
    const tc_moment *x = a, *y = b;
    if (x->cycle != y->cycle) {
        return x->cycle < y->cycle ? -1 : 1;
    }
    if (x->what != y->what) {
        return x->what < y->what ? -1 : 1;
    }
    return x->position < y->position ? -1 : x->position > y->position;
}

static int32_t number_of(const tc_model_sight *s, uint32_t cta, uint32_t warp) {
    for (int32_t i = 0; i < s->nwarps; i++) {
        const tc_row *r = &s->m->rows[s->rows[i]];
        if (r->cta == cta && r->warp == warp) {
            return i;
        }
    }
    return -1;
}

static void find_warps(tc_model_sight *s, int32_t row) {
    const tc_model *m = s->m;
    uint32_t n, first = tc_model_cluster(m, m->rows[row].cta, &n);
    size_t from = tc_model_rows_from(m, first), end = from;
    while (end < m->nrows && m->rows[end].cta < first + n) {
        end++;
    }
    s->rows = tc_xmalloc((end - from + 1) * sizeof *s->rows);
    for (size_t i = from; i < end; i++) {
        if (m->rows[i].kind == TC_ROW_WARP) {
            s->viewer = (int32_t)i == row ? s->nwarps : s->viewer;
            s->rows[s->nwarps++] = (int32_t)i;
        }
    }
}

/* Moments of the cluster's warps before the position: arrivals release when
 * they happen; a wait or a barrier acquires when it is over. */
static tc_moment *find_moments(const tc_model_sight *s, size_t *n) {
    const tc_model *m = s->m;
    size_t cap = 64;
    tc_moment *at = tc_xmalloc(cap * sizeof *at);
    *n = 0;
    for (int32_t w = 0; w < s->nwarps; w++) {
        const tc_row *row = &m->rows[s->rows[w]];
        for (size_t k = 0; k < row->nevents && row->events[k] < s->position;
             k++) {
            const tc_trace_event *e = m->order[row->events[k]];
            bool releases = e->kind == TC_TRACE_ARRIVE;
            bool acquires =
                e->kind == TC_TRACE_BARRIER ||
                (e->kind == TC_TRACE_WAIT && e->object == TC_OBJECT_MBARRIER);
            if ((!releases && !acquires) ||
                (acquires && tc_event_end(e) > s->now)) {
                continue;
            }
            if (*n == cap) {
                cap *= 2;
                at = tc_xrealloc(at, cap * sizeof *at);
            }
            at[(*n)++] =
                (tc_moment){acquires ? tc_event_end(e) : e->cycle,
                            row->events[k], acquires ? ACQUIRE : RELEASE};
        }
    }
    qsort(at, *n, sizeof *at, by_time);
    return at;
}

static uint32_t *of(const tc_model_sight *s, int32_t warp) {
    return s->known + (size_t)warp * (size_t)s->nwarps;
}

static void join(const tc_model_sight *s, uint32_t *to, const uint32_t *from) {
    for (int32_t i = 0; i < s->nwarps; i++) {
        to[i] = from[i] > to[i] ? from[i] : to[i];
    }
}

static uint32_t *released(tc_model_sight *s, int32_t row, int32_t phase) {
    if (s->release[row] == NULL) {
        s->release[row] =
            tc_xcalloc(2 * (size_t)s->nwarps, sizeof **s->release);
    }
    return s->release[row] + (phase & 1 ? s->nwarps : 0);
}

/* All that one barrier lets go together know what any of them did before it. */
static void meet(tc_model_sight *s, const tc_moment *at, size_t i, size_t n) {
    const tc_trace_event *e = s->m->order[at[i].position];
    uint32_t *all = tc_xcalloc((size_t)s->nwarps + 1, sizeof *all);
    for (size_t k = i; k < n && at[k].cycle == at[i].cycle; k++) {
        const tc_trace_event *x = s->m->order[at[k].position];
        int32_t w = number_of(s, x->cta, x->warp);
        if (x->kind == TC_TRACE_BARRIER && x->object == e->object &&
            x->owner == e->owner && x->barrier == e->barrier && w >= 0) {
            of(s, w)[w] = at[k].position;
            join(s, all, of(s, w));
        }
    }
    for (size_t k = i; k < n && at[k].cycle == at[i].cycle; k++) {
        const tc_trace_event *x = s->m->order[at[k].position];
        int32_t w = number_of(s, x->cta, x->warp);
        if (x->kind == TC_TRACE_BARRIER && x->object == e->object &&
            x->owner == e->owner && x->barrier == e->barrier && w >= 0) {
            join(s, of(s, w), all);
        }
    }
    free(all);
}

static void advance(tc_model_sight *s, const tc_moment *at, size_t i,
                    size_t n) {
    const tc_trace_event *e = s->m->order[at[i].position];
    int32_t w = number_of(s, e->cta, e->warp);
    int32_t row = s->m->index->mbarrier_row[at[i].position];
    if (w < 0) {
        return;
    }
    if (e->kind == TC_TRACE_BARRIER) {
        meet(s, at, i, n);
    } else if (row >= 0 && at[i].what == RELEASE) {
        of(s, w)[w] = at[i].position;
        join(s, released(s, row, e->phase), of(s, w));
    } else if (row >= 0) {
        join(s, of(s, w), released(s, row, e->phase));
    }
}

tc_model_sight *tc_sight_new(const tc_model *m, int32_t row, size_t position,
                             uint64_t now) {
    tc_model_sight *s = tc_xcalloc(1, sizeof *s);
    s->m = m;
    s->viewer = -1;
    s->position = position;
    s->now = now;
    s->release = tc_xcalloc(m->nrows + 1, sizeof *s->release);
    if (row < 0 || m->rows[row].kind != TC_ROW_WARP) {
        return s;
    }
    find_warps(s, row);
    s->known =
        tc_xcalloc((size_t)s->nwarps * (size_t)s->nwarps + 1, sizeof *s->known);
    size_t n;
    tc_moment *at = find_moments(s, &n);
    for (size_t i = 0; i < n; i++) {
        advance(s, at, i, n);
    }
    free(at);
    return s;
}

void tc_sight_free(tc_model_sight *s) {
    for (size_t i = 0; i < s->m->nrows; i++) {
        free(s->release[i]);
    }
    free(s->release);
    free(s->known);
    free(s->rows);
    free(s);
}

/* Does the viewer know what a warp had done by a position? */
static bool knows(const tc_model_sight *s, int32_t warp, size_t position) {
    return warp == s->viewer ||
           (warp >= 0 && of(s, s->viewer)[warp] > position);
}

/* The wait is over, and the viewer knows of it. */
static bool knows_wait(const tc_model_sight *s, size_t wait) {
    const tc_trace_event *e = s->m->order[wait];
    return wait < s->position && tc_event_end(e) <= s->now &&
           knows(s, number_of(s, e->cta, e->warp), wait);
}

/* Has anybody whom the viewer knows of passed that phase of the mbarrier? */
static bool knows_phase(const tc_model_sight *s, int32_t row, int32_t phase) {
    const tc_positions *w = &s->m->index->waits[row];
    for (size_t i = 0; i < w->n && w->at[i] < s->position; i++) {
        if (s->m->order[w->at[i]]->phase >= phase && knows_wait(s, w->at[i])) {
            return true;
        }
    }
    return false;
}

bool tc_sight_sees(const tc_model_sight *s, size_t writer) {
    const tc_model *m = s->m;
    const tc_trace_event *e = m->order[writer];
    const tc_model_index *x = m->index;
    if (s->viewer < 0) {
        return false;
    }
    if (e->kind == TC_TRACE_STORE) {
        return knows(s, number_of(s, e->cta, e->warp), writer);
    }
    if (x->waited[writer] >= 0 && knows_wait(s, (size_t)x->waited[writer])) {
        return true;
    }
    int32_t row = e->object == TC_OBJECT_MBARRIER ? x->mbarrier_row[writer]
                                                  : x->tracked[writer];
    int32_t phase =
        e->object == TC_OBJECT_MBARRIER ? e->phase : x->tracked_phase[writer];
    return row >= 0 && knows_phase(s, row, phase);
}
