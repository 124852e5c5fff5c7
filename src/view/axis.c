/* axis.c - cycles to columns: the stretches in which nothing begins or ends
 * are cut out, at every scale. */
#include "view/state.h"

#include <stdlib.h>

enum { BREAK_COLS = 2, QUIET_COLS = 8 }; /* the least that is cut out */

/* ---- where something begins or ends ---- */

typedef struct instants {
    uint64_t *at;
    size_t n, cap;
} instants;

static void add(instants *p, uint64_t cycle) {
    if (p->n > 0 && p->at[p->n - 1] == cycle) {
        return;
    }
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 1024;
        p->at = tc_xrealloc(p->at, p->cap * sizeof *p->at);
    }
    p->at[p->n++] = cycle;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(instants *p) {
    if (p->n > 0) {
        qsort(p->at, p->n, sizeof *p->at, by_value);
    }
}

/* Both sorted, together; frees them. */
static instants merge(instants a, instants b) {
    instants all = {0};
    for (size_t i = 0, k = 0; i < a.n || k < b.n;) {
        bool first = k == b.n || (i < a.n && a.at[i] <= b.at[k]);
        add(&all, first ? a.at[i++] : b.at[k++]);
    }
    free(a.at);
    free(b.at);
    return all;
}

/* Marks begin at events, and most intervals end at one: these are sorted. What
 * is folded, and ends at no event, is not. */
static instants instants_of(const tc_model *m) {
    instants events = {0}, ends = {0};
    bool *tells = tc_xcalloc(m->n + 1, sizeof *tells);
    add(&ends, m->first);
    add(&ends, m->cycles);
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        for (size_t i = 0; i < row->nmarks; i++) {
            const tc_mark *k = &row->marks[i];
            tells[row->events[k->first]] = true;
            if (k->end != k->cycle && k->end != TC_OPEN) {
                add(&ends, k->end);
            }
        }
        for (size_t i = 0; row->kind != TC_ROW_WARP && i < row->nintervals;
             i++) {
            const tc_interval *x = &row->intervals[i];
            if (x->last >= 0) {
                tells[x->last] = true;
            } else if (x->end != TC_OPEN) {
                add(&ends, x->end);
            }
        }
    }
    for (size_t i = 0; i < m->n; i++) {
        if (tells[i]) {
            add(&events, m->order[i]->cycle);
        }
    }
    free(tells);
    sort(&ends);
    return merge(events, ends);
}

void tc_view_points(tc_view *v) {
    instants p = instants_of(v->from->model);
    if (v->from->other != NULL) {
        p = merge(p, instants_of(v->from->other));
    }
    v->points = p.at;
    v->npoints = p.n;
}

