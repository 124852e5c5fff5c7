/* test_sim_tcgen05.c - tcgen05.ld, st, their shapes and waits. Where a register
 * lies in tensor memory is what the layout algebra says, which agrees with TVM:
 * src/layout's atoms and data paths. */
#include "async_run.h"
#include "detail_text.h"
#include "layout/helpers.h"
#include "tcgen05_machine.h"

/* ---- shapes against the layout algebra ---- */

typedef struct shape_case {
    const char *shape;
    uint32_t rep, regs, columns, slabs; /* registers, columns of 32 bits */
    int bits;
    uint32_t rows, warp;
} shape_case;

static int64_t on(const tc_offset *o, int n, const char *axis) {
    for (int i = 0; i < n; i++) {
        if (strcmp(o[i].axis->name, axis) == 0) {
            return o[i].value;
        }
    }
    return 0;
}

/* One element of the tile: the register that holds it, and its cell. */
typedef struct element {
    uint32_t warp, lane, reg, half;
    uint32_t tlane, tcol;
} element;

static element element_of(tc_layout_ctx *cx, const shape_case *s,
                          const tc_layout *reg, const tc_layout *tmem,
                          int64_t row, int64_t col) {
    int64_t per = 32 / s->bits, at[] = {row, col};
    int64_t shape[] = {s->rows, s->columns * per};
    const tc_offset *o;
    int n;
    assert_int_equal(tc_layout_apply(cx, reg, at, 2, shape, 2, &o, &n),
                     TC_LAYOUT_OK);
    int64_t m = on(o, n, "m");
    element e = {.reg = (uint32_t)(m / per), .half = (uint32_t)(m % per)};
    if (strcmp(s->shape, "32x32b") == 0) {
        int64_t t = on(o, n, "tid_in_wg");
        e.warp = (uint32_t)t / 32;
        e.lane = (uint32_t)t % 32;
    } else {
        e.warp = (uint32_t)on(o, n, "wid_in_wg");
        e.lane = (uint32_t)on(o, n, "laneid");
    }
    assert_int_equal(tc_layout_apply(cx, tmem, at, 2, shape, 2, &o, &n),
                     TC_LAYOUT_OK);
    e.tlane = (uint32_t)on(o, n, "TLane");
    e.tcol = (uint32_t)on(o, n, "TCol");
    return e;
}

enum { FIRST = 32 }; /* column where the tile begins */

/* Loads the tile of a warp and sends register r of thread t to word r * 32 + t
 * of B; the cells hold lane << 16 | column. */
static char *load_text(const shape_case *s) {
    tc_buf b = TC_BUF_INIT;
    machine_alloc(&b, 512);
    machine_fill(&b, 0, FIRST + s->columns);
    tc_buf_printf(&b, ".reg .b32 %%v<129>;\n");
    for (uint32_t i = 0; i < s->slabs; i++) {
        tc_buf_printf(&b, "tcgen05.ld.sync.aligned.%s.x%u.b32 {", s->shape,
                      s->rep);
        machine_list(&b, i * s->regs, s->regs);
        tc_buf_printf(&b, "}, [%%r20+%u];\n", (i * 16) << 16 | FIRST);
    }
    tc_buf_puts(&b, "tcgen05.wait::ld.sync.aligned;\n");
    tc_buf_printf(&b, "setp.ne.u32 %%p3, %%r22, %u;\n@%%p3 bra DONE;\n",
                  s->warp);
    for (uint32_t r = 0; r < s->regs * s->slabs; r++) {
        tc_buf_printf(&b, "st.global.u32 [%%rd5+%u], %%v%u;\n", r * 128, r);
    }
    machine_dealloc(&b, 512);
    return b.data;
}

static void check_load(tc_layout_ctx *cx, async_case *c, const shape_case *s,
                       const tc_layout *reg, const tc_layout *tmem) {
    int64_t per = 32 / s->bits;
    for (int64_t row = 0; row < s->rows; row++) {
        for (int64_t col = 0; col < s->columns * per; col++) {
            element e = element_of(cx, s, reg, tmem, row, col);
            if (e.warp != s->warp) {
                continue;
            }
            uint32_t cell = e.tlane << 16 | ((uint32_t)(e.tcol / per) + FIRST);
            uint32_t want = s->bits == 32 ? cell : cell >> e.half * 16 & 0xffff;
            uint32_t got = machine_word(c->b, e.reg * 32 + e.lane);
            got = s->bits == 32 ? got : got >> e.half * 16 & 0xffff;
            assert_int_equal(e.half, (uint32_t)(e.tcol % per));
            assert_int_equal(got, want);
        }
    }
}

