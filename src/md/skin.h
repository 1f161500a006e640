/* The skin of neighbour lists where neighbor.skin is auto. It follows from the force field, the
   number of beads, the backend and how many steps the lists have lasted, never from a clock or from
   the number of ranks: list order depends on the skin, and so do the bits of a trajectory, which
   must be the same in every run and on any number of ranks. All functions are local and give the
   same result on all ranks. */
#ifndef SKIN_H
#define SKIN_H

#include "md/sim.h"

/* What a step and a list build cost: microseconds whatever the size of the system, nanoseconds for
   each bead, and nanoseconds for each list entry. */
struct skin_costs {
  double step, step_bead, step_entry;
  double build, build_bead, build_entry;
};

/* The skin (nm) of the lowest cost per step, from the costs of a backend and the lists of a plan
   (pair_partners). density: 1/nm3. Lists with the skin `now` have lasted so many steps. Between
   least and most. */
double skin_cheapest(const struct skin_costs *c, int64_t n_beads, double density,
                     const struct pair_plan *plan, double now, double steps, double least,
                     double most);

/* The skin of the first list build, nm. */
double skin_first(const struct sim *s, const struct backend_ops *ops);
/* Before a list build that is not a repetition: sets the skin of the system from the number of
   steps that the last lists have lasted, at builds 8, 16, 32, ... of the run, where neighbor.skin
   is auto. */
void skin_adapt(struct sim *s);
/* The halo of the widest skin that may be chosen, nm. */
double skin_widest_halo(const struct sim *s);
/* Status 2 if the widest skin that may be chosen, with clusters in any conformation, leaves no room
   for the regions of all ranks: at the start, so that no run ends later for this. */
void skin_refuse_ranks(const struct sim *s);

#endif
