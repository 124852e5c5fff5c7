/* Every kind of finding: a correct program, and what each single mistake in it
 * is called. Expectations follow INTERFACE.md's table, by hand. */
#include "sim_harness.h"

#define KIND(k) TC_FINDING_##k
enum { NONE = -1 };

typedef struct mutant {
    const char *name, *body, *drop; /* drop: lines to leave out */
    int kind;                       /* NONE: correct */
    tc_missing missing;
    int64_t n;
    int cause; /* opcode that is to blame, or NONE */
    uint32_t grid;
} mutant;

#define COPY    "cp.async.ca.shared.global [%r4], [%rd4], 4;\n"
#define COMMIT  "cp.async.commit_group;\n"
#define WAIT(n) "cp.async.wait_group " #n ";\n"
#define BAR     "bar.sync 0;\n"
#define OUT     "st.global.u32 [%rd5], %r10;\n"
#define OWN     "ld.shared.u32 %r10, [%r4];\n" OUT
#define NEXT    "ld.shared.u32 %r10, [%r6];\n" OUT

static const char own[] = COPY COMMIT WAIT(0) BAR OWN;
static const char next[] = COPY COMMIT WAIT(0) BAR NEXT;
static const char plain[] = "st.shared.u32 [%r4], %r1;\n" BAR NEXT;
static const char reuse[] =
    "mov.u32 %r11, 0;\nL:\nadd.u32 %r12, %r1, %r11;\n"
    "st.shared.u32 [%r4], %r12;\nbar.sync 1;\n"
    "ld.shared.u32 %r10, [%r6];\nbar.sync 2;\n"
    "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, 4;\n@%p1 bra L;\n" OUT;
/* Two stages, one copy ahead; reads the neighbour's word. */
static const char pipeline[] =
    "mov.u32 %r11, 0;\nmov.b64 %rd6, %rd4;\nmov.u32 %r15, 0;\n"
    "cp.async.ca.shared.global [%r4], [%rd6], 4;\n"
    "cp.async.commit_group;\n"
    "L:\n"
    "and.b32 %r12, %r11, 1;\nshl.b32 %r12, %r12, 9;\n"
    "xor.b32 %r13, %r12, 512;\n"
    "add.u32 %r14, %r4, %r13;\nadd.u64 %rd6, %rd6, 512;\n"
    "cp.async.ca.shared.global [%r14], [%rd6], 4;\n"
    "cp.async.commit_group;\n"
    "cp.async.wait_group 1;\n"
    "bar.sync 1;\n"
    "add.u32 %r14, %r6, %r12;\nld.shared.u32 %r10, [%r14];\n"
    "add.u32 %r15, %r15, %r10;\n"
    "bar.sync 2;\n"
    "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, 6;\n@%p1 bra L;\n"
    "st.global.u32 [%rd5], %r15;\n"
    "cp.async.wait_all;\n";
static const char store_after[] =
    COPY COMMIT WAIT(0) "st.shared.u32 [%r4], %r1;\n" OWN;
static const char source_after[] =
    COPY COMMIT WAIT(0) "st.global.u32 [%rd4], %r1;\n" OWN;
static const char twice[] =
    COPY COMMIT WAIT(0) "cp.async.ca.shared.global [%r4], [%rd5], 4;\n"
                        "cp.async.commit_group;\ncp.async.wait_all;\n" OWN;
static const char warp_sync[] =
    "st.shared.u32 [%r4], %r1;\nbar.warp.sync 0xffffffff;\n"
    "xor.b32 %r11, %r2, 4;\nadd.u32 %r11, %r3, %r11;\n"
    "ld.shared.u32 %r10, [%r11];\n" OUT;
static const char local[] =
    "st.local.u32 [loc+4], %r1;\nld.local.u32 %r10, [loc+4];\n" OUT;
