/* Forms of bonds, of restraints of a bead to a place, and of excluded charges. */
#ifndef BONDS_H
#define BONDS_H

#include <math.h>

#include "base/portable.h"
#include "pair/bonded_shape.h"
#include "pair/pair_sum.h"

/* U = k (r - r0)^2 */
HD struct bonded_value bonded_bond_harmonic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real len = real_sqrt(vec3_dot(r, r)), d = len - c[1];
  if (len > 0) v.pull[0] = vec3_scale(R(-2) * c[0] * d / len, r);
  v.u = c[0] * d * d;
  return v;
}

/* The same without a chemical bond, as elastic networks have it. */
HD struct bonded_value bonded_bond_elastic(const real *c, struct bonded_shape s)
{
  return bonded_bond_harmonic(c, s);
}

/* Between sites of two bodies. c: k, r0, d0, d1. */
HD struct bonded_value bonded_bond_site_harmonic(const real *c, struct bonded_shape s)
{
  return bonded_at_sites(c + 2, 2, s, bonded_bond_harmonic(c, bonded_sites(c + 2, 2, s)));
}

/* value: k, r0. */
static inline void bonded_set_square(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(value[1] * value[1]);
}

/* U = k (r^2 - r0^2)^2, without a square root. */
HD struct bonded_value bonded_bond_quartic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real d = vec3_dot(r, r) - c[1];
  v.pull[0] = vec3_scale(R(-4) * c[0] * d, r);
  v.u = c[0] * d * d;
  return v;
}

/* value: k, rmax. */
static inline void bonded_set_fene(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(1 / (value[1] * value[1]));
}

/* Finitely extensible: U = -k rmax^2 ln(1 - r^2 / rmax^2). Beyond rmax there is no energy: the
   force is NaN there, which ends the run. */
HD struct bonded_value bonded_bond_fene(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real left = R(1) - vec3_dot(r, r) * c[1];
  v.pull[0] = vec3_scale(R(-2) * c[0] / (left > 0 ? left : R(NAN)), r);
  v.u = R(-portable_log((double)left)) * c[0] / c[1];
  return v;
}

/* U = k f(r) of a table (GROMACS manual, "Tabulated bonded interaction functions"). Beyond its end
   the force is NaN, which ends the run. */
HD struct bonded_value bonded_bond_table(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real r = bonded_length(s.arm[0]);
  const struct bonded_of_table at = bonded_table_at(c, s.piece, r, 1);
  v.pull[0] = vec3_scale(-at.slope * bonded_inverse(s.arm[0]), s.arm[0]);
  v.u = at.u;
  return v;
}

HD struct bonded_value bonded_bond_table_apart(const real *c, struct bonded_shape s)
{
  return bonded_bond_table(c, s);
}

/* Morse (GROMACS manual, "Morse potential bond stretching"): U = well (1 - exp(-beta (r - r0)))^2.
 */
HD struct bonded_value bonded_bond_morse(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real e = R(portable_exp(-(double)(c[1] * (bonded_length(s.arm[0]) - c[2])))),
             rise = R(1) - e;
  v.pull[0] = vec3_scale(R(-2) * c[0] * c[1] * rise * e * bonded_inverse(s.arm[0]), s.arm[0]);
  v.u = c[0] * rise * rise;
  return v;
}

/* Cubic, without a lower bound (GROMACS manual, "Cubic bond stretching potential"): U = k d^2 (1 +
   c d), d = r - r0. */
HD struct bonded_value bonded_bond_cubic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real d = bonded_length(s.arm[0]) - c[2], slope = c[0] * d * (R(2) + R(3) * c[1] * d);
  v.pull[0] = vec3_scale(-slope * bonded_inverse(s.arm[0]), s.arm[0]);
  v.u = c[0] * d * d * (R(1) + c[1] * d);
  return v;
}

/* A distance that is free from low to up1, with a harmonic wall below, and above one that goes on
   as a line from up2 (GROMACS manual, "Distance restraints"). c: k, low, up1, up2. */
