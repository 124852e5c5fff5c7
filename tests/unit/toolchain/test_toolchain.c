/* test_toolchain.c - finding nvcc, and building with stand-ins for it: what
 * does not need the real one. test_nvcc.c asks that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "toolchain_fake.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

/* Vectors of FIPS 180-4 (NIST CAVP); the third has two blocks. */
static void test_hash(void **state) {
    static const char *const cases[][2] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    machine *m = *state;
    for (size_t i = 0; i < 3; i++) {
        tc_hash h = TC_HASH_START;
        tc_hash_bytes(&h, cases[i][0], strlen(cases[i][0]));
        assert_string_equal(tc_hash_name(m->a, h), cases[i][1]);
    }
    tc_hash x = TC_HASH_START, y = TC_HASH_START;
    tc_hash_text(&x, "ab");
    tc_hash_text(&x, "c");
    tc_hash_text(&y, "a");
    tc_hash_text(&y, "bc");
    assert_memory_not_equal(&x, &y, sizeof x);
}

/* --- finding ---------------------------------------------------------------*/

static void test_order(void **state) {
    machine *m = *state;
    static const char *const places[] = {"own",
                                         "inpath",
                                         "home",
                                         "path",
                                         "root/usr/local/cuda",
                                         "root/usr/local/cuda-13.0",
                                         "root/usr/local/cuda-12.9",
                                         "root/opt/cuda",
                                         "toolkit/nvidia/cu13"};
    size_t n = sizeof places / sizeof places[0];
    for (size_t i = 0; i < n; i++) {
        fake_nvcc(m, places[i], "13.0", "");
    }
    setenv("TILECOPY_NVCC", in(m, "own/bin/nvcc"), 1);
    setenv("CUDA_HOME", in(m, "home"), 1);
    setenv("CUDA_PATH", in(m, "path"), 1);
    setenv("PATH", tc_format(m->a, ".::%s:/usr/bin:/bin", in(m, "inpath/bin")),
           1);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(found(m),
                            tc_format(m->a, "%s/bin/nvcc", places[i]));
        unsetenv("TILECOPY_NVCC");
        assert_int_equal(
            unlink(in(m, tc_format(m->a, "%s/bin/nvcc", places[i]))), 0);
    }
    assert_null(find(m));
    assert_string_equal(m->why,
                        "there is no CUDA compiler (nvcc) on this machine");
    assert_non_null(strstr(m->hint, "make toolkit"));
}

/* The working folder's nvcc is never run, whatever PATH says. */
static void test_not_here(void **state) {
    machine *m = *state;
    fake_nvcc(m, "here", "13.0", "");
    char *was = getcwd(NULL, 0);
    assert_int_equal(chdir(in(m, "here/bin")), 0);
    setenv("PATH", ".::/usr/bin:/bin", 1);
    assert_null(find(m));
    assert_int_equal(chdir(was), 0);
    free(was);
}

static void test_unfit(void **state) {
    machine *m = *state;
    setenv("TILECOPY_NVCC", in(m, "none"), 1);
    assert_null(find(m));
    assert_non_null(strstr(m->why, "TILECOPY_NVCC names"));
    unsetenv("TILECOPY_NVCC");
    fake_nvcc(m, "home", "11.8", "");
    setenv("CUDA_HOME", in(m, "home"), 1);
    assert_null(find(m));
    assert_non_null(strstr(m->why, "is of CUDA 11.8; 12.0 is the oldest"));
    script(m, "home/bin/nvcc", "exit 1");
    assert_null(find(m));
    assert_non_null(strstr(m->why, "does not tell its version"));
    fake_nvcc(m, "home", "13.0", "");
    unlink(in(m, "home/include/cuda_runtime.h"));
    assert_null(find(m));
    assert_non_null(strstr(m->why, "has no headers: cuda_runtime.h"));
    /* what is unfit is passed over */
    fake_nvcc(m, "toolkit/nvidia/cu13", "13.0", "");
    assert_string_equal(found(m), "toolkit/nvidia/cu13/bin/nvcc");
}

