/* CUDA graphs: sequences of launches that are captured once and launched again while everything
   that they depend on (struct launch_state) is unchanged. A kernel whose argument may change
   nevertheless has a single argument, a struct, which is updated in the graph before it is
   launched. */
#ifndef GRAPHS_CUDA_H
#define GRAPHS_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* What a graph contains: steps, or a list build. GRAPH_BOX: state that only steps in a constant box
   depend on, since their kernels have the box in their arguments. */
enum graph_kind { GRAPH_STEPS = 1, GRAPH_BUILDS = 2, GRAPH_BOX = 4 };

void cuda_graphs_open(struct gpu *c);
void cuda_graphs_close(struct gpu *c);
/* Graphs of these kinds (bits) are only launched again while the `bytes` bytes of host memory at
   `at` are unchanged. Every module registers the state that its launches use: numbers, and
   addresses of arrays that grow or are swapped; not what is constant from create to destroy. */
void cuda_depends(struct gpu *c, unsigned kinds, const void *at, size_t bytes);

enum { GRAPH_ARGUMENT_MOST = 2048 /* bytes */, GRAPH_NODES_MOST = 16 };
struct graph_node {
  cudaGraphNode_t node; /* in struct graph, which must live on; NULL: none */
  unsigned char argument[GRAPH_ARGUMENT_MOST];
};

struct graph {
  unsigned char *state; /* copy of the launch state; NULL: unused */
  size_t bytes;         /* of state */
  cudaGraph_t graph;
  cudaGraphExec_t exec; /* NULL: not captured */
  int nodes;
  struct graph_node node[GRAPH_NODES_MOST]; /* [nodes] kernels whose argument may change */
};

/* The last n graphs. next: index of the oldest, which is replaced next. */
struct graph_cache {
  int n, next;
  struct graph *graph; /* [n] */
};
struct graph_cache *graph_cache_make(struct gpu *c, int n);
/* The graph for these kinds (bits) and the present launch state, to which the bytes at `more`
   belong too. If there is none, *is_new is 1, and an empty graph is returned, which replaces the
   oldest. */
struct graph *graph_find(struct gpu *c, struct graph_cache *g, unsigned kinds, const void *more,
                         size_t bytes, int *is_new);
/* Starts the capture of what is enqueued in streams->main, until graph_launch. */
void graph_capture(struct gpu *c, struct graph *g);
/* Starts a replay: graph_renewed updates the arguments of its nodes, until graph_launch. */
void graph_replay(struct gpu *c, struct graph *g);
/* Launches the graph of graph_capture or graph_replay. flags: of cudaGraphInstantiate. */
void graph_launch(struct gpu *c, unsigned flags);

/* During a capture, makes the kernel launched last in a stream the next node of the graph.
   Arguments are compared byte by byte, with the padding of the struct. */
void graph_note(struct gpu *c, cudaStream_t stream, const void *argument, size_t bytes);
/* During a replay, updates the argument of the next node and returns 1: do not launch the kernel.
   Else returns 0. */
int graph_renewed(struct gpu *c, const void *argument, size_t bytes);

END_C

#endif
