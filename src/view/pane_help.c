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

static int draw_marks(tc_area a, int y) {
    static const char *const letters[][2] = {
        {"i b t", "cp.async, bulk copy, tensor copy issued"},
        {"C W", "commit of a group; wait"},
        {"A E K I", "mbarrier: arrival, expect_tx, arrival of copies, init"},
        {"P B", "phase ends; barrier"},
        {"l s m16", "loads, stores, both: so many folded into one"},
        {"L S M", "tcgen05.ld, tcgen05.st, wgmma"},
        {"x *", "the warp ends; several on one column"},
        {"!", "a finding"},
    };
    static const struct {
        tc_role role;
        tc_glyph glyph;
        const char *what;
    } bars[] = {
        {TC_ROLE_FRAME, TC_GLYPH_LIFE, "the warp issues instructions"},
        {TC_ROLE_STALL, TC_GLYPH_STALL, "it stands still"},
        {TC_ROLE_FLIGHT, TC_GLYPH_LOOSE, "copies that no commit has taken"},
        {TC_ROLE_FLIGHT, TC_GLYPH_BAR, "in flight"},
        {TC_ROLE_LANDED, TC_GLYPH_LIFE, "landed, and nobody has waited yet"},
        {TC_ROLE_FRAME, TC_GLYPH_BREAK, "quiet cycles are left out here"},
    };
    tc_put_string(a, ++y, 0, "Marks and bars", TC_STYLE(PLAIN, TC_BOLD));
    y++;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        y += draw_line(a, y, letters[i][0], letters[i][1]);
    }
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        tc_style style = (tc_style)(bars[i].role << 8);
        tc_fill(a, y, 2, 3, tc_glyph_code(bars[i].glyph, true), style);
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
