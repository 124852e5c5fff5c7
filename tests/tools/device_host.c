/* device_host - a CUDA program's device, tried without a program:
 *
 *     device_host sim|gpu|both [tests/ptx/device.ptx]
 *
 * Prints a line for each thing tried, "ok" or "FAILED"; its status is 1 if
 * something failed. What it needs is the driver, no toolkit. */
#include "runtime/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef struct host {
    tc_arena *arena;
    const tc_device_vtable *v;
    tc_device_options options;
    tc_device_module module;
    tc_device *d;
    uint64_t next; /* address */
    tc_buf printed;
    int failed;
} host;

static void say(host *h, bool ok, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(host *h, bool ok, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    printf("%s  ", ok ? "ok    " : "FAILED");
    vprintf(fmt, ap);
    putchar('\n');
    fflush(stdout);
    va_end(ap);
    h->failed += !ok;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void keep_print(void *user, const char *text, size_t n) {
    tc_buf_write(&((host *)user)->printed, text, n);
}

static const char *read_file(tc_arena *a, const char *path) {
    FILE *f = fopen(path, "rb");
    tc_buf text = TC_BUF_INIT;
    int c;
    if (f == NULL) {
        fprintf(stderr, "device_host: cannot open %s\n", path);
        return NULL;
    }
    while ((c = getc(f)) != EOF) {
        tc_buf_putc(&text, (char)c);
    }
    fclose(f);
    return tc_buf_finish(&text, a);
}

static bool load(host *h, const char *path) {
    tc_source *src = TC_NEW(h->arena, tc_source);
    tc_diags diags = {0};
    h->module.ptx_text = read_file(h->arena, path);
    if (h->module.ptx_text == NULL) {
        return false;
    }
    *src = (tc_source){path, h->module.ptx_text, strlen(h->module.ptx_text), 1};
    h->module.ptx = tc_ptx_parse(h->arena, src, &diags);
    h->options = (tc_device_options){.sim = {.arch = "sm_90a",
                                             .hazards = true,
                                             .completion = TC_COMPLETE_LATE,
                                             .print = keep_print,
                                             .print_user = h},
                                     .module = &h->module};
    return h->module.ptx != NULL;
}

static bool start(host *h) {
    char why[640] = "";
    double since = now_ms();
    uint64_t bytes = 0;
    h->d = h->v->open(&h->options, why, sizeof why);
    say(h, h->d != NULL, "open %s: %.0f ms %s", h->v->name, now_ms() - since,
        why);
    if (h->d == NULL) {
        return false;
    }
    h->next = h->v->range != NULL ? h->v->range(h->d, &bytes) : 0;
    if (bytes == 0) {
        h->next = TC_RT_DEVICE_BASE + TC_DEVICE_OWN;
    }
    say(h, h->next % TC_DEVICE_PAGE == 0, "addresses from 0x%llx, %llu GiB",
        (unsigned long long)h->next, (unsigned long long)(bytes >> 30));
    return true;
}

/* --- memory ----------------------------------------------------------------*/

static uint64_t take(host *h, uint64_t bytes, uint64_t align) {
    uint64_t at = (h->next + align - 1) / align * align;
    h->next = at + bytes + align;
    return at;
}

static uint64_t alloc(host *h, uint64_t bytes) {
    tc_device_memory m = {.address = take(h, bytes, TC_DEVICE_PAGE),
                          .bytes = bytes,
                          .kind = TC_RT_DEVICE,
                          .name = "x"};
    if (!h->v->alloc(h->d, &m)) {
        say(h, false, "alloc %llu bytes", (unsigned long long)bytes);
        return 0;
    }
    return m.address;
}

static void try_memory(host *h) {
    uint8_t in[1000], out[1000];
    uint64_t a = alloc(h, sizeof in), b = alloc(h, sizeof in);
    bool fresh = h->v->read(h->d, out, a, sizeof out);
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)(i * 7);
        fresh &= out[i] == TC_DEVICE_FRESH;
    }
    say(h, fresh, "fresh memory is 0x%02x", out[0]);
    bool ok = h->v->write(h->d, a, in, sizeof in) &&
              h->v->move(h->d, b + 3, a, 900) &&
              h->v->set(h->d, b + 10, 0x5A, 20) &&
              h->v->read(h->d, out, b, sizeof out);
    memset(in + 7, 0x5A, 20);
    say(h, ok && memcmp(out + 3, in, 900) == 0, "write, move, set, read");
    h->v->free(h->d, a);
    h->v->free(h->d, b);
}

