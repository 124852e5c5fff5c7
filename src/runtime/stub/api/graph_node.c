/* graph_node.c - nodes that a program makes by hand. */
#include "runtime/stub/graph.h"
#include <stdlib.h>

/* A node of the graph behind these; NULL with why not. */
static tc_stub_node *add(cudaGraph_t graph, const cudaGraphNode_t *before,
                         size_t n, enum cudaGraphNodeType type,
                         cudaError_t *why) {
    tc_stub_graph *g = tc_stub_graph_of(graph, false), *in = NULL;
    bool ok = g != NULL && (n == 0 || before != NULL);
    for (size_t i = 0; i < n && ok; i++) {
        ok = tc_stub_node_of(before[i], &in) != NULL && in == g;
    }
    *why = ok ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    tc_stub_node *node = ok ? tc_stub_node_new(g, type) : NULL;
    for (size_t i = 0; i < n && node != NULL; i++) {
        if (!tc_stub_node_after(node, tc_stub_node_of(before[i], &in))) {
            return NULL;
        }
    }
    *why = node != NULL ? cudaSuccess : *why;
    return node;
}

/* The last node, which could not be filled in, goes. */
static void take_back(cudaGraph_t graph, tc_stub_node *node) {
    tc_stub_graph *g = tc_stub_graph_of(graph, false);
    tc_stub_node **at = &g->first;
    while (*at != node) {
        at = &(*at)->next;
    }
    *at = NULL;
    g->end = at;
    g->nodes--;
    free(node->params);
    free(node->after);
    free(node);
}

static cudaError_t finish(cudaGraphNode_t *out, cudaGraph_t graph,
                          tc_stub_node *node, cudaError_t e) {
    if (node != NULL && e != cudaSuccess) {
        take_back(graph, node);
    } else if (node != NULL && out != NULL) {
        *out = (cudaGraphNode_t)(void *)node;
    }
    return e;
}

/* --- kernels ------------------------------------------------------------- */

cudaError_t tc_stub_node_kernel(tc_stub_node *n,
                                const struct cudaKernelNodeParams *p) {
    cudaError_t e = cudaErrorInvalidValue;
    const tc_stub_function *f =
        p != NULL ? tc_stub_function_of(p->func, &e) : NULL;
    if (f == NULL) {
        return e;
    }
    if (p->extra != NULL) {
        return tc_stub_unbuilt("cudaKernelNodeParams.extra");
    }
    char *params = tc_stub_pack(f, p->kernelParams, &e);
    if (params != NULL) {
        free(n->params);
        n->params = params;
        n->function = f;
        n->grid.grid = p->gridDim;
        n->grid.block = p->blockDim;
        n->grid.shared = p->sharedMemBytes;
    }
    return e;
}

TC_API cudaError_t cudaGraphAddKernelNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaKernelNodeParams *pNodeParams) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_node *n =
        add(graph, pDependencies, numDependencies, cudaGraphNodeTypeKernel, &e);
    e = n != NULL ? tc_stub_node_kernel(n, pNodeParams) : e;
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

TC_API cudaError_t cudaGraphKernelNodeSetParams(
    cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams) {
    TC_ENTER();
    tc_stub_graph *in;
    tc_stub_node *n = tc_stub_node_of(node, &in);
    return tc_stub_leave(n == NULL || n->type != cudaGraphNodeTypeKernel
                             ? cudaErrorInvalidValue
                             : tc_stub_node_kernel(n, pNodeParams));
}

/* --- copies and sets ----------------------------------------------------- */

TC_API cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
    const void *src, size_t count, enum cudaMemcpyKind kind) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_node *n =
        add(graph, pDependencies, numDependencies, cudaGraphNodeTypeMemcpy, &e);
    if (n != NULL) {
        n->kind = kind;
        n->box = (tc_rt_copy){.dst = (uint64_t)(uintptr_t)dst,
                              .src = (uint64_t)(uintptr_t)src,
                              .dst_pitch = count,
                              .src_pitch = count,
                              .width = count,
                              .height = 1,
                              .depth = 1};
    }
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

