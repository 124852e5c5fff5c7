/* test_sim_launch.c - grids whose CTAs wait for each other, what a launch may
 * ask for, and lanes that wait for lanes. */
#include "detail_text.h"
#include "mbar_run.h"

static mbar_case c; /* zero between tests */

/* ---- CTAs that wait for each other; A[0..] are counters, zero at first ----
 */

#define CLEAR /* words 0 and 1 of A are not zero: take B's end */              \
    "add.u64 %rd9, %rd2, 65024;\n"

/* CTA i waits for the flag of CTA i + 1, which comes later. */
static const char backwards[] =
    CLEAR "mov.u32 %r11, %nctaid.x;\nadd.u32 %r12, %r2, 1;\n"
          "setp.eq.u32 %p2, %r12, %r11;\nmul.wide.u32 %rd10, %r2, 4;\n"
          "add.u64 %rd11, %rd9, %rd10;\nmov.u32 %r13, 1;\n@%p2 bra LAST;\n"
          "SPIN:\nld.acquire.gpu.global.u32 %r14, [%rd11+4];\n"
          "setp.eq.u32 %p3, %r14, 0;\n@%p3 bra SPIN;\n"
          "add.u32 %r13, %r14, 1;\nLAST:\nbar.sync 0;\n"
          "@%p1 st.release.gpu.global.u32 [%rd11], %r13;\n"
          "mov.u32 %r10, %r13;\n";

static void later_ctas(void **state) {
    (void)state;
    mbar_check_text(&c, backwards);
    c = (mbar_case){.grid = {100, 1, 1}, .block = 64};
    mbar_run(&c, backwards);
    if (c.r.status != TC_RUN_OK) {
        mbar_print(&c, "backwards");
    }
    assert_int_equal(c.r.status, TC_RUN_OK);
    for (uint32_t i = 0; i < 6400; i++) {
        assert_int_equal(c.b[i], 100 - i / 64);
    }
    mbar_end(&c);
}

/* A barrier of the whole grid, twice, as cooperative groups make it: thread 0
 * counts, the others wait at bar.sync. Between the two each CTA leaves a word,
 * after it reads that of the next CTA. */
#define GRID_SYNC(n, label)                                                    \
    "bar.sync 0;\n@!%p1 bra " label "_OUT;\n"                                  \
    "atom.add.acq_rel.gpu.global.u32 %r20, [%rd9], 1;\n"                       \
    "mul.lo.u32 %r21, %r11, " n ";\n" label ":\n"                              \
    "ld.acquire.gpu.global.u32 %r20, [%rd9];\n"                                \
    "setp.lt.u32 %p3, %r20, %r21;\n@%p3 bra " label ";\n" label                \
    "_OUT:\nbar.sync 0;\n"
static const char grid_sync[] = CLEAR "mov.u32 %r11, %nctaid.x;\n" GRID_SYNC(
    "1",
    "ONE") "add.u64 %rd12, %rd1, 0;\nmul.wide.u32 %rd10, %r2, 4;\n"
           "add.u64 %rd13, %rd12, %rd10;\n@%p1 st.global.u32 [%rd13], %r2;\n"
           "membar.gl;\n" GRID_SYNC(
               "2", "TWO") "add.u32 %r12, %r2, 1;\nrem.u32 %r12, %r12, %r11;\n"
                           "mul.wide.u32 %rd10, %r12, 4;\nadd.u64 %rd13, "
                           "%rd12, %rd10;\n"
                           "ld.global.u32 %r10, [%rd13];\n";

static void whole_grid(void **state) {
    (void)state;
    mbar_check_text(&c, grid_sync);
    static const uint32_t sizes[] = {1, 16, 132, 264};
    for (int k = 0; k < 8; k++) {
        uint32_t n = sizes[k / 2];
        c = (mbar_case){.grid = {n, 1, 1}, .block = 32, .hazards = k % 2 != 0};
        mbar_run(&c, grid_sync);
        if (c.r.status != TC_RUN_OK) {
            mbar_print(&c, "grid sync");
        }
        assert_int_equal(c.r.status, TC_RUN_OK);
        for (uint32_t i = 0; i < n * 32; i++) {
            assert_int_equal(c.b[i], (i / 32 + 1) % n);
        }
        mbar_end(&c);
    }
}

/* 120 KiB a CTA let an H100's SM (228 KiB) hold one: 132 in all. More cannot be
 * waited for. */
static void too_many_for_the_machine(void **state) {
    (void)state;
    c = (mbar_case){.grid = {132, 1, 1}, .sm = 120 * 1024};
    mbar_run(&c, grid_sync);
    assert_int_equal(c.r.status, TC_RUN_OK);
    mbar_end(&c);
    c = (mbar_case){.grid = {135, 1, 1}, .sm = 120 * 1024};
    mbar_run(&c, grid_sync);
    assert_int_equal(c.r.status, TC_RUN_DEADLOCK);
    assert_int_equal(c.r.findings[0].kind, TC_FINDING_DEADLOCK);
    const char *want = "3 more CTAs cannot start before one of these 132 ends";
    if (!strstr(detail_text(&c.r.findings[0]), want)) {
        mbar_print(&c, "too many");
    }
    assert_non_null(strstr(detail_text(&c.r.findings[0]), want));
    mbar_end(&c);
}

