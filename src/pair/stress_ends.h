/* What a bead adds to pressure profiles (observe/stress_profile.h); the same in every precision. */
#ifndef STRESS_ENDS_H
#define STRESS_ENDS_H

#include "backend/profile.h"

/* Sums over the partners of a bead; w: r_a f_a of the lateral and normal components, kJ/mol. */
struct stress_ends {
  double end[STRESS_COMPONENTS];   /* w / (z of the partner - z of the bead), kJ/mol/nm */
  double place[STRESS_COMPONENTS]; /* w / 2 of partners at almost the same height */
  double all[STRESS_COMPONENTS];   /* w / 2 */
};

/* pair: partners without and with bonded terms. */
struct stress_bead {
  struct stress_ends pair[2], bonded[STRESS_BONDED_PARTS];
};

#endif
