/* layout.c - which panes a window has room for, and the frame around them. */
#include "view/state.h"

#include <inttypes.h>
#include <string.h>

const char *const tc_pane_names[TC_PANE_COUNT] = {"time", "source", "memory",
                                                  "state", "findings"};

/* Panes beside the time that a window has room for. */
static int slots(int lines, int cols) {
    if (cols >= 180 && lines >= 40) {
        return 4;
    }
    if (cols >= 110) {
        return lines >= 36 ? 3 : 2;
    }
    return lines >= 36 ? 2 : lines >= 16 ? 1 : 0;
}

/* The chosen one, then the more telling ones. */
static void choose(const tc_view *v, tc_view_panes *l, int n) {
    bool found = v->from->model->trace->nfindings > 0;
    const tc_pane order[] = {v->second, TC_PANE_SOURCE, TC_PANE_STATE,
                             found ? TC_PANE_FINDINGS : TC_PANE_MEMORY,
                             found ? TC_PANE_MEMORY : TC_PANE_FINDINGS};
    for (size_t i = 0; i < sizeof order / sizeof *order && n > 0; i++) {
        if (!l->shown[order[i]]) {
            l->shown[order[i]] = true;
            n--;
        }
    }
}

static void place(tc_view_panes *l, tc_pane p, tc_area a) {
    l->title[p] = tc_area_part(a, 0, 0, 1, a.cols);
    l->at[p] = tc_area_part(a, 1, 0, a.lines - 1, a.cols);
}

/* Columns beside each other, the panes of each one above the other. */
static void divide(tc_view_panes *l, tc_area a, int n) {
    static const tc_pane order[] = {TC_PANE_SOURCE, TC_PANE_MEMORY,
                                    TC_PANE_STATE, TC_PANE_FINDINGS};
    int columns = a.cols >= 180 ? 3 : a.cols >= 110 ? 2 : 1, x = 0, k = 0;
    columns = columns < n ? columns : n;
    for (int c = 0; c < columns; c++) {
        /* the last column has what is left */
        int here = c + 1 < columns ? 1 : n - k;
        int cols = c + 1 < columns ? a.cols / columns : a.cols - x;
        tc_area column = tc_area_part(a, 0, x, a.lines, cols);
        if (c > 0) {
            l->side[c] = tc_area_part(a, 0, x, a.lines, 1);
            column = tc_area_part(a, 0, x + 1, a.lines, cols - 1);
        }
        for (int i = 0, y = 0; i < here; i++, k++) {
            int seen = -1, p = -1;
            while (seen < k) {
                seen += l->shown[order[++p]];
            }
            int lines = i + 1 < here ? a.lines / here : a.lines - y;
            place(l, order[p], tc_area_part(column, y, 0, lines, column.cols));
            y += lines;
        }
        x += cols;
    }
}

tc_view_panes tc_view_layout(const tc_view *v, tc_cell_grid *g) {
    tc_view_panes l = {.shown = {[TC_PANE_TIME] = true}};
    tc_area all = {g, 0, 0, v->lines, v->cols};
    int n = slots(v->lines, v->cols);
    choose(v, &l, n);
    l.head = tc_area_part(all, 0, 0, 1, v->cols);
    l.foot = tc_area_part(all, v->lines - 1, 0, 1, v->cols);
    int body = v->lines - 2;
    int time = n == 0 ? body : v->lines < 30 ? body * 11 / 20 : body / 2;
    if (n > 0) {
        time = tc_pane_time_lines(v, time);
    }
    l.at[TC_PANE_TIME] = tc_area_part(all, 1, 0, time, v->cols);
    if (n > 0) {
        divide(&l, tc_area_part(all, 1 + time, 0, body - time, v->cols), n);
    }
    return l;
}

/* ---- the frame ---- */

static void draw_head(const tc_view *v, tc_area a) {
    const tc_model *m = v->from->model;
    const tc_row *row = tc_view_row(v);
    size_t i = v->position == TC_NO_POSITION
                   ? TC_NO_POSITION
                   : tc_view_event_before(row, v->position);
    int x = 0;
    if (v->from->name[0] != '\0') {
        x += tc_put_format(a, 0, 0, TC_STYLE(TITLE, TC_BOLD), "%s  ",
                           v->from->name);
    }
    x += tc_put_format(a, 0, x, TC_STYLE(PLAIN, TC_BOLD),
                       "cycle %" PRIu64 " of %" PRIu64, v->cycle, m->cycles);
    if (i == TC_NO_POSITION) {
        x += tc_put_format(a, 0, x, TC_PLAIN, "  %s, before its first event",
                           row->name);
    } else {
        x += tc_put_format(a, 0, x, TC_PLAIN, "  %s, event %zu of %zu",
                           row->name, i + 1, row->nevents);
    }
    if (v->all) {
        x += tc_put_string(a, 0, x, "  all rows", TC_PLAIN);
    }
    if (m->first > 0) {
        x += tc_put_format(a, 0, x, TC_PLAIN, "  from %" PRIu64 " on kept",
                           m->first);
    }
    size_t n = m->trace->nfindings;
    if (n > 0) {
        char text[32];
        int len = snprintf(text, sizeof text, "%zu finding%s: ]f", n,
                           n == 1 ? "" : "s");
        if (x + 2 + len <= a.cols) {
            tc_put_string(a, 0, a.cols - len, text, TC_STYLE(FINDING, 0));
        }
    }
}

