/* Periodic dihedral: U = k (1 + cos(n phi - phi0)). */
#ifndef DIHEDRAL_PERIODIC_H
#define DIHEDRAL_PERIODIC_H

#include <math.h>

#include "base/units.h"
#include "pair/dihedral_shape.h"

/* value: k, n, phi0 in degrees. */
static inline void bonded_dihedral_periodic_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(value[1]);
  c[2] = R(cos(value[2] * (UNITS_PI / 180)));
  c[3] = R(sin(value[2] * (UNITS_PI / 180)));
}

HD struct bonded_value bonded_dihedral_periodic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  real x = 1, y = 0; /* cos(n phi), sin(n phi) */
  for (int k = 0; k < (int)c[1]; k++) {
    const real turned = x * d.cosine - y * d.sine;
    y = x * d.sine + y * d.cosine;
    x = turned;
  }
  bonded_dihedral_pull(&d, s, -c[0] * c[1] * (y * c[2] - x * c[3]), &v);
  v.u = c[0] * (R(1) + x * c[2] + y * c[3]);
  return v;
}

#endif
