/* find.c - which nvcc is taken. */
#include "base/arch.h"
#include "base/file.h"
#include "toolchain/internal.h"
#include "toolchain/nvcc/driver.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OLDEST = 12 /* CUDA 12.0 is the first with the default machine, sm_90a */
};

static const char *const how_to_get_one =
    "put nvcc in PATH, set CUDA_HOME to a CUDA toolkit of 13.0, or let `make "
    "toolkit` fetch one (100 MB, no root needed)";

/* --- where the toolkit is put ----------------------------------------------*/

/* The folder of the source that this program was built in, or NULL. */
static const char *project_folder(tc_arena *a) {
    const char *at = tc_real_path(a, "/proc/self/exe");
    for (int up = 0; at != NULL && up < 6 && strcmp(at, "/") != 0; up++) {
        at = tc_folder_of(a, at);
        char *mark = tc_format(a, "%s/src/toolchain/toolchain.h", at);
        if (access(mark, R_OK) == 0 && access(at, W_OK) == 0) {
            return at;
        }
    }
    return NULL;
}

const char *tc_toolchain_home(tc_arena *a) {
    const char *own = getenv("TILECOPY_TOOLKIT");
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const char *project = project_folder(a);
    if (own != NULL && *own != '\0') {
        return own;
    }
    if (project != NULL) {
        return tc_format(a, "%s/toolkit", project);
    }
    if (xdg != NULL && xdg[0] == '/') {
        return tc_format(a, "%s/tilecopy-repl/toolkit", xdg);
    }
    return tc_format(a, "%s/.local/share/tilecopy-repl/toolkit",
                     home != NULL && home[0] == '/' ? home : "/tmp");
}

/* --- candidates ------------------------------------------------------------*/

typedef struct candidates {
    const char **items;
    int n, cap;
} candidates;

/* Is it our own, in the place of an nvcc (nvcc/shadow.c)? */
static bool is_wrapper(const char *path) {
    char begin[sizeof TC_SHADOW_MARK] = "";
    FILE *f = fopen(path, "rb");
    size_t n = f != NULL ? fread(begin, 1, sizeof begin - 1, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    return n == sizeof begin - 1 && strcmp(begin, TC_SHADOW_MARK) == 0;
}

static void add(tc_arena *a, candidates *c, const char *path) {
    if (path != NULL && tc_is_program(path) && !is_wrapper(path)) {
        TC_PUSH(a, c->items, c->n, c->cap, path);
    }
}

static void add_home(tc_arena *a, candidates *c, const char *variable) {
    const char *home = getenv(variable);
    if (home != NULL && home[0] != '\0') {
        add(a, c, tc_format(a, "%s/bin/nvcc", home));
    }
}

/* /usr/local/cuda first, then the versions beside it, the newest first. The
 * tests put their own folder in the place of "/". */
static void add_usual(tc_arena *a, candidates *c) {
    const char *root = getenv("TILECOPY_CUDA_ROOT");
    glob_t g = {0};
    root = root != NULL ? root : "";
    add(a, c, tc_format(a, "%s/usr/local/cuda/bin/nvcc", root));
    char *all = tc_format(a, "%s/usr/local/cuda-*/bin/nvcc", root);
    if (glob(all, 0, NULL, &g) == 0) {
        for (size_t i = g.gl_pathc; i-- > 0;) {
            add(a, c, tc_strdup(a, g.gl_pathv[i]));
        }
    }
    globfree(&g);
    add(a, c, tc_format(a, "%s/opt/cuda/bin/nvcc", root));
}

/* --- one of them -----------------------------------------------------------*/

static const char *after(const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    return at != NULL ? at + strlen(mark) : NULL;
}

/* "release 13.0, V13.0.88" -> 13.0 */
static const char *version_of(tc_arena *a, const char *nvcc) {
    tc_buf out = TC_BUF_INIT;
    const char *argv[] = {nvcc, "--version", NULL};
    tc_tool_process p = {.argv = argv, .out = &out, .timeout_ms = 20000};
    const char *at = NULL, *version = NULL;
    if (tc_tool_run(&p) == 0) {
        at = after(tc_buf_text(&out), "release ");
    }
    size_t len = at != NULL ? strspn(at, "0123456789.") : 0;
    if (len > 0 && len < 16) {
        version = tc_strndup(a, at, len);
    }
    tc_buf_free(&out);
    return version;
}

/* What is known of an nvcc. It may be a script that runs another: `self` is the
 * one that does the work, `stamp` what its file was when it was asked. */
typedef struct facts {
    const char *version, *include, *self, *stamp;
} facts;

/* nvcc --dryrun tells where it lies, and the -I of its nvcc.profile. */
static void ask_layout(tc_arena *a, const char *nvcc, facts *f) {
    tc_buf out = TC_BUF_INIT;
    const char *argv[] = {nvcc, "--dryrun",  "-E", "-x",
                          "cu", "/dev/null", NULL};
    tc_tool_process p = {.argv = argv, .err = &out, .timeout_ms = 20000};
    const char *at = NULL, *here = NULL;
    if (tc_tool_run(&p) == 0) {
        at = after(tc_buf_text(&out), "#$ INCLUDES=");
        at = at != NULL ? after(at, "-I") : NULL;
        here = after(tc_buf_text(&out), "#$ _HERE_=");
    }
    if (at != NULL) {
        at = tc_strndup(a, at, strcspn(at, "\"\n"));
        f->include = tc_real_path(a, at);
    }
    if (here != NULL) {
        here = tc_format(a, "%.*s/nvcc", (int)strcspn(here, "\n"), here);
        f->self = tc_is_program(here) ? here : nvcc;
    }
    tc_buf_free(&out);
}

static bool has_runtime(tc_arena *a, const char *folder) {
    return folder != NULL &&
           access(tc_format(a, "%s/cuda_runtime.h", folder), R_OK) == 0;
}

static const char *include_of(tc_arena *a, const char *nvcc) {
    const char *const usual[] = {"include", "targets/x86_64-linux/include",
                                 "targets/sbsa-linux/include"};
    const char *top = tc_folder_of(a, tc_folder_of(a, nvcc));
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        const char *folder = tc_format(a, "%s/%s", top, usual[i]);
        if (has_runtime(a, folder)) {
            return tc_real_path(a, folder);
        }
    }
    return NULL;
}

