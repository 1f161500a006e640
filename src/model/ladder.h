/* The ladder of replicas that exchange parameters, such as temperatures: which rung each replica
   has, and what became of the attempts. Neighbouring rungs are exchanged, those of even and of odd
   numbers by turns, by the rule of Metropolis. The same on all ranks of all replicas. Y. Sugita and
   Y. Okamoto, Chem. Phys. Lett. 314, 141, 1999; at constant pressure T. Okabe et al., Chem. Phys.
   Lett. 335, 435, 2001; of other parameters Y. Sugita, A. Kitao and Y. Okamoto, J. Chem. Phys. 113,
   6042, 2000. */
#ifndef LADDER_H
#define LADDER_H

#include <stdint.h>

enum {
  RUNGS_MOST = 256,
  LADDER_NUMBERS = 5, /* of a rung, in files */
  NO_END = -1 /* of the ends of a ladder: the first is 0, the last 1; not at the first yet */
};

/* Reduced energies of the state of a replica (energies over kT), with the parameters of the rung
   below its own, of its own, and of the one above. */
struct reduced_energies {
  double below, own, above;
};

/* Written by model/ladder.c. */
struct ladder {
  int n;                     /* rungs, and replicas */
  int rung[RUNGS_MOST];      /* of each replica, from 0 */
  int end[RUNGS_MOST];       /* at which end of the ladder each replica was last */
  int64_t trips[RUNGS_MOST]; /* of each replica, from the first rung to the last and back */
  /* Of rungs k and k + 1. */
  int64_t tried[RUNGS_MOST], accepted[RUNGS_MOST];
};

/* Replica k has rung k. */
void ladder_begin(struct ladder *l, int n);
/* The replica that has a rung. */
int ladder_replica(const struct ladder *l, int rung);
/* The attempt of a number, which decides between even and odd pairs, at a step. u: of each replica.
   chance [n - 1]: with which probability rungs k and k + 1 were to be exchanged; NAN: it was not
   tried. */
void ladder_attempt(struct ladder *l, int64_t number, uint64_t seed, int64_t step,
                    const struct reduced_energies *u, double *chance);
/* As LADDER_NUMBERS numbers of each rung, and back. ladder_restore returns 0, and changes nothing,
   if they are not those of a ladder. */
void ladder_save(const struct ladder *l, double *to);
int ladder_restore(struct ladder *l, const double *from);
/* Forgets what became of attempts so far. */
void ladder_count_anew(struct ladder *l);

#endif
