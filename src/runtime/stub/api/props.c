/* props.c - cudaGetDeviceProperties. What does not depend on the device is from
 * the CUDA C++ Programming Guide's technical specifications per compute
 * capability (8.0 to 10.x, where they agree). */
#include "runtime/stub/api/props.h"
#include <stdio.h>
#include <string.h>

static void limits(struct cudaDeviceProp *p) {
    static const int block[3] = {1024, 1024, 64};
    static const int grid[3] = {INT32_MAX, 65535, 65535};
    memcpy(p->maxThreadsDim, block, sizeof block);
    memcpy(p->maxGridSize, grid, sizeof grid);
    p->warpSize = 32;
    p->memPitch = INT32_MAX;
    p->totalConstMem = 64 << 10;
    p->textureAlignment = p->surfaceAlignment = 512;
    p->texturePitchAlignment = 32;
    p->reservedSharedMemPerBlock = 1024;
}

/* What programs ask before they use it: 1 where this runtime has it. */
static void abilities(struct cudaDeviceProp *p, const tc_rt_device *d) {
    p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = 1;
    p->concurrentManagedAccess = p->concurrentKernels = 1;
    p->cooperativeLaunch = p->memoryPoolsSupported = 1;
    p->streamPrioritiesSupported = p->hostRegisterSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->asyncEngineCount = 3;
    p->clusterLaunch = d->sm >= 90;
    p->unifiedFunctionPointers = d->sm >= 90;
    p->ECCEnabled = d->gpu;
}

void tc_stub_properties(struct cudaDeviceProp *p) {
    const tc_rt_device *d = &tc_stub.device;
    *p = (struct cudaDeviceProp){0};
    snprintf(p->name, sizeof p->name, "%.255s", d->name);
    limits(p);
    abilities(p, d);
    p->major = d->sm / 10;
    p->minor = d->sm % 10;
    p->totalGlobalMem = d->memory;
    p->sharedMemPerBlock = d->shared_cta;
    p->sharedMemPerMultiprocessor = d->shared_sm;
    p->sharedMemPerBlockOptin = d->shared_optin;
    p->regsPerBlock = d->registers_cta;
    p->regsPerMultiprocessor = d->registers_sm;
    p->maxThreadsPerBlock = d->threads_cta;
    p->maxThreadsPerMultiProcessor = d->threads_sm;
    p->maxBlocksPerMultiProcessor = d->ctas_sm;
    p->multiProcessorCount = d->multiprocessors;
    p->memoryBusWidth = d->memory_bus_bits;
    p->l2CacheSize = d->l2_bytes;
    p->hostNumaId = p->deviceNumaId = -1;
}

static cudaError_t properties(struct cudaDeviceProp *prop, int device) {
    cudaError_t e = prop == NULL ? cudaErrorInvalidValue : tc_stub_there();
    if (e == cudaSuccess && device != 0) {
        e = cudaErrorInvalidDevice;
    }
    if (e == cudaSuccess) {
        tc_stub_properties(prop);
    }
    return e;
}

TC_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop,
                                           int device) {
    TC_ENTER();
    return tc_stub_leave(properties(prop, device));
}

/* --- CUDA 12's ----------------------------------------------------------- */

/* cudaDeviceProp had eight members more then, in between: where each stretch of
 * CUDA 13's structure lies in it (cudaDeviceProp of CUDA 12.8). */
typedef struct tc_stub_stretch {
    size_t from, to, old; /* [from, to) of 13's, and its offset in 12's */
} tc_stub_stretch;

#define AT(member) offsetof(struct cudaDeviceProp, member)

enum { OLD_BYTES = 1032, OLD_CLOCK = 348, OLD_MEMORY_CLOCK = 608 };

TC_API cudaError_t cudaGetDeviceProperties_v2(void *prop, int device) {
    static const tc_stub_stretch stretches[] = {
        {0, AT(multiProcessorCount), 0},
        {AT(multiProcessorCount), AT(integrated), 388},
        {AT(integrated), AT(maxTexture1D), 396},
        {AT(maxTexture1D), AT(maxTexture2D), 408},
        {AT(maxTexture2D), AT(memoryBusWidth), 420},
        {AT(memoryBusWidth), AT(sharedMemPerMultiprocessor), 612},
        {AT(sharedMemPerMultiprocessor), AT(pageableMemoryAccess), 640},
        {AT(pageableMemoryAccess), AT(sharedMemPerBlockOptin), 672},
        {AT(sharedMemPerBlockOptin), AT(deviceNumaConfig), 696},
    };
    struct cudaDeviceProp now;
    TC_ENTER();
    cudaError_t e = properties(prop != NULL ? &now : NULL, device);
    if (e != cudaSuccess) {
        return tc_stub_leave(e);
    }
    memset(prop, 0, OLD_BYTES);
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        const tc_stub_stretch *s = &stretches[i];
        memcpy((char *)prop + s->old, (const char *)&now + s->from,
               s->to - s->from);
    }
    memcpy((char *)prop + OLD_CLOCK, &tc_stub.device.clock_khz, sizeof(int));
    memcpy((char *)prop + OLD_MEMORY_CLOCK, &tc_stub.device.memory_clock_khz,
           sizeof(int));
    return tc_stub_leave(cudaSuccess);
}
