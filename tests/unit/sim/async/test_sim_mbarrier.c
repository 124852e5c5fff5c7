/* test_sim_mbarrier.c - mbarriers (PTX ISA 9.7.13.15): the object, arrivals,
 * transactions, waits, pipelines. What must come out follows from the ISA by
 * hand. */
#include "detail_text.h"
#include "mbar_run.h"

static mbar_case c; /* zero between tests */

/* ---- one thread, one barrier: %r10 collects results, one bit a question ----
 */

#define INIT(n) "mbarrier.init.shared::cta.b64 [%r4], " #n ";\n"
#define ASK(q)                                                                 \
    "shl.b32 %r10, %r10, 1;\n" q "selp.u32 %r9, 1, 0, %p2;\n"                  \
    "or.b32 %r10, %r10, %r9;\n"
#define PARITY(n)                                                              \
    ASK("mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r4], " #n ";\n")
#define STATE(s)  ASK("mbarrier.test_wait.shared::cta.b64 %p2, [%r4], " s ";\n")
#define ARRIVE(s) "mbarrier.arrive.shared::cta.b64 " s ", [%r4];\n"

typedef struct one_case {
    const char *name, *body;
    uint32_t want;
} one_case;

static const one_case ones[] = {
    {"a new barrier: parity 1 has passed, 0 has not",
     INIT(1) PARITY(1) PARITY(0), 2},
    {"each phase turns the parity",
     INIT(1) ARRIVE("%rd3") PARITY(0) PARITY(1) ARRIVE("_") PARITY(0) PARITY(1)
         ARRIVE("_") PARITY(0) PARITY(1),
     /* after phase 0: 1 0; after 1: 0 1; after 2: 1 0 */
     0x26},
    {"an arrival of two completes nothing",
     INIT(2) ARRIVE("%rd3") STATE("%rd3") ARRIVE("%rd4") STATE("%rd3")
         STATE("%rd4"),
     3},
    {"an arrival that counts three",
     INIT(3) "mbarrier.arrive.shared::cta.b64 %rd3, [%r4], 3;\n" STATE("%rd3"),
     1},
    {"a count in a register, generic address",
     "mov.u32 %r8, 2;\ncvt.u64.u32 %rd5, %r4;\ncvta.shared.u64 %rd6, %rd5;\n"
     "mbarrier.init.b64 [%rd6], %r8;\n"
     "mbarrier.arrive.release.cta.b64 %rd3, [%rd6], %r8;\n" ASK(
         "mbarrier.test_wait.acquire.cta.b64 %p2, [%rd6], %rd3;\n"),
     1},
    {"pending counts of noComplete",
     INIT(5) "mbarrier.arrive.noComplete.shared::cta.b64 %rd3, [%r4], 2;\n"
             "mbarrier.arrive.noComplete.shared::cta.b64 %rd4, [%r4], 1;\n"
             "mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd5, [%r4], 1;\n"
             "mbarrier.pending_count.b64 %r11, %rd3;\n"
             "mbarrier.pending_count.b64 %r12, %rd4;\n"
             "mbarrier.pending_count.b64 %r13, %rd5;\n"
             "mad.lo.u32 %r10, %r11, 10, %r12;\nmad.lo.u32 %r10, %r10, 10, "
             "%r13;\n",
     532},
    {"bytes announced, then copied",
     INIT(1) "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r4], "
             "16;\n" ARRIVE("%rd3")
                 STATE("%rd3") "mbarrier.complete_tx.shared::cta.b64 [%r4], "
                               "12;\n" STATE(
                                   "%rd3") "mbarrier.complete_tx.shared::cta."
                                           "b64 [%r4], 4;\n" STATE("%rd3"),
     1},
    {"bytes copied before they are announced",
     INIT(1) "mbarrier.complete_tx.shared::cta.b64 [%r4], 64;\n" PARITY(
         0) "mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r4], "
            "64;\n" STATE("%rd3"),
     1},
    {"the largest announcement",
     INIT(1) "mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r4], 1048575;"
             "\n" STATE("%rd3") "mbarrier.complete_tx.shared::cta.b64 [%r4], "
                                "1048575;\n" STATE("%rd3"),
     1},
    {"drop: the next phase expects one less",
     INIT(2) "mbarrier.arrive_drop.shared::cta.b64 %rd3, [%r4];\n" ARRIVE(
         "%rd4") STATE("%rd4") ARRIVE("%rd5") STATE("%rd5"),
     3},
    {"drop with an announcement",
     INIT(2) "mbarrier.arrive_drop.expect_tx.shared::cta.b64 %rd3, [%r4], "
             "8;\n" ARRIVE("%rd4") STATE(
                 "%rd4") "mbarrier.complete_tx.shared::cta.b64 [%r4], "
                         "8;\n" STATE("%rd4") ARRIVE("%rd5") STATE("%rd5"),
     3},
    {"a state of the phase before has passed, one of this has not",
     INIT(1) ARRIVE("%rd3")
         STATE("%rd3") "mbarrier.inval.shared::cta.b64 [%r4];\n" INIT(2)
             ARRIVE("%rd4") STATE("%rd4"),
     2},
    {"a try_wait in vain returns",
     INIT(1) ASK("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0, "
                 "100;\n")
         ASK("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n")
             ASK("mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p2, "
                 "[%r4], 1;\n"),
     1},
    {"an mbarrier is 8 bytes",
     "st.shared.u64 [%r4+8], -1;\n" INIT(1) ARRIVE("_")
         ARRIVE("_") "ld.shared.u32 %r11, [%r4+8];\n"
                     "ld.shared.u32 %r12, [%r4+12];\n"
                     "and.b32 %r10, %r11, %r12;\n",
     UINT32_MAX},
};

static void one_thread(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        c.block = 1;
        mbar_check_text(&c, ones[i].body);
        mbar_run(&c, ones[i].body);
        if (c.b[0] != ones[i].want || c.r.nfindings) {
            mbar_print(&c, ones[i].name);
        }
        assert_int_equal(c.r.status, TC_RUN_OK);
        assert_int_equal(c.b[0], ones[i].want);
        mbar_end(&c);
    }
}

