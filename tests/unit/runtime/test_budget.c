/* test_budget.c - what a program takes of the machine: its processes
 * (family.c), and the limits that they pass (budget.c). SIGALRM ends this
 * program where one does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "runtime/budget.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LATEST_S = 120, MB = 1 << 20 };

static void nap(double s) {
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    while (nanosleep(&t, &t) != 0) {
    }
}

/* ---- programs ---- */

static void sleeps(void) {
    pause();
}

static void works(void) {
    for (volatile unsigned n = 0;; n++) {
    }
}

/* Half a second of a processor, in a process that nobody waits for. */
static void leaves_work(void) {
    if (fork() == 0) {
        struct timespec t = {0};
        while (t.tv_sec == 0 && t.tv_nsec < 500000000) {
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        }
    }
    _exit(0);
}

/* A process of another session, without a parent. */
static void leaves_daemon(void) {
    if (fork() == 0) {
        setsid();
        pause();
    }
    pause();
}

static void fills(void) {
    char *p = mmap(NULL, 128 * MB, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) {
        memset(p, 1, 128 * MB);
    }
    pause();
}

static void forks_much(void) {
    for (int i = 0; i <= TC_BUDGET_MOST; i++) {
        if (fork() == 0) {
            pause();
        }
    }
    pause();
}

static void ends(void) {
    _exit(0);
}

static pid_t start(void (*program)(void)) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(LATEST_S);
        program();
        _exit(0);
    }
    return pid;
}

static bool is_there(pid_t pid) {
    return kill(pid, 0) == 0;
}

static int begin(void **state) {
    (void)state;
    alarm(LATEST_S);
    return 0;
}

/* ---- family.c ---- */

/* Until it has n processes. */
static tc_family_state look_for(tc_family *f, pid_t first, int n) {
    tc_family_state s = tc_family_poll(f, first);
    while (s.n != n) {
        nap(0.01);
        s = tc_family_poll(f, first);
    }
    return s;
}

static void family_has_all(void **state) {
    (void)state;
    tc_family f;
    tc_family_begin(&f);
    pid_t first = start(leaves_daemon);
    tc_family_state s = look_for(&f, first, 2);
    while (!s.sleeping) { /* until both have come to pause() */
        nap(0.01);
        s = tc_family_poll(&f, first);
    }
    assert_true(s.rss > 0);
    kill(first, SIGKILL); /* the other one is ours then */
    look_for(&f, first, 1);
    tc_family_end(&f);
    assert_false(is_there(first));
    assert_int_equal(tc_family_poll(&f, 0).n, 0);
}

static void family_spares(void **state) {
    (void)state;
    tc_family f;
    pid_t before = start(sleeps);
    tc_family_begin(&f);
    pid_t spared = start(sleeps), mine = start(sleeps);
    tc_family_spare(&f, spared);
    assert_int_equal(tc_family_poll(&f, mine).n, 1);
    tc_family_end(&f);
    assert_true(is_there(before) && is_there(spared));
    assert_false(is_there(mine));
    kill(before, SIGKILL);
    kill(spared, SIGKILL);
    waitpid(before, NULL, 0);
    waitpid(spared, NULL, 0);
}

/* Those that are no more count too, and the program's end is its waiter's. */
static void family_counts_the_dead(void **state) {
    (void)state;
    tc_family f;
    int status = -1;
    tc_family_begin(&f);
    pid_t first = start(leaves_work);
    while (tc_family_poll(&f, first).cpu_s < 0.4) {
        nap(0.02);
    }
    look_for(&f, first, 0);
    assert_int_equal(waitpid(first, &status, 0), first);
    assert_int_equal(status, 0);
    assert_true(tc_family_poll(&f, 0).cpu_s >= 0.4);
    tc_family_end(&f);
}

static void family_works(void **state) {
    (void)state;
    tc_family f;
    tc_family_begin(&f);
    pid_t first = start(works);
    assert_false(tc_family_poll(&f, first).sleeping);
    tc_family_end(&f);
    assert_false(is_there(first));
}

static void family_leaves_us_as_we_were(void **state) {
    (void)state;
    for (int was = 0; was < 2; was++) {
        tc_family f;
        int is = -1;
        prctl(PR_SET_CHILD_SUBREAPER, was);
        tc_family_begin(&f);
        prctl(PR_GET_CHILD_SUBREAPER, &is);
        assert_int_equal(is, 1);
        tc_family_end(&f);
        prctl(PR_GET_CHILD_SUBREAPER, &is);
        assert_int_equal(is, was);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* ---- budget.c ---- */

/* Looks until a limit is passed, as who waits for the program does. */
static tc_budget_end end_of(const tc_limits *limits, void (*program)(void),
                            bool busy, tc_budget *b) {
    tc_budget_begin(b, limits);
    b->pid = start(program);
    tc_budget_end end = TC_BUDGET_LEFT;
    while (end == TC_BUDGET_LEFT) {
        if (!busy) {
            tc_budget_waits(b);
        }
        nap(0.001 * tc_budget_wait_ms(b, 20));
        end = tc_budget_poll(b, busy);
    }
    tc_budget_end_all(b);
    assert_int_equal(tc_family_poll(&b->family, 0).n, 0);
    assert_int_equal(tc_budget_poll(b, busy), end); /* it stays */
    return end;
}

static void time_of_a_processor(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 0.3};
    assert_int_equal(end_of(&l, works, false, &b), TC_BUDGET_TIME);
    assert_true(b.cpu_s > 0.3);
}

/* Sleep is its time as well, and a little more of it. */
static void time_that_it_sleeps(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 0.2};
    assert_int_equal(end_of(&l, sleeps, false, &b), TC_BUDGET_TIME);
    assert_true(b.slept_s > 0.2 && b.cpu_s < 0.2);
}

