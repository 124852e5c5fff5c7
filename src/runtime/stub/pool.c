/* pool.c - allocations in stream order. Streams are in order here, so that the
 * memory is there at once, and goes at once; a pool keeps nothing back. */
#include "runtime/stub/stub.h"
#include <stdlib.h>
#include <string.h>

typedef struct tc_stub_pool {
    uint64_t threshold; /* cudaMemPoolAttrReleaseThreshold */
    int reuse[4];       /* the three reuse attributes, by number */
    struct tc_stub_pool *next;
} tc_stub_pool;

/* The first is the device's own. */
static tc_stub_pool own = {.reuse = {0, 1, 1, 1}};

static tc_stub_pool *pool_of(cudaMemPool_t handle) {
    tc_stub_pool *p = &own;
    while (p != NULL && (void *)p != (void *)handle) {
        p = p->next;
    }
    return p;
}

static cudaError_t alloc(void **p, size_t size, cudaStream_t s) {
    uint32_t stream;
    cudaError_t e = tc_stub_stream_id(s, &stream);
    return e != cudaSuccess ? e : tc_stub_alloc(p, size, TC_RT_DEVICE, 0);
}

TC_API cudaError_t cudaMallocAsync(void **devPtr, size_t size,
                                   cudaStream_t hStream) {
    TC_ENTER();
    return tc_stub_leave(alloc(devPtr, size, hStream));
}
TC_PTSZ(cudaMallocAsync);

TC_API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
                                           cudaMemPool_t memPool,
                                           cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(pool_of(memPool) == NULL ? cudaErrorInvalidValue
                                                  : alloc(ptr, size, stream));
}
TC_PTSZ(cudaMallocFromPoolAsync);

TC_API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    TC_ENTER();
    uint32_t stream;
    cudaError_t e = tc_stub_stream_id(hStream, &stream);
    return tc_stub_leave(e != cudaSuccess ? e
                                          : tc_stub_free(devPtr, false, false));
}
TC_PTSZ(cudaFreeAsync);

/* --- pools --------------------------------------------------------------- */

static cudaError_t the_pool(cudaMemPool_t *out, int device) {
    cudaError_t e = out == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e == cudaSuccess && device != 0) {
        e = cudaErrorInvalidDevice;
    }
    if (e == cudaSuccess) {
        *out = (cudaMemPool_t)(void *)&own;
    }
    return e;
}

TC_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool,
                                               int device) {
    TC_ENTER();
    return tc_stub_leave(the_pool(memPool, device));
}
TC_ALSO(cudaDeviceGetMemPool, cudaDeviceGetDefaultMemPool);

TC_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    TC_ENTER();
    return tc_stub_leave(device != 0                ? cudaErrorInvalidDevice
                         : pool_of(memPool) == NULL ? cudaErrorInvalidValue
                                                    : cudaSuccess);
}

struct cudaMemPoolProps;

TC_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool,
                                     const struct cudaMemPoolProps *props) {
    TC_ENTER();
    cudaError_t e = memPool == NULL || props == NULL ? cudaErrorInvalidValue
                                                     : tc_stub_ready();
    tc_stub_pool *p = e == cudaSuccess ? malloc(sizeof *p) : NULL;
    if (p == NULL) {
        return tc_stub_leave(e != cudaSuccess ? e : cudaErrorMemoryAllocation);
    }
    *p = own;
    p->threshold = 0;
    own.next = p;
    *memPool = (cudaMemPool_t)(void *)p;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
    TC_ENTER();
    tc_stub_pool *gone = pool_of(memPool);
    if (gone == NULL || gone == &own) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    tc_stub_pool *p = &own;
    while (p->next != gone) {
        p = p->next;
    }
    p->next = gone->next;
    free(gone);
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool,
                                     size_t minBytesToKeep) {
    TC_ENTER();
    (void)minBytesToKeep;
    return tc_stub_leave(pool_of(memPool) == NULL ? cudaErrorInvalidValue
                                                  : cudaSuccess);
}

/* "int" for the reuse attributes, "cuuint64_t" for the others. */
static cudaError_t attribute(cudaMemPool_t pool, enum cudaMemPoolAttr a,
                             void *value, bool set) {
    tc_stub_pool *p = pool_of(pool);
    if (p == NULL || value == NULL) {
        return cudaErrorInvalidValue;
    }
    if (a >= cudaMemPoolReuseFollowEventDependencies &&
        a <= cudaMemPoolReuseAllowInternalDependencies) {
        int *mine = &p->reuse[a];
        memcpy(set ? (void *)mine : value, set ? value : mine, sizeof *mine);
        return cudaSuccess;
    }
    if (a == cudaMemPoolAttrReleaseThreshold) {
        uint64_t *mine = &p->threshold;
        memcpy(set ? (void *)mine : value, set ? value : mine, sizeof *mine);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t usage(enum cudaMemPoolAttr a, bool set) {
    if (a < cudaMemPoolAttrReservedMemCurrent ||
        a > cudaMemPoolAttrUsedMemHigh) {
        return cudaErrorInvalidValue;
    }
    return set ? cudaSuccess
               : tc_stub_unbuilt("cudaMemPoolGetAttribute() of a pool's use");
}

TC_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
                                           enum cudaMemPoolAttr attr,
                                           void *value) {
    TC_ENTER();
    return tc_stub_leave(attr > cudaMemPoolAttrReleaseThreshold
                             ? usage(attr, true)
                             : attribute(memPool, attr, value, true));
}

TC_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
                                           enum cudaMemPoolAttr attr,
                                           void *value) {
    TC_ENTER();
    return tc_stub_leave(attr > cudaMemPoolAttrReleaseThreshold
                             ? usage(attr, false)
                             : attribute(memPool, attr, value, false));
}
