/* Batches of steps as CUDA graphs. A graph is captured from the launches of the steps of a batch
   and used again for later batches with the same launch key. Values that change from step to step
   or with the box are in device memory, so that they do not change the key; only the searches for
   unlisted pairs get the box as an argument, which is renewed. A list build swaps the bead arrays
   with their spares, so the last graphs are cached. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/graph.h"
#include "cuda/lists/lists.h"
#include "cuda/runtime/graph_node.h"
#include "cuda/step/step.h"
#include "dynamics/couple_body.h"

/* Everything that the launches of a batch depend on: batches with equal keys have the same graph.
   Keys are compared byte by byte, so they are cleared before they are filled. */
struct launch_key {
  int n, interior, boundary;
  int64_t steps;
  int coupled, measured, flags; /* of the struct step_batch; measured: the coupling needs sums */
  struct integrate_params params;
  struct gpu_coefficients coefficients;
  struct gpu_arrays arrays;
  struct gpu_sorting sorting;
  struct cuda_list list[PAIR_PASSES_MOST];
  struct gpu_bonded bonded;
  struct gpu_clusters clusters;
  struct gpu_sums sums;
  int parity, reduce_expired, box_changes;
  double pending_kick;
  int pending_spread;
  void *scratch;
};

enum { SEARCHES_MOST = 8 }; /* of a batch */
struct cached_graph {
  struct launch_key key;
  cudaGraph_t graph;
  cudaGraphExec_t exec;                    /* NULL: being captured, or nothing yet */
  struct graph_node search[SEARCHES_MOST]; /* of each step: what it searches depends on the box */
  int searches;
};

/* Kinds of batches, each for both parities of the first step and both arrays of beads. */
enum { GRAPHS_MOST = 4 * 8 };
struct cuda_graphs {
  int current, next;
  struct cached_graph cached[GRAPHS_MOST];
};

static struct gpu *of(struct backend *b)
{
  return (struct gpu *)b;
}

static void key_make(struct launch_key *k, const struct gpu *c, const struct integrate_params *m,
                     const struct step_batch *batch)
{
  memset(k, 0, sizeof *k);
  k->n = c->base.n;
  k->interior = c->base.interior;
  k->boundary = c->base.boundary;
  k->steps = batch->steps;
  k->coupled = batch->coupling != NULL;
  k->measured = batch->coupling && couple_measures(batch->coupling);
  k->flags = batch->flags;
  memcpy(&k->params, m, sizeof k->params);
  memcpy(&k->coefficients, &c->coefficients, sizeof k->coefficients);
  memcpy(&k->arrays, &c->arrays, sizeof k->arrays);
  memcpy(&k->sorting, &c->sorting, sizeof k->sorting);
  memcpy(k->list, c->list, sizeof k->list);
  memcpy(&k->bonded, &c->bonded, sizeof k->bonded);
  memcpy(&k->clusters, &c->clusters, sizeof k->clusters);
  memcpy(&k->sums, &c->sums, sizeof k->sums);
  k->parity = c->step.parity;
  k->reduce_expired = c->step.reduce_expired;
  k->box_changes = c->step.box_changes;
  k->pending_kick = c->step.pending_kick;
  k->pending_spread = c->step.pending_spread;
  k->scratch = c->memory.scratch;
  k->params.step = 0;
  if (m->box_changes) { /* kernels read the box and the grid from device memory */
    memset(k->sorting.build_box, 0, sizeof k->sorting.build_box);
    memset(&k->sorting.grid, 0, sizeof k->sorting.grid);
  }
}

static struct cached_graph *current(struct gpu *c)
{
  return &c->step.graphs->cached[c->step.graphs->current];
}

static void graph_free(struct cached_graph *k)
{
  if (k->exec) CUDA(cudaGraphExecDestroy(k->exec));
  if (k->graph) CUDA(cudaGraphDestroy(k->graph));
  memset(k, 0, sizeof *k);
}

/* Makes the graph with a key the current one. 0 if there is none: then one that is to be captured.
 */
static int key_find(struct cuda_graphs *g, const struct launch_key *key)
{
  for (g->current = 0; g->current < GRAPHS_MOST; g->current++)
    if (g->cached[g->current].exec && !memcmp(&g->cached[g->current].key, key, sizeof *key))
      return 1;
  g->current = g->next;
  g->next = (g->next + 1) % GRAPHS_MOST;
  graph_free(&g->cached[g->current]);
  memcpy(&g->cached[g->current].key, key, sizeof *key);
  return 0;
}

/* Under a barostat, the windows of the searches are those of the present box. */
static void searches_renew(struct gpu *c, struct cached_graph *k)
{
  const struct launch_key *key = &k->key;
  for (int s = 0; key->params.box_changes && s < k->searches; s++)
    cuda_search_renew(c, &key->params, key->parity ^ (s + 1) % 2, &k->search[s], k->exec);
}

int cuda_batch_begin(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch)
{
  struct gpu *c = of(b);
  struct launch_key key;
  if (!c->step.graphs) c->step.graphs = alloc_array(1, sizeof *c->step.graphs);
  struct cuda_graphs *g = c->step.graphs;
  cuda_step_set(c, m->step);
  /* A copy from the host cannot be part of a graph. */
  if (batch->coupling) cuda_coupling_set(c, batch->coupling);
  key_make(&key, c, m, batch);
  if (key_find(g, &key)) {
    searches_renew(c, current(c));
    return 0;
  }
  CUDA(cudaStreamBeginCapture(c->streams.main, cudaStreamCaptureModeThreadLocal));
  assert(batch->steps <= SEARCHES_MOST);
  c->step.searches = current(c)->search;
  return 1;
}

void cuda_batch_launch(struct backend *b)
{
  struct gpu *c = of(b);
  struct cached_graph *k = current(c);
  if (k->exec) {
    c->step.number += (uint64_t)k->key.steps;
    c->step.parity ^= (int)(k->key.steps % 2);
    c->step.pending_kick = 0.5 * k->key.params.dt;
    c->step.pending_spread = c->clusters.sites > 0 && !k->key.flags;
    c->reports.outdated |= k->key.coupled;
  } else {
    CUDA(cudaStreamEndCapture(c->streams.main, &k->graph));
    k->searches = (int)(c->step.searches - k->search);
    c->step.searches = NULL;
    CUDA(cudaGraphInstantiateWithFlags(&k->exec, k->graph, 0));
  }
  CUDA(cudaGraphLaunch(k->exec, c->streams.main));
}

void cuda_graphs_free(struct gpu *c)
{
  for (int k = 0; c->step.graphs && k < GRAPHS_MOST; k++)
    graph_free(&c->step.graphs->cached[k]);
  free(c->step.graphs);
}
