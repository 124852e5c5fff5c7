/* test_sim.c - single instructions and the machine around them. What must come
 * out follows from the PTX ISA, by hand; the body's threads have their number
 * in %r1 and store %r10 to their own word of B. */
#include "sim_harness.h"

#define OUT "st.global.u32 [%rd5], %r10;\n"

typedef uint32_t expected_fn(uint32_t thread);

typedef struct op_case {
    const char *name, *body;
    expected_fn *want;
} op_case;

/* Word i of A as sim_harness fills it. */
static uint32_t word_of_a(uint32_t i) {
    uint8_t a[BYTES];
    fill(a, 1);
    return word(a, i);
}

static uint32_t self(uint32_t t) {
    return t;
}
static uint32_t a_word(uint32_t t) {
    return word_of_a(t);
}
static uint32_t a_half(uint32_t t) {
    return word_of_a(t) & 0xffff;
}
static uint32_t zero(uint32_t t) {
    (void)t;
    return 0;
}
/* 9.7.9.6: a lane out of range gets its own value. */
static uint32_t down1(uint32_t t) {
    return t % 32 == 31 ? 31 : t % 32 + 1;
}
static uint32_t up1(uint32_t t) {
    return t % 32 == 0 ? 0 : t % 32 - 1;
}
static uint32_t bfly1(uint32_t t) {
    return (t % 32) ^ 1;
}
static uint32_t idx5(uint32_t t) {
    (void)t;
    return 5;
}
static uint32_t idx3_of_8(uint32_t t) {
    return (t % 32 & 24) | 3;
}
static uint32_t in_range_down1(uint32_t t) {
    return t % 32 != 31;
}
static uint32_t odd_or_even(uint32_t t) {
    return t % 2 ? 100 + t : 200 + t;
}
static uint32_t signed_byte(uint32_t t) {
    return (uint32_t)(int32_t)(int8_t)(word_of_a(t) & 0xff);
}

static const op_case ops[] = {
    {"shfl.down", "shfl.sync.down.b32 %r10, %r7, 1, 31, -1;\n" OUT, down1},
    {"shfl.up", "shfl.sync.up.b32 %r10, %r7, 1, 0, -1;\n" OUT, up1},
    {"shfl.bfly", "shfl.sync.bfly.b32 %r10, %r7, 1, 31, -1;\n" OUT, bfly1},
    {"shfl.idx", "shfl.sync.idx.b32 %r10, %r7, 5, 31, -1;\n" OUT, idx5},
    {"shfl.idx in eights", "shfl.sync.idx.b32 %r10, %r7, 3, 0x181f, -1;\n" OUT,
     idx3_of_8},
    {"shfl's predicate",
     "shfl.sync.down.b32 %r9|%p1, %r7, 1, 31, -1;\nselp.u32 %r10, 1, 0, "
     "%p1;\n" OUT,
     in_range_down1},
    {"cvta.shared, generic ld",
     "st.shared.u32 [%r4], %r1;\ncvt.u64.u32 %rd6, %r4;\n"
     "cvta.shared.u64 %rd7, %rd6;\nld.u32 %r10, [%rd7];\n" OUT,
     self},
    {"cvta.to.shared",
     "cvt.u64.u32 %rd6, %r4;\ncvta.shared.u64 %rd7, %rd6;\n"
     "st.u32 [%rd7], %r1;\ncvta.to.shared.u64 %rd8, %rd7;\n"
     "cvt.u32.u64 %r9, %rd8;\nld.shared.u32 %r10, [%r9];\n" OUT,
     self},
    {"cp.async, no source bytes",
     "st.shared.u32 [%r4], -1;\n"
     "cp.async.ca.shared.global [%r4], [%rd4], 4, 0;\ncp.async.wait_all;\n"
     "ld.shared.u32 %r10, [%r4];\n" OUT,
     zero},
    {"cp.async, two source bytes in a register",
     "mov.u32 %r9, 2;\ncp.async.ca.shared.global [%r4], [%rd4], 4, %r9;\n"
     "cp.async.wait_all;\nld.shared.u32 %r10, [%r4];\n" OUT,
     a_half},
    {"cp.async.cg of 16 bytes",
     "shl.b32 %r9, %r1, 4;\nadd.u32 %r11, %r3, %r9;\ncvt.u64.u32 %rd6, %r9;\n"
     "add.u64 %rd7, %rd1, %rd6;\n"
     "cp.async.cg.shared.global [%r11], [%rd7], 16;\ncp.async.wait_all;\n"
     "bar.sync 0;\nld.shared.u32 %r10, [%r4];\n" OUT,
     a_word},
    {"cp.async of 8 bytes",
     "shl.b32 %r9, %r1, 3;\nadd.u32 %r11, %r3, %r9;\ncvt.u64.u32 %rd6, %r9;\n"
     "add.u64 %rd7, %rd1, %rd6;\n"
     "cp.async.ca.shared.global [%r11], [%rd7], 8;\n"
     "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
     "ld.shared.u32 %r10, [%r4];\n" OUT,
     a_word},
    {"lanes that part and meet",
     "and.b32 %r9, %r1, 1;\nsetp.eq.u32 %p1, %r9, 1;\n@%p1 bra ODD;\n"
     "add.u32 %r10, %r1, 200;\nbra END;\nODD:\nadd.u32 %r10, %r1, 100;\n"
     "END:\n" OUT,
     odd_or_even},
    {"a signed byte", "ld.global.s8 %r10, [%rd4];\n" OUT, signed_byte},
    {"local memory",
     "st.local.u32 [loc+8], %r1;\nld.local.u32 %r10, [loc+8];\n" OUT, self},
};

