/* wire.h - what is said between this program and its device process (host.h):
 * an ask and the bytes behind it, then one answer. Both ends are the same
 * executable, so that a struct is its own format. What goes to and from the
 * GPU's memory lies in pages that both have. */
#ifndef TC_GPU_WIRE_H
#define TC_GPU_WIRE_H

#include "gpu/gpu.h"

enum {
    TC_GPU_SOCKET = 3, /* the device process's descriptors */
    TC_GPU_STAGING_FD = 4,
    TC_GPU_STAGING = 4 << 20, /* bytes of the pages that both have */
    TC_GPU_LOG = 4096, /* of them, for what the driver says of a module */
    TC_GPU_VALUES = 7  /* facts of a kernel: TC_CU_F_* */
};

#define TC_GPU_HELLO    "tilecopy-gpu"  /* the first that it says */
#define TC_GPU_ARGUMENT "--gpu-process" /* of the program, as that process */
#define TC_GPU_RELAY    "--gpu-relay"   /* the same, of a GPU elsewhere */
#define TC_GPU_WORKER   "--gpu-worker"  /* of the program there */
#define TC_GPU_ENV      "TILECOPY_GPU_PROCESS" /* set in it */

/* X(name): what a, b and c are; the bytes behind; what the answer has. */
#define TC_GPU_CALLS(X)                                                        \
    X(ENTER)     /* -> info */                                                 \
    X(LEAVE)     /* all that was made goes, and the context */                 \
    X(ATTRIBUTE) /* a: which -> a */                                           \
    X(MEMORY)    /* -> a: free, b: all */                                      \
    X(LOAD)      /* the image; -> the driver's log, in the staging */          \
    X(UNLOAD)                                                                  \
    X(SYMBOL)   /* its name -> a: address, b: bytes */                         \
    X(FUNCTION) /* its name -> values */                                       \
    X(ALLOC)    /* a: bytes -> a: address */                                   \
    X(FREE)     /* a: address */                                               \
    X(PUT)      /* a: address, b: bytes, in the staging */                     \
    X(GET)      /* a: address, b: bytes -> in the staging */                   \
    X(FILL)     /* a: address, b: bytes, c: value */                           \
    X(MOVE)     /* a: to, b: from, c: bytes */                                 \
    X(MAP)      /* map; a: address -> map */                                   \
    X(LAUNCH) /* shape; a: parameters, b: bytes of their block; offsets,    \
                    block, name */  \
    X(OCCUPANCY) /* shape; name -> a */                                        \
    X(RANGE)     /* a: the address wanted, b: bytes -> a, b */                 \
    X(USE)       /* a: address, b: bytes, in the range */                      \
    X(DROP)      /* the same */

typedef enum tc_gpu_call {
#define X(name) TC_GPU_##name,
    TC_GPU_CALLS(X)
#undef X
        TC_GPU_CALL_COUNT
} tc_gpu_call;

typedef struct tc_gpu_request {
    tc_gpu_call call;
    uint64_t a, b, c;
    uint64_t bytes; /* behind it */
    tc_gpu_shape shape;
    tc_gpu_map map;
} tc_gpu_request;

typedef struct tc_gpu_answer {
    int result; /* CUDA's error; why has a sentence */
    bool waits; /* no answer yet: why says for what, and another one follows */
    bool fault; /* after which the process gets no more from the driver */
    double ms;  /* of copies, and of a kernel */
    uint64_t a, b;
    uint64_t printed; /* bytes that kernels have, on its standard output */
    tc_gpu_device info;
    int values[TC_GPU_VALUES];
    uint8_t map[TC_GPU_MAP_BYTES];
    char why[640];
} tc_gpu_answer;

#endif
