/* A force field as kernels use it: coefficients in working precision. Energies are kJ/mol. */
#ifndef MODEL_H
#define MODEL_H

#include "model/forcefield.h"
#include "pair/bonded.h"
#include "pair/pair.h"
#include "pair/pair_pass.h"

enum { MODEL_TABLE = 32 };

struct model_pass {
  int number; /* of the pass and of its neighbour list */
  unsigned set;
  double cutoff; /* nm */
  struct pair_constants constants;
  unsigned classes;       /* bits of the list classes that take part in it */
  unsigned own;           /* and of those whose beads meet beads of their own class in it */
  struct pair_coef *pair; /* [n_types][n_types], lengths in cutoffs of the pass */
  real *table;            /* [n_types][PAIR_COEFS][MODEL_TABLE]: the same by the partner's type, for
                             CPU kernels; NULL where there is none */
  unsigned *set_of;       /* [n_types]: the terms of a kernel that suffices for beads of a type */
  uint64_t sets;          /* which rows of PAIR_SETS are in set_of, as bits */
};

struct model {
  int n_passes;
  struct model_pass pass[PAIR_PASSES_MOST];
  int n_types;
  unsigned char *list_class;                                       /* of a type: pair_pass.h */
  int first_pass[PAIR_CLASSES_MOST], last_pass[PAIR_CLASSES_MOST]; /* of a list class */
  struct bonded_coef *bonded; /* of all bonded types: forcefield_bonded */
  struct pair_piece *piece;   /* of all tables; NULL: there are none */
  /* What axis records hold of a type, in cutoffs of the force field: a pass of another cutoff that
     reads charges or axes has coefficients that make up for it. */
  real *axis_scale;   /* length of the first axis: dipole times its scale; 0: no term reads it */
  real *axis_inverse; /* 1 / that, or 0 */
  real *charge; /* times its scale; of coupled types too, the root of the part that they have */
  real *charge_slope; /* slope by lambda of the logarithm of that part; NULL without soft cores */
};

#endif