/* The last CTA to count sums what all have left. */
static const char last_block[] =
    CLEAR "mov.u32 %r11, %nctaid.x;\nmul.wide.u32 %rd10, %r2, 4;\n"
          "add.u64 %rd13, %rd1, %rd10;\nadd.u32 %r12, %r2, 1;\n"
          "@%p1 st.global.u32 [%rd13], %r12;\nmembar.gl;\n@!%p1 bra END;\n"
          "atom.inc.global.u32 %r14, [%rd9], 1000000;\nmembar.gl;\n"
          "sub.u32 %r15, %r11, 1;\nsetp.ne.u32 %p2, %r14, %r15;\n"
          "@%p2 bra END;\nmov.u32 %r16, 0;\nSUM:\n"
          "mul.wide.u32 %rd10, %r16, 4;\nadd.u64 %rd13, %rd1, %rd10;\n"
          "ld.volatile.global.u32 %r17, [%rd13];\nadd.u32 %r10, %r10, %r17;\n"
          "add.u32 %r16, %r16, 1;\nsetp.lt.u32 %p3, %r16, %r11;\n"
          "@%p3 bra SUM;\nEND:\n";

static void last_block_done(void **state) {
    (void)state;
    mbar_check_text(&c, last_block);
    c = (mbar_case){.grid = {50, 1, 1}};
    mbar_run(&c, last_block);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 1600; i++) {
        sum += c.b[i];
    }
    assert_int_equal(sum, 50 * 51 / 2);
    mbar_end(&c);
}

/* ---- a lane that spins must not starve the lane that it waits for ---- */

static const struct {
    const char *name, *body;
    uint32_t want;
} lanes[] = {
    {"a spin lock, lane after lane",
     "st.shared.u32 [%r3], 0;\nst.shared.u32 [%r3+4], 0;\nbar.sync 0;\n"
     "mov.u32 %r11, 0;\nTAKE:\n"
     "atom.shared.cas.b32 %r12, [%r3], 0, 1;\nsetp.ne.u32 %p2, %r12, 0;\n"
     "@%p2 bra TAKE;\nld.volatile.shared.u32 %r13, [%r3+4];\n"
     "add.u32 %r13, %r13, 1;\nst.volatile.shared.u32 [%r3+4], %r13;\n"
     "membar.cta;\natom.shared.exch.b32 %r12, [%r3], 0;\nbar.sync 0;\n"
     "ld.shared.u32 %r10, [%r3+4];\n",
     64},
    {"lane 0 waits for lane 31, which comes after it in the program",
     "setp.eq.u32 %p2, %r1, 63;\n@%p2 bra WRITE;\nSPIN:\n"
     "ld.volatile.shared.u32 %r10, [%r3];\nsetp.eq.u32 %p3, %r10, 0;\n"
     "@%p3 bra SPIN;\nbra END;\nWRITE:\nmov.u32 %r10, 9;\n"
     "st.volatile.shared.u32 [%r3], %r10;\nEND:\n",
     9},
    {"and before it",
     "setp.ne.u32 %p2, %r1, 63;\n@%p2 bra SPIN;\nmov.u32 %r10, 9;\n"
     "st.volatile.shared.u32 [%r3], %r10;\nbra END;\nSPIN:\n"
     "ld.volatile.shared.u32 %r10, [%r3];\nsetp.eq.u32 %p3, %r10, 0;\n"
     "@%p3 bra SPIN;\nEND:\n",
     9},
    {"with sleep",
     "setp.eq.u32 %p2, %r1, 63;\n@%p2 bra WRITE;\nSPIN:\nnanosleep.u32 100;\n"
     "ld.volatile.shared.u32 %r10, [%r3];\nsetp.eq.u32 %p3, %r10, 0;\n"
     "@%p3 bra SPIN;\nbra END;\nWRITE:\nnanosleep.u32 90000;\n"
     "mov.u32 %r10, 9;\nst.volatile.shared.u32 [%r3], %r10;\nEND:\n",
     9},
};

static void fairness(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        mbar_check_text(&c, lanes[i].body);
        for (int k = 0; k < 2; k++) {
            c = (mbar_case){.block = 64, .timing = k != 0};
            mbar_run(&c, lanes[i].body);
            if (c.r.status != TC_RUN_OK) {
                mbar_print(&c, lanes[i].name);
            }
            assert_int_equal(c.r.status, TC_RUN_OK);
            for (uint32_t t = 0; t < 64; t++) {
                assert_int_equal(c.b[t], lanes[i].want);
            }
            mbar_end(&c);
        }
    }
}

