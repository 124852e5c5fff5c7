/* build.c - a build of a .cu, led and kept. */
#include "toolchain/build.h"
#include "base/file.h"
#include "base/progress/progress.h"
#include "base/temporary.h"

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

/* The words of compilers that had no room: the system's, by perror. Those of a
 * disk are about the folder for temporary files. */
typedef struct machine_phrase {
    const char *phrase;
    bool disk;
} machine_phrase;

static const machine_phrase *find_words(const char *said) {
    static const machine_phrase all[] = {
        {"No space left on device", true},
        {"Disk quota exceeded", true},
        {"Read-only file system", true},
        {"Too many open files", false},
        {"Resource temporarily unavailable", false},
        {"Cannot allocate memory", false},
        {"died due to signal 9 (Kill signal)", false},
        {"Killed signal terminated program", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strstr(said, all[i].phrase) != NULL) {
            return &all[i];
        }
    }
    return NULL;
}

bool tc_build_lacks_room(const char *said) {
    return find_words(said) != NULL;
}

/* Has a source these words itself? Then they may be its own. */
static bool has_phrase(const tc_job *j, const char *phrase) {
    for (int i = 0; i < j->n; i++) {
        const tc_unit *u = &j->units[i];
        if (memmem(u->text, u->len, phrase, strlen(phrase)) != NULL) {
            return true;
        }
    }
    return false;
}

/* A tool below the one that was run had no more of something than its limits
 * gave: it says so as text of the C library's, the shell's or its own. */
static bool was_limited(tc_job *j) {
    static const struct {
        const char *phrase, *limit;
    } all[] = {{"died due to signal 24", "processor time"},
               {"died due to signal 25", "disk"},
               {"File size limit exceeded", "disk"},
               {"File too large", "disk"},
               {"out of memory allocating", "memory"},
               {"virtual memory exhausted", "memory"},
               {"LLVM ERROR: out of memory", "memory"},
               {"std::bad_alloc", "memory"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strstr(tc_buf_text(&j->said), all[i].phrase) != NULL &&
            !has_phrase(j, all[i].phrase)) {
            tc_build_fails(j, "it takes more than the limit of %s",
                           all[i].limit);
            return true;
        }
    }
    return false;
}

static tc_build_status no_room(tc_job *j, const char *tool,
                               const machine_phrase *w) {
    return w->disk
               ? tc_build_machine(j, "%s could not do its work in %s: %s", tool,
                                  tc_folder_of(j->a, j->work), w->phrase)
               : tc_build_machine(j, "%s could not do its work: %s", tool,
                                  w->phrase);
}

