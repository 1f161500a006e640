/* A simulation: owns every part and the order in which they are made. */
#ifndef SIM_H
#define SIM_H

#include "backend/backend.h"
#include "dynamics/couple.h"
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
  struct system *system;       /* borrowed; its dynamic arrays hold what sim_collect put there */
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
  int settled;              /* the state is that of system->step: no host ran ahead of its device */
};

/* Chooses backend and transport, distributes the beads, builds lists and computes forces of the
   state. A state with lists (a restart) gets the same ones. checks: of list builds. Collective. */
struct sim *sim_create(struct ranks *r, const struct params *p, struct system *s,
                       enum build_checks checks);
void sim_destroy(struct sim *s);
/* Puts the listed dynamic fields (bit k: field k) of all beads into the system's blocks of ids. */
void sim_collect(struct sim *s, unsigned fields);
enum { SIM_ALL_FIELDS = (1 << FIELDS) - 1 };

/* The same in two parts, between which the simulation may go on: the beads of this rank as they
   are, copied to the host, and their way to the blocks. */
struct snapshot {
  unsigned fields;
  int n, room;
  int64_t *id;
  struct beads beads;
};
/* Local. A snapshot that is all zero is empty, and the next one takes its memory over. */
void sim_snapshot(struct sim *s, unsigned fields, struct snapshot *to);
/* Into the blocks of y, collective over r; nothing of the simulation is touched. */
void snapshot_deliver(const struct snapshot *from, const struct ranks *r, struct system *y);
void snapshot_free(struct snapshot *p);
/* Forces and torques of this rank's block of ids, [n][3] each, in memory that the caller frees. */
void sim_forces(struct sim *s, double **force, double **torque);
/* Sums of the present state over all ranks into s->now. The number of parts that were not finite or
   did not fit: then the potential energy is infinite. */
int64_t sim_observe(struct sim *s);
/* The same; status 3 where anything did not fit. */
void sim_observe_finite(struct sim *s);
/* The same from this rank's sums, which are added up. */
void sim_take_finite(struct sim *s, struct sums *sums);
/* Status 3 where parts of the sums of a step did not fit. */
void sim_refuse_overflow(int64_t step, int64_t overflow);

#endif
