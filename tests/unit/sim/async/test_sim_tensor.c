/* test_sim_tensor.c - cp.async.bulk.tensor, its reductions and tensor maps.
 * Where each byte goes is derived in tensor_model.h from the tables of the PTX
 * ISA, an element at a time. */
#include "tensor_run.h"

/* ---- loads ---- */

typedef struct expected {
    uint8_t bytes[ASYNC_BYTES];
    uint8_t known[ASYNC_BYTES]; /* written by the copy */
    const uint8_t *memory;
    uint32_t size;
    uint64_t fill;
} expected;

static void expect_load(void *user, uint32_t shared, int64_t global) {
    expected *e = user;
    assert_true(shared + e->size <= ASYNC_BYTES);
    memcpy(e->bytes + shared,
           global < 0 ? (const void *)&e->fill : e->memory + global, e->size);
    memset(e->known + shared, 1, e->size);
}

static void load_as(const model_box *m, uint32_t type, uint32_t base,
                    uint32_t fill, const char *space, int policy) {
    tc_buf b = TC_BUF_INIT;
    char list[64], line[300];
    tc_buf_puts(&b, MAP ZERO);
    coordinates(m, &b, list);
    snprintf(line, sizeof line,
             "@%%p1 cp.async.bulk.tensor.%dd.%s.global.tile.mbarrier::"
             "complete_tx::bytes [%%r2+%u], [%%rd9, %s], [%%r3];\n"
             "@%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r3], %u;\n",
             m->rank, space, base, list, box_bytes(m));
    tc_buf_puts(&b, line);
    tc_buf_puts(&b, WAIT OUT);
    async_case *c =
        start(policy, m->swizzle > MODEL_128 ? "sm_100a" : NULL, b.data);
    tc_sim_tensor_map map = map_of(m, type, c->address_a);
    map.oob_fill = fill;
    go(c, &map);
    expected *e = calloc(1, sizeof *e);
    assert_non_null(e);
    e->memory = c->a0;
    e->size = (uint32_t)m->size;
    model_each(m, base, expect_load, e);
    for (uint32_t i = 0; i < ASYNC_BYTES; i++) {
        uint8_t want = e->known[i] ? e->bytes[i] : 0; /* sm begins as zeros */
        if (fill && e->known[i] && e->bytes[i] != c->b[i]) {
            continue; /* NaNs: their own test */
        }
        if (c->b[i] != want) {
            fail_msg("byte %u is %02x, not %02x (%dd, swizzle %d, %s)", i,
                     c->b[i], want, m->rank, m->swizzle, space);
        }
    }
    free(e);
    finish(c);
    tc_buf_free(&b);
}

static void load(const model_box *m, uint32_t type, uint32_t base) {
    for (int policy = 0; policy < ASYNC_POLICIES; policy++) {
        load_as(m, type, base, 0, "shared::cluster", policy);
    }
    load_as(m, type, base, 0, "shared::cta", 0);
}

static void test_matrix(void **state) {
    (void)state;
    static const int32_t at[][2] = {{0, 0},   {8, 3},    {-8, 2}, {56, 61},
                                    {8, -3},  {-16, -9}, {64, 0}, {0, 1000},
                                    {-64, 5}, {56, 63}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        model_box m = matrix(16, 8, at[i][0], at[i][1], MODEL_NONE);
        load(&m, TC_MAP_F16, 0);
    }
}

static void test_swizzles(void **state) {
    (void)state;
    static const struct {
        int swizzle;
        uint32_t inner;
    } kinds[] = {{MODEL_32, 16},     {MODEL_64, 32},    {MODEL_128, 64},
                 {MODEL_ATOM32, 64}, {MODEL_FLIP8, 64}, {MODEL_ATOM64, 64}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (uint32_t base = 0; base <= 1024; base += 384) {
            model_box m = matrix(kinds[i].inner, 20, 0, 50, kinds[i].swizzle);
            load(&m, TC_MAP_F16, base);
        }
    }
}

/* Rows shorter than the swizzle's span lie a whole span apart. */
static void test_short_rows(void **state) {
    (void)state;
    for (int swizzle = MODEL_32; swizzle <= MODEL_128; swizzle++) {
        model_box m = matrix(8, 12, 8, 7, swizzle);
        load(&m, TC_MAP_F16, 0);
    }
}