static tc_build_status refused(tc_job *j, const char *tool) {
    const char *said = tc_buf_text(&j->said);
    const machine_phrase *phrase = find_words(said);
    if (was_limited(j)) {
        return TC_BUILD_LIMITED;
    }
    if (phrase != NULL && !has_phrase(j, phrase->phrase)) {
        return no_room(j, tool, phrase);
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

/* What every sandbox has. */
static bool is_system(const char *path) {
    static const char *const all[] = {"/usr/", "/bin/", "/lib", "/sbin/"};
    bool is = path[0] != '/';
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        is |= strncmp(path, all[i], strlen(all[i])) == 0;
    }
    return is;
}

/* Where a tool of that path is installed: .../bin/nvcc is of a whole toolkit. */
static void show_prefix(tc_arena *a, tc_sandbox *box, const char *path) {
    const char *bin = tc_folder_of(a, path);
    bool whole = strcmp(tc_base_of(bin), "bin") == 0;
    const char *prefix = whole ? tc_folder_of(a, bin) : bin;
    int n = 0;
    bool there = is_system(path);
    for (; box->reads[n] != NULL; n++) {
        there |= strcmp(box->reads[n], prefix) == 0;
    }
    if (!there && n < TC_SANDBOX_PATHS - 1) {
        box->reads[n] = prefix;
    }
}

/* As it was found (in PATH, by a link), and where it lies. */
static void show_tool(tc_arena *a, tc_sandbox *box, const char *path) {
    const char *real = path ? tc_real_path(a, path) : NULL;
    if (real != NULL) {
        show_prefix(a, box, real);
    }
    if (path != NULL) {
        show_prefix(a, box, path);
    }
}

const tc_sandbox *tc_build_sandbox(tc_arena *a, const tc_toolchain *t,
                                   const tc_build_options *o, const char *work,
                                   tc_sandbox *box) {
    static const char *const keeps[] = {"TMPDIR", "LC_ALL",
                                        "NVCC_PREPEND_FLAGS",
                                        "NVCC_APPEND_FLAGS", "NVCC_CCBIN"};
    if (o->sandbox == NULL) {
        return NULL;
    }
    *box = *o->sandbox;
    show_tool(a, box, t->nvcc);
    show_tool(a, box, tc_host_compiler(a));
    box->writes = work;
    box->stays = true;
    memcpy(box->keeps, keeps, sizeof keeps);
    return box;
}

int tc_build_run(tc_job *j, const char *const *argv, bool plain,
                 tc_buf *phrase) {
    const char *env[] = {tc_format(j->a, "TMPDIR=%s", j->work),
                         plain ? "LC_ALL=C" : NULL, NULL};
    const tc_limits *l = j->o->limits;
    tc_sandbox box;
    tc_tool_process p = {.argv = argv,
                         .env = env,
                         .sandbox =
                             tc_build_sandbox(j->a, j->t, j->o, j->work, &box),
                         .out = phrase,
                         .err = phrase,
                         .cancel = j->o->cancel,
                         .limits = l != NULL ? l : tc_limits_usual(),
                         .why = &j->passed,
                         .own = j->work};
    return tc_tool_run(&p);
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

/* The sources: those of the command line, or the one; the grader's. */
static void list_sources(tc_job *j, const char *path) {
    int most = 2 + (j->line != NULL ? j->line->nfiles : 0);
    j->units = TC_NEWN(j->a, tc_unit, most);
    for (int i = 0; j->line != NULL && i < j->line->nfiles; i++) {
        const tc_source_file *f = &j->line->files[i];
        j->units[j->n++] = (tc_unit){.path = f->path, .kind = f->kind};
    }
    if (j->line == NULL) {
        j->units[j->n++].path = path;
    }
    if (j->o->main != NULL) {
        j->units[j->n++] =
            (tc_unit){.path = j->o->main, .kind = tc_source_kind_of(path)};
    }
}

static tc_build_status open_sources(tc_job *j, const char *path) {
    list_sources(j, path);
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

static tc_build_status open_cache(tc_job *j) {
    j->cache = tc_cache_folder(j->a, j->o->cache, &j->note);
    return j->cache != NULL
               ? TC_BUILD_OK
               : tc_build_machine(j,
                                  "there is no folder for temporary files: %s",
                                  strerror(errno));
}

/* What decides a build, but for the files that the sources include. The path
 * counts: the PTX and the program name it. */
static tc_hash key_of(tc_job *j) {
    tc_hash h = TC_HASH_START;
    tc_hash_text(&h, "tilecopy build 6");
    tc_hash_text(&h, j->t->identity);
    tc_hash_stat(&h, j->host);
    tc_hash_flags(&h);
    tc_hash_text(&h, j->o->arch);
    tc_hash_text(&h, j->o->program ? "program" : "ptx");
    if (j->line != NULL) {
        tc_build_hash_line(j, &h);
    }
    if (j->o->program) {
        tc_hash_block(&h, tc_stub_archive,
                      (size_t)(tc_stub_archive_end - tc_stub_archive));
    }
    for (int i = 0; i < j->n; i++) {
        bool named = j->line != NULL || !tc_build_host_only(&j->units[i]);
        tc_hash_text(&h, named ? j->units[i].path : NULL);
        tc_hash_text(&h,
                     named ? tc_build_absolute(j->a, j->units[i].path) : NULL);
        tc_hash_block(&h, j->units[i].text, j->units[i].len);
    }
    return h;
}

/* --- what an earlier build left ---------------------------------------------
 * KEY.deps lists the files that the sources included when they were last built;
 * the entry named by the key and what those files are now has the build. */

enum { PTX, SAID, PROGRAM, NPARTS };

static int build_parts(bool program, tc_part parts[NPARTS]) {
    parts[PTX] = (tc_part){.name = "kernels.ptx", .mode = 0600};
    parts[SAID] = (tc_part){.name = "said", .mode = 0600};
    parts[PROGRAM] = (tc_part){.name = "program", .mode = 0700};
    return program ? NPARTS : PROGRAM;
}

/* What has no main is kept as kernels alone. */
static const char *kind_of(const tc_job *j, bool program) {
    return j->o->program && !program ? "kernels" : "build";
}

static void take(tc_job *j, const char *folder, bool program,
                 const tc_part *parts, tc_build *out) {
    out->ptx = tc_format(j->a, "%s/kernels.ptx", folder);
    out->program = program ? tc_format(j->a, "%s/program", folder) : NULL;
    out->said = tc_strndup(j->a, parts[SAID].bytes, parts[SAID].len);
    out->program_bytes = program ? parts[PROGRAM].bytes : NULL;
    out->program_len = program ? parts[PROGRAM].len : 0;
}

bool tc_build_restore(tc_arena *a, tc_build *b) {
    if (b->program == NULL || access(b->program, X_OK) == 0) {
        return true;
    }
    tc_part part = {"program", 0700, b->program_bytes, b->program_len};
    const char *entry = tc_folder_of(a, b->program);
    const char *into = tc_private_folder(a);
    const char *folder =
        into == NULL ? NULL
                     : tc_cache_put(a, into, strrchr(entry, '/') + 1, &part, 1);
    b->program =
        folder != NULL ? tc_format(a, "%s/program", folder) : b->program;
    return folder != NULL;
}

static const char *entry_name(tc_job *j, tc_hash key, const char *kind) {
    return tc_format(j->a, "%s.%s", tc_hash_name(j->a, key), kind);
}

static bool take_kept(tc_job *j, tc_hash key, bool program, tc_build *out) {
    tc_part parts[NPARTS];
    const char *name = entry_name(j, key, kind_of(j, program));
    const char *folder =
        tc_cache_find(j->a, j->cache, name, parts, build_parts(program, parts));
    if (folder != NULL) {
        take(j, folder, program, parts, out);
    }
    out->cached = folder != NULL;
    return out->cached;
}

static bool look_up(tc_job *j, tc_hash key, tc_build *out) {
    tc_part deps = {.name = "deps", .mode = 0600};
    if (tc_cache_find(j->a, j->cache, entry_name(j, key, "deps"), &deps, 1) ==
            NULL ||
        !tc_deps_hash(j->a, deps.bytes, &key)) {
        return false;
    }
    return take_kept(j, key, j->o->program, out) ||
           (j->o->program && take_kept(j, key, false, out));
}

/* --- a new one -------------------------------------------------------------*/

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

static bool read_made(tc_job *j, const char *program, const char *text,
                      tc_part *parts) {
    tc_part *ptx = &parts[PTX], *made = &parts[PROGRAM];
    ptx->bytes = tc_read_file(j->a, text, &ptx->len);
    parts[SAID].bytes = tc_strndup(j->a, tc_buf_text(&j->said), j->said.len);
    parts[SAID].len = j->said.len;
    if (program != NULL) {
        made->bytes = tc_read_file(j->a, program, &made->len);
    }
    return ptx->bytes != NULL && (program == NULL || made->bytes != NULL);
}

/* What was built from sources that somebody wrote to meanwhile is used, but no
 * later build may take it: only this process has it. */
static tc_build_status store(tc_job *j, tc_hash key, const char *program,
                             const char *ptx, tc_build *out) {
    tc_buf list = TC_BUF_INIT;
    tc_part parts[NPARTS];
    int n = build_parts(program != NULL, parts);
    for (int i = 0; i < j->n; i++) {
        if (j->units[i].deps != NULL) {
            tc_deps_read(j, &j->units[i], &list);
        }
    }
    const char *deps = tc_buf_finish(&list, j->a);
    const char *name = entry_name(j, key, "deps");
    if (!read_made(j, program, ptx, parts)) {
        return tc_build_machine(j, "what was built cannot be read: %s",
                                strerror(errno));
    }
    bool keeps = tc_deps_hash(j->a, deps, &key) && unchanged(j, deps);
    const char *into = keeps ? j->cache : tc_private_folder(j->a);
    const char *folder =
        into == NULL
            ? NULL
            : tc_cache_put(j->a, into,
                           entry_name(j, key, kind_of(j, program != NULL)),
                           parts, n);
    if (folder == NULL) {
        return tc_build_machine(j, "what was built cannot be kept in %s: %s",
                                into != NULL ? into : "a temporary folder",
                                strerror(errno));
    }
    take(j, folder, program != NULL, parts, out);
    if (keeps) {
        tc_part part = {"deps", 0600, deps, strlen(deps)};
        tc_cache_put(j->a, j->cache, name, &part, 1);
        tc_cache_grew(j->a, j->cache, folder);
    }
    return TC_BUILD_OK;
}

/* Kernels to be launched by hand: the linker's words are about nothing else
 * that anybody asked for. */
static tc_build_status link_program(tc_job *j, const char **program) {
    const char *before = tc_strndup(j->a, tc_buf_text(&j->said), j->said.len);
    tc_build_status s = tc_build_link(j, program);
    if (s == TC_BUILD_REFUSED && j->line == NULL &&
        strstr(tc_buf_text(&j->said) + strlen(before),
               "undefined reference to `main'") != NULL) {
        *program = NULL;
        tc_buf_clear(&j->said);
        tc_buf_puts(&j->said, before);
        s = TC_BUILD_OK;
    }
    return s;
}

static tc_build_status make(tc_job *j, tc_hash key, tc_build *out) {
    uint64_t begin = now_ns();
    const char *program = NULL, *ptx = NULL;
    j->work = tc_temporary(j->a);
    if (j->work == NULL) {
        return tc_build_machine(j, "there is no folder for temporary files: %s",
                                strerror(errno));
    }
    tc_build_status s = TC_BUILD_OK;
    const char *kind = j->o->program ? "program" : "ptx";
    const char *name = tc_build_absolute(j->a, j->units[0].path);
    tc_progress_begin("compiling %s", tc_base_of(name));
    tc_progress_expect(tc_took_before(j->a, j->cache, kind, name));
    for (int i = 0; i < j->n && s == TC_BUILD_OK; i++) {
        s = tc_build_compile(j, &j->units[i]);
    }
    if (s == TC_BUILD_OK && j->o->program) {
        s = link_program(j, &program);
    }
    if (s == TC_BUILD_OK && j->line != NULL) {
        s = tc_build_collect(j, program, &ptx);
    } else if (s == TC_BUILD_OK) {
        ptx = j->units[0].ptx;
    }
    tc_progress_end();
    out->compile_ns = now_ns() - begin;
    if (s == TC_BUILD_OK) {
        tc_took(j->a, j->cache, kind, name, (double)out->compile_ns / 1e9);
        s = store(j, key, program, ptx, out);
    }
    tc_remove_tree(j->work);
    return s;
}

tc_build_status tc_build_cu(tc_arena *a, const tc_toolchain *t,
                            const char *path, const tc_build_options *o,
                            tc_build *out, char *why, size_t why_size) {
    tc_job j = {.a = a,
                .t = t,
                .o = o,
                .line = o->line,
                .why = why,
                .why_size = why_size};
    *out = (tc_build){.said = ""};
    clock_gettime(CLOCK_REALTIME, &j.begin);
    tc_build_status s = open_sources(&j, path);
    s = s == TC_BUILD_OK ? open_cache(&j) : s;
    if (s == TC_BUILD_OK) {
        tc_hash key = key_of(&j);
        if (!look_up(&j, key, out)) {
            s = make(&j, key, out);
        }
    }
    out->note = j.note;
    if (s != TC_BUILD_OK) {
        out->said = tc_strndup(a, tc_buf_text(&j.said), j.said.len);
    }
    tc_buf_free(&j.said);
    tc_buf_free(&j.passed);
    return s;
}
