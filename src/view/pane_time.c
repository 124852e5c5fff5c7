/* pane_time.c - a row for each thing that waits or is waited for: what the
 * warps did, as letters, and bars for what was under way. */
#include "view/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 2, MOST_LANES = 8 };

/* ---- the window ---- */

typedef struct plot {
    tc_area rows; /* of the rows, labels included */
    int label;    /* columns of them */
    tc_timeline_axis axis;
} plot;

/* Lines under the rows: the event as a sentence. */
static int sentence_lines(int lines) {
    return lines >= 8 ? 2 : 1;
}

/* A row's name, that of its warp not repeated. */
static const char *label_of(const tc_model *m, const tc_row *row) {
    const char *parent = row->parent >= 0 ? m->rows[row->parent].name : "";
    size_t n = strlen(parent);
    bool same = n > 0 && strncmp(row->name, parent, n) == 0;
    return same && row->name[n] == ' ' ? row->name + n + 1 : row->name;
}

static int label_cols(const tc_view *v, int cols) {
    const tc_model *m = v->from->model;
    int widest = 8, most = cols / 4;
    for (size_t r = 0; r < m->nrows && widest < most; r++) {
        const tc_row *row = &m->rows[r];
        int n = (int)strlen(label_of(m, row)) + (row->parent >= 0);
        widest = n > widest ? n : widest;
    }
    return (widest < most ? widest : most) + 2;
}

static int plot_cols(const tc_view *v, int cols) {
    int n = cols - label_cols(v, cols);
    return n < 8 ? 8 : n;
}

static plot open_plot(tc_view *v, tc_area a) {
    plot p = {.label = label_cols(v, a.cols)};
    int lines = a.lines - TOP - sentence_lines(a.lines);
    p.rows = tc_area_part(a, TOP, 0, lines, a.cols);
    p.axis = tc_view_axis(v, plot_cols(v, a.cols));
    return p;
}

/* Lines of a row. */
static int height(const tc_row *row) {
    int n = row->kind == TC_ROW_WARP ? 1 : (int)row->nlanes;
    return n < 1 ? 1 : n > MOST_LANES ? MOST_LANES : n;
}

int tc_pane_time_lines(const tc_view *v, int most) {
    const tc_model *m = v->from->model;
    int n = TOP + sentence_lines(most);
    if (v->from->other != NULL) {
        return most;
    }
    for (size_t r = 0; r < m->nrows && n < most; r++) {
        n += height(&m->rows[r]);
    }
    return n > most ? most : n < 8 && most >= 8 ? 8 : n;
}

/* The first row drawn, so that the chosen one is in sight whole. */
static int32_t first_row(const tc_view *v, int lines) {
    const tc_model *m = v->from->model;
    int32_t top = v->top < v->row ? v->top : v->row;
    int need = 0;
    for (int32_t r = top; r <= v->row; r++) {
        need += height(&m->rows[r]);
    }
    while (need > lines && top < v->row) {
        need -= height(&m->rows[top++]);
    }
    return top;
}

/* ---- marks ---- */

static char letter_of(const tc_mark *k) {
    static const char letters[TC_TRACE_KIND_COUNT] = {
        [TC_TRACE_ISSUE] = 'i',      [TC_TRACE_COMMIT] = 'C',
        [TC_TRACE_WAIT] = 'W',       [TC_TRACE_ARRIVE] = 'A',
        [TC_TRACE_PHASE] = 'P',      [TC_TRACE_BARRIER] = 'B',
        [TC_TRACE_LOAD] = 'l',       [TC_TRACE_STORE] = 's',
        [TC_TRACE_EXIT] = 'x',       [TC_TRACE_BULK] = 'b',
        [TC_TRACE_TENSOR] = 't',     [TC_TRACE_TMEM_LOAD] = 'L',
        [TC_TRACE_TMEM_STORE] = 'S', [TC_TRACE_MMA] = 'M',
        [TC_TRACE_INIT] = 'I',       [TC_TRACE_EXPECT] = 'E',
        [TC_TRACE_TRACK] = 'K',
    };
    if (k->plain) {
        return k->stores == 0 ? 'l' : k->loads == 0 ? 's' : 'm';
    }
    return k->kind < TC_TRACE_KIND_COUNT ? letters[k->kind] : 0;
}