/* ---- nobody can go on ---- */

static const struct {
    const char *name, *body, *substring;
} stuck[] = {
    {"a flag that nobody sets",
     "SPIN:\nld.volatile.shared.u32 %r10, [%r3];\nsetp.eq.u32 %p3, %r10, 0;\n"
     "@%p3 bra SPIN;\n",
     "CTA 0, warp 0, all lanes: loops at PTX line 2"},
    {"with sleep",
     "SPIN:\nnanosleep.u32 100;\nld.volatile.shared.u32 %r10, [%r3];\n"
     "setp.eq.u32 %p3, %r10, 0;\n@%p3 bra SPIN;\n",
     "CTA 0, warp 1, all lanes: loops at"},
    {"a lock that is never given back",
     "bar.sync 0;\nTAKE:\natom.shared.cas.b32 %r12, [%r3], 0, 1;\n"
     "setp.ne.u32 %p2, %r12, 0;\n@%p2 bra TAKE;\n",
     ", lanes 1-31: loops at PTX line"},
    {"some spin, some wait at a barrier",
     "setp.lt.u32 %p2, %r1, 32;\n@%p2 bra SPIN;\nbar.sync 0;\nbra END;\n"
     "SPIN:\nld.volatile.shared.u32 %r10, [%r3];\nsetp.eq.u32 %p3, %r10, 0;\n"
     "@%p3 bra SPIN;\nEND:\n",
     "CTA 0, warp 1, all lanes: barrier 0 (PTX line 23), where 32 of 64 "
     "threads have arrived"},
};

static void deadlocks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stuck / sizeof *stuck; i++) {
        mbar_check_text(&c, stuck[i].body);
        for (int k = 0; k < 2; k++) {
            c = (mbar_case){.block = 64, .timing = k != 0};
            mbar_run(&c, stuck[i].body);
            const tc_finding *f = c.r.findings;
            bool ok = c.r.status == TC_RUN_DEADLOCK && c.r.nfindings == 1 &&
                      f->kind == TC_FINDING_DEADLOCK &&
                      strstr(detail_text(f), stuck[i].substring);
            if (!ok) {
                mbar_print(&c, stuck[i].name);
            }
            assert_true(ok);
            mbar_end(&c);
        }
    }
}

/* ---- what may be asked for ---- */

static const struct {
    const char *name;
    mbar_case ask;
    const char *substring; /* of the refusal; NULL: it runs */
} asked[] = {
    {"8 CTAs", {.grid = {8, 1, 1}, .cluster = {8, 1, 1}}, NULL},
    {"2 x 2 x 2", {.grid = {4, 4, 2}, .cluster = {2, 2, 2}}, NULL},
    {"16 CTAs", {.grid = {16, 1, 1}, .cluster = {16, 1, 1}}, "at most 8"},
    {"32 CTAs", {.grid = {32, 1, 1}, .cluster = {32, 1, 1}}, "at most 8, or"},
    {"not a divisor",
     {.grid = {9, 1, 1}, .cluster = {2, 1, 1}},
     "is not made of clusters"},
    {"sm_80",
     {.grid = {4, 1, 1}, .cluster = {2, 1, 1}, .arch = "sm_80"},
     "sm_80 has no clusters"},
    {"the kernel's own",
     {.grid = {4, 1, 1}, .directives = " .reqnctapercluster 2"},
     NULL},
    {"against the kernel's own",
     {.grid = {4, 1, 1},
      .cluster = {4, 1, 1},
      .directives = " .reqnctapercluster 2"},
     ".reqnctapercluster asks for 2"},
    {"explicit, not given",
     {.grid = {4, 1, 1}, .directives = " .explicitcluster"},
     ".explicitcluster"},
    {"explicit, given",
     {.grid = {4, 1, 1},
      .cluster = {2, 1, 1},
      .directives = " .explicitcluster"},
     NULL},
    {"227 KiB", {.sm = 227 * 1024 - 128}, NULL},
    {"more", {.sm = 227 * 1024 - 127}, "at most 232448"},
    {"65536 registers", {.block = 1024, .registers = 64}, NULL},
    {"as 73728", {.block = 1024, .registers = 65}, "65 registers a thread"},
    {"255, few", {.block = 256, .registers = 255}, NULL},
    {"255, more", {.block = 257, .registers = 255}, "255 registers a thread"},
};

static void limits(void **state) {
    (void)state;
    const char *body = "mov.u32 %r10, %cluster_nctarank;\n";
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        c = asked[i].ask;
        mbar_run(&c, body);
        bool ok = c.ran == !asked[i].substring &&
                  (c.ran || strstr(c.errors, asked[i].substring));
        if (!ok) {
            mbar_print(&c, asked[i].name);
        }
        assert_true(ok);
        mbar_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_ctas),
        cmocka_unit_test(whole_grid),
        cmocka_unit_test(too_many_for_the_machine),
        cmocka_unit_test(last_block_done),
        cmocka_unit_test(fairness),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