/* ---- many threads ---- */

/* Waits for phase r20 & 1 of the barrier at reg; label must be new. */
#define WAIT(reg, parity, label)                                               \
    label ":\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [" reg             \
          "], " parity ";\n@!%p3 bra " label ";\n"

/* Warp 0 writes sm, the others wait for its 32 arrivals. */
static const char handover[] =
    "@%p1 mbarrier.init.shared::cta.b64 [%r4], 32;\nbar.sync 0;\n"
    "setp.lt.u32 %p2, %r1, 32;\nand.b32 %r7, %r1, 31;\nshl.b32 %r8, %r7, 2;\n"
    "add.u32 %r8, %r8, %r3;\n@!%p2 bra READ;\n"
    "add.u32 %r9, %r1, 1000;\nst.shared.u32 [%r8], %r9;\n"
    "mbarrier.arrive.shared::cta.b64 _, [%r4];\nREAD:\n" WAIT(
        "%r4", "0", "SPIN") "ld.shared.u32 %r10, [%r8];\n";

/* The waiters come first in the program: lanes 0-30 of one warp spin, with
 * test_wait, until lane 31 has arrived. */
static const char one_warp[] =
    "@%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\nbar.warp.sync -1;\n"
    "setp.eq.u32 %p2, %r1, 31;\n@%p2 bra LAST;\nSPIN:\n"
    "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r4], 0;\n"
    "@!%p3 bra SPIN;\nld.shared.u32 %r10, [%r3];\nbra DONE;\nLAST:\n"
    "st.shared.u32 [%r3], 77;\nmbarrier.arrive.shared::cta.b64 _, [%r4];\n"
    "mov.u32 %r10, 77;\nDONE:\n";

