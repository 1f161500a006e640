/* What is seen of a state: energies, temperatures, pressure. */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "sums.h"

struct freedom {
  double translation, rotation; /* degrees of freedom */
};

struct observables {
  double energy[ENERGIES], potential;                                /* kJ/mol */
  double kinetic, rotational;                                        /* kJ/mol */
  double temperature, temperature_translation, temperature_rotation; /* K */
  double virial[9];   /* r_a f_b / V, bar, row by row */
  double pressure[9]; /* with the kinetic part of translation, bar */
  double volume;      /* nm3 */
  double momentum[3]; /* amu nm/ps */
};

/* From sums over all ranks. bits: sum_bits of the number of beads. */
void observe(struct observables *o, const struct sums *s, int bits, const double box[3],
             struct freedom freedom);
/* Trace over three. */
double observe_trace(const double tensor[9]);

#endif
