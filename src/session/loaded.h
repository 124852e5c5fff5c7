/* loaded.h - the files of kernels that a session has loaded. */
#ifndef TC_SESSION_LOADED_H
#define TC_SESSION_LOADED_H

#include "ptx/ptx.h"
#include "session/session.h"

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
    struct tc_cuda *cuda;    /* load/load.h: the program that a .cu is,
                                      built; or NULL. Owned, in the arena */
    const char *unknown;     /* what of it the simulator does not execute; its
                                module is then an outline. Else NULL */
};

/* --- loaded.c --------------------------------------------------------------*/

/* Makes it the newest of the session's files, in place of an older one of the
 * same name. */
void tc_loaded_retain(tc_session *s, tc_loaded *f);
void tc_loaded_free(tc_loaded *f);

#endif
