/* A force field as kernels use it: coefficients in working precision, lengths in cutoffs. */
#ifndef MODEL_H
#define MODEL_H

#include "model/forcefield.h"
#include "pair/bonded.h"
#include "pair/pair.h"

enum { MODEL_TABLE = 16 };

struct model {
  double cutoff; /* nm */
  unsigned set;  /* terms of the kernel chosen, a set of PAIR_SETS */
  int n_types, n_bonds, n_angles;
  struct pair_coef *pair; /* [n_types][n_types] */
  real *lj_table;         /* [n_types][2][MODEL_TABLE]: lj.a12, lj.b6; NULL for more types */
  struct bond_coef *bond; /* nm, kJ/mol */
  struct angle_coef *angle;
  real *axis_scale;   /* dipole times its scale, a type */
  real *axis_inverse; /* 1 / that, or 0 */
  real *charge;       /* times its scale */
};

#endif
