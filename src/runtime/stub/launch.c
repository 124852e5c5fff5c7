/* launch.c - launches: what the compiler makes of <<<>>>, and the calls. */
#include "runtime/stub/launch.h"
#include "runtime/stub/stub.h"
#include <stdlib.h>
#include <string.h>

/* --- one launch ---------------------------------------------------------- */

char *tc_stub_pack(const tc_stub_function *f, void **args, cudaError_t *why) {
    const tc_rt_function *k = &f->facts;
    char *block = calloc(1, (size_t)k->param_bytes + 1);
    *why = block != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < k->nparams && *why == cudaSuccess; i++) {
        tc_rt_param p = f->params[i];
        if (args == NULL || args[i] == NULL || p.offset > k->param_bytes ||
            p.size > k->param_bytes - p.offset) {
            *why = cudaErrorInvalidValue;
        } else {
            memcpy(block + p.offset, args[i], p.size);
        }
    }
    if (*why != cudaSuccess) {
        free(block);
        return NULL;
    }
    return block;
}

cudaError_t tc_stub_launch_packed(const tc_stub_function *f,
                                  const tc_stub_grid *g, char *params) {
    tc_stub_talk t = {.name = TC_RT_LAUNCH};
    uint32_t nparams = f->facts.param_bytes;
    cudaError_t e = tc_stub_stream_id(g->stream, &t.stream);
    if (e != cudaSuccess || g->shared > UINT32_MAX) {
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    }
    tc_rt_launch l = {.function = f->facts.id,
                      .grid = {g->grid.x, g->grid.y, g->grid.z},
                      .block = {g->block.x, g->block.y, g->block.z},
                      .cluster = {g->cluster.x, g->cluster.y, g->cluster.z},
                      .dynamic_shared = (uint32_t)g->shared,
                      .flags = g->cooperative ? TC_RT_COOPERATIVE : 0,
                      .nparams = nparams};
    struct iovec out[2] = {{&l, sizeof l}, {params, nparams}};
    t.out = out;
    t.nout = 2;
    e = tc_stub_registered_params(params, nparams);
    e = e == cudaSuccess ? tc_stub_registered_copy(true) : e;
    e = e == cudaSuccess ? tc_stub_call(&t) : e;
    if (e == cudaSuccess) {
        tc_stub.launches++;
        tc_stub_shut(params, nparams, t.stream);
        e = tc_stub_registered_copy(false);
        tc_stub_order(TC_RT_ORDER_ASK, t.stream, 0);
    }
    return e;
}

cudaError_t tc_stub_launch(const void *kernel, const tc_stub_grid *g,
                           void **args) {
    cudaError_t e;
    uint32_t stream = 0;
    const tc_stub_function *f = tc_stub_function_of(kernel, &e);
    e = f == NULL ? e : tc_stub_stream_id(g->stream, &stream);
    e = e != cudaSuccess
            ? e
            : tc_stub_capture_forbids(stream, cudaErrorStreamCaptureImplicit);
    char *params = e == cudaSuccess ? tc_stub_pack(f, args, &e) : NULL;
    if (params == NULL) {
        return e;
    }
    tc_stub_stream *captured = tc_stub_capturing(stream);
    if (captured != NULL) {
        return tc_stub_capture_kernel(captured, f, g, params);
    }
    e = tc_stub_launch_packed(f, g, params);
    free(params);
    return e;
}

/* --- <<<>>> -------------------------------------------------------------- */

TC_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                            size_t shared, void *stream) {
    tc_stub_thread *t = &tc_stub_self;
    if (t->nconfigs == TC_STUB_CONFIGS) {
        return cudaErrorLaunchOutOfResources;
    }
    t->configs[t->nconfigs++] =
        (tc_stub_config){.grid = grid,
                         .block = block,
                         .shared = shared,
                         .stream = stream,
                         .caller = __builtin_return_address(0)};
    return 0;
}

TC_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                              size_t *shared, void *stream) {
    tc_stub_thread *t = &tc_stub_self;
    if (t->nconfigs == 0) {
        return cudaErrorMissingConfiguration;
    }
    const tc_stub_config *c = &t->configs[--t->nconfigs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    t->popped = c->caller;
    return cudaSuccess;
}

/* Nobody sees what <<<>>> returns: an error waits for somebody who asks. One
 * that waited already was never seen. */
static void leave_unchecked(cudaError_t e) {
    if (tc_stub.unchecked_by != NULL) {
        tc_rt_note n = {.error = tc_stub.unchecked};
        tc_stub_note(TC_RT_NOTE_UNCHECKED, tc_stub.unchecked_where, &n, "");
    }
    tc_stub.unchecked_by = &tc_stub_self;
    tc_stub.unchecked = e;
    tc_stub.unchecked_where = tc_stub_where();
}

static cudaError_t launch(const void *kernel, const tc_stub_grid *g,
                          void **args) {
    const void *popped = tc_stub_self.popped;
    tc_stub_self.popped = NULL;
    if (popped != NULL) {
        tc_stub_self.caller = popped;
    }
    cudaError_t e = tc_stub_launch(kernel, g, args);
    if (e != cudaSuccess && popped != NULL && e != tc_stub.sticky &&
        tc_stub.link == TC_STUB_LINKED) {
        leave_unchecked(e);
    }
    return e;
}

TC_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid,
                                      dim3 block, void **args, size_t shared,
                                      cudaStream_t stream) {
    TC_ENTER();
    tc_stub_grid g = {
        .grid = grid, .block = block, .shared = shared, .stream = stream};
    return tc_stub_leave(launch(kernel, &g, args));
}
TC_PTSZ(__cudaLaunchKernel);

/* nvcc before 13 makes <<<>>> a call of this one. */
TC_API cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim,
                                    dim3 blockDim, void **args,
                                    size_t sharedMem, cudaStream_t stream) {
    TC_ENTER();
    tc_stub_grid g = {.grid = gridDim,
                      .block = blockDim,
                      .shared = sharedMem,
                      .stream = stream};
    return tc_stub_leave(launch(func, &g, args));
}
TC_PTSZ(cudaLaunchKernel);
