/* test_sim_tensormap.c - what tensor maps and their copies are refused for. */
#include "tensor_run.h"

#define LOAD_2D                                                                \
    "mov.b32 %r20, 0;\n"                                                       \
    "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"           \
    "complete_tx::bytes [%r2+16], [%rd9, {%r20, %r20}], [%r3];\n"

static void fault(const char *text, const model_box *m, uint64_t beyond,
                  bool garbage, tc_finding_kind kind, const char *words) {
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
    if (words) {
        assert_non_null(c->r.findings[0].detail);
        assert_non_null(strstr(c->r.findings[0].detail, words));
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
#define BAD(words, ...)                                                        \
    do {                                                                       \
        tc_sim_tensor_map m = good;                                            \
        __VA_ARGS__;                                                           \
        assert_false(tc_tensor_map_encode(&m, bytes, why, sizeof why));        \
        if (!strstr(why, words)) {                                             \
            fail_msg("'%s' is not in '%s'", words, why);                       \
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_prefetch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
