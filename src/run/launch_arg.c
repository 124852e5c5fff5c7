/* launch_arg.c - reads the ARGs of `launch`. */
#include "run/launch_arg.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    tc_dtype type;
} types[] = {
    {"f32", TC_FLOAT32}, {"f16", TC_FLOAT16},      {"bf16", TC_BFLOAT16},
    {"f64", TC_FLOAT64}, {"u8", TC_UINT8},         {"u16", TC_UINT16},
    {"u32", TC_UINT32},  {"u64", TC_UINT64},       {"i8", TC_INT8},
    {"i16", TC_INT16},   {"i32", TC_INT32},        {"i64", TC_INT64},
    {"s8", TC_INT8},     {"s16", TC_INT16},        {"s32", TC_INT32},
    {"s64", TC_INT64},   {"b8", TC_UINT8},         {"b16", TC_UINT16},
    {"b32", TC_UINT32},  {"b64", TC_UINT64},       {"f", TC_FLOAT32},
    {"h", TC_FLOAT16},   {"e5m2", TC_FLOAT8_E5M2}, {"e4m3", TC_FLOAT8_E4M3FN},
};
enum { NTYPES = sizeof types / sizeof *types };

static bool type_named(const char *name, size_t len, tc_dtype *out) {
    for (int i = 0; i < NTYPES; i++) {
        if (strlen(types[i].name) == len &&
            memcmp(types[i].name, name, len) == 0) {
            *out = types[i].type;
            return true;
        }
    }
    return false;
}

static bool refuse(tc_arg_refusal *why, const char *message, const char *hint) {
    *why = (tc_arg_refusal){message, hint};
    return false;
}

/* --- buffers ---------------------------------------------------------------*/

static const char buffer_hint[] =
    "a buffer is TYPE[ELEMENTS]: f32[4096], f16[64,32], bf16, f64, i8 to i64, "
    "u8 to u64";

/* The extents between the brackets, up to "]" and the end of the word. */
static bool read_shape(const char *p, tc_arg_value *out) {
    do {
        char *end;
        errno = 0;
        long long n = isdigit((unsigned char)*p) ? strtoll(p, &end, 10) : 0;
        if (n <= 0 || errno != 0 || n > INT32_MAX || out->rank == TC_ARG_RANK) {
            return false;
        }
        out->shape[out->rank++] = n;
        p = end;
    } while (*p++ == ',');
    return p[-1] == ']' && *p == '\0';
}

static bool read_buffer(tc_arena *a, const char *word, size_t len,
                        tc_arg_value *out, tc_arg_refusal *why) {
    out->kind = TC_ARG_BUFFER;
    if (!type_named(word, len, &out->type)) {
        return refuse(
            why, tc_format(a, "there is no buffer type '%.*s'", (int)len, word),
            buffer_hint);
    }
    if (!read_shape(word + len + 1, out)) {
        return refuse(why,
                      "a buffer's extents are whole numbers, 1 to 2147483647",
                      buffer_hint);
    }
    return true;
}

/* --- numbers ---------------------------------------------------------------*/

static const char number_hint[] =
    "a number is 7, -1, 0xff, 7u64, 2.5, 2.5f or 1.5f16; a buffer is "
    "f32[4096]";

static bool read_float(const char *p, bool negative, char **end,
                       tc_arg_value *out) {
    bool digits = isdigit((unsigned char)*p) ||
                  (*p == '.' && isdigit((unsigned char)p[1]));
    bool name = strncmp(p, "inf", 3) == 0 || strncmp(p, "nan", 3) == 0;
    if (!digits && !name) {
        return false;
    }
    out->kind = TC_ARG_FLOAT;
    out->number = name ? (*p == 'i' ? HUGE_VAL : NAN) : strtod(p, end);
    if (name) {
        *end = (char *)p + 3;
    }
    out->number = negative ? -out->number : out->number;
    return true;
}

/* Digits, or 0x and digits; what follows (a point, a suffix) is for others. */
static bool read_int(const char *p, char **end, tc_arg_value *out) {
    bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
               isxdigit((unsigned char)p[2]);
    if (!isdigit((unsigned char)*p)) {
        return false;
    }
    errno = 0;
    out->kind = TC_ARG_INT;
    out->magnitude = strtoull(p, end, hex ? 16 : 10);
    return errno == 0;
}

static bool is_float_type(tc_dtype t) {
    return tc_dtypes[t].cls == TC_CLASS_FLOAT ||
           tc_dtypes[t].cls == TC_CLASS_BFLOAT;
}

static bool read_number(tc_arena *a, const char *word, tc_arg_value *out,
                        tc_arg_refusal *why) {
    const char *p = word + (*word == '-' || *word == '+');
    char *end = (char *)p;
    out->negative = *word == '-';
    bool whole = read_int(p, &end, out);
    bool ok = whole && strchr(".eE", *end ? *end : 'u') == NULL
                  ? true
                  : read_float(p, out->negative, &end, out);
    out->type = TC_VOID;
    if (!ok ||
        (*end != '\0' && (!type_named(end, strlen(end), &out->type) ||
                          tc_dtypes[out->type].cls == TC_CLASS_FLOAT8))) {
        return refuse(why, tc_format(a, "'%s' is no argument", word),
                      number_hint);
    }
    if (out->type != TC_VOID && is_float_type(out->type) &&
        out->kind == TC_ARG_INT) { /* 7f */
        out->kind = TC_ARG_FLOAT;
        out->number =
            out->negative ? -(double)out->magnitude : (double)out->magnitude;
    }
    if (out->type != TC_VOID && !is_float_type(out->type) &&
        out->kind == TC_ARG_FLOAT) { /* 2.5u32 */
        return refuse(why, tc_format(a, "'%s' is no whole number", word),
                      number_hint);
    }
    return true;
}

