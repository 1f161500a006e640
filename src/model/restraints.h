/* Which restraints of a system act in a run, and how strongly: each set of restraints of the force
   field may be off, or have another force constant. What is off is left out, so that it costs
   nothing. In host memory, the same on every rank. */
#ifndef RESTRAINTS_H
#define RESTRAINTS_H

#include <stdio.h>

#include "model/topology.h"

struct restraints {
  /* Force field and topology that forces are computed with: those of the system, or copies of them
     with the restraints that act. */
  const struct forcefield *ff;
  const struct topology *topology;
  struct forcefield own_ff; /* shares all but the types of restraints with that of the system */
  struct topology own_topology;
};

/* The index of a set by name; -1 if there is none. */
int restraints_find_set(const struct forcefield *ff, const char *name);
/* Prints " in sets A, B", if there are any. */
void restraints_print_sets(const struct forcefield *ff, FILE *out);
/* strength: [ff->n_sets + 1], of set k at k: the force constant of all its restraints in the
   directions in which theirs is not 0, kJ/mol/nm2; 0: the set is off; NAN: as the force field says.
   NULL: all are as it says. Borrows ff and t. */
void restraints_open(struct restraints *r, const struct forcefield *ff, const struct topology *t,
                     const double *strength);
void restraints_close(struct restraints *r);
/* 1 if some restraint acts. */
static inline int restraints_act(const struct restraints *r)
{
  return r->topology->anchors.n > 0;
}

#endif
