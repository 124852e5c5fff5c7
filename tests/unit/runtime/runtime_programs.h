/* runtime_programs.h - fake programs that do what the stub does, and check the
 * answers. Each returns its exit status. */
#ifndef TC_TEST_RUNTIME_PROGRAMS_H
#define TC_TEST_RUNTIME_PROGRAMS_H

#include "runtime_fake.h"

/* ---- programs ---- */

static inline int device_program(void) {
    tc_rt_device d = fake_hello();
    NEED(d.sm == 90 && d.multiprocessors == 132 && d.threads_cta == 1024);
    NEED(d.shared_cta == 49152 && d.shared_optin == 232448);
    NEED(d.driver_version == 13000 && strstr(d.name, "sm_90a"));
    fake_bye();
    return 3;
}

static inline int memory_program(void) {
    uint8_t bytes[300], back[300], fresh[4];
    fake_hello();
    uint64_t a = fake_alloc(300, TC_RT_DEVICE);
    uint64_t b = fake_alloc(100, TC_RT_DEVICE);
    for (int i = 0; i < 300; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    NEED(fake_read(fresh, a + 100, 4) == 0 && fresh[0] == 0xCD);
    NEED(fake_write(a, bytes, 300) == 0);
    NEED(fake_read(back, a + 10, 290) == 0);
    NEED(memcmp(back, bytes + 10, 290) == 0);
    tc_rt_copy set = {.dst = b,
                      .width = 100,
                      .height = 1,
                      .depth = 1,
                      .value = 0x1234,
                      .value_bytes = 1};
    NEED(fake_call(TC_RT_SET, &set, sizeof set) == 0);
    tc_rt_copy move = {
        .dst = b + 4, .src = a + 50, .width = 90, .height = 1, .depth = 1};
    NEED(fake_call(TC_RT_MOVE, &move, sizeof move) == 0);
    NEED(fake_read(back, b, 100) == 0);
    NEED(back[3] == 0x34 && memcmp(back + 4, bytes + 50, 90) == 0);
    NEED(back[94] == 0x34);
    tc_rt_alloc find = {.address = a + 299}, found;
    NEED(fake_call(TC_RT_FIND, &find, sizeof find) == 0);
    memcpy(&found, fake_answer, sizeof found);
    NEED(found.address == a && found.bytes == 300);
    find.address = a + 300;
    NEED(fake_call(TC_RT_FIND, &find, sizeof find) == 1);
    NEED(fake_free(a, TC_RT_DEVICE) == 0);
    NEED(fake_read(back, a, 1) == 1);
    NEED(fake_free(b, TC_RT_DEVICE) == 0);
    NEED(fake_free(0, TC_RT_DEVICE) == 0);
    fake_bye();
    return 0;
}

/* 3 planes of 4 rows of 5 bytes, 16 and 100 bytes apart. */
static inline int box_program(void) {
    uint8_t rows[60], all[400];
    fake_hello();
    uint64_t a = fake_alloc(400, TC_RT_DEVICE);
    tc_rt_copy c = {.dst = a,
                    .src = a,
                    .dst_pitch = 16,
                    .src_pitch = 16,
                    .dst_slice = 100,
                    .src_slice = 100,
                    .width = 5,
                    .height = 4,
                    .depth = 3};
    for (int i = 0; i < 60; i++) {
        rows[i] = (uint8_t)(i + 1);
    }
    NEED(fake_call2(TC_RT_WRITE, &c, sizeof c, rows, 60) == 0);
    NEED(fake_read(all, a, 400) == 0);
    for (int i = 0; i < 400; i++) {
        int z = i / 100, y = i % 100 / 16, x = i % 100 % 16;
        bool in = z < 3 && y < 4 && x < 5;
        NEED(all[i] == (in ? 1 + (z * 4 + y) * 5 + x : 0xCD));
    }
    NEED(fake_call(TC_RT_READ, &c, sizeof c) == 0);
    NEED(fake_bytes == 60 && memcmp(fake_answer, rows, 60) == 0);
    fake_free(a, TC_RT_DEVICE);
    fake_bye();
    return 0;
}

static inline int copy_error(uint32_t name, tc_rt_copy c, size_t rows) {
    static char bytes[4096];
    c.value_bytes = 1;
    return name == TC_RT_WRITE ? fake_call2(name, &c, sizeof c, bytes, rows)
                               : fake_call(name, &c, sizeof c);
}

static inline int bounds_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(1000, TC_RT_DEVICE), huge = UINT64_MAX;
    const struct {
        tc_rt_copy c;
        size_t rows;
        int error;
    } cases[] = {
        {{.dst = a, .width = 1001, .height = 1, .depth = 1}, 1001, 1},
        {{.dst = a + 1000, .width = 1, .height = 1, .depth = 1}, 1, 1},
        {{.dst = a - 1, .width = 1, .height = 1, .depth = 1}, 1, 1},
        {{.dst = 0, .width = 1, .height = 1, .depth = 1}, 1, 1},
        {{.dst = huge, .width = 1, .height = 1, .depth = 1}, 1, 1},
        {{.dst = a, .width = huge, .height = 1, .depth = 1}, 8, 1},
        {{.dst = a, .width = 1, .height = huge, .depth = 1}, 8, 12},
        {{.dst = a, .dst_pitch = 1, .width = 1, .height = huge, .depth = 1},
         8,
         1},
        {{.dst = a,
          .dst_pitch = 1ull << 63,
          .width = 2,
          .height = 3,
          .depth = 1},
         6,
         1},
        {{.dst = a,
          .dst_pitch = 10,
          .dst_slice = 1ull << 62,
          .width = 1,
          .height = 1,
          .depth = 5},
         5,
         1},
        {{.dst = a, .dst_pitch = 4, .width = 5, .height = 2, .depth = 1},
         10,
         12},
        {{.dst = a,
          .dst_pitch = 10,
          .dst_slice = 5,
          .width = 5,
          .height = 2,
          .depth = 2},
         20,
         1},
        {{.dst = a, .dst_pitch = 999, .width = 2, .height = 2, .depth = 1},
         4,
         1},
        {{.dst = a, .dst_pitch = 998, .width = 2, .height = 2, .depth = 1},
         4,
         0},
        {{.dst = a, .width = 0, .height = 1, .depth = 1}, 0, 0},
        {{.dst = 5, .width = huge, .height = huge, .depth = 0}, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_rt_copy c = cases[i].c, r = c;
        r.src = c.dst;
        r.src_pitch = c.dst_pitch;
        r.src_slice = c.dst_slice;
        r.dst = a;
        NEED(copy_error(TC_RT_WRITE, c, cases[i].rows) == cases[i].error);
        NEED(copy_error(TC_RT_SET, c, 0) == cases[i].error);
        NEED(copy_error(TC_RT_READ, r, 0) == cases[i].error);
    }
    /* Rows that are not as many as the call says. */
    tc_rt_copy c = {.dst = a, .width = 10, .height = 1, .depth = 1};
    NEED(copy_error(TC_RT_WRITE, c, 9) == 1);
    NEED(copy_error(TC_RT_WRITE, c, 11) == 1);
    NEED(fake_free(a + 1, TC_RT_DEVICE) == 1);
    NEED(fake_free(a, TC_RT_HOST) == 1);
    tc_rt_alloc q = {.bytes = huge};
    NEED(fake_call(TC_RT_ALLOC, &q, sizeof q) == 2);
    q.bytes = 1ull << 39;
    NEED(fake_call(TC_RT_ALLOC, &q, sizeof q) == 2);
    q = (tc_rt_alloc){.bytes = 8, .kind = 3};
    NEED(fake_call(TC_RT_ALLOC, &q, sizeof q) == 1);
    q = (tc_rt_alloc){.bytes = huge - 5, .kind = TC_RT_HOST};
    NEED(fake_call(TC_RT_ALLOC, &q, sizeof q) == 2);
    NEED(fake_free(a, TC_RT_DEVICE) == 0);
    NEED(fake_sync() == 0);
    fake_bye();
    return 0;
}

static inline int launch_program(void) {
    uint32_t words[64] = {0};
    double ms[2];
    fake_hello();
    uint64_t a = fake_alloc(sizeof words, TC_RT_DEVICE);
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * i;
    }
    NEED(fake_write(a, words, sizeof words) == 0);
    NEED(fake_call(TC_RT_TIME, NULL, 0) == 0 && fake_bytes == 8);
    memcpy(&ms[0], fake_answer, 8);
    NEED(fake_launch("add1", 64, a) == 0);
    NEED(fake_launch("add1", 32, a) == 0);
    NEED(fake_sync() == 0 && fake_bytes == 0);
    NEED(fake_call(TC_RT_TIME, NULL, 0) == 0);
    memcpy(&ms[1], fake_answer, 8);
    NEED(ms[0] >= 0 && ms[1] > ms[0]);
    NEED(fake_read(words, a, sizeof words) == 0);
    for (uint32_t i = 0; i < 64; i++) {
        NEED(words[i] == i * i + 1 + (i < 32));
    }
    fake_free(a, TC_RT_DEVICE);
    fake_bye();
    return 0;
}

