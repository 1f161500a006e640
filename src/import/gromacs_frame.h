/* A state of a frame of GROMACS (.gro, .trr): force field, topology and orientations of another
   state, positions, momenta and box of the frame. */
#ifndef GROMACS_FRAME_H
#define GROMACS_FRAME_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The state; `path` is read as a .gro file, or (is_trr) the last frame from ... to (ps) of a .trr
   file. Mistakes end the program with STATUS_INPUT. Collective. */
struct system *gromacs_frame_system(struct ranks *r, const char *path, int is_trr, double from,
                                    double to, const char *state);

#endif
