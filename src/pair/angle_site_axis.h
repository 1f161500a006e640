/* The axis of a body at an angle g to the line from a site of it to a site of another body:
   U = k (cos g - cos g0)^2. The sites lie at d0 and d1 along body z. */
#ifndef ANGLE_SITE_AXIS_H
#define ANGLE_SITE_AXIS_H

#include "pair/angle_dipole.h"
#include "pair/bonded_site.h"

/* value: k, g0 in degrees, d0, d1. */
static inline void bonded_angle_site_axis_set(const double *value, real *c)
{
  bonded_angle_dipole_set(value, c);
  for (int k = 0; k < 2; k++)
    c[2 + k] = R(value[2 + k]);
}

HD struct bonded_value bonded_angle_site_axis(const real *c, struct bonded_shape s)
{
  return bonded_at_sites(c + 2, 2, s, bonded_angle_dipole(c, bonded_sites(c + 2, 2, s)));
}

#endif
