/* A constraint has no energy and no force of its own: dynamics/cluster_body.h keeps its length. */
#ifndef BOND_CONSTRAINT_H
#define BOND_CONSTRAINT_H

#include "pair/bonded_shape.h"

/* value: r0. */
static inline void bonded_bond_constraint_set(const double *value, real *c)
{
  c[0] = R(value[0]);
}

HD struct bonded_value bonded_bond_constraint(const real *c, struct bonded_shape s)
{
  (void)c;
  (void)s;
  return bonded_nothing();
}

#endif
