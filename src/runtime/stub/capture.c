/* capture.c - stream capture: what a captured stream is given becomes a node of
 * a graph, behind what the stream was given last. An event that is recorded in
 * it takes other streams into the capture; at the end all must have come back
 * to the stream that began (CUDA C++ Programming Guide, "Creating a Graph Using
 * Stream Capture"). */
#include "runtime/stub/graph.h"
#include <stdlib.h>

typedef struct tc_stub_capture {
    tc_stub_graph *graph;
    tc_stub_stream *origin;
    unsigned long long id;
    bool relaxed; /* calls that wait are not forbidden to others */
    bool broken;
    struct tc_stub_capture *next;
} tc_stub_capture;

/* The nodes that what comes next depends on. */
typedef struct tc_stub_front {
    size_t n;
    tc_stub_node *at[];
} tc_stub_front;

static tc_stub_capture *captures;
static unsigned long long ids;

static size_t count(const tc_stub_front *f) {
    return f != NULL ? f->n : 0;
}

static bool within(const tc_stub_front *f, const tc_stub_node *n) {
    for (size_t i = 0; i < count(f); i++) {
        if (f->at[i] == n) {
            return true;
        }
    }
    return false;
}

/* a and b together, fresh; NULL: no memory. */
static tc_stub_front *join(const tc_stub_front *a, const tc_stub_front *b) {
    tc_stub_front *f =
        calloc(1, sizeof *f + (count(a) + count(b)) * sizeof *f->at);
    for (size_t i = 0; f != NULL && i < count(a); i++) {
        f->at[f->n++] = a->at[i];
    }
    for (size_t i = 0; f != NULL && i < count(b); i++) {
        if (!within(a, b->at[i])) {
            f->at[f->n++] = b->at[i];
        }
    }
    return f;
}

static void set_front(tc_stub_front **at, tc_stub_front *f) {
    free(*at);
    *at = f;
}

/* --- what a stream is given ---------------------------------------------- */

tc_stub_stream *tc_stub_capturing(uint32_t stream) {
    tc_stub_stream *s = captures != NULL ? tc_stub.streams : NULL;
    while (s != NULL && !(s->id == stream && s->capture != NULL)) {
        s = s->next;
    }
    return s;
}

cudaError_t tc_stub_capture_forbids(uint32_t stream, cudaError_t why) {
    bool captured = tc_stub_capturing(stream) != NULL, forbidden = false;
    bool waits = why == cudaErrorStreamCaptureUnsupported;
    for (tc_stub_capture *c = captures; c != NULL; c = c->next) {
        bool blocking = (c->origin->flags & cudaStreamNonBlocking) == 0;
        bool this_one = captured
                            ? waits && tc_stub_capturing(stream)->capture == c
                            : stream == 0 && (waits ? !c->relaxed : blocking);
        c->broken |= this_one;
        forbidden |= this_one;
    }
    return forbidden ? why : cudaSuccess;
}

/* A node behind the stream's front, which is the new front; NULL: no memory, or
 * the capture is broken. */
static tc_stub_node *add(tc_stub_stream *s, enum cudaGraphNodeType type,
                         cudaError_t *why) {
    *why = cudaErrorStreamCaptureInvalidated;
    if (s->capture->broken) {
        return NULL;
    }
    *why = cudaErrorMemoryAllocation;
    tc_stub_front *f = calloc(1, sizeof *f + sizeof *f->at);
    tc_stub_node *n =
        f != NULL ? tc_stub_node_new(s->capture->graph, type) : NULL;
    if (n == NULL) {
        free(f);
        return NULL;
    }
    for (size_t i = 0; i < count(s->front); i++) {
        if (!tc_stub_node_after(n, s->front->at[i])) {
            free(f);
            return NULL;
        }
    }
    f->n = 1;
    f->at[0] = n;
    set_front(&s->front, f);
    *why = cudaSuccess;
    return n;
}

