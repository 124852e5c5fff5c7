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
    X(ISSUE, "issue")         /* a cp.async was issued */                      \
    X(COMMIT, "commit")       /* a group, or tcgen05.commit (has a barrier) */ \
    X(COMPLETE, "complete")   /* the bytes of one issue have landed */         \
    X(WAIT, "wait")           /* wait_group, mbarrier wait: cycle to end */    \
    X(ARRIVE, "arrive")       /* at an mbarrier; bytes: announced with it */   \
    X(PHASE, "phase")         /* an mbarrier's phase completed */              \
    X(BARRIER, "barrier")     /* bar.sync: arrival (cycle) to release (end) */ \
    X(LOAD, "load")           /* ld of global or shared memory */              \
    X(STORE, "store")         /* st of global or shared memory */              \
    X(EXIT, "exit")           /* the lanes ended */                            \
    X(BULK, "bulk")           /* a bulk copy was issued */                     \
    X(TENSOR, "tensor")       /* a tensor copy, or tcgen05.cp, was issued */   \
    X(TMEM_LOAD, "tmem-load") /* tcgen05.ld was issued */                      \
    X(TMEM_STORE, "tmem-store") /* tcgen05.st was issued */                    \
    X(MMA, "mma")               /* wgmma.mma_async was issued */               \
    X(INIT, "init")             /* mbarrier.init */                            \
    X(EXPECT, "expect")         /* mbarrier.expect_tx, alone */                \
    X(TRACK, "track")           /* cp.async.mbarrier.arrive */

typedef enum tc_trace_kind {
#define X(id, name) TC_TRACE_##id,
    TC_TRACE_KINDS(X)
#undef X
        TC_TRACE_KIND_COUNT
} tc_trace_kind;

extern const char *const tc_trace_kind_names[TC_TRACE_KIND_COUNT];

/* Does it begin something that completes later (a COMPLETE names it)? */
bool tc_trace_is_issue(int kind);
/* A load or store of the warp's own, with nothing asynchronous in it? */
bool tc_trace_is_plain(int kind);

/* Who did it. */
typedef enum tc_trace_unit {
    TC_UNIT_ISSUE, /* the warp scheduler */
    TC_UNIT_LSU,   /* load/store unit */
    TC_UNIT_ASYNC, /* the asynchronous copy path (LDGSTS) */
    TC_UNIT_BARRIER,
    TC_UNIT_TMA,
    TC_UNIT_TENSOR, /* the tensor cores and tensor memory */
    TC_UNIT_COUNT
} tc_trace_unit;
extern const char *const tc_trace_unit_names[TC_UNIT_COUNT];

/* What an address is of. */
typedef enum tc_trace_space {
    TC_TRACE_SPACE_NONE,
    TC_TRACE_SPACE_SHARED, /* an offset in the shared memory of CTA `owner` */
    TC_TRACE_SPACE_GLOBAL,
    TC_TRACE_SPACE_TENSOR, /* lane << 16 | column, of CTA `owner` */
    TC_TRACE_SPACE_COUNT
} tc_trace_space;
extern const char *const tc_trace_space_names[TC_TRACE_SPACE_COUNT];

/* What an event's barrier, or a wait, is about. */
typedef enum tc_trace_object {
    TC_OBJECT_NONE,
    TC_OBJECT_GROUP,      /* cp.async groups of the lanes */
    TC_OBJECT_BULK_GROUP, /* cp.async.bulk groups */
    TC_OBJECT_MBARRIER,   /* barrier: offset in owner's shared memory */
    TC_OBJECT_BARRIER,    /* barrier: number of a CTA's barrier, 0 to 15 */
    TC_OBJECT_CLUSTER,    /* the cluster's; owner: its first CTA */
    TC_OBJECT_TMEM_LOAD,  /* tcgen05.wait::ld */
    TC_OBJECT_TMEM_STORE, /* tcgen05.wait::st */
    TC_OBJECT_MMA_GROUP,  /* wgmma groups */
    TC_OBJECT_COUNT
} tc_trace_object;
extern const char *const tc_trace_object_names[TC_OBJECT_COUNT];