static void test_dimensions(void **state) {
    (void)state;
    model_box line = {.rank = 1,
                      .size = 1,
                      .dims = {1000},
                      .strides = {1},
                      .box = {256},
                      .step = {1},
                      .at = {896}};
    model_box cube = {.rank = 3,
                      .size = 4,
                      .dims = {10, 7, 9},
                      .strides = {4, 48, 368},
                      .box = {8, 5, 3},
                      .step = {1, 1, 1},
                      .at = {4, -2, 7}};
    model_box four = {.rank = 4,
                      .size = 8,
                      .dims = {6, 3, 4, 5},
                      .strides = {8, 48, 160, 640},
                      .box = {4, 2, 3, 2},
                      .step = {1, 1, 1, 1},
                      .at = {2, 2, 3, 4}};
    model_box five = {.rank = 5,
                      .size = 2,
                      .dims = {16, 3, 3, 3, 3},
                      .strides = {2, 32, 96, 288, 864},
                      .box = {8, 2, 2, 2, 2},
                      .step = {1, 1, 1, 1, 1},
                      .at = {-8, 1, 2, -1, 2}};
    load(&line, TC_MAP_U8, 0);
    line.at[0] = -96;
    load(&line, TC_MAP_U8, 256);
    load(&cube, TC_MAP_F32, 0);
    load(&four, TC_MAP_F64, 128);
    load(&five, TC_MAP_BF16, 0);
}

/* ceil(box / stride) elements, stride apart (5.5.3.2). */
static void test_traversal(void **state) {
    (void)state;
    model_box m = {.rank = 3,
                   .size = 4,
                   .dims = {12, 20, 9},
                   .strides = {4, 48, 960},
                   .box = {8, 9, 7},
                   .step = {1, 2, 3},
                   .at = {4, 6, 1}};
    load(&m, TC_MAP_U32, 0);
    m.at[1] = -3;
    m.at[2] = 5;
    m.swizzle = MODEL_32;
    load(&m, TC_MAP_S32, 0);
}

