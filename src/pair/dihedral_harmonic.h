/* Harmonic (improper) dihedral: U = k (phi - phi0)^2, the difference on the circle. */
#ifndef DIHEDRAL_HARMONIC_H
#define DIHEDRAL_HARMONIC_H

#include <math.h>

#include "base/angle.h"
#include "pair/dihedral_shape.h"

/* value: k, phi0 in degrees. */
static inline void bonded_dihedral_harmonic_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(cos(value[1] * (UNITS_PI / 180)));
  c[2] = R(sin(value[1] * (UNITS_PI / 180)));
}

HD struct bonded_value bonded_dihedral_harmonic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const real off = angle_of(d.sine * c[1] - d.cosine * c[2], d.cosine * c[1] + d.sine * c[2]);
  bonded_dihedral_pull(&d, s, R(2) * c[0] * off, &v);
  v.u = c[0] * off * off;
  return v;
}

#endif
