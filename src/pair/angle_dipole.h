/* The dipole of the first bead is held at an angle g to the line to the second:
   U = k (cos g - cos g0)^2. The energy depends on that line too, so that there is a couple of
   forces besides the torque. */
#ifndef ANGLE_DIPOLE_H
#define ANGLE_DIPOLE_H

#include <math.h>

#include "base/units.h"
#include "pair/bonded_shape.h"

/* value: k, g0 in degrees. */
static inline void bonded_angle_dipole_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(cos(value[1] * (UNITS_PI / 180)));
}

HD struct bonded_value bonded_angle_dipole(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 u = s.axis[0], r = vec3_scale(R(-1), s.arm[0]); /* r: to the second bead */
  const real ir = bonded_inverse(r), cosine = vec3_dot(u, r) * ir;
  const real d = cosine - c[1], slope = R(2) * c[0] * d;
  v.pull[0] = vec3_scale(slope * ir, vec3_axpy(u, -cosine * ir, r));
  v.torque[0] = vec3_scale(slope * ir, vec3_cross(r, u));
  v.u = c[0] * d * d;
  return v;
}

#endif