/* The launch's own mistakes; none of them sticks. */
static inline int configuration_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(64, TC_RT_DEVICE);
    tc_rt_launch base = fake_shape("dynamic", 1, 1, 8), l;
    tc_rt_launch bounded = fake_shape("bounded", 1, 65, 8);
    tc_rt_launch pairs = fake_shape("pairs", 3, 1, 8);
    base.dynamic_shared = 16;
#define TRY(change, want)                                                      \
    do {                                                                       \
        l = base;                                                              \
        change;                                                                \
        NEED(fake_call2(TC_RT_LAUNCH, &l, sizeof l, &a, 8) == (want));         \
    } while (0)
    TRY(l.grid[0] = 0, 1);
    TRY(l.grid[1] = 65536, 1);
    TRY(l.grid[2] = 65536, 1);
    TRY(l.grid[0] = 1u << 31, 1);
    TRY(l.block[0] = 0, 1);
    TRY(l.block[0] = 1025, 1);
    TRY(l.block[2] = 65, 1);
    TRY((l.block[0] = 64, l.block[1] = 32), 1);
    TRY(l.dynamic_shared = 49153, 1);
    TRY(l.dynamic_shared = 49152, 0);
    TRY(l = bounded, 1);
    TRY((l = bounded, l.block[0] = 64), 0);
    TRY(l = pairs, 912);
    TRY((l = pairs, l.grid[0] = 4), 0);
    TRY((l = pairs, l.grid[0] = 6, l.cluster[0] = 3), 912);
    TRY((l.grid[0] = 9, l.cluster[0] = 9), 912);
    TRY((l.grid[0] = 17, l.cluster[0] = 17), 912);
    TRY((l.grid[0] = 1 << 20, l.flags = TC_RT_COOPERATIVE), 720);
    TRY(l.function = 1000, 98);
    TRY(l.nparams = 9, 1);
    NEED(fake_call2(TC_RT_LAUNCH, &base, sizeof base, &a, 7) == 1);
    /* cudaFuncSetAttribute */
    tc_rt_limit m = {base.function, TC_RT_MAX_DYNAMIC_SHARED, 232448};
    NEED(fake_call(TC_RT_LIMIT, &m, sizeof m) == 0);
    TRY(l.dynamic_shared = 232448, 0);
    m.value = 232449;
    NEED(fake_call(TC_RT_LIMIT, &m, sizeof m) == 1);
    m.value = -1;
    NEED(fake_call(TC_RT_LIMIT, &m, sizeof m) == 1);
    m = (tc_rt_limit){base.function, TC_RT_NON_PORTABLE_CLUSTER, 1};
    NEED(fake_call(TC_RT_LIMIT, &m, sizeof m) == 0);
    TRY((l.grid[0] = 9, l.cluster[0] = 9), 0);
    m = (tc_rt_limit){77777, TC_RT_NON_PORTABLE_CLUSTER, 1};
    NEED(fake_call(TC_RT_LIMIT, &m, sizeof m) == 98);
    m = (tc_rt_limit){base.function, 5, 1};
    NEED(fake_call(TC_RT_LIMIT, &m, sizeof m) == 1);
    NEED(fake_sync() == 0);
    NEED(fake_call(TC_RT_FUNCTION, "no such", 8) == 98);
    NEED(fake_call(TC_RT_VARIABLE, "no such", 8) == 13);
    /* Not ended by 0: what is there is the name. */
    NEED(fake_call(TC_RT_FUNCTION, "add1", 4) == 0);
    fake_free(a, TC_RT_DEVICE);
    fake_bye();
    return 0;
}

