/* screen.c - the view's screen, as text without a terminal. */
#include "view/screen.h"

#include "base/utf8.h"
#include "trace/timeline_draw.h"
#include "trace/timeline_notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static tc_screen new_screen(int lines, int cols) {
    tc_screen s = {lines < 1 ? 1 : lines, cols < 1 ? 1 : cols, NULL};
    size_t n = (size_t)s.lines * (size_t)s.cols;
    s.cells = tc_xcalloc(n, sizeof *s.cells);
    for (size_t i = 0; i < n; i++) {
        s.cells[i].c = ' ';
    }
    return s;
}

void tc_screen_free(tc_screen *s) {
    free(s->cells);
    *s = (tc_screen){0};
}

static void put_char(tc_screen *s, int y, int x, uint32_t c, tc_attr attr) {
    if (y >= 0 && y < s->lines && x >= 0 && x < s->cols) {
        s->cells[(size_t)y * (size_t)s->cols + (size_t)x] =
            (tc_cell){c, (uint8_t)attr};
    }
}

/* The character of n bytes; a control or invalid one is shown as '?'. */
static uint32_t decode(const char *text, size_t n) {
    unsigned char first = (unsigned char)text[0];
    if (n == 1) {
        return first >= ' ' && first < 127 ? first : '?';
    }
    uint32_t c = first & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        c = c << 6 | ((unsigned char)text[i] & 0x3F);
    }
    return c < 0xA0 || !tc_utf8_valid(text, n) ? '?' : c;
}

/* At most width columns of the text, '~' for what does not fit. */
static void put_text(tc_screen *s, int y, int x, int width, const char *text,
                     size_t len, tc_attr attr) {
    int n = 0;
    for (size_t i = 0, k; i < len; i += k) {
        k = tc_utf8_next(text + i, len - i);
        if (n == width) {
            put_char(s, y, x + n - 1, '~', attr);
            return;
        }
        put_char(s, y, x + n++, text[i] == '\t' ? ' ' : decode(text + i, k),
                 attr);
    }
}

static void put_buf(tc_screen *s, int y, tc_buf *b, tc_attr attr) {
    put_text(s, y, 0, s->cols, tc_buf_text(b), b->len, attr);
    tc_buf_clear(b);
}

/* Wrapped text on at most lines lines. */
static void put_wrapped(tc_screen *s, int y, int lines, tc_buf *b,
                        tc_attr attr) {
    tc_buf w = TC_BUF_INIT;
    tc_notes_wrap(&w, tc_buf_text(b), s->cols, 2);
    const char *at = w.data;
    for (int i = 0; i < lines && *at != '\0'; i++) {
        size_t n = strcspn(at, "\n");
        put_text(s, y + i, 0, s->cols, at, n, attr);
        at += n + (at[n] == '\n');
    }
    tc_buf_free(&w);
    tc_buf_clear(b);
}

/* How a window is divided. */
typedef struct layout {
    int label, top, rows, panel; /* columns; lines: first row, their number,
                                    first of the panel */
    int event_lines;             /* lines for the event as text */
    tc_timeline_axis axis;
} layout;

static layout divide(const tc_view *v, const tc_screen *s) {
    layout l = {.label = tc_view_label_cols(v, s->cols), .top = 3};
    l.event_lines = s->lines >= 14 ? 2 : 1;
    int panel = l.event_lines + (s->lines >= 14 ? 4 : 3);
    l.panel = s->lines - panel;
    l.rows = l.panel - l.top;
    int plot = s->cols - l.label;
    l.axis = v->scale == 0 ? tc_axis_fit(v->tl, NULL, plot)
                           : tc_axis_linear(v->origin, v->scale, plot);
    return l;
}

static void put_glyphs(const tc_view *v, tc_screen *s, const layout *l, int y,
                       const tc_glyph *cells, tc_attr attr) {
    for (int c = 0; c < l->axis.cols; c++) {
        put_char(s, y, l->label + c, tc_glyph_code(cells[c], v->unicode), attr);
    }
}

static void draw_title(const tc_view *v, tc_screen *s) {
    const tc_timeline_row *row = &v->tl->rows[v->row];
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "cycle %" PRIu64 " of %" PRIu64 "  ",
                  tc_view_event(v)->cycle, v->tl->cycles);
    tc_timeline_label(&b, v->tl, row);
    tc_buf_printf(&b, " event %zu/%zu", v->event + 1, row->nevents);
    if (v->all) {
        tc_buf_puts(&b, "  (stepping all)");
    }
    put_buf(s, 0, &b, TC_BOLD);
    tc_buf_free(&b);
}

