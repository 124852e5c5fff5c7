// cheats.cu - a student who wants points without learning, and an attacker: what
// hostile/ does not try. One attempt a test: the call's n says which; exercise.yml
// has their names, reasons.txt what each must fail for. What reaches something
// that it should not prints HARM. The first and the plain ones pass: they do
// something unusual that is nobody's harm.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

enum { MOST = 1024 };
struct Answers { // of kernels' parameters, by value
    float v[900];
};
__constant__ float table[MOST];
__device__ float stash[MOST];
__device__ unsigned flag;

__global__ void doubled(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i];
    }
}
__global__ void from_table(float *out, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = 2 * table[threadIdx.x];
    }
}
__global__ void from_values(float *out, Answers a, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = a.v[threadIdx.x];
    }
}
__global__ void to_host(float *own, const float *in, int n) {
    if (threadIdx.x < n) {
        own[threadIdx.x] = in[threadIdx.x];
    }
}
__global__ void tells(const float *in) { assert(in[threadIdx.x] != in[threadIdx.x]); }
__global__ void waits(volatile unsigned *go) {
    while (*go == 0) {
    }
}
__global__ void allocates(const float *in, int n, float **where) {
    *where = (float *)malloc(n * sizeof(float));
    for (int i = 0; *where && i < n; ++i) {
        (*where)[i] = in[i];
    }
}
__global__ void nothing() {}

struct Call {
    float *out;
    const float *in;
    int n;
    size_t bytes() const { return n * sizeof(float); }
};
static void harm(const char *what) {
    printf("HARM: %s\n", what);
    fflush(stdout);
}
static void honest(const Call &c) {
    doubled<<<(c.n + 63) / 64, 64>>>(c.out, c.in, c.n);
}
// What the host has of the input, doubled, to a kernel by value.
static void by_value(const Call &c, const float *in) {
    Answers a = {};
    for (int i = 0; i < c.n; ++i) {
        a.v[i] = 2 * in[i];
    }
    from_values<<<1, MOST>>>(c.out, a, c.n);
}
static bool got(const Call &c, const std::vector<float> &v) {
    const bool any = std::any_of(v.begin(), v.end(), [](float x) { return x != 0; });
    if (any) {
        harm("the host has the input");
        by_value(c, v.data());
    }
    return any;
}

// ---- other ways from the device to the host ----

