/* timeline.h - the model behind every picture of time.
 *
 * Built from a trace alone. For each warp: its events in order, and one bar for
 * each group ordinal, from the first lane's commit to the last lane's
 * completion; lanes of a warp whose histories differ get rows of their own.
 * Renderers (timeline_text.c here, view/ for ncurses) draw it; it knows
 * neither characters nor screens. */
#ifndef TC_TRACE_TIMELINE_H
#define TC_TRACE_TIMELINE_H

#include "base/buf.h"
#include "trace/trace.h"

typedef struct tc_timeline_bar {
    int32_t group;       /* ordinal */
    uint64_t issue;      /* cycle of the first copy in it; an empty group:
                            of its commit */
    uint64_t begin, end; /* commit to completion; end is UINT64_MAX if a copy
                            of it never completed in the trace */
    uint64_t bytes;      /* of all its lanes' copies */
    uint64_t waited;     /* cycle when a wait first guaranteed it; UINT64_MAX
                            if none did */
    bool committed;      /* false: copies that no commit took */
    int32_t line;        /* of the commit (or first issue) */
    uint32_t copies;     /* copy instructions in it */
    uint64_t wait_begin; /* when that wait was issued */
    int32_t wait_line;   /* of that wait; 0 none */
} tc_timeline_bar;

typedef struct tc_timeline_row { /* a warp, or the lanes of it that agree */
    uint32_t cta, warp, lanes;
    const tc_trace_event **events; /* by cycle */
    size_t nevents;
    tc_timeline_bar *bars;
    size_t nbars;
} tc_timeline_row;

typedef struct tc_timeline {
    tc_timeline_row *rows;
    size_t nrows;
    const tc_trace_event **order; /* all events by cycle, stable: stepping */
    size_t norder;
    uint64_t cycles;
    const tc_trace *trace;
    tc_arena *arena; /* owns all of the above but the trace */
} tc_timeline;

tc_timeline *tc_timeline_new(const tc_trace *t); /* borrows t */
void tc_timeline_free(tc_timeline *tl);

/* Groups of a row that are committed and not complete at a cycle: fills out
 * with up to cap ordinals, returns how many there are. */
size_t tc_timeline_pending(const tc_timeline_row *row, uint64_t cycle,
                           int32_t *out, size_t cap);

/* One event as text, with no full stop: "warp 0 issues a copy of 512 bytes
 * into group 0". */
void tc_timeline_event_text(tc_buf *b, const tc_timeline *tl,
                            const tc_trace_event *e);
/* "warp 3", "cta 1 warp 3", "warp 0 lanes 0-15". */
void tc_timeline_label(tc_buf *b, const tc_timeline *tl,
                       const tc_timeline_row *row);

/* What a text picture is told. */
typedef struct tc_timeline_style {
    int width;    /* columns of the whole picture */
    int max_rows; /* 0: all; else the rest is counted as text */
    bool unicode; /* bars of box characters rather than ASCII */
} tc_timeline_style;

/* The picture: a cycle axis, for each row its events as letters, for each of
 * its groups a bar, then a legend with the source lines. */
void tc_timeline_text(tc_buf *b, const tc_timeline *tl,
                      const tc_timeline_style *style);

#endif
