/* device_gpu_launch.c - launches on a GPU, what they print, and occupancy. */
#include "runtime/device_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LAUNCH_TIMEOUT = 702 }; /* cudaErrorLaunchTimeout */

/* --- what kernels print ----------------------------------------------------*/

/* The driver prints a kernel's text to our standard output when the context is
 * waited for. Meanwhile that is a file of ours, whose text goes to print. */
typedef struct capture {
    int file, before;
} capture;

static capture begin_capture(const tc_gpu_side *g) {
    capture c = {-1, -1};
    if (g->options.sim.print == NULL) {
        return c;
    }
    fflush(stdout);
    c.file = memfd_create("printed", MFD_CLOEXEC);
    c.before = c.file >= 0 ? dup(STDOUT_FILENO) : -1;
    if (c.before < 0 || dup2(c.file, STDOUT_FILENO) < 0) {
        if (c.file >= 0) {
            close(c.file);
        }
        c.file = -1;
    }
    return c;
}

static void end_capture(const tc_gpu_side *g, capture c) {
    char text[4096];
    ssize_t n;
    if (c.file < 0) {
        return;
    }
    fflush(stdout);
    dup2(c.before, STDOUT_FILENO);
    close(c.before);
    lseek(c.file, 0, SEEK_SET);
    while ((n = read(c.file, text, sizeof text)) > 0) {
        g->options.sim.print(g->options.sim.print_user, text, (size_t)n);
    }
    close(c.file);
}

/* Prints what is to be printed; CUDA's error. */
static tc_cu_result flush(tc_gpu_side *g) {
    capture c = begin_capture(g);
    tc_cu_result r = g->gpu->cu.synchronize();
    end_capture(g, c);
    return r;
}

/* --- launching -------------------------------------------------------------*/

/* What the host asked of the kernel, and the launch needs. */
static bool set_attributes(tc_gpu_side *g, tc_cu_function f,
                           const tc_sim_launch *l) {
    const tc_cu *cu = &g->gpu->cu;
    int most = 0;
    if (l->dynamic_shared > 0 &&
        (cu->function_get(&most, TC_CU_MAX_DYNAMIC_SHARED, f) !=
             TC_CU_SUCCESS ||
         (uint32_t)most < l->dynamic_shared) &&
        !tc_gpu_side_check(g,
                           cu->function_set(f, TC_CU_MAX_DYNAMIC_SHARED,
                                            (int)l->dynamic_shared),
                           "cuFuncSetAttribute",
                           "asking for dynamic shared memory")) {
        return false;
    }
    return !l->nonportable_cluster ||
           tc_gpu_side_check(
               g, cu->function_set(f, TC_CU_NON_PORTABLE_CLUSTER, 1),
               "cuFuncSetAttribute", "asking for clusters of more than 8 CTAs");
}

/* One pointer a parameter, into the packed block. */
static void **pointers(const tc_gpu_side *g, const tc_sim_launch *l) {
    const tc_ptx_func *f = tc_ptx_find_entry(g->options.module->ptx, l->entry);
    int n = f != NULL ? f->nparams : 0;
    void **p = tc_xcalloc((size_t)n + 1, sizeof *p);
    for (int i = 0; i < n; i++) {
        uint32_t at = f->params[i].offset;
        p[i] = (uint8_t *)(uintptr_t)l->params +
               (at <= l->nparams ? at : l->nparams);
    }
    return p;
}

static tc_cu_result start(tc_gpu_side *g, tc_cu_function f,
                          const tc_sim_launch *l, void **params) {
    const tc_cu *cu = &g->gpu->cu;
    const uint32_t *n = l->grid, *b = l->block;
    tc_cu_launch_attribute attributes[2];
    uint32_t cluster[3] = {l->cluster[0], l->cluster[1] ? l->cluster[1] : 1,
                           l->cluster[2] ? l->cluster[2] : 1};
    tc_cu_launch_config config = {.shared = l->dynamic_shared,
                                  .attributes = attributes};
    config.nattributes = tc_gpu_attributes(attributes, cluster, l->cooperative);
    if (config.nattributes == 0) {
        return cu->launch(f, n[0], n[1], n[2], b[0], b[1], b[2],
                          l->dynamic_shared, NULL, params, NULL);
    }
    if (cu->launch_ex == NULL) {
        return TC_CU_NOT_SUPPORTED;
    }
    memcpy(config.grid, n, sizeof config.grid);
    memcpy(config.block, b, sizeof config.block);
    return cu->launch_ex(&config, f, params, NULL);
}

