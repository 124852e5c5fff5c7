/* graph_run.c - executable graphs: launched, updated. */
#include "runtime/stub/graph.h"
#include <stdlib.h>
#include <string.h>

/* Elements of more than one byte that differ: the host writes a row of them. */
static cudaError_t set_wide(const tc_stub_node *n, uint32_t stream) {
    tc_rt_copy c = n->box;
    char *row = malloc(c.width + 1);
    cudaError_t e = row != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    for (uint64_t i = 0; e == cudaSuccess && i < c.width; i++) {
        row[i] = (char)(n->value >> 8 * (i % n->value_bytes));
    }
    c.src = (uint64_t)(uintptr_t)row;
    c.src_pitch = 0;
    c.height = 1;
    for (uint64_t y = 0; e == cudaSuccess && y < n->box.height; y++) {
        e = tc_stub_copy(&c, cudaMemcpyHostToDevice, false, stream);
        c.dst += c.dst_pitch;
    }
    free(row);
    return e;
}

static cudaError_t set(const tc_stub_node *n, cudaStream_t s) {
    uint32_t stream = 0;
    bool same = true;
    for (unsigned i = 1; i < n->value_bytes; i++) {
        same &= (uint8_t)(n->value >> 8 * i) == (uint8_t)n->value;
    }
    tc_stub_stream_id(s, &stream);
    return same ? tc_stub_set(&n->box, (int)(n->value & 255), s)
                : set_wide(n, stream);
}

/* What was before the function has ended; it may call the runtime. */
static cudaError_t call_host(const tc_stub_node *n, uint32_t stream) {
    cudaHostFn_t fn = n->fn;
    void *user = n->user;
    const void *caller = tc_stub_self.caller;
    tc_stub_open(stream, tc_stub.launches);
    tc_stub_order(TC_RT_ORDER_STREAM, stream, 0);
    tc_stub_unlock();
    fn(user);
    tc_stub_lock();
    tc_stub_self.caller = caller;
    return cudaSuccess;
}

static cudaError_t run_node(const tc_stub_node *n, cudaStream_t s) {
    uint32_t stream = 0;
    tc_stub_grid g = n->grid;
    g.stream = s;
    tc_stub_stream_id(s, &stream);
    switch (n->type) {
    case cudaGraphNodeTypeKernel:
        return tc_stub_launch_packed(n->function, &g, n->params);
    case cudaGraphNodeTypeMemcpy:
        return tc_stub_copy(&n->box, n->kind, false, stream);
    case cudaGraphNodeTypeMemset:
        return set(n, s);
    case cudaGraphNodeTypeHost:
        return call_host(n, stream);
    case cudaGraphNodeTypeGraph:
        return tc_stub_graph_run(n->child, s);
    default:
        return cudaSuccess;
    }
}

cudaError_t tc_stub_graph_run(const tc_stub_graph *g, cudaStream_t s) {
    cudaError_t e = cudaSuccess;
    for (const tc_stub_node *n = g->first; n != NULL && e == cudaSuccess;
         n = n->next) {
        e = run_node(n, s);
    }
    return e;
}

/* Into a stream that is captured it goes as a node. */
static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t s) {
    uint32_t stream = 0;
    const tc_stub_graph *g = tc_stub_graph_of(exec, true);
    cudaError_t e = g == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    e = e == cudaSuccess ? tc_stub_stream_id(s, &stream) : e;
    e = e == cudaSuccess
            ? tc_stub_capture_forbids(stream, cudaErrorStreamCaptureImplicit)
            : e;
    if (e == cudaSuccess && tc_stub_capturing(stream) != NULL) {
        return tc_stub_unbuilt("cudaGraphLaunch() into a captured stream");
    }
    return e == cudaSuccess ? tc_stub_graph_run(g, s) : e;
}

TC_API cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec,
                                   cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(launch(graphExec, stream));
}
TC_PTSZ(cudaGraphLaunch);

TC_API cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec,
                                   cudaStream_t stream) {
    TC_ENTER();
    uint32_t id;
    return tc_stub_leave(tc_stub_graph_of(graphExec, true) == NULL
                             ? cudaErrorInvalidValue
                             : tc_stub_stream_id(stream, &id));
}
TC_PTSZ(cudaGraphUpload);

/* --- changes ------------------------------------------------------------- */

TC_API cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
    const struct cudaKernelNodeParams *pNodeParams) {
    TC_ENTER();
    const tc_stub_graph *g = tc_stub_graph_of(hGraphExec, true);
    tc_stub_node *n = g != NULL ? g->first : NULL;
    while (n != NULL && (const void *)n->origin != (const void *)node) {
        n = n->next;
    }
    return tc_stub_leave(n == NULL || n->type != cudaGraphNodeTypeKernel
                             ? cudaErrorInvalidValue
                             : tc_stub_node_kernel(n, pNodeParams));
}

/* "The topology" must be the same: here, as many nodes of the same types in the
 * same order. */
static enum cudaGraphExecUpdateResult
compare(const tc_stub_graph *a, const tc_stub_graph *b, tc_stub_node **at) {
    const tc_stub_node *m = a->first;
    *at = NULL;
    if (a->nodes != b->nodes) {
        return cudaGraphExecUpdateErrorTopologyChanged;
    }
    for (tc_stub_node *n = b->first; n != NULL; n = n->next, m = m->next) {
        if (n->type != m->type) {
            *at = n;
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        }
    }
    return cudaGraphExecUpdateSuccess;
}

/* The executable takes the new nodes, and keeps what its own were copies of. */
static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph,
                          cudaGraphExecUpdateResultInfo *info) {
    tc_stub_graph *g = tc_stub_graph_of(exec, true);
    const tc_stub_graph *from = tc_stub_graph_of(graph, false);
    cudaError_t e = cudaErrorInvalidValue;
    tc_stub_graph *to =
        g != NULL && from != NULL ? tc_stub_graph_copy(from, true, &e) : NULL;
    if (to == NULL) {
        return e;
    }
    tc_stub_node *at;
    enum cudaGraphExecUpdateResult r = compare(g, to, &at);
    if (info != NULL) {
        const void *origin = at != NULL ? at->origin : NULL;
        *info = (cudaGraphExecUpdateResultInfo){
            .result = r, .errorNode = (cudaGraphNode_t)(uintptr_t)origin};
    }
    if (r == cudaGraphExecUpdateSuccess) {
        tc_stub_node *mine = g->first, *n = to->first;
        for (; n != NULL; n = n->next, mine = mine->next) {
            n->origin = mine->origin;
        }
        mine = g->first;
        g->first = to->first;
        g->end = to->nodes > 0 ? to->end : &g->first;
        to->first = mine;
    }
    tc_stub_graph_free(to);
    return r == cudaGraphExecUpdateSuccess ? cudaSuccess
                                           : cudaErrorGraphExecUpdateFailure;
}

TC_API cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                    cudaGraphExecUpdateResultInfo *resultInfo) {
    TC_ENTER();
    return tc_stub_leave(update(hGraphExec, hGraph, resultInfo));
}
