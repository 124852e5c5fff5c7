// tricks.cu - what ../hostile and ../cheats do not try: the machine under the
// sandbox, what floods the grader, what only looks like a right kernel. One attempt
// a test: the call's n says which; exercise.yml has their names, reasons.txt what
// each must come to. What reaches something that it should not prints HARM. Those
// whose reason is "none" do something unusual that is nobody's harm.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

enum { MOST = 1024 };
struct Answers {
    float v[900];
};
__constant__ float table[MOST];
__device__ float kept[MOST];
__device__ unsigned turn;

__global__ void doubled(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i];
    }
}
__global__ void from_table(float *out, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = table[threadIdx.x];
    }
}
__global__ void nothing() {}
// The first call's results again, from a variable of the device.
__global__ void kept_or_made(float *out, const float *in, int n) {
    const int i = threadIdx.x;
    if (turn == 0 && i < n) {
        out[i] = kept[i] = 2 * in[i];
    } else if (i < n) {
        out[i] = kept[i];
    }
}
__global__ void next_turn() { turn = 1; }
constexpr Answers made_before() { // by the compiler
    Answers a = {};
    for (int i = 0; i < 900; ++i) {
        a.v[i] = 2.f * ((i * 7919) % 129 - 64);
    }
    return a;
}
__constant__ Answers compiled = made_before();
__global__ void from_compiler(float *out, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = compiled.v[threadIdx.x];
    }
}
__global__ void says_much() {
    for (int i = 0; i < 3000; ++i) {
        printf("%d %d %d %d %d %d %d %d %d %d %d %d %d\n", i, i, i, i, i, i, i, i, i,
               i, i, i, i);
    }
}
__global__ void says_escapes() {
    printf("\033]0;owned\007\033[2J]]></system-out><testcase name=\"x\"/>\"},{\"a\n");
}
__global__ void deep(float *out, const float *in, int n) { // 40 KB a thread
    volatile char own[40 << 10];
    own[threadIdx.x * 64] = (char)n;
    own[(40 << 10) - 1 - threadIdx.x] = 1;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (own[threadIdx.x * 64] == (char)n ? 2 : 3) * in[i];
    }
}
__global__ void hoards_heap(char **where) {
    for (int i = 0; i < 1000; ++i) {
        char *p = (char *)malloc(1 << 20);
        if (p) {
            p[0] = 1;
            atomicAdd((unsigned long long *)where, 1ull);
        }
    }
}
// Their names are a library's, whose races are known to be right.
namespace cub {
__global__ void races(float *out, const float *in, int n, volatile unsigned *go) {
    const int i = threadIdx.x;
    float was = 1;
    if (blockIdx.x == 0 && i < n) {
        was = out[i];
        out[n - 1 - i] = was;
    }
    while (*go == 4711) {
    }
    if (blockIdx.x == 1 && i < n) {
        out[i] = 2 * in[i];
    }
}
__global__ void unwritten(float *out, const float *in, int n, const float *own) {
    const int i = threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i] + 0 * own[i];
    }
}
} // namespace cub

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

// ---- signals, clocks, the process itself ----

