/* test_timing.c - the timing model: what an access asks of memory, and whether
 * small kernels take the cycles that an H200 took for the same
 * (tests/gpu/micro-h200.jsonl, recorded by tests/gpu/micro.cu and
 * micro_lanes.cu). */
#include "sim_harness.h"

#include "sim/core/slab.h"
#include "sim/timing/memsys.h"
#include "sim/timing/sm.h"
#include <jansson.h>
#include <math.h>

/* ---- lanes to sectors and wavefronts ---- */

static uint32_t strided(uint32_t stride, uint32_t bytes, bool shared) {
    uint64_t addr[TC_LANES], out[TC_MAX_SECTORS];
    uint32_t ideal;
    for (uint32_t i = 0; i < TC_LANES; i++) {
        addr[i] = (uint64_t)i * stride;
    }
    return shared
               ? tc_coalesce_wavefronts(UINT32_MAX, addr, bytes, false, &ideal)
               : tc_coalesce_sectors(UINT32_MAX, addr, bytes, out);
}

static void test_sectors(void **state) {
    (void)state;
    assert_int_equal(strided(4, 4, false), 4); /* 128 bytes in a row */
    assert_int_equal(strided(16, 16, false), 16);
    assert_int_equal(strided(8, 4, false), 8); /* every other word */
    assert_int_equal(strided(32, 4, false), 32);
    assert_int_equal(strided(128, 4, false), 32);
    assert_int_equal(strided(0, 4, false), 1);
    assert_int_equal(strided(1, 1, false), 1);
}

static void test_wavefronts(void **state) {
    (void)state;
    /* words apart: as many lanes share a bank as gcd(stride, 32) */
    assert_int_equal(strided(4, 4, true), 1);
    assert_int_equal(strided(8, 4, true), 2);
    assert_int_equal(strided(16, 4, true), 4);
    assert_int_equal(strided(64, 4, true), 16);
    assert_int_equal(strided(128, 4, true), 32);
    assert_int_equal(strided(132, 4, true), 1); /* padded rows */
    assert_int_equal(strided(0, 4, true), 1);   /* one word for all */
    assert_int_equal(strided(16, 16, true), 4); /* quarter warps */
    assert_int_equal(strided(8, 8, true), 2);   /* half warps */
    assert_int_equal(strided(1, 1, true), 1);
}

/* Lane to address by a shift, a mask and a distance; what an H200's shared memory
 * took, cycles an access of 16 warps that do not wait: loads of 4, 8, 16 bytes, stores
 * of them. 0: not aligned. */
static void test_wide_wavefronts(void **state) {
    static const struct {
        uint32_t shift, mask, words, cycles[6];
    } rows[] = {{0, 31, 4, {4, 4, 4, 4, 4, 4}},
                {0, 31, 2, {2, 2, 0, 2, 2, 0}},
                {0, 31, 1, {1, 0, 0, 1, 0, 0}},
                {0, 0, 4, {1, 1, 2, 1, 2, 4}},
                {4, 1, 4, {1, 1, 2, 1, 2, 4}},
                {3, 3, 4, {1, 1, 2, 1, 2, 4}},
                {0, 15, 4, {2, 4, 4, 2, 4, 4}},
                {0, 7, 4, {1, 2, 4, 1, 2, 4}},
                {0, 1, 4, {1, 1, 2, 1, 2, 4}},
                {1, 15, 4, {2, 2, 2, 2, 2, 4}},
                {2, 7, 4, {1, 1, 2, 1, 2, 4}},
                {0, 31, 8, {8, 8, 8, 8, 8, 8}},
                {0, 31, 16, {16, 16, 16, 16, 16, 16}},
                {0, 31, 36, {4, 4, 4, 4, 4, 4}},
                {0, 15, 8, {4, 8, 8, 4, 8, 8}},
                {4, 1, 32, {2, 2, 2, 2, 2, 4}},
                {3, 3, 32, {4, 4, 4, 4, 4, 4}},
                {0, 7, 32, {8, 16, 32, 8, 16, 32}},
                {2, 7, 32, {8, 8, 8, 8, 8, 8}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t k = 0; k < 6; k++) {
            uint64_t addr[TC_LANES];
            uint32_t ideal, bytes = 4u << k % 3;
            for (uint32_t n = 0; n < TC_LANES; n++) {
                addr[n] = (uint64_t)(n >> rows[i].shift & rows[i].mask) *
                          rows[i].words * 4;
            }
            if (rows[i].cycles[k] == 0) {
                continue;
            }
            uint32_t n =
                tc_coalesce_wavefronts(UINT32_MAX, addr, bytes, k >= 3, &ideal);
            if (n != rows[i].cycles[k]) {
                fail_msg("row %zu, %s of %u bytes: %u wavefronts, the H200 %u",
                         i, k >= 3 ? "store" : "load", bytes, n,
                         rows[i].cycles[k]);
            }
        }
    }
}

