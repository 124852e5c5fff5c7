/* serve.c - the device process: it answers one call after the other until its
 * socket is closed. */
#include "gpu/serve.h"
#include "gpu/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* --- answers ---------------------------------------------------------------*/

/* Errors after which the context takes no more calls (CUDA Runtime API,
 * cudaError: "leaves the process in an inconsistent state"). */
static bool is_sticky(tc_cu_result r) {
    static const int sticky[] = {214, 220, 226, 700, 702, 710, 714,
                                 715, 716, 717, 718, 719, 721, 999};
    for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++) {
        if (r == sticky[i]) {
            return true;
        }
    }
    return false;
}

bool tc_served_ok(tc_served *s, tc_gpu_answer *out, tc_cu_result r,
                  const char *api, const char *doing) {
    out->result = r;
    out->fault |= is_sticky(r);
    return tc_driver_check(&s->driver.cu, r, api, doing,
                           (tc_gpu_complaint){out->why, sizeof out->why});
}

void tc_served_refuse(tc_gpu_answer *out, tc_cu_result r, const char *why) {
    out->result = r;
    snprintf(out->why, sizeof out->why, "%s", why);
}

double tc_served_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* --- bytes -----------------------------------------------------------------*/

bool tc_served_alone(const tc_served *s) {
    char byte;
    return recv(s->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool read_all(int fd, void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        ssize_t n = recv(fd, at, bytes, 0);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* --- the device ------------------------------------------------------------*/

static void leave(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                  tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    (void)ask, (void)bytes, (void)out;
    if (s->from != NULL) {
        cu->event_destroy(s->from);
    }
    if (s->to != NULL) {
        cu->event_destroy(s->to);
    }
    if (s->module != NULL) {
        cu->module_unload(s->module);
    }
    s->from = s->to = NULL;
    s->module = NULL;
    tc_gpu_pages_close(&s->pages);
    tc_driver_leave(&s->driver);
    tc_gpu_queue_leave(&s->queue);
}

/* Until nobody is before us. False: who asked has gone meanwhile. */
static bool wait_turn(tc_served *s) {
    enum { LOOK_MS = 100 };
    char name[64];
    int said = 0, before;
    if (!tc_driver_name(&s->driver, name, sizeof name)) {
        return true;
    }
    tc_gpu_queue_join(&s->queue, name);
    while ((before = tc_gpu_queue_before(&s->queue)) > 0) {
        tc_gpu_answer wait = {.waits = true};
        snprintf(wait.why, sizeof wait.why,
                 "the GPU is in use; waiting: %d before you", before);
        if (tc_served_alone(s) ||
            (before != said && !write_all(s->socket, &wait, sizeof wait))) {
            return false;
        }
        said = before;
        nanosleep(&(struct timespec){0, LOOK_MS * 1000000L}, NULL);
    }
    return true;
}

static void enter(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                  tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    const char *doing = "preparing the GPU";
    tc_gpu_complaint c = {out->why, sizeof out->why};
    if (!tc_driver_find(&s->driver, c) || !wait_turn(s) ||
        !tc_driver_enter(&s->driver, c)) {
        out->result = TC_CU_NO_DEVICE;
        leave(s, ask, bytes, out);
    } else if (!tc_served_ok(s, out, cu->event_create(&s->from, 0),
                             "cuEventCreate", doing) ||
               !tc_served_ok(s, out, cu->event_create(&s->to, 0),
                             "cuEventCreate", doing)) {
        leave(s, ask, bytes, out);
    }
    out->info = s->driver.info;
}

static void attribute(tc_served *s, const tc_gpu_request *ask,
                      const char *bytes, tc_gpu_answer *out) {
    int value = 0;
    (void)bytes;
    tc_cu_result r =
        s->driver.cu.device_attribute(&value, (int)ask->a, s->driver.device);
    out->a = r == TC_CU_SUCCESS && value > 0 ? (uint64_t)value : 0;
}

static void memory(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                   tc_gpu_answer *out) {
    size_t left = 0, all = 0;
    (void)ask, (void)bytes;
    if (s->driver.cu.memory_info != NULL &&
        s->driver.cu.memory_info(&left, &all) == TC_CU_SUCCESS) {
        out->a = left;
        out->b = all;
    }
}

/* --- modules ---------------------------------------------------------------*/

static void unload(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                   tc_gpu_answer *out) {
    (void)ask, (void)bytes, (void)out;
    if (s->module != NULL) {
        s->driver.cu.module_unload(s->module);
    }
    s->module = NULL;
}

static void load(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                 tc_gpu_answer *out) {
    tc_gpu_complaint c = {out->why, sizeof out->why};
    unload(s, ask, bytes, out);
    memset(s->staging, 0, TC_GPU_LOG);
    out->result = tc_driver_load(&s->driver, bytes, &s->module,
                                 (char *)s->staging, TC_GPU_LOG, c);
    out->fault |= is_sticky(out->result);
}

static void symbol(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                   tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    size_t size = 0;
    (void)ask;
    out->result = cu->module_global == NULL || s->module == NULL
                      ? TC_CU_NOT_SUPPORTED
                      : cu->module_global(&out->a, &size, s->module, bytes);
    out->b = size;
}

/* --- memory ----------------------------------------------------------------*/

static void alloc(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                  tc_gpu_answer *out) {
    (void)bytes;
    tc_served_ok(s, out, s->driver.cu.memory_alloc(&out->a, ask->a),
                 "cuMemAlloc", "allocating a buffer on the GPU");
}

static void release(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                    tc_gpu_answer *out) {
    (void)bytes, (void)out;
    s->driver.cu.memory_free(ask->a);
}

static void put(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                tc_gpu_answer *out) {
    double since = tc_served_now_ms();
    (void)bytes;
    tc_cu_result r = s->driver.cu.copy_in(ask->a, s->staging, ask->b);
    out->ms = tc_served_now_ms() - since;
    tc_served_ok(s, out, r, "cuMemcpyHtoD", "copying to the GPU");
}

static void get(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                tc_gpu_answer *out) {
    double since = tc_served_now_ms();
    (void)bytes;
    tc_cu_result r = s->driver.cu.copy_out(s->staging, ask->a, ask->b);
    out->ms = tc_served_now_ms() - since;
    tc_served_ok(s, out, r, "cuMemcpyDtoH", "copying back from the GPU");
}

/* A copy on the device goes on behind its call: it has ended after this. */
static void end_copy(tc_served *s, tc_gpu_answer *out, tc_cu_result r,
                     const char *api, double since) {
    const char *doing = "copying on the GPU";
    bool ok = tc_served_ok(s, out, r, api, doing);
    if (ok) {
        r = s->driver.cu.synchronize();
    }
    out->ms = tc_served_now_ms() - since;
    if (ok) {
        tc_served_ok(s, out, r, "cuCtxSynchronize", doing);
    }
}

static void fill(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                 tc_gpu_answer *out) {
    double since = tc_served_now_ms();
    (void)bytes;
    tc_cu_result r =
        s->driver.cu.memory_set(ask->a, (unsigned char)ask->c, ask->b);
    end_copy(s, out, r, "cuMemsetD8", since);
}

static void move(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                 tc_gpu_answer *out) {
    double since = tc_served_now_ms();
    (void)bytes;
    tc_cu_result r = s->driver.cu.memory_move(ask->a, ask->b, ask->c);
    end_copy(s, out, r, "cuMemcpyDtoD", since);
}

/* --- memory at addresses that are chosen -----------------------------------*/

static bool has_functions(const tc_cu *cu) {
    return cu->synchronize != NULL && cu->memory_set != NULL &&
           cu->memory_move != NULL && cu->function_get != NULL &&
           cu->memory_info != NULL;
}

static void range(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                  tc_gpu_answer *out) {
    tc_gpu_complaint c = {out->why, sizeof out->why};
    (void)bytes;
    if (!has_functions(&s->driver.cu)) {
        tc_served_refuse(out, TC_CU_NOT_SUPPORTED,
                         "the NVIDIA driver lacks functions of CUDA 11, which "
                         "CUDA programs need");
    } else if (!tc_gpu_pages_open(&s->pages, &s->driver, ask->a, ask->b, c)) {
        out->result = TC_CU_NOT_SUPPORTED;
    }
    out->a = s->pages.base;
    out->b = s->pages.bytes;
}

static void use(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                tc_gpu_answer *out) {
    (void)bytes;
    tc_served_ok(s, out, tc_gpu_pages_use(&s->pages, ask->a, ask->b),
                 "cuMemCreate", "allocating memory on the GPU");
}

static void drop(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                 tc_gpu_answer *out) {
    (void)bytes, (void)out;
    tc_gpu_pages_drop(&s->pages, ask->a, ask->b);
}

/* --- the process -----------------------------------------------------------*/

static void answer(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                   tc_gpu_answer *out) {
    static tc_serve_call *const calls[TC_GPU_CALL_COUNT] = {
        [TC_GPU_ENTER] = enter,
        [TC_GPU_LEAVE] = leave,
        [TC_GPU_ATTRIBUTE] = attribute,
        [TC_GPU_MEMORY] = memory,
        [TC_GPU_LOAD] = load,
        [TC_GPU_UNLOAD] = unload,
        [TC_GPU_SYMBOL] = symbol,
        [TC_GPU_FUNCTION] = tc_served_function,
        [TC_GPU_ALLOC] = alloc,
        [TC_GPU_FREE] = release,
        [TC_GPU_PUT] = put,
        [TC_GPU_GET] = get,
        [TC_GPU_FILL] = fill,
        [TC_GPU_MOVE] = move,
        [TC_GPU_MAP] = tc_served_map,
        [TC_GPU_LAUNCH] = tc_served_launch,
        [TC_GPU_OCCUPANCY] = tc_served_occupancy,
        [TC_GPU_RANGE] = range,
        [TC_GPU_USE] = use,
        [TC_GPU_DROP] = drop,
    };
    if (s->driver.context == NULL && ask->call != TC_GPU_ENTER) {
        tc_served_refuse(out, TC_CU_INVALID_VALUE, "the GPU is not open");
    } else {
        calls[ask->call](s, ask, bytes, out);
    }
}

static bool serve_one(tc_served *s) {
    tc_gpu_request ask;
    tc_gpu_answer out = {0};
    if (!read_all(s->socket, &ask, sizeof ask) ||
        ask.call >= TC_GPU_CALL_COUNT) {
        return false;
    }
    char *bytes = tc_xmalloc(ask.bytes + 1);
    bool ok = read_all(s->socket, bytes, ask.bytes);
    if (ok) {
        bytes[ask.bytes] = '\0';
        answer(s, &ask, bytes, &out);
        ok = write_all(s->socket, &out, sizeof out);
    }
    free(bytes);
    return ok;
}

/* It ends with the process that started it: by its socket, and where it waits
 * for the driver meanwhile, by the signal. */
bool tc_gpu_process(int argc, char **argv, int *status) {
    bool relay = argc == 3 && strcmp(argv[1], TC_GPU_RELAY) == 0;
    if (argc == 2 && strcmp(argv[1], TC_GPU_WORKER) == 0) {
        *status = tc_gpu_worker();
        return true;
    }
    if (!relay && (argc != 2 || strcmp(argv[1], TC_GPU_ARGUMENT) != 0)) {
        return false;
    }
    *status = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(TC_GPU_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(TC_GPU_STAGING_FD, F_SETFD, FD_CLOEXEC);
    if (relay) {
        *status = tc_gpu_relay(argv[2]);
        return true;
    }
    void *staging = mmap(NULL, TC_GPU_STAGING, PROT_READ | PROT_WRITE,
                         MAP_SHARED, TC_GPU_STAGING_FD, 0);
    if (staging == MAP_FAILED) {
        return true;
    }
    tc_served s = {
        .socket = TC_GPU_SOCKET, .staging = staging, .queue = {-1, 0}};
    bool ok = write_all(s.socket, TC_GPU_HELLO, sizeof TC_GPU_HELLO);
    while (ok && serve_one(&s)) {
    }
    munmap(staging, TC_GPU_STAGING);
    *status = 0;
    return true;
}
