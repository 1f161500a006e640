/* Copies of the beads to and from the host, and draining. */
#include "cuda/operations.h"

#include <string.h>

#include "cuda/runtime/clock.h"
#include "cuda/runtime/report.h"
#include "cuda/step/step.h"

void cuda_load(struct backend *b, int n, const int64_t *id, const struct beads *from)
{
  struct gpu *c = gpu_of(b);
  struct beads source = *from;
  b->n = b->n_halo = 0;
  cuda_reserve(c, n);
  b->n = n;
  if (n == 0) return;
  struct beads beads = c->arrays->beads;
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE)
      CUDA_TO_DEVICE(c, *beads_field(&beads, f), *beads_field(&source, f),
                     (size_t)n * field_bytes(f));
  CUDA_TO_DEVICE(c, c->arrays->id, id, (size_t)n * sizeof *id);
  cuda_update_pair_records(c, 0, n);
  CUDA(cudaStreamSynchronize(c->streams->main));
  cuda_clusters_load(c);
  cuda_baths_find(c);
}

void cuda_store(struct backend *b, int64_t *id, struct beads *to)
{
  struct gpu *c = gpu_of(b);
  if (b->n == 0) return;
  cuda_apply_pending_kick(c);
  struct beads beads = c->arrays->beads;
  for (int f = 0; f < FIELDS; f++)
    if ((field_info[f].flags & MIGRATE) && *beads_field(to, f))
      CUDA_TO_HOST(c, *beads_field(to, f), *beads_field(&beads, f), (size_t)b->n * field_bytes(f));
  CUDA_TO_HOST(c, id, c->arrays->id, (size_t)b->n * sizeof *id);
  cuda_report_read(c);
}

void cuda_forces(struct backend *b, double *f, double *t)
{
  struct gpu *c = gpu_of(b);
  cuda_apply_pending_spread(c);
  const size_t bytes = 3 * (size_t)b->n * sizeof *f;
  if (bytes) {
    CUDA_TO_HOST(c, f, c->arrays->force, bytes);
    memset(t, 0, bytes);
    if (c->types->rotates) CUDA_TO_HOST(c, t, c->arrays->torque, bytes);
  }
  cuda_report_read(c);
}

int64_t cuda_drain(struct backend *b, struct sums *out)
{
  struct gpu *c = gpu_of(b);
  if (out)
    cuda_sums(b, out);
  else
    cuda_report_read(c);
  const int64_t expired = cuda_report_resume(c);
  if (expired == 0) return -1;
  cuda_step_back(c, expired);
  return expired;
}
