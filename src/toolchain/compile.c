/* compile.c - nvcc's command line, and what it says. */
#include "base/arch.h"
#include "toolchain/build.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -O2 is the host's part, which keeps its lines (-g; nvcc's device code is
 * optimised with it too, -lineinfo gives that its lines). A call in the place
 * of a return stays a call: the runtime tells lines by return addresses. The
 * last one refuses nothing that is right without it, and many programs want
 * it: constexpr functions on the device. */
static const char *const common[] = {
    "-x",        "cu", "-std=c++17", "-O2",
    "-lineinfo", "-g", "-MD",        "--expt-relaxed-constexpr",
    NULL};
static const char *const for_program[] = {"-cudart",
                                          "none",
                                          "--no-compress",
                                          "-Xcompiler",
                                          "-fPIE",
                                          "-Xcompiler",
                                          "-fno-optimize-sibling-calls",
                                          "--keep",
                                          "-c",
                                          NULL};

/* Names that CUDA 13's headers have no more, and what its release notes have in
 * their place. */
static const char *const removed[] = {
    "-DcudaThreadSynchronize=cudaDeviceSynchronize",
    "-DcudaThreadExit=cudaDeviceReset",
    "-DcudaThreadGetLimit=cudaDeviceGetLimit",
    "-DcudaThreadSetLimit=cudaDeviceSetLimit",
    "-DcudaThreadGetCacheConfig=cudaDeviceGetCacheConfig",
    "-DcudaThreadSetCacheConfig=cudaDeviceSetCacheConfig",
    NULL};
static const char *const none[] = {NULL};

/* Variables that change what nvcc and the compilers below it do. */
static const char *const variables[] = {"NVCC_PREPEND_FLAGS",
                                        "NVCC_APPEND_FLAGS",
                                        "NVCC_CCBIN",
                                        "CPATH",
                                        "CPLUS_INCLUDE_PATH",
                                        "C_INCLUDE_PATH",
                                        "GCC_EXEC_PREFIX",
                                        "COMPILER_PATH",
                                        NULL};

void tc_hash_flags(tc_hash *h) {
    for (int i = 0; common[i] != NULL; i++) {
        tc_hash_text(h, common[i]);
    }
    for (int i = 0; for_program[i] != NULL; i++) {
        tc_hash_text(h, for_program[i]);
    }
    for (int i = 0; removed[i] != NULL; i++) {
        tc_hash_text(h, removed[i]);
    }
    for (int i = 0; variables[i] != NULL; i++) {
        tc_hash_text(h, getenv(variables[i]));
    }
}

const char *const *tc_removed_names(const tc_toolchain *t) {
    return atoi(t->version) >= 13 ? removed : none;
}

const char *tc_host_compiler(tc_arena *a) {
    const char *own[] = {getenv("NVCC_CCBIN"), getenv("CXX")};
    for (int i = 0; i < 2; i++) {
        const char *name = own[i];
        if (name == NULL || *name == '\0') {
            continue;
        }
        name = tc_is_folder(name) ? tc_format(a, "%s/g++", name) : name;
        const char *path = tc_in_path(a, name);
        if (path != NULL && tc_plain_path(path)) {
            return path;
        }
    }
    return tc_in_path(a, "g++");
}

/* --- a name that nvcc can pass on ------------------------------------------*/

/* The path as PTX can have it in a .file, whose strings know no escapes: whole
 * where nvcc would put a folder before it that PTX cannot have. */
static const char *shown(tc_job *j, const char *path) {
    const char *whole = tc_build_absolute(j->a, path);
    bool odd = strpbrk(whole, "\"\\") != NULL;
    char *text = tc_strdup(j->a, odd ? whole : path);
    for (char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || strchr("\"\\\177", *p) != NULL) {
            *p = '_';
        }
    }
    return text;
}

/* The source under a name of ours, with #line for its own; what it includes is
 * found through a link to its folder. */
static bool rename_source(tc_job *j, tc_unit *u, int index) {
    const char *folder = tc_real_path(j->a, tc_folder_of(j->a, u->path));
    const char *link = tc_format(j->a, "%s/d%d", j->work, index);
    u->given = tc_format(j->a, "%s/source%d.cu", j->work, index);
    tc_buf all = TC_BUF_INIT;
    tc_buf_printf(&all, "#line 1 \"%s\"\n", shown(j, u->path));
    tc_buf_write(&all, u->text, u->len);
    bool ok = folder != NULL && symlink(folder, link) == 0 &&
              tc_write_file(u->given, all.data, all.len, 0644);
    tc_buf_free(&all);
    return ok;
}

static bool name_source(tc_job *j, tc_unit *u, int index) {
    if (!tc_plain_path(tc_build_absolute(j->a, u->path))) {
        u->renamed = true;
        return rename_source(j, u, index);
    }
    u->given = u->path[0] == '-' || u->path[0] == '@'
                   ? tc_format(j->a, "./%s", u->path)
                   : u->path;
    return true;
}