/* Thousands of small allocations, several on a page. */
static void try_small(host *h) {
    enum { N = 4000, EACH = 256, STEP = 4096 };
    tc_rt_device before, after, end;
    uint64_t base = take(h, (uint64_t)N * STEP, TC_DEVICE_PAGE);
    double since = now_ms();
    bool ok = true;
    h->v->facts(h->d, &before);
    for (int i = 0; ok && i < N; i++) {
        tc_device_memory m = {.address = base + (uint64_t)i * STEP,
                              .bytes = EACH,
                              .kind = TC_RT_DEVICE,
                              .name = ""};
        ok =
            h->v->alloc(h->d, &m) && h->v->write(h->d, m.address, &i, sizeof i);
    }
    double took = now_ms() - since;
    h->v->facts(h->d, &after);
    for (int i = 0, v = 0; ok && i < N; i++) {
        ok =
            h->v->read(h->d, &v, base + (uint64_t)i * STEP, sizeof v) && v == i;
        h->v->free(h->d, base + (uint64_t)i * STEP);
    }
    h->v->facts(h->d, &end);
    say(h, ok && end.memory_free >= after.memory_free,
        "%d small allocations: %.1f ms, %lld KiB of the device, %lld back", N,
        took,
        (long long)(int64_t)(before.memory_free - after.memory_free) / 1024,
        (long long)(int64_t)(end.memory_free - after.memory_free) / 1024);
}

static void try_large(host *h) {
    uint64_t n = UINT64_C(1) << 30;
    double since = now_ms();
    uint64_t a = alloc(h, n);
    uint32_t v = 0;
    bool ok = a != 0 && h->v->set(h->d, a, 0x11, n) &&
              h->v->read(h->d, &v, a + n - 4, 4) && v == 0x11111111;
    say(h, ok, "1 GiB: %.1f ms", now_ms() - since);
    h->v->free(h->d, a);
}

/* --- launches --------------------------------------------------------------*/

typedef struct block {
    _Alignas(64) uint8_t bytes[512];
    uint32_t n;
} block;

static void put(block *b, const void *p, uint32_t size, uint32_t align) {
    b->n = (b->n + align - 1) / align * align;
    memcpy(b->bytes + b->n, p, size);
    b->n += size;
}

static void put_address(block *b, uint64_t a) {
    put(b, &a, 8, 8);
}

static void put_int(block *b, int32_t v) {
    put(b, &v, 4, 4);
}

static bool launch_ex(host *h, const char *entry, uint32_t grid,
                      uint32_t block_, const block *b, tc_sim_launch l,
                      tc_device_launched *out) {
    l.entry = entry;
    l.grid[0] = grid;
    l.block[0] = block_;
    l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
    l.params = b->bytes;
    l.nparams = b->n;
    h->v->launch(h->d, &l, out);
    if (out->error != 0 || out->ndifferences > 0) {
        printf("        %s: error %d%s, %d differences (%s)\n", entry,
               out->error, out->fault ? " (sticky)" : "", out->ndifferences,
               out->why != NULL ? out->why : "");
    }
    for (int i = 0; i < out->ndifferences && i < 3; i++) {
        const tc_device_difference *x = &out->differences[i];
        printf("        0x%llx + %llu: %llu bytes, first %02x and %02x\n",
               (unsigned long long)x->address, (unsigned long long)x->offset,
               (unsigned long long)x->bytes, x->sim[0], x->gpu[0]);
    }
    return out->error == 0;
}

