#include "cuda/runtime/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/runtime/streams.h"

/* What the launches of a graph depend on, as registered by cuda_depends: states are equal if all
   bytes are. */
struct launch_part {
  unsigned kinds; /* bits of enum graph_kind */
  const void *at; /* host memory */
  size_t bytes;
};
enum { LAUNCH_PARTS_MOST = 64 };
struct launch_state {
  struct launch_part part[LAUNCH_PARTS_MOST]; /* [parts] */
  int parts;
  size_t bytes; /* of all parts */
};

/* A kernel whose argument may change. */
struct graph_node {
  cudaGraphNode_t node; /* in struct graph, which must live on */
  unsigned char argument[GRAPH_ARGUMENT_MOST];
  int others; /* arguments of the kernel before this one */
};

struct graph {
  unsigned char *state; /* copy of the launch state; NULL: unused */
  size_t bytes;         /* of state */
  cudaGraph_t graph;
  cudaGraphExec_t exec; /* NULL: not captured */
  int nodes;
  struct graph_node node[GRAPH_NODES_MOST]; /* [nodes] */
};

/* Graphs that are kept: of steps 8 different batches, for both parities of the first step and both
   sets of bead arrays (every build swaps these with their spares); of list builds 4. */
enum { STEP_GRAPHS = 4 * 8, BUILD_GRAPHS = 4 };

/* The last n graphs. next: index of the oldest, which is replaced next. */
struct graph_cache {
  int n, next;
  struct graph *graph; /* [n] */
};

/* Written by runtime/graphs.c. */
struct gpu_graphs {
  struct launch_state launch;
  struct graph_cache steps, builds;
  struct graph *captured, *replayed; /* the graph being captured; the one being replayed; or NULL */
  int node;                          /* index of the next node of replayed to get its argument */
};

static struct graph_cache cache_create(int n)
{
  const struct graph_cache g = {n, 0, alloc_array(n, sizeof *g.graph)};
  return g;
}

void cuda_graphs_open(struct gpu *c)
{
  c->graphs = alloc_array(1, sizeof *c->graphs);
  c->graphs->steps = cache_create(STEP_GRAPHS);
  c->graphs->builds = cache_create(BUILD_GRAPHS);
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, &c->base.n, sizeof c->base.n);
  cuda_depends(c, GRAPH_STEPS, &c->base.interior, sizeof c->base.interior);
  cuda_depends(c, GRAPH_STEPS, &c->base.boundary, sizeof c->base.boundary);
  cuda_depends(c, GRAPH_BUILDS, &c->base.checks, sizeof c->base.checks);
}

void cuda_depends(struct gpu *c, unsigned kinds, const void *at, size_t bytes)
{
  struct launch_state *s = &c->graphs->launch;
  const struct launch_part part = {kinds, at, bytes};
  assert(s->parts < LAUNCH_PARTS_MOST);
  s->part[s->parts++] = part;
  s->bytes += bytes;
}

/* Copies the parts of these kinds, and returns the end of the copy. */
static unsigned char *state_copy(const struct launch_state *s, unsigned kinds, unsigned char *to)
{
  for (int k = 0; k < s->parts; k++) {
    if (!(s->part[k].kinds & kinds)) continue;
    memcpy(to, s->part[k].at, s->part[k].bytes);
    to += s->part[k].bytes;
  }
  return to;
}

static void graph_free(struct graph *g)
{
  if (g->exec) CUDA(cudaGraphExecDestroy(g->exec));
  if (g->graph) CUDA(cudaGraphDestroy(g->graph));
  free(g->state);
  memset(g, 0, sizeof *g);
}

static void cache_destroy(const struct graph_cache *g)
{
  for (int k = 0; k < g->n; k++)
    graph_free(&g->graph[k]);
  free(g->graph);
}

void cuda_graphs_close(struct gpu *c)
{
  cache_destroy(&c->graphs->steps);
  cache_destroy(&c->graphs->builds);
  free(c->graphs);
}

