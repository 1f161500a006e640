/* Angles in working precision, on host and device. Without the math library, whose bits differ from
   one version and processor to the next. */
#ifndef ANGLE_H
#define ANGLE_H

#include "base/real.h"
#include "base/units.h"

/* atan(t) / t - 1 over t^2, for |t| <= tan(pi/8), from z = t^2: the series -1/3 + z/5 - z^2/7 ...,
   whose first term left out is below half a unit in the last place. */
HD real angle_series(real z)
{
  const int terms = sizeof(real) == 8 ? 20 : 8;
  real sum = 0;
  for (int k = terms; k >= 1; k--)
    sum = real_fma(sum, -z, R(-1) / R(2 * k + 1));
  return sum;
}

/* The angle of (x, y) from the x axis, in (-pi, pi]; 0 for (0, 0). */
HD real angle_of(real y, real x)
{
  const real ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
  const real large = real_max(ax, ay), small = real_min(ax, ay);
  real t = large > 0 ? small / large : 0;
  const int turned = t > R(0.41421356237309503);
  if (turned) t = (t - R(1)) / (t + R(1));
  real angle = real_fma(t * t * t, angle_series(t * t), t);
  if (turned) angle += R(UNITS_PI / 4);
  if (ay > ax) angle = R(UNITS_PI / 2) - angle;
  if (x < 0) angle = R(UNITS_PI) - angle;
  return y < 0 ? -angle : angle;
}

#endif