static bool launch(host *h, const char *entry, uint32_t grid, uint32_t threads,
                   const block *b) {
    tc_device_launched out;
    return launch_ex(h, entry, grid, threads, b, (tc_sim_launch){0}, &out) &&
           out.ndifferences == 0;
}

static void try_vadd(host *h) {
    enum { N = 1 << 20 };
    float *x = tc_xcalloc(N, 4), *y = tc_xcalloc(N, 4);
    uint64_t a = alloc(h, N * 4), b = alloc(h, N * 4), c = alloc(h, N * 4);
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.5F;
    }
    bool ok = h->v->write(h->d, a, x, N * 4) && h->v->write(h->d, b, y, N * 4);
    block p = {.n = 0};
    tc_device_launched out;
    put_address(&p, a);
    put_address(&p, b);
    put_address(&p, c);
    put_int(&p, N);
    double since = now_ms();
    ok = ok && launch_ex(h, "vadd", N / 256, 256, &p, (tc_sim_launch){0}, &out);
    double took = now_ms() - since;
    ok = ok && out.ndifferences == 0 && h->v->read(h->d, y, c, N * 4);
    for (int i = 0; ok && i < N; i++) {
        ok = y[i] == (float)i + 0.5F;
    }
    say(h, ok, "vadd of 2^20: %.3f ms on the GPU, %.1f ms in all", out.gpu_ms,
        took);
    h->v->free(h->d, a);
    h->v->free(h->d, b);
    h->v->free(h->d, c);
    free(x);
    free(y);
}

static void try_cooperative(host *h) {
    enum { CTAS = 100 };
    int zero = 0, seen[CTAS];
    uint64_t sum = alloc(h, 4), at = alloc(h, sizeof seen);
    block p = {.n = 0};
    tc_device_launched out;
    put_address(&p, sum);
    put_address(&p, at);
    bool ok = h->v->write(h->d, sum, &zero, 4) &&
              launch_ex(h, "grid_sum", CTAS, 64, &p,
                        (tc_sim_launch){.cooperative = true}, &out) &&
              out.ndifferences == 0 && h->v->read(h->d, seen, at, sizeof seen);
    for (int i = 0; ok && i < CTAS; i++) {
        ok = seen[i] == CTAS * (CTAS + 1) / 2;
    }
    say(h, ok, "grid.sync() of %d CTAs", CTAS);
}

static void try_cluster(host *h, uint32_t n) {
    int got[32];
    uint64_t at = alloc(h, sizeof got);
    block p = {.n = 0};
    tc_device_launched out;
    put_address(&p, at);
    bool ok = launch_ex(h, "ring", 2 * n, 32, &p,
                        (tc_sim_launch){.cluster = {n, 1, 1},
                                        .nonportable_cluster = n > 8},
                        &out) &&
              out.ndifferences == 0 && h->v->read(h->d, got, at, 8 * n);
    for (uint32_t i = 0; ok && i < 2 * n; i++) {
        ok = got[i] == (int)((i % n + n - 1) % n);
    }
    say(h, ok, "clusters of %u", n);
}

static void try_print(host *h) {
    block p = {.n = 0};
    put_int(&p, 42);
    tc_buf_free(&h->printed);
    h->printed = (tc_buf)TC_BUF_INIT;
    bool ok = launch(h, "hello", 2, 32, &p);
    const char *text = tc_buf_text(&h->printed);
    say(h,
        ok && strstr(text, "hello 42 from block 0\n") != NULL &&
            strstr(text, "hello 42 from block 1\n") != NULL &&
            strlen(text) == 44,
        "printf: %zu bytes", strlen(text));
}

static int32_t *shared_pages(void) {
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED ? p : NULL;
}

