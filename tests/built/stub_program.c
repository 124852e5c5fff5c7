/* stub_program.c - a CUDA program as a compiler would leave it, in C: kernels
 * and variables are registered by hand. test_stub.c builds it, links it with
 * the stub, and runs it: stub_program SCENARIO, before the parent of
 * stub_parent.h. Status 0: all was as CUDA has it. */
#include "runtime/stub/api.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(what)                                                           \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);                 \
            return 1;                                                          \
        }                                                                      \
    } while (0)
#define OK(call)        EXPECT((call) == cudaSuccess)
#define FAILS(call, as) EXPECT((call) == (as))

/* --- what the compiler makes --------------------------------------------- */

static void twice_host(void) {
}
static char table_host, *shared_host, *beside_host; /* int *shared */
static void **module;

static const void *twice(void) {
    const void *p;
    void (*f)(void) = twice_host;
    memcpy(&p, &f, sizeof p);
    return p;
}

__attribute__((constructor)) static void register_all(void) {
    module = __cudaRegisterFatBinary(NULL);
    __cudaRegisterFunction(module, twice(), NULL, "twice", -1, NULL, NULL, NULL,
                           NULL, NULL);
    __cudaRegisterVar(module, &table_host, NULL, "table", 0, 64, 0, 0);
    __cudaRegisterManagedVar(module, (void **)&shared_host, NULL, "shared", 0,
                             16, 0, 0);
    __cudaRegisterManagedVar(module, (void **)&beside_host, NULL, "beside", 0,
                             16, 0, 0);
}

/* twice<<<1, block, 0, s>>>(p, n) */
static void launch(int *p, int n, unsigned block, cudaStream_t s) {
    static cudaKernel_t handle;
    void *args[] = {&p, &n};
    dim3 g = {1, 1, 1}, b = {block, 1, 1};
    size_t bytes;
    __cudaGetKernel(&handle, twice());
    if (__cudaPushCallConfiguration(g, b, 0, s) == 0 &&
        __cudaPopCallConfiguration(&g, &b, &bytes, &s) == cudaSuccess) {
        (void)__cudaLaunchKernel(handle, g, b, args, bytes, s);
    }
}

/* The same as nvcc 12 makes it. */
static void launch_old(int *p, int n, unsigned block) {
    void *args[] = {&p, &n};
    dim3 g = {1, 1, 1}, b = {block, 1, 1};
    size_t bytes;
    cudaStream_t s;
    if (__cudaPushCallConfiguration(g, b, 0, NULL) == 0 &&
        __cudaPopCallConfiguration(&g, &b, &bytes, &s) == cudaSuccess) {
        (void)cudaLaunchKernel(twice(), g, b, args, bytes, s);
    }
}

/* --- scenarios ----------------------------------------------------------- */

static int nothing(void) {
    return 3;
}

