/* driver.c - the few functions of the driver API that runtime programs use:
 * tensor maps (CUDA Driver API, Tensor Map Object Management), and what leads
 * to them. CUresult and cudaError_t have the same numbers. */
#include "runtime/stub/driver.h"
#include <stdlib.h>
#include <string.h>

/* --- tensor maps --------------------------------------------------------- */

/* What a map was made of, for cuTensorMapReplaceAddress(): its bytes are the
 * device's own affair. */
typedef struct tc_stub_map_made {
    char bytes[128];
    tc_rt_tensor_map from;
    struct tc_stub_map_made *next;
} tc_stub_map_made;

static tc_stub_map_made *made;

static cudaError_t encode(void *map, const tc_rt_tensor_map *t) {
    char bytes[128];
    cudaError_t e = tc_stub_ready();
    if (e == cudaSuccess) {
        e = tc_stub_request(TC_RT_TENSOR_MAP, t, sizeof *t, bytes,
                            sizeof bytes);
    }
    tc_stub_map_made *m = e == cudaSuccess ? malloc(sizeof *m) : NULL;
    if (m != NULL) {
        memcpy(m->bytes, bytes, sizeof bytes);
        m->from = *t;
        m->next = made;
        made = m;
    }
    if (e == cudaSuccess) {
        memcpy(map, bytes, sizeof bytes);
    }
    return e;
}

/* "tensorMap address must be aligned to 64 bytes." */
static bool is_map(const void *map) {
    return map != NULL && (uintptr_t)map % 64 == 0;
}

TC_API CUresult cuTensorMapEncodeTiled(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
    uint32_t tensorRank, void *globalAddress, const uint64_t *globalDim,
    const uint64_t *globalStrides, const uint32_t *boxDim,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill) {
    TC_ENTER();
    tc_rt_tensor_map t = {.address = (uint64_t)(uintptr_t)globalAddress,
                          .type = (int32_t)tensorDataType,
                          .rank = (int32_t)tensorRank,
                          .interleave = (int32_t)interleave,
                          .swizzle = (int32_t)swizzle,
                          .l2_promotion = (int32_t)l2Promotion,
                          .oob_fill = (int32_t)oobFill};
    if (!is_map(tensorMap) || tensorRank == 0 || tensorRank > 5 ||
        globalDim == NULL || (globalStrides == NULL && tensorRank > 1) ||
        boxDim == NULL || elementStrides == NULL) {
        return (CUresult)tc_stub_leave_quietly(cudaErrorInvalidValue);
    }
    for (uint32_t i = 0; i < tensorRank; i++) {
        t.dims[i] = globalDim[i];
        t.box[i] = boxDim[i];
        t.element_strides[i] = elementStrides[i];
        if (i + 1 < tensorRank) {
            t.strides[i] = globalStrides[i];
        }
    }
    return (CUresult)tc_stub_leave_quietly(encode(tensorMap, &t));
}

TC_API CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap,
                                          void *globalAddress) {
    TC_ENTER();
    const tc_stub_map_made *m = is_map(tensorMap) ? made : NULL;
    while (m != NULL && memcmp(m->bytes, tensorMap, sizeof m->bytes) != 0) {
        m = m->next;
    }
    if (m == NULL) {
        return (CUresult)tc_stub_leave_quietly(cudaErrorInvalidValue);
    }
    tc_rt_tensor_map t = m->from;
    t.address = (uint64_t)(uintptr_t)globalAddress;
    return (CUresult)tc_stub_leave_quietly(encode(tensorMap, &t));
}

/* --- the device ---------------------------------------------------------- */

TC_API CUresult cuInit(unsigned int Flags) {
    TC_ENTER();
    return (CUresult)tc_stub_leave_quietly(Flags != 0 ? cudaErrorInvalidValue
                                                      : tc_stub_ready());
}

TC_API CUresult cuDriverGetVersion(int *driverVersion) {
    TC_ENTER();
    cudaError_t e =
        driverVersion == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e == cudaSuccess) {
        *driverVersion = tc_stub.device.driver_version;
    }
    return (CUresult)tc_stub_leave_quietly(e);
}

TC_API CUresult cuDeviceGetCount(int *count) {
    TC_ENTER();
    cudaError_t e = count == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e == cudaSuccess) {
        *count = 1;
    }
    return (CUresult)tc_stub_leave_quietly(e);
}

TC_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    TC_ENTER();
    cudaError_t e = device == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e == cudaSuccess && ordinal != 0) {
        e = cudaErrorInvalidDevice;
    }
    if (e == cudaSuccess) {
        *device = 0;
    }
    return (CUresult)tc_stub_leave_quietly(e);
}

/* --- errors -------------------------------------------------------------- */

typedef struct tc_stub_driver_name {
    int number;
    const char *name, *text;
} tc_stub_driver_name;

/* CUDA Driver API, CUresult; the texts are cudaGetErrorString's. */
static const tc_stub_driver_name names[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static const tc_stub_driver_name *name_of(CUresult error) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == (int)error) {
            return &names[i];
        }
    }
    return NULL;
}

TC_API CUresult cuGetErrorString(CUresult error, const char **pStr) {
    const tc_stub_driver_name *n = name_of(error);
    *pStr = n != NULL ? n->text : NULL;
    return (CUresult)(n != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

TC_API CUresult cuGetErrorName(CUresult error, const char **pStr) {
    const tc_stub_driver_name *n = name_of(error);
    *pStr = n != NULL ? n->name : NULL;
    return (CUresult)(n != NULL ? cudaSuccess : cudaErrorInvalidValue);
}
