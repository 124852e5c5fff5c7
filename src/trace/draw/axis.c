/* axis.c - cycles to columns: how they are laid out. */
#include "trace/draw/axis.h"
#include "trace/draw/rows.h"

#include <stdlib.h>

enum { BREAK_COLS = 2, QUIET_COLS = 8 }; /* the least that is cut out */

/* ---- columns of an axis ---- */

uint64_t tc_axis_round(uint64_t n) {
    static const uint64_t steps[] = {1, 2, 5};
    for (uint64_t ten = 1; ten < UINT64_MAX / 100; ten *= 10) {
        for (int i = 0; i < 3; i++) {
            if (ten * steps[i] >= n) {
                return ten * steps[i];
            }
        }
    }
    return n;
}

uint64_t tc_axis_finer(uint64_t n) {
    uint64_t lower = 1;
    while (tc_axis_round(lower + 1) < n) {
        lower = tc_axis_round(lower + 1);
    }
    return lower;
}

static tc_time_axis new_axis(int cols, uint64_t scale) {
    tc_time_axis a = {.cols = cols, .scale = scale};
    a.start = tc_xcalloc((size_t)cols + 1, sizeof *a.start);
    a.cut = tc_xcalloc((size_t)cols, sizeof *a.cut);
    return a;
}

void tc_axis_free(tc_time_axis *a) {
    free(a->start);
    free(a->cut);
    *a = (tc_time_axis){0};
}

