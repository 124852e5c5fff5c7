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
#include "reply/reply.h"
#include "sim/sim.h"
#include "tilecopy.h"
#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>

typedef struct tc_last_run tc_last_run; /* session/last_run.h */
typedef struct tc_loaded tc_loaded; /* session/loaded.h: a .ptx or .cu file */

/* The current program and what has been made of it. */
typedef struct tc_program {
    tc_func *func;
    tc_arena *arena; /* of all below; NULL until something was made */
    bool dispatched, emitted;
    tc_decisions decisions;
    tc_lowered *lowered; /* NULL: not made, or refused */
    tc_emitted ptx;
    tc_last_run *run; /* the session's last, also when it was a launch */
} tc_program;

/* The memory of a statement that succeeded, and what it defined. */
typedef struct tc_retained {
    tc_arena *arena; /* this one is in it too */
    tc_env *env;
    struct tc_retained *older, *newer; /* or NULL */
} tc_retained;

/* The last run, if it was of a whole program: else all NULL. Its last launch is
 * then program.run, if it had one. */
typedef struct tc_last_exec {
    struct tc_exec *exec; /* exec/exec.h; owned */
    const tc_loaded *file;
    void (*free)(struct tc_exec *exec);
} tc_last_exec;

struct tc_session {
    tc_options options;
    tc_diag_fn diag;
    tc_output_fn output;
    void *user;

    tc_arena *arena;   /* lives as long as the session */
    tc_arena *tree;    /* tokens and syntax of the statement being read */
    tc_retained *kept; /* the newest that something still refers to */
    tc_retained *program_kept; /* that of program.func; or NULL */
    tc_env *env;
    tc_program program;
    tc_loaded **files; /* loaded .ptx, the newest last */
    int nfiles, files_cap;
    bool file_is_newest;             /* than the program */
    const tc_exec_options *building; /* what the .cu that is being loaded is
                                        built with, or NULL */
    char *own_folder;  /* of the files of the lesson under way, owned: left out
                          where they are named to a person; or NULL */
    const char *fault; /* whose it was that the last .cu could not be built:
                          "source", "limit", "machine", "interrupt" */
    struct tc_gpu_host *gpu; /* the process that has the GPU, once asked for */
    tc_last_exec last_exec;

    /* settings: `set` */
    bool timing, hazards, suppressions, trace, target_cuda;
    tc_completion completion;
    uint64_t completion_seed;
    const struct tc_profile *profile; /* NULL: the arch's own */
    const char *profile_name;

    /* of the evaluation under way */
    tc_diags diags;
    json_t *first_error;       /* JSON mode: the error object */
    json_t *notes;             /* JSON mode: warnings and notes */
    atomic_int cancel;         /* 1 interrupted, 2 time limit */
    tc_grade_fn grade;         /* the client's; NULL: it has none */
    tc_session *_Atomic inner; /* that interrupts reach too, or NULL */

    struct tc_course
        *course; /* the lesson under way (commands/course.h); owned */
    void (*course_free)(struct tc_course *course);
    bool as_pages;   /* a lesson is under way: cycles are of the PTX, as on its
                        pages, whatever ptxas makes of it */
    bool asking;     /* a lesson asks: the reply is not shown */
    tc_arena *asked; /* of the request */
    tc_client_request request;
    tc_buf script;  /* the entries that succeeded, as `save` writes them */
    int entries;    /* of the script */
    bool recording; /* into it */
    struct tc_alias *aliases; /* in the session's arena, the newest first */
    char *exercise;           /* that `exercise` showed last; owned, or NULL */

    char *test_path, *test_name; /* of the file of tests that made the program,
                                    and the test; owned, or NULL */

    bool told_cache; /* that it is not used */
    bool finished, had_findings, wants_timeline;
    struct tc_kept *kept_runs; /* runs by name: commands/time/keep.c */
    void (*kept_runs_free)(struct tc_kept *k);
    char timeline_at[32]; /* where it is to begin, or "" */
    struct {
        const tc_trace *trace; /* NULL: no comparison was asked for */
        const char *name;
    } compared[2]; /* that the timeline is to compare */
};

/* --- program.c: the current program's stages, made on demand ---------------*/

/* Each reports and returns false when its stage cannot be had; *status then
 * says whether the input was rejected (3) or the command failed (1). */
bool tc_need_program(tc_session *s, tc_span at, tc_status *status);
bool tc_need_decisions(tc_session *s, tc_span at, tc_status *status);
bool tc_need_lowered(tc_session *s, tc_span at, tc_status *status);
/* What the simulated machine's parts cost: a file's path, or the name of one of
 * src/calibrate/profiles/ ("h200"); NULL: the arch's own. Reports one that cannot be read, and
 * changes nothing then. */
void tc_session_profile(tc_session *s, const char *name, tc_span at);
/* The simulated machine: --arch's or `set arch`'s, else the first. */
const char *tc_session_arch(const tc_session *s);
bool tc_need_ptx(tc_session *s, tc_span at, tc_status *status);
void tc_program_set(tc_session *s, tc_func *func);
void tc_program_clear(tc_program *p);

/* --- last_run.c ------------------------------------------------------------*/

/* Forgets the last run, if it was of a whole program. */
void tc_last_exec_forget(tc_session *s);

/* --- read.c ----------------------------------------------------------------*/

bool tc_ends_with(const char *path, const char *end);
/* The whole of a file in an arena, or NULL after reporting. */
char *tc_read_source(tc_session *s, tc_arena *a, const char *path, tc_span at,
                     size_t *len);
/* Puts the text in the place of a file; false after reporting. */
bool tc_write_text(tc_session *s, const char *path, tc_span at,
                   const tc_buf *text);
/* Bytes of a text of lessons or exercises. */
enum { TC_TEXT_LIMIT = 8 << 20 };

/* --- retain.c: the memory of statements --------------------------------------*/

/* Takes over the arena of a statement that succeeded, and its names; program:
 * it defined the current program. Frees what nothing refers to any more. */
void tc_session_retain(tc_session *s, tc_arena *arena, tc_env *env,
                       bool program);
void tc_session_release(tc_session *s);

#endif
