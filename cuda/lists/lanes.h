/* Lanes: the threads of a bead in force kernels, and so the width of the rows of its list. The
   number belongs to a list. It must not depend on ranks, nor on anything that changes in a run,
   since it decides in which order forces are added: every trajectory has the same bits then. */
#ifndef LANES_CUDA_H
#define LANES_CUDA_H

#include "backend/backend.h"
#include "pair/pair_terms.h"

/* The lanes with which kernels of a set of terms are compiled, added up. Pairs that read three axes
   reach as far as the first shell of neighbours; pairs that read none can do so. */
#define LANES_OF_SET(set)                                                                          \
  ((set)&PAIR_BODY_TERMS ? 2 : (set) & (PAIR_AXIS_TERMS | PAIR_CHARGE_TERMS) ? 4 + 8 : 2 + 4 + 8)

/* The fastest on an H200 (docs/performance.md): fewer lanes for few partners, whose rows are full
   then; more where all beads together have too few threads. cutoff, sigma: of struct pair_list_plan
   (nm). */
static inline int lanes_of_list(unsigned set, double cutoff, double sigma,
                                const struct backend_config *c)
{
  const int large = c->n_total >= 50000;
  if (LANES_OF_SET(set) == 2 || (LANES_OF_SET(set) & 2 && large && cutoff < 2.75 * sigma)) return 2;
  return large ? 4 : 8;
}

#endif
