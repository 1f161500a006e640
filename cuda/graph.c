/* Batches of steps as CUDA graphs. A batch is captured once and replayed by later batches with the
   same launch state. Kernels read the step and the box from device memory, so these are not part of
   that state; only searches for unlisted pairs have the box in their argument, which is updated. */
#include "cuda/operations.h"

#include <string.h>

#include "cuda/lists/clusters.h"
#include "cuda/lists/list.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"
#include "dynamics/couple_body.h"

/* What the launches of the present batch depend on besides the state that modules register
   (cuda_depends). Written by graph.c. */
struct gpu_batches {
  int64_t steps;
  int coupled, measured, flags;   /* of struct step_batch; measured: the coupling needs sums */
  struct integrate_params params; /* with step set to 0 */
};

/* With a barostat, updates the arguments of the searches in a graph: which cells they search
   depends on the box. */
static void searches_renew(struct gpu *c, const struct gpu_batches *batch)
{
  for (int s = 0; batch->params.box_changes && s < graph_nodes(c); s++)
    cuda_search_renew(c, &batch->params, c->clock->parity ^ (s + 1) % 2);
}

int cuda_batch_begin(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch)
{
  struct gpu *c = gpu_of(b);
  const unsigned kinds = GRAPH_STEPS | (m->box_changes ? 0 : GRAPH_BOX);
  if (!c->batches) (void)NEW_STATE(gpu_batches, c, batches);
  struct gpu_batches *now = c->batches;
  cuda_step_set(c, m->step);
  cuda_clock_link(c, 0);
  /* A copy from the host cannot be part of a graph. */
  if (batch->coupling) cuda_coupling_set(c, batch->coupling);
  memset(now, 0, sizeof *now);
  now->steps = batch->steps;
  now->coupled = batch->coupling != NULL;
  now->measured = batch->coupling && couple_measures(batch->coupling);
  now->flags = batch->flags;
  memcpy(&now->params, m, sizeof now->params);
  now->params.step = 0;
  const int is_new = graph_begin(c, kinds, now, sizeof *now, 1) == GRAPH_CAPTURED;
  if (!is_new) searches_renew(c, now);
  return is_new;
}

/* With coordinates, kernels in streams->side keep the priority of that stream: forces at the end of
   a step wait for them. */
void cuda_batch_launch(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  const struct gpu_batches *now = c->batches;
  if (graph_now(c) == GRAPH_REPLAYED) {
    const int defers = !cuda_constrains(c);
    cuda_steps_launched(c, now->steps, defers ? now->params.dt : 0,
                        defers && c->clusters->sites > 0 && !now->flags);
    if (now->coupled) cuda_report_outdate(c);
  }
  cuda_clock_link(c, 0);
  graph_launch(c, c->biases ? cudaGraphInstantiateFlagUseNodePriority : 0);
}