int tc_axis_column(const tc_time_axis *a, uint64_t cycle) {
    if (cycle < a->start[0]) {
        return -1;
    }
    int lo = 0, hi = a->cols; /* the last column that starts at or before */
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (a->start[mid + 1] <= cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

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
static instants instants_of(const tc_model *m, const bool *drawn) {
    instants events = {0}, ends = {0};
    bool *tells = tc_xcalloc(m->n + 1, sizeof *tells);
    add(&ends, m->first);
    add(&ends, m->cycles);
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        if (drawn != NULL && !drawn[r]) {
            continue;
        }
        for (size_t i = 0; i < row->nmarks; i++) {
            const tc_mark *k = &row->marks[i];
            for (uint32_t part = 0; part < tc_mark_parts(k); part++) {
                tells[row->events[k->first + part]] = true;
            }
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

tc_axis_points tc_axis_points_of(const tc_model *m, const tc_model *other,
                                 const bool *drawn) {
    instants p = instants_of(m, drawn);
    if (other != NULL) {
        p = merge(p, instants_of(other, NULL));
    }
    return (tc_axis_points){.model = m, .drawn = drawn, .at = p.at, .n = p.n};
}

/* The first point at the cycle or later; p->n: none. */
static size_t point_at(const tc_axis_points *p, uint64_t cycle) {
    size_t lo = 0, hi = p->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (p->at[mid] < cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* ---- columns ---- */

typedef struct columns {
    tc_time_axis *a;    /* or NULL: counted only */
    uint64_t scale, at; /* the next column begins at at * scale */
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
static bool lay_out(const tc_axis_points *p, columns *c, uint64_t from,
                    uint64_t quiet) {
    c->at = from / c->scale;
    for (size_t i = point_at(p, from); i < p->n; i++) {
        if (!go_on(c, p->at[i] / c->scale, quiet)) {
            return false;
        }
    }
    return true;
}

/* ---- steps that would meet on a column ---- */

static bool is_drawn(const tc_axis_points *p, size_t row) {
    return p->drawn == NULL || p->drawn[row];
}

/* Cycles, at most room of them; alike: of steps of one kind too. */
typedef struct meetings {
    uint64_t *at;
    size_t n, room;
    bool alike;
} meetings;

/* One step after another, of a row. */
typedef struct last_step {
    uint64_t cycle;
    int kind; /* -1: there is none */
} last_step;

static void add_step(meetings *all, const tc_time_axis *a, last_step *last,
                     uint64_t cycle, int kind) {
    if (last->kind >= 0 && (all->alike || last->kind != kind) &&
        last->cycle != cycle && all->n < all->room &&
        tc_axis_column(a, last->cycle) == tc_axis_column(a, cycle)) {
        all->at[all->n++] = cycle;
    }
    *last = (last_step){cycle, kind};
}

/* The cycles at which one more column keeps the steps of a row apart. */
static void add_row(meetings *all, const tc_time_axis *a, const tc_model *m,
                    const tc_row *row) {
    enum { LOOK = 4096 };
    last_step last = {0, -1};
    size_t i = tc_row_mark_at(row, a->start[0]), end = i + LOOK;
    for (; i < row->nmarks && i < end && all->n < all->room; i++) {
        const tc_mark *k = &row->marks[i];
        if (k->cycle >= a->start[a->cols]) {
            break;
        }
        for (uint32_t part = 0; part < tc_mark_parts(k); part++) {
            const tc_trace_event *e = m->order[row->events[k->first + part]];
            add_step(all, a, &last, e->cycle, e->kind);
        }
    }
}

/* Those of the first rows drawn, rising, each once. */
static meetings find_meetings(const tc_axis_points *p, const tc_time_axis *a,
                              size_t top, size_t room, bool alike) {
    enum { ROWS = 24 };
    const tc_model *m = p->model;
    meetings all = {tc_xcalloc(room + 1, sizeof *all.at), 0, room, alike};
    int rows = 0;
    for (size_t r = top; r < m->nrows && rows < ROWS; r++) {
        if (is_drawn(p, r)) {
            rows++;
            if (tc_row_has_letters(&m->rows[r])) {
                add_row(&all, a, m, &m->rows[r]);
            }
        }
    }
    qsort(all.at, all.n, sizeof *all.at, by_value);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (n == 0 || all.at[n - 1] != all.at[i]) {
            all.at[n++] = all.at[i];
        }
    }
    all.n = n;
    return all;
}

/* Uses columns that are left, up to cols, to keep such steps apart. */
static void split_for(const tc_axis_points *p, tc_time_axis *a, int cols,
                      size_t top, bool alike) {
    size_t room = a->cols < cols ? (size_t)(cols - a->cols) : 0, i = 0;
    if (room == 0) {
        return;
    }
    meetings met = find_meetings(p, a, top, 4 * room, alike);
    met.n = met.n < room ? met.n : room;
    tc_time_axis b = new_axis(cols, a->scale);
    b.cols = 0;
    b.split = a->split || met.n > 0;
    for (int c = 0; c < a->cols; c++) {
        b.cut[b.cols] = a->cut[c];
        b.start[b.cols++] = a->start[c];
        for (; i < met.n && met.at[i] < a->start[c + 1]; i++) {
            if (met.at[i] > b.start[b.cols - 1]) {
                b.start[b.cols++] = met.at[i];
            }
        }
    }
    b.start[b.cols] = a->start[a->cols];
    free(met.at);
    tc_axis_free(a);
    *a = b;
}

/* First those of different kinds, which hide each other. */
static void split(const tc_axis_points *p, tc_time_axis *a, int cols,
                  size_t top) {
    split_for(p, a, cols, top, false);
    split_for(p, a, cols, top, true);
}

static tc_time_axis lay(const tc_axis_points *p, uint64_t from, uint64_t scale,
                        uint64_t quiet, int cols) {
    tc_time_axis a = new_axis(cols, scale);
    columns c = {.a = &a, .scale = scale, .limit = cols};
    if (!lay_out(p, &c, from, quiet)) {
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

/* ---- the scale ---- */

/* The least comfortable number of cycles a column above n: finer steps than
 * the ticks', so that little of the width stays empty. */
static uint64_t coarser(uint64_t n) {
    static const uint64_t steps[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
    if (n < 6) {
        return n + 1;
    }
    for (uint64_t ten = 1; ten < UINT64_MAX / 1000; ten *= 10) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            uint64_t step = ten * steps[i] / 10;
            if (step > n && ten * steps[i] % 10 == 0) {
                return step;
            }
        }
    }
    return n > UINT64_MAX / 2 ? UINT64_MAX : n * 2;
}

static bool fits(const tc_axis_points *p, uint64_t scale, uint64_t quiet,
                 int cols) {
    columns c = {.scale = scale, .limit = cols};
    return lay_out(p, &c, p->at[0], quiet);
}

/* As few breaks as there is room for. */
static uint64_t quiet_for(const tc_axis_points *p, uint64_t scale, int cols) {
    uint64_t quiet = QUIET_COLS;
    while (quiet < (uint64_t)cols && fits(p, scale, quiet * 2, cols)) {
        quiet *= 2;
    }
    return quiet;
}

/* What is wrong with a scale: steps that share a column although one of its
 * own is left for each of the others, and breaks, which cost the eye more. */
static size_t cost(const tc_axis_points *p, uint64_t scale, int cols) {
    enum { LOOK = 256, MEETING = 2, BREAK = 3 };
    tc_time_axis a = lay(p, p->at[0], scale, quiet_for(p, scale, cols), cols);
    meetings met = find_meetings(p, &a, 0, LOOK, false);
    size_t breaks = 0, room = (size_t)(cols - a.cols);
    for (int c = 0; c < a.cols; c++) {
        breaks += a.cut[c] && (c == 0 || !a.cut[c - 1]);
    }
    size_t left = met.n > room ? met.n - room : 0;
    free(met.at);
    tc_axis_free(&a);
    return left * MEETING + breaks * BREAK;
}

/* Of the scales at which all of it fits, from the finest on, the best; of
 * equals the finest. */
static uint64_t find_scale(const tc_axis_points *p, int cols) {
    uint64_t scale = 1;
    uint64_t all = (p->at[p->n - 1] - p->at[0]) / (uint64_t)cols + 1;
    while (scale < UINT64_MAX && !fits(p, scale, QUIET_COLS, cols)) {
        scale = coarser(scale);
    }
    uint64_t best = scale;
    size_t least = cost(p, scale, cols);
    for (scale = coarser(scale); scale / 2 < all && scale < UINT64_MAX / 2;
         scale = coarser(scale)) {
        size_t now =
            fits(p, scale, QUIET_COLS, cols) ? cost(p, scale, cols) : SIZE_MAX;
        if (now < least) {
            best = scale;
            least = now;
        }
    }
    return best;
}

uint64_t tc_axis_fit(tc_axis_points *p, int cols) {
    if (p->fit_cols != cols) {
        p->fit = find_scale(p, cols);
        p->fit_cols = cols;
        p->fit_quiet = quiet_for(p, p->fit, cols);
    }
    return p->fit;
}

enum { FEWEST = 8 };

tc_time_axis tc_axis_all(tc_axis_points *p, int cols, size_t top) {
    cols = cols < FEWEST ? FEWEST : cols;
    uint64_t scale = tc_axis_fit(p, cols);
    tc_time_axis a = lay(p, p->at[0], scale, p->fit_quiet, cols);
    split(p, &a, cols, top);
    return a;
}

tc_time_axis tc_axis_from(const tc_axis_points *p, uint64_t origin,
                          uint64_t scale, int cols, size_t top) {
    cols = cols < FEWEST ? FEWEST : cols;
    tc_time_axis a = lay(p, origin, scale, QUIET_COLS, cols - cols / 8);
    split(p, &a, cols, top);
    return a;
}

uint64_t tc_axis_origin(const tc_axis_points *p, uint64_t cycle, uint64_t scale,
                        int col) {
    uint64_t at = cycle / scale, first = p->at[0] / scale;
    uint64_t room = (uint64_t)(col < 0 ? 0 : col);
    for (size_t i = point_at(p, cycle); i-- > 0;) {
        uint64_t here = p->at[i] / scale, gap = at - here;
        uint64_t taken = gap > QUIET_COLS ? BREAK_COLS + 2 : gap;
        if (taken > room) {
            uint64_t back = room < gap ? room : gap;
            return (at - back) * scale;
        }
        room -= taken;
        at = here;
    }
    return (at < first ? first : at) * scale;
}
