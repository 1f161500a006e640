/* What the formula of a bonded form reads and returns, for host and device. */
#ifndef BONDED_SHAPE_H
#define BONDED_SHAPE_H

#include <math.h>

#include "base/portable.h"
#include "base/units.h"
#include "base/vec.h"
#include "model/bonded_form.h"
#include "pair/pieces.h"

enum { BONDED_ARMS_MOST = BONDED_BEADS_MOST - 1, BONDED_COEFS = 6 };

/* The arms of a term, nm: from bead 1 to bead 0, and from bead k to bead k + 1 for k = 1, 2, ...
   (beads count from 0). So the arms of an angle go from its middle to its ends, and the second and
   third of a dihedral along its chain. */
struct bonded_shape {
  struct vec3 arm[BONDED_ARMS_MOST];
  /* Body z of the first beads, of length 1; 0 where the form reads none, and of a bead without. */
  struct vec3 axis[BONDED_AXES_MOST];
  real charges; /* product of the scaled charges of beads 0 and 1; 0 where the form reads none */
  const struct pair_piece *piece; /* of all tables; NULL where the form reads none */
};

struct bonded_value {
  real u;                               /* energy, kJ/mol */
  struct vec3 pull[BONDED_ARMS_MOST];   /* -dU/d(arm), kJ/mol/nm: the force on the end of the arm */
  struct vec3 torque[BONDED_AXES_MOST]; /* on the first beads, kJ/mol: axis x -dU/d(axis) */
};

/* The bead that an arm begins at; it ends at bonded_arm_end. */
HD int bonded_arm_begin(int arm)
{
  return arm == 0 ? 1 : arm;
}

HD int bonded_arm_end(int arm)
{
  return arm == 0 ? 0 : arm + 1;
}

HD struct bonded_value bonded_nothing(void)
{
  struct bonded_value v;
  v.u = 0;
  for (int k = 0; k < BONDED_ARMS_MOST; k++)
    v.pull[k] = vec3_make(0, 0, 0);
  for (int k = 0; k < BONDED_AXES_MOST; k++)
    v.torque[k] = vec3_make(0, 0, 0);
  return v;
}

HD real bonded_length(struct vec3 arm)
{
  return real_sqrt(vec3_dot(arm, arm));
}

/* 1 / the length of an arm; 0 for beads at one place, between which no direction is defined. */
HD real bonded_inverse(struct vec3 arm)
{
  const real r2 = vec3_dot(arm, arm);
  return r2 > 0 ? R(1) / real_sqrt(r2) : 0;
}

/* Coefficients of a form from the values of its parameters: these, */
static inline void bonded_set_given(const double *value, real *c)
{
  for (int k = 0; k < BONDED_COEFS; k++)
    c[k] = R(value[k]);
}

/* and these with the cosine of the second, an angle in degrees. */
static inline void bonded_set_cosine(const double *value, real *c)
{
  bonded_set_given(value, c);
  c[1] = R(portable_cos(value[1] * (UNITS_PI / 180)));
}

/* value: k, the table. c: k; then of the table, which model_bonded knows. */
static inline void bonded_set_table(const double *value, real *c)
{
  c[0] = R(value[0]);
}

/* Its first piece, how many, where it begins, and 1 / width of a piece. */
static inline void bonded_place_table(real *c, int first, int pieces, double start, double step)
{
  c[1] = R(first);
  c[2] = R(pieces);
  c[3] = R(start);
  c[4] = R(1 / step);
}

struct bonded_of_table {
  real u, slope; /* by x */
};

/* k times the table at x, nm or rad. Beyond its end, unless all beyond is rounding, there is no
   energy. */
HD struct bonded_of_table bonded_table_at(const real *c, const struct pair_piece *piece, real x,
                                          int ends)
{
  const real place = (x - c[3]) * c[4];
  const struct piece_value at = pieces_at(piece, c[1], c[2], place, 1);
  const real k = ends && place > c[2] ? R(NAN) : c[0];
  const struct bonded_of_table v = {k * at.u, k * c[4] * at.slope};
  return v;
}

struct bonded_sum_of_powers {
  real sum, slope;
};

/* The sum of c_n x^n, n from 0 to most, and its slope. */
HD struct bonded_sum_of_powers bonded_powers(const real *c, int most, real x)
{
  struct bonded_sum_of_powers p = {c[most], 0};
  for (int n = most - 1; n >= 0; n--) {
    p.slope = real_fma(p.slope, x, p.sum);
    p.sum = real_fma(p.sum, x, c[n]);
  }
  return p;
}

/* Forms between sites of bodies. The site of bead k lies on its body z, at d_k from its centre:
   r_k + d_k u_k. A form of sites is one of beads with the arms between the sites. The force on a
   site acts on the centre of its bead, beside the torque d_k u_k x F. As -dU by an arm is the same
   for sites and centres, the virial has the arms between the centres, as that of rigid bodies. */

/* The arms between the sites of so many beads. d: their offsets, nm. */
HD struct bonded_shape bonded_sites(const real *d, int beads, struct bonded_shape s)
{
  struct bonded_shape at = s;
  UNROLL
  for (int arm = 0; arm < beads - 1; arm++) {
    const int end = bonded_arm_end(arm), begin = bonded_arm_begin(arm);
    const struct vec3 from = vec3_axpy(s.arm[arm], -d[begin], s.axis[begin]);
    at.arm[arm] = vec3_axpy(from, d[end], s.axis[end]);
  }
  return at;
}

/* What the form of beads says at the arms between the sites, with the torques of its forces. */
HD struct bonded_value bonded_at_sites(const real *d, int beads, struct bonded_shape s,
                                       struct bonded_value v)
{
  UNROLL
  for (int arm = 0; arm < beads - 1; arm++) {
    const int end = bonded_arm_end(arm), begin = bonded_arm_begin(arm);
    const struct vec3 f = v.pull[arm];
    v.torque[end] = vec3_axpy(v.torque[end], d[end], vec3_cross(s.axis[end], f));
    v.torque[begin] = vec3_axpy(v.torque[begin], -d[begin], vec3_cross(s.axis[begin], f));
  }
  return v;
}

#endif
