/* state.c - where the view is in a run. */
#include "view/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const tc_row *tc_view_row(const tc_view *v) {
    return &v->from->model->rows[v->row];
}

void tc_view_message(tc_view *v, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->message, sizeof v->message, fmt, ap);
    va_end(ap);
}

/* ---- beginning and end ---- */

bool tc_view_is_map(const tc_trace_buffer *b) {
    return b->space == TC_TRACE_SPACE_SHARED && b->bytes > 0;
}

static size_t first_buffer(const tc_trace *t) {
    for (size_t i = 0; i < t->nbuffers; i++) {
        if (tc_view_is_map(&t->buffers[i])) {
            return i;
        }
    }
    return t->nbuffers;
}

tc_view tc_view_start(const tc_view_supply *from, int lines, int cols) {
    const tc_model *m = from->model;
    tc_view v = {.from = from,
                 .lines = lines,
                 .cols = cols,
                 .position = TC_NO_POSITION,
                 .second = TC_PANE_SOURCE,
                 .machine_row = -1,
                 .points = tc_axis_points_of(m, from->other, NULL),
                 .memory = first_buffer(m->trace)};
    const tc_row *row = &m->rows[0];
    if (row->nevents > 0) {
        tc_view_go_position(&v, row->events[0]);
    }
    tc_pane_time_start(&v);
    return v;
}

void tc_view_end(tc_view *v) {
    free(v->opened);
    free(v->points.at);
    free(v->machine);
    free(v->seen.states);
    *v = (tc_view){0};
}

void tc_view_resize(tc_view *v, int lines, int cols) {
    v->lines = lines;
    v->cols = cols;
    tc_pane_time_follow(v);
}

/* ---- events and marks ---- */

const tc_trace_event *tc_view_event(const tc_view *v) {
    const tc_model *m = v->from->model;
    return v->position < m->n ? m->order[v->position] : NULL;
}

size_t tc_view_event_before(const tc_row *row, size_t position) {
    size_t lo = 0, hi = row->nevents;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (row->events[mid] <= position) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo > 0 ? lo - 1 : TC_NO_POSITION;
}

size_t tc_view_mark_before(const tc_row *row, size_t position) {
    size_t lo = 0, hi = row->nmarks;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (row->events[row->marks[mid].first] <= position) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo > 0 ? lo - 1 : TC_NO_POSITION;
}

const tc_mark *tc_view_mark(const tc_view *v, size_t *index) {
    const tc_row *row = tc_view_row(v);
    size_t i = v->position == TC_NO_POSITION
                   ? TC_NO_POSITION
                   : tc_view_mark_before(row, v->position);
    if (index != NULL) {
        *index = i;
    }
    return i == TC_NO_POSITION ? NULL : &row->marks[i];
}

const tc_mark *tc_view_other(const tc_view *v) {
    const tc_model *m = v->from->other;
    const tc_row *row = tc_view_row(v);
    size_t k, n = 0;
    const tc_mark *mark = tc_view_mark(v, &k);
    int32_t r = m != NULL ? tc_model_named(m, row->name) : -1;
    if (mark == NULL || r < 0) {
        return NULL;
    }
    for (size_t i = 0; i < k; i++) {
        n += row->marks[i].kind == mark->kind;
    }
    for (size_t i = 0; i < m->rows[r].nmarks; i++) {
        if (m->rows[r].marks[i].kind == mark->kind && n-- == 0) {
            return &m->rows[r].marks[i];
        }
    }
    return NULL;
}

bool tc_view_is_open(const tc_view *v, int32_t row, size_t mark) {
    uint64_t key = (uint64_t)row << 32 | mark;
    for (size_t i = 0; i < v->nopened; i++) {
        if (v->opened[i] == key) {
            return true;
        }
    }
    return false;
}