static void check_words(const sim_case *c, const op_case *op,
                        uint32_t threads) {
    uint8_t before[BYTES];
    fill(before, 99);
    for (uint32_t t = 0; t < BYTES / 4; t++) {
        uint32_t want = t < threads ? op->want(t) : word(before, t);
        if (word(c->b, t) != want) {
            fail_msg("%s: thread %u: 0x%x, not 0x%x", op->name, t,
                     word(c->b, t), want);
        }
    }
}

static void run_ops(uint32_t block, bool timing) {
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (int how = TC_COMPLETE_EARLY; how <= TC_COMPLETE_RANDOM; how++) {
            sim_case c = {.block = block,
                          .hazards = true,
                          .timing = timing,
                          .completion = (tc_completion)how,
                          .seed = 5};
            char *text = whole_text(ops[i].body, NULL);
            if (block == 128 && !timing && how == TC_COMPLETE_EARLY) {
                assert_true(ptxas_takes("sm_90", text));
            }
            run_text(&c, text);
            if (c.r.status != TC_RUN_OK) {
                fail_msg("%s: status %d", ops[i].name, (int)c.r.status);
            }
            check_words(&c, &ops[i], block);
            end_case(&c);
            free(text);
        }
    }
}

static void each_op_does_what_the_isa_says(void **state) {
    (void)state;
    run_ops(128, false);
    run_ops(128, true);
}

/* --- what stops a kernel ---------------------------------------------------*/

typedef struct stop_case {
    const char *name, *body;
    tc_run_status status;
    int kind;
} stop_case;

static const stop_case stops[] = {
    {"beyond shared memory", "ld.shared.u32 %r10, [%r4+4096];\n" OUT,
     TC_RUN_FAULT, TC_FINDING_OUT_OF_BOUNDS},
    {"beyond a buffer", "ld.global.u32 %r10, [%rd4+4096];\n" OUT, TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS},
    {"store before a buffer", "st.global.u32 [%rd2+-4], %r1;\n", TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS},
    {"odd shared address", "ld.shared.u32 %r10, [%r4+2];\n" OUT, TC_RUN_FAULT,
     TC_FINDING_MISALIGNED},
    {"copy of 16 to a step of 4",
     "cp.async.cg.shared.global [%r4], [%rd4], 16;\n", TC_RUN_FAULT,
     TC_FINDING_MISALIGNED},
    {"trap", "trap;\n", TC_RUN_FAULT, TC_FINDING_TRAP},
    {"half the warps at a barrier for all",
     "setp.lt.u32 %p1, %r1, 64;\n@!%p1 bra END;\nbar.sync 0, 128;\nEND:\n" OUT,
     TC_RUN_DEADLOCK, TC_FINDING_BARRIER_DIVERGENCE},
    {"a loop that never ends", "L:\nbra L;\n", TC_RUN_DEADLOCK,
     TC_FINDING_DEADLOCK},
};

