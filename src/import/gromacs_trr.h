/* Trajectories of GROMACS in full precision (.trr). Local. */
#ifndef GROMACS_TRR_H
#define GROMACS_TRR_H

#include "import/gromacs_gro.h"

/* Which frame was read, counted from 1. */
struct gromacs_trr_frame {
  int64_t number, step;
  double time; /* ps */
};

/* Reads the last frame with positions whose time is from ... to (ps), of the given number of atoms:
   a configuration without names. The path outlives the result. Mistakes are added to m. */
struct gromacs_gro *gromacs_trr_read(const char *path, int64_t expected, double from, double to,
                                     struct gromacs_trr_frame *frame, struct error_list *m);

#endif
