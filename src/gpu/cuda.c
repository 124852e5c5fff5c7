#include "gpu/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void cuda_describe(const tc_gpu *g, tc_gpu_device *out) {
    *out = g->info;
}

enum { MAP_BYTES = 128, MAP_ALIGN = 64 }; /* CUtensorMap */

/* What one run holds on the device. */
typedef struct job {
    tc_gpu *g;
    tc_gpu_launch *l;
    tc_gpu_complaint c;
    tc_cu_module module;
    tc_cu_function function;
    tc_cu_event from, to;
    tc_cu_address *addresses; /* one an argument; 0: not a buffer, or empty */
    void **params;
    uint8_t *maps; /* 128 bytes an argument, and one argument more */
} job;

static bool load_module(job *j, tc_gpu_result *out) {
    return tc_gpu_load(j->g, j->l->ptx, &j->module, out->jit_log,
                       sizeof out->jit_log, j->c) == TC_CU_SUCCESS;
}

static bool find_function(job *j) {
    const tc_cu *cu = &j->g->cu;
    char doing[320];
    snprintf(doing, sizeof doing, "finding the kernel \"%s\" in the module",
             j->l->entry);
    if (!tc_gpu_check(cu,
                      cu->module_function(&j->function, j->module, j->l->entry),
                      "cuModuleGetFunction", doing, j->c)) {
        return false;
    }
    /* Above 48 KiB a kernel must ask: CUDA C++ Programming Guide, shared
     * memory of compute capability 7.x and later. */
    return j->l->dynamic_shared <= 48 * 1024 ||
           tc_gpu_check(cu,
                        cu->function_set(j->function, TC_CU_MAX_DYNAMIC_SHARED,
                                         (int)j->l->dynamic_shared),
                        "cuFuncSetAttribute",
                        "asking for dynamic shared memory", j->c);
}

static bool copy_in(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_arg *a = &j->l->args[i];
        j->params[i] = a->buffer ? (void *)&j->addresses[i] : a->data;
        if (!a->buffer || a->bytes == 0) {
            continue;
        }
        if (!tc_gpu_check(cu, cu->memory_alloc(&j->addresses[i], a->bytes),
                          "cuMemAlloc", "allocating a buffer on the GPU",
                          j->c)) {
            j->addresses[i] = 0;
            return false;
        }
        if (!tc_gpu_check(cu, cu->copy_in(j->addresses[i], a->data, a->bytes),
                          "cuMemcpyHtoD", "copying a buffer to the GPU",
                          j->c)) {
            return false;
        }
    }
    return true;
}

/* After the buffers have their addresses. */
static bool make_maps(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_map *m = j->l->args[i].map;
        if (m == NULL) {
            continue;
        }
        if (cu->tensor_map == NULL) {
            snprintf(j->c.why, j->c.size,
                     "the NVIDIA driver has no cuTensorMapEncodeTiled (CUDA "
                     "12.0)");
            return false;
        }
        uintptr_t at = (uintptr_t)(j->maps + (size_t)i * MAP_BYTES);
        j->params[i] = j->maps + (size_t)i * MAP_BYTES +
                       (MAP_ALIGN - at % MAP_ALIGN) % MAP_ALIGN;
        if (!tc_gpu_check(
                cu,
                cu->tensor_map(j->params[i], m->type, (unsigned)m->rank,
                               j->addresses[m->buffer], m->dims, m->strides,
                               m->box, m->element_strides, m->interleave,
                               m->swizzle, m->l2_promotion, m->oob_fill),
                "cuTensorMapEncodeTiled", "making a tensor map", j->c)) {
            return false;
        }
    }
    return true;
}

static bool copy_back(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_arg *a = &j->l->args[i];
        if (j->addresses[i] != 0 &&
            !tc_gpu_check(cu, cu->copy_out(a->data, j->addresses[i], a->bytes),
                          "cuMemcpyDtoH", "copying a buffer back from the GPU",
                          j->c)) {
            return false;
        }
    }
    return true;
}