static void one_load(shape_case s, bool assemble) {
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    const tc_layout *reg, *tmem;
    int64_t columns = s.columns * (32 / s.bits);
    assert_int_equal(
        tc_tcgen05_atom_layout(&cx, s.shape, s.rows, columns, s.bits, &reg),
        TC_LAYOUT_OK);
    assert_int_equal(tc_tmem_datapath_layout(&cx, s.rows == 64 ? "F" : "D",
                                             s.rows, columns, &tmem),
                     TC_LAYOUT_OK);
    char *body = load_text(&s);
    async_case *c = async_new();
    *c = (async_case){.arch = "sm_100a", .block = 128, .hazards = true};
    if (assemble) {
        char *text = async_text(c, body);
        async_ptxas(text, "sm_100a");
        free(text);
    }
    async_run(c, body);
    assert_int_equal(c->r.status, TC_RUN_OK);
    check_load(&cx, c, &s, reg, tmem);
    async_end(c);
    free(c);
    free(body);
    tc_arena_free(a);
}

static const struct {
    const char *shape;
    uint32_t regs, columns, most;
} shapes[] = {{"32x32b", 1, 1, 128},
              {"16x64b", 1, 2, 128},
              {"16x128b", 2, 4, 64},
              {"16x256b", 4, 8, 32}};

/* Two slabs of 16 rows cover a warp's 32 lanes: up to 64 registers each. */
static void loads_agree_with_the_layout_algebra(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (uint32_t rep = 1; rep <= shapes[i].most; rep *= 2) {
            uint32_t regs = shapes[i].regs * rep;
            shape_case s = {.shape = shapes[i].shape,
                            .rep = rep,
                            .regs = regs,
                            .columns = shapes[i].columns * rep,
                            .warp = rep % 3};
            for (s.bits = 16; s.bits <= 32; s.bits *= 2) {
                bool halves = i > 0;
                s.rows = halves && regs == 128 ? 64 : 128;
                s.slabs = halves && s.rows == 128 ? 2 : 1;
                one_load(s, s.bits == 16 && rep % 4 == 0);
            }
            if (i > 0) {
                s.rows = 64;
                s.slabs = 1;
                s.bits = 32;
                s.warp = 3;
                one_load(s, false);
            }
        }
    }
}

/* ---- stores: what a load of 32x32b finds then ---- */

/* Register r of thread t holds r << 8 | t. B gets columns [0, 128) of the
 * warp's lanes, column by column. */
static char *store_text(const shape_case *s) {
    tc_buf b = TC_BUF_INIT;
    machine_alloc(&b, 512);
    tc_buf_printf(&b, "mov.u32 %%r30, 0x55555555;\n");
    machine_set(&b, 0, 256, "%r30");
    tc_buf_printf(&b, ".reg .b32 %%v<129>;\nand.b32 %%r31, %%r1, 31;\n");
    for (uint32_t r = 0; r < s->regs; r++) {
        tc_buf_printf(&b, "or.b32 %%v%u, %%r31, %u;\n", r, r << 8);
    }
    tc_buf_printf(&b, "tcgen05.st.sync.aligned.%s.x%u.b32 [%%r20+%u], {",
                  s->shape, s->rep, s->slabs == 2 ? 16u << 16 : 0);
    machine_list(&b, 0, s->regs);
    tc_buf_puts(&b, "};\ntcgen05.wait::st.sync.aligned;\n");
    machine_read(&b, s->warp, 128);
    machine_dealloc(&b, 512);
    return b.data;
}

