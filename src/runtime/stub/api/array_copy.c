/* array_copy.c - copies to and from CUDA arrays. In those of two dimensions
 * offsets and widths are bytes, in cudaMemcpy3D elements. */
#include "runtime/stub/stub.h"

static uint64_t one(uint64_t n) {
    return n > 0 ? n : 1;
}

/* --- two dimensions ------------------------------------------------------ */

/* A rectangle of an array: where it begins, 0 where it is not within. */
static uint64_t within(const char *side, const tc_stub_array *a, uint64_t x,
                       uint64_t y, uint64_t width, uint64_t height) {
    uint64_t rows = one(a->height) * one(a->depth);
    if (x > a->pitch || width > a->pitch - x || y > rows || height > rows - y) {
        tc_stub_because("%s: %llu bytes of %llu rows from byte %llu of row "
                        "%llu, of an array with rows of %llu bytes, %llu of "
                        "them",
                        side, (unsigned long long)width,
                        (unsigned long long)height, (unsigned long long)x,
                        (unsigned long long)y, (unsigned long long)a->pitch,
                        (unsigned long long)rows);
        return 0;
    }
    return a->address + y * a->pitch + x;
}

typedef struct tc_stub_rect {
    cudaArray_const_t array; /* NULL: memory at p */
    const void *p;
    size_t pitch, x, y; /* x in bytes */
} tc_stub_rect;

static cudaError_t end_of(const char *side, const tc_stub_rect *r, size_t width,
                          size_t height, uint64_t *begin, uint64_t *pitch) {
    if (r->array == NULL) {
        if (height > 1 && r->pitch < width) {
            tc_stub_because("%s has a pitch of %zu bytes, less than the width "
                            "of %zu",
                            side, r->pitch, width);
            return cudaErrorInvalidPitchValue;
        }
        *begin = (uint64_t)(uintptr_t)r->p;
        *pitch = r->pitch;
        return cudaSuccess;
    }
    const tc_stub_array *a = tc_stub_array_of(r->array);
    *begin = a != NULL ? within(side, a, r->x, r->y, width, height) : 0;
    *pitch = a != NULL ? a->pitch : 0;
    return *begin != 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t copy(tc_stub_rect dst, tc_stub_rect src, size_t width,
                        size_t height, enum cudaMemcpyKind kind, bool blocks,
                        cudaStream_t s) {
    uint32_t stream;
    tc_rt_copy c = {.width = width, .height = height, .depth = 1};
    cudaError_t e = tc_stub_stream_id(s, &stream);
    e = e == cudaSuccess ? end_of("its destination", &dst, width, height,
                                  &c.dst, &c.dst_pitch)
                         : e;
    e = e == cudaSuccess
            ? end_of("its source", &src, width, height, &c.src, &c.src_pitch)
            : e;
    return e != cudaSuccess ? e : tc_stub_copy(&c, kind, blocks, stream);
}

static tc_stub_rect of_array(cudaArray_const_t a, size_t x, size_t y) {
    if (a == NULL) { /* no array, not memory: end_of says so */
        static const char none;
        a = (cudaArray_const_t)(const void *)&none;
    }
    return (tc_stub_rect){.array = a, .x = x, .y = y};
}

static tc_stub_rect of_memory(const void *p, size_t pitch) {
    return (tc_stub_rect){.p = p, .pitch = pitch};
}

TC_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset,
                                       size_t hOffset, const void *src,
                                       size_t spitch, size_t width,
                                       size_t height,
                                       enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(copy(of_array(dst, wOffset, hOffset),
                              of_memory(src, spitch), width, height, kind, true,
                              NULL));
}
TC_PTDS(cudaMemcpy2DToArray);

TC_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
                                            size_t hOffset, const void *src,
                                            size_t spitch, size_t width,
                                            size_t height,
                                            enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(copy(of_array(dst, wOffset, hOffset),
                              of_memory(src, spitch), width, height, kind,
                              false, stream));
}
TC_PTSZ(cudaMemcpy2DToArrayAsync);

