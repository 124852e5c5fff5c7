/* pane_source.c - the program's text, at the line where the warp is. */
#include "view/state.h"

#include <inttypes.h>
#include <string.h>

/* ---- lines of a text ---- */

/* A line, without its newline; NULL: it has none such. */
static const char *text_line(const tc_view_text *t, int32_t line, size_t *len) {
    int32_t i = line - t->first_line;
    if (i < 0 || i >= t->nlines) {
        return NULL;
    }
    const char *p = t->text + t->starts[i];
    size_t n = t->starts[i + 1] - t->starts[i];
    n -= n > 0 && p[n - 1] == '\n';
    *len = n > 0 && p[n - 1] == '\r' ? n - 1 : n;
    return p;
}

static int32_t last_line(const tc_view_text *t) {
    return t->first_line + t->nlines - 1;
}

static const tc_view_text *chosen(const tc_view *v) {
    return v->text < v->from->ntexts ? &v->from->texts[v->text] : NULL;
}

/* What events call a line of a text. */
static tc_view_line events_line(const tc_view_text *t, int32_t line) {
    int32_t i = line - t->first_line;
    if (i < 0 || i >= t->nlines) {
        return (tc_view_line){0};
    }
    return (tc_view_line){t->origins != NULL ? t->origins[i] : line,
                          t->lines == TC_LINES_PTX};
}

/* Where a warp is, as events number the lines of that text. */
static int32_t number_of_warp(const tc_view *v, int32_t row, bool ptx) {
    const tc_model *m = v->from->model;
    const tc_trace_event *e = tc_view_event(v);
    bool own =
        e != NULL && e->kind != TC_TRACE_COMPLETE && e->kind != TC_TRACE_PHASE;
    bool here =
        own && e->cycle == v->cycle && tc_model_warp(m, e->cta, e->warp) == row;
    if (here && (ptx ? e->ptx_line > 0 : e->line > 0)) {
        return ptx ? (int32_t)e->ptx_line : e->line;
    }
    tc_warp_at at = tc_model_warp_at(m, row, v->cycle);
    return !at.started || at.exited ? 0 : ptx ? (int32_t)at.ptx_line : at.line;
}

static int32_t line_of_warp(const tc_view *v, int32_t row,
                            const tc_view_text *t) {
    int32_t number = number_of_warp(v, row, t->lines == TC_LINES_PTX);
    for (int32_t i = 0; t->origins != NULL && number > 0; i++) {
        if (i == t->nlines) {
            return 0;
        }
        if (t->origins[i] == number) {
            return t->first_line + i;
        }
    }
    return number;
}

/* The chosen line of the text, or that at which the warp is; 0: none. */
static int32_t chosen_line(const tc_view *v) {
    const tc_view_text *t = chosen(v);
    int32_t warp = tc_view_warp(v);
    return v->source_line > 0      ? v->source_line
           : t == NULL || warp < 0 ? 0
                                   : line_of_warp(v, warp, t);
}

tc_view_line tc_pane_source_line(const tc_view *v) {
    const tc_view_text *t = chosen(v);
    return t != NULL ? events_line(t, chosen_line(v)) : (tc_view_line){0};
}

/* ---- the gutter ---- */

/* How many other warps are at a line. */
static int others_at(const tc_view *v, const tc_view_text *t, int32_t line,
                     int32_t warp) {
    enum { MOST = 64 }; /* of a grid of thousands */
    const tc_model *m = v->from->model;
    int n = 0, seen = 0;
    for (size_t r = 0; r < m->nrows && seen < MOST; r++) {
        if (m->rows[r].kind == TC_ROW_WARP && (int32_t)r != warp) {
            seen++;
            n += line_of_warp(v, (int32_t)r, t) == line;
        }
    }
    return n;
}

static bool stops_at(const tc_view *v, tc_view_line line) {
    for (int i = 0; i < v->nstops; i++) {
        const tc_stop *s = &v->stops[i];
        if (s->what == TC_STOP_LINE && s->line.number == line.number &&
            s->line.ptx == line.ptx) {
            return true;
        }
    }
    return false;
}

static bool has_finding(const tc_view *v, tc_view_line line) {
    const tc_trace *t = v->from->model->trace;
    for (size_t i = 0; i < t->nfindings && !line.ptx; i++) {
        if (t->findings[i].line == line.number) {
            return true;
        }
    }
    return false;
}

/* Are two lines of a text made from the same one? */
static bool same_origin(const tc_view_text *t, int32_t a, int32_t b) {
    tc_view_line x = events_line(t, a), y = events_line(t, b);
    return x.number > 0 && x.number == y.number;
}

