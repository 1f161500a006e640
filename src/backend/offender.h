/* Beads that end a run: one that has blown up, a bond that is broken. The state around them goes to
   PREFIX.offender.csv, and the message names it. */
#ifndef OFFENDER_H
#define OFFENDER_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "model/forcefield.h"
#include "pair/bead_record.h"

/* What a rank holds when it finds one. */
struct offender_state {
  const char *prefix; /* NULL or empty: no file */
  const struct forcefield *ff;
  int64_t step;
  double box[3];
  int n, n_all; /* owned beads, and with the halo */
  const int64_t *id;
  const struct bead_record *record;
  const double *momentum; /* [n][3] */
};

/* The length beyond which a bond is broken, nm: three times that at rest, and no more than the list
   radius, within which halos hold every partner. */
HD double offender_bond_length(double rest, double list_radius)
{
  return rest > 0 ? fmin(3 * rest, list_radius) : list_radius;
}

/* A bead has moved by distance nm in the step: status 3. */
__attribute__((noreturn)) void offender_moved(const struct offender_state *s, int64_t bead,
                                              double distance, const double force[3]);
/* Two beads of a bond or an angle are too far apart, at length nm; 0: one of them is not here.
   Status 3. */
__attribute__((noreturn)) void offender_broken(const struct offender_state *s, int64_t bead,
                                               int64_t partner, double length, double longest);

#endif