/* What --version says, where headers lie, and the tools beside it. */
static void test_facts(void **state) {
    machine *m = *state;
    const char *real = fake_nvcc(m, "cuda-13.0", "13.0", "");
    script(m, "cuda-13.0/bin/ptxas", "");
    assert_int_equal(symlink(in(m, "cuda-13.0"), in(m, "home")), 0);
    setenv("CUDA_HOME", in(m, "home"), 1);
    const tc_toolchain *t = find(m);
    assert_non_null(t);
    assert_string_equal(t->version, "13.0");
    assert_string_equal(t->nvcc, real);
    assert_string_equal(t->ptxas, in(m, "cuda-13.0/bin/ptxas"));
    assert_string_equal(t->include, in(m, "cuda-13.0/include"));
    assert_true(
        tc_toolchain_header(t, in(m, "home/bin/../include/cuda_runtime.h")));
    assert_true(tc_toolchain_header(t, "/usr/include/stdio.h"));
    assert_false(tc_toolchain_header(t, in(m, "p.cu")));
    assert_false(tc_toolchain_header(t, in(m, "cuda-13.0/includes.h")));
    const char *identity = t->identity;
    assert_string_equal(find(m)->identity, identity);
    fake_nvcc(m, "cuda-13.0", "13.1", "");
    assert_string_equal(find(m)->version, "13.1");
    assert_string_not_equal(find(m)->identity, identity);
    /* targets/, where nvcc does not tell */
    script(m, "cuda-13.0/bin/nvcc", "[ $1 = --version ] && echo release 13.2,");
    put(m, "cuda-13.0/targets/x86_64-linux/include/cuda_runtime.h", "");
    unlink(in(m, "cuda-13.0/include/cuda_runtime.h"));
    assert_string_equal(find(m)->include,
                        in(m, "cuda-13.0/targets/x86_64-linux/include"));
}

/* A script that runs another nvcc: its tools and headers, and its changes. */
static void test_wrapper(void **state) {
    machine *m = *state;
    const char *real = fake_nvcc(m, "cuda", "13.0", "");
    script(m, "cuda/bin/ptxas", "");
    const char *text = text_of(m, real);
    script(m, "cuda/bin/nvcc",
           tc_format(m->a, "[ $1 = --dryrun ] && echo '#$ _HERE_=%s' >&2\n%s",
                     in(m, "cuda/bin"), text));
    script(m, "bin/nvcc", tc_format(m->a, "exec %s \"$@\"", real));
    const tc_toolchain *t = find(m);
    assert_non_null(t);
    assert_string_equal(t->nvcc, in(m, "bin/nvcc"));
    assert_string_equal(t->ptxas, in(m, "cuda/bin/ptxas"));
    assert_string_equal(t->include, in(m, "cuda/include"));
    assert_string_equal(find(m)->identity, t->identity);
    fake_nvcc(m, "cuda", "13.1", "");
    assert_string_not_equal(find(m)->identity, t->identity);
    assert_string_equal(find(m)->version, "13.1");
}

static void test_home(void **state) {
    machine *m = *state;
    assert_string_equal(tc_toolchain_home(m->a), in(m, "toolkit"));
    unsetenv("TILECOPY_TOOLKIT");
    setenv("XDG_DATA_HOME", in(m, "data"), 1);
    const char *home = tc_toolchain_home(m->a);
    const char *tail = home + strlen(home) - strlen("/toolkit");
    assert_string_equal(tail, "/toolkit");
    unsetenv("XDG_DATA_HOME");
}

/* --- building --------------------------------------------------------------*/

static void test_cache(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "echo 'p.cu(1): warning: x' >&2");
    fake_host(m, "");
    expect_build(m, true, false, "// first\n");
    assert_string_equal(m->b.said, "p.cu(1): warning: x\n");
    expect_build(m, true, true, "// first\n");
    assert_string_equal(m->b.said, "p.cu(1): warning: x\n");
    expect_build(m, false, false, "// first\n"); /* another thing */
    expect_build(m, false, true, "// first\n");
    put(m, "p.cu", "second\n");
    expect_build(m, true, false, "// second\n");
    put(m, "p.cu", "first\n"); /* as it was */
    expect_build(m, true, true, "// first\n");
    put(m, "dep.h", "// two\n"); /* what it includes */
    expect_build(m, true, false, "// first\n");
    put(m, "dep.h", "// one\n");
    expect_build(m, true, true, "// first\n");
    unlink(in(m, "dep.h"));
    expect_build(m, true, false, "// first\n");
    assert_int_equal(build(m, in(m, "p.cu"), "sm_80", true), TC_BUILD_OK);
    assert_false(m->b.cached);
    put(m, "dep.h", "// one\n");
    fake_nvcc(m, "root/opt/cuda", "13.0", ": another"); /* the compiler */
    expect_build(m, true, false, "// first\n");
    setenv("NVCC_APPEND_FLAGS", "-G", 1);
    expect_build(m, true, false, "// first\n");
    fake_host(m, ": another");
    expect_build(m, true, false, "// first\n");
    expect_build(m, true, true, "// first\n");
}

