/* List builds as CUDA graphs: what cuda_sort and cuda_build enqueue is captured once and launched
   again by later builds whose arrays and numbers are the same. A build is about 35 small kernels,
   which take longer to submit one by one than to run. On one rank, where steps are graphs too. */
#ifndef BUILD_GRAPH_CUDA_H
#define BUILD_GRAPH_CUDA_H

#include "cuda/runtime/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels of a build whose argument depends on the box, apart from the numbers of cells: those of
   lists (by list) and bonded terms. Before a launch of the graph they get the present argument. */
enum { NODE_TERMS = PAIR_PASSES_MOST, BUILD_NODES };

/* Chooses how the build that begins with cuda_sort is done (c->builds.way), once the grid is set. A
   build is captured from now on, if it is one like another before it. */
void cuda_build_choose(struct gpu *c);
/* Notes that the kernel launched last in a stream is such a kernel, if it has been captured. */
void cuda_build_note(struct gpu *c, int node, cudaStream_t stream, const void *argument,
                     size_t bytes);
/* If the build is replayed: sets the argument of a kernel of its graph, if it has changed, and
   returns 1. */
int cuda_build_renewed(struct gpu *c, int node, const void *argument, size_t bytes);
/* Ends the capture, if the build has been captured, and launches the graph. */
void cuda_build_launch(struct gpu *c);
void cuda_builds_free(struct gpu *c);

#ifdef __cplusplus
}
#endif

#endif
