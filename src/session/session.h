/* session.h - what a session holds, and how commands work on it.
 *
 * A statement is evaluated into an arena and an environment of its own; only
 * when all of it succeeded do they become the session's. What follows from the
 * current program (decisions, lowered program, texts, the last run) is made
 * when first asked for and forgotten when the program changes. */
#ifndef TC_SESSION_SESSION_H
#define TC_SESSION_SESSION_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "dispatch/variant.h"
#include "emit/emit.h"
#include "front/front.h"
#include "ptx/ptx.h"
#include "sim/sim.h"
#include "tilecopy.h"
#include "trace/timeline.h"
#include <jansson.h>
#include <signal.h>

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

typedef struct tc_loaded tc_loaded; /* launch.h: a loaded .ptx or .cu file */
typedef struct tc_exec tc_exec;     /* exec.h: a run of a whole program */

/* A run of the current program, or of a .ptx file's kernel (`launch`): first
 * what is to be executed, then what came of it. */
typedef struct tc_run {
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
    uint32_t registers;    /* of a thread, as ptxas says; 0: estimated */
    const uint8_t *params; /* all of them, of a program's launch; NULL: args */
    const char *no_state;  /* why it cannot be made again; NULL: it can */

    tc_ptx_module *module;
    tc_sim *sim;         /* NULL: not executed by the simulator */
    tc_sim_options used; /* by the simulator */
    tc_sim_result result;
    tc_trace *trace; /* or NULL */
    tc_buf printed;  /* what its threads printed, at most 1 MiB as CUDA has */
    uint64_t unprinted; /* bytes more than that */
    bool running;       /* they may print now */
} tc_run;

/* The current program and what has been made of it. */
typedef struct tc_program {
    tc_func *func;
    tc_arena *arena; /* of all below; NULL until something was made */
    bool dispatched, emitted;
    tc_decisions decisions;
    tc_lowered *lowered; /* NULL: not made, or refused */
    tc_emitted ptx;
    tc_run *run; /* the session's last, also when it was a launch */
} tc_program;

/* The memory of a statement that succeeded, and what it defined. */
typedef struct tc_kept {
    tc_arena *arena;
    tc_env *env; /* in arena */
} tc_kept;

typedef struct tc_kept_list {
    tc_kept *items;
    int n, cap;
} tc_kept_list;

struct tc_session {
    tc_options options;
    tc_diag_fn diag;
    tc_output_fn output;
    void *user;

    tc_arena *arena;         /* lives as long as the session */
    tc_arena *tree;          /* tokens and syntax of the statement being read */
    tc_kept_list kept;       /* statements that something still refers to */
    tc_arena *program_arena; /* the one of program.func; or NULL */
    tc_env *env;
    tc_program program;
    tc_loaded **files; /* loaded .ptx, the newest last */
    int nfiles, files_cap;
    bool file_is_newest;             /* than the program */
    const tc_exec_options *building; /* what the .cu that is being loaded is
                                        built with, or NULL */
    const char *fault; /* whose it was that the last .cu could not be built:
                          "source", "limit", "machine", "interrupt" */
    struct tc_gpu_host *gpu; /* the process that has the GPU, once asked for */
    tc_exec *exec;           /* the last run, if it was of a .cu; else NULL. Its
                                last launch is then program.run, if it had one */

    /* settings: `set` */
    bool timing, hazards, trace, target_cuda;
    tc_completion completion;
    uint64_t completion_seed;

    /* of the evaluation under way */
    tc_diags diags;
    json_t *first_error;        /* JSON mode: the error object */
    json_t *notes;              /* JSON mode: warnings and notes */
    volatile int cancel;        /* 1 interrupted, 2 time limit */
    tc_grade_fn grade;          /* the client's; NULL: it has none */
    tc_session *volatile inner; /* that interrupts reach too, or NULL */

    bool finished, had_findings, wants_timeline;
};

/* What a command answers with: text, or in JSON mode the members of an object
 * ("command" and "ok" are added by eval). */
typedef struct tc_reply {
    tc_buf text;
    json_t *json;
} tc_reply;

/* The arguments of a command: words, and the rest of the line as it was. */
typedef struct tc_args {
    const char *line;   /* after the command's name, without outer blanks */
    const char **words; /* split at blanks; "quoted words" are one */
    int n;
    tc_span span;   /* of the arguments in the typed line */
    tc_span *spans; /* of each word */
} tc_args;

typedef tc_status tc_command_fn(tc_session *s, const tc_args *args,
                                tc_reply *r);

typedef struct tc_command {
    const char *name;
    const char *form;      /* argument form: "[VARIANT]" */
    tc_command_fn *run;    /* NULL: not built yet */
    const char *completes; /* kinds of words Tab offers: "variant file name
                              command lesson set" or "" */
    const char *summary;   /* one line */
    const char *help;      /* what `help NAME` adds: text and an example */
} tc_command;