static tc_style style_of(const tc_mark *k) {
    if (k->finding) {
        return TC_STYLE(FINDING, TC_BOLD);
    }
    switch (k->kind) {
    case TC_TRACE_COMMIT:
    case TC_TRACE_ARRIVE:
    case TC_TRACE_EXPECT:
    case TC_TRACE_TRACK:
    case TC_TRACE_PHASE:
        return TC_STYLE(COMMIT, 0);
    case TC_TRACE_WAIT:
    case TC_TRACE_BARRIER:
        return TC_STYLE(STALL, TC_BOLD);
    case TC_TRACE_EXIT:
        return TC_STYLE(FRAME, 0);
    default:
        return k->plain ? TC_PLAIN : TC_STYLE(FLIGHT, 0);
    }
}

/* What gives way where several meet: the end, loads, stores. */
static int weight(const tc_mark *k) {
    return k->finding                  ? 9
           : letter_of(k) == 0         ? 0
           : k->kind == TC_TRACE_EXIT  ? 1
           : k->plain                  ? 2
           : k->kind == TC_TRACE_PHASE ? 4
                                       : 3;
}

/* What a column shows of the marks [from, to). */
static void meet(const tc_row *row, size_t from, size_t to, char *letter,
                 tc_style *style, const tc_mark **one) {
    enum { LOOK = 64 };
    int best = 0;
    *letter = 0;
    *one = NULL;
    for (size_t i = from; i < to && i < from + LOOK; i++) {
        const tc_mark *k = &row->marks[i];
        char c = k->finding ? '!' : letter_of(k);
        int w = weight(k);
        if (w == 0 || w < best) {
            continue;
        }
        if (w == best && c != *letter) {
            *letter = '*';
            *style = TC_STYLE(PLAIN, TC_BOLD);
        } else {
            *letter = c;
            *style = style_of(k);
        }
        *one = w == best ? NULL : k;
        best = w;
    }
}

/* How many a folded mark stands for, where there is room behind it. */
static int draw_count(tc_area a, int y, int x, int to, const tc_mark *k) {
    char text[16];
    int n = snprintf(text, sizeof text, "%" PRIu32, k->n);
    if (k->n < 2 || x + n > to) {
        return 0;
    }
    tc_put_text(a, y, x, n, text, (size_t)n, TC_STYLE(FRAME, 0));
    return n;
}

/* The columns that have marks are filled in; a count goes up to the next. */
static void draw_marks(const plot *p, const tc_row *row, int y) {
    const tc_timeline_axis *x = &p->axis;
    const tc_mark *one = NULL;
    int begin = 0;
    for (int c = 0; c <= x->cols; c++) {
        size_t from = c < x->cols ? tc_view_mark_at(row, x->start[c]) : 0;
        size_t to = c < x->cols ? tc_view_mark_at(row, x->start[c + 1]) : 0;
        if (from == to && c < x->cols) {
            continue;
        }
        if (one != NULL) {
            draw_count(p->rows, y, p->label + begin + 1, p->label + c - 1, one);
        }
        char letter = 0;
        tc_style style = TC_PLAIN;
        one = NULL;
        if (c < x->cols) {
            meet(row, from, to, &letter, &style, &one);
        }
        if (letter != 0) {
            tc_put(p->rows, y, p->label + c, (unsigned char)letter, style);
            begin = c;
        }
    }
}

/* ---- bars ---- */

static tc_glyph glyph_of(const tc_interval *i) {
    switch (i->kind) {
    case TC_INTERVAL_UNCOMMITTED:
        return TC_GLYPH_LOOSE;
    case TC_INTERVAL_FLIGHT:
        return TC_GLYPH_BAR;
    case TC_INTERVAL_STALL:
    case TC_INTERVAL_GATHER:
    case TC_INTERVAL_WAITED:
        return TC_GLYPH_STALL;
    default:
        return TC_GLYPH_LIFE;
    }
}

