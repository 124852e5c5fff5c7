/* graph.c - graphs and their nodes: made, copied, put in order, asked about. */
#include "runtime/stub/graph.h"
#include <stdlib.h>
#include <string.h>

static tc_stub_graph *graphs;

tc_stub_graph *tc_stub_graph_of(const void *handle, bool executable) {
    tc_stub_graph *g = graphs;
    while (g != NULL &&
           ((const void *)g != handle || g->executable != executable)) {
        g = g->next;
    }
    return g;
}

tc_stub_graph *tc_stub_graph_new(bool executable) {
    tc_stub_graph *g = calloc(1, sizeof *g);
    if (g != NULL) {
        g->end = &g->first;
        g->executable = executable;
        g->next = graphs;
        graphs = g;
    }
    return g;
}

void tc_stub_graph_free(tc_stub_graph *g) {
    tc_stub_graph **at = &graphs;
    while (*at != NULL && *at != g) {
        at = &(*at)->next;
    }
    if (*at == g) {
        *at = g->next;
    }
    while (g->first != NULL) {
        tc_stub_node *n = g->first;
        g->first = n->next;
        if (n->child != NULL) {
            tc_stub_graph_free(n->child);
        }
        free(n->params);
        free(n->after);
        free(n);
    }
    free(g);
}

/* --- nodes --------------------------------------------------------------- */

static void append(tc_stub_graph *g, tc_stub_node *n) {
    n->next = NULL;
    *g->end = n;
    g->end = &n->next;
    g->nodes++;
}

tc_stub_node *tc_stub_node_new(tc_stub_graph *g, enum cudaGraphNodeType type) {
    tc_stub_node *n = calloc(1, sizeof *n);
    if (n != NULL) {
        n->type = type;
        append(g, n);
    }
    return n;
}

tc_stub_node *tc_stub_node_of(cudaGraphNode_t handle, tc_stub_graph **in) {
    for (tc_stub_graph *g = graphs; g != NULL; g = g->next) {
        for (tc_stub_node *n = g->first; n != NULL && !g->executable;
             n = n->next) {
            if ((void *)n == (void *)handle) {
                *in = g;
                return n;
            }
        }
    }
    return NULL;
}

bool tc_stub_node_after(tc_stub_node *n, tc_stub_node *before) {
    tc_stub_node **more = realloc(n->after, (n->nafter + 1) * sizeof *n->after);
    if (more != NULL) {
        n->after = more;
        n->after[n->nafter++] = before;
    }
    return more != NULL;
}

/* --- copies -------------------------------------------------------------- */

static bool copy_node(tc_stub_graph *to, tc_stub_node *from, cudaError_t *why) {
    tc_stub_node *n = tc_stub_node_new(to, from->type), *next;
    if (n == NULL) {
        return false;
    }
    next = n->next;
    *n = *from;
    n->next = next;
    n->after = NULL;
    n->nafter = 0;
    n->params = NULL;
    n->child = NULL;
    n->origin = from;
    from->copy = n;
    bool ok = true;
    if (from->params != NULL) {
        size_t bytes = (size_t)from->function->facts.param_bytes + 1;
        n->params = malloc(bytes);
        ok = n->params != NULL;
        if (ok) {
            memcpy(n->params, from->params, bytes);
        }
    }
    if (from->child != NULL) {
        n->child = tc_stub_graph_copy(from->child, to->executable, why);
        ok = ok && n->child != NULL;
    }
    for (size_t i = 0; i < from->nafter && ok && !to->executable; i++) {
        ok = tc_stub_node_after(n, from->after[i]->copy);
    }
    return ok;
}

static bool is_next(const tc_stub_node *n) {
    for (size_t i = 0; i < n->nafter; i++) {
        if (!n->after[i]->seen) {
            return false;
        }
    }
    return !n->seen;
}

static tc_stub_node *next_of(const tc_stub_graph *g) {
    tc_stub_node *n = g->first;
    while (n != NULL && !is_next(n)) {
        n = n->next;
    }
    return n;
}

