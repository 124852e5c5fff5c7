/* test_guard.c - programs that are run: nothing of them outlives us, whatever
 * ends us, and they keep to their limits. */
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
#include <sys/wait.h>
#include <time.h>

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* The number that a script has written into a file, once it has. */
static pid_t number_in(machine *m, const char *name) {
    for (int i = 0; i < 2000; i++) {
        const char *text = text_of(m, in(m, name));
        if (strchr(text, '\n') != NULL) {
            return (pid_t)atol(text);
        }
        nap();
    }
    fail_msg("nothing came to %s", name);
    return 0;
}

/* Gone, or dead and not yet buried by whoever got it. */
static bool is_gone(machine *m, pid_t pid) {
    FILE *f = fopen(tc_format(m->a, "/proc/%ld/stat", (long)pid), "r");
    char state = 'X';
    bool told = f != NULL && fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
    if (f != NULL) {
        fclose(f);
    }
    return !told || state == 'Z' || state == 'X';
}

static void expect_gone(machine *m, const char *name) {
    pid_t pid = number_in(m, name);
    for (int i = 0; i < 1000 && !is_gone(m, pid); i++) {
        nap();
    }
    assert_true(is_gone(m, pid));
}

/* A compiler, what it starts, and what has left its group and session. */
static const char *family(machine *m) {
    return script(m, "family",
                  tc_format(m->a,
                            "cd %s\n"
                            "sleep 1000 & echo $! >child\n"
                            "setsid sh -c 'echo $$ >daemon; exec sleep 1000' "
                            ">/dev/null 2>&1 &\n"
                            "echo $$ >self\ntrap '' TERM\neval \"$1\"\n"
                            "while :; do sleep 1000; done",
                            m->top));
}

static void expect_family_gone(machine *m) {
    expect_gone(m, "self");
    expect_gone(m, "child");
    expect_gone(m, "daemon");
}

static void test_killed(void **state) {
    machine *m = *state;
    const char *argv[] = {family(m), "", NULL};
    const char *own = in(m, "own");
    tc_tool_process p = {.argv = argv, .own = own};
    put(m, "own/deep/file", "");
    pid_t pid = fork();
    if (pid == 0) {
        tc_tool_run(&p);
        _exit(0);
    }
    number_in(m, "self");
    number_in(m, "daemon");
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    expect_family_gone(m);
    for (int i = 0; i < 1000 && access(own, F_OK) == 0; i++) {
        nap();
    }
    assert_int_equal(access(own, F_OK), -1);
}

static atomic_int stop;

static void on_alarm(int signal) {
    stop = signal;
}

static void test_cancelled(void **state) {
    machine *m = *state;
    const char *argv[] = {family(m), "", NULL};
    tc_tool_process p = {.argv = argv, .cancel = &stop};
    struct itimerval soon = {.it_value = {.tv_usec = 300000}};
    stop = 0;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_int_equal(tc_tool_run(&p), TC_RUN_CANCELLED);
    signal(SIGALRM, SIG_DFL);
    expect_family_gone(m);
}

/* It ends by itself and leaves others behind. */
static void test_left_behind(void **state) {
    machine *m = *state;
    const char *argv[] = {
        family(m), "while [ ! -s daemon ]; do sleep 0.01; done; exit 5", NULL};
    tc_tool_process p = {.argv = argv};
    assert_int_equal(tc_tool_run(&p), 5);
    expect_family_gone(m);
}

/* No terminal, nothing on standard input. */
static void test_input(void **state) {
    machine *m = *state;
    tc_buf out = TC_BUF_INIT;
    const char *argv[] = {"/bin/sh", "-c",
                          "cat /dev/stdin; cat /dev/tty 2>&- || echo none; "
                          "ls -l /proc/self/fd | wc -l",
                          NULL};
    tc_tool_process p = {.argv = argv, .out = &out};
    assert_int_equal(tc_tool_run(&p), 0);
    /* 0, 1, 2, ls's own of the folder, and "total 0" */
    assert_string_equal(tc_buf_text(&out), "none\n5\n");
    tc_buf_free(&out);
    (void)m;
}

static void expect_limit(machine *m, const char *code, const tc_limits *l,
                         const char *why) {
    tc_buf passed = TC_BUF_INIT;
    const char *argv[] = {"/bin/sh", "-c", code, NULL};
    tc_tool_process p = {.argv = argv,
                         .folder = in(m, "own"),
                         .own = in(m, "own"),
                         .limits = l,
                         .why = &passed};
    assert_true(tc_make_folders(p.own));
    int status = tc_tool_run(&p);
    if (why == NULL) {
        assert_int_equal(status, 0);
    } else {
        assert_string_equal(tc_buf_text(&passed), why);
        assert_int_equal(status, TC_RUN_LIMITED);
    }
    tc_buf_free(&passed);
    tc_remove_tree(p.own);
}