/* Where a variable lives, or 0. */
static uint64_t variable(host *h, const char *name) {
    uint64_t at = 0;
    for (int i = 0; i < h->module.ptx->nsymbols; i++) {
        const tc_ptx_symbol *y = &h->module.ptx->symbols[i];
        if (strcmp(y->name, name) == 0 && h->v->symbol(h->d, y, &at)) {
            return at;
        }
    }
    return 0;
}

/* Managed memory, a symbol and a constant: p[i] * factors[i % 4] + counter. */
static void try_shared(host *h) {
    static const int32_t factors[4] = {5, 6, 7, 8};
    int32_t *pages = shared_pages(), counter = 0;
    uint64_t at[2] = {variable(h, "counter"), variable(h, "factors")};
    tc_device_memory m = {.address = take(h, 4096, TC_DEVICE_PAGE),
                          .bytes = 4096,
                          .kind = TC_RT_MANAGED,
                          .shared = (uint8_t *)pages,
                          .name = "m"};
    bool ok = pages != NULL && at[0] != 0 && at[1] != 0 &&
              h->v->alloc(h->d, &m) &&
              h->v->write(h->d, at[1], factors, sizeof factors) &&
              h->v->read(h->d, &counter, at[0], 4) && counter == 7;
    for (int i = 0; ok && i < 64; i++) {
        pages[i] = i;
    }
    block p = {.n = 0};
    put_address(&p, m.address);
    ok = ok && launch(h, "count_up", 1, 64, &p) &&
         h->v->read(h->d, &counter, at[0], 4) && counter == 8;
    for (int i = 0; ok && i < 64; i++) {
        ok = pages[i] == i * factors[i % 4] + 7;
    }
    say(h, ok, "managed memory, a symbol at 0x%llx, a constant at 0x%llx",
        (unsigned long long)at[0], (unsigned long long)at[1]);
    if (pages != NULL) {
        h->v->free(h->d, m.address);
        munmap(pages, 4096);
    }
}

/* A __managed__ variable, which the program has on pages of its own (never
 * given back). */
static void try_managed_symbol(host *h) {
    int32_t *pages = shared_pages();
    tc_device_memory m = {.address = variable(h, "tally"),
                          .bytes = 4,
                          .kind = TC_RT_MANAGED,
                          .shared = (uint8_t *)pages,
                          .name = "tally"};
    bool ok = pages != NULL && m.address != 0;
    block p = {.n = 0};
    put_int(&p, 3);
    ok = ok && h->v->alloc(h->d, &m) && pages[0] == 5 &&
         launch(h, "bump", 1, 32, &p) && pages[0] == 8;
    if (ok) {
        pages[0] = 100;
        ok = launch(h, "bump", 1, 32, &p) && pages[0] == 103;
    }
    say(h, ok, "a __managed__ variable at 0x%llx",
        (unsigned long long)m.address);
}

static void try_dynamic(host *h) {
    enum { N = 200 * 1024 / 4 };
    int32_t *got = tc_xcalloc(N, 4);
    uint64_t at = alloc(h, N * 4);
    block p = {.n = 0};
    tc_device_launched out;
    put_address(&p, at);
    put_int(&p, N);
    bool ok = launch_ex(h, "large", 1, 256, &p,
                        (tc_sim_launch){.dynamic_shared = N * 4}, &out) &&
              out.ndifferences == 0 && h->v->read(h->d, got, at, N * 4);
    for (int i = 0; ok && i < N; i++) {
        ok = got[i] == N - 1 - i;
    }
    say(h, ok, "200 KiB of dynamic shared memory");
    free(got);
}

