/* device_gpu_launch.c - launches on a GPU, and occupancy. */
#include "runtime/device_gpu.h"

#include <stdlib.h>
#include <string.h>

/* --- launching -------------------------------------------------------------*/

/* Where the parameters lie in the packed block. */
static uint32_t *offsets(const tc_gpu_side *g, const tc_sim_launch *l,
                         size_t *n) {
    const tc_ptx_func *f = tc_ptx_find_entry(g->options.module->ptx, l->entry);
    *n = f != NULL && f->nparams > 0 ? (size_t)f->nparams : 0;
    uint32_t *p = tc_xcalloc(*n + 1, sizeof *p);
    for (size_t i = 0; i < *n; i++) {
        p[i] = f->params[i].offset;
    }
    return p;
}

static tc_gpu_shape shape_of(const tc_sim_launch *l) {
    tc_gpu_shape s = {.dynamic_shared = l->dynamic_shared,
                      .cooperative = l->cooperative,
                      .nonportable = l->nonportable_cluster};
    for (int i = 0; i < 3; i++) {
        s.grid[i] = l->grid[i];
        s.block[i] = l->block[i];
        s.cluster[i] = i > 0 && l->cluster[i] == 0 ? 1 : l->cluster[i];
    }
    return s;
}

/* The error of the call that failed, or the one that stays. */
static void failed(tc_gpu_side *g, tc_device_launched *out) {
    out->error = g->error ? g->error : g->last;
    out->fault = g->error != 0;
    out->why = g->why;
}

void tc_gpu_run(tc_gpu_side *g, const tc_sim_launch *l,
                tc_device_launched *out) {
    tc_gpu_kernel k = {.name = l->entry,
                       .shape = shape_of(l),
                       .block = l->params,
                       .bytes = l->nparams,
                       .print = g->options.sim.print,
                       .print_user = g->options.sim.print_user};
    uint32_t *at = offsets(g, l, &k.nparams);
    k.offsets = at;
    g->last = 0;
    bool ok = tc_gpu_side_check(
        g, tc_remote_launch(g->gpu, &k, g->options.sim.cancel, &out->gpu_ms,
                            tc_gpu_side_why(g)));
    free(at);
    if (!ok) {
        failed(g, out);
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
        failed(g, out);
    }
}

/* --- occupancy -------------------------------------------------------------*/

uint32_t tc_gpu_side_occupancy(tc_device *d, const tc_ptx_func *f,
                               uint32_t block, uint64_t dynamic_shared,
                               uint32_t cluster) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    tc_gpu_shape s = {.block = {block, 1, 1},
                      .cluster = {cluster, 1, 1},
                      .dynamic_shared = (uint32_t)dynamic_shared,
                      .nonportable = cluster > 8};
    return tc_remote_occupancy(g->gpu, f->name, &s);
}
