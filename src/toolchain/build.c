#include "toolchain/build.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

tc_build_status tc_build_fails(tc_job *j, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(j->why, j->why_size, fmt, ap);
    va_end(ap);
    return TC_BUILD_FAILED;
}

tc_build_status tc_build_machine(tc_job *j, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(j->why, j->why_size, fmt, ap);
    va_end(ap);
    return TC_BUILD_MACHINE;
}

/* The words of compilers that had no room: the system's, by perror. */
static const char *machine_words(const char *said) {
    static const char *const words[] = {"No space left on device",
                                        "Disk quota exceeded",
                                        "Too many open files",
                                        "Resource temporarily unavailable",
                                        "Cannot allocate memory",
                                        "Read-only file system",
                                        "died due to signal 9 (Kill signal)",
                                        "Killed signal terminated program"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(said, words[i]) != NULL) {
            return words[i];
        }
    }
    return NULL;
}

/* Has a source these words itself? Then they may be its own. */
static bool has_words(const tc_job *j, const char *words) {
    for (int i = 0; i < j->n; i++) {
        const tc_unit *u = &j->units[i];
        if (memmem(u->text, u->len, words, strlen(words)) != NULL) {
            return true;
        }
    }
    return false;
}

/* A tool below the one that was run had no more of something than its limits
 * gave: it says so in words of the C library's, the shell's or its own. */
static bool was_limited(tc_job *j) {
    static const struct {
        const char *words, *limit;
    } all[] = {{"died due to signal 24", "processor time"},
               {"died due to signal 25", "disk"},
               {"File size limit exceeded", "disk"},
               {"File too large", "disk"},
               {"out of memory allocating", "memory"},
               {"virtual memory exhausted", "memory"},
               {"LLVM ERROR: out of memory", "memory"},
               {"std::bad_alloc", "memory"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strstr(tc_buf_text(&j->said), all[i].words) != NULL &&
            !has_words(j, all[i].words)) {
            tc_build_fails(j, "it takes more than the limit of %s",
                           all[i].limit);
            return true;
        }
    }
    return false;
}

static tc_build_status refused(tc_job *j, const char *tool) {
    const char *said = tc_buf_text(&j->said), *words = machine_words(said);
    if (was_limited(j)) {
        return TC_BUILD_LIMITED;
    }
    if (words != NULL && !has_words(j, words)) {
        return tc_build_machine(j, "%s could not do its work: %s", tool, words);
    }
    if (strstr(said, "unsupported GNU version") != NULL ||
        strstr(said, "unsupported clang version") != NULL) {
        return tc_build_machine(j,
                                "nvcc does not take %s: let CXX name another "
                                "C++ compiler",
                                j->host);
    }
    tc_build_fails(j, "%s refused it", tool);
    return TC_BUILD_REFUSED;
}

int tc_build_run(tc_job *j, const char *const *argv, bool plain,
                 tc_buf *words) {
    const char *env[] = {tc_format(j->a, "TMPDIR=%s", j->work),
                         plain ? "LC_ALL=C" : NULL, NULL};
    const tc_limits *l = j->o->limits;
    tc_process p = {.argv = argv,
                    .env = env,
                    .out = words,
                    .err = words,
                    .cancel = j->o->cancel,
                    .limits = l != NULL ? l : tc_limits_usual(),
                    .why = &j->passed,
                    .own = j->work};
    return tc_run(&p);
}

