/* own.h - machine code of our own making, where ptxas is not there: the PTX in
 * the order in which a compiler would issue it.
 *
 * Blocks of the PTX become blocks of the machine code: a small branch is
 * predicated, a counted loop is unrolled. Of their ops some vanish (parameters,
 * copies of registers, what is fused into the next one), some are several, loads
 * of neighbours in shared memory become one; what is left is ordered by a list
 * schedule and gets stall counts and scoreboards. What execution does is the
 * PTX's all the same: the walk (mcode.h) lays these blocks over what ran. */
#ifndef TC_SIM_TIMING_OWN_H
#define TC_SIM_TIMING_OWN_H

#include "sim/timing/mcode.h"

#define TC_OWN_LIVE (UINT32_C(1) << 31) /* of an edge: a register's entry */
enum { TC_OWN_SOURCES = 6, TC_OWN_NO_BOARD = 7 };

/* A machine instruction to be. */
typedef struct tc_own_cell {
    uint32_t at; /* its op, in the module's code */
    uint32_t in; /* its edges: cells, or entries that earlier blocks set */
    uint16_t nin, latency, interval;
    uint8_t unit, class, bytes, words;
    bool board;    /* who needs its result waits for a scoreboard */
    bool access;   /* takes accesses */
    bool guarded;  /* may not be executed */
    bool flag;     /* its result is a predicate */
    bool last;     /* it comes last: a branch, or what executes by itself */
    uint32_t same; /* another cell does its work; TC_NO_OP */
    uint32_t weight, start, place; /* of the schedule */
    uint8_t set;                   /* its scoreboard */
} tc_own_cell;

/* Where the result of a register comes from, in the block that is made. */
typedef struct tc_own_value {
    uint32_t epoch, version;
    uint32_t n, from[TC_OWN_SOURCES];
} tc_own_value;

/* A load of shared memory that others may join. */
typedef struct tc_own_load {
    uint32_t cell, reg, version, stores;
    int64_t at;
} tc_own_load;

typedef struct tc_own {
    const tc_timing *t;
    tc_mcode *m;
    const tc_ptx_func *f;
    const tc_ptx_op *code;
    bool *waits;                /* by op of f */
    bool *fused;                /* by op of f: a part of the op that reads it */
    bool *joined;               /* by op of f: one is a part of it */
    uint32_t *nread, *nwritten; /* by entry of the scoreboard */
    uint32_t *reader, *writer;  /* the last of them */
    uint32_t *other;            /* the writer before that one */
    uint8_t *boards;            /* by entry: of its definitions, anywhere */
    uint8_t specials[TC_SR_COUNT]; /* that have been read */
    /* of the block that is made */
    tc_own_value *values;
    uint32_t epoch;
    tc_own_cell *cells;
    uint32_t *edges;
    uint32_t ncells, ccells, nedges, cedges;
    uint32_t store[TC_PS_TENSOR + 1]; /* the last cell that writes the space */
    uint32_t nstores;                 /* to shared memory */
    uint32_t *loads;                  /* cells that read since */
    uint32_t nloads, cloads;
    tc_own_load *shared;
    uint32_t nshared, cshared;
    /* of all */
    uint32_t cops, clive;
    struct tc_own_use {
        uint32_t op, entry; /* an instruction reads what other blocks set */
    } * live;
    uint32_t nlive;
} tc_own;

/* own.c: who is read by whom, what is fused; then the cells of an op (guard: the
 * entry of a branch's predicate that it hangs on, or TC_NO_OP; copy: a further
 * one of the same loop follows). */
void tc_own_read(tc_own *o);
void tc_own_free(tc_own *o);
void tc_own_begin(tc_own *o);
void tc_own_add(tc_own *o, uint32_t at, uint32_t guard, bool copy);
/* The branch, or the op that waits, which ends the block. */
void tc_own_end(tc_own *o, uint32_t at);
/* own_join.c: joins loads; the cells are complete. */
void tc_own_join(tc_own *o);
/* Is it the step of a loop's counter, by a constant? */
bool tc_own_steps(const tc_own *o, uint32_t at);

/* schedule.c: orders the cells and appends them to the machine code. */
void tc_own_schedule(tc_own *o, tc_mcode_block *b);
/* Appends an instruction that needs nothing. */
void tc_own_put(tc_own *o, const tc_timing_op *op, uint8_t stall);
/* Waits for what other blocks have set. */
void tc_own_settle(tc_own *o);

/* blocks.c: the whole. why: as tc_mcode_new's. */
tc_mcode *tc_own_new(const tc_timing *t);

#endif