/* Written to while nvcc reads it: what was built is of no use to later ones. */
static void test_written(void **state) {
    static const char *const files[] = {"p.cu", "dep.h"};
    machine *m = *state;
    fake_host(m, "");
    for (int i = 0; i < 2; i++) {
        const char *file = in(m, files[i]);
        const char *now = text_of(m, file);
        fake_nvcc(m, "root/opt/cuda", "13.0",
                  tc_format(m->a, "sleep 0.02; echo changed >%s", file));
        expect_build(m, true, false, i ? "// first\n" : "// changed\n");
        put(m, files[i], now);
        expect_build(m, true, false, i ? "// first\n" : "// changed\n");
        put(m, files[i], now);
    }
}

static void test_flags(void **state) {
    static const char *const wanted[] = {
        "-arch=compute_80\n", "-code=compute_80\n", "-lineinfo\n",
        "-std=c++17\n",       "-cudart\nnone\n",    "--no-compress\n",
        "-x\ncu\n",           "--keep\n",           "-ccbin\n"};
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    assert_int_equal(build(m, in(m, "p.cu"), "sm_80", true), TC_BUILD_OK);
    const char *log = text_of(m, in(m, "log"));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_non_null(strstr(log, wanted[i]));
    }
}

static int count_of(const char *text, const char *word) {
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
        n++;
    }
    return n;
}

/* --extended-lambda, which makes each build dearer, is there for what needs it,
 * and for what is refused without it, if that may be why. */
static void test_lambdas(void **state) {
    static const struct {
        const char *text, *first;
        int runs, with;
        tc_build_status status;
    } all[] = {
        {"__global__ void k(float *a) { a[0] = 1; }\n", "", 1, 0, TC_BUILD_OK},
        {"auto f = [=] __device__(int i) {};\n", "", 1, 1, TC_BUILD_OK},
        {"auto f = [](int i)\n  mutable __host__ {};\n", "", 1, 1, TC_BUILD_OK},
        {"#define HD __host__ __device__\n", "echo no >&2; exit 2", 2, 1,
         TC_BUILD_REFUSED},
        {"std::vector<int> v;\n",
         "case \"$*\" in *--extended-lambda*) ;; *) echo no >&2; exit 2; esac",
         2, 1, TC_BUILD_OK},
        {"int a(int);\nint b(int)\n\n__device__ int c(int);\n", "", 1, 0,
         TC_BUILD_OK},
        {"int x = y;\n", "echo no >&2; exit 2", 1, 0, TC_BUILD_REFUSED},
        /* and half, bfloat16 and fp8, in headers that have them */
        {"#include <cuda/barrier>\n",
         "case \"$*\" in *-DCCCL_DISABLE_FP8_SUPPORT*) ;; *) exit 2; esac", 1,
         0, TC_BUILD_OK},
        {"#include <cuda/barrier>\n__half x;\n",
         "case \"$*\" in *CCCL_DISABLE*) exit 2; esac", 1, 0, TC_BUILD_OK},
        {"#include <cuda/atomic>\n",
         "case \"$*\" in *CCCL_DISABLE*) echo no >&2; exit 2; esac", 2, 1,
         TC_BUILD_OK},
    };
    machine *m = *state;
    fake_host(m, "");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fake_nvcc(m, "root/opt/cuda", "13.0", all[i].first);
        put(m, "p.cu", all[i].text);
        unlink(in(m, "log"));
        assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true),
                         all[i].status);
        const char *log = text_of(m, in(m, "log"));
        assert_int_equal(count_of(log, "-lineinfo\n"), all[i].runs);
        assert_int_equal(count_of(log, "--extended-lambda\n"), all[i].with);
        assert_true(all[i].status != TC_BUILD_OK || *m->b.said == '\0');
    }
}

