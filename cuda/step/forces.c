/* The forces of a step: the order of the passes, of bonded terms, external fields and virtual
   sites, and the streams that they are in. */
#include "cuda/lists/list.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/tuning.h"
#include "cuda/step/step.h"
#include "input/param.h"

void cuda_forces_open(struct gpu *c)
{
  struct gpu_forces *f = NEW_STATE(gpu_forces, c, forces);
  f->kernel = c->config.precision == PRECISION_DOUBLE ? &force_cuda_double : &force_cuda_mixed;
  f->model = f->kernel->model_create(c);
}

/* Passes over boundary beads, after the halo has arrived: if beads are many, in streams->side,
   concurrent with the interior; else in streams->main, concurrent with the search for unlisted
   pairs in side. With sums always in main, since interior and boundary add to the same words.
   Returns 1 if one of these kernels is the last in main. */
static int force_boundary(struct gpu *c, int flags)
{
  const int beside = !flags && c->base.n >= BOUNDARY_BESIDE_LEAST;
  if (c->base.boundary == 0) {
    cuda_join_if_busy(c);
    return 0;
  }
  if (!beside) cuda_halo_join(c);
  const int begun =
      c->forces->kernel->run(c, 1, flags, beside ? c->streams->side : c->streams->main);
  if (beside) cuda_join(c);
  return begun && !beside;
}

/* Adds bonded terms with a kernel of their own, external fields, biases and virtual sites. begun 1:
   a pass is the last kernel in main, and the next may be chained to it. */
static void force_rest(struct gpu *c, int flags, int begun)
{
  c->forces->kernel->bonded(c, flags, c->device->chained && begun && flags != FORCE_ENERGY);
  cuda_external_add(c, flags != 0, c->device->chained && begun && !flags);
  cuda_biases_add(c, flags != 0);
  cuda_clusters_spread(c, flags != 0, 1);
}

/* On one rank all beads are interior, and the search is concurrent with all forces. */
void cuda_force(struct backend *b, enum force_beads beads, int flags)
{
  struct gpu *c = gpu_of(b);
  const int alone = c->config.ranks == 1;
  int begun = 0;
  if (flags && beads != FORCE_BOUNDARY) CUDA_CLEAR(c, c->sums->forces, sizeof *c->sums->forces);
  if (beads == FORCE_ALL && !flags) cuda_fork(c);
  if (beads != FORCE_BOUNDARY) {
    const int waits = c->search->waits;
    begun = c->forces->kernel->run(c, 0, flags, c->streams->main);
    cuda_clock_link(c, waits && !c->streams->side_busy);
  }
  if (alone && beads != FORCE_BOUNDARY) force_rest(c, flags, begun);
  if (beads == FORCE_INTERIOR) return;
  begun = force_boundary(c, flags);
  if (!alone) force_rest(c, flags, begun);
}