static const char *beside(tc_arena *a, const char *nvcc, const char *tool) {
    char *path = tc_format(a, "%s/%s", tc_folder_of(a, nvcc), tool);
    return tc_is_program(path) ? path : tc_in_path(a, tool);
}

/* "#define CUDART_VERSION  13000" in the runtime's header -> 13.0 */
static const char *header_version(tc_arena *a, const char *include) {
    size_t len;
    const char *path = tc_format(a, "%s/cuda_runtime_api.h", include);
    const char *text = tc_read_file(a, path, &len);
    const char *at = text ? after(text, "#define CUDART_VERSION") : NULL;
    int number = at != NULL ? atoi(at) : 0;
    return number >= 1000
               ? tc_format(a, "%d.%d", number / 1000, number % 1000 / 10)
               : NULL;
}

/* An nvcc that is no script and lies in a toolkit as NVIDIA lays it out need not
 * be run to be known: the headers beside it tell the version, and that takes a
 * millisecond where asking takes twenty. */
static bool read_layout(tc_arena *a, const char *nvcc, facts *f) {
    const char *profile =
        tc_format(a, "%s/nvcc.profile", tc_folder_of(a, nvcc));
    const char *include = include_of(a, nvcc);
    if (include == NULL || access(profile, R_OK) != 0 ||
        !tc_file_is_elf(nvcc)) {
        return false;
    }
    *f = (facts){header_version(a, include), include, nvcc, NULL};
    return f->version != NULL;
}

static const char *stamp_of(tc_arena *a, const char *path) {
    tc_hash h = TC_HASH_START;
    tc_hash_stat(&h, path);
    return tc_hash_name(a, h);
}

/* What this process has asked before; the stamps say whether it still holds.
 * Nothing of it is in a file: who could write that could have us run anything.
 */
static struct known {
    char *nvcc, *version, *include, *self, *stamp;
} all_known[8];
static int next_known;

static bool known(tc_arena *a, const char *nvcc, facts *f) {
    for (int i = 0; i < 8; i++) {
        const struct known *k = &all_known[i];
        if (k->nvcc != NULL && strcmp(k->nvcc, nvcc) == 0) {
            *f = (facts){tc_strdup(a, k->version), tc_strdup(a, k->include),
                         tc_strdup(a, k->self), tc_strdup(a, k->stamp)};
            return has_runtime(a, f->include) &&
                   strcmp(stamp_of(a, f->self), f->stamp) == 0;
        }
    }
    return false;
}