/* The first point at the cycle or later; npoints: none. */
static size_t point_at(const tc_view *v, uint64_t cycle) {
    size_t lo = 0, hi = v->npoints;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (v->points[mid] < cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* ---- columns ---- */

typedef struct columns {
    tc_timeline_axis *a; /* or NULL: counted only */
    uint64_t scale, at;  /* the next column begins at at * scale */
    int n, limit;
} columns;

static bool put(columns *c, uint64_t start, bool cut) {
    if (c->n == c->limit) {
        return false;
    }
    if (c->a != NULL) {
        c->a->start[c->n] = start;
        c->a->cut[c->n] = cut;
    }
    c->n++;
    return true;
}

/* Up to the column of the next point, a long way cut short. */
static bool go_on(columns *c, uint64_t here, uint64_t quiet) {
    if (here > c->at && here - c->at > quiet) {
        if (!put(c, c->at * c->scale, false)) { /* one quiet column */
            return false;
        }
        c->at++;
        uint64_t gap = (here - 1 - c->at) * c->scale;
        for (int k = 0; k < BREAK_COLS; k++) {
            if (!put(c, c->at * c->scale + gap / BREAK_COLS * (uint64_t)k,
                     true)) {
                return false;
            }
        }
        c->at = here - 1; /* and one before what comes */
    }
    for (; c->at <= here; c->at++) {
        if (!put(c, c->at * c->scale, false)) {
            return false;
        }
    }
    return true;
}

/* From a cycle on; false: not all of it fits. */
static bool lay_out(const tc_view *v, columns *c, uint64_t from,
                    uint64_t quiet) {
    c->at = from / c->scale;
    for (size_t i = point_at(v, from); i < v->npoints; i++) {
        if (!go_on(c, v->points[i] / c->scale, quiet)) {
            return false;
        }
    }
    return true;
}

/* ---- steps that would meet on a column ---- */

/* Is it more than a load, a store or an end? */
static bool tells(const tc_mark *k) {
    return !k->plain && k->kind != TC_TRACE_EXIT;
}

/* The cycles at which one more column keeps the steps of a row apart, of the
 * first rows drawn; at most room of them, returns how many. */
static size_t find_meetings(const tc_view *v, const tc_timeline_axis *a,
                            uint64_t *at, size_t room) {
    enum { ROWS = 24, LOOK = 4096 };
    const tc_model *m = v->from->model;
    size_t n = 0;
    for (size_t r = (size_t)v->top; r < m->nrows && r < (size_t)v->top + ROWS;
         r++) {
        const tc_row *row = &m->rows[r];
        const tc_mark *last = NULL;
        size_t i = tc_view_mark_at(row, a->start[0]), end = i + LOOK;
        for (; i < row->nmarks && i < end && n < room; i++) {
            const tc_mark *k = &row->marks[i];
            if (k->cycle >= a->start[a->cols]) {
                break;
            }
            if (!tells(k)) {
                continue;
            }
            if (last != NULL && last->kind != k->kind &&
                last->cycle != k->cycle &&
                tc_axis_column(a, last->cycle) == tc_axis_column(a, k->cycle)) {
                at[n++] = k->cycle;
            }
            last = k;
        }
    }
    return n;
}

/* Uses columns that are left, up to cols, to keep such steps apart. */
static void split(const tc_view *v, tc_timeline_axis *a, int cols) {
    size_t room = a->cols < cols ? (size_t)(cols - a->cols) : 0, i = 0;
    uint64_t *at = tc_xcalloc(room + 1, sizeof *at);
    size_t n = find_meetings(v, a, at, room);
    qsort(at, n, sizeof *at, by_value);
    tc_timeline_axis b = tc_axis_linear(0, a->scale, cols);
    b.cols = 0;
    for (int c = 0; c < a->cols; c++) {
        b.cut[b.cols] = a->cut[c];
        b.start[b.cols++] = a->start[c];
        for (; i < n && at[i] < a->start[c + 1]; i++) {
            if (at[i] > b.start[b.cols - 1]) { /* other rows want it too */
                b.start[b.cols++] = at[i];
            }
        }
    }
    b.start[b.cols] = a->start[a->cols];
    b.split = n > 0;
    free(at);
    tc_axis_free(a);
    *a = b;
}

static tc_timeline_axis lay(const tc_view *v, uint64_t from, uint64_t scale,
                            uint64_t quiet, int cols) {
    tc_timeline_axis a = tc_axis_linear(from, scale, cols);
    columns c = {.a = &a, .scale = scale, .limit = cols};
    if (!lay_out(v, &c, from, quiet)) {
        /* where the last column ends */
        uint64_t next =
            c.n > 0 && a.cut[c.n - 1] ? c.at * scale : a.start[c.n - 1] + scale;
        a.cols = c.n;
        a.start[c.n] = next;
        return a;
    }
    a.cols = c.n > 0 ? c.n : 1;
    a.start[a.cols] = c.n > 0 ? c.at * scale : from + scale;
    return a;
}

/* 1, 2, 5, 10, 20, ...: the one after n. */
static uint64_t coarser(uint64_t n) {
    return tc_axis_round(n + 1);
}

/* Columns for all but the splits. */
static int most_of(int cols) {
    return cols - cols / 8;
}

static bool fits(const tc_view *v, uint64_t scale, uint64_t quiet, int cols) {
    columns c = {.scale = scale, .limit = cols};
    return lay_out(v, &c, v->points[0], quiet);
}

/* Of the first rows' steps, how many share a column with the one before at a
 * scale. */
static size_t meetings(const tc_model *m, uint64_t scale) {
    enum { ROWS = 16, LOOK = 2000 };
    size_t met = 0;
    int rows = 0;
    for (size_t r = 0; r < m->nrows && rows < ROWS; r++) {
        const tc_row *row = &m->rows[r];
        const tc_mark *last = NULL;
        rows += row->kind == TC_ROW_WARP;
        for (size_t i = 0;
             row->kind == TC_ROW_WARP && i < row->nmarks && i < LOOK; i++) {
            const tc_mark *k = &row->marks[i];
            met += last != NULL && last->cycle != k->cycle &&
                   last->cycle / scale == k->cycle / scale;
            last = k;
        }
    }
    return met;
}

/* The finest scale that fits; then the coarsest that is about as clear, as it
 * needs the fewest breaks. */
static uint64_t find_scale(const tc_view *v, int cols) {
    uint64_t scale = 1;
    while (!fits(v, scale, QUIET_COLS, cols)) {
        scale = coarser(scale);
    }
    size_t most = meetings(v->from->model, scale) + (size_t)cols / 16;
    uint64_t all = v->points[v->npoints - 1] / (uint64_t)cols + 1;
    for (uint64_t next = coarser(scale);
         scale < all && meetings(v->from->model, next) <= most &&
         fits(v, next, QUIET_COLS, cols);
         next = coarser(next)) {
        scale = next;
    }
    return scale;
}

uint64_t tc_view_fit(tc_view *v, int cols) {
    uint64_t quiet = QUIET_COLS;
    cols = most_of(cols);
    if (v->fit_cols == cols) {
        return v->fit;
    }
    v->fit = find_scale(v, cols);
    while (quiet < (uint64_t)cols && fits(v, v->fit, quiet * 2, cols)) {
        quiet *= 2; /* as few breaks as there is room for */
    }
    v->fit_cols = cols;
    v->fit_quiet = quiet;
    return v->fit;
}

tc_timeline_axis tc_view_axis(tc_view *v, int cols) {
    tc_timeline_axis a;
    cols = cols < 8 ? 8 : cols;
    if (v->scale == 0) {
        uint64_t scale = tc_view_fit(v, cols);
        a = lay(v, v->points[0], scale, v->fit_quiet, most_of(cols));
    } else {
        a = lay(v, v->origin, v->scale, QUIET_COLS, most_of(cols));
    }
    split(v, &a, cols);
    return a;
}

uint64_t tc_view_origin(const tc_view *v, uint64_t cycle, int cols) {
    uint64_t at = cycle / v->scale, first = v->points[0] / v->scale;
    uint64_t room = (uint64_t)(cols < 0 ? 0 : cols);
    for (size_t i = point_at(v, cycle); i-- > 0;) {
        uint64_t here = v->points[i] / v->scale, gap = at - here;
        uint64_t taken = gap > QUIET_COLS ? BREAK_COLS + 2 : gap;
        if (taken > room) {
            uint64_t back = room < gap ? room : gap;
            return (at - back) * v->scale;
        }
        room -= taken;
        at = here;
    }
    return (at < first ? first : at) * v->scale;
}
