/* code.h - the code of a launch as its loops execute it. */
#ifndef TC_SIM_CORE_CODE_H
#define TC_SIM_CORE_CODE_H

#include "sim/core/warp.h"

/* Executes one op for the lanes of mask (guard already applied). An ALU op
 * reads its sources and writes its destination and does nothing else. */
typedef void tc_sim_op_fn(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

#define TC_PTX_OP(id, ...) tc_sim_op_fn tc_sim_op_##id;
#include "ptx/ops.def"

/* ---- code as the loops execute it: one entry an op, made at the launch.
 * Which function an entry names says who observes: no op tests for it. ---- */
typedef struct tc_code {
    tc_sim_op_fn *fn;
    const tc_ptx_op *op;
    int32_t guard; /* predicate slot, or -1 */
    uint32_t flip; /* all ones for @!p */
    /* The fast path (fast/fast.h): */
    uint32_t run;        /* so many ops from here on take it, one after the
                            other; 0: this one does not */
    uint32_t entry;      /* of them the first entry; the next one's is here */
    struct tc_fast *one; /* this op's entry, or NULL */
    bool fast, last;     /* has one; is the last of its function */
    bool branch;         /* bra */
    bool light;          /* leaves the warp clean */
    bool unread;         /* an atomic whose answer nobody reads */
    uint32_t ahead; /* so many ops from here on work on the warp's own registers
                       alone: nobody sees when */
} tc_code;

/* ---- the fast path: entries that fast/ makes of ops ---- */

typedef struct tc_fast tc_fast;
/* Runs an entry for the lanes of mask; returns the entry that follows, or the
 * end of all entries when the op left the straight line (a fault). */
typedef tc_fast *tc_fast_fn(tc_warp *w, tc_fast *x, uint32_t mask);

/* How the lanes of an access lay last time: so far apart from lane 0. */
typedef struct tc_fast_shape {
    uint64_t apart[TC_LANES];
    uint32_t at[TC_LANES];    /* the same */
    uint32_t most;            /* of them */
    uint32_t same, next;      /* how lanes follow each other: tc_lane_steps */
    uint8_t chunks[TC_LANES]; /* patterns of the vectors: spots.inc */
    bool known;
} tc_fast_shape;

struct tc_fast {
    tc_fast_fn *fn[2]; /* for all living lanes; for some of them */
    uint64_t a, b, c;  /* source rows: offsets in the warp's file, or (m 0)
                          addresses of constant rows */
    uint32_t d;        /* offset of the destination row; predicate slot */
    int8_t ma, mb, mc; /* all ones: a, b, c are offsets */
    uint8_t space;     /* of an access: tc_ptx_space */
    uint64_t imm;      /* displacement; or what the handler says */
    tc_sim_allocation *recent; /* of an access: the last allocation hit */
    tc_fast_fn *inner[2];      /* under a guard: what it guards */
    int32_t guard;             /* predicate slot */
    uint32_t flip;             /* all ones for @!p */
    int32_t q, p;              /* second destination, source predicate, -1 */
    uint32_t neg;              /* all ones: p is negated */
    uint32_t at;               /* index of the op in the module's code */
    uint32_t e[3];             /* further rows of a vector */
    uint32_t sub;              /* TC_BOOL_* of a comparison; of an access 1:
                                  its base has 32 bits, 2: the frame */
    uint8_t kind;              /* tc_fast_kind */
    uint16_t id;               /* tc_fast_id */
    tc_fast_shape *shape;      /* of an access, or NULL */
    uint8_t apart; /* of an access: so often it is not looked whether the lanes
                      lie side by side */
};

/* Rows that the registers of the launched kernel have, by slot. Those that are
 * never needed at the same time share one. of32 NULL: each has its own. */
typedef struct tc_fast_rows {
    uint32_t *of32, *of64;
    uint32_t n32, n64;
    /* Registers that are read before they are written: 32-bit file, 64-bit,
     * predicates. */
    uint32_t *zero;
    uint32_t nzero;
} tc_fast_rows;

#endif
