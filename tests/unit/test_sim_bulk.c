/* test_sim_bulk.c - cp.async.bulk, its reductions, groups, and st.async, under
 * every completion policy. Expected bytes are derived here from what the PTX
 * ISA says of each (9.7.9.25.4, 9.7.9.27.2, 9.7.9.12, 9.7.13.7). */
#include "async_run.h"

#define POLICIES(c)                                                            \
    for (int policy = 0; policy < ASYNC_POLICIES; policy++)                    \
        for (async_case *c = under(policy); c; c = done(c))

static async_case *under(int policy) {
    async_case *c = async_new();
    c->completion = async_policies[policy].completion;
    c->seed = async_policies[policy].seed;
    c->timing = async_policies[policy].timing;
    c->trace = true;
    return c;
}

static async_case *done(async_case *c) {
    async_end(c);
    free(c);
    return NULL;
}

/* Thread 0 makes the barrier, everybody sees it. */
#define INIT                                                                   \
    "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"                           \
    "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
/* Everybody waits for the phase of parity 0. */
#define WAIT                                                                   \
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n"         \
    "@!%p2 bra WAIT;\n"
#define EXPECT(n)                                                              \
    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " #n ";\n"
/* Shared memory's first 512 bytes to B, by all 32 threads. */
#define OUT                                                                    \
    "shl.b32 %r10, %r1, 4;\nadd.u32 %r11, %r2, %r10;\n"                        \
    "cvt.u64.u32 %rd10, %r10;\nadd.u64 %rd11, %rd2, %rd10;\n"                  \
    "ld.shared.v4.b32 {%r12, %r13, %r14, %r15}, [%r11];\n"                     \
    "st.global.v4.b32 [%rd11], {%r12, %r13, %r14, %r15};\n"
/* 512 bytes of A to shared memory, by all. */
#define IN                                                                     \
    "shl.b32 %r10, %r1, 4;\nadd.u32 %r11, %r2, %r10;\n"                        \
    "cvt.u64.u32 %rd10, %r10;\nadd.u64 %rd11, %rd1, %rd10;\n"                  \
    "ld.global.v4.b32 {%r12, %r13, %r14, %r15}, [%rd11];\n"                    \
    "st.shared.v4.b32 [%r11], {%r12, %r13, %r14, %r15};\n"                     \
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define GROUP                                                                  \
    "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"

static void run(async_case *c, const char *body) {
    char *text = async_text(c, body);
    async_ptxas(text, c->arch);
    free(text);
    async_run(c, body);
    if (c->r.nfindings) {
        fprintf(stderr, "finding: %s %s\n",
                tc_finding_kind_names[c->r.findings[0].kind],
                c->r.findings[0].detail ? c->r.findings[0].detail : "");
    }
}

static char *join(const char *a, const char *b, const char *c) {
    tc_buf all = TC_BUF_INIT;
    tc_buf_puts(&all, a);
    tc_buf_puts(&all, b);
    tc_buf_puts(&all, c);
    return all.data;
}

static void test_load(void **state) {
    (void)state;
    static const char *const forms[] = {
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%r2], [%rd1+32], 512, [%r3];\n",
        "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
        " [%r2], [%rd1+32], 512, [%r3];\n",
        "mov.b32 %r20, 512;\nmov.b64 %rd12, 0;\n@%p1 "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [sm], [%rd1+32], %r20, [bar], %rd12;\n"};
    for (int i = 0; i < 3; i++) {
        char *text = join(INIT EXPECT(512), forms[i], WAIT OUT);
        POLICIES(c) {
            run(c, text);
            assert_int_equal(c->r.status, TC_RUN_OK);
            assert_memory_equal(c->b, c->a0 + 32, 512);
            assert_memory_equal(c->b + 512, c->b0 + 512, ASYNC_BYTES - 512);
            assert_int_equal(c->r.counters.bulk_copies, 1);
            assert_int_equal(c->r.counters.bulk_bytes, 512);
        }
        free(text);
    }
}

/* Announced after the copy was issued: the transaction count is below zero in
 * between, which is legal. */
static void test_expect_after(void **state) {
    (void)state;
    POLICIES(c) {
        run(c, INIT
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
            "bytes [%r2], [%rd1], 512, [%r3];\n" EXPECT(512) WAIT OUT);
        assert_int_equal(c->r.status, TC_RUN_OK);
        assert_memory_equal(c->b, c->a0, 512);
    }
}

static void test_store(void **state) {
    (void)state;
    POLICIES(c) {
        run(c, IN "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2+64], "
                  "[%r2], 512;\n" GROUP);
        assert_int_equal(c->r.status, TC_RUN_OK);
        assert_memory_equal(c->b, c->b0, 64);
        assert_memory_equal(c->b + 64, c->a0, 512);
        assert_memory_equal(c->b + 576, c->b0 + 576, ASYNC_BYTES - 576);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_expect_after),
        cmocka_unit_test(test_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
