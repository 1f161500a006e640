/* Vectors of three components in working precision (real.h), on host and device. */
#ifndef VEC_H
#define VEC_H

#include "base/real.h"

struct vec3 {
  real x, y, z;
};

HD struct vec3 vec3_make(real x, real y, real z)
{
  struct vec3 v = {x, y, z};
  return v;
}

HD struct vec3 vec3_scale(real s, struct vec3 a)
{
  return vec3_make(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
HD struct vec3 vec3_axpy(struct vec3 a, real s, struct vec3 b)
{
  return vec3_make(real_fma(s, b.x, a.x), real_fma(s, b.y, a.y), real_fma(s, b.z, a.z));
}

/* a if `first` is not 0, else b. */
HD struct vec3 vec3_choose(int first, struct vec3 a, struct vec3 b)
{
  return vec3_make(real_choose(first, a.x, b.x), real_choose(first, a.y, b.y),
                   real_choose(first, a.z, b.z));
}

HD real vec3_dot(struct vec3 a, struct vec3 b)
{
  return real_fma(a.z, b.z, real_fma(a.y, b.y, a.x * b.x));
}

HD struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
  return vec3_make(real_fma(a.y, b.z, -(a.z * b.y)), real_fma(a.z, b.x, -(a.x * b.z)),
                   real_fma(a.x, b.y, -(a.y * b.x)));
}

#endif
