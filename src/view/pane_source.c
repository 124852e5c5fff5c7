/* pane_source.c - the program's text, at the line where the warp is. */
#include "view/state.h"

#include <inttypes.h>
#include <string.h>

const char *tc_pane_source_text(const tc_view_text *t, int32_t line,
                                size_t *len) {
    const char *p = t->text, *end = t->text + t->len;
    for (int32_t k = t->first_line; p < end; k++) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        size_t n = eol != NULL ? (size_t)(eol - p) : (size_t)(end - p);
        if (k == line) {
            *len = n > 0 && p[n - 1] == '\r' ? n - 1 : n;
            return p;
        }
        p += n + 1;
    }
    return NULL;
}

static int32_t last_line(const tc_view_text *t) {
    int32_t n = t->first_line - 1;
    for (const char *p = t->text, *end = t->text + t->len; p < end; n++) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        p = eol != NULL ? eol + 1 : end;
    }
    return n;
}

static const tc_view_text *chosen(const tc_view *v) {
    return v->text < v->from->ntexts ? &v->from->texts[v->text] : NULL;
}

/* Where a warp is, in the chosen text. */
static int32_t line_of_warp(const tc_view *v, int32_t row, bool ptx) {
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

int32_t tc_pane_source_line(const tc_view *v) {
    const tc_view_text *t = chosen(v);
    int32_t warp = tc_view_warp(v);
    return v->source_line > 0      ? v->source_line
           : t == NULL || warp < 0 ? 0
                                   : line_of_warp(v, warp, t->ptx);
}

/* How many other warps are at a line. */
static int others_at(const tc_view *v, const tc_view_text *t, int32_t line,
                     int32_t warp) {
    enum { MOST = 64 }; /* of a grid of thousands */
    const tc_model *m = v->from->model;
    int n = 0, seen = 0;
    for (size_t r = 0; r < m->nrows && seen < MOST; r++) {
        if (m->rows[r].kind == TC_ROW_WARP && (int32_t)r != warp) {
            seen++;
            n += line_of_warp(v, (int32_t)r, t->ptx) == line;
        }
    }
    return n;
}

static bool stops_at(const tc_view *v, int32_t line) {
    for (int i = 0; i < v->nstops; i++) {
        if (v->stops[i].what == TC_STOP_LINE && v->stops[i].line == line) {
            return true;
        }
    }
    return false;
}

static bool has_finding(const tc_view *v, int32_t line) {
    const tc_trace *t = v->from->model->trace;
    for (size_t i = 0; i < t->nfindings; i++) {
        if (t->findings[i].line == line) {
            return true;
        }
    }
    return false;
}

/* The line's number and what is so there: '>' the warp, a figure how many
 * others, '*' a stop, '!' a finding. */
static int draw_gutter(const tc_view *v, const tc_view_text *t, tc_area a,
                       int y, int32_t line, int32_t at, int32_t warp) {
    bool finding = !t->ptx && has_finding(v, line);
    int n = others_at(v, t, line, warp);
    if (line == at) {
        tc_put(a, y, 0, '>', TC_STYLE(TITLE, TC_BOLD));
    }
    if (n > 0) {
        tc_put_format(a, y, 1, TC_STYLE(STALL, 0), n < 10 ? "%d" : "+", n);
    }
    if (!t->ptx && stops_at(v, line)) {
        tc_put(a, y, 2, '*', TC_STYLE(COMMIT, TC_BOLD));
    } else if (finding) {
        tc_put(a, y, 2, '!', TC_STYLE(FINDING, TC_BOLD));
    }
    tc_put_format(a, y, 3, TC_STYLE(FRAME, 0), "%4" PRId32 " ", line);
    return 8;
}

/* The first line drawn: the chosen one in the middle, the text's ends at the
 * area's. */
static int32_t top_of(const tc_view_text *t, int32_t at, int lines) {
    int32_t last = last_line(t);
    int32_t top = at - lines / 2;
    top = top + lines - 1 > last ? last - lines + 1 : top;
    return top < t->first_line ? t->first_line : top;
}

/* A line's text; that of the warp in full, on several lines. */
static int draw_text(const tc_view_text *t, tc_area a, int y, int x,
                     int32_t line, bool here) {
    enum { MOST = 3 };
    size_t len = 0;
    const char *p = tc_pane_source_text(t, line, &len);
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
                       "There is no source: a run that was kept, or loaded as "
                       "a trace, has only its events.",
                       TC_PLAIN);
        return;
    }
    int32_t warp = tc_view_warp(v), mine = v->source_line;
    int32_t at = warp < 0 ? 0 : line_of_warp(v, warp, t->ptx);
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
    int32_t line = tc_pane_source_line(v) + by, last = last_line(t);
    v->source_line = line < t->first_line ? t->first_line
                     : line > last        ? last
                                          : line;
}

void tc_pane_source_click(tc_view *v, tc_area a, int y) {
    const tc_view_text *t = chosen(v);
    if (t != NULL) {
        int32_t top = top_of(t, tc_pane_source_line(v), a.lines);
        v->source_line = 0;
        tc_view_go_line(v, top + y, 1);
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
