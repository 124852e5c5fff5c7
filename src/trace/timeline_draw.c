/* timeline_draw.c - the timeline's rows of glyphs. */
#include "trace/timeline_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t tc_glyph_code(tc_glyph g, bool unicode) {
    static const uint16_t named[][2] = {
        [TC_GLYPH_LIFE - 128] = {'-', 0x2500},  /* light horizontal */
        [TC_GLYPH_STALL - 128] = {'.', 0x2591}, /* light shade */
        [TC_GLYPH_LOOSE - 128] = {':', 0x254C}, /* light double dash */
        [TC_GLYPH_BAR - 128] = {'=', 0x2588},   /* full block */
        [TC_GLYPH_BREAK - 128] = {'/', 0x2571}, /* light diagonal */
        [TC_GLYPH_RULE - 128] = {'-', 0x2500},
        [TC_GLYPH_TICK - 128] = {'+', 0x252C}, /* light down and horizontal */
        [TC_GLYPH_OPEN - 128] = {'>', 0x25B6}, /* triangle to the right */
    };
    if (g < 128) {
        return g >= ' ' && g < 127 ? g : '?';
    }
    size_t i = (size_t)(g - 128);
    return i < sizeof named / sizeof *named ? named[i][unicode] : '?';
}

void tc_glyph_put(tc_buf *b, tc_glyph g, bool unicode) {
    uint32_t c = tc_glyph_code(g, unicode);
    if (c < 0x80) {
        tc_buf_putc(b, (char)c);
        return;
    }
    /* All of the named ones lie in the three-byte range. */
    tc_buf_putc(b, (char)(0xE0 | c >> 12));
    tc_buf_putc(b, (char)(0x80 | (c >> 6 & 0x3F)));
    tc_buf_putc(b, (char)(0x80 | (c & 0x3F)));
}

char tc_event_letter(const tc_trace_event *e) {
    static const char letters[TC_TRACE_KIND_COUNT] = {
        [TC_TRACE_ISSUE] = 'i',      [TC_TRACE_COMMIT] = 'C',
        [TC_TRACE_WAIT] = 'W',       [TC_TRACE_ARRIVE] = 'A',
        [TC_TRACE_PHASE] = 'P',      [TC_TRACE_BARRIER] = 'B',
        [TC_TRACE_LOAD] = 'l',       [TC_TRACE_STORE] = 's',
        [TC_TRACE_EXIT] = 'x',       [TC_TRACE_BULK] = 'i',
        [TC_TRACE_TENSOR] = 'i',     [TC_TRACE_TMEM_LOAD] = 'l',
        [TC_TRACE_TMEM_STORE] = 's', [TC_TRACE_MMA] = 'i',
    };
    return e->kind < TC_TRACE_KIND_COUNT ? letters[e->kind] : 0;
}

/* Fills columns [from, to] that are on the axis; a break shows through. */
static void fill(const tc_timeline_axis *a, tc_glyph *cells, int from, int to,
                 tc_glyph g) {
    from = from < 0 ? 0 : from;
    to = to >= a->cols ? a->cols - 1 : to;
    for (int c = from; c <= to; c++) {
        cells[c] = a->cut[c] ? TC_GLYPH_BREAK : g;
    }
}

static tc_glyph meet(tc_glyph old, char letter) {
    static const char weak[] = "xl"; /* weakest first */
    tc_glyph fresh = (tc_glyph)letter;
    if (old >= 128 || old == ' ' || old == fresh) {
        return fresh;
    }
    for (const char *w = weak; *w != '\0'; w++) {
        if (old == (tc_glyph)*w) {
            return fresh;
        }
        if (fresh == (tc_glyph)*w) {
            return old;
        }
    }
    return '*';
}

void tc_draw_events(const tc_timeline_axis *a, const tc_timeline_row *row,
                    tc_glyph *cells) {
    memset(cells, ' ', (size_t)a->cols);
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < row->nevents; i++) {
        const tc_trace_event *e = row->events[i];
        if (tc_event_letter(e) != 0) {
            first = e->cycle < first ? e->cycle : first;
            last = e->end > last ? e->end : last;
            last = e->cycle > last ? e->cycle : last;
        }
    }
    if (first == UINT64_MAX) {
        return;
    }
    fill(a, cells, tc_axis_column(a, first), tc_axis_column(a, last),
         TC_GLYPH_LIFE);
    for (size_t i = 0; i < row->nevents; i++) {
        const tc_trace_event *e = row->events[i];
        bool stalls = e->kind == TC_TRACE_WAIT || e->kind == TC_TRACE_BARRIER;
        if (stalls && e->end > e->cycle) {
            fill(a, cells, tc_axis_column(a, e->cycle),
                 tc_axis_column(a, e->end - 1), TC_GLYPH_STALL);
        }
    }
    for (size_t i = 0; i < row->nevents; i++) {
        char letter = tc_event_letter(row->events[i]);
        int c = tc_axis_column(a, row->events[i]->cycle);
        if (letter != 0 && c >= 0 && c < a->cols) {
            cells[c] = meet(cells[c], letter);
        }
    }
}

static void draw_bar(const tc_timeline_axis *a, const tc_timeline_bar *b,
                     tc_glyph *cells) {
    bool open = b->end == UINT64_MAX;
    uint64_t last = open ? a->start[a->cols] : b->end;
    last -= last > b->begin ? 1 : 0;
    int c0 = tc_axis_column(a, b->begin);
    int c1 = tc_axis_column(a, last);
    if (!b->committed) {
        fill(a, cells, c0, c1, TC_GLYPH_LOOSE);
    } else {
        fill(a, cells, tc_axis_column(a, b->issue), c0 - 1, TC_GLYPH_LOOSE);
        fill(a, cells, c0, c1, TC_GLYPH_BAR);
    }
    if (open && c0 < a->cols) {
        cells[a->cols - 1] = TC_GLYPH_OPEN;
    }
    char text[16];
    int n = snprintf(text, sizeof text, "%" PRId32, b->group);
    c0 = c0 < 0 ? 0 : c0; /* scrolled: the number stays in sight */
    c1 = c1 >= a->cols ? a->cols - 1 : c1;
    for (int i = 0; b->committed && n <= c1 - c0 + 1 && i < n; i++) {
        cells[c0 + i] = (tc_glyph)text[i];
    }
}

int tc_draw_bars(const tc_timeline_axis *a, const tc_timeline_row *row,
                 int line, tc_glyph *cells, size_t *dropped) {
    uint64_t free_from[TC_BAR_LINES] = {0};
    int lines = 0;
    size_t none = 0;
    if (line >= 0) {
        memset(cells, ' ', (size_t)a->cols);
    }
    for (size_t i = 0; i < row->nbars; i++) {
        const tc_timeline_bar *b = &row->bars[i];
        int k = 0;
        while (k < lines && b->issue < free_from[k]) {
            k++;
        }
        if (k == TC_BAR_LINES) {
            none++;
            continue;
        }
        lines = k == lines ? k + 1 : lines;
        bool far = b->end > UINT64_MAX - 2 * a->scale;
        free_from[k] = far ? UINT64_MAX : b->end + 2 * a->scale;
        if (k == line) {
            draw_bar(a, b, cells);
        }
    }
    if (dropped != NULL) {
        *dropped = none;
    }
    return lines;
}
