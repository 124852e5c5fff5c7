/* test_sim_cluster.c - clusters (PTX ISA 2.2.2): their shape, addresses of
 * another CTA's shared memory, the cluster's barrier, barriers of other CTAs.
 * What must come out follows from the ISA by hand. */
#include "detail_text.h"
#include "mbar_run.h"

static mbar_case c; /* zero between tests */

#define CLUSTER_SYNC                                                           \
    "barrier.cluster.arrive.release.aligned;\n"                                \
    "barrier.cluster.wait.acquire.aligned;\n"
/* Rank in r11, size in r12, the next CTA's rank in r13, the own word of sm in
 * r14 (offset), rd14 (generic). */
#define RANKS                                                                  \
    "mov.u32 %r11, %cluster_ctarank;\nmov.u32 %r12, %cluster_nctarank;\n"      \
    "add.u32 %r13, %r11, 1;\nrem.u32 %r13, %r13, %r12;\n"                      \
    "shl.b32 %r14, %r1, 2;\nadd.u32 %r14, %r14, %r3;\n"                        \
    "cvt.u64.u32 %rd14, %r14;\ncvta.shared.u64 %rd14, %rd14;\n"

/* Each CTA leaves 100 * rank + thread in the next one's shared memory. */
#define RING_END   CLUSTER_SYNC "ld.shared.u32 %r10, [%r14];\n"
#define RING_VALUE "mad.lo.u32 %r15, %r11, 100, %r1;\n"

static const struct {
    const char *name, *body;
} rings[] = {
    {"mapa.shared::cluster.u32, st.shared::cluster",
     RANKS RING_VALUE CLUSTER_SYNC
     "mapa.shared::cluster.u32 %r16, %r14, %r13;\n"
     "st.shared::cluster.u32 [%r16], %r15;\n" RING_END},
    {"mapa.u64, generic st",
     RANKS RING_VALUE CLUSTER_SYNC "mapa.u64 %rd16, %rd14, %r13;\n"
                                   "st.u32 [%rd16], %r15;\n" RING_END},
    {"mapa.shared::cluster.u64 of a variable", RANKS RING_VALUE CLUSTER_SYNC
     "mapa.shared::cluster.u64 %rd16, sm, %r13;\nshl.b32 %r17, %r1, 2;\n"
     "cvt.u64.u32 %rd17, %r17;\nadd.u64 %rd16, %rd16, %rd17;\n"
     "st.shared::cluster.u32 [%rd16], %r15;\n" RING_END},
    {"atom.shared::cluster", RANKS RING_VALUE CLUSTER_SYNC
     "mapa.shared::cluster.u32 %r16, %r14, %r13;\n"
     "st.shared.u32 [%r14], 0;\n" CLUSTER_SYNC
     "atom.shared::cluster.add.u32 %r17, [%r16], %r15;\n" RING_END},
    {"half warps, the own CTA among the addresses",
     RANKS RING_VALUE CLUSTER_SYNC
     "and.b32 %r18, %r1, 1;\nsetp.eq.u32 %p2, %r18, 0;\n"
     "add.u32 %r19, %r11, %r12;\nsub.u32 %r19, %r19, 1;\n"
     "rem.u32 %r19, %r19, %r12;\nmad.lo.u32 %r20, %r19, 100, %r1;\n"
     "selp.u32 %r15, %r15, %r20, %p2;\nselp.u32 %r16, %r13, %r11, %p2;\n"
     "mapa.shared::cluster.u32 %r16, %r14, %r16;\n"
     "st.shared::cluster.u32 [%r16], %r15;\n" RING_END},
    {"reading what the neighbour has",
     RANKS "add.u32 %r19, %r11, %r12;\nsub.u32 %r19, %r19, 1;\n"
           "rem.u32 %r19, %r19, %r12;\n" RING_VALUE
           "st.shared.u32 [%r14], %r15;\n" CLUSTER_SYNC
           "mapa.u64 %rd16, %rd14, %r19;\nld.u32 %r10, [%rd16];\n"
     /* nobody may end while others read */
     CLUSTER_SYNC},
};

static void check_ring(uint32_t ctas, uint32_t size, const char *name) {
    for (uint32_t i = 0; i < ctas * 64; i++) {
        uint32_t rank = i / 64 % size, before = (rank + size - 1) % size;
        if (c.b[i] != before * 100 + i % 64) {
            mbar_print(&c, name);
        }
        assert_int_equal(c.b[i], before * 100 + i % 64);
    }
}

static void ring(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 8};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        mbar_check_text(&c, rings[i].body);
        for (int k = 0; k < 9; k++) {
            uint32_t n = sizes[k / 3];
            c = (mbar_case){.grid = {16, 1, 1},
                            .block = 64,
                            .cluster = {n, 1, 1},
                            .timing = k % 3 == 1,
                            .hazards = k % 3 == 2};
            mbar_run(&c, rings[i].body);
            assert_true(c.ran);
            check_ring(16, n, rings[i].name);
            if (c.r.nfindings) {
                mbar_print(&c, rings[i].name);
            }
            assert_int_equal(c.r.status, TC_RUN_OK);
            mbar_end(&c);
        }
    }
}

