/* finding.h - what a run has found, as values: findings.def's kinds, details
 * and missing lines, the accesses that took part, and who waited. The sentences
 * are src/explain's. */
#ifndef TC_SIM_FINDING_H
#define TC_SIM_FINDING_H

#include "base/arena.h"
#include "ptx/ptx.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum tc_finding_kind {
#define TC_FINDING(id, name, priority, object, message) TC_FINDING_##id,
#include "sim/findings.def"
} tc_finding_kind;

typedef enum tc_missing {
#define TC_MISSING(id, reach, pending, ptx, script, side, cuda) TC_MISSING_##id,
#include "sim/findings.def"
} tc_missing;

typedef enum tc_detail_id {
#define TC_DETAIL(id, text, cuda) TC_DETAIL_##id,
#include "sim/findings.def"
} tc_detail_id;

/* Apart from their enums, so that a switch over one need not have them. */
enum {
    TC_FINDING_KIND_COUNT = 0
#define TC_FINDING(id, name, priority, object, message) +1
#include "sim/findings.def"
};
enum {
    TC_MISSING_COUNT = 0
#define TC_MISSING(id, reach, pending, ptx, script, side, cuda) +1
#include "sim/findings.def"
};
enum {
    TC_DETAIL_COUNT = 0
#define TC_DETAIL(id, text, cuda) +1
#include "sim/findings.def"
};

extern const char *const tc_finding_kind_names[TC_FINDING_KIND_COUNT];

/* More of what happened: which row, and the values of its fields. */
typedef struct tc_detail {
    tc_detail_id row; /* NONE: nothing more */
    uint32_t id, count, wanted, line;
    /* The program's own, or of its tensor map; or NULL. */
    const char *function, *expression, *file, *why;
} tc_detail;

/* One access that took part. */
typedef struct tc_access {
    bool valid;
    const tc_ptx_op *op;
    uint32_t cta, warp, lane;
    bool some_lane; /* one of the warp's, which is not known; lane is any */
    uint64_t cycle;
    int32_t group; /* ordinal of the commit group of an async copy, -1: it was
                      never committed, -2: not an async copy */
} tc_access;

/* ---- who waits, when nobody can go on or a run is cut short ---- */

typedef enum tc_wait_for {
    TC_WAIT_NONE, /* it executes, or loops */
    TC_WAIT_MBARRIER,
    TC_WAIT_BARRIER,
    TC_WAIT_CLUSTER,
    TC_WAIT_WARP,  /* for lanes of its own warp */
    TC_WAIT_TENSOR /* for columns of tensor memory */
} tc_wait_for;

/* Lanes of a warp. */
typedef struct tc_wait_lanes {
    uint32_t cta, warp, lanes;
    bool ended;
} tc_wait_lanes;

typedef struct tc_waiter {
    tc_wait_for what;
    uint32_t cta, warp, lanes;
    const tc_ptx_op *op;
    uint32_t barrier;         /* BARRIER: its number */
    uint32_t arrived, wanted; /* BARRIER, CLUSTER: threads */
    uint32_t need;            /* WARP: the lanes it waits for */
    /* MBARRIER */
    const tc_ptx_symbol *object; /* the variable it lies in, or NULL */
    uint32_t offset;             /* in object; else in shared memory */
    uint32_t phase, current;     /* that is waited for; that is under way */
    bool live;
    uint32_t pending, expected; /* arrivals */
    int32_t tx;
    int64_t announced, copied;   /* bytes, in this phase */
    const tc_wait_lanes *absent; /* arrived in the phase before, and not yet */
    int nabsent;
} tc_waiter;

/* What all of them together show. */
typedef enum tc_wait_reason {
    TC_REASON_NONE,
    TC_REASON_PHASE,  /* phase is not the current one, nor the one before it */
    TC_REASON_PARITY, /* the parity names phase current, which nobody began */
    TC_REASON_ALL_NEW /* mbarriers: who goes first waits for parity 1 */
} tc_wait_reason;

typedef struct tc_wait_list {
    const tc_waiter *list;
    int n, more; /* more: that are not listed */
    bool stuck;  /* nobody can go on: who waits for nothing loops */
    tc_wait_reason reason;
    uint32_t phase, current;     /* of the reason's mbarrier */
    uint32_t unstarted, running; /* CTAs that cannot start, and for whom; 0 */
} tc_wait_list;

/* ---- a finding ---- */

typedef struct tc_finding {
    tc_finding_kind kind;
    tc_ptx_space space;
    uint64_t address;  /* of the first byte: global virtual address, or offset
                          in the CTA's shared window */
    uint32_t bytes;    /* of the access at that place */
    uint32_t from, to; /* bytes [from, to) of the object that are wrong */
    tc_access at;      /* where it was noticed */
    tc_access cause;   /* the other side */
    tc_access other;   /* e.g. the insufficient wait */
    tc_missing missing;
    int64_t missing_n; /* n of the missing row */
    uint64_t lanes;    /* how many (thread, access) pairs fell to it */
    bool reader_first; /* of a turn: at stands before cause */
    bool apart;        /* some of the pairs are not of one warp */
    tc_detail detail;
    const tc_wait_list *waiters; /* or NULL */
} tc_finding;

/* ---- findings that are not told ---- */

typedef enum tc_suppression {
#define TC_SUPPRESSION(id, name, library, why, source) TC_SUPPRESSION_##id,
#include "sim/suppressions.def"
} tc_suppression;
enum {
    TC_SUPPRESSION_COUNT = 0
#define TC_SUPPRESSION(id, name, library, why, source) +1
#include "sim/suppressions.def"
};

typedef struct tc_suppression_row {
    const char *name, *why, *source;
    const char *const *library; /* NULL-terminated */
} tc_suppression_row;
extern const tc_suppression_row tc_suppressions[TC_SUPPRESSION_COUNT];

/* ---- the code around two instructions (core/code_span.c) ---- */

/* The function that has it, or NULL. */
const tc_ptx_func *tc_code_function(const tc_ptx_module *m,
                                    const tc_ptx_op *op);
/* Is there a loop that holds both? True where it cannot be known. */
bool tc_code_loops(const tc_ptx_module *m, const tc_ptx_op *a,
                   const tc_ptx_op *b);
/* Do both lie where some threads may not come, and no barrier of the CTA? */
bool tc_code_skipped(const tc_ptx_module *m, const tc_ptx_op *a,
                     const tc_ptx_op *b);

/* Is the op's operand an immediate, or a register that only moves of immediates
 * write? */
bool tc_code_constant(const tc_ptx_module *m, const tc_ptx_op *op,
                      const tc_ptx_operand *o);

/* A copy whose texts and lists are the arena's; ops and symbols stay the
 * module's. */
tc_finding tc_finding_copy(tc_arena *a, const tc_finding *f);
/* The same of waiters; NULL of NULL. */
const tc_wait_list *tc_wait_list_copy(tc_arena *a, const tc_wait_list *w);

#endif
