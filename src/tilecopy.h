/* tilecopy.h - the public API of libtilecopy.
 *
 * A session holds what a learner has defined so far. Clients (the REPL, the
 * ncurses view, the grader, tests) feed it one command or one piece of
 * TVMScript at a time and get text, or one JSON object, back. The library
 * never prints and never exits: diagnostics and output arrive through
 * callbacks. A statement that fails leaves the session as it was.
 *
 * Where memory for the library's own structures is exhausted there is no going
 * on: it calls the function that tc_on_out_of_memory (base/arena.h) was given,
 * which ends the process; without one, abort(3). The program's own says "out of
 * memory" and ends with status 1, or 4 where it grades.
 */
#ifndef TILECOPY_H
#define TILECOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TC_VERSION "0.1.0"

/* What a call came to. The values are the program's exit statuses. */
typedef enum tc_status {
    TC_OK = 0,
    TC_FAILED = 1,   /* a command failed, or a finding, fault or deadlock */
    TC_USAGE = 2,    /* a command was called with wrong arguments */
    TC_REJECTED = 3, /* the input does not parse, or no variant accepts */
    TC_MACHINE = 4,  /* the machine's fault: no room, no compiler, too few
                        processes or descriptors */
    TC_NO_GPU = 110, /* a GPU was asked for: there is none, or it failed */
    TC_TIMEOUT = 114 /* the time limit, see tc_options.timeout_s */
} tc_status;

typedef enum tc_severity {
    TC_ERROR,
    TC_WARNING,
    TC_NOTE,
    TC_VERBATIM /* another program's own messages, of several lines */
} tc_severity;

/* What a program may want to tell from the rest; the message is for people. */
typedef enum tc_diag_code {
    TC_CODE_NONE,
    TC_CODE_WAITING, /* for a GPU that others use, or a machine that has one */
    TC_CODE_UNBUILT  /* right, and not built yet: subject names it */
} tc_diag_code;

/* One diagnostic. All strings are borrowed for the duration of the callback.
 * line and col count from 1; line 0 means "no place in a source". */
typedef struct tc_diag {
    tc_severity severity;
    const char *file;        /* a path, or "<input>" */
    int line, col, end_col;  /* end_col is one past the last column */
    const char *source_line; /* text of that line without newline, or NULL */
    const char *message;
    const char *hint; /* or NULL */
    tc_diag_code code;
    const char *subject; /* of UNBUILT: "mapa", "cvta.shared::cluster" */
} tc_diag;

typedef void (*tc_diag_fn)(void *user, const tc_diag *diag);

/* Receives output text in pieces; len bytes, not terminated. */
typedef void (*tc_output_fn)(void *user, const char *text, size_t len);

typedef enum tc_backend {
    TC_BACKEND_SIM,
    TC_BACKEND_GPU,
    TC_BACKEND_BOTH
} tc_backend;

/* Settings of a session; tc_options_default() gives the documented ones. */
typedef struct tc_options {
    const char *arch; /* "sm_80", "sm_90", "sm_90a", "sm_100a" or NULL: the
                         default machine, sm_90a, and PTX for the least arch */
    tc_backend backend;
    uint64_t seed;    /* of the data that fills buffers */
    double timeout_s; /* for each command; 0 is no limit */
    bool json;        /* output is one JSON object a command */
    int threads;      /* that execute a kernel's CTAs at most; 0: the setting's
                           own */
    int width;        /* columns that text may use, 0 is 80 */
    int height;       /* rows of the terminal; 0: no screen ends */
    bool color;       /* text may have escape sequences */
    bool terminal;    /* a person watches */
    bool view;        /* and a full-screen view can be drawn there */
    const char *runner; /* how to reach the machine that has the GPU: "ssh box";
                           NULL: this one */
} tc_options;

typedef struct tc_session tc_session;

/* First in main of a program that has sessions. A session's GPU is driven by a
 * process of its own, which is that program once more. True: this is that
 * process, its work is done, and *status is for main to return. */
