/* Operations of the backend that use several of its modules: list builds (build.c), batches of
   steps (graph.c), copies of the beads (state.c). */
#ifndef OPERATIONS_CUDA_H
#define OPERATIONS_CUDA_H

#include "cuda/runtime/gpu.h"

void cuda_build_begin(struct backend *b, int keep);
void cuda_build_sort(struct backend *b, double radius);
void cuda_build(struct backend *b, const struct build_params *p, struct audit *out);
/* After load: finds the clusters of the owned beads. Waits. */
void cuda_clusters_load(struct gpu *c);

int cuda_batch_begin(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch);
void cuda_batch_launch(struct backend *b);

void cuda_load(struct backend *b, int n, const int64_t *id, const struct beads *from);
void cuda_store(struct backend *b, int64_t *id, struct beads *to);
void cuda_forces(struct backend *b, double *f, double *t);
int64_t cuda_drain(struct backend *b, struct sums *out);

#endif
