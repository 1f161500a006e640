/* A uniform electric field E on charges and dipoles: U = -E . (q r + m), r the unwrapped position.
   The force is q E and the torque m x E. */
#ifndef EXTERNAL_ELECTRIC_H
#define EXTERNAL_ELECTRIC_H

#include "base/units.h"
#include "pair/external_bead.h"

/* value: E, V/nm. */
HD struct external_value external_electric(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double e[3]; /* kJ/mol/nm/e */
  for (int k = 0; k < 3; k++) {
    e[k] = UNITS_VOLT * value[k];
    v.f[k] = b->charge * e[k];
    v.u -= e[k] * (b->charge * b->r[k] + b->dipole[k]);
  }
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    v.t[k] = b->dipole[l] * e[m] - b->dipole[m] * e[l];
  }
  return v;
}

#endif
