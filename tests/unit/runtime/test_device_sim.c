/* test_device_sim.c - the device's addresses (memory.c), and the simulator
 * behind a device's table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/memory.h"
#include "runtime_kernels.h"
#include "sim/tensormap.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- addresses ---- */

enum { MIB = 1 << 20 };
#define FIRST (TC_RT_DEVICE_BASE + TC_DEVICE_OWN)

static tc_memory_block block_at(uint64_t address, uint64_t bytes) {
    return (tc_memory_block){
        .m = {.address = address, .bytes = bytes, .name = ""}, .fd = -1};
}

static uint64_t put_block(tc_memory *m, uint64_t bytes) {
    uint64_t at = tc_memory_reserve(m, bytes);
    tc_memory_block b = block_at(at, bytes);
    assert_true(at != 0);
    assert_true(tc_memory_add(m, &b));
    return at;
}

static void test_places(void **state) {
    (void)state;
    tc_memory *m = tc_memory_new(FIRST, 64 * MIB, 40 * MIB);
    uint64_t a = put_block(m, 1), b = put_block(m, 3 * MIB);
    assert_int_equal(a, FIRST);
    assert_int_equal(b, a + 4 * MIB); /* its page, and one of nothing */
    assert_int_equal(put_block(m, 2 * MIB), b + 6 * MIB);
    assert_null(tc_memory_find(m, a + 1));
    assert_null(tc_memory_find(m, a - 1));
    assert_int_equal(tc_memory_find(m, b + 3 * MIB - 1)->m.address, b);
    assert_true(tc_memory_within(m, b, 3 * MIB));
    assert_false(tc_memory_within(m, b, 3 * MIB + 1));
    assert_false(tc_memory_within(m, b + 3 * MIB, 0)); /* behind it */
    assert_false(tc_memory_within(m, b + 1, UINT64_MAX));
    assert_true(tc_memory_fits(m, TC_RT_MANAGED, 35 * MIB - 1));
    assert_false(tc_memory_fits(m, TC_RT_DEVICE, 35 * MIB));
    assert_true(tc_memory_fits(m, TC_RT_HOST, 40 * MIB));
    assert_false(tc_memory_fits(m, TC_RT_HOST, 40 * MIB + 1));
    assert_int_equal(tc_memory_reserve(m, 0), 0);
    assert_int_equal(tc_memory_reserve(m, UINT64_MAX), 0);
    assert_int_equal(tc_memory_reserve(m, 63 * MIB), 0);
    tc_memory_block over = block_at(b - 1, 2);
    assert_false(tc_memory_add(m, &over));
    tc_memory_free(m);
}

/* Freed addresses come back only when the others have been used up. */
static void test_places_again(void **state) {
    (void)state;
    tc_memory *m = tc_memory_new(FIRST, 64 * MIB, 1 << 30);
    uint64_t a = put_block(m, MIB), b = put_block(m, MIB);
    tc_memory_find(m, a)->m.where = 11;
    tc_memory_remove(m, a, 22);
    assert_null(tc_memory_find(m, a));
    const tc_freed *f = tc_memory_freed(m, a + MIB - 1);
    assert_non_null(f);
    assert_int_equal(f->address, a);
    assert_int_equal(f->made, 11);
    assert_int_equal(f->freed, 22);
    assert_null(tc_memory_freed(m, a + MIB));
    for (int i = 2; i < 16; i++) {
        assert_int_equal(put_block(m, MIB), FIRST + (uint64_t)i * 4 * MIB);
    }
    assert_int_equal(put_block(m, MIB), a);
    assert_int_equal(tc_memory_reserve(m, MIB), 0);
    tc_memory_remove(m, b, 0);
    assert_int_equal(tc_memory_reserve(m, 4 * MIB), 0);
    assert_int_equal(put_block(m, 2 * MIB), b);
    tc_memory_free(m);
}

static void test_list(void **state) {
    int n;
    (void)state;
    tc_memory *m = tc_memory_new(FIRST, TC_RT_DEVICE_SIZE / 2, 1 << 30);
    uint64_t seen = 0;
    for (int i = 0; i < 300; i++) {
        uint64_t at = tc_memory_reserve_small(m);
        tc_memory_block b = block_at(at, 100);
        assert_true(tc_memory_add(m, &b));
        assert_int_equal(at % 512, 0);
        const tc_device_memory *all = tc_memory_list(m, &n);
        assert_int_equal(n, i + 1);
        seen += all[i].address == at;
    }
    assert_int_equal(seen, 300); /* upwards */
    tc_memory_free(m);
}