/* In clusters, or with all CTAs at once. */
static bool launch_ex(job *j) {
    const tc_gpu_launch *l = j->l;
    const tc_cu *cu = &j->g->cu;
    if (cu->launch_ex == NULL) {
        snprintf(j->c.why, j->c.size,
                 "the NVIDIA driver has no cuLaunchKernelEx, which %s need "
                 "(CUDA 11.8)",
                 l->cluster[0] != 0 ? "clusters" : "cooperative launches");
        return false;
    }
    tc_cu_launch_attribute attributes[2];
    tc_cu_launch_config config = {.shared = l->dynamic_shared,
                                  .attributes = attributes};
    config.nattributes =
        tc_gpu_attributes(attributes, l->cluster, l->cooperative);
    memcpy(config.grid, l->grid, sizeof config.grid);
    memcpy(config.block, l->block, sizeof config.block);
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] > 8 &&
        !tc_gpu_check(
            cu, cu->function_set(j->function, TC_CU_NON_PORTABLE_CLUSTER, 1),
            "cuFuncSetAttribute", "asking for a cluster of more than 8 CTAs",
            j->c)) {
        return false;
    }
    return tc_gpu_check(cu,
                        cu->launch_ex(&config, j->function, j->params, NULL),
                        "cuLaunchKernelEx", "launching the kernel", j->c);
}

static bool launch(job *j) {
    const tc_gpu_launch *l = j->l;
    const tc_cu *cu = &j->g->cu;
    if (!tc_gpu_check(cu, cu->event_create(&j->from, 0), "cuEventCreate",
                      "preparing the launch", j->c) ||
        !tc_gpu_check(cu, cu->event_create(&j->to, 0), "cuEventCreate",
                      "preparing the launch", j->c) ||
        !tc_gpu_check(cu, cu->event_record(j->from, NULL), "cuEventRecord",
                      "preparing the launch", j->c)) {
        return false;
    }
    bool ok =
        l->cluster[0] != 0 || l->cooperative
            ? launch_ex(j)
            : tc_gpu_check(cu,
                           cu->launch(j->function, l->grid[0], l->grid[1],
                                      l->grid[2], l->block[0], l->block[1],
                                      l->block[2], l->dynamic_shared, NULL,
                                      j->params, NULL),
                           "cuLaunchKernel", "launching the kernel", j->c);
    return ok && tc_gpu_check(cu, cu->event_record(j->to, NULL),
                              "cuEventRecord", "waiting for the kernel", j->c);
}

static bool wait_for_kernel(job *j, const volatile int *cancel) {
    bool cancelled = false;
    tc_cu_result r = tc_gpu_wait(j->g, j->to, cancel, &cancelled);
    if (cancelled) {
        snprintf(j->c.why, j->c.size,
                 "stopped while the kernel was still running; the GPU is "
                 "busy with it until this program ends");
        return false;
    }
    return tc_gpu_check(&j->g->cu, r, "cuEventQuery", "running the kernel",
                        j->c);
}

/* After an abandoned kernel cuMemFree and cuModuleUnload would wait for it:
 * what it holds on the device is left to the end of the process. */
static void release(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; !j->g->lost && i < j->l->nargs; i++) {
        if (j->addresses[i] != 0) {
            cu->memory_free(j->addresses[i]);
        }
    }
    if (j->from != NULL && !j->g->lost) {
        cu->event_destroy(j->from);
    }
    if (j->to != NULL && !j->g->lost) {
        cu->event_destroy(j->to);
    }
    if (j->module != NULL && !j->g->lost) {
        cu->module_unload(j->module);
    }
    free(j->addresses);
    free(j->params);
    free(j->maps);
}

static bool cuda_run(tc_gpu *g, tc_gpu_launch *l, const volatile int *cancel,
                     tc_gpu_result *out, char *why, size_t why_size) {
    memset(out, 0, sizeof *out);
    job j = {.g = g, .l = l, .c = {why, why_size}};
    if (g->lost) {
        snprintf(why, why_size,
                 "the GPU is still busy with a kernel that was "
                 "stopped earlier; leave and start again");
        return false;
    }
    size_t n = l->nargs > 0 ? (size_t)l->nargs : 0;
    j.addresses = tc_xcalloc(n, sizeof *j.addresses);
    j.params = tc_xcalloc(n, sizeof *j.params);
    j.maps = tc_xcalloc(n + 1, MAP_BYTES);
    float ms = 0;
    bool ok = tc_gpu_check(&g->cu, g->cu.context_set(g->context),
                           "cuCtxSetCurrent", "using the GPU", j.c) &&
              load_module(&j, out) && find_function(&j) && copy_in(&j) &&
              make_maps(&j) && launch(&j) && wait_for_kernel(&j, cancel) &&
              copy_back(&j) &&
              tc_gpu_check(&g->cu, g->cu.event_elapsed(&ms, j.from, j.to),
                           "cuEventElapsedTime", "measuring the kernel", j.c);
    out->kernel_ms = (double)ms;
    release(&j);
    return ok;
}

const tc_gpu_vtable tc_gpu_cuda = {
    .name = "cuda",
    .open = tc_gpu_enter,
    .close = tc_gpu_leave,
    .describe = cuda_describe,
    .run = cuda_run,
};
