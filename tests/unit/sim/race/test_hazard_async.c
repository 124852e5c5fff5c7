/* Copies of the async proxy, mbarriers and proxies: correct programs, and what
 * each missing line is called (INTERFACE.md's table), in every schedule. */
#include "hazard_run.h"

#define INIT(n, count)                                                         \
    "@%p1 mbarrier.init.shared.b64 [bar+" #n "], " #count ";\n"
#define READY  "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
#define EXPECT "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd9, [bar], 512;\n"
#define LOAD                                                                   \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "  \
    "[sm], [%rd1], 512, [bar];\n"
#define WAIT(label, bar, parity)                                               \
    label ": //wait\n"                                                         \
          "mbarrier.try_wait.parity.shared.b64 %p2, [" bar "], " parity        \
          "; //wait\n@!%p2 bra " label "; //wait\n"
#define OWN  "ld.shared.u32 %r10, [%r4];\nst.global.u32 [%rd5], %r10;\n"
#define NEXT "ld.shared.u32 %r10, [%r6];\nst.global.u32 [%rd5], %r10;\n"

static const char load[] =
    INIT(0, 1) READY EXPECT LOAD WAIT("L", "bar", "0") NEXT;
/* Only thread 0 waits; a barrier tells the others. */
static const char one_waits[] = INIT(0, 1) READY EXPECT LOAD
    "@!%p1 bra D;\n" WAIT("L", "bar", "0") "D:\nbar.sync 0; //barrier\n" NEXT;
/* Loads, then stores into it: a store before the wait. */
static const char over_load[] = INIT(0, 1)
    READY EXPECT LOAD WAIT("L", "bar", "0") "st.shared.u32 [%r4], %r1;\n" OWN;
static const char unfenced_barrier[] = /* the issuer's own, at once */
    INIT(0, 1) "fence.mbarrier_init.release.cluster; //fence\n" EXPECT LOAD
               "bar.sync 0;\n" WAIT("L", "bar", "0") OWN;
static const char fenced_otherwise[] = INIT(
    0, 1) "fence.proxy.async.shared::cta; //fence\nbar.sync 0;\n" EXPECT LOAD
    WAIT("L", "bar", "0") OWN;
static const char late_init[] = "mov.u32 %r20, 0;\n" INIT(
    0,
    1) "fence.mbarrier_init.release.cluster;\nbar.sync 0; //ready\n" EXPECT LOAD
       "bar.sync 0; //ready\n" WAIT("L", "bar", "0") OWN;

/* All write the tile, thread 0 stores it, then all write it again. */
static const char store[] =
    "st.shared.u32 [%r4], %r1;\n"
    "fence.proxy.async.shared::cta; //fence\n"
    "bar.sync 0; //before\n"
    "@!%p1 bra E;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm], 512;\n"
    "cp.async.bulk.commit_group; //commit\n"
    "cp.async.bulk.wait_group.read 0; //wait\n"
    "E:\n"
    "bar.sync 0; //after\n"
    "st.shared.u32 [%r4], %r2;\n";
/* The fence by the thread that issues does as well. */
static const char store_fence_late[] =
    "st.shared.u32 [%r4], %r1;\nbar.sync 0;\n@!%p1 bra E;\n"
    "fence.proxy.async.shared::cta; //fence\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm], 512;\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nE:\n";
/* What a bulk store wrote is read again: that wants the whole wait. */
static const char store_load[] =
    "st.shared.u32 [%r4], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    "@!%p1 bra E;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm], 512;\n"
    "cp.async.bulk.commit_group;\n"
    "cp.async.bulk.wait_group 0; //whole\n"
    "cp.async.bulk.wait_group.read 0; //read\n"
    "ld.global.u32 %r10, [%rd2];\nst.global.u32 [%rd1], %r10;\nE:\n";
/* Two groups; the first one's source is written after a wait that leaves one */
static const char store_two[] =
    "st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4+512], %r1;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n@!%p1 bra E;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm], 512;\n"
    "cp.async.bulk.commit_group;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2+512], [sm+512], 512;\n"
    "cp.async.bulk.commit_group;\n"
    "cp.async.bulk.wait_group.read 1; //one\n"
    "cp.async.bulk.wait_group.read 2; //two\n"
    "st.shared.u32 [sm], 7;\n"
    "cp.async.bulk.wait_group.read 0;\nE:\n";

