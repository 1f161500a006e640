/* Forms of dihedrals phi of four beads in a chain: the angle between the planes of the first three
   and of the last three, 0 for cis and 180 degrees for trans, with the sign of the IUPAC
   convention. */
#ifndef DIHEDRALS_H
#define DIHEDRALS_H

#include "pair/angles.h"

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

/* Harmonic (improper): U = k (phi - phi0)^2, the difference on the circle. */
HD struct bonded_value bonded_dihedral_harmonic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const real off = angle_of(d.sine * c[1] - d.cosine * c[2], d.cosine * c[1] + d.sine * c[2]);
  bonded_dihedral_pull(&d, s, R(2) * c[0] * off, &v);
  v.u = c[0] * off * off;
  return v;
}

/* U = k f(phi) of a table. */
HD struct bonded_value bonded_dihedral_table(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const struct bonded_of_table at = bonded_table_at(c, s.piece, angle_of(d.sine, d.cosine), 0);
  bonded_dihedral_pull(&d, s, at.slope, &v);
  v.u = at.u;
  return v;
}

/* value: k, phi0 and the width in degrees. */
static inline void bonded_set_width(const double *value, real *c)
{
  bonded_set_phase(value, c);
  c[3] = R(value[2] * (UNITS_PI / 180));
}

/* Free within a width of phi0 (GROMACS manual, "Dihedral restraints"): U = k (|phi - phi0| -
   width)^2 beyond it, the difference on the circle. */
HD struct bonded_value bonded_dihedral_flat_bottomed(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const real off = angle_of(d.sine * c[1] - d.cosine * c[2], d.cosine * c[1] + d.sine * c[2]);
  const real out = off > c[3] ? off - c[3] : off < -c[3] ? off + c[3] : 0;
  bonded_dihedral_pull(&d, s, R(2) * c[0] * out, &v);
  v.u = c[0] * out * out;
  return v;
}

/* value: k, n, phi0 in degrees. c: k, cos phi0, sin phi0, n. */
static inline void bonded_set_periodic(const double *value, real *c)
{
  const double phase[2] = {value[0], value[2]};
  bonded_set_phase(phase, c);
  c[3] = R(value[1]);
}

/* U = k (1 + cos(n phi - phi0)) */
HD struct bonded_value bonded_dihedral_periodic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  real x = d.cosine, y = d.sine;
  bonded_turns((int)c[3], &x, &y); /* cos(n phi), sin(n phi) */
  bonded_dihedral_pull(&d, s, -c[0] * c[3] * (y * c[1] - x * c[2]), &v);
  v.u = c[0] * (R(1) + x * c[1] + y * c[2]);
  return v;
}

/* Restricted (Bulacu et al., J. Chem. Theory Comput. 9, 3282, 2013), which stays on one side of the
   plane: U = k (cos phi - cos phi0)^2 / sin^2 phi. */
HD struct bonded_value bonded_dihedral_restricted(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const real off = d.cosine - c[1], sine2 = real_max(d.sine * d.sine, RESTRICTED_SINE2);
  const real slope = R(2) * c[0] * off * (R(1) - d.cosine * c[1]) / (sine2 * sine2);
  bonded_dihedral_pull(&d, s, -slope * d.sine, &v);
  v.u = c[0] * off * off / sine2;
  return v;
}

/* U = sum of c_n cos^n(phi - 180 degrees), n from 0 to 5. */
HD struct bonded_value bonded_dihedral_ryckaert_bellemans(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const struct bonded_sum_of_powers p = bonded_powers(c, 5, -d.cosine);
  bonded_dihedral_pull(&d, s, p.slope * d.sine, &v);
  v.u = p.sum;
  return v;
}

/* Combined bending and torsion (Bulacu et al., J. Chem. Theory Comput. 9, 3282, 2013): a dihedral
   that fades where three of its beads come to lie on a line. U = sin^3 t1 sin^3 t2 (a0 + a1 cos phi
   + a2 cos^2 phi + a3 cos^3 phi + a4 cos^4 phi), t1 and t2 the angles at the second and the third
   bead. */
HD struct bonded_value bonded_dihedral_bending_torsion(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  const struct vec3 back = vec3_scale(R(-1), s.arm[1]);
  const struct bonded_angle t1 = bonded_angle_of(s.arm[0], s.arm[1]),
                            t2 = bonded_angle_of(back, s.arm[2]);
  const real s1 = t1.sine * t1.sine, s2 = t2.sine * t2.sine;
  const real fade = s1 * t1.sine * s2 * t2.sine;
  const struct bonded_sum_of_powers p = bonded_powers(c, 4, d.cosine);
  const real by1 = R(3) * s1 * t1.cosine * s2 * t2.sine * p.sum; /* dU/dt1, dU/dt2 */
  const real by2 = R(3) * s2 * t2.cosine * s1 * t1.sine * p.sum;
  bonded_dihedral_pull(&d, s, -p.slope * d.sine * fade, &v);
  v.pull[0] = vec3_axpy(v.pull[0], -by1, t1.da);
  v.pull[1] = vec3_axpy(vec3_axpy(v.pull[1], -by1, t1.db), by2, t2.da);
  v.pull[2] = vec3_axpy(v.pull[2], -by2, t2.db);
  v.u = fade * p.sum;
  return v;
}

#endif
