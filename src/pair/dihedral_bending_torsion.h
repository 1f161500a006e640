/* Combined bending and torsion (Bulacu et al., J. Chem. Theory Comput. 9, 3282, 2013): a dihedral
   that fades where three of its beads come to lie on a line. U = sin^3 t1 sin^3 t2 (a0 + a1 cos phi
   + a2 cos^2 phi + a3 cos^3 phi + a4 cos^4 phi), t1 and t2 the angles at the second and the third
   bead. */
#ifndef DIHEDRAL_BENDING_TORSION_H
#define DIHEDRAL_BENDING_TORSION_H

#include "pair/angle_slope.h"
#include "pair/dihedral_shape.h"

/* value: a0 to a4. */
static inline void bonded_dihedral_bending_torsion_set(const double *value, real *c)
{
  for (int n = 0; n < 5; n++)
    c[n] = R(value[n]);
}

HD struct bonded_value bonded_dihedral_bending_torsion(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const struct vec3 back = vec3_scale(R(-1), s.arm[1]);
  const struct bonded_angle t1 = bonded_angle_of(s.arm[0], s.arm[1]),
                            t2 = bonded_angle_of(back, s.arm[2]);
  const real x = d.cosine, s1 = t1.sine * t1.sine, s2 = t2.sine * t2.sine;
  const real fade = s1 * t1.sine * s2 * t2.sine;
  real sum = c[4], slope = 0; /* slope: of the sum by cos phi */
  for (int n = 3; n >= 0; n--) {
    slope = real_fma(slope, x, sum);
    sum = real_fma(sum, x, c[n]);
  }
  const real by1 = R(3) * s1 * t1.cosine * s2 * t2.sine * sum; /* dU/dt1, dU/dt2 */
  const real by2 = R(3) * s2 * t2.cosine * s1 * t1.sine * sum;
  bonded_dihedral_pull(&d, s, -slope * d.sine * fade, &v);
  v.pull[0] = vec3_axpy(v.pull[0], -by1, t1.da);
  v.pull[1] = vec3_axpy(vec3_axpy(v.pull[1], -by1, t1.db), by2, t2.da);
  v.pull[2] = vec3_axpy(v.pull[2], -by2, t2.db);
  v.u = fade * sum;
  return v;
}

#endif