static inline int occupancy_program(void) {
    fake_hello();
    tc_rt_occupancy o = {.function = fake_function("dynamic").id,
                         .block = 1024};
    const struct {
        uint32_t block;
        uint64_t shared;
        uint32_t ctas;
    } cases[] = {/* until more is allowed */
                 {1024, 0, 2},
                 {64, 49152, 4},
                 {64, 49153, 0},
                 /* and then */
                 {1024, 49153, 2},
                 {512, 0, 4},
                 {64, 0, 32},
                 {64, 100000, 2},
                 {64, 232448, 1},
                 {64, 115712, 2},
                 {64, 232449, 0},
                 {1025, 0, 0},
                 {64, 1ull << 40, 0}};
    tc_rt_limit m = {o.function, TC_RT_MAX_DYNAMIC_SHARED, 232448};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NEED(i != 3 || fake_call(TC_RT_LIMIT, &m, sizeof m) == 0);
        o.block = cases[i].block;
        o.dynamic_shared = cases[i].shared;
        NEED(fake_call(TC_RT_OCCUPANCY, &o, sizeof o) == 0);
        tc_rt_occupancy got;
        memcpy(&got, fake_answer, sizeof got);
        NEED(got.ctas == cases[i].ctas);
    }
    o.block = 0;
    NEED(fake_call(TC_RT_OCCUPANCY, &o, sizeof o) == 1);
    fake_bye();
    return 0;
}

