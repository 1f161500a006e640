/* Forces that something outside of the program has put on some beads in a step, with their energy
   and virial: PLUMED (md/plumed.h). States keep them, because they cannot be computed again. The
   same on all ranks. Host memory. */
#ifndef APPLIED_FORCES_H
#define APPLIED_FORCES_H

#include <stdint.h>

/* Energy (kJ/mol), and the sum of r_a f_b (kJ/mol), row by row. */
enum { APPLIED_ENERGY, APPLIED_VIRIAL, APPLIED_SUMS = APPLIED_VIRIAL + 9 };

/* Written by model/applied_forces.c. */
struct applied_forces {
  int64_t step; /* that they belong to; < 0: there are none */
  int n;
  int64_t *id;   /* [n], ascending; owned */
  double *force; /* [n][3], kJ/mol/nm; owned */
  double sums[APPLIED_SUMS];
};

void applied_forces_forget(struct applied_forces *a);
/* The arrays are copied. */
void applied_forces_set(struct applied_forces *a, int64_t step, int n, const int64_t *id,
                        const double *force, const double sums[APPLIED_SUMS]);
void applied_forces_free(struct applied_forces *a);

#endif