/* Slab 2 says: the second 16 lanes of each quarter. */
static void one_store(shape_case s) {
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    const tc_layout *reg, *tmem;
    bool halves = strcmp(s.shape, "32x32b") != 0;
    s.bits = 32;
    s.rows = halves ? 64 : 128;
    assert_int_equal(
        tc_tcgen05_atom_layout(&cx, s.shape, s.rows, s.columns, 32, &reg),
        TC_LAYOUT_OK);
    assert_int_equal(tc_tmem_datapath_layout(&cx, halves ? "F" : "D", s.rows,
                                             s.columns, &tmem),
                     TC_LAYOUT_OK);
    static uint32_t want[128 * 32]; /* column, lane of the quarter */
    for (int i = 0; i < 128 * 32; i++) {
        want[i] = 0x55555555;
    }
    for (int64_t row = 0; row < s.rows; row++) {
        for (int64_t col = 0; col < s.columns && col < 128; col++) {
            element e = element_of(&cx, &s, reg, tmem, row, col);
            uint32_t lane = e.tlane % 32 + (s.slabs == 2 ? 16 : 0);
            if (e.warp == s.warp) {
                want[e.tcol * 32 + lane] = e.reg << 8 | e.lane;
            }
        }
    }
    char *body = store_text(&s);
    async_case *c = async_new();
    *c = (async_case){.arch = "sm_100a", .block = 128, .hazards = true};
    async_run(c, body);
    assert_int_equal(c->r.status, TC_RUN_OK);
    for (uint32_t i = 0; i < 128 * 32; i++) {
        assert_int_equal(machine_word(c->b, i), want[i]);
    }
    async_end(c);
    free(c);
    free(body);
    tc_arena_free(a);
}

static void stores_agree_with_the_layout_algebra(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (uint32_t rep = 1; rep <= shapes[i].most; rep *= 2) {
            shape_case s = {.shape = shapes[i].shape,
                            .rep = rep,
                            .regs = shapes[i].regs * rep,
                            .columns = shapes[i].columns * rep,
                            .slabs = i > 0 && rep % 4 == 2 ? 2 : 1,
                            .warp = rep % 4};
            one_store(s);
        }
    }
}

/* ---- two halves, and 16 bits a column ---- */

static async_case *run_body(const char *body, uint32_t block,
                            tc_completion completion) {
    async_case *c = async_new();
    *c = (async_case){.arch = "sm_100a",
                      .block = block,
                      .hazards = true,
                      .completion = completion};
    char *text = async_text(c, body);
    async_ptxas(text, "sm_100a");
    async_run(c, body);
    free(text);
    return c;
}

static void end_body(async_case *c) {
    async_end(c);
    free(c);
}

static void run_buf(tc_buf *b, async_case **c) {
    *c = run_body(b->data, 128, TC_COMPLETE_LATE);
    free(b->data);
}

/* 9.7.16.8.3: two accesses of .16x32b, at the address and at the address plus
 * the constant; the second one belongs to threads 16 to 31 (figure 187). */
static void two_halves(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    async_case *c;
    machine_alloc(&b, 64);
    machine_fill(&b, 0, 64);
    tc_buf_puts(&b, ".reg .b32 %v<4>;\nshl.b32 %r30, %r22, 21;\n"
                    "add.u32 %r30, %r30, %r20;\nadd.u32 %r30, %r30, "
                    "1048579;\n" /* own quarter, lane 16, column 3 */
                    "tcgen05.ld.sync.aligned.16x32bx2.x4.b32 "
                    "{%v0, %v1, %v2, %v3}, [%r30], 40;\n"
                    "tcgen05.wait::ld.sync.aligned;\n"
                    "setp.ne.u32 %p3, %r22, 2;\n@%p3 bra DONE;\n");
    for (int i = 0; i < 4; i++) {
        tc_buf_printf(&b, "st.global.u32 [%%rd5+%d], %%v%d;\n", i * 128, i);
    }
    machine_dealloc(&b, 64);
    run_buf(&b, &c);
    assert_int_equal(c->r.status, TC_RUN_OK);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t t = 0; t < 32; t++) {
            uint32_t lane = 64 + 16 + t % 16;
            uint32_t column = 3 + i + (t >= 16 ? 40 : 0);
            assert_int_equal(machine_word(c->b, i * 32 + t),
                             lane << 16 | column);
        }
    }
    end_body(c);
}

