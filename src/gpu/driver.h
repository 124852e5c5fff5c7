/* driver.h - what we use of the CUDA driver API, in our own declarations, so
 * that no toolkit is needed to build. Names and numbers: CUDA Driver API
 * reference (types, enumerations); the suffixes _v2 are those that the
 * library's symbols carry since CUDA 3.2 and 4.0. */
#ifndef TC_GPU_DRIVER_H
#define TC_GPU_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int tc_cu_result; /* CUresult: 0 is success */
typedef int tc_cu_device;
typedef uint64_t tc_cu_address; /* CUdeviceptr */
typedef struct tc_cu_context_st *tc_cu_context;
typedef struct tc_cu_module_st *tc_cu_module;
typedef struct tc_cu_function_st *tc_cu_function;
typedef struct tc_cu_event_st *tc_cu_event;
typedef struct tc_cu_stream_st *tc_cu_stream;

enum { /* CUresult */
       TC_CU_SUCCESS = 0,
       TC_CU_INVALID_VALUE = 1,
       TC_CU_OUT_OF_MEMORY = 2,
       TC_CU_NO_DEVICE = 100,
       TC_CU_UNSUPPORTED_PTX_VERSION = 222,
       TC_CU_NOT_READY = 600,
       TC_CU_LAUNCH_TIMEOUT = 702,
       TC_CU_NOT_SUPPORTED = 801,
       TC_CU_UNKNOWN = 999
};

enum { /* CUdevice_attribute */
       TC_CU_THREADS_CTA = 1,
       TC_CU_SHARED_CTA = 8,
       TC_CU_REGISTERS_CTA = 12,
       TC_CU_CLOCK_KHZ = 13,
       TC_CU_MULTIPROCESSORS = 16,
       TC_CU_MEMORY_CLOCK_KHZ = 36,
       TC_CU_MEMORY_BUS_BITS = 37,
       TC_CU_L2_BYTES = 38,
       TC_CU_THREADS_SM = 39,
       TC_CU_CC_MAJOR = 75,
       TC_CU_CC_MINOR = 76,
       TC_CU_SHARED_SM = 81,
       TC_CU_REGISTERS_SM = 82,
       TC_CU_SHARED_OPTIN = 97,
       TC_CU_VIRTUAL_MEMORY = 102,
       TC_CU_CTAS_SM = 106
};

enum { /* CUfunction_attribute */
       TC_CU_F_THREADS = 0,
       TC_CU_F_SHARED = 1,
       TC_CU_F_CONST = 2,
       TC_CU_F_LOCAL = 3,
       TC_CU_F_REGISTERS = 4,
       TC_CU_F_PTX_VERSION = 5,
       TC_CU_F_BINARY_VERSION = 6,
       TC_CU_MAX_DYNAMIC_SHARED = 8,
       TC_CU_NON_PORTABLE_CLUSTER = 14
};

typedef struct tc_cu_location { /* CUmemLocation */
    int type;                   /* 1: a device */
    int id;
} tc_cu_location;

typedef struct tc_cu_memory { /* CUmemAllocationProp */
    int type;                 /* 1: pinned */
    int handles;
    tc_cu_location location;
    void *windows;
    unsigned char flags[8];
} tc_cu_memory;

typedef struct tc_cu_access { /* CUmemAccessDesc */
    tc_cu_location location;
    int flags; /* 3: read and write */
} tc_cu_access;

enum { /* CUjit_option */
       TC_CU_JIT_INFO_LOG = 3,
       TC_CU_JIT_INFO_LOG_SIZE = 4,
       TC_CU_JIT_ERROR_LOG = 5,
       TC_CU_JIT_ERROR_LOG_SIZE = 6
};

enum { /* CUlaunchAttributeID */
       TC_CU_LAUNCH_COOPERATIVE = 2,
       TC_CU_LAUNCH_CLUSTER = 4
};

typedef struct tc_cu_launch_attribute { /* CUlaunchAttribute */
    int id;
    char pad[4];
    union { /* 64 bytes in the API */
        char bytes[64];
        unsigned cluster[3];
        int cooperative;
        uint64_t align;
    } value;
} tc_cu_launch_attribute;

typedef struct tc_cu_launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3];
    unsigned shared;
    tc_cu_stream stream;
    tc_cu_launch_attribute *attributes;
    unsigned nattributes;
} tc_cu_launch_config;

