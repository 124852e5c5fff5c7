/* test_sim_tcgen05_cp.c - tcgen05.cp and commit. Where a byte of a swizzled
 * matrix lies in shared memory is what the layout algebra says (TVM's shared
 * layouts for MMA); which lanes a row goes to is the ISA's list of warp pairs
 * (9.7.16.9.2). */
#include "async_run.h"
#include "detail_text.h"
#include "layout/helpers.h"
#include "tcgen05_machine.h"

/* A to shared memory; the barrier; all cells 0x55555555; both proxies know. */
static void prepare(tc_buf *b) {
    machine_alloc(b, 64);
    tc_buf_puts(b, "shl.b32 %r10, %r1, 4;\nmov.b32 %r16, 0;\nEACH:\n"
                   "add.u32 %r11, %r2, %r10;\ncvt.u64.u32 %rd10, %r10;\n"
                   "add.u64 %rd11, %rd1, %rd10;\n"
                   "ld.global.v4.b32 {%r12, %r13, %r14, %r15}, [%rd11];\n"
                   "st.shared.v4.b32 [%r11], {%r12, %r13, %r14, %r15};\n"
                   "add.u32 %r10, %r10, 2048;\nadd.u32 %r16, %r16, 1;\n"
                   "setp.lt.u32 %p3, %r16, 8;\n@%p3 bra EACH;\n"
                   "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"
                   "mov.u32 %r30, 0x55555555;\n");
    machine_set(b, 0, 64, "%r30");
    tc_buf_puts(b, "fence.proxy.async.shared::cta;\n"
                   "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
                   "tcgen05.fence::after_thread_sync;\n");
}

static const char wait_and_read[] =
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;\n"
    "@!%p3 bra WAIT;\ntcgen05.fence::after_thread_sync;\n";

/* B gets 8 columns from the first one on: column * 128 + lane. */
static void read_all(tc_buf *b, uint32_t first) {
    tc_buf_printf(b,
                  ".reg .b32 %%v<8>;\n"
                  "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%%v0, %%v1, %%v2, "
                  "%%v3, %%v4, %%v5, %%v6, %%v7}, [%%r20+%u];\n"
                  "tcgen05.wait::ld.sync.aligned;\n"
                  "mul.wide.u32 %%rd7, %%r1, 4;\nadd.u64 %%rd7, %%rd2, "
                  "%%rd7;\n",
                  first);
    for (int i = 0; i < 8; i++) {
        tc_buf_printf(b, "st.global.u32 [%%rd7+%d], %%v%d;\n", i * 512, i);
    }
}

/* %rd8: the descriptor of a matrix at sm + offset. */
static void describe(tc_buf *b, uint32_t offset, uint32_t leading,
                     uint32_t stride, uint32_t swizzle, uint32_t base) {
    unsigned long long d = (unsigned long long)(leading / 16) << 16 |
                           (unsigned long long)(stride / 16) << 32 |
                           1ull << 46 | (unsigned long long)base << 49 |
                           (unsigned long long)swizzle << 61;
    tc_buf_printf(b,
                  "add.u32 %%r10, %%r2, %u;\nshr.u32 %%r10, %%r10, 4;\n"
                  "cvt.u64.u32 %%rd9, %%r10;\nmov.b64 %%rd8, 0x%llx;\n"
                  "or.b64 %%rd8, %%rd8, %%rd9;\n",
                  offset, d);
}

typedef struct copy_case {
    const char *shape;
    uint32_t rows, bytes;
    uint32_t swizzle, width; /* code of the descriptor; bytes of a row in
                                shared memory; 0: no swizzle */
    int mode;                /* tc_swizzle_mode of the layout */
    uint32_t leading, stride, first; /* first: byte of the rows to begin with */
} copy_case;

