/* limits.c - what makes a launch impossible or ends it, and the error that the
 * runtime answers with. Which error it is: an H200's answers (CUDA 13.0, driver 580;
 * tests/gpu/runtime-h200.txt). The limits: CUDA C++ Programming Guide,
 * technical specifications per compute capability. */
#include "base/target.h"
#include "runtime/serve.h"
#include <stdio.h>

/* The error, with its reason for somebody who reads it. */
__attribute__((format(printf, 3, 4))) static int
refuse(char why[TC_REFUSAL], int error, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, TC_REFUSAL, fmt, ap);
    va_end(ap);
    return error;
}

/* Threads that the kernel is bounded to, of .maxntid; 0: it is not. */
static uint64_t bound_of(const tc_ptx_func *f) {
    uint64_t n = f->maxntid[0];
    for (int i = 1; i < 3; i++) {
        n *= f->maxntid[i] ? f->maxntid[i] : 1;
    }
    return n;
}

static int check_bounds(const tc_ptx_func *f, const tc_rt_function *facts,
                        const uint32_t *b, uint64_t n, char why[TC_REFUSAL]) {
    uint64_t bound = bound_of(f);
    if (bound && n > bound) {
        return refuse(why, TC_CUDA_INVALID_VALUE,
                      "the kernel's __launch_bounds__ are %llu threads a "
                      "block, and this block has %llu",
                      (unsigned long long)bound, (unsigned long long)n);
    }
    for (int i = 0; i < 3 && f->reqntid[0]; i++) {
        uint32_t want = f->reqntid[i] ? f->reqntid[i] : 1;
        if (b[i] != want) {
            return refuse(why, TC_CUDA_INVALID_VALUE,
                          "the kernel requires blocks of another shape "
                          "(.reqntid: %u in dimension %d, not %u)",
                          want, i, b[i]);
        }
    }
    return facts->max_threads && n > facts->max_threads
               ? refuse(why, TC_CUDA_LAUNCH_OUT_OF_RESOURCES,
                        "the kernel takes %u registers a thread, which lets "
                        "a block have %u threads, not %llu",
                        facts->registers, facts->max_threads,
                        (unsigned long long)n)
               : TC_CUDA_SUCCESS;
}

static int check_block(const tc_rt_device *d, const tc_ptx_func *f,
                       const tc_rt_function *facts, const uint32_t *b,
                       char why[TC_REFUSAL]) {
    uint64_t n = (uint64_t)b[0] * b[1];
    n = n > UINT32_MAX ? n : n * b[2];
    if (b[0] == 0 || b[1] == 0 || b[2] == 0) {
        return refuse(why, TC_CUDA_INVALID_VALUE,
                      "a block of no threads: (%u, %u, %u)", b[0], b[1], b[2]);
    }
    if (b[0] > 1024 || b[1] > 1024 || b[2] > 64) {
        return refuse(why, TC_CUDA_INVALID_VALUE,
                      "a block of (%u, %u, %u) threads: at most 1024 in x and "
                      "y, and 64 in z",
                      b[0], b[1], b[2]);
    }
    if (n > (uint64_t)d->threads_cta) {
        return refuse(why, TC_CUDA_INVALID_VALUE,
                      "a block of %llu threads: at most %d",
                      (unsigned long long)n, d->threads_cta);
    }
    return check_bounds(f, facts, b, n, why);
}

static int check_grid(const uint32_t *g, char why[TC_REFUSAL]) {
    if (g[0] == 0 || g[1] == 0 || g[2] == 0) {
        return refuse(why, TC_CUDA_INVALID_VALUE,
                      "a grid of no blocks: (%u, %u, %u)", g[0], g[1], g[2]);
    }
    return g[0] > INT32_MAX || g[1] > 65535 || g[2] > 65535
               ? refuse(why, TC_CUDA_INVALID_VALUE,
                        "a grid of (%u, %u, %u) blocks: at most 2147483647 in "
                        "x, and 65535 in y and z",
                        g[0], g[1], g[2])
               : TC_CUDA_SUCCESS;
}