extern const tc_command tc_commands[];
extern const int tc_ncommands;

#define TC_COMMAND(name, form, fn, completes, summary, help) tc_command_fn fn;
#define TC_COMMAND_PLANNED(name, form, summary)
#include "session/commands.def"

/* --- command.c -------------------------------------------------------------
 */

/* The command that a word names (unambiguous prefixes work). With several, or
 * none, NULL; *several is then set if it is a prefix of more than one. */
const tc_command *tc_command_find(const char *word, size_t len, bool *exact,
                                  bool *several);

/* --- program.c: the current program's stages, made on demand ---------------
 */

/* Each reports and returns false when its stage cannot be had; *status then
 * says whether the input was rejected (3) or the command failed (1). */
bool tc_need_program(tc_session *s, tc_span at, tc_status *status);
bool tc_need_decisions(tc_session *s, tc_span at, tc_status *status);
bool tc_need_lowered(tc_session *s, tc_span at, tc_status *status);
bool tc_need_ptx(tc_session *s, tc_span at, tc_status *status);
void tc_program_set(tc_session *s, tc_func *func);
void tc_program_clear(tc_program *p);
void tc_run_free(tc_run *run);

/* --- read.c ------------------------------------------------------------------
 */

bool tc_ends_with(const char *path, const char *end);
/* The whole of a file in an arena, or NULL after reporting. */
char *tc_read_source(tc_session *s, tc_arena *a, const char *path, tc_span at,
                     size_t *len);

/* --- keep.c: the memory of statements ----------------------------------------
 */

/* Takes over the arena of a statement that succeeded, and its names. */
void tc_keep(tc_session *s, tc_arena *arena, tc_env *env);
/* Frees those that nothing refers to any more. */
void tc_keep_sweep(tc_session *s);
void tc_keep_free(tc_session *s);

/* --- fill.c: data of buffers (INTERFACE.md) --------------------------------
 */

void tc_fill_buffer(uint8_t *bytes, uint64_t size, tc_dtype type, int position,
                    uint64_t seed);
/* The same for the size bytes of a buffer that begin at `from`, a multiple of
 * 8. */
void tc_fill_part(uint8_t *bytes, uint64_t from, uint64_t size, tc_dtype type,
                  int position, uint64_t seed);
/* How many bytes of a buffer are not what it was filled with. */
uint64_t tc_fill_changed(const uint8_t *bytes, uint64_t size, tc_dtype type,
                         int position, uint64_t seed);
uint64_t tc_fnv1a64(const uint8_t *bytes, uint64_t size);

/* --- names.c: from addresses to elements -----------------------------------
 */

/* The element of a buffer that lives at a byte offset of its storage, as
 * "A_smem[17,3]"; "A_smem+8200" where no element lives. In arena. */
const char *tc_element_name(tc_arena *a, const tc_buffer *b, uint64_t offset);
/* The coordinates of that element; false where none lives. */
bool tc_element_at(tc_arena *a, const tc_buffer *b, uint64_t element,
                   int64_t *coord);
/* What an address of the last run is called. */
const char *tc_address_name(tc_session *s, tc_ptx_space space,
                            uint64_t address);

/* --- findings.c --------------------------------------------------------------
 */

void tc_finding_text(tc_session *s, const tc_finding *f, tc_buf *out);
json_t *tc_finding_json(tc_session *s, const tc_finding *f);
json_t *tc_findings_json(tc_session *s);

/* --- json.c ------------------------------------------------------------------
 */

json_t *tc_layout_json(const tc_layout *l);
json_t *tc_value_json(const tc_value *v);
json_t *tc_error_json(const tc_diag *d);

/* --- describe.c: words that several commands share ---------------------------
 */

/* "A_smem[0:128, 0:32]" */
void tc_describe_region(tc_buf *b, const tc_region *r);
/* The learner's text of a span, one line, shortened to width columns. */
void tc_describe_source(tc_buf *b, tc_span span, int width);
/* text in lines no longer than width, from column on; the further lines are
 * indented. Ends the last one. */
void tc_describe_wrapped(tc_buf *b, const char *text, int column, int indent,
                         int width);
/* A line for each instruction that a verdict's lowering issues: how many bytes,
 * which shape, how often; lead goes before each. */
void tc_describe_issues(tc_buf *b, const tc_verdict *v, const char *lead);
/* The text of a line (numbered as the source's lines are), or NULL. */
const char *tc_describe_line(const tc_source *src, int line, int *len);
/* 1234567 as "1,234,567". */
void tc_describe_count(tc_buf *b, uint64_t n);
const char *tc_describe_plural(uint64_t n); /* "" or "s" */

#endif
