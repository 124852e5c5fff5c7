/* The devices gpu and both without a GPU: launches, what differs, and what ends
 * badly. */
#include "device_fixture.h"
#include <stdatomic.h>

/* --- kernels ---------------------------------------------------------------*/

static void test_gpu(void **state) {
    (void)state;
    tc_device *d = open_device(&tc_device_gpu);
    block p = a_vadd(&tc_device_gpu, d);
    tc_device_launched r = launch(&tc_device_gpu, d, "vadd", 4, 256, &p, false);
    assert_int_equal(r.error, 0);
    assert_false(r.simulated);
    assert_true(r.gpu_ms == 0.5);
    assert_true(tc_device_gpu.time_ms(d) >= 0.5);
    assert_sum(&tc_device_gpu, d);
    r = launch(&tc_device_gpu, d, "nothing", 1, 32, &p, false);
    assert_int_equal(r.error, 500);
    assert_false(r.fault);
    assert_non_null(strstr(r.why, "finding the kernel \"nothing\""));
    fake("FAIL", "cuLaunchKernel");
    r = launch(&tc_device_gpu, d, "vadd", 4, 256, &p, false);
    assert_int_equal(r.error, 2);
    assert_false(r.fault);
    tc_device_gpu.close(d);
    assert_pages(0, 0, 3);
}

static void test_differences(void **state) {
    (void)state;
    const tc_device_vtable *v = &tc_device_both;
    tc_device *d = open_device(v);
    block p = a_vadd(v, d);
    uint64_t at = first(v, d) + TC_DEVICE_PAGE * 4;
    tc_device_launched r = launch(v, d, "vadd", 4, 256, &p, false);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.ndifferences, 0);
    assert_true(r.simulated);
    assert_int_equal(r.sim.status, TC_RUN_OK);
    fake("FLIP", "3990");
    r = launch(v, d, "vadd", 4, 256, &p, false);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.ndifferences, 1);
    const tc_device_difference *x = r.differences;
    assert_true(x->address == at);
    assert_int_equal(x->offset, 3990);
    assert_int_equal(x->bytes, 1);
    assert_int_equal(x->sim[0] ^ x->gpu[0], 0xFF);
    assert_memory_equal(x->sim + 1, x->gpu + 1, 9);
    assert_false(r.approximate);
    assert_sum(v, d); /* the simulator's bytes */
    fake("FLIP", NULL);
    uint64_t elsewhere = at + TC_DEVICE_PAGE * 2;
    tc_device_memory m = memory(elsewhere, 256);
    assert_true(v->alloc(d, &m));
    p = pointers(elsewhere, 0, 0, 0);
    r = launch(v, d, "where", 1, 32, &p, false); /* the rest is told once */
    assert_int_equal(r.ndifferences, 1);
    assert_true(r.differences[0].address == elsewhere);
    assert_true(r.differences[0].bytes > 200);
    assert_int_equal(r.differences[0].gpu[15], 0x11);
    assert_false(r.approximate);
    v->close(d);
}

static void with_other_bits(const char *kernel, int offset) {
    const tc_device_vtable *v = &tc_device_both;
    tc_device *d = open_device(v);
    uint64_t at = first(v, d);
    tc_device_memory a = memory(at, 256), b = memory(at + 4096, 256);
    assert_true(v->alloc(d, &a) && v->alloc(d, &b));
    assert_true(v->set(d, at, 0, 256));
    assert_true(v->set(d, at + 4096, 0, 256));
    block p = pointers(at, at + 4096, 0, 0);
    tc_device_launched r = launch(v, d, kernel, 1, 32, &p, false);
    assert_int_equal(r.ndifferences, 1); /* the fake's 2.0F */
    assert_int_equal(r.differences[0].offset, offset);
    assert_true(r.approximate);
    v->close(d);
}

/* Instructions that PTX only bounds, and those that it lets be fused. */
static void test_approximate(void **state) {
    (void)state;
    with_other_bits("sines", 15); /* a byte of 2.0F */
    with_other_bits("fused", 15);
}

static void check_cooperative(const tc_device_vtable *v) {
    tc_device *d = open_device(v);
    uint64_t at = first(v, d);
    int seen[4];
    tc_device_memory a = memory(at, 4), b = memory(at + 4096, sizeof seen);
    assert_true(v->alloc(d, &a) && v->alloc(d, &b));
    assert_true(v->set(d, at, 0, 4));
    block p = pointers(at, at + 4096, 0, 0);
    tc_device_launched r = launch(v, d, "grid_sum", 4, 64, &p, true);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.ndifferences, 0);
    assert_true(v->read(d, seen, at + 4096, sizeof seen));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(seen[i], 10);
    }
    v->close(d);
}

static void test_cooperative(void **state) {
    (void)state;
    check_cooperative(&tc_device_gpu);
    check_cooperative(&tc_device_both);
}

/* Both print once. */
static void test_print(void **state) {
    (void)state;
    const tc_device_vtable *all[] = {&tc_device_gpu, &tc_device_both};
    for (int i = 0; i < 2; i++) {
        tc_device *d = open_device(all[i]);
        block p = {.n = 0};
        int n = 42;
        put(&p, &n, 4);
        tc_buf_free(&printed);
        printed = (tc_buf)TC_BUF_INIT;
        tc_device_launched r = launch(all[i], d, "hello", 1, 32, &p, false);
        assert_int_equal(r.error, 0);
        assert_string_equal(tc_buf_text(&printed), "hello 42 from block 0\n");
        all[i]->close(d);
    }
}