static inline int after_fault(int error) {
    uint64_t a;
    tc_rt_alloc q = {.bytes = 8};
    uint32_t word = 1;
    NEED(fake_sync() == error && fake_bytes == 5 &&
         memcmp(fake_answer, "hi 0\n", 5) == 0);
    NEED(fake_sync() == error && fake_bytes == 0);
    NEED(fake_call(TC_RT_ALLOC, &q, sizeof q) == error);
    NEED(fake_call(TC_RT_FREE, &q, sizeof q) == error);
    NEED(fake_write(TC_RT_DEVICE_BASE, &word, 4) == error);
    NEED(fake_read(&word, TC_RT_DEVICE_BASE, 4) == error);
    NEED(fake_call(TC_RT_FUNCTION, "add1", 5) == error);
    NEED(fake_call(TC_RT_TIME, NULL, 0) == error);
    NEED(fake_call(TC_RT_RESET, NULL, 0) == error);
    NEED(fake_sync() == error);
    (void)a;
    fake_bye();
    return 0;
}

static inline int fault_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(64, TC_RT_DEVICE);
    NEED(fake_launch("say", 1, a) == 0);
    NEED(fake_launch("put7", 1, a + 64) == 0); /* the launch itself is well */
    return after_fault(700);
}

static inline int freed_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(64, TC_RT_DEVICE);
    NEED(fake_launch("say", 1, a) == 0);
    NEED(fake_free(a, TC_RT_DEVICE) == 0);
    fake_alloc(64, TC_RT_DEVICE);
    NEED(fake_launch("put7", 1, a) == 0);
    return after_fault(700);
}

static inline int misaligned_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(64, TC_RT_DEVICE);
    NEED(fake_launch("say", 1, a) == 0);
    NEED(fake_launch("put7", 1, a + 2) == 0);
    return after_fault(716);
}

static inline int trap_program(void) {
    fake_hello();
    NEED(fake_launch("say", 1, 0) == 0);
    NEED(fake_launch("stop", 1, 0) == 0);
    return after_fault(719);
}

