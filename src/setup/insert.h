/* Insertion of ions into a system: each takes the place of a bead, or is appended. */
#ifndef INSERT_H
#define INSERT_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* A molecule of one bead. */
struct insertion {
  int molecule; /* index of the force field */
  int64_t id;   /* of the bead in whose place it is put; above those of the system: at x */
  int32_t x[3]; /* units of 2^-32 of the box edges */
};

/* Returns the system with the insertions, and destroys s. Momenta of the inserted beads are drawn
   at a temperature (K) from seed and id; all else of the beads is kept, and step, time and
   averages begin anew. ff: a force field that extends that of s; owned by the result. Each rank
   passes the insertions whose ids are in its block of the result; ids above those of the system
   follow these without gaps. Collective. */
struct system *insert_beads(const struct ranks *r, struct system *s, struct forcefield *ff,
                            int64_t n, const struct insertion *insertion, uint64_t seed,
                            double temperature);

#endif
