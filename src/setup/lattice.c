/* Crystals: see lattice.h. Sites are multiples of half a cell, so their fractions of the box are
   exact. */
#include "setup/lattice.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "model/place.h"
#include "setup/rotors.h"

/* Sites of a cell, in half cells. */
static const int fcc[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
static const int bcc[2][3] = {{0, 0, 0}, {1, 1, 1}};

/* Cells of aligned ellipsoids are stretched as the bodies are. */
static void crystal_set(struct crystal *c, const struct build_spec *spec, double kappa)
{
  c->per_cell = spec->lattice == LATTICE_SC ? 1 : spec->lattice == LATTICE_BCC ? 2 : 4;
  c->site = spec->lattice == LATTICE_BCC ? bcc : fcc;
  double stretch = spec->orientation == ORIENTATION_ALIGNED ? kappa : 1;
  double edge = cbrt(c->per_cell / (spec->density * stretch));
  for (int d = 0; d < 3; d++) {
    c->cells[d] = spec->cells[d];
    c->edge[d] = d == spec->axis ? stretch * edge : edge;
  }
}

/* Draws of the orientations of all beads, so that ellipsoids do not overlap; NULL where any will
   do. */
static uint32_t *find_draws(const struct build_spec *spec, const struct crystal *c, int64_t n,
                            const struct ff_type *type, double sigma)
{
  if (type->kappa <= 0) return NULL;
  struct rotors r = {.sigma = sigma, .kappa = type->kappa, .seed = spec->seed};
  r.aligned = spec->orientation == ORIENTATION_ALIGNED;
  r.axis[spec->axis] = 1;
  double fits = rotors_fitting_density(&r, c);
  if (fits > 0.9999 * spec->density) {
    uint32_t *draw = r.aligned ? NULL : alloc_array(n, sizeof *draw);
    if (rotors_place(&r, c, draw) == 0) return draw;
    fits = 0.97 * spec->density;
  }
  if (r.aligned)
    die_all(STATUS_INPUT, "%s: aligned ellipsoids %s overlap at this density; %.4g fits",
            spec->where, type->name, fits);
  die_all(STATUS_INPUT,
          "%s: ellipsoids %s overlap at this density in all random orientations tried; about %.3g "
          "fits; for a denser start say orientation: aligned, and melt it",
          spec->where, type->name, fits);
}

/* The distance of nearest neighbours, nm. */
static double spacing_of(const struct crystal *c)
{
  const double of_edge[] = {[1] = 1, [2] = sqrt(0.75), [4] = sqrt(0.5)};
  return c->edge[0] * of_edge[c->per_cell];
}

static void orient(struct system *s, int64_t k, const struct build_spec *spec, const uint32_t *draw)
{
  double axis[3] = {0};
  axis[spec->axis] = 1;
  if (spec->orientation == ORIENTATION_ALIGNED)
    place_orientation(axis, s->beads.orientation + 4 * k);
  else if (draw)
    place_draw_orientation(s->clock.seed, draw[s->first + k - 1], s->first + k,
                           s->beads.orientation + 4 * k);
  else
    place_random_orientation(s, k);
}

struct system *lattice_build(const struct ranks *r, struct build_spec *spec)
{
  int type = spec->ff->molecule[spec->molecule].bead[0];
  const struct ff_type *body = &spec->ff->type[type];
  struct crystal c;
  crystal_set(&c, spec, body->kappa > 0 ? body->kappa : 1);
  int64_t n = c.per_cell;
  for (int d = 0; d < 3; d++)
    n = place_count_product(n, spec->cells[d], "beads");
  place_molecule_number(n);
  const double sigma = spec->ff->pair[type * spec->ff->n_types + type].sigma;
  uint32_t *draw = find_draws(spec, &c, n, body, sigma);
  if (body->kappa <= 0 && !spec->minimise)
    place_check_distance(spec->ff, type, spacing_of(&c), spec->where);
  struct system *s = system_create(n, r->rank, r->size, spec->ff);
  spec->ff = NULL;
  double box[3];
  for (int d = 0; d < 3; d++)
    box[d] = c.edge[d] * spec->cells[d];
  clock_set_seed(&s->clock, spec->seed);
  system_set_box(s, box);
  for (int64_t k = 0; k < s->n; k++) {
    int64_t id = s->first + k, cell = (id - 1) / c.per_cell;
    const int *half = c.site[(id - 1) % c.per_cell];
    for (int d = 0; d < 3; d++) {
      place_fraction(s, k, d, 2 * (cell % spec->cells[d]) + half[d], 0, 0, 2 * spec->cells[d]);
      cell /= spec->cells[d];
    }
    s->beads.type[k] = type;
    orient(s, k, spec, draw);
    s->beads.molecule_type[k] = spec->molecule;
    s->beads.molecule[k] = place_molecule_number(id);
  }
  free(draw);
  return s;
}
