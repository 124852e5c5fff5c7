/* graph.h - graphs: nodes and what each comes after, for the members that
 * capture, build and launch them. */
#ifndef TC_STUB_GRAPH_H
#define TC_STUB_GRAPH_H

#include "runtime/stub/launch.h"

#pragma GCC visibility push(hidden)

typedef struct tc_stub_node tc_stub_node;
typedef struct tc_stub_graph tc_stub_graph;

/* What a node does; its handle (cudaGraphNode_t) is its address. */
struct tc_stub_node {
    enum cudaGraphNodeType type;
    const tc_stub_function *function; /* Kernel */
    tc_stub_grid grid;
    char *params;
    tc_rt_copy box; /* Memcpy, Memset */
    enum cudaMemcpyKind kind;
    unsigned int value, value_bytes;
    cudaHostFn_t fn; /* Host */
    void *user;
    tc_stub_graph *child; /* Graph */
    tc_stub_node **after; /* its dependencies */
    size_t nafter;
    bool seen;                  /* while a graph is walked */
    const tc_stub_node *origin; /* of a copy: what it is a copy of, */
    tc_stub_node *copy;         /* and while copying, the other way */
    tc_stub_node *next;
};

struct tc_stub_graph {
    tc_stub_node *first, **end; /* in the order in which they were added */
    size_t nodes;
    bool executable; /* a cudaGraphExec_t: nodes in an order of execution */
    tc_stub_graph *next;
};

/* NULL: there is no such graph (or no such executable). */
tc_stub_graph *tc_stub_graph_of(const void *handle, bool executable);
tc_stub_graph *tc_stub_graph_new(bool executable);
void tc_stub_graph_free(tc_stub_graph *g);
/* NULL: no memory, or a cycle (executable: its nodes come in an order). */
tc_stub_graph *tc_stub_graph_copy(const tc_stub_graph *g, bool executable,
                                  cudaError_t *why);

/* NULL: no memory. */
tc_stub_node *tc_stub_node_new(tc_stub_graph *g, enum cudaGraphNodeType type);
/* Of a graph that is not executable. */
tc_stub_node *tc_stub_node_of(cudaGraphNode_t handle, tc_stub_graph **in);
bool tc_stub_node_after(tc_stub_node *n, tc_stub_node *before);
/* The parameters take the node's old ones' place. */
cudaError_t tc_stub_node_kernel(tc_stub_node *n,
                                const struct cudaKernelNodeParams *p);

/* Executes it in the stream. The mutex is held, and let go for host functions.
 */
cudaError_t tc_stub_graph_run(const tc_stub_graph *g, cudaStream_t s);

#pragma GCC visibility pop

#endif
