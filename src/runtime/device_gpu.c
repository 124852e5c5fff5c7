/* device_gpu.c - the device that is a GPU, through its process (gpu/remote.h):
 * opening it, and what it tells about itself. */
#include "runtime/device_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tc_gpu_side *tc_gpu_side_of(tc_device *d) {
    return (tc_gpu_side *)d;
}

tc_gpu_complaint tc_gpu_side_why(tc_gpu_side *g) {
    return (tc_gpu_complaint){g->why, sizeof g->why};
}

/* CUresult's numbers are cudaError_t's. */
bool tc_gpu_side_check(tc_gpu_side *g, tc_cu_result r) {
    if (r == TC_CU_SUCCESS) {
        return true;
    }
    g->last = r;
    g->error = tc_remote_lost(g->gpu);
    return false;
}

/* --- opening ---------------------------------------------------------------*/

static void gpu_close(tc_device *d) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    if (g == NULL) {
        return;
    }
    tc_remote_leave(g->gpu);
    tc_arena_free(g->arena);
    free(g->memory);
    free(g);
}

static tc_device *gpu_open(const tc_device_options *o, char *why,
                           size_t why_size) {
    tc_gpu_complaint c = {why, why_size};
    tc_gpu_side *g = tc_xcalloc(1, sizeof *g);
    g->arena = tc_arena_new();
    g->options = *o;
    g->base = TC_RT_DEVICE_BASE;
    g->bytes = TC_RT_DEVICE_SIZE;
    g->gpu = tc_remote_enter(o->gpu, why, why_size);
    if (g->gpu != NULL && tc_remote_range(g->gpu, &g->base, &g->bytes, c) &&
        tc_gpu_load_module(g, c)) {
        return (tc_device *)g;
    }
    gpu_close((tc_device *)g);
    return NULL;
}

/* --- facts -----------------------------------------------------------------*/

static void gpu_facts(tc_device *d, tc_rt_device *out) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    const tc_gpu_device *about = tc_remote_device(g->gpu);
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", about->name);
    out->sm = about->sm;
    out->multiprocessors = about->multiprocessors;
    out->threads_sm = tc_remote_attribute(g->gpu, TC_CU_THREADS_SM);
    out->threads_cta = tc_remote_attribute(g->gpu, TC_CU_THREADS_CTA);
    out->ctas_sm = tc_remote_attribute(g->gpu, TC_CU_CTAS_SM);
    out->registers_sm = tc_remote_attribute(g->gpu, TC_CU_REGISTERS_SM);
    out->registers_cta = tc_remote_attribute(g->gpu, TC_CU_REGISTERS_CTA);
    out->clock_khz = tc_remote_attribute(g->gpu, TC_CU_CLOCK_KHZ);
    out->memory_clock_khz = tc_remote_attribute(g->gpu, TC_CU_MEMORY_CLOCK_KHZ);
    out->memory_bus_bits = tc_remote_attribute(g->gpu, TC_CU_MEMORY_BUS_BITS);
    out->l2_bytes = tc_remote_attribute(g->gpu, TC_CU_L2_BYTES);
    out->driver_version = about->driver_version;
    out->runtime_version = 13000;
    out->gpu = 1;
    tc_remote_memory(g->gpu, &out->memory_free, &out->memory);
    out->shared_cta = (uint64_t)tc_remote_attribute(g->gpu, TC_CU_SHARED_CTA);
    out->shared_sm = (uint64_t)tc_remote_attribute(g->gpu, TC_CU_SHARED_SM);
    out->shared_optin =
        (uint64_t)tc_remote_attribute(g->gpu, TC_CU_SHARED_OPTIN);
}

/* The same addresses as on the simulator, where the driver lets us. */
static uint64_t gpu_range(tc_device *d, uint64_t *bytes) {
    const tc_gpu_side *g = tc_gpu_side_of(d);
    *bytes = g->bytes - TC_DEVICE_OWN;
    return g->base + TC_DEVICE_OWN;
}

static void gpu_function(tc_device *d, const tc_ptx_func *f,
                         tc_rt_function *out) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    int v[TC_GPU_VALUES];
    if (!tc_gpu_side_check(
            g, tc_remote_function(g->gpu, f->name, v, tc_gpu_side_why(g)))) {
        return;
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
    uint8_t map[TC_GPU_MAP_BYTES];
    tc_gpu_map m = {.type = t->type,
                    .rank = (int)t->rank,
                    .interleave = t->interleave,
                    .swizzle = t->swizzle,
                    .l2_promotion = t->l2_promotion,
                    .oob_fill = t->oob_fill};
    memcpy(m.dims, t->dims, sizeof m.dims);
    memcpy(m.strides, t->strides, sizeof m.strides);
    memcpy(m.box, t->box, sizeof m.box);
    memcpy(m.element_strides, t->element_strides, sizeof m.element_strides);
    if (!tc_gpu_side_check(g, tc_remote_map(g->gpu, &m, t->address, map,
                                            tc_gpu_side_why(g)))) {
        return false;
    }
    memcpy(out, map, sizeof map);
    return true;
}

static double gpu_time_ms(tc_device *d) {
    return tc_remote_ms(tc_gpu_side_of(d)->gpu);
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
