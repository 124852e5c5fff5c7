/* warp.h - a warp: its lanes, its splits, its turns. */
#ifndef TC_SIM_CORE_WARP_H
#define TC_SIM_CORE_WARP_H

#include "sim/core/frame.h"

/* One warp's registers and lanes. Register r of the 32-bit file is the array
 * r32[r][0..31], one word a lane. */
struct tc_warp {
    uint32_t (*r32)[TC_LANES];
    uint64_t (*r64)[TC_LANES];
    uint32_t *pred; /* one mask a predicate */
    /* Rows of r32 and r64 that registers have, by slot; NULL: each its own
     * (fast/regalloc.c). */
    const uint32_t *rows32, *rows64;
    uint32_t carry; /* the carry flag of each lane (PTX ISA 9.7.2) */
    struct tc_cta *cta;
    uint32_t index; /* within the CTA */
    uint32_t valid; /* lanes that exist: the last warp may be partial */
    uint32_t alive; /* lanes that have not ended */
    struct tc_warp_core *core; /* scheduling, barriers, groups: core files */
    /* The running split's frame, whose registers r32, r64 and pred are. */
    struct tc_frame *frame;
    const tc_ptx_func *func; /* frame->func */
};
/* The row of a register. */
static inline uint32_t *tc_row32(const tc_warp *w, uint32_t slot) {
    return w->r32[w->rows32 ? w->rows32[slot] : slot];
}
static inline uint64_t *tc_row64(const tc_warp *w, uint32_t slot) {
    return w->r64[w->rows64 ? w->rows64[slot] : slot];
}
/* ---- warps: lanes that share a pc form a split (independent thread
 * scheduling). The running split lives in core->{pc,mask}. ---- */
typedef enum tc_split_state {
    TC_SPLIT_READY,
    TC_SPLIT_BARRIER, /* at bar.sync / barrier.sync */
    TC_SPLIT_WARP,    /* at an op that wants all lanes of need together */
    TC_SPLIT_UNTIL,   /* until a cycle: nanosleep, wait_group under timing */
    TC_SPLIT_HUNG,    /* branches to itself for ever */
    TC_SPLIT_CLUSTER, /* at barrier.cluster.wait */
    TC_SPLIT_TENSOR   /* at tcgen05.alloc: no room, or no peer yet */
} tc_split_state;

struct tc_split {
    tc_frame *frame;
    uint32_t pc, mask;
    uint8_t state;       /* tc_split_state */
    uint8_t barrier;     /* BARRIER: its id */
    uint32_t count;      /* BARRIER: threads that it wants, 0 all */
    uint32_t need;       /* WARP: the lanes */
    uint64_t until;      /* UNTIL */
    uint64_t since;      /* cycle of the block, for the trace */
    uint64_t stamp;      /* when it last had a turn */
    uint32_t mbarrier;   /* UNTIL: its offset + 1, where a try_wait waits */
    uint32_t mphase;     /* for this phase of it */
    const tc_ptx_op *op; /* where it waits */
};

/* An mbarrier wait that returned false. */
typedef struct tc_poll {
    const tc_ptx_op *op; /* NULL: none yet */
    uint32_t offset, phase;
    uint64_t progress; /* of the run then */
} tc_poll;

enum { TC_BARRIERS = 16 };

/* timing/issued.c: what the trace will be told of a warp's cycles. */
typedef struct tc_warp_stretch {
    uint64_t begin, end; /* it issued in [begin, end) */
    uint32_t issued;     /* so often; 0: nothing yet */
    const tc_ptx_op *op; /* the last one */
    uint64_t most;       /* since then: the longest stall of one cause */
    uint8_t cause;       /* and which: tc_stall */
} tc_warp_stretch;

/* Of a launch that stops: ops that the warp has executed; before which of them
 * it is looked at, and then what it held (state.c). */
typedef struct tc_warp_place {
    uint64_t ran, until;
    struct tc_state_warp *seen; /* NULL: not yet */
} tc_warp_place;

