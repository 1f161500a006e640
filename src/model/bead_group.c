#include "model/bead_group.h"

#include <stdlib.h>

struct bead_set bead_set_of(const struct bead_group *g)
{
  return (struct bead_set){g->type, (const int64_t(*)[2])g->range, g->n_ranges};
}

void bead_group_free(struct bead_group *g)
{
  free(g->type);
  free(g->molecule);
  free(g->range);
}
