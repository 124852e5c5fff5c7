/* function.c - what a kernel is like, and what the program sets about it. */
#include "runtime/stub/stub.h"

static int required(const tc_rt_function *k, int axis) {
    return (int)k->cluster[axis];
}

int tc_stub_dynamic_limit(const tc_stub_function *f) {
    uint64_t most = tc_stub.device.shared_cta, own = f->facts.shared;
    return f->dynamic_shared >= 0 ? f->dynamic_shared
           : own < most           ? (int)(most - own)
                                  : 0;
}

static cudaError_t attributes(struct cudaFuncAttributes *a, const void *func) {
    cudaError_t e;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL || a == NULL) {
        return f == NULL ? e : cudaErrorInvalidValue;
    }
    const tc_rt_function *k = &f->facts;
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = k->shared,
        .constSizeBytes = k->constant,
        .localSizeBytes = k->local,
        .maxThreadsPerBlock = (int)k->max_threads,
        .numRegs = (int)k->registers,
        .ptxVersion = (int)k->ptx_version,
        .binaryVersion = (int)k->binary_version,
        .maxDynamicSharedSizeBytes = tc_stub_dynamic_limit(f),
        .preferredShmemCarveout = f->carveout,
        .clusterDimMustBeSet = k->cluster[0] != 0,
        .requiredClusterWidth = required(k, 0),
        .requiredClusterHeight = required(k, 1),
        .requiredClusterDepth = required(k, 2),
        .nonPortableClusterSizeAllowed = f->non_portable > 0};
    return cudaSuccess;
}

TC_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
                                         const void *func) {
    TC_ENTER();
    return tc_stub_leave(attributes(attr, func));
}

static cudaError_t set(tc_stub_function *f, enum cudaFuncAttribute a,
                       int value) {
    int *mine =
        a == cudaFuncAttributeMaxDynamicSharedMemorySize ? &f->dynamic_shared
        : a == cudaFuncAttributePreferredSharedMemoryCarveout ? &f->carveout
        : a == cudaFuncAttributeNonPortableClusterSizeAllowed ? &f->non_portable
                                                              : NULL;
    if (a == cudaFuncAttributeClusterSchedulingPolicyPreference) {
        return value >= 0 && value <= 2 ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (a >= cudaFuncAttributeClusterDimMustBeSet &&
        a <= cudaFuncAttributeRequiredClusterDepth) {
        return tc_stub_unbuilt("cudaFuncSetAttribute() of a cluster's required "
                               "size: take cudaLaunchKernelEx()");
    }
    if (mine == NULL) {
        return cudaErrorInvalidValue;
    }
    tc_rt_limit l = {
        .function = f->facts.id, .attribute = (int32_t)a, .value = value};
    cudaError_t e = tc_stub_request(TC_RT_LIMIT, &l, sizeof l, NULL, 0);
    if (e == cudaSuccess) {
        *mine = value;
    }
    return e;
}

TC_API cudaError_t cudaFuncSetAttribute(const void *func,
                                        enum cudaFuncAttribute attr,
                                        int value) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_function *f = tc_stub_function_of(func, &e);
    return tc_stub_leave(f == NULL ? e : set(f, attr, value));
}

TC_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                   enum cudaFuncAttribute attr,
                                                   int value, int device) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_function *f = tc_stub_function_of((const void *)kernel, &e);
    if (f != NULL && device != 0) {
        return tc_stub_leave(cudaErrorInvalidDevice);
    }
    return tc_stub_leave(f == NULL ? e : set(f, attr, value));
}

/* Preferences that a simulator has no use for. */
TC_API cudaError_t cudaFuncSetCacheConfig(const void *func,
                                          enum cudaFuncCache cacheConfig) {
    TC_ENTER();
    cudaError_t e;
    bool known = (unsigned)cacheConfig <= cudaFuncCachePreferEqual;
    return tc_stub_leave(tc_stub_function_of(func, &e) == NULL ? e
                         : known                               ? cudaSuccess
                                 : cudaErrorInvalidValue);
}

TC_API cudaError_t cudaFuncSetSharedMemConfig(const void *func,
                                              enum cudaSharedMemConfig config) {
    TC_ENTER();
    cudaError_t e;
    (void)config;
    return tc_stub_leave(tc_stub_function_of(func, &e) == NULL ? e
                                                               : cudaSuccess);
}

TC_API cudaError_t cudaFuncGetName(const char **name, const void *func) {
    TC_ENTER();
    cudaError_t e;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL || name == NULL) {
        return tc_stub_leave(f == NULL ? e : cudaErrorInvalidValue);
    }
    *name = f->name;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex,
                                        size_t *paramOffset,
                                        size_t *paramSize) {
    TC_ENTER();
    cudaError_t e;
    const tc_stub_function *f = tc_stub_function_of(func, &e);
    if (f == NULL) {
        return tc_stub_leave(e);
    }
    if (paramIndex >= f->facts.nparams || paramOffset == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *paramOffset = f->params[paramIndex].offset;
    if (paramSize != NULL) {
        *paramSize = f->params[paramIndex].size;
    }
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr,
                                       const void *symbolPtr) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_function *f = tc_stub_function_of(symbolPtr, &e);
    if (f != NULL) {
        *functionPtr = (cudaFunction_t)(void *)f;
    }
    return tc_stub_leave(e);
}
