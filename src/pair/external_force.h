/* A constant force: U = -f . r of the unwrapped position. */
#ifndef EXTERNAL_FORCE_H
#define EXTERNAL_FORCE_H

#include "pair/external_bead.h"

/* value: f, kJ/mol/nm. */
HD struct external_value external_force(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  for (int k = 0; k < 3; k++) {
    v.f[k] = value[k];
    v.u -= value[k] * b->r[k];
  }
  return v;
}

#endif
