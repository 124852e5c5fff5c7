/* state_values.c - bytes of memory as values of their type. */
#include "run/state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A floating-point number of few bits: IEEE 754's layout, with a mantissa and
 * an exponent of so many bits. e4m3fn (OCP 8-bit floating point, 5.1) has no
 * infinity: all ones is its one NaN. */
static double small_float(uint32_t bits, int exponent, int mantissa,
                          bool finite) {
    int bias = (1 << (exponent - 1)) - 1, top = (1 << exponent) - 1;
    int e = (int)(bits >> mantissa) & top;
    uint32_t m = bits & ((1U << mantissa) - 1);
    double sign = bits >> (exponent + mantissa) & 1 ? -1 : 1;
    bool ones = m == (1U << mantissa) - 1;
    if (e == top && (finite ? ones : m != 0)) {
        return NAN;
    }
    if (e == top && !finite) {
        return sign * INFINITY;
    }
    double part = ldexp((double)m, -mantissa);
    return sign * (e == 0 ? ldexp(part, 1 - bias) : ldexp(1 + part, e - bias));
}

static int64_t signed_of(uint64_t v, int bits) {
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* Columns that a value of a type takes, the blank before it too; 0: values of
 * the type are not shown. */
static int width_of(tc_dtype type) {
    const tc_dtype_info *d = &tc_dtypes[type];
    switch (d->cls) {
    case TC_CLASS_FLOAT:
    case TC_CLASS_BFLOAT:
        return d->bits == 16 ? 9 : d->bits == 32 ? 14 : 22;
    case TC_CLASS_FLOAT8:
        return 9;
    case TC_CLASS_BOOL:
        return 4;
    case TC_CLASS_INT:
    case TC_CLASS_UINT:
        return d->bits == 8 ? 5 : d->bits == 16 ? 7 : d->bits == 32 ? 12 : 21;
    default:
        return 0;
    }
}

static double float_of(tc_dtype type, uint64_t v) {
    uint32_t word = (uint32_t)v;
    double d = 0;
    float f;
    switch (tc_dtypes[type].bits) {
    case 64:
        memcpy(&d, &v, sizeof d);
        return d;
    case 32:
        memcpy(&f, &word, sizeof f);
        return (double)f;
    case 16:
        return type == TC_BFLOAT16 ? small_float(word, 8, 7, false)
                                   : small_float(word, 5, 10, false);
    default: {
        bool e4m3 = type == TC_FLOAT8_E4M3FN;
        return small_float(word, e4m3 ? 4 : 5, e4m3 ? 3 : 2, e4m3);
    }
    }
}

static void put_float(tc_buf *b, tc_dtype type, uint64_t v) {
    int bits = tc_dtypes[type].bits;
    int digits = bits == 64                         ? 15
                 : bits == 32                       ? 7
                 : bits == 8 || type == TC_BFLOAT16 ? 3
                                                    : 5;
    double d = float_of(type, v);
    char text[40];
    do { /* the digits that there is room for */
        snprintf(text, sizeof text, "%.*g", digits, d);
    } while ((int)strlen(text) >= width_of(type) && digits-- > 1);
    tc_buf_puts(b, text);
}

static uint64_t bits_of(tc_dtype type, const uint8_t *at) {
    uint64_t v = 0;
    for (int i = 0; i < tc_dtypes[type].bits / 8; i++) {
        v |= (uint64_t)at[i] << 8 * i;
    }
    return v;
}

static void put_value(tc_buf *b, tc_dtype type, const uint8_t *at) {
    const tc_dtype_info *d = &tc_dtypes[type];
    uint64_t v = bits_of(type, at);
    if (d->cls == TC_CLASS_INT) {
        tc_buf_printf(b, "%" PRId64, signed_of(v, d->bits));
    } else if (d->cls == TC_CLASS_UINT || d->cls == TC_CLASS_BOOL) {
        tc_buf_printf(b, "%" PRIu64, v);
    } else {
        put_float(b, type, v);
    }
}

/* JSON has no infinity and no NaN: these are texts. */
static json_t *value_json(tc_dtype type, const uint8_t *at) {
    const tc_dtype_info *d = &tc_dtypes[type];
    uint64_t v = bits_of(type, at);
    if (d->cls == TC_CLASS_INT) {
        return json_integer((json_int_t)signed_of(v, d->bits));
    }
    if (d->cls == TC_CLASS_UINT || d->cls == TC_CLASS_BOOL) {
        return v <= INT64_MAX ? json_integer((json_int_t)v)
                              : json_real((double)v);
    }
    double x = float_of(type, v);
    return isnan(x)   ? json_string("nan")
           : isinf(x) ? json_string(x < 0 ? "-inf" : "inf")
                      : json_real(x);
}

json_t *tc_state_values_json(tc_dtype type, const uint8_t *at, uint64_t n) {
    uint64_t bytes = (uint64_t)tc_dtypes[type].bits / 8;
    json_t *all = json_array();
    for (uint64_t k = 0; k + bytes <= n; k += bytes) {
        json_array_append_new(all, value_json(type, at + k));
    }
    return json_pack("{s:s,s:o}", "type", tc_dtypes[type].name, "values", all);
}

bool tc_state_has_values(tc_dtype type) {
    return width_of(type) > 0;
}

/* Values in columns, at most 72 columns of them a line; lines that repeat the
 * one above are one with a star. */
void tc_state_values_text(tc_dtype type, const uint8_t *at, uint64_t from,
                          uint64_t n, tc_buf *b) {
    uint64_t bytes = (uint64_t)tc_dtypes[type].bits / 8;
    uint64_t width = (uint64_t)width_of(type), each = 1, line;
    while (each * 2 * width <= 72) {
        each *= 2;
    }
    line = each * bytes;
    bool starred = false;
    for (uint64_t k = 0; k < n; k += line) {
        uint64_t len = n - k < line ? n - k : line;
        if (k > 0 && len == line && memcmp(at + k, at + k - line, line) == 0) {
            tc_buf_puts(b, starred ? "" : "\n  *");
            starred = true;
            continue;
        }
        starred = false;
        tc_buf_printf(b, "\n  +%-4" PRIu64, from + k);
        for (uint64_t i = 0; i + bytes <= len; i += bytes) {
            tc_buf one = TC_BUF_INIT;
            put_value(&one, type, at + k + i);
            tc_buf_printf(b, "%*s", (int)width, tc_buf_text(&one));
            tc_buf_free(&one);
        }
    }
}
