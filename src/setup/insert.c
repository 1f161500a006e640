/* Insertion of ions: see insert.h. */
#include "setup/insert.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/place.h"
#include "setup/replicate.h"

enum { DRAW_MOMENTUM }; /* the step in the counter of rng.h, as system_thermalise has it */

static void set_bead(struct system *s, const struct forcefield *ff, int64_t k,
                     const struct insertion *in, double kt)
{
  static const double unit[4] = {1, 0, 0, 0};
  struct beads *b = &s->beads;
  const struct ff_type *type = &ff->type[ff->molecule[in->molecule].bead[0]];
  double noise[4];
  rng_normal(s->seed, DRAW_MOMENTUM, (uint64_t)k + 1, RNG_START, noise);
  b->type[k] = ff->molecule[in->molecule].bead[0];
  b->molecule_type[k] = in->molecule;
  b->bonded_env[k] = -1;
  memcpy(b->orientation + 4 * k, unit, sizeof unit);
  for (int d = 0; d < 3; d++) {
    b->momentum[3 * k + d] = sqrt(type->mass * kt) * noise[d];
    b->angular_momentum[3 * k + d] = 0;
    if (!in->id) b->position[3 * k + d] = in->x[d];
  }
}

static void insert(struct system *s, const struct forcefield *ff, int64_t n,
                   const struct insertion *insertion, double kt)
{
  int64_t more = 0, molecules = 0;
  for (int64_t i = 0; i < n; i++)
    more += !insertion[i].id;
  for (int64_t k = 0; k < s->n; k++)
    if (s->beads.molecule[k] > molecules) molecules = s->beads.molecule[k];
  place_molecule_number(molecules + more);
  beads_reserve(&s->beads, STATE | STATIC, s->n, s->n + more);
  for (int64_t i = 0; i < n; i++) {
    const int64_t k = insertion[i].id ? insertion[i].id - 1 : s->n++;
    set_bead(s, ff, k, &insertion[i], kt);
    if (!insertion[i].id) s->beads.molecule[k] = place_molecule_number(++molecules);
  }
  s->n_total = s->n;
}

struct system *insert_beads(const struct ranks *r, struct system *s, struct forcefield *ff,
                            int64_t n, const struct insertion *insertion, uint64_t seed,
                            double temperature)
{
  static const int once[3] = {1, 1, 1};
  struct system *whole = replicate_gather(r, s);
  system_destroy(s);
  if (whole) {
    whole->seed = seed;
    whole->step = 0;
    whole->time = whole->conserved_work = 0;
    insert(whole, ff, n, insertion, UNITS_BOLTZMANN * temperature);
  }
  s = replicate_whole(r, whole, once, ff);
  system_destroy(whole);
  return s;
}
