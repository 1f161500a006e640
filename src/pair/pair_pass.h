/* The passes of a force computation, which are added in their order: a set of pair terms, the
   neighbour list that it walks, and the cutoff of its terms. Which records a pass gathers follows
   from the kinds of its terms (pair_list.h). A bead's force is stored by the first pass; the others
   add to it, then bonded terms, then one-body terms. Nothing here depends on precision.

   To add a pass: its entry in pair_plan_of, and its coefficients in model_body.h. A list of its own
   gets a line in enum pair_lists, and each backend builds and names it (job_of in
   cpu/backend_cpu.c, list_of in cuda/step/force.cu). */
#ifndef PAIR_PASS_H
#define PAIR_PASS_H

#include "model/forcefield.h"

/* Every list holds pairs of the first one only, so that halo and expiry of that one serve all. */
enum pair_lists { LIST_ALL, PAIR_LISTS };

struct pair_pass {
  unsigned set;  /* one of PAIR_SETS */
  int list;      /* enum pair_lists */
  double cutoff; /* nm, at most that of the force field; lengths of its terms are in units of it */
};

enum { PAIR_PASSES_MOST = 4 };

struct pair_plan {
  unsigned terms;       /* that the force field needs */
  int n_passes, n_axes; /* n_axes: arrays of axis records, 1 or 2 */
  struct pair_pass pass[PAIR_PASSES_MOST];
};

#ifdef __cplusplus
extern "C" {
#endif

struct pair_plan pair_plan_of(const struct forcefield *ff);
/* 1 where pair or bonded terms read an axis of beads of a type: its axis records are derived, and
   sent with the halo. */
int pair_oriented(const struct pair_plan *p, const struct forcefield *ff, int type);
/* 1 where every pair term of a force field vanishes at its cutoff, with its slopes. */
int pair_is_smooth(const struct forcefield *ff);

#ifdef __cplusplus
}
#endif

#endif