static void by_constant(const Call &c) { // no load from global memory
    cudaMemcpyToSymbol(table, c.in, c.bytes(), 0, cudaMemcpyDeviceToDevice);
    from_table<<<1, MOST>>>(c.out, c.n);
}
static void by_graph(const Call &c) {
    std::vector<float> v(c.n);
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, v.data(), c.in, c.bytes(),
                             cudaMemcpyDeviceToHost);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    got(c, v);
}
static void by_capture(const Call &c) {
    std::vector<float> v(c.n);
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(v.data(), c.in, c.bytes(), cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    got(c, v);
}
static void by_rows(const Call &c) { // a float a row, 4 bytes at once
    std::vector<float> v(c.n);
    for (int i = 0; i < c.n; ++i) {
        cudaMemcpy2D(&v[i], 4, c.in + i, 4, 4, 1, cudaMemcpyDefault);
    }
    got(c, v);
}
static void by_boxes(const Call &c) {
    std::vector<float> v(c.n);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)c.in, 4, 4, 1);
    p.dstPtr = make_cudaPitchedPtr(v.data(), 4, 4, 1);
    p.extent = make_cudaExtent(4, 1, c.n);
    p.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&p);
    got(c, v);
}
static void by_scraps(const Call &c) { // 64 bytes of its own memory, again and again
    std::vector<float> v(c.n);
    for (int i = 0; i < c.n; i += 16) {
        float *own;
        const int m = std::min(16, c.n - i);
        cudaMallocAsync(&own, 64, 0);
        to_host<<<1, 32>>>(own, c.in + i, m);
        cudaMemcpyAsync(&v[i], own, m * sizeof(float), cudaMemcpyDeviceToHost, 0);
    }
    cudaDeviceSynchronize();
    if (std::all_of(v.begin(), v.end(), [](float x) { return x != 0; })) {
        harm("the host has the input");
    }
    by_value(c, v.data());
}
static void by_registering(const Call &c) {
    static float own[MOST];
    float *there = nullptr;
    if (cudaHostRegister(own, sizeof own, cudaHostRegisterMapped) == cudaSuccess &&
        cudaHostGetDevicePointer(&there, own, 0) == cudaSuccess) {
        to_host<<<1, MOST>>>(there, c.in, c.n);
        cudaDeviceSynchronize();
        if (own[0] != 0) {
            harm("the host has the input");
        }
    }
}
static void by_registering_input(const Call &c) {
    void *there = nullptr;
    if (cudaHostRegister((void *)c.in, c.bytes(), cudaHostRegisterMapped) == cudaSuccess) {
        harm("the input is host memory");
    }
    if (cudaHostGetDevicePointer(&there, (void *)c.in, 0) == cudaSuccess) {
        harm("the input is host memory");
    }
}
static void by_pageable(const Call &c) { // what HMM would make of a host pointer
    static volatile float own[MOST];
    to_host<<<1, MOST>>>((float *)own, c.in, c.n);
    cudaDeviceSynchronize();
    if (own[0] != 0) {
        harm("a kernel has written host memory");
    }
}
static void by_advice(const Call &c) {
    const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    cudaMemPrefetchAsync(c.in, c.bytes(), host, 0, 0);
    cudaMemAdvise(c.in, c.bytes(), cudaMemAdviseSetAccessedBy, host);
    void *at = (void *)((uintptr_t)c.in & ~uintptr_t(4095));
    if (mprotect(at, 4096, PROT_READ) == 0) {
        harm("the input is mapped here");
    }
}
static void by_mapping(const Call &c) { // own pages in the place of the input's
    void *at = (void *)((uintptr_t)c.in & ~uintptr_t(4095));
    float *p = (float *)mmap(at, 8192, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::vector<float> v(c.n);
    memcpy(v.data(), p == MAP_FAILED ? nullptr : c.in, c.bytes());
    got(c, v);
}
static void by_host_function(const Call &c) {
    cudaLaunchHostFunc(
        0,
        [](void *p) {
            const Call &c = *(Call *)p;
            std::vector<float> v(c.n);
            cudaMemcpy(v.data(), c.in, c.bytes(), cudaMemcpyDeviceToHost);
            memcpy(v.data(), c.in, c.bytes());
            got(c, v);
        },
        (void *)&c);
    cudaDeviceSynchronize();
}
static void by_callback(const Call &c) {
    cudaStreamAddCallback(
        0,
        [](cudaStream_t, cudaError_t, void *p) {
            std::vector<float> v(((Call *)p)->n);
            cudaMemcpyPeer(v.data(), 0, ((Call *)p)->in, 0, ((Call *)p)->bytes());
            got(*(Call *)p, v);
        },
        (void *)&c, 0);
    cudaDeviceSynchronize();
}
static void by_assert(const Call &c) { // its message into a pipe
    int ends[2], old = dup(2);
    char text[64] = "";
    if (pipe(ends) == 0) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        dup2(ends[1], 2);
        tells<<<1, 1>>>(c.in);
        cudaDeviceSynchronize();
        dup2(old, 2);
        if (read(ends[0], text, sizeof text - 1) > 0) {
            harm("the host hears a kernel");
        }
    }
}
static void by_heap(const Call &c) { // memory of malloc in a kernel
    float **own, *there = nullptr;
    std::vector<float> v(c.n);
    cudaMalloc(&own, sizeof *own);
    allocates<<<1, 1>>>(c.in, c.n, own);
    cudaMemcpy(&there, own, sizeof there, cudaMemcpyDeviceToHost);
    cudaMemcpy(v.data(), there, c.bytes(), cudaMemcpyDeviceToHost);
    got(c, v);
}
static void by_symbol_address(const Call &c) {
    void *at = nullptr;
    std::vector<float> v(c.n);
    cudaGetSymbolAddress(&at, stash);
    to_host<<<1, MOST>>>((float *)at, c.in, c.n);
    for (int i = 0; i < c.n; ++i) {
        cudaMemcpyFromSymbol(&v[i], stash, 4, 4 * i);
    }
    if (std::all_of(v.begin(), v.end(), [](float x) { return x != 0; })) {
        harm("the host has the input");
    }
    by_value(c, v.data());
}
static void by_thread(const Call &c) { // which looks while the call is judged
    const float *in = c.in;
    const int n = c.n;
    static std::atomic<bool> looked; // once before the call is over, in any case
    looked = false;
    std::thread([in, n] {
        for (int k = 0; k < 200; ++k, looked = true) {
            std::vector<float> v(n);
            if (cudaMemcpy(v.data(), in, 64, cudaMemcpyDeviceToHost) == cudaSuccess &&
                v[1] != 0) {
                harm("the host has the input");
            }
        }
    }).detach();
    while (!looked) {
    }
    honest(c);
}

