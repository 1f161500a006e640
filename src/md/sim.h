/* A simulation and its parts. simulation.h creates it, run.h advances it.

   The files of this folder in an order in which each calls only earlier ones;
   tests/source/test_calls.sh checks it. Order: timer stop fingerprint anchors bead_group schedule
   census heat_baths membrane enforce listcheck box skin partition snapshot measured
   sampling_frame sampling thermo_observer observers coupling neighbor simulation step pipeline
   verify performance energies run_files output disk_use job_log start run minimise analyze
   summary
 */
#ifndef SIM_H
#define SIM_H

#include "backend/backend.h"
#include "input/param.h"
#include "md/timer.h"
#include "model/lipids.h"
#include "model/system.h"
#include "model/thermo.h"
#include "mpi/comm/ranks.h"
#include "mpi/domain/regions.h"
#include "mpi/transport/transport.h"

struct measured; /* measured.h */
struct sampling; /* sampling.h */

/* Transport, regions and timers are written by files of their own. */
struct sim {
  /* Written by md/simulation.c: chosen when the simulation is created. */
  struct ranks *ranks;         /* borrowed */
  const struct params *params; /* borrowed */
  /* Borrowed. Step, time, box and counters are current. The bead arrays are those of the last
     snapshot_collect: the current ones are on the backend. */
  struct system *system;
  struct backend *backend;
  struct dof dof;
  int momentum_is_constant; /* 1: nothing changes the momentum of the system */
  double mass;              /* of all beads, amu */
  struct pair_plan plan;    /* passes over pairs, of the types that the system has */
  struct lipids *lipids;    /* which molecules are lipids */
  int64_t n_lipids;         /* of the system */
  unsigned char *lipid_env; /* [n_envs]: 1 for the bonded environments of lipids */
  int bits;                 /* binary places of fixed-point sums: sum_bits() */
  double cutoff;            /* nm; the range that lists and halo cover: pair_range() */
  double list_margin; /* nm; by how much the smallest cutoff of a list is less than `cutoff` */
  int smooth;         /* 1 if every pair term vanishes at the cutoff */
  struct external_field *field; /* [n_fields]: external fields of the run file */
  int n_fields;
  double cluster_reach; /* nm; how far a bead of a cluster was from the lead bead when beads were
                           loaded, in any direction, at most */
  double cluster_bound; /* nm; how far one can ever be; infinite where constraints allow it */
  double longest_constraint; /* nm; 0 without constraints */
  struct transport transport;
  struct timers timers;
  struct measured *measured; /* observables of the run file; NULL: none */
  struct sampling *sampling; /* their samples; NULL: none */

  /* Written by md/heat_baths.c. */
  struct heat_bath *bath; /* [n_baths]: of the thermostat; at least one */
  int n_baths;

  /* Written by md/membrane.c. */
  int lipids_are_flat; /* a bilayer when the job began, or by the run file: membrane_say */

  /* Written by md/listcheck.c. */
  enum list_expiry list_expiry; /* how expired lists are found */
  int runs_ahead; /* 1: steps are submitted before it is known whether lists hold (pipeline.h) */

  /* Written by md/partition.c. */
  struct regions regions; /* of the ranks */
  int64_t balance_build;  /* number of the build at which domains were last balanced; -1: none */

  /* Written by md/neighbor.c: of the last list build. */
  int64_t builds;      /* list builds of this job */
  double bonded_reach; /* nm; the halo is at least as wide, for partners of bonded terms */
  double extent;       /* nm; how far beads of clusters were from the lead bead along an axis that
                          is cut, at most; 0 without clusters */

  /* Written by md/thermo_observer.c: of the last step whose sums were reduced. */
  struct thermo thermo;
  int64_t thermo_step; /* that step */

  /* Written by md/pipeline.c. */
  int in_flight;  /* 1 if submitted steps may be unfinished: the state on the backend need not be
                     that of the system's step */
  int extras_run; /* bits of what single steps have had, so that batches may */
};

#endif