bool tc_session_process(int argc, char **argv, int *status);
/* For programs that run others': from here on two processes go on. In the one
 * that works it returns false. The other one waits for it, passes signals on,
 * stops and goes on with it,
 * and when it has ended, whatever ended it, ends all that it has left behind:
 * then it returns true, and *status is for main to return; or dies of SIGINT,
 * SIGTERM or SIGHUP as the worker has. If that one is killed, the worker gets
 * SIGTERM. Call it before there are threads. */
bool tc_supervise(int *status);
/* The number of the process that drives the GPU, or 0. s may be NULL. */
int tc_session_gpu_process(const tc_session *s);

tc_options tc_options_default(void);

/* The session borrows options->arch for its lifetime and copies the rest. Free
 * with tc_session_free(). Returns NULL, after a diagnostic, for a bad arch. */
tc_session *tc_session_new(const tc_options *options, tc_diag_fn diag,
                           tc_output_fn output, void *user);
void tc_session_free(tc_session *s);

/* Loads the file at path: .py is evaluated as if it had been typed, the kernels
 * of .ptx can be launched, .cu is built and can be run. */
tc_status tc_session_load(tc_session *s, const char *path);

/* Evaluates one command line, or TVMScript text of any number of lines. */
tc_status tc_session_eval(tc_session *s, const char *text);

/* Whether there is a compiler of CUDA C++. If not, why and what to do; both
 * last as long as the session. */
bool tc_session_compiler(tc_session *s, const char **why, const char **hint);
/* Puts one, of some hundred megabytes, into the folder tc_session_compiler_home
 * from PyPI. Lines of progress are output. */
tc_status tc_session_fetch_compiler(tc_session *s);
const char *tc_session_compiler_home(tc_session *s);

/* Is the word one of nvcc's options? 2: its value is the next word. */
int tc_nvcc_word(const char *word);
/* Is it, by its name, a file that nvcc takes? */
bool tc_nvcc_source(const char *word);

/* A whole CUDA program, to be run once. */
typedef struct tc_exec_options {
    const char *path;        /* the .cu */
    const char *const *nvcc; /* nvcc's words, with path among them, ended by
                                NULL; NULL: path alone */
    const char *const *args; /* behind the program's name, ended by NULL */
    int report;    /* a descriptor that gets INTERFACE.md's report; -1: none */
    int sarif;     /* one that gets the findings as SARIF; 0 or -1: none */
    bool quiet;    /* findings go to the report alone */
    bool lines;    /* findings are a compiler's lines: commands/report/ */
    bool pedantic; /* leaks and errors that nobody looked at are findings too */
    const char *main;  /* one more source, linked in (the grader's), or NULL */
    int in, out, err;  /* descriptors that become its standard streams; 0: this
                          process's own */
    const char *cache; /* see tc_build_options; NULL: the user's */
    bool no_suppressions; /* races in libraries that are believed right too */
    bool timing; /* cycles: what events and clock64 tell; else they are guesses
                    from instructions and bytes */
    const struct tc_limits *limits; /* of its build, base/limits.h; NULL: the
                                       usual ones */
    const struct tc_limits *taken;  /* what it and its kernels may take
                                       (runtime/budget.h; disk: each file that it
                                       writes); NULL: what the machine has */
    uint64_t memory; /* bytes of device memory that it may have; 0: what the
                        device has */
    struct tc_given_task
        *task; /* base/call_task.h: calls that it is to make, or NULL */
    const struct tc_sandbox *sandbox; /* sandbox/sandbox.h: of its build and of
                                         its run; NULL: none */
} tc_exec_options;

/* Builds it and runs it, in a process of its own with the standard streams and
 * the working folder of this one; tc_options.timeout_s is for the run alone:
 * tc_session_interrupt ends a build too.
 * Findings are output when it has ended. Returns the exit status that
 * INTERFACE.md says: the program's own if not 0, else 1 after findings. */
int tc_session_exec(tc_session *s, const tc_exec_options *o);

/* What `grade EXERCISE FILE` asks: a client's, as session/ knows no grader. The
 * verdict is output, as text or as one JSON object; diagnostics are diag's. */
typedef tc_status (*tc_grade_fn)(tc_session *s, const char *exercise,
                                 const char *path, const tc_options *o,
                                 tc_diag_fn diag, tc_output_fn output,
                                 void *user);