static void storms(const Call &c) { // a signal every 50 us, in every call
    struct sigaction s = {};
    s.sa_handler = [](int) {};
    sigaction(SIGALRM, &s, nullptr); // no SA_RESTART
    const itimerval often = {{0, 50}, {0, 50}}, never = {};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int k = 0; k < 20; ++k) {
        honest(c);
        cudaDeviceSynchronize();
    }
    setitimer(ITIMER_REAL, &never, nullptr);
}
static void patches_clock(const Call &c) { // time stands still: the vDSO is its own
    char *p = (char *)getauxval(AT_SYSINFO_EHDR);
    if (p && mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
        memset(p + 0x400, 0xc3, 4096 - 0x400);
    }
    honest(c);
}
static void filters_itself(const Call &c) { // its messages seem sent, and are not
    sock_filter rule[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                          {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_sendmsg},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog all = {4, rule};
    honest(c);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0) {
        _exit(0);
    }
}
static void gains_rights(const Call &) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0 ||
        prctl(PR_SET_SECUREBITS, 0) == 0 || prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ||
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
        harm("rights by prctl");
    }
    const int fd = open("/tmp/root", O_CREAT | O_WRONLY, 0755);
    write(fd, "#!/bin/sh\ntest `id -u` = 0\n", 27);
    fchown(fd, 0, 0);
    fchmod(fd, 06755);
    close(fd);
    if (system("/tmp/root") == 0 || system("su -c true 2>/dev/null") == 0) {
        harm("root by a file's mode");
    }
}
static void other_tables(const Call &) { // system calls by their other numbers
    int how = 0;
    if (const pid_t p = fork(); p == 0) {
        long got = -1; // socket(AF_INET, SOCK_STREAM, 0) of i386
        asm volatile("int $0x80" : "=a"(got) : "a"(359), "b"(2), "c"(1), "d"(0) : "memory");
        _exit(got >= 0 ? 77 : 0);
    } else if (waitpid(p, &how, 0) == p && WIFEXITED(how) && WEXITSTATUS(how) == 77) {
        harm("a socket by i386's table");
    }
    if (const pid_t p = fork(); p == 0) {
        _exit(syscall(0x40000000 + SYS_socket, 2, 1, 0) >= 0 ? 77 : 0);
    } else if (waitpid(p, &how, 0) == p && WIFEXITED(how) && WEXITSTATUS(how) == 77) {
        harm("a socket by x32's table");
    }
}
static void looks_around(const Call &) { // what the root has
    static const char *const known[] = {".",     "..",     "usr", "bin",   "lib",
                                        "lib64", "lib32",  "sbin", "libx32", "etc",
                                        "dev",   "tmp"};
    DIR *d = opendir("/");
    for (dirent *e; d && (e = readdir(d)) != nullptr;) {
        const bool is = std::any_of(std::begin(known), std::end(known),
                                    [&](const char *k) { return !strcmp(k, e->d_name); });
        if (!is && access((std::string("/") + e->d_name).c_str(), W_OK) == 0) {
            harm(e->d_name);
        }
    }
}
static void turns_pipes(const Call &c) { // what descriptors share with the grader
    for (int fd = 0; fd < 64; ++fd) {
        fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC | O_APPEND);
        fcntl(fd, F_SETOWN, getpid());
        fcntl(fd, F_SETSIG, SIGURG);
        fcntl(fd, F_SETPIPE_SZ, 4096);
        fcntl(fd, F_SETLEASE, F_WRLCK);
    }
    signal(SIGURG, SIG_IGN);
    signal(SIGIO, SIG_IGN);
    for (int fd = 0; fd < 64; ++fd) { // as it was where it is its own
        fcntl(fd, F_SETFL, 0);
    }
    honest(c);
}

// ---- what no limit counts ----

static void many_files(const Call &) { // empty ones, which have no bytes
    int n = 0;
    for (int k = 0; k < 60000; ++k) {
        n += mknod(("/tmp/" + std::to_string(k)).c_str(), S_IFREG | 0600, 0) == 0 ||
             close(open(("/tmp/" + std::to_string(k)).c_str(), O_CREAT | O_WRONLY, 0600)) == 0;
    }
    if (n >= 50000) {
        harm("50,000 files");
    }
}
static void many_attributes(const Call &) { // of one file
    static char big[60000];
    int n = 0;
    close(open("/tmp/x", O_CREAT | O_WRONLY, 0600));
    for (int k = 0; k < 5000; ++k) {
        n += setxattr("/tmp/x", ("user." + std::to_string(k)).c_str(), big, sizeof big, 0) == 0;
    }
    if (n >= 5000) {
        harm("300 MB of attributes");
    }
}
static void hides_memory(const Call &c) { // pages that no process has mapped
    const size_t n = size_t(64) << 20;
    for (int flags : {MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED_VALIDATE | MAP_ANONYMOUS}) {
        void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (p != MAP_FAILED && madvise(p, n, MADV_DONTNEED) == 0) {
            harm("memory that nobody counts");
        }
    }
    if (open("/dev/zero", O_RDWR) >= 0) {
        harm("shared memory by /dev/zero");
    }
    honest(c);
}
static void fills_pipes(const Call &c) { // as many as there are
    static char mega[1 << 20];
    for (int k = 0; k < 200; ++k) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
            harm("a socket's buffer");
        }
        if (pipe2(ends, O_NONBLOCK) == 0) {
            fcntl(ends[1], F_SETPIPE_SZ, sizeof mega);
            write(ends[1], mega, sizeof mega);
        }
    }
    honest(c); // which needs none
}

