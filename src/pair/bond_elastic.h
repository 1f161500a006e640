/* A spring that is no chemical bond, as elastic networks have them: U = k (r - r0)^2. */
#ifndef BOND_ELASTIC_H
#define BOND_ELASTIC_H

#include "pair/bond_harmonic.h"

/* value: k, r0. */
static inline void bonded_bond_elastic_set(const double *value, real *c)
{
  bonded_bond_harmonic_set(value, c);
}

HD struct bonded_value bonded_bond_elastic(const real *c, struct bonded_shape s)
{
  return bonded_bond_harmonic(c, s);
}

#endif
