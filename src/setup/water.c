/* Water: see water.h. */
#include "setup/water.h"

#include <math.h>

#include "model/place.h"

void water_set_bead(struct system *s, const struct build_spec *spec, int64_t id, int64_t molecule,
                    const double x[3])
{
  int64_t k = id - s->first;
  s->beads.type[k] = s->ff->molecule[spec->water].bead[0];
  s->beads.molecule_type[k] = spec->water;
  s->beads.molecule[k] = place_molecule_number(molecule);
  place_random_orientation(s, k);
  system_set_position(s, k, x);
  for (int d = 0; d < 3; d++)
    s->beads.image[3 * k + d] = 0;
}

struct system *water_build(const struct ranks *r, struct build_spec *spec)
{
  place_molecule_number(spec->n_waters);
  if (!spec->minimise)
    place_check_distance(spec->ff, spec->ff->molecule[spec->water].bead[0],
                         cbrt(1 / spec->water_density), spec->where);
  struct system *s = system_create(spec->n_waters, r->rank, r->size, spec->ff);
  spec->ff = NULL;
  const double edge = cbrt((double)spec->n_waters / spec->water_density);
  const double box[3] = {edge, edge, edge};
  clock_set_seed(&s->clock, spec->seed);
  system_set_box(s, box);
  for (int64_t id = s->first; id < s->first + s->n; id++) {
    double x[3];
    place_in_slab(spec->n_waters, id - 1, s->box, x);
    water_set_bead(s, spec, id, id, x);
  }
  return s;
}