static tc_style bar_style(const tc_interval *i) {
    if (i->finding) {
        return TC_STYLE(FINDING, 0);
    }
    switch (i->kind) {
    case TC_INTERVAL_UNCOMMITTED:
    case TC_INTERVAL_FLIGHT:
        return TC_STYLE(FLIGHT, 0);
    case TC_INTERVAL_LANDED:
        return TC_STYLE(LANDED, 0);
    case TC_INTERVAL_PHASE:
        return i->phase & 1 ? TC_STYLE(READ, 0) : TC_STYLE(COMMIT, 0);
    case TC_INTERVAL_STALL:
    case TC_INTERVAL_GATHER:
    case TC_INTERVAL_WAITED:
        return TC_STYLE(STALL, 0);
    default:
        return TC_STYLE(FRAME, 0);
    }
}

/* "0": the ordinal of a group or phase, or the name of what is copied, at the
 * front of its bar. */
static void draw_name(const plot *p, const tc_interval *i, int y, int from,
                      int to) {
    char text[16];
    int32_t n = i->kind == TC_INTERVAL_PHASE ? i->phase : i->group;
    if (n < 0 || i->kind == TC_INTERVAL_LANDED) {
        return;
    }
    int len = snprintf(text, sizeof text, "%" PRId32, n);
    if (to - from + 1 >= len) {
        tc_put_text(p->rows, y, p->label + from, len, text, (size_t)len,
                    bar_style(i) | TC_BOLD);
    }
}

/* Returns the cycle up to which its line is drawn: what ends before adds
 * nothing. */
static uint64_t draw_interval(const plot *p, const tc_interval *i, int y,
                              uint64_t cycles) {
    const tc_timeline_axis *x = &p->axis;
    uint64_t end = i->end == TC_OPEN ? cycles + 1 : i->end;
    if (end <= x->start[0] || i->begin >= x->start[x->cols]) {
        return x->start[0];
    }
    bool begins = i->begin >= x->start[0];
    int from = begins ? tc_axis_column(x, i->begin) : 0;
    int to =
        end >= x->start[x->cols] ? x->cols - 1 : tc_axis_column(x, end - 1);
    to = to < from ? from : to;
    tc_glyph g = glyph_of(i);
    for (int c = from; c <= to && c < x->cols; c++) {
        tc_put(p->rows, y, p->label + c,
               tc_glyph_code(x->cut[c] ? TC_GLYPH_BREAK : g, true),
               bar_style(i));
    }
    if (i->end == TC_OPEN && i->kind == TC_INTERVAL_FLIGHT &&
        to == x->cols - 1) {
        tc_put(p->rows, y, p->label + to, tc_glyph_code(TC_GLYPH_OPEN, true),
               bar_style(i));
    }
    if (begins) {
        draw_name(p, i, y, from, to);
    }
    return x->start[to + 1];
}

/* Of a warp: what it does in the middle of each column. */
static void draw_life(const plot *p, const tc_row *row, int y) {
    const tc_timeline_axis *x = &p->axis;
    size_t k = 0;
    for (int c = 0; c < x->cols; c++) {
        uint64_t from = x->start[c], to = x->start[c + 1];
        uint64_t middle = from + (to - from) / 2;
        size_t lo = k, hi = row->nintervals;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (row->intervals[mid].begin <= middle) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        k = lo > 0 ? lo - 1 : 0;
        const tc_interval *i = lo > 0 ? &row->intervals[k] : NULL;
        if (i != NULL && (i->end == TC_OPEN || i->end > from)) {
            tc_put(
                p->rows, y, p->label + c,
                tc_glyph_code(x->cut[c] ? TC_GLYPH_BREAK : glyph_of(i), true),
                bar_style(i));
        }
    }
}

