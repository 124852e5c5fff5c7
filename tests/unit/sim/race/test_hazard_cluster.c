/* Clusters: the use of another CTA's shared memory and barriers (INTERFACE.md:
 * cluster-sync, remote-exited, and races between the CTAs of a cluster). */
#include "hazard_run.h"

/* The other CTA's sm in r20, its bar in r21; own rank r22. */
#define PEER                                                                   \
    "mov.u32 %r22, %cluster_ctarank;\nxor.b32 %r23, %r22, 1;\n"                \
    "mapa.shared::cluster.u32 %r20, %r4, %r23;\n"                              \
    "mov.u32 %r24, bar;\nmapa.shared::cluster.u32 %r21, %r24, %r23;\n"
#define SYNC(tag)                                                              \
    "barrier.cluster.arrive.aligned; //" tag "\n"                              \
    "barrier.cluster.wait.aligned; //" tag "\n"
#define OUT "st.global.u32 [%rd5], %r10;\n"

/* Each writes its words into the other CTA. */
static const char push[] =
    PEER SYNC("start") "st.shared::cluster.u32 [%r20], %r1;\n" SYNC(
        "middle") "ld.shared.u32 %r10, [%r4];\n" OUT;
/* Each reads the other CTA's words. */
static const char pull[] = PEER "st.shared.u32 [%r4], %r1;\n" SYNC(
    "middle") "ld.shared::cluster.u32 %r10, [%r20];\n" OUT SYNC("end");
static const char relaxed[] =
    PEER "st.shared.u32 [%r4], %r1;\n"
         "fence.acq_rel.cluster; //fence\n"
         "barrier.cluster.arrive.relaxed.aligned;\n"
         "barrier.cluster.wait.aligned;\n"
         "ld.shared::cluster.u32 %r10, [%r20];\n" OUT SYNC("end");
/* Remote arrivals: the barrier of the other CTA counts this one's threads. */
static const char arrive[] = PEER
    "@%p1 mbarrier.init.shared.b64 [bar], 128;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "barrier.cluster.arrive.relaxed.aligned; //start\n"
    "barrier.cluster.wait.aligned; //start\n"
    "bar.sync 0; //local\n"
    "st.shared::cluster.u32 [%r20], %r1;\n"
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r21];\n"
    "L: //wait\n"
    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; "
    "//wait\n"
    "@!%p2 bra L; //wait\n"
    "ld.shared.u32 %r10, [%r4];\n" OUT;
/* A remote atomic, and who reads the sum. */
static const char count[] = PEER "@%p1 st.shared.u32 [%r3], 0;\n" SYNC(
    "start") "mapa.shared::cluster.u32 %r25, %r3, 0;\n"
             "red.relaxed.cluster.shared::cluster.add.u32 [%r25], 1;\n" SYNC(
                 "middle") "setp.eq.u32 %p3, %r22, 0;\n@%p3 ld.shared.u32 "
                           "%r10, [%r3];\n"
                           "@%p3 st.global.u32 [%rd5], %r10;\n";
/* A bulk copy into the other CTA, which waits for it. */
static const char bulk[] =
    PEER "@%p1 mbarrier.init.shared.b64 [bar], 1;\n"
         "fence.mbarrier_init.release.cluster;\n"
         "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd9, [bar], 512;\n"
         "add.u32 %r26, %r4, 4096;\nst.shared.u32 [%r26], %r1;\n"
         "fence.proxy.async.shared::cta; //fence\n" SYNC(
             "start") "mapa.shared::cluster.u32 %r27, %r3, %r23;\nadd.u32 "
                      "%r28, %r3, 4096;\n"
                      "@%p1 "
                      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                      "complete_tx"
                      "::bytes [%r27], [%r28], 512, [%r21];\n"
                      "L: //wait\n"
                      "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; "
                      "//wait\n"
                      "@!%p2 bra L; //wait\n"
                      "ld.shared.u32 %r10, [%r4];\n" OUT SYNC("end");
/* Too many bytes are announced; all but one warp wait for those that wait. */
static const char too_many[] =
    PEER "@%p1 mbarrier.init.shared.b64 [bar], 1;\n"
         "fence.mbarrier_init.release.cluster;\n" SYNC(
             "start") "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd9, [bar], "
                      "528;\n@%p1 "
                      "cp.async.bulk.shared::cluster.global.mbarrier::complete_"
                      "tx::bytes [sm], [%rd1], 512, [bar];\n"
                      "setp.eq.u32 %p2, %r8, 0;\n@%p2 bra E;\nL:\n"
                      "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;"
                      "\n@!%p2 bra L;\nE:\n" SYNC("end");

static const hazard_case cases[] = {
    {"push", push, NULL, NONE, 0, 0, 0, 2, 128, 2},
    {"push: not known to run", push, "//start", KIND(CLUSTER_SYNC),
     TC_MISSING_CLUSTER_START, TC_PTX_ST, ANY, 2, 128, 2},
    {"push: no barrier after", push, "//middle", KIND(REMOTE_EXITED), ANY,
     TC_PTX_ST, ANY, 2, 128, 2},
    {"pull", pull, NULL, NONE, 0, 0, 0, 2, 128, 2},
    {"pull: ends before it is read", pull, "//end", KIND(REMOTE_EXITED),
     TC_MISSING_CLUSTER_END, TC_PTX_LD, ANY, 2, 128, 2},
    {"pull: not known to run", pull, "//middle", KIND(CLUSTER_SYNC),
     TC_MISSING_CLUSTER_START, TC_PTX_LD, ANY, 2, 128, 2},
    {"relaxed, with a fence", relaxed, NULL, NONE, 0, 0, 0, 2, 128, 2},
    {"relaxed: without", relaxed, "//fence", KIND(DATA_RACE),
     TC_MISSING_CLUSTER_BARRIER, TC_PTX_LD, TC_PTX_ST, 2, 128, 2},
    {"arrive", arrive, NULL, NONE, 0, 0, 0, 2, 128, 2},
    {"arrive: the init's fence and a relaxed arrival", arrive, "//local", NONE,
     0, 0, 0, 2, 128, 2},
    {"arrive: not known to run", arrive, "//start", KIND(CLUSTER_SYNC),
     TC_MISSING_CLUSTER_START, ANY, ANY, 2, 128, 2},
    {"count", count, NULL, NONE, 0, 0, 0, 2, 128, 2},
    {"count: read too early", count, "//middle", SEVERAL, ANY, ANY, ANY, 2, 128,
     2},
    {"bulk", bulk, NULL, NONE, 0, 0, 0, 2, 128, 2},
    {"bulk: no fence", bulk, "//fence", KIND(PROXY_FENCE),
     TC_MISSING_PROXY_FENCE, TC_PTX_CP_ASYNC_BULK, TC_PTX_ST, 2, 128, 2},
    {"too many bytes", too_many, NULL, KIND(TX_COUNT), TC_MISSING_BYTES,
     TC_PTX_MBARRIER_TRY_WAIT, TC_PTX_MBARRIER_ARRIVE, 2, 128, 2},
    {"bulk: no wait", bulk, "//wait", KIND(READ_BEFORE_COMPLETE),
     TC_MISSING_PHASE_WAIT, TC_PTX_LD, TC_PTX_CP_ASYNC_BULK, 2, 128, 2},
};

static void test_cases(void **state) {
    (void)state;
    hazard_run_all(cases, (int)(sizeof cases / sizeof cases[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
