/* serve_launch.c - kernels in the device process: what they are, launches, what
 * they print, occupancy; tensor maps. */
#include "gpu/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    ALIGN = 64,               /* of the parameters, of a tensor map */
    MOST_UNASKED = 48 * 1024, /* dynamic shared memory, see below */
    MOST_NAP_NS = 1000000
};

/* --- kernels ---------------------------------------------------------------*/

static bool find(tc_served *s, const char *name, tc_cu_function *f,
                 tc_gpu_answer *out) {
    char doing[320];
    snprintf(doing, sizeof doing, "finding the kernel \"%s\" on the GPU", name);
    return tc_served_ok(s, out,
                        s->driver.cu.module_function(f, s->module, name),
                        "cuModuleGetFunction", doing);
}

void tc_served_function(tc_served *s, const tc_gpu_request *ask,
                        const char *bytes, tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    tc_cu_function f = NULL;
    (void)ask;
    if (!find(s, bytes, &f, out)) {
        return;
    }
    for (int i = 0; i < TC_GPU_VALUES; i++) {
        if (cu->function_get == NULL ||
            cu->function_get(&out->values[i], i, f) != TC_CU_SUCCESS) {
            out->values[i] = 0;
        }
    }
}

/* Above 48 KiB, static and dynamic, a kernel must ask: CUDA C++ Programming
 * Guide, shared memory of compute capability 7.x and later. */
static bool must_ask(const tc_cu *cu, tc_cu_function f, uint32_t shared) {
    int most = 0;
    if (cu->function_get == NULL) {
        return shared > MOST_UNASKED;
    }
    return shared > 0 && (cu->function_get(&most, TC_CU_MAX_DYNAMIC_SHARED,
                                           f) != TC_CU_SUCCESS ||
                          (uint32_t)most < shared);
}

static bool set_attributes(tc_served *s, tc_cu_function f,
                           const tc_gpu_shape *p, tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    if (must_ask(cu, f, p->dynamic_shared) &&
        !tc_served_ok(s, out,
                      cu->function_set(f, TC_CU_MAX_DYNAMIC_SHARED,
                                       (int)p->dynamic_shared),
                      "cuFuncSetAttribute",
                      "asking for dynamic shared memory")) {
        return false;
    }
    return !p->nonportable ||
           tc_served_ok(
               s, out, cu->function_set(f, TC_CU_NON_PORTABLE_CLUSTER, 1),
               "cuFuncSetAttribute", "asking for clusters of more than 8 CTAs");
}

/* --- launching -------------------------------------------------------------*/

static bool start(tc_served *s, tc_cu_function f, const tc_gpu_shape *p,
                  void **params, tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    const uint32_t *n = p->grid, *b = p->block;
    const char *doing = "launching the kernel on the GPU";
    tc_cu_launch_attribute at[2];
    tc_cu_launch_config config = {.shared = p->dynamic_shared,
                                  .attributes = at};
    config.nattributes = tc_driver_attributes(at, p->cluster, p->cooperative);
    if (config.nattributes == 0) {
        return tc_served_ok(s, out,
                            cu->launch(f, n[0], n[1], n[2], b[0], b[1], b[2],
                                       p->dynamic_shared, NULL, params, NULL),
                            "cuLaunchKernel", doing);
    }
    if (cu->launch_ex == NULL) {
        tc_served_refuse(out, TC_CU_NOT_SUPPORTED,
                         "the NVIDIA driver has no cuLaunchKernelEx, which "
                         "clusters and cooperative launches need (CUDA 11.8)");
        return false;
    }
    memcpy(config.grid, n, sizeof config.grid);
    memcpy(config.block, b, sizeof config.block);
    return tc_served_ok(s, out, cu->launch_ex(&config, f, params, NULL),
                        "cuLaunchKernelEx", doing);
}

/* Polls: at once at first, then each millisecond. Who asked may go meanwhile,
 * and the kernel may never end. */
static tc_cu_result wait_for(const tc_served *s) {
    long nap = 1000;
    for (;;) {
        tc_cu_result r = s->driver.cu.event_query(s->to);
        if (r != TC_CU_NOT_READY) {
            return r;
        }
        if (tc_served_alone(s)) {
            raise(SIGKILL); /* exit() would wait for the kernel */
        }
        nanosleep(&(struct timespec){0, nap}, NULL);
        nap = nap < MOST_NAP_NS ? nap * 2 : MOST_NAP_NS;
    }
}

/* The driver prints the kernels' text to our standard output when the context
 * is waited for: a file, which whoever asked has too. */