/* ---- the device ---- */

static tc_arena *arena;
static tc_device_module module;
static char why[256];
static const tc_device_vtable *const v = &tc_device_sim;

static tc_device *open_device(const char *arch) {
    tc_device_options o = {.sim = {.arch = arch, .hazards = true},
                           .module = &module};
    tc_device *d = v->open(&o, why, sizeof why);
    assert_non_null(d);
    return d;
}

static void give(tc_device *d, uint64_t at, uint64_t bytes) {
    tc_device_memory m = {.address = at, .bytes = bytes, .name = "x"};
    assert_true(v->alloc(d, &m));
}

static tc_device_launched start(tc_device *d, const char *kernel,
                                uint32_t threads, uint64_t p) {
    tc_sim_launch l = {.entry = kernel,
                       .grid = {1, 1, 1},
                       .block = {threads, 1, 1},
                       .dynamic_shared = 16,
                       .params = (const uint8_t *)&p,
                       .nparams = 8};
    tc_device_launched out;
    v->launch(d, &l, &out);
    return out;
}

/* A page of a size at a time, from the begin or not, in pieces or not: what was
 * not written is TC_DEVICE_FRESH. */
static void test_fresh(void **state) {
    static const struct {
        uint64_t size, from, n;
    } cases[] = {{1000, 0, 1000},     {1000, 0, 400},
                 {1000, 300, 400},    {5 * MIB, 0, 5 * MIB},
                 {5 * MIB, MIB, MIB}, {UINT64_C(700) * MIB, 3 * MIB + 5, MIB}};
    (void)state;
    tc_device *d = open_device("sm_90a");
    uint8_t *bytes = tc_xcalloc(5 * MIB, 1), three[3];
    memset(bytes, 7, 5 * MIB);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t at = FIRST, from = cases[i].from, n = cases[i].n;
        uint64_t end = from + n;
        give(d, at, cases[i].size);
        assert_true(v->write(d, at + from, bytes, n / 2));
        assert_true(v->write(d, at + from + n / 2, bytes, n - n / 2));
        if (from) {
            assert_true(v->read(d, three, at + from - 1, 2));
            assert_int_equal(three[0], TC_DEVICE_FRESH);
            assert_int_equal(three[1], 7);
        }
        if (end < cases[i].size) {
            assert_true(v->read(d, three, at + end - 1, 2));
            assert_int_equal(three[0], 7);
            assert_int_equal(three[1], TC_DEVICE_FRESH);
        }
        assert_false(v->read(d, three, at + cases[i].size - 2, 3));
        v->free(d, at);
        assert_false(v->read(d, three, at, 1));
    }
    give(d, FIRST, 4096);
    assert_null(v->bytes(d, FIRST, 4097, false));
    assert_int_equal(*v->bytes(d, FIRST + 4095, 1, false), TC_DEVICE_FRESH);
    /* A kernel sees it too. */
    assert_int_equal(start(d, "add1", 1, FIRST + 4).error, 0);
    uint32_t word;
    assert_true(v->read(d, &word, FIRST + 4, 4));
    assert_int_equal(word, 0xCDCDCDCE);
    /* More than there is on any machine: pages that nobody touches. */
    give(d, FIRST + (UINT64_C(1) << 32), UINT64_C(64) << 30);
    free(bytes);
    v->close(d);
}