/* Nodes are copied in an order of execution: each after all it depends on. */
tc_stub_graph *tc_stub_graph_copy(const tc_stub_graph *g, bool executable,
                                  cudaError_t *why) {
    tc_stub_graph *to = tc_stub_graph_new(executable);
    *why = cudaErrorMemoryAllocation;
    for (tc_stub_node *n = g->first; n != NULL; n = n->next) {
        n->seen = false;
    }
    bool ok = to != NULL;
    for (tc_stub_node *n; ok && (n = next_of(g)) != NULL;) {
        n->seen = true;
        ok = copy_node(to, n, why);
    }
    if (ok && to->nodes != g->nodes) { /* the rest wait for each other */
        ok = false;
        *why = cudaErrorInvalidValue;
    }
    if (!ok && to != NULL) {
        tc_stub_graph_free(to);
    }
    return ok ? to : NULL;
}

/* --- API ----------------------------------------------------------------- */

static cudaError_t create(cudaGraph_t *out, unsigned int flags) {
    cudaError_t e =
        out == NULL || flags != 0 ? cudaErrorInvalidValue : tc_stub_ready();
    tc_stub_graph *g = e == cudaSuccess ? tc_stub_graph_new(false) : NULL;
    if (g == NULL) {
        return e != cudaSuccess ? e : cudaErrorMemoryAllocation;
    }
    *out = (cudaGraph_t)(void *)g;
    return cudaSuccess;
}

TC_API cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(create(pGraph, flags));
}

static cudaError_t destroy(const void *handle, bool executable) {
    tc_stub_graph *g = tc_stub_graph_of(handle, executable);
    if (g == NULL) {
        return cudaErrorInvalidValue;
    }
    tc_stub_graph_free(g);
    return cudaSuccess;
}

TC_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    TC_ENTER();
    return tc_stub_leave(destroy(graph, false));
}

TC_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
    TC_ENTER();
    return tc_stub_leave(destroy(graphExec, true));
}

/* A copy of the graph under a handle. */
static cudaError_t copied(void **out, cudaGraph_t graph, bool executable) {
    const tc_stub_graph *g = tc_stub_graph_of(graph, false);
    cudaError_t e =
        out == NULL || g == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    *out = tc_stub_graph_copy(g, executable, &e);
    return *out != NULL ? cudaSuccess : e;
}

TC_API cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone,
                                  cudaGraph_t originalGraph) {
    TC_ENTER();
    return tc_stub_leave(copied((void **)pGraphClone, originalGraph, false));
}

/* Flags choose where it is uploaded, and who may launch it. */
TC_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec,
                                        cudaGraph_t graph,
                                        unsigned long long flags) {
    TC_ENTER();
    (void)flags;
    return tc_stub_leave(copied((void **)pGraphExec, graph, true));
}
TC_ALSO(cudaGraphInstantiateWithFlags, cudaGraphInstantiate);

/* All nodes, or those without dependencies; nodes NULL: how many there are.
 * "If numNodes is higher than the actual number, the remaining entries will be
 * set to NULL." */
static cudaError_t list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n,
                        bool roots) {
    const tc_stub_graph *g = tc_stub_graph_of(graph, false);
    size_t found = 0;
    if (g == NULL || n == NULL) {
        return cudaErrorInvalidValue;
    }
    for (tc_stub_node *m = g->first; m != NULL; m = m->next) {
        if (roots && m->nafter > 0) {
            continue;
        }
        if (nodes != NULL && found < *n) {
            nodes[found] = (cudaGraphNode_t)(void *)m;
        }
        found++;
    }
    for (size_t i = found; nodes != NULL && i < *n; i++) {
        nodes[i] = NULL;
    }
    *n = nodes == NULL || found < *n ? found : *n;
    return cudaSuccess;
}

TC_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                     size_t *numNodes) {
    TC_ENTER();
    return tc_stub_leave(list(graph, nodes, numNodes, false));
}

TC_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
                                         cudaGraphNode_t *pRootNodes,
                                         size_t *pNumRootNodes) {
    TC_ENTER();
    return tc_stub_leave(list(graph, pRootNodes, pNumRootNodes, true));
}

TC_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                        enum cudaGraphNodeType *pType) {
    TC_ENTER();
    tc_stub_graph *in;
    const tc_stub_node *n = tc_stub_node_of(node, &in);
    if (n == NULL || pType == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *pType = n->type;
    return tc_stub_leave(cudaSuccess);
}
