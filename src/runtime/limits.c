/* limits.c - what makes a launch impossible, and the error that the runtime
 * answers with (CUDA Runtime API, cudaLaunchKernel; CUDA C++ Programming Guide,
 * technical specifications per compute capability). */
#include "runtime/serve.h"

static int check_block(const tc_rt_device *d, const tc_ptx_func *f,
                       const tc_rt_function *facts, const uint32_t *b) {
    uint64_t n = (uint64_t)b[0] * b[1] * b[2];
    if (b[0] == 0 || b[1] == 0 || b[2] == 0 || b[0] > 1024 || b[1] > 1024 ||
        b[2] > 64 || n > (uint64_t)d->threads_cta) {
        return TC_CUDA_INVALID_CONFIGURATION;
    }
    for (int i = 0; i < 3 && f->reqntid[0]; i++) {
        if (b[i] != (f->reqntid[i] ? f->reqntid[i] : 1)) {
            return TC_CUDA_INVALID_CONFIGURATION;
        }
    }
    return facts->max_threads && n > facts->max_threads
               ? TC_CUDA_LAUNCH_OUT_OF_RESOURCES
               : TC_CUDA_SUCCESS;
}

static int check_grid(const uint32_t *g) {
    bool bad = g[0] == 0 || g[1] == 0 || g[2] == 0 || g[0] > INT32_MAX ||
               g[1] > 65535 || g[2] > 65535;
    return bad ? TC_CUDA_INVALID_CONFIGURATION : TC_CUDA_SUCCESS;
}

static int check_cluster(const tc_rt_device *d, const tc_ptx_func *f,
                         const tc_sim_launch *l,
                         const tc_kernel_limits *limits) {
    const uint32_t *of = l->cluster, *req = f->reqcluster;
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t want = req[i] ? req[i] : 1;
        uint32_t have = of[0] ? (of[i] ? of[i] : 1) : want;
        if ((req[0] && have != want) || have > 16) {
            return TC_CUDA_INVALID_CLUSTER_SIZE;
        }
        n *= have;
        if (!f->grid_of_clusters && l->grid[i] % have) {
            return TC_CUDA_INVALID_CONFIGURATION;
        }
    }
    if (n > 1 && d->sm < 90) {
        return TC_CUDA_NOT_SUPPORTED;
    }
    return n > 16 || (n > 8 && !limits->nonportable)
               ? TC_CUDA_INVALID_CLUSTER_SIZE
               : TC_CUDA_SUCCESS;
}

int tc_launch_error(const tc_rt_device *d, const tc_ptx_func *f,
                    const tc_rt_function *facts, const tc_sim_launch *l,
                    const tc_kernel_limits *limits) {
    int error = check_block(d, f, facts, l->block);
    error = error ? error : check_grid(l->grid);
    if (!error && l->dynamic_shared > limits->dynamic_shared) {
        error = TC_CUDA_INVALID_VALUE;
    }
    return error ? error : check_cluster(d, f, l, limits);
}