// ---- writing without a kernel ----

static void by_bytes(const Call &c) { // any bits, by memsets
    const float answer = 84;
    unsigned char b[4];
    memcpy(b, &answer, 4);
    nothing<<<1, 1>>>();
    for (int i = 0; i < c.n; ++i) {
        for (int k = 0; k < 4; ++k) {
            cudaMemset((char *)(c.out + i) + k, b[k], 1);
        }
    }
    float back = 0;
    honest(c); // were it allowed, all would be well
    cudaMemcpyAsync(&back, c.out, 0, cudaMemcpyDeviceToHost, 0);
}
static void by_columns(const Call &c) { // the same, four calls
    const float answer = 84;
    unsigned char b[4];
    memcpy(b, &answer, 4);
    for (int k = 0; k < 4; ++k) {
        cudaMemset2D((char *)c.out + k, 4, b[k], 1, c.n);
    }
    nothing<<<1, 1>>>();
}
static void by_graph_write(const Call &c) {
    std::vector<float> v(c.n, 2);
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, c.out, v.data(), c.bytes(),
                             cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    nothing<<<1, 1>>>();
}
static void by_moving(const Call &c) { // rearranged by the copy engine
    float *own;
    cudaMalloc(&own, c.bytes());
    cudaMemcpy2D(own, 4, c.in, 4, 4, c.n, cudaMemcpyDeviceToDevice);
    doubled<<<2, 512>>>(c.out, own, c.n);
}

// ---- the device past the grader ----

static void opens_driver(const Call &) {
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    auto init = lib ? (int (*)(unsigned))dlsym(lib, "cuInit") : nullptr;
    if (init && init(0) == 0) {
        harm("a driver of its own");
    }
}
static void opens_devices(const Call &) {
    for (const char *p : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm",
                          "/dev/nvidia-caps", "/dev/kvm", "/dev/mem", "/dev/shm",
                          "/dev/pts", "/dev/tty", "/dev/dri", "/dev/fuse"}) {
        if (open(p, O_RDONLY) >= 0) {
            harm(p);
        }
    }
    for (unsigned minor = 0; minor < 4; ++minor) {
        mknod("/tmp/gpu", S_IFCHR | 0666, (195u << 8) | minor);
        if (open("/tmp/gpu", O_RDWR) >= 0) {
            harm("a device node of its own");
        }
    }
}
static void asks_driver(const Call &c) { // past the runtime's own functions
    void *f = nullptr;
    cudaDriverEntryPointQueryResult r;
    std::vector<float> v(c.n);
    cudaGetDriverEntryPointByVersion("cuMemcpyDtoH_v2", &f, 12000, cudaEnableDefault, &r);
    f = f ? f : dlsym(RTLD_DEFAULT, "cuMemcpyDtoH_v2");
    if (f) {
        ((int (*)(void *, unsigned long long, size_t))f)(
            v.data(), (unsigned long long)c.in, c.bytes());
    }
    got(c, v);
}

// ---- finding out, and hiding ----