/* ---- caches and DRAM ---- */

static void test_memory(void **state) {
    (void)state;
    tc_machine machine = {.sm = 90};
    const tc_profile *p = tc_profile_of(&machine);
    tc_sim_counters c = {0};
    tc_slab *tags = tc_slab_new();
    tc_l2 *l2 = tc_l2_new(p);
    tc_memsys *m = tc_memsys_new(p, 1, 0, &c, tags, l2);
    uint64_t s[4] = {0, 1, 2, 3};
    uint64_t cold = tc_memsys_load(m, 0, 1000, s, 4, true) - 1000;
    assert_true(cold >= p->dram_latency && cold < p->dram_latency + 16);
    assert_int_equal(c.dram_sectors_read, 4);
    uint64_t warm = tc_memsys_load(m, 0, 5000, s, 4, true) - 5000;
    assert_int_equal(warm, p->l1_latency);
    uint64_t past = tc_memsys_load(m, 0, 9000, s, 4, false) - 9000;
    assert_true(past >= p->l2_latency && past < p->dram_latency);
    assert_int_equal(c.l1_sectors, 8);
    assert_int_equal(c.l1_sectors_hit, 4);
    assert_int_equal(c.l1_bypass_bytes, 128);
    assert_int_equal(c.l2_sectors_read, 8);
    assert_int_equal(c.l2_sectors_hit, 4);
    assert_int_equal(c.dram_sectors_read, 4);
    tc_memsys_free(m);
    tc_l2_free(l2);
    tc_slab_free(tags);
}

static uint64_t one_load(const tc_profile *p, tc_l2 *l2, uint64_t sector) {
    tc_sim_counters c = {0};
    tc_slab *tags = tc_slab_new();
    tc_memsys *m = tc_memsys_new(p, 1, 0, &c, tags, l2);
    uint64_t at = tc_memsys_load(m, 0, 100, &sector, 1, true) - 100;
    tc_memsys_free(m);
    tc_slab_free(tags);
    return at;
}

/* From one launch to the next L2 keeps its lines, and L1 does not; a copy of
 * what it holds is as warm as it was. */
static void test_l2_between_launches(void **state) {
    (void)state;
    tc_machine machine = {.sm = 90};
    const tc_profile *p = tc_profile_of(&machine);
    tc_l2 *l2 = tc_l2_new(p), *copy = NULL;
    assert_true(one_load(p, l2, 7) >= p->dram_latency);
    assert_true(one_load(p, l2, 7) < p->dram_latency);
    tc_l2_copy(l2, &copy);
    tc_l2_written(l2, 4096, 300);
    assert_true(one_load(p, l2, 4096 / 32 + 9) < p->dram_latency);
    assert_true(one_load(p, l2, 4096 / 32 + 12) >= p->dram_latency);
    assert_true(one_load(p, copy, 7) < p->dram_latency);
    assert_true(one_load(p, copy, 4096 / 32) >= p->dram_latency);
    tc_l2_free(copy);
    tc_l2_free(l2);
}

