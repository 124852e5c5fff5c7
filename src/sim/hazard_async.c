/* hazard_async.c - the checker's view of asynchronous operations, mbarriers,
 * clusters and proxies. */
#include "sim/hazard.h"

tc_hz_agent *tc_hazard_agent(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_hz_proxy proxy) {
    (void)w, (void)op, (void)lane, (void)proxy;
    return NULL;
}

void tc_hazard_agent_access(tc_hz_agent *g, tc_cta *owner, tc_ptx_space space,
                            uint64_t address, uint32_t bytes, bool store) {
    (void)g, (void)owner, (void)space, (void)address, (void)bytes, (void)store;
}

void tc_hazard_agent_signals(tc_hz_agent *g, tc_cta *owner, uint32_t offset,
                             uint32_t phase) {
    (void)g, (void)owner, (void)offset, (void)phase;
}

void tc_hazard_agent_waited(tc_hz_agent *g, tc_warp *w, const tc_ptx_op *op,
                            uint32_t lanes, bool read_only) {
    (void)g, (void)w, (void)op, (void)lanes, (void)read_only;
}

void tc_hazard_agent_free(tc_hz_agent *g) {
    (void)g;
}

void tc_hazard_mbarrier_init(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset) {
    (void)w, (void)op, (void)lane, (void)owner, (void)offset;
}

void tc_hazard_mbarrier_inval(tc_warp *w, const tc_ptx_op *op, int lane,
                              tc_cta *owner, uint32_t offset) {
    (void)w, (void)op, (void)lane, (void)owner, (void)offset;
}

void tc_hazard_mbarrier_arrive(tc_warp *w, const tc_ptx_op *op, int lane,
                               tc_cta *owner, uint32_t offset, uint32_t phase) {
    (void)w, (void)op, (void)lane, (void)owner, (void)offset, (void)phase;
}

void tc_hazard_mbarrier_copies(tc_warp *w, const tc_ptx_op *op, int lane,
                               tc_cta *owner, uint32_t offset, uint32_t phase) {
    (void)w, (void)op, (void)lane, (void)owner, (void)offset, (void)phase;
}

void tc_hazard_mbarrier_wait(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase) {
    (void)w, (void)op, (void)lane, (void)owner, (void)offset, (void)phase;
}

void tc_hazard_cluster_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

void tc_hazard_cluster_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

void tc_hazard_proxy_fence(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

void tc_hazard_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    (void)w, (void)op, (void)space, (void)mask, (void)addr, (void)bytes;
}

void tc_hazard_barrier_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                              uint32_t id) {
    (void)w, (void)op, (void)mask, (void)id;
}

void tc_hazard_remote(tc_warp *w, const tc_ptx_op *op, int lane, tc_cta *owner,
                      uint64_t offset, uint32_t bytes) {
    (void)w, (void)op, (void)lane, (void)owner, (void)offset, (void)bytes;
}