/* What it did before the first look, or since one at which it ran, is unknown:
 * on a machine that is loaded it waits for a processor. */
static void time_before_it_slept(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 0.3, .wall_s = 20};
    tc_budget_begin(&b, &l);
    b.pid = start(sleeps);
    for (int i = 0; i < 2; i++) {
        tc_budget_waits(&b);
        nap(0.4);
        assert_int_equal(tc_budget_poll(&b, false), TC_BUDGET_LEFT);
        assert_true(i == 0 ? b.slept_s == 0 : b.slept_s > 0.2);
    }
    double slept = b.slept_s;
    nap(0.1);
    assert_int_equal(tc_budget_poll(&b, true), TC_BUDGET_LEFT);
    tc_budget_waits(&b);
    nap(0.4); /* it has waited for us meanwhile */
    assert_int_equal(tc_budget_poll(&b, false), TC_BUDGET_LEFT);
    assert_true(b.slept_s == slept);
    tc_budget_end_all(&b);
}

/* But not while it waits for us. */
static void time_that_we_work(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 0.2, .wall_s = 4};
    assert_int_equal(end_of(&l, sleeps, true, &b), TC_BUDGET_WALL);
    assert_true(b.slept_s < 0.2);
}

/* What we wait for while the clock is held, as for a GPU that others use, is
 * nobody's time. */
static void clock_that_is_held(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 30, .wall_s = 0.2};
    tc_budget_begin(&b, &l);
    b.pid = start(sleeps);
    tc_budget_hold(&b, true);
    for (int i = 0; i < 8; i++) {
        nap(0.05);
        assert_int_equal(tc_budget_poll(&b, true), TC_BUDGET_LEFT);
    }
    tc_budget_hold(&b, false);
    tc_budget_end end = TC_BUDGET_LEFT;
    while (end == TC_BUDGET_LEFT) {
        nap(0.02);
        end = tc_budget_poll(&b, true);
    }
    assert_int_equal(end, TC_BUDGET_WALL);
    tc_budget_end_all(&b);
}

static void memory_of_all(void **state) {
    (void)state;
    tc_budget b;
    tc_limits l = {.memory = 1};
    assert_int_equal(end_of(&l, sleeps, false, &b), TC_BUDGET_MEMORY);
    l.memory = 2 * (uint64_t)b.limits.memory + (uint64_t)256 * MB;
    l.wall_s = 1;
    assert_int_equal(end_of(&l, sleeps, false, &b), TC_BUDGET_WALL);
    l = (tc_limits){.memory = (uint64_t)128 * MB};
    assert_int_equal(end_of(&l, fills, false, &b), TC_BUDGET_MEMORY);
}

static void processes_at_once(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 60};
    assert_int_equal(end_of(&l, forks_much, false, &b), TC_BUDGET_PROCESSES);
}

/* Who does not look for long stood still, and so did the program. */
static void clock_that_stood_still(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.wall_s = 2};
    tc_budget_begin(&b, &l);
    nap(2.5);
    assert_int_equal(tc_budget_poll(&b, false), TC_BUDGET_LEFT);
    assert_in_range(tc_budget_wait_ms(&b, 60000), 0, 1100);
    assert_int_equal(tc_budget_wait_ms(&b, 7), 7);
    nap(2);
    assert_int_equal(tc_budget_poll(&b, false), TC_BUDGET_WALL);
    tc_budget_end_all(&b);
}

static void without_limits(void **state) {
    (void)state;
    tc_budget b;
    tc_budget_begin(&b, NULL);
    b.pid = start(ends);
    nap(0.2);
    assert_int_equal(tc_budget_poll(&b, false), TC_BUDGET_LEFT);
    assert_int_equal(waitpid(b.pid, NULL, 0), b.pid);
    assert_true(tc_budget_end_all(&b) < 0.2);
}

/* What the program had is known when it is collected. */
static void collected(void **state) {
    (void)state;
    tc_budget b;
    const tc_limits l = {.cpu_s = 60};
    tc_budget_begin(&b, &l);
    b.pid = start(ends);
    assert_int_equal(waitpid(b.pid, NULL, 0), b.pid);
    tc_budget_collected(&b, 1.5);
    assert_int_equal(b.pid, 0);
    assert_true(tc_budget_end_all(&b) >= 1.5);
}

static void memory_available(void **state) {
    (void)state;
    uint64_t all =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_in_range(tc_memory_available(), 1, all);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(family_has_all),
        TEST(family_spares),
        TEST(family_counts_the_dead),
        TEST(family_works),
        TEST(family_leaves_us_as_we_were),
        TEST(time_of_a_processor),
        TEST(time_that_it_sleeps),
        TEST(time_before_it_slept),
        TEST(time_that_we_work),
        TEST(clock_that_is_held),
        TEST(memory_of_all),
        TEST(processes_at_once),
        TEST(clock_that_stood_still),
        TEST(without_limits),
        TEST(collected),
        TEST(memory_available),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
