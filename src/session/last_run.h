/* last_run.h - what a run executes, and what came of it: the session keeps the
 * last one. */
#ifndef TC_SESSION_LAST_RUN_H
#define TC_SESSION_LAST_RUN_H

#include "emit/emit.h"
#include "session/session.h"
#include "sim/sim.h"
#include "trace/trace.h"

/* A buffer of the kernel as a run sees it. */
typedef struct tc_run_buffer {
    const tc_buffer *buffer;
    uint64_t bytes;
    const uint8_t *before; /* what it held; NULL: filled by its position */
    const uint8_t *after;  /* the simulator's bytes, or the GPU's */
    uint64_t address;      /* simulated device address */
} tc_run_buffer;

/* One parameter of the kernel: a buffer's address, a number's bytes, or a
 * tensor map. */
typedef struct tc_run_arg {
    int buffer; /* index among the run's buffers, or -1 */
    uint32_t offset, size;
    uint8_t value[8];
    const struct tc_sim_tensor_map *map; /* or a tensor map of that buffer,
                                            without its address */
} tc_run_arg;

/* A run of the current program, or of a .ptx file's kernel (`launch`): first
 * what is to be executed, then what came of it. */
typedef struct tc_last_run {
    tc_arena *arena;
    const tc_source *source;  /* what the lines of findings and events count */
    const char *ptx, *entry;  /* the text that is executed, and its kernel */
    const tc_emitted *shared; /* whose buffers are in shared memory, or NULL */
    tc_loaded *file;          /* of a launch, or NULL */
    tc_span span;             /* where the run's errors belong */
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 1 where there is none */
    uint32_t dynamic_shared;
    tc_run_buffer *buffers;
    int nbuffers;
    tc_run_arg *args;
    int nargs;
    uint32_t param_bytes;
    uint32_t registers; /* of a thread, as ptxas says; 0: estimated */
    const struct tc_sass *machine_code; /* with a clock; NULL: there is none */
    const uint8_t *params; /* all of them, of a program's launch; NULL: args */
    const char *no_state;  /* why it cannot be made again; NULL: it can */

    tc_ptx_module *module;
    tc_sim *sim;         /* NULL: not executed by the simulator */
    tc_sim_options used; /* by the simulator */
    tc_sim_result result;
    tc_trace *trace; /* or NULL */
    bool described;  /* it has its names: explain/trace_names.c */
    tc_buf printed;  /* what its threads printed, at most 1 MiB as CUDA has */
    uint64_t unprinted; /* bytes more than that */
    bool running;       /* they may print now */
} tc_last_run;

/* --- last_run.c ------------------------------------------------------------*/

void tc_run_free(tc_last_run *run);
/* Makes it the session's last run, in place of the one before. NULL: none. */
void tc_run_retain(tc_session *s, tc_last_run *run);

#endif