TC_API cudaError_t cudaGraphAddMemcpyNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaMemcpy3DParms *pCopyParams) {
    TC_ENTER();
    cudaError_t e = cudaErrorInvalidValue;
    tc_rt_copy c;
    tc_stub_node *n = NULL;
    if (pCopyParams != NULL) {
        e = tc_stub_box_of(pCopyParams, &c);
    }
    if (e == cudaSuccess) {
        n = add(graph, pDependencies, numDependencies, cudaGraphNodeTypeMemcpy,
                &e);
    }
    if (n != NULL) {
        n->box = c;
        n->kind = pCopyParams->kind;
    }
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

static cudaError_t fill_set(tc_stub_node *n, const struct cudaMemsetParams *p) {
    if (p == NULL ||
        (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) {
        return cudaErrorInvalidValue;
    }
    n->value = p->value;
    n->value_bytes = p->elementSize;
    n->box = (tc_rt_copy){.dst = (uint64_t)(uintptr_t)p->dst,
                          .dst_pitch = p->pitch,
                          .width = p->width * p->elementSize,
                          .height = p->height,
                          .depth = 1};
    return cudaSuccess;
}

TC_API cudaError_t cudaGraphAddMemsetNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaMemsetParams *pMemsetParams) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_node *n =
        add(graph, pDependencies, numDependencies, cudaGraphNodeTypeMemset, &e);
    e = n != NULL ? fill_set(n, pMemsetParams) : e;
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

/* --- the rest ------------------------------------------------------------ */

TC_API cudaError_t cudaGraphAddHostNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaHostNodeParams *pNodeParams) {
    TC_ENTER();
    cudaError_t e = cudaErrorInvalidValue;
    tc_stub_node *n = NULL;
    if (pNodeParams != NULL && pNodeParams->fn != NULL) {
        n = add(graph, pDependencies, numDependencies, cudaGraphNodeTypeHost,
                &e);
    }
    if (n != NULL) {
        n->fn = pNodeParams->fn;
        n->user = pNodeParams->userData;
    }
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

TC_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode,
                                         cudaGraph_t graph,
                                         const cudaGraphNode_t *pDependencies,
                                         size_t numDependencies) {
    TC_ENTER();
    cudaError_t e;
    tc_stub_node *n =
        add(graph, pDependencies, numDependencies, cudaGraphNodeTypeEmpty, &e);
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

/* "The graph is cloned by this call." */
TC_API cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                           const cudaGraphNode_t *pDependencies,
                           size_t numDependencies, cudaGraph_t childGraph) {
    TC_ENTER();
    cudaError_t e = cudaErrorInvalidValue;
    const tc_stub_graph *from = tc_stub_graph_of(childGraph, false);
    tc_stub_graph *child =
        from != NULL ? tc_stub_graph_copy(from, false, &e) : NULL;
    tc_stub_node *n = NULL;
    if (child != NULL) {
        n = add(graph, pDependencies, numDependencies, cudaGraphNodeTypeGraph,
                &e);
    }
    if (n != NULL) {
        n->child = child;
    } else if (child != NULL) {
        tc_stub_graph_free(child);
    }
    return tc_stub_leave(finish(pGraphNode, graph, n, e));
}

/* Before CUDA 13 there was no edgeData: the number is in its place. */
static cudaError_t depend(cudaGraph_t graph, const cudaGraphNode_t *from,
                          const cudaGraphNode_t *to,
                          const cudaGraphEdgeData *edges, size_t n) {
    const tc_stub_graph *g = tc_stub_graph_of(graph, false);
    uintptr_t number = (uintptr_t)(const void *)edges;
    n = number != 0 && number < 4096 ? number : n;
    if (g == NULL || (n > 0 && (from == NULL || to == NULL))) {
        return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < n; i++) {
        tc_stub_graph *a = NULL, *b = NULL;
        tc_stub_node *first = tc_stub_node_of(from[i], &a);
        tc_stub_node *second = tc_stub_node_of(to[i], &b);
        if (first == NULL || second == NULL || a != g || b != g ||
            first == second) {
            return cudaErrorInvalidValue;
        }
        if (!tc_stub_node_after(second, first)) {
            return cudaErrorMemoryAllocation;
        }
    }
    return cudaSuccess;
}

TC_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                            const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *edgeData,
                                            size_t numDependencies) {
    TC_ENTER();
    return tc_stub_leave(depend(graph, from, to, edgeData, numDependencies));
}
