/* callback.c - host functions in a stream: what was before them has ended, so
 * that they are called at once, in the thread that enqueues them. */
#include "runtime/stub/stub.h"

/* The launches of the stream so far are what the function may look at. */
static cudaError_t ready_for(cudaStream_t s, const void *function) {
    uint32_t stream;
    cudaError_t e = tc_stub_stream_id(s, &stream);
    if (e == cudaSuccess) {
        e = (const void *)function == NULL ? cudaErrorInvalidValue
                                           : tc_stub_ready();
    }
    if (e == cudaSuccess) {
        tc_stub_open(stream, tc_stub.launches);
        tc_stub_order(TC_RT_ORDER_STREAM, stream, 0);
    }
    return e;
}

TC_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                                      void *userData) {
    TC_ENTER();
    uint32_t id = 0;
    cudaError_t e = ready_for(stream, *(const void **)(void *)&fn);
    e = e == cudaSuccess ? tc_stub_stream_id(stream, &id) : e;
    tc_stub_stream *captured = e == cudaSuccess ? tc_stub_capturing(id) : NULL;
    if (captured != NULL) {
        return tc_stub_leave(tc_stub_capture_host(captured, fn, userData));
    }
    tc_stub_leave(e);
    if (e == cudaSuccess) {
        fn(userData);
    }
    return e;
}
TC_PTSZ(cudaLaunchHostFunc);

TC_API cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                         cudaStreamCallback_t callback,
                                         void *userData, unsigned int flags) {
    TC_ENTER();
    cudaError_t e = flags != 0
                        ? cudaErrorInvalidValue
                        : ready_for(stream, *(const void **)(void *)&callback);
    tc_stub_leave(e);
    if (e == cudaSuccess) {
        callback(stream, cudaSuccess, userData);
    }
    return e;
}
TC_PTSZ(cudaStreamAddCallback);
