/* commands.h - the commands of a session: their table, and what they share. */
#ifndef TC_COMMANDS_COMMANDS_H
#define TC_COMMANDS_COMMANDS_H

#include "commands/form.h"
#include "exec/exec.h"
#include "reply/reply.h"
#include "run/run.h"
#include "session/session.h"

typedef tc_status tc_command_fn(tc_session *s, const tc_command_args *args,
                                tc_reply *r);

typedef struct tc_command {
    const char *name;
    const char *form; /* its arguments: "[VARIANT]" (form.h) */
    tc_command_fn *run;
    const char *summary; /* one line */
    const char *help;    /* what `help NAME` adds: text and an example */
} tc_command;

extern const tc_command tc_commands[];
extern const int tc_ncommands;

#define TC_COMMAND(name, form, fn, summary, help) tc_command_fn fn;
#include "commands/commands.def"

/* --- command.c -------------------------------------------------------------*/

/* The command that a word names (unambiguous prefixes work). With several, or
 * none, NULL; *several is then set if it is a prefix of more than one. */
const tc_command *tc_command_find(const char *word, size_t len, bool *exact,
                                  bool *several);

/* --- set.c -----------------------------------------------------------------*/

/* A line or two for each setting; the same as JSON. */
void tc_settings_help(tc_buf *b);
json_t *tc_settings_json(void);

/* --- export.c --------------------------------------------------------------*/

/* Calls fn for the name of each format. */
void tc_export_names(void (*fn)(void *user, const char *name), void *user);

/* --- run.c -----------------------------------------------------------------*/

/* The reply of `run` and `launch` for the last run, which the simulator
 * executed. */
/* Loads a file that was loaded before: its text or the machine is another. */
tc_status tc_load_again(tc_session *s, const char *path, tc_span at);
tc_status tc_run_answer(tc_session *s, tc_reply *r);

/* The list (taken over) as JSON where that is asked for, else as lines. */
void tc_findings_answer(tc_session *s, json_t *list, tc_reply *r);
/* The findings of the last run, or of one made now; NULL, reported: there is
 * none. */
json_t *tc_need_findings(tc_session *s, tc_span at, tc_status *status);

/* --- gpu.c -----------------------------------------------------------------*/

/* Executes the last run on the GPU too and answers: compared with the
 * simulator's bytes if the simulator has executed it. */
tc_status tc_run_gpu(tc_session *s, tc_span at, tc_reply *r);
/* The last run on the GPU and in the simulator with time stamps in it
 * (run/stamps.h), and the error of each interval; of one warp of CTA 0, or of
 * all (-1). */
tc_status tc_gpu_timeline(tc_session *s, tc_span at, int warp, tc_reply *r);

/* --- exec.c: commands on a loaded .cu --------------------------------------*/

/* `run ARG...` and `gpu ARG...`. */
tc_status tc_exec_command(tc_session *s, tc_loaded *file,
                          const tc_command_args *args, tc_backend backend,
                          tc_reply *r);
/* `findings` for the last run of a program, or one made now of the file. */
tc_status tc_exec_findings_command(tc_session *s, tc_loaded *file, bool lines,
                                   tc_reply *r);
/* The PTX of one of its kernels. */
void tc_cuda_kernel_text(const tc_loaded *f, const tc_ptx_func *kernel,
                         bool source, tc_buf *out);

#endif
