/* The devices gpu and both without a GPU: opening them, and memory. */
#include "device_fixture.h"

/* --- opening ---------------------------------------------------------------*/

static void test_open_failures(void **state) {
    (void)state;
    static const char *const apis[] = {
        "cuInit", "cuDevicePrimaryCtxRetain", "cuMemGetAllocationGranularity",
        "cuMemAddressReserve", "cuModuleLoadDataEx"};
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
        fake("FAIL", apis[i]);
        assert_null(tc_device_gpu.open(&options, why, sizeof why));
        assert_non_null(strstr(why, apis[i]));
        assert_null(tc_device_both.open(&options, why, sizeof why));
        assert_non_null(strstr(why, apis[i]));
    }
    fake("FAIL", NULL);
    fake("VIRTUAL", "0");
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_non_null(strstr(why, "Fake GPU has no virtual memory management"));
    setenv("TILECOPY_LIBCUDA", "libno-such-cuda.so.1", 1);
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_non_null(strstr(why, "no GPU here"));
}

static void test_range(void **state) {
    (void)state;
    uint64_t bytes;
    tc_device *d = open_device(&tc_device_gpu);
    assert_true(tc_device_gpu.range(d, &bytes) ==
                TC_RT_DEVICE_BASE + TC_DEVICE_OWN);
    assert_true(bytes == TC_RT_DEVICE_SIZE - TC_DEVICE_OWN);
    tc_device_gpu.close(d);
    fake("BASE", "0x300000000000");
    fake("RANGE_GB", "300"); /* of halves of 1024, 256 */
    d = open_device(&tc_device_both);
    assert_true(tc_device_both.range(d, &bytes) ==
                UINT64_C(0x300000000000) + TC_DEVICE_OWN);
    assert_true(bytes == (UINT64_C(256) << 30) - TC_DEVICE_OWN);
    block p = a_vadd(&tc_device_both, d);
    tc_device_launched r = launch(&tc_device_both, d, "vadd", 4, 256, &p, 0);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.ndifferences, 0);
    assert_sum(&tc_device_both, d);
    tc_device_both.close(d);
    fake("RANGE_GB", "63");
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_non_null(strstr(why, "cuMemAddressReserve failed"));
}

static const void *a_cubin(void *user, int sm, tc_arena *a, size_t *bytes,
                           char *out, size_t size) {
    assert_int_equal(sm, 90);
    if (user == NULL) {
        snprintf(out, size, "there is no ptxas");
        return NULL;
    }
    *bytes = 6;
    return tc_strdup(a, "cubin");
}

static void test_old_driver(void **state) {
    (void)state;
    fake("VERSION", "12040");
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_string_equal(
        why, "the program's PTX is of version 9.0, which a driver of CUDA 13.0 "
             "takes, and the NVIDIA driver here is of CUDA 12.4");
    module.assemble = a_cubin;
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_non_null(
        strstr(why, "assembling it here failed: there is no ptxas"));
    module.user = &module;
    tc_device *d = open_device(&tc_device_gpu);
    block p = a_vadd(&tc_device_gpu, d);
    assert_int_equal(launch(&tc_device_gpu, d, "vadd", 4, 256, &p, false).error,
                     0);
    assert_sum(&tc_device_gpu, d);
    tc_device_gpu.close(d);
}

/* A second one opens, or fails to, and goes: the first goes on. */
static void test_two(void **state) {
    (void)state;
    const tc_device_vtable *v = &tc_device_gpu;
    tc_device *d = open_device(v), *other = open_device(v);
    v->close(other);
    block p = a_vadd(v, d);
    assert_int_equal(launch(v, d, "vadd", 4, 256, &p, false).error, 0);
    fake("VERSION", "12040");
    assert_null(v->open(&options, why, sizeof why));
    fake("VERSION", NULL);
    assert_sum(v, d);
    v->close(d);
}

static void test_other_machine(void **state) {
    (void)state;
    tc_ptx_module m = *module.ptx;
    module.ptx = &m;
    m.sm = 100;
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_string_equal(why, "the program is built for sm_100a, and the GPU "
                             "(Fake GPU) is an sm_90");
    m.sm = 80;
    assert_null(tc_device_gpu.open(&options, why, sizeof why));
    assert_non_null(strstr(why, "sm_80a"));
    m.sm_suffix = 0;
    tc_device_gpu.close(open_device(&tc_device_gpu));
}

