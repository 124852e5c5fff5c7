/* internal.h - the state that sim/'s files share. */
#ifndef TC_SIM_INTERNAL_H
#define TC_SIM_INTERNAL_H

#include "ptx/ptx.h"
#include "sim/sim.h"

enum { TC_LANES = 32 };

/* Generic address space (PTX ISA 5.1, 9.7.9.20 cvta): windows of shared and
 * local memory; everything else is global. Window offset 0 of shared memory is
 * generic address TC_WINDOW_SHARED. */
#define TC_WINDOW_SHARED UINT64_C(0x0000010000000000)
#define TC_WINDOW_LOCAL  UINT64_C(0x0000020000000000)
#define TC_WINDOW_PARAM  UINT64_C(0x0000030000000000)
#define TC_WINDOW_BYTES  UINT64_C(0x0000000100000000)

typedef struct tc_warp tc_warp;
typedef struct tc_cta tc_cta;
typedef struct tc_run tc_run;
typedef struct tc_hazard tc_hazard;     /* race/race.h: of a launch */
typedef struct tc_hz_cta tc_hz_cta;     /* race/race.h: of a CTA */
typedef struct tc_hz_copy tc_hz_copy;   /* race/race.h: of one cp.async */
typedef struct tc_hz_agent tc_hz_agent; /* race/race.h: of one transfer */
typedef struct tc_timing tc_timing;     /* timing/issue.c */
typedef struct tc_slab tc_slab;         /* slab.c */

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

/* Registers and place in local memory of one function at one depth of calls:
 * lanes that are there share it, each with its own columns. */
typedef struct tc_frame {
    struct tc_frame *next; /* of all frames of the warp */
    const tc_ptx_func *func;
    uint32_t depth; /* 0: the kernel */
    uint64_t base;  /* of its .local and .param, in local memory */
    uint32_t (*r32)[TC_LANES];
    uint64_t (*r64)[TC_LANES];
    uint32_t *pred;
    uint32_t n32, n64;                 /* rows of r32 and r64 */
    const uint32_t *rows32, *rows64;   /* as tc_warp's */
    struct tc_frame *caller[TC_LANES]; /* of each lane */
    uint32_t call[TC_LANES];           /* the op that called, absolute index */
    bool slab;                         /* r32 and r64 are the slab's */
} tc_frame;

/* The row of a register. */
static inline uint32_t *tc_row32(const tc_warp *w, uint32_t slot) {
    return w->r32[w->rows32 ? w->rows32[slot] : slot];
}
static inline uint64_t *tc_row64(const tc_warp *w, uint32_t slot) {
    return w->r64[w->rows64 ? w->rows64[slot] : slot];
}

/* Executes one op for the lanes of mask (guard already applied). An ALU op
 * reads its sources and writes its destination and does nothing else. */
