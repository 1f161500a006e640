/* Batches of steps as CUDA graphs. */
#ifndef GRAPH_CUDA_H
#define GRAPH_CUDA_H

#include "cuda/runtime/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

int cuda_batch_begin(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch);
void cuda_batch_launch(struct backend *b);
void cuda_graphs_free(struct gpu *c);

#ifdef __cplusplus
}
#endif

#endif