static inline int print_program(void) {
    fake_hello();
    NEED(fake_launch("say", 3, 0) == 0);
    NEED(fake_sync() == 0);
    NEED(fake_bytes == 15 &&
         memcmp(fake_answer, "hi 0\nhi 1\nhi 2\n", 15) == 0);
    for (int i = 0; i < 100; i++) { /* more than a small answer */
        NEED(fake_launch("say", 1024, 0) == 0);
    }
    NEED(fake_sync() == 0 &&
         fake_bytes == 100 * (10 * 5 + 90 * 6 + 900 * 7 + 24 * 8));
    fake_bye();
    return 0;
}

static inline int symbol_program(void) {
    fake_hello();
    uint32_t words[4] = {10, 20, 30, 40}, out[3];
    uint64_t a = fake_alloc(12, TC_RT_DEVICE);
    tc_rt_variable v;
    NEED(fake_call(TC_RT_VARIABLE, "factors", 8) == 0);
    memcpy(&v, fake_answer, sizeof v);
    NEED(v.bytes == 16 && v.constant && !v.managed && fake_descriptor < 0);
    NEED(fake_write(v.address, words, 16) == 0);
    NEED(fake_write(v.address + 1, words, 16) == 1);
    NEED(fake_call(TC_RT_VARIABLE, "both", 5) == 0);
    memcpy(&v, fake_answer, sizeof v);
    NEED(v.bytes == 4 && v.managed && fake_descriptor >= 0);
    NEED(v.address % (uint64_t)sysconf(_SC_PAGESIZE) == 0);
    volatile uint32_t *both =
        mmap((void *)(uintptr_t)v.address, 4, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED_NOREPLACE, fake_descriptor, 0);
    NEED((uint64_t)(uintptr_t)both == v.address && *both == 5);
    *both = 90;
    NEED(fake_launch("symbols", 1, a) == 0);
    NEED(fake_read(out, a, 12) == 0);
    NEED(out[0] == 7 && out[1] == 30 && out[2] == 90 && *both == 91);
    /* cudaDeviceReset: initial values again, and the memory is gone. */
    NEED(fake_call(TC_RT_RESET, NULL, 0) == 0);
    NEED(fake_read(out, a, 4) == 1);
    NEED(fake_call(TC_RT_VARIABLE, "both", 5) == 0);
    NEED(fake_read(out, v.address, 4) == 0 && out[0] == 5);
    fake_bye();
    return 0;
}

static inline tc_rt_variable managed_variable(const char *name) {
    tc_rt_variable v = {0};
    if (fake_call(TC_RT_VARIABLE, name, strlen(name)) == 0) {
        memcpy(&v, fake_answer, sizeof v);
    }
    return v;
}

/* Three managed variables as a GPU's driver may have them: two on one page with
 * a plain variable, the third over that page and two more (neighbours_at()). */
static inline int neighbours_program(void) {
    fake_hello();
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    tc_rt_variable one = managed_variable("beside");
    NEED(one.managed && fake_descriptor >= 0 && one.map_bytes == 3 * page);
    NEED(one.map % page == 0 && one.address - one.map == 0x210);
    char *p =
        mmap((void *)(uintptr_t)one.map, one.map_bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED_NOREPLACE, fake_descriptor, 0);
    NEED((uint64_t)(uintptr_t)p == one.map);
    tc_rt_variable two = managed_variable("both");
    tc_rt_variable three = managed_variable("wide");
    NEED(two.map == one.map && three.map == one.map);
    NEED(three.map_bytes == 3 * page && three.address - one.map == page - 256);
    volatile uint32_t *both = (uint32_t *)(uintptr_t)two.address;
    volatile uint32_t *beside = (uint32_t *)(uintptr_t)one.address;
    volatile uint32_t *last = (uint32_t *)(uintptr_t)(three.address + 8188);
    NEED(*both == 5 && *beside == 6 && *last == 0);
    *both = 90;
    NEED(fake_launch("neighbours", 1, 0) == 0);
    NEED(*beside == 90 && *last == 7);
    uint32_t word = 11;
    NEED(fake_write(one.address, &word, 4) == 0 && *beside == 11);
    NEED(fake_read(&word, three.address + 8188, 4) == 0 && word == 7);
    /* What is beside them on the page is not the program's. */
    NEED(fake_read(&word, one.map, 4) == 1);
    NEED(fake_call(TC_RT_RESET, NULL, 0) == 0);
    one = managed_variable("beside");
    NEED(one.managed && fake_read(&word, one.address, 4) == 0 && word == 6);
    fake_bye();
    return 0;
}