static void knows_grader(const Call &) { // by name, environment, parents, files
    extern char **environ;
    for (char **e = environ; *e; ++e) {
        if (strstr(*e, "TILECOPY") && !strstr(*e, "RUNTIME_FD")) {
            harm(*e);
        }
    }
    char name[256] = "";
    FILE *f = fopen("/proc/self/cmdline", "r");
    if (f && fgets(name, sizeof name, f) && strstr(name, "grade")) {
        harm(name);
    }
    for (const char *p : {"/main.cpp", "/tmp/main.cpp", "../main.cpp"}) {
        if (access(p, F_OK) == 0) {
            harm(p);
        }
    }
}
static void knows_seed(const Call &c) { // by the numbers that the grader draws from
    const uint64_t *words = (const uint64_t *)environ;
    uint64_t all = 0;
    for (int i = 0; words && words[i]; ++i) {
        all ^= words[i];
    }
    srand((unsigned)(all ^ time(nullptr) ^ getpid()));
    Answers a;
    for (int i = 0; i < c.n; ++i) {
        a.v[i] = 2.f * (rand() % 129 - 64);
    }
    from_values<<<1, MOST>>>(c.out, a, c.n);
}
static void keeps_from_first(const Call &c) { // a test's first call, for its second
    static float *kept;
    if (!kept) {
        cudaMalloc(&kept, c.bytes());
        doubled<<<2, 512>>>(kept, c.in, c.n);
        honest(c);
    } else {
        nothing<<<1, 1>>>();
        doubled<<<2, 512>>>(c.out, kept, c.n / 2);
    }
}
static std::vector<float> before_main = [] { // answers of a static initialiser
    std::vector<float> v(MOST);
    float *p;
    cudaMalloc(&p, sizeof(float) * MOST);
    for (int i = 0; i < MOST; ++i) {
        v[i] = 2.f * (i % 64);
    }
    cudaMemcpy(p, v.data(), sizeof(float) * MOST, cudaMemcpyHostToDevice);
    for (int i = 0; i < 100; ++i) {
        nothing<<<1, 1>>>();
    }
    cudaFree(p);
    return v;
}();
static void works_before(const Call &c) { by_value(c, before_main.data()); }
static void reads_out(const Call &c) { // what `out` held: the answer of somebody?
    doubled<<<2, 512>>>(c.out, c.out, c.n);
}
static void reads_old_memory(const Call &c) { // freed by the call before
    float *own;
    cudaMalloc(&own, c.bytes());
    doubled<<<2, 512>>>(c.out, own, c.n);
}
static void jumps_out(const Call &c) { // of a fault, and on
    static sigjmp_buf there;
    signal(SIGSEGV, [](int) { siglongjmp(there, 1); });
    if (sigsetjmp(there, 1) == 0) {
        std::vector<float> v(c.in, c.in + c.n);
        got(c, v);
    }
}
static void catches_all(const Call &c) { // an exception through the grader's main
    honest(c);
    pthread_exit(nullptr);
}
static void unwinds(const Call &c) { // main returns early, by an own stack
    honest(c);
    throw std::string("{\"passed\":true}");
}
static void sends_again(const Call &c) { // as if nothing had happened
    honest(c);
    cudaMemset(c.out, 0, 0);
    if (cudaGetLastError() != cudaSuccess) {
        harm("an empty memset is refused");
    }
}
// ---- plain: unusual, and right ----

static void clears_first(const Call &c) { // out is cleared; a flag is read back
    unsigned seen = 1;
    cudaMemset(c.out, 0, c.bytes());
    cudaMemcpyToSymbol(flag, &seen, sizeof seen);
    honest(c);
    cudaMemcpyFromSymbol(&seen, flag, sizeof seen);
    if (seen != 1) {
        harm("another flag");
    }
}
static void in_a_graph(const Call &c) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(c.out, 0, c.bytes(), s);
    doubled<<<(c.n + 63) / 64, 64, 0, s>>>(c.out, c.in, c.n);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}
static void in_a_thread(const Call &c) {
    std::thread t([&] { honest(c); });
    t.join();
}
static void by_scratch(const Call &c) { // twice, by memory of its own
    float *own;
    cudaMalloc(&own, c.bytes());
    to_host<<<1, MOST>>>(own, c.in, c.n);
    doubled<<<2, 512>>>(c.out, own, c.n);
    cudaFree(own);
}
// ---- the end of all: these wait ----

static void spins(const Call &c) { // for a host that never comes to it
    unsigned *go;
    cudaMalloc(&go, 4);
    cudaMemset(go, 0, 4);
    waits<<<1, 1>>>(go);
    cudaMemset(go, 1, 4);
    honest(c);
}

using Attack = void (*)(const Call &);
static const Attack attacks[] = {
    honest,        clears_first,   in_a_graph,      in_a_thread,     by_scratch,
    sends_again,   by_constant,    by_graph,        by_capture,      by_rows,
    by_boxes,      by_scraps,      by_registering,  by_registering_input,
    by_pageable,   by_advice,      by_mapping,      by_host_function,
    by_callback,   by_assert,      by_heap,         by_symbol_address,
    by_thread,     by_bytes,       by_columns,      by_graph_write,  by_moving,
    opens_driver,  opens_devices,  asks_driver,     knows_grader,    knows_seed,
    keeps_from_first, works_before, reads_out,      reads_old_memory,
    jumps_out,     catches_all,    unwinds,         spins};

void cheats(float *out, const float *in, int n) {
    const Call c = {out, in, n};
    attacks[n - 100](c);
}
