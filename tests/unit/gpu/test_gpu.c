/* The GPU backends without a GPU: a library that is not there, and a stand-in
 * for the driver (fake_cuda.c, built here) for success and for each failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_library.h"
#include "gpu/gpu.h"
#include <stdatomic.h>

static int use_fake(void **state) {
    (void)state;
    fake_forget();
    fake("LIVE", counts);
    return setenv("TILECOPY_LIBCUDA", library, 1);
}

/* Modules, events and buffers that were not given back, by the fake's count
 * at the release of the context. */
static int left_behind(void) {
    int n = -1;
    FILE *f = fopen(counts, "r");
    if (f != NULL) {
        if (fscanf(f, "%d", &n) != 1) {
            n = -1;
        }
        fclose(f);
    }
    return n;
}

static uint8_t in[64], out[64];
static int32_t n = 64;
static uint8_t what = 5;
static tc_gpu_arg args[4] = {{in, sizeof in, true, NULL},
                             {out, sizeof out, true, NULL},
                             {&n, sizeof n, false, NULL},
                             {&what, sizeof what, false, NULL}};

static tc_gpu_launch an_add(void) {
    for (int i = 0; i < 64; i++) {
        in[i] = (uint8_t)(3 * i);
        out[i] = 0xEE;
    }
    return (tc_gpu_launch){.ptx = ".version 7.0",
                           .entry = "add",
                           .shape = {.grid = {2, 1, 1}, .block = {128, 1, 1}},
                           .args = args,
                           .nargs = 4};
}

static void test_no_library(void **state) {
    (void)state;
    char why[256];
    setenv("TILECOPY_LIBCUDA", "", 1); /* empty: the real name */
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    if (g != NULL) {
        tc_gpu_cuda.close(g); /* a machine with a GPU */
        skip();
    }
    assert_non_null(strstr(why, "no GPU here"));
    assert_non_null(strstr(why, "libcuda.so.1"));
    assert_null(strchr(why, '\n'));
    setenv("TILECOPY_LIBCUDA", "libno-such-cuda.so.1", 1);
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_non_null(strstr(why, "libno-such-cuda.so.1 cannot be loaded"));
    assert_null(tc_gpu_cuda.open(NULL, why, 8)); /* cut, not overrun */
    assert_int_equal(strlen(why), 7);
}

static void test_not_a_driver(void **state) {
    (void)state;
    char why[256];
    setenv("TILECOPY_LIBCUDA", "libm.so.6", 1);
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_non_null(strstr(why, "libm.so.6 has no cuInit"));
}

static void test_none(void **state) {
    (void)state;
    char why[256];
    assert_null(tc_gpu_none.open(NULL, why, sizeof why));
    assert_string_equal(why, "there is no GPU backend in this program");
    tc_gpu_none.close(NULL);
    tc_gpu_cuda.close(NULL);
}

static void test_no_device(void **state) {
    (void)state;
    char why[256];
    fake("DEVICES", "0");
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_non_null(strstr(why, "finds no device"));
    fake("FAIL", "cuInit");
    fake("CODE", "999"); /* has no name either */
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_string_equal(why, "starting the CUDA driver: cuInit failed with an "
                             "unknown error (999): no description");
}