static void try_tensor(host *h) {
    float in[32 * 32], out[64];
    uint64_t a = alloc(h, sizeof in), b = alloc(h, sizeof out);
    _Alignas(64) uint8_t map[128];
    tc_rt_tensor_map t = {.address = a,
                          .dims = {32, 32},
                          .strides = {128},
                          .box = {8, 8},
                          .element_strides = {1, 1},
                          .type = 7, /* float */
                          .rank = 2};
    for (int i = 0; i < 32 * 32; i++) {
        in[i] = (float)i;
    }
    bool ok =
        h->v->write(h->d, a, in, sizeof in) && h->v->tensor_map(h->d, &t, map);
    block p = {.n = 0};
    put(&p, map, sizeof map, 64);
    put_address(&p, b);
    put_int(&p, 28);
    put_int(&p, 8);
    ok = ok && launch(h, "box", 1, 64, &p) &&
         h->v->read(h->d, out, b, sizeof out);
    for (int i = 0; ok && i < 64; i++) {
        int x = 28 + i % 8, y = 8 + i / 8;
        ok = out[i] == (x < 32 ? in[y * 32 + x] : 0.0F);
    }
    say(h, ok, "a box of a tensor map");
}

/* --- facts -----------------------------------------------------------------*/

static void try_facts(host *h) {
    tc_rt_device f;
    tc_rt_function k = {0};
    h->v->facts(h->d, &f);
    say(h, f.sm >= 80 && f.multiprocessors > 0 && f.threads_sm >= 1024,
        "%s: sm_%d, %d SMs, %d threads and %d CTAs an SM", f.name, f.sm,
        f.multiprocessors, f.threads_sm, f.ctas_sm);
    say(h, f.shared_optin >= f.shared_cta && f.registers_sm > 0,
        "clock %d kHz, memory %d kHz x %d bits, L2 %d, driver %d, %llu MiB "
        "(%llu free), shared %llu/%llu/%llu, registers %d/%d, threads %d",
        f.clock_khz, f.memory_clock_khz, f.memory_bus_bits, f.l2_bytes,
        f.driver_version, (unsigned long long)(f.memory >> 20),
        (unsigned long long)(f.memory_free >> 20),
        (unsigned long long)f.shared_cta, (unsigned long long)f.shared_sm,
        (unsigned long long)f.shared_optin, f.registers_sm, f.registers_cta,
        f.threads_cta);
    const tc_ptx_func *large = tc_ptx_find_entry(h->module.ptx, "large");
    const tc_ptx_func *ring = tc_ptx_find_entry(h->module.ptx, "ring");
    h->v->function(h->d, large, &k);
    say(h, k.registers > 0 && k.max_threads >= 256,
        "large: %u registers, %u threads, ptx %u, binary %u, shared %llu, "
        "local %llu, constant %llu",
        k.registers, k.max_threads, k.ptx_version, k.binary_version,
        (unsigned long long)k.shared, (unsigned long long)k.local,
        (unsigned long long)k.constant);
    uint32_t one = h->v->occupancy(h->d, large, 256, 100 * 1024, 1);
    uint32_t none = h->v->occupancy(h->d, large, 256, 0, 1);
    uint32_t clusters = h->v->occupancy(h->d, ring, 128, 0, 8);
    say(h, one == 2 && none == 8 && clusters > 0,
        "occupancy: %u with 100 KiB, %u without, %u clusters of 8", one, none,
        clusters);
}

/* --- what only two machines, or a dead one, do -----------------------------*/