static void test_shares(void **state) {
    (void)state;
    tc_device *d = open_device("sm_90a");
    uint8_t *pages;
    size_t mapped;
    int fd = tc_pages_new(100, &pages, &mapped);
    assert_true(fd >= 0);
    assert_int_equal(mapped, (size_t)sysconf(_SC_PAGESIZE));
    tc_device_memory m = {.address = FIRST,
                          .bytes = 100,
                          .kind = TC_RT_MANAGED,
                          .shared = pages,
                          .name = "m"};
    assert_true(v->alloc(d, &m));
    assert_false(v->alloc(d, &(tc_device_memory){.address = FIRST + 50,
                                                 .bytes = 100,
                                                 .kind = TC_RT_DEVICE,
                                                 .name = ""}));
    assert_int_equal(start(d, "put7", 1, FIRST + 8).error, 0);
    assert_int_equal(pages[8], 7);
    assert_int_equal(pages[0], 0);
    v->free(d, FIRST);
    assert_int_equal(start(d, "put7", 1, FIRST + 8).error, 700);
    v->close(d);
    tc_memory_block b = {.m = m, .mapped = mapped, .fd = fd};
    tc_block_drop(&b);
    assert_int_equal(tc_pages_new(0, &pages, &mapped), -1);
    assert_int_equal(tc_pages_new(UINT64_MAX, &pages, &mapped), -1);
}

static const tc_ptx_symbol *symbol(const char *name) {
    const tc_ptx_module *m = module.ptx;
    for (int i = 0; i < m->nsymbols; i++) {
        if (strcmp(m->symbols[i].name, name) == 0) {
            return &m->symbols[i];
        }
    }
    fail_msg("no symbol %s", name);
    return NULL;
}

static uint64_t elsewhere(void *user, const tc_ptx_symbol *y) {
    (void)user;
    return strcmp(y->name, "counter") == 0 ? UINT64_C(0x7FEDCB000200) : 0;
}

/* Symbols live where the options say, the others in the simulator's part. */
static void test_symbols(void **state) {
    (void)state;
    tc_device_options o = {
        .sim = {.arch = "sm_90a", .symbol_address = elsewhere},
        .module = &module};
    tc_device *d = v->open(&o, why, sizeof why);
    uint64_t at = 0;
    uint32_t word = 0, out[3];
    assert_non_null(d);
    assert_true(v->symbol(d, symbol("counter"), &at));
    assert_int_equal(at, UINT64_C(0x7FEDCB000200));
    assert_true(v->read(d, &word, at, 4));
    assert_int_equal(word, 7);
    assert_true(v->symbol(d, symbol("factors"), &at));
    assert_true(at - TC_RT_DEVICE_BASE < TC_DEVICE_OWN);
    assert_false(v->symbol(d, symbol("pool"), &at));
    /* A managed one keeps its value when its pages come. */
    uint8_t *pages;
    size_t mapped;
    int fd = tc_pages_new(4, &pages, &mapped);
    assert_true(v->symbol(d, symbol("both"), &at));
    assert_true(v->alloc(d, &(tc_device_memory){.address = at,
                                                .bytes = 4,
                                                .kind = TC_RT_MANAGED,
                                                .shared = pages,
                                                .name = "both"}));
    assert_int_equal(pages[0], 5);
    give(d, FIRST, 12);
    assert_int_equal(start(d, "symbols", 1, FIRST).error, 0);
    assert_true(v->read(d, out, FIRST, 12));
    assert_int_equal(out[0], 7);
    assert_int_equal(out[2], 5);
    assert_int_equal(pages[0], 6);
    v->close(d);
    tc_memory_block b = {.m = {.shared = pages}, .mapped = mapped, .fd = fd};
    tc_block_drop(&b);
}

/* CUDA C++ Programming Guide, technical specifications per compute capability;
 * the H100's and A100's numbers of SMs. */
static void test_facts(void **state) {
    static const struct {
        const char *arch;
        int sm, sms;
        uint64_t optin, shared_sm;
    } cases[] = {{"sm_80", 80, 108, 166912, 167936},
                 {"sm_90a", 90, 132, 232448, 233472},
                 {"sm_100a", 100, 148, 232448, 233472}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_device *d = open_device(cases[i].arch);
        tc_rt_device f;
        v->facts(d, &f);
        assert_int_equal(f.sm, cases[i].sm);
        assert_int_equal(f.multiprocessors, cases[i].sms);
        assert_int_equal(f.shared_optin, cases[i].optin);
        assert_int_equal(f.shared_sm, cases[i].shared_sm);
        assert_int_equal(f.shared_cta, 49152);
        assert_int_equal(f.registers_sm, 65536);
        assert_int_equal(f.threads_sm, 2048);
        assert_int_equal(f.ctas_sm, 32);
        v->close(d);
    }
    tc_device_options o = {.sim = {.arch = "sm_77"}, .module = &module};
    assert_null(v->open(&o, why, sizeof why));
    assert_non_null(strstr(why, "sm_77"));
}

