/* test_sim_tcgen05.c - tcgen05.ld, st, their shapes and waits. Where a register
 * lies in tensor memory is what the layout algebra says, which agrees with TVM:
 * src/layout's atoms and data paths. */
#include "async_run.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_agree_with_the_layout_algebra),
        cmocka_unit_test(stores_agree_with_the_layout_algebra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
