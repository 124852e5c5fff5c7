/* model_rows.c - the rows of a model: what there is to draw, and the events
 * that are on each. */
#include "trace/model_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What makes two events be on the same row. */
typedef struct tc_key {
    uint8_t kind;
    uint32_t cta, warp, lanes;
    uint64_t barrier; /* of COPIES: the number of the buffer, + 1 */
} tc_key;

typedef struct tc_draft {
    tc_key key;
    int32_t *events;
    int n, cap;
    uint32_t order; /* in which they were met */
} tc_draft;

/* The rows so far, and a table of them by key: open addressing. */
typedef struct tc_drafts {
    tc_model *m;
    tc_arena *scratch;
    tc_draft *at;
    int n, cap;
    int32_t *slots; /* index + 1; 0 none */
    uint32_t nslots;
    struct tc_lane_class *classes; /* by warp, sorted */
    size_t nclasses;
} tc_drafts;

static uint32_t hash(const tc_key *k) {
    uint64_t h = k->kind;
    const uint64_t parts[] = {k->cta, k->warp, k->lanes, k->barrier};
    for (int i = 0; i < 4; i++) {
        h = (h ^ parts[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return (uint32_t)h;
}

static bool same(const tc_key *a, const tc_key *b) {
    return a->kind == b->kind && a->cta == b->cta && a->warp == b->warp &&
           a->lanes == b->lanes && a->barrier == b->barrier;
}

static void put_slot(tc_drafts *d, int32_t i) {
    uint32_t s = hash(&d->at[i].key) & (d->nslots - 1);
    while (d->slots[s]) {
        s = (s + 1) & (d->nslots - 1);
    }
    d->slots[s] = i + 1;
}

static void grow_slots(tc_drafts *d) {
    d->nslots = d->nslots ? d->nslots * 2 : 256;
    d->slots = TC_NEWN(d->scratch, int32_t, d->nslots);
    for (int i = 0; i < d->n; i++) {
        put_slot(d, i);
    }
}

static tc_draft *draft_of(tc_drafts *d, tc_key key) {
    if ((uint32_t)d->n * 2 >= d->nslots) {
        grow_slots(d);
    }
    uint32_t s = hash(&key) & (d->nslots - 1);
    while (d->slots[s]) {
        tc_draft *x = &d->at[d->slots[s] - 1];
        if (same(&x->key, &key)) {
            return x;
        }
        s = (s + 1) & (d->nslots - 1);
    }
    tc_draft fresh = {.key = key, .order = (uint32_t)d->n};
    TC_PUSH(d->scratch, d->at, d->n, d->cap, fresh);
    put_slot(d, d->n - 1);
    return &d->at[d->n - 1];
}

static void put(tc_drafts *d, tc_key key, size_t position) {
    tc_draft *x = draft_of(d, key);
    int32_t p = (int32_t)position;
    if (x->n == 0 || x->events[x->n - 1] != p) {
        TC_PUSH(d->scratch, x->events, x->n, x->cap, p);
    }
}

/* ---- lanes of a warp that commit and wait alike ---- */

/* A warp's lanes by the history of their cp.async, of their bulk copies:
 * [0] and [1]. What they did and in which order, not when: lanes that take
 * turns on a branch still agree. */
typedef struct tc_lane_class {
    uint32_t cta, warp;
    uint64_t history[2][32];
    uint32_t all[2]; /* lanes that have any */
} tc_lane_class;

static int by_warp(const void *a, const void *b) {
    const tc_lane_class *x = a, *y = b;
    if (x->cta != y->cta) {
        return x->cta < y->cta ? -1 : 1;
    }
    return x->warp < y->warp ? -1 : x->warp > y->warp;
}

static tc_lane_class *class_of(const tc_drafts *d, uint32_t cta,
                               uint32_t warp) {
    tc_lane_class key = {.cta = cta, .warp = warp};
    return bsearch(&key, d->classes, d->nclasses, sizeof *d->classes, by_warp);
}

/* 0: of cp.async groups; 1: of bulk groups; -1: of neither. */
static int history_of(const tc_trace_event *e) {
    return e->kind == TC_TRACE_COMPLETE        ? -1
           : e->object == TC_OBJECT_GROUP      ? 0
           : e->kind == TC_TRACE_TRACK         ? 0
           : e->object == TC_OBJECT_BULK_GROUP ? 1
                                               : -1;
}

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

static void add_history(tc_lane_class *c, const tc_trace_event *e) {
    int which = history_of(e);
    if (which < 0) {
        return;
    }
    uint64_t act = mix(mix(e->kind, (uint64_t)(uint32_t)e->group),
                       (uint64_t)e->ptx_line << 32 ^ e->barrier);
    c->all[which] |= e->lanes;
    for (uint32_t l = e->lanes; l; l &= l - 1) {
        int i = __builtin_ctz(l);
        c->history[which][i] = mix(c->history[which][i], act);
    }
}

static void make_classes(tc_drafts *d) {
    const tc_model *m = d->m;
    d->classes = TC_NEWN(d->scratch, tc_lane_class, (size_t)d->n + 1);
    for (int i = 0; i < d->n; i++) {
        if (d->at[i].key.kind == TC_ROW_WARP) {
            d->classes[d->nclasses++] = (tc_lane_class){
                .cta = d->at[i].key.cta, .warp = d->at[i].key.warp};
        }
    }
    if (d->nclasses) {
        qsort(d->classes, d->nclasses, sizeof *d->classes, by_warp);
    }
    for (size_t i = 0; i < m->n; i++) {
        const tc_trace_event *e = m->order[i];
        tc_lane_class *c =
            history_of(e) >= 0 ? class_of(d, e->cta, e->warp) : NULL;
        if (c != NULL) {
            add_history(c, e);
        }
    }
}

/* The event on the row of each class of its lanes. */
static void put_classes(tc_drafts *d, size_t position, int which) {
    const tc_trace_event *e = d->m->order[position];
    const tc_lane_class *c = class_of(d, e->cta, e->warp);
    uint32_t left = c != NULL ? e->lanes & c->all[which] : 0;
    while (left) {
        uint64_t h = c->history[which][__builtin_ctz(left)];
        uint32_t lanes = 0;
        for (uint32_t l = c->all[which]; l; l &= l - 1) {
            int i = __builtin_ctz(l);
            lanes |= c->history[which][i] == h ? UINT32_C(1) << i : 0;
        }
        put(d,
            (tc_key){.kind = which ? TC_ROW_BULK_GROUPS : TC_ROW_GROUPS,
                     .cta = e->cta,
                     .warp = e->warp,
                     .lanes = lanes},
            position);
        left &= ~lanes;
    }
}

/* ---- which rows an event is on ---- */

/* The number of the buffer that the copy fills (or, of a store to global
 * memory, empties), + 1; 0: none is known. */
static uint64_t buffer_of(const tc_model *m, const tc_trace_event *e) {
    const tc_trace_buffer *b = tc_memory_buffer(m, e->space, e->address);
    return b != NULL ? (uint64_t)(b - m->trace->buffers) + 1 : 0;
}

static bool is_copy(const tc_trace_event *e) {
    return e->kind == TC_TRACE_BULK || e->kind == TC_TRACE_TENSOR ||
           (e->kind == TC_TRACE_ISSUE && e->object != TC_OBJECT_GROUP &&
            e->object != TC_OBJECT_NONE);
}

static void put_copy(tc_drafts *d, size_t position) {
    const tc_model *m = d->m;
    int32_t cause = m->index->cause[position];
    const tc_trace_event *e = m->order[cause >= 0 ? cause : (int32_t)position];
    if (is_copy(e)) {
        put(d,
            (tc_key){.kind = TC_ROW_COPIES,
                     .cta = e->cta,
                     .warp = e->warp,
                     .barrier = buffer_of(m, e)},
            position);
    }
}

/* Every CTA's mbarrier that the event is about. */
static void put_mbarrier(tc_drafts *d, size_t position) {
    const tc_trace_event *e = d->m->order[position];
    uint32_t n, first = tc_model_cluster(d->m, e->owner, &n);
    for (uint32_t c = first; c < first + n; c++) {
        if (tc_model_is_of(d->m, e, c)) {
            put(d,
                (tc_key){
                    .kind = TC_ROW_MBARRIER, .cta = c, .barrier = e->barrier},
                position);
        }
    }
}

static bool is_tmem(const tc_trace_event *e) {
    return e->object == TC_OBJECT_TMEM_LOAD ||
           e->object == TC_OBJECT_TMEM_STORE;
}

static void put_object(tc_drafts *d, size_t position) {
    const tc_trace_event *e = d->m->order[position];
    tc_key own = {.cta = e->cta, .warp = e->warp};
    switch ((tc_trace_object)e->object) {
    case TC_OBJECT_MBARRIER:
        put_mbarrier(d, position);
        break;
    case TC_OBJECT_BARRIER:
    case TC_OBJECT_CLUSTER:
        own.kind =
            e->object == TC_OBJECT_CLUSTER ? TC_ROW_CLUSTER : TC_ROW_BARRIER;
        own.cta = e->owner;
        own.warp = 0;
        own.barrier = e->barrier;
        put(d, own, position);
        break;
    case TC_OBJECT_MMA_GROUP:
        own.kind = TC_ROW_MMA;
        put(d, own, position);
        break;
    case TC_OBJECT_NONE:
    case TC_OBJECT_GROUP:
    case TC_OBJECT_BULK_GROUP:
    case TC_OBJECT_TMEM_LOAD:
    case TC_OBJECT_TMEM_STORE:
    case TC_OBJECT_COUNT:
        break;
    }
    if (is_tmem(e)) {
        own.kind = TC_ROW_TMEM;
        put(d, own, position);
    }
}

/* Completions and ends of phases are no warp's doing. */
static bool is_warps(const tc_trace_event *e) {
    return e->kind != TC_TRACE_COMPLETE && e->kind != TC_TRACE_PHASE;
}

static void put_event(tc_drafts *d, size_t position) {
    const tc_trace_event *e = d->m->order[position];
    int32_t cause = d->m->index->cause[position];
    /* A copy that has left its group, landing when its CTA ends, is still
     * what the group was of. */
    uint8_t object = e->object;
    if (e->kind == TC_TRACE_COMPLETE && cause >= 0) {
        object = d->m->order[cause]->object;
    }
    if (object == TC_OBJECT_GROUP || e->kind == TC_TRACE_TRACK) {
        put_classes(d, position, 0);
    } else if (object == TC_OBJECT_BULK_GROUP) {
        put_classes(d, position, 1);
    }
    put_copy(d, position);
    put_object(d, position);
}

/* ---- names ---- */

static const char *mbarrier_name(const tc_model *m, uint64_t offset) {
    const char *name = tc_trace_name_of(m->trace, offset);
    return name != NULL
               ? name
               : tc_format(m->arena, "shared memory byte %" PRIu64, offset);
}

/* "cta 1 warp 0", "warp 0 lanes 0-15". */
static void put_warp(tc_buf *b, const tc_row *row, uint32_t all) {
    tc_buf_printf(b, "warp %" PRIu32, row->warp);
    if (row->kind != TC_ROW_WARP && row->lanes && row->lanes != all) {
        bool one = (row->lanes & (row->lanes - 1)) == 0;
        tc_buf_puts(b, one ? " lane " : " lanes ");
        tc_trace_put_lanes(b, row->lanes);
    }
}

static uint32_t all_lanes(const tc_drafts *d, const tc_row *row) {
    const tc_lane_class *c = class_of(d, row->cta, row->warp);
    return c == NULL ? UINT32_MAX : c->all[row->kind == TC_ROW_BULK_GROUPS];
}

static void put_name(tc_buf *b, const tc_drafts *d, const tc_row *row) {
    const tc_model *m = d->m;
    switch ((tc_row_kind)row->kind) {
    case TC_ROW_MBARRIER:
        tc_buf_puts(b, mbarrier_name(m, row->barrier));
        break;
    case TC_ROW_BARRIER:
        tc_buf_printf(b, "barrier %" PRIu64, row->barrier);
        break;
    case TC_ROW_CLUSTER:
        tc_buf_puts(b, "cluster barrier");
        break;
    case TC_ROW_COPIES:
        put_warp(b, row, 0);
        tc_buf_printf(b, " copies to %s",
                      row->barrier ? m->trace->buffers[row->barrier - 1].name
                                   : "memory");
        break;
    default:
        put_warp(b, row, all_lanes(d, row));
        if (row->kind != TC_ROW_WARP) {
            tc_buf_printf(b, " %s", tc_row_kind_names[row->kind]);
        }
        break;
    }
}

static const char *name_of(const tc_drafts *d, const tc_row *row) {
    tc_buf b = TC_BUF_INIT;
    uint32_t n, first = tc_model_cluster(d->m, row->cta, &n);
    if (row->kind == TC_ROW_CLUSTER) {
        if (d->m->trace->ctas > n) {
            tc_buf_printf(&b, "cluster %" PRIu32 " ", first / n);
        }
    } else if (d->m->trace->ctas > 1) {
        tc_buf_printf(&b, "cta %" PRIu32 " ", row->cta);
    }
    put_name(&b, d, row);
    return tc_buf_finish(&b, d->m->arena);
}

uint32_t tc_model_lanes(const tc_model *m, int32_t row) {
    return m->rows[row].lanes;
}

/* ---- the rows ---- */

/* A warp's rows are together; a CTA's objects are behind its warps. */
static bool of_warp(uint8_t kind) {
    return kind < TC_ROW_MBARRIER;
}

static int by_place(const void *a, const void *b) {
    const tc_draft *x = a, *y = b;
    const tc_key *j = &x->key, *k = &y->key;
    if (j->cta != k->cta) {
        return j->cta < k->cta ? -1 : 1;
    }
    if (of_warp(j->kind) != of_warp(k->kind)) {
        return of_warp(j->kind) ? -1 : 1;
    }
    if (of_warp(j->kind) && j->warp != k->warp) {
        return j->warp < k->warp ? -1 : 1;
    }
    if (j->kind != k->kind) {
        return j->kind < k->kind ? -1 : 1;
    }
    if (j->barrier != k->barrier && !of_warp(j->kind)) {
        return j->barrier < k->barrier ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

static void finish(tc_drafts *d) {
    tc_model *m = d->m;
    if (d->n) {
        qsort(d->at, (size_t)d->n, sizeof *d->at, by_place);
    }
    m->rows = TC_NEWN(m->arena, tc_row, d->n + 1);
    m->nrows = (size_t)d->n;
    int32_t warp = -1;
    for (int i = 0; i < d->n; i++) {
        const tc_draft *x = &d->at[i];
        tc_row *row = &m->rows[i];
        warp = x->key.kind == TC_ROW_WARP ? i : warp;
        *row = (tc_row){.kind = x->key.kind,
                        .cta = x->key.cta,
                        .warp = x->key.warp,
                        .lanes = x->key.lanes,
                        .barrier = x->key.barrier,
                        .nlanes = 1,
                        .nevents = (size_t)x->n,
                        .parent = of_warp(x->key.kind) ? warp : -1};
        row->parent = row->kind == TC_ROW_WARP ? -1 : row->parent;
        row->name = name_of(d, row);
        row->events = TC_NEWN(m->arena, uint32_t, x->n + 1);
        for (int k = 0; k < x->n; k++) {
            row->events[k] = (uint32_t)x->events[k];
            row->lanes |=
                row->kind == TC_ROW_WARP ? m->order[x->events[k]]->lanes : 0;
        }
    }
}

size_t tc_model_rows_from(const tc_model *m, uint32_t cta) {
    size_t lo = 0, hi = m->nrows;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->rows[mid].cta < cta) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void find_first_waits(tc_model *m, size_t row) {
    const tc_positions *w = &m->index->waits[row];
    tc_first_waits *f = &m->index->first_waits[row];
    int32_t least = INT32_MAX, most = -1;
    for (size_t i = 0; i < w->n; i++) {
        int32_t phase = m->order[w->at[i]]->phase;
        least = phase < least ? phase : least;
        most = phase > most ? phase : most;
    }
    if (least < 0 || most < least || (size_t)(most - least) > 4 * m->n) {
        return; /* no waits, or not those of a run */
    }
    f->from = least;
    f->n = most - least + 1;
    f->at = TC_NEWN(m->arena, int32_t, f->n);
    memset(f->at, -1, (size_t)f->n * sizeof *f->at);
    for (size_t i = 0; i < w->n; i++) {
        int32_t p = (int32_t)w->at[i],
                *best = &f->at[m->order[p]->phase - least];
        *best = *best < 0 ? p : tc_model_sooner(m, *best, p);
    }
    for (int32_t i = f->n - 1; i-- > 0;) {
        int32_t *best = &f->at[i];
        *best =
            *best < 0 ? f->at[i + 1] : tc_model_sooner(m, *best, f->at[i + 1]);
    }
}

int32_t tc_model_sooner(const tc_model *m, int32_t a, int32_t b) {
    return tc_event_end(m->order[b]) < tc_event_end(m->order[a]) ? b : a;
}

/* What the rows of mbarriers are asked for: their waits and fields. */
static void index_mbarriers(tc_model *m) {
    tc_model_index *x = m->index;
    x->mbarrier_row = TC_NEWN(m->arena, int32_t, m->n + 1);
    x->first_waits = TC_NEWN(m->arena, tc_first_waits, m->nrows + 1);
    x->waits = TC_NEWN(m->arena, tc_positions, m->nrows + 1);
    memset(x->mbarrier_row, -1, (m->n + 1) * sizeof *x->mbarrier_row);
    for (size_t i = 0; i < m->nrows; i++) {
        const tc_row *row = &m->rows[i];
        if (row->kind != TC_ROW_MBARRIER) {
            continue;
        }
        x->waits[i].at = TC_NEWN(m->arena, uint32_t, row->nevents + 1);
        for (size_t k = 0; k < row->nevents; k++) {
            uint32_t p = row->events[k];
            if (x->mbarrier_row[p] < 0 || m->order[p]->owner == row->cta) {
                x->mbarrier_row[p] = (int32_t)i;
            }
            if (m->order[p]->kind == TC_TRACE_WAIT) {
                x->waits[i].at[x->waits[i].n++] = p;
            }
        }
        find_first_waits(m, i);
    }
}

static int32_t row_of_fields(const tc_model *m, const tc_trace_fields *f) {
    for (size_t i = tc_model_rows_from(m, f->owner);
         i < m->nrows && m->rows[i].cta == f->owner; i++) {
        const tc_row *row = &m->rows[i];
        if (row->kind == TC_ROW_MBARRIER && row->barrier == f->offset) {
            return (int32_t)i;
        }
    }
    return -1;
}

static void index_fields(tc_model *m) {
    tc_model_index *x = m->index;
    const tc_trace *t = m->trace;
    int32_t *row = tc_xmalloc((t->nfields + 1) * sizeof *row);
    x->fields = TC_NEWN(m->arena, const tc_trace_fields **, m->nrows + 1);
    x->nfields = TC_NEWN(m->arena, size_t, m->nrows + 1);
    for (size_t i = 0; i < t->nfields; i++) {
        const tc_trace_fields *f = &t->fields[i];
        bool again = i && t->fields[i - 1].owner == f->owner &&
                     t->fields[i - 1].offset == f->offset;
        row[i] = again ? row[i - 1] : row_of_fields(m, f);
        x->nfields[row[i] >= 0 ? (size_t)row[i] : m->nrows]++;
    }
    for (size_t i = 0; i <= m->nrows; i++) {
        x->fields[i] =
            TC_NEWN(m->arena, const tc_trace_fields *, x->nfields[i] + 1);
        x->nfields[i] = 0;
    }
    for (size_t i = 0; i < t->nfields; i++) {
        size_t k = row[i] >= 0 ? (size_t)row[i] : m->nrows;
        x->fields[k][x->nfields[k]++] = &t->fields[i];
    }
    free(row);
}

void tc_model_make_rows(tc_model *m) {
    tc_drafts d = {.m = m, .scratch = tc_arena_new()};
    for (size_t i = 0; i < m->n; i++) {
        const tc_trace_event *e = m->order[i];
        tc_key warp = {.kind = TC_ROW_WARP, .cta = e->cta, .warp = e->warp};
        if (is_warps(e)) {
            put(&d, warp, i);
        } else {
            draft_of(&d, warp);
        }
    }
    make_classes(&d);
    for (size_t i = 0; i < m->n; i++) {
        put_event(&d, i);
    }
    finish(&d);
    tc_arena_free(d.scratch);
    index_mbarriers(m);
    index_fields(m);
}
