/* shared.c - how much shared memory a program takes. */
#include "emit/shared.h"
#include "emit/facts.h"

int64_t tc_shared_align(const tc_buffer *b, int64_t bytes) {
    int64_t align = tc_dtype_bytes(b->type);
    while (align < bytes && align < 64) {
        align *= 2;
    }
    while (align < b->align && align < 1024) {
        align *= 2;
    }
    return align;
}

int64_t tc_shared_bytes(tc_arena *a, const tc_buffer *b) {
    int64_t bytes;
    bool over = __builtin_mul_overflow(tc_shared_elements(a, b),
                                       tc_dtype_bytes(b->type), &bytes);
    return over || bytes > 1 << 30 ? 1 << 30 : bytes;
}

bool tc_shared_check(tc_arena *a, const tc_lowered *l, tc_diags *diags,
                     tc_emitted *out) {
    const tc_buffer *widest = l->ndynamic > 0 ? l->dynamic[0] : NULL;
    int64_t fixed = 0, most = -1;
    for (int i = 0; i < l->nshared; i++) {
        int64_t bytes = tc_shared_bytes(a, l->shared[i]);
        int64_t align = tc_shared_align(l->shared[i], bytes);
        fixed = (fixed + align - 1) / align * align + bytes;
        if (bytes > most) {
            most = bytes;
            widest = l->shared[i];
        }
    }
    int64_t align = l->ndynamic > 0 ? l->dynamic_align : 1;
    out->shared_static = fixed;
    out->shared_all = (fixed + align - 1) / align * align + l->dynamic_shared;
    if (out->shared_all <= TC_SHARED_MOST || widest == NULL) {
        return true;
    }
    tc_error(diags, widest->span, NULL,
             "the shared buffers take %lld bytes, and a CTA has at most %d "
             "(227 KiB) on any arch",
             (long long)out->shared_all, TC_SHARED_MOST);
    return false;
}