/* ---- special registers: PTX ISA 10 ---- */

#define PACK(r) "mad.lo.u32 %r10, %r10, 10, " r ";\n"
static const char shape[] =
    "mov.u32 %r20, %ctaid.y;\nmov.u32 %r21, %ctaid.z;\nmov.u32 %r22, "
    "%nctaid.x;\nmov.u32 %r23, %nctaid.y;\nmad.lo.u32 %r24, %r21, %r23, %r20;\n"
    "mad.lo.u32 %r5, %r24, %r22, %r2;\n"
    "mov.u32 %r11, %clusterid.x;\nmov.u32 %r12, %clusterid.y;\n"
    "mov.u32 %r13, %clusterid.z;\nmov.u32 %r14, %cluster_ctaid.x;\n"
    "mov.u32 %r15, %cluster_ctaid.y;\nmov.u32 %r16, %cluster_ctaid.z;\n"
    "mov.u32 %r17, %cluster_ctarank;\nmov.u32 %r18, %cluster_nctarank;\n"
    "mov.u32 %r19, %nclusterid.y;\n" PACK("%r11") PACK("%r12") PACK("%r13")
        PACK("%r14") PACK("%r15") PACK("%r16") PACK("%r17") PACK("%r18")
            PACK("%r19");

static void special_registers(void **state) {
    (void)state;
    c = (mbar_case){.grid = {4, 6, 2}, .block = 1, .cluster = {2, 3, 1}};
    mbar_check_text(&c, shape);
    mbar_run(&c, shape);
    for (uint32_t i = 0; i < 48; i++) {
        uint32_t x = i % 4, y = i / 4 % 6, z = i / 24;
        uint32_t digits[] = {
            x / 2, y / 3, z, x % 2, y % 3, 0, x % 2 + 2 * (y % 3), 6, 2};
        uint32_t want = 0;
        for (int k = 0; k < 9; k++) {
            want = want * 10 + digits[k];
        }
        assert_int_equal(c.b[i], want);
    }
    mbar_end(&c);
}

/* The rank comes back from an address that mapa made; a plain one is the own
 * CTA's. */
static const char ranks[] =
    RANKS "mapa.shared::cluster.u32 %r16, %r14, %r13;\n"
          "getctarank.shared::cluster.u32 %r17, %r16;\n"
          "mapa.u64 %rd16, %rd14, %r13;\ngetctarank.u64 %r18, %rd16;\n"
          "getctarank.shared::cluster.u32 %r19, sm;\n"
          "mad.lo.u32 %r10, %r17, 10, %r18;\nmad.lo.u32 %r10, %r10, 10, "
          "%r19;\n";

static void getctarank(void **state) {
    (void)state;
    c = (mbar_case){
        .grid = {4, 1, 1}, .block = 1, .directives = " .reqnctapercluster 4"};
    mbar_check_text(&c, ranks);
    mbar_run(&c, ranks);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t next = (i + 1) % 4;
        assert_int_equal(c.b[i], next * 110 + i);
    }
    mbar_end(&c);
}

/* ---- barriers of other CTAs ---- */

/* Every CTA but 0 stores into CTA 0's shared memory and arrives at its barrier;
 * CTA 0 waits and sums. */
static const char gather[] =
    RANKS "sub.u32 %r20, %r12, 1;\nshl.b32 %r21, %r20, 5;\n"
          "@%p1 mbarrier.init.shared::cta.b64 [%r4], %r21;\n"
          "fence.mbarrier_init.release.cluster;\n" CLUSTER_SYNC
          "setp.eq.u32 %p2, %r11, 0;\n@%p2 bra WAIT;\n"
          "shl.b32 %r22, %r11, 7;\nadd.u32 %r23, %r14, %r22;\n"
          "mov.u32 %r24, 0;\nmapa.shared::cluster.u32 %r25, %r23, %r24;\n"
          "mapa.shared::cluster.u32 %r26, %r4, %r24;\n"
          "add.u32 %r27, %r11, %r1;\nst.shared::cluster.u32 [%r25], %r27;\n"
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r26];\n"
          "bra END;\nWAIT:\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, "
          "[%r4], 0;\n@!%p3 bra WAIT;\nmov.u32 %r28, 1;\nSUM:\n"
          "shl.b32 %r22, %r28, 7;\nadd.u32 %r23, %r14, %r22;\n"
          "ld.shared.u32 %r29, [%r23];\nadd.u32 %r10, %r10, %r29;\n"
          "add.u32 %r28, %r28, 1;\nsetp.lt.u32 %p4, %r28, %r12;\n"
          "@%p4 bra SUM;\nEND:\n";