typedef struct tc_trace_event {
    uint64_t cycle, end; /* end == cycle for an instant */
    uint32_t lanes;      /* mask of the warp's lanes */
    uint32_t cta, warp;  /* linear CTA; warp within it */
    int32_t group;       /* ordinal of the commit group in these lanes, from
                            0; -1 none. An issue carries the ordinal of the
                            group that will take it. A WAIT carries the newest
                            ordinal that it guarantees complete, -1 none */
    int32_t phase;       /* -1 none */
    int32_t bytes;       /* by all lanes together; -1 none */
    int32_t line;        /* in the learner's source; 0 unknown */
    uint32_t ptx_line;   /* in the PTX text */
    uint64_t barrier;    /* by object; 0 where that names none */
    uint8_t kind, unit;
    uint8_t object;   /* tc_trace_object: what barrier is, what it waits
                              for, what kind of group */
    uint8_t space;    /* tc_trace_space of address */
    int32_t cause;    /* index of an earlier event (COMPLETE: its issue),
                              or -1 */
    uint64_t address; /* of the first lane: destination of a copy, of a
                              STORE; source of a LOAD */
    uint64_t source;  /* of a copy, of its first lane; 0 unknown */
    uint32_t owner;   /* CTA of a shared or tensor address, of a barrier */
    uint32_t each;    /* bytes of a lane; 0: bytes in one piece */
    int32_t stride;   /* from an active lane's address to the next one's */
    uint32_t where;   /* 1 + index into addresses: the lanes have no
                              stride; 0: they have it */
    uint32_t count;   /* arrivals of an ARRIVE, expected ones of an INIT; of
                              a WAIT for bulk groups, 1: sources only (.read) */
    uint32_t source_owner; /* CTA of a shared source */
    uint16_t targets;      /* multicast: ranks in the cluster, a bit each, of
                              the CTAs whose address and barrier it is; else 0:
                              owner alone */
    uint8_t source_space;  /* of source */
} tc_trace_event;

/* ---- what a warp did between events ---- */

/* TC_STALL rows are the simulator's too (sim/sim.h): why a warp did not issue;
 * cycles of all warps together. */
#define TC_STALLS(X)                                                           \
    X(FIXED, "fixed_latency")    /* an arithmetic result */                    \
    X(SHORT, "short_scoreboard") /* shared memory, special functions */        \
    X(LONG, "long_scoreboard")   /* global, local, remote memory */            \
    X(BARRIER, "barrier")                                                      \
    X(COPY, "async_copy") /* cp.async.wait_group */                            \
    X(MBARRIER, "mbarrier")                                                    \
    X(MEMBAR, "membar") /* a fence beyond the CTA */                           \
    X(PIPE, "pipe_busy")                                                       \
    X(SLEEP, "sleeping")                                                       \
    X(NOT_SELECTED, "not_selected") /* another warp issued */
typedef enum tc_stall {
#define X(id, name) TC_STALL_##id,
    TC_STALLS(X)
#undef X
        TC_STALL_COUNT
} tc_stall;
extern const char *const tc_stall_names[TC_STALL_COUNT];

/* A stretch of a warp's cycles, of which the timing model tells: it issued
 * `issued` instructions in [begin, end), or none because of `cause`. Stretches
 * of a warp do not overlap; stalls of fewer cycles than TC_STALL_LEAST are part
 * of the stretch that issues. */
typedef struct tc_trace_stretch {
    uint64_t begin, end;
    uint32_t cta, warp;
    uint32_t issued;   /* 0: it stalled */
    int32_t line;      /* of the op that waits, or of the last one issued */
    uint32_t ptx_line; /* the same */
    uint8_t cause;     /* tc_stall, where issued is 0 */
} tc_trace_stretch;
enum { TC_STALL_LEAST = 8 };

/* An mbarrier's fields from a cycle on. */
typedef struct tc_trace_fields {
    uint64_t cycle;
    uint32_t owner, offset;
    uint32_t phase; /* completed since init */
    uint32_t pending, expected;
    int32_t tx;         /* bytes announced and not yet landed */
    uint32_t announced; /* bytes of this phase */
    uint32_t landed;    /* the same */
    int32_t after;      /* the last event before this change, or -1 */
    bool live;          /* initialised and not invalidated */
} tc_trace_fields;

/* ---- what addresses are called ---- */

/* A named piece of memory, the same in every CTA: a buffer in shared memory,
 * one in global memory. */
typedef struct tc_trace_buffer {
    char *name;
    char *type; /* "float16"; "": unknown */
    uint64_t address, bytes;
    uint8_t space;
} tc_trace_buffer;

/* What the program calls the mbarrier at an offset of shared memory. */
typedef struct tc_trace_name {
    char *name;
    uint64_t address;
} tc_trace_name;

/* A finding, so far as time needs it. */
typedef struct tc_trace_finding {
    uint64_t cycle;
    uint32_t cta, warp, lane;
    int32_t line;         /* where it is */
    int32_t cause_line;   /* 0 none */
    uint64_t cause_cycle; /* UINT64_MAX none */
    char *kind, *message, *object;
    uint64_t address, bytes; /* of shared memory; bytes 0: none */
} tc_trace_finding;

