/* sim.h - a machine that executes PTX modules.
 *
 * The simulator knows PTX and addresses, never layouts or IR. Device memory is
 * a set of allocations at fixed virtual addresses. A launch runs a kernel to
 * its end, to a fault, to a deadlock, or to a limit, and leaves behind: the
 * memory, the findings (by address and line), and the trace. */
#ifndef TC_SIM_SIM_H
#define TC_SIM_SIM_H

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/ptx.h"
#include "sim/finding.h"
#include "trace/trace.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When the bytes of an asynchronous copy land. */
typedef enum tc_completion {
    TC_COMPLETE_TIMING, /* when the timing model says (timing on) */
    TC_COMPLETE_EARLY,  /* at issue */
    TC_COMPLETE_LATE,   /* at the last legal moment: the wait */
    TC_COMPLETE_RANDOM  /* anywhere between, by seed */
} tc_completion;

typedef struct tc_sim_options {
    const char *arch;                 /* a row of arch.def: "sm_90a" */
    const struct tc_profile *profile; /* sim/profile.h; NULL: the arch's own.
                                         Borrowed */
    bool timing;          /* cycles; off: each instruction is one cycle */
    bool hazards;         /* the happens-before checker */
    bool no_suppressions; /* it tells what suppressions.def would keep back */
    bool trace;
    tc_completion completion;
    uint64_t seed; /* of TC_COMPLETE_RANDOM */
    int threads; /* at most so many execute the CTAs of a launch: threads.h; 0: 1 */
    const atomic_int *cancel; /* polled; non-zero ends the run. May be NULL */
    /* What threads print, as they do; n bytes, not ended by 0. May be NULL. */
    void (*print)(void *user, const char *text, size_t n);
    void *print_user;
    const char *isa; /* of the fast path: "avx512", "avx2", "plain", "none";
                        NULL: the best there is. For tests */
    uint32_t alone;  /* warp instructions before other threads begin; 0: as many
                        as are worth it. For tests */
    bool walks;      /* the checker walks its lists at each access, and uses
                        nothing that it knows of them. For tests */
    uint64_t base;   /* the first address that the simulator itself gives away:
                        symbols, tc_sim_alloc, the kernels' heap; 0: its own */
    /* Where a GLOBAL or CONST symbol is to live; 0: anywhere. May be NULL. */
    uint64_t (*symbol_address)(void *user, const tc_ptx_symbol *y);
    void *symbol_user;
} tc_sim_options;

typedef enum tc_run_status { /* INTERFACE.md: run */
                             TC_RUN_OK,
                             TC_RUN_FINDINGS,
                             TC_RUN_DEADLOCK,
                             TC_RUN_FAULT,
                             TC_RUN_CANCELLED
} tc_run_status;

typedef struct tc_sim_allocation {
    uint64_t address; /* device virtual address */
    uint64_t size;
    uint8_t *bytes; /* host storage */
    const char *name;
    bool borrowed; /* the storage is somebody else's */
    bool constant; /* kernels only read it */
    uint8_t fresh; /* bytes that nobody has written hold this; 0: there are no
                      such, or nobody asks for them */
} tc_sim_allocation;

typedef struct tc_sim_range {
    uint64_t address, bytes;
} tc_sim_range;

/* How a launch has touched global memory: by plain accesses, and by strong ones
 * (atomics, volatile, relaxed, acquire, release). */
enum {
    TC_SIM_READS = 1,
    TC_SIM_READS_STRONG = 2,
    TC_SIM_WRITES = 4,
    TC_SIM_WRITES_STRONG = 8
};
typedef void tc_sim_touched_fn(void *user, uint64_t address, uint64_t bytes,
                               uint32_t how);