/* From the first event to the kernel's end, or to why it did not end well. */
static bool execute(tc_gpu_side *g, tc_cu_function f, const tc_sim_launch *l,
                    tc_device_launched *out) {
    const tc_cu *cu = &g->gpu->cu;
    const char *doing = "running the kernel on the GPU";
    bool cancelled = false;
    float ms = 0;
    void **params = pointers(g, l);
    bool ok = tc_gpu_side_check(g, cu->event_record(g->from, NULL),
                                "cuEventRecord", doing) &&
              tc_gpu_side_check(g, start(g, f, l, params), "cuLaunchKernelEx",
                                "launching the kernel on the GPU") &&
              tc_gpu_side_check(g, cu->event_record(g->to, NULL),
                                "cuEventRecord", doing);
    free(params);
    if (!ok) {
        return false;
    }
    tc_cu_result r =
        tc_gpu_wait(g->gpu, g->to, g->options.sim.cancel, &cancelled);
    if (cancelled) {
        g->error = LAUNCH_TIMEOUT;
        snprintf(g->why, sizeof g->why,
                 "stopped while the kernel was still running on the GPU, which "
                 "is busy with it until this program ends");
        return false;
    }
    tc_cu_result printed = flush(g);
    r = r == TC_CU_SUCCESS ? printed : r;
    if (!tc_gpu_side_check(g, r, "cuCtxSynchronize", doing)) {
        g->error = g->error ? g->error : r;
        return false;
    }
    cu->event_elapsed(&ms, g->from, g->to);
    out->gpu_ms = (double)ms;
    g->ms += (double)ms;
    return true;
}

void tc_gpu_run(tc_gpu_side *g, const tc_sim_launch *l,
                tc_device_launched *out) {
    tc_cu_function f = NULL;
    g->last = 0;
    bool ok = g->error == 0 && tc_gpu_kernel(g, l->entry, &f) &&
              set_attributes(g, f, l) && execute(g, f, l, out);
    if (!ok) {
        out->error = g->error ? g->error : g->last;
        out->fault = g->error != 0;
        out->why = g->why;
    }
}

void tc_gpu_side_launch(tc_device *d, const tc_sim_launch *l,
                        tc_device_launched *out) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    memset(out, 0, sizeof *out);
    bool ok = tc_gpu_put_shared(g);
    if (ok) {
        tc_gpu_run(g, l, out);
        ok = out->error != 0 || tc_gpu_take_shared(g);
    }
    if (!ok) {
        out->error = g->error ? g->error : g->last;
        out->fault = g->error != 0;
        out->why = g->why;
    }
}

/* --- occupancy -------------------------------------------------------------*/

uint32_t tc_gpu_side_occupancy(tc_device *d, const tc_ptx_func *f,
                               uint32_t block, uint64_t dynamic_shared,
                               uint32_t cluster) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    const tc_cu *cu = &g->gpu->cu;
    tc_cu_function function = NULL;
    tc_sim_launch l = {.dynamic_shared = (uint32_t)dynamic_shared,
                       .nonportable_cluster = cluster > 8};
    int n = 0;
    if (g->error != 0 || !tc_gpu_kernel(g, f->name, &function) ||
        !set_attributes(g, function, &l)) {
        return 0;
    }
    if (cluster <= 1) {
        bool ok = cu->max_ctas != NULL &&
                  cu->max_ctas(&n, function, (int)block, dynamic_shared) ==
                      TC_CU_SUCCESS;
        return ok && n > 0 ? (uint32_t)n : 0;
    }
    tc_cu_launch_attribute at[2];
    uint32_t dims[3] = {cluster, 1, 1};
    tc_cu_launch_config config = {.grid = {cluster, 1, 1},
                                  .block = {block, 1, 1},
                                  .shared = l.dynamic_shared,
                                  .attributes = at,
                                  .nattributes =
                                      tc_gpu_attributes(at, dims, false)};
    bool ok = cu->max_clusters != NULL &&
              cu->max_clusters(&n, function, &config) == TC_CU_SUCCESS;
    return ok && n > 0 ? (uint32_t)n : 0;
}
