/* stub_parent.h - a parent for programs with the stub in them: it answers the
 * protocol with memory of its own, keeps what was said, and has one kernel,
 * "twice(int *p, int n)", which doubles n words and prints a line. */
#ifndef TC_TEST_STUB_PARENT_H
#define TC_TEST_STUB_PARENT_H

#include "runtime/protocol.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICE_BYTES = 64 << 20, SAID = 1 << 16 };

typedef struct parent {
    int fd;
    char *memory; /* of the device, from TC_RT_DEVICE_BASE on */
    uint64_t used;
    int counts[TC_RT_CALL_COUNT];
    tc_rt_hello hello;
    tc_rt_launch launch; /* the last one, and the first four */
    tc_rt_launch launches[4];
    tc_rt_note notes[64];
    char note_text[256];
    uint64_t note_where[64];
    int nnotes;
    tc_rt_bye bye;
    bool said_bye;
    uint64_t largest; /* payload of a WRITE, or answer of a READ */
    double ms;
    uint64_t page; /* of the managed variables; 0: not made yet */
    int page_fd;
    int sticky; /* what a fault leaves: "scenario: fault" */
    char printed[256];
    int close_at; /* the call at which it goes away; -1: never */
    int wait_status;
    char out[SAID], err[SAID]; /* what the program wrote */
} parent;

static bool get(parent *p, void *to, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = read(p->fd, (char *)to + done, bytes - done);
        if (n <= 0) {
            return false;
        }
        done += (uint64_t)n;
    }
    return true;
}

static void put(parent *p, const void *from, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n =
            send(p->fd, (const char *)from + done, bytes - done, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        done += (uint64_t)n;
    }
}

static void answer(parent *p, int error, const void *payload, uint64_t bytes,
                   int descriptor) {
    tc_rt_answer a = {error, descriptor >= 0, bytes};
    struct iovec v = {&a, sizeof a};
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    if (descriptor >= 0) {
        m.msg_control = control;
        m.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &descriptor, sizeof(int));
    }
    (void)!sendmsg(p->fd, &m, MSG_NOSIGNAL);
    put(p, payload, bytes);
}

static char *host(parent *p, uint64_t address) {
    return p->memory + (address - TC_RT_DEVICE_BASE);
}

/* Managed and host memory is a file's pages at the place in p->memory. */
static int give(parent *p, uint64_t bytes, uint32_t kind, uint64_t *address) {
    uint64_t room = (bytes + 8191) / 4096 * 4096;
    *address = TC_RT_DEVICE_BASE + p->used;
    p->used += room;
    if (kind == TC_RT_DEVICE) {
        return -1;
    }
    int fd = memfd_create("pages", MFD_CLOEXEC);
    (void)!ftruncate(fd, (off_t)room);
    mmap(host(p, *address), room - 4096, PROT_READ | PROT_WRITE,
         MAP_SHARED | MAP_FIXED, fd, 0);
    return fd;
}

/* Rows between the device and the socket. */
static void rows(parent *p, const tc_rt_copy *c, bool write) {
    for (uint64_t i = 0; i < c->depth * c->height; i++) {
        uint64_t z = i / c->height, y = i % c->height;
        if (write) {
            get(p, host(p, c->dst + z * c->dst_slice + y * c->dst_pitch),
                c->width);
        } else {
            put(p, host(p, c->src + z * c->src_slice + y * c->src_pitch),
                c->width);
        }
    }
}

static void within(parent *p, const tc_rt_copy *c, bool set) {
    for (uint64_t i = 0; i < c->depth * c->height; i++) {
        uint64_t z = i / c->height, y = i % c->height;
        char *to = host(p, c->dst + z * c->dst_slice + y * c->dst_pitch);
        if (set) {
            memset(to, (int)c->value, c->width);
        } else {
            memmove(to, host(p, c->src + z * c->src_slice + y * c->src_pitch),
                    c->width);
        }
    }
}

/* twice(p, n): 9 for a block of more than 1024 threads; a NULL p is the fault
 * of an illegal address. */
