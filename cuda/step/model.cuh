/* Coefficients of a force field on the device as kernels see them, in the precision of the unit
   that includes this. */
#ifndef MODEL_CUDA_CUH
#define MODEL_CUDA_CUH

#include "cuda/runtime/beads.h"
#include "pair/model.h"

/* What kernels without energies read of the coefficients of a pass: as few bytes as they are, and
   only of the types that take part in it. A block copies them to shared memory as they lie here;
   what shared memory does not take is L1 cache. */
struct force_coefs {
  const real *coef;      /* [types][types][coef_reals(set)], device memory */
  int first_type, types; /* of the pass and present: from first_type on, with those in between */
};

/* The model of a run, in host memory; its arrays are device memory. Begins with what all kernels
   need. */
struct cuda_model {
  struct model model;
  struct force_coefs force[PAIR_PASSES_MOST];
};

/* Is a member of a family read by kernels without energies of a set of terms? */
HD int coef_is_read(unsigned set, int use, int family)
{
  return use == PAIR_USE_force && (set & pair_family_terms(family)) != 0;
}

/* Reals of a pair of types in struct force_coefs: two are loaded at a time. */
HD int coef_reals(unsigned set)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  if (coef_is_read(set, PAIR_USE_##use, PAIR_FAMILY_##family)) n++;
#include "pair/pair_list.h"
#undef COEF
  return (n + 1) / 2 * 2;
}

/* The terms of a loop over partners, of a pass with the terms set. */
HD constexpr unsigned rows_terms(int rows, unsigned set)
{
#define ROWS(name, terms)                                                                          \
  if (rows == ROWS_##name) return terms;
#include "cuda/runtime/classes.h"
#undef ROWS
  return set;
}

#endif
