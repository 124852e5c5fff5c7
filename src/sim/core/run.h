/* run.h - a launch while it executes, and the machine that it is on. */
#ifndef TC_SIM_CORE_RUN_H
#define TC_SIM_CORE_RUN_H

#include "sim/core/code.h"
#include "sim/core/cta.h"
#include "sim/core/event.h"

/* The columns of the tables of time (units.def, memory.def). */
typedef enum tc_costs {
    TC_COSTS_80,
    TC_COSTS_90,
    TC_COSTS_100,
    TC_COSTS_COLUMNS
} tc_costs;

typedef struct tc_machine { /* a row of arch.def */
    const char *name;
    int sm;         /* its row of target.def */
    tc_costs costs; /* the column of its times */
    uint32_t sms, max_threads_cta, max_threads_sm, max_ctas_sm;
    uint32_t shared_static, shared_cta, shared_sm, registers_sm;
    const struct tc_profile *profile; /* NULL: that column's */
} tc_machine;

typedef struct tc_span_of_code {
    const tc_ptx_op *from, *to;
    bool wraps; /* round the end of a loop */
} tc_span_of_code;

/* What the rooms above do when something happens to the core's things; a launch
 * has them all. */
typedef struct tc_hooks {
    void (*cta_start)(tc_cta *c);  /* its warps stand at the first op */
    void (*cta_drain)(tc_cta *c);  /* before any CTA of its cluster finishes */
    void (*cta_finish)(tc_cta *c); /* after its last lane, or the stop */
    void (*cta_free)(tc_cta *c);   /* before its warps are freed */
    /* Lanes have exited: barriers that waited for them may be complete. */
    void (*exited)(tc_cta *c);
    void (*due)(tc_run *r, const tc_event *e);
    /* Has a phase of the mbarrier begun that comes after that one? */
    bool (*phase_over)(const tc_cta *c, uint32_t offset, uint32_t phase);
    /* Lands the oldest of what nobody of n CTAs can go on without. False: there
     * is nothing. */
    bool (*force)(tc_run *r, tc_cta *const *ctas, uint32_t n);
    /* Nobody of n CTAs can go on; so many clusters have not started because the
     * machine is full. */
    void (*deadlock)(tc_run *r, tc_cta *const *ctas, uint32_t n,
                     uint32_t unstarted);
    /* Ends the run from outside; the result says where everybody was. */
    void (*cancelled)(tc_run *r, tc_cta *const *ctas, uint32_t n);
    /* The warp has come to the op before which it is looked at. */
    void (*reached)(tc_warp *w);
    /* Copies what these CTAs hold, and stops the run. */
    void (*capture)(tc_run *r, tc_cta *const *ctas, uint32_t n);
} tc_hooks;

/* A launch while it executes. */
struct tc_run {
    tc_sim *sim;
    const tc_ptx_module *module;
    const tc_ptx_func *func;
    const tc_sim_launch *launch;
    tc_sim_launch widened; /* what launch points to under .blocksareclusters */
    const tc_machine *machine;
    const tc_hooks *hooks;
    uint32_t clock_mhz;        /* of the SMs */
    tc_code *code;             /* the whole module's, by absolute index */
    tc_sim_op_fn **watched;    /* async/tcgen05_watch.c: what the ops that it
                                  watches do themselves; NULL: none */
    struct tc_fast_code *fast; /* fast/; NULL: all on the general path */
    tc_fast *entries;          /* its ops */
    const tc_fast_rows *rows;  /* its registers; NULL: each its own row */
    uint64_t *symbols;         /* address of each symbol */
    uint32_t shared_bytes;     /* static and dynamic */
    uint32_t cluster[3];       /* dimensions, 1 x 1 x 1 for none */
    uint64_t grid_memory;      /* of a cooperative launch, or 0 */
    uint64_t cycle;            /* now */
    uint64_t waited;           /* without a clock: for copies, at a guess */
    /* Of global memory, where somebody observes: what lanes side by side asked
     * for; accesses of other lanes, and of some of these, so many, what they
     * asked for (no more than the sectors of 32 bytes that it lay in) and those
     * sectors: timing/estimate.c. */
    uint64_t row_bytes, others, sampled, sampled_bytes, sampled_sectors;
    uint64_t deadline; /* the loop returns at this cycle */
    uint64_t progress; /* changes when something happened that could free a
                          spinning warp */
    bool clusters;     /* a barrier.cluster.arrive has run */
    bool stopped;      /* fault or cancel: nothing executes any more */
    bool cut;          /* because the launch's budget is used up */
    double part;       /* of the clusters that a sample has; 0: all */
    uint32_t threads;  /* that execute it; 0: one */
    bool apart;        /* CTAs by threads cannot go on alone: sim/threads.h */
    const atomic_bool *halt; /* another one of them asks for the end; or NULL */
    struct tc_reds *reds;    /* isa/reds.h; NULL: atomics are done at once */
    tc_run_status status;
    const tc_wait_list *where;  /* cancelled: see tc_sim_result */
    struct tc_sim_state *state; /* the same */
    tc_sim_counters counters;
    tc_finding *findings;
    int nfindings, cfindings, cspans;
    int nnotes; /* once they are settled: behind the findings */
    uint64_t suppressed[TC_SUPPRESSION_COUNT];
    tc_span_of_code *spans; /* of each finding */
    struct {
        int at; /* 1 and the number of the finding that took in the last one; 0:
                   there is none */
        tc_finding f; /* that one */
    } repeat;
    tc_completion completion;
    uint64_t random;
    tc_event *events; /* heap by (cycle, order) */
    size_t nevents, cevents;
    uint64_t norder;
    uint64_t frame_bytes;      /* of the frames of all its calls */
    tc_sim_allocation *recent; /* last one hit */
    tc_race *race;             /* NULL: off */
    tc_trace *trace;           /* NULL: off */
    tc_timing *timing;         /* NULL: off */
    tc_slab *slab;             /* of the warps of a large grid, or NULL */
    /* async/transfer.c: what has not landed, in the order of issue. */
    struct tc_transfer *flying, *flying_last;
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
    tc_sim_allocation *grid_memory;  /* of cooperative launches, or NULL */
    struct tc_tensormap_entry *maps; /* async/tensormap_known.c */
    int nmaps, cmaps;
    struct tc_texture_entry *textures; /* isa/texture_objects.c */
    int ntextures, ctextures;
    uint8_t *known;       /* of each kernel: launch.c; or NULL */
    tc_slab *slab, *tags; /* for the next launch, or NULL: of warps, caches */
    struct tc_l2 *l2;     /* timing/memsys.c; NULL: no launch had a clock */
};

/* Cycles of the SMs' clock. */
static inline uint64_t tc_cycles_of(const tc_run *r, uint32_t nanoseconds) {
    return (uint64_t)nanoseconds * r->clock_mhz / 1000;
}

/* A number of the completion policy RANDOM. */
uint64_t tc_sim_random(tc_run *r);

#endif
