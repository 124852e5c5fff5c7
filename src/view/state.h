/* state.h - the timeline view without a terminal: where it is in a run, what
 * keys do to it, and the panes that show it. */
#ifndef TC_VIEW_STATE_H
#define TC_VIEW_STATE_H

#include "trace/draw/axis.h"
#include "trace/draw/rows.h"
#include "view/key.h"

/* A text whose lines events name. What is not said to be owned is borrowed. */
typedef struct tc_view_text {
    const char *name, *text;
    uint32_t *starts; /* where each line begins, then the text's end; owned */
    int32_t first_line, nlines;
    tc_trace_lines lines;
    int32_t *origins; /* MADE: of each of its lines, the program's; owned */
} tc_view_text;

enum { TC_VIEW_TEXTS = 3 };

/* A line that events name. */
typedef struct tc_view_line {
    int32_t number; /* 0: none */
    bool ptx;       /* by ptx_line, else by line */
} tc_view_line;

/* What a view is given. All of it is borrowed; functions may be NULL. */
typedef struct tc_view_supply {
    const tc_model *model; /* has at least one row */
    const char *name;      /* of the run; may be "" */
    const tc_model *other; /* the run to compare with, or NULL */
    const char *other_name;
    tc_view_text texts[TC_VIEW_TEXTS];
    int ntexts;
    /* What a byte of shared memory is called: "A_smem[17,3]"; false: nobody
   * knows. */
    bool (*element)(void *user, uint64_t address, tc_buf *out);
    /* Registers of a warp, or (name not "") memory, at a cycle, as lines of
   * text; where that cannot be, why. */
    void (*machine)(void *user, uint64_t cycle, uint32_t cta, uint32_t warp,
                    const char *name, tc_buf *out);
    const char *no_machine; /* why there is none to ask; NULL: nobody knows */
    bool cheap; /* the machine is asked without waiting: a short run */
    void *user;
} tc_view_supply;

typedef enum tc_pane {
    TC_PANE_TIME,
    TC_PANE_SOURCE,
    TC_PANE_MEMORY,
    TC_PANE_STATE,
    TC_PANE_FINDINGS,
    TC_PANE_COUNT
} tc_pane;

enum { TC_VIEW_COLS = 40, TC_VIEW_LINES = 10, TC_VIEW_STOPS = 16 };

/* Where to stop. */
typedef struct tc_stop {
    enum { TC_STOP_LINE, TC_STOP_PHASE, TC_STOP_BYTE } what;
    tc_view_line line;
    int32_t row; /* an mbarrier's; -1: of any */
    uint32_t cta;
    uint64_t address;
    char text[48]; /* as it was asked for */
} tc_stop;

/* What the model said of a buffer. */
typedef struct tc_memory_seen {
    uint8_t *states; /* tc_byte_state; owned */
    size_t buffer;
    uint32_t cta;
    int32_t warp;
    uint64_t cycle;
} tc_memory_seen;

/* One line that is typed: after / : and b. */
typedef struct tc_prompt {
    char kind; /* 0: none */
    char text[120];
    size_t len;
} tc_prompt;

typedef struct tc_view {
    const tc_view_supply *from;
    int lines, cols; /* of the window */
    bool quit, redraw;

    /* Where it is. What panes show is what is so at the end of this cycle. */
    uint64_t cycle;
    size_t position; /* the event of the row that the cursor is on, at that
                      cycle or before; TC_NO_POSITION: before the first */
    int32_t row;     /* chosen */
    bool all;        /* steps go through the events of all rows */
    int playing;     /* -1, 0, 1 */

    /* Time. */
    uint64_t scale;   /* cycles a column; 0: all of it, fitted */
    uint64_t origin;  /* the first column's cycle, unless fitted */
    int32_t top;      /* the first row drawn */
    uint64_t *opened; /* marks: row << 32 | index; owned */
    size_t nopened, opened_cap;
    tc_axis_points points;

    /* The other panes. */
    tc_pane focus, second; /* second: shown with the time where two fit */
    int text;              /* which of from->texts */
    int32_t source_line;   /* chosen; 0: that of the warp */
    size_t memory;         /* index among model->trace->buffers */
    uint32_t memory_cta;
    uint64_t byte;        /* under the cursor, from the buffer's begin */
    uint64_t memory_cell; /* bytes a cell; 0: so that all of it is seen */
    tc_memory_seen seen;
    size_t finding;
    bool registers;
    int state_top, findings_top;
    char *machine; /* the last answer, and what it was to; owned */
    uint64_t machine_cycle;
    int32_t machine_row;
    char machine_name[64];

    /* Keys. */
    tc_key pending[2];
    size_t npending;
    unsigned count; /* typed before a key; 0: none */
    tc_prompt prompt;
    char search[120];
    tc_stop stops[TC_VIEW_STOPS];
    int nstops;
    bool help;
    int help_top;
    char message[160]; /* what the last key came to */
} tc_view;

/* --- state.c: where it is --------------------------------------------------*/

