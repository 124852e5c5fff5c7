/* protocol.h - what the stub that is linked into a CUDA program and the parent
 * that has its device say to each other.
 *
 * The program runs in a process of its own; device memory, kernels and findings
 * live in the parent. The stub (runtime/stub/) stands in place of cudart: it
 * keeps CUDA's handles, checks arguments and remembers the thread's last error;
 * everything that touches the device is a call over a stream socket, whose
 * descriptor the environment names (TC_RT_FD_ENV). A call is a tc_rt_call, then
 * its `bytes` of payload; the answer is a tc_rt_answer, then its payload. One
 * call is under way at a time. Both sides are of one build: no versions beyond
 * TC_RT_VERSION, native byte order. Neither side trusts lengths that it reads.
 *
 * Plain C with no other include of ours: the stub is built of it alone. */
#ifndef TC_RUNTIME_PROTOCOL_H
#define TC_RUNTIME_PROTOCOL_H

#include <stdint.h>

#define TC_RT_FD_ENV  "TILECOPY_RUNTIME_FD"
#define TC_RT_VERSION 1

/* Device addresses of every backend lie here, where programs have nothing: a
 * host access there is a fault that the stub explains, and managed memory is
 * mapped in the program at its device address. */
#define TC_RT_DEVICE_BASE UINT64_C(0x0000200000000000)
#define TC_RT_DEVICE_SIZE (UINT64_C(1) << 40)

/* TC_RT_CALL(name): payload -> answer's payload. Structures below. All answer
 * with a cudaError_t; a kernel's fault is the answer of every later call. */
/* clang-format off */
#define TC_RT_CALLS(X)                                                         \
    X(HELLO)      /* tc_rt_hello -> tc_rt_device */                            \
    X(FUNCTION)   /* device-side name, ended by 0 -> tc_rt_function, then its  \
                     parameters, each a tc_rt_param */                         \
    X(VARIABLE)   /* device-side name, ended by 0 -> tc_rt_variable (managed:  \
                     with a descriptor, to map at its `map`) */                                 \
    X(ALLOC)      /* tc_rt_alloc -> tc_rt_alloc with the address filled in;    \
                     managed and host memory: with a descriptor to map there */\
    X(FREE)       /* tc_rt_alloc with the address */                           \
    X(WRITE)      /* tc_rt_copy, then rows of the host's bytes, packed */      \
    X(READ)       /* tc_rt_copy -> rows of the device's bytes, packed */       \
    X(MOVE)       /* tc_rt_copy: device to device */                           \
    X(SET)        /* tc_rt_copy: dst, with value and its size */               \
    X(FIND)       /* tc_rt_alloc with an address -> the allocation around it;  \
                     cudaErrorInvalidValue: there is none */                   \
    X(LAUNCH)     /* tc_rt_launch, then the packed parameters */               \
    X(SYNC)       /* nothing -> what kernels printed since */                  \
    X(TIME)       /* nothing -> double: milliseconds of device time so far */  \
    X(LIMIT)      /* tc_rt_limit: an attribute of a kernel was set */          \
    X(OCCUPANCY)  /* tc_rt_occupancy -> the same, filled in */                 \
    X(TENSOR_MAP) /* tc_rt_tensor_map -> 128 bytes */                          \
    X(RESET)      /* cudaDeviceReset: all memory is freed, variables have      \
                     their first values; after a fault it answers with that */ \
    X(NOTE)       /* tc_rt_note, then text: the host misused something */      \
    X(BYE)        /* tc_rt_bye: the program ends by itself */                  \
    X(ENTER)      /* nothing -> up to TC_RT_VALUES arguments of the next call  \
                     that a task has (base/task.h), of 8 bytes each;           \
                     cudaErrorInvalidValue: there is none */                   \
    X(LEAVE)      /* int32_t: that call is over, with this error */            \
    X(ORDER)      /* tc_rt_order -> up to TC_RT_FLIGHTS tc_rt_flight: the host  \
                     memory that operations of streams may still use */        \
    X(TEXTURE)    /* tc_rt_texture -> tc_rt_texture_handle: a new texture or   \
                     surface object; cudaErrorNotSupported: not by this        \
                     device */                                                 \
    X(DROP_TEXTURE) /* tc_rt_texture_handle: it is destroyed */                \
    X(BLAS)       /* tc_rt_blas -> the same, with what it computed;            \
                     cudaErrorNotSupported: there is no BLAS here */
