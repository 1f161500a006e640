#include "model/applied_forces.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void applied_forces_forget(struct applied_forces *a)
{
  a->step = -1;
  a->n = 0;
}

void applied_forces_set(struct applied_forces *a, int64_t step, int n, const int64_t *id,
                        const double *force, const double sums[APPLIED_SUMS])
{
  if (n > a->n) {
    a->id = grow_array(a->id, n, sizeof *a->id);
    a->force = grow_array(a->force, n, 3 * sizeof *a->force);
  }
  if (n) {
    memcpy(a->id, id, (size_t)n * sizeof *id);
    memcpy(a->force, force, 3 * (size_t)n * sizeof *force);
  }
  a->step = step;
  a->n = n;
  memcpy(a->sums, sums, sizeof a->sums);
}

void applied_forces_free(struct applied_forces *a)
{
  free(a->id);
  free(a->force);
}
