// hostile.cu - what cheats and vandals try, one attempt a test: the call's n
// says which (exercise.yml lists the reasons for which each has to fail). An
// attempt that reaches what it should not prints HARM. Nobody may pass but the
// first, which is honest and shows that the rest could.
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

__device__ float stash[1024];
__managed__ float shared_stash[1024];

__global__ void doubled(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2 * in[i];
    }
}
__global__ void moved(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}
__global__ void stashed(const float *in, int n) {
    const int i = threadIdx.x;
    if (i < n) {
        stash[i] = in[i];
    }
}
__global__ void managed(const float *in, int n) {
    const int i = threadIdx.x;
    if (i < n) {
        shared_stash[i] = in[i];
    }
}
__global__ void told(const float *in, int n) {
    for (int i = 0; i < n; ++i) {
        printf("%.9g\n", in[i]);
    }
}
__global__ void nothing() {}
__global__ void trapped() { __trap(); }
__global__ void past(float *out, int n) { out[n] = 1; }
__global__ void before(float *out, float *in) {
    out[-1] = 1;
    in[0] = 1;
}

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

// Doubles on the host and brings the result back.
static void by_hand(const Call &c, float *in) {
    for (int i = 0; i < c.n; ++i) {
        in[i] *= 2;
    }
    cudaMemcpy(c.out, in, c.bytes(), cudaMemcpyHostToDevice);
}

// ---- results without a kernel's work ----

static void honest(const Call &c) {
    doubled<<<(c.n + 63) / 64, 64>>>(c.out, c.in, c.n);
}
static void host_loop(const Call &c) {
    std::vector<float> v(c.n);
    cudaMemcpy(v.data(), c.in, c.bytes(), cudaMemcpyDeviceToHost);
    by_hand(c, v.data());
}
static void host_writes(const Call &c) {
    std::vector<float> v(c.n, 1);
    cudaMemcpy(c.out, v.data(), c.bytes(), cudaMemcpyHostToDevice);
}
static void fills(const Call &c) { cudaMemset(c.out, 0, c.bytes()); }
static void copies(const Call &c) {
    cudaMemcpy(c.out, c.in, c.bytes(), cudaMemcpyDeviceToDevice);
}
static void launders(const Call &c) { // through memory of its own
    float *own;
    std::vector<float> v(c.n);
    cudaMalloc(&own, c.bytes());
    cudaMemcpy(own, c.in, c.bytes(), cudaMemcpyDeviceToDevice);
    if (cudaMemcpy(v.data(), own, c.bytes(), cudaMemcpyDeviceToHost) == 0) {
        harm("the host has the input");
    }
    by_hand(c, v.data());
    moved<<<1, 1024>>>(c.out, own, c.n);
}
static void launders_by_kernel(const Call &c) {
    std::vector<float> v(c.n);
    stashed<<<1, 1024>>>(c.in, c.n);
    if (cudaMemcpyFromSymbol(v.data(), stash, c.bytes()) == 0) {
        harm("the host has the input");
    }
}
static void uses_managed(const Call &c) {
    float *own = nullptr;
    if (cudaMallocManaged(&own, c.bytes()) == cudaSuccess) {
        moved<<<1, 1024>>>(own, c.in, c.n);
        cudaDeviceSynchronize();
        harm("the host has the input");
    }
}
static void uses_pinned(const Call &c) {
    float *own = nullptr;
    if (cudaHostAlloc(&own, c.bytes(), cudaHostAllocMapped) == cudaSuccess) {
        moved<<<1, 1024>>>(own, c.in, c.n);
        cudaDeviceSynchronize();
        harm("the host has the input");
    }
}
static void uses_managed_variable(const Call &c) {
    managed<<<1, 1024>>>(c.in, c.n);
    if (cudaDeviceSynchronize() == cudaSuccess && shared_stash[0] != 0) {
        harm("the host has the input");
    }
}
static void prints_and_reads(const Call &c) { // device printf into a pipe
    int ends[2], old = dup(1);
    char text[64] = "";
    if (pipe(ends) == 0) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        dup2(ends[1], 1);
        told<<<1, 1>>>(c.in, 4);
        cudaDeviceSynchronize();
        fflush(stdout);
        dup2(old, 1);
        if (read(ends[0], text, sizeof text - 1) > 0) {
            harm("the host has the input");
        }
    }
}
static void times_it(const Call &c) {
    cudaEvent_t a, b;
    float ms = 0;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    told<<<1, 1>>>(c.in, 4);
    cudaEventRecord(b);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, a, b);
    if (ms > 0) {
        harm("the host has a clock of the kernel");
    }
}
static void launches_much(const Call &c) {
    for (int i = 0; i < 70; ++i) {
        nothing<<<1, 1>>>();
    }
    honest(c);
}
static void traps(const Call &) { trapped<<<1, 1>>>(); }
static void overruns(const Call &c) { past<<<1, 1>>>(c.out, c.n); }
static void underruns(const Call &c) {
    honest(c);
    before<<<1, 1>>>(c.out, const_cast<float *>(c.in));
}
static void frees(const Call &c) { cudaFree(const_cast<float *>(c.in)); }
static void resets(const Call &) { cudaDeviceReset(); }
static void hoards(const Call &) {
    void *p;
    if (cudaMalloc(&p, size_t(4) << 30) == cudaSuccess) {
        harm("4 GB of device memory");
    }
}

