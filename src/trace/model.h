/* model.h - the timeline model: what waits for what, at any cycle.
 *
 * Built from a trace alone, and tested without a screen: it knows neither
 * characters nor columns nor keys. Everything that waits, or is waited for, has
 * a row; a row has intervals, and marks on it.
 *
 * Contracts that hold for all of it:
 *
 * - The trace is borrowed and must outlive the model. All pointers that are
 *   handed out live as long as the model, and names are never NULL.
 * - Cycles count from the launch. An interval is [begin, end); one whose end
 *   the trace does not have, has end == TC_OPEN, and is drawn up to m->cycles.
 * - A position is an index into m->order, the events of the run in causal
 *   order: by cycle, and events of one cycle in the order in which they took
 *   effect. Position m->n is behind the last event. Stepping forwards and
 *   backwards goes through the same positions.
 * - What a position or a cycle is asked for is answered from tables made once
 *   and by bisection; tc_memory_* read the events of one cluster, which is
 *   bounded by TC_TRACE_LIMIT. Making a model is O(n log n).
 * - Where the trace was truncated (m->first > 0), what was before m->first is
 *   unknown, and memory nobody is known to have written is TC_BYTE_UNKNOWN. */
#ifndef TC_TRACE_MODEL_H
#define TC_TRACE_MODEL_H

#include "trace/trace.h"

#define TC_OPEN UINT64_MAX

/* ---- rows ---- */

/* TC_ROW(id, name): in the order in which the rows of a warp, then those of a
 * CTA, stand one below the other. */
#define TC_ROWS(X)                                                             \
    X(WARP, "warp")     /* issue, compute, stall */                            \
    X(GROUPS, "groups") /* cp.async groups of a warp's lanes */                \
    X(BULK_GROUPS, "bulk groups")                                              \
    X(COPIES, "copies")      /* bulk and tensor copies to one buffer */        \
    X(TMEM, "tensor memory") /* tcgen05.ld and st, and their waits */          \
    X(MMA, "wgmma")          /* wgmma.mma_async of a warp */                   \
    X(MBARRIER, "mbarrier")  /* its phases */                                  \
    X(BARRIER, "barrier")    /* bar.sync N of a CTA */                         \
    X(CLUSTER, "cluster barrier")
typedef enum tc_row_kind {
#define X(id, name) TC_ROW_##id,
    TC_ROWS(X)
#undef X
        TC_ROW_COUNT
} tc_row_kind;
extern const char *const tc_row_kind_names[TC_ROW_COUNT];

#define TC_INTERVALS(X)                                                        \
    X(COMPUTE, "compute") /* WARP: it issues instructions */                   \
    X(STALL, "stall")     /* WARP: it does not; cause says why */              \
    X(UNCOMMITTED,                                                             \
      "uncommitted")       /* GROUPS: copies that no commit has taken;  \
                                     they may be in flight or landed */      \
    X(FLIGHT, "in flight") /* committed or tracked, not all bytes landed */    \
    X(LANDED, "landed")    /* complete; nobody has waited for it yet */        \
    X(PHASE, "phase")      /* MBARRIER: from the phase's begin to its end */   \
    X(GATHER, "gathering") /* BARRIER, CLUSTER: first arrival to release */    \
    X(WAITED, "wait")      /* TMEM, MMA: their wait */
typedef enum tc_interval_kind {
#define X(id, name) TC_INTERVAL_##id,
    TC_INTERVALS(X)
#undef X
        TC_INTERVAL_COUNT
} tc_interval_kind;
extern const char *const tc_interval_kind_names[TC_INTERVAL_COUNT];

/* Intervals of one thing (a group, a copy) follow each other on one lane of the
 * row: UNCOMMITTED, FLIGHT, LANDED. Intervals of one lane do not overlap. */
typedef struct tc_interval {
    uint64_t begin, end;
    uint8_t kind;
    uint8_t cause;     /* STALL: tc_stall. Else 0 */
    uint16_t lane;     /* which line of the row, from 0 */
    int32_t line;      /* of what began it (STALL: of what waits); 0 unknown */
    uint32_t ptx_line; /* the same */
    uint64_t bytes;    /* of a group, a copy, of a phase: announced; else 0 */
    int32_t group;     /* ordinal, or -1 */
    int32_t phase;     /* ordinal, or -1; its parity is phase & 1 */
    int32_t copy;      /* position of the event that issued it (a group: its
                          first copy), or -1 */
    int32_t last;      /* position of the event that ended it, or -1 */
    int32_t wait;      /* a group's, a copy's: position of the WAIT that first
                          guarantees its bytes, or -1 */
    int32_t read;      /* a bulk group's: of the first wait_group.read, which
                          guarantees that its sources are read, or -1 */
    uint32_t count;    /* COMPUTE: instructions; a group: copy instructions;
                          PHASE: arrivals expected; GATHER: warps that came */
    int32_t barrier;   /* row of the mbarrier that tracks the copy, or -1 */
    bool finding;      /* a finding is about it */
    uint32_t thing;    /* the same number: of the same group or copy */
} tc_interval;

