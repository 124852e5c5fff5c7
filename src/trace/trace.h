/* trace.h - what happened when, as passive records.
 *
 * The simulator (later the GPU) appends; views only read. Cycles start at 0 at
 * the launch of a kernel. */
#ifndef TC_TRACE_TRACE_H
#define TC_TRACE_TRACE_H

#include "base/buf.h"
#include "base/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TC_TRACE(id, name): the kinds of INTERFACE.md's timeline, and more. */
#define TC_TRACE_KINDS(X)                                                      \
    X(ISSUE, "issue")       /* an asynchronous copy was issued */              \
    X(COMMIT, "commit")     /* cp.async.commit_group */                        \
    X(COMPLETE, "complete") /* the bytes of one issue have landed */           \
    X(WAIT, "wait")         /* wait_group, mbarrier wait: cycle to end */      \
    X(ARRIVE, "arrive")     /* at an mbarrier, or a barrier */                 \
    X(PHASE, "phase")       /* an mbarrier's phase completed */                \
    X(BARRIER, "barrier")   /* bar.sync: arrival (cycle) to release (end) */   \
    X(LOAD, "load")         /* ld of global or shared memory */                \
    X(STORE, "store")       /* st of global or shared memory */                \
    X(EXIT, "exit")         /* the lanes ended */

typedef enum tc_trace_kind {
#define X(id, name) TC_TRACE_##id,
    TC_TRACE_KINDS(X)
#undef X
        TC_TRACE_KIND_COUNT
} tc_trace_kind;

extern const char *const tc_trace_kind_names[TC_TRACE_KIND_COUNT];

/* Who did it. */
typedef enum tc_trace_unit {
    TC_UNIT_ISSUE, /* the warp scheduler */
    TC_UNIT_LSU,   /* load/store unit */
    TC_UNIT_ASYNC, /* the asynchronous copy path (LDGSTS) */
    TC_UNIT_BARRIER,
    TC_UNIT_TMA,
    TC_UNIT_COUNT
} tc_trace_unit;
extern const char *const tc_trace_unit_names[TC_UNIT_COUNT];

typedef struct tc_trace_event {
    uint64_t cycle, end; /* end == cycle for an instant */
    uint32_t lanes;      /* mask of the warp's lanes */
    uint32_t cta, warp;  /* linear CTA; warp within it */
    int32_t group;       /* ordinal of the commit group in these lanes, from
                            0; -1 none. An ISSUE carries the ordinal of the
                            group that will take it. A WAIT carries the newest
                            ordinal that it guarantees complete, -1 none */
    int32_t phase;       /* -1 none */
    int32_t bytes;       /* by all lanes together; -1 none */
    int32_t line;        /* in the learner's source; 0 unknown */
    uint32_t ptx_line;   /* in the PTX text */
    uint64_t barrier;    /* address or id + 1; 0 none */
    uint8_t kind, unit;
    int32_t cause;    /* index of an earlier event (COMPLETE: its ISSUE), or
                         -1 */
    uint64_t address; /* of the first lane: destination of an ISSUE, of a
                         STORE, source of a LOAD */
} tc_trace_event;

typedef struct tc_trace {
    tc_trace_event *events; /* in the order they were recorded; not sorted */
    size_t n, cap;
    uint64_t cycles;      /* when the kernel ended */
    uint32_t ctas, warps; /* CTAs, and warps in each */
    bool truncated;       /* the limit on events was reached */
    uint64_t dropped;     /* the oldest events, which gave way to newer ones */
} tc_trace;

/* A ring of at most this many events (20 MB): the newest are kept. */
#define TC_TRACE_LIMIT ((size_t)1 << 18)

tc_trace *tc_trace_new(void);
void tc_trace_free(tc_trace *t);
/* Returns the number of the event: how many were recorded before it, dropped
 * ones too; -1 after 2^31 of them. While recording, cause is such a number. */
int32_t tc_trace_add(tc_trace *t, const tc_trace_event *e);
/* The event of that number; NULL: it was dropped. */
tc_trace_event *tc_trace_at(tc_trace *t, int32_t number);
/* Ends the recording: causes become indices of events[], -1 where dropped. */
void tc_trace_finish(tc_trace *t);

/* trace_chrome.c: as Chrome's trace viewer and Perfetto read it. */
void tc_trace_chrome(const tc_trace *t, tc_buf *out);

/* trace_file.c: a trace as text, one event a line, for another session. */
void tc_trace_save(const tc_trace *t, tc_buf *out);
/* Reads it back. Reports the line that is wrong and returns NULL. */
tc_trace *tc_trace_load(const tc_source *text, tc_diags *diags);

#endif