/* Thread 0 waits for a flag that thread 1, of its warp, sets. */
static const char flag[] =
    "setp.eq.u32 %p1, %r1, 1;\nsetp.ne.u32 %p2, %r1, 0;\n"
    "setp.eq.u32 %p4, %r1, 0;\n"
    "@%p4 st.volatile.shared.u32 [sm+1024], 0;\nbar.sync 0;\n"
    "@%p2 bra SET;\n"
    "SPIN:\nld.volatile.shared.u32 %r10, [sm+1024];\n"
    "setp.eq.u32 %p3, %r10, 0;\n@%p3 bra SPIN;\n"
    "membar.cta;\nld.shared.u32 %r10, [sm+2048];\n" OUT "bra END;\n"
    "SET:\n@%p1 st.shared.u32 [sm+2048], 77;\nmembar.cta;\n"
    "@%p1 st.volatile.shared.u32 [sm+1024], 1;\n"
    "END:\n";

static const mutant mutants[] = {
    {"own", own, NULL, NONE, 0, 0, NONE, 1},
    {"own: no commit", own, "commit", KIND(UNCOMMITTED_GROUP),
     TC_MISSING_COMMIT, 0, TC_PTX_CP_ASYNC, 1},
    {"own: no wait", own, "wait", KIND(READ_BEFORE_COMPLETE), TC_MISSING_WAIT,
     0, TC_PTX_CP_ASYNC, 1},
    {"own: neither", own, "group", KIND(READ_BEFORE_COMPLETE),
     TC_MISSING_COMMIT_AND_WAIT, 0, TC_PTX_CP_ASYNC, 1},
    {"own: no barrier is needed", own, "bar", NONE, 0, 0, NONE, 1},
    {"own: wait leaves one", COPY COMMIT WAIT(1) BAR OWN, NULL,
     KIND(READ_BEFORE_COMPLETE), TC_MISSING_WAIT_LESS, 0, TC_PTX_CP_ASYNC, 1},
    {"own: wait leaves two of two", COPY COMMIT COMMIT COMMIT WAIT(3) BAR OWN,
     NULL, KIND(READ_BEFORE_COMPLETE), TC_MISSING_WAIT_LESS, 2, TC_PTX_CP_ASYNC,
     1},
    {"own: empty groups behind it", COPY COMMIT COMMIT COMMIT WAIT(2) OWN, NULL,
     NONE, 0, 0, NONE, 1},
    {"own: wait_all commits", COPY "cp.async.wait_all;\n" OWN, NULL, NONE, 0, 0,
     NONE, 1},
    {"next", next, NULL, NONE, 0, 0, NONE, 1},
    {"next: no barrier", next, "bar", KIND(READ_BEFORE_BARRIER),
     TC_MISSING_BARRIER, 0, TC_PTX_CP_ASYNC, 1},
    {"next: no wait", next, "wait", KIND(READ_BEFORE_COMPLETE), TC_MISSING_WAIT,
     0, TC_PTX_CP_ASYNC, 1},
    {"next: no commit", next, "commit", KIND(UNCOMMITTED_GROUP),
     TC_MISSING_COMMIT, 0, TC_PTX_CP_ASYNC, 1},
    {"next: barrier before the wait", COPY COMMIT BAR WAIT(0) NEXT, NULL,
     KIND(READ_BEFORE_BARRIER), TC_MISSING_BARRIER, 0, TC_PTX_CP_ASYNC, 1},
    {"plain", plain, NULL, NONE, 0, 0, NONE, 1},
    {"plain: no barrier", plain, "bar", KIND(DATA_RACE), TC_MISSING_BARRIER, 0,
     TC_PTX_ST, 1},
    {"reuse", reuse, NULL, NONE, 0, 0, NONE, 1},
    {"reuse: no first barrier", reuse, "bar.sync 1", KIND(DATA_RACE),
     TC_MISSING_BARRIER, 0, TC_PTX_ST, 1},
    {"reuse: no second barrier", reuse, "bar.sync 2",
     KIND(OVERWRITE_BEFORE_READ), TC_MISSING_BARRIER, 0, TC_PTX_LD, 1},
    {"pipeline", pipeline, NULL, NONE, 0, 0, NONE, 1},
    {"pipeline: no barrier after the wait", pipeline, "bar.sync 1",
     KIND(READ_BEFORE_BARRIER), TC_MISSING_BARRIER, 0, TC_PTX_CP_ASYNC, 1},
    {"pipeline: no barrier after the read", pipeline, "bar.sync 2",
     KIND(OVERWRITE_BEFORE_READ), TC_MISSING_BARRIER, 0, TC_PTX_LD, 1},
    {"pipeline: no wait", pipeline, "wait_group 1", KIND(READ_BEFORE_COMPLETE),
     TC_MISSING_WAIT, 1, TC_PTX_CP_ASYNC, 1},
    {"store after", store_after, NULL, NONE, 0, 0, NONE, 1},
    {"store after: no wait", store_after, "wait", KIND(OVERWRITE_IN_FLIGHT),
     TC_MISSING_WAIT, 0, TC_PTX_CP_ASYNC, 1},
    {"source after", source_after, NULL, NONE, 0, 0, NONE, 1},
    {"twice", twice, NULL, NONE, 0, 0, NONE, 1},
    {"twice: no wait", twice, "wait_group", KIND(OVERWRITE_IN_FLIGHT),
     TC_MISSING_WAIT, 0, TC_PTX_CP_ASYNC, 1},
    {"warp sync", warp_sync, NULL, NONE, 0, 0, NONE, 1},
    {"warp sync: none", warp_sync, "bar.warp", KIND(DATA_RACE),
     TC_MISSING_BARRIER, 0, TC_PTX_ST, 1},
    {"local", local, NULL, NONE, 0, 0, NONE, 1},
    {"local: no store", local, "st.local", KIND(UNINITIALIZED_READ), 0, 0, NONE,
     1},
    {"shared: no store", "ld.shared.u32 %r10, [%r4];\n" OUT, NULL,
     KIND(UNINITIALIZED_READ), 0, 0, NONE, 1},
    {"shared: store too late",
     "ld.shared.u32 %r10, [%r4];\nst.shared.u32 [%r4], %r1;\n" OUT, NULL,
     KIND(UNINITIALIZED_READ), 0, 0, NONE, 1},
    {"flag", flag, NULL, NONE, 0, 0, NONE, 1},
    {"flag: no fences", flag, "membar", KIND(DATA_RACE), TC_MISSING_BARRIER, 0,
     TC_PTX_ST, 1},
    {"one word, many warps",
     "setp.ne.u32 %p7, %r7, 0;\n@%p7 bra E;\nst.shared.u32 [sm], %r8;\nE:\n",
     NULL, KIND(DATA_RACE), TC_MISSING_BARRIER, 0, TC_PTX_ST, 1},
    {"two CTAs, one word",
     "mov.u32 %r10, %ctaid.x;\nst.global.u32 [%rd5], %r10;\n", NULL,
     KIND(DATA_RACE), TC_MISSING_NOTHING, 0, TC_PTX_ST, 2},
    {"two CTAs, one word, the same value", /* a note */
     "st.global.u32 [%rd5], %r1;\n", NULL, NONE, 0, 0, NONE, 2},
    {"two CTAs, their own words",
     "mov.u32 %r10, %ctaid.x;\nmul.wide.u32 %rd6, %r10, 512;\n"
     "add.u64 %rd5, %rd5, %rd6;\nst.global.u32 [%rd5], %r1;\n",
     NULL, NONE, 0, 0, NONE, 2},
    {"half a warp at the barrier",
     "setp.lt.u32 %p1, %r7, 16;\n@%p1 bra S;\nbar.sync 0;\nS:\n", NULL,
     KIND(BARRIER_DIVERGENCE), 0, 0, NONE, 1},
    {"half the warps end before it",
     "setp.lt.u32 %p1, %r8, 2;\n@%p1 ret;\nbar.sync 0;\n", NULL,
     KIND(BARRIER_DIVERGENCE), 0, 0, NONE, 1},
    {"bytes of one word",
     "mov.u32 %r11, sm;\nadd.u32 %r11, %r11, %r1;\n"
     "st.shared.u8 [%r11], %r1;\nld.shared.u8 %r10, [%r11];\n" OUT,
     NULL, NONE, 0, 0, NONE, 1},
};
enum { NMUTANTS = (int)(sizeof mutants / sizeof mutants[0]) };