/* The window has so many lines and columns. Free with tc_view_end(). */
tc_view tc_view_start(const tc_view_supply *from, int lines, int cols);
void tc_view_end(tc_view *v);
void tc_view_resize(tc_view *v, int lines, int cols);
void tc_view_message(tc_view *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Can the memory pane show it? */
bool tc_view_is_map(const tc_trace_buffer *b);
const tc_row *tc_view_row(const tc_view *v);
/* The row of the warp that the chosen row is of or belongs to, or one that
 * waits at it or has come to it; -1: there is none. */
int32_t tc_view_warp(const tc_view *v);
/* The event that the cursor is on, or NULL. */
const tc_trace_event *tc_view_event(const tc_view *v);
/* The mark of the row that holds the cursor, or NULL. */
const tc_mark *tc_view_mark(const tc_view *v, size_t *index);
/* A row's last event, and its last mark, at a position or before: their
 * indices, or TC_NO_POSITION. */
size_t tc_view_event_before(const tc_row *row, size_t position);
size_t tc_view_mark_before(const tc_row *row, size_t position);
/* Of the run to compare with: the step that is as many of its kind on in the
 * row of the same name; NULL: there is none. */
const tc_mark *tc_view_other(const tc_view *v);
bool tc_view_is_open(const tc_view *v, int32_t row, size_t mark);

/* Moves; the row stays the chosen one, or becomes one that has the event. */
void tc_view_go_cycle(tc_view *v, uint64_t cycle);
void tc_view_go_position(tc_view *v, size_t position);
void tc_view_choose(tc_view *v, int32_t row);
/* Opens or closes the mark under the cursor. */
void tc_view_open(tc_view *v);
/* The position of the start: "cycle" or "finding:N" (from 1). False: there is
 * none such. */
bool tc_view_go_to(tc_view *v, const char *place);

/* --- step.c: from here to there
 * ---------------------------------------------*/

/* One event of the row, or of all; or so many. */
void tc_view_step(tc_view *v, int way, unsigned count);
void tc_view_next(tc_view *v, tc_action action, unsigned count);
/* The next event of a line, of the warp if it has one. */
void tc_view_go_line(tc_view *v, tc_view_line line, int way);
void tc_view_search(tc_view *v, int way);

/* --- stop.c
 * -----------------------------------------------------------------*/

/* The next place where it is to stop. */
void tc_view_continue(tc_view *v, int way);
/* "line 12", "12", "ptx 87", "phase mbar[0]", "A_smem+64": adds the stop, or takes it
 * away; "": the line of the source. */
void tc_view_toggle_stop(tc_view *v, const char *text);

/* --- press.c: keys
 * ----------------------------------------------------------*/

void tc_view_press(tc_view *v, tc_key key);
/* A button pressed (way 0) or the wheel turned at a cell. */
void tc_view_mouse(tc_view *v, int y, int x, int way);

/* --- layout.c: which panes are where
 * ----------------------------------------*/

typedef struct tc_view_panes {
    bool shown[TC_PANE_COUNT];
    tc_area at[TC_PANE_COUNT];    /* within their titles */
    tc_area title[TC_PANE_COUNT]; /* one line; none of the time */
    tc_area side[TC_PANE_COUNT];  /* the rule at its left; may be empty */
    tc_area head, foot;           /* a line each */
} tc_view_panes;
tc_view_panes tc_view_layout(const tc_view *v, tc_cell_grid *g);
/* The grid has the size of the window. */
void tc_view_draw(tc_view *v, tc_cell_grid *g);
extern const char *const tc_pane_names[TC_PANE_COUNT];

/* --- a file each: what a pane shows, what its keys and clicks do
 * ------------*/

/* Chooses the scale to begin with. */
void tc_pane_time_start(tc_view *v);
/* The lines that it can use, at most so many. */
int tc_pane_time_lines(const tc_view *v, int most);
void tc_pane_time_draw(tc_view *v, tc_area a);
void tc_pane_time_click(tc_view *v, tc_area a, int y, int x);
/* Lets the cursor be in sight. */
void tc_pane_time_follow(tc_view *v);
void tc_pane_time_zoom(tc_view *v, int way);
void tc_pane_source_draw(tc_view *v, tc_area a);
void tc_pane_source_click(tc_view *v, tc_area a, int y);
void tc_pane_source_move(tc_view *v, int by);
void tc_pane_source_other(tc_view *v);
/* What events call the chosen line of the text, or that at which the warp is. */
tc_view_line tc_pane_source_line(const tc_view *v);

void tc_pane_memory_draw(tc_view *v, tc_area a);
void tc_pane_memory_click(tc_view *v, tc_area a, int y, int x);
void tc_pane_memory_move(tc_view *v, int dy, int dx);
/* Smaller cells, larger ones; 0: all of it. */
void tc_pane_memory_zoom(tc_view *v, int way);
void tc_pane_memory_other(tc_view *v);
/* To the write of the byte under the cursor (way < 0), or its first read. */
void tc_pane_memory_go(tc_view *v, int way);

void tc_pane_state_draw(tc_view *v, tc_area a);
void tc_pane_state_registers(tc_view *v);
/* Leaves the supply's answer for a warp at this cycle in v->machine; name "":
 * registers. */
void tc_view_ask_machine(tc_view *v, int32_t warp, const char *name);

void tc_pane_findings_draw(tc_view *v, tc_area a);
void tc_pane_findings_click(tc_view *v, tc_area a, int y);
void tc_pane_findings_move(tc_view *v, int by);
void tc_pane_findings_go(tc_view *v, size_t i);

void tc_pane_help_draw(tc_view *v, tc_area a);

#endif