/* The program has the driver's bytes; the simulator knows what they mean. */
static void test_tensor_map(void **state) {
    (void)state;
    const tc_device_vtable *v = &tc_device_both;
    tc_device *d = open_device(v);
    float in[32 * 32], out[64];
    int x = 28, y = 8;
    uint64_t at = first(v, d), to = at + TC_DEVICE_PAGE;
    tc_device_memory a = memory(at, sizeof in), b = memory(to, sizeof out);
    _Alignas(64) uint8_t map[128];
    tc_rt_tensor_map t = {.address = at,
                          .dims = {32, 32},
                          .strides = {128},
                          .box = {8, 8},
                          .element_strides = {1, 1},
                          .type = 7,
                          .rank = 2};
    for (int i = 0; i < 32 * 32; i++) {
        in[i] = (float)i;
    }
    assert_true(v->alloc(d, &a) && v->alloc(d, &b));
    assert_true(v->write(d, at, in, sizeof in));
    assert_true(v->tensor_map(d, &t, map));
    assert_int_equal(map[100], 0xAB);
    block p = {.n = 0};
    put(&p, map, sizeof map);
    put(&p, &to, 8);
    put(&p, &x, 4);
    put(&p, &y, 4);
    tc_device_launched r = launch(v, d, "box", 1, 64, &p, false);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.sim.nfindings, 0);
    assert_int_equal(r.ndifferences, 0);
    assert_true(v->read(d, out, to, sizeof out));
    assert_true(out[0] == in[8 * 32 + 28] && out[4] == 0.0F);
    fake("FAIL", "cuTensorMapEncodeTiled");
    assert_false(v->tensor_map(d, &t, map));
    v->close(d);
}

/* --- what ends badly -------------------------------------------------------*/

static void test_fault(void **state) {
    (void)state;
    const tc_device_vtable *v = &tc_device_gpu;
    tc_device *d = open_device(v);
    uint64_t at = first(v, d);
    int value = 1;
    tc_device_memory m = memory(at, 256), n = memory(at + 4096, 256);
    assert_true(v->alloc(d, &m));
    block p = pointers(at, 0, 0, 0);
    tc_device_launched r = launch(v, d, "fault", 1, 32, &p, false);
    assert_int_equal(r.error, 700);
    assert_true(r.fault);
    assert_non_null(strstr(r.why, "running the kernel on the GPU"));
    r = launch(v, d, "where", 1, 32, &p, false);
    assert_int_equal(r.error, 700); /* sticky */
    assert_true(r.fault);
    assert_false(v->write(d, at, &value, 4));
    assert_false(v->read(d, &value, at, 4));
    assert_false(v->set(d, at, 0, 4));
    assert_false(v->alloc(d, &n));
    v->close(d);
    d = open_device(v); /* cudaDeviceReset */
    assert_true(v->alloc(d, &m));
    assert_true(v->write(d, at, &value, 4));
    v->close(d);
}

static void test_fault_of_both(void **state) {
    (void)state;
    const tc_device_vtable *v = &tc_device_both;
    tc_device *d = open_device(v);
    uint64_t at = first(v, d);
    tc_device_memory m = memory(at, 256);
    assert_true(v->alloc(d, &m));
    block p = pointers(at, 0, 0, 0);
    tc_device_launched r = launch(v, d, "fault", 1, 32, &p, false);
    assert_int_equal(r.error, 700);
    assert_true(r.fault && r.simulated);
    assert_int_equal(r.sim.nfindings, 1);
    assert_int_equal(r.sim.findings[0].kind, TC_FINDING_OUT_OF_BOUNDS);
    assert_non_null(strstr(r.why, "the GPU was not asked to run it"));
    v->close(d);
    /* the GPU alone fails */
    fake("FAIL", "cuLaunchKernel");
    d = open_device(v);
    p = a_vadd(v, d);
    r = launch(v, d, "vadd", 4, 256, &p, false);
    assert_int_equal(r.error, 2);
    assert_non_null(
        strstr(r.why, "the simulator ran the kernel, and the GPU did not: "));
    fake("FAIL", NULL); /* and has its results all the same */
    p = pointers(at + TC_DEVICE_PAGE * 4, 0, 0, 0);
    r = launch(v, d, "where", 1, 1, &p, false);
    assert_int_equal(r.ndifferences, 1);
    assert_true(r.differences[0].bytes <= 256);
    v->close(d);
}

static void test_cancel(void **state) {
    (void)state;
    atomic_int cancel = 0;
    options.sim.cancel = &cancel;
    tc_device *d = open_device(&tc_device_gpu);
    block p = a_vadd(&tc_device_gpu, d);
    cancel = 1;
    fake("BUSY", "1000000");
    tc_device_launched r = launch(&tc_device_gpu, d, "vadd", 4, 256, &p, false);
    assert_int_equal(r.error, 702);
    assert_true(r.fault);
    assert_non_null(strstr(r.why, "still running on the GPU"));
    tc_device_gpu.close(d);
}

int main(int argc, char **argv) {
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    const struct CMUnitTest tests[] = {
        FAKE(test_gpu),         FAKE(test_differences),
        FAKE(test_approximate), FAKE(test_cooperative),
        FAKE(test_print),       FAKE(test_tensor_map),
        FAKE(test_fault),       FAKE(test_fault_of_both),
        FAKE(test_cancel),
    };
    return cmocka_run_group_tests(tests, build_fake, remove_fake);
}
