/* What the formula of a bonded form reads and returns, for host and device. */
#ifndef BONDED_SHAPE_H
#define BONDED_SHAPE_H

#include "base/vec.h"
#include "model/bonded_form.h"

enum { BONDED_ARMS_MOST = BONDED_BEADS_MOST - 1, BONDED_COEFS = 6 };

/* The arms of a term, nm: from bead 1 to bead 0, and from bead k to bead k + 1 for k = 1, 2, ...
   (beads count from 0). So the arms of an angle go from its middle to its ends, and the second and
   third of a dihedral along its chain. */
struct bonded_shape {
  struct vec3 arm[BONDED_ARMS_MOST];
  /* Body z of the first beads, of length 1; 0 where the form reads none, and of a bead without. */
  struct vec3 axis[BONDED_AXES_MOST];
  real charges; /* product of the scaled charges of beads 0 and 1; 0 where the form reads none */
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

/* 1 / the length of an arm; 0 for beads at one place, between which no direction is defined. */
HD real bonded_inverse(struct vec3 arm)
{
  const real r2 = vec3_dot(arm, arm);
  return r2 > 0 ? R(1) / real_sqrt(r2) : 0;
}

#endif
