/* test_sim_bulk.c - cp.async.bulk, its reductions and groups, under every
 * completion policy, with the checker on: what is right gives no finding
 * (TC_RUN_OK). Expected bytes are derived here from what the PTX ISA says of
 * each (9.7.9.25.4, 9.7.9.27.2). */
#include "bulk_run.h"

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

/* ---- .read: the source may be overwritten, the destination is not there yet
 * ---- */

static void test_wait_read(void **state) {
    (void)state;
    POLICIES(c) {
        run(c, IN "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], "
                  "[%r2], 512;\n@%p1 cp.async.bulk.commit_group;\n"
                  "@%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n"
                  "mov.b32 %r12, 0;\nst.shared.b32 [%r11], %r12;\n"
                  "@%p1 cp.async.bulk.wait_group 0;\n");
        assert_int_equal(c->r.status, TC_RUN_OK);
        assert_memory_equal(c->b, c->a0, 512);
    }
    /* Without it, the late policy reads what was written over. */
    async_case *c = under(0);
    run(c, IN "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], "
              "[%r2], 512;\n@%p1 cp.async.bulk.commit_group;\nbar.sync 0;\n"
              "mov.b32 %r12, 0;\nst.shared.b32 [%r11], %r12;\n"
              "@%p1 cp.async.bulk.wait_group 0;\n");
    assert_int_equal(c->b[0] | c->b[1] | c->b[2] | c->b[3], 0);
    assert_int_equal(c->b[4], c->a0[4]);
    assert_true(c->r.nfindings > 0);
    for (int i = 0; i < c->r.nfindings; i++) { /* the issuer's, the others' */
        assert_int_equal(c->r.findings[i].kind, TC_FINDING_OVERWRITE_IN_FLIGHT);
    }
    done(c);
}

/* Groups of a thread complete in order: leaving one means the older landed. */
static void test_groups(void **state) {
    (void)state;
    POLICIES(c) {
        run(c, IN "@!%p1 bra END;\n"
                  "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], "
                  "64;\ncp.async.bulk.commit_group;\n"
                  "cp.async.bulk.global.shared::cta.bulk_group [%rd2+64], "
                  "[%r2+64], 64;\ncp.async.bulk.commit_group;\n"
                  "cp.async.bulk.wait_group 1;\n"
                  "ld.global.b32 %r20, [%rd2];\n"
                  "cp.async.bulk.wait_group 0;\n"
                  "st.global.b32 [%rd2+128], %r20;\nEND:\n");
        assert_int_equal(c->r.status, TC_RUN_OK);
        assert_memory_equal(c->b, c->a0, 128);
        assert_memory_equal(c->b + 128, c->a0, 4);
    }
}

/* What is missing shows under the late policy. */
static void test_no_wait(void **state) {
    (void)state;
    async_case *c = under(0);
    run(c,
        INIT EXPECT(
            512) "@%p1 "
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%r2], [%rd1], 512, [%r3];\n" OUT);
    assert_memory_not_equal(c->b, c->a0, 512);
    assert_int_equal(c->r.nfindings, 1);
    assert_int_equal(c->r.findings[0].kind, TC_FINDING_READ_BEFORE_COMPLETE);
    done(c);
}

/* The trace: a BULK and its COMPLETE, of the TMA unit, with the barrier. */
static void test_trace(void **state) {
    (void)state;
    POLICIES(c) {
        run(c,
            INIT EXPECT(
                512) "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
                     "complete_tx::bytes [%r2], [%rd1], 512, [%r3];\n" WAIT
                     "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], "
                     "[%r2], 512;\n" GROUP);
        assert_memory_equal(c->b, c->a0, 512);
        int issues = 0, completes = 0;
        for (size_t i = 0; i < c->t->n; i++) {
            const tc_trace_event *e = &c->t->events[i];
            if (e->unit != TC_UNIT_TMA || e->bytes < 0) {
                continue;
            }
            assert_int_equal(e->bytes, 512);
            assert_int_equal(e->lanes, 1);
            if (e->kind == TC_TRACE_BULK) {
                assert_int_equal(e->object, issues == 0 ? TC_OBJECT_MBARRIER
                                                        : TC_OBJECT_BULK_GROUP);
                assert_int_equal(e->phase, issues == 0 ? 0 : -1);
                assert_int_equal(e->group, issues == 0 ? -1 : 0);
                issues++;
            } else if (e->kind == TC_TRACE_COMPLETE) {
                assert_int_equal(e->kind, TC_TRACE_COMPLETE);
                assert_true(e->cause >= 0);
                completes++;
            }
        }
        assert_int_equal(issues, 2);
        assert_int_equal(completes, 2);
    }
}

