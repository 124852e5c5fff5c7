/* remote.c - asking the device process. */
#include "gpu/remote.h"
#include "base/buf.h"
#include "gpu/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tc_gpu {
    tc_gpu_host *host;
    bool own; /* the host */
    tc_gpu_device info;
    double ms;
    tc_cu_result lost; /* not 0: every call's answer */
    char why[640];     /* what was said then */
};

static const tc_gpu_complaint UNSAID = {NULL, 0};

static void say(tc_gpu_complaint c, const char *why) {
    if (c.why != NULL) {
        snprintf(c.why, c.size, "%s", why);
    }
}

/* --- exchanges -------------------------------------------------------------*/

static void lose(tc_gpu *g, tc_cu_result r, const char *why) {
    g->lost = r;
    snprintf(g->why, sizeof g->why, "%s", why);
}

static void lose_process(tc_gpu *g) {
    char how[128] = "", why[192];
    tc_gpu_host_end(g->host, true, (tc_gpu_complaint){how, sizeof how});
    snprintf(why, sizeof why, "the GPU's process %s", how);
    lose(g, TC_CU_UNKNOWN, why);
}

/* The answer, if there is one; else the GPU is lost, and the answer empty. */
static void hear(tc_gpu *g, tc_gpu_answer *out, const atomic_int *cancel) {
    tc_gpu_heard heard;
    while ((heard = tc_gpu_host_receive(g->host, out, sizeof *out, cancel)) ==
               TC_GPU_HEARD &&
           out->waits) {
        out->why[sizeof out->why - 1] = '\0';
        if (g->host->waits != NULL) {
            g->host->waits(g->host->waits_user, out->why);
        }
    }
    if (heard == TC_GPU_HEARD) {
        if (out->fault) {
            lose(g, out->result, out->why);
        }
        return;
    }
    memset(out, 0, sizeof *out);
    if (heard == TC_GPU_CANCELLED) {
        tc_gpu_host_end(g->host, true, UNSAID);
        lose(g, TC_CU_LAUNCH_TIMEOUT,
             "the kernel was stopped while it was still running on the GPU");
    } else {
        lose_process(g);
    }
}

static tc_cu_result ask_with(tc_gpu *g, tc_gpu_request *ask, const void *bytes,
                             const atomic_int *cancel, tc_gpu_answer *out,
                             tc_gpu_complaint c) {
    memset(out, 0, sizeof *out);
    if (g->lost == 0) {
        if (tc_gpu_host_send(g->host, ask, sizeof *ask) &&
            tc_gpu_host_send(g->host, bytes, ask->bytes)) {
            hear(g, out, cancel);
        } else {
            lose_process(g);
        }
        g->ms += out->ms;
    }
    if (g->lost != 0) {
        out->result = g->lost;
        say(c, g->why);
    } else if (out->result != TC_CU_SUCCESS) {
        say(c, out->why);
    }
    return out->result;
}

static tc_cu_result ask(tc_gpu *g, tc_gpu_call call, uint64_t a, uint64_t b,
                        uint64_t c, tc_gpu_answer *out, tc_gpu_complaint why) {
    tc_gpu_request x = {.call = call, .a = a, .b = b, .c = c};
    return ask_with(g, &x, NULL, NULL, out, why);
}

static tc_cu_result ask_name(tc_gpu *g, tc_gpu_call call, const char *name,
                             const tc_gpu_shape *shape, tc_gpu_answer *out,
                             tc_gpu_complaint why) {
    tc_gpu_request x = {.call = call, .bytes = strlen(name)};
    if (shape != NULL) {
        x.shape = *shape;
    }
    return ask_with(g, &x, name, NULL, out, why);
}

/* --- opening ---------------------------------------------------------------*/

/* One that does not open has nothing more to say in its process: a driver that
 * is not there now may be there for the next. */
static bool enter(tc_gpu *g, tc_gpu_complaint c) {
    tc_gpu_answer out;
    if (!tc_gpu_host_start(g->host, c)) {
        return false;
    }
    tc_gpu_request x = {.call = TC_GPU_ENTER};
    if (ask_with(g, &x, NULL, g->host->cancel, &out, c) != TC_CU_SUCCESS) {
        if (g->host->cancel != NULL && *g->host->cancel != 0) {
            say(c, "stopped while it was waiting for the GPU");
        }
        lose(g, out.result, "");
        return false;
    }
    g->info = out.info;
    return true;
}

/* A process that had served before, and is found dead now, was killed while it
 * had nothing to do: nothing is lost. */
