/* What a pair term sees and returns, and how the sums over a bead's neighbours become its force
   and torque.

   A term is a function of four scalars, U(s, a, b, c), with r = r_i - r_j and one axis u each:
   s = r.r, a = u_i.r, b = u_j.r, c = u_i.u_j (Allen and Germano, Mol. Phys. 104, 3225, 2006).
   With subscripts for slopes, F_i = -2 U_s r - U_a u_i - U_b u_j and
   torque_i = u_i x G, G = -U_a r - U_c u_j: the factors of u_i are summed as a scalar and the field
   G as a vector, and both meet u_i once a bead, not once a pair.

   Lengths are in units of the cutoff, so that s is clamped to 1 for a candidate outside it and
   terms that are shifted to 0 there give exactly 0 without a branch. Axes carry their scale
   (pair_scale), so that dipole with dipole has no coefficient left; energies are kJ/mol. */
#ifndef PAIR_SUM_H
#define PAIR_SUM_H

#include "base/vec.h"

struct pair_arg {
  real s, ir;  /* r.r clamped to 1, 1/r */
  real inside; /* 1 inside the cutoff, else 0: for terms that do not vanish there */
  real a, b, c;
  real qi, qj; /* charges */
};

struct pair_slope {
  real u; /* energy */
  real f; /* force along r, -2 U_s */
  real a, b, c;
};

/* Sums of one bead over its neighbours. */
struct pair_sum {
  struct vec3 f; /* force on i without the part along u_i */
  struct vec3 g; /* field on u_i */
  real along;    /* force on i along u_i */
};

HD struct pair_sum pair_none(void)
{
  struct pair_sum t = {{0, 0, 0}, {0, 0, 0}, 0};
  return t;
}

/* t with a pair of slopes v at r added, uj the partner's axis. axes is a constant: 0 for point
   terms only. By value, as are all arguments here: the address of a variable keeps compilers from
   making vectors of loops over pairs. */
HD struct pair_sum pair_gather(struct pair_sum t, struct pair_slope v, struct vec3 r,
                               struct vec3 uj, int axes)
{
  t.f = vec3_axpy(t.f, v.f, r);
  if (!axes) return t;
  t.f = vec3_axpy(t.f, -v.b, uj);
  t.g = vec3_axpy(vec3_axpy(t.g, -v.a, r), -v.c, uj);
  t.along -= v.a;
  return t;
}

/* The force and torque of a bead of axis ui, still in units of the cutoff. */
HD struct vec3 pair_force(struct pair_sum t, struct vec3 ui)
{
  return vec3_axpy(t.f, t.along, ui);
}

HD struct vec3 pair_torque(struct pair_sum t, struct vec3 ui)
{
  return vec3_cross(ui, t.g);
}

/* Scales of charges and dipoles that put the Coulomb constant C and the cutoff into them, and a
   factor of sqrt(3) that saves dipoles two multiplications a pair: U = q_i b / r^3 for a charge and
   a dipole, r in cutoffs, a third of it for two dipoles, three times for two charges. C in
   kJ nm/(mol e2), rc in nm. */
static inline double pair_charge_scale(double coulomb, double rc)
{
  return sqrt(coulomb / (3 * rc));
}

static inline double pair_dipole_scale(double coulomb, double rc)
{
  return sqrt(3 * coulomb / (rc * rc * rc));
}

#endif
