/* timeline_axis.c - cycles to columns, quiet stretches cut out. */
#include "trace/timeline_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BREAK_COLS = 2, QUIET_COLS = 6 }; /* the least that is cut out */

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

/* The least comfortable number of cycles a column that is >= n: finer steps
 * than the ticks', so that little of the width stays empty. */
static uint64_t scale_for(uint64_t n) {
    static const uint64_t steps[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
    if (n <= 6) {
        return n < 1 ? 1 : n;
    }
    for (uint64_t ten = 1; ten < UINT64_MAX / 1000; ten *= 10) {
        for (size_t i = ten == 1 ? 9 : 0; i < sizeof steps / sizeof *steps;
             i++) {
            if (ten * steps[i] / 10 >= n) {
                return ten * steps[i] / 10;
            }
        }
    }
    return n;
}

static tc_timeline_axis new_axis(int cols, uint64_t scale) {
    tc_timeline_axis a = {.cols = cols, .scale = scale};
    a.start = tc_xcalloc((size_t)cols + 1, sizeof *a.start);
    a.cut = tc_xcalloc((size_t)cols, sizeof *a.cut);
    return a;
}

void tc_axis_free(tc_timeline_axis *a) {
    free(a->start);
    free(a->cut);
    *a = (tc_timeline_axis){0};
}

tc_timeline_axis tc_axis_linear(uint64_t origin, uint64_t scale, int cols) {
    tc_timeline_axis a = new_axis(cols, scale);
    for (int c = 0; c <= cols; c++) {
        a.start[c] = origin + scale * (uint64_t)c;
    }
    return a;
}

int tc_axis_column(const tc_timeline_axis *a, uint64_t cycle) {
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

/* The cycles at which something begins or ends, sorted, each once. */
typedef struct points {
    uint64_t *at;
    size_t n, cap;
} points;

static void add_point(points *p, uint64_t cycle) {
    if (cycle == UINT64_MAX) {
        return;
    }
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 64;
        p->at = tc_xrealloc(p->at, p->cap * sizeof *p->at);
    }
    p->at[p->n++] = cycle;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorted, each once. */
static void tidy(points *p) {
    if (p->n > 0) {
        qsort(p->at, p->n, sizeof *p->at, by_value);
    }
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (n == 0 || p->at[i] != p->at[n - 1]) {
            p->at[n++] = p->at[i];
        }
    }
    p->n = n;
}

static points find_points(const tc_timeline *tl, const bool *drawn) {
    points p = {0};
    add_point(&p, 0);
    for (size_t r = 0; r < tl->nrows; r++) {
        const tc_timeline_row *row = &tl->rows[r];
        if (drawn != NULL && !drawn[r]) {
            continue;
        }
        for (size_t i = 0; i < row->nevents; i++) {
            if (tc_event_letter(row->events[i]) != 0) {
                add_point(&p, row->events[i]->cycle);
                add_point(&p, row->events[i]->end);
            }
        }
        for (size_t i = 0; i < row->nbars; i++) {
            add_point(&p, row->bars[i].begin);
            add_point(&p, row->bars[i].end);
        }
    }
    tidy(&p);
    return p;
}

/* Lays the points out at a scale, cutting stretches of more than quiet columns
 * in which nothing happens; fills a (sized for
 * limit columns) when it is given. Returns the columns, or limit + 1. */
static int lay_out(const points *p, uint64_t scale, uint64_t quiet, int limit,
                   tc_timeline_axis *a) {
    uint64_t at = p->at[0] / scale; /* in columns' worth of cycles */
    int cols = 0;
    for (size_t i = 0; i < p->n; i++) {
        uint64_t here = p->at[i] / scale;
        if (here > at && here - at > quiet) {
            if (cols + 1 + BREAK_COLS > limit) {
                return limit + 1;
            }
            if (a != NULL) { /* one quiet column after what was */
                a->start[cols] = at * scale;
            }
            cols++;
            at++;
            uint64_t gap = (here - 1 - at) * scale;
            for (int k = 0; a != NULL && k < BREAK_COLS; k++) {
                a->start[cols + k] =
                    at * scale + gap / BREAK_COLS * (uint64_t)k;
                a->cut[cols + k] = true;
            }
            cols += BREAK_COLS;
            at = here - 1; /* and one before what comes */
        }
        for (; at <= here; at++) {
            if (cols == limit) {
                return limit + 1;
            }
            if (a != NULL) {
                a->start[cols] = at * scale;
            }
            cols++;
        }
    }
    if (a != NULL) {
        a->start[cols] = at * scale;
    }
    return cols;
}

/* True when some row has two letters, of different cycles, on a column. */
static bool crowded(const tc_timeline *tl, const bool *drawn, uint64_t scale) {
    for (size_t r = 0; r < tl->nrows; r++) {
        const tc_timeline_row *row = &tl->rows[r];
        const tc_trace_event *last = NULL;
        if (drawn != NULL && !drawn[r]) {
            continue;
        }
        for (size_t i = 0; i < row->nevents; i++) {
            const tc_trace_event *e = row->events[i];
            if (tc_event_letter(e) == 0) {
                continue;
            }
            if (last != NULL && last->cycle != e->cycle &&
                last->cycle / scale == e->cycle / scale) {
                return true;
            }
            last = e;
        }
    }
    return false;
}

/* Where a row's steps of different kinds meet on a column: the cycles at
 * which one more column would keep them apart. */
static points find_meetings(const tc_timeline *tl, const bool *drawn,
                            const tc_timeline_axis *a) {
    points p = {0};
    for (size_t r = 0; r < tl->nrows; r++) {
        const tc_timeline_row *row = &tl->rows[r];
        const tc_trace_event *last = NULL;
        for (size_t i = 0; i < row->nevents; i++) {
            const tc_trace_event *e = row->events[i];
            if ((drawn != NULL && !drawn[r]) || tc_event_letter(e) == 0 ||
                e->kind == TC_TRACE_LOAD || e->kind == TC_TRACE_EXIT) {
                continue;
            }
            if (last != NULL && last->kind != e->kind &&
                last->cycle != e->cycle &&
                tc_axis_column(a, last->cycle) == tc_axis_column(a, e->cycle)) {
                add_point(&p, e->cycle);
            }
            last = e;
        }
    }
    tidy(&p);
    return p;
}

/* Uses columns that are left, up to cols, to keep such steps apart. */
static void split(tc_timeline_axis *a, const tc_timeline *tl, const bool *drawn,
                  int cols) {
    points p = find_meetings(tl, drawn, a);
    size_t room = a->cols < cols ? (size_t)(cols - a->cols) : 0;
    p.n = p.n < room ? p.n : room;
    tc_timeline_axis b = new_axis(cols, a->scale);
    b.cols = 0;
    b.split = p.n > 0;
    size_t i = 0;
    for (int c = 0; c < a->cols; c++) {
        b.cut[b.cols] = a->cut[c];
        b.start[b.cols++] = a->start[c];
        for (; i < p.n && p.at[i] < a->start[c + 1]; i++) {
            b.start[b.cols++] = p.at[i];
        }
    }
    b.start[b.cols] = a->start[a->cols];
    free(p.at);
    tc_axis_free(a);
    *a = b;
}

tc_timeline_axis tc_axis_fit(const tc_timeline *tl, const bool *drawn,
                             int cols) {
    cols = cols < 8 ? 8 : cols;
    points p = find_points(tl, drawn);
    uint64_t last = p.at[p.n - 1];
    uint64_t plain = scale_for(last / (uint64_t)cols + 1);
    uint64_t scale = plain;
    if (crowded(tl, drawn, plain)) {
        for (scale = 1; scale < plain; scale = scale_for(scale + 1)) {
            if (lay_out(&p, scale, QUIET_COLS, cols, NULL) <= cols) {
                break;
            }
        }
        /* The coarsest that is as clear needs the fewest breaks. */
        for (uint64_t next = scale_for(scale + 1);
             next < plain && !crowded(tl, drawn, next) &&
             lay_out(&p, next, QUIET_COLS, cols, NULL) <= cols;
             next = scale_for(scale + 1)) {
            scale = next;
        }
    }
    tc_timeline_axis a;
    if (scale < plain) {
        uint64_t quiet = QUIET_COLS; /* as few breaks as there is room for */
        while (quiet < (uint64_t)cols &&
               lay_out(&p, scale, quiet + 1, cols, NULL) <= cols) {
            quiet++;
        }
        a = new_axis(cols, scale);
        a.cols = lay_out(&p, scale, quiet, cols, &a);
    } else {
        a = tc_axis_linear(0, plain, (int)(last / plain) + 1);
    }
    free(p.at);
    split(&a, tl, drawn, cols);
    return a;
}

/* A value at a column, if it fits there with a space on either side. */
static bool put_label(const tc_timeline_axis *a, tc_glyph *labels,
                      tc_glyph *rule, int col, uint64_t value, int *free_from) {
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    if (col < *free_from || col + n > a->cols) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (a->cut[col + i]) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        labels[col + i] = (tc_glyph)text[i];
    }
    rule[col] = TC_GLYPH_TICK;
    *free_from = col + n + 1;
    return true;
}

