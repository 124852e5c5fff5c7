/* state.h - what a machine held at one cycle: registers, shared, local and
 * tensor memory, barriers and mbarriers, where every lane was. Made by running
 * again up to that cycle (tc_sim_launch.stops): the simulator is deterministic,
 * so the state is that of the run whose trace is looked at. The clock of machine
 * code executes warps ahead of it: what they hold then is of later cycles, and
 * the launch is run once more with .upto, where each warp is looked at before its
 * first op that had not issued and what it writes from there on is put back. Global memory is
 * where it is (tc_sim_find). Everything is in the simulator's arena and lives
 * as long as that. */
#ifndef TC_SIM_STATE_H
#define TC_SIM_STATE_H

#include "ptx/ptx.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct tc_state_split { /* lanes at one place */
    uint32_t mask;
    const tc_ptx_op *op; /* the next one, or the one they wait at */
    bool waits;
} tc_state_split;

typedef struct tc_state_warp {
    uint32_t valid, alive;   /* lanes */
    const tc_ptx_func *func; /* whose registers these are */
    uint32_t *r32;           /* [n32][32] */
    uint64_t *r64;           /* [n64][32] */
    uint32_t *pred;          /* [npred], a mask each */
    tc_state_split *splits;
    int nsplits;
    uint64_t ran, issued; /* ops: executed for this state; by the clock at most
                             so many had issued */
} tc_state_warp;

typedef struct tc_state_mbarrier {
    uint32_t offset, phase; /* phases completed since init */
    uint32_t pending, expected;
    int32_t tx; /* bytes announced and not yet arrived */
} tc_state_mbarrier;

typedef struct tc_state_barrier { /* one that some threads have come to */
    uint32_t id;                  /* 16: the cluster's */
    uint32_t arrived, wanted;     /* threads, as it counts them */
    const tc_ptx_op *op;          /* of the first to come */
} tc_state_barrier;

enum { TC_STATE_COLUMNS = 512, TC_STATE_LANES = 128 };

typedef struct tc_state_cta {
    uint32_t index;
    uint8_t *shared;
    uint32_t nshared;
    uint8_t *local; /* nlocal bytes a thread of each warp's 32; NULL: the
                       kernel has none, or all CTAs too much to copy */
    uint64_t nlocal;
    uint32_t *tensor;    /* [lane][column] of tensor memory; NULL: none */
    uint16_t *allocated; /* of each 32 columns: who has them; 0: nobody */
    tc_state_barrier *barriers;
    int nbarriers;
    tc_state_warp *warps;
    uint32_t nwarps;
    tc_state_mbarrier *mbarriers;
    int nmbarriers;
} tc_state_cta;

typedef struct tc_sim_state {
    uint64_t cycle;
    tc_state_cta *ctas; /* the resident ones */
    uint32_t nctas;
} tc_sim_state;

/* Do warps hold what they have not issued yet? The launch is to be run again, up
 * to this state. */
bool tc_state_ahead(const tc_sim_state *s);

/* The value of a register in a lane, zero-extended; a predicate is 0 or 1. */
uint64_t tc_state_register(const tc_state_warp *w, const tc_ptx_reg *r,
                           int lane);

#endif