static int run(parent *p, const char *params) {
    uint64_t at;
    int n;
    memcpy(&at, params, 8);
    memcpy(&n, params + 8, 4);
    if (p->launch.block[0] > 1024) {
        return 9;
    }
    for (int i = 0; i < n && at != 0; i++) {
        int word;
        memcpy(&word, host(p, at) + 4 * i, 4);
        word *= 2;
        memcpy(host(p, at) + 4 * i, &word, 4);
    }
    strcat(p->printed, "twice\n");
    if (at == 0) {
        p->sticky = 700;
    }
    return 0;
}

static void function(parent *p, const char *name) {
    struct {
        tc_rt_function f;
        tc_rt_param params[2];
    } a = {.f = {.id = 7,
                 .nparams = 2,
                 .param_bytes = 12,
                 .registers = 20,
                 .max_threads = 1024,
                 .shared = 256},
           .params = {{0, 8}, {8, 4}}};
    answer(p, strcmp(name, "twice") == 0 ? 0 : 98, &a, sizeof a, -1);
}

/* The variable "table", of 64 bytes, and two managed ones of 16, "shared" and
 * "beside", which lie on one page. */
static void variable(parent *p, const char *name) {
    bool beside = strcmp(name, "beside") == 0;
    bool managed = beside || strcmp(name, "shared") == 0;
    tc_rt_variable v = {.bytes = managed ? 16 : 64, .managed = managed};
    if (!managed) {
        give(p, v.bytes, TC_RT_DEVICE, &v.address);
        answer(p, 0, &v, sizeof v, -1);
        return;
    }
    if (p->page == 0) {
        p->page_fd = give(p, 4096, TC_RT_MANAGED, &p->page);
    }
    v.map = p->page;
    v.map_bytes = 4096;
    v.address = p->page + (beside ? 0x210 : 0x200);
    answer(p, 0, &v, sizeof v, p->page_fd);
}

static void note(parent *p, const tc_rt_call *c, const char *payload) {
    tc_rt_note n;
    memcpy(&n, payload, sizeof n);
    bool reason = n.misuse == TC_RT_NOTE_FAILED && n.write; /* no misuse */
    if (p->nnotes < 64 && !reason) {
        memcpy(&p->notes[p->nnotes], payload, sizeof(tc_rt_note));
        p->note_where[p->nnotes++] = c->where;
        snprintf(p->note_text, sizeof p->note_text, "%.255s",
                 payload + sizeof(tc_rt_note));
    }
    answer(p, 0, NULL, 0, -1);
}

static const tc_rt_device the_device = {.name = "a device of the tests",
                                        .sm = 90,
                                        .multiprocessors = 10,
                                        .threads_sm = 2048,
                                        .threads_cta = 1024,
                                        .ctas_sm = 32,
                                        .registers_sm = 65536,
                                        .registers_cta = 65536,
                                        .clock_khz = 1980000,
                                        .driver_version = 13000,
                                        .runtime_version = 13000,
                                        .memory = DEVICE_BYTES,
                                        .memory_free = DEVICE_BYTES,
                                        .shared_cta = 49152,
                                        .shared_sm = 233472,
                                        .shared_optin = 232448};

static void serve_memory(parent *p, const tc_rt_call *c, char *payload) {
    tc_rt_alloc a;
    tc_rt_copy box;
    memcpy(&a, payload, sizeof a);
    memcpy(&box, payload, sizeof box);
    switch (c->name) {
    case TC_RT_ALLOC: {
        bool fits = a.bytes <= DEVICE_BYTES - p->used - 8192;
        int fd = fits ? give(p, a.bytes, a.kind, &a.address) : -1;
        answer(p, fits ? 0 : 2, &a, sizeof a, fd);
        if (fd >= 0) {
            close(fd);
        }
        break;
    }
    case TC_RT_WRITE:
        p->largest = c->bytes > p->largest ? c->bytes : p->largest;
        rows(p, &box, true);
        answer(p, p->sticky, NULL, 0, -1);
        break;
    case TC_RT_READ: {
        uint64_t n = box.width * box.height * box.depth;
        p->largest = n > p->largest ? n : p->largest;
        answer(p, p->sticky, NULL, p->sticky != 0 ? 0 : n, -1);
        if (p->sticky == 0) {
            rows(p, &box, false);
        }
        break;
    }
    case TC_RT_MOVE:
    case TC_RT_SET:
        within(p, &box, c->name == TC_RT_SET);
        answer(p, p->sticky, NULL, 0, -1);
        break;
    default: /* FREE, FIND */
        answer(p, c->name == TC_RT_FIND, NULL, 0, -1);
    }
}

