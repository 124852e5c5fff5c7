/* pane_help.c - the keys that work, and what the marks mean. */
#include "view/state.h"

#include <string.h>

static int draw_line(tc_area a, int y, const char *keys, const char *what) {
    enum { KEYS = 20 };
    tc_put_string(a, y, 2, keys, TC_STYLE(TITLE, TC_BOLD));
    tc_area text = tc_area_part(a, y, KEYS, a.lines - y, a.cols - KEYS);
    int n = tc_put_wrapped(text, 0, 0, what, TC_PLAIN);
    return n > 0 ? n : 1;
}

static int draw_keys(tc_area a, int y) {
    const tc_action_row *rows;
    size_t n = tc_action_list(&rows);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].keys == NULL) {
            y += i > 0;
            tc_put_string(a, y++, 0, rows[i].what, TC_STYLE(PLAIN, TC_BOLD));
        } else if (rows[i].what[0] != '\0') {
            y += draw_line(a, y, rows[i].keys, rows[i].what);
        }
    }
    return y;
}

static int draw_letters(tc_area a, int y) {
    static const char *const more[][2] = {
        {"m16", "loads and stores, so many folded into one"},
        {"*", "several on one column"},
        {"!", "a finding"},
    };
    for (int k = 0; k < TC_TRACE_KIND_COUNT; k++) {
        tc_letter of = tc_letter_of((tc_trace_kind)k);
        if (of.letter != 0) {
            char text[] = {of.letter, '\0'};
            y += draw_line(a, y, text, of.what);
        }
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        y += draw_line(a, y, more[i][0], more[i][1]);
    }
    return y;
}

static int draw_marks(tc_area a, int y) {
    static const struct {
        tc_role role;
        uint32_t c;
        const char *what;
    } bars[] = {
        {TC_ROLE_FRAME, TC_CHAR_LIFE, "the warp issues instructions"},
        {TC_ROLE_STALL, TC_CHAR_STALL, "it stands still"},
        {TC_ROLE_FLIGHT, TC_CHAR_LOOSE, "copies that no commit has taken"},
        {TC_ROLE_FLIGHT, TC_CHAR_BAR, "in flight"},
        {TC_ROLE_LANDED, TC_CHAR_LIFE, "landed, and nobody has waited yet"},
        {TC_ROLE_FRAME, TC_CHAR_BREAK, "quiet cycles are left out here"},
    };
    tc_put_string(a, ++y, 0, "Marks and bars", TC_STYLE(PLAIN, TC_BOLD));
    y = draw_letters(a, y + 1);
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        tc_style style = (tc_style)(bars[i].role << 8);
        tc_fill(a, y, 2, 3, bars[i].c, style);
        y += draw_line(a, y, "", bars[i].what);
    }
    return y;
}

void tc_pane_help_draw(tc_view *v, tc_area a) {
    enum { MOST = 200, READABLE = 100 };
    tc_cell_grid g = tc_grid_new(MOST, a.cols < READABLE ? a.cols : READABLE,
                                 a.grid->unicode);
    tc_area page = tc_area_all(&g);
    int n = draw_marks(page, draw_keys(page, 0));
    if (v->help_top > n - a.lines) {
        v->help_top = n > a.lines ? n - a.lines : 0;
    }
    for (int y = 0; y < a.lines && v->help_top + y < n; y++) {
        for (int x = 0; x < g.cols; x++) {
            const tc_cell *c = tc_grid_at(&g, v->help_top + y, x);
            tc_put(a, y, x, c->c, c->style);
        }
    }
    tc_grid_free(&g);
}