/* The line's number and what is so there: '>' the warp, a figure how many
 * others, '*' a stop, '!' a finding. */
static int draw_gutter(const tc_view *v, const tc_view_text *t, tc_area a,
                       int y, int32_t line, int32_t at, int32_t warp) {
    tc_view_line events = events_line(t, line);
    int n = others_at(v, t, line, warp);
    if (same_origin(t, line, at)) {
        tc_put(a, y, 0, '>', TC_STYLE(TITLE, TC_BOLD));
    }
    if (n > 0) {
        tc_put_format(a, y, 1, TC_STYLE(STALL, 0), n < 10 ? "%d" : "+", n);
    }
    if (events.number > 0 && stops_at(v, events)) {
        tc_put(a, y, 2, '*', TC_STYLE(COMMIT, TC_BOLD));
    } else if (events.number > 0 && has_finding(v, events)) {
        tc_put(a, y, 2, '!', TC_STYLE(FINDING, TC_BOLD));
    }
    tc_put_format(a, y, 3, TC_STYLE(FRAME, 0), "%4" PRId32 " ", line);
    return 8;
}

/* The last line of those that were made from the same one as `at`. */
static int32_t end_of_origin(const tc_view_text *t, int32_t at) {
    while (t->origins != NULL && same_origin(t, at, at + 1)) {
        at++;
    }
    return at;
}

/* The first line drawn: the chosen one in the middle, or higher, so that all of
 * what was made of its line is seen; the text's ends at the area's. */
static int32_t top_of(const tc_view_text *t, int32_t at, int lines) {
    int32_t last = last_line(t), end = end_of_origin(t, at);
    int32_t top = at - lines / 2;
    top = top + lines <= end ? end - lines + 1 : top;
    top = top > at ? at : top;
    top = top + lines - 1 > last ? last - lines + 1 : top;
    return top < t->first_line ? t->first_line : top;
}

/* A line's text; that of the warp in full, on several lines. */
static int draw_text(const tc_view_text *t, tc_area a, int y, int x,
                     int32_t line, bool here) {
    enum { MOST = 3 };
    size_t len = 0;
    const char *p = text_line(t, line, &len);
    if (p == NULL) {
        return 0;
    }
    if (!here) {
        tc_put_text(a, y, x, a.cols - x, p, len, TC_PLAIN);
        return 1;
    }
    tc_buf text = TC_BUF_INIT;
    tc_buf_write(&text, p, len);
    int n = tc_put_wrapped(tc_area_part(a, y, x, MOST, a.cols - x), 0, 6,
                           tc_buf_text(&text), TC_STYLE(PLAIN, TC_BOLD));
    tc_buf_free(&text);
    return n > 0 ? n : 1;
}

void tc_pane_source_draw(tc_view *v, tc_area a) {
    const tc_view_text *t = chosen(v);
    if (t == NULL) {
        tc_put_wrapped(a, 0, 0,
                       "There is no source: of this run there are only its "
                       "events.",
                       TC_PLAIN);
        return;
    }
    int32_t warp = tc_view_warp(v), mine = v->source_line;
    int32_t at = warp < 0 ? 0 : line_of_warp(v, warp, t);
    int32_t line = top_of(t, mine > 0 ? mine : at, a.lines);
    for (int y = 0, n; y < a.lines; y += n, line++) {
        n = draw_text(t, a, y, draw_gutter(v, t, a, y, line, at, warp), line,
                      line == at);
        if (n == 0) { /* behind the last one */
            tc_fill(a, y, 0, a.cols, ' ', TC_PLAIN);
            break;
        }
        if (line == mine) {
            tc_restyle(a, y, 0, a.cols, TC_STYLE(PLAIN, TC_REVERSE));
        }
    }
}

void tc_pane_source_move(tc_view *v, int by) {
    const tc_view_text *t = chosen(v);
    if (t == NULL) {
        return;
    }
    int32_t line = chosen_line(v) + by, last = last_line(t);
    v->source_line = line < t->first_line ? t->first_line
                     : line > last        ? last
                                          : line;
}

void tc_pane_source_click(tc_view *v, tc_area a, int y) {
    const tc_view_text *t = chosen(v);
    if (t != NULL) {
        int32_t top = top_of(t, chosen_line(v), a.lines);
        v->source_line = 0;
        tc_view_go_line(v, events_line(t, top + y), 1);
    }
}

void tc_pane_source_other(tc_view *v) {
    if (v->from->ntexts > 1) {
        v->text = (v->text + 1) % v->from->ntexts;
        v->source_line = 0;
    } else {
        tc_view_message(v, "there is no other text of this run");
    }
}
