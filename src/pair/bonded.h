/* Bonded terms, for host and device. A bead sums every term it takes part in itself, in the role
   that it has there: its position in the term, from 0. The energy of a term is counted by role 0,
   and the virial of an arm by the bead at its end, so that each is counted once. A new form: see
   model/bonded_list.h. */
#ifndef BONDED_H
#define BONDED_H

#include "pair/bonds.h"
#include "pair/dihedrals.h"

/* A bonded type of a force field, as kernels read it. */
struct bonded_coef {
  int form; /* enum bonded_form */
  real c[BONDED_COEFS];
} __attribute__((aligned(16)));

/* What a term gives a bead. */
struct bonded_sum {
  real u;                /* energy of this term, for role 0, else 0 */
  struct vec3 f, t;      /* force and torque on this bead */
  struct vec3 arm, pull; /* the virial counted by this bead is arm_a pull_b */
};

/* The points of a term, between which its arms lie: its beads, and after them its anchor. */
HD int bonded_points(int beads, int reads)
{
  return beads + (reads == BONDED_READS_anchor);
}

/* The share of a role in a term of so many points, of which the first have axes. */
HD struct bonded_sum bonded_share(int points, int axes, int role, struct bonded_shape s,
                                  struct bonded_value v)
{
  struct bonded_sum sum = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  struct vec3 begins = vec3_make(0, 0, 0); /* the pulls of arms that begin here */
  UNROLL
  for (int arm = 0; arm < points - 1; arm++) {
    const int ends = bonded_arm_end(arm) == role;
    sum.arm = vec3_choose(ends, s.arm[arm], sum.arm);
    sum.pull = vec3_choose(ends, v.pull[arm], sum.pull);
    if (bonded_arm_begin(arm) == role) begins = vec3_axpy(v.pull[arm], R(1), begins);
  }
  sum.f = vec3_axpy(sum.pull, R(-1), begins);
  UNROLL
  for (int k = 0; k < axes; k++)
    sum.t = vec3_choose(role == k, v.torque[k], sum.t);
  if (role == 0) sum.u = v.u;
  return sum;
}

/* The energy channel of a form. Those of sections of files lie from BONDED_CHANNEL_FIRST on. */
HD int bonded_channel(int form)
{
#define BONDED(section, name, beads, axes, reads, joins, channel, ...)                             \
  if (form == FORM_##section##_##name) return ENERGY_##channel;
#include "model/bonded_list.h"
#undef BONDED
  return 0;
}

/* The coefficients of a form with these values of its parameters. */
static inline struct bonded_coef bonded_coef_of(int form, const double *value)
{
  struct bonded_coef coef = {form, {0}};
#define BONDED(section, name, beads, axes, reads, joins, channel, set, ...)                        \
  if (form == FORM_##section##_##name) bonded_set_##set(value, coef.c);
#include "model/bonded_list.h"
#undef BONDED
  return coef;
}

#endif