/* Under every policy, with and without the checker, which has nothing to say.
 * Afterwards the case is there to look at. */
static void run_clean(const char *name, const char *body, uint32_t block,
                      int how) {
    int policy = how / 2;
    c = (mbar_case){.block = block,
                    .hazards = how % 2 != 0,
                    .completion = mbar_policies[policy].completion,
                    .seed = mbar_policies[policy].seed,
                    .timing = mbar_policies[policy].timing};
    mbar_run(&c, body);
    if (c.r.nfindings || c.r.status != TC_RUN_OK) {
        fprintf(stderr, "%s, ", name);
        mbar_print(&c, mbar_policies[policy].name);
    }
    assert_int_equal(c.r.status, TC_RUN_OK);
    assert_int_equal(c.r.nfindings, 0);
}

static void waiters(void **state) {
    (void)state;
    mbar_check_text(&c, handover);
    mbar_check_text(&c, one_warp);
    for (int i = 0; i < 2 * MBAR_POLICIES; i++) {
        run_clean("handover", handover, 128, i);
        for (uint32_t t = 0; t < 128; t++) {
            assert_int_equal(c.b[t], 1000 + t % 32);
        }
        mbar_end(&c);
        run_clean("one warp", one_warp, 32, i);
        for (uint32_t t = 0; t < 32; t++) {
            assert_int_equal(c.b[t], 77);
        }
        mbar_end(&c);
    }
}

/* A pipeline of 4 stages over 64 tiles of 128 bytes: warp 0 copies with
 * cp.async, whose completion arrives on full[s]; warp 1 sums what it reads and
 * arrives on empty[s]. Thread t of warp 1 gets the sum of word t of all tiles.
 * ARR: how the producer's lanes arrive, and what full expects. */
#define PIPELINE(full, arrive)                                                 \
    "@!%p1 bra READY;\nmov.u32 %r20, 0;\nMAKE:\nshl.b32 %r21, %r20, 3;\n"      \
    "add.u32 %r21, %r21, %r4;\n"                                               \
    "mbarrier.init.shared::cta.b64 [%r21], " full ";\n"                        \
    "mbarrier.init.shared::cta.b64 [%r21+32], 32;\n"                           \
    "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p2, %r20, 4;\n@%p2 bra MAKE;\n"      \
    "READY:\nbar.sync 0;\nand.b32 %r7, %r1, 31;\nmov.u32 %r20, 0;\n"           \
    "setp.ge.u32 %p4, %r1, 32;\nLOOP:\nand.b32 %r21, %r20, 3;\n"               \
    "shl.b32 %r22, %r21, 3;\nadd.u32 %r22, %r22, %r4;\n"                       \
    "shl.b32 %r23, %r21, 7;\nadd.u32 %r23, %r23, %r3;\n"                       \
    "shl.b32 %r24, %r7, 2;\nadd.u32 %r23, %r23, %r24;\n"                       \
    "shr.u32 %r25, %r20, 2;\nand.b32 %r25, %r25, 1;\n"                         \
    "@%p4 bra CONSUME;\nxor.b32 %r26, %r25, 1;\nadd.u32 %r27, %r22, "          \
    "32;\n" WAIT(                                                              \
        "%r27", "%r26",                                                        \
        "EMPTY") "shl.b32 %r28, %r20, 5;\nadd.u32 %r28, %r28, %r7;\n"          \
                 "mul.wide.u32 %rd5, %r28, 4;\nadd.u64 %rd6, %rd1, %rd5;\n"    \
                 "cp.async.ca.shared.global [%r23], [%rd6], 4;\n" arrive       \
                 "bra NEXT;\nCONSUME:\n" WAIT(                                 \
                     "%r22", "%r25",                                           \
                     "FULL") "ld.shared.u32 %r29, [%r23];\nadd.u32 %r10, "     \
                             "%r10, %r29;\n"                                   \
                             "mbarrier.arrive.shared::cta.b64 _, "             \
                             "[%r22+32];\nNEXT:\n"                             \
                             "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p2, %r20, " \
                             "64;\n@%p2 bra LOOP;\n"

