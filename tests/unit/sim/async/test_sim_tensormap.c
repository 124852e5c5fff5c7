/* test_sim_tensormap.c - what tensor maps and their copies are refused for. */
#include "detail_text.h"
#include "tensor_run.h"

#define LOAD_2D                                                                \
    "mov.b32 %r20, 0;\n"                                                       \
    "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"           \
    "complete_tx::bytes [%r2+16], [%rd9, {%r20, %r20}], [%r3];\n"

static void fault(const char *text, const model_box *m, uint64_t beyond,
                  bool garbage, tc_finding_kind kind, const char *substring) {
    async_case *c = start(0, NULL, text);
    uint8_t bytes[TC_TENSOR_MAP_BYTES];
    char why[160];
    tc_sim_tensor_map map = map_of(m, TC_MAP_F16, c->address_a + beyond);
    assert_true(tc_tensor_map_encode(&map, bytes, why, sizeof why));
    bytes[0] ^= garbage;
    c->extra = bytes;
    c->nextra = sizeof bytes;
    async_go(c);
    assert_int_equal(c->r.status, TC_RUN_FAULT);
    assert_int_equal(c->r.findings[0].kind, kind);
    if (substring) {
        assert_non_null(strstr(detail_text(&c->r.findings[0]), substring));
    }
    finish(c);
}

static void test_faults(void **state) {
    (void)state;
    model_box m = matrix(64, 16, 0, 0, MODEL_NONE), line = m;
    line.rank = 1;
    line.dims[0] = 64;
    fault(MAP LOAD_2D, &m, 0, false, TC_FINDING_MISALIGNED, NULL);
    fault(MAP "add.u32 %r2, %r2, 15344;\n" LOAD_2D, &m, 0, false,
          TC_FINDING_OUT_OF_BOUNDS, NULL);
    fault(MAP "add.u32 %r2, %r2, 112;\n" LOAD_2D, &line, 0, false,
          TC_FINDING_TRAP, "1 dimensions, and the instruction 2");
    fault(MAP "add.u32 %r2, %r2, 112;\n" LOAD_2D, &m, 0, true, TC_FINDING_TRAP,
          "no tensor map at this address");
    fault(MAP "add.u32 %r2, %r2, 112;\n" LOAD_2D, &m, ASYNC_BYTES - 256, false,
          TC_FINDING_OUT_OF_BOUNDS, "beyond the memory");
    fault(MAP "add.u64 %rd9, %rd9, 8;\n" LOAD_2D, &m, 0, false,
          TC_FINDING_MISALIGNED, NULL);
    fault(MAP "mov.b32 %r20, 0;\n@%p1 cp.reduce.async.bulk.tensor.2d.global."
              "shared::cta.inc.tile.bulk_group [%rd9, {%r20, %r20}], [%r2];\n",
          &m, 0, false, TC_FINDING_TRAP, "the reduction does not take");
}

