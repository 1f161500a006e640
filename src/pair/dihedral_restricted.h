/* Restricted dihedral (Bulacu et al., J. Chem. Theory Comput. 9, 3282, 2013), which stays on one
   side of the plane: U = k (cos phi - cos phi0)^2 / sin^2 phi. */
#ifndef DIHEDRAL_RESTRICTED_H
#define DIHEDRAL_RESTRICTED_H

#include <math.h>

#include "pair/angle_restricted.h"
#include "pair/dihedral_shape.h"

/* value: k, phi0 in degrees. */
static inline void bonded_dihedral_restricted_set(const double *value, real *c)
{
  bonded_angle_restricted_set(value, c);
}

HD struct bonded_value bonded_dihedral_restricted(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const real off = d.cosine - c[1], sine2 = real_max(d.sine * d.sine, RESTRICTED_SINE2);
  const real slope = R(2) * c[0] * off * (R(1) - d.cosine * c[1]) / (sine2 * sine2);
  bonded_dihedral_pull(&d, s, -slope * d.sine, &v);
  v.u = c[0] * off * off / sine2;
  return v;
}

#endif