static const copy_case copies[] = {
    {"128x256b", 128, 32, 0, 0, 0, 2048, 128, 0},
    {"128x256b", 128, 32, 0, 0, 0, 128, 256, 0},
    {"128x128b", 128, 16, 0, 0, 0, 0, 128, 0},
    {"64x128b.warpx2::02_13", 64, 16, 0, 0, 0, 0, 256, 0},
    {"64x128b.warpx2::01_23", 64, 16, 0, 0, 0, 0, 128, 0},
    {"32x128b.warpx4", 32, 16, 0, 0, 0, 0, 512, 0},
    {"4x256b", 4, 32, 0, 0, 0, 1024, 0, 0},
    {"128x256b", 128, 32, 6, 32, TC_SWIZZLE_32B_ATOM, 0, 256, 0},
    {"128x256b", 128, 32, 4, 64, TC_SWIZZLE_64B_ATOM, 0, 512, 0},
    {"128x256b", 128, 32, 4, 64, TC_SWIZZLE_64B_ATOM, 0, 512, 32},
    {"128x256b", 128, 32, 2, 128, TC_SWIZZLE_128B_ATOM, 0, 1024, 0},
    {"128x256b", 128, 32, 2, 128, TC_SWIZZLE_128B_ATOM, 0, 1024, 96},
    {"128x128b", 128, 16, 2, 128, TC_SWIZZLE_128B_ATOM, 0, 1024, 48},
    {"64x128b.warpx2::02_13", 64, 16, 6, 32, TC_SWIZZLE_32B_ATOM, 0, 256, 16},
    {"32x128b.warpx4", 32, 16, 4, 64, TC_SWIZZLE_64B_ATOM, 0, 512, 48},
    {"4x256b", 4, 32, 2, 128, TC_SWIZZLE_128B_ATOM, 0, 1024, 64},
};

/* The row that a lane gets, -1 none. */
static int row_of(const copy_case *k, uint32_t lane) {
    if (k->rows == 4) {
        return lane % 32 == 0 ? (int)lane / 32 : -1;
    }
    if (strstr(k->shape, "01_23")) { /* warps 0 and 1, 2 and 3 */
        return (int)(lane / 64 * 32 + lane % 32);
    }
    return (int)(lane % k->rows); /* 0 and 2, 1 and 3; all four */
}

/* Offset of a row's byte in shared memory. */
static uint32_t offset_of(tc_layout_ctx *cx, const tc_layout *l,
                          const copy_case *k, uint32_t row, uint32_t byte) {
    if (!k->swizzle) { /* core matrices of 8 rows of 16 bytes */
        return row % 8 * 16 + row / 8 * k->stride + byte / 16 * k->leading +
               byte % 16;
    }
    int64_t at[] = {row, k->first + byte}, shape[] = {128, k->width};
    const tc_offset *o;
    int n;
    assert_int_equal(tc_layout_apply(cx, l, at, 2, shape, 2, &o, &n),
                     TC_LAYOUT_OK);
    assert_int_equal(n, 1);
    return (uint32_t)o[0].value;
}

static char *copy_text(const copy_case *k) {
    tc_buf b = TC_BUF_INIT;
    prepare(&b);
    describe(&b, k->first, k->leading, k->stride, k->swizzle, 0);
    tc_buf_printf(&b,
                  "@!%%p1 bra ISSUED;\n"
                  "tcgen05.cp.cta_group::1.%s [%%r20+3], %%rd8;\n"
                  "tcgen05.commit.cta_group::1.mbarrier::arrive::one"
                  ".shared::cluster.b64 [%%r3];\nISSUED:\n%s",
                  k->shape, wait_and_read);
    read_all(&b, 3);
    machine_dealloc(&b, 64);
    return b.data;
}

static void check_copy(async_case *c, const copy_case *k) {
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    const tc_layout *l = NULL;
    int64_t shape[] = {128, k->width};
    if (k->swizzle) {
        assert_int_equal(tc_mma_shared_layout(&cx, 8, (tc_swizzle_mode)k->mode,
                                              shape, 2, &l),
                         TC_LAYOUT_OK);
    }
    for (uint32_t lane = 0; lane < 128; lane++) {
        for (uint32_t i = 0; i < 32; i++) {
            int row = i < k->bytes ? row_of(k, lane) : -1;
            uint32_t at = i / 4 * 512 + lane * 4 + i % 4;
            uint8_t want =
                row < 0 ? 0x55 : c->a0[offset_of(&cx, l, k, (uint32_t)row, i)];
            if (c->b[at] != want) {
                fprintf(stderr, "%s, swizzle %u: lane %u, byte %u\n", k->shape,
                        k->swizzle, lane, i);
            }
            assert_int_equal(c->b[at], want);
        }
    }
    tc_arena_free(a);
}

static void copies_agree_with_the_layout_algebra(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char *body = copy_text(&copies[i]);
        for (int k = 0; k < ASYNC_POLICIES; k++) {
            async_case *c = async_new();
            *c = (async_case){.arch = "sm_100a",
                              .block = 128,
                              .hazards = true,
                              .timing = async_policies[k].timing,
                              .completion = async_policies[k].completion,
                              .seed = async_policies[k].seed};
            if (k == 0) {
                char *text = async_text(c, body);
                async_ptxas(text, "sm_100a");
                free(text);
            }
            async_run(c, body);
            for (int f = 0; f < c->r.nfindings; f++) {
                fprintf(stderr, "%s %s %s: %s\n", copies[i].shape,
                        async_policies[k].name,
                        tc_finding_kind_names[c->r.findings[f].kind],
                        detail_text(&c->r.findings[f]));
            }
            assert_int_equal(c->r.status, TC_RUN_OK);
            check_copy(c, &copies[i]);
            async_end(c);
            free(c);
        }
        free(body);
    }
}

