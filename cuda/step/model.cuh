/* Coefficients of a force field as kernels read them, in the precision of the unit that includes
   this. */
#ifndef MODEL_CUDA_CUH
#define MODEL_CUDA_CUH

#include "cuda/runtime/beads.h"
#include "pair/model.h"

/* The coefficients of a pass that kernels without energies read: no others, and only of the types
   in the pass. Each block copies them to shared memory; the smaller they are, the more L1 cache
   remains. */
struct force_coefs {
  const real *coef;      /* [types][types][coef_reals(set)], device memory */
  int first_type, types; /* from the first to the last type that is in the pass and in the system */
};

/* The model of a run, in host memory; its arrays are device memory. stress.cu reads the first
   member only, through a pointer to struct model. */
struct cuda_model {
  struct model model;
  struct force_coefs force[PAIR_PASSES_MOST];
};

/* 1 if kernels without energies of a set of terms read a member of a family with this use. */
HD int coef_is_read(unsigned set, int use, int family)
{
  return use == PAIR_USE_force && (set & pair_family_terms(family)) != 0;
}

/* Reals per pair of types in struct force_coefs: even, since two are loaded at a time. */
HD int coef_reals(unsigned set)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  if (coef_is_read(set, PAIR_USE_##use, PAIR_FAMILY_##family)) n++;
#include "pair/pair_list.h"
#undef COEF
  return (n + 1) / 2 * 2;
}

/* The terms of a loop over partners (enum rows_set) in a pass with the terms `set`. */
HD constexpr unsigned rows_terms(int rows, unsigned set)
{
#define ROWS(name, terms)                                                                          \
  if (rows == ROWS_##name) return terms;
#include "cuda/runtime/classes.h"
#undef ROWS
  return set;
}

#endif