/* 9.7.16.8.2: a register is two columns of 16 bits. */
static void packed(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    async_case *c;
    machine_alloc(&b, 64);
    machine_fill(&b, 0, 64);
    tc_buf_puts(&b, ".reg .b32 %v<4>;\n"
                    "tcgen05.ld.sync.aligned.16x64b.x2.pack::16b.b32 "
                    "{%v0, %v1}, [%r20+1];\n"
                    "tcgen05.wait::ld.sync.aligned;\n"
                    "mov.u32 %v2, 0x30002;\nmov.u32 %v3, 0x50004;\n"
                    "tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 "
                    "[%r20+10], {%v2, %v3};\n"
                    "tcgen05.wait::st.sync.aligned;\n"
                    "tcgen05.ld.sync.aligned.32x32b.x4.b32 "
                    "{%r30, %r31, %r32, %r33}, [%r20+10];\n"
                    "tcgen05.wait::ld.sync.aligned;\n"
                    "@%p2 bra DONE;\nst.global.u32 [%rd5], %v0;\n"
                    "st.global.u32 [%rd5+128], %v1;\n");
    for (int i = 0; i < 4; i++) {
        tc_buf_printf(&b, "st.global.u32 [%%rd5+%d], %%r%d;\n", 256 + i * 128,
                      30 + i);
    }
    machine_dealloc(&b, 64);
    run_buf(&b, &c);
    assert_int_equal(c->r.status, TC_RUN_OK);
    for (uint32_t t = 0; t < 32; t++) {
        for (uint32_t i = 0; i < 2; i++) { /* columns 1 + 2j and 2 + 2j */
            uint32_t column = 1 + 2 * (i * 2 + t / 2 % 2);
            assert_int_equal(machine_word(c->b, i * 32 + t),
                             column | (column + 1) << 16);
        }
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(machine_word(c->b, 64 + i * 32 + t), i + 2);
        }
    }
    end_body(c);
}

/* ---- allocation ---- */

typedef struct wrong_case {
    const char *name, *body;
    tc_run_status status;
    tc_finding_kind kind; /* of the only finding */
    const char *detail;
    uint32_t block;
} wrong_case;

#define ALLOC(n)                                                               \
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], " n ";\n"
#define DEALLOC(at, n)                                                         \
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 " at ", " n ";\n"
#define RELINQUISH                                                             \
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
#define ADDRESS(r) "ld.shared.u32 " r ", [%r3];\n"
#define LD(r, at)  "tcgen05.ld.sync.aligned.32x32b.x1.b32 {" r "}, [" at "];\n"
#define ST(at, r)  "tcgen05.st.sync.aligned.32x32b.x1.b32 [" at "], {" r "};\n"
#define WAIT_LD    "tcgen05.wait::ld.sync.aligned;\n"
#define WAIT_ST    "tcgen05.wait::st.sync.aligned;\n"
#define KEEP(r)                                                                \
    "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd5, %rd2, %rd5;\n"                  \
    "st.global.u32 [%rd5], " r ";\n"