static tc_cu_result flush(const tc_served *s, tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    tc_cu_result r =
        cu->synchronize != NULL ? cu->synchronize() : TC_CU_SUCCESS;
    fflush(stdout);
    off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    out->printed = end > 0 ? (uint64_t)end : 0;
    return r;
}

/* From the first event to the kernel's end, or to why it did not end well. */
static void execute(tc_served *s, tc_cu_function f, const tc_gpu_shape *p,
                    void **params, tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    const char *doing = "running the kernel on the GPU";
    float ms = 0;
    if (!tc_served_ok(s, out, cu->event_record(s->from, NULL), "cuEventRecord",
                      doing) ||
        !start(s, f, p, params, out) ||
        !tc_served_ok(s, out, cu->event_record(s->to, NULL), "cuEventRecord",
                      doing)) {
        return;
    }
    tc_cu_result r = wait_for(s), flushed = flush(s, out);
    bool ok = tc_served_ok(s, out, r, "cuEventQuery", doing) &&
              tc_served_ok(s, out, flushed, "cuCtxSynchronize", doing);
    out->fault |= !ok;
    if (ok && cu->event_elapsed(&ms, s->from, s->to) == TC_CU_SUCCESS) {
        out->ms = (double)ms;
    }
}

/* One pointer a parameter, into a block as the kernel has it. */
static void **point(const uint32_t *offsets, uint64_t n, uint8_t *block,
                    uint64_t bytes) {
    void **p = tc_xcalloc(n + 1, sizeof *p);
    for (uint64_t i = 0; i < n; i++) {
        p[i] = block + (offsets[i] < bytes ? offsets[i] : bytes);
    }
    return p;
}

void tc_served_launch(tc_served *s, const tc_gpu_request *ask,
                      const char *bytes, tc_gpu_answer *out) {
    tc_cu_function f = NULL;
    uint64_t offsets = ask->a * sizeof(uint32_t);
    const char *block = bytes + offsets, *name = block + ask->b;
    if (!find(s, name, &f, out) || !set_attributes(s, f, &ask->shape, out)) {
        return;
    }
    uint8_t *room = tc_xcalloc(ask->b + 2 * ALIGN, 1);
    uint8_t *params = room + (ALIGN - (uintptr_t)room % ALIGN) % ALIGN;
    memcpy(params, block, ask->b);
    void **p =
        point((const uint32_t *)(const void *)bytes, ask->a, params, ask->b);
    execute(s, f, &ask->shape, p, out);
    free(p);
    free(room);
}

/* --- occupancy, tensor maps ------------------------------------------------*/

void tc_served_occupancy(tc_served *s, const tc_gpu_request *ask,
                         const char *bytes, tc_gpu_answer *out) {
    const tc_cu *cu = &s->driver.cu;
    const tc_gpu_shape *p = &ask->shape;
    tc_cu_function f = NULL;
    int n = 0;
    if (!find(s, bytes, &f, out) || !set_attributes(s, f, p, out)) {
        return;
    }
    tc_cu_launch_attribute at[2];
    tc_cu_launch_config config = {
        .grid = {p->cluster[0], 1, 1},
        .block = {p->block[0], 1, 1},
        .shared = p->dynamic_shared,
        .attributes = at,
        .nattributes = tc_driver_attributes(at, p->cluster, false)};
    tc_cu_result r = TC_CU_NOT_SUPPORTED;
    if (p->cluster[0] > 1 && cu->max_clusters != NULL) {
        r = cu->max_clusters(&n, f, &config);
    } else if (p->cluster[0] <= 1 && cu->max_ctas != NULL) {
        r = cu->max_ctas(&n, f, (int)p->block[0], p->dynamic_shared);
    }
    out->a = r == TC_CU_SUCCESS && n > 0 ? (uint64_t)n : 0;
}

void tc_served_map(tc_served *s, const tc_gpu_request *ask, const char *bytes,
                   tc_gpu_answer *out) {
    const tc_gpu_map *m = &ask->map;
    const tc_cu *cu = &s->driver.cu;
    _Alignas(ALIGN) uint8_t map[TC_GPU_MAP_BYTES] = {0};
    (void)bytes;
    if (cu->tensor_map == NULL) {
        tc_served_refuse(out, TC_CU_NOT_SUPPORTED,
                         "the NVIDIA driver has no cuTensorMapEncodeTiled "
                         "(CUDA 12.0)");
    } else if (tc_served_ok(s, out,
                            cu->tensor_map(map, m->type, (unsigned)m->rank,
                                           ask->a, m->dims, m->strides, m->box,
                                           m->element_strides, m->interleave,
                                           m->swizzle, m->l2_promotion,
                                           m->oob_fill),
                            "cuTensorMapEncodeTiled", "making a tensor map")) {
        memcpy(out->map, map, sizeof map);
    }
}
