/* Batches of steps as CUDA graphs. */
#ifndef GRAPH_CUDA_H
#define GRAPH_CUDA_H

#include "cuda/runtime/gpu.h"
#include "cuda/runtime/graph_node.h"

#ifdef __cplusplus
extern "C" {
#endif

int cuda_batch_begin(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch);
void cuda_batch_launch(struct backend *b);
/* Of the batch that is being captured, the next of its searches; NULL: there is no capture. */
struct graph_node *cuda_batch_search(struct gpu *c);
/* The k-th search of the current batch gets another argument. */
void cuda_batch_search_renew(struct gpu *c, int k, const void *argument, size_t bytes);
void cuda_graphs_free(struct gpu *c);

#ifdef __cplusplus
}
#endif

#endif
