/* values.c - how the elements of an input are made. */
#include "grade/exercise.h"

#include <float.h>
#include <string.h>

uint64_t tc_draw_next(tc_draw *d) {
    uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t tc_draw_below(tc_draw *d, uint64_t n) {
    return tc_draw_next(d) % n;
}

static double float_of(uint32_t b) {
    float v;
    memcpy(&v, &b, sizeof v);
    return (double)v;
}

/* A positive finite float: any of them has the same chance. */
static double positive(tc_draw *d, uint64_t i, uint64_t n) {
    (void)i, (void)n;
    return float_of(1 + (uint32_t)tc_draw_below(d, 0x7f800000 - 1));
}

static double rising(tc_draw *d, uint64_t i, uint64_t n) {
    (void)n;
    return 1.0 + (double)i + (double)tc_draw_below(d, 1000) / 2048.0;
}

static double falling(tc_draw *d, uint64_t i, uint64_t n) {
    return rising(d, n - i, n);
}

/* One value, another one each time. */
static double equal(tc_draw *d, uint64_t i, uint64_t n) {
    static double all;
    (void)n;
    all = i == 0 ? 0.25 * (double)(1 + tc_draw_below(d, 1000)) : all;
    return all;
}

static double extreme(tc_draw *d, uint64_t i, uint64_t n) {
    uint64_t r = tc_draw_below(d, 1000);
    return r < 300   ? float_of(1) /* the least of all */
           : r < 600 ? (double)FLT_MIN
           : r < 605 ? (double)FLT_MAX
                     : positive(d, i, n);
}

static double spiky(tc_draw *d, uint64_t i, uint64_t n) {
    uint64_t r = tc_draw_below(d, 1000);
    (void)n;
    return r < 30 ? 1e6 + (double)i : 1e-3 * (double)(1 + r);
}

/* Whole numbers from -64 to 64: sums and products are exact. */
static double whole(tc_draw *d, uint64_t i, uint64_t n) {
    (void)i, (void)n;
    return (double)tc_draw_below(d, 129) - 64.0;
}

static double zero(tc_draw *d, uint64_t i, uint64_t n) {
    (void)d, (void)i, (void)n;
    return 0;
}

const tc_pattern tc_patterns[] = {
    {"random", "positive floats, all sizes", positive},
    {"rising", "each larger than the one before", rising},
    {"falling", "each smaller than the one before", falling},
    {"equal", "all the same", equal},
    {"extreme", "the least and the largest positive floats", extreme},
    {"spiky", "small, with a few large ones", spiky},
    {"whole", "whole numbers from -64 to 64", whole},
    {"zero", "zeros", zero}};
const int tc_npatterns = (int)(sizeof tc_patterns / sizeof *tc_patterns);
