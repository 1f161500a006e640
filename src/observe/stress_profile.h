/* Pressure profiles of a membrane from the words of TALLY_STRESS (backend/backend.h), after their
   sum over all ranks.

   Irving and Kirkwood (J. Chem. Phys. 18, 817, 1950): a pair of beads at r with the force f gives
   w = r_a f_a to the component aa of the stress, spread evenly over the straight segment between
   them. As a function of z that is a density s = w / (z_high - z_low) from z_low to z_high, whose
   slope is s at z_low and -s at z_high. So each bead adds only the slopes at its own place
   ("ends"), without going through the bins that its segments cross. The integral over a bin less
   that over the bin below is the bin width times the ends near the edge between them, each weighted
   with 1 - distance / width: ends are therefore shared by the two edges next to a bead, and one sum
   over the edges gives the integrals. It lacks one constant, which the sum of all w of the
   contribution gives. Pairs at almost the same height (STRESS_FLAT) count half in the bin of each
   bead.

   Harasima: half of w in the bin of each bead, lateral components only.

   Ends of a bond: its two beads. Of an angle: those of both arms, the force on an end bead taken
   along its arm to the middle bead. Of the restraint of a dipole: carrier and target. Of a
   constraint: its two beads. A force on a virtual site acts there, and the site hands it on to the
   beads that it is built on: of that the ends are the site and each of these beads. */
#ifndef STRESS_PROFILE_H
#define STRESS_PROFILE_H

#include "backend/profile.h"
#include "base/box.h"

/* Rows of a stress profile, bar. */
enum stress_row {
  /* [contribution][component]: Irving and Kirkwood */
  STRESS_ROW_CONTRIBUTION = 0,
  /* lateral, sum over the contributions */
  STRESS_ROW_HARASIMA = STRESS_CONTRIBUTIONS * STRESS_COMPONENTS,
  STRESS_ROW_KINETIC, /* [component] */
  STRESS_ROWS = STRESS_ROW_KINETIC + STRESS_COMPONENTS
};

/* Sets pressure[STRESS_ROWS][bins], in bar, from the summed words; box in nm, n_total: beads of the
   whole system. Returns the number of addends that did not fit, or, if all did, 1 if their sums may
   not: then pressure is not valid. */
int64_t stress_profile_of(const int64_t *word, int bins, int64_t n_total, const double box[BOX],
                          double *pressure);

/* STRESS_EXCESS of a component as a pressure of the whole box, bar. */
double stress_excess_of(const int64_t *word, int bins, int64_t n_total, const double box[BOX],
                        int component);

#endif
