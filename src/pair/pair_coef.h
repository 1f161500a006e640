/* Coefficients of a pair of types: those that do not come with the beads' charges and axes. A
   family is read by the terms that pair_list.h names it for; its header says how it is set. */
#ifndef PAIR_COEF_H
#define PAIR_COEF_H

#include "base/real.h"

struct pair_lj {
  real a, b;    /* U = A r^-12 - B r^-6 */
  real a12, b6; /* 12 A, 6 B: of forces */
};

struct pair_sticky {
  real half, half_prime; /* v0 / 2, v0' / 2, kJ/mol */
  real w0;
  real on, end, factor; /* of s: its ends in cutoffs, (end - on)^-3 */
  real on_prime, end_prime, factor_prime;
  real unit_i, unit_j; /* 1 / length of the first axis, which y has too */
};

/* x: of contact distances, y: of well depths. */
struct pair_gb {
  real xa2, xai2, x2, ya2, yai2, y2;
  real is0;            /* 1 / s0, s0 in cutoffs */
  real eps;            /* 4 eps0, kJ/mol */
  real unit_i, unit_j; /* 1 / length of the axis of each; 0 for a sphere */
};

struct pair_shape {
  real dipole_i, dipole_j; /* 1 where the axis of a bead is a dipole, else 0 */
};

/* Of a table: whole numbers as reals, since coefficients are reals; 0: none. */
struct pair_tabulated {
  real first, pieces;       /* among the pieces of all tables; how many */
  real start, inverse_step; /* in cutoffs */
};

struct pair_coef {
#define FAMILY(name) struct pair_##name name;
#include "pair/pair_list.h"
#undef FAMILY
};

#endif
