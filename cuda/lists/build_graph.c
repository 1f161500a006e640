#include "cuda/lists/build_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/runtime/graph_node.h"

/* What the launches of a build depend on, apart from the box: builds with equal keys have the same
   graph. Of the grid, kernels other than those of enum BUILD_NODES read the numbers of cells only.
   Keys are compared byte by byte, so they are cleared before they are filled. */
struct build_key {
  int n, checks;
  struct gpu_arrays arrays;
  struct gpu_sorting sorting;
  struct cuda_list list[PAIR_PASSES_MOST];
  struct gpu_bonded bonded;
  struct gpu_clusters clusters;
  void *scratch;
};

struct build_graph {
  int seen; /* 1: there has been a build with this key */
  struct build_key key;
  cudaGraph_t graph; /* NULL: not captured */
  cudaGraphExec_t exec;
  struct graph_node of[BUILD_NODES];
};

/* Each build swaps the bead arrays with their spares, so that keys take turns. */
enum { BUILD_GRAPHS = 4 };
struct build_graphs {
  int current, next;
  struct build_graph cached[BUILD_GRAPHS];
};

static struct build_graph *current(struct gpu *c)
{
  return &c->builds.graphs->cached[c->builds.graphs->current];
}

static void key_make(struct build_key *k, const struct gpu *c)
{
  memset(k, 0, sizeof *k);
  k->n = c->base.n;
  k->checks = c->base.checks;
  memcpy(&k->arrays, &c->arrays, sizeof k->arrays);
  memcpy(&k->sorting, &c->sorting, sizeof k->sorting);
  memcpy(k->list, c->list, sizeof k->list);
  memcpy(&k->bonded, &c->bonded, sizeof k->bonded);
  memcpy(&k->clusters, &c->clusters, sizeof k->clusters);
  k->scratch = c->memory.scratch;
  memset(k->sorting.build_box, 0, sizeof k->sorting.build_box);
  memset(k->sorting.grid.box, 0, sizeof k->sorting.grid.box);
  k->sorting.grid.radius = 0;
}

static void graph_free(struct build_graph *g)
{
  if (g->exec) CUDA(cudaGraphExecDestroy(g->exec));
  if (g->graph) CUDA(cudaGraphDestroy(g->graph));
  memset(g, 0, sizeof *g);
}

/* Makes the graph with a key the current one. 0 if there is none: then one without a capture. */
static int key_find(struct build_graphs *g, const struct build_key *key)
{
  for (g->current = 0; g->current < BUILD_GRAPHS; g->current++)
    if (g->cached[g->current].seen && !memcmp(&g->cached[g->current].key, key, sizeof *key))
      return 1;
  g->current = g->next;
  g->next = (g->next + 1) % BUILD_GRAPHS;
  struct build_graph *k = &g->cached[g->current];
  graph_free(k);
  memcpy(&k->key, key, sizeof *key);
  k->seen = 1;
  return 0;
}

void cuda_build_choose(struct gpu *c)
{
  struct build_key key;
  c->builds.way = BUILD_PLAIN;
  if (!c->step.graphs || c->config.ranks > 1 || c->base.n == 0) return;
  if (!c->builds.graphs) c->builds.graphs = alloc_array(1, sizeof *c->builds.graphs);
  key_make(&key, c);
  if (!key_find(c->builds.graphs, &key)) return;
  c->builds.way = current(c)->exec ? BUILD_REPLAYED : BUILD_CAPTURED;
  if (c->builds.way == BUILD_CAPTURED)
    CUDA(cudaStreamBeginCapture(c->streams.main, cudaStreamCaptureModeThreadLocal));
}

void cuda_build_note(struct gpu *c, int node, cudaStream_t stream, const void *argument,
                     size_t bytes)
{
  if (c->builds.way == BUILD_CAPTURED)
    graph_node_note(&current(c)->of[node], stream, argument, bytes);
}

int cuda_build_renewed(struct gpu *c, int node, const void *argument, size_t bytes)
{
  if (c->builds.way != BUILD_REPLAYED) return 0;
  graph_node_renew(&current(c)->of[node], current(c)->exec, argument, bytes);
  return 1;
}

void cuda_build_launch(struct gpu *c)
{
  struct build_graph *g = current(c);
  if (c->builds.way == BUILD_CAPTURED) {
    CUDA(cudaStreamEndCapture(c->streams.main, &g->graph));
    CUDA(
        cudaGraphInstantiateWithFlags(&g->exec, g->graph, cudaGraphInstantiateFlagUseNodePriority));
  }
  CUDA(cudaGraphLaunch(g->exec, c->streams.main));
}

void cuda_builds_free(struct gpu *c)
{
  for (int k = 0; c->builds.graphs && k < BUILD_GRAPHS; k++)
    graph_free(&c->builds.graphs->cached[k]);
  free(c->builds.graphs);
}
