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

int64_t tc_buffer_storage(tc_arena *a, const tc_buffer *b) {
    int64_t elements = tc_buffer_elements(b), span = 0;
    if (b->layout == NULL) {
        return elements;
    }
    tc_layout_ctx cx = {.arena = a, .target_cuda = true};
    if (tc_layout_span(&cx, b->layout, NULL, &span) != TC_LAYOUT_OK) {
        return elements;
    }
    /* A bare swizzle's span is one period; larger tiles repeat it. */
    if (b->layout->kind == TC_LAYOUT_SWIZZLE && span < elements) {
        return elements;
    }
    return span;
}
