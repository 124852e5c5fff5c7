/* launch.h - loaded .ptx files and built .cu files; launching their kernels by
 * hand. */
#ifndef TC_SESSION_LAUNCH_H
#define TC_SESSION_LAUNCH_H

#include "session/run.h"

/* Where an instruction's .loc says that it came from. */
typedef struct tc_origin {
    uint32_t file, line; /* line 0: nowhere */
} tc_origin;

/* A file that a built .cu's code is from. */
typedef struct tc_cuda_file {
    const char *path;      /* as the compiler names it; NULL: no such number */
    const char *name;      /* as the learner does */
    bool own;              /* the learner's: not the toolkit's */
    bool read;             /* text was looked for */
    const tc_source *text; /* or NULL */
} tc_cuda_file;

struct tc_loaded {
    tc_arena *arena;         /* of everything here, itself too */
    const tc_source *source; /* the .ptx, or the .cu that it was built from */
    const tc_source *text;   /* the PTX */
    tc_ptx_module *module;   /* whose lines count those of source */
    tc_origin *origins;      /* one an op */
    tc_cuda_file *cu_files;  /* of a .cu, by .file number. Else NULL */
    uint32_t *places;        /* of a .cu: an op's place in the learner's files,
                                in module->locs; 0: unknown */
    struct tc_cuda *cuda;    /* exec.h: the program that a .cu is, built; or
                                      NULL. Owned, in the arena */
    const char *unknown;     /* what of it the simulator does not execute; its
                                module is then an outline. Else NULL */
};

/* --- launch_file.c -----------------------------------------------------------
 */

/* Reads the text (in arena a, which this takes over) as a .ptx file. Reports
 * and leaves the session as it was if it does not parse. With --backend gpu, a
 * text with instructions that only the simulator lacks is taken too. */
tc_status tc_loaded_read(tc_session *s, tc_arena *a, const tc_source *src,
                         tc_reply *r);
/* The PTX of a built .cu (in arena a, which this takes over). include is where
 * the toolkit's headers are (NULL: unknown). An op's line becomes the one of
 * the innermost place in the learner's files; its file 1 for the .cu and more
 * for another. Not put among the session's files. NULL (a is freed) after
 * reporting where it does not parse. */
tc_loaded *tc_loaded_cuda(tc_session *s, tc_arena *a, const tc_source *ptx,
                          const tc_source *cu, const char *include);
void tc_loaded_free(tc_loaded *f);
/* Makes it the newest of the session's files, in place of an older one of the
 * same name. */
void tc_loaded_keep(tc_session *s, tc_loaded *f);

/* The newest kernel of a name: as it is in the file, or as C++ had it before
 * mangling (if only one is). NULL if there is none. */
const tc_ptx_func *tc_loaded_kernel(const tc_session *s, const char *name,
                                    tc_loaded **file);

/* The name of a kernel within what the compiler made of it, without namespaces,
 * template arguments and parameters: saxpy of _Z5saxpyifPKfPf; else all of it.
 * Not ended by 0: *len is its length. */
const char *tc_kernel_name(const char *name, size_t *len);

/* Reports at the lines of cu what of its PTX does not parse. */
void tc_cuda_refused(tc_session *s, tc_arena *a, const tc_source *ptx,
                     const tc_source *cu);
/* As C++ has it, without blanks, in a: ns::fill<4,int>. */
const char *tc_kernel_full(tc_arena *a, const char *mangled);
/* The parameters of a .cu's kernel as its text has them: "T *out, T v". False
 * (with anything in b): it does not, or has several of the name. */
bool tc_kernel_declared(const tc_loaded *f, const tc_ptx_func *k, tc_buf *b);

/* Calls fn for every kernel's name, hidden ones left out; short: as in C++. */
void tc_loaded_each(const tc_session *s,
                    void (*fn)(void *user, const char *name), void *user);

/* What a name that no loaded kernel has may have meant: "did you mean saxpy?",
 * or which there are. */
void tc_loaded_hint(const tc_session *s, const char *name, tc_buf *hint);

/* A kernel's parameters: "u64 x, u64 y, f32 a". */
void tc_loaded_params(const tc_ptx_func *f, tc_buf *b);
/* The name that a person gave a parameter or kernel: x of saxpy_param_x. */
const char *tc_loaded_param_name(const tc_ptx_func *f, int i);

/* The file's text with, above the first instruction of each run of them that
 * came from one place, that place as a comment. */
void tc_loaded_interleave(const tc_loaded *f, tc_buf *out);

/* The place and text that an op came from, if its .loc's file can be read.
 * Returns false otherwise. All in arena a. */
bool tc_loaded_origin(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                      const char **name, int *line, const char **text);

/* --- launch.c ----------------------------------------------------------------
 */

/* The simulator executes all of the run's file, and its machine has what the
 * .target asks for. Reports at span and returns false if not. */
bool tc_launch_fits(tc_session *s, const tc_run *run, tc_span at);

#endif