/* ---- what is wrong ---- */

typedef struct wrong_case {
    const char *name;
    const char *drop;    /* lines with this are left out of the right program */
    const char *instead; /* of the copy's line, or NULL */
    tc_run_status status;
    tc_finding_kind kind;
    tc_missing missing;
    const char *detail;
} wrong_case;

#define CP(more)                                                               \
    "mov.b64 %rd8, " more ";\n"                                                \
    "tcgen05.cp.cta_group::1.128x128b [%r20+3], %rd8;\n"

static const wrong_case wrongs[] = {
    {"no commit and no wait", "0", NULL, TC_RUN_FINDINGS,
     TC_FINDING_READ_BEFORE_COMPLETE, TC_MISSING_TENSOR_COMMIT, NULL},
    {"no fence between the proxies", "fence.proxy.async", NULL, TC_RUN_FINDINGS,
     TC_FINDING_PROXY_FENCE, TC_MISSING_PROXY_FENCE, NULL},
    {"no wait for the phase", "try_wait", NULL, TC_RUN_FINDINGS,
     TC_FINDING_READ_BEFORE_COMPLETE, TC_MISSING_PHASE_WAIT, NULL},
    {"bits 46 to 48 are 0", NULL, CP("0x800010000"), TC_RUN_FAULT,
     TC_FINDING_TRAP, TC_MISSING_NOTHING, "no descriptor"},
    {"swizzle mode 3", NULL, CP("0x6000400800010000"), TC_RUN_FAULT,
     TC_FINDING_TRAP, TC_MISSING_NOTHING, "swizzle mode"},
    {"a leading address", NULL, CP("0x10400800010000"), TC_RUN_FAULT,
     TC_FINDING_TRAP, TC_MISSING_NOTHING, "sm_103a"},
    {"past shared memory", NULL, CP("0x7fff00010000"), TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS, TC_MISSING_NOTHING, "past shared memory"},
    {"past the allocation", NULL,
     "tcgen05.cp.cta_group::1.128x128b [%r20+61], %rd8;\n", TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS, TC_MISSING_NOTHING, "not allocated"},
    {"past the lanes", NULL,
     "tcgen05.cp.cta_group::1.128x128b [%r20+65536], %rd8;\n", TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS, TC_MISSING_NOTHING, "not allocated"},
};

/* text without its lines that hold drop; the copy replaced. */
static char *changed(const char *text, const wrong_case *w) {
    tc_buf b = TC_BUF_INIT;
    bool bare = w->drop && strcmp(w->drop, "0") == 0;
    bool unasked = bare || (w->drop && strcmp(w->drop, "try_wait") == 0);
    while (*text != 0) {
        size_t n = (size_t)(strchr(text, '\n') - text) + 1;
        char line[256] = {0};
        memcpy(line, text, n < 255 ? n : 255);
        bool cp = strstr(line, "tcgen05.cp") != NULL;
        bool out = (bare && strstr(line, "tcgen05.commit") != NULL) ||
                   (unasked && strstr(line, "WAIT") != NULL) ||
                   (w->drop && strstr(line, w->drop) != NULL && !bare);
        if (cp && w->instead) {
            tc_buf_puts(&b, w->instead);
        } else if (!out) {
            tc_buf_write(&b, text, n);
        }
        text += n;
    }
    return b.data;
}

static void what_is_wrong_is_said(void **state) {
    static const copy_case right = {"128x128b", 128, 16, 0, 0, 0, 16, 128, 0};
    (void)state;
    char *whole = copy_text(&right);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const wrong_case *w = &wrongs[i];
        char *body = changed(whole, w);
        for (int k = 0; k < ASYNC_POLICIES; k++) {
            async_case *c = async_new();
            *c = (async_case){.arch = "sm_100a",
                              .block = 128,
                              .hazards = true,
                              .timing = async_policies[k].timing,
                              .completion = async_policies[k].completion,
                              .seed = async_policies[k].seed};
            async_run(c, body);
            const tc_finding *f = c->r.findings;
            if (c->r.status != w->status || c->r.nfindings != 1 ||
                f->kind != w->kind || f->missing != w->missing) {
                fprintf(stderr, "%s, %s: %d, %d findings %s %s\n", w->name,
                        async_policies[k].name, c->r.status, c->r.nfindings,
                        f ? tc_finding_kind_names[f->kind] : "",
                        f ? detail_text(f) : "");
                fail();
            }
            assert_true(!w->detail ||
                        strstr(detail_text(f), w->detail) != NULL);
            async_end(c);
            free(c);
        }
        free(body);
    }
    free(whole);
}

