/* fetch.c - a CUDA compiler fetched by toolkit.sh. */
#include "base/progress/progress.h"
#include "toolchain/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct fetch_listener {
    void (*said)(void *user, const char *line);
    void *user;
    char *why;
    size_t size;
} fetch_listener;

/* The script's last word on what is wrong is "error: ...". */
static void hear(void *user, const char *line) {
    fetch_listener *l = user;
    unsigned long long kb, all;
    if (sscanf(line, "so far %llu of %llu KB", &kb, &all) == 2) {
        tc_progress_at(kb < all ? kb : all, all);
    } else if (strncmp(line, "error: ", 7) == 0) {
        snprintf(l->why, l->size, "%s", line + 7);
    } else if (l->said != NULL) {
        l->said(l->user, line);
    }
}

bool tc_toolchain_fetch(void (*said)(void *user, const char *line), void *user,
                        const atomic_int *cancel, char *why, size_t size) {
    tc_arena *a = tc_arena_new();
    fetch_listener l = {said, user, why, size};
    const char *argv[] = {
        "/bin/sh", "-c", tc_toolkit_script, "toolkit.sh", tc_toolchain_home(a),
        "sizes",   NULL};
    tc_tool_process p = {
        .argv = argv, .said = hear, .user = &l, .cancel = cancel};
    snprintf(why, size, "fetching the CUDA compiler failed");
    tc_progress_begin("fetching a CUDA compiler, 100 MB");
    int status = tc_tool_run(&p);
    tc_progress_end();
    if (status == TC_RUN_CANCELLED) {
        snprintf(why, size, "interrupted");
    } else if (status == TC_RUN_NOT_STARTED) {
        snprintf(why, size, "/bin/sh cannot be run: %s", strerror(errno));
    }
    tc_arena_free(a);
    return status == 0;
}
