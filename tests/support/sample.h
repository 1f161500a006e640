/* A system for tests of files: lipids, then water, with random everything, the same on any number
   of ranks. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <math.h>
#include <string.h>

#include "base/box.h"
#include "base/rng.h"
#include "input/forcefield_file.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

static inline void sample_bead(struct system *s, int64_t k, int molecule, int kind, int bead,
                               int env)
{
  double u[4], q[4], x[3], norm = 0;
  uint64_t id = (uint64_t)(s->first + k);
  rng_uniform(7, 0, id, RNG_BUILD, u);
  rng_normal(7, 0, id, RNG_BUILD_ORIENTATION, q);
  for (int d = 0; d < 3; d++)
    x[d] = (4 * u[d] - 2) * s->box[d];
  for (int d = 0; d < 4; d++)
    norm += q[d] * q[d];
  for (int d = 0; d < 4; d++)
    s->beads.orientation[4 * k + d] = q[d] / sqrt(norm);
  system_set_position(s, k, x);
  memcpy(&s->beads.build_position[3 * k], &s->beads.position[3 * k], 3 * sizeof(int32_t));
  s->beads.type[k] = s->ff->molecule[kind].bead[bead];
  s->beads.molecule[k] = molecule;
  s->beads.molecule_type[k] = kind;
  s->beads.bonded_env[k] = env;
}

/* water_name: of the molecule in the force field, which also has DOPC. */
static inline struct system *sample_system_of(const struct ranks *r, const char *forcefield,
                                              const char *water_name, int64_t lipids,
                                              int64_t waters)
{
  struct forcefield *ff = forcefield_load(forcefield);
  int lipid = forcefield_molecule(ff, "DOPC"), water = forcefield_molecule(ff, water_name);
  int64_t beads = ff->molecule[lipid].n_beads;
  struct system *s = system_create(lipids * beads + waters, r->rank, r->size, ff);
  int env = topology_add_molecule(&s->topology, ff, lipid);
  double box[BOX] = {6.1, 5.3, 7.7};
  memcpy(s->box, box, sizeof box);
  memcpy(s->lists.box, box, sizeof box);
  s->clock.seed = UINT64_MAX - 5;
  s->lists.step = 90;
  s->clock.step = 100;
  s->clock.time = 1.25;
  s->lists.skin = 0.2;
  s->run.conserved_work = -1.5;
  for (int64_t k = 0; k < s->n; k++) {
    int64_t row = s->first + k - 1;
    if (row < lipids * beads)
      sample_bead(s, k, (int)(1 + row / beads), lipid, (int)(row % beads),
                  env + (int)(row % beads));
    else
      sample_bead(s, k, (int)(1 + lipids + row - lipids * beads), water, 0, -1);
  }
  system_thermalise(s, 300);
  return s;
}

static inline struct system *sample_system(const struct ranks *r, int64_t lipids, int64_t waters)
{
  return sample_system_of(r, "elba", "W", lipids, waters);
}

#endif