static const char *const pipelines[] = {
    PIPELINE("32", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r22];\n"),
    PIPELINE("32", "cp.async.mbarrier.arrive.shared::cta.b64 [%r22];\n"
                   "mbarrier.arrive.shared::cta.b64 _, [%r22];\n"),
};

static uint32_t tile_sum(uint32_t t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 64; i++) {
        sum += (i * 32 + t) * 2654435761u;
    }
    return sum;
}

static void pipeline(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mbar_check_text(&c, pipelines[k]);
        for (int i = 0; i < 2 * MBAR_POLICIES; i++) {
            run_clean("pipeline", pipelines[k], 64, i);
            for (uint32_t t = 32; t < 64; t++) {
                assert_int_equal(c.b[t], tile_sum(t - 32));
            }
            mbar_end(&c);
        }
    }
}

/* ---- mistakes ---- */

typedef struct wrong_case {
    const char *name, *body;
    uint32_t block;
    tc_finding_kind kind;
    tc_run_status status;
    const char *substring; /* of the detail */
} wrong_case;

static const wrong_case wrongs[] = {
    {"no init", ARRIVE("_"), 1, TC_FINDING_MBARRIER_REINIT, TC_RUN_FINDINGS,
     "no mbarrier.init"},
    {"init twice", INIT(1) INIT(1), 1, TC_FINDING_MBARRIER_REINIT,
     TC_RUN_FINDINGS, "live"},
    {"all lanes init", INIT(1), 32, TC_FINDING_MBARRIER_REINIT, TC_RUN_FINDINGS,
     "live"},
    {"use after inval",
     INIT(1) "mbarrier.inval.shared::cta.b64 [%r4];\n" ARRIVE("_"), 1,
     TC_FINDING_MBARRIER_REINIT, TC_RUN_FINDINGS, "invalidated"},
    {"overwritten", INIT(1) "st.shared.u32 [%r4], 5;\n" ARRIVE("_"), 1,
     TC_FINDING_MBARRIER_REINIT, TC_RUN_FINDINGS, "overwritten"},
    {"count 0", "mov.u32 %r8, 0;\nmbarrier.init.shared::cta.b64 [%r4], %r8;\n",
     1, TC_FINDING_MBARRIER_COUNT, TC_RUN_FINDINGS, "1 to 1048575"},
    {"more arrivals than pending",
     INIT(2) "mbarrier.arrive.shared::cta.b64 _, [%r4], 3;\n", 1,
     TC_FINDING_MBARRIER_COUNT, TC_RUN_FINDINGS, "more arrivals"},
    {"noComplete that completes",
     INIT(2) "mbarrier.arrive.noComplete.shared::cta.b64 _, [%r4], 2;\n", 1,
     TC_FINDING_MBARRIER_COUNT, TC_RUN_FINDINGS, "noComplete"},
    {"too many bytes",
     INIT(1) "mbarrier.expect_tx.shared::cta.b64 [%r4], 1048575;\n"
             "mbarrier.expect_tx.shared::cta.b64 [%r4], 1;\n",
     1, TC_FINDING_MBARRIER_COUNT, TC_RUN_FINDINGS, "tx-count"},
    {"an arrival is missing",
     "@%p1 mbarrier.init.shared::cta.b64 [%r4], 33;\nbar.warp.sync "
     "-1;\n" ARRIVE("_") WAIT("%r4", "0", "SPIN"),
     32, TC_FINDING_MBARRIER_DEADLOCK, TC_RUN_DEADLOCK,
     "CTA 0, warp 0, all lanes: mbarrier bar (PTX line 25), phase 0, where 1 "
     "of 33 arrivals are missing"},
    {"the same, asked again and again",
     "@%p1 mbarrier.init.shared::cta.b64 [%r4], 2;\nbar.warp.sync -1;\nSPIN:\n"
     "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r4], 0;\n"
     "@!%p3 bra SPIN;\n",
     32, TC_FINDING_MBARRIER_DEADLOCK, TC_RUN_DEADLOCK,
     "where 2 of 2 arrivals are missing"},
    {"bytes are missing",
     INIT(1) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 64;\n"
             "mbarrier.complete_tx.shared::cta.b64 [%r4], 48;\n" WAIT(
                 "%r4", "0", "SPIN"),
     1, TC_FINDING_TX_COUNT, TC_RUN_DEADLOCK,
     "16 bytes that were announced (64 announced, 48 copied)"},
    {"bytes that nobody announced",
     INIT(1) "mbarrier.complete_tx.shared::cta.b64 [%r4], 48;\n" ARRIVE("_")
         WAIT("%r4", "0", "SPIN"),
     1, TC_FINDING_TX_COUNT, TC_RUN_DEADLOCK, "the announcement of 48 bytes"},
    {"a phase that nobody begins",
     "@%p1 mbarrier.init.shared::cta.b64 [%r4], 32;\nbar.warp.sync "
     "-1;\n" ARRIVE("_") WAIT("%r4", "0", "W1") ARRIVE("_")
         WAIT("%r4", "1", "W2") WAIT("%r4", "0", "W3"),
     32, TC_FINDING_MBARRIER_PHASE, TC_RUN_DEADLOCK,
     "parity 0 now names phase 2, in which nobody has arrived"},
    {"a state of long ago",
     INIT(1) ARRIVE("%rd3") ARRIVE(
         "_") "mbarrier.inval.shared::cta.b64 [%r4];"
              "\n" INIT(1) ARRIVE("_")
                  ARRIVE("%rd4") "mbarrier.inval.shared::cta.b64 [%r4];\n" INIT(
                      1) "SPIN:\nmbarrier.try_wait.shared::cta.b64 %p3, [%r4], "
                         "%rd4;\n"
                         "@!%p3 bra SPIN;\n",
     1, TC_FINDING_MBARRIER_PHASE, TC_RUN_DEADLOCK, "not the current one"},
    {"producer and consumer wait for each other",
     "@%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\n"
     "@%p1 mbarrier.init.shared::cta.b64 [%r4+8], 1;\nbar.warp.sync -1;\n"
     "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra PRODUCE;\nadd.u32 %r11, %r4, "
     "8;\n" WAIT("%r11", "0",
                 "FULL") "mbarrier.arrive.shared::cta.b64 _, [%r4];\n"
                         "bra END;\nPRODUCE:\nadd.u32 %r11, %r4, 0;\n" WAIT(
                             "%r11", "0",
                             "EMPTY") "st.shared.u32 [%r3], 1;\n"
                                      "mbarrier.arrive.shared::cta.b64 _, "
                                      "[%r4+8];\nEND:\n",
     2, TC_FINDING_MBARRIER_PHASE, TC_RUN_DEADLOCK,
     "parity 1, which passes at once"},
    {"who does not come is named",
     "@%p1 mbarrier.init.shared::cta.b64 [%r4], 32;\nbar.warp.sync "
     "-1;\n" ARRIVE("_")
         WAIT("%r4", "0",
              "W1") "setp.gt.u32 %p2, %r1, 29;\n@%p2 bra END;\n" ARRIVE("_")
             WAIT("%r4", "1", "W2") "END:\n",
     32, TC_FINDING_MBARRIER_DEADLOCK, TC_RUN_DEADLOCK,
     "where 2 of 32 arrivals are missing; not yet here, as in the phase "
     "before: "
     "CTA 0, warp 0, lanes 30-31"},
    {"a loop that looks at the clock",
     INIT(1) "SPIN:\n"
             "mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r4], 0;\n"
             "mov.u64 %rd7, %globaltimer;\nadd.u64 %rd8, %rd8, %rd7;\n"
             "nanosleep.u32 32;\n@!%p3 bra SPIN;\n",
     1, TC_FINDING_MBARRIER_DEADLOCK, TC_RUN_DEADLOCK,
     "1 of 1 arrivals are missing"},
    {"not where mbarriers are", "mbarrier.init.b64 [%rd1], 1;\n", 1,
     TC_FINDING_OUT_OF_BOUNDS, TC_RUN_FAULT, "shared memory"},
    {"misaligned", "mbarrier.init.shared::cta.b64 [%r4+4], 1;\n", 1,
     TC_FINDING_MISALIGNED, TC_RUN_FAULT, NULL},
};

