/* CUDA graphs: sequences of launches that are captured once and launched again while everything
   that they depend on (struct launch_state) is unchanged. A kernel whose argument may change
   nevertheless has a single argument, a struct, which is updated in the graph before it is
   launched. A kernel of several arguments may have one that changes. */
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

/* What happens from graph_begin to graph_launch: nothing; what is enqueued in streams->main becomes
   a graph; or a graph is used again, and graph_renewed updates the arguments of its nodes. */
enum graph_way { GRAPH_NONE, GRAPH_CAPTURED, GRAPH_REPLAYED };
enum graph_way graph_now(const struct gpu *c);
/* Looks for a graph of these kinds (bits) with the present launch state, to which the bytes at
   `more` belong too, and begins its capture or replay. A launch state that is new is captured at
   once with `at_once` 1, else when it comes again. */
enum graph_way graph_begin(struct gpu *c, unsigned kinds, const void *more, size_t bytes,
                           int at_once);
/* Launches the graph. flags: of cudaGraphInstantiate. */
void graph_launch(struct gpu *c, unsigned flags);

enum { GRAPH_ARGUMENT_MOST = 2048 /* bytes */, GRAPH_NODES_MOST = 16 };
enum { GRAPH_OTHERS_MOST = 1 }; /* arguments of such a kernel before the one that may change */
/* During a capture, makes the kernel launched last in a stream the next node of the graph. others:
   number of its arguments before this one, its last. Arguments are compared byte by byte, with the
   padding of the struct. */
void graph_note(struct gpu *c, cudaStream_t stream, int others, const void *argument, size_t bytes);
/* During a replay: the number of nodes of the graph. */
int graph_nodes(const struct gpu *c);
/* During a replay, updates the argument of the next node and returns 1: do not launch the kernel.
   Else returns 0. */
int graph_renewed(struct gpu *c, const void *argument, size_t bytes);

END_C

#endif