tc_gpu *tc_remote_enter(tc_gpu_host *h, char *why, size_t why_size) {
    tc_gpu_complaint c = {why, why_size};
    if (h != NULL && h->serves) {
        say(c, "the GPU is open already, and its process serves one at a time");
        return NULL;
    }
    tc_gpu *g = tc_xcalloc(1, sizeof *g);
    g->own = h == NULL;
    g->host = h != NULL ? h : tc_gpu_host_new();
    bool before = g->host->pid != 0, ok = enter(g, c);
    if (!ok && before && g->host->pid == 0) {
        g->lost = 0;
        ok = enter(g, c);
    }
    if (!ok) {
        tc_remote_leave(g);
        return NULL;
    }
    g->host->serves = true;
    return g;
}

void tc_remote_leave(tc_gpu *g) {
    tc_gpu_answer out;
    if (g == NULL) {
        return;
    }
    if (g->host->pid != 0) {
        ask(g, TC_GPU_LEAVE, 0, 0, 0, &out, UNSAID);
    }
    if (g->lost != 0) {
        tc_gpu_host_end(g->host, true, UNSAID);
    }
    g->host->serves = false;
    if (g->own) {
        tc_gpu_host_free(g->host);
    }
    free(g);
}

const tc_gpu_device *tc_remote_device(const tc_gpu *g) {
    return &g->info;
}

tc_cu_result tc_remote_lost(const tc_gpu *g) {
    return g->lost;
}

double tc_remote_ms(const tc_gpu *g) {
    return g->ms;
}

int tc_remote_attribute(tc_gpu *g, int which) {
    tc_gpu_answer out;
    ask(g, TC_GPU_ATTRIBUTE, (uint64_t)which, 0, 0, &out, UNSAID);
    return (int)out.a;
}

void tc_remote_memory(tc_gpu *g, uint64_t *left, uint64_t *all) {
    tc_gpu_answer out;
    ask(g, TC_GPU_MEMORY, 0, 0, 0, &out, UNSAID);
    *left = out.a;
    *all = out.b;
}

/* --- the module ------------------------------------------------------------*/

tc_cu_result tc_remote_load(tc_gpu *g, const void *image, size_t bytes,
                            char *log, tc_gpu_complaint c) {
    tc_gpu_answer out;
    tc_gpu_request x = {.call = TC_GPU_LOAD, .bytes = bytes};
    *log = '\0';
    ask_with(g, &x, image, NULL, &out, c);
    if (g->host->staging != NULL) {
        memcpy(log, g->host->staging, TC_GPU_LOG);
        log[TC_GPU_LOG - 1] = '\0';
    }
    return out.result;
}

void tc_remote_unload(tc_gpu *g) {
    tc_gpu_answer out;
    ask(g, TC_GPU_UNLOAD, 0, 0, 0, &out, UNSAID);
}

bool tc_remote_symbol(tc_gpu *g, const char *name, uint64_t *address,
                      uint64_t *bytes) {
    tc_gpu_answer out;
    ask_name(g, TC_GPU_SYMBOL, name, NULL, &out, UNSAID);
    *address = out.a;
    *bytes = out.b;
    return out.result == TC_CU_SUCCESS && out.a != 0;
}

tc_cu_result tc_remote_function(tc_gpu *g, const char *name,
                                int values[TC_GPU_VALUES], tc_gpu_complaint c) {
    tc_gpu_answer out;
    ask_name(g, TC_GPU_FUNCTION, name, NULL, &out, c);
    memcpy(values, out.values, sizeof out.values);
    return out.result;
}

uint32_t tc_remote_occupancy(tc_gpu *g, const char *name,
                             const tc_gpu_shape *shape) {
    tc_gpu_answer out;
    ask_name(g, TC_GPU_OCCUPANCY, name, shape, &out, UNSAID);
    return (uint32_t)out.a;
}

/* --- memory ----------------------------------------------------------------*/

tc_cu_result tc_remote_alloc(tc_gpu *g, size_t bytes, uint64_t *address,
                             tc_gpu_complaint c) {
    tc_gpu_answer out;
    ask(g, TC_GPU_ALLOC, bytes, 0, 0, &out, c);
    *address = out.a;
    return out.result;
}

void tc_remote_free(tc_gpu *g, uint64_t address) {
    tc_gpu_answer out;
    ask(g, TC_GPU_FREE, address, 0, 0, &out, UNSAID);
}

static size_t piece(size_t bytes) {
    return bytes < TC_GPU_STAGING ? bytes : TC_GPU_STAGING;
}

/* A piece at a time through pages that stay in the caches: one copy more than
 * the driver's own. */
