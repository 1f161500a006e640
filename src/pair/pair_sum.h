/* What a pair term sees and returns, and how the sums over a bead's neighbours become its force
   and torque.

   A term is a function of four scalars, U(s, a, b, c), with r = r_i - r_j and one axis u each:
   s = r.r, a = u_i.r, b = u_j.r, c = u_i.u_j (Allen and Germano, Mol. Phys. 104, 3225, 2006).
   With subscripts for slopes, F_i = -2 U_s r - U_a u_i - U_b u_j and
   torque_i = u_i x G, G = -U_a r - U_c u_j: the factors of u_i are summed as a scalar and the field
   G as a vector, and both meet u_i once a bead, not once a pair.

   A term of geometry body also reads the other two axes of each bead, as xi = x_i.r, yi = y_i.r,
   xj = x_j.r, yj = y_j.r. Its slopes of these act as those of a and b do: each axis of bead i has a
   field and a factor of its own.

   Lengths are in units of the cutoff, so that s is clamped to 1 for a candidate outside it and
   terms that are shifted to 0 there give exactly 0 without a branch. First axes carry their scale
   (pair_dipole_scale), so that dipole with dipole has no coefficient left; x has length 1, and
   y = u cross x is as long as u. Energies are kJ/mol. */
#ifndef PAIR_SUM_H
#define PAIR_SUM_H

#include "base/units.h"
#include "pair/pair_coef.h"

/* What terms read of a bead. */
struct pair_bead {
  struct vec3 u;    /* first axis: body z */
  struct vec3 x, y; /* geometry body; else not set */
  real q;           /* charge, times its scale */
};

struct pair_arg {
  real s;      /* r.r clamped to pair_least_s and 1 */
  real i2, ir; /* 1/s, 1/r: not a root and its square, since the error of the root would double */
  real inside; /* 1 inside the cutoff, else 0: for terms that do not vanish there */
  real a, b, c;
  real qi, qj;         /* charges */
  real xi, yi, xj, yj; /* geometry body */
};

struct pair_slope {
  real u; /* energy */
  real f; /* force along r, -2 U_s */
  real a, b, c;
  real xi, yi, xj, yj; /* geometry body */
};

/* What an axis of a bead meets. */
struct pair_field {
  struct vec3 g; /* field on it */
  real along;    /* force on the bead along it */
};

/* Sums of one bead over its neighbours. */
struct pair_sum {
  struct vec3 f; /* force without the parts along the bead's own axes */
  struct pair_field u, x, y;
};

HD struct pair_sum pair_none(void)
{
  struct pair_sum t = {{0, 0, 0}, {{0, 0, 0}, 0}, {{0, 0, 0}, 0}, {{0, 0, 0}, 0}};
  return t;
}

/* t with a pair of slopes v at r added, j the partner. axes is a constant: 0 for point terms only,
   2 where there are terms of geometry body. By value, as are all arguments here: the address of a
   variable keeps compilers from making vectors of loops over pairs. */
HD struct pair_sum pair_gather(struct pair_sum t, struct pair_slope v, struct vec3 r,
                               struct pair_bead j, int axes)
{
  t.f = vec3_axpy(t.f, v.f, r);
  if (!axes) return t;
  t.f = vec3_axpy(t.f, -v.b, j.u);
  t.u.g = vec3_axpy(vec3_axpy(t.u.g, -v.a, r), -v.c, j.u);
  t.u.along -= v.a;
  if (axes < 2) return t;
  t.f = vec3_axpy(vec3_axpy(t.f, -v.xj, j.x), -v.yj, j.y);
  t.x.g = vec3_axpy(t.x.g, -v.xi, r);
  t.x.along -= v.xi;
  t.y.g = vec3_axpy(t.y.g, -v.yi, r);
  t.y.along -= v.yi;
  return t;
}

/* The force and torque of a bead, still in units of the cutoff. */
HD struct vec3 pair_force(struct pair_sum t, struct pair_bead i, int axes)
{
  struct vec3 f = vec3_axpy(t.f, t.u.along, i.u);
  if (axes < 2) return f;
  return vec3_axpy(vec3_axpy(f, t.x.along, i.x), t.y.along, i.y);
}

HD struct vec3 pair_torque(struct pair_sum t, struct pair_bead i, int axes)
{
  struct vec3 torque = vec3_cross(i.u, t.u.g);
  if (axes < 2) return torque;
  torque = vec3_axpy(torque, R(1), vec3_cross(i.x, t.x.g));
  return vec3_axpy(torque, R(1), vec3_cross(i.y, t.y.g));
}

/* Scales of charges and dipoles that put the Coulomb constant C and the cutoff into them, and a
   factor of sqrt(3) that saves dipoles two multiplications a pair: U = q_i b / r^3 for a charge and
   a dipole, r in cutoffs, a third of it for two dipoles, three times for two charges. C in
   kJ nm/(mol e2), rc in nm. */
static inline double pair_charge_scale(double coulomb, double rc)
{
  return sqrt(coulomb / (3 * rc));
}

/* Three over the relative permittivity within the cutoff, as charges that are scaled need it. */
static inline double pair_charge_field_factor(double epsilon_r)
{
  return 3 / epsilon_r;
}

static inline double pair_dipole_scale(double coulomb, double rc)
{
  return sqrt(3 * coulomb / (rc * rc * rc));
}

/* A cubic switching function S that takes terms to 0 at the cutoff: S = 1 below r_on and
   (1 - r)^2 (1 + 2 r - 3 r_on) / (1 - r_on)^3 above. */
struct pair_switch {
  real s, d; /* S, -S' / r */
};

/* The function between on and end of a distance r, factor = (end - on)^-3. */
HD struct pair_switch pair_switch_at(real r, real ir, real on, real end, real factor)
{
  struct pair_switch w;
  real x = r > on ? r : on;
  x = x < end ? x : end;
  real left = end - x;
  w.s = (left * left) * (real_fma(R(2), x, real_fma(R(-3), on, end)) * factor);
  w.d = R(6) * (left * (x - on)) * (factor * ir);
  return w;
}

/* Electrostatics of pairs with an ellipsoid. The axis of an ellipsoid without a dipole has length 1
   for Gay-Berne, so that these terms need to be told whose axis is a dipole. */
static inline void pair_shape_set(struct pair_shape *c, int dipole_i, int dipole_j)
{
  c->dipole_i = R(dipole_i);
  c->dipole_j = R(dipole_j);
}

HD struct pair_arg pair_shape_dipoles(struct pair_shape c, struct pair_arg p)
{
  p.a *= c.dipole_i;
  p.b *= c.dipole_j;
  p.c *= c.dipole_i * c.dipole_j;
  return p;
}

HD void pair_shape_gather(struct pair_shape c, struct pair_slope t, struct pair_slope *v)
{
  v->u += t.u;
  v->f += t.f;
  v->a = real_fma(c.dipole_i, t.a, v->a);
  v->b = real_fma(c.dipole_j, t.b, v->b);
  v->c = real_fma(c.dipole_i * c.dipole_j, t.c, v->c);
}

#endif
