/* Operations of the backend that use several of its modules: list builds (build.c) and batches of
   steps (graph.c). */
#ifndef OPERATIONS_CUDA_H
#define OPERATIONS_CUDA_H

#include "cuda/runtime/gpu.h"

void cuda_build_begin(struct backend *b, int keep);
void cuda_build_sort(struct backend *b, double radius);
void cuda_build(struct backend *b, const struct build_params *p);
/* After load: finds the clusters of the owned beads. Waits. */
void cuda_clusters_load(struct gpu *c);

int cuda_batch_begin(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch);
void cuda_batch_launch(struct backend *b);

#endif
