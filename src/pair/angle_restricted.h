/* Restricted bending (Bulacu et al., J. Chem. Theory Comput. 9, 3282, 2013): an angle t at the
   middle of three beads that never becomes straight, where a dihedral would be undefined. U = k
   (cos t - cos t0)^2 / sin^2 t. */
#ifndef ANGLE_RESTRICTED_H
#define ANGLE_RESTRICTED_H

#include <math.h>

#include "base/units.h"
#include "pair/angle_cosine_squared.h"

/* In place of a smaller sin^2, so that energy and force stay finite: 0.18 degrees from a straight
 * line. */
#define RESTRICTED_SINE2 R(1e-5)

/* value: k, t0 in degrees. */
static inline void bonded_angle_restricted_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(cos(value[1] * (UNITS_PI / 180)));
}

HD struct bonded_value bonded_angle_restricted(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 a = s.arm[0], b = s.arm[1], across = vec3_cross(a, b);
  const real ia = bonded_inverse(a), ib = bonded_inverse(b);
  const real cosine = vec3_dot(a, b) * ia * ib, d = cosine - c[1];
  const real sine2 = real_max(vec3_dot(across, across) * ia * ia * ib * ib, RESTRICTED_SINE2);
  const real slope = R(2) * c[0] * d * (R(1) - cosine * c[1]) / (sine2 * sine2);
  v.pull[0] = bonded_angle_end(slope, cosine, a, b, ia, ib);
  v.pull[1] = bonded_angle_end(slope, cosine, b, a, ib, ia);
  v.u = c[0] * d * d / sine2;
  return v;
}

#endif