static const wrong_case wrongs[] = {
    {"more than there is: it waits for ever",
     ALLOC("512") ALLOC("512") ADDRESS("%r5") DEALLOC("%r5", "512"),
     TC_RUN_DEADLOCK, TC_FINDING_DEADLOCK, "not enough columns", 32},
    {"after the permit was given back",
     ALLOC("32") ADDRESS("%r5") RELINQUISH ALLOC("32") DEALLOC("%r5", "32"),
     TC_RUN_FAULT, TC_FINDING_TRAP, "relinquish_alloc_permit", 32},
    {"33 columns", "mov.u32 %r5, 33;\n" ALLOC("%r5"), TC_RUN_FAULT,
     TC_FINDING_ILLEGAL_SIZE, "32, 64, 128, 256 or 512", 32},
    {"1024 columns", "mov.u32 %r5, 1024;\n" ALLOC("%r5"), TC_RUN_FAULT,
     TC_FINDING_ILLEGAL_SIZE, "32, 64, 128, 256 or 512", 32},
    {"more than the allocation before",
     ALLOC("32") ADDRESS("%r5") ALLOC("64") ADDRESS("%r6") DEALLOC("%r5", "32")
         DEALLOC("%r6", "64"),
     TC_RUN_FINDINGS, TC_FINDING_ILLEGAL_SIZE, "more columns", 32},
    {"not given back", ALLOC("32"), TC_RUN_FINDINGS, TC_FINDING_TRAP,
     "without giving it back", 32},
    {"given back in part", ALLOC("64") ADDRESS("%r5") DEALLOC("%r5", "32"),
     TC_RUN_FAULT, TC_FINDING_OUT_OF_BOUNDS, "no allocation", 32},
    {"given back twice",
     ALLOC("64") ADDRESS("%r5") DEALLOC("%r5", "64") DEALLOC("%r5", "64"),
     TC_RUN_FAULT, TC_FINDING_OUT_OF_BOUNDS, "no allocation", 32},
    {"a load with nothing allocated", "mov.u32 %r5, 0;\n" LD("%r6", "%r5"),
     TC_RUN_FAULT, TC_FINDING_OUT_OF_BOUNDS, "not allocated", 32},
    {"a store behind the allocation",
     ALLOC("32") ADDRESS("%r5") ST("%r5+32", "%r1"), TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS, "not allocated", 32},
    {"a load of two columns, one allocated",
     ALLOC("32") ADDRESS("%r5") "tcgen05.ld.sync.aligned.32x32b.x2.b32 "
                                "{%r6, %r7}, [%r5+31];\n",
     TC_RUN_FAULT, TC_FINDING_OUT_OF_BOUNDS, "not allocated", 32},
    {"another warp's lanes",
     ALLOC("32") ADDRESS("%r5") LD("%r6", "%r5+2097152"), TC_RUN_FAULT,
     TC_FINDING_OUT_OF_BOUNDS, "its quarter", 32},
    {"lanes past the quarter",
     ALLOC("32") ADDRESS("%r5") "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r6}, "
                                "[%r5+1114112];\n", /* lane 17 */
     TC_RUN_FAULT, TC_FINDING_OUT_OF_BOUNDS, "past the warp's quarter", 32},
    {"different addresses",
     ALLOC("32")
         ADDRESS("%r5") "and.b32 %r6, %r1, 1;\nadd.u32 %r5, %r5, %r6;\n" LD(
             "%r6", "%r5"),
     TC_RUN_FAULT, TC_FINDING_TRAP, "different addresses", 32},
    {"half a warp", ALLOC("32"), TC_RUN_FAULT, TC_FINDING_TRAP,
     "all 32 threads", 16},
    {"cells that nobody wrote",
     ALLOC("32") ADDRESS("%r5") LD("%r6", "%r5") WAIT_LD DEALLOC("%r5", "32"),
     TC_RUN_FINDINGS, TC_FINDING_UNINITIALIZED_READ, NULL, 32},
    {"a load before the store was waited for",
     ALLOC("32") ADDRESS("%r5") ST("%r5", "%r1") LD("%r6", "%r5")
         WAIT_LD WAIT_ST DEALLOC("%r5", "32"),
     TC_RUN_FINDINGS, TC_FINDING_READ_BEFORE_COMPLETE, NULL, 32},
    {"registers before the load was waited for",
     ALLOC("32") ADDRESS("%r5") ST("%r5", "%r1") WAIT_ST LD("%r6", "%r5")
         KEEP("%r6") WAIT_LD DEALLOC("%r5", "32"),
     TC_RUN_FINDINGS, TC_FINDING_READ_BEFORE_COMPLETE, NULL, 32},
};

static void holds(const async_case *c, const wrong_case *w) {
    if (c->r.status != w->status || c->r.nfindings != 1 ||
        c->r.findings[0].kind != w->kind) {
        fprintf(stderr, "%s: status %d, %d findings, first %s %s\n", w->name,
                c->r.status, c->r.nfindings,
                c->r.nfindings ? tc_finding_kind_names[c->r.findings[0].kind]
                               : "",
                c->r.nfindings ? detail_text(&c->r.findings[0]) : "");
        fail();
    }
    const char *detail = detail_text(&c->r.findings[0]);
    assert_true(!w->detail || (detail && strstr(detail, w->detail)));
}

/* In every schedule. */
static void what_is_wrong_is_said(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        for (int k = 0; k < ASYNC_POLICIES; k++) {
            const wrong_case *w = &wrongs[i];
            async_case *c = async_new();
            *c = (async_case){.arch = "sm_100a",
                              .block = w->block,
                              .hazards = true,
                              .timing = async_policies[k].timing,
                              .completion = async_policies[k].completion,
                              .seed = async_policies[k].seed};
            if (k == 0) {
                char *text = async_text(c, w->body);
                async_ptxas(text, "sm_100a");
                free(text);
            }
            async_run(c, w->body);
            holds(c, w);
            end_body(c);
        }
    }
}

/* 9.7.16.6.4.5: a register dependency is respected without a wait; without
 * wait::st, a load may find what was there before: it does under LATE. */