/* --- nvcc ------------------------------------------------------------------*/

static const char *find_ptx(tc_job *j, const char *folder) {
    DIR *d = opendir(folder);
    const char *found = NULL;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n > 4 && strcmp(e->d_name + n - 4, ".ptx") == 0) {
            found = tc_format(j->a, "%s/%s", folder, e->d_name);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return found;
}

/* Words of a command line, which end with it. */
typedef struct arg_list {
    tc_arena *a;
    tc_words words;
} arg_list;

static void say(arg_list *w, const char *word) {
    TC_PUSH(w->a, w->words.w, w->words.n, w->words.cap, word);
}

static void say_all(arg_list *w, const char *const *list) {
    for (; *list != NULL; list++) {
        say(w, *list);
    }
}

static const char *const *said(arg_list *w) {
    say(w, NULL);
    return w->words.w;
}

/* The options of every build, but for those that the command line has. */
static void say_common(const tc_command_line *l, arg_list *w) {
    for (int i = 0; common[i] != NULL; i++) {
        bool own =
            l != NULL && ((l->own_std && strncmp(common[i], "-std", 4) == 0) ||
                          (l->own_optimize && strcmp(common[i], "-O2") == 0) ||
                          (l->debug && strcmp(common[i], "-lineinfo") == 0));
        if (!own) {
            say(w, common[i]);
        }
    }
}

/* What the command line adds. */
static void say_line(const tc_command_line *l, arg_list *w) {
    for (int i = 0; i < l->compile.n; i++) {
        say(w, l->compile.w[i]);
    }
    if (l->debug) {
        say(w, "-G");
    }
    if (l->rdc) {
        say(w, "-rdc=true");
    }
}

/* "sm_90a" -> compute_90a */
static void say_arch(tc_job *j, arg_list *w) {
    const char *arch = j->o->arch != NULL ? j->o->arch : tc_arch_names[0];
    const char *number = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
    say(w, tc_format(j->a, "-arch=compute_%s", number));
    say(w, tc_format(j->a, "-code=compute_%s", number));
}

static void say_extras(tc_build_extras with, arg_list *w) {
    if (with.lambdas) {
        say(w, "--extended-lambda");
    }
    if (!with.floats) {
        say(w, "-DCCCL_DISABLE_FP16_SUPPORT");
        say(w, "-DCCCL_DISABLE_BF16_SUPPORT");
        say(w, "-DCCCL_DISABLE_FP8_SUPPORT");
    }
}

static void command(tc_job *j, tc_unit *u, int index, tc_build_extras with,
                    arg_list *w) {
    say(w, j->t->nvcc);
    say_common(j->line, w);
    say_all(w, tc_removed_names(j->t));
    say_extras(with, w);
    say_arch(j, w);
    if (getenv("NVCC_CCBIN") == NULL) {
        say(w, "-ccbin");
        say(w, j->host);
    }
    if (u->object != NULL) {
        say_all(w, for_program);
        say(w, "--keep-dir");
        say(w, u->keep);
        say(w, "-o");
        say(w, u->object);
    } else {
        say(w, "-ptx");
        say(w, "-o");
        say(w, u->ptx);
    }
    say(w, "-MF");
    say(w, u->deps);
    if (u->renamed) {
        say(w, "-I");
        say(w, tc_format(j->a, "%s/d%d", j->work, index));
    }
    if (j->line != NULL) {
        say_line(j->line, w);
    }
    say(w, u->given);
}

static void replace(tc_buf *text, const char *from, const char *to) {
    tc_buf all = TC_BUF_INIT;
    const char *p = tc_buf_text(text);
    for (const char *at; (at = strstr(p, from)) != NULL;) {
        tc_buf_write(&all, p, (size_t)(at - p));
        tc_buf_puts(&all, to);
        p = at + strlen(from);
    }
    tc_buf_puts(&all, p);
    tc_buf_free(text);
    *text = all;
}

/* Names of ours in what nvcc wrote become the student's again. */
static void true_names(tc_job *j, const tc_unit *u, int index, tc_buf *text) {
    const char *folder = shown(j, tc_folder_of(j->a, u->path));
    replace(text, tc_format(j->a, "%s/d%d/", j->work, index),
            tc_format(j->a, "%s/", folder));
    replace(text, u->given, u->path);
}

static tc_build_status ptx_names(tc_job *j, const tc_unit *u, int index) {
    size_t len = 0;
    const char *ptx = tc_read_file(j->a, u->ptx, &len);
    if (ptx == NULL) {
        return tc_build_fails(j, "nvcc left no PTX for %s", u->path);
    }
    tc_buf text = TC_BUF_INIT;
    tc_buf_write(&text, ptx, len);
    true_names(j, u, index, &text);
    bool ok = tc_write_file(u->ptx, text.data, text.len, 0644);
    tc_buf_free(&text);
    return ok ? TC_BUILD_OK
              : tc_build_machine(j, "%s: %s", u->ptx, strerror(errno));
}