static void draw_axis(const tc_view *v, tc_screen *s, const layout *l) {
    size_t n = (size_t)l->axis.cols;
    tc_glyph *cells = tc_xcalloc(n, 2);
    tc_axis_draw(&l->axis, cells, cells + n);
    put_text(s, 1, 2, l->label - 2, "cycle", 5, TC_PLAIN);
    put_glyphs(v, s, l, 1, cells, TC_PLAIN);
    put_glyphs(v, s, l, 2, cells + n, TC_PLAIN);
    free(cells);
}

/* The lines of a row: its events, then its bars. */
static int height(const layout *l, const tc_timeline_row *row) {
    return 1 + tc_draw_bars(&l->axis, row, -1, NULL, NULL);
}

/* The first row to draw so that the chosen one is in sight, with as many
 * before it as fit. */
static size_t first_row(const tc_view *v, const layout *l) {
    size_t first = v->row;
    int used = height(l, &v->tl->rows[first]);
    while (first > 0) {
        int more = height(l, &v->tl->rows[first - 1]);
        if (used + more > l->rows) {
            break;
        }
        used += more;
        first--;
    }
    return first;
}

static int draw_row(const tc_view *v, tc_screen *s, const layout *l, size_t r,
                    int y) {
    const tc_timeline_row *row = &v->tl->rows[r];
    bool chosen = r == v->row;
    tc_glyph *cells = tc_xcalloc((size_t)l->axis.cols, 1);
    tc_buf b = TC_BUF_INIT;
    tc_timeline_label(&b, v->tl, row);
    put_char(s, y, 0, chosen ? '>' : ' ', TC_BOLD);
    put_text(s, y, 1, l->label - 2, b.data, b.len, chosen ? TC_BOLD : TC_PLAIN);
    tc_buf_free(&b);
    tc_draw_events(&l->axis, row, cells);
    put_glyphs(v, s, l, y, cells, chosen ? TC_BOLD : TC_PLAIN);
    int lines = height(l, row) - 1;
    for (int i = 0; i < lines && y + 1 + i < l->panel; i++) {
        tc_draw_bars(&l->axis, row, i, cells, NULL);
        put_glyphs(v, s, l, y + 1 + i, cells, TC_PLAIN);
        if (i == 0) {
            const char *name = row->nbars > 1 ? "groups" : "group";
            put_text(s, y + 1, 3, l->label - 4, name, strlen(name), TC_PLAIN);
        }
    }
    free(cells);
    return 1 + lines;
}

/* The cursor: its column reversed on the rule and in the chosen row. */
static void draw_cursor(const tc_view *v, tc_screen *s, const layout *l,
                        int y) {
    int c = tc_axis_column(&l->axis, tc_view_event(v)->cycle);
    if (c < 0 || c >= l->axis.cols) {
        return;
    }
    put_char(s, 2, l->label + c, v->unicode ? 0x25BC : 'V', TC_BOLD);
    if (y < l->panel) {
        s->cells[(size_t)y * (size_t)s->cols + (size_t)(l->label + c)].attr =
            TC_REVERSE;
    }
}

static void draw_rows(const tc_view *v, tc_screen *s, const layout *l) {
    int y = l->top, at = l->top;
    size_t r = first_row(v, l);
    for (; r < v->tl->nrows && y < l->panel; r++) {
        at = r == v->row ? y : at;
        y += draw_row(v, s, l, r, y);
    }
    draw_cursor(v, s, l, at);
}

static void pending(const tc_view *v, tc_buf *b) {
    enum { SOME = 8 };
    int32_t groups[SOME];
    const tc_timeline_row *row = &v->tl->rows[v->row];
    size_t n = tc_timeline_pending(row, tc_view_event(v)->cycle, groups, SOME);
    tc_buf_puts(b, n == 0 ? "pending: no group" : "pending: group");
    tc_buf_puts(b, n > 1 ? "s" : "");
    for (size_t i = 0; i < n && i < SOME; i++) {
        tc_buf_printf(b, "%s%" PRId32, i > 0 ? ", " : " ", groups[i]);
        for (size_t k = 0; n == 1 && k < row->nbars; k++) {
            const tc_timeline_bar *bar = &row->bars[k];
            if (bar->group == groups[0] && bar->end != UINT64_MAX) {
                tc_buf_printf(b, ", %" PRIu64 " bytes, until cycle %" PRIu64,
                              bar->bytes, bar->end);
            }
        }
    }
    if (n > SOME) {
        tc_buf_printf(b, " and %zu more", n - SOME);
    }
}

