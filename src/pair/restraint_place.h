/* A bead is held near a place: U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d the vector from the place
   to the nearest image of the bead. The place is a fraction of the box and scales with it, and so
   does d, which is the arm of the virial. */
#ifndef RESTRAINT_PLACE_H
#define RESTRAINT_PLACE_H

#include "pair/bonded_shape.h"

/* value: kx, ky, kz. */
static inline void bonded_restraint_place_set(const double *value, real *c)
{
  for (int k = 0; k < 3; k++)
    c[k] = R(value[k]);
}

/* The arm leads from the place to the bead. */
HD struct bonded_value bonded_restraint_place(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 d = s.arm[0];
  v.pull[0] = vec3_make(-c[0] * d.x, -c[1] * d.y, -c[2] * d.z);
  v.u = R(-0.5) * vec3_dot(v.pull[0], d);
  return v;
}

#endif