typedef struct tc_warp_core {
    /* Every op looks at these: together. */
    uint32_t pc, mask;
    uint32_t limit; /* the loop goes on while pc < limit; 0 stops it */
    int cur, nsplit;
    uint32_t moved;   /* splits, a bit each, that others may have met since they
                       were last looked at: warp.c, merge */
    uint32_t line_pc; /* a stretch of the fast path begins here, */
    uint64_t line_cycle; /* with this cycle */
    /* timing/issue.c */
    uint64_t *ready;   /* cycle when a register is ready: pred, 32, 64 */
    uint64_t next;     /* earliest cycle of the next issue */
    uint64_t turn_end; /* another split may go then */
    uint64_t accessed; /* the last access to global memory; 0: none */
    struct tc_mcode_walk
        *walk;      /* timing/walk.c; NULL: the clock issues the PTX */
    uint64_t lands; /* the last of its cp.async has landed then */
    uint32_t ahead; /* so many ops from pc on are executed already, and have
                          yet to issue */

    /* Who starts a CTA, or ends it, looks at these too. */
    tc_split *split, one; /* as many as lanes once it was divided; else &one */
    tc_frame *frames;     /* all of them; the kernel's is the last */
    uint32_t *ask, ask_bit; /* timing/sm.c: its scheduler's list of warps to be
                               asked about; NULL without a clock */
    uint64_t *due;          /* and when that one has anything to do */
    uint64_t ran, turn_begin; /* without a clock: ops of its turns before, and
                                 the cycle at which this one began; */
    uint64_t waited;          /* and for its cp.async, at a guess */
    uint64_t turns;
    uint64_t selected; /* splits that had a turn */
    /* Endless loops: the state at an earlier turn (Brent's method). */
    uint64_t loop_turn, loop_power;
    tc_batch *batches, **tail;         /* not landed, or not yet waited for */
    struct tc_mbarrier_copies *copies; /* async/mbarrier_copies.c */
    tc_poll *poll;        /* the last of each lane; NULL: none so far */
    uint32_t short_turns; /* so many turns are short: it was seen to spin */
    bool clean; /* only ops that touch nothing but registers, memory and lanes
                   have run since tc_warp_start */
    bool again; /* its last op will be executed once more */
    bool looping, spinning; /* spinning: but for lanes that still sleep */

    uint64_t loop_hash, loop_progress, loop_selected, loop_cycle;
    uint64_t loop_next; /* .next when it was last looked at */
    uint64_t nbatches;  /* issued so far */
    /* Of each lane: when its wait for groups or for an mbarrier, which blocks,
     * began; else 0. */
    uint64_t wait_since[TC_LANES];
    uint64_t tensor_begin; /* a tcgen05.wait or wgmma.wait_group that blocks, or
                              0 */
    /* async/mbarrier_ops.c: lanes whose try_wait is issued again, because the
     * phase completed, or time ran out. */
    uint32_t mb_passed, mb_expired;
    uint32_t mb_ever; /* lanes that have passed an mbarrier wait */
    /* isa/cluster.c: lanes that have arrived in the phase that is not complete;
     * in one that is, and have not waited yet. */
    uint32_t cl_arrived, cl_owed;
    const tc_ptx_op *cl_op; /* the last arrive */
    uint64_t cl_since;      /* when a wait that blocks began, else 0 */
    uint64_t cl_done; /* the clock: the last phase's end is known here then */
    uint64_t polls;   /* mbarrier waits that returned false */
    uint64_t poll_progress;
    uint64_t asked; /* strong loads, atomics and waits in vain */
    /* async/wgmma.c: groups committed; when the tensor core is free; the
     * registers that have been touched since the last wgmma.fence, a bit each,
     * or NULL: there has been none. */
    uint32_t wgmma_groups;
    uint64_t wgmma_free;
    uint8_t *wgmma_touched;
    uint32_t ncommit[TC_LANES];
    uint32_t arrived[TC_BARRIERS]; /* lanes that arrived without waiting */
    uint32_t nbulk[TC_LANES];      /* bulk groups committed: async/transfer.c */
    tc_warp_stretch stretch;
    tc_warp_place place;
    uint64_t sp[TC_LANES]; /* end of each lane's stack in local memory */
} tc_warp_core;

/* Gives the warp a turn: runs ready splits until the deadline, or until none
 * is ready. Returns false if no split could run. */
bool tc_warp_turn(tc_warp *w);
void tc_warp_start(tc_warp *w, uint32_t pc);
void tc_warp_free(tc_warp *w); /* what its core owns */
/* Chooses the split to run next into core->{cur,pc,mask,limit}. */
bool tc_warp_select(tc_warp *w);
void tc_warp_save(tc_warp *w); /* core->{pc,mask} back into its split */
/* Lanes of the running split leave it for a split of their own. Returns it. */
tc_split *tc_warp_detach(tc_warp *w, uint32_t lanes, uint32_t pc);
/* Blocks the lanes at state; they go on at pc. Returns the split. */
tc_split *tc_warp_block(tc_warp *w, uint32_t lanes, uint32_t pc,
                        tc_split_state state, const tc_ptx_op *op);
void tc_warp_release(tc_warp *w, tc_split *s, uint64_t at);
/* Their wait blocks, from now on or already; they go on: since when all of them
 * have waited, at the latest now. */
void tc_warp_wait(tc_warp *w, uint32_t lanes);
uint64_t tc_warp_waited(tc_warp *w, uint32_t lanes);
void tc_warp_kill(tc_warp *w, uint32_t lanes); /* they exit */
bool tc_warp_loops(tc_warp *w); /* its state has come back: endless */
/* True when all lanes of need that live are in mask; else blocks mask at op
 * until they are. */
bool tc_warp_converged(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       uint32_t need);

#endif
