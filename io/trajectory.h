/* Trajectory: H5MD 1.1 in the layout that readers accept (particle group "trajectory", beads in
   the order of ids), flushed per frame, with a PSF topology and an .xmf beside it. Collective. */
#ifndef TRAJECTORY_H
#define TRAJECTORY_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

struct trajectory;

/* prefix.h5md, prefix.psf, prefix.xmf. A new file, or, where restart_step >= 0, an existing one
   with its frames after that step taken off (a missing one is created; one of another system or an
   unreadable one is refused: status 4). velocities: momenta over masses are written as well. */
struct trajectory *trajectory_open(const struct ranks *r, const char *prefix,
                                   const struct system *s, int64_t restart_step, int velocities);
/* Is there a trajectory of this prefix? Collective. */
int trajectory_exists(const struct ranks *r, const char *prefix);
/* Appends a frame of s: step, time, box edges, positions (in the box), images, dipole moments
   (types that have them) or axes, and flushes it to disk. A step that is there already (the first
   after a restart) is not written again. */
void trajectory_write(struct trajectory *t, const struct system *s);
void trajectory_close(struct trajectory *t);

/* Extended PSF of a whole system. */
void psf_write(const struct ranks *r, const char *path, const struct system *s);

#endif