/* clang-format on */
typedef enum tc_rt_name {
#define X(name) TC_RT_##name,
    TC_RT_CALLS(X)
#undef X
        TC_RT_CALL_COUNT
} tc_rt_name;

typedef struct tc_rt_call {
    uint32_t name;   /* tc_rt_name */
    uint32_t stream; /* of FUNCTION and VARIABLE: of which source, the FNV-1a
                        hash of its fat binary; 0: of any */
    uint64_t bytes;  /* of payload that follow */
    uint64_t where;  /* the caller in the program: address in its file */
} tc_rt_call;

typedef struct tc_rt_answer {
    int32_t error;       /* cudaError_t */
    uint32_t descriptor; /* 1: one comes with it (SCM_RIGHTS) */
    uint64_t bytes;
} tc_rt_answer;

typedef struct tc_rt_hello {
    uint32_t version;
    uint32_t events; /* 1: the program asks for times (cudaEventElapsedTime) */
} tc_rt_hello;

/* The device, as cudaGetDeviceProperties and attributes tell it. */
typedef struct tc_rt_device {
    char name[256]; /* "tilecopy simulator (sm_90a)", or the GPU's own */
    int32_t sm;     /* 90 */
    int32_t multiprocessors, threads_sm, threads_cta, ctas_sm;
    int32_t registers_sm, registers_cta;
    int32_t clock_khz, memory_clock_khz, memory_bus_bits, l2_bytes;
    int32_t driver_version, runtime_version; /* 13000 */
    int32_t gpu;                             /* 1: a GPU executes (too) */
    uint64_t memory, memory_free;
    uint64_t shared_cta, shared_sm, shared_optin; /* 48 KiB; 228; 227 */
} tc_rt_device;

typedef struct tc_rt_param {
    uint32_t offset, size; /* in the kernel's parameter block */
} tc_rt_param;

/* What cudaFuncGetAttributes tells, and how a launch packs parameters. */
typedef struct tc_rt_function {
    uint32_t id; /* for LAUNCH, LIMIT, OCCUPANCY */
    uint32_t nparams, param_bytes;
    uint32_t registers, max_threads, ptx_version, binary_version;
    uint32_t cluster[3]; /* that the kernel demands; 0: none */
    uint64_t shared, local, constant;
} tc_rt_function;

typedef struct tc_rt_variable {
    uint64_t address, bytes;
    uint32_t constant, managed;
    uint64_t map, map_bytes; /* managed: the pages around it, which other
                                variables may be on too; else 0 */
} tc_rt_variable;

typedef enum tc_rt_memory {
    TC_RT_DEVICE,
    TC_RT_MANAGED,
    TC_RT_HOST /* cudaHostAlloc, cudaMallocHost: the host's, which kernels reach
                  at the same address */
} tc_rt_memory;

typedef struct tc_rt_alloc {
    uint64_t address, bytes;
    uint32_t kind; /* tc_rt_memory */
    uint32_t pad;
} tc_rt_alloc;

/* Boxes: depth planes of height rows of width bytes. A pitch is the distance of
 * rows, a slice that of planes, in bytes. Plain copies: height, depth 1. */
typedef struct tc_rt_copy {
    uint64_t dst, dst_pitch, dst_slice;
    uint64_t src, src_pitch, src_slice;
    uint64_t width, height, depth;
    uint32_t value, value_bytes; /* SET: 1 */
} tc_rt_copy;