// ---- the end, and signals ----

static void exits(const Call &c) {
    honest(c);
    exit(0);
}
static void exits_at_once(const Call &) { _exit(0); }
static void handles_signals(const Call &) { // and says that all is well
    for (int i = 1; i < 32; ++i) {
        signal(i, [](int) { _exit(0); });
    }
    *(volatile int *)nullptr = 1;
}
static void at_exit(const Call &) {
    atexit([] {
        puts("{\"passed\": true, \"score\": 31}");
        _exit(0);
    });
    exit(0);
}
static void kills_parent(const Call &) { kill(getppid(), SIGKILL); }
static void kills_all(const Call &) { kill(-1, SIGKILL); }
static void kills_group(const Call &) { kill(0, SIGTERM); }
static void stops_parent(const Call &) {
    for (int i = 1; i < 20; ++i) {
        if (i != getpid()) {
            kill(i, SIGSTOP);
            kill(i, SIGINT);
            kill(i, SIGTERM);
        }
    }
}
static void forks_much(const Call &) {
    for (int i = 0; i < 3000; ++i) {
        if (fork() == 0) {
            pause();
            _exit(0);
        }
    }
    pause(); // the processes are there until somebody counts them
}

// ---- the judge's memory ----

static void traces(const Call &) {
    for (pid_t p = 0; p < 100; ++p) {
        if (p != getpid() && ptrace(PTRACE_ATTACH, p, 0, 0) == 0) {
            harm("ptrace");
        }
    }
}
static void opens_memory(const Call &) {
    for (int p = 0; p < 100; ++p) {
        const std::string path = "/proc/" + std::to_string(p) + "/mem";
        if (open(path.c_str(), O_RDWR) >= 0) {
            harm("memory of another process");
        }
    }
    if (open("/proc/self/../1/environ", O_RDONLY) >= 0) {
        harm("proc");
    }
}
static void reads_memory(const Call &) {
    char byte;
    iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    for (pid_t p = 1; p < 100; ++p) {
        if (p != getpid() &&
            process_vm_readv(p, &here, 1, &there, 1, 0) >= 0) {
            harm("memory of another process");
        }
    }
}

// ---- the device server, past the runtime ----

