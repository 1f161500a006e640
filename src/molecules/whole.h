/* Molecules made whole: by how many box vectors each bead is shifted so that its molecule is
   connected and the first bead is inside the box. A molecule here is what is
   connected (model/connections.h), and its first bead the one with the lowest id. Connections are
   taken by minimum image, along the same tree on any number of ranks; molecules may lie in the
   blocks of several. */
#ifndef WHOLE_H
#define WHOLE_H

#include "model/connections.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

struct whole;

/* Finds the trees. Collective. */
struct whole *whole_open(const struct ranks *r, const struct system *s, enum connected by);
/* Computes the shifts from the present positions. Collective. */
void whole_update(struct whole *w, const struct system *s);
/* The shifts of the beads of the block, [n][3], box vectors: whole = position inside the box +
   shift vectors. Local; until the next update. */
const int32_t (*whole_shift(const struct whole *w))[3];
/* The ids of the first beads of the molecules of the block's beads, [n]. Local. */
const int64_t *whole_first(const struct whole *w);
void whole_close(struct whole *w);

#endif