static int errors(void) {
    EXPECT(strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
    EXPECT(strcmp(cudaGetErrorString(1), "invalid argument") == 0);
    EXPECT(strcmp(cudaGetErrorString(12345), "unrecognized error code") == 0);
    FAILS(cudaGetLastError(), cudaSuccess);
    FAILS(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidValue);
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    FAILS(cudaGetLastError(), cudaSuccess);
    FAILS(cudaSetDevice(1), cudaErrorInvalidDevice);
    FAILS(cudaLaunchKernel("no kernel", (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL,
                           0, NULL),
          cudaErrorInvalidDeviceFunction);
    FAILS(cudaLaunchKernel(twice(), (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                           NULL),
          cudaErrorInvalidValue);
    FAILS(cudaStreamSynchronize((cudaStream_t)(void *)&table_host),
          cudaErrorInvalidResourceHandle);
    void *p;
    FAILS(cudaMalloc(&p, (size_t)1 << 40), cudaErrorMemoryAllocation);
    FAILS(cudaFree(&p), cudaErrorInvalidValue);
    OK(cudaFree(NULL));
    return 0;
}

enum { BIG = (3 << 20) + 5 };

static int memory(void) {
    char *a = malloc(BIG), *b = calloc(1, BIG), *d, *e;
    for (int i = 0; i < BIG; i++) {
        a[i] = (char)(i * 7 + i / 251);
    }
    OK(cudaMalloc((void **)&d, BIG));
    OK(cudaMalloc((void **)&e, BIG));
    OK(cudaMemcpy(d, a, BIG, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(e, d, BIG, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(b, e, BIG, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(a, b, BIG) == 0);
    OK(cudaMemcpy(d + 100, a, 50, cudaMemcpyDefault));
    OK(cudaMemcpy(b, d + 90, 70, cudaMemcpyDefault));
    EXPECT(memcmp(b + 10, a, 50) == 0 && memcmp(b, a + 90, 10) == 0);
    OK(cudaMemset(d + 1, 0x1ab, 3));
    OK(cudaMemcpy(b, d, 5, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(b + 1, "\xab\xab\xab", 3) == 0 && b[0] == a[0] &&
           b[4] == a[4]);
    OK(cudaMemcpy(b, a, 9, cudaMemcpyHostToHost));
    EXPECT(memcmp(b, a, 9) == 0);

    FAILS(cudaMemcpy(d, a, BIG + 1, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d + BIG - 4, a, 5, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, a, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(b, a, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(b, d, 4, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, NULL, 4, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    FAILS(cudaMemcpy(d, a, 4, (enum cudaMemcpyKind)5),
          cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemset(a, 0, 4), cudaErrorInvalidValue);
    OK(cudaMemcpy(d, a, 0, cudaMemcpyHostToDevice));

    struct cudaPointerAttributes t;
    OK(cudaPointerGetAttributes(&t, d + 5));
    EXPECT(t.type == cudaMemoryTypeDevice && t.devicePointer == d + 5 &&
           t.device == 0);
    OK(cudaPointerGetAttributes(&t, a));
    EXPECT(t.type == cudaMemoryTypeUnregistered && t.hostPointer == a);
    size_t all, left;
    OK(cudaMemGetInfo(&left, &all));
    EXPECT(left <= all - 2 * BIG);
    OK(cudaFree(d));
    FAILS(cudaMemcpy(b, d, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    FAILS(cudaFree(e + 1), cudaErrorInvalidValue);
    OK(cudaFreeAsync(e, NULL));
    OK(cudaMalloc((void **)&d, 0));
    EXPECT(d == NULL);
    return 0;
}

static int boxes(void) {
    enum { W = 300, H = 5, D = 3, SP = 400 };
    char from[SP * H * D], to[W * H], *d;
    size_t pitch;
    for (int i = 0; i < (int)sizeof from; i++) {
        from[i] = (char)(i * 11 + i / 127);
    }
    OK(cudaMallocPitch((void **)&d, &pitch, W, H * D));
    EXPECT(pitch == 512);
    OK(cudaMemset2D(d, pitch, 0x55, W, H * D));
    OK(cudaMemcpy2D(d, pitch, from, SP, W, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(to, W, d, pitch, W, H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++) {
        EXPECT(memcmp(to + y * W, from + y * SP, W) == 0);
    }
    FAILS(cudaMemcpy2D(d, pitch, from, W - 1, W, H, cudaMemcpyHostToDevice),
          cudaErrorInvalidPitchValue);
    FAILS(
        cudaMemcpy2D(d, pitch, from, SP, W, H * D + 1, cudaMemcpyHostToDevice),
        cudaErrorInvalidValue);

    struct cudaMemcpy3DParms p = {.srcPtr = {from, SP, SP, H},
                                  .srcPos = {7, 1, 0},
                                  .dstPtr = {d, pitch, W, H},
                                  .dstPos = {3, 0, 1},
                                  .extent = {20, 4, 2},
                                  .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&p));
    for (int z = 0; z < 2; z++) {
        char row[22];
        for (int y = 0; y < 4; y++) {
            OK(cudaMemcpy(row, d + (size_t)((z + 1) * H + y) * pitch + 2, 22,
                          cudaMemcpyDeviceToHost));
            EXPECT(row[0] == 0x55 && row[21] == 0x55);
            EXPECT(memcmp(row + 1, from + (z * H + y + 1) * SP + 7, 20) == 0);
        }
    }
    p.extent.width = SP;
    FAILS(cudaMemcpy3D(&p), cudaErrorInvalidPitchValue);
    return 0;
}

static int symbols(void) {
    int in[16], out[16];
    void *at;
    size_t bytes;
    for (int i = 0; i < 16; i++) {
        in[i] = i * i;
    }
    OK(cudaMemcpyToSymbol(&table_host, in, 64, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(out, &table_host, 60, 4, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(out, in + 1, 60) == 0);
    OK(cudaGetSymbolAddress(&at, &table_host));
    OK(cudaMemcpy(out, (char *)at + 12, 4, cudaMemcpyDeviceToHost));
    EXPECT(out[0] == 9);
    OK(cudaGetSymbolSize(&bytes, &table_host));
    EXPECT(bytes == 64);
    FAILS(cudaMemcpyToSymbol(&table_host, in, 64, 1, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    FAILS(cudaMemcpyToSymbol(&table_host, in, 4, 0, cudaMemcpyDeviceToHost),
          cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemcpyToSymbol(in, in, 4, 0, cudaMemcpyHostToDevice),
          cudaErrorInvalidSymbol);
    EXPECT(__cudaInitModule(module) == 1);
    EXPECT(shared_host != NULL);
    shared_host[0] = 3;
    OK(cudaMemcpy(out, shared_host, 1, cudaMemcpyDeviceToHost));
    EXPECT(*(char *)out == 3);
    EXPECT(beside_host == shared_host + 16 && beside_host[0] == 0);
    beside_host[0] = 4;
    OK(cudaMemcpy(out, beside_host, 1, cudaMemcpyDeviceToHost));
    EXPECT(*(char *)out == 4 && shared_host[0] == 3);
    return 0;
}

/* Where the device has the managed variables the program has something. */
static int no_place(void) {
    const uintptr_t first = 0x200000000000; /* TC_RT_DEVICE_BASE */
    OK(cudaSetDevice(0));
    void *at = mmap((void *)first, 4096, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    EXPECT((uintptr_t)at == first);
    EXPECT(__cudaInitModule(module) == 0);
    FAILS(cudaGetLastError(), cudaErrorNotSupported);
    EXPECT(shared_host == NULL || beside_host == NULL);
    return 0;
}

static int *some(int n) {
    int *p = NULL, words[64];
    for (int i = 0; i < n; i++) {
        words[i] = i;
    }
    cudaMalloc((void **)&p, (size_t)n * 4);
    cudaMemcpy(p, words, (size_t)n * 4, cudaMemcpyHostToDevice);
    return p;
}

static int launches(void) {
    int *p = some(8), got[8], n = 8;
    printf("first\n");
    launch(p, 8, 32, NULL);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    printf("second\n");
    void *args[] = {&p, &n};
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension};
    a.val.clusterDim.x = 2, a.val.clusterDim.y = a.val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {.gridDim = {4, 1, 1},
                            .blockDim = {32, 2, 1},
                            .dynamicSmemBytes = 1000,
                            .attrs = &a,
                            .numAttrs = 1};
    OK(cudaLaunchKernelExC(&c, twice(), args));
    OK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[7] == 28);
    printf("third\n");
    launch_old(p, 1, 32);
    OK(cudaGetLastError());
    FAILS(
        cudaLaunchKernel(twice(), c.gridDim, (dim3){2000, 1, 1}, args, 0, NULL),
        cudaErrorInvalidConfiguration); /* it is told: seen */
    return 0;
}

/* Three launches that cannot be: one is seen, two are not. */
static int unchecked(void) {
    launch(NULL, 0, 2000, NULL);
    FAILS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    launch_old(NULL, 0, 2000);
    launch(NULL, 0, 2000, NULL);
    OK(cudaDeviceSynchronize());
    return 0;
}

static int managed(void) {
    int *m, *other;
    cudaStream_t s, t;
    cudaEvent_t e;
    OK(cudaMallocManaged((void **)&m, 10000, 1));
    OK(cudaMallocManaged((void **)&other, 64, 1));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    m[0] = 21;
    launch(m, 1, 32, NULL);
    other[0] = 1;       /* the kernel has nothing to do with it */
    EXPECT(m[0] == 42); /* note 0: a read */
    EXPECT(m[10] == 0); /* not again */
    launch(m, 1, 32, s);
    m[1] = 5; /* note 1: a write */
    launch(m, 1, 32, s);
    OK(cudaStreamSynchronize(t));
    EXPECT(m[0] == 168); /* note 2: that was another stream */
    launch(m, 1, 32, s);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(cudaStreamSynchronize(t));
    EXPECT(m[0] == 336);
    launch(m, 1, 32, s);
    OK(cudaEventRecord(e, s));
    OK(cudaEventSynchronize(e));
    EXPECT(m[0] == 672);
    launch(m, 1, 32, s);
    while (cudaStreamQuery(s) != cudaSuccess) {
    }
    EXPECT(m[0] == 1344);
    launch(m, 1, 32, NULL);
    int got;
    OK(cudaMemcpy(&got, m, 4, cudaMemcpyDeviceToHost));
    EXPECT(got == 2688 && m[0] == 2688);
    OK(cudaFree(m));
    return 0;
}

#include "stub_signals.h"

static int double_free(void) {
    int *d = some(4), *e;
    OK(cudaFree(d));
    FAILS(cudaFree(d), cudaErrorInvalidValue);
    OK(cudaHostAlloc((void **)&e, 64, 0));
    e[3] = 4;
    FAILS(cudaFree(e), cudaErrorInvalidValue);
    OK(cudaFreeHost(e));
    FAILS(cudaFreeHost(e), cudaErrorInvalidValue);
    return 0;
}

static int forks(void) {
    int *d = some(4), got = 0, status;
    pid_t pid = fork();
    if (pid == 0) {
        void *p;
        exit(cudaMalloc(&p, 4) == cudaErrorNoDevice ? 0 : 1);
    }
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
    OK(cudaMemcpy(&got, d + 3, 4, cudaMemcpyDeviceToHost));
    EXPECT(got == 3);
    return 0;
}

static int no_parent(void) {
    void *p;
    int count = 7;
    FAILS(cudaMalloc(&p, 4), cudaErrorNoDevice);
    FAILS(cudaDeviceSynchronize(), cudaErrorNoDevice);
    FAILS(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    EXPECT(count == 0);
    return 0;
}

static int gone(void) {
    void *p;
    FAILS(cudaMalloc(&p, 4), cudaErrorDevicesUnavailable);
    FAILS(cudaMalloc(&p, 4), cudaErrorDevicesUnavailable);
    return 0;
}

static void *worker(void *user) {
    int *ok = user;
    for (int i = 0; i < 50; i++) {
        int *d, in = i + 1000 * *ok, out = 0;
        bool good =
            cudaMalloc((void **)&d, 4) == cudaSuccess &&
            cudaMemcpy(d, &in, 4, cudaMemcpyHostToDevice) == cudaSuccess &&
            cudaMemcpy(&out, d, 4, cudaMemcpyDeviceToHost) == cudaSuccess &&
            cudaFree(d) == cudaSuccess && in == out &&
            cudaGetLastError() == cudaSuccess;
        if (!good) {
            *ok = 0;
            return NULL;
        }
    }
    return NULL;
}

static int threads(void) {
    pthread_t t[4];
    int ok[4] = {1, 2, 3, 4};
    FAILS(cudaSetDevice(3), cudaErrorInvalidDevice);
    for (int i = 0; i < 4; i++) {
        EXPECT(pthread_create(&t[i], NULL, worker, &ok[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
    }
    EXPECT(ok[0] && ok[1] && ok[2] && ok[3]);
    FAILS(cudaGetLastError(), cudaErrorInvalidDevice);
    return 0;
}

/* A fault shows at the next call that waits, and stays. */
static int sticky(void) {
    int *d = some(4), got;
    launch(NULL, 1, 32, NULL);
    OK(cudaGetLastError());
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    FAILS(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost),
          cudaErrorIllegalAddress);
    FAILS(cudaMalloc((void **)&d, 4), cudaErrorIllegalAddress);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    int n = 5;
    struct cudaDeviceProp p;
    OK(cudaGetDevice(&n));
    EXPECT(n == 0);
    OK(cudaSetDevice(0));
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    FAILS(cudaMalloc((void **)&d, 4), cudaErrorDevicesUnavailable);
    FAILS(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
    return 0;
}

/* The host's side is no memory: as with memcpy, a signal. */
static int bad_pointer(void) {
    int *d = some(4);
    cudaMemcpy(d, (void *)16, 16, cudaMemcpyHostToDevice);
    return 0;
}

static void count(void *user) {
    ++*(int *)user;
}

static int events(void) {
    cudaEvent_t a, b, c;
    cudaStream_t s;
    float ms = -1;
    int called = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    FAILS(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, s));
    launch(some(4), 1, 32, s);
    OK(cudaEventRecord(b, s));
    FAILS(cudaEventElapsedTime(&ms, a, b), cudaErrorNotReady);
    FAILS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    EXPECT(ms == 1.5f); /* the parent's clock */
    OK(cudaEventRecord(c, s));
    FAILS(cudaEventElapsedTime(&ms, a, c), cudaErrorInvalidResourceHandle);
    OK(cudaLaunchHostFunc(s, count, &called));
    EXPECT(called == 1);
    OK(cudaEventDestroy(a));
    FAILS(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(s));
    FAILS(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    return 0;
}

static int facts(void) {
    struct cudaDeviceProp p;
    struct cudaFuncAttributes f;
    int value, n;
    OK(cudaGetDeviceProperties(&p, 0));
    EXPECT(strcmp(p.name, "a device of the tests") == 0);
    EXPECT(p.major == 9 && p.minor == 0 && p.multiProcessorCount == 10);
    EXPECT(p.sharedMemPerBlockOptin == 232448 && p.warpSize == 32);
    FAILS(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                              0));
    EXPECT(value == 232448);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    EXPECT(value == 1980000);
    FAILS(cudaDeviceGetAttribute(&value, 9999, 0), cudaErrorInvalidValue);
    OK(cudaFuncGetAttributes(&f, twice()));
    EXPECT(f.numRegs == 20 && f.sharedSizeBytes == 256 &&
           f.maxDynamicSharedSizeBytes == 49152 - 256);
    OK(cudaFuncSetAttribute(
        twice(), cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    OK(cudaFuncGetAttributes(&f, twice()));
    EXPECT(f.maxDynamicSharedSizeBytes == 100000);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, twice(), 256, 0));
    EXPECT(n == 8);
    cudaLaunchConfig_t c = {.gridDim = {64, 1, 1}, .blockDim = {128, 1, 1}};
    OK(cudaOccupancyMaxPotentialClusterSize(&n, twice(), &c));
    EXPECT(n == 4);
    return 0;
}

typedef int (*encode_fn)(void *, int, uint32_t, void *, const uint64_t *,
                         const uint64_t *, const uint32_t *, const uint32_t *,
                         int, int, int, int);

static int tensor(void) {
    _Alignas(64) char map[128];
    uint64_t dims[2] = {64, 64}, strides[1] = {256};
    uint32_t box[2] = {32, 8}, steps[2] = {1, 1};
    enum cudaDriverEntryPointQueryResult found;
    int *d = some(4);
    encode_fn encode;
    void *p;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, 0,
                                        &found));
    EXPECT(found == 0 && p != NULL);
    memcpy(&encode, &p, sizeof p);
    EXPECT(encode(map, 7, 2, d, dims, strides, box, steps, 0, 0, 0, 0) == 0);
    EXPECT(memcmp(map + 64, &d, 8) == 0);
    EXPECT(encode(map + 8, 7, 2, d, dims, strides, box, steps, 0, 0, 0, 0) ==
           1);
    OK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &p, 12000, 0, &found));
    EXPECT(found == 1 && p == NULL);
    return 0;
}

static int unbuilt(void) {
    cudaStream_t s;
    void *p;
    FAILS(cudaStreamBeginCapture(NULL, 0), cudaErrorStreamCaptureUnsupported);
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, 0));
    FAILS(cudaMallocAsync(&p, 4, s), cudaErrorNotSupported);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} scenarios[] = {
    {"nothing", nothing},
    {"errors", errors},
    {"memory", memory},
    {"boxes", boxes},
    {"symbols", symbols},
    {"launches", launches},
    {"unchecked", unchecked},
    {"managed", managed},
    {"handler", handler},
    {"deref", deref},
    {"raises", raises},
    {"raises_ignored", raises_ignored},
    {"own_handlers", own_handlers},
    {"once_handler", once_handler},
    {"passes_on", passes_on},
    {"double_free", double_free},
    {"forks", forks},
    {"no_parent", no_parent},
    {"gone", gone},
    {"threads", threads},
    {"sticky", sticky},
    {"no_place", no_place},
    {"bad_pointer", bad_pointer},
    {"events", events},
    {"facts", facts},
    {"tensor", tensor},
    {"unbuilt", unbuilt},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (argc == 2 && strcmp(argv[1], scenarios[i].name) == 0) {
            return scenarios[i].run();
        }
    }
    return 99;
}
