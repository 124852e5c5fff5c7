/* loaded.c - the list of a session's loaded files. */
#include "session/loaded.h"
#include "session/last_run.h"

#include <string.h>

void tc_loaded_free(tc_loaded *f) {
    if (f != NULL) {
        tc_arena_free(f->arena);
    }
}

/* A file of the same path is replaced, and a run of its kernels forgotten. */
static void drop_older(tc_session *s, const tc_loaded *newer) {
    const char *path = newer->source->name;
    for (int i = 0; i < s->nfiles; i++) {
        tc_loaded *f = s->files[i];
        if (f == newer || strcmp(f->source->name, path) != 0) {
            continue;
        }
        if (s->last_exec.exec != NULL && s->last_exec.file == f) {
            tc_last_exec_forget(s);
        }
        if (s->program.run != NULL && s->program.run->file == f) {
            tc_run_free(s->program.run);
            s->program.run = NULL;
        }
        tc_loaded_free(f);
        memmove(&s->files[i], &s->files[i + 1],
                sizeof *s->files * (size_t)(s->nfiles - i - 1));
        s->nfiles--;
        return;
    }
}

void tc_loaded_retain(tc_session *s, tc_loaded *f) {
    drop_older(s, f);
    TC_PUSH(s->arena, s->files, s->nfiles, s->files_cap, f);
    s->file_is_newest = true;
}
