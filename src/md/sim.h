/* A simulation and its parts. simulation.h creates it, run.h advances it.

   The files of this folder in an order in which each calls only earlier ones;
   tests/source/test_calls.sh checks it. Order: timer stop fingerprint anchors schedule
   csv enforce groups field_map fields hills bias_record centres biases contents constraints teams
   exchange membrane listcheck skin partition snapshot measured observers coupling neighbor
   plumed_library plumed thread_count simulation step energies coordinate_file output performance
   job_log start stage run minimise analyze */
#ifndef SIM_H
#define SIM_H

#include "backend/backend.h"
#include "input/group_reader.h"
#include "input/param.h"
#include "md/timer.h"
#include "model/lipids.h"
#include "model/restraints.h"
#include "model/system.h"
#include "model/thermo.h"
#include "mpi/comm/ranks.h"
#include "mpi/domain/regions.h"
#include "mpi/transport/transport.h"

struct field_watch; /* fields.c */
struct bias_watch;  /* biases.c */
struct hill_log;    /* hills.c */
struct measured;    /* measured.h */
struct sampling;    /* observers.c */
struct plumed;      /* plumed.c */
struct exchange;    /* exchange.c */

/* The structs transport, regions and timers within it have owners of their own. */
struct sim {
  /* Written by md/simulation.c: chosen when the simulation is created. */
  struct ranks *ranks;         /* borrowed */
  const struct params *params; /* borrowed */
  /* Borrowed. Step, time, box and counters are current. The bead arrays are those of the last
     snapshot_collect: the current ones are on the backend. */
  struct system *system;
  struct restraints restraints; /* force field and topology with those that act */
  struct backend *backend;
  double mass;              /* of all beads, amu */
  struct pair_plan plan;    /* passes over pairs, of the types that the system has */
  struct lipids *lipids;    /* which molecules are lipids */
  int64_t n_lipids;         /* of the system */
  unsigned char *lipid_env; /* [n_envs]: 1 for the bonded environments of lipids */
  int bits;                 /* binary places of fixed-point sums: sum_bits() */
  double cutoff;            /* nm; the range that lists and halo cover: pair_range() */
  double list_margin;   /* nm; by how much the smallest cutoff of a list is less than `cutoff` */
  double cluster_reach; /* nm; largest distance of a bead from the lead bead of its cluster when
                           beads were loaded */
  double cluster_bound; /* nm; upper bound of that distance in any conformation; may be infinite */
  double longest_constraint; /* nm; 0 without constraints */
  enum build_checks checks;  /* of list builds */
  struct transport transport;
  struct timers timers;
  struct measured *measured; /* observables of the run file; NULL: none */
  struct sampling *sampling; /* their samples; NULL: none */

  /* Written by md/groups.c. */
  struct named_group *group; /* [n_groups]: groups that the run file names */
  int n_groups;
  struct bead_group frames; /* beads that frames hold, where frames_text is not "" */
  char *frames_text;

  /* Written by md/fields.c. */
  struct external_field *field; /* [n_fields]: external fields of the run file */
  int n_fields;
  struct field_watch *field_watch; /* their work; NULL: none changes in time */

  /* Written by md/biases.c. NULL: the run file has no coordinates. */
  struct biases *biases;
  struct bias_watch *bias_watch; /* their state, as far as the host knows it */

  /* Written by md/hills.c. NULL: no metadynamics. */
  struct hill_log *hills;

  /* Written by md/teams.c. */
  struct heat_bath *bath; /* [n_baths]: of the thermostat; at least one */
  int n_baths;
  struct teams teams;
  struct dof dof;
  int momentum_is_constant; /* 1: the total momentum is conserved */

  /* Written by md/exchange.c. NULL: replicas exchange nothing. */
  struct exchange *exchange;

  /* Written by md/membrane.c. */
  int lipids_are_flat; /* 1: the lipids were a flat bilayer when the job began, or the run file says
                          so: membrane_say */

  /* Written by md/listcheck.c. */
  enum list_expiry list_expiry; /* how expired lists are found */
  int runs_ahead;      /* 1: steps are submitted before it is known whether lists hold (run.c) */
  int64_t state_every; /* steps between states that are complete for the host too (schedule.h) */

  /* Written by md/partition.c. */
  struct regions regions; /* of the ranks */
  int64_t balance_build;  /* number of the build at which domains were last balanced; -1: none */

  /* Written by md/neighbor.c: of the last list build. */
  int64_t builds;      /* list builds of this job */
  double bonded_reach; /* nm; the halo is at least as wide, for partners of bonded terms */
  double extent;       /* nm; largest distance along a cut axis of a bead from the lead bead of its
                          cluster; 0 without clusters */

  /* Written by md/observers.c: of the last step whose sums were reduced. */
  struct thermo thermo;
  int64_t thermo_step; /* that step */

  /* Written by md/plumed.c. */
  struct plumed *plumed; /* NULL: the run is without PLUMED */

  /* Written by md/run.c. */
  int repeats_build; /* 1: the build that begins is not counted: one at the same step has failed */
  int in_flight;  /* 1: submitted steps may be unfinished, and the state on the backend older than
                     clock.step */
  int extras_run; /* enum batch_extra, as bits: what single steps have had; batches may have no
                     more, because their kernels must be loaded */
};

#endif
