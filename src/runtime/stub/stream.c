/* stream.c - streams, and waiting for them. Everything is executed in the order
 * in which it was called, whatever its stream: what streams still decide is
 * which launches the host has waited for. */
#include "runtime/stub/stub.h"
#include <stdlib.h>

/* --- handles ------------------------------------------------------------- */

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

/* The per-thread stream waits with the legacy one, and counts as the same. */
cudaError_t tc_stub_stream_id(cudaStream_t s, uint32_t *id) {
    tc_stub_stream *found = NULL;
    bool known = tc_stub_stream_of(s, &found);
    *id = found != NULL ? found->id : 0;
    return known ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* --- waiting ------------------------------------------------------------- */

static tc_stub_stream *with_id(uint32_t id) {
    tc_stub_stream *s = tc_stub.streams;
    while (s != NULL && s->id != id) {
        s = s->next;
    }
    return s;
}

cudaError_t tc_stub_wait(uint32_t stream, uint64_t launch) {
    tc_stub_stream *s = stream != 0 ? with_id(stream) : NULL;
    uint64_t *waited = stream == 0 ? &tc_stub.waited
                       : s != NULL ? &s->waited
                                   : NULL;
    if (waited != NULL && launch > *waited) {
        *waited = launch;
    }
    tc_stub_open(stream, launch);
    return tc_stub.printed == tc_stub.launches ? tc_stub.sticky
                                               : tc_stub_sync();
}

cudaError_t tc_stub_wait_all(void) {
    return tc_stub_wait(0, tc_stub.launches);
}

bool tc_stub_waited(uint32_t stream, uint64_t launch) {
    const tc_stub_stream *s = stream != 0 ? with_id(stream) : NULL;
    return launch <= tc_stub.waited || (s != NULL && launch <= s->waited);
}

static cudaError_t wait_for_all(void) {
    cudaError_t e = tc_stub_ready();
    e = e == cudaSuccess
            ? tc_stub_capture_forbids(0, cudaErrorStreamCaptureUnsupported)
            : e;
    e = e != cudaSuccess ? e : tc_stub_wait_all();
    tc_stub_order(TC_RT_ORDER_ALL, 0, 0);
    return e;
}

TC_API cudaError_t cudaDeviceSynchronize(void) {
    TC_ENTER();
    return tc_stub_leave(wait_for_all());
}
TC_ALSO(cudaThreadSynchronize, cudaDeviceSynchronize);

/* The default stream waits for all streams that do not say
 * cudaStreamNonBlocking (CUDA Runtime API, Stream synchronization behavior):
 * here for all. */
static cudaError_t wait_for(cudaStream_t handle) {
    tc_stub_stream *s;
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    if (!tc_stub_stream_of(handle, &s)) {
        return cudaErrorInvalidResourceHandle;
    }
    e = tc_stub_capture_forbids(s != NULL ? s->id : 0,
                                s != NULL ? cudaErrorStreamCaptureUnsupported
                                          : cudaErrorStreamCaptureImplicit);
    if (e != cudaSuccess) {
        return e;
    }
    if (s != NULL) {
        tc_stub_open(0, s->after);
    }
    tc_stub_order(TC_RT_ORDER_STREAM, s != NULL ? s->id : 0, 0);
    return tc_stub_wait(s != NULL ? s->id : 0, tc_stub.launches);
}

TC_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(wait_for(stream));
}
TC_PTSZ(cudaStreamSynchronize);

/* Kernels have always ended by now. */
TC_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(wait_for(stream));
}
TC_PTSZ(cudaStreamQuery);

static cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event) {
    tc_stub_stream *s;
    const tc_stub_event *e = tc_stub_event_of(event);
    if (e == NULL || !tc_stub_stream_of(stream, &s)) {
        return cudaErrorInvalidResourceHandle;
    }
    cudaError_t why = cudaSuccess;
    if (tc_stub_capture_wait(s, e, &why)) {
        return why;
    }
    if (s != NULL && e->recorded && e->launch > s->after) {
        s->after = e->launch;
    }
    tc_stub_order(TC_RT_ORDER_AFTER, s != NULL ? s->id : 0,
                  (uint64_t)(uintptr_t)e);
    return tc_stub_ready();
}

TC_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                       unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(flags > 1 ? cudaErrorInvalidValue
                                   : wait_event(stream, event));
}
TC_PTSZ(cudaStreamWaitEvent);