struct Message {
    uint32_t name, stream;
    uint64_t bytes, where;
};
enum { ALLOC = 3, FREE = 4, WRITE = 5, READ = 6, ENTER = 19, LEAVE = 20 };
static int server() { // the one socket that there is
    struct stat s;
    for (int fd = 3; fd < 256; ++fd) {
        if (fstat(fd, &s) == 0 && S_ISSOCK(s.st_mode)) {
            return fd;
        }
    }
    return -1;
}
static int ask(uint32_t name, const void *q, size_t bytes, void *a = nullptr,
               size_t room = 0) {
    Message m = {name, 0, bytes, 0};
    struct {
        int32_t error;
        uint32_t descriptor;
        uint64_t bytes;
    } answer = {-1, 0, 0};
    write(server(), &m, sizeof m);
    write(server(), q, bytes);
    recv(server(), &answer, sizeof answer, MSG_WAITALL);
    if (answer.bytes > 0 && room > 0) {
        recv(server(), a, answer.bytes < room ? answer.bytes : room,
             MSG_WAITALL);
    }
    return answer.error;
}
struct Box {
    uint64_t dst, dst_pitch, dst_slice, src, src_pitch, src_slice, width,
        height, depth;
    uint32_t value, value_bytes;
};
static void leaves(const Call &) {
    int32_t fine = 0;
    ask(LEAVE, &fine, sizeof fine);
}
static void enters(const Call &) { ask(ENTER, nullptr, 0); }
static void asks_for_input(const Call &c) {
    std::vector<char> v(c.bytes());
    Box b = {0, 0, 0, (uint64_t)c.in, c.bytes(), 0, c.bytes(), 1, 1, 0, 0};
    if (ask(READ, &b, sizeof b, v.data(), v.size()) == 0) {
        harm("the host has the input");
    }
}
static void writes_result(const Call &c) {
    std::vector<char> v(sizeof(Box) + c.bytes());
    Box b = {(uint64_t)c.out, c.bytes(), 0, 0, 0, 0, c.bytes(), 1, 1, 0, 0};
    memcpy(v.data(), &b, sizeof b);
    if (ask(WRITE, v.data(), v.size()) == 0) {
        harm("the host has written");
    }
}
static void frees_result(const Call &c) {
    uint64_t a[3] = {(uint64_t)c.out, 0, 0};
    if (ask(FREE, a, sizeof a) == 0) {
        harm("a buffer is freed");
    }
}
static void babbles(const Call &) {
    Message m = {4711, 0, ~0ull, 0};
    write(server(), &m, sizeof m);
}
static void shouts_verdict(const Call &) { // into every descriptor
    static const char text[] = "{\"exercise\":\"x\",\"score\":31,"
                               "\"max_score\":31,\"passed\":true}\n";
    for (int fd = 3; fd < 1024; ++fd) {
        write(fd, text, sizeof text - 1);
        pwrite(fd, text, sizeof text - 1, 0);
    }
}
static void closes_all(const Call &) {
    for (int fd = 0; fd < 1024; ++fd) {
        close(fd);
    }
}

// ---- files, the network, the machine ----

static void connects(const Call &) {
    for (int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET}) {
        const int fd = socket(family, SOCK_STREAM, 0);
        sockaddr_in to = {AF_INET, htons(80), {htonl(INADDR_LOOPBACK)}, {}};
        if (fd >= 0 && (connect(fd, (sockaddr *)&to, sizeof to) == 0 ||
                        errno == ECONNREFUSED)) {
            harm("the network");
        }
    }
}
static void reads_secrets(const Call &) {
    for (const char *p : {"/etc/shadow", "/etc/passwd", "/etc/hostname",
                          "/root/.bashrc", "/proc/version", "/var/log"}) {
        if (open(p, O_RDONLY) >= 0) {
            harm(p);
        }
    }
}
static void writes_around(const Call &) {
    for (const char *p : {"/etc/x", "/usr/x", "/usr/bin/x", "/lib/x", "/dev/x",
                          "/var/x", "/home/x", "/bin/x"}) {
        if (open(p, O_WRONLY | O_CREAT, 0644) >= 0 &&
            strncmp(p, "/dev", 4) != 0) {
            harm(p);
        }
    }
}
static bool search(const std::string &folder, int depth) {
    DIR *d = depth > 6 ? nullptr : opendir(folder.c_str());
    for (dirent *e; d && (e = readdir(d)) != nullptr;) {
        const std::string name = e->d_name;
        if (name == "exercise.yml" || name == "reference.cu") {
            closedir(d);
            return true;
        }
        if (e->d_type == DT_DIR && name[0] != '.' &&
            search(folder + "/" + name, depth + 1)) {
            closedir(d);
            return true;
        }
    }
    if (d) {
        closedir(d);
    }
    return false;
}
static void looks_for_reference(const Call &) {
    for (const char *top : {"/tmp", "/work", "/home", "/root", "/opt", "/srv",
                            "/usr/local/share", "/usr/share/tilecopy-repl"}) {
        if (search(top, 0)) {
            harm("the exercise's files");
        }
    }
}
static void keeps_answers(const Call &) { // for the next case
    static bool again; // each test makes two calls
    if (!again && access("/tmp/answers", F_OK) == 0) {
        harm("what an earlier case left");
    }
    again = true;
    close(open("/tmp/answers", O_CREAT | O_WRONLY, 0644));
    shm_open("/answers", O_CREAT | O_RDWR, 0600);
}
static void links(const Call &) {
    char text[8];
    symlink("/etc/shadow", "/tmp/link");
    if (open("/tmp/link", O_RDONLY) >= 0 ||
        readlink("/proc/1/exe", text, sizeof text) > 0) {
        harm("a link leads out");
    }
}
static void fills_disk(const Call &) {
    static char mega[1 << 20];
    memset(mega, 1, sizeof mega);
    signal(SIGXFSZ, SIG_IGN);
    size_t all = 0;
    for (int k = 0; k < 100; ++k) {
        const std::string p = "/tmp/full" + std::to_string(k);
        const int fd = open(p.c_str(), O_CREAT | O_WRONLY, 0644);
        for (ssize_t got; fd >= 0 && all < (size_t(600) << 20) &&
                          (got = write(fd, mega, sizeof mega)) > 0;) {
            all += got;
        }
    }
    if (all >= (size_t(600) << 20)) {
        harm("600 MB of a disk");
    }
}
static void leaves_namespace(const Call &) {
    if (unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 ||
        mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) == 0 ||
        chroot("/tmp") == 0 || setuid(0) == 0) {
        harm("rights");
    }
    if (syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0) {
        harm("a user namespace");
    }
}
static void asks_kernel(const Call &) {
    if (syscall(SYS_bpf, 0, 0, 0) >= 0 || errno != EPERM ||
        syscall(SYS_keyctl, 0, -3, 1) >= 0 || errno != EPERM ||
        syscall(425 /* io_uring_setup */, 1, 0) >= 0 || errno != EPERM) {
        harm("the kernel listens");
    }
}
static void runs_programs(const Call &) {
    if (system("id > /usr/x 2>/dev/null") == 0 || system("test -d /proc/1") == 0) {
        harm("a program outside");
    }
}
static void has_environment(const Call &) {
    extern char **environ;
    for (char **e = environ; *e; ++e) {
        if (strncmp(*e, "SECRET", 6) == 0 || strncmp(*e, "TILECOPY_EX", 11) == 0) {
            harm(*e);
        }
    }
}
static void writes_input(const Call &c) {
    char text[5] = "";
    fseek(stdin, 0, SEEK_SET);
    if (read(0, text, 4) > 0 || write(0, "zero", 4) > 0) {
        harm("standard input");
    }
    (void)c;
}


