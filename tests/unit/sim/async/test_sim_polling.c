/* test_sim_polling.c - waits that poll with test_wait, look at the clock and
 * sleep, as libcu++'s barrier does, under the clock: copies that may land late
 * land, and what nobody will answer is a deadlock. */
#include "mbar_run.h"

/* Each thread copies its word of A, binds the copy to bar[0] and polls;
 * the time that it sleeps grows with the time waited. */
static const char polling[] =
    "@%%p1 mbarrier.init.shared.b64 [%%r4], %d;\nbar.sync 0;\n"
    "shl.b32 %%r20, %%r1, 2;\nadd.u32 %%r21, %%r3, %%r20;\n"
    "cvt.u64.u32 %%rd3, %%r20;\nadd.u64 %%rd4, %%rd1, %%rd3;\n"
    "cp.async.ca.shared.global [%%r21], [%%rd4], 4;\n"
    "cp.async.mbarrier.arrive.shared.b64 [%%r4];\n"
    "mbarrier.arrive.shared.b64 %%rd5, [%%r4];\n"
    "mov.u64 %%rd6, %%globaltimer;\n"
    "poll:\nmbarrier.test_wait.shared.b64 %%p2, [%%r4], %%rd5;\n"
    "@%%p2 bra done;\nmov.u64 %%rd8, %%globaltimer;\n"
    "sub.u64 %%rd7, %%rd8, %%rd6;\nshr.u64 %%rd7, %%rd7, 2;\n"
    "add.u64 %%rd7, %%rd7, 32;\nmin.u64 %%rd7, %%rd7, 1000000;\n"
    "cvt.u32.u64 %%r22, %%rd7;\nnanosleep.u32 %%r22;\nbra poll;\n"
    "done:\nxor.b32 %%r23, %%r20, 128;\nadd.u32 %%r23, %%r3, %%r23;\n"
    "ld.shared.u32 %%r10, [%%r23];\n"; /* what the other warp copied */

static void poll(mbar_case *c, int expected) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, polling, expected);
    c->block = 64;
    c->hazards = true;
    mbar_run(c, b.data);
    tc_buf_free(&b);
    assert_true(c->ran);
}

static void lands(tc_completion completion, uint64_t seed, bool timing) {
    mbar_case c = {
        .completion = completion, .seed = seed, .timing = timing, .grid = {2}};
    poll(&c, 64);
    assert_int_equal(c.r.status, TC_RUN_OK);
    assert_int_equal(c.r.nfindings, 0);
    for (uint32_t i = 0; i < 128; i++) {
        assert_int_equal(c.b[i], c.a[(i % 64) ^ 32]);
    }
    mbar_end(&c);
}

static void test_late_copies_land(void **state) {
    (void)state;
    for (int timing = 0; timing < 2; timing++) {
        lands(TC_COMPLETE_LATE, 0, timing);
        lands(TC_COMPLETE_EARLY, 0, timing);
        for (uint64_t seed = 1; seed < 4; seed++) {
            lands(TC_COMPLETE_RANDOM, seed, timing);
        }
    }
    lands(TC_COMPLETE_TIMING, 0, true);
}

static void test_nobody_answers(void **state) {
    (void)state;
    static const tc_completion when[] = {TC_COMPLETE_EARLY, TC_COMPLETE_LATE,
                                         TC_COMPLETE_RANDOM,
                                         TC_COMPLETE_TIMING};
    for (int i = 0; i < 4; i++) {
        mbar_case c = {.completion = when[i], .seed = 1, .timing = true};
        poll(&c, 65); /* one arrival more than there are threads */
        assert_int_equal(c.r.status, TC_RUN_DEADLOCK);
        assert_int_equal(c.r.nfindings, 1);
        assert_int_equal(c.r.findings[0].kind, TC_FINDING_MBARRIER_DEADLOCK);
        mbar_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_copies_land),
        cmocka_unit_test(test_nobody_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