void tc_session_grades(tc_session *s, tc_grade_fn fn);
/* A session that works for s for a while: interrupts reach it too. NULL: none
 * does any more. */
void tc_session_nest(tc_session *s, tc_session *inner);

/* True when text is the beginning of something that goes on: an open bracket
 * or string, or a function body that no blank line has ended. */
bool tc_session_wants_more(const tc_session *s, const char *text);

/* True once `quit` was evaluated. */
bool tc_session_finished(const tc_session *s);

/* True when a run of this session had findings: they stop no batch, but make
 * its exit status 1. */
bool tc_session_had_findings(const tc_session *s);

/* Name of the current program's function, or NULL. */
const char *tc_session_program(const tc_session *s);

/* Columns that text may use from now on. */
void tc_session_set_width(tc_session *s, int width);
/* Rows that a screen has from now on; 0: no end. */
void tc_session_set_height(tc_session *s, int height);
/* What the last command asks of the client, beside showing its reply. */
typedef enum tc_client_kind {
    TC_CLIENT_NONE,
    TC_CLIENT_EDIT,    /* open path in the user's editor, then load it */
    TC_CLIENT_WATCH,   /* load path and evaluate the commands, at each save */
    TC_CLIENT_SCRIPT,  /* evaluate the entries of path, a session's script */
    TC_CLIENT_CHOOSE,  /* ask which of n tests of path is meant; commands are
                         their names, chosen the one taken so far. Another is
                         had by `load "PATH::NAME"` */
    TC_CLIENT_HISTORY, /* list the entries typed here and before: n of them */
    TC_CLIENT_SHELL    /* a shell's line, commands[0], in the folder path; this
                         program is tilecopy-repl there */
} tc_client_kind;

/* Valid until the next evaluation. */
typedef struct tc_client_request {
    tc_client_kind kind;
    const char *path;
    const char *const *commands;
    int n, chosen;
    int line; /* to begin at, from 1; 0: anywhere */
} tc_client_request;

tc_client_request tc_session_request(const tc_session *s);

/* Candidates to complete the word that begins at byte start of line. Returns a
 * NULL-terminated array of malloc'd strings, itself malloc'd; NULL when there
 * is none. *files is set when file names should be offered too. */
char **tc_session_complete(tc_session *s, const char *line, size_t start,
                           bool *files);

/* Stops what runs, as soon as possible and without loss; the evaluation under
 * way returns TC_FAILED (or TC_TIMEOUT). Async-signal-safe. */
void tc_session_interrupt(tc_session *s, bool timeout);
/* Has it been, since the evaluation under way, or the last one, began? */
bool tc_session_interrupted(const tc_session *s);

/* The trace of the last run, or NULL; see trace/trace.h. Valid until the next
 * evaluation. */
struct tc_trace;
const struct tc_trace *tc_session_trace(const tc_session *s);
/* Why `state` cannot tell what its machine held at a cycle, or NULL. */
const char *tc_session_no_state(const tc_session *s);

/* Source text of a line (from 1) of the current program, or NULL. Borrowed. */
const char *tc_session_source_line(const tc_session *s, int line, int *len);

/* True when the last command asked the client for a full-screen timeline. */
bool tc_session_wants_timeline(tc_session *s);
/* Where it is to begin: a cycle, or "finding:N"; NULL: at the start. Valid until
 * the next evaluation. */
const char *tc_session_timeline_at(const tc_session *s);

/* The traces of the two runs (which: 0, 1) that it is to compare, and their
 * names; NULL: it is to show the last run. Valid as long as that. */
const struct tc_trace *tc_session_compared(const tc_session *s, int which,
                                           const char **name);

/* What a byte of shared memory of the last run is called ("A_smem[17,3]"), to
 * fn; false: it has no name. */
bool tc_session_element(tc_session *s, uint64_t address, tc_output_fn fn,
                        void *user);
/* Evaluates a command beside the dialogue: its text and its errors, a line
 * each, go to fn; settings, and what runs have found, stay as they are. */
tc_status tc_session_ask(tc_session *s, const char *command, tc_output_fn fn,
                         void *user);

#endif
