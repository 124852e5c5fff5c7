/* runtime_fake.h - programs that speak the runtime's protocol by hand: the test
 * starts itself again with the name of one. They know nothing of the stub, and
 * some of them are hostile. */
#ifndef TC_TEST_RUNTIME_FAKE_H
#define TC_TEST_RUNTIME_FAKE_H

#include "runtime/protocol.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int fake_fd = -1;

/* What a fake program found wrong is its exit status. */
#define NEED(c)                                                                \
    do {                                                                       \
        if (!(c)) {                                                            \
            fprintf(stderr, "fake program, line %d: %s\n", __LINE__, #c);      \
            exit(99);                                                          \
        }                                                                      \
    } while (0)

static inline void fake_send(const void *p, size_t n) {
    const char *at = p;
    while (n) {
        ssize_t k = send(fake_fd, at, n, MSG_NOSIGNAL);
        NEED(k > 0);
        at += k;
        n -= (size_t)k;
    }
}

/* Takes a descriptor along, if one comes: *fd. */
static inline void fake_receive(void *p, size_t n, int *fd) {
    char *at = p;
    while (n) {
        union {
            char room[CMSG_SPACE(sizeof(int))];
            struct cmsghdr align;
        } control;
        struct iovec v = {at, n};
        struct msghdr m = {.msg_iov = &v,
                           .msg_iovlen = 1,
                           .msg_control = control.room,
                           .msg_controllen = sizeof control.room};
        ssize_t k = recvmsg(fake_fd, &m, 0);
        NEED(k > 0);
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        if (c && fd) {
            memcpy(fd, CMSG_DATA(c), sizeof *fd);
        }
        at += k;
        n -= (size_t)k;
    }
}

static char fake_answer[1 << 20];
static uint64_t fake_bytes; /* of the last answer */
static int fake_descriptor; /* that came with it, or -1 */

static inline void fake_head(uint32_t name, uint64_t bytes, uint64_t where) {
    tc_rt_call c = {.name = name, .bytes = bytes, .where = where};
    fake_send(&c, sizeof c);
}

static inline int fake_result(void) {
    tc_rt_answer a;
    fake_descriptor = -1;
    fake_receive(&a, sizeof a, &fake_descriptor);
    NEED(a.bytes <= sizeof fake_answer);
    NEED((a.descriptor != 0) == (fake_descriptor >= 0));
    fake_receive(fake_answer, a.bytes, NULL);
    fake_bytes = a.bytes;
    return a.error;
}

static inline int fake_call2(uint32_t name, const void *p, size_t n,
                             const void *q, size_t m) {
    fake_head(name, n + m, 0x1000 + name);
    fake_send(p, n);
    fake_send(q, m);
    return fake_result();
}

static inline int fake_call(uint32_t name, const void *p, size_t n) {
    return fake_call2(name, p, n, NULL, 0);
}

static inline tc_rt_device fake_hello(void) {
    tc_rt_hello h = {.version = TC_RT_VERSION};
    tc_rt_device d;
    NEED(fake_call(TC_RT_HELLO, &h, sizeof h) == 0);
    NEED(fake_bytes == sizeof d);
    memcpy(&d, fake_answer, sizeof d);
    return d;
}

static inline uint64_t fake_alloc(uint64_t bytes, tc_rt_memory kind) {
    tc_rt_alloc a = {.bytes = bytes, .kind = kind};
    NEED(fake_call(TC_RT_ALLOC, &a, sizeof a) == 0);
    NEED(fake_bytes == sizeof a);
    memcpy(&a, fake_answer, sizeof a);
    NEED(a.address >= TC_RT_DEVICE_BASE);
    NEED(a.address + bytes <= TC_RT_DEVICE_BASE + TC_RT_DEVICE_SIZE);
    NEED(a.address % 256 == 0);
    return a.address;
}

static inline int fake_free(uint64_t address, tc_rt_memory kind) {
    tc_rt_alloc a = {.address = address, .kind = kind};
    return fake_call(TC_RT_FREE, &a, sizeof a);
}

static inline int fake_write(uint64_t to, const void *p, size_t n) {
    tc_rt_copy c = {.dst = to, .width = n, .height = 1, .depth = 1};
    return fake_call2(TC_RT_WRITE, &c, sizeof c, p, n);
}

static inline int fake_read(void *p, uint64_t from, size_t n) {
    tc_rt_copy c = {.src = from, .width = n, .height = 1, .depth = 1};
    int error = fake_call(TC_RT_READ, &c, sizeof c);
    if (!error) {
        NEED(fake_bytes == n);
        memcpy(p, fake_answer, n);
    }
    return error;
}

static inline tc_rt_function fake_function(const char *name) {
    tc_rt_function f;
    NEED(fake_call(TC_RT_FUNCTION, name, strlen(name) + 1) == 0);
    NEED(fake_bytes >= sizeof f);
    memcpy(&f, fake_answer, sizeof f);
    NEED(fake_bytes == sizeof f + f.nparams * sizeof(tc_rt_param));
    return f;
}

static inline tc_rt_launch fake_shape(const char *kernel, uint32_t grid,
                                      uint32_t block, uint32_t nparams) {
    tc_rt_launch l = {.function = fake_function(kernel).id,
                      .grid = {grid, 1, 1},
                      .block = {block, 1, 1},
                      .nparams = nparams};
    return l;
}

/* A kernel that takes an address. */
static inline int fake_launch(const char *kernel, uint32_t block, uint64_t p) {
    tc_rt_launch l = fake_shape(kernel, 1, block, 8);
    return fake_call2(TC_RT_LAUNCH, &l, sizeof l, &p, sizeof p);
}

static inline int fake_sync(void) {
    return fake_call(TC_RT_SYNC, NULL, 0);
}

static inline void fake_bye(void) {
    tc_rt_bye b = {0};
    NEED(fake_call(TC_RT_BYE, &b, sizeof b) == 0);
}

static inline bool fake_find_parent(void) {
    const char *fd = getenv(TC_RT_FD_ENV);
    fake_fd = fd ? atoi(fd) : -1;
    return fake_fd >= 0;
}

#endif
