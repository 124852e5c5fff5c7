/* exec.h - whole CUDA programs: built from a .cu, run in a process of their
 * own, and what their launches came to. */
#ifndef TC_EXEC_EXEC_H
#define TC_EXEC_EXEC_H

#include "explain/explain.h"
#include "load/load.h"
#include "run/run.h"
#include "runtime/server.h"
#include "sandbox/sandbox.h"
#include "session/last_run.h"

/* --- what a program's run came to ------------------------------------------*/

enum {
    TC_EXEC_KERNELS = 1000,    /* launches that are listed */
    TC_EXEC_FINDINGS = 256,    /* different ones that are kept */
    TC_EXEC_DIFFERENCES = 16,  /* that are shown */
    TC_EXEC_PRINTED = 1 << 20, /* bytes of standard output in JSON */
    TC_EXEC_MEMORY = 64 << 20  /* bytes that `state` may need */
};

typedef struct tc_exec_kernel {
    const char *name, *full; /* bare; as C++ has it */
    uint32_t grid[3], block[3], cluster[3];
    tc_clock_model model; /* what the cycles are of */
    uint64_t cycles, wall_ns;
    tc_sim_counters counters;
    bool simulated;
    double gpu_ms;
    uint64_t where; /* the launch in the program's file */
} tc_exec_kernel;

/* One defect: of a kernel, in however many launches, or of the host. */
typedef struct tc_exec_finding {
    const tc_ptx_func *kernel; /* NULL: the host's */
    tc_finding_kind kind;      /* a kernel's */
    tc_host_kind host_kind;    /* the host's */
    const tc_ptx_op *at, *cause;
    uint64_t where;  /* of the host's call; else 0 */
    uint64_t launch; /* the first one that had it, in the program's file */
    uint64_t launches, first, last; /* that had it; their numbers, from 1 */
    const char *text;
    json_t *json; /* owned */
} tc_exec_finding;

/* A place where simulator and GPU left different bytes. */
typedef struct tc_exec_difference {
    const char *kernel, *buffer;
    uint64_t launch, where, offset, bytes, size; /* size: of the buffer */
    uint8_t sim[16], gpu[16];
} tc_exec_difference;

/* Where in the program's own text something is. */
typedef struct tc_exec_location {
    const char *file;
    int line; /* 0: unknown */
    bool own; /* file is the .cu */
} tc_exec_location;

/* A call of the program's that has been looked up. */
typedef struct tc_exec_call {
    uint64_t where;
    tc_exec_location place;
    const char *memory; /* what it allocated, by name; NULL: not asked for */
} tc_exec_call;

typedef struct tc_exec tc_exec;
struct tc_exec {
    tc_session *session;
    tc_arena *arena; /* of everything here */
    const tc_loaded *file;
    tc_cuda *cuda;
    const char *source;  /* file's name */
    const char *backend; /* its name */
    tc_sim_options used;
    const tc_sandbox *sandbox; /* the program's, or NULL */
    bool pedantic;
    bool keeps; /* the last launch becomes the session's run */

    tc_exec_kernel *kernels; /* the first TC_EXEC_KERNELS launches */
    int nkernels, kernels_cap;
    uint64_t launches, launches_hit; /* by findings */
    tc_exec_finding *findings;
    int nfindings, findings_cap;
    uint64_t findings_left_out;
    uint64_t suppressed[TC_SUPPRESSION_COUNT]; /* of all launches */
    tc_exec_difference differences[TC_EXEC_DIFFERENCES];
    uint64_t ndifferences;
    bool approximate;    /* of instructions that PTX only bounds, perhaps */
    bool gpu_failed;     /* where the simulator had no difficulty */
    uint64_t gpu_faults; /* of launches that the simulator has not seen */
    const char **notes;  /* sentences that are no findings */
    int nnotes, notes_cap;
    const char **names; /* that are kept */
    int nnames, names_cap;
    tc_exec_call *calls;
    int ncalls, calls_cap;
    tc_run_status worst; /* of all launches */
    const char *where;   /* what ran when it was stopped, or NULL */

    /* Memory before the last launch, and room for as much; owned. */
    uint8_t *before, *scratch;
    uint64_t nbefore, before_cap;
    struct tc_l2 *caches;  /* before it; owned, NULL without a clock */
    const char *no_replay; /* why the last launch cannot be made again, or
                              NULL */

    tc_program_result result;
    char *printed; /* standard output, where it was caught; owned, or NULL */
    uint64_t nprinted, unprinted;
};

/* --- exec.c ----------------------------------------------------------------*/