void tc_view_open(tc_view *v) {
    size_t i;
    const tc_mark *mark = tc_view_mark(v, &i);
    if (mark == NULL || mark->n < 2) {
        tc_view_message(v, "nothing is folded here");
        return;
    }
    uint64_t key = (uint64_t)v->row << 32 | i;
    for (size_t k = 0; k < v->nopened; k++) {
        if (v->opened[k] == key) { /* closed: the cursor is on all of it */
            v->opened[k] = v->opened[--v->nopened];
            tc_view_go_position(v, tc_view_row(v)->events[mark->first]);
            return;
        }
    }
    if (v->nopened == v->opened_cap) {
        v->opened_cap = v->opened_cap ? v->opened_cap * 2 : 16;
        v->opened = tc_xrealloc(v->opened, v->opened_cap * sizeof *v->opened);
    }
    v->opened[v->nopened++] = key;
    tc_view_message(v, "opened: %" PRIu32 " events to step through", mark->n);
}

/* ---- where it is ---- */

int32_t tc_view_warp(const tc_view *v) {
    const tc_model *m = v->from->model;
    const tc_row *row = tc_view_row(v);
    if (row->kind == TC_ROW_WARP) {
        return v->row;
    }
    if (row->parent >= 0) {
        return row->parent;
    }
    int32_t waits = -1;
    if (tc_model_waiters(m, v->row, v->cycle, &waits, 1) > 0) {
        return waits;
    }
    const tc_trace_event *e = tc_view_event(v);
    return e != NULL ? tc_model_warp(m, e->cta, e->warp)
                     : tc_model_warp(m, row->cta, 0);
}

void tc_view_go_cycle(tc_view *v, uint64_t cycle) {
    const tc_model *m = v->from->model;
    const tc_row *row = tc_view_row(v);
    cycle = cycle > m->cycles ? m->cycles : cycle;
    size_t after = cycle == UINT64_MAX ? m->n : tc_model_seek(m, cycle + 1);
    size_t i =
        after == 0 ? TC_NO_POSITION : tc_view_event_before(row, after - 1);
    v->cycle = cycle;
    v->position = i == TC_NO_POSITION ? i : row->events[i];
    tc_pane_time_follow(v);
}

static bool has_event(const tc_row *row, size_t position) {
    size_t i = tc_view_event_before(row, position);
    return i != TC_NO_POSITION && row->events[i] == position;
}

/* The row that shows an event best: of a phase the mbarrier's. */
static int32_t row_for(const tc_view *v, size_t position) {
    enum { SOME = 8 };
    const tc_model *m = v->from->model;
    int32_t rows[SOME];
    size_t n = tc_model_rows_of(m, position, rows, SOME);
    n = n < SOME ? n : SOME;
    for (size_t i = 0; i < n; i++) {
        bool phase = m->order[position]->kind == TC_TRACE_PHASE;
        if (phase && m->rows[rows[i]].kind == TC_ROW_MBARRIER) {
            return rows[i];
        }
    }
    return n > 0 ? rows[0] : v->row;
}

void tc_view_go_position(tc_view *v, size_t position) {
    const tc_model *m = v->from->model;
    if (position >= m->n) {
        return;
    }
    if (!has_event(tc_view_row(v), position)) {
        v->row = row_for(v, position);
    }
    v->position = position;
    v->cycle = m->order[position]->cycle;
    tc_pane_time_follow(v);
}

void tc_view_choose(tc_view *v, int32_t row) {
    int32_t n = (int32_t)v->from->model->nrows;
    v->row = row < 0 ? 0 : row >= n ? n - 1 : row;
    tc_view_go_cycle(v, v->cycle);
}

bool tc_view_go_to(tc_view *v, const char *place) {
    static const char finding[] = "finding:";
    const tc_trace *t = v->from->model->trace;
    char *end;
    bool named = strncmp(place, finding, sizeof finding - 1) == 0;
    const char *digits = named ? place + sizeof finding - 1 : place;
    uint64_t n = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end != '\0' ||
        (named && (n < 1 || n > t->nfindings))) {
        return false;
    }
    if (named) {
        tc_pane_findings_go(v, (size_t)n - 1);
        v->second = TC_PANE_FINDINGS;
    } else {
        tc_view_go_cycle(v, n);
    }
    return true;
}
