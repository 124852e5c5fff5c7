/* results.c - who writes what a launch is for. A CTA that only computes has no
 * part in it, whatever it computes. */
#include "sim/core/results.h"
#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

void tc_results_begin(tc_cta *c) {
    if (c->run->launch->nresults == 0) {
        return;
    }
    if (!c->wrote) {
        c->wrote = tc_xcalloc(c->nthreads + 1u, sizeof *c->wrote);
    }
    memset(c->wrote, 0, c->nthreads * sizeof *c->wrote);
}

void tc_results_free(tc_cta *c) {
    free(c->wrote);
    c->wrote = NULL;
}

void tc_results_end(tc_cta *c) {
    tc_sim_counters *n = &c->run->counters;
    uint64_t all = 0;
    for (uint32_t i = 0; c->wrote && i < c->nthreads; i++) {
        uint64_t own = c->wrote[i];
        all += own;
        n->result_most_thread =
            own > n->result_most_thread ? own : n->result_most_thread;
    }
    n->result_bytes += all;
    n->result_most_cta = all > n->result_most_cta ? all : n->result_most_cta;
}

static bool is_result(const tc_run *r, uint64_t address) {
    for (int i = 0; i < r->launch->nresults; i++) {
        if (address - r->launch->results[i].address <
            r->launch->results[i].bytes) {
            return true;
        }
    }
    return false;
}

void tc_results_stored(tc_warp *w, uint32_t mask, uint64_t address,
                       const uint64_t *addr, uint32_t bytes) {
    const tc_run *r = w->cta->run;
    uint64_t *wrote = w->cta->wrote;
    for (uint32_t m = wrote ? mask : 0; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first_bit(m);
        if (is_result(r, addr ? addr[i] : address + (uint64_t)i * bytes)) {
            wrote[w->index * TC_LANES + i] += bytes;
        }
    }
}

void tc_results_copied(tc_cta *c, uint64_t address, uint64_t bytes) {
    uint64_t each = (bytes + c->nthreads - 1) / c->nthreads;
    bool is = c->wrote && is_result(c->run, address);
    for (uint32_t i = 0; is && i < c->nthreads; i++) {
        c->wrote[i] += each;
    }
}