typedef struct tc_sim_launch {
    const char *entry;
    uint32_t grid[3], block[3], cluster[3]; /* cluster {0}: from the PTX */
    uint32_t dynamic_shared;
    bool stops; /* at the cycle stop_at, or at a deadlock before it, and
                   leaves its state */
    uint64_t stop_at;
    const struct tc_sim_state *upto; /* state.h: what the same launch left there
                                        where warps had run ahead of the clock;
                                        or NULL */
    const struct tc_sass *machine_code; /* what ptxas made of the kernel: its
                                           time is the clock's; may be NULL */
    uint32_t sample; /* without a clock: so many clusters of a larger grid are
                        executed, those at its begin and its end and at its
                        quarters; 0: all */
    uint64_t budget; /* without a clock: execution ends after so many warp
                        instructions, and what is done by then is; 0: none */
    uint32_t registers;       /* of a thread, as ptxas says; 0: estimated */
    uint32_t dynamic_limit;   /* what the host set the kernel's limit to; 0: as
                                 much as the machine has */
    bool nonportable_cluster; /* the host allowed 9 to 16 CTAs */
    bool cooperative; /* a kernel may wait for its whole grid: where it asks for
                         the grid's memory (%envreg1, 2), it gets it */
    const tc_sim_range *results; /* memory that it is to fill: who writes there
                                    is counted; with hazards or timing on */
    int nresults;
    const uint8_t *params; /* the parameter block, as laid out by the PTX */
    uint32_t nparams;      /* its bytes */
    tc_sim_touched_fn *touched; /* with hazards: told at the end, in runs of
                                   bytes, what was; or NULL */
    void *touched_user;
} tc_sim_launch;

/* Classes of warp instructions, named as profilers name them; counted with
 * timing on. */
/* clang-format off */
#define TC_CLASSES(X)                                                          \
    X(ALU) X(FMA) X(IMAD) X(FP64) X(MUFU) X(SHFL) X(BRANCH) X(LDG) X(STG)      \
    X(LDS) X(STS) X(LDL) X(STL) X(LDC) X(ATOM) X(LDGSTS) X(LDGDEPBAR)          \
    X(DEPBAR) X(BULK) X(LDSM) X(STSM) X(BAR) X(MBARRIER) X(MEMBAR) X(MMA)      \
    X(TENSOR) X(OTHER)
/* clang-format on */
typedef enum tc_class {
#define X(name) TC_CLASS_##name,
    TC_CLASSES(X)
#undef X
        TC_CLASS_COUNT
} tc_class;
extern const char *const tc_class_names[TC_CLASS_COUNT];

typedef struct tc_sim_counters {
    uint64_t warp_instructions, thread_instructions;
    uint64_t classes[TC_CLASS_COUNT], stalls[TC_STALL_COUNT];
    /* Sectors of 32 bytes. L1: asked by loads that go through it. */
    uint64_t l1_sectors, l1_sectors_hit, l1_bypass_bytes;
    uint64_t l2_sectors_read, l2_sectors_hit, l2_sectors_written;
    uint64_t dram_sectors_read, dram_sectors_written;
    uint64_t ctas_per_sm, registers; /* residency, and what it took for it */
    uint64_t shared_bytes;           /* of a CTA, static and dynamic */
    uint64_t global_sectors, shared_wavefronts, bank_conflicts;
    uint64_t async_copies, async_bytes, barriers;
    uint64_t async_read_bytes; /* of global memory, by asynchronous copies */
    /* With timing on: bytes of global memory that plain loads asked for; warp
     * instructions that issued while a copy to shared memory was in flight on
     * their SM, and while one of their own warp's was; warp instructions of the
     * SM that issued most. */
    uint64_t global_read_bytes, overlapped, overlapped_own, busiest_sm;
    /* Bytes that were stored to the launch's results; most of them by one CTA,
     * by one thread. */
    uint64_t result_bytes, result_most_cta, result_most_thread;
    uint64_t bulk_copies, bulk_bytes; /* of these: the async proxy's, one a
                                         thread that issued */
    uint64_t shared_reads_own;   /* bytes that the reading thread had written,
                                    or filled with a copy of its own; counted
                                    only with hazards on */
    uint64_t shared_reads_other; /* bytes that another thread had */
} tc_sim_counters;

typedef struct tc_sim_result {
    tc_run_status status;
    const struct tc_sass *machine_code; /* the launch's, where the cycles are
                                           of it; else NULL: of the PTX */
    const char *not_machine_code;       /* with a clock: why, or NULL */
    uint64_t blocks, odd_blocks; /* of the machine code that issued; of these,
                                    those that the PTX's way did not tell */
    uint64_t cycles;
    uint64_t estimate; /* of cycles, where timing was off: a guess from
                          instructions and bytes; else cycles */
    tc_sim_counters counters;
    tc_finding *findings; /* in the simulator's arena */
    int nfindings;
    int nnotes; /* behind them: what is right, and should be looked at */
    uint64_t suppressed[TC_SUPPRESSION_COUNT]; /* races that were not told */
    uint64_t wall_ns;                          /* of execution alone */
    uint32_t threads; /* that have executed it; 0: one */
    bool cut;         /* its budget was used up before its end */
    double part; /* of its clusters that were executed, for a sample; else 1 */
    struct tc_sim_state *state; /* where it stopped: state.h; else NULL */
    const tc_wait_list *where; /* CANCELLED: where the lanes were; else NULL. In
                                the simulator's arena */
} tc_sim_result;

