/* Soft cores: the interactions of coupled molecules with all molecules change with lambda, and
   where they vanish at one end of it their repulsion is softened (pair/pair_soft.h). In host
   memory. */
#ifndef SOFT_CORE_H
#define SOFT_CORE_H

#include "base/choices.h"
#include "model/forcefield.h"

/* What coupled molecules have at an end of lambda: all; Lennard-Jones, without charges; or none. */
#define COUPLED_CHOICES(C)                                                                         \
  C(COUPLED_ALL, all)                                                                              \
  C(COUPLED_LJ, lj)                                                                                \
  C(COUPLED_NONE, none)
enum coupled { COUPLED_CHOICES(CHOICE_CONSTANT) };

enum { SOFT_LAMBDAS_MOST = 16 };

/* Lambdas of a minimisation with soft cores, in its order. */
struct soft_lambdas {
  int n;
  double lambda[SOFT_LAMBDAS_MOST];
};

struct soft_core {
  int on; /* 0: coupled molecules have all interactions at any lambda, and nothing below holds */
  double lambda, charges; /* lambda of Lennard-Jones, and that of charges */
  double alpha, sigma; /* sigma, nm: of pairs without Lennard-Jones; with soft_charges the least of
                          others too */
  int power;           /* of lambda: 1 or 2 */
  int soft_charges;    /* 0: the distance of charges is not softened */
  enum coupled end[2]; /* at lambda 0 and 1 */
  char coupled[FF_TYPES_MOST]; /* 1: a bead type of coupled molecules, and of no others */
};

/* 1 if coupled molecules have Lennard-Jones (charges 0) or charges at an end, 0 or 1. */
static inline int soft_core_has(const struct soft_core *s, int charges, int end)
{
  return charges ? s->end[end] == COUPLED_ALL : s->end[end] != COUPLED_NONE;
}

/* 1 if they lack something at an end. */
static inline int soft_core_lacks(const struct soft_core *s)
{
  return s->end[0] != COUPLED_ALL || s->end[1] != COUPLED_ALL;
}

/* 1 if two types are a pair of coupled molecules, or of one and another. */
static inline int soft_core_couples(const struct soft_core *s, int i, int j)
{
  return s->on && (s->coupled[i] || s->coupled[j]);
}

#endif
