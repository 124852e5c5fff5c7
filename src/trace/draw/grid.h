/* grid.h - a screen as cells, without a terminal: characters, attributes and
 * what they mean. Panes draw into areas of it; view/terminal.c puts it on a terminal,
 * tests read it. */
#ifndef TC_TRACE_DRAW_GRID_H
#define TC_TRACE_DRAW_GRID_H

#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

enum { TC_BOLD = 1, TC_REVERSE = 2, TC_DIM = 4, TC_UNDERLINE = 8 };

typedef enum tc_role {
#define TC_ROLE(id, letter, basic, rich, attrs) TC_ROLE_##id,
#include "trace/draw/roles.def"
    TC_ROLE_COUNT
} tc_role;

/* A role and attributes. */
typedef uint16_t tc_style;
#define TC_STYLE(role, attrs) ((tc_style)(TC_ROLE_##role << 8 | (attrs)))
enum { TC_PLAIN = 0 };
static inline tc_role tc_style_role(tc_style s) {
    return (tc_role)(s >> 8);
}

typedef struct tc_cell {
    uint32_t c; /* a character; 0: the right half of the one before */
    tc_style style;
} tc_cell;

typedef struct tc_cell_grid {
    int lines, cols;
    bool unicode;   /* else every character is made one of ASCII */
    tc_cell *cells; /* line by line; owned */
} tc_cell_grid;

/* Blank. Free with tc_grid_free(). At least 1 x 1, whatever is asked for. */
tc_cell_grid tc_grid_new(int lines, int cols, bool unicode);
void tc_grid_free(tc_cell_grid *g);
const tc_cell *tc_grid_at(const tc_cell_grid *g, int y, int x);

/* A rectangle of a grid: drawing outside it, by its own lines and columns from
 * 0, does nothing. */
typedef struct tc_area {
    tc_cell_grid *grid;
    int y, x, lines, cols;
} tc_area;

tc_area tc_area_all(tc_cell_grid *g);
/* A part of it, no larger than what is there. */
tc_area tc_area_part(tc_area a, int y, int x, int lines, int cols);

void tc_put(tc_area a, int y, int x, uint32_t c, tc_style style);
/* Text of one line at most width columns wide, '~' where it is cut; a tab is a
 * blank, what is no character '?'. Returns the columns it took. */
int tc_put_text(tc_area a, int y, int x, int width, const char *text,
                size_t len, tc_style style);
/* The same to the end of the area. */
int tc_put_string(tc_area a, int y, int x, const char *text, tc_style style);
int tc_put_format(tc_area a, int y, int x, tc_style style, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Words broken at the width of the area, lines after the first indented;
 * returns the lines used, at most those from y on. */
int tc_put_wrapped(tc_area a, int y, int indent, const char *text,
                   tc_style style);
/* Adds a role and attributes to cells that are there. */
void tc_restyle(tc_area a, int y, int x, int cols, tc_style style);
void tc_fill(tc_area a, int y, int x, int cols, uint32_t c, tc_style style);

/* Columns of a character: 0, 1 or 2. */
int tc_columns_of(uint32_t c);

/* For tests: its lines without the blanks at their ends, each with a newline;
 * and the same of what stands under them: '.' plain, a role's letter, or
 * '#' reversed. */
void tc_grid_text(const tc_cell_grid *g, tc_buf *out);
void tc_grid_styles(const tc_cell_grid *g, tc_buf *out);

#endif