/* --- creating ------------------------------------------------------------ */

/* "[greatest, least]" of cudaDeviceGetStreamPriorityRange(), clamped to. */
enum { GREATEST = -5, LEAST = 0 };

static cudaError_t create(cudaStream_t *out, unsigned int flags, int priority) {
    cudaError_t e = out == NULL || (flags & ~1u) != 0 ? cudaErrorInvalidValue
                                                      : tc_stub_ready();
    tc_stub_stream *s = e == cudaSuccess ? calloc(1, sizeof *s) : NULL;
    if (s == NULL) {
        return e != cudaSuccess ? e : cudaErrorMemoryAllocation;
    }
    s->id = ++tc_stub.nstreams;
    s->flags = flags;
    s->priority = priority > LEAST      ? LEAST
                  : priority < GREATEST ? GREATEST
                                        : priority;
    s->next = tc_stub.streams;
    tc_stub.streams = s;
    *out = (cudaStream_t)(void *)s;
    tc_stub_order_begin();
    tc_stub_order(TC_RT_ORDER_MADE, s->id, flags & cudaStreamNonBlocking);
    return cudaSuccess;
}

TC_API cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
    TC_ENTER();
    return tc_stub_leave(create(pStream, 0, 0));
}

TC_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream,
                                             unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(create(pStream, flags, 0));
}

TC_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
                                                unsigned int flags,
                                                int priority) {
    TC_ENTER();
    return tc_stub_leave(create(pStream, flags, priority));
}

/* What it shut stays so until a call that waits for all. */
TC_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    TC_ENTER();
    tc_stub_stream **s = &tc_stub.streams;
    while (*s != NULL && (void *)*s != (void *)stream) {
        s = &(*s)->next;
    }
    tc_stub_stream *gone = *s;
    if (gone == NULL) {
        return tc_stub_leave(cudaErrorInvalidResourceHandle);
    }
    *s = gone->next;
    tc_stub_order(TC_RT_ORDER_GONE, gone->id, 0);
    tc_stub_capture_forget(gone, NULL);
    free(gone);
    return tc_stub_leave(cudaSuccess);
}

/* --- asking -------------------------------------------------------------- */

TC_API cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    TC_ENTER();
    tc_stub_stream *s;
    if (!tc_stub_stream_of(hStream, &s) || priority == NULL) {
        return tc_stub_leave(priority == NULL ? cudaErrorInvalidValue
                                              : cudaErrorInvalidResourceHandle);
    }
    *priority = s != NULL ? s->priority : 0;
    return tc_stub_leave(cudaSuccess);
}
TC_PTSZ(cudaStreamGetPriority);

TC_API cudaError_t cudaStreamGetFlags(cudaStream_t hStream,
                                      unsigned int *flags) {
    TC_ENTER();
    tc_stub_stream *s;
    if (!tc_stub_stream_of(hStream, &s) || flags == NULL) {
        return tc_stub_leave(flags == NULL ? cudaErrorInvalidValue
                                           : cudaErrorInvalidResourceHandle);
    }
    *flags = s != NULL ? s->flags : 0;
    return tc_stub_leave(cudaSuccess);
}
TC_PTSZ(cudaStreamGetFlags);

TC_API cudaError_t cudaStreamGetId(cudaStream_t hStream,
                                   unsigned long long *streamId) {
    TC_ENTER();
    uint32_t id;
    cudaError_t e = streamId == NULL ? cudaErrorInvalidValue
                                     : tc_stub_stream_id(hStream, &id);
    if (e == cudaSuccess) {
        *streamId = id;
    }
    return tc_stub_leave(e);
}
TC_PTSZ(cudaStreamGetId);

TC_API cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    TC_ENTER();
    uint32_t id;
    cudaError_t e = device == NULL ? cudaErrorInvalidValue
                                   : tc_stub_stream_id(hStream, &id);
    if (e == cudaSuccess) {
        *device = 0;
    }
    return tc_stub_leave(e);
}
TC_PTSZ(cudaStreamGetDevice);

TC_API cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority,
                                                    int *greatestPriority) {
    TC_ENTER();
    if (leastPriority != NULL) {
        *leastPriority = LEAST;
    }
    if (greatestPriority != NULL) {
        *greatestPriority = GREATEST;
    }
    return tc_stub_leave(cudaSuccess);
}
