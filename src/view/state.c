/* state.c - where the view is, and what a key does to it. */
#include "view/screen.h"

#include "trace/timeline_draw.h"

static const tc_timeline_row *row_of(const tc_view *v) {
    return &v->tl->rows[v->row];
}

tc_view tc_view_start(const tc_timeline *tl, bool unicode,
                      tc_view_source_fn source, const void *user) {
    return (tc_view){
        .tl = tl, .unicode = unicode, .source = source, .user = user};
}

const tc_trace_event *tc_view_event(const tc_view *v) {
    return row_of(v)->events[v->event];
}

int tc_view_label_cols(const tc_view *v, int cols) {
    size_t widest = 9;
    for (size_t i = 0; i < v->tl->nrows; i++) {
        tc_buf b = TC_BUF_INIT;
        tc_timeline_label(&b, v->tl, &v->tl->rows[i]);
        widest = b.len > widest ? b.len : widest;
        tc_buf_free(&b);
    }
    int most = cols / 3;
    return (widest < (size_t)most ? (int)widest : most) + 2;
}

static void step_in_row(tc_view *v, long by) {
    long n = (long)row_of(v)->nevents, to = (long)v->event + by;
    v->event = (size_t)(to < 0 ? 0 : to >= n ? n - 1 : to);
}

/* Puts the cursor on an event, in its row; false if no row has it. */
static bool go_to(tc_view *v, const tc_trace_event *e) {
    for (size_t k = 0; k < v->tl->nrows; k++) {
        size_t r = (v->row + k) % v->tl->nrows; /* the chosen one first */
        const tc_timeline_row *row = &v->tl->rows[r];
        if (row->cta != e->cta || row->warp != e->warp ||
            (row->lanes & e->lanes) == 0) {
            continue;
        }
        for (size_t i = 0; i < row->nevents; i++) {
            if (row->events[i] == e) {
                v->row = r;
                v->event = i;
                return true;
            }
        }
    }
    return false;
}

static void step_in_all(tc_view *v, long by) {
    const tc_timeline *tl = v->tl;
    const tc_trace_event *at = tc_view_event(v);
    long i = 0, n = (long)tl->norder;
    while (tl->order[i] != at) {
        i++;
    }
    i += by;
    i = i < 0 ? 0 : i >= n ? n - 1 : i;
    long way = by < 0 ? -1 : 1;
    while (i >= 0 && i < n && !go_to(v, tl->order[i])) {
        i += way; /* an event that is no warp's */
    }
}

static void step(tc_view *v, long by) {
    if (v->all) {
        step_in_all(v, by);
    } else {
        step_in_row(v, by);
    }
}

/* Another row: the cursor goes to its last event that is not later. */
static void choose_row(tc_view *v, int by) {
    uint64_t cycle = tc_view_event(v)->cycle;
    if ((by < 0 && v->row == 0) || (by > 0 && v->row + 1 == v->tl->nrows)) {
        return;
    }
    v->row = by < 0 ? v->row - 1 : v->row + 1;
    const tc_timeline_row *row = row_of(v);
    v->event = 0;
    while (v->event + 1 < row->nevents &&
           row->events[v->event + 1]->cycle <= cycle) {
        v->event++;
    }
}

/* One step of 1, 2, 5, 10, ...; zooming out past everything is the fit. */
static void zoom(tc_view *v, bool in, int plot) {
    uint64_t all = tc_axis_round(v->tl->cycles / (uint64_t)plot + 1);
    uint64_t scale = v->scale, lower = 1;
    if (scale == 0) { /* the fitted axis may be finer, with breaks */
        tc_timeline_axis fit = tc_axis_fit(v->tl, NULL, plot);
        scale = fit.scale;
        tc_axis_free(&fit);
    }
    if (in) {
        while (tc_axis_round(lower + 1) < scale) {
            lower = tc_axis_round(lower + 1);
        }
        scale = lower;
    } else {
        scale = v->scale == 0 || scale >= all ? 0 : tc_axis_round(scale + 1);
    }
    v->scale = scale;
    uint64_t half = scale * (uint64_t)(plot / 2);
    uint64_t cycle = tc_view_event(v)->cycle;
    v->origin = cycle > half ? (cycle - half) / (scale ? scale : 1) * scale : 0;
}

/* Keeps the cursor on the plot, by half a window at a time. */
static void scroll(tc_view *v, int plot) {
    uint64_t cycle = tc_view_event(v)->cycle;
    uint64_t span = v->scale * (uint64_t)plot;
    if (v->scale != 0 && (cycle < v->origin || cycle - v->origin >= span)) {
        uint64_t back = span / 2;
        v->origin = cycle > back ? (cycle - back) / v->scale * v->scale : 0;
    }
}

void tc_view_press(tc_view *v, tc_view_key key, int cols) {
    int plot = cols - tc_view_label_cols(v, cols);
    plot = plot < 8 ? 8 : plot;
    if (v->help) {
        v->help = false; /* any key leaves the help */
        return;
    }
    switch (key) {
    case TC_KEY_LEFT:
    case TC_KEY_RIGHT:
        step(v, key == TC_KEY_LEFT ? -1 : 1);
        break;
    case TC_KEY_PAGE_UP:
    case TC_KEY_PAGE_DOWN:
        step(v, key == TC_KEY_PAGE_UP ? -TC_VIEW_PAGE : TC_VIEW_PAGE);
        break;
    case TC_KEY_HOME:
    case TC_KEY_END:
        step(v,
             key == TC_KEY_HOME ? -(long)v->tl->norder : (long)v->tl->norder);
        break;
    case TC_KEY_UP:
    case TC_KEY_DOWN:
        choose_row(v, key == TC_KEY_UP ? -1 : 1);
        break;
    case TC_KEY_ZOOM_IN:
    case TC_KEY_ZOOM_OUT:
        zoom(v, key == TC_KEY_ZOOM_IN, plot);
        break;
    case TC_KEY_FIT:
        v->scale = 0;
        break;
    case TC_KEY_ALL:
        v->all = !v->all;
        break;
    case TC_KEY_HELP:
        v->help = true;
        break;
    case TC_KEY_QUIT:
        v->quit = true;
        break;
    case TC_KEY_NONE:
        break;
    }
    scroll(v, plot);
}
