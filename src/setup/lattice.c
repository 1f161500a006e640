/* Crystals: see lattice.h. Sites are multiples of half a cell, so their fractions of the box are
   exact. */
#include "setup/lattice.h"

#include <math.h>

#include "model/place.h"

/* Sites of a cell, in half cells. */
static const int basis[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
static const int bcc_centre[3] = {1, 1, 1};

struct system *lattice_build(const struct ranks *r, struct build_spec *spec)
{
  int per_cell = spec->lattice == LATTICE_SC ? 1 : spec->lattice == LATTICE_BCC ? 2 : 4;
  int64_t n = per_cell;
  for (int d = 0; d < 3; d++)
    n = place_count_product(n, spec->cells[d], "beads");
  place_molecule_number(n);
  int type = spec->ff->molecule[spec->molecule].bead[0];
  double edge = cbrt(per_cell / spec->density);
  struct system *s = system_create(n, r->rank, r->size, spec->ff);
  spec->ff = NULL;
  s->seed = spec->seed;
  for (int d = 0; d < 3; d++)
    s->box[d] = edge * spec->cells[d];
  for (int64_t k = 0; k < s->n; k++) {
    int64_t id = s->first + k, cell = (id - 1) / per_cell;
    int point = (int)((id - 1) % per_cell);
    const int *half = spec->lattice == LATTICE_BCC && point ? bcc_centre : basis[point];
    for (int d = 0; d < 3; d++) {
      place_fraction(s, k, d, 2 * (cell % spec->cells[d]) + half[d], 0, 0, 2 * spec->cells[d]);
      cell /= spec->cells[d];
    }
    s->beads.type[k] = type;
    place_random_orientation(s, k);
    s->beads.molecule_type[k] = spec->molecule;
    s->beads.molecule[k] = place_molecule_number(id);
  }
  return s;
}