TC_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
                                         cudaArray_const_t src, size_t wOffset,
                                         size_t hOffset, size_t width,
                                         size_t height,
                                         enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(copy(of_memory(dst, dpitch),
                              of_array(src, wOffset, hOffset), width, height,
                              kind, true, NULL));
}
TC_PTDS(cudaMemcpy2DFromArray);

TC_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
                                              cudaArray_const_t src,
                                              size_t wOffset, size_t hOffset,
                                              size_t width, size_t height,
                                              enum cudaMemcpyKind kind,
                                              cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(copy(of_memory(dst, dpitch),
                              of_array(src, wOffset, hOffset), width, height,
                              kind, false, stream));
}
TC_PTSZ(cudaMemcpy2DFromArrayAsync);

TC_API cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
    cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t width,
    size_t height, enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(copy(of_array(dst, wOffsetDst, hOffsetDst),
                              of_array(src, wOffsetSrc, hOffsetSrc), width,
                              height, kind, true, NULL));
}
TC_PTDS(cudaMemcpy2DArrayToArray);

/* --- bytes in a row ------------------------------------------------------ */

/* So many bytes from a place on, over the ends of rows: rows follow each other
 * in memory. */
static cudaError_t line(cudaArray_const_t array, size_t x, size_t y,
                        size_t count, uint64_t *begin) {
    const tc_stub_array *a = tc_stub_array_of(array);
    if (a == NULL) {
        return cudaErrorInvalidValue;
    }
    uint64_t all = a->slice * one(a->depth), from = y * a->pitch + x;
    if (x > a->pitch || y > one(a->height) || from > all ||
        count > all - from) {
        tc_stub_because("%zu bytes from byte %llu of an array of %llu bytes",
                        count, (unsigned long long)from,
                        (unsigned long long)all);
        return cudaErrorInvalidValue;
    }
    *begin = a->address + from;
    return cudaSuccess;
}

static cudaError_t to_array(cudaArray_t dst, size_t x, size_t y,
                            const void *src, size_t count,
                            enum cudaMemcpyKind kind, bool blocks,
                            cudaStream_t s) {
    uint64_t begin;
    cudaError_t e = line(dst, x, y, count, &begin);
    return e != cudaSuccess ? e
                            : tc_stub_copy_line((void *)(uintptr_t)begin, src,
                                                count, kind, blocks, s);
}

static cudaError_t from_array(void *dst, cudaArray_const_t src, size_t x,
                              size_t y, size_t count, enum cudaMemcpyKind kind,
                              bool blocks, cudaStream_t s) {
    uint64_t begin;
    cudaError_t e = line(src, x, y, count, &begin);
    return e != cudaSuccess
               ? e
               : tc_stub_copy_line(dst, (const void *)(uintptr_t)begin, count,
                                   kind, blocks, s);
}

TC_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void *src,
                                     size_t count, enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(
        to_array(dst, wOffset, hOffset, src, count, kind, true, NULL));
}
TC_PTDS(cudaMemcpyToArray);

TC_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
                                          size_t hOffset, const void *src,
                                          size_t count,
                                          enum cudaMemcpyKind kind,
                                          cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(
        to_array(dst, wOffset, hOffset, src, count, kind, false, stream));
}
TC_PTSZ(cudaMemcpyToArrayAsync);

TC_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset,
                                       size_t count, enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(
        from_array(dst, src, wOffset, hOffset, count, kind, true, NULL));
}
TC_PTDS(cudaMemcpyFromArray);

TC_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset,
                                            size_t count,
                                            enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(
        from_array(dst, src, wOffset, hOffset, count, kind, false, stream));
}
TC_PTSZ(cudaMemcpyFromArrayAsync);

static cudaError_t between(cudaArray_t dst, size_t xd, size_t yd,
                           cudaArray_const_t src, size_t xs, size_t ys,
                           size_t count, enum cudaMemcpyKind kind) {
    uint64_t to, from;
    cudaError_t e = line(dst, xd, yd, count, &to);
    e = e == cudaSuccess ? line(src, xs, ys, count, &from) : e;
    return e != cudaSuccess ? e
                            : tc_stub_copy_line((void *)(uintptr_t)to,
                                                (const void *)(uintptr_t)from,
                                                count, kind, true, NULL);
}