static void test_facts(void **state) {
    (void)state;
    tc_rt_device f;
    tc_rt_function k = {0};
    tc_device *d = open_device(&tc_device_gpu);
    tc_device_gpu.facts(d, &f);
    assert_string_equal(f.name, "Fake GPU");
    assert_int_equal(f.sm, 90);
    assert_int_equal(f.threads_sm, 2048);
    assert_int_equal(f.ctas_sm, 32);
    assert_int_equal(f.l2_bytes, 62914560);
    assert_true(f.memory == UINT64_C(140) << 30);
    assert_int_equal(f.shared_optin, 232448);
    assert_int_equal(f.gpu, 1);
    const tc_ptx_func *vadd = tc_ptx_find_entry(module.ptx, "vadd");
    tc_device_gpu.function(d, vadd, &k);
    assert_int_equal(k.registers, 24);
    assert_int_equal(k.max_threads, 1024);
    assert_int_equal(k.shared, 32);
    assert_int_equal(tc_device_gpu.occupancy(d, vadd, 256, 0, 1), 8);
    tc_device_gpu.close(d);
    d = open_device(&tc_device_both);
    tc_device_both.facts(d, &f);
    assert_string_equal(f.name, "Fake GPU, beside the tilecopy simulator");
    tc_device_both.close(d);
}

/* --- memory ----------------------------------------------------------------*/

static void check_memory(const tc_device_vtable *v) {
    tc_device *d = open_device(v);
    uint64_t at = first(v, d);
    uint8_t b[600], in[300];
    tc_device_memory m = memory(at, 300), n = memory(at + 512, 300);
    assert_true(v->alloc(d, &m) && v->alloc(d, &n));
    assert_true(v->read(d, b, at, 300));
    for (int i = 0; i < 300; i++) {
        assert_int_equal(b[i], TC_DEVICE_FRESH);
        in[i] = (uint8_t)(i * 3);
    }
    assert_true(v->write(d, at, in, 300));
    assert_true(v->move(d, at + 512 + 7, at + 1, 200));
    assert_true(v->set(d, at + 512, 0x42, 7));
    assert_true(v->read(d, b, at + 512, 300));
    assert_int_equal(b[6], 0x42);
    assert_memory_equal(b + 7, in + 1, 200);
    assert_int_equal(b[207], TC_DEVICE_FRESH);
    v->free(d, at);
    v->free(d, at); /* nothing there */
    assert_true(v->read(d, b, at + 512, 300));
    assert_memory_equal(b + 7, in + 1, 200);
    v->free(d, at + 512);
    v->close(d);
    assert_pages(0, 0, 1); /* one page for the two of them */
}

static void test_memory(void **state) {
    (void)state;
    check_memory(&tc_device_gpu);
    check_memory(&tc_device_both);
}

/* A large allocation shares its ends only: between them is a piece that goes
 * with it. */
static void test_pages(void **state) {
    (void)state;
    const uint64_t page = TC_DEVICE_PAGE;
    const tc_device_vtable *v = &tc_device_gpu;
    tc_device *d = open_device(v);
    uint64_t at = first(v, d);
    uint8_t byte = 9;
    tc_device_memory large = memory(at + page / 2, 10 * page);
    tc_device_memory before = memory(at, 256);
    tc_device_memory behind = memory(at + page * 21 / 2 + 256, 256);
    assert_true(v->alloc(d, &large));  /* three pieces */
    assert_true(v->alloc(d, &before)); /* on the first, */
    assert_true(v->alloc(d, &behind)); /* on the last */
    assert_true(v->write(d, large.address + large.bytes - 1, &byte, 1));
    v->free(d, large.address);
    assert_true(v->write(d, before.address, &byte, 1));
    assert_true(v->write(d, behind.address, &byte, 1));
    assert_true(v->alloc(d, &large)); /* the middle again */
    assert_true(v->write(d, large.address + page, &byte, 1));
    v->free(d, before.address);
    v->free(d, behind.address);
    v->close(d); /* what was not freed goes with it */
    assert_pages(0, 0, 3);
}

static void test_no_memory(void **state) {
    (void)state;
    const tc_device_vtable *v = &tc_device_gpu;
    static const char *const apis[] = {"cuMemCreate", "cuMemMap",
                                       "cuMemSetAccess", "cuMemsetD8_v2"};
    tc_device *d = open_device(v);
    uint64_t bytes, at = v->range(d, &bytes);
    tc_device_memory m = memory(at + 100, TC_DEVICE_PAGE * 3);
    tc_device_memory outside = memory(at + bytes, 1);
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
        fake("FAIL", apis[i]);
        assert_false(v->alloc(d, &m));
    }
    fake("FAIL", NULL);
    assert_true(v->alloc(d, &m));
    assert_false(v->alloc(d, &m)); /* there already */
    assert_false(v->alloc(d, &outside));
    fake("FAIL", "cuMemcpyHtoD_v2");
    assert_false(v->write(d, m.address, &bytes, 8));
    v->close(d);
    assert_pages(0, 0, 3);
}