static void values_without_waits(void **state) {
    (void)state;
    static const char loaded[] = ALLOC("32") ADDRESS("%r5") ST("%r5", "%r1")
        WAIT_ST LD("%r6", "%r5") KEEP("%r6") WAIT_LD DEALLOC("%r5", "32");
    static const char stored[] = ALLOC("32") ADDRESS("%r5") ST("%r5", "%r1")
        WAIT_ST "mov.u32 %r7, 77;\n" ST("%r5", "%r7") LD("%r6", "%r5")
            WAIT_LD WAIT_ST KEEP("%r6") DEALLOC("%r5", "32");
    async_case *c = run_body(loaded, 32, TC_COMPLETE_LATE);
    assert_int_equal(machine_word(c->b, 9), 9);
    end_body(c);
    c = run_body(stored, 32, TC_COMPLETE_LATE);
    assert_int_equal(machine_word(c->b, 9), 9);
    end_body(c);
    c = run_body(stored, 32, TC_COMPLETE_EARLY);
    assert_int_equal(machine_word(c->b, 9), 77);
    end_body(c);
}

/* A write of the register after the load is the later one. */
static void a_later_write_stays(void **state) {
    (void)state;
    async_case *c = run_body(
        ALLOC("32") ADDRESS("%r5") ST("%r5", "%r1")
            WAIT_ST LD("%r6", "%r5") "mov.u32 %r6, 5;\n" WAIT_LD KEEP("%r6")
                DEALLOC("%r5", "32"),
        32, TC_COMPLETE_LATE);
    assert_int_equal(machine_word(c->b, 9), 5);
    assert_int_equal(c->r.nfindings, 0);
    end_body(c);
}

/* Warp 1 waits in alloc until warp 0 gives back. */
static void alloc_waits_for_room(void **state) {
    (void)state;
    async_case *c = run_body(
        "setp.gt.u32 %p2, %r1, 31;\n@%p2 bra SECOND;\n" ALLOC("512")
            ADDRESS("%r5") "bar.sync 1, 64;\nnanosleep.u32 1000;\n" DEALLOC(
                "%r5",
                "512") "bra.uni OUT;\nSECOND:\nbar.sync 1, 64;\n"
                       "add.u32 %r4, %r3, 8;\n"
                       "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta"
                       ".b32 [%r4], 256;\n"
                       "ld.shared.u32 %r5, [%r4];\n" DEALLOC(
                           "%r5", "256") "OUT:\nbar.sync 0;\n",
        64, TC_COMPLETE_LATE);
    assert_int_equal(c->r.status, TC_RUN_OK);
    end_body(c);
}

/* 9.7.16.6.4.4: one thread tells another warp of the same quarter. */
static void another_warp_is_told(void **state) {
    (void)state;
    async_case *c = run_body(
        "setp.gt.u32 %p2, %r1, 31;\nadd.u32 %r4, %r3, 8;\n"
        "@%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\n"
        "@%p2 bra HAVE;\n" ALLOC("32") "HAVE:\nbar.sync 0;\n" ADDRESS(
            "%r5") "@%p2 bra OTHER;\n" ST("%r5", "%r1") WAIT_ST
        "tcgen05.fence::before_thread_sync;\nsetp.eq.u32 %p3, %r1, 5;\n"
        "@%p3 mbarrier.arrive.shared::cta.b64 _, [%r4];\nbra OUT;\n"
        "OTHER:\nsetp.lt.u32 %p4, %r1, 128;\n@%p4 bra OUT;\n"
        "POLL:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r4], 0;\n"
        "@!%p3 bra POLL;\ntcgen05.fence::after_thread_sync;\n" LD("%r6", "%r5")
            WAIT_LD KEEP("%r6") "OUT:\nbar.sync 0;\n"
                                "@%p2 bra END;\n" DEALLOC("%r5", "32") "END:\n",
        160, TC_COMPLETE_LATE);
    assert_int_equal(c->r.status, TC_RUN_OK);
    assert_int_equal(machine_word(c->b, 128 + 9), 9);
    end_body(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_agree_with_the_layout_algebra),
        cmocka_unit_test(stores_agree_with_the_layout_algebra),
        cmocka_unit_test(two_halves),
        cmocka_unit_test(packed),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(values_without_waits),
        cmocka_unit_test(a_later_write_stays),
        cmocka_unit_test(alloc_waits_for_room),
        cmocka_unit_test(another_warp_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