/* Labels one stretch between breaks: at multiples of step, or, when none of
 * them fits, at its own first cycle. */
static void label_stretch(const tc_timeline_axis *a, tc_glyph *labels,
                          tc_glyph *rule, int from, int to, uint64_t step) {
    int free_from = from;
    bool any = false;
    for (int c = from; c < to; c++) {
        uint64_t tick = (a->start[c] + step - 1) / step * step;
        if (tick < a->start[c + 1]) {
            any |= put_label(a, labels, rule, c, tick, &free_from);
        }
    }
    if (!any && !put_label(a, labels, rule, from, a->start[from], &free_from)) {
        rule[from] = TC_GLYPH_TICK;
    }
}

void tc_axis_draw(const tc_timeline_axis *a, tc_glyph *labels, tc_glyph *rule) {
    char widest[24];
    int n = snprintf(widest, sizeof widest, "%" PRIu64, a->start[a->cols]);
    uint64_t step = tc_axis_round((uint64_t)(n + 1) * a->scale);
    step = step < 5 * a->scale ? 5 * a->scale : step;
    memset(labels, ' ', (size_t)a->cols);
    memset(rule, TC_GLYPH_RULE, (size_t)a->cols);
    for (int c = 0, to; c < a->cols; c = to) {
        for (to = c; to < a->cols && a->cut[to] == a->cut[c];) {
            to++;
        }
        if (a->cut[c]) {
            memset(rule + c, TC_GLYPH_BREAK, (size_t)(to - c));
        } else {
            label_stretch(a, labels, rule, c, to, step);
        }
    }
}
