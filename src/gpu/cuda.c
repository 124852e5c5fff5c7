/* cuda.c - one kernel, its buffers and its module, on the GPU. */
#include "gpu/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void cuda_describe(const tc_gpu *g, tc_gpu_device *out) {
    *out = *tc_remote_device(g);
}

/* What one run holds on the device, and the parameters' block: each at a
 * multiple of ALIGN, which is enough for a tensor map. */
typedef struct job {
    tc_gpu *g;
    tc_gpu_launch *l;
    tc_gpu_complaint c;
    uint64_t *addresses; /* one an argument; 0: not a buffer, or empty */
    uint32_t *offsets;
    uint8_t *block;
    size_t bytes;
} job;

enum { ALIGN = TC_GPU_MAP_ALIGN };

static size_t size_of(const tc_gpu_arg *a) {
    return a->map != NULL ? (size_t)TC_GPU_MAP_BYTES
           : a->buffer    ? sizeof(uint64_t)
                          : a->bytes;
}

static void lay_out(job *j) {
    size_t n = j->l->nargs > 0 ? (size_t)j->l->nargs : 0;
    j->addresses = tc_xcalloc(n, sizeof *j->addresses);
    j->offsets = tc_xcalloc(n, sizeof *j->offsets);
    for (size_t i = 0; i < n; i++) {
        j->offsets[i] = (uint32_t)j->bytes;
        j->bytes += (size_of(&j->l->args[i]) + ALIGN - 1) / ALIGN * ALIGN;
    }
    j->block = tc_xcalloc(j->bytes, 1);
}

static bool copy_in(job *j) {
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_arg *a = &j->l->args[i];
        uint8_t *to = j->block + j->offsets[i];
        if (a->map != NULL) {
            continue;
        }
        if (!a->buffer) {
            memcpy(to, a->data, a->bytes);
            continue;
        }
        if (a->bytes > 0 &&
            (tc_remote_alloc(j->g, a->bytes, &j->addresses[i], j->c) != 0 ||
             tc_remote_put(j->g, j->addresses[i], a->data, a->bytes, j->c) !=
                 0)) {
            return false;
        }
        memcpy(to, &j->addresses[i], sizeof j->addresses[i]);
    }
    return true;
}

/* After the buffers have their addresses. */
static bool make_maps(job *j) {
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_map *m = j->l->args[i].map;
        if (m != NULL &&
            tc_remote_map(j->g, m, j->addresses[m->buffer],
                          j->block + j->offsets[i], j->c) != TC_CU_SUCCESS) {
            return false;
        }
    }
    return true;
}

static bool copy_back(job *j) {
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_arg *a = &j->l->args[i];
        if (j->addresses[i] != 0 &&
            tc_remote_get(j->g, a->data, j->addresses[i], a->bytes, j->c) !=
                TC_CU_SUCCESS) {
            return false;
        }
    }
    return true;
}

static bool launch(job *j, const atomic_int *cancel, double *ms) {
    const tc_gpu_launch *l = j->l;
    tc_gpu_kernel k = {.name = l->entry,
                       .shape = l->shape,
                       .block = j->block,
                       .bytes = j->bytes,
                       .offsets = j->offsets,
                       .nparams = l->nargs > 0 ? (size_t)l->nargs : 0,
                       .print = l->print,
                       .print_user = l->print_user};
    const uint32_t *n = l->shape.cluster;
    k.shape.nonportable = n[0] * n[1] * n[2] > 8;
    return tc_remote_launch(j->g, &k, cancel, ms, j->c) == TC_CU_SUCCESS;
}

static void release(job *j) {
    for (int i = 0; i < j->l->nargs; i++) {
        if (j->addresses[i] != 0) {
            tc_remote_free(j->g, j->addresses[i]);
        }
    }
    tc_remote_unload(j->g);
    free(j->addresses);
    free(j->offsets);
    free(j->block);
}

static bool cuda_run(tc_gpu *g, tc_gpu_launch *l, const atomic_int *cancel,
                     tc_gpu_result *out, char *why, size_t why_size) {
    job j = {.g = g, .l = l, .c = {why, why_size}};
    memset(out, 0, sizeof *out);
    lay_out(&j);
    bool ok = tc_remote_load(g, l->ptx, strlen(l->ptx), out->jit_log, j.c) ==
                  TC_CU_SUCCESS &&
              copy_in(&j) && make_maps(&j) &&
              launch(&j, cancel, &out->kernel_ms) && copy_back(&j);
    release(&j);
    return ok;
}

const tc_gpu_vtable tc_gpu_cuda = {
    .name = "cuda",
    .open = tc_remote_enter,
    .close = tc_remote_leave,
    .describe = cuda_describe,
    .run = cuda_run,
};
