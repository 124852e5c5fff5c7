/* device_gpu.c - the device that is a GPU, over the CUDA driver: opening it,
 * and what it tells about itself. */
#include "runtime/device_gpu.h"
#include "sim/tensormap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tc_gpu_side *tc_gpu_side_of(tc_device *d) {
    return (tc_gpu_side *)d;
}

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

/* CUresult's numbers are cudaError_t's. */
bool tc_gpu_side_check(tc_gpu_side *g, tc_cu_result r, const char *api,
                       const char *doing) {
    tc_gpu_complaint c = {g->why, sizeof g->why};
    if (r == TC_CU_SUCCESS) {
        return true;
    }
    tc_gpu_check(&g->gpu->cu, r, api, doing, c);
    g->last = r;
    g->error = is_sticky(r) ? r : g->error;
    return false;
}

/* --- opening ---------------------------------------------------------------*/

static void gpu_close(tc_device *d) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    if (g == NULL) {
        return;
    }
    if (g->gpu != NULL && !g->gpu->lost) {
        const tc_cu *cu = &g->gpu->cu;
        if (g->from != NULL) {
            cu->event_destroy(g->from);
        }
        if (g->to != NULL) {
            cu->event_destroy(g->to);
        }
        if (g->module != NULL) {
            cu->module_unload(g->module);
        }
    }
    if (g->gpu != NULL && g->error != 0) {
        tc_gpu_drop_context(g->gpu); /* a dead one refuses to unmap */
    }
    tc_gpu_pages_close(&g->pages);
    tc_gpu_leave(g->gpu);
    tc_arena_free(g->arena);
    free(g->memory);
    free(g);
}

static bool has_functions(tc_gpu_side *g, tc_gpu_complaint c) {
    const tc_cu *cu = &g->gpu->cu;
    if (cu->synchronize != NULL && cu->memory_set != NULL &&
        cu->memory_move != NULL && cu->function_get != NULL &&
        cu->memory_info != NULL) {
        return true;
    }
    snprintf(c.why, c.size,
             "the NVIDIA driver lacks functions of CUDA 11, which CUDA "
             "programs need");
    return false;
}

static tc_device *gpu_open(const tc_device_options *o, char *why,
                           size_t why_size) {
    tc_gpu_complaint c = {why, why_size};
    tc_gpu_side *g = tc_xcalloc(1, sizeof *g);
    g->arena = tc_arena_new();
    g->options = *o;
    g->gpu = tc_gpu_enter(why, why_size);
    const tc_cu *cu = g->gpu != NULL ? &g->gpu->cu : NULL;
    const char *doing = "preparing the GPU";
    if (g->gpu != NULL && has_functions(g, c) &&
        tc_gpu_pages_open(&g->pages, g->gpu, TC_RT_DEVICE_BASE,
                          TC_RT_DEVICE_SIZE, c) &&
        tc_gpu_check(cu, cu->event_create(&g->from, 0), "cuEventCreate", doing,
                     c) &&
        tc_gpu_check(cu, cu->event_create(&g->to, 0), "cuEventCreate", doing,
                     c) &&
        tc_gpu_load_module(g, c)) {
        return (tc_device *)g;
    }
    gpu_close((tc_device *)g);
    return NULL;
}

/* --- facts -----------------------------------------------------------------*/

static int attribute(const tc_gpu_side *g, int which) {
    int value = 0;
    bool ok = g->gpu->cu.device_attribute(&value, which, g->gpu->device) ==
              TC_CU_SUCCESS;
    return ok ? value : 0;
}

static void gpu_facts(tc_device *d, tc_rt_device *out) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    size_t unused = 0, all = 0;
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", g->gpu->info.name);
    out->sm = g->gpu->info.sm;
    out->multiprocessors = g->gpu->info.multiprocessors;
    out->threads_sm = attribute(g, TC_CU_THREADS_SM);
    out->threads_cta = attribute(g, TC_CU_THREADS_CTA);
    out->ctas_sm = attribute(g, TC_CU_CTAS_SM);
    out->registers_sm = attribute(g, TC_CU_REGISTERS_SM);
    out->registers_cta = attribute(g, TC_CU_REGISTERS_CTA);
    out->clock_khz = attribute(g, TC_CU_CLOCK_KHZ);
    out->memory_clock_khz = attribute(g, TC_CU_MEMORY_CLOCK_KHZ);
    out->memory_bus_bits = attribute(g, TC_CU_MEMORY_BUS_BITS);
    out->l2_bytes = attribute(g, TC_CU_L2_BYTES);
    out->driver_version = g->gpu->info.driver_version;
    out->runtime_version = 13000;
    out->gpu = 1;
    g->gpu->cu.memory_info(&unused, &all);
    out->memory = all;
    out->memory_free = unused;
    out->shared_cta = (uint64_t)attribute(g, TC_CU_SHARED_CTA);
    out->shared_sm = (uint64_t)attribute(g, TC_CU_SHARED_SM);
    out->shared_optin = (uint64_t)attribute(g, TC_CU_SHARED_OPTIN);
}