static void expect_refused(machine *m, const char *first,
                           tc_build_status status, const char *said,
                           const char *why) {
    fake_nvcc(m, "root/opt/cuda", "13.0", first);
    assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true), status);
    assert_string_equal(m->b.said, said);
    assert_string_equal(m->text, why);
    assert_null(m->b.ptx);
}

static void test_failures(void **state) {
    machine *m = *state;
    fake_host(m, "");
    expect_refused(m, "echo 'p.cu(3): error: no' >&2; exit 2", TC_BUILD_REFUSED,
                   "p.cu(3): error: no\n", "nvcc refused it");
    expect_refused(m, "exit 3", TC_BUILD_FAILED, "",
                   "nvcc failed with status 3 and said nothing");
    expect_refused(m, "kill -11 $$", TC_BUILD_FAILED, "",
                   "nvcc was ended by signal 11");
    expect_refused(m, "exit 0", TC_BUILD_FAILED, "",
                   tc_format(m->a, "nvcc left no PTX for %s", in(m, "p.cu")));
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    assert_int_equal(build(m, in(m, "none.cu"), "sm_90a", true),
                     TC_BUILD_FAILED);
    assert_non_null(strstr(m->text, "none.cu: No such file or directory"));
    assert_int_equal(build(m, m->top, "sm_90a", true), TC_BUILD_FAILED);
    assert_non_null(strstr(m->text, "Is a directory"));
    mkfifo(in(m, "pipe.cu"), 0644);
    assert_int_equal(build(m, in(m, "pipe.cu"), "sm_90a", true),
                     TC_BUILD_FAILED);
    assert_non_null(strstr(m->text, "this is not a file"));
}

/* What is not the source's fault is told from what is. */
static void test_machine(void **state) {
    machine *m = *state;
    fake_host(m, "");
    expect_refused(
        m, "echo '#error -- unsupported GNU version! gcc' >&2; exit 1",
        TC_BUILD_MACHINE, "#error -- unsupported GNU version! gcc\n",
        tc_format(m->a,
                  "nvcc does not take %s: let CXX name another C++ compiler",
                  in(m, "bin/g++")));
    expect_refused(m, "kill -9 $$", TC_BUILD_MACHINE, "",
                   "nvcc was ended by signal 9");
    expect_refused(m, "echo 'x.ii: No space left on device' >&2; exit 1",
                   TC_BUILD_MACHINE, "x.ii: No space left on device\n",
                   tc_format(m->a,
                             "nvcc could not do its work in %s: No space left "
                             "on device",
                             in(m, "tmp")));
    expect_refused(m, "echo 'x.ii: Too many open files' >&2; exit 1",
                   TC_BUILD_MACHINE, "x.ii: Too many open files\n",
                   "nvcc could not do its work: Too many open files");
    put(m, "p.cu", "#error No space left on device\n");
    expect_refused(m, "echo 'x.ii: No space left on device' >&2; exit 1",
                   TC_BUILD_REFUSED, "x.ii: No space left on device\n",
                   "nvcc refused it");
    put(m, "file", "");
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    setenv("PATH", in(m, "nowhere"), 1);
    assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true), TC_BUILD_MACHINE);
    assert_non_null(strstr(m->text, "there is no g++ in PATH"));
    assert_non_null(strstr(m->text, "apt install g++"));
}

static atomic_int stop;

static void on_alarm(int signal) {
    stop = signal;
}

static void test_cancel(void **state) {
    machine *m = *state;
    fake_host(m, "");
    fake_nvcc(m, "root/opt/cuda", "13.0", "sleep 100 & sleep 100");
    const tc_toolchain *t = find(m);
    tc_build_options o = {.arch = "sm_90a", .program = true, .cancel = &stop};
    struct itimerval soon = {.it_value = {.tv_usec = 200000}};
    stop = 0;
    signal(SIGALRM, on_alarm);
    time_t begin = time(NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_int_equal(
        tc_build_cu(m->a, t, in(m, "p.cu"), &o, &m->b, m->text, sizeof m->text),
        TC_BUILD_CANCELLED);
    signal(SIGALRM, SIG_DFL);
    assert_string_equal(m->text, "interrupted");
    assert_true(time(NULL) - begin < 20);
}

/* --- the linker's messages ----------------------------------------------------*/

static void expect_link(machine *m, const char *words, const char *said) {
    put(m, "words", words);
    fake_host(m, tc_format(m->a, "cat %s >&2; exit 1", in(m, "words")));
    assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true), TC_BUILD_REFUSED);
    assert_string_equal(m->b.said, said);
}