static void serve_call(parent *p, const tc_rt_call *c, char *payload) {
    tc_rt_occupancy o;
    char map[128] = "a tensor map";
    memcpy(&o, payload, sizeof o);
    switch (c->name) {
    case TC_RT_HELLO:
        memcpy(&p->hello, payload, sizeof p->hello);
        answer(p, 0, &the_device, sizeof the_device, -1);
        break;
    case TC_RT_FUNCTION:
        function(p, payload);
        break;
    case TC_RT_VARIABLE:
        variable(p, payload);
        break;
    case TC_RT_LAUNCH:
        memcpy(&p->launch, payload, sizeof p->launch);
        p->launches[(p->counts[c->name] - 1) % 4] = p->launch;
        answer(p,
               p->sticky != 0 ? p->sticky : run(p, payload + sizeof p->launch),
               NULL, 0, -1);
        break;
    case TC_RT_SYNC:
        answer(p, p->sticky, p->printed, strlen(p->printed), -1);
        p->printed[0] = '\0';
        break;
    case TC_RT_TIME:
        p->ms += 1.5;
        answer(p, p->sticky, &p->ms, sizeof p->ms, -1);
        break;
    case TC_RT_OCCUPANCY: /* clusters of four CTAs fit, larger ones do not */
        o.ctas = o.cluster > 4 ? 0 : 2048 / o.block;
        answer(p, 0, &o, sizeof o, -1);
        break;
    case TC_RT_TENSOR_MAP:
        memcpy(map + 64, payload, 8); /* the address */
        answer(p, 0, map, sizeof map, -1);
        break;
    case TC_RT_NOTE:
        note(p, c, payload);
        break;
    case TC_RT_BYE:
        memcpy(&p->bye, payload, sizeof p->bye);
        p->said_bye = true;
        answer(p, 0, NULL, 0, -1);
        break;
    case TC_RT_RESET:
        p->sticky = 0;
        answer(p, 0, NULL, 0, -1);
        break;
    case TC_RT_LIMIT:
        answer(p, 0, NULL, 0, -1);
        break;
    default:
        serve_memory(p, c, payload);
    }
}

static void serve(parent *p) {
    tc_rt_call c;
    while (get(p, &c, sizeof c) && c.name < TC_RT_CALL_COUNT) {
        char payload[8192] = {0};
        uint64_t now = c.name == TC_RT_WRITE ? sizeof(tc_rt_copy) : c.bytes;
        p->counts[c.name]++;
        if (now >= sizeof payload || !get(p, payload, now) ||
            (int)c.name == p->close_at) {
            break;
        }
        serve_call(p, &c, payload);
    }
}

static void read_all(int fd, char *to) {
    ssize_t n = pread(fd, to, SAID - 1, 0);
    to[n > 0 ? n : 0] = '\0';
    close(fd);
}

/* Runs PROGRAM SCENARIO; without_parent: the environment does not name us. */
static void run_program(parent *p, const char *program, const char *scenario,
                        bool without_parent) {
    int ends[2], out = memfd_create("out", MFD_CLOEXEC),
                 err = memfd_create("err", MFD_CLOEXEC);
    p->memory = mmap(NULL, DEVICE_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)!socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", ends[1]);
        if (!without_parent) {
            setenv(TC_RT_FD_ENV, text, 1);
        }
        close(ends[0]);
        dup2(out, 1);
        dup2(err, 2);
        execl(program, program, scenario, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    p->fd = ends[0];
    serve(p);
    close(p->fd);
    waitpid(pid, &p->wait_status, 0);
    read_all(out, p->out);
    read_all(err, p->err);
    munmap(p->memory, DEVICE_BYTES);
}

#endif
