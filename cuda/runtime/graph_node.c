#include "cuda/runtime/graph_node.h"

#include <assert.h>
#include <string.h>

#include "cuda/runtime/cuda_check.h"

void graph_node_note(struct graph_node *n, cudaStream_t stream, const void *argument, size_t bytes)
{
  enum cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t nodes;
#if CUDART_VERSION >= 13000
  CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &last, NULL, &nodes));
#else
  CUDA(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &last, &nodes));
#endif
  assert(nodes == 1 && bytes <= GRAPH_ARGUMENT_MOST);
  n->node = last[0];
  memcpy(n->argument, argument, bytes);
}

void graph_node_renew(struct graph_node *n, cudaGraphExec_t exec, const void *argument,
                      size_t bytes)
{
  struct cudaKernelNodeParams p;
  if (!memcmp(n->argument, argument, bytes)) return;
  memcpy(n->argument, argument, bytes);
  void *arguments[] = {n->argument};
  CUDA(cudaGraphKernelNodeGetParams(n->node, &p));
  p.kernelParams = arguments;
  CUDA(cudaGraphExecKernelNodeSetParams(exec, n->node, &p));
}
