/* deps.c - the files that a build depends on. */
#include "toolchain/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *tc_build_absolute(tc_arena *a, const char *path) {
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *all =
        here != NULL ? tc_format(a, "%s/%s", here, path) : tc_strdup(a, path);
    free(here);
    return all;
}

/* The next word of a rule as make writes names: "\ " and "\#" are characters,
 * "$$" is a dollar, a backslash before a line's end joins lines. */
static const char *next_name(const char *p, tc_buf *name) {
    tc_buf_clear(name);
    for (;;) {
        p += strspn(p, " \t\n\r");
        if (p[0] == '\\' && (p[1] == '\n' || p[1] == '\r')) {
            p++;
            continue;
        }
        break;
    }
    while (*p != '\0' && strchr(" \t\n\r", *p) == NULL) {
        if (p[0] == '\\' && (p[1] == '\n' || p[1] == '\r')) {
            break;
        }
        p += (p[0] == '\\' && (p[1] == ' ' || p[1] == '#')) ||
             (p[0] == '$' && p[1] == '$');
        tc_buf_putc(name, *p++);
    }
    return p;
}

static bool inside(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* A name of the build's own folder stands for the student's: the folder "d" is
 * a link to that of the source. */
static const char *true_name(tc_job *j, const char *name) {
    const char *real = tc_real_path(j->a, name);
    return inside(name, j->work) && real != NULL ? real : name;
}

void tc_deps_read(tc_job *j, const tc_unit *u, tc_buf *list) {
    size_t len = 0;
    const char *p = tc_read_file(j->a, u->deps, &len);
    const char *source = tc_real_path(j->a, u->path);
    const char *colon = p != NULL ? strstr(p, " :") : NULL;
    if (colon == NULL) { /* gcc's own form */
        colon = p != NULL ? strstr(p, ":") : NULL;
    }
    tc_buf name = TC_BUF_INIT;
    p = colon != NULL ? colon + strcspn(colon, ":") + 1 : "";
    for (;;) {
        p = next_name(p, &name);
        if (name.len == 0) {
            break;
        }
        const char *real = tc_real_path(j->a, name.data);
        if (real == NULL || strchr(name.data, '\n') != NULL ||
            inside(real, j->t->include) || inside(real, j->work) ||
            (source != NULL && strcmp(real, source) == 0)) {
            continue;
        }
        tc_buf_printf(list, "%s\n",
                      tc_build_absolute(j->a, true_name(j, name.data)));
    }
    tc_buf_free(&name);
}

/* Headers of the system are told by their size and time; what a student may
 * write, by its bytes. */
bool tc_deps_hash(tc_arena *a, const char *list, tc_hash *h) {
    while (*list != '\0') {
        size_t n = strcspn(list, "\n"), len = 0;
        const char *path = tc_strndup(a, list, n);
        list += n + (list[n] == '\n');
        if (inside(path, "/usr")) {
            if (!tc_hash_stat(h, path)) {
                return false;
            }
            continue;
        }
        const char *bytes = tc_read_file(a, path, &len);
        if (bytes == NULL) {
            return false;
        }
        tc_hash_text(h, path);
        tc_hash_block(h, bytes, len);
    }
    return true;
}

static bool later(struct timespec x, struct timespec y) {
    return x.tv_sec != y.tv_sec ? x.tv_sec > y.tv_sec : x.tv_nsec > y.tv_nsec;
}

/* Times in the future are a clock's fault, not a change. */
bool tc_deps_changed(tc_arena *a, const char *list, struct timespec since) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    while (*list != '\0') {
        struct stat s;
        size_t n = strcspn(list, "\n");
        const char *path = tc_strndup(a, list, n);
        if (stat(path, &s) != 0 ||
            (later(s.st_mtim, since) && !later(s.st_mtim, now))) {
            return true;
        }
        list += n + (list[n] == '\n');
    }
    return false;
}