bool tc_build_host_only(const tc_unit *u) {
    size_t n = strlen(u->path);
    return n > 4 && strcmp(u->path + n - 4, ".cpp") == 0;
}

static tc_build_status compile_host(tc_job *j, tc_unit *u, int index) {
    u->object = tc_format(j->a, "%s/object%d.o", j->work, index);
    u->deps = tc_format(j->a, "%s/deps%d", j->work, index);
    const char *argv[] = {j->host,   "-std=c++17", "-O1",   "-g", "-fPIE",
                          "-MD",     "-MF",        u->deps, "-c", "-o",
                          u->object, u->path,      NULL};
    int status = tc_build_run(j, argv, false, &j->said);
    return status == 0 ? TC_BUILD_OK
                       : tc_build_ended(j, "the C++ compiler", status);
}

/* A .cpp beside a .cu: by nvcc too, which knows the folder of CUDA's headers. */
static int run_nvcc_host(tc_job *j, tc_unit *u) {
    arg_list w = {.a = j->a};
    say(&w, j->t->nvcc);
    say_all(&w, (const char *const[]){"-g", "-MD", "-MF", u->deps, "-c", "-o",
                                      u->object, "-Xcompiler", "-fPIE", NULL});
    if (!j->line->own_optimize) {
        say(&w, "-O2");
    }
    if (getenv("NVCC_CCBIN") == NULL) {
        say(&w, "-ccbin");
        say(&w, j->host);
    }
    for (int i = 0; i < j->line->compile.n; i++) {
        say(&w, j->line->compile.w[i]);
    }
    say(&w, u->given);
    return tc_build_run(j, said(&w), false, &j->said);
}

static tc_build_status compile_beside(tc_job *j, tc_unit *u, int index) {
    u->object = tc_format(j->a, "%s/object%d.o", j->work, index);
    u->deps = tc_format(j->a, "%s/deps%d", j->work, index);
    if (!name_source(j, u, index)) {
        return tc_build_machine(j, "%s: %s", j->work, strerror(errno));
    }
    int status = run_nvcc_host(j, u);
    return status == 0 ? TC_BUILD_OK : tc_build_ended(j, "nvcc", status);
}

/* nvcc's status. What it refuses for want of an extra, perhaps, it is given with
 * all, and what it says then counts. */
static int run_nvcc(tc_job *j, tc_unit *u, int index) {
    tc_build_extras with = tc_build_needs(u);
    bool again;
    int status;
    do {
        tc_buf words = TC_BUF_INIT;
        arg_list w = {.a = j->a};
        command(j, u, index, with, &w);
        status = tc_build_run(j, said(&w), false, &words);
        again = status > 0 && status < 128 && tc_build_may_need(u, with);
        tc_buf_puts(&j->said, again ? "" : tc_buf_text(&words));
        tc_buf_free(&words);
        with = (tc_build_extras){true, true};
    } while (again);
    return status;
}

tc_build_status tc_build_compile(tc_job *j, tc_unit *u) {
    int index = (int)(u - j->units);
    if (j->line != NULL && u->kind == TC_SOURCE_OBJECT) {
        u->object = u->path;
        return TC_BUILD_OK;
    }
    if (j->line != NULL && u->kind == TC_SOURCE_HOST && u->path != j->o->main) {
        return compile_beside(j, u, index);
    }
    if (tc_build_host_only(u)) {
        return compile_host(j, u, index);
    }
    u->keep = tc_format(j->a, "%s/keep%d", j->work, index);
    u->deps = tc_format(j->a, "%s/deps%d", j->work, index);
    u->ptx = tc_format(j->a, "%s/out%d.ptx", j->work, index);
    u->object =
        j->o->program ? tc_format(j->a, "%s/object%d.o", j->work, index) : NULL;
    if (mkdir(u->keep, 0755) != 0 || !name_source(j, u, index)) {
        return tc_build_machine(j, "%s: %s", j->work, strerror(errno));
    }
    int status = run_nvcc(j, u, index);
    if (u->renamed) {
        true_names(j, u, index, &j->said);
    }
    if (status != 0) {
        return tc_build_ended(j, "nvcc", status);
    }
    if (j->line != NULL) {
        return TC_BUILD_OK; /* its PTX is in the object */
    }
    u->ptx = u->object != NULL ? find_ptx(j, u->keep) : u->ptx;
    if (u->ptx == NULL) {
        return tc_build_fails(j, "nvcc left no PTX for %s", u->path);
    }
    return u->renamed ? ptx_names(j, u, index) : TC_BUILD_OK;
}