static void test_success(void **state) {
    (void)state;
    char why[256] = "";
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    assert_string_equal(why, "");
    assert_non_null(g);
    tc_gpu_device d;
    tc_gpu_cuda.describe(g, &d);
    assert_string_equal(d.name, "Fake GPU");
    assert_int_equal(d.sm, 90);
    assert_int_equal(d.driver_version, 13000);
    assert_int_equal(d.multiprocessors, 132);
    for (int way = 0; way < 3; way++) {
        tc_gpu_launch l = an_add();
        l.shape.cooperative = way == 2;
        if (way == 1) {
            l.shape.cluster[0] = 2;
            l.shape.cluster[1] = l.shape.cluster[2] = 1;
        }
        l.shape.dynamic_shared = 100000;
        tc_gpu_result r;
        fake("BUSY", "5");
        assert_true(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
        for (int i = 0; i < 64; i++) {
            assert_int_equal(in[i], (uint8_t)(3 * i));
            assert_int_equal(out[i], (uint8_t)(3 * i + 5));
        }
        assert_true(r.kernel_ms == 0.5);
        assert_string_equal(r.jit_log, "compiled");
    }
    tc_gpu_cuda.close(g);
    assert_int_equal(left_behind(), 0);
}

static void test_tensor_map(void **state) {
    (void)state;
    char why[256] = "";
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    assert_non_null(g);
    const tc_gpu_map map = {.buffer = 1,
                            .type = 6,
                            .rank = 2,
                            .dims = {8, 4},
                            .strides = {16},
                            .box = {8, 2},
                            .element_strides = {1, 1},
                            .swizzle = 3,
                            .l2_promotion = 2,
                            .oob_fill = 1};
    tc_gpu_arg more[6] = {args[0],
                          args[1],
                          args[2],
                          args[3],
                          {NULL, 0, false, &map},
                          {NULL, 0, false, &map}};
    tc_gpu_launch l = an_add();
    tc_gpu_result r;
    l.args = more;
    l.nargs = 6;
    assert_true(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    fake("FAIL", "cuTensorMapEncodeTiled");
    assert_false(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    assert_non_null(
        strstr(why, "making a tensor map: cuTensorMapEncodeTiled failed with"));
    tc_gpu_cuda.close(g);
    assert_int_equal(left_behind(), 0);
}

static void test_failures(void **state) {
    (void)state;
    static const struct {
        const char *api, *named;
    } rows[] = {
        {"cuModuleLoadDataEx", "cuModuleLoadDataEx failed"},
        {"cuMemAlloc_v2", "cuMemAlloc failed"},
        {"cuMemcpyHtoD_v2", "cuMemcpyHtoD failed"},
        {"cuLaunchKernel", "cuLaunchKernel failed"},
        {"cuMemcpyDtoH_v2", "cuMemcpyDtoH failed"},
        {"cuFuncSetAttribute", "cuFuncSetAttribute failed"},
    };
    char why[256];
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    assert_non_null(g);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tc_gpu_launch l = an_add();
        l.shape.dynamic_shared = 64 * 1024;
        tc_gpu_result r;
        fake("FAIL", rows[i].api);
        assert_false(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
        assert_non_null(strstr(why, rows[i].named));
        assert_non_null(
            strstr(why, "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"));
    }
    tc_gpu_cuda.close(g);
    assert_int_equal(left_behind(), 0);
    fake("FAIL", "cuDevicePrimaryCtxRetain");
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_non_null(strstr(why, "cuDevicePrimaryCtxRetain failed"));
}

static void test_bad_ptx(void **state) {
    (void)state;
    char why[256];
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    assert_non_null(g);
    tc_gpu_launch l = an_add();
    tc_gpu_result r;
    l.ptx = "nonsense";
    assert_false(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    assert_non_null(strstr(why, "\"ptxas line 3: unknown nonsense\""));
    assert_null(strchr(why, '\n'));
    assert_non_null(strstr(r.jit_log, "more"));
    l = an_add();
    l.entry = "subtract";
    assert_false(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    assert_non_null(strstr(why, "finding the kernel \"subtract\""));
    tc_gpu_cuda.close(g);
    assert_int_equal(left_behind(), 0);
}

static void test_cancel(void **state) {
    (void)state;
    char why[256];
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    assert_non_null(g);
    tc_gpu_launch l = an_add();
    tc_gpu_result r;
    atomic_int cancel = 1;
    fake("BUSY", "1000000");
    assert_false(tc_gpu_cuda.run(g, &l, &cancel, &r, why, sizeof why));
    assert_non_null(strstr(why, "stopped while it was still running"));
    assert_int_equal(out[0], 0xEE); /* nothing half-copied */
    assert_false(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    assert_non_null(strstr(why, "stopped while it was still running"));
    tc_gpu_cuda.close(g);
}

int main(int argc, char **argv) {
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
#define FAKE(test) cmocka_unit_test_setup(test, use_fake)
    const struct CMUnitTest tests[] = {
        FAKE(test_no_library), FAKE(test_not_a_driver), FAKE(test_none),
        FAKE(test_no_device),  FAKE(test_success),      FAKE(test_tensor_map),
        FAKE(test_failures),   FAKE(test_bad_ptx),      FAKE(test_cancel),
    };
    return cmocka_run_group_tests(tests, build_fake, remove_fake);
}