static void draw_row(const tc_view *v, const plot *p, const tc_model *m,
                     int32_t r, int y) {
    const tc_row *row = &m->rows[r];
    bool chosen = m == v->from->model && r == v->row;
    int indent = row->parent >= 0;
    const char *name = label_of(m, row);
    tc_put_text(p->rows, y, 1 + indent, p->label - 2 - indent, name,
                strlen(name), chosen ? TC_STYLE(TITLE, TC_BOLD) : TC_PLAIN);
    if (chosen) {
        tc_put(p->rows, y, 0, '>', TC_STYLE(TITLE, TC_BOLD));
    }
    if (row->kind == TC_ROW_WARP) {
        draw_life(p, row, y);
    }
    int lines = height(row);
    uint64_t until[MOST_LANES] = {0};
    for (size_t k = 0; row->kind != TC_ROW_WARP && k < row->nintervals; k++) {
        const tc_interval *i = &row->intervals[k];
        if (i->begin >= p->axis.start[p->axis.cols]) {
            break; /* they are sorted */
        }
        if (i->lane < lines && i->end > until[i->lane]) {
            until[i->lane] = draw_interval(p, i, y + i->lane, m->cycles);
        }
    }
    if (row->kind == TC_ROW_WARP || row->kind == TC_ROW_MBARRIER ||
        row->kind == TC_ROW_TMEM || row->kind == TC_ROW_MMA) {
        draw_marks(p, row, y);
    }
}

/* ---- the pane ---- */

static void draw_axis(const plot *p, tc_area a, bool focus) {
    const tc_timeline_axis *x = &p->axis;
    size_t n = (size_t)x->cols;
    tc_glyph *cells = tc_xcalloc(n, 2);
    tc_axis_draw(x, cells, cells + n);
    tc_put_text(a, 0, focus ? 0 : 1, p->label - 2, focus ? ">cycle" : "cycle",
                focus ? 6 : 5, focus ? TC_STYLE(TITLE, TC_BOLD) : TC_PLAIN);
    for (int line = 0; line < 2; line++) {
        for (int c = 0; c < x->cols; c++) {
            tc_put(a, line, p->label + c,
                   tc_glyph_code(cells[(size_t)line * n + (size_t)c], true),
                   TC_STYLE(FRAME, 0));
        }
    }
    free(cells);
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
        y += height(&m->rows[r]);
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
        y += height(&m->rows[r]);
    }
    if (c >= 0 && c < p->axis.cols && row >= first) {
        tc_restyle(p->rows, y, p->label + c, 1, TC_STYLE(PLAIN, TC_REVERSE));
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
    tc_timeline_axis a = tc_view_axis(v, cols);
    if (v->cycle < a.start[0] || v->cycle >= a.start[a.cols]) {
        v->origin = tc_view_origin(v, v->cycle, cols / 3);
    }
    tc_axis_free(&a);
}

/* 1, 2, 5, 10, ...: the one before n. */
static uint64_t finer(uint64_t n) {
    uint64_t lower = 1;
    while (tc_axis_round(lower + 1) < n) {
        lower = tc_axis_round(lower + 1);
    }
    return lower;
}

void tc_pane_time_zoom(tc_view *v, int way) {
    int cols = plot_cols(v, v->cols);
    uint64_t fit = tc_view_fit(v, cols);
    uint64_t scale = v->scale == 0 ? fit : v->scale;
    scale = way > 0 ? finer(scale) : tc_axis_round(scale + 1);
    if (way == 0 || (way < 0 && scale >= fit)) {
        v->scale = 0;
        tc_view_message(v, "all of the run: %" PRIu64 " cycle%s a column", fit,
                        fit == 1 ? "" : "s");
        return;
    }
    v->scale = scale;
    v->origin = tc_view_origin(v, v->cycle, cols / 2);
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
    uint64_t fit = tc_view_fit(v, plot_cols(v, v->cols)), scale = fit;
    while (scale > 1 && crowded(v->from->model, scale)) {
        scale = finer(scale);
    }
    if (scale < fit) {
        v->scale = scale;
        v->origin = v->points[0];
        tc_pane_time_follow(v);
    }
}

void tc_pane_time_click(tc_view *v, tc_area a, int y, int x) {
    const tc_model *m = v->from->model;
    plot p = open_plot(v, a);
    int at = TOP;
    for (size_t r = (size_t)v->top; r < m->nrows; r++) {
        at += height(&m->rows[r]);
        if (y >= TOP && y < at && at <= TOP + p.rows.lines + MOST_LANES) {
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
