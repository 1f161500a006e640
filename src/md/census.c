#include "md/census.h"

#include <stdlib.h>

#include "base/memory.h"

struct census census_of(const struct ranks *r, const struct system *s)
{
  const struct forcefield *ff = s->ff;
  struct census c = {0};
  int64_t *count = alloc_array(ff->n_types, sizeof *count), taken = system_constraints(s);
  system_count_types(s, count);
  ranks_sum_int64(r, count, ff->n_types);
  ranks_sum_int64(r, &taken, 1);
  for (int t = 0; t < ff->n_types; t++) {
    const struct dof each = system_dof_of_type(&ff->type[t]);
    c.present[t] = count[t] > 0;
    c.mass += ff->type[t].mass * (double)count[t];
    c.dof.translation += each.translation * (double)count[t];
    c.dof.rotation += each.rotation * (double)count[t];
  }
  c.dof.translation -= (double)taken;
  free(count);
  return c;
}
