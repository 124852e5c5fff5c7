/* stream.c - streams, and waiting for them. Everything is executed in the order
 * in which it was called, whatever its stream. */
#include "runtime/stub/stub.h"
#include <stdlib.h>

cudaError_t tc_stub_stream_id(cudaStream_t s, uint32_t *id) {
    tc_stub_stream *found = NULL;
    *id = s == cudaStreamPerThread ? 1 : 0;
    if (s == NULL || s == cudaStreamLegacy || s == cudaStreamPerThread) {
        return cudaSuccess;
    }
    if (!tc_stub_stream_of(s, &found)) {
        return cudaErrorInvalidResourceHandle;
    }
    *id = found->id;
    return cudaSuccess;
}

/* NULL for the default streams. */
bool tc_stub_stream_of(cudaStream_t s, tc_stub_stream **out) {
    *out = NULL;
    if (s == NULL || s == cudaStreamLegacy || s == cudaStreamPerThread) {
        return true;
    }
    for (*out = tc_stub.streams; *out != NULL; *out = (*out)->next) {
        if ((void *)*out == (void *)s) {
            return true;
        }
    }
    return false;
}

static cudaError_t wait_for_all(void) {
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    tc_stub_open_all();
    return tc_stub_sync();
}

TC_API cudaError_t cudaDeviceSynchronize(void) {
    TC_ENTER();
    return tc_stub_leave(wait_for_all());
}
