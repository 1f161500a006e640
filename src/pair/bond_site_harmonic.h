/* Harmonic bond between sites of two bodies, at d0 and d1 along their body z:
   U = k (r - r0)^2, r from site to site. */
#ifndef BOND_SITE_HARMONIC_H
#define BOND_SITE_HARMONIC_H

#include "pair/bond_harmonic.h"
#include "pair/bonded_site.h"

/* value: k, r0, d0, d1. */
static inline void bonded_bond_site_harmonic_set(const double *value, real *c)
{
  bonded_bond_harmonic_set(value, c);
  for (int k = 0; k < 2; k++)
    c[2 + k] = R(value[2 + k]);
}

HD struct bonded_value bonded_bond_site_harmonic(const real *c, struct bonded_shape s)
{
  return bonded_at_sites(c + 2, 2, s, bonded_bond_harmonic(c, bonded_sites(c + 2, 2, s)));
}

#endif
