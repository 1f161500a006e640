/* Kernels of a captured graph whose argument may change: they have one, a struct, and get the
   present one before a launch of the graph, so that the graph need not be captured again. */
#ifndef GRAPH_NODE_H
#define GRAPH_NODE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GRAPH_ARGUMENT_MOST = 2048 }; /* bytes */

struct graph_node {
  cudaGraphNode_t node; /* of a graph that has not been destroyed; NULL: none */
  unsigned char argument[GRAPH_ARGUMENT_MOST];
};

/* Sets *n to the kernel that was launched last in a stream, which is being captured. */
void graph_node_note(struct graph_node *n, cudaStream_t stream, const void *argument, size_t bytes);
/* Gives it another argument in an instance of its graph. Arguments are compared byte by byte, with
   the padding of the struct. */
void graph_node_renew(struct graph_node *n, cudaGraphExec_t exec, const void *argument,
                      size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
