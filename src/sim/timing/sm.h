/* sm.h - what the timing model's files share: issue.c (scoreboard, costs
 * of single ops), sm.c (schedulers), grid.c (the grid's way over the SMs),
 * ops.c (ops decoded for it). */
#ifndef TC_SIM_TIMING_SM_H
#define TC_SIM_TIMING_SM_H

#include "sim/timing/memsys.h"
#include "sim/timing/profile.h"
#include "sim/timing/timing.h"

enum {
    TC_SCHEDULERS = 4,
    TC_SCHEDULER_WARPS = 32, /* 64 warps an SM, unevenly spread at worst */
    TC_LSU_QUEUE = 32,       /* cycles of work that the LSU takes ahead */
    TC_WHEEL = 64,
    TC_ATOMICS = 64, /* that an SM has under way: [H] eight warps' reds of 32
                        words follow each other 4.9 cycles apart */
    TC_NAMED = 4
};

/* issued.c: the trace's stretches; only with a trace. A warp stalled for so
 * many cycles of one cause; it issues the op at its pc now; it ends, or the run
 * does. */
void tc_stretch_stalled(tc_warp_core *k, tc_stall cause, uint64_t cycles);
void tc_stretch_issue(tc_warp *w, uint64_t now, const tc_ptx_op *op);

/* An op as the scoreboard sees it; made once a launch. */
typedef struct tc_timing_op {
    /* Entries of the scoreboard that it names, sources and destinations; all
     * of them when they are at most TC_NAMED. */
    uint32_t named[TC_NAMED];
    uint32_t result; /* of its first destination */
    uint16_t latency, interval;
    uint16_t busy; /* its unit's bit, if it takes it for more than two cycles */
    uint8_t unit, class;
    uint8_t stall;      /* tc_stall: of who waits for its result */
    bool lsu;           /* waits for a place in the LSU's queue */
    bool many;          /* names more than TC_NAMED, or has several results: */
    uint8_t nsrc, ndst; /* of vectors beyond 255 only the first ones count */
    uint32_t regs;      /* the first of them in tc_timing.regs: sources, then
                           destinations */
    uint64_t issued;    /* by warps, so far */
} tc_timing_op;

/* Warps that sleep, by the cycle at which they wake: one slot a cycle in (base,
 * base + 64]; far: later than that. */
typedef struct tc_wheel {
    uint64_t base, used; /* used: a bit a slot; a slot may be empty all the same
                          */
    uint64_t first;      /* of the far ones, or earlier; UINT64_MAX: none */
    uint32_t far, slot[TC_WHEEL];
} tc_wheel;

/* A warp's slot of a scheduler. */
typedef struct tc_slot {
    tc_warp *warp;
    tc_warp_core *core; /* its own */
    tc_timing_op *op;   /* its next one; NULL: not asked yet */
    uint64_t wake;      /* its operands are ready; not before since */
    uint64_t since;     /* cycles before are accounted for: of its last issue */
    uint32_t bit;       /* its own, of all masks */
    uint8_t why;        /* not before wake (tc_stall) */
} tc_slot;

typedef struct tc_scheduler {
    /* Bits of warps: to be asked about; operands ready. The others sleep. */
    uint32_t ask, ready;
    uint32_t splits; /* one of their splits has its turn */
    uint32_t lsu;    /* their next op goes to the LSU */
    uint32_t busy;   /* units that may be taken for longer: a bit each */
    uint32_t nwarps, last;
    uint32_t held;      /* a unit that is taken for two cycles: */
    uint64_t held_till; /* from then on it is free */
    tc_wheel wheel;
    uint32_t wants[TC_PU_COUNT];     /* warps whose next op goes to the unit */
    uint64_t unit_free[TC_PU_COUNT]; /* it is, from this cycle on */
    tc_slot slot[TC_SCHEDULER_WARPS];
} tc_scheduler;

/* Bytes before they were written: issued.c. */
typedef struct tc_undo {
    uint8_t *at, was[32];
    uint32_t n;
} tc_undo;

/* One SM. */
typedef struct tc_sm {
    uint32_t index;
    uint32_t nctas; /* resident */
    uint64_t now;
    uint64_t launch;              /* the next CTA may begin */
    uint64_t constants;           /* the kernel's parameters are there */
    uint64_t atomics[TC_ATOMICS]; /* the last ones' ends, in a ring */
    uint32_t natomics;
    uint64_t lsu_free;           /* the path through L1 and shared memory */
    uint64_t lands;              /* the last copy to shared memory has landed */
    uint64_t issued, overlapped; /* by its warps; of these: before a landing */
    uint64_t due[TC_SCHEDULERS]; /* a scheduler has nothing to do before */
    tc_scheduler scheduler[TC_SCHEDULERS];
} tc_sm;