cudaError_t tc_stub_capture_kernel(tc_stub_stream *s, const tc_stub_function *f,
                                   const tc_stub_grid *g, char *params) {
    cudaError_t e;
    tc_stub_node *n = add(s, cudaGraphNodeTypeKernel, &e);
    if (n == NULL) {
        free(params);
        return e;
    }
    n->function = f;
    n->grid = *g;
    n->params = params;
    return cudaSuccess;
}

cudaError_t tc_stub_capture_copy(tc_stub_stream *s, const tc_rt_copy *box,
                                 enum cudaMemcpyKind kind) {
    cudaError_t e;
    tc_stub_node *n = add(s, cudaGraphNodeTypeMemcpy, &e);
    if (n != NULL) {
        n->box = *box;
        n->kind = kind;
    }
    return e;
}

cudaError_t tc_stub_capture_set(tc_stub_stream *s, const tc_rt_copy *box,
                                int value) {
    cudaError_t e;
    tc_stub_node *n = add(s, cudaGraphNodeTypeMemset, &e);
    if (n != NULL) {
        n->box = *box;
        n->value = (unsigned char)value;
        n->value_bytes = 1;
    }
    return e;
}

cudaError_t tc_stub_capture_host(tc_stub_stream *s, cudaHostFn_t fn,
                                 void *user) {
    cudaError_t e;
    tc_stub_node *n = add(s, cudaGraphNodeTypeHost, &e);
    if (n != NULL) {
        n->fn = fn;
        n->user = user;
    }
    return e;
}

/* --- events -------------------------------------------------------------- */

bool tc_stub_capture_record(tc_stub_event *e, tc_stub_stream *s) {
    e->capture = s != NULL ? s->capture : NULL;
    set_front(&e->front, s != NULL ? join(s->front, NULL) : NULL);
    return s != NULL;
}

bool tc_stub_capture_wait(tc_stub_stream *s, const tc_stub_event *e,
                          cudaError_t *why) {
    tc_stub_capture *mine = s != NULL ? s->capture : NULL;
    *why = cudaSuccess;
    if (mine == NULL && e->capture == NULL) {
        return false;
    }
    if (s == NULL) {
        e->capture->broken = true;
        *why = cudaErrorStreamCaptureImplicit;
    } else if (e->capture == NULL) {
        mine->broken = true;
        *why = cudaErrorStreamCaptureIsolation;
    } else if (mine != NULL && mine != e->capture) {
        mine->broken = e->capture->broken = true;
        *why = cudaErrorStreamCaptureMerge;
    } else {
        tc_stub_front *f = join(s->front, e->front);
        s->capture = e->capture;
        *why = f != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
        set_front(&s->front, f);
    }
    return true;
}

/* --- begin and end ------------------------------------------------------- */

static void leave(tc_stub_capture *c) {
    for (tc_stub_stream *s = tc_stub.streams; s != NULL; s = s->next) {
        if (s->capture == c) {
            s->capture = NULL;
            set_front(&s->front, NULL);
        }
    }
    for (tc_stub_event *e = tc_stub.events; e != NULL; e = e->next) {
        if (e->capture == c) {
            e->capture = NULL;
            set_front(&e->front, NULL);
        }
    }
    tc_stub_capture **at = &captures;
    while (*at != c) {
        at = &(*at)->next;
    }
    *at = c->next;
    free(c);
}

void tc_stub_capture_forget(tc_stub_stream *s, tc_stub_event *e) {
    for (tc_stub_capture *c = captures; c != NULL; c = c->next) {
        if (s != NULL && c->origin == s) {
            s->capture = NULL;
            tc_stub_graph_free(c->graph);
            leave(c);
            break;
        }
    }
    set_front(s != NULL ? &s->front : &e->front, NULL);
}

static cudaError_t begin(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    tc_stub_stream *s;
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    if (!tc_stub_stream_of(stream, &s)) {
        return cudaErrorInvalidResourceHandle;
    }
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) {
        return cudaErrorInvalidValue;
    }
    if (s == NULL || s->capture != NULL) {
        return s == NULL ? cudaErrorStreamCaptureUnsupported
                         : cudaErrorIllegalState;
    }
    tc_stub_capture *c = calloc(1, sizeof *c);
    tc_stub_graph *g = c != NULL ? tc_stub_graph_new(false) : NULL;
    if (g == NULL) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    *c = (tc_stub_capture){.graph = g,
                           .origin = s,
                           .id = ++ids,
                           .relaxed = mode == cudaStreamCaptureModeRelaxed,
                           .next = captures};
    captures = s->capture = c;
    return cudaSuccess;
}

