/* pitch.c - allocations whose rows are padded. */
#include "runtime/stub/stub.h"

/* Rows begin at multiples of 512 bytes, as on every GPU since sm_30. */
enum { ALIGN = 512 };

static cudaError_t rows(void **out, size_t *pitch, struct cudaExtent e) {
    uint64_t step, bytes;
    if (out == NULL || pitch == NULL) {
        return cudaErrorInvalidValue;
    }
    if (__builtin_add_overflow(e.width, ALIGN - 1, &step) ||
        __builtin_mul_overflow(step / ALIGN * ALIGN, e.height, &bytes) ||
        __builtin_mul_overflow(bytes, e.depth, &bytes)) {
        return cudaErrorMemoryAllocation;
    }
    *pitch = step / ALIGN * ALIGN;
    return tc_stub_alloc(out, bytes, TC_RT_DEVICE, 0);
}

TC_API cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width,
                                   size_t height) {
    TC_ENTER();
    struct cudaExtent e = {width, height, 1};
    return tc_stub_leave(rows(devPtr, pitch, e));
}

TC_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr,
                                struct cudaExtent extent) {
    TC_ENTER();
    if (pitchedDevPtr == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return tc_stub_leave(
        rows(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent));
}