static void show(const mutant *m, const sim_case *c) {
    fprintf(stderr, "%s: status %d\n", m->name, (int)c->r.status);
    for (int i = 0; i < c->r.nfindings; i++) {
        const tc_finding *f = &c->r.findings[i];
        fprintf(stderr, "  %s at %u cause %u missing %d n %d (%u.%u)\n",
                tc_finding_kind_names[f->kind],
                f->at.op ? f->at.op->ptx_line : 0,
                f->cause.op ? f->cause.op->ptx_line : 0, (int)f->missing,
                (int)f->missing_n, f->at.warp, f->at.lane);
    }
}

static bool as_expected(const mutant *m, const sim_case *c) {
    if (m->kind == NONE) {
        return c->r.status == TC_RUN_OK && c->r.nfindings == 0;
    }
    const tc_finding *f = c->r.findings;
    return c->r.status == TC_RUN_FINDINGS && c->r.nfindings == 1 &&
           (int)f->kind == m->kind && f->missing == m->missing &&
           f->missing_n == m->n &&
           (m->cause == NONE || f->cause.op->opcode == m->cause);
}

static int run_mutant(const mutant *m, tc_completion when, bool timing,
                      bool ptxas) {
    sim_case c = {.hazards = true,
                  .completion = when,
                  .timing = timing,
                  .seed = 3,
                  .grid = m->grid};
    char *text = whole_text(m->body, m->drop);
    if (ptxas) {
        assert_true(ptxas_takes("sm_90", text));
    }
    run_text(&c, text);
    int bad = !as_expected(m, &c);
    if (bad) {
        show(m, &c);
    }
    end_case(&c);
    free(text);
    return bad;
}

