/* pool.c - allocations in stream order. Streams are in order here, so that the
 * memory is there at once, and goes at once; a pool keeps nothing back. */
#include "runtime/stub/stub.h"
#include <stdlib.h>
#include <string.h>

typedef struct tc_stub_pool {
    uint64_t threshold; /* cudaMemPoolAttrReleaseThreshold */
    int reuse[4];       /* the three reuse attributes, by number */
    uint32_t number;    /* in its blocks' flags */
    uint64_t high;      /* the most that was used at once */
    struct tc_stub_pool *next;
} tc_stub_pool;

/* The first is the device's own. */
static tc_stub_pool own = {.reuse = {0, 1, 1, 1}, .number = 1};

static tc_stub_pool *pool_of(cudaMemPool_t handle) {
    tc_stub_pool *p = &own;
    while (p != NULL && (void *)p != (void *)handle) {
        p = p->next;
    }
    return p;
}

static uint64_t used(const tc_stub_pool *pool) {
    uint64_t sum = 0;
    for (int i = 0; i < tc_stub.nblocks; i++) {
        const tc_stub_block *b = &tc_stub.blocks[i];
        sum +=
            b->kind == TC_RT_DEVICE && b->flags == pool->number ? b->bytes : 0;
    }
    return sum;
}

static cudaError_t alloc(void **p, size_t size, tc_stub_pool *pool,
                         cudaStream_t s) {
    uint32_t stream;
    cudaError_t e = tc_stub_stream_id(s, &stream);
    if (e == cudaSuccess && tc_stub_capturing(stream) != NULL) {
        return tc_stub_unbuilt("cudaMallocAsync() in a captured stream");
    }
    e = e == cudaSuccess ? tc_stub_alloc(p, size, TC_RT_DEVICE, pool->number)
                         : e;
    if (e == cudaSuccess) {
        tc_stub_order(TC_RT_ORDER_ALLOC, stream, (uint64_t)(uintptr_t)*p);
    }
    uint64_t now = e == cudaSuccess ? used(pool) : 0;
    pool->high = now > pool->high ? now : pool->high;
    return e;
}

TC_API cudaError_t cudaMallocAsync(void **devPtr, size_t size,
                                   cudaStream_t hStream) {
    TC_ENTER();
    return tc_stub_leave(alloc(devPtr, size, &own, hStream));
}
TC_PTSZ(cudaMallocAsync);

TC_API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
                                           cudaMemPool_t memPool,
                                           cudaStream_t stream) {
    TC_ENTER();
    tc_stub_pool *p = pool_of(memPool);
    return tc_stub_leave(p == NULL ? cudaErrorInvalidValue
                                   : alloc(ptr, size, p, stream));
}
TC_PTSZ(cudaMallocFromPoolAsync);

TC_API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    TC_ENTER();
    uint32_t stream;
    cudaError_t e = tc_stub_stream_id(hStream, &stream);
    if (e == cudaSuccess && tc_stub_capturing(stream) != NULL) {
        e = tc_stub_unbuilt("cudaFreeAsync() in a captured stream");
    }
    if (e == cudaSuccess) {
        tc_stub_order(TC_RT_ORDER_FREE, stream, (uint64_t)(uintptr_t)devPtr);
        e = tc_stub_free(devPtr, false, false);
    }
    return tc_stub_leave(e);
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

static uint32_t numbers = 1; /* of pools so far */

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
    p->threshold = p->high = 0;
    p->number = ++numbers;
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

/* What is in use, and what the pool has of the device: pieces of 32 MiB, kept
 * while a threshold says so. A high-water mark can only be set to 0. */
static cudaError_t usage(cudaMemPool_t pool, enum cudaMemPoolAttr a,
                         uint64_t *value, bool set) {
    const uint64_t piece = UINT64_C(32) << 20;
    bool mark =
        a == cudaMemPoolAttrReservedMemHigh || a == cudaMemPoolAttrUsedMemHigh;
    bool reserved = a == cudaMemPoolAttrReservedMemCurrent ||
                    a == cudaMemPoolAttrReservedMemHigh;
    tc_stub_pool *p = pool_of(pool);
    if (p == NULL || value == NULL || a > cudaMemPoolAttrUsedMemHigh ||
        (set && !(mark && *value == 0))) {
        return cudaErrorInvalidValue;
    }
    if (set) {
        p->high = used(p);
        return cudaSuccess;
    }
    uint64_t now = mark || (reserved && p->threshold > 0) ? p->high : used(p);
    *value = reserved ? (now + piece - 1) / piece * piece : now;
    return cudaSuccess;
}

TC_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
                                           enum cudaMemPoolAttr attr,
                                           void *value) {
    TC_ENTER();
    return tc_stub_leave(attr > cudaMemPoolAttrReleaseThreshold
                             ? usage(memPool, attr, value, true)
                             : attribute(memPool, attr, value, true));
}

TC_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
                                           enum cudaMemPoolAttr attr,
                                           void *value) {
    TC_ENTER();
    return tc_stub_leave(attr > cudaMemPoolAttrReleaseThreshold
                             ? usage(memPool, attr, value, false)
                             : attribute(memPool, attr, value, false));
}
