/* The dihedral phi of four beads in a chain: the angle between the planes of the first three and of
   the last three, 0 for cis and 180 degrees for trans, with the sign of the IUPAC convention. */
#ifndef DIHEDRAL_SHAPE_H
#define DIHEDRAL_SHAPE_H

#include "pair/bonded_shape.h"

struct bonded_dihedral {
  real cosine, sine;          /* of phi; 1 and 0 where three beads lie on a line */
  struct vec3 first, last;    /* normals of the planes: arm 0 x arm 1, arm 1 x arm 2 */
  real first2, last2, middle; /* their squares; length of arm 1, nm */
};

HD struct bonded_dihedral bonded_dihedral_of(struct bonded_shape s)
{
  struct bonded_dihedral d;
  d.first = vec3_cross(s.arm[0], s.arm[1]);
  d.last = vec3_cross(s.arm[1], s.arm[2]);
  d.first2 = vec3_dot(d.first, d.first);
  d.last2 = vec3_dot(d.last, d.last);
  d.middle = real_sqrt(vec3_dot(s.arm[1], s.arm[1]));
  const int flat = !(d.first2 > 0 && d.last2 > 0);
  const real inverse = flat ? 0 : R(1) / real_sqrt(d.first2 * d.last2);
  d.cosine = flat ? R(1) : -vec3_dot(d.first, d.last) * inverse;
  d.sine = -d.middle * vec3_dot(s.arm[0], d.last) * inverse;
  return d;
}

/* Adds the pulls of an energy with that slope dU/dphi (Blondel and Karplus, J. Comput. Chem. 17,
   1132, 1996). None where three beads lie on a line. */
HD void bonded_dihedral_pull(const struct bonded_dihedral *d, struct bonded_shape s, real slope,
                             struct bonded_value *v)
{
  if (!(d->first2 > 0 && d->last2 > 0)) return;
  const real a = slope / d->first2, b = slope / d->last2, im = R(1) / d->middle;
  v->pull[0] = vec3_axpy(v->pull[0], -a * d->middle, d->first);
  v->pull[1] = vec3_axpy(v->pull[1], a * vec3_dot(s.arm[0], s.arm[1]) * im, d->first);
  v->pull[1] = vec3_axpy(v->pull[1], b * vec3_dot(s.arm[1], s.arm[2]) * im, d->last);
  v->pull[2] = vec3_axpy(v->pull[2], -b * d->middle, d->last);
}

#endif