/* A step of a row: one event, or several that read as one. Arrivals of a warp's
 * lanes are one; a run of plain loads and stores of a warp, with nothing else
 * of the warp between, is one with a count. Open it by stepping from first to
 * last through row->events. */
typedef struct tc_mark {
    uint64_t cycle, end; /* of the first; the last one's end */
    uint32_t first, n;   /* in row->events */
    uint8_t kind;        /* tc_trace_kind of the first */
    bool plain;          /* loads and stores only */
    uint32_t loads, stores;
    uint64_t bytes; /* of all of it */
    int32_t line, line_last;
    bool finding; /* a finding is at it */
} tc_mark;

typedef struct tc_row {
    uint8_t kind;       /* tc_row_kind */
    const char *name;   /* as the program calls it: "warp 0", "mbar[0]",
                         "A_smem"; with "cta 1 " before it where there are
                         several CTAs */
    uint32_t cta, warp; /* of a CTA's object: its owner; warp 0 */
    uint32_t lanes;     /* of the warp; all of them but where lanes of a warp
                           commit and wait differently */
    uint64_t barrier;   /* MBARRIER: offset; BARRIER: number */
    tc_interval *intervals; /* by begin, then lane */
    size_t nintervals;
    uint32_t nlanes;  /* lines that its intervals take, at least 1 */
    uint32_t *events; /* positions of its events, rising */
    size_t nevents;
    tc_mark *marks; /* the same events, folded */
    size_t nmarks;
    int32_t parent; /* the row of the warp it belongs to, or -1 */
} tc_row;

typedef struct tc_model {
    const tc_trace *trace;
    const tc_trace_event **order; /* n events, in causal order */
    size_t n;
    tc_row *rows; /* CTA by CTA: warps with what is theirs, then objects */
    size_t nrows;
    uint64_t cycles; /* the last thing that happened */
    uint64_t first;  /* cycle of the first event that was kept; 0: all were */
    tc_arena *arena; /* owns all of the above but the trace */
    struct tc_model_index *index;
} tc_model;

tc_model *tc_model_new(const tc_trace *t);
void tc_model_free(tc_model *m); /* NULL is ignored */

/* ---- finding one's way ---- */

/* The row of a warp, or -1. */
int32_t tc_model_warp(const tc_model *m, uint32_t cta, uint32_t warp);
/* The row of a kind and name ("bar[2]", with or without its CTA), or -1. */
int32_t tc_model_named(const tc_model *m, const char *name);
/* The rows that an event is on: its warp's, and those of what it is about.
 * Fills out with at most cap, returns how many there are. */
size_t tc_model_rows_of(const tc_model *m, size_t position, int32_t *out,
                        size_t cap);

/* The first position whose event is at the cycle or later. */
size_t tc_model_seek(const tc_model *m, uint64_t cycle);
/* The cycle of a position; of m->n: m->cycles. */
uint64_t tc_model_cycle(const tc_model *m, size_t position);

/* What to look for. */
typedef enum tc_seek_kind {
    TC_SEEK_EVENT,   /* any */
    TC_SEEK_KIND,    /* events of .kind */
    TC_SEEK_ISSUE,   /* any asynchronous copy or operation's issue */
    TC_SEEK_COMMIT,  /* of any group */
    TC_SEEK_WAIT,    /* wait_group, mbarrier wait, barrier, tcgen05.wait */
    TC_SEEK_PHASE,   /* the end of a phase */
    TC_SEEK_LINE,    /* an event of source line .line */
    TC_SEEK_FINDING, /* the event at which a finding is */
    TC_SEEK_WRITE,   /* a write of shared memory byte .address of .cta */
    TC_SEEK_READ     /* a read of it */
} tc_seek_kind;
typedef struct tc_seek {
    tc_seek_kind what;
    int kind;         /* tc_trace_kind */
    int32_t line;     /* 0 with PHASE, WAIT, COMMIT: any */
    bool ptx;         /* it is a line of the PTX */
    int32_t row;      /* only events of this row; -1: of all */
    uint32_t cta;     /* whose shared memory */
    uint64_t address; /* offset in it */
} tc_seek;
#define TC_NO_POSITION SIZE_MAX
/* The nearest such position after (way > 0) or before (way < 0) `from`, which
 * itself does not count; from == TC_NO_POSITION: from before the first, or from
 * behind the last. TC_NO_POSITION: there is none. */
size_t tc_model_find(const tc_model *m, size_t from, int way,
                     const tc_seek *what);
