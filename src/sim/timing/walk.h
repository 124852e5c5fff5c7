/* walk.h - a warp's way through the machine code of its kernel: mcode.h. */
#ifndef TC_SIM_TIMING_WALK_H
#define TC_SIM_TIMING_WALK_H

#include "sim/timing/mcode.h"

enum { TC_WALK_RANGES = 24 };

/* What the functional run did that the clock has yet to charge. */
typedef struct tc_noted {
    uint64_t then;    /* the cycle at which the functional run did it */
    uint64_t address; /* of lane 0, the others follow side by side; */
    uint32_t where;   /* or, not TC_NO_OP, in tc_mcode_walk.addresses */
    uint32_t at;      /* the op, in the module's code */
    uint32_t serial;  /* of one execution of it */
    uint32_t mask;
    int32_t event; /* in the trace, or -1 */
    uint16_t bytes;
    uint32_t number; /* of the block of the PTX that it is of, in the order in
                        which they ran */
    uint8_t space;
    bool store, done, one;  /* one: its instruction is guarded, it is not */
    struct tc_batch *batch; /* a cp.async, or NULL */
} tc_noted;

typedef struct tc_mcode_walk {
    uint32_t op, end; /* instructions that issue now: of mcode */
    uint32_t block;   /* of the machine code, where the walk stands */
    uint32_t last;    /* the instruction whose effect comes next; TC_NO_OP */
    uint64_t board[TC_SASS_BOARDS]; /* as a register's entry of a scoreboard */
    uint32_t waits; /* 1 + the op that the functional run has come up to, which
                       the clock issues itself; 0: none */
    bool begun;     /* its first instruction has issued */
    uint32_t idle;  /* lanes that take no part, of the blocks that issue */
    uint32_t mask;  /* those that do */
    uint32_t range, nranges, nqueue;
    struct {
        uint32_t op, end;
    } ranges[TC_WALK_RANGES];
    struct {
        uint32_t block, mask;
        uint64_t from; /* tc_warp_place.ran before it */
    } * queue;         /* blocks of the PTX that have run */
    uint32_t cqueue;
    uint32_t serial;
    uint32_t asked;        /* ran, when tc_walk_still was last asked */
    uint32_t ran, laid[3]; /* blocks that have run; over which machine code was
                              laid, now and up to the two times before */
    uint32_t head, n, cap; /* accesses: [head, n) */
    tc_noted *accesses;
    /* Of a launch that stops: ops that have run, from the ran_from-th on; over
     * the first laid_end of them machine code was laid last. */
    uint32_t *ops, nran, cran, laid_end;
    uint64_t ran_from;
    uint64_t (*addresses)[TC_LANES];
    uint32_t naddresses, caddresses;
} tc_mcode_walk;

/* Is there an instruction to issue? */
static inline bool tc_walks(const tc_warp_core *k) {
    return k->walk && k->walk->op < k->walk->end;
}
static inline tc_timing_op *tc_walk_op(const tc_timing *t,
                                       const tc_warp_core *k) {
    return &t->mcode->ops[k->walk->op].op;
}

/* Are the instructions that issue still those of what had run when this was
 * last asked? The warp's own state is then as it was. */
bool tc_walk_still(tc_warp_core *k);

void tc_walk_start(tc_warp *w);
void tc_walk_free(tc_warp_core *k);
/* issued.c: a copy issues; what of it landed before (a policy may land it as it is
 * executed) has landed now. */
void tc_issued_landed(tc_run *r, const struct tc_batch *b);
/* Machine code is being laid over so many blocks of the queue. */
void tc_issued_laid(tc_warp_core *k, uint32_t used);
/* Runs the PTX ahead and lays machine code over it. False: what comes next is
 * an op that the clock issues itself. */
bool tc_walk_enter(tc_timing *t, tc_warp *w);
/* When the next instruction may issue, and what keeps it. */
uint64_t tc_walk_when(const tc_timing *t, const tc_warp_core *k, tc_stall *why);
void tc_walk_issue(tc_timing *t, tc_warp *w, uint64_t now);
/* The same for an op that the clock issues itself: when the scoreboards let it,
 * and what its instruction's control bits say once its result is due. */
uint64_t tc_walk_boards(const tc_timing *t, const tc_warp_core *k,
                        tc_stall *why);
void tc_walk_done(tc_timing *t, tc_warp_core *k, uint32_t at, uint64_t now,
                  uint64_t due);

/* mcode_ptx.c: how many blocks of the queue the machine block stands for, in
 * their order; 0: it does not fit. */
uint32_t tc_walk_fits(const tc_mcode *m, const tc_mcode_walk *x,
                      uint32_t block);
/* Chooses the machine block that stands for the most of the queue in any order,
 * where none fits. How many; 0: there is none. */
uint32_t tc_walk_takes(const tc_mcode *m, const tc_mcode_walk *x,
                       uint32_t *block);

/* The functional run's accesses are noted while t->ahead. */
void tc_walk_note(tc_timing *t, const tc_noted *a, const uint64_t *addresses);

#endif
