/* Ryckaert-Bellemans dihedral: U = sum of c_n cos^n(phi - 180 degrees), n from 0 to 5. */
#ifndef DIHEDRAL_RYCKAERT_BELLEMANS_H
#define DIHEDRAL_RYCKAERT_BELLEMANS_H

#include "pair/dihedral_shape.h"

/* value: c0 to c5. */
static inline void bonded_dihedral_ryckaert_bellemans_set(const double *value, real *c)
{
  for (int n = 0; n < 6; n++)
    c[n] = R(value[n]);
}

HD struct bonded_value bonded_dihedral_ryckaert_bellemans(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const real x = -d.cosine;
  real slope = 0; /* dU/dx */
  v.u = c[5];
  for (int n = 4; n >= 0; n--) {
    slope = real_fma(slope, x, v.u);
    v.u = real_fma(v.u, x, c[n]);
  }
  bonded_dihedral_pull(&d, s, slope * d.sine, &v);
  return v;
}

#endif