static void test_limits(void **state) {
    machine *m = *state;
    static const char busy[] = "while :; do :; done";
    expect_limit(m, busy, &(tc_limits){.cpu_s = 0.5},
                 "it takes more than 0.5 s of processor time");
    /* together, and also what has ended */
    expect_limit(m,
                 tc_format(m->a,
                           "while :; do for i in 1 2; do "
                           "timeout 0.2 sh -c '%s' & done; wait; done",
                           busy),
                 &(tc_limits){.cpu_s = 0.6},
                 "it takes more than 0.6 s of processor time");
    expect_limit(m, "head -c 3000000000 /dev/zero | tail",
                 &(tc_limits){.memory = 64 << 20},
                 "it takes more than 64 MB of memory");
    expect_limit(
        m, "while :; do head -c 1000000 /dev/zero >>f; sleep 0.01; done",
        &(tc_limits){.disk = 32 << 20}, "it takes more than 32 MB of disk");
    expect_limit(m, "exec head -c 64000000 /dev/zero >>f",
                 &(tc_limits){.disk = 32 << 20},
                 "it takes more than 32 MB of disk");
    expect_limit(m, "mkfifo f; cat f", &(tc_limits){.idle_s = 0.3},
                 "it waits for something that does not come, for 0.3 s");
    expect_limit(m, busy, &(tc_limits){.wall_s = 0.3, .idle_s = 20},
                 "it is not done after 0.3 s");
    expect_limit(m, "sleep 0.3; head -c 8000000 /dev/zero >f",
                 tc_limits_usual(), NULL);
}

/* What a tool says is UTF-8 when it gets to us. */
static void test_words(void **state) {
    (void)state;
    tc_buf out = TC_BUF_INIT;
    const char *argv[] = {
        "/bin/sh", "-c",
        "printf 'a\\377b\\303(\\342\\202\\254\\000c\\342\\202'", NULL};
    tc_tool_process p = {.argv = argv, .out = &out};
    assert_int_equal(tc_tool_run(&p), 0);
    assert_string_equal(tc_buf_text(&out),
                        "a\xef\xbf\xbd"
                        "b\xef\xbf\xbd(\xe2\x82\xac\xef\xbf\xbd"
                        "c\xef\xbf\xbd\xef\xbf\xbd");
    tc_buf_free(&out);
}

/* A build that passes a limit says which, and leaves nothing. */
static void test_build(void **state) {
    machine *m = *state;
    fake_host(m, "");
    fake_nvcc(m, "root/opt/cuda", "13.0", "while :; do :; done");
    tc_limits limits = {.cpu_s = 0.3};
    tc_build_options o = {.arch = "sm_90a", .program = true, .limits = &limits};
    assert_int_equal(tc_build_cu(m->a, find(m), in(m, "p.cu"), &o, &m->b,
                                 m->text, sizeof m->text),
                     TC_BUILD_LIMITED);
    assert_string_equal(m->text, "nvcc was stopped: it takes more than 0.3 s "
                                 "of processor time");
}

static void test_usual(void **state) {
    static const struct {
        const char *text;
        double cpu_s, wall_s;
    } all[] = {{NULL, 600, 3600},   {"30", 30, 3600},  {"0.5", 0.5, 3600},
               {"1e4", 1e4, 6e4},   {"off", 0, 0},     {"", 600, 3600},
               {"0", 600, 3600},    {"-1", 600, 3600}, {"5 s", 600, 3600},
               {"1e99", 600, 3600}, {"nan", 600, 3600}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].text != NULL) {
            setenv("TILECOPY_COMPILE_LIMIT", all[i].text, 1);
        }
        const tc_limits *l = tc_limits_usual();
        assert_true(l->cpu_s == all[i].cpu_s && l->wall_s == all[i].wall_s);
        assert_true(l->idle_s == 600 && l->memory > 0 && l->disk > 0);
    }
    machine *m = *state;
    fake_host(m, "");
    fake_nvcc(m, "root/opt/cuda", "13.0", "while :; do :; done");
    setenv("TILECOPY_COMPILE_LIMIT", "0.3", 1);
    assert_int_equal(build(m, in(m, "p.cu"), "sm_90a", true), TC_BUILD_LIMITED);
    assert_string_equal(m->text, "nvcc was stopped: it takes more than 0.3 s "
                                 "of processor time");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_killed), TEST(test_cancelled), TEST(test_left_behind),
        TEST(test_input),  TEST(test_limits),    TEST(test_words),
        TEST(test_usual),  TEST(test_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