static void faults_and_deadlocks_are_named(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        for (int timing = 0; timing < 2; timing++) {
            sim_case c = {.hazards = true,
                          .timing = timing != 0,
                          .completion = TC_COMPLETE_LATE};
            char *text = whole_text(stops[i].body, NULL);
            run_text(&c, text);
            if (c.r.status != stops[i].status || c.r.nfindings < 1) {
                fail_msg("%s: status %d, %d findings", stops[i].name,
                         (int)c.r.status, c.r.nfindings);
            }
            assert_int_equal(c.r.findings[0].kind, stops[i].kind);
            end_case(&c);
            free(text);
        }
    }
}

/* --- the trace -------------------------------------------------------------*/

static size_t count(const tc_trace *t, tc_trace_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        n += t->events[i].kind == kind;
    }
    return n;
}

/* Four warps: each issues, commits, waits, meets, loads, stores and ends. */
static void trace_tells_what_happened(void **state) {
    (void)state;
    sim_case c = {.timing = true, .trace = true};
    char *text = whole_text("cp.async.ca.shared.global [%r4], [%rd4], 4;\n"
                            "cp.async.commit_group;\ncp.async.wait_group 0;\n"
                            "bar.sync 0;\nld.shared.u32 %r10, [%r4];\n" OUT,
                            NULL);
    run_text(&c, text);
    assert_non_null(c.t);
    static const tc_trace_kind kinds[] = {
        TC_TRACE_ISSUE, TC_TRACE_COMMIT,  TC_TRACE_COMPLETE, TC_TRACE_WAIT,
        TC_TRACE_LOAD,  TC_TRACE_BARRIER, TC_TRACE_STORE,    TC_TRACE_EXIT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(count(c.t, kinds[i]), 4);
    }
    for (size_t i = 0; i < c.t->n; i++) {
        const tc_trace_event *e = &c.t->events[i];
        assert_true(e->end >= e->cycle);
        if (e->kind == TC_TRACE_COMPLETE) {
            assert_int_equal(c.t->events[e->cause].kind, TC_TRACE_ISSUE);
            assert_int_equal(e->bytes, 32 * 4);
            assert_int_equal(e->group, 0);
        }
    }
    end_case(&c);
    free(text);
}

/* The last warp of 48 threads has 16 lanes; nobody else may write. */
static void a_partial_warp_is_partial(void **state) {
    (void)state;
    static const op_case own = {"own number", "mov.u32 %r10, %r1;\n" OUT, self};
    sim_case c = {.block = 48, .hazards = true};
    char *text = whole_text(own.body, NULL);
    run_text(&c, text);
    assert_int_equal(c.r.status, TC_RUN_OK);
    check_words(&c, &own, 48);
    end_case(&c);
    free(text);
}

/* Lanes that wait for their copies apart, one half while the other does: each
 * commits its own, and the trace has when each began to wait. */
static void halves_wait_apart(void **state) {
    (void)state;
    char *text = whole_text(
        "setp.lt.u32 %p1, %r7, 16;\n"
        "@%p1 bra F;\n"
        "mov.u32 %r9, 0;\n"
        "L:\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 20;\n@%p2 bra L;\n"
        "cp.async.ca.shared.global [%r4], [%rd4], 4;\ncp.async.wait_all;\n"
        "bra E;\n"
        "F:\ncp.async.ca.shared.global [%r4], [%rd4], 4;\n"
        "cp.async.wait_all;\n"
        "E:\nld.shared.u32 %r10, [%r4];\n" OUT,
        NULL);
    sim_case c = {.block = 32, .timing = true, .hazards = true, .trace = true};
    run_text(&c, text);
    uint8_t a[BYTES];
    fill(a, 1);
    assert_int_equal(c.r.status, TC_RUN_OK);
    assert_memory_equal(c.b, a, 32 * sizeof(uint32_t));
    int waits = 0;
    for (size_t i = 0; i < c.t->n; i++) {
        const tc_trace_event *e = &c.t->events[i];
        if (e->kind == TC_TRACE_WAIT) {
            waits++;
            assert_int_equal(__builtin_popcount(e->lanes), 16);
            assert_true(e->end > e->cycle + 100);
        }
    }
    assert_int_equal(waits, 2);
    end_case(&c);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_op_does_what_the_isa_says),
        cmocka_unit_test(faults_and_deadlocks_are_named),
        cmocka_unit_test(trace_tells_what_happened),
        cmocka_unit_test(a_partial_warp_is_partial),
        cmocka_unit_test(halves_wait_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
