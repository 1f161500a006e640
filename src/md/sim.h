/* A simulation: owns every part. simulation.h makes it, step.h moves it on. */
#ifndef SIM_H
#define SIM_H

#include "backend/backend.h"
#include "input/param.h"
#include "md/timer.h"
#include "model/observe.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"
#include "mpi/domain/slab.h"
#include "mpi/transport/transport.h"

struct sim {
  struct ranks *ranks;         /* borrowed */
  const struct params *params; /* borrowed */
  struct system *system; /* borrowed; its dynamic arrays hold what snapshot_collect put there */
  struct backend *backend;
  struct transport transport;
  struct slab slab;
  struct timers timers;

  struct dof dof;
  double mass;            /* of all beads, amu */
  int64_t lipids;         /* molecules of more than one bead */
  int bits;               /* of fixed-point sums */
  int smooth;             /* every pair term vanishes at the cutoff */
  struct observables now; /* of the last step whose sums were taken */
  int64_t observed;       /* that step */

  int64_t builds, balanced; /* list builds; the build at which bounds were last moved */
  int drained; /* the state on the backend is that of system->step: no submitted step is open */
};

#endif
