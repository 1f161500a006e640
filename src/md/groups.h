/* The beads of a run in all, and in the groups of the run file (model/bead_group.h): external
   fields here, what moves alike in md/teams.h. */
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
/* Of beads that are frozen along some axes (bits), by their number of each type and of constraints
   among them. */
struct census groups_census_of(const struct forcefield *ff, int frozen, const int64_t *count,
                               int64_t constraints);
/* Sets the ranges of ids of a group: a single one if the group has all molecule types, else one for
   each unbroken sequence of ids of beads of its molecule types. Collective. */
void groups_find(struct bead_group *g, const struct ranks *r, const struct system *s);
/* The number of beads of a group, whose ranges have been found. Collective. */
int64_t groups_count(const struct bead_group *g, const struct ranks *r, const struct system *s);
/* Reads the external fields of the run file, and finds their groups. Status 2 if a group has no
   bead. Collective. */
void groups_open_fields(struct sim *s);
/* The soft cores of the run file. Status 2 if a bead type of coupled molecules is in others too.
   Collective. */
struct soft_core groups_soft_core(const struct sim *s);

#endif
