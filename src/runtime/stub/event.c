/* event.c - events: a point in the order of calls, and its time. */
#include "runtime/stub/stub.h"
#include <stdlib.h>

tc_stub_event *tc_stub_event_of(cudaEvent_t handle) {
    tc_stub_event *e = tc_stub.events;
    while (e != NULL && (void *)e != (void *)handle) {
        e = e->next;
    }
    return e;
}

static cudaError_t create(cudaEvent_t *out, unsigned int flags) {
    unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (out == NULL || (flags & ~known) != 0 ||
        ((flags & cudaEventInterprocess) != 0 &&
         (flags & cudaEventDisableTiming) == 0)) {
        return cudaErrorInvalidValue;
    }
    cudaError_t why = tc_stub_ready();
    tc_stub_event *e = why == cudaSuccess ? calloc(1, sizeof *e) : NULL;
    if (e == NULL) {
        return why != cudaSuccess ? why : cudaErrorMemoryAllocation;
    }
    e->flags = flags;
    e->next = tc_stub.events;
    tc_stub.events = e;
    *out = (cudaEvent_t)(void *)e;
    return cudaSuccess;
}

TC_API cudaError_t cudaEventCreate(cudaEvent_t *event) {
    TC_ENTER();
    return tc_stub_leave(create(event, 0));
}

TC_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event,
                                            unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(create(event, flags));
}

TC_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
    TC_ENTER();
    tc_stub_event **e = &tc_stub.events;
    while (*e != NULL && (void *)*e != (void *)event) {
        e = &(*e)->next;
    }
    tc_stub_event *gone = *e;
    if (gone == NULL) {
        return tc_stub_leave(cudaErrorInvalidResourceHandle);
    }
    *e = gone->next;
    tc_stub_order(TC_RT_ORDER_FORGET, 0, (uint64_t)(uintptr_t)gone);
    tc_stub_capture_forget(NULL, gone);
    free(gone);
    return tc_stub_leave(cudaSuccess);
}

/* The time is asked for where the program has cudaEventElapsedTime. */
cudaError_t tc_stub_record(cudaEvent_t event, cudaStream_t s) {
    uint32_t stream;
    tc_stub_event *e = tc_stub_event_of(event);
    cudaError_t why = e == NULL ? cudaErrorInvalidResourceHandle
                                : tc_stub_stream_id(s, &stream);
    why = why == cudaSuccess ? tc_stub_ready() : why;
    if (why == cudaSuccess &&
        tc_stub_capture_record(e, tc_stub_capturing(stream))) {
        return cudaSuccess;
    }
    if (why == cudaSuccess && &tc_stub_wants_times != NULL &&
        (e->flags & cudaEventDisableTiming) == 0) {
        why = tc_stub_request(TC_RT_TIME, NULL, 0, &e->ms, sizeof e->ms);
    }
    if (why == cudaSuccess) {
        e->recorded = true;
        e->stream = stream;
        e->launch = tc_stub.launches;
        tc_stub_order(TC_RT_ORDER_RECORD, stream, (uint64_t)(uintptr_t)e);
    }
    return why;
}

TC_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(tc_stub_record(event, stream));
}
TC_PTSZ(cudaEventRecord);

TC_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
                                            cudaStream_t stream,
                                            unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(flags > 1 ? cudaErrorInvalidValue
                                   : tc_stub_record(event, stream));
}
TC_PTSZ(cudaEventRecordWithFlags);

/* "If cudaEventRecord() has not been called ... returns immediately". */
static cudaError_t wait_for(cudaEvent_t event) {
    const tc_stub_event *e = tc_stub_event_of(event);
    if (e == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    cudaError_t why =
        e->capture != NULL ? cudaErrorCapturedEvent : tc_stub_ready();
    if (why != cudaSuccess || !e->recorded) {
        return why;
    }
    tc_stub_order(TC_RT_ORDER_EVENT, 0, (uint64_t)(uintptr_t)e);
    return tc_stub_wait(e->stream, e->launch);
}

TC_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    TC_ENTER();
    return tc_stub_leave(wait_for(event));
}

/* Kernels have always ended by now. */
TC_API cudaError_t cudaEventQuery(cudaEvent_t event) {
    TC_ENTER();
    return tc_stub_leave(wait_for(event));
}
