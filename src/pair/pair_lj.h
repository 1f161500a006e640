/* Lennard-Jones, U = A r^-12 - B r^-6. Its truncations are terms of their own. The constants that
   make a shifted form vanish at the cutoff are formed in working precision from the same numbers as
   the form itself, so that it is exactly 0 at s = 1. */
#ifndef PAIR_LJ_H
#define PAIR_LJ_H

#include "pair/pair_coef.h"

/* eps in kJ/mol, sigma in cutoffs. */
static inline void pair_lj_set(struct pair_lj *c, double eps, double sigma)
{
  double s6 = pow(sigma, 6);
  c->a = R(4 * eps * s6 * s6);
  c->b = R(4 * eps * s6);
  c->a12 = R(48 * eps * s6 * s6);
  c->b6 = R(24 * eps * s6);
}

#endif
