/* Lanes: the threads that share the partners of one bead in force kernels, and so the width of the
   rows of its list. Lists have their own number each. It decides in which order forces are added,
   so it must not depend on ranks, nor on anything that changes in a run: then a trajectory has the
   same bits on any number of ranks and after a restart. */
#ifndef LANES_CUDA_H
#define LANES_CUDA_H

#include <stdint.h>

#include "cuda/runtime/tuning.h"
#include "pair/pair_pass.h"
#include "pair/pair_terms.h"

enum { LANES_MOST = 8 };

/* The numbers of lanes that the kernels of a set of terms are compiled for, as bits. Sticky pairs,
   which read three axes, have few partners in the present force fields. Pairs without axes and
   charges have few where their cutoff is short. In double precision (wide 1) there are
   PAIR_PARTIAL_SUMS sums of a bead, on GPUs and CPUs alike, and each lane has as many of them as
   lanes leave to it: at most two, or they take too many registers. */
#define LANES_OF_SET(set, wide)                                                                    \
  ((set)&PAIR_BODY_TERMS                           ? (wide) ? 4 : 2                                \
   : (wide)                                        ? 4 + 8                                         \
   : (set) & (PAIR_AXIS_TERMS | PAIR_CHARGE_TERMS) ? 4 + 8                                         \
                                                   : 2 + 4 + 8)

/* Partial sums of a lane of n; 1 in mixed precision, and where n is not known (0). */
#define PARTIALS_OF(n, wide) ((wide) && (n) > 0 ? PAIR_PARTIAL_SUMS / (n) : 1)

/* Lanes of a list: few for few partners, so that rows are full; eight in small systems, which would
   have too few threads otherwise. One of LANES_OF_SET(set). cutoff, sigma: of struct pair_pass
   (nm). */
static inline int lanes_of_list(unsigned set, double cutoff, double sigma, int64_t n_total,
                                int wide)
{
  if (LANES_OF_SET(set, wide) == 2) return 2;
  if (LANES_OF_SET(set, wide) == 4) return 4;
  if (LANES_OF_SET(set, wide) & 2 && cutoff < TWO_LANES_CUTOFF * sigma &&
      n_total >= TWO_LANES_LEAST)
    return 2;
  const int charges_only = (set & PAIR_CHARGE_TERMS) && !(set & PAIR_AXIS_TERMS);
  return n_total >= (charges_only ? FOUR_LANES_CHARGES_LEAST : FOUR_LANES_LEAST) ? 4 : 8;
}

#endif
