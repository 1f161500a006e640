/* A constraint between beads that need not be of one molecule: no chemical bond. */
#ifndef BOND_CONSTRAINT_APART_H
#define BOND_CONSTRAINT_APART_H

#include "pair/bond_constraint.h"

/* value: r0. */
static inline void bonded_bond_constraint_apart_set(const double *value, real *c)
{
  bonded_bond_constraint_set(value, c);
}

HD struct bonded_value bonded_bond_constraint_apart(const real *c, struct bonded_shape s)
{
  return bonded_bond_constraint(c, s);
}

#endif
