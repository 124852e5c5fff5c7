/* elapsed.c - cudaEventElapsedTime, in an archive member of its own: where it
 * is linked, the program asks for times.
 */
#include "runtime/stub/stub.h"

const char tc_stub_wants_times = 1;

/* CUDA Runtime API, cudaEventElapsedTime(): events that were not recorded, or
 * have no timing, are invalid handles; cudaErrorNotReady while one "has not yet
 * been completed", as it is on a GPU where the host has not waited. */
static cudaError_t elapsed(float *ms, cudaEvent_t start, cudaEvent_t end) {
    const tc_stub_event *a = tc_stub_event_of(start),
                        *b = tc_stub_event_of(end);
    if (ms == NULL) {
        return cudaErrorInvalidValue;
    }
    if (a == NULL || b == NULL || !a->recorded || !b->recorded ||
        ((a->flags | b->flags) & cudaEventDisableTiming) != 0) {
        return cudaErrorInvalidResourceHandle;
    }
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    if (!tc_stub_waited(a->stream, a->launch) ||
        !tc_stub_waited(b->stream, b->launch)) {
        return cudaErrorNotReady;
    }
    *ms = (float)(b->ms - a->ms);
    return cudaSuccess;
}

TC_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start,
                                        cudaEvent_t end) {
    TC_ENTER();
    return tc_stub_leave(elapsed(ms, start, end));
}
TC_ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);
