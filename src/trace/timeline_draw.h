/* timeline_draw.h - what the text picture and the ncurses view share: an axis
 * that maps cycles to columns, and rows drawn as glyphs on it. */
#ifndef TC_TRACE_TIMELINE_DRAW_H
#define TC_TRACE_TIMELINE_DRAW_H

#include "trace/timeline.h"

/* A glyph below 128 is that ASCII character. */
typedef uint8_t tc_glyph;
enum {
    TC_GLYPH_LIFE = 128, /* the warp goes on */
    TC_GLYPH_STALL,      /* it stands still in a wait or at a barrier */
    TC_GLYPH_LOOSE,      /* copies fly, not committed yet (or never) */
    TC_GLYPH_BAR,        /* a committed group flies */
    TC_GLYPH_BREAK,      /* quiet cycles are left out here */
    TC_GLYPH_RULE,       /* the axis */
    TC_GLYPH_TICK,
    TC_GLYPH_OPEN /* never completed: the bar's end is open */
};
uint32_t tc_glyph_code(tc_glyph g, bool unicode);       /* as a character */
void tc_glyph_put(tc_buf *b, tc_glyph g, bool unicode); /* in UTF-8 */

/* Column c shows cycles [start[c], start[c + 1]). */
typedef struct tc_timeline_axis {
    int cols;
    uint64_t *start; /* cols + 1, never falling; owned */
    bool *cut;       /* cols: the column is part of a break */
    uint64_t scale;  /* cycles a column, outside breaks */
    bool split;      /* some columns are fewer, to keep steps apart */
} tc_timeline_axis;

/* Cycles from origin on, scale (at least 1) a column. */
tc_timeline_axis tc_axis_linear(uint64_t origin, uint64_t scale, int cols);
/* All of it in at most cols columns (at least 8). Where a plain axis would put
 * several steps of a warp on one column, quiet stretches are cut out. Looks at
 * the rows for which drawn[i] (NULL: all). */
tc_timeline_axis tc_axis_fit(const tc_timeline *tl, const bool *drawn,
                             int cols);
void tc_axis_free(tc_timeline_axis *a);

/* The column of a cycle; -1 before the axis, cols after it. */
int tc_axis_column(const tc_timeline_axis *a, uint64_t cycle);
/* The smallest of 1, 2, 5, 10, 20, ... that is >= n. */
uint64_t tc_axis_round(uint64_t n);
/* Two lines of a->cols glyphs: tick values, and the rule with its ticks. */
void tc_axis_draw(const tc_timeline_axis *a, tc_glyph *labels, tc_glyph *rule);

/* The row's events: one letter where a column holds one kind, '*' where it
 * holds several; ends and loads give way to anything else. */
void tc_draw_events(const tc_timeline_axis *a, const tc_timeline_row *row,
                    tc_glyph *cells);
char tc_event_letter(const tc_trace_event *e); /* 0: has none */

/* Bars share a line when they leave two columns between them. Draws line i
 * (from 0) of the row's bars into cells and returns how many lines there are;
 * a negative line only counts. *dropped (may be NULL): bars for which there
 * was no line, TC_BAR_LINES being the most. */
enum { TC_BAR_LINES = 8 };
int tc_draw_bars(const tc_timeline_axis *a, const tc_timeline_row *row,
                 int line, tc_glyph *cells, size_t *dropped);

#endif