bool tc_arg_read(tc_arena *a, const char *word, tc_arg_value *out,
                 tc_arg_refusal *why) {
    *out = (tc_arg_value){0};
    const char *bracket = strchr(word, '[');
    if (bracket != NULL) {
        return read_buffer(a, word, (size_t)(bracket - word), out, why);
    }
    return read_number(a, word, out, why);
}

/* --- bytes -----------------------------------------------------------------*/

/* A double in the binary format with the given widths, rounded to nearest,
 * ties to even; too large is infinite. */
static uint64_t narrow(double v, int exponent_bits, int fraction_bits) {
    uint64_t sign = (uint64_t)(signbit(v) != 0)
                    << (exponent_bits + fraction_bits);
    int bias = (1 << (exponent_bits - 1)) - 1, e;
    uint64_t infinite = ((uint64_t)2 * (uint64_t)bias + 1) << fraction_bits;
    if (isnan(v)) {
        return infinite | (uint64_t)1 << (fraction_bits - 1);
    }
    if (isinf(v) || v == 0) {
        return sign | (isinf(v) ? infinite : 0);
    }
    frexp(v, &e); /* 0.5 <= |v| / 2^e < 1 */
    int exponent = e - 1 < 1 - bias ? 1 - bias : e - 1;
    double scaled = nearbyint(ldexp(fabs(v), fraction_bits - exponent));
    uint64_t units = (uint64_t)scaled, one = (uint64_t)1 << fraction_bits;
    uint64_t bits = units < one
                        ? units
                        : (((uint64_t)(exponent + bias) << fraction_bits) +
                           (units - one)); /* a carry moves into the exponent */
    return sign | (bits < infinite ? bits : infinite);
}

static uint64_t float_bits(double v, tc_arg_class c, uint32_t size) {
    uint64_t bits;
    switch (size) {
    case 2:
        return c == TC_TAKES_BFLOAT ? narrow(v, 8, 7) : narrow(v, 5, 10);
    case 4:
        return narrow(v, 8, 23);
    default:
        memcpy(&bits, &v, sizeof bits);
        return bits;
    }
}

static const char *size_word(uint32_t size) {
    static const char *const widths[] = {"", "8", "16", "",  "32",
                                         "", "",  "",   "64"};
    return size <= 8 ? widths[size] : "";
}

/* Its suffix must be the parameter's type, but for the sign. */
static bool suffix_fits(tc_arena *a, const tc_arg_value *v, tc_arg_class c,
                        uint32_t size, tc_arg_refusal *why) {
    if (v->type == TC_VOID) {
        return true;
    }
    uint32_t has = (uint32_t)tc_dtype_bytes(v->type);
    if (has != size) {
        return refuse(why,
                      tc_format(a,
                                "the number has %s bits, and the parameter %s",
                                size_word(has), size_word(size)),
                      "leave the suffix out: the number takes the "
                      "parameter's type");
    }
    bool brain = tc_dtypes[v->type].cls == TC_CLASS_BFLOAT;
    if (v->kind == TC_ARG_FLOAT && size == 2 && c != TC_TAKES_BITS &&
        brain != (c == TC_TAKES_BFLOAT)) {
        return refuse(why, "f16 and bf16 are different formats",
                      "leave the suffix out");
    }
    return true;
}

static bool int_bits(tc_arena *a, const tc_arg_value *v, uint32_t size,
                     uint64_t *out, tc_arg_refusal *why) {
    uint64_t top = (uint64_t)1 << (size * 8 - 1);
    uint64_t most = v->negative ? top : top - 1 + top;
    if (v->magnitude > most) {
        return refuse(
            why,
            tc_format(a, "the number does not fit in %s bits", size_word(size)),
            NULL);
    }
    *out = v->negative ? 0 - v->magnitude : v->magnitude;
    return true;
}

bool tc_arg_bits(tc_arena *a, const tc_arg_value *v, tc_arg_class c,
                 uint32_t size, uint8_t out[8], tc_arg_refusal *why) {
    uint64_t bits = 0;
    if (!suffix_fits(a, v, c, size, why)) {
        return false;
    }
    bool floats = c == TC_TAKES_FLOAT || c == TC_TAKES_BFLOAT;
    if (v->kind == TC_ARG_INT && !floats) {
        if (!int_bits(a, v, size, &bits, why)) {
            return false;
        }
    } else if (v->kind == TC_ARG_INT && v->type != TC_VOID) {
        return refuse(why, "the parameter is a floating-point number",
                      "2.5, or 7.0");
    } else if (v->kind == TC_ARG_FLOAT && (c == TC_TAKES_INT || size < 2)) {
        return refuse(why, "the parameter is a whole number", "7, or -1");
    } else {
        double n = v->kind == TC_ARG_FLOAT ? v->number
                   : v->negative           ? -(double)v->magnitude
                                           : (double)v->magnitude;
        bool brain = v->type == TC_BFLOAT16;
        bits = float_bits(n, brain ? TC_TAKES_BFLOAT : c, size);
    }
    for (uint32_t i = 0; i < 8; i++) {
        out[i] = (uint8_t)(i < size ? bits >> (8 * i) : 0);
    }
    return true;
}

bool tc_arg_dims(const char *word, uint32_t most, uint32_t out[3]) {
    int n = 0;
    out[0] = out[1] = out[2] = 1;
    do {
        char *end;
        errno = 0;
        unsigned long long d =
            isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
        if (n == 3 || d == 0 || d > most || errno != 0) {
            return false;
        }
        out[n++] = (uint32_t)d;
        word = end;
    } while (*word++ == ',');
    return word[-1] == '\0';
}