HD struct bonded_value bonded_bond_flat_bottomed(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real len = bonded_length(s.arm[0]);
  const real d = len < c[1] ? len - c[1] : len > c[2] ? len - c[2] : 0; /* beyond the wall, nm */
  const real in = real_min(d, c[3] - c[2]);
  v.pull[0] = vec3_scale(R(-2) * c[0] * in * bonded_inverse(s.arm[0]), s.arm[0]);
  v.u = c[0] * in * (R(2) * d - in);
  return v;
}

/* Pairs of a molecule without a cutoff (GROMACS manual, "Modified non-bonded interactions"); none
   for beads at one place. U = c12 / r^12 - c6 / r^6. c: c6, c12. */
HD struct bonded_value bonded_bond_lennard_jones(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real inverse = bonded_inverse(s.arm[0]), i2 = inverse * inverse, i6 = i2 * i2 * i2;
  v.pull[0] = vec3_scale((R(12) * c[1] * i6 - R(6) * c[0]) * i6 * i2, s.arm[0]);
  v.u = (c[1] * i6 - c[0]) * i6;
  return v;
}

/* value: qq, epsilon_r. */
static inline void bonded_set_coulomb(const double *value, real *c)
{
  c[0] = R(UNITS_COULOMB * value[0] / value[1]);
}

/* U = C qq / (epsilon_r r) */
HD struct bonded_value bonded_bond_coulomb(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real inverse = bonded_inverse(s.arm[0]);
  v.u = c[0] * inverse;
  v.pull[0] = vec3_scale(v.u * inverse * inverse, s.arm[0]);
  return v;
}

/* A constraint has no force of its own: dynamics/cluster_body.h keeps its length. */
HD struct bonded_value bonded_bond_constraint(const real *c, struct bonded_shape s)
{
  (void)c;
  (void)s;
  return bonded_nothing();
}

/* The same between beads that need not be of one molecule: no chemical bond. */
HD struct bonded_value bonded_bond_constraint_apart(const real *c, struct bonded_shape s)
{
  return bonded_bond_constraint(c, s);
}

/* U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d the arm, from a place to the nearest image of the bead.
   The place is a fraction of the box and scales with it, and so does d, which is the arm of the
   virial. */
HD struct bonded_value bonded_restraint_place(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 d = s.arm[0];
  v.pull[0] = vec3_make(-c[0] * d.x, -c[1] * d.y, -c[2] * d.z);
  v.u = R(-0.5) * vec3_dot(v.pull[0], d);
  return v;
}

/* Flat-bottomed (GROMACS manual, "Flat-bottomed position restraints"): none within a distance |r|
   of the place, taken along the axes with 1, and U = k (s - |r|)^2 / 2 beyond; for r below 0 inside
   and not beyond, but at the place itself, where no direction is defined. d as above. c: k, r, and
   1 or 0 for each axis. */
HD struct bonded_value bonded_restraint_flat_bottomed(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 d = vec3_make(c[2] * s.arm[0].x, c[3] * s.arm[0].y, c[4] * s.arm[0].z);
  const real away = bonded_length(d), beyond = away - real_max(c[1], -c[1]);
  if (!(c[1] < 0 ? beyond < 0 && away > 0 : beyond > 0)) return v;
  v.pull[0] = vec3_scale(-c[0] * beyond / away, d);
  v.u = R(0.5) * c[0] * beyond * beyond;
  return v;
}

/* value: epsilon_r times cutoff over that of the scale of charges, k, cutoff in nm. */
static inline void bonded_set_reaction_field(const double *value, real *c)
{
  c[0] = R(pair_charge_field_factor(value[0]));
  c[1] = R(value[1]);
  c[2] = R(1 / (value[2] * value[2]));
}

/* Two charges without pair forces, in the reaction field of the charges around them: U = q_i q_j /
   epsilon_r (k r^2 - c) within the cutoff, c = 1 + k, which is pair_qq_reaction_field_add without
   1 / r. */
HD struct bonded_value bonded_excluded_reaction_field(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real r2 = vec3_dot(r, r) * c[2], scale = c[0] * s.charges;
  if (!(r2 < R(1))) return v;
  v.pull[0] = vec3_scale(R(-2) * scale * c[1] * c[2], r);
  v.u = scale * real_fma(c[1], r2, -(c[1] + R(1)));
  return v;
}

#endif