/* The graph of graph_begin. If there is none, *is_new is 1, and an empty graph is returned, which
   replaces the oldest. */
static struct graph *graph_find(struct gpu *c, unsigned kinds, const void *more, size_t bytes,
                                int *is_new)
{
  const struct launch_state *s = &c->graphs->launch;
  struct graph_cache *g = kinds & GRAPH_BUILDS ? &c->graphs->builds : &c->graphs->steps;
  unsigned char *state = alloc_array((long long)(s->bytes + bytes), 1);
  if (bytes) memcpy(state, more, bytes);
  const size_t all = (size_t)(state_copy(s, kinds, state + bytes) - state);
  for (int k = 0; k < g->n; k++) {
    struct graph *old = &g->graph[k];
    if (old->bytes != all || memcmp(old->state, state, all)) continue;
    free(state);
    *is_new = 0;
    return old;
  }
  struct graph *new = &g->graph[g->next];
  g->next = (g->next + 1) % g->n;
  graph_free(new);
  new->state = state;
  new->bytes = all;
  *is_new = 1;
  return new;
}

enum graph_way graph_now(const struct gpu *c)
{
  if (c->graphs->captured) return GRAPH_CAPTURED;
  return c->graphs->replayed ? GRAPH_REPLAYED : GRAPH_NONE;
}

enum graph_way graph_begin(struct gpu *c, unsigned kinds, const void *more, size_t bytes,
                           int at_once)
{
  int is_new;
  struct graph *g = graph_find(c, kinds, more, bytes, &is_new);
  c->graphs->node = 0;
  if (is_new && !at_once) return GRAPH_NONE;
  if (g->exec) {
    c->graphs->replayed = g;
  } else {
    CUDA(cudaStreamBeginCapture(c->streams->main, cudaStreamCaptureModeThreadLocal));
    c->graphs->captured = g;
  }
  return graph_now(c);
}

void graph_launch(struct gpu *c, unsigned flags)
{
  struct graph *new = c->graphs->captured, *g = new ? new : c->graphs->replayed;
  if (new) {
    CUDA(cudaStreamEndCapture(c->streams->main, &new->graph));
    CUDA(cudaGraphInstantiateWithFlags(&new->exec, new->graph, flags));
  }
  CUDA(cudaGraphLaunch(g->exec, c->streams->main));
  c->graphs->captured = c->graphs->replayed = NULL;
}

void graph_note(struct gpu *c, cudaStream_t stream, int others, const void *argument, size_t bytes)
{
  enum cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  struct graph *g = c->graphs->captured;
  size_t nodes;
  if (!g) return;
#if CUDART_VERSION >= 13000
  CUDA(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &last, NULL, &nodes));
#else
  CUDA(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &last, &nodes));
#endif
  assert(nodes == 1 && bytes <= GRAPH_ARGUMENT_MOST && g->nodes < GRAPH_NODES_MOST);
  assert(others <= GRAPH_OTHERS_MOST);
  g->node[g->nodes].node = last[0];
  g->node[g->nodes].others = others;
  memcpy(g->node[g->nodes++].argument, argument, bytes);
}

int graph_nodes(const struct gpu *c)
{
  return c->graphs->replayed->nodes;
}

int graph_renewed(struct gpu *c, const void *argument, size_t bytes)
{
  struct graph *g = c->graphs->replayed;
  struct cudaKernelNodeParams p;
  if (!g) return 0;
  struct graph_node *n = &g->node[c->graphs->node++];
  assert(c->graphs->node <= g->nodes);
  if (!memcmp(n->argument, argument, bytes)) return 1;
  memcpy(n->argument, argument, bytes);
  void *arguments[GRAPH_OTHERS_MOST + 1];
  CUDA(cudaGraphKernelNodeGetParams(n->node, &p));
  for (int k = 0; k < n->others; k++)
    arguments[k] = p.kernelParams[k];
  arguments[n->others] = n->argument;
  p.kernelParams = arguments;
  CUDA(cudaGraphExecKernelNodeSetParams(g->exec, n->node, &p));
  return 1;
}
