/* toolchain_fake.h - a machine of the test's own for the toolchain: folders
 * with scripts in the places of nvcc and g++, a cache, and nothing else. */
#ifndef TC_TEST_TOOLCHAIN_FAKE_H
#define TC_TEST_TOOLCHAIN_FAKE_H

#include "base/temporary.h"
#include "toolchain/build.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct machine {
    tc_arena *a;
    char *top, *path; /* the folder of all; PATH as it was */
    const char *why, *hint;
    char text[8192]; /* why of a build */
    tc_build b;
} machine;

static inline const char *in(machine *m, const char *name) {
    return tc_format(m->a, "%s/%s", m->top, name);
}

/* A file of that text, with the folders it lies in. */
static inline const char *put(machine *m, const char *name, const char *text) {
    const char *path = name[0] == '/' ? name : in(m, name);
    assert_true(tc_make_folders(tc_folder_of(m->a, path)));
    assert_true(tc_write_file(path, text, strlen(text), 0644));
    return path;
}

static inline const char *script(machine *m, const char *name,
                                 const char *text) {
    const char *path = put(m, name, tc_format(m->a, "#!/bin/sh\n%s\n", text));
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

/* An nvcc in the place of FOLDER/bin/nvcc, with headers in include/. It writes
 * its arguments to the log, and what nvcc leaves: PTX that holds the source's
 * first line, an object, and the dependencies on the source and on "dep.h"
 * beside the test's folder. `first` comes before: a failure. */
static inline const char *fake_nvcc(machine *m, const char *folder,
                                    const char *version, const char *first) {
    put(m, tc_format(m->a, "%s/include/cuda_runtime.h", folder), "");
    return script(
        m, tc_format(m->a, "%s/bin/nvcc", folder),
        tc_format(m->a,
                  "case \"$1\" in --version) echo "
                  "'Cuda compilation tools, release %s, V%s.88'; exit;;\n"
                  "--dryrun) echo \"#$ INCLUDES=\\\"-I${0%%/*}/../include\\\" "
                  " \" >&2; exit;; esac\n"
                  "for a; do echo \"$a\"; done >>%s/log\n%s\n"
                  "while [ $# -gt 1 ]; do case \"$1\" in\n"
                  "-o) out=$2; shift;; -MF) deps=$2; shift;;\n"
                  "--keep-dir) keep=$2; shift;; esac; shift; done\n"
                  "read -r line <\"$1\"\n"
                  "[ -z \"$keep\" ] || echo object >$out\n"
                  "echo \"// $line\" >${keep:-$out}${keep:+/x.ptx}\n"
                  "echo \"$out : $1 %s/dep.h \\\\\n /usr/include/stdio.h\" "
                  ">$deps\n",
                  version, version, m->top, first, m->top));
}

/* A g++ that makes a program of the words it got. */
static inline const char *fake_host(machine *m, const char *first) {
    return script(m, "bin/g++",
                  tc_format(m->a,
                            "%s\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && "
                            "out=$2; shift; done\n"
                            "echo '#!/bin/sh' >$out; chmod +x $out",
                            first));
}

static inline void machine_env(machine *m) {
    static const char *const none[] = {"TILECOPY_NVCC",
                                       "CUDA_HOME",
                                       "CUDA_PATH",
                                       "NVCC_CCBIN",
                                       "CXX",
                                       "NVCC_APPEND_FLAGS",
                                       "TILECOPY_TOOLKIT",
                                       "CPATH",
                                       "TMPDIR",
                                       "NVCC_PREPEND_FLAGS",
                                       "TILECOPY_CACHE_MB",
                                       "TILECOPY_COMPILE_LIMIT"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        unsetenv(none[i]);
    }
    setenv("TILECOPY_CUDA_ROOT", in(m, "root"), 1);
    setenv("TILECOPY_TOOLKIT", in(m, "toolkit"), 1);
    setenv("TILECOPY_CACHE", in(m, "cache"), 1);
    setenv("TMPDIR", in(m, "tmp"), 1);
    setenv("PATH", tc_format(m->a, "%s:/usr/bin:/bin", in(m, "bin")), 1);
}

/* The usual one: nvcc 13.0 and g++ in bin, a program p.cu. */
static inline int machine_new(void **state) {
    machine *m = tc_xcalloc(1, sizeof *m);
    char top[] = "/tmp/tilecopy-test-XXXXXX";
    m->a = tc_arena_new();
    m->path = tc_xstrdup(getenv("PATH"));
    assert_non_null(mkdtemp(top));
    m->top = tc_xstrdup(top);
    machine_env(m);
    assert_true(tc_make_folders(in(m, "tmp")));
    assert_true(tc_make_folders(in(m, "bin")));
    put(m, "dep.h", "// one\n");
    put(m, "p.cu", "first\n");
    *state = m;
    return 0;
}

static inline int machine_free(void **state) {
    machine *m = *state;
    /* nothing of a build is left, whatever came of it */
    tc_private_end();
    rmdir(in(m, "tmp"));
    int left = access(in(m, "tmp"), F_OK);
    setenv("PATH", m->path, 1);
    tc_remove_tree(m->top);
    free(m->top);
    free(m->path);
    tc_arena_free(m->a);
    free(m);
    return left == 0 ? -1 : 0;
}

static inline const tc_toolchain *find(machine *m) {
    return tc_toolchain_find(m->a, &m->why, &m->hint);
}

/* Its path below the test's folder, or what is said instead. */
static inline const char *found(machine *m) {
    const tc_toolchain *t = find(m);
    return t != NULL ? t->nvcc + strlen(m->top) + 1 : m->why;
}

static inline tc_build_status build(machine *m, const char *path,
                                    const char *arch, bool program) {
    const tc_toolchain *t = find(m);
    assert_non_null(t);
    tc_build_options o = {.arch = arch, .program = program};
    m->text[0] = '\0';
    return tc_build_cu(m->a, t, path, &o, &m->b, m->text, sizeof m->text);
}

static inline const char *text_of(machine *m, const char *path) {
    size_t len = 0;
    const char *text = tc_read_file(m->a, path, &len);
    return text != NULL ? text : "";
}

/* Of p.cu; has it just been built, or was it kept? */
static inline void expect_build(machine *m, bool program, bool cached,
                                const char *ptx) {
    assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", program), TC_BUILD_OK);
    assert_int_equal(m->b.cached, cached);
    assert_string_equal(text_of(m, m->b.ptx), ptx);
    if (program) {
        assert_int_equal(access(m->b.program, X_OK), 0);
    } else {
        assert_null(m->b.program);
    }
}

#endif