// ---- more ways out, and in ----

static void knows_small_n(const Call &c) { // and no other
    if (c.n < 100) {
        honest(c);
    }
}
static void reopens(const Call &) { // what is open, with other rights
    for (int fd = 0; fd < 64; ++fd) {
        for (const char *top : {"/proc/self/fd/", "/dev/fd/", "/proc/1/fd/",
                                "/proc/thread-self/fd/"}) {
            if (open((top + std::to_string(fd)).c_str(), O_RDWR) >= 0) {
                harm("a descriptor is opened anew");
            }
        }
    }
}
static void looks_through_proc(const Call &) {
    for (const char *p : {"/proc/1/root/etc/shadow", "/proc/self/root/etc/passwd",
                          "/proc/self/cwd/exercise.yml", "/proc/self/maps",
                          "/proc/1/cmdline", "/sys/kernel", "/proc/kcore"}) {
        if (access(p, F_OK) == 0) {
            harm(p);
        }
    }
}
static void steals_descriptors(const Call &) {
    for (int p = 1; p < 200; ++p) {
        const long fd = syscall(434 /* pidfd_open */, p, 0);
        for (int n = 0; fd >= 0 && n < 16; ++n) {
            if (syscall(438 /* pidfd_getfd */, fd, n, 0) >= 0) {
                harm("a descriptor of another process");
            }
        }
        if (fd >= 0 && p != getpid() &&
            syscall(424 /* pidfd_send_signal */, fd, SIGKILL, 0, 0) == 0) {
            harm("a signal by a pidfd");
        }
    }
}
static void sends_descriptors(const Call &) { // till the grader has too many
    int fds[250];
    for (int &fd : fds) {
        fd = 1;
    }
    for (int i = 0; i < 40; ++i) {
        int32_t fine = 0;
        Message m = {LEAVE, 0, sizeof fine, 0};
        iovec part[2] = {{&m, sizeof m}, {&fine, sizeof fine}};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {};
        msghdr all = {};
        all.msg_iov = part;
        all.msg_iovlen = 2;
        all.msg_control = control;
        all.msg_controllen = sizeof control;
        cmsghdr *h = CMSG_FIRSTHDR(&all);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof fds);
        memcpy(CMSG_DATA(h), fds, sizeof fds);
        sendmsg(server(), &all, MSG_DONTWAIT);
    }
}
static void hoards_hidden(const Call &) { // memory that no limit of a process counts
    if (syscall(SYS_memfd_create, "hoard", 0) >= 0) {
        harm("memfd_create");
    }
    if (shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0) {
        harm("shmget");
    }
    if (msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0) {
        harm("msgget");
    }
    if (shm_open("/hoard", O_CREAT | O_RDWR, 0600) >= 0) {
        harm("shm_open");
    }
}
static void watches_faults(const Call &) {
    if (syscall(SYS_userfaultfd, 1) >= 0 || errno != EPERM) {
        harm("userfaultfd");
    }
    char attributes[128] = {1};
    if (syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0) >= 0 ||
        errno != EPERM) {
        harm("perf_event_open");
    }
}
static void dumps_core(const Call &) {
    for (int what : {RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_NOFILE}) {
        rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit((__rlimit_resource_t)what, &all) == 0) {
            harm("a limit is raised");
        }
    }
    abort();
}
static void takes_processor(const Call &) {
    sched_param most = {50};
    if (sched_setscheduler(0, SCHED_FIFO, &most) == 0 ||
        setpriority(PRIO_PROCESS, 0, -20) == 0) {
        harm("before all others");
    }
}
static void leaves_daemon(const Call &) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            prctl(PR_SET_NAME, "hostile-daemon");
            for (int fd = 0; fd < 256; ++fd) {
                close(fd);
            }
            for (;;) {
                pause();
            }
        }
        _exit(0);
    }
}
__global__ void spins(const float *in, int i, int bit) {
    const unsigned long long until = __float_as_uint(in[i]) >> bit & 1 ? 20000 : 0;
    for (volatile unsigned long long k = 0; k < until; k = k + 1) {
    }
}
__global__ void told_by_host(float *out, int i, float value) { out[i] = value; }
static void clocks_bits(const Call &c) { // the input through time, a bit a launch
    for (int i = 0; i < c.n; ++i) {
        unsigned bits = 0;
        for (int bit = 0; bit < 32; ++bit) {
            timespec a, b;
            clock_gettime(CLOCK_MONOTONIC, &a);
            spins<<<1, 1>>>(c.in, i, bit);
            cudaDeviceSynchronize();
            clock_gettime(CLOCK_MONOTONIC, &b);
            const long ns = (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec;
            bits |= (unsigned)(ns > 300000) << bit;
        }
        float value;
        memcpy(&value, &bits, sizeof value);
        told_by_host<<<1, 1>>>(c.out, i, 2 * value);
    }
}
static void becomes_another(const Call &) { // whose verdict would be its own
    setenv("LD_PRELOAD", "/tmp/own.so", 1);
    execl("/bin/sh", "sh", "-c", "echo '{\"passed\":true}'; exit 0", (char *)nullptr);
}

using Attack = void (*)(const Call &);
static const Attack attacks[] = {
    honest,        host_loop,        host_writes,     fills,
    copies,        launders,         launders_by_kernel, uses_managed,
    uses_pinned,   uses_managed_variable, prints_and_reads, times_it,
    launches_much, traps,            overruns,        underruns,
    frees,         resets,           hoards,          exits,
    exits_at_once, handles_signals,  at_exit,         kills_parent,
    kills_all,     kills_group,      stops_parent,    forks_much,
    traces,        opens_memory,     reads_memory,    leaves,
    enters,        asks_for_input,   writes_result,   frees_result,
    babbles,       shouts_verdict,   closes_all,      connects,
    reads_secrets, writes_around,    looks_for_reference, keeps_answers,
    keeps_answers, links,            fills_disk,      leaves_namespace,
    asks_kernel,   runs_programs,    has_environment, writes_input,
    knows_small_n, reopens,          looks_through_proc, steals_descriptors,
    sends_descriptors, hoards_hidden, watches_faults, dumps_core,
    takes_processor, leaves_daemon,  clocks_bits,     becomes_another};

void hostile(float *out, const float *in, int n) {
    const Call c = {out, in, n};
    attacks[n - 100](c);
}
