/* Degrees of freedom, mass and bead types of a whole system. */
#ifndef CENSUS_H
#define CENSUS_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

struct census {
  struct dof dof;              /* less those that constraints remove */
  double mass;                 /* amu */
  char present[FF_TYPES_MOST]; /* 1: there are beads of the type */
};

/* Collective. */
struct census census_of(const struct ranks *r, const struct system *s);

#endif
