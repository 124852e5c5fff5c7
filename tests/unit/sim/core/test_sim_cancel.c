/* test_sim_cancel.c - a run ends soon after its cancel flag is set, whatever
 * its grid is, and begins soon, whatever its code is: SIGALRM ends this program
 * where one does not. */
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

/* ---- code that compilers do not make ---- */

/* The word that the code leaves at the buffer's begin. */
static uint32_t word_left(const char *body) {
    tc_diags d = {.fn = print_diag};
    char *text = whole_text(body, NULL);
    tc_arena *a = tc_arena_new();
    tc_source s = {"test.ptx", text, strlen(text), 1};
    alarm(LATEST_S);
    tc_ptx_module *m = tc_ptx_parse(a, &s, &d);
    assert_non_null(m);
    tc_sim *sim = tc_sim_new(m, &(tc_sim_options){0}, &d);
    tc_sim_allocation *to = tc_sim_alloc(sim, BYTES, "A");
    uint64_t params[2] = {to->address, to->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    tc_sim_result r;
    uint32_t word;
    assert_true(tc_sim_run(sim, &l, &d, &r));
    alarm(0);
    assert_int_equal(r.status, TC_RUN_OK);
    memcpy(&word, to->bytes, sizeof word);
    tc_sim_free(sim);
    tc_arena_free(a);
    free(text);
    return word;
}

/* What is known at a block's begin goes one block further in each walk. */
static void branches_backwards(void **state) {
    enum { BLOCKS = 100000 };
    tc_buf b = TC_BUF_INIT;
    (void)state;
    tc_buf_printf(&b, "mov.u32 %%r9, 0;\nbra L%d;\nL0: bra END;\n", BLOCKS - 1);
    for (int i = 1; i < BLOCKS; i++) {
        tc_buf_printf(&b, "L%d: add.u32 %%r9, %%r9, 1;\nbra L%d;\n", i, i - 1);
    }
    tc_buf_puts(&b, "END:\nst.global.u32 [%rd1], %r9;\n");
    assert_int_equal(word_left(tc_buf_text(&b)), BLOCKS - 1);
    tc_buf_free(&b);
}

/* More registers at once than rows are looked for. */
static void many_registers(void **state) {
    enum { N = 100000 };
    tc_buf b = TC_BUF_INIT;
    uint32_t sum = 0;
    (void)state;
    tc_buf_printf(&b, ".reg .b32 %%m<%d>;\nst.global.u32 [%%rd1], 7;\n", N);
    tc_buf_puts(&b, "ld.volatile.global.u32 %r9, [%rd1];\n");
    for (int i = 0; i < N; i++) {
        tc_buf_printf(&b, "mul.lo.u32 %%m%d, %%r9, %d;\n", i, i);
    }
    tc_buf_puts(&b, "mov.u32 %r10, 0;\n");
    for (int i = 0; i < N; i++) {
        tc_buf_printf(&b, "add.u32 %%r10, %%r10, %%m%d;\n", i);
        sum += 7u * (uint32_t)i;
    }
    tc_buf_puts(&b, "st.global.u32 [%rd1], %r10;\n");
    assert_int_equal(word_left(tc_buf_text(&b)), sum);
    tc_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_grids),
        cmocka_unit_test(spinning_grids),
        cmocka_unit_test(branches_backwards),
        cmocka_unit_test(many_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