static void mistakes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const wrong_case *w = &wrongs[i];
        c.block = w->block;
        mbar_check_text(&c, w->body);
        mbar_run(&c, w->body);
        const tc_finding *f = c.r.findings;
        bool ok = c.r.nfindings == 1 && f->kind == w->kind &&
                  c.r.status == w->status &&
                  (!w->substring || (strstr(detail_text(f), w->substring)));
        if (!ok) {
            mbar_print(&c, w->name);
        }
        assert_true(ok);
        mbar_end(&c);
    }
}

/* ---- what the parser refuses, as ptxas does ---- */

static const char *const refused[] = {
    "mbarrier.init.shared::cluster.b64 [%r4], 1;",
    "mbarrier.expect_tx.release.cta.shared::cta.b64 [%r4], 8;",
    "mbarrier.arrive.shared::cta.b64 %rd3, [%r4], 0;",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 %rd3, [%r4];",
    "mbarrier.arrive.release.shared::cta.b64 %rd3, [%r4];",
    "mbarrier.arrive.acquire.cta.shared::cta.b64 %rd3, [%r4];",
    "mbarrier.arrive.release.gpu.shared::cta.b64 %rd3, [%r4];",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4];",
    "mbarrier.arrive.noComplete.shared::cta.b64 %rd3, [%r4];",
    "mbarrier.arrive.noComplete.relaxed.cta.shared::cta.b64 %rd3, [%r4], 2;",
    "mbarrier.arrive.noComplete.release.cluster.shared.b64 %rd3, [%r4], 2;",
    "mbarrier.test_wait.shared::cta.b64 %p1, [%r4], %rd3, 100;",
    "mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r4], 2;",
    "mbarrier.test_wait.parity.shared::cluster.b64 %p1, [%r4], 1;",
    "mbarrier.try_wait.parity.acquire.shared::cta.b64 %p1, [%r4], 1;",
    "mbarrier.try_wait.release.cta.shared::cta.b64 %p1, [%r4], %rd3;",
    "cp.async.mbarrier.arrive.shared::cluster.b64 [%r4];",
    "barrier.cluster.arrive.acquire;",
    "barrier.cluster.wait.relaxed;",
    "fence.mbarrier_init.release.cta;",
    "fence.mbarrier_init.acquire.cluster;",
    "mapa.shared.u32 %r8, %r4, %r1;",
    "getctarank.shared::cta.u32 %r8, %r4;",
};

static void refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *text = mbar_text(&c, refused[i]);
        tc_diags d = {.fn = mbar_diag, .user = &c};
        tc_arena *a = tc_arena_new();
        tc_source s = {"test.ptx", text, strlen(text), 1};
        if (tc_ptx_parse(a, &s, &d)) {
            fail_msg("taken: %s", refused[i]);
        }
        tc_arena_free(a);
        free(text);
        memset(&c, 0, sizeof c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread), cmocka_unit_test(waiters),
        cmocka_unit_test(pipeline),   cmocka_unit_test(mistakes),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
