/* pane_time.c - a row for each thing that waits or is waited for: what the
 * warps did, as letters, and bars for what was under way. */
#include "view/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 2 };

/* ---- the window ---- */

typedef struct plot {
    tc_area rows; /* of the rows, labels included */
    int label;    /* columns of them */
    tc_time_axis axis;
} plot;

/* Lines under the rows: the event as a sentence. */
static int sentence_lines(int lines) {
    return lines >= 8 ? 2 : 1;
}

static int label_cols(const tc_view *v, int cols) {
    const tc_model *m = v->from->model;
    int widest = 8, most = cols / 4;
    for (size_t r = 0; r < m->nrows && widest < most; r++) {
        const tc_row *row = &m->rows[r];
        int n = (int)strlen(tc_row_label(m, row)) + (row->parent >= 0);
        widest = n > widest ? n : widest;
    }
    return (widest < most ? widest : most) + 2;
}

static int plot_cols(const tc_view *v, int cols) {
    int n = cols - label_cols(v, cols);
    return n < 8 ? 8 : n;
}

static tc_time_axis axis_of(tc_view *v, int cols) {
    return v->scale == 0 ? tc_axis_all(&v->points, cols, (size_t)v->top)
                         : tc_axis_from(&v->points, v->origin, v->scale, cols,
                                        (size_t)v->top);
}

static plot open_plot(tc_view *v, tc_area a) {
    plot p = {.label = label_cols(v, a.cols)};
    int lines = a.lines - TOP - sentence_lines(a.lines);
    p.rows = tc_area_part(a, TOP, 0, lines, a.cols);
    p.axis = axis_of(v, plot_cols(v, a.cols));
    return p;
}

int tc_pane_time_lines(const tc_view *v, int most) {
    const tc_model *m = v->from->model;
    int n = TOP + sentence_lines(most);
    if (v->from->other != NULL) {
        return most;
    }
    for (size_t r = 0; r < m->nrows && n < most; r++) {
        n += tc_row_lines(&m->rows[r]);
    }
    return n > most ? most : n < 8 && most >= 8 ? 8 : n;
}

/* The first row drawn, so that the chosen one is in sight whole. */
static int32_t first_row(const tc_view *v, int lines) {
    const tc_model *m = v->from->model;
    int32_t top = v->top < v->row ? v->top : v->row;
    int need = 0;
    for (int32_t r = top; r <= v->row; r++) {
        need += tc_row_lines(&m->rows[r]);
    }
    while (need > lines && top < v->row) {
        need -= tc_row_lines(&m->rows[top++]);
    }
    return top;
}

/* ---- the pane ---- */

static void draw_row(const tc_view *v, const plot *p, const tc_model *m,
                     int32_t r, int y) {
    const tc_row *row = &m->rows[r];
    bool chosen = m == v->from->model && r == v->row;
    int indent = row->parent >= 0;
    const char *name = tc_row_label(m, row);
    tc_put_text(p->rows, y, 1 + indent, p->label - 2 - indent, name,
                strlen(name), chosen ? TC_STYLE(TITLE, TC_BOLD) : TC_PLAIN);
    if (chosen) {
        tc_put(p->rows, y, 0, '>', TC_STYLE(TITLE, TC_BOLD));
    }
    tc_plot cells = {p->rows, p->label, &p->axis};
    tc_draw_row(&cells, m, row, y);
}

static void draw_axis(const plot *p, tc_area a, bool focus) {
    tc_put_text(a, 0, focus ? 0 : 1, p->label - 2, focus ? ">cycle" : "cycle",
                focus ? 6 : 5, focus ? TC_STYLE(TITLE, TC_BOLD) : TC_PLAIN);
    tc_axis_draw(&p->axis, a, p->label);
}

/* The cursor's column: on the axis, in the chosen row, and where nothing else
 * is. */
static void draw_cursor(const tc_view *v, const plot *p, tc_area a, int y,
                        int lines) {
    int c = tc_axis_column(&p->axis, v->cycle);
    if (c < 0 || c >= p->axis.cols) {
        return;
    }
    int x = p->label + c;
    tc_put(a, 1, x, 0x25BC, TC_STYLE(TITLE, TC_BOLD));
    for (int i = 0; i < lines && i < p->rows.lines; i++) {
        const tc_cell *cell = tc_grid_at(a.grid, p->rows.y + i, p->rows.x + x);
        if (cell->c == ' ') {
            tc_put(p->rows, i, x, 0x2502, TC_STYLE(FRAME, 0));
        }
    }
    if (y >= 0) {
        tc_restyle(p->rows, y, x, 1, TC_STYLE(PLAIN, TC_REVERSE));
    }
}

