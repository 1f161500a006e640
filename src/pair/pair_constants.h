/* What the terms of a pass read besides the coefficients of the bead types: one set of constants
   for all pairs, in working precision, lengths in cutoffs of the pass. */
#ifndef PAIR_CONSTANTS_H
#define PAIR_CONSTANTS_H

#include "base/vec.h"

/* A piece of a table: U = c[0] + c[1] t + c[2] t^2 + c[3] t^3, kJ/mol, t from 0 to 1. */
struct pair_piece {
  real c[4];
};

struct pair_constants {
  real switch_from;   /* where the cubic switching function leaves 1 */
  real switch_factor; /* (1 - switch_from)^-3 */
  real field;         /* of the reaction field: 2 (eps - 1) / (2 eps + 1), or 0 */
  real dipoles;     /* (cutoff of axis records / cutoff of the pass)^3; 0 without electrostatics */
  int gb_mu, gb_nu; /* exponents of Gay-Berne pairs, 1 to 4 */
  /* Of charges in a reaction field (pair_qq_reaction_field.h): 3 / the relative permittivity within
     the cutoff, as charges are scaled (pair_sum.h), and k, which is 1/2 with a conductor beyond. */
  real charges, charge_field;
  const struct pair_piece *piece; /* of all tables, in the memory of the kernels; NULL: none */
};

#endif
