#include "setup/motion.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Removes the motion of the centre of mass. Momenta are summed in fixed point. */
static void stop_drift(const struct ranks *r, struct system *s)
{
  enum { FRACTION_BITS = 30 };
  int64_t sum[3] = {0}, *count = alloc_array(s->ff->n_types, sizeof *count);
  double mass = 0;
  system_count_types(s, count);
  for (int64_t k = 0; k < 3 * s->n; k++)
    sum[k % 3] += llround(ldexp(s->beads.momentum[k], FRACTION_BITS));
  ranks_sum_int64(r, sum, 3);
  ranks_sum_int64(r, count, s->ff->n_types);
  for (int t = 0; t < s->ff->n_types; t++)
    mass += s->ff->type[t].mass * (double)count[t];
  for (int64_t k = 0; k < 3 * s->n; k++)
    s->beads.momentum[k] -=
        s->ff->type[s->beads.type[k / 3]].mass * (ldexp((double)sum[k % 3], -FRACTION_BITS) / mass);
  free(count);
}

void motion_draw(const struct ranks *r, struct system *s, double temperature, uint64_t seed)
{
  clock_set_seed(&s->clock, seed);
  system_thermalise(s, temperature);
  if (s->n_total > 1) stop_drift(r, s);
}