tc_build_status tc_build_ended(tc_job *j, const char *tool, int status) {
    switch (status) {
    case TC_RUN_NOT_STARTED:
        return tc_build_machine(j, "%s cannot be run: %s", tool,
                                strerror(errno));
    case TC_RUN_CANCELLED:
        tc_build_fails(j, "interrupted");
        return TC_BUILD_CANCELLED;
    case TC_RUN_LIMITED:
        tc_build_fails(j, "%s was stopped: %s", tool, tc_buf_text(&j->passed));
        return TC_BUILD_LIMITED;
    default:
        break;
    }
    if (status == 128 + SIGKILL || status == 128 + SIGTERM) {
        return tc_build_machine(j, "%s was ended by signal %d", tool,
                                status - 128);
    }
    if (status > 128) {
        return tc_build_fails(j, "%s was ended by signal %d", tool,
                              status - 128);
    }
    if (j->said.len == 0) {
        return tc_build_fails(j, "%s failed with status %d and said nothing",
                              tool, status);
    }
    return refused(j, tool);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static tc_build_status open_sources(tc_job *j, const char *path) {
    j->units[j->n++].path = path;
    if (j->o->main != NULL) {
        j->units[j->n++].path = j->o->main;
    }
    for (int i = 0; i < j->n; i++) {
        tc_unit *u = &j->units[i];
        u->text = tc_read_file(j->a, u->path, &u->len);
        if (u->text == NULL && tc_lacks_room(errno)) {
            return tc_build_machine(j, "%s: %s", u->path, strerror(errno));
        }
        if (u->text == NULL) {
            return tc_build_fails(j, "%s: %s", u->path,
                                  errno == EINVAL ? "this is not a file"
                                                  : strerror(errno));
        }
    }
    j->host = tc_host_compiler(j->a);
    if (j->host == NULL) {
        return tc_build_machine(
            j, "nvcc needs a C++ compiler for the host's part of a program, "
               "and there is no g++ in PATH: install it (Debian, Ubuntu: apt "
               "install g++; Fedora: dnf install gcc-c++)");
    }
    return TC_BUILD_OK;
}

/* What decides a build, but for the files that the sources include. The path
 * counts: the PTX and the program name it. */
static tc_hash key_of(tc_job *j) {
    tc_hash h = TC_HASH_START;
    tc_hash_text(&h, "tilecopy build 1");
    tc_hash_text(&h, j->t->identity);
    tc_hash_stat(&h, j->host);
    tc_hash_flags(&h);
    tc_hash_text(&h, j->o->arch);
    tc_hash_text(&h, j->o->program ? "program" : "ptx");
    if (j->o->program) {
        tc_hash_block(&h, tc_stub_archive,
                      (size_t)(tc_stub_archive_end - tc_stub_archive));
    }
    for (int i = 0; i < j->n; i++) {
        tc_hash_text(&h, j->units[i].path);
        tc_hash_text(&h, tc_absolute(j->a, j->units[i].path));
        tc_hash_block(&h, j->units[i].text, j->units[i].len);
    }
    return h;
}

/* --- what an earlier build left ---------------------------------------------
 * KEY.deps lists the files that the sources included when they were last built;
 * the folder named by the key and what those files are now has the build. */

static tc_build_status take(tc_job *j, const char *folder, tc_build *out) {
    size_t len = 0;
    const char *said =
        tc_read_file(j->a, tc_format(j->a, "%s/said", folder), &len);
    out->ptx = tc_format(j->a, "%s/kernels.ptx", folder);
    out->program = j->o->program ? tc_format(j->a, "%s/program", folder) : NULL;
    out->said = said != NULL ? said : "";
    if (access(out->ptx, R_OK) != 0 ||
        (out->program != NULL && access(out->program, X_OK) != 0)) {
        return tc_build_fails(j, "%s: %s", folder, strerror(errno));
    }
    return TC_BUILD_OK;
}

static bool look_up(tc_job *j, tc_hash key, tc_build *out) {
    const char *name = tc_hash_name(j->a, key);
    const char *deps =
        tc_cache_find(j->a, j->o->cache, tc_format(j->a, "%s.deps", name));
    size_t len = 0;
    const char *list = deps != NULL ? tc_read_file(j->a, deps, &len) : NULL;
    if (list == NULL || !tc_deps_hash(j->a, list, &key)) {
        return false;
    }
    const char *folder =
        tc_cache_find(j->a, j->o->cache, tc_hash_name(j->a, key));
    out->cached = folder != NULL && take(j, folder, out) == TC_BUILD_OK;
    if (folder != NULL && !out->cached) {
        tc_remove_tree(folder); /* something is missing in it */
    }
    return out->cached;
}

/* --- a new one -------------------------------------------------------------*/

static bool copy_to(tc_job *j, const char *from, const char *folder,
                    const char *name, int mode) {
    size_t len = 0;
    const char *bytes = tc_read_file(j->a, from, &len);
    return bytes != NULL &&
           tc_write_file(tc_format(j->a, "%s/%s", folder, name), bytes, len,
                         mode);
}

/* Did the sources stay as they were read? */
static bool unchanged(tc_job *j, const char *deps) {
    tc_buf all = TC_BUF_INIT;
    for (int i = 0; i < j->n; i++) {
        tc_buf_printf(&all, "%s\n", j->units[i].path);
    }
    tc_buf_puts(&all, deps);
    bool same = !tc_deps_changed(j->a, all.data, j->begin);
    tc_buf_free(&all);
    return same;
}

/* What was built from sources that somebody wrote to meanwhile is used, but no
 * later build may take it. */
static tc_build_status store(tc_job *j, tc_hash key, const char *program,
                             tc_build *out) {
    tc_buf list = TC_BUF_INIT;
    for (int i = 0; i < j->n; i++) {
        tc_deps_read(j, &j->units[i], &list);
    }
    const char *deps = tc_buf_finish(&list, j->a);
    const char *name = tc_format(j->a, "%s.deps", tc_hash_name(j->a, key));
    const char *made = tc_cache_new(j->a, j->o->cache);
    bool ok = made != NULL &&
              copy_to(j, j->units[0].ptx, made, "kernels.ptx", 0644) &&
              (program == NULL || copy_to(j, program, made, "program", 0755)) &&
              tc_write_file(tc_format(j->a, "%s/said", made),
                            tc_buf_text(&j->said), j->said.len, 0644);
    if (ok && (!tc_deps_hash(j->a, deps, &key) || !unchanged(j, deps))) {
        return take(j, made, out);
    }
    const char *folder =
        ok ? tc_cache_keep(j->a, made, tc_hash_name(j->a, key)) : NULL;
    if (folder == NULL) {
        tc_build_machine(j, "what was built cannot be kept: %s",
                         strerror(errno));
        if (made != NULL) {
            tc_remove_tree(made);
        }
        return TC_BUILD_MACHINE;
    }
    tc_cache_text(j->a, j->o->cache, name, deps, strlen(deps));
    tc_cache_trim(j->a, j->o->cache);
    return take(j, folder, out);
}

static tc_build_status make(tc_job *j, tc_hash key, tc_build *out) {
    uint64_t begin = now_ns();
    const char *program = NULL;
    j->work = tc_temporary(j->a);
    if (j->work == NULL) {
        return tc_build_machine(j, "there is no folder for temporary files: %s",
                                strerror(errno));
    }
    tc_build_status s = TC_BUILD_OK;
    for (int i = 0; i < j->n && s == TC_BUILD_OK; i++) {
        s = tc_compile(j, &j->units[i]);
    }
    if (s == TC_BUILD_OK && j->o->program) {
        s = tc_link(j, &program);
    }
    out->compile_ns = now_ns() - begin;
    if (s == TC_BUILD_OK) {
        s = store(j, key, program, out);
    }
    tc_remove_tree(j->work);
    return s;
}

tc_build_status tc_build_cu(tc_arena *a, const tc_toolchain *t,
                            const char *path, const tc_build_options *o,
                            tc_build *out, char *why, size_t why_size) {
    tc_job j = {.a = a, .t = t, .o = o, .why = why, .why_size = why_size};
    *out = (tc_build){.said = ""};
    clock_gettime(CLOCK_REALTIME, &j.begin);
    tc_build_status s = open_sources(&j, path);
    if (s == TC_BUILD_OK) {
        tc_hash key = key_of(&j);
        if (!look_up(&j, key, out)) {
            *out = (tc_build){.said = ""};
            s = make(&j, key, out);
        }
    }
    if (s != TC_BUILD_OK) {
        out->said = tc_strndup(a, tc_buf_text(&j.said), j.said.len);
    }
    tc_buf_free(&j.said);
    tc_buf_free(&j.passed);
    return s;
}