static void test_link(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    put(m, "p.cu", "first\ncudaFoo();\nxcudaBar();\ncudaBar();\n");
    char *p = tc_strdup(m->a, in(m, "p.cu"));
    expect_link(
        m,
        tc_format(m->a,
                  "/usr/bin/ld: /tmp/x.o: in function `main':\n"
                  "%s:13: undefined reference to `cudaFoo'\n"
                  "/usr/bin/ld: %s:13: undefined reference to `cudaFoo'\n"
                  "/usr/bin/ld: /tmp/x.o: in function `f(int)':\n"
                  "tmpxft.cpp:(.text+0x1f): undefined reference to `cudaBar'\n"
                  "collect2: error: ld returned 1 exit status\n",
                  p, p),
        tc_format(m->a,
                  "%s:13: error: cudaFoo is not built yet in this runtime\n"
                  "%s:4: error: cudaBar is not built yet in this runtime\n",
                  p, p));
    /* places in nvcc's own headers say nothing; newer linkers' one-line form */
    expect_link(m,
                tc_format(m->a,
                          "/usr/bin/ld: /tmp/x.o: in function `main':\n"
                          "%s/include/y.h:7:(.text+0x10): undefined reference "
                          "to `cuMemAlloc_v2'\n"
                          "/usr/bin/ld: x.o: in function `main': %s:9: "
                          "undefined reference to `cusparseCreate'\n",
                          in(m, "root/opt/cuda"), p),
                tc_format(m->a,
                          "error: cuMemAlloc_v2 is not built yet in this "
                          "runtime\n%s:9: error: cusparseCreate is not built "
                          "yet in this runtime\n",
                          p));
    /* the rest is as it was said */
    expect_link(m,
                "/usr/bin/ld: /tmp/x.o: in function `main':\n"
                "p.cu:3: undefined reference to `customer(int)'\n"
                "collect2: error: ld returned 1 exit status\n",
                "/usr/bin/ld: /tmp/x.o: in function `main':\n"
                "p.cu:3: undefined reference to `customer(int)'\n");
    fake_host(m, "exit 1");
    assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true), TC_BUILD_FAILED);
    assert_string_equal(m->text,
                        "the linker failed with status 1 and said nothing");
}

/* --- names -----------------------------------------------------------------*/

/* Kernels alone are built once, and found again. */
static void test_no_main(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "echo 'p.cu(1): warning: x' >&2");
    fake_host(m,
              "echo \"Scrt1.o: undefined reference to \\`main'\" >&2; exit 1");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true), TC_BUILD_OK);
        assert_int_equal(m->b.cached, i == 1);
        assert_null(m->b.program);
        assert_string_equal(text_of(m, m->b.ptx), "// first\n");
        assert_string_equal(m->b.said, "p.cu(1): warning: x\n");
    }
    fake_host(m, "");
    expect_build(m, true, false, "// first\n");
}

static void test_plain(void **state) {
    (void)state;
    static const char *const plain[] = {"a b.cu", "it's.cu", "ü;(x)#&.cu"};
    static const char *const odd[] = {"$x",  "`x`",  "a\"b", "a\\b",
                                      "a,b", "a\nb", "a\tb"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_true(tc_plain_path(plain[i]));
    }
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_false(tc_plain_path(odd[i]));
    }
}

