/* What pair terms read besides the beads: the coefficients of two types, and the constants of a
   pass. A family of coefficients is read by the terms that pair_list.h names it for; its header
   says how it is set. */
#ifndef PAIR_COEF_H
#define PAIR_COEF_H

#include "base/vec.h"
#include "pair/pieces.h"

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

/* Of soft cores. */
struct pair_soft {
  real a12, b6; /* 12 A, 6 B of Lennard-Jones */
  real sigma2;  /* sigma^2 of the soft distance, in cutoffs^2; 0: it is the distance */
  real qq;      /* product of the charges, times their scales */
};

struct pair_coef {
#define FAMILY(name) struct pair_##name name;
#include "pair/pair_list.h"
#undef FAMILY
};

/* The end of a modified interaction (pair_modifier.h), in cutoffs, and what is added to a power of
   r. */
struct pair_modifier {
  real from, end2;    /* where it begins; the square of where the interaction ends */
  real inverse_width; /* of a potential switch, 1 / (end - from); else 0 */
};
struct pair_power {
  real cubic, quartic, constant;
};

/* How an interaction of soft cores depends on lambda: U = weight V(r_s), r_s^6 = r^6 + beta sigma^6
   (pair_soft.h). */
struct pair_coupling {
  real weight, beta_root;        /* beta_root: beta^(1/3) */
  real weight_slope, beta_slope; /* by lambda, of weight and beta */
};

/* One set for all pairs of a pass, in working precision, lengths in its cutoff. */
struct pair_constants {
  real switch_from;   /* where the cubic switching function leaves 1 */
  real switch_factor; /* (1 - switch_from)^-3 */
  real field;         /* of the reaction field: 2 (eps - 1) / (2 eps + 1), or 0 */
  real dipoles;     /* (cutoff of axis records / cutoff of the pass)^3; 0 without electrostatics */
  int gb_mu, gb_nu; /* exponents of Gay-Berne pairs, 1 to 4 */
  /* Of charges with a permittivity: 3 / the relative permittivity within the cutoff, as charges are
     scaled (pair_sum.h); of a reaction field k, which is 1/2 with a conductor beyond, in cutoffs of
     the pass, and minus twice the energy of a charge in its own field over that of 1 / r. */
  real charges, charge_field, charge_self;
  const struct pair_piece *piece; /* of all tables, in the memory of the kernels; NULL: none */
  /* Of modified terms: Lennard-Jones, by 12 A and 6 B of r^-12 and r^-6 (pair_coef.h), charges. */
  struct pair_modifier lj_end, charge_end;
  struct pair_power lj12, lj6, charge;
  struct pair_coupling soft_lj, soft_charge;
};

#endif
