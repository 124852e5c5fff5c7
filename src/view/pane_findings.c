/* pane_findings.c - the findings of the run: the chosen one in full. */
#include "view/state.h"

#include <inttypes.h>

static const tc_trace *trace_of(const tc_view *v) {
    return v->from->model->trace;
}

/* Lines that a finding takes when it is drawn. */
static int draw_one(const tc_view *v, tc_area a, int y, size_t i) {
    const tc_trace_finding *f = &trace_of(v)->findings[i];
    bool chosen = v->finding == i;
    tc_put(a, y, 0, chosen ? '>' : ' ', TC_STYLE(TITLE, TC_BOLD));
    int x = 1 + tc_put_format(a, y, 1, TC_STYLE(FINDING, 0), "%zu %s", i + 1,
                              f->kind);
    x += tc_put_format(a, y, x, TC_PLAIN, "  cycle %" PRIu64, f->cycle);
    if (f->line > 0) {
        x += tc_put_format(a, y, x, TC_PLAIN, ", line %" PRId32, f->line);
    }
    if (f->object != NULL && f->object[0] != '\0') {
        tc_put_format(a, y, x, TC_PLAIN, ", %s", f->object);
    }
    if (!chosen || f->message == NULL) {
        return 1;
    }
    tc_area text = tc_area_part(a, y + 1, 3, a.lines - y - 1, a.cols - 3);
    int n = 1 + tc_put_wrapped(text, 0, 0, f->message, TC_PLAIN);
    if (f->cause_line > 0 && f->cause_cycle != UINT64_MAX) {
        n += tc_put_format(text, n - 1, 0, TC_STYLE(FRAME, 0),
                           "the other side: cycle %" PRIu64 ", line %" PRId32,
                           f->cause_cycle, f->cause_line) > 0;
    }
    return n;
}

void tc_pane_findings_draw(tc_view *v, tc_area a) {
    size_t n = trace_of(v)->nfindings;
    if (n == 0) {
        tc_put_string(a, 0, 1, "no findings", TC_PLAIN);
        return;
    }
    int most = a.lines > 4 ? a.lines - 4 : 1; /* lines above the chosen one */
    size_t i = v->finding > (size_t)most ? v->finding - (size_t)most : 0;
    for (int y = 0; i < n && y < a.lines; i++) {
        y += draw_one(v, a, y, i);
    }
}

void tc_pane_findings_move(tc_view *v, int by) {
    size_t n = trace_of(v)->nfindings;
    if (by < 0) {
        size_t up = (size_t)-by;
        v->finding = v->finding > up ? v->finding - up : 0;
    } else if (n > 0) {
        size_t to = v->finding + (size_t)by;
        v->finding = to < n ? to : n - 1;
    }
}

void tc_pane_findings_go(tc_view *v, size_t i) {
    const tc_model *m = v->from->model;
    if (i >= trace_of(v)->nfindings) {
        tc_view_message(v, "no findings");
        return;
    }
    const tc_trace_finding *f = &trace_of(v)->findings[i];
    int32_t warp = tc_model_warp(m, f->cta, f->warp);
    size_t p = tc_model_finding(m, i);
    v->finding = i;
    if (warp >= 0) {
        v->row = warp;
    }
    if (p < m->n) {
        tc_view_go_position(v, p);
    } else {
        tc_view_go_cycle(v, f->cycle);
    }
    tc_view_message(v, "finding %zu: %s", i + 1, f->kind);
}

void tc_pane_findings_click(tc_view *v, tc_area a, int y) {
    tc_cell_grid g =
        tc_grid_new(a.lines, a.cols, false); /* to count its lines */
    tc_area to = tc_area_all(&g);
    size_t n = trace_of(v)->nfindings;
    int most = a.lines > 4 ? a.lines - 4 : 1;
    size_t i = v->finding > (size_t)most ? v->finding - (size_t)most : 0;
    for (int at = 0; i < n && at < a.lines; i++) {
        int lines = draw_one(v, to, at, i);
        if (y >= at && y < at + lines) {
            tc_pane_findings_go(v, i);
            break;
        }
        at += lines;
    }
    tc_grid_free(&g);
}
