/* Copies of a system side by side, and systems that change between one rank and all. Collective. */
#ifndef REPLICATE_H
#define REPLICATE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The whole of a system on rank 0, NULL elsewhere. It has no force field; the system stays. */
struct system *replicate_gather(const struct ranks *r, const struct system *s);
/* count[0] x count[1] x count[2] copies of a whole system (rank 0 has it, others give NULL), spread
   over all ranks in blocks of ids: copy by copy, x fastest. Each has the momenta of the original;
   molecules that cross a face of it are put together again; no list is kept. One copy is the
   original itself. Takes the force field ff, which every rank gives. */
struct system *replicate_whole(const struct ranks *r, const struct system *whole,
                               const int count[3], struct forcefield *ff);

#endif