static void source_line(const tc_view *v, tc_buf *b) {
    int line = tc_view_event(v)->line, len = 0;
    const char *text =
        line > 0 && v->source != NULL ? v->source(v->user, line, &len) : NULL;
    if (text == NULL) {
        tc_buf_puts(b, line > 0 ? "line " : "no line of the source");
        if (line > 0) {
            tc_buf_printf(b, "%d", line);
        }
        return;
    }
    while (len > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        len--;
    }
    tc_buf_printf(b, "line %d: ", line);
    tc_buf_write(b, text, (size_t)len);
}

static void draw_panel(const tc_view *v, tc_screen *s, const layout *l) {
    tc_buf b = TC_BUF_INIT;
    int y = l->panel;
    if (s->lines >= 14) {
        for (int x = 0; x < s->cols; x++) {
            put_char(s, y, x, tc_glyph_code(TC_GLYPH_RULE, v->unicode), TC_DIM);
        }
        y++;
    }
    tc_timeline_event_text(&b, v->tl, tc_view_event(v));
    if (l->event_lines == 1) {
        put_buf(s, y, &b, TC_BOLD);
    } else {
        put_wrapped(s, y, l->event_lines, &b, TC_BOLD);
    }
    y += l->event_lines;
    pending(v, &b);
    put_buf(s, y++, &b, TC_PLAIN);
    source_line(v, &b);
    put_buf(s, y++, &b, TC_PLAIN);
    tc_buf_puts(&b, s->cols < 70
                        ? "arrows step, ? help, q leaves"
                        : "left/right step, up/down warp, +/- zoom, a all "
                          "warps, ? help, q leaves");
    put_buf(s, y, &b, TC_DIM);
    tc_buf_free(&b);
}

/* The first nine of these are what a screen of ten lines can hold. */
static void draw_help(const tc_view *v, tc_screen *s) {
    static const char *const lines[] = {
        "left right   one event back, on",
        "PgUp PgDn    ten events",
        "Home End     first, last event",
        "up down      choose a warp",
        "a            step all warps' events",
        "+ - 0        zoom in, out, show all",
        "i issue C commit W wait B barrier",
        "l load s store x end * several",
        "q Esc        leave (any key: back)",
        "",
        "The upper line of a warp is what it does; the lines under it are its",
        "groups in flight, from the commit until the last byte has landed.",
    };
    put_text(s, 0, 0, s->cols, "Keys and letters", 16, TC_BOLD);
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++) {
        put_text(s, i + 1, 0, s->cols, lines[i], strlen(lines[i]), TC_PLAIN);
    }
    tc_buf b = TC_BUF_INIT;
    static const struct {
        tc_glyph glyph;
        const char *what;
    } marks[] = {{TC_GLYPH_LIFE, " it goes on   "},
                 {TC_GLYPH_STALL, " it stands still   "},
                 {TC_GLYPH_BAR, " in flight   "},
                 {TC_GLYPH_LOOSE, " not committed   "},
                 {TC_GLYPH_BREAK, " cycles left out"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        tc_glyph_put(&b, marks[i].glyph, v->unicode);
        tc_buf_puts(&b, marks[i].what);
    }
    put_wrapped(s, 14, 2, &b, TC_PLAIN);
    tc_buf_free(&b);
}

static void draw_too_small(tc_screen *s) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b,
                  "The timeline needs %d columns and %d lines; this window has "
                  "%d and %d. q leaves.",
                  TC_VIEW_COLS, TC_VIEW_LINES, s->cols, s->lines);
    put_wrapped(s, 0, s->lines, &b, TC_PLAIN);
    tc_buf_free(&b);
}

tc_screen tc_view_draw(const tc_view *v, int lines, int cols) {
    tc_screen s = new_screen(lines, cols);
    if (s.lines < TC_VIEW_LINES || s.cols < TC_VIEW_COLS) {
        draw_too_small(&s);
        return s;
    }
    if (v->help) {
        draw_help(v, &s);
        return s;
    }
    layout l = divide(v, &s);
    draw_title(v, &s);
    draw_axis(v, &s, &l);
    draw_rows(v, &s, &l);
    draw_panel(v, &s, &l);
    tc_axis_free(&l.axis);
    return s;
}
