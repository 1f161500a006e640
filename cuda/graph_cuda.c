/* Several steps that need nothing of the host as one CUDA graph: recorded from the launches of
   those steps, and used again for as long as these would be the same. They are a function of struct
   gpu and of the move; what changes from step to step, and with the box, lies on the device. Every
   list build swaps the arrays of beads, so a few graphs are kept. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "log.h"

struct known {
  struct gpu state; /* before the first of the steps */
  struct move move;
  int64_t steps;
  cudaGraphExec_t graph; /* NULL: is being recorded */
};

enum { KEPT = 4 };
struct cuda_graphs {
  int now, next;
  struct known known[KEPT];
};

static struct gpu *of(struct backend *b)
{
  return (struct gpu *)b;
}

/* Without what no launch depends on. */
static void known_make(struct known *k, const struct gpu *c, const struct move *m, int64_t steps)
{
  memset(k, 0, sizeof *k);
  memcpy(&k->state, c, sizeof k->state);
  memcpy(&k->move, m, sizeof k->move);
  k->steps = steps;
  k->state.base.n_listed = 0;
  k->state.base.step = 0;
  k->state.step = 0;
  k->state.unseen = 0;
  if (m->box_changes) {
    memset(k->state.build_box, 0, sizeof k->state.build_box);
    memset(&k->state.grid, 0, sizeof k->state.grid);
  }
  k->move.step = 0;
}

int cuda_record(struct backend *b, const struct move *m, int64_t steps)
{
  struct gpu *c = of(b);
  struct known want;
  if (!c->graphs) c->graphs = alloc_array(1, sizeof *c->graphs);
  struct cuda_graphs *g = c->graphs;
  cuda_step_set(c, m->step);
  if (m->box_changes) cuda_watch_ready(c, c->stream);
  known_make(&want, c, m, steps);
  for (g->now = 0; g->now < KEPT; g->now++)
    if (g->known[g->now].graph && !memcmp(&g->known[g->now], &want, offsetof(struct known, graph)))
      return 0;
  g->now = g->next;
  g->next = (g->next + 1) % KEPT;
  struct known *k = &g->known[g->now];
  if (k->graph) CUDA(cudaGraphExecDestroy(k->graph));
  memcpy(k, &want, sizeof *k);
  CUDA(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
  return 1;
}

void cuda_replay(struct backend *b)
{
  struct gpu *c = of(b);
  struct known *k = &c->graphs->known[c->graphs->now];
  cudaGraph_t recorded;
  if (k->graph) {
    c->step += (uint64_t)k->steps;
    c->turn ^= (int)(k->steps % 2);
    c->kick = 0.5 * k->move.dt;
  } else {
    CUDA(cudaStreamEndCapture(c->stream, &recorded));
    CUDA(cudaGraphInstantiateWithFlags(&k->graph, recorded, 0));
    CUDA(cudaGraphDestroy(recorded));
  }
  CUDA(cudaGraphLaunch(k->graph, c->stream));
}

void cuda_graphs_free(struct gpu *c)
{
  for (int k = 0; c->graphs && k < KEPT; k++)
    if (c->graphs->known[k].graph) CUDA(cudaGraphExecDestroy(c->graphs->known[k].graph));
  free(c->graphs);
}