/* Every constraint of cuTensorMapEncodeTiled, broken alone. */
static void test_constraints(void **state) {
    (void)state;
    const tc_sim_tensor_map good = {.type = TC_MAP_F16,
                                    .rank = 3,
                                    .address = 4096,
                                    .dims = {64, 32, 8},
                                    .strides = {128, 4096},
                                    .box = {32, 16, 2},
                                    .element_strides = {1, 1, 1},
                                    .swizzle = TC_MAP_SWIZZLE_64B};
    tc_sim_tensor_map back;
    uint8_t bytes[TC_TENSOR_MAP_BYTES];
    char why[160] = "";
    assert_true(tc_tensor_map_encode(&good, bytes, why, sizeof why));
    assert_true(tc_tensor_map_decode(bytes, &back));
    assert_true(tc_tensor_map_check(&back, why, sizeof why));
    assert_int_equal(back.strides[1], 4096);
    assert_int_equal(back.box[0], 32);
#define BAD(substring, ...)                                                    \
    do {                                                                       \
        tc_sim_tensor_map m = good;                                            \
        __VA_ARGS__;                                                           \
        assert_false(tc_tensor_map_encode(&m, bytes, why, sizeof why));        \
        if (!strstr(why, substring)) {                                         \
            fail_msg("'%s' is not in '%s'", substring, why);                   \
        }                                                                      \
    } while (0)
    BAD("no data type 16", m.type = 16);
    BAD("1 to 5 dimensions, not 0", m.rank = 0);
    BAD("1 to 5 dimensions, not 6", m.rank = 6);
    BAD("multiple of 16", m.address = 4104);
    BAD("multiple of 32", m.interleave = 2, m.swizzle = 1, m.address = 4112);
    BAD("1 to 2^32", m.dims[1] = 0);
    BAD("1 to 2^32", m.dims[2] = (UINT64_C(1) << 32) + 1);
    BAD("stride of dimension 1", m.strides[0] = 120);
    BAD("stride of dimension 2", m.strides[1] = UINT64_C(1) << 40);
    BAD("1 to 256 long, not 257", m.box[1] = 257);
    BAD("1 to 256 long, not 0", m.box[2] = 0);
    BAD("multiple of 16 bytes, not 8", m.box[0] = 4);
    BAD("element stride of dimension 1", m.element_strides[1] = 9);
    BAD("element stride of dimension 2", m.element_strides[2] = 0);
    BAD("at least 3 dimensions", m.rank = 2, m.interleave = 1);
    BAD("no interleave 3", m.interleave = 3);
    BAD("no swizzle 7", m.swizzle = 7);
    BAD("at most so many, not 64", m.swizzle = TC_MAP_SWIZZLE_32B);
    BAD("at most so many, not 128", m.box[0] = 64);
    BAD("swizzled by 32 bytes", m.interleave = 2, m.address = 0);
    BAD("no L2 promotion 4", m.l2_promotion = 4);
    BAD("no out-of-bounds fill 2", m.oob_fill = 2);
    BAD("filled with NaN", m.oob_fill = 1, m.type = TC_MAP_U16);
    BAD("4-bit and 6-bit", m.type = TC_MAP_U4_ALIGN8);
    BAD("not built", m.type = TC_MAP_TF32, m.box[0] = 16);
    BAD("not built", m.interleave = 1);
#undef BAD
    memset(bytes, 0xff, sizeof bytes);
    assert_false(tc_tensor_map_decode(bytes, &back));
}

/* A hint, also with a cache policy. */
static void test_prefetch(void **state) {
    (void)state;
    async_case *c =
        start(0, NULL,
              MAP "mov.b32 %r20, 8;\nmov.b64 %rd13, 0;\n"
                  "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd9, "
                  "{%r20, %r20}];\n"
                  "cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint "
                  "[%rd9, {%r20, %r20}], %rd13;\nprefetch.tensormap [%rd9];\n");
    model_box m = matrix(64, 16, 0, 0, MODEL_NONE);
    tc_sim_tensor_map map = map_of(&m, TC_MAP_F16, c->address_a);
    go(c, &map);
    assert_memory_equal(c->b, c->b0, ASYNC_BYTES);
    finish(c);
}

typedef struct picked {
    uint8_t *to;
    const uint8_t *memory;
} picked;

static void pick(void *user, uint32_t shared, int64_t global) {
    picked *e = user;
    assert_true(global >= 0 && shared < 128);
    memcpy(e->to + shared, e->memory + global, 4);
}

/* A kernel takes the host's map, changes every field in shared memory, puts it
 * into global memory and copies through it. */
/* A map is copied to shared memory, or made of 128 zeros there; all that counts is
 * replaced, and the copy goes by what came of it. */
