/* test_sim_cancel.c - a run ends soon after its cancel flag is set, whatever
 * its grid is: SIGALRM ends this program where one does not. */
#include "sim_harness.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { SOON_MS = 50, LATEST_S = 60 };

static atomic_int flag;

static void *set_flag(void *unused) {
    nanosleep(&(struct timespec){.tv_nsec = SOON_MS * 1000000L}, NULL);
    flag = 1;
    return unused;
}

static tc_sim_result cancelled_run(const char *body, bool timing, bool hazards,
                                   uint32_t grid) {
    pthread_t thread;
    tc_diags d = {.fn = print_diag};
    char *text = whole_text(body, NULL);
    tc_arena *a = tc_arena_new();
    tc_source s = {"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(a, &s, &d);
    tc_sim_options o = {.timing = timing, .hazards = hazards, .cancel = &flag};
    assert_non_null(m);
    tc_sim *sim = tc_sim_new(m, &o, &d);
    uint64_t to = tc_sim_alloc(sim, BYTES, "A")->address;
    uint64_t params[2] = {to, to};
    tc_sim_launch l = {.entry = "k",
                       .grid = {grid, 1, 1},
                       .block = {32, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    tc_sim_result r;
    flag = 0;
    assert_int_equal(pthread_create(&thread, NULL, set_flag, NULL), 0);
    alarm(LATEST_S);
    assert_true(tc_sim_run(sim, &l, &d, &r));
    alarm(0);
    pthread_join(thread, NULL);
    assert_int_equal(r.status, TC_RUN_CANCELLED);
    assert_non_null(r.where);
    r.where = NULL;
    tc_sim_free(sim);
    tc_arena_free(a);
    free(text);
    return r;
}

/* A quantum of the clock starts millions of CTAs. */
static void huge_grids(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        cancelled_run("add.u32 %r9, %r1, 1;\n", i & 1, i & 2, INT32_MAX);
    }
}

/* As many CTAs as the machine holds, and none ever ends. */
static void spinning_grids(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        cancelled_run("SPIN:\nld.volatile.global.u32 %r9, [%rd1];\n"
                      "atom.global.add.u32 %r10, [%rd1+4], 1;\n"
                      "setp.ne.u32 %p1, %r9, 99;\n@%p1 bra SPIN;\n",
                      i & 1, i & 2, 1024);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_grids),
        cmocka_unit_test(spinning_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