struct tc_timing {
    tc_run *run;
    const tc_profile *p;
    tc_memsys *memory;
    tc_slab *tags;     /* its caches' */
    tc_timing_op *ops; /* by absolute index of the code */
    uint32_t *regs;
    uint32_t nready;  /* entries of a warp's scoreboard */
    uint64_t drained; /* the last atomic in L2 is done */
    uint64_t own;  /* ops that issued while a copy of their warp's was in flight
                       */
    uint64_t idle; /* lanes that took no part in ops that issued, together */
    tc_sm *sms;
    uint32_t nsms;
    tc_sm *at;              /* the SM that executes now */
    struct tc_mcode *mcode; /* that the warps walk; NULL: they issue the PTX */
    struct tc_mcode_walk *ahead; /* of the warp that runs ahead now, or NULL */
    bool own_code;               /* it is of our own making (own.h) */
    const char *not_mcode;       /* why it is not ptxas'; NULL: it is */
    uint64_t laid, unlaid; /* blocks of the machine code that issued; of which
                               the PTX's did not say that it was they */
    uint64_t jumps;        /* to a block that does not follow */
    tc_undo *undo;
    size_t nundo, cundo;
    uint64_t arrives; /* of the access that executes now: when its result is
                         there; 0: it made none */
};

/* sm.c */
void tc_sm_add(tc_sm *sm, tc_warp *w, uint64_t begins);
/* The cycle of a CTA's first warp; all its warps have been added. */
uint64_t tc_sm_launch(const tc_timing *t, tc_sm *sm);
void tc_sm_launched(const tc_timing *t, tc_sm *sm, uint32_t nwarps);
void tc_sm_drop(tc_sm *sm, const tc_cta *c); /* its warps */
/* Runs the SM up to a cycle, or up to the end of a CTA (true: call it again).
 * *soonest: the next cycle with something to do; UINT64_MAX: when somebody
 * wakes a warp. */
bool tc_sm_run(tc_timing *t, tc_sm *sm, uint64_t end, uint64_t *soonest);

/* ops.c */
/* What who waits for the result of an op of the class is said to wait for. */
tc_stall tc_timing_stall(tc_class c);
void tc_timing_decode(tc_timing *t);
/* Does the kernel have a loop that asks global memory for what others write? */
bool tc_timing_polls(const tc_run *r);

/* issue.c: a register's entry of the scoreboard is cycle << 4 | tc_stall.
 * Before the registers' stand two others: what is always ready, and where
 * results go that nobody waits for. */
enum { TC_READY_SHIFT = 4, TC_ENTRY_NONE = 0, TC_ENTRY_LOST, TC_ENTRIES };
/* When the operands of the warp's next op are ready, and what keeps them; the
 * running split is chosen anew where its turn is over. UINT64_MAX: when
 * somebody wakes it. */
uint64_t tc_timing_when(tc_warp *w, tc_stall *why);
/* The same of a warp none of whose splits can go on. */
uint64_t tc_timing_asleep(const tc_warp *w, tc_stall *why);
/* Counters of the ops that issued. */
void tc_timing_count(const tc_timing *t, tc_sim_counters *c);

static inline uint64_t tc_timing_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The same for an op of a split that goes on. */
static inline uint64_t tc_timing_operands(const tc_timing *t,
                                          const tc_warp_core *k,
                                          const tc_timing_op *op,
                                          tc_stall *why) {
    const uint64_t *ready = k->ready;
    uint64_t a = tc_timing_later(ready[op->named[0]], ready[op->named[1]]);
    uint64_t b = tc_timing_later(ready[op->named[2]], ready[op->named[3]]);
    uint64_t latest = tc_timing_later(a, b);
    if (op->many) {
        const uint32_t *reg = &t->regs[op->regs];
        for (uint32_t i = 0, n = (uint32_t)op->nsrc + op->ndst; i < n; i++) {
            latest = tc_timing_later(latest, ready[reg[i]]);
        }
    }
    *why = (tc_stall)(latest & ((1u << TC_READY_SHIFT) - 1));
    return tc_timing_later(k->next, latest >> TC_READY_SHIFT);
}

#endif
