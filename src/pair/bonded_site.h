/* Bonded terms between sites of bodies, for host and device. The site of bead k lies on its body z,
   at d_k from its centre: r_k + d_k u_k. A form of sites is one of beads with the arms between the
   sites. The force on a site acts on the centre of its bead, beside the torque d_k u_k x F. As -dU
   by an arm is the same for sites and centres, the virial has the arms between the centres, as
   that of rigid bodies. */
#ifndef BONDED_SITE_H
#define BONDED_SITE_H

#include "pair/bonded_shape.h"

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
