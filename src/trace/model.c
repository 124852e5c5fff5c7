/* model.c - the timeline model: the order of events, and its tables. */
#include "trace/model_build.h"

#include <stdlib.h>
#include <string.h>

#define X(id, name) name,
const char *const tc_row_kind_names[TC_ROW_COUNT] = {TC_ROWS(X)};
const char *const tc_interval_kind_names[TC_INTERVAL_COUNT] = {TC_INTERVALS(X)};
const char *const tc_byte_state_names[TC_BYTE_COUNT] = {TC_BYTES(X)};
#undef X

/* ---- the order ---- */

/* An event is where it began; those of a cycle in the order in which they were
 * recorded, which is that of their effects. */
static int by_cycle(const void *a, const void *b) {
    const tc_trace_event *x = *(const tc_trace_event *const *)a;
    const tc_trace_event *y = *(const tc_trace_event *const *)b;
    if (x->cycle != y->cycle) {
        return x->cycle < y->cycle ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

/* Events are recorded when they take effect: all but the waits, which began
 * before, are in order. These are sorted, and merged with the others. */
static void sort_order(tc_model *m) {
    const tc_trace_event **late = tc_xmalloc((m->n + 1) * sizeof *late);
    const tc_trace_event *events = m->trace->events;
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < m->n; i++) {
        bool behind = kept && events[i].cycle < m->order[kept - 1]->cycle;
        if (behind) {
            late[n++] = &events[i];
        } else {
            m->order[kept++] = &events[i];
        }
    }
    qsort(late, n, sizeof *late, by_cycle);
    for (size_t at = m->n; n > 0;) { /* from behind */
        bool last = kept && by_cycle(&m->order[kept - 1], &late[n - 1]) > 0;
        m->order[--at] = last ? m->order[--kept] : late[--n];
    }
    free(late);
}

static void make_order(tc_model *m) {
    const tc_trace *t = m->trace;
    m->n = t->n;
    m->order = TC_NEWN(m->arena, const tc_trace_event *, t->n + 1);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t last = tc_event_end(&t->events[i]);
        m->cycles = last > m->cycles ? last : m->cycles;
    }
    sort_order(m);
    m->first = t->dropped && m->n ? m->order[0]->cycle : 0;
}

static void make_positions(tc_model *m) {
    tc_model_index *x = m->index;
    x->position_of = TC_NEWN(m->arena, uint32_t, m->n + 1);
    x->cause = TC_NEWN(m->arena, int32_t, m->n + 1);
    x->waited = TC_NEWN(m->arena, int32_t, m->n + 1);
    x->scratch = TC_NEWN(m->arena, int32_t, m->n + 1);
    x->lanes = TC_NEWN(m->arena, uint32_t, m->n + 1);
    x->tracked = TC_NEWN(m->arena, int32_t, m->n + 1);
    x->tracked_phase = TC_NEWN(m->arena, int32_t, m->n + 1);
    for (size_t i = 0; i < m->n; i++) {
        x->tracked[i] = x->tracked_phase[i] = -1;
        x->position_of[m->order[i] - m->trace->events] = (uint32_t)i;
        x->waited[i] = -1;
    }
    for (size_t i = 0; i < m->n; i++) {
        int32_t cause = m->order[i]->cause;
        bool has = cause >= 0 && (size_t)cause < m->n;
        x->cause[i] = has ? (int32_t)x->position_of[cause] : -1;
    }
}

/* ---- tables ---- */