typedef struct tc_sim tc_sim;
struct tc_l2; /* lines of a cache: timing/memsys.c */

/* Borrows the module. Reports and returns NULL for an unknown arch. */
tc_sim *tc_sim_new(const tc_ptx_module *m, const tc_sim_options *options,
                   tc_diags *diags);
void tc_sim_free(tc_sim *s);
/* The memory of the kernels' malloc and new, or NULL. */
const tc_sim_allocation *tc_sim_heap(const tc_sim *s);

/* Allocates zeroed device memory, 256-byte aligned, with unmapped guard space
 * around it. Name is copied. NULL when the device is full. */
tc_sim_allocation *tc_sim_alloc(tc_sim *s, uint64_t size, const char *name);

/* Device memory at an address of the caller's, in storage of the caller's that
 * stays until tc_sim_unmap; NULL where it would overlap what is there. On the
 * first address of what is there with bytes enough: that has its storage there
 * from now on, and keeps what it holds. Name is copied. */
tc_sim_allocation *tc_sim_map(tc_sim *s, uint64_t address, uint64_t size,
                              uint8_t *bytes, const char *name);
void tc_sim_unmap(tc_sim *s, uint64_t address);
/* With a clock: a copy wrote these bytes, through L2. Who writes an
 * allocation's bytes says so. */
void tc_sim_written(tc_sim *s, uint64_t address, uint64_t bytes);
/* What L2 holds now, into *kept (NULL at first; owned by the caller), and such a
 * state into another simulator of the same machine. */
void tc_sim_keep_caches(tc_sim *s, struct tc_l2 **kept);
void tc_sim_give_caches(tc_sim *s, const struct tc_l2 *kept);
void tc_sim_free_caches(struct tc_l2 *kept);
/* The allocation around an address, or NULL. */
tc_sim_allocation *tc_sim_find(const tc_sim *s, uint64_t address);
/* Where a GLOBAL or CONST symbol lives; 0: it has no place. */
uint64_t tc_sim_symbol(const tc_sim *s, const tc_ptx_symbol *y);
/* CTAs of l's kernel that an SM holds at once by l's block, dynamic_shared and
 * registers; 0: not even one. */
uint32_t tc_sim_occupancy(tc_sim *s, const tc_sim_launch *l);
/* Registers of a thread as the simulator estimates them. */
uint32_t tc_sim_registers(const tc_sim *s, const tc_ptx_func *f);

/* Limits and sizes of the simulated machine. */
typedef struct tc_sim_facts {
    const char *arch;
    int sm;
    uint32_t sms, threads_cta, threads_sm, ctas_sm, registers_sm;
    uint32_t shared_static, shared_cta, shared_sm, l2_bytes;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    uint64_t memory;
} tc_sim_facts;
void tc_sim_facts_of(const tc_sim *s, tc_sim_facts *out);

/* Frees what launches have left: findings, states and words of results are
 * gone. */
void tc_sim_forget(tc_sim *s);

/* Runs a kernel. Returns false after reporting a launch that is impossible
 * (limits of the arch, unknown entry, wrong parameter bytes). */
bool tc_sim_run(tc_sim *s, const tc_sim_launch *l, tc_diags *diags,
                tc_sim_result *out);

/* Do the runs that follow record a trace? At first as the options say. */
void tc_sim_record(tc_sim *s, bool trace);
/* The trace of the last run (if asked for). Ownership passes with take. */
tc_trace *tc_sim_take_trace(tc_sim *s);
/* Have runs left memory that their threads took with malloc? */
bool tc_sim_keeps_heap(const tc_sim *s);

/* Known machines: NULL-terminated names, default first. */
const char *const *tc_sim_archs(void);

#endif
