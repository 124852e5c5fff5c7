/* terminal.h - the terminal, taken for a view and given back whatever happens:
 * at the end, around Ctrl-Z, by Ctrl-C, after a crash. ncurses is here and
 * nowhere else. */
#ifndef TC_VIEW_TERMINAL_H
#define TC_VIEW_TERMINAL_H

#include "trace/draw/grid.h"
#include "view/key.h"

#include <signal.h>
#include <termios.h>

enum { TC_WATCHED_SIGNALS = 7, TC_FATAL_SIGNALS = 5 };

typedef struct tc_terminal {
    struct screen *screen; /* ncurses' SCREEN */
    int signals;           /* signalfd */
    sigset_t before;
    struct sigaction handlers[TC_WATCHED_SIGNALS]; /* before ncurses' own */
    struct sigaction fatal[TC_FATAL_SIGNALS];
    struct termios modes;
    char *locale; /* LC_CTYPE before */
    int ended_by; /* a signal to raise again once all is restored, or 0 */
    int lines, cols;
    bool unicode, color, interrupted;
} tc_terminal;

/* What came in. */
typedef struct tc_input {
    tc_key key;     /* TC_KEY_NONE: nothing but a resize, or a key not known */
    bool mouse;     /* then key is ENTER (pressed), UP or DOWN (wheel) */
    int y, x;       /* of the mouse */
    bool any, gone; /* gone: the terminal is, or a signal ends the program */
} tc_input;

/* False, after a line on standard error, where there is no terminal that can
 * show it. color: unless the terminal has none. */
bool tc_terminal_take(tc_terminal *t, bool color);
void tc_terminal_give_back(tc_terminal *t);
void tc_terminal_show(tc_terminal *t, const tc_cell_grid *g, bool redraw);
/* Waits for input, at most so many ms; -1: as long as it takes. Not any: none
 * came. */
tc_input tc_terminal_read(tc_terminal *t, int ms);
/* Puts the terminal right by bare writes, if a view has it: for handlers that
 * end the program. Async-signal-safe. */
void tc_terminal_restore(void);

#endif