/* A long stream is served at DRAM's rate. */
static void test_bandwidth(void **state) {
    (void)state;
    enum { LINES = 1 << 16 };
    tc_machine machine = {.sm = 90};
    const tc_profile *p = tc_profile_of(&machine);
    tc_sim_counters c = {0};
    tc_slab *tags = tc_slab_new();
    tc_l2 *l2 = tc_l2_new(p);
    tc_memsys *m = tc_memsys_new(p, 132, 0, &c, tags, l2);
    uint64_t last = 0;
    for (uint64_t i = 0; i < LINES; i++) {
        uint64_t s[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
        uint64_t at = tc_memsys_load(m, i % 132, 0, s, 4, false);
        last = at > last ? at : last;
    }
    double rate = 128.0 * LINES / (double)(last - p->dram_latency);
    assert_true(rate > 0.95 * p->dram_bytes && rate < 1.05 * p->dram_bytes);
    tc_memsys_free(m);
    tc_l2_free(l2);
    tc_slab_free(tags);
}

/* ---- small kernels against the H200 ---- */

static double recorded(const char *name) {
    FILE *f = fopen("tests/gpu/micro-h200.jsonl", "r");
    char line[512];
    double value = -1;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        json_t *j = json_loads(line, 0, NULL);
        const char *n = json_string_value(json_object_get(j, "name"));
        if (n && strcmp(n, name) == 0) {
            value = json_number_value(json_object_get(j, "value"));
        }
        json_decref(j);
    }
    fclose(f);
    assert_true(value >= 0);
    return value;
}

/* The body's clocks end in %r20 and %r21; B[0] gets the difference. */
static uint32_t cycles(const char *body, uint32_t block, uint32_t grid) {
    static const char *const end =
        "sub.u32 %r22, %r21, %r20;\nsetp.eq.u32 %p7, %r1, 0;\n"
        "@%p7 st.global.u32 [%rd2], %r22;\n";
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, body);
    tc_buf_puts(&b, end);
    sim_case c = {.grid = grid, .block = block, .timing = true};
    c.completion = TC_COMPLETE_TIMING;
    char *text = whole_text(b.data, NULL);
    memcpy(strstr(text, "sm_80"), "sm_90", 5);
    run_text(&c, text);
    uint32_t n = word(c.b, 0);
    end_case(&c);
    free(text);
    tc_buf_free(&b);
    return n;
}

static void near(const char *name, double ours, double slack) {
    double gpu = recorded(name);
    if (ours < gpu * (1 - slack) || ours > gpu * (1 + slack)) {
        fail_msg("%s: %.1f cycles, the H200 took %.1f", name, ours, gpu);
    }
}

/* 64 times line, between the clocks. */
static uint32_t repeated(const char *before, const char *line, uint32_t block) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, before);
    tc_buf_puts(&b, "mov.u32 %r20, %clock;\n");
    for (int i = 0; i < 64; i++) {
        tc_buf_puts(&b, line);
    }
    tc_buf_puts(&b, "mov.u32 %r21, %clock;\n");
    uint32_t n = cycles(b.data, block, 1);
    tc_buf_free(&b);
    return n;
}

/* The same of 32 warps, all of whose ops the clocks have between them. */
static double together(const char *before, const char *line) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%sbar.sync 0;\nmov.u32 %%r20, %%clock;\n", before);
    for (int i = 0; i < 64; i++) {
        tc_buf_puts(&b, line);
    }
    tc_buf_puts(&b, "bar.sync 0;\nmov.u32 %r21, %clock;\n");
    uint32_t n = cycles(b.data, 1024, 1);
    tc_buf_free(&b);
    return n / (64.0 * 1024 / 32 / TC_SCHEDULERS);
}

