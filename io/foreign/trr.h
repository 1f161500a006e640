/* Trajectories of GROMACS in full precision (.trr). Local. */
#ifndef TRR_H
#define TRR_H

#include "base/box.h"
#include "io/foreign/gro.h"

/* The frame that is read; it is counted from 1. */
struct gromacs_trr_frame {
  int64_t number, step;
  double time, box[BOX]; /* ps, nm */
  int has_velocities;
};

/* A frame whose atoms are read some at a time. */
struct gromacs_trr_file;

/* Finds the last frame with positions whose time is from ... to (ps), of the given number of atoms.
   path and m outlive the result, and mistakes are added to m. */
struct gromacs_trr_file *gromacs_trr_open(const char *path, int64_t expected, double from,
                                          double to, struct gromacs_trr_frame *frame,
                                          struct error_list *m);
/* Reads the next n atoms, which have no names; none after mistakes. */
void gromacs_trr_next(struct gromacs_trr_file *f, struct gromacs_gro_atom *atom, int64_t n);
void gromacs_trr_close(struct gromacs_trr_file *f);

#endif
