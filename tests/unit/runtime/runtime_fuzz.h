/* runtime_fuzz.h - fake programs that send calls of the right lengths with
 * random fields: addresses near allocations, sizes near the ends of integers,
 * shapes near a launch's limits. A seed is one sequence of calls. */
#ifndef TC_TEST_RUNTIME_FUZZ_H
#define TC_TEST_RUNTIME_FUZZ_H

#include "runtime_fake.h"

enum { FUZZ_CALLS = 400, FUZZ_KEPT = 16 };

static uint64_t fuzz_state;
static uint64_t fuzz_known[FUZZ_KEPT]; /* addresses of allocations */
static unsigned fuzz_nknown;

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003). */
static inline uint64_t fuzz_next(void) {
    fuzz_state ^= fuzz_state << 13;
    fuzz_state ^= fuzz_state >> 7;
    fuzz_state ^= fuzz_state << 17;
    return fuzz_state;
}

static inline uint64_t fuzz_below(uint64_t n) {
    return fuzz_next() % n;
}

static inline void fuzz_keep(uint64_t address) {
    fuzz_known[fuzz_nknown++ % FUZZ_KEPT] = address;
}

/* Any number, most often one that is close to a limit. */
static inline uint64_t fuzz_any(void) {
    switch (fuzz_below(6)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX - fuzz_below(3);
    case 2:
        return UINT64_C(1) << fuzz_below(64);
    case 3:
        return (UINT64_C(1) << fuzz_below(64)) - 1;
    case 4:
        return TC_RT_DEVICE_BASE + fuzz_below(1 << 24);
    default:
        return fuzz_next();
    }
}

/* At, in or around what is allocated. */
static inline uint64_t fuzz_address(void) {
    uint64_t known = fuzz_known[fuzz_below(FUZZ_KEPT)];
    switch (fuzz_below(8)) {
    case 0:
        return fuzz_any();
    case 1:
    case 2:
        return known + fuzz_below(8192) - 4096;
    default:
        return known;
    }
}

/* Below n, or now and then anything. */
static inline uint64_t fuzz_some(uint64_t n) {
    return fuzz_below(6) ? fuzz_below(n) : fuzz_any();
}

static inline void fuzz_alloc(void) {
    tc_rt_alloc a = {.bytes = fuzz_some(100000),
                     .kind = (uint32_t)fuzz_some(3)};
    if (fake_call(TC_RT_ALLOC, &a, sizeof a) == 0) {
        memcpy(&a, fake_answer, sizeof a);
        fuzz_keep(a.address);
    }
    if (fake_descriptor >= 0) {
        close(fake_descriptor);
    }
}

static inline void fuzz_free(void) {
    tc_rt_alloc a = {.address = fuzz_address(),
                     .bytes = fuzz_any(),
                     .kind = (uint32_t)fuzz_some(3)};
    fake_call(fuzz_below(2) ? TC_RT_FREE : TC_RT_FIND, &a, sizeof a);
}

static inline tc_rt_copy fuzz_box(uint64_t most) {
    tc_rt_copy c = {.dst = fuzz_address(),
                    .dst_pitch = fuzz_some(300),
                    .dst_slice = fuzz_some(3000),
                    .src = fuzz_address(),
                    .src_pitch = fuzz_some(300),
                    .src_slice = fuzz_some(3000),
                    .width = fuzz_some(most),
                    .height = fuzz_some(most),
                    .depth = fuzz_some(4),
                    .value = (uint32_t)fuzz_next(),
                    .value_bytes = fuzz_below(4) ? 1 : (uint32_t)fuzz_any()};
    return c;
}

static inline void fuzz_copy(void) {
    static const uint32_t names[] = {TC_RT_READ, TC_RT_MOVE, TC_RT_SET};
    tc_rt_copy c = fuzz_box(300);
    fake_call(names[fuzz_below(3)], &c, sizeof c);
}

/* The rows that follow are as many as the box has, or not. */
static inline void fuzz_write(void) {
    static char rows[1 << 16];
    tc_rt_copy c = fuzz_box(40);
    uint64_t n = c.width * c.height * c.depth;
    if (n > sizeof rows || fuzz_below(8) == 0) {
        n = fuzz_below(5000);
    }
    fake_call2(TC_RT_WRITE, &c, sizeof c, rows, n);
}

