/* dtype.c - element types and memory spaces. */
#include "ir/ir.h"

#include <string.h>

const tc_dtype_info tc_dtypes[TC_DTYPE_COUNT] = {
#define TC_DTYPE(id, name, bits, cls, cuda, ptx)                               \
    [TC_##id] = {name, bits, cls, cuda, ptx},
#include "ir/dtype.def"
};

bool tc_dtype_find(const char *name, tc_dtype *out) {
    for (int i = 0; i < TC_DTYPE_COUNT; i++) {
        if (strcmp(tc_dtypes[i].name, name) == 0) {
            *out = (tc_dtype)i;
            return true;
        }
    }
    return false;
}

int tc_dtype_bytes(tc_dtype t) {
    return tc_dtypes[t].bits / 8;
}

const char *tc_space_name(tc_space s) {
    switch (s) {
    case TC_SPACE_GLOBAL:
        return "global";
    case TC_SPACE_SHARED:
        return "shared";
    case TC_SPACE_SHARED_DYN:
        return "shared.dyn";
    case TC_SPACE_LOCAL:
        return "local";
    case TC_SPACE_TMEM:
        return "tmem";
    }
    return "?";
}

bool tc_space_is_shared(tc_space s) {
    return s == TC_SPACE_SHARED || s == TC_SPACE_SHARED_DYN;
}

int64_t tc_buffer_elements(const tc_buffer *b) {
    int64_t n = 1;
    for (int i = 0; i < b->rank; i++) {
        if (__builtin_mul_overflow(n, b->shape[i], &n)) {
            return INT64_MAX;
        }
    }
    return n;
}

/* n rounded up so that the swizzled offsets of [0, n) fit too: the inner form
 * changes the bits from per_element up to swizzle_len more, the outer form
 * those from per_element + atom_len. n itself where that overflows. */
static int64_t swizzled_storage(tc_swizzle sw, int64_t n) {
    int64_t bits =
        sw.per_element + sw.swizzle_len + (sw.inner ? 0 : sw.atom_len);
    if (bits < 0 || bits > 40 || n > INT64_MAX / 2) {
        return n;
    }
    int64_t mask = ((int64_t)1 << bits) - 1;
    return (n + mask) & ~mask;
}

int64_t tc_buffer_storage(tc_arena *a, const tc_buffer *b) {
    int64_t n = tc_buffer_elements(b), span = 0;
    if (b->layout == NULL) {
        return n;
    }
    tc_layout_ctx cx = {.arena = a, .target_cuda = true};
    if (b->layout->kind != TC_LAYOUT_SWIZZLE && /* its span is its period */
        tc_layout_span(&cx, b->layout, NULL, &span) == TC_LAYOUT_OK) {
        n = span;
    }
    return tc_layout_has_swizzle(b->layout)
               ? swizzled_storage(b->layout->swizzle, n)
               : n;
}
