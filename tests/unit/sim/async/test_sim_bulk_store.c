/* test_sim_bulk_store.c - st.async and red.async into another CTA of the
 * cluster, and what sm_100 adds (PTX ISA 9.7.9.12, 9.7.9.13, 9.7.13.7), as
 * test_sim_bulk.c does it. */
#include "bulk_run.h"

/* st.async of every width by all 32 threads of CTA 0. */
static void test_st_async(void **state) {
    (void)state;
    static const struct {
        const char *type, *value;
        uint32_t bytes;
    } all[] = {{"b32", "%r12", 4},
               {"u32", "%r12", 4},
               {"v2.b32", "{%r12, %r13}", 8},
               {"v4.b32", "{%r12, %r13, %r14, %r15}", 16},
               {"b64", "%rd13", 8},
               {"v2.s64", "{%rd13, %rd14}", 16}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char line[400];
        snprintf(line, sizeof line,
                 "mov.b64 %%rd13, {%%r12, %%r13};\n"
                 "mov.b64 %%rd14, {%%r14, %%r15};\n"
                 "add.u32 %%r33, %%r31, %%r10;\nxor.b32 %%r33, %%r33, 16;\n"
                 "@%%p4 st.async.shared::cluster.mbarrier::complete_tx::bytes."
                 "%s [%%r33], %s, [%%r32];\n",
                 all[i].type, all[i].value);
        char *text = join(PAIR MEET, line,
                          all[i].bytes == 4   ? RECEIVE(128)
                          : all[i].bytes == 8 ? RECEIVE(256)
                                              : RECEIVE(512));
        POLICIES(c) {
            c->grid = c->cluster = 2;
            run(c, text);
            assert_int_equal(c->r.status, TC_RUN_OK);
            for (uint32_t k = 0; k < 512; k += 16) {
                memcpy(c->a + (k ^ 16), c->a0 + k, all[i].bytes);
            }
            assert_memory_equal(c->b, c->a, 512);
        }
        free(text);
    }
}

static void test_red_async(void **state) {
    (void)state;
    for (int i = 0; i < REDUCTIONS; i++) {
        if (!reductions[i].shared) {
            continue;
        }
        bool wide = reductions[i].size == 8;
        char line[400];
        snprintf(line, sizeof line,
                 "mov.b64 %%rd13, {%%r12, %%r13};\n"
                 "add.u32 %%r33, %%r31, %%r10;\nxor.b32 %%r33, %%r33, 16;\n"
                 "@%%p4 red.async.relaxed.cluster.shared::cluster.mbarrier::"
                 "complete_tx::bytes.%s.%s [%%r33], %s, [%%r32];\n",
                 reductions[i].name, reductions[i].type,
                 wide ? "%rd13" : "%r12");
        char *text = join(PAIR MEET, line, wide ? RECEIVE(256) : RECEIVE(128));
        async_case *c = under(i % ASYNC_POLICIES);
        c->grid = c->cluster = 2;
        run(c, text);
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t k = 0; k < 512; k += 16) {
            reductions[i].op(c->a + (k ^ 16), c->a0 + k);
        }
        assert_memory_equal(c->b, c->a, 512);
        done(c);
        free(text);
    }
}

/* ---- of sm_100: a mask of bytes, stores to global memory, st.bulk ---- */

static void test_sm_100(void **state) {
    (void)state;
    POLICIES(c) {
        c->arch = "sm_100a";
        run(c, IN "mov.b16 %h1, 0x8005;\n"
                  "@%p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
                  "[%rd2], [%r2], 512, %h1;\n" GROUP);
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t i = 0; i < 512; i++) {
            bool copied = i % 16 == 0 || i % 16 == 2 || i % 16 == 15;
            assert_int_equal(c->b[i], copied ? c->a0[i] : c->b0[i]);
        }
    }
    POLICIES(c) {
        c->arch = "sm_100a";
        run(c, IN "add.u64 %rd11, %rd2, %rd10;\nmov.b32 %r20, 5;\n"
                  "st.async.release.gpu.global.b32 [%rd11], %r12;\n"
                  "red.async.release.gpu.global.add.u32 [%rd2+1024], %r20;\n");
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t i = 0; i < 512; i += 16) {
            assert_memory_equal(c->b + i, c->a0 + i, 4);
        }
        uint32_t before, after;
        memcpy(&before, c->b0 + 1024, 4);
        memcpy(&after, c->b + 1024, 4);
        assert_int_equal(after, before + 32 * 5);
    }
    POLICIES(c) {
        c->arch = "sm_100a";
        run(c,
            IN "mov.b64 %rd13, 24;\n"
               "@%p1 st.bulk.weak.shared::cta [%r2+8], %rd13, 0;\n"
               "@%p1 st.bulk.shared::cta [%r2+64], 16, 0;\nbar.sync 0;\n" OUT);
        assert_int_equal(c->r.status, TC_RUN_OK);
        memset(c->a0 + 8, 0, 24);
        memset(c->a0 + 64, 0, 16);
        assert_memory_equal(c->b, c->a0, 512);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_st_async),
        cmocka_unit_test(test_red_async),
        cmocka_unit_test(test_sm_100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