static void test_mutants(void **state) {
    int bad = 0;
    (void)state;
    for (int i = 0; i < NMUTANTS; i++) {
        bad += run_mutant(&mutants[i], TC_COMPLETE_LATE, false, true);
    }
    assert_int_equal(bad, 0);
}

/* By happens-before: the same verdict in other schedules. */
static void test_mutants_other_schedules(void **state) {
    int bad = 0;
    (void)state;
    for (int i = 0; i < NMUTANTS; i++) {
        bad += run_mutant(&mutants[i], TC_COMPLETE_EARLY, false, false);
        bad += run_mutant(&mutants[i], TC_COMPLETE_RANDOM, false, false);
        bad += run_mutant(&mutants[i], TC_COMPLETE_TIMING, true, false);
    }
    assert_int_equal(bad, 0);
}

/* Correct programs give the same bytes whenever the copies land. */
static void same_bytes(const mutant *m) {
    char *text = whole_text(m->body, m->drop);
    uint8_t first[BYTES];
    for (int i = 0; i < 23; i++) {
        sim_case c = {.grid = m->grid};
        c.completion = i == 0   ? TC_COMPLETE_EARLY
                       : i == 1 ? TC_COMPLETE_LATE
                       : i == 2 ? TC_COMPLETE_TIMING
                                : TC_COMPLETE_RANDOM;
        c.timing = i == 2;
        c.seed = (uint64_t)i;
        run_text(&c, text);
        if (i == 0) {
            memcpy(first, c.b, BYTES);
        }
        if (memcmp(first, c.b, BYTES) != 0) {
            fprintf(stderr, "%s: policy %d differs\n", m->name, i);
        }
        assert_memory_equal(first, c.b, BYTES);
        end_case(&c);
    }
    free(text);
}

static void test_same_bytes(void **state) {
    (void)state;
    for (int i = 0; i < NMUTANTS; i++) {
        if (mutants[i].kind == NONE) {
            same_bytes(&mutants[i]);
        }
    }
}

/* A missing wait is never a silently right answer under LATE. */
static void test_late_shows(void **state) {
    sim_case c = {.completion = TC_COMPLETE_LATE};
    char *text = whole_text(own, "wait");
    (void)state;
    run_text(&c, text);
    assert_int_equal(c.r.status, TC_RUN_OK);
    assert_int_equal(word(c.b, 5), 0); /* shared memory's old content */
    end_case(&c);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_mutants_other_schedules),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_late_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