static void try_differences(host *h) {
    uint64_t t[32], again[32], at = alloc(h, sizeof t);
    float x[32], s[32];
    block p = {.n = 0}, q = {.n = 0}, r = {.n = 0};
    tc_device_launched out;
    put_address(&p, at);
    launch_ex(h, "where", 1, 32, &p, (tc_sim_launch){0}, &out);
    bool ok = out.ndifferences == 1 && out.differences[0].address == at &&
              !out.approximate && out.error == 0;
    say(h, ok, "both: %%globaltimer differs");
    uint64_t a = alloc(h, sizeof x), b = alloc(h, sizeof s);
    for (int i = 0; i < 32; i++) {
        x[i] = 0.37F * (float)i;
    }
    h->v->write(h->d, a, x, sizeof x);
    put_address(&q, a);
    put_address(&q, b);
    launch_ex(h, "sines", 1, 32, &q, (tc_sim_launch){0}, &out);
    ok = out.error == 0 && out.approximate == (out.ndifferences > 0);
    for (int i = 0; i < out.ndifferences; i++) {
        ok &= out.differences[i].address == b;
    }
    h->v->read(h->d, s, b, sizeof s);
    for (int i = 0; i < 32; i++) {
        ok &= fabsf(s[i] - sinf(x[i])) < 1e-5F;
    }
    say(h, ok, "both: only the approximate instruction's bytes differ");
    /* after a difference both go on with the simulator's bytes */
    h->v->read(h->d, t, at, sizeof t);
    put_address(&r, alloc(h, 256));
    ok = launch_ex(h, "ring", 1, 32, &r, (tc_sim_launch){.cluster = {1, 1, 1}},
                   &out) &&
         out.ndifferences == 0 && h->v->read(h->d, again, at, sizeof again) &&
         memcmp(t, again, sizeof t) == 0;
    say(h, ok, "both: a difference is told once");
}

static void try_fault(host *h) {
    block p = {.n = 0};
    tc_device_launched out;
    uint64_t at = alloc(h, 256);
    put_address(&p, at);
    launch_ex(h, "fault", 1, 32, &p, (tc_sim_launch){0}, &out);
    say(h, out.fault && out.error == 700, "a fault: error %d", out.error);
    if (strcmp(h->v->name, "gpu") == 0) {
        launch_ex(h, "fault", 1, 32, &p, (tc_sim_launch){0}, &out);
        int v = 0;
        say(h,
            out.fault && out.error == 700 && !h->v->read(h->d, &v, at, 4) &&
                !h->v->write(h->d, at, &v, 4),
            "the fault is every later call's answer");
    }
    h->v->close(h->d);
    h->d = NULL;
    if (start(h)) {
        try_vadd(h); /* in a process that has had no fault */
    }
}

/* The driver is not to take it. */
static void try_too_new(host *h) {
    char *text = tc_strdup(h->arena, h->module.ptx_text), why[640] = "";
    char *at = strstr(text, ".version 9.0");
    tc_device_module m = h->module;
    tc_device_options o = h->options;
    m.ptx_text = text;
    o.module = &m;
    memcpy(at != NULL ? at : text, ".version 9.9", 12);
    say(h,
        h->v->open(&o, why, sizeof why) == NULL &&
            strstr(why, "version 9.9") != NULL,
        "too new: %s", why);
}

static void try_all(host *h) {
    bool both = strcmp(h->v->name, "both") == 0;
    try_facts(h);
    try_memory(h);
    try_small(h);
    try_large(h);
    try_vadd(h);
    try_cooperative(h);
    try_cluster(h, 4);
    try_cluster(h, 16);
    try_print(h);
    try_shared(h);
    try_managed_symbol(h);
    try_dynamic(h);
    try_tensor(h);
    if (both) {
        try_differences(h);
    }
    if (strcmp(h->v->name, "sim") != 0) {
        try_too_new(h);
    }
    try_fault(h);
}

int main(int argc, char **argv) {
    const tc_device_vtable *all[] = {&tc_device_sim, &tc_device_gpu,
                                     &tc_device_both};
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    host h = {.arena = tc_arena_new(), .printed = TC_BUF_INIT};
    for (size_t i = 0; argc > 1 && i < 3; i++) {
        h.v = strcmp(argv[1], all[i]->name) == 0 ? all[i] : h.v;
    }
    if (h.v == NULL) {
        fprintf(stderr, "usage: device_host sim|gpu|both [FILE.ptx]\n");
        return 2;
    }
    if (load(&h, argc > 2 ? argv[2] : "tests/ptx/device.ptx") && start(&h)) {
        try_all(&h);
    } else {
        h.failed++;
    }
    if (h.d != NULL) {
        h.v->close(h.d);
    }
    tc_buf_free(&h.printed);
    tc_arena_free(h.arena);
    printf("%d failed\n", h.failed);
    return h.failed > 0;
}
