/* Adds ions to a state, each in turn where its energy in the potential of the others is least:
   first all of one sign, then all of the other; of kinds of one sign that with the least energy is
   next. */
#ifndef IONS_ADD_H
#define IONS_ADD_H

#include "maps/ion_kinds.h"
#include "maps/map.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

struct ions_request {
  enum ions_wanted which;
  const char *wanted;     /* the text of ion_kinds_of */
  const char *forcefield; /* of the result; NULL: that of the state, or its name with -ions */
  const char *replace;    /* solvent that ions replace; NULL: the only one of the state */
  int free;               /* 1: nothing is replaced */
  double from, apart;     /* nm; least distances from other beads, and of two ions */
  const char *sources;    /* "TYPE,..."; NULL: all but the solvent's */
  enum map_method method; /* MAP_CUTOFF or MAP_FORCE_FIELD */
  double cutoff, spacing; /* nm; cutoff 0: not given */
  double temperature;     /* K, of the ions' momenta */
  uint64_t seed;
  const char *backend;
};

/* The state with the ions; s is destroyed. Prints where they are. Dies with status 2 if it cannot
   be done as asked. Collective. */
struct system *ions_add(struct ranks *r, struct system *s, const struct ions_request *q);

#endif
