/* lower_dynamic.c - dynamic shared memory: one array for the launch, in which
 * each shared.dyn buffer that owns storage has its place, in order of
 * appearance (TVM: one such buffer; merge_shared_memory_allocations.cc). */
#include "dispatch/lower.h"

enum { LEAST_ALIGN = 64, MOST_ALIGN = 1024, MAX_BYTES = 1 << 30 };

static int64_t bytes_of(tc_lowering *l, const tc_buffer *b) {
    int64_t n;
    if (__builtin_mul_overflow(tc_buffer_storage(l->arena, b),
                               tc_dtype_bytes(b->type), &n) ||
        n > MAX_BYTES || b->pool_bytes > MAX_BYTES) {
        tc_lower_fail(l, b->span, NULL, "%s does not fit in shared memory",
                      b->name);
        return 0;
    }
    return n > b->pool_bytes ? n : b->pool_bytes;
}

/* The last byte that a view at a constant place needs, plus one. */
static int64_t end_of(tc_lowering *l, const tc_buffer *v) {
    int64_t offset = 0, end;
    if (v->elem_offset != NULL && !tc_expr_const(v->elem_offset, &offset)) {
        return 0;
    }
    if (__builtin_add_overflow(offset, tc_buffer_storage(l->arena, v), &end) ||
        __builtin_mul_overflow(end, tc_dtype_bytes(v->type), &end)) {
        return INT64_MAX;
    }
    return end;
}

/* A pool must have been committed, to enough bytes for what lies in it. */
static void check_view(tc_lowering *l, const tc_buffer *v) {
    const tc_buffer *pool = v->base;
    bool sized = pool->rank == 1 && pool->shape[0] > 0;
    if (pool->space != TC_SPACE_SHARED_DYN || sized) {
        return;
    }
    int64_t end = end_of(l, v);
    if (pool->pool_bytes == 0) {
        tc_lower_fail(l, pool->span, "call its commit() after the last alloc",
                      "the pool of %s was never committed: it has no bytes",
                      v->name);
    } else if (end > pool->pool_bytes) {
        tc_lower_fail(l, v->span, "call commit() after the last alloc",
                      "%s ends at byte %lld of a pool that was committed to "
                      "%lld",
                      v->name, (long long)end, (long long)pool->pool_bytes);
    }
}

static int64_t align_of(const tc_buffer *b, int64_t least) {
    int64_t align = least;
    while (align < b->align && align < MOST_ALIGN) {
        align *= 2;
    }
    return align;
}

void tc_lower_dynamic(tc_lowering *l) {
    tc_lowered *o = l->out;
    const tc_func *f = o->func;
    o->dynamic_align = LEAST_ALIGN;
    for (int i = 0; i < f->nbuffers && !l->failed; i++) {
        const tc_buffer *b = f->buffers[i];
        if (b->base != NULL) {
            check_view(l, b);
        }
        if (b->space == TC_SPACE_SHARED_DYN) {
            o->dynamic_align = align_of(b, o->dynamic_align);
        }
    }
    for (int i = 0; i < o->ndynamic && !l->failed; i++) {
        tc_buffer *b = o->dynamic[i];
        int64_t align = i > 0 ? o->dynamic_align : 1;
        b->dyn_offset = (o->dynamic_shared + align - 1) / align * align;
        o->dynamic_shared = b->dyn_offset + bytes_of(l, b);
        if (o->dynamic_shared > MAX_BYTES) {
            tc_lower_fail(l, b->span, NULL,
                          "%s no longer fits in shared memory", b->name);
        }
    }
}