/* Where finding i of the trace is: the position of the event that it is at, or
 * the first one at its cycle. */
size_t tc_model_finding(const tc_model *m, size_t i);
/* The next mark of a row that begins after (before) a position; its index, or
 * TC_NO_POSITION. */
size_t tc_model_mark(const tc_model *m, int32_t row, size_t from, int way);

/* ---- states at a cycle ---- */

/* Of a warp. */
typedef struct tc_warp_at {
    bool started, exited;
    bool stalled;
    uint8_t cause; /* tc_stall, where it is stalled */
    int32_t line;  /* where it is */
    uint32_t ptx_line;
    const tc_interval *in;       /* NULL: none */
    const tc_trace_event *waits; /* the wait or barrier it is in, or NULL */
} tc_warp_at;
tc_warp_at tc_model_warp_at(const tc_model *m, int32_t row, uint64_t cycle);

/* Of an mbarrier. */
typedef struct tc_mbarrier_at {
    bool live;
    uint32_t phase, parity;
    uint32_t pending, expected; /* arrivals */
    int64_t tx;                 /* announced less landed */
    uint64_t announced, landed; /* bytes of this phase */
    uint64_t since;             /* cycle at which this phase began */
} tc_mbarrier_at;
tc_mbarrier_at tc_model_mbarrier_at(const tc_model *m, int32_t row,
                                    uint64_t cycle);
/* Rows of the warps that wait at a barrier or mbarrier then, rising; as rows_of. */
size_t tc_model_waiters(const tc_model *m, int32_t row, uint64_t cycle,
                        int32_t *out, size_t cap);
/* The intervals of a row that contain the cycle (those that began at it too);
 * as rows_of. */
size_t tc_model_at(const tc_model *m, int32_t row, uint64_t cycle,
                   const tc_interval **out, size_t cap);

/* ---- memory ---- */

/* What a byte of shared memory is to a warp, at a cycle. It is worked out warp
 * by warp from barriers, phases and waits that the trace has: the checker's
 * findings, which know lanes and proxies, are what counts. */
#define TC_BYTES(X)                                                            \
    X(UNKNOWN, "unknown") /* the trace does not go back so far */              \
    X(NEVER, "never written")                                                  \
    X(FLIGHT, "in flight")                                                     \
    X(LANDED, "landed, not yet visible")                                       \
    X(VISIBLE, "visible")                                                      \
    X(READ, "read") /* by anybody, since it was written */
typedef enum tc_byte_state {
#define X(id, name) TC_BYTE_##id,
    TC_BYTES(X)
#undef X
        TC_BYTE_COUNT
} tc_byte_state;
extern const char *const tc_byte_state_names[TC_BYTE_COUNT];

/* States of n bytes of the shared memory of a CTA from offset `from` on, as
 * warp `row` sees them when the events before `position` have happened, and it
 * is cycle `now`: waits that are not over by then show nobody anything. */
void tc_memory_map(const tc_model *m, uint32_t cta, uint64_t from, size_t n,
                   int32_t row, size_t position, uint64_t now, uint8_t *out);
/* Who wrote a byte last before a position. */
typedef struct tc_byte_owner {
    size_t issue;  /* position of the copy's issue, or of the store;
                      TC_NO_POSITION: nobody did */
    size_t landed; /* position of its completion; TC_NO_POSITION: in flight */
    size_t read;   /* of the first read after it, anywhere in the run */
    uint32_t cta, warp;
    int lane;
    uint64_t source; /* the byte's address in global memory; 0 unknown */
} tc_byte_owner;
tc_byte_owner tc_memory_owner(const tc_model *m, uint32_t cta, uint64_t address,
                              size_t position);
/* The buffer that a byte of a space is in, or NULL. */
const tc_trace_buffer *tc_memory_buffer(const tc_model *m, tc_trace_space space,
                                        uint64_t address);

/* ---- words ---- */

/* What an interval is called on its bar: "group 0", "phase 1", "A_smem". */
void tc_interval_name(tc_buf *b, const tc_model *m, const tc_row *row,
                      const tc_interval *i);
/* An event as a sentence without its full stop: "warp 0 issues a copy of 512
 * bytes to A_smem for group 0"; a mark the same. */
void tc_model_event_text(tc_buf *b, const tc_model *m, size_t position);
void tc_model_mark_text(tc_buf *b, const tc_model *m, const tc_row *row,
                        const tc_mark *mark);
/* What a row's thing is at a cycle, as sentences: "mbar[0]: phase 1 (parity 1),
 * 32 of 33 arrivals pending, 2048 of 8192 announced bytes landed; warps 1, 2
 * wait". */
void tc_model_row_text(tc_buf *b, const tc_model *m, int32_t row,
                       uint64_t cycle);

#endif
