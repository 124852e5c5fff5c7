/* timing.h - what the timing model's files share: timing.c (scoreboard, costs
 * of single ops), sm.c (schedulers), grid.c (the grid's way over the SMs),
 * timing_ops.c (ops decoded for it). */
#ifndef TC_SIM_TIMING_H
#define TC_SIM_TIMING_H

#include "sim/memsys.h"
#include "sim/profile.h"

enum {
    TC_SCHEDULERS = 4,
    TC_SCHEDULER_WARPS = 32, /* 64 warps an SM, unevenly spread at worst */
    TC_LSU_QUEUE = 32        /* cycles of work that the LSU takes ahead */
};

/* An op as the scoreboard sees it; made once a launch. */
typedef struct tc_timing_op {
    uint32_t regs; /* first of its register numbers in tc_timing.regs: sources,
                      then destinations */
    uint8_t nsrc, ndst; /* of vectors beyond 255 only the first ones count */
    uint8_t unit, class;
    uint16_t latency, interval;
    uint8_t stall;   /* tc_stall: of who waits for its result */
    uint8_t chained; /* bit d: names a destination of the op d + 1 before it */
    bool lsu;        /* waits for a place in the LSU's queue */
} tc_timing_op;

enum { TC_WHEEL = 64 };

/* Warps that sleep, by the cycle at which they wake: one slot a cycle in (base,
 * base + 64]; far: later than that. Who was woken otherwise may still be in. */
typedef struct tc_wheel {
    uint64_t base, used; /* used: a bit a slot */
    uint64_t first;      /* of the far ones; UINT64_MAX: none */
    uint32_t far, slot[TC_WHEEL];
} tc_wheel;

/* A warp's place at a scheduler. */
typedef struct tc_place {
    tc_warp *warp;
    tc_warp_core *core; /* its own */
    uint64_t wake;      /* its operands are ready */
    uint64_t next;      /* its core's */
    uint8_t why;        /* not before (tc_stall) */
    uint8_t unit;       /* that its next op wants */
} tc_place;

typedef struct tc_scheduler {
    uint64_t due;  /* nothing to do before */
    uint64_t soon; /* the first of the sleepers wakes */
    /* Bits of warps: to be asked about; operands ready, and of those the ones
     * whose next op wants the LSU's queue, or a unit. The others sleep. */
    uint32_t ask, ready, memory;
    uint32_t lsu;    /* their next op goes to the LSU */
    uint32_t splits; /* one of their splits has its turn */
    uint32_t busy;   /* units that may not be free: a bit each */
    uint32_t nwarps, last;
    uint32_t wants[TC_PU_COUNT];
    uint64_t unit_free[TC_PU_COUNT];
    tc_wheel wheel;
    tc_place place[TC_SCHEDULER_WARPS];
} tc_scheduler;

/* One SM. */
typedef struct tc_sm {
    uint32_t index;
    uint32_t nctas; /* resident */
    uint64_t now;
    uint64_t lsu_free; /* the road through L1 and shared memory */
    tc_scheduler scheduler[TC_SCHEDULERS];
} tc_sm;

struct tc_timing {
    tc_run *run;
    const tc_profile *p;
    tc_memsys *memory;
    tc_timing_op *ops; /* by absolute index of the code */
    uint32_t *regs;
    uint32_t nready; /* registers of the largest function */
    tc_sm *sms;
    uint32_t nsms;
    tc_sm *at;        /* the SM that executes now */
    uint64_t arrives; /* of the access that executes now: when its result is
                         there; 0: it made none */
};

/* sm.c */
void tc_sm_add(tc_sm *sm, tc_warp *w);
void tc_sm_drop(tc_sm *sm, const tc_cta *c); /* its warps */
/* Runs the SM up to a cycle, or up to the end of a CTA (true: call it again).
 * *soonest: the next cycle with something to do; UINT64_MAX: when somebody
 * wakes a warp. */
bool tc_sm_run(tc_timing *t, tc_sm *sm, uint64_t end, uint64_t *soonest);

/* timing_ops.c */
void tc_timing_decode(tc_timing *t);
/* Registers of 32 bits a thread needs, at a guess: the most values that live
 * at one place of the code, and what an address and a call take. */
uint32_t tc_register_estimate(const tc_ptx_module *m, const tc_ptx_func *f);

/* Does the kernel have a loop that asks global memory for what others write? */
bool tc_timing_polls(const tc_run *r);

/* timing.c: a register's entry of the scoreboard is cycle << 4 | tc_stall. */
enum { TC_READY_SHIFT = 4 };
/* When the operands of the warp's next op are ready, and what keeps them; the
 * running split is chosen anew where its turn is over. UINT64_MAX: when
 * somebody wakes it. */
uint64_t tc_timing_when(tc_warp *w, tc_stall *why);

/* The same for the op at pc of a split that goes on. */
static inline uint64_t
tc_timing_operands(const tc_timing *t, const tc_warp_core *k, tc_stall *why) {
    const tc_timing_op *op = &t->ops[k->pc];
    const uint32_t *reg = &t->regs[op->regs];
    uint64_t latest = 0;
    if (k->settled >> TC_READY_SHIFT <= k->next && k->pc == k->last_pc + 1) {
        for (uint32_t m = op->chained; m; m &= m - 1) { /* all else is there */
            uint64_t at = k->last[(k->last_pc - (uint32_t)tc_first(m)) % 4];
            latest = at > latest ? at : latest;
        }
    } else {
        for (uint32_t i = 0, n = (uint32_t)op->nsrc + op->ndst; i < n; i++) {
            latest = k->ready[reg[i]] > latest ? k->ready[reg[i]] : latest;
        }
    }
    uint64_t at = latest >> TC_READY_SHIFT;
    *why = (tc_stall)(latest & ((1u << TC_READY_SHIFT) - 1));
    return k->next > at ? k->next : at;
}

#endif
