/* device_fixture.h - the devices gpu and both over a stand-in for the driver
 * (fake_cuda.c), some of whose kernels are those of tests/ptx/device.ptx. What
 * a real one does with all of them: tests/tools/device_host.c. */
#ifndef TC_TEST_DEVICE_FIXTURE_H
#define TC_TEST_DEVICE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_library.h"
#include "runtime/device.h"

static tc_arena *arena;
static tc_device_module module;
static tc_device_options options;
static tc_buf printed;
static char why[640], pages[64];

static inline void keep_print(void *user, const char *text, size_t n) {
    (void)user;
    tc_buf_write(&printed, text, n);
}

static inline const char *read_ptx(void) {
    FILE *f = fopen("tests/ptx/device.ptx", "rb");
    tc_buf text = TC_BUF_INIT;
    int c;
    assert_non_null(f);
    while ((c = getc(f)) != EOF) {
        tc_buf_putc(&text, (char)c);
    }
    fclose(f);
    return tc_buf_finish(&text, arena);
}

static inline int set_up(void **state) {
    (void)state;
    fake_forget();
    snprintf(pages, sizeof pages, "%s/pages", folder);
    fake("PAGES", pages);
    fake("LIVE", counts);
    setenv("TILECOPY_LIBCUDA", library, 1);
    arena = tc_arena_new();
    tc_source *src = TC_NEW(arena, tc_source);
    tc_diags diags = {0};
    module = (tc_device_module){.ptx_text = read_ptx()};
    *src =
        (tc_source){"device.ptx", module.ptx_text, strlen(module.ptx_text), 1};
    module.ptx = tc_ptx_parse(arena, src, &diags);
    printed = (tc_buf)TC_BUF_INIT;
    options = (tc_device_options){.sim = {.arch = "sm_90a",
                                          .hazards = true,
                                          .completion = TC_COMPLETE_LATE,
                                          .print = keep_print},
                                  .module = &module};
    return module.ptx == NULL;
}

static inline int tear_down(void **state) {
    (void)state;
    tc_buf_free(&printed);
    tc_arena_free(arena);
    unlink(pages);
    return 0;
}

static inline tc_device *open_device(const tc_device_vtable *v) {
    *why = '\0';
    tc_device *d = v->open(&options, why, sizeof why);
    assert_string_equal(why, "");
    assert_non_null(d);
    return d;
}

static inline uint64_t first(const tc_device_vtable *v, tc_device *d) {
    uint64_t bytes = 0;
    uint64_t at = v->range(d, &bytes);
    assert_true(bytes > 0);
    return at;
}

static inline tc_device_memory memory(uint64_t address, uint64_t bytes) {
    return (tc_device_memory){
        .address = address, .bytes = bytes, .kind = TC_RT_DEVICE, .name = "x"};
}

/* What the fake has left: handles, mappings, the most mappings at a time. */
static inline void assert_pages(int created, int mapped, int most) {
    int a = -1, b = -1, c = -1;
    FILE *f = fopen(pages, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d %d %d", &a, &b, &c), 3);
    fclose(f);
    assert_int_equal(a, created);
    assert_int_equal(b, mapped);
    assert_int_equal(c, most);
    f = fopen(counts, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &a), 1);
    fclose(f);
    assert_int_equal(a, 0); /* modules, events */
}

/* --- launches --------------------------------------------------------------*/

typedef struct block {
    _Alignas(64) uint8_t bytes[256];
    uint32_t n;
} block;

static inline void put(block *b, const void *p, uint32_t size) {
    uint32_t align = size == 128 ? 64 : size;
    b->n = (b->n + align - 1) / align * align;
    memcpy(b->bytes + b->n, p, size);
    b->n += size;
}

static inline block pointers(uint64_t a, uint64_t b, uint64_t c, int n) {
    block p = {.n = 0};
    put(&p, &a, 8);
    if (b != 0) {
        put(&p, &b, 8);
    }
    if (c != 0) {
        put(&p, &c, 8);
        put(&p, &n, 4);
    }
    return p;
}

static inline tc_device_launched launch(const tc_device_vtable *v, tc_device *d,
                                        const char *entry, uint32_t grid,
                                        uint32_t threads, const block *p,
                                        bool cooperative) {
    tc_sim_launch l = {.entry = entry,
                       .grid = {grid, 1, 1},
                       .block = {threads, 1, 1},
                       .cooperative = cooperative,
                       .params = p->bytes,
                       .nparams = p->n};
    tc_device_launched out;
    v->launch(d, &l, &out);
    return out;
}

/* a[i] + b[i] of N floats at three addresses, which it gives memory. */
enum { N = 1000 };
static inline block a_vadd(const tc_device_vtable *v, tc_device *d) {
    float x[N], y[N];
    uint64_t at = first(v, d);
    for (int i = 0; i < 3; i++) {
        tc_device_memory m =
            memory(at + (uint64_t)i * TC_DEVICE_PAGE * 2, sizeof x);
        assert_true(v->alloc(d, &m));
    }
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.5F;
    }
    assert_true(v->write(d, at, x, sizeof x));
    assert_true(v->write(d, at + TC_DEVICE_PAGE * 2, y, sizeof y));
    return pointers(at, at + TC_DEVICE_PAGE * 2, at + TC_DEVICE_PAGE * 4, N);
}

static inline void assert_sum(const tc_device_vtable *v, tc_device *d) {
    float z[N];
    assert_true(v->read(d, z, first(v, d) + TC_DEVICE_PAGE * 4, sizeof z));
    for (int i = 0; i < N; i++) {
        assert_true(z[i] == (float)i + 0.5F);
    }
}

#define FAKE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
