/* The sums of applied forces (model/applied_forces.h), on host and device. */
#ifndef APPLIED_BODY_H
#define APPLIED_BODY_H

#include "model/applied_forces.h"
#include "model/sums.h"

/* Adds their energy and virial to the sums. bits: sum_bits. */
HD void applied_add(const double of[APPLIED_SUMS], int bits, struct sums *to)
{
  const double scale = (double)(INT64_C(1) << bits);
  sum_add_energy(to, ENERGY_bias, of[APPLIED_ENERGY]);
  for (int a = 0; a < 9; a++)
    sum_add(&to->word[SUM_VIRIAL + a],
            sum_addend(of[APPLIED_VIRIAL + a], scale, &to->overflow, &to->magnitude));
}

#endif