/* Two slots, six tiles of 384 bytes; warp 0 copies, warps 1 to 3 read. */
#define SLOT                                                                   \
    "and.b32 %r12, %r11, 1;\nshr.u32 %r13, %r11, 1;\nand.b32 %r13, %r13, 1;\n" \
    "shl.b32 %r14, %r12, 3;\nmov.u32 %r15, bar;\nadd.u32 %r15, %r15, %r14;\n"  \
    "mul.lo.u32 %r16, %r12, 384;\nadd.u32 %r16, %r16, %r3;\n"
#define LOOP_END "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p3, %r11, 6;\n"
static const char pipeline[] = INIT(0, 1) INIT(8, 1) INIT(32, 96) INIT(40, 96)
    READY "mov.u32 %r11, 0;\nmov.u32 %r20, 0;\nsetp.ne.u32 %p4, %r8, 0;\n"
          "@%p4 bra READ;\n@!%p1 bra E;\n"
          "COPY:\n" SLOT "xor.b32 %r17, %r13, 1;\n"
          "EMPTY: //empty\n"
          "mbarrier.try_wait.parity.shared.b64 %p2, [%r15+32], %r17; //empty\n"
          "@!%p2 bra EMPTY; //empty\n"
          "mbarrier.arrive.expect_tx.shared.b64 %rd9, [%r15], 384;\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%r16], [%rd1], 384, [%r15];\n"
          "add.u64 %rd1, %rd1, 384;\n" LOOP_END "@%p3 bra COPY;\nbra E;\n"
          "READ:\n" SLOT "FULL: //full\n"
          "mbarrier.try_wait.parity.shared.b64 %p2, [%r15], %r13; //full\n"
          "@!%p2 bra FULL; //full\n"
          "sub.u32 %r18, %r2, 128;\nadd.u32 %r18, %r18, %r16;\n"
          "ld.shared.u32 %r10, [%r18];\nadd.u32 %r20, %r20, %r10;\n"
          "mbarrier.arrive.shared.b64 %rd9, [%r15+32];\n" LOOP_END
          "@%p3 bra READ;\nst.global.u32 [%rd5], %r20;\nE:\n";

/* cp.async that completes on an mbarrier; the readers are another warp. */
static const char copies[] = INIT(0, 64) READY
    "setp.ge.u32 %p4, %r1, 64;\n@%p4 bra READ;\n"
    "cp.async.ca.shared.global [%r4], [%rd4], 4;\n"
    "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nbra E;\n"
    "READ:\n" WAIT(
        "L", "bar",
        "0") "add.u32 %r11, %r4, -256;\nld.shared.u32 %r10, [%r11];\n"
             "st.global.u32 [%rd5], %r10;\nE:\n";
/* The phase is over with one arrival fewer than there are, so that one copy's
 * belongs to the next. */
static const char one_too_few[] = INIT(0, 63) READY
    "setp.ge.u32 %p4, %r1, 64;\n@%p4 bra READ;\n"
    "cp.async.ca.shared.global [%r4], [%rd4], 4;\n"
    "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nbra E;\n"
    "READ:\n" WAIT(
        "L", "bar",
        "0") "add.u32 %r11, %r4, -256;\nld.shared.u32 %r10, [%r11];\n"
             "st.global.u32 [%rd5], %r10;\nE:\n";
/* A plain hand-over by an mbarrier, and transitively by a second one. */
static const char hand_over[] = INIT(0, 64) READY
    "setp.ge.u32 %p4, %r1, 64;\n@%p4 bra READ;\n"
    "st.shared.u32 [%r4], %r1;\nmbarrier.arrive.shared.b64 %rd9, [bar];\n"
    "bra E;\nREAD:\n" WAIT(
        "L", "bar",
        "0") "add.u32 %r11, %r4, -256;\nld.shared.u32 %r10, [%r11];\n"
             "st.global.u32 [%rd5], %r10;\nE:\n";
static const char transitive[] = INIT(0, 32) INIT(8, 32) READY
    "setp.eq.u32 %p4, %r8, 1;\n@%p4 bra SECOND;\n"
    "setp.ge.u32 %p5, %r8, 2;\n@%p5 bra THIRD;\n"
    "st.shared.u32 [%r4], %r1;\nmbarrier.arrive.shared.b64 %rd9, [bar];\n"
    "bra E;\nSECOND:\n" WAIT(
        "L", "bar",
        "0") "mbarrier.arrive.shared.b64 %rd9, [bar+8];\nbra E;\n"
             "THIRD:\n"
             "M:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar+8], 0;\n@!%p2 "
             "bra M;\n"
             "shl.b32 %r11, %r7, 2;\nadd.u32 %r11, %r11, %r3;\n"
             "ld.shared.u32 %r10, [%r11];\nst.global.u32 [%rd5], %r10;\nE:\n";