static bool is_nan(uint32_t type, const uint8_t *p) {
    uint16_t h;
    uint32_t f;
    memcpy(&h, p, 2);
    if (type == TC_MAP_F16) {
        return (h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0;
    }
    if (type == TC_MAP_BF16) {
        return (h & 0x7f80) == 0x7f80 && (h & 0x7f) != 0;
    }
    memcpy(&f, p, 4);
    return (f & 0x7f800000) == 0x7f800000 && (f & 0x7fffff) != 0;
}

static void test_nan_fill(void **state) {
    (void)state;
    static const uint32_t types[] = {TC_MAP_F16, TC_MAP_BF16, TC_MAP_F32};
    for (int i = 0; i < 3; i++) {
        uint32_t size = types[i] == TC_MAP_F32 ? 4 : 2;
        async_case *c = start(
            0, NULL,
            MAP ZERO
            "@%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::"
            "complete_tx::bytes [%r2], [%rd9, {%r1}], [%r3];\n"
            "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], "
            "64;\n" WAIT OUT);
        tc_sim_tensor_map map = {.type = types[i],
                                 .rank = 1,
                                 .address = c->address_a,
                                 .dims = {3},
                                 .box = {64 / size},
                                 .element_strides = {1},
                                 .oob_fill = TC_MAP_FILL_NAN};
        go(c, &map);
        assert_memory_equal(c->b, c->a0, 3 * size);
        for (uint32_t k = 3; k < 64 / size; k++) {
            assert_true(is_nan(types[i], c->b + k * size));
        }
        finish(c);
    }
}

/* ---- stores ---- */

typedef struct stored {
    uint8_t bytes[ASYNC_BYTES];
    const uint8_t *shared;
    uint32_t size;
    void (*op)(uint8_t *to, const uint8_t *from);
} stored;

static void expect_store(void *user, uint32_t shared, int64_t global) {
    stored *e = user;
    if (global < 0) {
        return;
    }
    if (e->op) {
        e->op(e->bytes + global, e->shared + shared);
    } else {
        memcpy(e->bytes + global, e->shared + shared, e->size);
    }
}

static void store_as(const model_box *m, uint32_t type, uint32_t base,
                     const char *reduction,
                     void (*op)(uint8_t *, const uint8_t *), int policy) {
    tc_buf b = TC_BUF_INIT;
    char list[64], line[300];
    tc_buf_puts(&b, MAP IN);
    coordinates(m, &b, list);
    snprintf(line, sizeof line,
             "@%%p1 cp.%sasync.bulk.tensor.%dd.global.shared::cta%s%s.tile."
             "bulk_group [%%rd9, %s], [%%r2+%u];\n"
             "@%%p1 cp.async.bulk.commit_group;\n"
             "@%%p1 cp.async.bulk.wait_group 0;\n",
             reduction ? "reduce." : "", m->rank, reduction ? "." : "",
             reduction ? reduction : "", list, base);
    tc_buf_puts(&b, line);
    async_case *c =
        start(policy, m->swizzle > MODEL_128 ? "sm_100a" : NULL, b.data);
    tc_sim_tensor_map map = map_of(m, type, c->address_b);
    for (uint32_t i = 0; op && type == TC_MAP_F32 && i < ASYNC_BYTES; i += 4) {
        float x = (float)(i % 977), y = (float)(i % 31) - 15;
        memcpy(c->in->bytes + i, &x, 4);
        memcpy(c->out->bytes + i, &y, 4);
    }
    for (uint32_t i = 1; op && type == TC_MAP_BF16 && i < ASYNC_BYTES; i += 2) {
        c->in->bytes[i] = 0x41; /* 8 to 32, whose sums are exact or round */
        c->out->bytes[i] = 0x41;
    }
    go(c, &map);
    stored *e = calloc(1, sizeof *e);
    assert_non_null(e);
    memcpy(e->bytes, c->b0, ASYNC_BYTES);
    e->shared = c->a0;
    e->size = (uint32_t)m->size;
    e->op = op;
    model_each(m, base, expect_store, e);
    assert_memory_equal(c->b, e->bytes, ASYNC_BYTES);
    assert_memory_equal(c->a, c->a0, ASYNC_BYTES);
    free(e);
    finish(c);
    tc_buf_free(&b);
}

static void test_store(void **state) {
    (void)state;
    static const int32_t at[][2] = {{0, 0}, {40, 50}, {8, 3}, {64, 1}};
    static const uint32_t inner[] = {64, 16, 32, 64, 64, 64, 64};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        for (int swizzle = 0; swizzle <= MODEL_ATOM64; swizzle++) {
            model_box m =
                matrix(inner[swizzle], 18, at[i][0], at[i][1], swizzle);
            store_as(&m, TC_MAP_F16, swizzle % 2 ? 384 : 0, NULL, NULL,
                     (int)i % ASYNC_POLICIES);
        }
    }
    model_box cube = {.rank = 3,
                      .size = 4,
                      .dims = {10, 7, 9},
                      .strides = {4, 48, 368},
                      .box = {8, 5, 4},
                      .step = {1, 2, 1},
                      .at = {4, 2, 7}};
    for (int policy = 0; policy < ASYNC_POLICIES; policy++) {
        store_as(&cube, TC_MAP_F32, 0, NULL, NULL, policy);
    }
}

/* ---- reductions: what each does to one element, in plain C ---- */

#define REDUCTION(name, T, expr)                                               \
    static void name(uint8_t *to, const uint8_t *from) {                       \
        T a, b;                                                                \
        memcpy(&a, to, sizeof a);                                              \
        memcpy(&b, from, sizeof b);                                            \
        a = (T)(expr);                                                         \
        memcpy(to, &a, sizeof a);                                              \
    }
REDUCTION(add_u32, uint32_t, a + b)
REDUCTION(add_u64, uint64_t, a + b)
REDUCTION(min_u32, uint32_t, a < b ? a : b)
REDUCTION(max_s32, int32_t, a > b ? a : b)
REDUCTION(min_s64, int64_t, a < b ? a : b)
REDUCTION(inc_u32, uint32_t, a >= b ? 0 : a + 1)
REDUCTION(dec_u32, uint32_t, a == 0 || a > b ? b : a - 1)
REDUCTION(and_b32, uint32_t, a &b)
REDUCTION(or_b64, uint64_t, a | b)
REDUCTION(xor_b32, uint32_t, a ^ b)
REDUCTION(add_f32, float, a + b)