static void draw_title(const tc_view *v, tc_area a, tc_pane p) {
    bool focus = v->focus == p;
    tc_style style = focus ? TC_STYLE(TITLE, TC_BOLD) : TC_STYLE(FRAME, 0);
    tc_fill(a, 0, 0, a.cols, 0x2500, TC_STYLE(FRAME, 0));
    int x = 1;
    if (focus) {
        tc_put(a, 0, x++, '>', style);
    }
    x += tc_put_format(a, 0, x, style, "%s", tc_pane_names[p]);
    tc_put(a, 0, x, ' ', style);
    char what[96] = "";
    const tc_trace *t = v->from->model->trace;
    if (p == TC_PANE_SOURCE && v->text < v->from->ntexts) {
        int n = v->from->ntexts;
        snprintf(what, sizeof what, n > 1 ? "%s, %d of %d" : "%s",
                 v->from->texts[v->text].name, v->text + 1, n);
    } else if (p == TC_PANE_MEMORY && v->memory < t->nbuffers) {
        snprintf(what, sizeof what, "%s, CTA %" PRIu32,
                 t->buffers[v->memory].name, v->memory_cta);
    } else if (p == TC_PANE_FINDINGS) {
        snprintf(what, sizeof what, "%zu", t->nfindings);
    }
    if (what[0] != '\0') {
        x += 1 + tc_put_text(a, 0, x + 1, a.cols - x - 3, what, strlen(what),
                             TC_STYLE(PLAIN, 0));
        tc_put(a, 0, x, ' ', TC_PLAIN);
    }
}

static void draw_foot(const tc_view *v, tc_area a) {
    static const char *const hints[] = {
        "l h event  . , cycle  ]c ]w ]p ]f next commit, wait, phase, finding  "
        "/ search  ? keys, marks  q leaves",
        "l h event  . , cycle  j k row  ]c ]p ]f next  / search  ? keys, marks "
        " q "
        "leaves",
        "l h event  j k row  ? keys, marks  q leaves",
        "? keys, marks  q leaves",
    };
    if (v->prompt.kind != 0) {
        int x = tc_put_format(a, 0, 0, TC_PLAIN, "%s%.*s",
                              v->prompt.kind == '/'   ? "/"
                              : v->prompt.kind == ':' ? ":"
                                                      : "stop at: ",
                              (int)v->prompt.len, v->prompt.text);
        tc_put(a, 0, x, ' ', TC_STYLE(CURSOR, TC_REVERSE));
        return;
    }
    if (v->message[0] != '\0') {
        tc_put_string(a, 0, 0, v->message, TC_STYLE(PLAIN, TC_BOLD));
        return;
    }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (strlen(hints[i]) <= (size_t)a.cols) {
            tc_put_string(a, 0, 0, hints[i], TC_STYLE(FRAME, 0));
            return;
        }
    }
}

static void draw_pane(tc_view *v, tc_area a, tc_pane p) {
    static void (*const draw[TC_PANE_COUNT])(tc_view *, tc_area) = {
        [TC_PANE_TIME] = tc_pane_time_draw,
        [TC_PANE_SOURCE] = tc_pane_source_draw,
        [TC_PANE_MEMORY] = tc_pane_memory_draw,
        [TC_PANE_STATE] = tc_pane_state_draw,
        [TC_PANE_FINDINGS] = tc_pane_findings_draw,
    };
    if (a.lines > 0 && a.cols > 0) {
        draw[p](v, a);
    }
}

void tc_view_draw(tc_view *v, tc_cell_grid *g) {
    tc_area all = tc_area_all(g);
    if (g->lines < TC_VIEW_LINES || g->cols < TC_VIEW_COLS) {
        tc_buf b = TC_BUF_INIT;
        tc_buf_printf(&b,
                      "The timeline needs %d columns and %d lines; this "
                      "window has %d and %d. q leaves.",
                      TC_VIEW_COLS, TC_VIEW_LINES, g->cols, g->lines);
        tc_put_wrapped(all, 0, 2, tc_buf_text(&b), TC_PLAIN);
        tc_buf_free(&b);
        return;
    }
    tc_view_panes l = tc_view_layout(v, g);
    if (v->help) {
        tc_pane_help_draw(v, tc_area_part(all, 0, 0, g->lines - 1, g->cols));
        tc_put_string(l.foot, 0, 0, "j k scroll; any other key goes back",
                      TC_STYLE(FRAME, 0));
        return;
    }
    draw_head(v, l.head);
    for (int p = 0; p < TC_PANE_COUNT; p++) {
        if (!l.shown[p]) {
            continue;
        }
        if (l.title[p].lines > 0) {
            draw_title(v, l.title[p], (tc_pane)p);
        }
        draw_pane(v, l.at[p], (tc_pane)p);
    }
    for (int p = 0; p < TC_PANE_COUNT; p++) {
        for (int y = 0; y < l.side[p].lines; y++) {
            tc_put(l.side[p], y, 0, 0x2502, TC_STYLE(FRAME, 0));
        }
    }
    draw_foot(v, l.foot);
}
