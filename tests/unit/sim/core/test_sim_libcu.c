/* test_sim_libcu.c - libcu++'s barriers and pipelines, cooperative groups'
 * clusters and grids, as nvcc compiles them (tests/ptx/barriers.cu), under
 * every completion policy. What each kernel leaves is computed here in C. */
#include "mbar_run.h"

static mbar_case c; /* zero between tests */
static char *text;  /* barriers.ptx */

static int read_ptx(void **state) {
    (void)state;
    FILE *f = fopen("tests/ptx/barriers.ptx", "rb");
    assert_non_null(f);
    text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    return 0;
}

static int forget_ptx(void **state) {
    (void)state;
    free(text);
    return 0;
}

static uint32_t in(uint32_t i) {
    return i * 2654435761u;
}
/* 8 times to the left by one thread, one more each time. */
static uint32_t rotate(uint32_t i) {
    return in(i / 128 * 128 + (i + 8) % 128) + 8;
}
static uint32_t copy_async(uint32_t i) {
    return in(i / 128 * 128 + 127 - i % 128);
}
static uint32_t staged(uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 8; k++) {
        sum += in(k * 128 + 127 - i);
    }
    return sum;
}
/* Consumer 64 + i reads word 63 - i. */
static uint32_t roles(uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 16; k++) {
        sum += in(k * 64 + 63 - i);
    }
    return sum;
}
static uint32_t neighbours(uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        sum += in((i / 512 * 4 + k) * 128 + 127 - i % 128);
    }
    return sum;
}
static uint32_t whole(uint32_t i) {
    return in((i + 128) % (64 * 128)) + 1;
}

static const struct {
    const char *entry;
    uint32_t grid, words; /* words of the result */
    uint32_t (*want)(uint32_t i);
} kernels[] = {
    {"rotate", 4, 512, rotate},          {"copy_async", 1, 512, copy_async},
    {"staged", 1, 128, staged},          {"roles", 1, 64, roles},
    {"neighbours", 8, 1024, neighbours}, {"whole", 64, 8192, whole},
};

static void run(int k, int policy, bool hazards) {
    c = (mbar_case){.grid = {kernels[k].grid, 1, 1},
                    .block = 128,
                    .entry = kernels[k].entry,
                    .completion = mbar_policies[policy].completion,
                    .seed = mbar_policies[policy].seed,
                    .timing = mbar_policies[policy].timing,
                    .hazards = hazards};
    mbar_run_text(&c, text);
    bool ok = c.ran && c.r.status == TC_RUN_OK && !c.r.nfindings;
    for (uint32_t i = 0; ok && i < kernels[k].words; i++) {
        ok = c.b[i] == kernels[k].want(i);
    }
    if (!ok) {
        fprintf(stderr, "%s, ", kernels[k].entry);
        mbar_print(&c, mbar_policies[policy].name);
    }
    assert_true(ok);
    mbar_end(&c);
}

static void results(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < MBAR_POLICIES; i++) {
            run(k, i, false);
        }
    }
}

static void no_findings(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < MBAR_POLICIES; i++) {
            run(k, i, true);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results),
        cmocka_unit_test(no_findings),
    };
    return cmocka_run_group_tests(tests, read_ptx, forget_ptx);
}