static void learn(const char *nvcc, const facts *f) {
    struct known *k = &all_known[next_known++ % 8];
    for (int i = 0; i < 8; i++) {
        const char *other = all_known[i].nvcc;
        k = other != NULL && strcmp(other, nvcc) == 0 ? &all_known[i] : k;
    }
    char *old[] = {k->nvcc, k->version, k->include, k->self, k->stamp};
    for (int i = 0; i < 5; i++) {
        free(old[i]);
    }
    *k = (struct known){tc_xstrdup(nvcc), tc_xstrdup(f->version),
                        tc_xstrdup(f->include), tc_xstrdup(f->self),
                        tc_xstrdup(f->stamp)};
}

/* Asks this nvcc; NULL, or why it will not do. */
static const char *ask(tc_arena *a, const char *nvcc, facts *f) {
    bool read = read_layout(a, nvcc, f);
    if (!read) {
        *f = (facts){.version = version_of(a, nvcc), .self = nvcc};
    }
    if (f->version == NULL) {
        return tc_format(a, "%s does not tell its version", nvcc);
    }
    if (atoi(f->version) < OLDEST) {
        return tc_format(a,
                         "%s is of CUDA %s; %d.0 is the oldest that "
                         "compiles for %s",
                         nvcc, f->version, OLDEST, tc_arch_names[0]);
    }
    if (!read) {
        ask_layout(a, nvcc, f);
    }
    if (!has_runtime(a, f->include)) {
        f->include = include_of(a, f->self);
    }
    if (f->include == NULL) {
        return tc_format(a,
                         "%s has no headers: cuda_runtime.h is not where it "
                         "looks",
                         nvcc);
    }
    f->stamp = stamp_of(a, f->self);
    return NULL;
}

static const char *look_at(tc_arena *a, const char *given, tc_toolchain *t) {
    facts f;
    const char *nvcc = tc_real_path(a, given);
    if (nvcc == NULL) {
        return tc_format(a, "%s: %s", given, strerror(errno));
    }
    /* a link may be a wrapper's other name: run it as it is called */
    nvcc =
        strcmp(tc_base_of(nvcc), "nvcc") == 0 || given[0] != '/' ? nvcc : given;
    const char *key = stamp_of(a, nvcc);
    if (!known(a, key, &f)) {
        const char *why = ask(a, nvcc, &f);
        if (why != NULL) {
            return why;
        }
        learn(key, &f);
    }
    *t = (tc_toolchain){.nvcc = nvcc,
                        .ptxas = beside(a, f.self, "ptxas"),
                        .addr2line = tc_in_path(a, "addr2line"),
                        .include = f.include,
                        .version = f.version};
    t->identity = tc_format(a, "nvcc %s %s %s", f.version, key, f.stamp);
    return NULL;
}

const tc_toolchain *tc_toolchain_find(tc_arena *a, const char **why,
                                      const char **hint) {
    const char *own = getenv("TILECOPY_NVCC");
    tc_toolchain *t = TC_NEW(a, tc_toolchain);
    candidates c = {0};
    *why = "there is no CUDA compiler (nvcc) on this machine";
    *hint = how_to_get_one;
    if (own != NULL && *own != '\0') { /* that one and no other */
        add(a, &c, own);
        if (c.n == 0) {
            *why = tc_format(a, "TILECOPY_NVCC names %s, which is no program",
                             own);
            *hint = "let it name an nvcc, or unset it";
            return NULL;
        }
    } else {
        add(a, &c, tc_in_path(a, "nvcc"));
        add_home(a, &c, "CUDA_HOME");
        add_home(a, &c, "CUDA_PATH");
        add_usual(a, &c);
        add(a, &c,
            tc_format(a, "%s/nvidia/cu13/bin/nvcc", tc_toolchain_home(a)));
    }
    for (int i = 0; i < c.n; i++) {
        const char *refused = look_at(a, c.items[i], t);
        if (refused == NULL) {
            return t;
        }
        *why = i == 0 ? refused : *why;
    }
    return NULL;
}

bool tc_toolchain_header(const tc_toolchain *t, const char *path) {
    char real[PATH_MAX];
    const char *const folders[] = {t->include, "/usr/include", "/usr/lib",
                                   "/usr/local/include"};
    path = realpath(path, real) != NULL ? real : path;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t n = strlen(folders[i]);
        if (strncmp(path, folders[i], n) == 0 && path[n] == '/') {
            return true;
        }
    }
    return false;
}