static void draw_sentence(const tc_view *v, tc_area a) {
    const tc_model *m = v->from->model;
    tc_buf b = TC_BUF_INIT;
    size_t k;
    const tc_mark *mark = tc_view_mark(v, &k);
    if (mark == NULL) {
        tc_buf_puts(&b, "nothing has happened here yet");
    } else if (mark->n > 1 && !tc_view_is_open(v, v->row, k)) {
        tc_model_mark_text(&b, m, tc_view_row(v), mark);
        tc_buf_puts(&b, mark->plain ? "; Enter opens it" : "");
    } else {
        tc_model_event_text(&b, m, v->position);
    }
    const tc_trace_event *e = tc_view_event(v);
    if (e != NULL && e->cycle < v->cycle) {
        tc_buf_printf(&b, " (at cycle %" PRIu64 ")", e->cycle);
    }
    tc_put_wrapped(a, 0, 2, tc_buf_text(&b), TC_STYLE(PLAIN, TC_BOLD));
    tc_buf_free(&b);
}

/* Rows of a run from one on, on lines [y, end); returns the line behind them.
 * *at: that of the chosen row, if it is among them. */
static int draw_rows(const tc_view *v, const plot *p, const tc_model *m,
                     size_t first, int y, int end, int *at) {
    for (size_t r = first; r < m->nrows && y < end; r++) {
        if (m == v->from->model && (int32_t)r == v->row) {
            *at = y;
        }
        draw_row(v, p, m, (int32_t)r, y);
        y += tc_row_lines(&m->rows[r]);
    }
    return y;
}

/* The other run's rows under the first one's, from the row of the same name
 * on; between them the difference at the cursor's step. */
static void draw_other(const tc_view *v, const plot *p, int y) {
    const tc_model *m = v->from->other;
    int32_t first = tc_model_named(m, v->from->model->rows[v->top].name);
    const tc_mark *here = tc_view_mark(v, NULL), *there = tc_view_other(v);
    int at = -1;
    tc_fill(p->rows, y, 0, p->rows.cols, 0x2500, TC_STYLE(FRAME, 0));
    int x = 1 + tc_put_format(p->rows, y, 1, TC_STYLE(TITLE, TC_BOLD), "%s",
                              v->from->other_name);
    if (here != NULL && there != NULL) {
        tc_put_format(p->rows, y, x, TC_PLAIN,
                      " has this step at cycle %" PRIu64 ": %+" PRId64
                      " cycles ",
                      there->cycle, (int64_t)(there->cycle - here->cycle));
    } else {
        tc_put_string(p->rows, y, x, " has no such step ", TC_PLAIN);
    }
    draw_rows(v, p, m, first < 0 ? 0 : (size_t)first, y + 1, p->rows.lines,
              &at);
    int c = there != NULL ? tc_axis_column(&p->axis, there->cycle) : -1;
    int32_t row = tc_model_named(m, tc_view_row(v)->name);
    y++;
    for (int32_t r = first < 0 ? 0 : first; r < row; r++) {
        y += tc_row_lines(&m->rows[r]);
    }
    if (c >= 0 && c < p->axis.cols && row >= first) {
        tc_restyle(p->rows, y, p->label + c, 1, TC_STYLE(PLAIN, TC_REVERSE));
    }
}

/* "3-9 of 12" at the axis: which rows are seen, where not all are. */
static void draw_range(const tc_view *v, const plot *p, tc_area a, int lines) {
    const tc_model *m = v->from->model;
    size_t r = (size_t)v->top, y = 0;
    while (r < m->nrows &&
           (y += (size_t)tc_row_lines(&m->rows[r])) <= (size_t)lines) {
        r++;
    }
    char text[48];
    int n = snprintf(text, sizeof text, "%d-%zu of %zu", (int)v->top + 1, r,
                     m->nrows);
    if ((v->top > 0 || r < m->nrows) && n < p->label) {
        tc_put_string(a, 1, 1, text, TC_STYLE(FRAME, 0));
    }
}

