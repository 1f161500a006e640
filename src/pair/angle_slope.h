/* How an angle changes with its arms. */
#ifndef ANGLE_SLOPE_H
#define ANGLE_SLOPE_H

#include "pair/bonded_shape.h"

/* Arms a and b with an angle t between them. */
struct bonded_angle {
  real cosine, sine;  /* sine: |a x b| / (|a| |b|), not negative */
  struct vec3 da, db; /* dt/da, dt/db; 0 where the arms lie on a line, which has no such slope */
};

HD struct bonded_angle bonded_angle_of(struct vec3 a, struct vec3 b)
{
  struct bonded_angle t;
  const struct vec3 across = vec3_cross(a, b);
  const real ia = bonded_inverse(a), ib = bonded_inverse(b), dot = vec3_dot(a, b);
  const real area = real_sqrt(vec3_dot(across, across)), inverse = area > 0 ? R(1) / area : 0;
  t.cosine = dot * ia * ib;
  t.sine = area * ia * ib;
  t.da = vec3_scale(inverse, vec3_axpy(vec3_scale(dot * ia * ia, a), R(-1), b));
  t.db = vec3_scale(inverse, vec3_axpy(vec3_scale(dot * ib * ib, b), R(-1), a));
  return t;
}

#endif