// ---- floods of the grader ----

struct Message {
    uint32_t name, stream;
    uint64_t bytes, where;
};
enum {
    FUNCTION = 1, VARIABLE, ALLOC, READ = 6, MOVE, SET, FIND, LAUNCH, LIMIT = 13,
    OCCUPANCY, NOTE = 17
};
static int server() { // the socket that was there first
    struct stat s;
    for (int fd = 3; fd < 256; ++fd) {
        if (fstat(fd, &s) == 0 && S_ISSOCK(s.st_mode)) {
            return fd;
        }
    }
    return -1;
}
static void ask(uint32_t name, const void *q, size_t bytes) {
    Message m = {name, 0, bytes, (uint64_t)rand()};
    char answer[4096];
    iovec part[2] = {{&m, sizeof m}, {(void *)q, bytes}};
    writev(server(), part, 2);
    recv(server(), answer, 16, MSG_WAITALL);
    uint64_t more;
    memcpy(&more, answer + 8, 8);
    for (; more > 0; more -= std::min<uint64_t>(more, sizeof answer)) {
        recv(server(), answer, std::min<uint64_t>(more, sizeof answer), MSG_WAITALL);
    }
}
static void floods_notes(const Call &c) { // misuse, told ten thousand times
    struct {
        uint32_t misuse, write;
        uint64_t address;
        int64_t error;
        char text[2000];
    } note = {5, 0, 0, 1, {}};
    for (int k = 0; k < 3000; ++k) {
        memset(note.text, 'a' + k % 26, sizeof note.text - 1);
        snprintf(note.text, 12, "%d\033]0;", k);
        ask(NOTE, &note, sizeof note);
    }
    honest(c);
}
static void floods_names(const Call &c) {
    char name[2000];
    for (int k = 0; k < 3000; ++k) {
        memset(name, 'a' + k % 26, sizeof name);
        snprintf(name, 12, "%d", k);
        name[sizeof name - 1] = 0;
        ask(k % 2 ? FUNCTION : VARIABLE, name, sizeof name);
    }
    honest(c);
}
static void talks_nonsense(const Call &c) { // any message but those that end a call
    uint32_t words[64];
    srand(7);
    for (int k = 0; k < 3000; ++k) {
        for (uint32_t &w : words) {
            w = rand() % 4 == 0 ? rand() : rand() % 16;
        }
        static const struct {
            uint32_t name, bytes;
        } calls[] = {{ALLOC, 24}, {READ, 80}, {MOVE, 80}, {SET, 80},
                     {FIND, 24},  {LIMIT, 12}, {OCCUPANCY, 24}, {LAUNCH, 60}};
        const auto &call = calls[rand() % 8];
        ask(call.name, words, call.bytes);
    }
    honest(c);
}
static void many_allocations(const Call &c) {
    void *p;
    for (int k = 0; k < 5000 && cudaMalloc(&p, 1) == cudaSuccess; ++k) {
    }
    honest(c);
}
static void large_limits(const Call &c) {
    char **where;
    cudaMalloc(&where, 8);
    cudaMemset(where, 0, 8);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t(1) << 42);
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, size_t(1) << 42);
    cudaDeviceSetLimit(cudaLimitStackSize, size_t(1) << 42);
    hoards_heap<<<8, 32>>>(where);
    uint64_t n = 0;
    cudaMemcpy(&n, where, 8, cudaMemcpyDeviceToHost);
    if (n > 1000) {
        harm("1 GB of a kernel's heap");
    }
    cudaGetLastError();
    honest(c);
}
static void deep_stacks(const Call &c) { deep<<<2, 512>>>(c.out, c.in, c.n); }
static void prints_much(const Call &c) {
    says_much<<<1, 32>>>();
    honest(c);
}
static void prints_escapes(const Call &c) {
    printf("\033]0;owned\007\033[2J]]></system-out><testcase name=\"x\"/>\"},{\"a\n");
    printf("=HYPERLINK(\"http://x\"),\xff\xfe\xc0\x80\xed\xa0\x80\n");
    fflush(stdout);
    says_escapes<<<1, 1>>>();
    honest(c);
}