void tc_pane_time_draw(tc_view *v, tc_area a) {
    const tc_model *m = v->from->model;
    plot p = open_plot(v, a);
    bool two = v->from->other != NULL;
    int at = -1, lines = two ? p.rows.lines / 2 : p.rows.lines;
    tc_area whole = p.rows;
    v->top = first_row(v, lines);
    p.rows = tc_area_part(whole, 0, 0, lines, whole.cols);
    draw_axis(&p, a, v->focus == TC_PANE_TIME);
    draw_range(v, &p, a, lines);
    int y = draw_rows(v, &p, m, (size_t)v->top, 0, lines, &at);
    draw_cursor(v, &p, a, at, y);
    p.rows = whole;
    if (two) {
        draw_other(v, &p, lines < y ? lines : y);
    }
    draw_sentence(v, tc_area_part(a, p.rows.lines + TOP, 0,
                                  sentence_lines(a.lines), a.cols));
    tc_axis_free(&p.axis);
}

/* ---- moving ---- */

void tc_pane_time_follow(tc_view *v) {
    int cols = plot_cols(v, v->cols);
    if (v->scale == 0) {
        return;
    }
    tc_time_axis a = axis_of(v, cols);
    if (v->cycle < a.start[0] || v->cycle >= a.start[a.cols]) {
        v->origin = tc_axis_origin(&v->points, v->cycle, v->scale, cols / 3);
    }
    tc_axis_free(&a);
}

void tc_pane_time_zoom(tc_view *v, int way) {
    int cols = plot_cols(v, v->cols);
    uint64_t fit = tc_axis_fit(&v->points, cols);
    uint64_t scale = v->scale == 0 ? fit : v->scale;
    scale = way > 0 ? tc_axis_finer(scale) : tc_axis_round(scale + 1);
    if (way == 0 || (way < 0 && scale >= fit)) {
        v->scale = 0;
        tc_view_message(v, "all of the run: %" PRIu64 " cycle%s a column", fit,
                        fit == 1 ? "" : "s");
        return;
    }
    v->scale = scale;
    v->origin = tc_axis_origin(&v->points, v->cycle, v->scale, cols / 2);
    tc_view_message(v, "%" PRIu64 " cycle%s a column", scale,
                    scale == 1 ? "" : "s");
}

/* Do more than half of the first rows' steps share a column with the one
 * before? */
static bool crowded(const tc_model *m, uint64_t scale) {
    enum { ROWS = 16, LOOK = 2000 };
    size_t all = 0, met = 0;
    int rows = 0;
    for (size_t r = 0; r < m->nrows && rows < ROWS; r++) {
        const tc_row *row = &m->rows[r];
        if (row->kind != TC_ROW_WARP) {
            continue;
        }
        rows++;
        for (size_t i = 1; i < row->nmarks && i < LOOK; i++) {
            const tc_mark *k = &row->marks[i];
            all += !k->plain;
            met += !k->plain && k->cycle / scale == k[-1].cycle / scale;
        }
    }
    return met * 2 > all;
}

void tc_pane_time_start(tc_view *v) {
    uint64_t fit = tc_axis_fit(&v->points, plot_cols(v, v->cols)), scale = fit;
    while (scale > 1 && crowded(v->from->model, scale)) {
        scale = tc_axis_finer(scale);
    }
    if (scale < fit) {
        v->scale = scale;
        v->origin = v->points.at[0];
        tc_pane_time_follow(v);
    }
}

void tc_pane_time_click(tc_view *v, tc_area a, int y, int x) {
    const tc_model *m = v->from->model;
    plot p = open_plot(v, a);
    int at = TOP;
    for (size_t r = (size_t)v->top; r < m->nrows; r++) {
        at += tc_row_lines(&m->rows[r]);
        if (y >= TOP && y < at &&
            at <= TOP + p.rows.lines + tc_row_lines(&m->rows[r])) {
            v->row = (int32_t)r;
            break;
        }
    }
    int c = x - p.label;
    uint64_t cycle =
        c >= 0 && c < p.axis.cols ? p.axis.start[c + 1] - 1 : v->cycle;
    tc_axis_free(&p.axis);
    tc_view_go_cycle(v, cycle);
}