typedef void tc_sim_op_fn(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

#define TC_PTX_OP(id, name, section, unit, family) tc_sim_op_fn tc_sim_op_##id;
#include "ptx/ops.def"

/* A source operand of any kind as 32 values: a register's own array, or tmp
 * filled with the value (immediates, specials, symbols). */
const uint32_t *tc_src32(tc_warp *w, const tc_ptx_operand *o, uint32_t *tmp);
const uint64_t *tc_src64(tc_warp *w, const tc_ptx_operand *o, uint64_t *tmp);
/* A predicate operand as a mask, its negation applied. */
uint32_t tc_src_pred(tc_warp *w, const tc_ptx_operand *o);
/* Value of a special register for a lane. Core files. */
uint64_t tc_special(tc_warp *w, tc_ptx_special s, int lane);
/* Address that a symbol's name denotes as a value (generic for GLOBAL and
 * CONST, window offset for SHARED, LOCAL, PARAM). Core files. */
uint64_t tc_symbol_address(tc_warp *w, uint32_t symbol);

/* ---- code as the loops execute it: one entry an op, made at the launch.
 * Which function an entry names says who observes: no op tests for it. ---- */
typedef struct tc_code {
    tc_sim_op_fn *fn;
    const tc_ptx_op *op;
    int32_t guard; /* predicate slot, or -1 */
    uint32_t flip; /* all ones for @!p */
    /* The fast road (fast/fast.h): */
    uint32_t run;        /* so many ops from here on take it, one after the
                            other; 0: this one does not */
    uint32_t entry;      /* of them the first entry; the next one's is here */
    struct tc_fast *one; /* this op's entry, or NULL */
    bool fast, last;     /* has one; is the last of its function */
    bool branch;         /* bra */
    bool light;          /* leaves the warp clean */
    uint32_t ahead; /* so many ops from here on work on the warp's own registers
                       alone: nobody sees when */
} tc_code;

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

typedef struct tc_split {
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
} tc_split;

/* One cp.async of one warp whose bytes have not all been accounted for. */
typedef struct tc_batch {
    struct tc_batch *next; /* in issue order */
    const tc_ptx_op *op;
    uint32_t mask;              /* lanes that issued */
    uint32_t landed;            /* bytes are in shared memory */
    uint32_t done;              /* a wait of the lane covers it */
    uint32_t tracked;           /* an mbarrier has been told */
    uint64_t serial;            /* ordinal in the warp */
    int32_t group[TC_LANES];    /* ordinal in the lane, -1 not committed */
    uint32_t dst[TC_LANES];     /* offset in the shared window */
    uint64_t src[TC_LANES];     /* global address */
    uint8_t src_size[TC_LANES]; /* bytes read; the rest is zero */
    uint64_t complete;          /* timing: when the bytes arrive */
    int32_t event;              /* its ISSUE in the trace */
    uint32_t queued;            /* events that still name it */
    tc_hz_copy *hz;             /* the checker's view, or NULL */
} tc_batch;

/* An mbarrier wait that returned false. */
typedef struct tc_poll {
    const tc_ptx_op *op; /* NULL: none yet */
    uint32_t offset, phase;
    uint64_t progress; /* of the run then */
} tc_poll;

enum { TC_BARRIERS = 16 };

typedef struct tc_warp_core {
    /* Every op looks at these: together. */
    uint32_t pc, mask;
    uint32_t limit; /* the loop goes on while pc < limit; 0 stops it */
    int cur, nsplit;
    uint32_t line_pc;    /* a stretch of the fast road begins here, */
    uint64_t line_cycle; /* with this cycle */
    /* timing/issue.c */
    uint64_t *ready;   /* cycle when a register is ready: pred, 32, 64 */
    uint64_t next;     /* earliest cycle of the next issue */
    uint64_t turn_end; /* another split may go then */
    uint64_t accessed; /* the last access to global memory; 0: none */
    uint32_t ahead;    /* so many ops from pc on are executed already, and have
                          yet to issue */

    /* Who starts a CTA, or ends it, looks at these too. */
    tc_split *split, one; /* as many as lanes once it was divided; else &one */
    tc_frame *frames;     /* all of them; the kernel's is the last */
    uint32_t *ask, ask_bit; /* timing/sm.c: its scheduler's list of warps to be
                               asked about; NULL without a clock */
    uint64_t *due;          /* and when that one has anything to do */
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
    uint64_t nbatches;   /* issued so far */
    uint64_t wait_begin; /* a wait that blocks: when it began, else 0 */
    uint64_t bulk_begin; /* a wait for bulk groups that blocks, or 0 */
    /* async/mbarrier_ops.c: lanes whose try_wait is issued again, because the
     * phase completed, or time ran out; when the oldest one that waits began.
     */
    uint32_t mb_passed, mb_expired;
    uint64_t mb_since;
    uint32_t mb_ever; /* lanes that have passed an mbarrier wait */
    /* isa/cluster.c: lanes that have arrived in the phase that is not complete;
     * in one that is, and have not waited yet. */
    uint32_t cl_arrived, cl_owed;
    const tc_ptx_op *cl_op; /* the last arrive */
    uint64_t cl_since;      /* when a wait that blocks began, else 0 */
    uint64_t polls;         /* mbarrier waits that returned false */
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
    uint64_t sp[TC_LANES]; /* end of each lane's stack in local memory */
} tc_warp_core;

/* A barrier of a CTA that some threads have come to. */
typedef struct tc_barrier {
    const tc_ptx_op *op; /* of the first to come; NULL: nobody has */
    uint32_t count;      /* threads that it wants, 0 all */
    uint32_t twice;      /* arrivals by threads that had arrived */
    bool red;
} tc_barrier;

struct tc_cta {
    tc_run *run;
    uint32_t index, id[3];            /* linear, and its coordinates */
    uint32_t nthreads, nwarps, nlive; /* nlive: warps with lanes alive */
    bool busy;                        /* started, not finished */
    tc_warp *warps;
    uint8_t *shared;
    uint8_t *local; /* local_bytes a thread */
    uint64_t local_bytes;
    uint32_t shared_bytes;
    tc_barrier barriers[TC_BARRIERS];
    tc_hz_cta *hz;
    /* The cluster: peers[rank] of ncluster CTAs that run at the same time;
     * peers[c->rank] == c. A grid without clusters has clusters of one. */
    uint32_t rank, ncluster;
    struct tc_cta **peers;
    bool ended;                          /* its threads have all exited */
    bool waits;                          /* one has waited at a barrier */
    struct tc_mbarrier_table *mbarriers; /* async/mbarrier.c; NULL: none yet */
    struct tc_tensor_memory *tensor;     /* tcgen05*.c; NULL: none yet */
};

typedef struct tc_machine { /* a row of arch.def */
    const char *name;
    int sm;
    uint32_t sms, max_threads_cta, max_threads_sm, max_ctas_sm;
    uint32_t shared_static, shared_cta, shared_sm, registers_sm;
} tc_machine;

/* Something that happens at a cycle. One queue of them drives time. */
typedef struct tc_event {
    uint64_t cycle, order;
    tc_warp *warp;
    tc_batch *batch; /* these lanes of it land */
    uint32_t mask;
    struct tc_transfer *transfer; /* or this lands */
} tc_event;

typedef struct tc_span_of_code {
    const tc_ptx_op *from, *to;
    bool wraps; /* round the end of a loop */
} tc_span_of_code;

/* An address in shared::cluster (mapa): rank + 1 from this bit on, then the
 * offset in that CTA's window; rank bits 0: the own CTA. A generic address of
 * shared memory is TC_WINDOW_SHARED + such an address. */
enum { TC_CLUSTER_SHIFT = 24 };

/* A launch while it executes. */
struct tc_run {
    tc_sim *sim;
    const tc_ptx_module *module;
    const tc_ptx_func *func;
    const tc_sim_launch *launch;
    tc_sim_launch widened; /* what launch points to under .blocksareclusters */
    const tc_machine *machine;
    tc_code *code;             /* the whole module's, by absolute index */
    tc_sim_op_fn **watched;    /* async/tcgen05_watch.c: what the ops that it
                                  watches    do themselves; NULL: none */
    struct tc_fast_code *fast; /* fast/fast.h; NULL: all on the general road */
    uint64_t *symbols;         /* address of each symbol */
    uint32_t shared_bytes;     /* static and dynamic */
    uint32_t cluster[3];       /* dimensions, 1 x 1 x 1 for none */
    uint64_t grid_memory;      /* of a cooperative launch, or 0 */
    uint64_t cycle;            /* now */
    uint64_t deadline;         /* the loop returns at this cycle */
    uint64_t progress; /* changes when something happened that could free a
                          spinning warp */
    bool clusters;     /* a barrier.cluster.arrive has run */
    bool stopped;      /* fault or cancel: nothing executes any more */
    tc_run_status status;
    const char *where;          /* cancelled: see tc_sim_result */
    struct tc_sim_state *state; /* the same */
    tc_sim_counters counters;
    tc_finding *findings;
    int nfindings, cfindings, cspans;
    tc_span_of_code *spans; /* of each finding */
    tc_completion completion;
    uint64_t random;
    tc_event *events; /* heap by (cycle, order) */
    size_t nevents, cevents;
    uint64_t norder;
    uint64_t frame_bytes;      /* of the frames of all its calls */
    tc_sim_allocation *recent; /* last one hit */
    tc_hazard *hazard;         /* NULL: off */
    tc_trace *trace;           /* NULL: off */
    tc_timing *timing;         /* NULL: off */
    tc_slab *slab;             /* of the warps of a large grid, or NULL */
    struct tc_transfer *transfers, **transfers_end; /* async/transfer.c */
};

struct tc_sim {
    const tc_ptx_module *module;
    tc_sim_options options;
    const tc_machine *machine;
    tc_arena *arena;            /* of launches: tc_sim_forget */
    tc_arena *home;             /* of the simulator's own life */
    tc_sim_allocation **allocs; /* by address */
    int nallocs, callocs;
    uint64_t next_address;
    tc_sim_allocation *heap;      /* of the device's malloc, or NULL */
    struct tc_heap_block *blocks; /* of it that are in use: isa/heap.c */
    int nblocks, cblocks;
    uint64_t *symbols; /* of GLOBAL and CONST: their addresses */
    tc_trace *trace;
    tc_sim_allocation *grid_memory; /* of cooperative launches, or NULL */
    struct tc_known_map *maps;      /* async/tensormap_known.c */
    int nmaps, cmaps;
    tc_slab *slab, *tags; /* for the next launch, or NULL: of warps, caches */
};

/* fast/code.c: run->code and run->fast, from the module. */
void tc_code_make(tc_run *r);
void tc_code_free(tc_run *r);

/* sim.c: host storage, or NULL. */
tc_sim_allocation *tc_sim_insert(tc_sim *s, tc_sim_allocation a);
int tc_sim_index(const tc_sim *s, uint64_t address); /* of the first one that
                                                        ends behind it */
/* launch.c */
uint64_t tc_dynamic_base(const tc_run *r); /* of dynamic shared memory */
const tc_machine *tc_machine_find(const char *name);
/* slab.c: storage that is given back all at once. What is taken holds
 * anything. */
tc_slab *tc_slab_new(void);
void *tc_slab_take(tc_slab *s, size_t bytes);
void tc_slab_rewind(tc_slab *s); /* all is given back; some of it is kept */
void tc_slab_free(tc_slab *s);

/* cta.c: storage of a CTA, reused from one to the next. */
void tc_cta_init(tc_cta *c, tc_run *r);
void tc_cta_start(tc_cta *c, uint32_t index);
void tc_cta_finish(tc_cta *c); /* after its last lane ended, or the stop */
void tc_cta_free(tc_cta *c);
/* Makes n CTAs a cluster; peers is theirs. */
void tc_cta_bind(tc_cta *ctas, tc_cta **peers, uint32_t n);
uint64_t tc_cta_bytes(const tc_run *r); /* of storage, about */
/* Linear index of a cluster's CTA of that rank. */
uint32_t tc_cta_index(const tc_run *r, uint32_t cluster, uint32_t rank);

/* execute.c */
void tc_execute(tc_run *r);
uint64_t tc_resident_ctas(tc_run *r); /* that the machine holds at once */
/* timing/grid.c: CTAs that an SM holds at once, and the registers a thread has.
 */
uint32_t tc_ctas_per_sm(tc_run *r);
uint32_t tc_residency(const tc_run *r, uint32_t registers); /* may be 0 */
void tc_cluster_finish(tc_cta *ctas, uint32_t n); /* tc_cta_finish of each */

/* warp.c */
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
void tc_warp_kill(tc_warp *w, uint32_t lanes); /* they exit */
bool tc_warp_loops(tc_warp *w); /* its state has come back: endless */
/* True when all lanes of need that live are in mask; else blocks mask at op
 * until they are. */
bool tc_warp_converged(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       uint32_t need);

/* isa/heap.c */
void tc_heap_init(tc_sim *s);

/* isa/control.c */
void tc_end_lanes(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

/* frame.c */
void tc_frames_init(tc_warp *w); /* the kernel's */
void tc_frames_start(tc_warp *w);
void tc_frames_free(tc_warp *w);
void tc_frame_enter(tc_warp *w, tc_frame *f); /* becomes the running one */
uint64_t tc_frames_hash(const tc_warp *w, uint64_t h);
/* Local memory that a thread of a kernel needs for its own frame and for those
 * of the functions that it may call. */
uint64_t tc_stack_bytes(const tc_ptx_module *m, const tc_ptx_func *f);

/* isa/barrier.c */
void tc_barrier_check(tc_cta *c); /* releases barriers that are complete */
void tc_barrier_arrivals(const tc_cta *c, uint32_t id, uint32_t *arrived,
                         uint32_t *wanted); /* threads, as it counts them */

/* deadlock.c: nobody of n CTAs can go on; so many clusters have not started
 * because the machine is full. */
void tc_deadlock(tc_run *r, tc_cta *const *ctas, uint32_t n,
                 uint32_t unstarted);
/* Ends the run from outside; the result says where everybody was. */
void tc_cancelled(tc_run *r, tc_cta *const *ctas, uint32_t n);

/* isa/cluster.c */
/* Releases barrier.cluster if all live threads of the cluster are there. */
void tc_cluster_check(tc_cta *c);
/* Threads that have arrived at the cluster's barrier, of those that live;
 * returns an arrive, or NULL where nobody has. */
const tc_ptx_op *tc_cluster_arrivals(tc_cta *c, uint32_t *arrived,
                                     uint32_t *live);
/* The CTA that a shared::cluster address names, and the offset in its window;
 * NULL: the cluster has no such CTA. */
tc_cta *tc_cluster_owner(tc_cta *c, uint64_t address, uint64_t *offset);
/* Lanes access shared::cluster addresses of one CTA; tells the observers. False
 * after a fault: that CTA has ended. */
bool tc_cluster_access(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       const uint64_t *addr, uint32_t bytes, bool store);

/* async/cp_async.c */
void tc_async_land(tc_warp *w, tc_batch *b, uint32_t lanes);
void tc_async_drop(tc_warp *w); /* at the CTA's end */
void tc_event_push(tc_run *r, tc_event e);
uint64_t tc_random(tc_run *r);           /* of the completion policy RANDOM */
void tc_event_run(tc_run *r);            /* all that are due */
uint64_t tc_event_next(const tc_run *r); /* UINT64_MAX: none */

/* isa/memory.c */
void tc_addresses(tc_warp *w, const tc_ptx_operand *o, uint64_t *out);
tc_sim_allocation *tc_find_allocation(tc_run *r, uint64_t address);
tc_sim_op_fn tc_observed_LD, tc_observed_ST, tc_collective_SHFL_SYNC;

/* isa/atomic.c: what an element becomes under TC_ATOM_sub, all but cas; values
 * are zero-extended; global: its sums of .f32 flush subnormals. */
uint64_t tc_atomic_combine(uint8_t sub, tc_ptx_type t, uint64_t old, uint64_t b,
                           bool global);

/* async/bulk.c: a transfer of atomic reads and writes, cp.reduce or red.async.
 */
bool tc_bulk_reduces(const tc_ptx_op *op);

/* findings.c */
tc_access tc_access_of(const tc_warp *w, const tc_ptx_op *op, int lane);
/* Adds a finding, or counts it to the one it is the same defect as. */
void tc_find(tc_run *r, const tc_finding *f);
/* At the end of a run: findings that turned out to be one defect. */
void tc_findings_settle(tc_run *r);
/* A way to synchronise that the ISA leaves undefined: with the checker on a
 * barrier-divergence; the run goes on. */
void tc_undefined_sync(tc_warp *w, const tc_ptx_op *op, uint32_t lanes,
                       const char *why);
/* A finding that ends the execution. */
void tc_fault(tc_warp *w, const tc_ptx_op *op, int lane, tc_finding_kind kind,
              tc_ptx_space space, uint64_t address, uint32_t bytes,
              const char *detail);

/* isa/observe.c: what the observers are told. */
void tc_observe(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                uint32_t mask, const uint64_t *addr, uint32_t bytes,
                bool store);
/* The same of all lanes side by side from address on, each on 4 or 8 aligned
 * bytes of global or shared memory. */
void tc_observe_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint64_t address, uint32_t bytes, bool store);
void tc_observe_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                       uint32_t mask, const uint64_t *addr, uint32_t bytes);
int32_t tc_observe_event(tc_warp *w, const tc_ptx_op *op, tc_trace_kind kind,
                         tc_trace_unit unit, uint32_t lanes,
                         tc_trace_event more);

