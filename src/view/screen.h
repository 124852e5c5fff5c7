/* screen.h - the timeline view without a terminal: its state, what keys do to
 * it, and the cells that a screen of it shows. */
#ifndef TC_VIEW_SCREEN_H
#define TC_VIEW_SCREEN_H

#include "trace/timeline.h"

typedef enum tc_view_key {
    TC_KEY_NONE, /* any other: nothing happens */
    TC_KEY_LEFT,
    TC_KEY_RIGHT,
    TC_KEY_UP,
    TC_KEY_DOWN,
    TC_KEY_HOME,
    TC_KEY_END,
    TC_KEY_PAGE_UP,
    TC_KEY_PAGE_DOWN,
    TC_KEY_ZOOM_IN,
    TC_KEY_ZOOM_OUT,
    TC_KEY_FIT,
    TC_KEY_ALL, /* step through every warp's events, or one row's */
    TC_KEY_HELP,
    TC_KEY_QUIT
} tc_view_key;

enum { TC_VIEW_COLS = 40, TC_VIEW_LINES = 10, TC_VIEW_PAGE = 10 };

/* Text of a source line (not terminated, its length in *len), or NULL. */
typedef const char *(*tc_view_source_fn)(const void *user, int line, int *len);

typedef struct tc_view {
    const tc_timeline *tl; /* borrowed; has at least one row */
    tc_view_source_fn source;
    const void *user; /* of source */
    bool unicode;
    size_t row;      /* chosen */
    size_t event;    /* in that row's events: the cursor */
    bool all;        /* left and right step through all rows' events */
    uint64_t scale;  /* cycles a column; 0: all of it, fitted */
    uint64_t origin; /* cycle of the first column, when scale is not 0 */
    bool help, quit;
} tc_view;

tc_view tc_view_start(const tc_timeline *tl, bool unicode,
                      tc_view_source_fn source, const void *user);
/* cols: columns of the window, which scrolling depends on. */
void tc_view_press(tc_view *v, tc_view_key key, int cols);
const tc_trace_event *tc_view_event(const tc_view *v);
/* Columns of a window that labels take. */
int tc_view_label_cols(const tc_view *v, int cols);

typedef enum tc_attr { TC_PLAIN, TC_BOLD, TC_REVERSE, TC_DIM } tc_attr;

typedef struct tc_cell {
    uint32_t c; /* a character of one column */
    uint8_t attr;
} tc_cell;

typedef struct tc_screen {
    int lines, cols;
    tc_cell *cells; /* line by line; owned */
} tc_screen;

/* Free with tc_screen_free(). Any size from 1 x 1 up will do. */
tc_screen tc_view_draw(const tc_view *v, int lines, int cols);
void tc_screen_free(tc_screen *s);

#endif