static int check_cluster(const tc_rt_device *d, const tc_ptx_func *f,
                         const tc_sim_launch *l, const tc_kernel_limits *limits,
                         char why[TC_REFUSAL]) {
    const uint32_t *of = l->cluster, *req = f->reqcluster;
    const int bad = TC_CUDA_INVALID_CLUSTER_SIZE;
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t want = req[i] ? req[i] : 1;
        uint32_t have = of[0] ? (of[i] ? of[i] : 1) : want;
        if (req[0] && have != want) {
            return refuse(why, bad,
                          "the kernel requires clusters of %u blocks in "
                          "dimension %d, and the launch has %u",
                          want, i, have);
        }
        n *= have > 16 ? 17 : have;
        if (!f->grid_of_clusters && l->grid[i] % have) {
            return refuse(why, bad,
                          "%u blocks in dimension %d of the grid are not "
                          "whole clusters of %u",
                          l->grid[i], i, have);
        }
    }
    if (n > 1 && !tc_target_has(d->sm, TC_TARGET_CLUSTERS)) {
        return refuse(why, TC_CUDA_NOT_SUPPORTED,
                      "an sm_%d has no clusters (sm_%d and on have)", d->sm,
                      tc_target_first(TC_TARGET_CLUSTERS));
    }
    return n > 16 || (n > 8 && !limits->nonportable)
               ? refuse(why, bad, "a cluster of more than %s",
                        n > 16 ? "16 blocks"
                               : "8 blocks needs "
                                 "cudaFuncAttributeNonPortableClusterSize"
                                 "Allowed")
               : TC_CUDA_SUCCESS;
}

int tc_launch_error(const tc_rt_device *d, const tc_ptx_func *f,
                    const tc_rt_function *facts, const tc_sim_launch *l,
                    const tc_kernel_limits *limits, char why[TC_REFUSAL]) {
    int error = check_block(d, f, facts, l->block, why);
    error = error ? error : check_grid(l->grid, why);
    if (!error && l->dynamic_shared > limits->dynamic_shared) {
        error = refuse(why, TC_CUDA_INVALID_VALUE,
                       "%u bytes of dynamic shared memory: the kernel may "
                       "have %u%s",
                       l->dynamic_shared, limits->dynamic_shared,
                       limits->set ? ""
                                   : " until cudaFuncSetAttribute() allows "
                                     "more");
    }
    return error ? error : check_cluster(d, f, l, limits, why);
}

/* ---- what ended it ---- */

/* What the launch's error is where this finding ended it; 0: it ends none. */
static int error_of_finding(const tc_finding *f) {
    switch (f->kind) {
    case TC_FINDING_OUT_OF_BOUNDS:
        return 700; /* cudaErrorIllegalAddress */
    case TC_FINDING_MISALIGNED:
        return 716;               /* cudaErrorMisalignedAddress */
    case TC_FINDING_ILLEGAL_SIZE: /* the header's trap, or the hardware */
        return f->at.op && f->at.op->opcode == TC_PTX_TRAP
                   ? 719  /* cudaErrorLaunchFailure */
                   : 715; /* cudaErrorIllegalInstruction */
    case TC_FINDING_TRAP:
        return f->detail.row == TC_DETAIL_ASSERTION
                   ? 710  /* cudaErrorAssert */
                   : 719; /* cudaErrorLaunchFailure */
    case TC_FINDING_REMOTE_EXITED:
        return 719; /* cudaErrorLaunchFailure */
    case TC_FINDING_UNCOMMITTED_GROUP:
    case TC_FINDING_READ_BEFORE_COMPLETE:
    case TC_FINDING_READ_BEFORE_BARRIER:
    case TC_FINDING_OVERWRITE_IN_FLIGHT:
    case TC_FINDING_OVERWRITE_BEFORE_READ:
    case TC_FINDING_PROXY_FENCE:
    case TC_FINDING_UNINITIALIZED_READ:
    case TC_FINDING_MBARRIER_REINIT:
    case TC_FINDING_MBARRIER_COUNT:
    case TC_FINDING_MBARRIER_PHASE:
    case TC_FINDING_TX_COUNT:
    case TC_FINDING_CLUSTER_SYNC:
    case TC_FINDING_BARRIER_DIVERGENCE:
    case TC_FINDING_DATA_RACE:
    case TC_FINDING_SAME_VALUE:
    case TC_FINDING_MBARRIER_DEADLOCK:
    case TC_FINDING_DEADLOCK:
        break;
    }
    return 0;
}

int tc_fault_error(const tc_sim_result *r) {
    int error = 0;
    for (int i = 0; error == 0 && i < r->nfindings; i++) {
        error = error_of_finding(&r->findings[i]);
    }
    return error ? error : 719; /* cudaErrorLaunchFailure */
}