/* state.c: copies what these CTAs hold, and stops the run. */
void tc_state_capture(tc_run *r, tc_cta *const *ctas, uint32_t n);

/* timing/issue.c */
tc_timing *tc_timing_new(tc_run *r);
void tc_timing_free(tc_timing *t);
void tc_timing_warp(tc_warp *w); /* a warp starts */
/* timing/grid.c: runs the whole grid, cycle by cycle. */
void tc_timing_grid(tc_run *r);
void tc_timing_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store);
/* The same as tc_observe_run is to tc_observe. */
void tc_timing_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                   uint64_t address, uint32_t bytes, bool store);
/* When the bytes of a cp.async issued now will have arrived. */
/* Cycles from the last arrival to the release. */
uint64_t tc_timing_barrier(const tc_cta *c);
/* A fence beyond the CTA: the warp goes on when its accesses to global memory
 * are there. */
void tc_timing_fence(tc_warp *w);
uint64_t tc_timing_mbarrier(const tc_cta *c);
uint64_t tc_timing_cluster(const tc_cta *c);
uint64_t tc_timing_copy(tc_warp *w, const tc_batch *b);
/* When a transfer of the async proxy that is issued now will be complete;
 * *source: when its sources will have been read. */
uint64_t tc_timing_transfer(tc_run *r, uint32_t bytes, tc_ptx_space from,
                            tc_ptx_space to, uint64_t *source);

static inline uint64_t tc_mix(uint64_t h, uint64_t x) { /* a step of a hash */
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}
static inline uint32_t tc_popc(uint32_t x) {
    return (uint32_t)__builtin_popcount(x);
}
static inline int tc_first(uint32_t x) /* x != 0 */
{
    return __builtin_ctz(x);
}

#endif