// ---- right by its looks ----

static void answers_of_before(const Call &c) { // from a variable of the device
    kept_or_made<<<1, MOST>>>(c.out, c.in, c.n);
    next_turn<<<1, 1>>>();
}
static void answers_of_compiler(const Call &c) { from_compiler<<<1, MOST>>>(c.out, c.n); }
static void answers_by_symbol(const Call &c) { // of the host, who has not seen in
    static const Answers a = made_before();
    cudaMemcpyToSymbol(table, &a, c.bytes());
    from_table<<<1, MOST>>>(c.out, c.n);
}
static void fills_by_graph(const Call &c) { // any word, by a node
    const float answer = 84;
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    cudaMemsetParams p = {};
    p.dst = c.out;
    memcpy(&p.value, &answer, 4);
    p.elementSize = 4;
    p.width = c.n / 2;
    p.height = 1;
    cudaGraphAddMemsetNode(&node, g, nullptr, 0, &p);
    cudaGraphInstantiate(&e, g, 0);
    nothing<<<1, 1>>>();
    cudaGraphLaunch(e, 0);
}
static void host_node(const Call &c) { // which computes, and a node that writes
    static std::vector<float> v;
    v.assign(c.n, 0);
    cudaGraph_t g;
    cudaGraphNode_t first, second;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    cudaHostNodeParams p = {[](void *u) {
                                const Call &c = *(const Call *)u;
                                for (float &x : v) {
                                    x = 84;
                                }
                                cudaMemcpy(c.out, v.data(), c.bytes(), cudaMemcpyDefault);
                            },
                            (void *)&c};
    cudaGraphAddHostNode(&first, g, nullptr, 0, &p);
    cudaGraphAddMemcpyNode1D(&second, g, &first, 1, c.out, v.data(), c.bytes(),
                             cudaMemcpyDefault);
    cudaGraphInstantiate(&e, g, 0);
    nothing<<<1, 1>>>();
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
}
static void by_pool(const Call &c) { // memory that might be the host's
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeHost;
    cudaMemPool_t pool;
    float *own = nullptr;
    if (cudaMemPoolCreate(&pool, &p) == cudaSuccess &&
        cudaMallocFromPoolAsync((void **)&own, c.bytes(), pool, 0) == cudaSuccess) {
        doubled<<<1, MOST>>>(own, c.in, c.n);
        cudaDeviceSynchronize();
        if (own[0] != 0) {
            harm("the host has the input");
        }
    }
    cudaGetLastError();
}
static void named_as_library(const Call &c) {
    unsigned *go;
    cudaMalloc(&go, 4);
    cudaMemset(go, 0, 4);
    cudaMemset(c.out, 0, c.bytes());
    cub::races<<<2, 512>>>(c.out, c.in, c.n, go);
}
static void reads_as_library(const Call &c) {
    float *own;
    cudaMalloc(&own, c.bytes());
    cub::unwritten<<<1, MOST>>>(c.out, c.in, c.n, own);
}

// ---- a place that is another file's: the report would quote it ----
#line 1 "/etc/passwd"
__global__ void elsewhere(float *out, int n) { out[n + 4096] = 1; }
#line 6000 "tricks.cu"
static void quotes_secrets(const Call &c) { elsewhere<<<1, 1>>>(c.out, c.n); }

using Attack = void (*)(const Call &);
static const Attack attacks[] = {
    honest, storms, patches_clock, turns_pipes, fills_pipes, prints_escapes,
    deep_stacks, many_allocations, floods_names, filters_itself, gains_rights,
    other_tables, looks_around, many_files, many_attributes, hides_memory,
    floods_notes, talks_nonsense, large_limits, prints_much, answers_of_before,
    answers_of_compiler, answers_by_symbol, fills_by_graph, host_node, by_pool,
    named_as_library, reads_as_library, quotes_secrets};

void tricks(float *out, const float *in, int n) {
    const Call c = {out, in, n};
    attacks[n - 100](c);
}