/* TC_CU(member, symbol, parameters); all of them return a tc_cu_result. */
#define TC_CU_NEEDED(X)                                                        \
    X(init, cuInit, (unsigned flags))                                          \
    X(driver_version, cuDriverGetVersion, (int *version))                      \
    X(error_name, cuGetErrorName, (tc_cu_result error, const char **name))     \
    X(error_string, cuGetErrorString, (tc_cu_result error, const char **text)) \
    X(device_count, cuDeviceGetCount, (int *count))                            \
    X(device_get, cuDeviceGet, (tc_cu_device * device, int ordinal))           \
    X(device_name, cuDeviceGetName, (char *name, int size, tc_cu_device d))    \
    X(device_attribute, cuDeviceGetAttribute,                                  \
      (int *value, int attribute, tc_cu_device d))                             \
    X(context_retain, cuDevicePrimaryCtxRetain,                                \
      (tc_cu_context * context, tc_cu_device d))                               \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (tc_cu_device d))         \
    X(context_set, cuCtxSetCurrent, (tc_cu_context context))                   \
    X(module_load, cuModuleLoadDataEx,                                         \
      (tc_cu_module * module, const void *image, unsigned n, int *options,     \
       void **values))                                                         \
    X(module_unload, cuModuleUnload, (tc_cu_module module))                    \
    X(module_function, cuModuleGetFunction,                                    \
      (tc_cu_function * function, tc_cu_module module, const char *name))      \
    X(function_set, cuFuncSetAttribute,                                        \
      (tc_cu_function function, int attribute, int value))                     \
    X(memory_alloc, cuMemAlloc_v2, (tc_cu_address * address, size_t bytes))    \
    X(memory_free, cuMemFree_v2, (tc_cu_address address))                      \
    X(copy_in, cuMemcpyHtoD_v2,                                                \
      (tc_cu_address to, const void *from, size_t bytes))                      \
    X(copy_out, cuMemcpyDtoH_v2, (void *to, tc_cu_address from, size_t bytes)) \
    X(event_create, cuEventCreate, (tc_cu_event * event, unsigned flags))      \
    X(event_destroy, cuEventDestroy_v2, (tc_cu_event event))                   \
    X(event_record, cuEventRecord, (tc_cu_event event, tc_cu_stream stream))   \
    X(event_query, cuEventQuery, (tc_cu_event event))                          \
    X(event_elapsed, cuEventElapsedTime,                                       \
      (float *ms, tc_cu_event from, tc_cu_event to))                           \
    X(launch, cuLaunchKernel,                                                  \
      (tc_cu_function function, unsigned gx, unsigned gy, unsigned gz,         \
       unsigned bx, unsigned by, unsigned bz, unsigned shared,                 \
       tc_cu_stream stream, void **params, void **extra))

/* Since which CUDA each of these is there is the driver's matter: they are NULL
 * where it lacks them. Virtual memory is of CUDA 10.2, launch_ex and
 * max_clusters of 11.8, tensor_map of 12.0. */
#define TC_CU_WHERE_THERE(X)                                                   \
    X(device_bus, cuDeviceGetPCIBusId,                                         \
      (char *name, int size, tc_cu_device device))                             \
    X(tensor_map, cuTensorMapEncodeTiled,                                      \
      (void *map, int type, unsigned rank, tc_cu_address address,              \
       const uint64_t *dims, const uint64_t *strides, const unsigned *box,     \
       const unsigned *element_strides, int interleave, int swizzle,           \
       int l2_promotion, int oob_fill))                                        \
    X(launch_ex, cuLaunchKernelEx,                                             \
      (const tc_cu_launch_config *config, tc_cu_function function,             \
       void **params, void **extra))                                           \
    X(max_clusters, cuOccupancyMaxActiveClusters,                              \
      (int *clusters, tc_cu_function function,                                 \
       const tc_cu_launch_config *config))                                     \
    X(max_ctas, cuOccupancyMaxActiveBlocksPerMultiprocessor,                   \
      (int *ctas, tc_cu_function function, int block, size_t shared))          \
    X(function_get, cuFuncGetAttribute,                                        \
      (int *value, int attribute, tc_cu_function function))                    \
    X(module_global, cuModuleGetGlobal_v2,                                     \
      (tc_cu_address * address, size_t * bytes, tc_cu_module module,           \
       const char *name))                                                      \
    X(synchronize, cuCtxSynchronize, (void))                                   \
    X(memory_info, cuMemGetInfo_v2, (size_t * free, size_t * total))           \
    X(memory_set, cuMemsetD8_v2,                                               \
      (tc_cu_address to, unsigned char value, size_t bytes))                   \
    X(memory_move, cuMemcpyDtoD_v2,                                            \
      (tc_cu_address to, tc_cu_address from, size_t bytes))                    \
    X(reserve, cuMemAddressReserve,                                            \
      (tc_cu_address * address, size_t bytes, size_t align,                    \
       tc_cu_address hint, unsigned long long flags))                          \
    X(unreserve, cuMemAddressFree, (tc_cu_address address, size_t bytes))      \
    X(granularity, cuMemGetAllocationGranularity,                              \
      (size_t * bytes, const tc_cu_memory *what, int option))                  \
    X(create, cuMemCreate,                                                     \
      (unsigned long long *handle, size_t bytes, const tc_cu_memory *what,     \
       unsigned long long flags))                                              \
    X(release, cuMemRelease, (unsigned long long handle))                      \
    X(map, cuMemMap,                                                           \
      (tc_cu_address address, size_t bytes, size_t offset,                     \
       unsigned long long handle, unsigned long long flags))                   \
    X(unmap, cuMemUnmap, (tc_cu_address address, size_t bytes))                \
    X(set_access, cuMemSetAccess,                                              \
      (tc_cu_address address, size_t bytes, const tc_cu_access *access,        \
       size_t n))

typedef struct tc_cu {
#define X(member, symbol, parameters) tc_cu_result(*member) parameters;
    TC_CU_NEEDED(X)
    TC_CU_WHERE_THERE(X)
#undef X
} tc_cu;

#endif
