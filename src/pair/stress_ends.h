/* What a bead adds to pressure profiles (observe/stress_profile.h); the same in every precision. */
#ifndef STRESS_ENDS_H
#define STRESS_ENDS_H

#include "model/bonded_form.h"

/* Contributions to the stress: the pairs by whether their beads are in lipids or not (solvent), the
   bonded terms by their energy channel, constraints, and the forces that
   virtual sites give to the beads they are built on. */
enum stress_contribution {
  STRESS_SOLVENT_SOLVENT,
  STRESS_SOLVENT_LIPID,
  STRESS_LIPID_LIPID,
  STRESS_BONDED,
  STRESS_CONSTRAINT = STRESS_BONDED + BONDED_CHANNELS,
  STRESS_SITE,
  STRESS_CONTRIBUTIONS
};
/* Components: lateral (xx + yy)/2, and normal zz. */
enum stress_component { STRESS_LATERAL, STRESS_NORMAL, STRESS_COMPONENTS };

/* Beads whose heights differ by less, nm, are at almost the same height: the ends of many such
   pairs would cancel to few digits. */
#define STRESS_FLAT 1e-5

/* Sums over the partners of a bead; w: the components of r_a f_a, kJ/mol. */
struct stress_ends {
  double end[STRESS_COMPONENTS];   /* w / (z of the partner - z of the bead), kJ/mol/nm */
  double place[STRESS_COMPONENTS]; /* w / 2 of partners at almost the same height */
  double all[STRESS_COMPONENTS];   /* w / 2 of all partners */
};

/* pair: with partners of no lipid (0) and of lipids (1). */
struct stress_bead {
  struct stress_ends pair[2], bonded[BONDED_CHANNELS];
};

#endif
