/* Angle t at the site of the second of three bodies, between the sites of the others:
   U = k (cos t - cos t0)^2. The sites lie at d0, d1 and d2 along body z. */
#ifndef ANGLE_SITE_COSINE_SQUARED_H
#define ANGLE_SITE_COSINE_SQUARED_H

#include "pair/angle_cosine_squared.h"
#include "pair/bonded_site.h"

/* value: k, t0 in degrees, d0, d1, d2. */
static inline void bonded_angle_site_cosine_squared_set(const double *value, real *c)
{
  bonded_angle_cosine_squared_set(value, c);
  for (int k = 0; k < 3; k++)
    c[2 + k] = R(value[2 + k]);
}

HD struct bonded_value bonded_angle_site_cosine_squared(const real *c, struct bonded_shape s)
{
  return bonded_at_sites(c + 2, 3, s, bonded_angle_cosine_squared(c, bonded_sites(c + 2, 3, s)));
}

#endif
