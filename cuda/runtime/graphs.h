/* Captured CUDA graphs: sequences of launches that are captured once, and launched again as long as
   all that the launches depend on is as it was (struct launch_state). Kernels whose argument may
   change all the same have one, a struct, and get the present one before the graph is launched. */
#ifndef GRAPHS_CUDA_H
#define GRAPHS_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* What a graph is of: steps, a list build. GRAPH_BOX: steps of a box that does not change, which
   kernels have in their arguments. */
enum graph_kind { GRAPH_STEPS = 1, GRAPH_BUILDS = 2, GRAPH_BOX = 4 };

void cuda_graphs_open(struct gpu *c);
void cuda_graphs_close(struct gpu *c);
/* Launches that graphs of these kinds (bits) capture depend on so many bytes of host memory. Every
   module names the part of its state that its launches are made of: numbers, addresses of arrays
   that grow or are swapped. Not what stays the same from create to destroy. */
void cuda_depends(struct gpu *c, unsigned kinds, const void *at, size_t bytes);

enum { GRAPH_ARGUMENT_MOST = 2048 /* bytes */, GRAPH_NODES_MOST = 16 };
struct graph_node {
  cudaGraphNode_t node; /* of a graph that has not been destroyed; NULL: none */
  unsigned char argument[GRAPH_ARGUMENT_MOST];
};

struct graph {
  unsigned char *state; /* struct launch_state; NULL: none yet */
  size_t bytes;
  cudaGraph_t graph;
  cudaGraphExec_t exec; /* NULL: not captured */
  int nodes;
  struct graph_node node[GRAPH_NODES_MOST]; /* [nodes] whose argument may change */
};

/* The last n graphs of a kind: the one that was made first is replaced by the next. */
struct graph_cache {
  int n, next;
  struct graph *graph; /* [n] */
};
struct graph_cache *graph_cache_make(struct gpu *c, int n);
/* The graph of these kinds (bits) with the present launch state, to which `more` belongs too. If
   there is none, *is_new is set: the graph is empty, and takes the place of another. */
struct graph *graph_find(struct gpu *c, struct graph_cache *g, unsigned kinds, const void *more,
                         size_t bytes, int *is_new);
/* Captures what is enqueued in main from now on, until graph_launch. */
void graph_capture(struct gpu *c, struct graph *g);
/* A graph that has been captured is launched next: graph_renewed gives its nodes their arguments.
 */
void graph_replay(struct gpu *c, struct graph *g);
/* Launches the graph of graph_capture or graph_replay. flags: of cudaGraphInstantiate. */
void graph_launch(struct gpu *c, unsigned flags);

/* If a graph is captured, the kernel launched last in a stream is its next node. Arguments are
   compared byte by byte, with the padding of the struct. */
void graph_note(struct gpu *c, cudaStream_t stream, const void *argument, size_t bytes);
/* If a graph is replayed, sets the argument of its next node and returns 1: nothing is to be
   launched. */
int graph_renewed(struct gpu *c, const void *argument, size_t bytes);

END_C

#endif