static void remote_arrivals(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        c = (mbar_case){.grid = {8, 1, 1},
                        .cluster = {4, 1, 1},
                        .timing = k == 1,
                        .hazards = k == 2};
        mbar_check_text(&c, gather);
        mbar_run(&c, gather);
        assert_int_equal(c.r.status, TC_RUN_OK);
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t want = i / 32 % 4 == 0 ? 6 + 3 * (i % 32) : 0;
            assert_int_equal(c.b[i], want);
        }
        mbar_end(&c);
    }
}

/* ---- mistakes ---- */

static const struct {
    const char *name, *body;
    tc_finding_kind kind;
    tc_run_status status;
    const char *substring;
} wrongs[] = {
    {"a rank that the cluster has not",
     RANKS "mapa.shared::cluster.u32 %r16, %r14, %r12;\n" CLUSTER_SYNC
           "ld.shared::cluster.u32 %r10, [%r16];\n" CLUSTER_SYNC,
     TC_FINDING_OUT_OF_BOUNDS, TC_RUN_FAULT, NULL},
    {"past the other CTA's window",
     RANKS "mapa.shared::cluster.u32 %r16, %r3, %r13;\n" CLUSTER_SYNC
           "ld.shared::cluster.u32 %r10, [%r16+8192];\n" CLUSTER_SYNC,
     TC_FINDING_OUT_OF_BOUNDS, TC_RUN_FAULT, NULL},
    {"a wait on another CTA's barrier",
     RANKS "@%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\n" CLUSTER_SYNC
           "cvt.u64.u32 %rd5, %r4;\ncvta.shared.u64 %rd5, %rd5;\n"
           "mapa.u64 %rd6, %rd5, %r13;\n"
           "mbarrier.test_wait.parity.b64 %p3, [%rd6], 0;\n" CLUSTER_SYNC,
     TC_FINDING_OUT_OF_BOUNDS, TC_RUN_FAULT, "own CTA"},
    {"one CTA does not come",
     RANKS "setp.eq.u32 %p2, %r11, 1;\n@%p2 bra OTHER;\n" CLUSTER_SYNC
           "OTHER:\n@!%p2 bra END;\nSPIN:\nld.volatile.shared.u32 %r20, "
           "[%r3];\nsetp.eq.u32 %p3, %r20, 0;\n@%p3 bra SPIN;\nEND:\n",
     TC_FINDING_DEADLOCK, TC_RUN_DEADLOCK,
     "where 32 of the cluster's 64 threads have arrived"},
    {"arrive twice",
     RANKS "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n"
           "barrier.cluster.wait;\n",
     TC_FINDING_CLUSTER_SYNC, TC_RUN_FINDINGS, "twice"},
};

static void mistakes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        c = (mbar_case){.grid = {2, 1, 1}, .cluster = {2, 1, 1}};
        mbar_check_text(&c, wrongs[i].body);
        mbar_run(&c, wrongs[i].body);
        const tc_finding *f = c.r.findings;
        bool ok = c.r.nfindings == 1 && f->kind == wrongs[i].kind &&
                  c.r.status == wrongs[i].status &&
                  (!wrongs[i].substring ||
                   (strstr(detail_text(f), wrongs[i].substring)));
        if (!ok) {
            mbar_print(&c, wrongs[i].name);
        }
        assert_true(ok);
        mbar_end(&c);
    }
}

/* A CTA that has ended is not there any more; nobody waits for it either. */
static const char ended[] =
    RANKS CLUSTER_SYNC "setp.eq.u32 %p2, %r11, 0;\n@%p2 bra END;\n"
                       "nanosleep.u32 100000;\n"
                       "mapa.shared::cluster.u32 %r16, %r14, %r13;\n"
                       "ld.shared::cluster.u32 %r10, [%r16];\nEND:\n";
static const char unwaited[] =
    RANKS "setp.eq.u32 %p2, %r11, 0;\n@%p2 bra END;\n" CLUSTER_SYNC
          "mov.u32 %r10, 5;\nEND:\n";

static void exits(void **state) {
    (void)state;
    c = (mbar_case){.grid = {2, 1, 1}, .cluster = {2, 1, 1}};
    mbar_check_text(&c, ended);
    mbar_run(&c, ended);
    assert_int_equal(c.r.status, TC_RUN_FAULT);
    assert_int_equal(c.r.findings[0].kind, TC_FINDING_REMOTE_EXITED);
    mbar_end(&c);
    c = (mbar_case){.grid = {2, 1, 1}, .cluster = {2, 1, 1}};
    mbar_run(&c, unwaited);
    assert_int_equal(c.r.status, TC_RUN_OK);
    assert_int_equal(c.b[32], 5);
    mbar_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring),       cmocka_unit_test(special_registers),
        cmocka_unit_test(getctarank), cmocka_unit_test(remote_arrivals),
        cmocka_unit_test(mistakes),   cmocka_unit_test(exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
