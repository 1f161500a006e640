/* Bonded terms, each once, for host and device. A bead sums every term it takes part in itself, in
   the role it has there; energy and virial of a term are counted by role 0 (and, for the angle,
   the virial of its far arm by role 2), so that they are counted once. Lengths in nm.

   A new form of bond or angle is its coefficients and its function here, its choice in bonded_term
   and its channel in bonded_channel (force_body.h), its arms in stress_bonded (stress_body.h), its
   coefficients in model_bonded (model_body.h), and its name in model/forcefield.h and
   input/forcefield_parse.c. With an energy of its own, a line in model/energy_list.h, one each in
   bonded_count and in the channels of force_rows (cuda/step/force_rows.cuh), and its part of the
   stress in stress_ends.h and stress_bonded_part. */
#ifndef BONDED_H
#define BONDED_H

#include "base/vec.h"

struct bond_coef {
  real k, r0; /* U = k (r - r0)^2 */
};

struct angle_coef {
  real k, cos0; /* U = k (cos t - cos t0)^2 */
  int dipole;   /* restraint of the carrier's dipole, not an angle */
};

struct bonded_sum {
  real u;                /* energy of this term, for role 0, else 0 */
  struct vec3 f, t;      /* force and torque on this bead */
  struct vec3 arm, pull; /* the virial counted by this bead is arm_a pull_b */
};

/* r = r_this - r_other. */
HD struct bonded_sum bonded_bond(struct bond_coef c, int role, struct vec3 r)
{
  struct bonded_sum s = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  real len = real_sqrt(vec3_dot(r, r)), d = len - c.r0;
  s.f = vec3_scale(R(-2) * c.k * d / len, r);
  if (role == 0) {
    s.u = c.k * d * d;
    s.arm = r;
    s.pull = s.f;
  }
  return s;
}

/* Force on the end of arm a of an angle between arms a and b (from the middle bead). */
HD struct vec3 bonded_angle_end(real slope, real cosine, struct vec3 a, struct vec3 b, real ia,
                                real ib)
{
  struct vec3 f = vec3_scale(-slope * ia * ib, b);
  return vec3_axpy(f, slope * cosine * ia * ia, a);
}

/* ri, rk: the ends less the middle. */
HD struct bonded_sum bonded_angle(struct angle_coef c, int role, struct vec3 ri, struct vec3 rk)
{
  struct bonded_sum s = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  real ii = R(1) / real_sqrt(vec3_dot(ri, ri)), ik = R(1) / real_sqrt(vec3_dot(rk, rk));
  real cosine = vec3_dot(ri, rk) * ii * ik, d = cosine - c.cos0, slope = R(2) * c.k * d;
  struct vec3 fi = bonded_angle_end(slope, cosine, ri, rk, ii, ik);
  struct vec3 fk = bonded_angle_end(slope, cosine, rk, ri, ik, ii);
  if (role == 0) {
    s.u = c.k * d * d;
    s.f = s.pull = fi;
    s.arm = ri;
  } else if (role == 1) {
    s.f = vec3_scale(R(-1), vec3_axpy(fi, R(1), fk));
  } else {
    s.f = s.pull = fk;
    s.arm = rk;
  }
  return s;
}

/* The dipole of the carrier (role 0, unit axis u) is held at an angle to the line to the target
   (role 1); r = r_target - r_carrier. The energy depends on r, so besides the torque there is a
   couple of forces. */
HD struct bonded_sum bonded_dipole(struct angle_coef c, int role, struct vec3 r, struct vec3 u)
{
  struct bonded_sum s = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  real ir = R(1) / real_sqrt(vec3_dot(r, r)), cosine = vec3_dot(u, r) * ir;
  real d = cosine - c.cos0, slope = R(2) * c.k * d;
  struct vec3 f = vec3_scale(-slope * ir, vec3_axpy(u, -cosine * ir, r)); /* on the target */
  if (role == 1) {
    s.f = f;
    return s;
  }
  s.u = c.k * d * d;
  s.f = vec3_scale(R(-1), f);
  s.t = vec3_scale(slope * ir, vec3_cross(r, u));
  s.arm = r;
  s.pull = f;
  return s;
}

#endif