/* ---- pairs of CTAs ---- */

/* Both CTAs allocate; CTA 0's thread 0 copies for both and tells both; each
 * CTA reads its own columns. */
static char *pair_text(void) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(
        &b,
        "shr.u32 %r22, %r1, 5;\nmov.u32 %r23, %cluster_ctarank;\n"
        "setp.ne.u32 %p2, %r22, 0;\nsetp.eq.u32 %p5, %r23, 0;\n"
        "shl.b32 %r10, %r1, 4;\nadd.u32 %r11, %r2, %r10;\n"
        "mad.lo.u32 %r12, %r23, 1000, %r1;\n"
        "st.shared.v4.b32 [%r11], {%r12, %r12, %r12, %r12};\n"
        "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"
        "fence.mbarrier_init.release.cluster;\n"
        "fence.proxy.async.shared::cta;\nadd.u32 %r21, %r3, 56;\n"
        "@%p2 bra ALLOCATED;\n"
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r21], 64;\n"
        "ALLOCATED:\nbarrier.cluster.arrive.aligned;\n"
        "barrier.cluster.wait.aligned;\nld.shared.u32 %r20, [%r21];\n");
    describe(&b, 0, 16, 128, 0, 0);
    tc_buf_puts(
        &b, "and.pred %p6, %p1, %p5;\n@!%p6 bra ISSUED;\nmov.u16 %h1, 3;\n"
            "tcgen05.cp.cta_group::2.128x128b [%r20], %rd8;\n"
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
            ".multicast::cluster.b64 [%r3], %h1;\nISSUED:\n"
            "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;\n"
            "@!%p3 bra WAIT;\ntcgen05.fence::after_thread_sync;\n"
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r30}, [%r20+2];\n"
            "tcgen05.wait::ld.sync.aligned;\n"
            "shl.b32 %r24, %r23, 7;\nadd.u32 %r24, %r24, %r1;\n"
            "mul.wide.u32 %rd5, %r24, 4;\nadd.u64 %rd5, %rd2, %rd5;\n"
            "st.global.u32 [%rd5], %r30;\n"
            "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
            "@%p2 bra END;\n"
            "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r20, 64;\nEND:\n");
    return b.data;
}

static async_case *run_pair(uint32_t cluster, int policy) {
    char *body = pair_text();
    async_case *c = async_new();
    *c = (async_case){.arch = "sm_100a",
                      .block = 128,
                      .grid = cluster,
                      .cluster = cluster,
                      .hazards = true,
                      .timing = async_policies[policy].timing,
                      .completion = async_policies[policy].completion,
                      .seed = async_policies[policy].seed};
    if (policy == 0) {
        char *text = async_text(c, body);
        async_ptxas(text, "sm_100a");
        free(text);
    }
    async_run(c, body);
    free(body);
    return c;
}

/* Each CTA's tensor memory is filled from its own shared memory. */
static void pairs_of_ctas(void **state) {
    (void)state;
    for (int k = 0; k < ASYNC_POLICIES; k++) {
        async_case *c = run_pair(2, k);
        for (int f = 0; f < c->r.nfindings; f++) {
            fprintf(stderr, "%s %s: %s\n", async_policies[k].name,
                    tc_finding_kind_names[c->r.findings[f].kind],
                    detail_text(&c->r.findings[f]));
        }
        assert_int_equal(c->r.status, TC_RUN_OK);
        for (uint32_t i = 0; i < 256; i++) {
            assert_int_equal(machine_word(c->b, i), i / 128 * 1000 + i % 128);
        }
        async_end(c);
        free(c);
    }
}

static void a_pair_of_one(void **state) {
    (void)state;
    async_case *c = run_pair(1, 0);
    assert_int_equal(c->r.status, TC_RUN_FAULT);
    assert_non_null(strstr(detail_text(&c->r.findings[0]), "a pair of CTAs"));
    async_end(c);
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_agree_with_the_layout_algebra),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(pairs_of_ctas),
        cmocka_unit_test(a_pair_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
