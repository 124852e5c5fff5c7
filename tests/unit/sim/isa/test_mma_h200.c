/* test_mma_h200.c - sums of matrices against a GPU's.
 *
 * tests/gpu/mma-h200.gz holds what an H200 answered to the kernels of
 * mma_corpus.h (tests/tools/mma_host.c). Integers, .b1, .f64 and all sums of
 * small integers agree in every bit; other sums to within a part of the sum of
 * the magnitudes, which the same kernel gives for the same numbers without
 * their signs. */
#include "mma_corpus.h"
#include "sim_program.h"
#include <zlib.h>

static const char path[] = "tests/gpu/mma-h200.gz";

static uint8_t *read_corpus(void) {
    gzFile f = gzopen(path, "rb");
    char magic[sizeof MMA_MAGIC - 1];
    uint32_t n = 0, size = MMA_ALL * MMA_CASES * MMA_BYTES;
    if (f == NULL) {
        return NULL;
    }
    uint8_t *all = calloc(1, size);
    assert_int_equal(gzread(f, magic, sizeof magic), sizeof magic);
    assert_memory_equal(magic, MMA_MAGIC, sizeof magic);
    assert_int_equal(gzread(f, &n, 4), 4);
    assert_int_equal(n, MMA_ALL);
    assert_int_equal(gzread(f, all, size), size);
    gzclose(f);
    return all;
}

/* Takes the signs of all elements away. */
static void without_signs(kind t, uint8_t *p, uint32_t bytes) {
    uint32_t bits = kinds[t].bits;
    for (uint32_t i = 0; i < bytes * 8 / bits; i++) {
        put_bits(p, i * bits + bits - 1, 1, 0);
    }
}

static void make_positive(uint32_t number, uint8_t *a, uint8_t *b) {
    if (number >= MMA_FORMS) {
        const wmma_form *f = &wmma_forms[number - MMA_FORMS];
        without_signs(f->t, a, MMA_BYTES);
        without_signs(f->c, b + FROM_C, MMA_BYTES - FROM_C);
        return;
    }
    const mma_form *f = &mma_forms[number];
    for (uint32_t lane = 0; lane < 32; lane++, a += LANE) {
        without_signs(f->a, a, AT_B);
        without_signs(f->b, a + AT_B, AT_C - AT_B);
        without_signs(f->c, a + AT_C, LANE - AT_C);
    }
}

static void simulate(uint32_t number, mma_numbers what, bool positive,
                     uint8_t *out) {
    char *text = mma_corpus_text(number);
    sim_file c = {.entry = "k", .block = 32};
    mma_corpus_fill(number, what, c.a, c.b);
    if (positive) {
        make_positive(number, c.a, c.b);
    }
    launch_text(&c, text);
    assert_int_equal(c.r.status, TC_RUN_OK);
    memcpy(out, c.b, MMA_BYTES);
    end_file(&c);
    free(text);
}

static double value(kind t, const uint8_t *p, uint32_t i) {
    uint64_t v = get_bits(p, i * kinds[t].bits, kinds[t].bits);
    uint64_t a = v & ((UINT64_C(1) << (kinds[t].bits - 1)) - 1);
    uint64_t inf = ((UINT64_C(1) << mma_exponent(t)) - 1) << mantissa_of(t);
    double sign = v >> (kinds[t].bits - 1) & 1 ? -1 : 1;
    if (a >= inf) {
        return a > inf ? NAN : sign * INFINITY;
    }
    uint64_t least = UINT64_C(1) << mantissa_of(t);
    return a < least
               ? sign * ldexp((double)a, 1 - bias_of(t) - (int)mantissa_of(t))
               : decode_float(v, mantissa_of(t), bias_of(t), kinds[t].bits);
}

/* Part of the sum of magnitudes that a sum may be off by: tensor cores cut
 * their products to about 24 bits before they add them, of .e4m3 and .e5m2 to
 * 13; .f16 rounds the result to 11. */
static double part(uint32_t number) {
    kind a = mma_corpus_a(number);
    double p = a == E4M3 || a == E5M2 ? 0x1p-10 : 0x1p-20;
    return mma_corpus_d(number) == F16 ? p + 0x1p-10 : p;
}

static bool near(uint32_t number, double x, double y, double all) {
    if (isnan(x) || isnan(y)) {
        return isnan(x) && isnan(y);
    }
    if (isinf(x) || isinf(y)) {
        return x == y;
    }
    return fabs(x - y) <= part(number) * all + 0x1p-24;
}

typedef struct tally {
    uint64_t elements, same;
    double worst; /* difference over the sum of magnitudes */
} tally;

static void compare(uint32_t number, mma_numbers what, const uint8_t *gpu,
                    tally *n) {
    static uint8_t ours[MMA_BYTES], all[MMA_BYTES];
    kind t = mma_corpus_d(number);
    bool exact = t == S32 || t == F64 || what == MMA_WHOLE;
    uint32_t bytes = number < MMA_FORMS ? MMA_BYTES : FROM_C;
    simulate(number, what, false, ours);
    simulate(number, what, true, all);
    for (uint32_t i = 0; i < bytes * 8 / kinds[t].bits; i++) {
        uint32_t at = i * kinds[t].bits / 8, size = kinds[t].bits / 8;
        bool same = memcmp(ours + at, gpu + at, size) == 0;
        bool written = ours[at] != 0xee || ours[at + 1] != 0xee;
        n->elements += written;
        n->same += written && same;
        if (same) {
            continue;
        }
        double x = value(t, ours, i), y = value(t, gpu, i);
        double sum = value(t, all, i);
        if ((exact && !(isnan(x) && isnan(y))) || !near(number, x, y, sum)) {
            char *text = mma_corpus_text(number);
            print_error("%s\n", text);
            free(text);
            fail_msg("form %u, numbers %d, element %u: %.9g here, %.9g on the "
                     "GPU, of %.9g",
                     number, (int)what, i, x, y, sum);
        }
        if (fabs(x - y) / sum > n->worst) {
            n->worst = fabs(x - y) / sum;
        }
    }
}

static void agree(void **state) {
    (void)state;
    uint8_t *all = read_corpus();
    tally floats = {0}, whole = {0};
    if (all == NULL) {
        print_message("SKIPPED: no %s: run tests/tools/mma_host on a GPU\n",
                      path);
        return;
    }
    for (uint32_t i = 0; i < MMA_ALL; i++) {
        kind t = mma_corpus_d(i);
        for (uint32_t k = 0; k < MMA_CASES; k++) {
            bool exact = t == S32 || t == F64 || k == MMA_WHOLE;
            compare(i, (mma_numbers)k, all + (i * MMA_CASES + k) * MMA_BYTES,
                    exact ? &whole : &floats);
        }
    }
    print_message("%u forms: %llu of %llu exact sums agree; %llu of %llu other "
                  "ones, the rest to 2^%.1f of the sum of magnitudes\n",
                  (unsigned)MMA_ALL, (unsigned long long)whole.same,
                  (unsigned long long)whole.elements,
                  (unsigned long long)floats.same,
                  (unsigned long long)floats.elements, log2(floats.worst));
    free(all);
}

/* Also without a corpus: the kernels are what ptxas takes, and they run. */
static void kernels_run(void **state) {
    (void)state;
    static uint8_t out[MMA_BYTES];
    for (uint32_t i = 0; i < MMA_ALL; i++) {
        for (uint32_t k = 0; k < MMA_CASES; k++) {
            simulate(i, (mma_numbers)k, false, out);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run),
        cmocka_unit_test(agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