static int by_line(const void *a, const void *b) {
    const tc_line_position *x = a, *y = b;
    if (x->line != y->line) {
        return x->line < y->line ? -1 : 1;
    }
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Lines below `most`, by counting: events of one stay in their order. */
static void sort_lines(tc_model *m, int32_t most) {
    tc_model_index *x = m->index;
    uint32_t *at = tc_xcalloc((size_t)most + 1, sizeof *at);
    tc_line_position *out = TC_NEWN(m->arena, tc_line_position, x->nlines + 1);
    for (size_t i = 0; i < x->nlines; i++) {
        at[x->lines[i].line + 1]++;
    }
    for (int32_t l = 0; l < most; l++) {
        at[l + 1] += at[l];
    }
    for (size_t i = 0; i < x->nlines; i++) {
        out[at[x->lines[i].line]++] = x->lines[i];
    }
    x->lines = out;
    free(at);
}

static void index_kinds(tc_model *m) {
    tc_positions *k = m->index->kinds;
    for (size_t i = 0; i < m->n; i++) {
        k[m->order[i]->kind].n++;
    }
    for (int i = 0; i < TC_TRACE_KIND_COUNT; i++) {
        k[i].at = TC_NEWN(m->arena, uint32_t, k[i].n + 1);
        k[i].n = 0;
    }
    for (size_t i = 0; i < m->n; i++) {
        tc_positions *p = &k[m->order[i]->kind];
        p->at[p->n++] = (uint32_t)i;
    }
}

static void index_lines(tc_model *m) {
    tc_model_index *x = m->index;
    x->lines = TC_NEWN(m->arena, tc_line_position, m->n + 1);
    for (size_t i = 0; i < m->n; i++) {
        if (m->order[i]->line > 0) {
            x->lines[x->nlines++] =
                (tc_line_position){m->order[i]->line, (uint32_t)i};
        }
    }
    int32_t most = 1;
    for (size_t i = 0; i < x->nlines; i++) {
        most = x->lines[i].line > most ? x->lines[i].line : most;
    }
    if (most < 1 << 20) {
        sort_lines(m, most + 1);
    } else {
        qsort(x->lines, x->nlines, sizeof *x->lines, by_line);
    }
}

uint32_t tc_model_cluster(const tc_model *m, uint32_t cta, uint32_t *n) {
    uint32_t size = m->trace->cluster > 1 ? m->trace->cluster : 1;
    *n = size;
    return cta / size * size;
}

bool tc_model_is_of(const tc_model *m, const tc_trace_event *e, uint32_t cta) {
    uint32_t n, first = tc_model_cluster(m, cta, &n);
    if (e->targets && e->owner >= first && e->owner < first + n) {
        return cta - first < 16 && (e->targets >> (cta - first) & 1) != 0;
    }
    return e->owner == cta;
}

static bool touches(const tc_model *m, const tc_trace_event *e, uint32_t cta) {
    return (e->space == TC_TRACE_SPACE_SHARED && tc_model_is_of(m, e, cta)) ||
           (e->source_space == TC_TRACE_SPACE_SHARED && e->source_owner == cta);
}

/* Calls fn with the number of each CTA of which the event touches shared
 * memory. */
static void each_shared(const tc_model *m, size_t i,
                        void fn(const tc_model *m, size_t i, size_t k)) {
    const tc_trace_event *e = m->order[i];
    uint32_t n, first = tc_model_cluster(m, e->cta, &n);
    if (e->space != TC_TRACE_SPACE_SHARED &&
        e->source_space != TC_TRACE_SPACE_SHARED) {
        return;
    }
    for (uint32_t c = first; c < first + n; c++) {
        size_t k = tc_model_cta(m, c);
        if (k < m->index->nctas && touches(m, e, c)) {
            fn(m, i, k);
        }
    }
}

static void count_shared(const tc_model *m, size_t i, size_t k) {
    (void)i;
    m->index->shared[k].n++;
}

static void put_shared(const tc_model *m, size_t i, size_t k) {
    tc_positions *p = &m->index->shared[k];
    p->at[p->n++] = (uint32_t)i;
}

static void index_shared(tc_model *m) {
    tc_model_index *x = m->index;
    x->shared = TC_NEWN(m->arena, tc_positions, x->nctas + 1);
    for (size_t i = 0; i < m->n; i++) {
        each_shared(m, i, count_shared);
    }
    for (size_t c = 0; c < x->nctas; c++) {
        x->shared[c].at = TC_NEWN(m->arena, uint32_t, x->shared[c].n + 1);
        x->shared[c].n = 0;
    }
    for (size_t i = 0; i < m->n; i++) {
        each_shared(m, i, put_shared);
    }
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* CTAs that did something, or in which something was done. */
static void index_ctas(tc_model *m) {
    tc_model_index *x = m->index;
    uint32_t *all = tc_xmalloc((2 * m->n + 1) * sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) {
        const tc_trace_event *e = m->order[i];
        bool owned = e->object == TC_OBJECT_MBARRIER ||
                     e->space == TC_TRACE_SPACE_SHARED;
        if (n == 0 || all[n - 1] != e->cta) {
            all[n++] = e->cta;
        }
        if (owned && e->owner != e->cta) {
            all[n++] = e->owner;
        }
    }
    qsort(all, n, sizeof *all, by_number);
    x->ctas = TC_NEWN(m->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (x->nctas == 0 || x->ctas[x->nctas - 1] != all[i]) {
            x->ctas[x->nctas++] = all[i];
        }
    }
    free(all);
}

size_t tc_model_cta(const tc_model *m, uint32_t cta) {
    const tc_model_index *x = m->index;
    tc_positions p = {x->ctas, x->nctas};
    size_t k = tc_positions_from(&p, cta);
    return k < x->nctas && x->ctas[k] == cta ? k : x->nctas;
}

size_t tc_positions_from(const tc_positions *p, size_t position) {
    size_t lo = 0, hi = p->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (p->at[mid] < position) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* ---- making it ---- */

static void make_intervals(tc_model *m) {
    tc_model_warp_intervals(m);
    for (size_t i = 0; i < m->nrows; i++) {
        tc_row *row = &m->rows[i];
        switch ((tc_row_kind)row->kind) {
        case TC_ROW_GROUPS:
        case TC_ROW_BULK_GROUPS:
        case TC_ROW_MMA:
            tc_model_group_intervals(m, row);
            break;
        case TC_ROW_MBARRIER:
            tc_model_mbarrier_intervals(m, row);
            break;
        case TC_ROW_BARRIER:
        case TC_ROW_CLUSTER:
            tc_model_barrier_intervals(m, row);
            break;
        case TC_ROW_TMEM:
            tc_model_tmem_intervals(m, row);
            break;
        case TC_ROW_COPIES: /* they ask what their groups' waits are */
        case TC_ROW_WARP:
        case TC_ROW_COUNT:
            break;
        }
    }
    for (size_t i = 0; i < m->nrows; i++) {
        if (m->rows[i].kind == TC_ROW_COPIES) {
            tc_model_copy_intervals(m, &m->rows[i]);
        }
    }
}

tc_model *tc_model_new(const tc_trace *t) {
    tc_arena *arena = tc_arena_new();
    tc_model *m = TC_NEW(arena, tc_model);
    m->arena = arena;
    m->trace = t;
    m->cycles = t->cycles;
    m->index = TC_NEW(arena, tc_model_index);
    make_order(m);
    make_positions(m);
    index_kinds(m);
    index_lines(m);
    index_ctas(m);
    index_shared(m);
    tc_model_make_rows(m);
    tc_model_place_findings(m);
    make_intervals(m);
    for (size_t i = 0; i < m->nrows; i++) {
        tc_model_make_marks(m, &m->rows[i]);
    }
    return m;
}

void tc_model_free(tc_model *m) {
    if (m != NULL) {
        tc_arena_free(m->arena);
    }
}