/* ---- reductions ---- */

static void test_reduce_global(void **state) {
    (void)state;
    for (int i = 0; i < REDUCTIONS; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "@%%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.%s."
                 "%s [%%rd2], [%%r2], 512;\n",
                 reductions[i].name, reductions[i].type);
        char *text = join(IN, line, GROUP);
        async_case *c = under(i % ASYNC_POLICIES);
        run(c, text);
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t k = 0; k < 512; k += reductions[i].size) {
            reductions[i].op(c->b0 + k, c->a0 + k);
        }
        assert_memory_equal(c->b, c->b0, ASYNC_BYTES);
        done(c);
        free(text);
    }
}

/* Sums by several CTAs and threads at once are no race. */
static void test_reduce_together(void **state) {
    (void)state;
    POLICIES(c) {
        c->grid = 4;
        run(c, IN "setp.lt.u32 %p1, %r1, 2;\n"
                  "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add."
                  "u32 [%rd2], [%r2], 512;\n" GROUP);
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t k = 0; k < 512; k += 4) {
            for (int i = 0; i < 8; i++) {
                add_u32(c->b0 + k, c->a0 + k);
            }
        }
        assert_memory_equal(c->b, c->b0, 512);
    }
}

/* All keep subnormals (.f32 too, on an H200, where red.global.add.f32 flushes
 * them); .f64 rounds to the nearest even. */
static void test_reduce_float(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t size;
        uint64_t a, b, sum;
    } all[] = {{"add.f32", 4, 0x3f800000, 0x33800000, 0x3f800000},
               {"add.f32", 4, 0x3f800001, 0x33800000, 0x3f800002},
               {"add.f32", 4, 0x00000001, 0x80000001, 0x00000000},
               {"add.f32", 4, 0x80000001, 0x80000001, 0x80000002},
               {"add.f32", 4, 0x00400000, 0x00400000, 0x00800000},
               {"add.noftz.f16", 2, 0x0001, 0x0001, 0x0002},
               {"add.noftz.f16", 2, 0x3c00, 0x1000, 0x3c00},
               {"add.noftz.f16", 2, 0x7bff, 0x7bff, 0x7c00},
               {"add.noftz.bf16", 2, 0x0001, 0x0001, 0x0002},
               {"add.noftz.bf16", 2, 0x3f80, 0x3f80, 0x4000},
               {"min.f16", 2, 0x3c00, 0xbc00, 0xbc00},
               {"max.bf16", 2, 0x3f80, 0x7fc0, 0x3f80},
               {"add.f64", 8, UINT64_C(0x3ff0000000000000),
                UINT64_C(0x3ca0000000000000), UINT64_C(0x3ff0000000000000)}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "@%%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.%s "
                 "[%%rd2], [%%r2], 16;\n",
                 all[i].what);
        char *text = join(IN, line, GROUP);
        async_case *c = under(0);
        char *whole = async_text(c, text);
        async_ptxas(whole, NULL);
        async_begin(c, whole);
        memset(c->in->bytes, 0, 16);
        memset(c->out->bytes, 0, 16);
        memcpy(c->in->bytes, &all[i].b, all[i].size);
        memcpy(c->out->bytes, &all[i].a, all[i].size);
        async_go(c);
        uint64_t got = 0;
        memcpy(&got, c->b, all[i].size);
        if (got != all[i].sum) {
            fail_msg("%s: %llx, not %llx", all[i].what, (unsigned long long)got,
                     (unsigned long long)all[i].sum);
        }
        done(c);
        free(whole);
        free(text);
    }
}

/* ---- clusters ---- */

static void test_remote_copy(void **state) {
    (void)state;
    POLICIES(c) {
        c->grid = c->cluster = 2;
        run(c, PAIR MEET
            "and.pred %p5, %p4, %p1;\n"
            "@%p5 cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
            "complete_tx::bytes [%r31], [%r2+256], 256, [%r32];\n" RECEIVE(
                256));
        assert_int_equal(c->r.status, TC_RUN_OK);
        assert_memory_equal(c->b, c->a0 + 256, 256);
        assert_memory_equal(c->b + 256, c->a0 + 256, 256);
    }
}

