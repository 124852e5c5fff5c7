/* launchex.c - cudaLaunchKernelExC and cooperative launches. */
#include "runtime/stub/launch.h"

/* An attribute that changes what is executed here; the others are hints on
 * speed, or on an overlap that does not happen. */
static cudaError_t attribute(const cudaLaunchAttribute *a, tc_stub_grid *g) {
    switch (a->id) {
    case cudaLaunchAttributeCooperative:
        g->cooperative = a->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        g->cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y,
                            a->val.clusterDim.z};
        return g->cluster.x == 0 || g->cluster.y == 0 || g->cluster.z == 0
                   ? cudaErrorInvalidClusterSize
                   : cudaSuccess;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return tc_stub_unbuilt("cudaLaunchAttributeDeviceUpdatableKernelNode");
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributeLaunchCompletionEvent:
        return tc_stub_event_of(a->val.programmaticEvent.event) == NULL
                   ? cudaErrorInvalidResourceHandle
                   : cudaSuccess;
    default:
        return cudaSuccess;
    }
}

/* Events that the launch records. */
static cudaError_t record(const cudaLaunchConfig_t *c) {
    cudaError_t e = cudaSuccess;
    for (unsigned i = 0; i < c->numAttrs && e == cudaSuccess; i++) {
        if (c->attrs[i].id == cudaLaunchAttributeProgrammaticEvent ||
            c->attrs[i].id == cudaLaunchAttributeLaunchCompletionEvent) {
            e = tc_stub_record(c->attrs[i].val.programmaticEvent.event,
                               c->stream);
        }
    }
    return e;
}

static cudaError_t launch(const cudaLaunchConfig_t *c, const void *func,
                          void **args) {
    if (c == NULL || (c->numAttrs > 0 && c->attrs == NULL)) {
        return cudaErrorInvalidValue;
    }
    tc_stub_grid g = {.grid = c->gridDim,
                      .block = c->blockDim,
                      .shared = c->dynamicSmemBytes,
                      .stream = c->stream};
    cudaError_t e = cudaSuccess;
    for (unsigned i = 0; i < c->numAttrs && e == cudaSuccess; i++) {
        e = attribute(&c->attrs[i], &g);
    }
    e = e == cudaSuccess ? tc_stub_launch(func, &g, args) : e;
    return e == cudaSuccess ? record(c) : e;
}

TC_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                       const void *func, void **args) {
    TC_ENTER();
    return tc_stub_leave(launch(config, func, args));
}
TC_PTSZ(cudaLaunchKernelExC);

TC_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim,
                                               dim3 blockDim, void **args,
                                               size_t sharedMem,
                                               cudaStream_t stream) {
    TC_ENTER();
    tc_stub_grid g = {.grid = gridDim,
                      .block = blockDim,
                      .shared = sharedMem,
                      .stream = stream,
                      .cooperative = true};
    return tc_stub_leave(tc_stub_launch(func, &g, args));
}
TC_PTSZ(cudaLaunchCooperativeKernel);
