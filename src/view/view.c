/* view.c - the timeline view on a terminal: keys in, screens out. */
#include "view/view.h"
#include "view/supply.h"
#include "view/terminal.h"

#include <stdio.h>

enum { PLAY_MS = 120 };

void tc_view_restore(void) {
    tc_terminal_restore();
}

static void show(tc_terminal *t, tc_view *v) {
    tc_cell_grid g = tc_grid_new(v->lines, v->cols, t->unicode);
    tc_view_draw(v, &g);
    tc_terminal_show(t, &g, v->redraw);
    v->redraw = false;
    tc_grid_free(&g);
}

/* All that has come, before the next screen. */
static bool take_input(tc_terminal *t, tc_view *v) {
    tc_input in = tc_terminal_read(t, v->playing != 0 ? PLAY_MS : -1);
    if (!in.any && !in.gone) {
        tc_view_press(v, TC_KEY_TIMER);
    }
    while (in.any && !in.gone && !v->quit) {
        if (v->lines != t->lines || v->cols != t->cols) {
            tc_view_resize(v, t->lines, t->cols);
        }
        if (in.mouse) {
            tc_view_mouse(v, in.y, in.x,
                          in.key == TC_KEY_UP     ? -1
                          : in.key == TC_KEY_DOWN ? 1
                                                  : 0);
        } else if (in.key != TC_KEY_NONE) {
            tc_view_press(v, in.key);
        }
        in = tc_terminal_read(t, 0);
    }
    return !in.gone;
}

int tc_view_timeline(tc_session *s, bool color) {
    const struct tc_trace *trace = tc_session_trace(s);
    if (trace == NULL || trace->n == 0) {
        fprintf(stderr, "timeline: nothing has run yet, or the trace is off: "
                        "type run first\n");
        return -1;
    }
    tc_terminal t;
    if (!tc_terminal_take(&t, color)) {
        return -1;
    }
    tc_view_supply from = tc_supply_of(s);
    const char *place = tc_session_timeline_at(s);
    if (from.model->nrows > 0) {
        tc_view v = tc_view_start(&from, t.lines, t.cols);
        if (place != NULL && !tc_view_go_to(&v, place)) {
            tc_view_message(&v, "there is no %s", place);
        }
        do {
            show(&t, &v);
        } while (take_input(&t, &v) && !v.quit);
        tc_view_end(&v);
    }
    tc_terminal_give_back(&t);
    tc_supply_free(&from);
    return 0;
}