tc_cu_result tc_remote_put(tc_gpu *g, uint64_t to, const void *from,
                           size_t bytes, tc_gpu_complaint c) {
    tc_gpu_answer out = {.result = TC_CU_SUCCESS};
    for (size_t at = 0; at < bytes && out.result == TC_CU_SUCCESS;) {
        size_t n = piece(bytes - at);
        if (g->lost == 0) {
            memcpy(g->host->staging, (const char *)from + at, n);
        }
        ask(g, TC_GPU_PUT, to + at, n, 0, &out, c);
        at += n;
    }
    return out.result;
}

tc_cu_result tc_remote_get(tc_gpu *g, void *to, uint64_t from, size_t bytes,
                           tc_gpu_complaint c) {
    tc_gpu_answer out = {.result = TC_CU_SUCCESS};
    for (size_t at = 0; at < bytes && out.result == TC_CU_SUCCESS;) {
        size_t n = piece(bytes - at);
        if (ask(g, TC_GPU_GET, from + at, n, 0, &out, c) == TC_CU_SUCCESS) {
            memcpy((char *)to + at, g->host->staging, n);
        }
        at += n;
    }
    return out.result;
}

tc_cu_result tc_remote_fill(tc_gpu *g, uint64_t to, uint8_t value, size_t bytes,
                            tc_gpu_complaint c) {
    tc_gpu_answer out;
    return ask(g, TC_GPU_FILL, to, bytes, value, &out, c);
}

tc_cu_result tc_remote_move(tc_gpu *g, uint64_t to, uint64_t from, size_t bytes,
                            tc_gpu_complaint c) {
    tc_gpu_answer out;
    return ask(g, TC_GPU_MOVE, to, from, bytes, &out, c);
}

bool tc_remote_range(tc_gpu *g, uint64_t *base, uint64_t *bytes,
                     tc_gpu_complaint c) {
    tc_gpu_answer out;
    ask(g, TC_GPU_RANGE, *base, *bytes, 0, &out, c);
    *base = out.a;
    *bytes = out.b;
    return out.result == TC_CU_SUCCESS;
}

tc_cu_result tc_remote_use(tc_gpu *g, uint64_t address, uint64_t bytes,
                           tc_gpu_complaint c) {
    tc_gpu_answer out;
    return ask(g, TC_GPU_USE, address, bytes, 0, &out, c);
}

void tc_remote_drop(tc_gpu *g, uint64_t address, uint64_t bytes) {
    tc_gpu_answer out;
    ask(g, TC_GPU_DROP, address, bytes, 0, &out, UNSAID);
}

/* --- launches --------------------------------------------------------------*/

tc_cu_result tc_remote_map(tc_gpu *g, const tc_gpu_map *m, uint64_t address,
                           uint8_t out[TC_GPU_MAP_BYTES], tc_gpu_complaint c) {
    tc_gpu_request x = {.call = TC_GPU_MAP, .a = address, .map = *m};
    tc_gpu_answer got;
    ask_with(g, &x, NULL, NULL, &got, c);
    memcpy(out, got.map, sizeof got.map);
    return got.result;
}

/* Without print the text goes where the driver of a program without a device
 * process had put it. */
static void print(const tc_gpu_kernel *k, const char *text, size_t n) {
    if (k->print != NULL) {
        k->print(k->print_user, text, n);
    } else {
        fwrite(text, 1, n, stdout);
    }
}

/* What kernels have printed since the last time; the file, whose end both
 * processes have, begins anew. */
static void take_printed(tc_gpu *g, const tc_gpu_kernel *k, uint64_t bytes) {
    char text[4096];
    uint64_t at = 0;
    int fd = g->host->printed;
    while (at < bytes) {
        ssize_t n = pread(fd, text, sizeof text, (off_t)at);
        if (n <= 0) {
            break;
        }
        print(k, text, (size_t)n);
        at += (uint64_t)n;
    }
    if (bytes > 0 && ftruncate(fd, 0) == 0) {
        lseek(fd, 0, SEEK_SET);
    }
}

tc_cu_result tc_remote_launch(tc_gpu *g, const tc_gpu_kernel *k,
                              const atomic_int *cancel, double *ms,
                              tc_gpu_complaint c) {
    tc_buf bytes = TC_BUF_INIT;
    tc_gpu_answer out;
    tc_buf_write(&bytes, (const char *)k->offsets,
                 k->nparams * sizeof *k->offsets);
    tc_buf_write(&bytes, k->block, k->bytes);
    tc_buf_puts(&bytes, k->name);
    tc_gpu_request x = {.call = TC_GPU_LAUNCH,
                        .a = k->nparams,
                        .b = k->bytes,
                        .bytes = bytes.len,
                        .shape = k->shape};
    ask_with(g, &x, bytes.data, cancel, &out, c);
    tc_buf_free(&bytes);
    take_printed(g, k, out.printed);
    *ms = out.ms;
    return out.result;
}
