/* Charge with dipole of a pair with an ellipsoid (pair_shape.h). */
#ifndef PAIR_QD_SHAPE_H
#define PAIR_QD_SHAPE_H

#include "pair/pair_qd.h"
#include "pair/pair_shape.h"

HD void pair_qd_shape_add(struct pair_shape c, struct pair_arg p, struct pair_slope *v)
{
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_qd_add(pair_shape_dipoles(c, p), &t);
  pair_shape_gather(c, t, v);
}

#endif