static void test_remote_reduce(void **state) {
    (void)state;
    for (int i = 0; i < REDUCTIONS; i++) {
        if (!reductions[i].shared) {
            continue;
        }
        char line[300];
        snprintf(line, sizeof line,
                 "and.pred %%p5, %%p4, %%p1;\n"
                 "@%%p5 cp.reduce.async.bulk.shared::cluster.shared::cta."
                 "mbarrier::complete_tx::bytes.%s.%s [%%r31], [%%r2+256], 256, "
                 "[%%r32];\n",
                 reductions[i].name, reductions[i].type);
        char *text = join(PAIR MEET, line, RECEIVE(256));
        async_case *c = under(i % ASYNC_POLICIES);
        c->grid = c->cluster = 2;
        run(c, text);
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t k = 0; k < 256; k += reductions[i].size) {
            reductions[i].op(c->a0 + k, c->a0 + k + 256);
        }
        assert_memory_equal(c->b, c->a0, 512);
        done(c);
        free(text);
    }
}

static void test_multicast(void **state) {
    (void)state;
    POLICIES(c) {
        c->grid = c->cluster = 2;
        run(c, INIT "mov.u32 %r30, %cluster_ctarank;\n"
                    "setp.eq.u32 %p4, %r30, 0;\n" EXPECT(512) MEET
            "and.pred %p5, %p4, %p1;\nmov.b16 %h1, 3;\n"
            "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::"
            "complete_tx::bytes.multicast::cluster [%r2], [%rd1], 512, "
            "[%r3], %h1;\n" WAIT "mul.wide.u32 %rd14, %r30, 512;\n"
            "add.u64 %rd2, %rd2, %rd14;\n" OUT MEET);
        assert_int_equal(c->r.status, TC_RUN_OK);
        assert_memory_equal(c->b, c->a0, 512);
        assert_memory_equal(c->b + 512, c->a0, 512);
        assert_memory_equal(c->b + 1024, c->b0 + 1024, ASYNC_BYTES - 1024);
    }
}

/* ---- what is refused ---- */

static void fault(const char *body, tc_finding_kind kind) {
    async_case *c = under(0);
    run(c, body);
    assert_int_equal(c->r.status, TC_RUN_FAULT);
    assert_int_equal(c->r.findings[0].kind, kind);
    done(c);
}

#define LOAD(to, from, n)                                                      \
    INIT "mov.b32 %r20, " n ";\n"                                              \
         "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"   \
         "bytes [%r2+" to "], [%rd1+" from "], %r20, [%r3];\n"

static void test_faults(void **state) {
    (void)state;
    fault(LOAD("0", "0", "24"), TC_FINDING_ILLEGAL_SIZE);
    fault(LOAD("8", "0", "32"), TC_FINDING_MISALIGNED);
    fault(LOAD("0", "4", "32"), TC_FINDING_MISALIGNED);
    fault(LOAD("0", "16368", "32"), TC_FINDING_OUT_OF_BOUNDS);
    fault(LOAD("16384", "0", "4096"), TC_FINDING_OUT_OF_BOUNDS);
    fault(LOAD("0", "0", "0x7ffffff0"), TC_FINDING_OUT_OF_BOUNDS);
    fault(INIT "mov.b16 %h1, 2;\n"
               "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
               "complete_tx::bytes.multicast::cluster [%r2], [%rd1], 32, "
               "[%r3], %h1;\n",
          TC_FINDING_OUT_OF_BOUNDS);
    fault("@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2+8], [%r2], "
          "32;\n",
          TC_FINDING_MISALIGNED);
    fault("mov.b32 %r20, 40;\n"
          "cp.async.bulk.prefetch.L2.global [%rd1], %r20;\n",
          TC_FINDING_ILLEGAL_SIZE);
}

/* Fences and prefetches change nothing that is read. */
static void test_fences(void **state) {
    (void)state;
    async_case *c = under(0);
    run(c, "fence.proxy.async;\nfence.proxy.async.global;\n"
           "fence.proxy.async.shared::cta;\n"
           "fence.proxy.async.shared::cluster;\nfence.proxy.alias;\n"
           "membar.proxy.alias;\n"
           "fence.proxy.tensormap::generic.release.gpu;\n"
           "fence.proxy.tensormap::generic.acquire.sys [%rd1], 128;\n"
           "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster"
           ".cluster;\n"
           "fence.proxy.async::generic.release.sync_restrict::shared::cta"
           ".cluster;\n"
           "mov.b64 %rd12, 0;\ncp.async.bulk.prefetch.L2.global [%rd1], 64;\n"
           "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 64, "
           "%rd12;\n");
    assert_int_equal(c->r.status, TC_RUN_OK);
    assert_memory_equal(c->b, c->b0, ASYNC_BYTES);
    done(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_expect_after),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_wait_read),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_no_wait),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_reduce_global),
        cmocka_unit_test(test_reduce_together),
        cmocka_unit_test(test_reduce_float),
        cmocka_unit_test(test_remote_copy),
        cmocka_unit_test(test_remote_reduce),
        cmocka_unit_test(test_multicast),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