TC_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          enum cudaStreamCaptureMode mode) {
    TC_ENTER();
    return tc_stub_leave(begin(stream, mode));
}
TC_PTSZ(cudaStreamBeginCapture);

static void mark(tc_stub_node *n) {
    if (!n->seen) {
        n->seen = true;
        for (size_t i = 0; i < n->nafter; i++) {
            mark(n->after[i]);
        }
    }
}

/* Does the origin's next node come after all of them? */
static bool joined(const tc_stub_capture *c) {
    bool all = true;
    for (tc_stub_node *n = c->graph->first; n != NULL; n = n->next) {
        n->seen = false;
    }
    for (size_t i = 0; i < count(c->origin->front); i++) {
        mark(c->origin->front->at[i]);
    }
    for (tc_stub_node *n = c->graph->first; n != NULL; n = n->next) {
        all &= n->seen;
    }
    return all;
}

static cudaError_t end(cudaStream_t stream, cudaGraph_t *out) {
    tc_stub_stream *s = NULL;
    if (out != NULL) {
        *out = NULL;
    }
    if (!tc_stub_stream_of(stream, &s)) {
        return cudaErrorInvalidResourceHandle;
    }
    tc_stub_capture *c = s != NULL ? s->capture : NULL;
    if (c == NULL || out == NULL) {
        return c == NULL ? cudaErrorIllegalState : cudaErrorInvalidValue;
    }
    if (c->origin != s) {
        c->broken = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    cudaError_t e = c->broken    ? cudaErrorStreamCaptureInvalidated
                    : !joined(c) ? cudaErrorStreamCaptureUnjoined
                                 : cudaSuccess;
    if (e == cudaSuccess) {
        *out = (cudaGraph_t)(void *)c->graph;
    } else {
        tc_stub_graph_free(c->graph);
    }
    leave(c);
    return e;
}

TC_API cudaError_t cudaStreamEndCapture(cudaStream_t stream,
                                        cudaGraph_t *pGraph) {
    TC_ENTER();
    return tc_stub_leave(end(stream, pGraph));
}
TC_PTSZ(cudaStreamEndCapture);

/* --- asking -------------------------------------------------------------- */

static cudaError_t ask(cudaStream_t stream,
                       enum cudaStreamCaptureStatus *status,
                       const tc_stub_capture **of) {
    tc_stub_stream *s = NULL;
    if (status == NULL || !tc_stub_stream_of(stream, &s)) {
        return status == NULL ? cudaErrorInvalidValue
                              : cudaErrorInvalidResourceHandle;
    }
    *of = s != NULL ? s->capture : NULL;
    *status = *of == NULL     ? cudaStreamCaptureStatusNone
              : (*of)->broken ? cudaStreamCaptureStatusInvalidated
                              : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

TC_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                         enum cudaStreamCaptureStatus *status) {
    TC_ENTER();
    const tc_stub_capture *of;
    return tc_stub_leave(ask(stream, status, &of));
}
TC_PTSZ(cudaStreamIsCapturing);

/* CUDA 11 to 13 have the same first three parameters, and each others behind
 * them: those are asked for where a graph is being changed under capture. */
#ifndef TC_STUB_REAL_TYPES
TC_API cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus *status,
    unsigned long long *id) {
    TC_ENTER();
    const tc_stub_capture *of = NULL;
    cudaError_t e = ask(stream, status, &of);
    if (e == cudaSuccess && of != NULL && id != NULL) {
        *id = of->id;
    }
    return tc_stub_leave(e);
}
TC_PTSZ(cudaStreamGetCaptureInfo);
TC_ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo);
TC_ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo);
#endif

TC_API cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    TC_ENTER();
    return tc_stub_leave(mode == NULL ? cudaErrorInvalidValue : cudaSuccess);
}