/* Positive .bf16: the sum as .f32, rounded to the nearest even. */
static void add_bf16(uint8_t *to, const uint8_t *from) {
    uint16_t a, b;
    memcpy(&a, to, 2);
    memcpy(&b, from, 2);
    uint32_t x = (uint32_t)a << 16, y = (uint32_t)b << 16, z;
    float fx, fy;
    memcpy(&fx, &x, 4);
    memcpy(&fy, &y, 4);
    fx += fy;
    memcpy(&z, &fx, 4);
    z += 0x7fff + (z >> 16 & 1);
    a = (uint16_t)(z >> 16);
    memcpy(to, &a, 2);
}

static void test_reductions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t type;
        int size;
        void (*op)(uint8_t *, const uint8_t *);
    } all[] = {
        {"add", TC_MAP_U32, 4, add_u32},  {"add", TC_MAP_S32, 4, add_u32},
        {"add", TC_MAP_U64, 8, add_u64},  {"min", TC_MAP_U32, 4, min_u32},
        {"max", TC_MAP_S32, 4, max_s32},  {"min", TC_MAP_S64, 8, min_s64},
        {"inc", TC_MAP_U32, 4, inc_u32},  {"dec", TC_MAP_U32, 4, dec_u32},
        {"and", TC_MAP_S32, 4, and_b32},  {"or", TC_MAP_U64, 8, or_b64},
        {"xor", TC_MAP_U32, 4, xor_b32},  {"add", TC_MAP_F32, 4, add_f32},
        {"add", TC_MAP_BF16, 2, add_bf16}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t inner = 128 / (uint32_t)all[i].size;
        model_box m = {.rank = 2,
                       .size = all[i].size,
                       .dims = {inner + 3, 40},
                       .strides = {(uint64_t)all[i].size, 160},
                       .box = {inner, 16},
                       .step = {1, 1},
                       .at = {(int32_t)(inner / 8), 30},
                       .swizzle = MODEL_128};
        store_as(&m, all[i].type, 0, all[i].name, all[i].op,
                 (int)i % ASYNC_POLICIES);
    }
}

/* ---- clusters ---- */

/* Each of two CTAs fetches one half of a tile for both (multicast), and all
 * bytes arrive at the same place in both. */
static void test_multicast(void **state) {
    (void)state;
    for (int policy = 0; policy < ASYNC_POLICIES; policy++) {
        async_case *c = start(
            policy, NULL,
            MAP ZERO
            "mov.u32 %r30, %cluster_ctarank;\n"
            "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], "
            "4096;\nbarrier.cluster.arrive.aligned;\n"
            "barrier.cluster.wait.aligned;\n"
            "shl.b32 %r31, %r30, 11;\nadd.u32 %r32, %r2, %r31;\n"
            "shl.b32 %r33, %r30, 4;\nmov.b16 %h1, 3;\nmov.b32 %r20, 0;\n"
            "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
            "complete_tx::bytes.multicast::cluster [%r32], [%rd9, {%r20, "
            "%r33}], [%r3], %h1;\n" WAIT
            "setp.eq.u32 %p4, %r30, 0;\n@%p4 bra ON;\n" OUT "ON:\n"
            "barrier.cluster.arrive.aligned;\n"
            "barrier.cluster.wait.aligned;\n");
        c->grid = c->cluster = 2;
        model_box m = matrix(64, 16, 0, 0, MODEL_128);
        tc_sim_tensor_map map = map_of(&m, TC_MAP_F16, c->address_a);
        go(c, &map);
        m.box[1] = 32; /* what rank 1 has: both halves */
        expected *e = calloc(1, sizeof *e);
        assert_non_null(e);
        e->memory = c->a0;
        e->size = 2;
        model_each(&m, 0, expect_load, e);
        assert_memory_equal(c->b, e->bytes, ASYNC_BYTES);
        free(e);
        finish(c);
    }
}

