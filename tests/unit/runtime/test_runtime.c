/* test_runtime.c - the server, with programs that speak its protocol by hand:
 * what it answers, and what it does with those that are wrong, silent or
 * hostile. The errors are those of the CUDA Runtime API's reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "runtime/server.h"
#include "runtime_fuzz.h"
#include "runtime_hostile.h"
#include "runtime_kernels.h"
#include "runtime_programs.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

/* ---- the list ---- */

typedef struct fake {
    const char *name;
    int (*run)(void);
    tc_program_end end;
    int status;       /* of EXITED: the exit status; SIGNALLED: the signal */
    const char *why;  /* part of it */
    double timeout_s; /* 0: 20; -1: not of the list */
} fake;

#define FAKE(name, ...)                                                        \
    { #name, name##_program, __VA_ARGS__ }
static const fake fakes[] = {
    FAKE(device, TC_PROGRAM_EXITED, 3, "", 0),
    FAKE(memory, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(box, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(bounds, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(launch, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(configuration, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(occupancy, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(fault, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(freed, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(misaligned, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(trap, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(print, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(symbol, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(neighbours, TC_PROGRAM_EXITED, 0, "", -1),
    FAKE(managed, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(tensor, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(misuse, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(wait, TC_PROGRAM_STOPPED, 0, "can never end", 0),
    FAKE(count, TC_PROGRAM_TIMEOUT, 0, "a kernel took longer than 0.3 s", 0.3),
    FAKE(silent, TC_PROGRAM_TIMEOUT, 0, "longer than 0.2 s", 0.2),
    FAKE(closed, TC_PROGRAM_TIMEOUT, 0, "longer than 0.2 s", 0.2),
    FAKE(inherits, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(closed_input, TC_PROGRAM_EXITED, 0, "", -1),
    FAKE(names_itself, TC_PROGRAM_TIMEOUT, 0, "", -1),
    FAKE(no_cuda, TC_PROGRAM_EXITED, 41, "", 0),
    FAKE(killed, TC_PROGRAM_SIGNALLED, SIGKILL, "signal 9", 0),
    FAKE(unknown, TC_PROGRAM_GARBLED, 0, "unknown call", 0),
    FAKE(early, TC_PROGRAM_GARBLED, 0, "before the first", 0),
    FAKE(twice, TC_PROGRAM_GARBLED, 0, "hello twice", 0),
    FAKE(version, TC_PROGRAM_GARBLED, 0, "build it again", 0),
    FAKE(long, TC_PROGRAM_GARBLED, 0, "wrong length", 0),
    FAKE(long_name, TC_PROGRAM_GARBLED, 0, "wrong length", 0),
    FAKE(short, TC_PROGRAM_GARBLED, 0, "wrong length", 0),
    FAKE(half_head, TC_PROGRAM_EXITED, 5, "", 0),
    FAKE(half_payload, TC_PROGRAM_EXITED, 6, "", 0),
    FAKE(half_rows, TC_PROGRAM_EXITED, 7, "", 0),
    FAKE(endless_rows, TC_PROGRAM_EXITED, 8, "", 0),
    FAKE(pages, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(deaf, TC_PROGRAM_TIMEOUT, 0, "longer than 0.3 s", 0.3),
    FAKE(random, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(fuzz1, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(fuzz2, TC_PROGRAM_EXITED, 0, "", 0),
    FAKE(fuzz3, TC_PROGRAM_EXITED, 0, "", 0),
};

/* ---- running one ---- */

static tc_arena *arena;
static tc_device_module module;
static tc_program_result result;

/* What the server told: lines. */
static tc_buf told;

static void launched(void *user, const tc_program_launch *l) {
    (void)user;
    tc_buf_printf(&told, "%s: status %d, error %d, memory %d\n",
                  l->kernel->name, l->result->sim.status, l->result->error,
                  l->nmemory);
}

static void misused(void *user, const tc_host_finding *f) {
    (void)user;
    const tc_host_row *row = &tc_host_rows[f->kind];
    tc_buf_printf(&told, "%s%s at %llx, cause %llx: %s\n", row->name,
                  row->counts == TC_HOST_PEDANTIC ? " (pedantic)" : "",
                  (unsigned long long)f->where, (unsigned long long)f->cause,
                  f->message);
}

static char self[4096];

static tc_program_options options_for(char **argv, double timeout_s) {
    return (tc_program_options){
        .path = argv[0],
        .argv = argv,
        .backend = &tc_device_sim,
        .device = {.sim = {.arch = "sm_90a", .hazards = true},
                   .module = &module},
        .timeout_s = timeout_s,
        .launched = launched,
        .misused = misused};
}

static void run(const char *name, double timeout_s) {
    char *argv[] = {self, "--fake", (char *)(uintptr_t)name, NULL};
    tc_program_options o = options_for(argv, timeout_s);
    tc_buf_clear(&told);
    tc_program_run(&o, &result);
}

static int set_up(void **state) {
    (void)state;
    arena = tc_arena_new();
    tc_source *s = TC_NEW(arena, tc_source);
    tc_diags d = {0};
    *s = (tc_source){"runtime.ptx", runtime_ptx, strlen(runtime_ptx), 1};
    module = (tc_device_module){.ptx = tc_ptx_parse(arena, s, &d),
                                .ptx_text = runtime_ptx};
    return module.ptx == NULL;
}

static int tear_down(void **state) {
    (void)state;
    tc_buf_free(&told);
    tc_arena_free(arena);
    return 0;
}

/* ---- tests ---- */

static void test_programs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fakes / sizeof *fakes; i++) {
        const fake *f = &fakes[i];
        if (f->timeout_s < 0) {
            continue;
        }
        run(f->name, f->timeout_s > 0 ? f->timeout_s : 20);
        if (result.end != f->end || result.status != f->status ||
            !strstr(result.why, f->why)) {
            fail_msg("%s: end %d, status %d, '%s'", f->name, result.end,
                     result.status, result.why);
        }
    }
}

static void test_launches_are_told(void **state) {
    (void)state;
    run("launch", 20);
    assert_int_equal(result.launches, 2);
    /* counter, factors, both, beside, wide, words, and the program's own */
    assert_string_equal(tc_buf_text(&told),
                        "add1: status 0, error 0, memory 7\n"
                        "add1: status 0, error 0, memory 7\n");
    run("fault", 20);
    assert_non_null(strstr(tc_buf_text(&told), "put7: status 3, error 700"));
    run("wait", 20);
    assert_non_null(strstr(tc_buf_text(&told), "wait: status 2, error 0"));
    run("count", 0.2);
    assert_non_null(strstr(tc_buf_text(&told), "count: status 4, error 0"));
}

/* As a driver places variables: on any address. */
static uint64_t neighbours_at(void *user, const tc_ptx_symbol *y) {
    static const struct {
        const char *name;
        uint64_t offset;
    } places[] = {{"counter", 0x100}, {"both", 0x200}, {"beside", 0x210}};
    uint64_t first = UINT64_C(0x300000000000);
    (void)user;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(y->name, places[i].name) == 0) {
            return first + places[i].offset;
        }
    }
    return strcmp(y->name, "wide") == 0
               ? first + (uint64_t)sysconf(_SC_PAGESIZE) - 256
               : 0;
}

static void test_neighbours(void **state) {
    (void)state;
    char *argv[] = {self, "--fake", "neighbours", NULL};
    tc_program_options o = options_for(argv, 20);
    o.device.sim.symbol_address = neighbours_at;
    tc_program_run(&o, &result);
    assert_int_equal(result.end, TC_PROGRAM_EXITED);
    assert_int_equal(result.status, 0);
}

static bool tells(const char *part) {
    return strstr(tc_buf_text(&told), part) != NULL;
}

static void test_misuse(void **state) {
    (void)state;
    run("misuse", 20);
    /* where: 0x1000 + the call: a note is 17, a free 4, an alloc 3, bye 18 */
    assert_true(tells("host-double-free at 1011, cause 1004: "));
    assert_true(tells("host-deref at 1011, cause 1003: host code writes to"));
    assert_true(tells("byte 8 of an allocation of 96 bytes"));
    assert_true(tells("host-missing-sync at 1011, cause 0: "));
    assert_true(tells("unbuilt at 1011, cause 0: cudaGraph?[31m"));
    assert_true(tells("host-unchecked (pedantic) at 77, cause 0: "));
    assert_true(tells("host-leak (pedantic) at 1003, cause 0: 96 bytes of "
                      "cudaMallocManaged"));
    const char *leak = strstr(tc_buf_text(&told), "host-leak");
    assert_null(strstr(leak + 1, "host-leak"));
    run("fault", 20); /* where nothing can be freed any more */
    assert_false(tells("host-leak"));
}

/* The flag is set while the program is silent, and while a kernel runs. */
static atomic_int cancel;

static void set_cancel(int sig) {
    (void)sig;
    cancel = 1;
}

static void test_cancel(void **state) {
    static const char *const names[] = {"silent", "count"};
    (void)state;
    signal(SIGALRM, set_cancel);
    for (int i = 0; i < 2; i++) {
        char *argv[] = {self, "--fake", (char *)(uintptr_t)names[i], NULL};
        tc_program_options o = options_for(argv, 20);
        struct timespec t0, t1;
        o.cancel = &cancel;
        cancel = 0;
        ualarm(200000, 0);
        clock_gettime(CLOCK_MONOTONIC, &t0);
        tc_program_run(&o, &result);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        assert_int_equal(result.end, TC_PROGRAM_CANCELLED);
        assert_true(t1.tv_sec - t0.tv_sec < 15);
    }
    signal(SIGALRM, SIG_DFL);
}

static void test_not_started(void **state) {
    char *argv[] = {"/nowhere/at/all", NULL};
    tc_program_options o = options_for(argv, 1);
    (void)state;
    tc_program_run(&o, &result);
    assert_int_equal(result.end, TC_PROGRAM_MACHINE);
    assert_string_equal(result.why,
                        "/nowhere/at/all: No such file or directory");
    o.device.sim.arch = "sm_1";
    argv[0] = self;
    char *hello[] = {self, "--fake", "device", NULL};
    o.path = self;
    o.argv = hello;
    tc_program_run(&o, &result);
    assert_int_equal(result.end, TC_PROGRAM_NOT_STARTED);
    assert_non_null(strstr(result.why, "no simulated machine 'sm_1'"));
}

/* Standard streams are the caller's, or those that it names; nothing else of
 * ours is open in the program, and signals are as a shell leaves them. */
static void test_inheritance(void **state) {
    int pipes[2], open_here = dup(2), n;
    char text[64] = "";
    char *argv[] = {self, "--fake", "no_cuda", NULL};
    tc_program_options o = options_for(argv, 20);
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    o.out = pipes[1];
    tc_program_run(&o, &result);
    close(pipes[1]);
    n = (int)read(pipes[0], text, sizeof text - 1);
    assert_int_equal(result.status, 41);
    assert_true(n > 0);
    assert_string_equal(text, "to standard output\n");
    close(pipes[0]);
    sigset_t mask, before;
    sigfillset(&mask);
    sigprocmask(SIG_SETMASK, &mask, &before);
    signal(SIGPIPE, SIG_IGN);
    run("inherits", 20);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(result.status, 0);
    close(open_here);
    /* Without a standard input, the socket does not take its place. */
    int in = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    run("closed_input", 20);
    dup2(in, STDIN_FILENO);
    close(in);
    assert_int_equal(result.end, TC_PROGRAM_EXITED);
    assert_int_equal(result.status, 0);
}

/* Whoever serves it dies: so does the program. */
static void test_parent_dies(void **state) {
    int pipes[2];
    pid_t program = 0;
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    pid_t server = fork();
    if (server == 0) {
        char *argv[] = {self, "--fake", "names_itself", NULL};
        tc_program_options o = options_for(argv, 0);
        o.out = pipes[1];
        tc_program_run(&o, &result);
        _exit(0);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &program, sizeof program), sizeof program);
    assert_true(program > 0);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    char end; /* the pipe closes when the last one that holds it has died */
    assert_int_equal(read(pipes[0], &end, 1), 0);
    close(pipes[0]);
}

/* What a program costs that never asks for a device. */
static void test_overhead(void **state) {
    char *argv[] = {"/bin/true", NULL};
    tc_program_options o = options_for(argv, 20);
    double best = 1e9;
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct timespec t0, t1;
        clock_gettime(CLOCK_MONOTONIC, &t0);
        tc_program_run(&o, &result);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        double ms = (double)(t1.tv_sec - t0.tv_sec) * 1e3 +
                    (double)(t1.tv_nsec - t0.tv_nsec) / 1e6;
        best = ms < best ? ms : best;
        assert_int_equal(result.end, TC_PROGRAM_EXITED);
    }
    assert_true(best < 500); /* the sanitizers, a busy machine */
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_launches_are_told),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_not_started),
        cmocka_unit_test(test_inheritance),
        cmocka_unit_test(test_parent_dies),
        cmocka_unit_test(test_overhead),
    };
    for (size_t i = 0; argc == 3 && i < sizeof fakes / sizeof *fakes; i++) {
        if (strcmp(argv[1], "--fake") == 0 &&
            strcmp(argv[2], fakes[i].name) == 0) {
            return fake_find_parent() ? fakes[i].run() : 98;
        }
    }
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