/* Managed memory is the program's pages between launches; symbols keep what
 * kernels leave: p[i] * factors[i % 4] + counter, counter + 1. */
static void check_shared(const tc_device_vtable *v) {
    tc_device *d = open_device(v);
    int32_t p[64], counter = 0, two[4] = {2, 2, 2, 2}, away[64];
    uint64_t symbols[2] = {0, 0}, at = first(v, d);
    tc_device_memory m = memory(at, sizeof p), other = memory(at + 4096, 256);
    m.kind = TC_RT_MANAGED;
    m.shared = (uint8_t *)p;
    assert_true(v->alloc(d, &m) && v->alloc(d, &other));
    for (int i = 0; i < module.ptx->nsymbols; i++) {
        const tc_ptx_symbol *y = &module.ptx->symbols[i];
        if (strcmp(y->name, "counter") == 0) {
            assert_true(v->symbol(d, y, &symbols[0]));
        } else if (strcmp(y->name, "factors") == 0) {
            assert_true(v->symbol(d, y, &symbols[1]));
        }
    }
    assert_true(v->read(d, &counter, symbols[0], 4));
    assert_int_equal(counter, 7);
    assert_true(v->write(d, symbols[1], two, sizeof two));
    for (int i = 0; i < 64; i++) {
        p[i] = i;
    }
    block b = pointers(at, 0, 0, 0);
    for (int round = 0; round < 2; round++) {
        tc_device_launched r = launch(v, d, "count_up", 1, 64, &b, false);
        assert_int_equal(r.error, 0);
        assert_int_equal(r.ndifferences, 0);
    }
    for (int i = 0; i < 64; i++) {
        assert_int_equal(p[i], (2 * i + 7) * 2 + 8);
    }
    assert_true(v->read(d, &counter, symbols[0], 4));
    assert_int_equal(counter, 9);
    assert_true(v->move(d, at + 4096, at, sizeof p));   /* to the device, */
    assert_true(v->set(d, at, 0, 8));                   /* of the pages, */
    assert_true(v->move(d, at + 4, at + 4096 + 8, 40)); /* and back, */
    assert_true(
        v->move(d, at, at + 4, 40)); /* within the pages: they overlap */
    assert_true(v->read(d, away, at + 4096, sizeof away));
    assert_int_equal(away[63], (2 * 63 + 7) * 2 + 8);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(p[i], (2 * (i + 2) + 7) * 2 + 8);
    }
    v->free(d, at);
    v->close(d);
}

static void test_shared(void **state) {
    (void)state;
    check_shared(&tc_device_sim);
    check_shared(&tc_device_gpu);
    check_shared(&tc_device_both);
}

/* A __managed__ variable: the program has its pages. */
static void check_managed_symbol(const tc_device_vtable *v) {
    tc_device *d = open_device(v);
    int32_t page[1024] = {0}, n = 3;
    tc_device_memory m = {.bytes = 4,
                          .kind = TC_RT_MANAGED,
                          .shared = (uint8_t *)page,
                          .name = "tally"};
    for (int i = 0; i < module.ptx->nsymbols; i++) {
        const tc_ptx_symbol *y = &module.ptx->symbols[i];
        if (strcmp(y->name, "tally") == 0) {
            assert_true(v->symbol(d, y, &m.address));
        }
    }
    /* A driver puts it where it wants: on a page with others. */
    assert_int_equal(m.address % 4096, v == &tc_device_sim ? 0 : 0x200);
    assert_true(v->alloc(d, &m));
    assert_int_equal(page[0], 5);
    block b = {.n = 0};
    put(&b, &n, 4);
    for (int round = 0; round < 2; round++) {
        tc_device_launched r = launch(v, d, "bump", 1, 32, &b, false);
        assert_int_equal(r.error, 0);
        assert_int_equal(r.ndifferences, 0);
        assert_int_equal(page[0], round == 0 ? 8 : 103);
        page[0] = 100;
    }
    assert_true(v->read(d, &n, m.address, 4));
    assert_int_equal(n, 100);
    v->close(d);
}

static void test_managed_symbol(void **state) {
    (void)state;
    check_managed_symbol(&tc_device_sim);
    check_managed_symbol(&tc_device_gpu);
    check_managed_symbol(&tc_device_both);
}

int main(int argc, char **argv) {
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    const struct CMUnitTest tests[] = {
        FAKE(test_open_failures),  FAKE(test_range),     FAKE(test_old_driver),
        FAKE(test_other_machine),  FAKE(test_facts),     FAKE(test_memory),
        FAKE(test_pages),          FAKE(test_no_memory), FAKE(test_shared),
        FAKE(test_managed_symbol), FAKE(test_two),
    };
    return cmocka_run_group_tests(tests, build_fake, remove_fake);
}
