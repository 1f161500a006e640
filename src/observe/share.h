/* Which beads each rank has for observables: blocks of consecutive ids of nearly equal length, each
   of whole molecules. Molecules are rows of beads with the same number; beads with number 0 are
   molecules of their own. Host memory. */
#ifndef SHARE_H
#define SHARE_H

#include <stdint.h>

#include "mpi/comm/ranks.h"

struct system;

/* A molecule: beads first ... first + n - 1 of the share, from 0. */
struct observe_molecule {
  int64_t first;
  int n;
  int type; /* molecule type; -1: unknown */
};

/* The beads of this rank, in order of id; index k is id first + k. */
struct share {
  int64_t *border; /* [ranks + 1]: rank r has the ids border[r] ... border[r + 1] - 1 */
  int64_t first, n;
  int32_t *type, *env; /* [n] */
  int64_t molecules;
  struct observe_molecule *molecule; /* in order of their first bead */
  int64_t *molecule_of;              /* [n]: index */
};

/* From the blocks of ids of all ranks (model/system.h). Status 2 if molecules are not rows of
   consecutive beads. Collective. */
void share_create(struct share *s, const struct ranks *r, const struct system *y);
void share_free(struct share *s);

/* The sum of n over all ranks; *before, unless NULL, receives that over the ranks below this one.
   Collective. */
int64_t share_sum(const struct ranks *r, int64_t n, int64_t *before);

#endif