enum { /* tc_rt_launch.flags */
       TC_RT_COOPERATIVE = 1
};

typedef struct tc_rt_launch {
    uint32_t function;
    uint32_t grid[3], block[3],
        cluster[3]; /* cluster {0}: as the kernel says */
    uint32_t dynamic_shared, flags;
    uint32_t nparams; /* bytes that follow */
    uint32_t pad;
} tc_rt_launch;

enum { /* tc_rt_limit.attribute: cudaFuncAttribute */
       TC_RT_MAX_DYNAMIC_SHARED = 8,
       TC_RT_PREFERRED_CARVEOUT = 9,
       TC_RT_NON_PORTABLE_CLUSTER = 14
};

typedef struct tc_rt_limit {
    uint32_t function;
    int32_t attribute, value;
} tc_rt_limit;

typedef struct tc_rt_occupancy {
    uint32_t function, block; /* threads */
    uint64_t dynamic_shared;
    uint32_t cluster; /* CTAs of one; 0 or 1: none */
    uint32_t ctas;    /* an SM holds at once; clusters: the device */
} tc_rt_occupancy;

/* cuTensorMapEncodeTiled's arguments, with the driver's own numbers. */
typedef struct tc_rt_tensor_map {
    uint64_t address, dims[5], strides[4];
    uint32_t box[5], element_strides[5];
    int32_t type, rank, interleave, swizzle, l2_promotion, oob_fill;
} tc_rt_tensor_map;

/* A texture or surface object. shape, format and modes have the numbers of
 * sim/texture.h. Texels are rows in device memory. */
enum {
    TC_RT_TEXTURE_LINEAR,
    TC_RT_TEXTURE_1D,
    TC_RT_TEXTURE_2D,
    TC_RT_TEXTURE_3D,
    TC_RT_TEXTURE_1D_LAYERED,
    TC_RT_TEXTURE_2D_LAYERED,
    TC_RT_TEXTURE_CUBE,
    TC_RT_TEXTURE_CUBE_LAYERED
};
enum { TC_RT_TEXTURE_LEVELS = 17 };

typedef struct tc_rt_texture_level {
    uint64_t address, pitch, slice;
} tc_rt_texture_level;

typedef struct tc_rt_texture {
    uint32_t surface, shape, format, channels, bits, mode[3];
    uint32_t linear, linear_levels, normalized, srgb, normalized_coords, gather;
    float border[4], bias, least, most;
    uint32_t nlevels;
    uint64_t width, height, depth, layers;
    tc_rt_texture_level level[TC_RT_TEXTURE_LEVELS];
} tc_rt_texture;

typedef struct tc_rt_texture_handle {
    uint64_t handle;
    uint32_t surface, pad;
} tc_rt_texture_handle;

/* What streams, events and the host wait for. A program says so from the first
 * stream or page-locked memory on that it has. */
typedef enum tc_rt_ordering {
    TC_RT_ORDER_ASK,    /* nothing but the answer is wanted */
    TC_RT_ORDER_MADE,   /* a stream; id: cudaStreamNonBlocking or 0 */
    TC_RT_ORDER_GONE,   /* the stream is destroyed */
    TC_RT_ORDER_RECORD, /* the event id in the stream */
    TC_RT_ORDER_AFTER,  /* the stream waits for the event id */
    TC_RT_ORDER_FORGET, /* the event id is destroyed */
    TC_RT_ORDER_STREAM, /* the host has waited for the stream, */
    TC_RT_ORDER_EVENT,  /* the event id, */
    TC_RT_ORDER_ALL,    /* the device */
    TC_RT_ORDER_ALLOC,  /* the memory at id is the stream's from here on, */
    TC_RT_ORDER_FREE    /* and up to here */
} tc_rt_ordering;