static uint32_t many_registers(void *user, const char *kernel) {
    (void)user;
    return strcmp(kernel, "add1") == 0 ? 128 : 0;
}

/* 65536 registers: 512 threads of 128, 16 warps. */
static void test_registers(void **state) {
    (void)state;
    module.registers = many_registers;
    tc_device *d = open_device("sm_90a");
    const tc_ptx_func *f = tc_ptx_find_entry(module.ptx, "add1");
    tc_rt_function out = {0};
    v->function(d, f, &out);
    assert_int_equal(out.registers, 128);
    assert_int_equal(out.max_threads, 512);
    assert_int_equal(v->occupancy(d, f, 512, 0, 1), 1);
    assert_int_equal(v->occupancy(d, f, 544, 0, 1), 0);
    assert_int_equal(v->occupancy(d, f, 256, 0, 1), 2);
    assert_int_equal(v->occupancy(d, f, 256, 0, 2), 132);
    f = tc_ptx_find_entry(module.ptx, "bounded");
    v->function(d, f, &out);
    assert_int_equal(out.max_threads, 64);
    f = tc_ptx_find_entry(module.ptx, "pairs");
    v->function(d, f, &out);
    assert_int_equal(out.cluster[0], 2);
    assert_int_equal(out.cluster[1], 1);
    v->close(d);
    module.registers = NULL;
}

static void test_tensor_map(void **state) {
    (void)state;
    tc_device *d = open_device("sm_90a");
    tc_rt_tensor_map t = {.address = FIRST,
                          .dims = {64, 16},
                          .strides = {256},
                          .box = {64, 16},
                          .element_strides = {1, 1},
                          .type = TC_MAP_F32,
                          .rank = 2};
    uint8_t bytes[128];
    tc_sim_tensor_map m;
    assert_true(v->tensor_map(d, &t, bytes));
    assert_true(tc_tensor_map_decode(bytes, &m));
    assert_int_equal(m.address, FIRST);
    assert_int_equal(m.dims[0], 64);
    assert_int_equal(m.box[1], 16);
    t.box[0] = 257;
    assert_false(v->tensor_map(d, &t, bytes));
    v->close(d);
}

/* Launches leave nothing behind, those with findings neither. */
static void test_many_launches(void **state) {
    struct rusage before, after;
    (void)state;
    tc_device *d = open_device("sm_90a");
    give(d, FIRST, 4096);
    for (int i = 0; i < 6000; i++) {
        if (i == 1000) {
            getrusage(RUSAGE_SELF, &before);
        }
        assert_int_equal(start(d, "add1", 32, FIRST).error, 0);
        tc_device_launched bad = start(d, "put7", 32, FIRST + 4096);
        assert_true(bad.fault);
        assert_int_equal(bad.error, 700);
        assert_int_equal(bad.sim.nfindings, 1);
        if (i % 100 == 0) {
            give(d, FIRST + 8 * MIB, 100);
            v->free(d, FIRST + 8 * MIB);
        }
    }
    getrusage(RUSAGE_SELF, &after);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
    assert_true(after.ru_maxrss - before.ru_maxrss < 2000); /* KiB */
#endif
    assert_true(v->time_ms(d) > 0);
    assert_non_null(v->sim(d));
    v->close(d);
}

static int set_up(void **state) {
    (void)state;
    arena = tc_arena_new();
    tc_source *s = TC_NEW(arena, tc_source);
    tc_diags d = {0};
    *s = (tc_source){"runtime.ptx", runtime_ptx, strlen(runtime_ptx), 1};
    module = (tc_device_module){.ptx = tc_ptx_parse(arena, s, &d),
                                .ptx_text = runtime_ptx};
    return module.ptx == NULL;
}

static int tear_down(void **state) {
    (void)state;
    tc_arena_free(arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),     cmocka_unit_test(test_places_again),
        cmocka_unit_test(test_list),       cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_shares),     cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_facts),      cmocka_unit_test(test_registers),
        cmocka_unit_test(test_tensor_map), cmocka_unit_test(test_many_launches),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