/* The same addresses as on the simulator, where the driver lets us. */
static uint64_t gpu_range(tc_device *d, uint64_t *bytes) {
    const tc_gpu_side *g = tc_gpu_side_of(d);
    *bytes = g->pages.bytes - TC_DEVICE_OWN;
    return g->pages.base + TC_DEVICE_OWN;
}

static void gpu_function(tc_device *d, const tc_ptx_func *f,
                         tc_rt_function *out) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    tc_cu_function function = NULL;
    int v[TC_CU_F_BINARY_VERSION + 1] = {0};
    if (g->error != 0 || !tc_gpu_kernel(g, f->name, &function)) {
        return;
    }
    for (int i = 0; i <= TC_CU_F_BINARY_VERSION; i++) {
        if (g->gpu->cu.function_get(&v[i], i, function) != TC_CU_SUCCESS) {
            v[i] = 0;
        }
    }
    out->registers = (uint32_t)v[TC_CU_F_REGISTERS];
    out->max_threads = (uint32_t)v[TC_CU_F_THREADS];
    out->ptx_version = (uint32_t)v[TC_CU_F_PTX_VERSION];
    out->binary_version = (uint32_t)v[TC_CU_F_BINARY_VERSION];
    out->shared = (uint64_t)v[TC_CU_F_SHARED];
    out->local = (uint64_t)v[TC_CU_F_LOCAL];
    out->constant = (uint64_t)v[TC_CU_F_CONST];
    for (int i = 0; i < 3; i++) { /* of the text: the driver tells it late */
        out->cluster[i] =
            f->reqcluster[0] && !f->reqcluster[i] ? 1 : f->reqcluster[i];
    }
}

static bool gpu_symbol(tc_device *d, const tc_ptx_symbol *y,
                       uint64_t *address) {
    const tc_gpu_side *g = tc_gpu_side_of(d);
    for (int i = 0; i < g->nmemory; i++) {
        const tc_gpu_memory *x = &g->memory[i];
        if (x->symbol && strcmp(x->m.name, y->name) == 0) {
            *address = x->m.address;
            return true;
        }
    }
    return false;
}

static bool gpu_tensor_map(tc_device *d, const tc_rt_tensor_map *t, void *out) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    _Alignas(TC_TENSOR_MAP_ALIGN) uint8_t map[TC_TENSOR_MAP_BYTES] = {0};
    if (g->gpu->cu.tensor_map == NULL ||
        !tc_gpu_side_check(
            g,
            g->gpu->cu.tensor_map(map, t->type, (unsigned)t->rank, t->address,
                                  t->dims, t->strides, t->box,
                                  t->element_strides, t->interleave, t->swizzle,
                                  t->l2_promotion, t->oob_fill),
            "cuTensorMapEncodeTiled", "making a tensor map")) {
        return false;
    }
    memcpy(out, map, sizeof map);
    return true;
}

static double gpu_time_ms(tc_device *d) {
    return tc_gpu_side_of(d)->ms;
}

static tc_trace *gpu_take_trace(tc_device *d) {
    (void)d;
    return NULL;
}

static tc_sim *gpu_sim(tc_device *d) {
    (void)d;
    return NULL;
}

const tc_device_vtable tc_device_gpu = {
    .name = "gpu",
    .open = gpu_open,
    .close = gpu_close,
    .facts = gpu_facts,
    .range = gpu_range,
    .function = gpu_function,
    .symbol = gpu_symbol,
    .alloc = tc_gpu_alloc,
    .free = tc_gpu_free,
    .write = tc_gpu_write,
    .read = tc_gpu_read,
    .move = tc_gpu_move,
    .set = tc_gpu_set,
    .launch = tc_gpu_side_launch,
    .occupancy = tc_gpu_side_occupancy,
    .tensor_map = gpu_tensor_map,
    .time_ms = gpu_time_ms,
    .take_trace = gpu_take_trace,
    .sim = gpu_sim,
};