#define REPLACES(first)                                                        \
    MAP ZERO                                                                   \
        "add.u32 %r31, %r2, 8192;\nmov.b32 %r30, 0;\nCOPY:\n"                  \
        "cvt.u64.u32 %rd10, %r30;\nadd.u64 %rd11, %rd8, %rd10;\n"              \
        "add.u32 %r32, %r31, %r30;\n" first                                    \
        "@%p1 st.shared.b32 [%r32], %r33;\n"                                   \
        "add.u32 %r30, %r30, 4;\nsetp.lt.u32 %p4, %r30, 128;\n"                \
        "@%p4 bra COPY;\nbar.warp.sync -1;\n"                                  \
        "add.u64 %rd12, %rd1, 16;\nmov.b64 %rd13, 160;\nmov.b32 %r34, 8;\n"    \
        "mov.b32 %r35, 20;\nmov.b32 %r36, 2;\nmov.b32 %r37, 1;\n"              \
        "@!%p1 bra SYNC;\n"                                                    \
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 "         \
        "[%r31], %rd12;\n"                                                     \
        "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r31], %r37;\n"    \
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r31], 0, "     \
        "%r34;\n"                                                              \
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r31], 1, "     \
        "%r34;\n"                                                              \
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r31], "     \
        "0, %r35;\n"                                                           \
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r31], "     \
        "1, %r35;\n"                                                           \
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 "          \
        "[%r31], 0, %rd13;\n"                                                  \
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 "         \
        "[%r31], 1, %r36;\n"                                                   \
        "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r31], 7;\n"   \
        "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 "      \
        "[%r31], 0;\n"                                                         \
        "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r31], "   \
        "1;\n"                                                                 \
        "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r31], 0;"    \
        "\nSYNC:\nbar.warp.sync -1;\nadd.u64 %rd14, %rd2, 12288;\n"            \
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."       \
        "release.gpu.sync.aligned [%rd14], [%r31], 128;\n"                     \
        "fence.proxy.tensormap::generic.acquire.gpu [%rd14], 128;\n"           \
        "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;\n"      \
        "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"       \
        "complete_tx::bytes [%r2], [%rd14, {%r34, %r37}], [%r3];\n" WAIT       \
        "shl.b32 %r10, %r1, 2;\nadd.u32 %r11, %r2, %r10;\n"                    \
        "ld.shared.b32 %r12, [%r11];\ncvt.u64.u32 %rd10, %r10;\n"              \
        "add.u64 %rd11, %rd2, %rd10;\nst.global.b32 [%rd11], %r12;\n"

static void test_replace(void **state) {
    (void)state;
    for (int i = 0; i < 2 * ASYNC_POLICIES; i++) {
        int policy = i / 2, half = i % 2;
        async_case *c =
            start(policy, NULL,
                  half == 0 ? REPLACES("ld.param.b32 %r33, [%rd11];\n")
                            : REPLACES("mov.b32 %r33, 0;\n"));
        model_box host = matrix(64, 16, 0, 0, MODEL_128);
        tc_sim_tensor_map map = map_of(&host, TC_MAP_F16, c->address_b);
        go(c, &map);
        model_box own = {.rank = 2,
                         .size = 4,
                         .dims = {20, 20},
                         .strides = {4, 160},
                         .box = {8, 8},
                         .step = {1, 2},
                         .at = {8, 1},
                         .swizzle = MODEL_32};
        uint8_t want[128];
        picked e = {want, c->a0 + 16};
        model_each(&own, 0, pick, &e);
        assert_memory_equal(c->b, want, 128);
        tc_sim_tensor_map made;
        assert_true(tc_tensor_map_decode(c->b + 12288, &made));
        assert_true(made.address == c->address_a + 16);
        assert_int_equal(made.rank, 2);
        assert_int_equal(made.type, TC_MAP_F32);
        assert_int_equal(made.box[0], 8);
        assert_int_equal(made.box[1], 8);
        assert_true(made.dims[0] == 20 && made.dims[1] == 20);
        assert_true(made.strides[0] == 160);
        assert_int_equal(made.element_strides[1], 2);
        assert_int_equal(made.swizzle, TC_MAP_SWIZZLE_32B);
        finish(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