static const hazard_case cases[] = {
    {"load", load, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"load: no wait", load, "//wait", KIND(READ_BEFORE_COMPLETE),
     TC_MISSING_PHASE_WAIT, TC_PTX_LD, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"one waits", one_waits, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"one waits: no barrier", one_waits, "//barrier", KIND(READ_BEFORE_BARRIER),
     TC_MISSING_BARRIER, TC_PTX_LD, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"one waits: nobody waits", one_waits, "//wait", KIND(READ_BEFORE_COMPLETE),
     TC_MISSING_PHASE_WAIT, TC_PTX_LD, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"over load", over_load, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"over load: no wait", over_load, "//wait", KIND(OVERWRITE_IN_FLIGHT),
     TC_MISSING_PHASE_WAIT, TC_PTX_ST, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"barrier fenced", unfenced_barrier, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"barrier not fenced", unfenced_barrier, "//fence", KIND(PROXY_FENCE),
     TC_MISSING_PROXY_FENCE, TC_PTX_CP_ASYNC_BULK, TC_PTX_MBARRIER_INIT, 1, 128,
     0},
    {"barrier fenced otherwise", fenced_otherwise, NULL, NONE, 0, 0, 0, 1, 128,
     0},
    {"late init", late_init, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"store", store, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"store: no fence", store, "//fence", KIND(PROXY_FENCE),
     TC_MISSING_PROXY_FENCE, TC_PTX_CP_ASYNC_BULK, TC_PTX_ST, 1, 128, 0},
    {"store: no barrier before", store, "//before", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"store: no wait", store, "//wait", KIND(OVERWRITE_IN_FLIGHT),
     TC_MISSING_BULK_WAIT_READ, TC_PTX_ST, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"store: no commit", store, "//commit", KIND(UNCOMMITTED_GROUP),
     TC_MISSING_BULK_COMMIT, TC_PTX_ST, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"store: no barrier after", store, "//after", KIND(OVERWRITE_IN_FLIGHT),
     ANY, TC_PTX_ST, TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"store, fence late", store_fence_late, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"store, fence late: none", store_fence_late, "//fence", KIND(PROXY_FENCE),
     TC_MISSING_PROXY_FENCE, TC_PTX_CP_ASYNC_BULK, TC_PTX_ST, 1, 128, 0},
    {"store and load", store_load, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"store and load: .read is not enough", store_load, "//whole",
     KIND(READ_BEFORE_COMPLETE), TC_MISSING_BULK_WAIT, TC_PTX_LD,
     TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"store two", store_two, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"store two: leaves one too many", store_two, "//one",
     KIND(OVERWRITE_IN_FLIGHT), TC_MISSING_BULK_LESS, TC_PTX_ST,
     TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"pipeline", pipeline, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"pipeline: no wait for empty", pipeline, "//empty",
     KIND(OVERWRITE_BEFORE_READ), TC_MISSING_EMPTY_WAIT, TC_PTX_CP_ASYNC_BULK,
     ANY, 1, 128, 0},
    {"pipeline: no wait for full", pipeline, "//full",
     KIND(READ_BEFORE_COMPLETE), TC_MISSING_PHASE_WAIT, TC_PTX_LD,
     TC_PTX_CP_ASYNC_BULK, 1, 128, 0},
    {"copies", copies, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"copies: no wait", copies, "//wait", KIND(READ_BEFORE_COMPLETE),
     TC_MISSING_PHASE_WAIT, TC_PTX_LD, TC_PTX_CP_ASYNC, 1, 128, 0},
    {"copies: one arrival too few", one_too_few, NULL,
     KIND(READ_BEFORE_COMPLETE), TC_MISSING_PHASE_WAIT, TC_PTX_LD,
     TC_PTX_CP_ASYNC, 1, 128, 0},
    {"hand over", hand_over, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"hand over: no wait", hand_over, "//wait", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"transitive", transitive, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"transitive: the middle does not wait", transitive, "//wait",
     KIND(DATA_RACE), TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
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
