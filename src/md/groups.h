/* The beads of a run in all, and in the groups on which external fields and heat baths act
   (model/bead_group.h, model/heat_bath.h). */
#ifndef GROUPS_H
#define GROUPS_H

#include "md/sim.h"

struct census {
  struct dof dof;              /* less those that constraints remove */
  double mass;                 /* amu */
  char present[FF_TYPES_MOST]; /* 1: there are beads of the type */
};

/* Of a whole system. Collective. */
struct census groups_census(const struct ranks *r, const struct system *s);
/* Reads the external fields of the run file, and finds their groups. Status 2 if a group has no
   bead. Collective. */
void groups_open_fields(struct sim *s);
/* Reads the heat baths of the run file and sets their groups and degrees of freedom. s->dof and
   s->mass are set. Status 2 if a bead is in no group or in two, a cluster is not in one group as a
   whole, or a group has no degrees of freedom. Collective. */
void groups_open_baths(struct sim *s);
/* The degrees of freedom that the total momentum lacks: 3 if it is conserved; with Langevin noise
   and run.momentum_every, what the noise has not restored since the last removal. After
   groups_open_baths. Local. */
double groups_momentum_lacking(const struct sim *s);

#endif