/* How a program is to be run. */
typedef struct tc_exec_request {
    const char *const *args; /* after the program's name */
    int nargs;
    const tc_device_vtable *backend;
    bool pedantic, timing;
    bool alone; /* not at a prompt: nothing but findings is wanted of it */
    int in, out, err; /* its standard streams; 0: as they are */
    double timeout_s;
    const tc_limits *taken; /* see tc_exec_options */
    uint64_t memory;
    tc_given_task *task;
    const tc_sandbox *sandbox;
} tc_exec_request;

/* Has the file so many functions that ptxas is asked of a kernel alone, at its
 * first launch? */
bool tc_exec_asks_each(const tc_loaded *file);
/* Asks ptxas for the registers of the program's kernels, unless it has been
 * asked. Not OK with why: they stay unknown. */
tc_build_status tc_exec_ask_registers(const tc_loaded *file, char *why,
                                      size_t why_size);

/* Runs the .cu, keeps what came of it as the session's last run of a program.
 * Never fails: its result says how it ended. */
tc_exec *tc_exec_run(tc_session *s, tc_loaded *file,
                     const tc_exec_request *ask);
void tc_exec_free(tc_exec *e);

/* The program's own exit status, or what stands for it where it was ended. */
int tc_exec_exit(const tc_exec *e);
/* INTERFACE.md's exit status: that, or 1 after findings. */
int tc_exec_status(const tc_exec *e);

/* --- launch.c: launches as they happen -------------------------------------*/

void tc_exec_launching(void *exec, const tc_program_launch *l);
void tc_exec_launched(void *exec, const tc_program_launch *l);
void tc_exec_misused(void *exec, const tc_host_finding *f);

/* --- replay.c: the last launch once more ------------------------------------*/

/* Keeps what memory holds now, for the launch that comes. One that cannot be
 * made again records its events, if somebody may want to see them. */
void tc_exec_retain_memory(tc_exec *e, const tc_program_launch *l);
/* Gives the run of that launch what it needs to be made again. */
void tc_exec_give_memory(tc_exec *e, const tc_program_launch *l,
                         tc_last_run *run);
/* tc_run_replay for such a run. */
tc_sim *tc_exec_replay(tc_exec *e, const tc_last_run *run, const tc_replay *how,
                       tc_sim_result *out);

/* --- source_location.c: the program's own text ---------------------------------------*/

tc_exec_location tc_exec_where(tc_exec *e, uint64_t where);
/* The nth (from 0) call in the len bytes at text that allocates memory: what it
 * gives the address to (d_x of "cudaMalloc(&d_x, n)"), or NULL. */
const char *tc_exec_allocated(tc_arena *a, const char *text, size_t len,
                              int nth);
/* A copy of the name, once for all that are the same. */
const char *tc_exec_intern(tc_exec *e, const char *name);
/* What the program calls memory that a call at `where` allocated. */
const char *tc_exec_memory_name(tc_exec *e, const tc_device_memory *m);

/* --- reply.c ---------------------------------------------------------------*/

void tc_exec_text(tc_exec *e, tc_buf *b); /* of `run` */
void tc_exec_findings_text(tc_exec *e, tc_buf *b);
json_t *tc_exec_findings_json(tc_exec *e);
json_t *tc_exec_json(tc_exec *e); /* of `run`, and of --report */
/* Why it ended, where that is not by itself; false if it is. */
bool tc_exec_explain(const tc_exec *e, tc_buf *b, const char **hint);

/* --- here.c: at the prompt -------------------------------------------------*/

const tc_device_vtable *tc_exec_device(tc_backend b);
/* The last run of a program, made for a command: what became of the command.
 * Reports where it did not run; of one that never began nothing is kept. */
tc_status tc_exec_here(tc_session *s, tc_loaded *file, const char *const *args,
                       int nargs, tc_backend backend);
/* Runs the program, if it has not been run, for a command that is about its
 * last launch. Reports and returns false where there is none. */
bool tc_exec_need_launch(tc_session *s, tc_loaded *file, tc_span at,
                         tc_status *status);
/* The last run, of whatever sort, or one made now. */
bool tc_need_run(tc_session *s, tc_span at, tc_status *status);
/* The simulator that has made the last run again, which the caller frees; NULL,
 * reported: it cannot be. */
tc_sim *tc_run_again(tc_session *s, const tc_replay *how, tc_span at,
                     tc_sim_result *out);
/* The events of the last run (or of one made now): recorded by making it again,
 * the first time that somebody asks. The run's own; NULL, reported: none. */
const tc_trace *tc_need_trace(tc_session *s, tc_span at, tc_status *status);

#endif
