/* The beads of a run in all, and in the groups of the run file (model/bead_group.h): named ones
   here, those of external fields in md/fields.h, what moves alike in md/teams.h. */
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
/* Reads the groups that the run file names, and output.frames_select, and finds their beads
   (molecules/group_find.h), so that the state keeps what depends on its start. s->lipids are set.
   Status 2 for mistakes and groups without a bead. Collective. */
void groups_open(struct sim *s);
void groups_close(struct sim *s);
/* Logs them with their numbers of beads. */
void groups_say(const struct sim *s);
/* The soft cores of the run file. Status 2 if a bead type of coupled molecules is in others too.
   Collective. */
struct soft_core groups_soft_core(const struct sim *s);

#endif