typedef struct tc_rt_order {
    uint32_t what; /* tc_rt_ordering */
    uint32_t stream;
    uint64_t id;
} tc_rt_order;

enum { TC_RT_FLIGHTS = 256 };

typedef struct tc_rt_flight {
    uint64_t address, bytes, write;
} tc_rt_flight;

/* As a call's stream: it is nothing that the program has asked for. */
#define TC_RT_ASIDE UINT32_MAX

/* An operation of cuBLAS. Matrices are columns one after the other. */
enum {             /* what */
       TC_RT_GEMM, /* x[2] = alpha x[0] x[1] + beta x[2]: m x k, k x n */
       TC_RT_GEMV, /* the same; x[0] is m x n, the others are vectors */
       TC_RT_GER,  /* x[2], m x n, += alpha x[0] x[1] */
       TC_RT_AXPY, /* x[1] += alpha x[0]; from here on vectors of n */
       TC_RT_DOT,
       TC_RT_NRM2,
       TC_RT_ASUM,
       TC_RT_SCAL,
       TC_RT_COPY,
       TC_RT_SWAP,
       TC_RT_IAMAX,
       TC_RT_BLAS_COUNT
};
enum { /* type */
       TC_RT_BLAS_F32,
       TC_RT_BLAS_F64,
       TC_RT_BLAS_F16, /* from here on of GEMM alone */
       TC_RT_BLAS_BF16,
       TC_RT_BLAS_S8,
       TC_RT_BLAS_S32,
       TC_RT_BLAS_TYPES
};

typedef struct tc_rt_blas_operand {
    uint64_t address;
    int64_t stride; /* elements to the next one of a batch */
    uint32_t type, transposed;
    int32_t step; /* leading dimension, or a vector's increment */
    uint32_t pad;
} tc_rt_blas_operand;

typedef struct tc_rt_blas {
    uint32_t what, batch; /* GEMM: how many; else 1 */
    int64_t m, n, k;
    tc_rt_blas_operand x[3];
    double alpha, beta;
    double result;       /* out: DOT, NRM2, ASUM */
    int64_t index;       /* out: IAMAX, from 1; 0: of nothing */
    uint32_t wrong, pad; /* out: bit i: x[i] is not within memory */
} tc_rt_blas;

/* Misuse on the host side, as the stub sees it (host_findings.def). */
typedef enum tc_rt_misuse {
    TC_RT_NOTE_DOUBLE_FREE,  /* host-double-free */
    TC_RT_NOTE_DEREF,        /* host-deref: the host reads or writes a device
                                address; the program then dies of SIGSEGV */
    TC_RT_NOTE_MISSING_SYNC, /* host-missing-sync: managed memory touched while
                                a kernel may still run */
    TC_RT_NOTE_UNCHECKED, /* host-unchecked: an error that nobody looked at */
    TC_RT_NOTE_UNBUILT,   /* no finding: a call that this runtime lacks */
    TC_RT_NOTE_FAILED,    /* host-failed: a call with wrong arguments, whose
                             error nobody looked at; the text says why */
    TC_RT_NOTE_DIRECTION  /* host-direction: a copy whose kind names the host
                             for memory of the device; the text says which */
} tc_rt_misuse;

typedef struct tc_rt_note {
    uint32_t misuse; /* tc_rt_misuse */
    uint32_t write;  /* DEREF, MISSING_SYNC: it wrote; FAILED: somebody has
                        looked at the error, and the reason is news */
    uint64_t address;
    int64_t error; /* UNCHECKED, FAILED: the cudaError_t; MISSING_SYNC: 1 where
                      the host's access is atomic */
} tc_rt_note;

enum { TC_RT_VALUES = 16 };

typedef struct tc_rt_bye {
    int32_t unchecked; /* an error of a launch that nobody asked for, or 0 */
    uint32_t pad;
    uint64_t where; /* of that launch */
} tc_rt_bye;

#endif
