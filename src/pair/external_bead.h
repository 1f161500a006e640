/* What the formula of an external field reads and returns, in double, for host and device. */
#ifndef EXTERNAL_BEAD_H
#define EXTERNAL_BEAD_H

#include "base/hd.h"

struct external_bead {
  double box[3];    /* nm */
  double place[3];  /* position in the box, fraction of its edges */
  double r[3];      /* unwrapped position, nm */
  double charge;    /* e */
  double dipole[3]; /* e nm, laboratory frame */
};

struct external_value {
  double u;    /* kJ/mol */
  double f[3]; /* force, kJ/mol/nm */
  double t[3]; /* torque, kJ/mol, laboratory frame */
  /* nm: arm_a f_b counts in the virial. The vector that scales with the box while the energy
     follows; 0 for the force of something that is fixed in space, which is no part of the pressure
     of the system. */
  double arm[3];
};

HD struct external_value external_nothing(void)
{
  const struct external_value v = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  return v;
}

#endif