/* A grid's x is small: a legal one of 2^31 blocks would run for hours. */
static inline void fuzz_launch(void) {
    static const char *const kernels[] = {"add1", "put7", "dynamic", "pairs"};
    uint64_t p = fuzz_address();
    char bytes[64] = {0};
    tc_rt_launch l = {.function = (uint32_t)fuzz_any(), .nparams = sizeof p};
    const char *kernel = kernels[fuzz_below(4)];
    if (fake_call(TC_RT_FUNCTION, kernel, strlen(kernel) + 1) == 0 &&
        fuzz_below(8)) {
        memcpy(&l.function, fake_answer, sizeof l.function);
    }
    for (int i = 0; i < 3; i++) {
        l.grid[i] = (uint32_t)(i ? 1 + fuzz_below(2) : fuzz_below(4));
        l.block[i] =
            (uint32_t)(fuzz_below(6) ? 1 + fuzz_below(i ? 3 : 40) : fuzz_any());
        l.cluster[i] = (uint32_t)(fuzz_below(4) ? 0 : fuzz_some(4));
    }
    l.dynamic_shared = (uint32_t)(fuzz_below(3) ? 0 : fuzz_any());
    l.flags = (uint32_t)(fuzz_below(4) ? 0 : fuzz_any());
    l.nparams = fuzz_below(16) ? l.nparams : (uint32_t)fuzz_any();
    memcpy(bytes, &p, sizeof p);
    fake_call2(TC_RT_LAUNCH, &l, sizeof l, bytes,
               fuzz_below(16) ? sizeof p : fuzz_below(sizeof bytes));
}

static inline void fuzz_limits(void) {
    tc_rt_limit l = {.function = (uint32_t)fuzz_some(4),
                     .attribute = fuzz_below(2) ? TC_RT_MAX_DYNAMIC_SHARED
                                                : (int32_t)fuzz_some(16),
                     .value = (int32_t)fuzz_any()};
    tc_rt_occupancy o = {.function = (uint32_t)fuzz_some(4),
                         .block = (uint32_t)fuzz_some(1100),
                         .dynamic_shared = fuzz_any(),
                         .cluster = (uint32_t)fuzz_any(),
                         .ctas = (uint32_t)fuzz_any()};
    fake_call(TC_RT_LIMIT, &l, sizeof l);
    fake_call(TC_RT_OCCUPANCY, &o, sizeof o);
}

static inline void fuzz_tensor_map(void) {
    tc_rt_tensor_map t = {.address = fuzz_address(),
                          .type = (int32_t)fuzz_some(16),
                          .rank = (int32_t)fuzz_some(6),
                          .interleave = (int32_t)fuzz_some(3),
                          .swizzle = (int32_t)fuzz_some(4),
                          .l2_promotion = (int32_t)fuzz_some(4),
                          .oob_fill = (int32_t)fuzz_some(2)};
    for (int i = 0; i < 5; i++) {
        t.dims[i] = fuzz_some(256);
        t.box[i] = (uint32_t)fuzz_some(64);
        t.element_strides[i] = fuzz_below(4) ? 1 : (uint32_t)fuzz_any();
    }
    for (int i = 0; i < 4; i++) {
        t.strides[i] = fuzz_below(4) ? 16 * fuzz_below(256) : fuzz_any();
    }
    fake_call(TC_RT_TENSOR_MAP, &t, sizeof t);
}

static inline void fuzz_note(void) {
    struct {
        tc_rt_note note;
        char text[48];
    } n = {.note = {.misuse = (uint32_t)fuzz_some(6),
                    .write = (uint32_t)fuzz_next(),
                    .address = fuzz_address(),
                    .error = (int64_t)fuzz_any()}};
    size_t chars = fuzz_below(sizeof n.text);
    for (size_t i = 0; i < chars; i++) {
        n.text[i] = (char)fuzz_next();
    }
    fake_call(TC_RT_NOTE, &n, sizeof n.note + chars);
}

static inline void fuzz_rest(void) {
    static const char *const names[] = {"counter", "wide", "both", "", "none"};
    const char *name = names[fuzz_below(5)];
    tc_rt_variable v;
    if (fake_call(TC_RT_VARIABLE, name, strlen(name) + 1) == 0) {
        memcpy(&v, fake_answer, sizeof v);
        fuzz_keep(v.address);
    }
    if (fake_descriptor >= 0) {
        close(fake_descriptor);
    }
    fake_call(fuzz_below(2) ? TC_RT_SYNC : TC_RT_TIME, NULL, 0);
    if (fuzz_below(8) == 0) {
        fake_call(TC_RT_RESET, NULL, 0);
    }
}

/* Every call is answered, whatever its fields say: NEED in fake_result. */
static inline int fuzz_run(uint64_t seed) {
    static void (*const calls[])(void) = {
        fuzz_alloc,  fuzz_free,   fuzz_copy,       fuzz_copy, fuzz_write,
        fuzz_launch, fuzz_limits, fuzz_tensor_map, fuzz_note, fuzz_rest};
    fuzz_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    fake_hello();
    for (int i = 0; i < FUZZ_KEPT; i++) {
        fuzz_keep(fake_alloc(1 + fuzz_below(10000), TC_RT_DEVICE));
    }
    for (int i = 0; i < FUZZ_CALLS; i++) {
        calls[fuzz_below(sizeof calls / sizeof *calls)]();
    }
    return 0;
}

static inline int fuzz1_program(void) {
    return fuzz_run(1);
}
static inline int fuzz2_program(void) {
    return fuzz_run(2);
}
static inline int fuzz3_program(void) {
    return fuzz_run(3);
}

#endif
