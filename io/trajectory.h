/* H5MD 1.1 trajectory in the layout that common readers accept (particle group "trajectory", beads
   in the order of ids), flushed after each frame, with a PSF topology and an .xmf file beside it.
   All functions are collective. */
#ifndef TRAJECTORY_H
#define TRAJECTORY_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

struct trajectory;

/* Opens prefix.h5md, prefix.psf and prefix.xmf. restart_step < 0: creates new files. restart_step
   >= 0: appends to existing ones after removing the frames after that step; creates the trajectory
   if it is missing. Dies with STATUS_IO if it belongs to another system or cannot be read.
   velocities: 1 writes momenta over masses too. */
struct trajectory *trajectory_open(const struct ranks *r, const char *prefix,
                                   const struct system *s, int64_t restart_step, int velocities);
/* 1 if prefix.h5md exists. */
int trajectory_exists(const struct ranks *r, const char *prefix);
/* Appends a frame and flushes it to disk: step, time, box edges, positions (inside the box),
   images, and the elements of trajectory_elements. A step that the file has already
   (the first after a restart) is not written again. */
void trajectory_write(struct trajectory *t, const struct system *s);
void trajectory_close(struct trajectory *t);

/* Writes the PSF topology of the whole system, in extended format. */
void psf_write(const struct ranks *r, const char *path, const struct system *s);

#endif
