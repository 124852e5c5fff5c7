/* cta.c - storage of a CTA that executes: registers, shared and local memory.
 */
#include "sim/core/results.h"
#include "sim/core/run.h"
#include "sim/core/slab.h"
#include <stdlib.h>
#include <string.h>

static void init_warp(tc_cta *c, tc_warp *w, uint32_t i) {
    uint32_t left = c->nthreads - i * TC_LANES;
    w->cta = c;
    w->index = i;
    w->valid = left >= TC_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    tc_slab *slab = c->run->slab;
    w->core = slab ? tc_slab_take(slab, sizeof *w->core)
                   : tc_xmalloc(sizeof *w->core);
    memset(w->core, 0, sizeof *w->core);
    w->core->split = &w->core->one;
    tc_frames_init(w);
}

static size_t local_size(const tc_cta *c) {
    return (size_t)c->nwarps * TC_LANES * c->local_bytes;
}

void tc_cta_init(tc_cta *c, tc_run *r) {
    const uint32_t *b = r->launch->block;
    memset(c, 0, sizeof *c);
    c->run = r;
    c->ncluster = 1;
    c->nthreads = b[0] * b[1] * b[2];
    c->nwarps = (c->nthreads + TC_LANES - 1) / TC_LANES;
    c->shared_bytes = r->shared_bytes;
    c->local_bytes = tc_stack_bytes(r->module, r->func);
    c->shared = tc_xcalloc(c->shared_bytes + 1u, 1);
    c->local = tc_zeros_new(local_size(c));
    c->warps = tc_xcalloc(c->nwarps, sizeof *c->warps);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        init_warp(c, &c->warps[i], i);
    }
}

void tc_cta_start(tc_cta *c, uint32_t index) {
    const tc_ptx_func *f = c->run->func;
    const uint32_t *g = c->run->launch->grid;
    c->index = index;
    c->id[0] = index % g[0];
    c->id[1] = index / g[0] % g[1];
    c->id[2] = index / g[0] / g[1];
    c->nlive = c->nwarps;
    c->ended = c->waits = false;
    memset(c->barriers, 0, sizeof c->barriers);
    memset(c->shared, 0, c->shared_bytes);
    tc_zeros_again(c->local, local_size(c));
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp_start(&c->warps[i], f->begin);
    }
    tc_results_begin(c);
    c->run->hooks->cta_start(c);
}

void tc_cluster_finish(tc_cta *ctas, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ctas[i].run->hooks->cta_drain(&ctas[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        ctas[i].run->hooks->cta_finish(&ctas[i]);
        tc_results_end(&ctas[i]);
        ctas[i].nlive = 0;
    }
}

void tc_cta_bind(tc_cta *ctas, tc_cta **peers, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        peers[i] = &ctas[i];
        ctas[i].peers = peers;
        ctas[i].ncluster = n;
        ctas[i].rank = i;
    }
}

/* 2.2.2: x goes fastest, among clusters and within them. */
uint32_t tc_cta_index(const tc_run *r, uint32_t cluster, uint32_t rank) {
    const uint32_t *g = r->launch->grid, *c = r->cluster;
    uint32_t nx = g[0] / c[0], ny = g[1] / c[1];
    uint32_t x = cluster % nx * c[0] + rank % c[0];
    uint32_t y = cluster / nx % ny * c[1] + rank / c[0] % c[1];
    uint32_t z = cluster / nx / ny * c[2] + rank / c[0] / c[1];
    return x + g[0] * (y + g[1] * z);
}

uint64_t tc_cta_bytes(const tc_run *r) {
    const uint32_t *b = r->launch->block;
    const tc_ptx_func *f = r->func;
    uint64_t warps = ((uint64_t)b[0] * b[1] * b[2] + TC_LANES - 1) / TC_LANES;
    uint64_t regs =
        f->n32 * 4ull + f->n64 * 8ull + 16 + tc_stack_bytes(r->module, f);
    return r->shared_bytes + warps * (sizeof(tc_warp_core) + regs * TC_LANES);
}

void tc_cta_free(tc_cta *c) {
    if (c->run) {
        c->run->hooks->cta_free(c);
    }
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp *w = &c->warps[i];
        tc_frames_free(w);
        tc_warp_free(w);
        if (!c->run->slab) {
            free(w->core->ready);
            free(w->core);
        }
    }
    tc_results_free(c);
    free(c->warps);
    free(c->shared);
    tc_zeros_free(c->local, local_size(c));
}
