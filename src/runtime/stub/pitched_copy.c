/* pitched_copy.c - cudaMemcpy2D, cudaMemcpy3D, and the memsets of their shapes. */
#include "runtime/stub/stub.h"

static uint64_t address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

/* "the maximum allowed" pitch: cudaDevAttrMaxPitch. */
static bool bad_pitch(uint64_t pitch, uint64_t width) {
    return width > pitch || pitch > INT32_MAX;
}

/* --- copies -------------------------------------------------------------- */

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src,
                           size_t spitch, size_t width, size_t height,
                           enum cudaMemcpyKind kind, bool blocks,
                           cudaStream_t s) {
    uint32_t stream;
    tc_rt_copy c = {.dst = address(dst),
                    .dst_pitch = dpitch,
                    .src = address(src),
                    .src_pitch = spitch,
                    .width = width,
                    .height = height,
                    .depth = 1};
    cudaError_t e = tc_stub_stream_id(s, &stream);
    if (e == cudaSuccess &&
        (bad_pitch(dpitch, width) || bad_pitch(spitch, width))) {
        e = cudaErrorInvalidPitchValue;
    }
    return e != cudaSuccess ? e : tc_stub_copy(&c, kind, blocks, stream);
}

TC_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(
        copy_2d(dst, dpitch, src, spitch, width, height, kind, true, NULL));
}
TC_PTDS(cudaMemcpy2D);

TC_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
                                     size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(
        copy_2d(dst, dpitch, src, spitch, width, height, kind, false, stream));
}
TC_PTSZ(cudaMemcpy2DAsync);

/* One end of a 3D copy: where the box begins, its pitch and slice. */
static cudaError_t end(const struct cudaPitchedPtr *p, const struct cudaPos *at,
                       const struct cudaExtent *e, uint64_t *begin,
                       uint64_t *pitch, uint64_t *slice) {
    uint64_t width, rows;
    if (p->ptr == NULL || __builtin_add_overflow(at->x, e->width, &width) ||
        __builtin_add_overflow(at->y, e->height, &rows)) {
        return cudaErrorInvalidValue;
    }
    if (bad_pitch(p->pitch, width)) {
        return cudaErrorInvalidPitchValue;
    }
    if (at->z > UINT32_MAX || p->ysize > UINT32_MAX || at->y > UINT32_MAX ||
        (e->depth + at->z > 1 && rows > p->ysize)) {
        return cudaErrorInvalidValue;
    }
    uint64_t skip;
    *pitch = p->pitch;
    *slice = p->pitch * p->ysize;
    if (__builtin_mul_overflow(*slice, at->z, &skip)) {
        return cudaErrorInvalidValue;
    }
    *begin = address(p->ptr) + skip + at->y * p->pitch + at->x;
    return cudaSuccess;
}

cudaError_t tc_stub_box_of(const struct cudaMemcpy3DParms *p, tc_rt_copy *c) {
    if (p->srcArray != NULL || p->dstArray != NULL) {
        return tc_stub_array_box(p, c);
    }
    *c = (tc_rt_copy){.width = p->extent.width,
                      .height = p->extent.height,
                      .depth = p->extent.depth};
    cudaError_t e = end(&p->srcPtr, &p->srcPos, &p->extent, &c->src,
                        &c->src_pitch, &c->src_slice);
    return e != cudaSuccess ? e
                            : end(&p->dstPtr, &p->dstPos, &p->extent, &c->dst,
                                  &c->dst_pitch, &c->dst_slice);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, bool blocks,
                           cudaStream_t s) {
    uint32_t stream;
    tc_rt_copy c;
    cudaError_t e =
        p == NULL ? cudaErrorInvalidValue : tc_stub_stream_id(s, &stream);
    e = e == cudaSuccess ? tc_stub_box_of(p, &c) : e;
    return e != cudaSuccess ? e : tc_stub_copy(&c, p->kind, blocks, stream);
}

TC_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    TC_ENTER();
    return tc_stub_leave(copy_3d(p, true, NULL));
}
TC_PTDS(cudaMemcpy3D);

TC_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                                     cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(copy_3d(p, false, stream));
}
TC_PTSZ(cudaMemcpy3DAsync);

/* --- one device ---------------------------------------------------------- */

static cudaError_t copy_peer(void *dst, int dst_device, const void *src,
                             int src_device, size_t count, cudaStream_t s) {
    return dst_device != 0 || src_device != 0
               ? cudaErrorInvalidDevice
               : tc_stub_copy_line(dst, src, count, cudaMemcpyDeviceToDevice,
                                   false, s);
}

TC_API cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
                                  int srcDevice, size_t count) {
    TC_ENTER();
    return tc_stub_leave(
        copy_peer(dst, dstDevice, src, srcDevice, count, NULL));
}

TC_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice,
                                       const void *src, int srcDevice,
                                       size_t count, cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(
        copy_peer(dst, dstDevice, src, srcDevice, count, stream));
}

/* --- memsets ------------------------------------------------------------- */

static cudaError_t set_2d(void *p, size_t pitch, int value, size_t width,
                          size_t height, cudaStream_t s) {
    tc_rt_copy c = {.dst = address(p),
                    .dst_pitch = pitch,
                    .width = width,
                    .height = height,
                    .depth = 1};
    return height > 1 && bad_pitch(pitch, width) ? cudaErrorInvalidValue
                                                 : tc_stub_set(&c, value, s);
}

TC_API cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value,
                                size_t width, size_t height) {
    TC_ENTER();
    return tc_stub_leave(set_2d(devPtr, pitch, value, width, height, NULL));
}
TC_PTDS(cudaMemset2D);

TC_API cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
                                     size_t width, size_t height,
                                     cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(set_2d(devPtr, pitch, value, width, height, stream));
}
TC_PTSZ(cudaMemset2DAsync);

static cudaError_t set_3d(struct cudaPitchedPtr p, int value,
                          struct cudaExtent e, cudaStream_t s) {
    const struct cudaPos zero = {0, 0, 0};
    tc_rt_copy c = {.width = e.width, .height = e.height, .depth = e.depth};
    cudaError_t why = end(&p, &zero, &e, &c.dst, &c.dst_pitch, &c.dst_slice);
    return why != cudaSuccess ? why : tc_stub_set(&c, value, s);
}

TC_API cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                                struct cudaExtent extent) {
    TC_ENTER();
    return tc_stub_leave(set_3d(pitchedDevPtr, value, extent, NULL));
}
TC_PTDS(cudaMemset3D);

TC_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr,
                                     int value, struct cudaExtent extent,
                                     cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(set_3d(pitchedDevPtr, value, extent, stream));
}
TC_PTSZ(cudaMemset3DAsync);