TC_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                          size_t hOffsetDst,
                                          cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc,
                                          size_t count,
                                          enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(between(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc,
                                 hOffsetSrc, count, kind));
}
TC_PTDS(cudaMemcpyArrayToArray);

/* --- three dimensions ---------------------------------------------------- */

/* An array's end of the box: all in elements. */
static cudaError_t array_end(const char *side, const tc_stub_array *a,
                             const struct cudaPos *at,
                             const struct cudaExtent *e, uint64_t *begin,
                             uint64_t *pitch, uint64_t *slice) {
    uint64_t rows = one(a->height), planes = one(a->depth);
    if (at->x > a->width || e->width > a->width - at->x || at->y > rows ||
        e->height > rows - at->y || at->z > planes ||
        e->depth > planes - at->z) {
        tc_stub_because("%s: %zu x %zu x %zu elements from (%zu, %zu, %zu) of "
                        "an array of %llu x %llu x %llu",
                        side, e->width, e->height, e->depth, at->x, at->y,
                        at->z, (unsigned long long)a->width,
                        (unsigned long long)rows, (unsigned long long)planes);
        return cudaErrorInvalidValue;
    }
    *pitch = a->pitch;
    *slice = a->slice;
    *begin = a->address + at->z * a->slice + at->y * a->pitch +
             at->x * tc_stub_element_bytes(&a->desc);
    return cudaSuccess;
}

/* Memory's end, of width bytes in a row; its place counts bytes. */
static cudaError_t memory_end(const struct cudaPitchedPtr *p,
                              const struct cudaPos *at, uint64_t width,
                              const struct cudaExtent *e, uint64_t *begin,
                              uint64_t *pitch, uint64_t *slice) {
    bool rows = e->height > 1 || e->depth > 1;
    if (p->ptr == NULL || at->x > INT32_MAX || at->y > INT32_MAX ||
        at->z > INT32_MAX || p->pitch > INT32_MAX || p->ysize > UINT32_MAX) {
        return cudaErrorInvalidValue;
    }
    if (rows && p->pitch < at->x + width) {
        tc_stub_because("a pitch of %zu bytes is less than the %llu of a row",
                        p->pitch, (unsigned long long)(at->x + width));
        return cudaErrorInvalidPitchValue;
    }
    *pitch = p->pitch;
    *slice = p->pitch * p->ysize;
    *begin =
        (uint64_t)(uintptr_t)p->ptr + at->z * *slice + at->y * p->pitch + at->x;
    return cudaSuccess;
}

cudaError_t tc_stub_array_box(const struct cudaMemcpy3DParms *p,
                              tc_rt_copy *c) {
    const tc_stub_array *to =
        p->dstArray ? tc_stub_array_of(p->dstArray) : NULL;
    const tc_stub_array *from =
        p->srcArray ? tc_stub_array_of(p->srcArray) : NULL;
    if ((to == NULL) != (p->dstArray == NULL) ||
        (from == NULL) != (p->srcArray == NULL)) {
        return cudaErrorInvalidValue;
    }
    uint32_t size = tc_stub_element_bytes(to ? &to->desc : &from->desc);
    if (to && from && tc_stub_element_bytes(&from->desc) != size) {
        tc_stub_because("the two arrays' elements differ in size");
        return cudaErrorInvalidValue;
    }
    *c = (tc_rt_copy){.width = p->extent.width * size,
                      .height = p->extent.height,
                      .depth = p->extent.depth};
    cudaError_t e =
        to ? array_end("its destination", to, &p->dstPos, &p->extent, &c->dst,
                       &c->dst_pitch, &c->dst_slice)
           : memory_end(&p->dstPtr, &p->dstPos, c->width, &p->extent, &c->dst,
                        &c->dst_pitch, &c->dst_slice);
    if (e != cudaSuccess) {
        return e;
    }
    return from ? array_end("its source", from, &p->srcPos, &p->extent, &c->src,
                            &c->src_pitch, &c->src_slice)
                : memory_end(&p->srcPtr, &p->srcPos, c->width, &p->extent,
                             &c->src, &c->src_pitch, &c->src_slice);
}
