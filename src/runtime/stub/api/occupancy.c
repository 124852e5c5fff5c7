/* occupancy.c - how many blocks and clusters of a kernel run at once. The
 * template functions of cuda_runtime.h are made of these. */
#include "runtime/stub/stub.h"

static cudaError_t ask(const tc_stub_function *f, uint64_t block,
                       uint64_t shared, uint64_t cluster, uint32_t *out) {
    tc_rt_occupancy o = {.function = f->facts.id,
                         .block = (uint32_t)block,
                         .dynamic_shared = shared,
                         .cluster = (uint32_t)cluster};
    if (block == 0) {
        return cudaErrorInvalidValue;
    }
    cudaError_t e =
        tc_stub_request(TC_RT_OCCUPANCY, &o, sizeof o, &o, sizeof o);
    *out = o.ctas;
    return e;
}

static cudaError_t blocks(int *out, const void *func, int block,
                          size_t shared) {
    cudaError_t e;
    uint32_t n = 0;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL || out == NULL || block <= 0) {
        return f == NULL ? e : cudaErrorInvalidValue;
    }
    e = ask(f, (uint64_t)block, shared, 0, &n);
    if (e == cudaSuccess) {
        *out = (int)n;
    }
    return e;
}

TC_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize) {
    TC_ENTER();
    return tc_stub_leave(blocks(numBlocks, func, blockSize, dynamicSMemSize));
}

TC_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize,
    unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(
        flags > 1 ? cudaErrorInvalidValue
                  : blocks(numBlocks, func, blockSize, dynamicSMemSize));
}

/* An SM's shared memory in equal parts, each less what the kernel itself takes,
 * as far as the program has allowed it. An H200 does not count the KiB that the
 * system takes of each block: 16 blocks with 8000 bytes of their own leave 6592
 * each. */
static cudaError_t room(size_t *out, const void *func, int n, int block) {
    cudaError_t e;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL || out == NULL || n <= 0 || block <= 0 ||
        block > tc_stub.device.threads_cta) {
        return f == NULL ? e : cudaErrorInvalidValue;
    }
    uint64_t most = tc_stub.device.shared_sm / (uint64_t)n / 128 * 128;
    uint64_t own = f->facts.shared;
    uint64_t left = most > own ? most - own : 0;
    uint64_t cap = (uint64_t)tc_stub_dynamic_limit(f);
    *out = left < cap ? left : cap;
    return cudaSuccess;
}

TC_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, const void *func, int numBlocks, int blockSize) {
    TC_ENTER();
    return tc_stub_leave(room(dynamicSmemSize, func, numBlocks, blockSize));
}

/* --- clusters ------------------------------------------------------------ */

static uint64_t threads(const cudaLaunchConfig_t *c) {
    uint64_t plane = (uint64_t)c->blockDim.x * c->blockDim.y;
    return plane > 4096 ? 4096 : plane * c->blockDim.z;
}

/* The launch's cluster, else the kernel's, else 1. */
static uint64_t cluster_of(const cudaLaunchConfig_t *c,
                           const tc_rt_function *k) {
    uint64_t n = k->cluster[0] == 0
                     ? 1
                     : (uint64_t)k->cluster[0] * k->cluster[1] * k->cluster[2];
    for (unsigned i = 0; c->attrs != NULL && i < c->numAttrs; i++) {
        const cudaLaunchAttributeValue *v = &c->attrs[i].val;
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            n = (uint64_t)v->clusterDim.x * v->clusterDim.y;
            n = n > 4096 ? n : n * v->clusterDim.z;
        }
    }
    return n;
}

static cudaError_t clusters(const tc_stub_function *f,
                            const cudaLaunchConfig_t *c, uint64_t cluster,
                            uint32_t *out) {
    if (cluster == 0 || cluster > 16) {
        return cudaErrorInvalidClusterSize;
    }
    cudaError_t e = ask(f, threads(c), c->dynamicSmemBytes, cluster, out);
    if (cluster == 1) {
        *out *= (uint32_t)tc_stub.device.multiprocessors;
    }
    return e;
}

static cudaError_t active(int *out, const void *func,
                          const cudaLaunchConfig_t *c) {
    cudaError_t e;
    uint32_t n = 0;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL || out == NULL || c == NULL) {
        return f == NULL ? e : cudaErrorInvalidValue;
    }
    uint64_t cluster = cluster_of(c, &f->facts);
    e = cluster > 8 && f->non_portable <= 0 ? cudaErrorInvalidClusterSize
                                            : clusters(f, c, cluster, &n);
    if (e == cudaSuccess) {
        *out = (int)n;
    }
    return e;
}

TC_API cudaError_t
cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                               const cudaLaunchConfig_t *launchConfig) {
    TC_ENTER();
    return tc_stub_leave(active(numClusters, func, launchConfig));
}

/* The largest power of two of which one cluster fits. */
static cudaError_t largest(int *out, const void *func,
                           const cudaLaunchConfig_t *c) {
    cudaError_t e;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL || out == NULL || c == NULL) {
        return f == NULL ? e : cudaErrorInvalidValue;
    }
    *out = 0;
    for (uint64_t n = f->non_portable > 0 ? 16 : 8; n >= 1; n /= 2) {
        uint32_t fit = 0;
        e = clusters(f, c, n, &fit);
        if (e != cudaSuccess || fit > 0) {
            *out = e == cudaSuccess ? (int)n : 0;
            return e;
        }
    }
    return cudaSuccess;
}

TC_API cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                     const cudaLaunchConfig_t *launchConfig) {
    TC_ENTER();
    return tc_stub_leave(largest(clusterSize, func, launchConfig));
}