/* What numbers the lines of a text. */
#define TC_TRACE_LINES(X)                                                      \
    X(OWN, "program") /* events' line: what the learner wrote */               \
    X(PTX, "ptx")     /* events' ptx_line */                                   \
    X(MADE, "made")   /* neither: origins says of which line each was made */
typedef enum tc_trace_lines {
#define X(id, name) TC_LINES_##id,
    TC_TRACE_LINES(X)
#undef X
        TC_LINES_COUNT
} tc_trace_lines;

/* A text of the program that ran. */
typedef struct tc_trace_text {
    char *name, *text; /* "PTX"; all of it */
    char *origins;     /* MADE: "0 12 12 ", for each of its lines that of the
                          OWN text it was made from, 0 none; else "" */
    int32_t first_line;
    uint8_t lines; /* tc_trace_lines */
} tc_trace_text;

typedef struct tc_trace {
    tc_trace_event *events; /* in the order they were recorded; not sorted */
    size_t n, cap;
    uint64_t cycles;      /* when the kernel ended */
    uint32_t ctas, warps; /* CTAs, and warps in each */
    uint32_t cluster;     /* CTAs in a cluster; 0 and 1: none */
    bool truncated;       /* the limit on events was reached */
    uint64_t dropped;     /* the oldest events, which gave way to newer ones */
    uint32_t (*addresses)[32]; /* of lanes, from e.address on */
    size_t naddresses, caddresses;
    tc_trace_stretch *stretches; /* a ring as the events are */
    size_t nstretches, cstretches;
    tc_trace_fields *fields; /* the same */
    size_t nfields, cfields;
    tc_trace_buffer *buffers;
    size_t nbuffers;
    tc_trace_name *names;
    size_t nnames;
    tc_trace_finding *findings;
    size_t nfindings;
    tc_trace_text *texts; /* the learner's own first */
    size_t ntexts;
    char *clock; /* what cycles are of: "sass", "ptx", "none"; NULL unknown */
} tc_trace;

/* A text longer than this is left out: a file of a trace has none such. */
enum { TC_TRACE_TEXT = 1 << 20 };

/* A ring of at most this many events (30 MB): the newest are kept. */
#define TC_TRACE_LIMIT ((size_t)1 << 18)

tc_trace *tc_trace_new(void);
void tc_trace_free(tc_trace *t);
/* Returns the number of the event: how many were recorded before it, dropped
 * ones too; -1 after 2^31 of them. While recording, cause is such a number. */
int32_t tc_trace_add(tc_trace *t, const tc_trace_event *e);
/* The event of that number; NULL: it was dropped. */
tc_trace_event *tc_trace_at(tc_trace *t, int32_t number);
/* The addresses of the lanes in e->lanes, of e->each bytes: into e as a stride,
 * or as offsets of their own. */
void tc_trace_lanes(tc_trace *t, tc_trace_event *e, const uint64_t *address);
/* The address of a lane that is in e->lanes. */
uint64_t tc_trace_lane(const tc_trace *t, const tc_trace_event *e, int lane);
void tc_trace_add_stretch(tc_trace *t, const tc_trace_stretch *s);
void tc_trace_add_fields(tc_trace *t, const tc_trace_fields *f);
/* Ends the recording: causes become indices of events[], -1 where dropped. */
void tc_trace_finish(tc_trace *t);

/* Names, once the run is over; texts are copied. */
void tc_trace_add_buffer(tc_trace *t, const tc_trace_buffer *b);
void tc_trace_add_name(tc_trace *t, uint64_t address, const char *name);
void tc_trace_add_finding(tc_trace *t, const tc_trace_finding *f);
void tc_trace_add_text(tc_trace *t, const tc_trace_text *x);
void tc_trace_set_clock(tc_trace *t, const char *clock);
/* ", by its machine code": what its cycles are of, to be said behind them; "":
 * nobody knows. */
const char *tc_trace_clock_words(const tc_trace *t);
/* The first text whose lines are numbered so, or NULL. */
const tc_trace_text *tc_trace_text_of(const tc_trace *t, tc_trace_lines lines);
/* NULL: nobody gave one. */
const char *tc_trace_name_of(const tc_trace *t, uint64_t address);

/* "0-15", "0,2,4-7": runs of a mask. */
void tc_trace_put_lanes(tc_buf *b, uint32_t lanes);

/* trace_file.c: a trace as text, one event a line, for another session. */
void tc_trace_save(const tc_trace *t, tc_buf *out);
/* Reads it back. Reports the line that is wrong and returns NULL. */
tc_trace *tc_trace_load(const tc_source *text, tc_diags *diags);

#endif