static inline int managed_program(void) {
    static const tc_rt_memory kinds[] = {TC_RT_MANAGED, TC_RT_HOST};
    fake_hello();
    for (int i = 0; i < 2; i++) {
        uint64_t a = fake_alloc(5000, kinds[i]);
        NEED(fake_descriptor >= 0);
        volatile uint32_t *w =
            mmap((void *)(uintptr_t)a, 5000, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED_NOREPLACE, fake_descriptor, 0);
        NEED((uint64_t)(uintptr_t)w == a && w[1200] == 0);
        close(fake_descriptor);
        w[3] = 41;
        NEED(fake_launch("add1", 4, a) == 0);
        NEED(w[3] == 42 && w[0] == 1);
        uint32_t back;
        NEED(fake_read(&back, a + 12, 4) == 0 && back == 42);
        NEED(fake_free(a, TC_RT_DEVICE) == (i == 0 ? 0 : 1));
        NEED(i == 0 || fake_free(a, TC_RT_HOST) == 0);
    }
    fake_bye();
    return 0;
}

static inline int tensor_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(4096, TC_RT_DEVICE);
    tc_rt_tensor_map t = {.address = a,
                          .dims = {32, 32},
                          .strides = {128},
                          .box = {32, 8},
                          .element_strides = {1, 1},
                          .type = 7, /* CU_TENSOR_MAP_DATA_TYPE_FLOAT32 */
                          .rank = 2};
    NEED(fake_call(TC_RT_TENSOR_MAP, &t, sizeof t) == 0 && fake_bytes == 128);
    t.address = a + 4;
    NEED(fake_call(TC_RT_TENSOR_MAP, &t, sizeof t) == 1);
    t.address = a;
    t.rank = -3;
    NEED(fake_call(TC_RT_TENSOR_MAP, &t, sizeof t) == 1);
    t.rank = 2;
    t.type = 1 << 30;
    NEED(fake_call(TC_RT_TENSOR_MAP, &t, sizeof t) == 1);
    fake_free(a, TC_RT_DEVICE);
    fake_bye();
    return 0;
}

static inline int misuse_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(64, TC_RT_DEVICE);
    uint64_t b = fake_alloc(96, TC_RT_MANAGED);
    NEED(fake_free(a, TC_RT_DEVICE) == 0);
    tc_rt_note n = {.misuse = TC_RT_NOTE_DOUBLE_FREE, .address = a};
    NEED(fake_call(TC_RT_NOTE, &n, sizeof n) == 0);
    n = (tc_rt_note){.misuse = TC_RT_NOTE_DEREF, .address = b + 8, .write = 1};
    NEED(fake_call(TC_RT_NOTE, &n, sizeof n) == 0);
    n = (tc_rt_note){.misuse = TC_RT_NOTE_MISSING_SYNC, .address = b};
    NEED(fake_call(TC_RT_NOTE, &n, sizeof n) == 0);
    n = (tc_rt_note){.misuse = TC_RT_NOTE_UNBUILT};
    NEED(fake_call2(TC_RT_NOTE, &n, sizeof n, "cudaGraph\x1b[31m", 14) == 0);
    n.misuse = 99;
    NEED(fake_call(TC_RT_NOTE, &n, sizeof n) == 1);
    tc_rt_bye bye = {.unchecked = 9, .where = 0x77};
    NEED(fake_call(TC_RT_BYE, &bye, sizeof bye) == 0);
    NEED(fake_call(TC_RT_BYE, &bye, sizeof bye) == 0); /* says it once */
    return 0;
}

#endif
