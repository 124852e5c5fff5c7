/* rows.h - rows of the model on a grid of cells: letters for steps, bars for
 * what is under way. The printed picture and the view draw with it. */
#ifndef TC_TRACE_DRAW_ROWS_H
#define TC_TRACE_DRAW_ROWS_H

#include "trace/draw/axis.h"

enum {
    TC_CHAR_LIFE = 0x2500,  /* ─ the warp goes on; landed; a phase */
    TC_CHAR_STALL = 0x2591, /* ░ it stands still */
    TC_CHAR_LOOSE = 0x254C, /* ╌ copies that no commit has taken */
    TC_CHAR_BAR = 0x2588,   /* █ in flight */
    TC_CHAR_BREAK = 0x2571, /* ╱ quiet cycles are left out here */
    TC_CHAR_RULE = 0x2500,
    TC_CHAR_TICK = 0x252C, /* ┬ */
    TC_CHAR_OPEN = 0x25B6  /* ▶ still in flight at the end */
};

/* The letter of a kind of event, 0: it has none (a completion), and what it
 * stands for. */
typedef struct tc_letter {
    char letter;
    tc_style style;
    const char *what;
} tc_letter;
tc_letter tc_letter_of(tc_trace_kind kind);
/* Of a step; loads and stores folded into one are 'm'. */
char tc_mark_letter(const tc_mark *k);

/* Of a few loads and stores folded into one, how many: they are drawn apart
 * where there is room. Else 1. */
uint32_t tc_mark_parts(const tc_mark *k);

/* A row's first mark at a cycle or later; nmarks: there is none. */
size_t tc_row_mark_at(const tc_row *row, uint64_t cycle);
/* A row's name, that of its warp not repeated: "groups". */
const char *tc_row_label(const tc_model *m, const tc_row *row);
/* Lines that it takes: one, or as many as its bars need. */
int tc_row_lines(const tc_row *row);
/* Are its steps drawn as letters, beside bars? */
bool tc_row_has_letters(const tc_row *row);

/* Lines of an area, from column x on, that show the cycles of an axis. */
typedef struct tc_plot {
    tc_area area;
    int x;
    const tc_time_axis *axis;
} tc_plot;
/* The row on lines from y on. */
void tc_draw_row(const tc_plot *p, const tc_model *m, const tc_row *row, int y);

#endif
