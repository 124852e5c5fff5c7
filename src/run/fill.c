/* fill.c - the data that fills buffers, the same for everybody. */
#include "run/run.h"

#include <string.h>

/* Word w of buffer i (INTERFACE.md: "Data that fills buffers"). */
static uint64_t word(uint64_t seed, uint64_t i, uint64_t w) {
    uint64_t z = (seed << 32) + i + (w + 1) * 0x9E3779B97F4A7C15u;
    z ^= z >> 30;
    z *= 0xBF58476D1CE4E5B9u;
    z ^= z >> 27;
    z *= 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void put_le(uint8_t *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* The bits of a small integer (-8..8) in a binary floating-point format with
 * the given widths; exact, since three bits of fraction are enough. */
static uint64_t float_bits(int value, int exponent_bits, int fraction_bits) {
    uint64_t sign = value < 0;
    unsigned magnitude = (unsigned)(value < 0 ? -value : value);
    if (magnitude == 0) {
        return 0;
    }
    int top = 31 - __builtin_clz(magnitude);
    uint64_t bias = (1u << (exponent_bits - 1)) - 1;
    uint64_t fraction = magnitude - (1u << top);
    fraction = fraction_bits >= top ? fraction << (fraction_bits - top)
                                    : fraction >> (top - fraction_bits);
    return sign << (exponent_bits + fraction_bits) |
           (bias + (uint64_t)top) << fraction_bits | fraction;
}

static uint64_t element_bits(tc_dtype type, int value) {
    switch (type) {
    case TC_FLOAT16:
        return float_bits(value, 5, 10);
    case TC_BFLOAT16:
        return float_bits(value, 8, 7);
    case TC_FLOAT32:
        return float_bits(value, 8, 23);
    case TC_FLOAT64:
        return float_bits(value, 11, 52);
    case TC_FLOAT8_E4M3FN:
        return float_bits(value, 4, 3);
    case TC_FLOAT8_E5M2:
        return float_bits(value, 5, 2);
    default:
        return 0;
    }
}

static bool is_float(tc_dtype type) {
    tc_dtype_class cls = tc_dtypes[type].cls;
    return cls == TC_CLASS_FLOAT || cls == TC_CLASS_BFLOAT ||
           cls == TC_CLASS_FLOAT8;
}

void tc_fill_part(uint8_t *bytes, uint64_t from, uint64_t size, tc_dtype type,
                  int position, uint64_t seed) {
    uint64_t i = (uint64_t)position;
    if (is_float(type)) {
        uint64_t width = (uint64_t)tc_dtype_bytes(type), first = from / width;
        for (uint64_t e = 0; (e + 1) * width <= size; e++) {
            int value = (int)(word(seed, i, first + e) % 17) - 8;
            put_le(bytes + e * width, element_bits(type, value), (int)width);
        }
        return;
    }
    for (uint64_t w = 0; w * 8 < size; w++) {
        uint64_t left = size - w * 8;
        put_le(bytes + w * 8, word(seed, i, from / 8 + w),
               left < 8 ? (int)left : 8);
    }
}

void tc_fill_buffer(uint8_t *bytes, uint64_t size, tc_dtype type, int position,
                    uint64_t seed) {
    tc_fill_part(bytes, 0, size, type, position, seed);
}

uint64_t tc_fill_changed(const uint8_t *bytes, uint64_t size, tc_dtype type,
                         int position, uint64_t seed) {
    enum { PART = 1 << 14 };
    uint8_t part[PART];
    uint64_t changed = 0;
    for (uint64_t at = 0; at < size; at += PART) {
        uint64_t n = size - at < PART ? size - at : PART;
        memset(part, 0, (size_t)n); /* what is no whole element stays zero */
        tc_fill_part(part, at, n, type, position, seed);
        for (uint64_t i = 0; i < n; i++) {
            changed += part[i] != bytes[at + i];
        }
    }
    return changed;
}

void tc_run_fill(const tc_run_buffer *b, int i, uint64_t seed, uint8_t *bytes) {
    if (b->before != NULL) {
        memcpy(bytes, b->before, b->bytes);
    } else {
        tc_fill_buffer(bytes, b->bytes, b->buffer->type, i, seed);
    }
}

uint64_t tc_run_changed(const tc_run_buffer *b, int i, uint64_t seed) {
    uint64_t n = 0;
    if (b->before == NULL) {
        return tc_fill_changed(b->after, b->bytes, b->buffer->type, i, seed);
    }
    for (uint64_t k = 0; k < b->bytes; k++) {
        n += b->before[k] != b->after[k];
    }
    return n;
}

uint64_t tc_fnv1a64(const uint8_t *bytes, uint64_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}