/* .cta_group::2 (sm_100): the mbarrier is the even CTA's, for both halves. */
static void test_cta_pair(void **state) {
    (void)state;
    for (int policy = 0; policy < ASYNC_POLICIES; policy++) {
        async_case *c = start(
            policy, "sm_100a",
            MAP ZERO
            "mov.u32 %r30, %cluster_ctarank;\n"
            "setp.eq.u32 %p4, %r30, 0;\n"
            "and.pred %p5, %p1, %p4;\n"
            "@%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], "
            "4096;\nbarrier.cluster.arrive.aligned;\n"
            "barrier.cluster.wait.aligned;\n"
            "mapa.shared::cluster.u32 %r34, %r3, 0;\n"
            "shl.b32 %r33, %r30, 4;\nmov.b32 %r20, 0;\n"
            "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
            "complete_tx::bytes.cta_group::2 [%r2], [%rd9, {%r20, %r33}], "
            "[%r34];\n@!%p4 bra ON;\n" WAIT OUT "ON:\n"
            "barrier.cluster.arrive.aligned;\n"
            "barrier.cluster.wait.aligned;\n");
        c->grid = c->cluster = 2;
        model_box m = matrix(64, 16, 0, 0, MODEL_NONE);
        tc_sim_tensor_map map = map_of(&m, TC_MAP_F16, c->address_a);
        go(c, &map);
        assert_memory_equal(c->b, c->a0, 2048); /* its own half */
        finish(c);
    }
}

/* Four rows of a matrix, one of them outside (5.5.3.4; sm_100). */
static void test_four_rows(void **state) {
    (void)state;
    static const int rows[] = {9, 2, 70, 2};
    for (int policy = 0; policy < ASYNC_POLICIES; policy++) {
        async_case *c = start(
            policy, "sm_100a",
            MAP ZERO "mov.b32 %r20, 16;\nmov.b32 %r21, 9;\nmov.b32 %r22, 2;\n"
                     "mov.b32 %r23, 70;\n"
                     "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], "
                     "256;\n"
                     "@%p1 cp.async.bulk.tensor.2d.shared::cta.global."
                     "tile::gather4.mbarrier::complete_tx::bytes [%r2], [%rd9, "
                     "{%r20, %r21, %r22, %r23, %r22}], [%r3];\n" WAIT OUT);
        model_box m = matrix(32, 1, 0, 0, MODEL_NONE);
        tc_sim_tensor_map map = map_of(&m, TC_MAP_F16, c->address_a);
        go(c, &map);
        uint8_t want[256] = {0};
        for (int i = 0; i < 4; i++) {
            if (rows[i] < 64) {
                memcpy(want + 64 * i, c->a0 + rows[i] * 128 + 32, 64);
            }
        }
        assert_memory_equal(c->b, want, 256);
        finish(c);
        c = start(policy, "sm_100a",
                  MAP IN "mov.b32 %r20, 16;\nmov.b32 %r21, 9;\n"
                         "mov.b32 %r22, 3;\nmov.b32 %r23, 70;\n"
                         "mov.b32 %r24, 2;\n"
                         "@%p1 cp.async.bulk.tensor.2d.global.shared::cta."
                         "tile::scatter4.bulk_group [%rd9, {%r20, %r21, %r24, "
                         "%r23, %r22}], [%r2];\n"
                         "@%p1 cp.async.bulk.commit_group;\n"
                         "@%p1 cp.async.bulk.wait_group 0;\n");
        map = map_of(&m, TC_MAP_F16, c->address_b);
        go(c, &map);
        memcpy(c->b0 + 9 * 128 + 32, c->a0, 64);
        memcpy(c->b0 + 2 * 128 + 32, c->a0 + 64, 64);
        memcpy(c->b0 + 3 * 128 + 32, c->a0 + 192, 64);
        assert_memory_equal(c->b, c->b0, ASYNC_BYTES);
        finish(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),     cmocka_unit_test(test_swizzles),
        cmocka_unit_test(test_short_rows), cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_traversal),  cmocka_unit_test(test_nan_fill),
        cmocka_unit_test(test_store),      cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_four_rows),  cmocka_unit_test(test_multicast),
        cmocka_unit_test(test_cta_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
