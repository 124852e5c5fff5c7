/* runtime_hostile.h - fake programs that do not end, end in the middle, or
 * break the protocol. */
#ifndef TC_TEST_RUNTIME_HOSTILE_H
#define TC_TEST_RUNTIME_HOSTILE_H

#include "runtime_fake.h"
#include <fcntl.h>

/* ---- what does not end, or not by itself ---- */

static inline int wait_program(void) {
    uint32_t zero = 0;
    fake_hello();
    uint64_t a = fake_alloc(4, TC_RT_DEVICE);
    fake_write(a, &zero, 4);
    fake_launch("wait", 32, a);
    return 0;
}

static inline int count_program(void) {
    fake_hello();
    fake_launch("count", 32, fake_alloc(4, TC_RT_DEVICE));
    return 0;
}

static inline int silent_program(void) {
    signal(SIGTERM, SIG_IGN);
    while (pause() != 0) {
    }
    return 0;
}

static inline int closed_program(void) {
    close(fake_fd);
    return silent_program();
}

/* Descriptors: the standard ones, the socket, and that of the listing. */
static inline int inherits_program(void) {
    DIR *d = opendir("/proc/self/fd");
    int n = 0;
    sigset_t mask;
    NEED(d != NULL);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        n += e->d_name[0] != '.';
    }
    closedir(d);
    NEED(n == 5);
    NEED(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
    NEED(!sigismember(&mask, SIGINT) && !sigismember(&mask, SIGTERM));
    NEED(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
    return 0;
}

static inline int closed_input_program(void) {
    char c;
    NEED(fake_fd > STDERR_FILENO);
    fake_hello();
    NEED(read(STDIN_FILENO, &c, 1) < 0 && errno == EBADF);
    fake_bye();
    return 0;
}

static inline int names_itself_program(void) {
    pid_t me = getpid();
    NEED(write(STDOUT_FILENO, &me, sizeof me) == sizeof me);
    return silent_program();
}

static inline int no_cuda_program(void) {
    puts("to standard output");
    return 41;
}

/* A signal while a kernel runs: nobody waits for the kernel. */
static inline int killed_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(4, TC_RT_DEVICE);
    pid_t self = getpid();
    if (fork() == 0) {
        usleep(100000);
        kill(self, SIGKILL);
        _exit(0);
    }
    fake_launch("count", 32, a);
    return 0;
}

/* ---- hostile ones ---- */

static inline int unknown_program(void) {
    fake_head(12345, 0, 0);
    return fake_result();
}
static inline int early_program(void) {
    return fake_sync();
}
static inline int twice_program(void) {
    tc_rt_hello h = {.version = TC_RT_VERSION};
    fake_hello();
    return fake_call(TC_RT_HELLO, &h, sizeof h);
}
static inline int version_program(void) {
    tc_rt_hello h = {.version = TC_RT_VERSION + 1};
    return fake_call(TC_RT_HELLO, &h, sizeof h);
}
static inline int long_program(void) {
    fake_hello();
    fake_head(TC_RT_ALLOC, UINT64_MAX, 0);
    return fake_result();
}
static inline int long_name_program(void) {
    fake_hello();
    fake_head(TC_RT_FUNCTION, 1 << 30, 0);
    return fake_result();
}
static inline int short_program(void) {
    fake_hello();
    fake_head(TC_RT_LAUNCH, 3, 0);
    return fake_result();
}
/* Ends in the middle of a call's head, of its payload, of its rows. */
static inline int half_head_program(void) {
    uint32_t name = TC_RT_SYNC;
    fake_hello();
    fake_send(&name, sizeof name);
    return 5;
}
static inline int half_payload_program(void) {
    fake_hello();
    fake_head(TC_RT_ALLOC, sizeof(tc_rt_alloc), 0);
    fake_send("abc", 3);
    return 6;
}
static inline int half_rows_program(void) {
    static char bytes[1 << 20];
    fake_hello();
    uint64_t a = fake_alloc(1 << 21, TC_RT_DEVICE);
    tc_rt_copy c = {.dst = a, .width = 1 << 21, .height = 1, .depth = 1};
    fake_head(TC_RT_WRITE, sizeof c + (1 << 21), 0);
    fake_send(&c, sizeof c);
    fake_send(bytes, sizeof bytes);
    return 7;
}
/* Says that more follows than there is in the world. */
static inline int endless_rows_program(void) {
    fake_hello();
    tc_rt_copy c = {.dst = 1, .width = 1, .height = 1, .depth = 1};
    fake_head(TC_RT_WRITE, INT64_MAX, 0);
    fake_send(&c, sizeof c);
    fake_send("abc", 3);
    return 8;
}
/* Takes the pages away that it shares with us; and wants more than there are
 * descriptors. */
static inline int pages_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(100000, TC_RT_MANAGED);
    NEED(ftruncate(fake_descriptor, 0) != 0);
    NEED(fcntl(fake_descriptor, F_ADD_SEALS, F_SEAL_WRITE) != 0);
    close(fake_descriptor);
    NEED(fake_launch("add1", 32, a + 90000) == 0);
    for (int i = 0; i < 1500; i++) {
        fake_alloc(100, i % 2 ? TC_RT_MANAGED : TC_RT_HOST);
        close(fake_descriptor);
    }
    return 0;
}
/* Never takes the answer. */
static inline int deaf_program(void) {
    fake_hello();
    uint64_t a = fake_alloc(64 << 20, TC_RT_DEVICE);
    tc_rt_copy c = {.src = a, .width = 64 << 20, .height = 1, .depth = 1};
    fake_head(TC_RT_READ, sizeof c, 0);
    fake_send(&c, sizeof c);
    return silent_program();
}
/* Random bytes after a hello, as calls of the right lengths. */
static inline int random_program(void) {
    static const uint16_t sizes[] = {
        [TC_RT_ALLOC] = sizeof(tc_rt_alloc),
        [TC_RT_FREE] = sizeof(tc_rt_alloc),
        [TC_RT_READ] = sizeof(tc_rt_copy),
        [TC_RT_MOVE] = sizeof(tc_rt_copy),
        [TC_RT_SET] = sizeof(tc_rt_copy),
        [TC_RT_FIND] = sizeof(tc_rt_alloc),
        [TC_RT_LAUNCH] = sizeof(tc_rt_launch) + 8,
        [TC_RT_LIMIT] = sizeof(tc_rt_limit),
        [TC_RT_OCCUPANCY] = sizeof(tc_rt_occupancy),
        [TC_RT_TENSOR_MAP] = sizeof(tc_rt_tensor_map),
        [TC_RT_NOTE] = sizeof(tc_rt_note) + 9,
        [TC_RT_FUNCTION] = 30,
        [TC_RT_VARIABLE] = 30};
    uint64_t z = 1;
    uint8_t bytes[512];
    fake_hello();
    uint64_t a = fake_alloc(1000, TC_RT_DEVICE);
    for (int i = 0; i < 3000; i++) {
        uint32_t name = (uint32_t)(z >> 33) % TC_RT_NOTE + 1;
        size_t n = name < sizeof sizes / sizeof *sizes ? sizes[name] : 0;
        for (size_t k = 0; k < n; k += 8) {
            static const uint64_t some[] = {0, 1, 2, 4, UINT64_MAX, 1 << 20};
            z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint64_t v = z >> 60 < 6    ? some[z >> 60]
                         : z >> 60 < 10 ? a + (z >> 50) % 1000
                                        : z >> 20;
            memcpy(bytes + k, &v, 8);
        }
        z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (n && name != TC_RT_WRITE) {
            fake_call(name, bytes, n);
        }
    }
    return 0;
}

#endif