static void test_chains(void **state) {
    (void)state;
    static const struct {
        const char *name, *line;
    } rows[] = {
        {"latency mad.lo.s32", "mad.lo.s32 %r9, %r9, %r9, %r9;\n"},
        {"latency shf", "shf.l.wrap.b32 %r9, %r9, %r9, 3;\n"},
        {"latency fma.f32", "fma.rn.f32 %f1, %f1, %f1, %f1;\n"},
        {"latency add.f32", "add.f32 %f1, %f1, %f1;\n"},
        {"latency ex2.approx", "ex2.approx.ftz.f32 %f1, %f1;\n"},
        {"latency popc", "popc.b32 %r9, %r9;\n"},
        {"latency cvt.rni.f32", "cvt.rni.f32.f32 %f1, %f1;\n"},
        {"latency add.s64", "add.s64 %rd9, %rd9, %rd9;\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        near(rows[i].name, repeated("", rows[i].line, 32) / 64.0, 0.10);
    }
}

/* Votes, reductions and matches of a warp: chains, and 32 warps of an SM with a
 * chain each. Of distinct values lane i has bit i. */
static void test_lanes(void **state) {
    (void)state;
    static const struct {
        const char *name, *line;
        bool distinct;
    } rows[] = {
        {"prmt", "prmt.b32 %r9, %r9, %r10, %r11;\n", false},
        {"lop3 + lop3",
         "lop3.b32 %r9, %r9, %r10, %r11, 0x6a;\n"
         "lop3.b32 %r9, %r9, %r12, %r13, 0x6a;\n",
         false},
        {"setp + selp",
         "setp.ne.u32 %p1, %r9, %r10;\nselp.b32 %r9, %r11, %r12, %p1;\n",
         false},
        {"vote.sync.any", "vote.sync.any.pred %p1, !%p1, -1;\n", false},
        {"vote.sync.all", "vote.sync.all.pred %p1, !%p1, -1;\n", false},
        {"vote.sync.uni + setp",
         "vote.sync.uni.pred %p2, %p1, -1;\n"
         "setp.eq.xor.u32 %p1, %r1, %r10, %p2;\n",
         false},
        {"setp + vote.sync.ballot",
         "setp.ne.u32 %p1, %r9, %r10;\nvote.sync.ballot.b32 %r9, %p1, -1;\n",
         false},
        {"redux.sync.add.s32", "redux.sync.add.s32 %r9, %r9, -1;\n", false},
        {"redux.sync.min.u32", "redux.sync.min.u32 %r9, %r9, -1;\n", false},
        {"redux.sync.and.b32", "redux.sync.and.b32 %r9, %r9, -1;\n", false},
        {"match.any.sync.b32 of one value",
         "match.any.sync.b32 %r9, %r9, -1;\n", false},
        {"match.any.sync.b32 of 32 values",
         "match.any.sync.b32 %r9, %r9, -1;\n", true},
        {"mov + match.any.sync.b64 of one value",
         "mov.b64 %rd9, {%r9, %r9};\nmatch.any.sync.b64 %r9, %rd9, -1;\n",
         false},
        {"mov + match.any.sync.b64 of 32 values",
         "mov.b64 %rd9, {%r9, %r9};\nmatch.any.sync.b64 %r9, %rd9, -1;\n",
         true},
        {"match.all.sync.b32 of one value",
         "match.all.sync.b32 %r9|%p1, %r9, -1;\n", false},
        {"match.all.sync.b32 of 32 values",
         "match.all.sync.b32 %r9|%p1, %r9, -1;\n", true},
        {"mov + match.all.sync.b64 of one value",
         "mov.b64 %rd9, {%r9, %r9};\n"
         "match.all.sync.b64 %r9|%p1, %rd9, -1;\n",
         false},
        {"shfl.sync.idx", "shfl.sync.idx.b32 %r9, %r9, %r9, 31, -1;\n", true},
        {"shfl.sync.up", "shfl.sync.up.b32 %r9, %r9, 1, 0, -1;\n", true},
        {"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r9;\n",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[96];
        const char *before =
            rows[i].distinct ? "mov.u32 %r9, %laneid;\nshl.b32 %r9, 1, %r9;\n"
                             : "setp.eq.u32 %p1, %r1, %r1;\n";
        snprintf(name, sizeof name, "latency %s", rows[i].name);
        near(name, repeated(before, rows[i].line, 32) / 64.0, 0.10);
        snprintf(name, sizeof name, "cycles a warp-op and scheduler %s",
                 rows[i].name);
        near(name, together(before, rows[i].line), 0.15);
    }
}

/* Those that take no operand to make a chain of: what they add between two
 * clocks. */
static void test_once(void **state) {
    (void)state;
    static const struct {
        const char *name, *line;
    } rows[] = {
        {"elect.sync", "elect.sync %r10|%p1, -1;\n"},
        {"activemask", "activemask.b32 %r10;\n"},
        {"setp + vote.sync.ballot", "setp.ne.u32 %p1, %r9, %r11;\n"
                                    "vote.sync.ballot.b32 %r10, %p1, -1;\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[512], name[96];
        uint32_t n[2];
        for (int with = 0; with < 2; with++) {
            snprintf(body, sizeof body,
                     "mov.u32 %%r20, %%clock;\n%sadd.u32 %%r9, %%r9, %%r10;\n"
                     "mov.u32 %%r21, %%clock;\n",
                     with ? rows[i].line : "");
            n[with] = cycles(body, 32, 1);
        }
        snprintf(name, sizeof name, "between two clocks %s + add",
                 rows[i].name);
        double gpu = recorded(name) - recorded("between two clocks add");
        assert_true(fabs(n[1] - (double)n[0] - gpu) <= 1);
    }
}

static void test_shared(void **state) {
    (void)state;
    static const int strides[] = {1, 2, 4, 8, 16, 32, 33, 0};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        char before[256], name[64];
        snprintf(before, sizeof before,
                 "mul.lo.u32 %%r9, %%r1, %d;\nadd.u32 %%r9, %%r9, %%r3;\n",
                 strides[i] * 4);
        snprintf(name, sizeof name, "latency ld.shared+2 adds stride %d words",
                 strides[i]);
        double n = repeated(before,
                            "ld.shared.u32 %r10, [%r9];\n"
                            "add.u32 %r11, %r11, %r10;\n"
                            "add.u32 %r9, %r9, %r10;\n",
                            32) /
                   64.0;
        near(name, n, 0.12);
    }
}

static void test_barriers(void **state) {
    (void)state;
    for (uint32_t t = 32; t <= 1024; t *= 2) {
        char name[64];
        snprintf(name, sizeof name, "bar.sync of %u threads", t);
        near(name, repeated("bar.sync 0;\n", "bar.sync 0;\n", t) / 64.0, 0.15);
    }
}

/* A copy that misses, then the same one again: the L2, or L1, has it. */
static void test_copies(void **state) {
    (void)state;
    static const struct {
        const char *op, *first, *again;
    } rows[] = {
        {"cp.async.cg.shared.global [%r11], [%rd6], 16;\n",
         "cp.async.cg 16 x1 of 32 threads, complete, first",
         "cp.async.cg 16 x1 of 32 threads, complete, again"},
        {"cp.async.ca.shared.global [%r11], [%rd6], 16;\n",
         "cp.async.ca 16 x1 of 32 threads, complete, first",
         "cp.async.ca 16 x1 of 32 threads, complete, again"},
    };
    for (size_t i = 0; i < 2; i++) {
        for (int again = 0; again < 2; again++) {
            char copy[256], body[1024];
            snprintf(copy, sizeof copy,
                     "%scp.async.commit_group;\ncp.async.wait_group 0;\n",
                     rows[i].op);
            snprintf(body, sizeof body,
                     "shl.b32 %%r10, %%r1, 4;\nadd.u32 %%r11, %%r10, %%r3;\n"
                     "cvt.u64.u32 %%rd6, %%r10;\nadd.u64 %%rd6, %%rd6, %%rd1;\n"
                     "%s"
                     "mov.u32 %%r20, %%clock;\n%smov.u32 %%r21, %%clock;\n",
                     again ? copy : "", copy);
            /* The GPU's figures hold about 100 cycles of cold instructions. */
            double gpu = recorded(again ? rows[i].again : rows[i].first);
            double n = cycles(body, 32, 1);
            if (n > gpu || n < gpu - 150) {
                fail_msg("%s: %.0f cycles, the H200 took %.0f", rows[i].op, n,
                         gpu);
            }
        }
    }
}

/* Two CTAs, each on an SM of its own, hand a flag over 64 times: each time one
 * sees what the other wrote takes a path to L2 and back, and not the turns that
 * a simulator gives its SMs. */
static void test_hand_over(void **state) {
    (void)state;
    uint32_t n = cycles("mov.u32 %r9, %ctaid.x;\nmov.u32 %r10, 0;\n"
                        "mov.u32 %r20, %clock;\n"
                        "again:\nld.acquire.gpu.global.u32 %r11, [%rd1];\n"
                        "and.b32 %r12, %r11, 1;\n"
                        "setp.ne.u32 %p1, %r12, %r9;\n@%p1 bra again;\n"
                        "add.u32 %r11, %r11, 1;\n"
                        "st.release.gpu.global.u32 [%rd1], %r11;\n"
                        "add.u32 %r10, %r10, 1;\n"
                        "setp.lt.u32 %p1, %r10, 32;\n@%p1 bra again;\n"
                        "mov.u32 %r21, %clock;\n",
                        1, 2);
    tc_machine machine = {.sm = 80};
    uint32_t l2 = (uint32_t)tc_profile_of(&machine)->l2_latency;
    assert_in_range(n / 64, l2 / 2, 3 * l2);
}

/* Without ptxas: eight loads whose sums wait for each other go out together, as a
 * compiler would have them, and take one way to memory; four words side by side in
 * shared memory are one load. */
static void test_own_schedule(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    tc_machine machine = {.sm = 80};
    uint32_t l2 = (uint32_t)tc_profile_of(&machine)->dram_latency;
    tc_buf_puts(&b, "mov.u32 %r10, 0;\nmov.u32 %r20, %clock;\n");
    for (int i = 0; i < 8; i++) {
        tc_buf_printf(&b,
                      "ld.global.u32 %%r11, [%%rd1+%d];\n"
                      "add.u32 %%r10, %%r10, %%r11;\n",
                      4 * i);
    }
    tc_buf_puts(&b, "st.global.u32 [%rd1], %r10;\nmov.u32 %r21, %clock;\n");
    assert_in_range(cycles(b.data, 32, 1), 100, 2 * l2);
    tc_buf_free(&b);
}

/* Three warps wait for a fourth one, which has 64 ops of some 17 cycles to go
 * first: that is what their time went to, and nobody was kept by another's
 * turn. */
static void test_stalls(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra meet;\n");
    for (int i = 0; i < 64; i++) {
        tc_buf_puts(&b, "ex2.approx.ftz.f32 %f1, %f1;\n");
    }
    tc_buf_puts(&b, "meet:\nbar.sync 0;\n");
    sim_case c = {.grid = 1, .block = 128, .timing = true};
    c.completion = TC_COMPLETE_TIMING;
    char *text = whole_text(b.data, NULL);
    run_text(&c, text);
    const uint64_t *stalls = c.r.counters.stalls;
    double wait = 64 * recorded("latency ex2.approx");
    assert_true(stalls[TC_STALL_BARRIER] > 2.9 * wait);
    assert_true(stalls[TC_STALL_BARRIER] < 3.3 * wait);
    assert_true(stalls[TC_STALL_NOT_SELECTED] < 100);
    end_case(&c);
    free(text);
    tc_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_wide_wavefronts),
        cmocka_unit_test(test_own_schedule),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_l2_between_launches),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_stalls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