/* Does nvcc get no name that a shell would take for more than a name? */
static void test_hostile(void **state) {
    static const char *const names[] = {
        "-o.cu", "@x.cu",           "a b.cu",     "it's.cu",   "$(id).cu",
        "`id`",  "\"; touch x;.cu", "a,b/c,d.cu", "a\\b\n.cu", "--version"};
    machine *m = *state;
    char *was = getcwd(NULL, 0);
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    assert_int_equal(chdir(m->top), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        put(m, in(m, names[i]), tc_format(m->a, "number %zu\n", i));
        unlink(in(m, "log"));
        assert_int_equal(build(m, names[i], "sm_90a", true), TC_BUILD_OK);
        assert_false(m->b.cached);
        const char *log = text_of(m, in(m, "log"));
        assert_null(strpbrk(log, "$`\"\\,"));
        const char *last =
            strrchr(tc_strndup(m->a, log, strlen(log) - 1), '\n');
        assert_non_null(last);
        assert_int_not_equal(last[1], '-');
        assert_int_not_equal(last[1], '@');
        const char *first = text_of(m, m->b.ptx);
        const char *own = tc_format(m->a, "// number %zu\n", i);
        assert_true(strcmp(first, own) == 0 ||
                    strncmp(first, "// #line 1 \"", 12) == 0);
    }
    assert_int_equal(chdir(was), 0);
    free(was);
}

/* --- parts -----------------------------------------------------------------*/

static void test_deps(void **state) {
    machine *m = *state;
    tc_toolchain t = {.include = in(m, "cuda/include")};
    tc_job j = {.a = m->a, .t = &t, .work = in(m, "tmp")};
    put(m, "cuda/include/cuda_runtime.h", "");
    put(m, "a b.h", "");
    put(m, "c$d#.h", "");
    put(m, "tmp/source0.cu", "");
    tc_unit u = {.path = in(m, "p.cu")};
    u.deps =
        put(m, "deps",
            tc_format(m->a,
                      "%s/x.o : %s/p.cu \\\n    %s/a\\ b.h %s/c$$d\\#.h "
                      "\\\n %s/cuda/bin/../include/cuda_runtime.h \\\n"
                      " %s/none.h %s/tmp/source0.cu\n",
                      m->top, m->top, m->top, m->top, m->top, m->top, m->top));
    assert_true(tc_make_folders(in(m, "cuda/bin")));
    tc_buf list = TC_BUF_INIT;
    tc_deps_read(&j, &u, &list);
    assert_string_equal(
        tc_buf_text(&list),
        tc_format(m->a, "%s\n%s\n", in(m, "a b.h"), in(m, "c$d#.h")));
    tc_buf_free(&list);
    unlink(in(m, "tmp/source0.cu"));
}

static void test_run(void **state) {
    machine *m = *state;
    tc_buf out = TC_BUF_INIT, err = TC_BUF_INIT;
    const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
    const char *env[] = {"A=mine", NULL};
    tc_tool_process p = {.argv = argv, .env = env, .out = &out, .err = &err};
    setenv("A", "theirs", 1);
    argv[2] = "echo $A; read x; echo \"<$x>\"; echo no >&2; exit 7";
    assert_int_equal(tc_tool_run(&p), 7);
    assert_string_equal(tc_buf_text(&out), "mine\n<>\n");
    assert_string_equal(tc_buf_text(&err), "no\n");
    argv[2] = "kill -11 $$";
    assert_int_equal(tc_tool_run(&p), 128 + 11);
    argv[2] = "exec sleep 100";
    p.timeout_ms = 100;
    assert_int_equal(tc_tool_run(&p), TC_RUN_TIMEOUT);
    p.timeout_ms = 0;
    /* a child that keeps the output open does not keep us */
    argv[2] = "sleep 100 & exit 3";
    assert_int_equal(tc_tool_run(&p), 3);
    tc_buf_clear(&out);
    argv[2] = "while :; do echo 0123456789012345678901234567890123456789; "
              "done | head -c 20000000";
    assert_int_equal(tc_tool_run(&p), 0);
    assert_in_range(out.len, 8 << 20, (8 << 20) + 65536);
    argv[0] = in(m, "none");
    assert_int_equal(tc_tool_run(&p), TC_RUN_NOT_STARTED);
    assert_int_equal(errno, ENOENT);
    tc_buf_free(&out);
    tc_buf_free(&err);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_hash),    TEST(test_order),    TEST(test_not_here),
        TEST(test_unfit),   TEST(test_facts),    TEST(test_wrapper),
        TEST(test_home),    TEST(test_cache),    TEST(test_flags),
        TEST(test_written), TEST(test_failures), TEST(test_cancel),
        TEST(test_link),    TEST(test_plain),    TEST(test_hostile),
        TEST(test_deps),    TEST(test_run),      TEST(test_machine),
        TEST(test_lambdas), TEST(test_no_main),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
