/* The interface of a compute backend. A backend holds the beads of one rank: the owned beads,
   sorted by cell and then id at every list build, and a halo of copies of beads that other ranks
   own. It computes lists, forces and motion, on the host (cpu) or on the GPU of the rank (cuda).

   To add one: a file with a struct backend_ops, and a line in the list of backend.c. src/md/step.c
   shows the order of calls; tests/gpu/test_backend_cuda.c compares two backends operation by
   operation.

   Unless a comment says otherwise, an operation is local to the rank, complete when it returns, and
   takes and returns host memory. On a backend with async_ops, integrate_first_half, force,
   integrate_second_half, halo_pack and halo_unpack enqueue work in streams and return at once. */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdint.h>

#include "backend/device_lines.h"
#include "backend/domain.h"
#include "backend/profile.h"
#include "base/box.h"
#include "dynamics/integrate_params.h"
#include "model/bias.h"
#include "model/external.h"
#include "model/forcefield.h"
#include "model/sums.h"
#include "model/system.h"
#include "pair/pair_pass.h"

/* Halo messages. HALO_BUILD, at a list build: everything that lists and forces need of a bead.
   HALO_STEP: positions, and axes of oriented beads, of the beads of the last build. */
enum halo_message { HALO_STEP, HALO_BUILD };

/* Number of beads in a halo message, and of those whose axis is sent too. */
struct halo_count {
  int64_t beads, oriented;
};

/* What a list build verifies, by build positions; status 3 if it is not so. */
enum build_checks {
  CHECK_BONDS, /* no two beads at one point; no bonded term too long. The result does not depend on
                  the number of ranks */
  CHECK_REACH, /* no two beads at one point; partners of bonded terms owned or in the halo */
  CHECK_PARTNERS, /* the latter alone: for the minimiser */
  CHECK_NOTHING   /* nothing: for lists without forces */
};

/* What force computes in addition to forces and torques: at least the diagonal of the virial, or
   energies and virial, which include it. */
enum force_flags { FORCE_VIRIAL = 1, FORCE_ENERGY = 3 };

/* Of which owned beads: those whose partners are all owned, the others, or all. */
enum force_beads { FORCE_INTERIOR, FORCE_BOUNDARY, FORCE_ALL };

/* What a backend needs and finds on a machine. */
struct backend_probe {
  int usable;
  char why[256];      /* the reason if it is not usable */
  int level;          /* highest instruction set of the cpu kernels here */
  int list_devices;   /* in: fill in devices */
  char devices[4096]; /* visible devices, a line each */
};

/* What a backend is created for. Written by md/simulation.c, cpu/backend_cpu.c and cuda/backend.c.
 */
struct backend_config {
  int precision; /* PRECISION_... of param.h */
  int level;     /* instruction set of the cpu kernels: the minimum over ranks */
  int device;    /* node-local rank: which GPU to use */
  int threads;   /* of this rank, for loops on the CPU; 0: one */
  int ranks;     /* number of all ranks */
  int64_t n_total;
  double partners; /* expected entries in the list of a bead, to estimate memory; 0: unknown */
  const struct forcefield *ff;
  const struct pair_plan *plan; /* of the force field and the types that the system has; borrowed */
  const struct topology *topology;
  /* [topology->n_envs]: 1 for the bonded environments of lipids, as pressure profiles tell pairs
     apart; NULL: all are. Borrowed. */
  const unsigned char *lipid;
  int n_fields;                       /* at most EXTERNAL_FIELDS_MOST */
  const struct external_field *field; /* [n_fields], with the ranges of their groups */
  const struct biases *biases;        /* coordinates and biases; borrowed; NULL: none */
  const struct teams *teams;          /* with the ranges of their groups; borrowed; NULL: one */
  const char *prefix;                 /* of PREFIX.offender.csv (offender.h); NULL: no file */
};

/* A use of memory: a static string, and bytes. */
enum { MEMORY_USES_MOST = 64 };
struct memory_use {
  const char *name;
  int64_t bytes;
};

/* Parameters of a list build. */
struct build_params {
  double radius; /* nm; lists contain every pair closer than this */
  /* nm; partners of bonded terms that are further apart are a broken molecule (status 3), unless
     the length of the term at rest sets a smaller limit: offender_term_length. */
  double term_length;
  /* 1: a partner that is neither owned nor in the halo sets b->lost, and the caller makes the halo
     wider and builds again. 0: status 3. */
  int may_widen;
};

/* What accumulate adds up over the owned beads of the present state: n 64-bit words, counts or
   fixed point, the same for any number of ranks once they are added over ranks. */
enum tally_quantity {
  /* struct sums: the kinetic sums of the present state, and energies and virial of the last force
     call with FORCE_ENERGY, which may be one of an earlier step; after one with FORCE_VIRIAL the
     diagonal of the virial of that, and energies and other elements that mean nothing */
  TALLY_SUMS,
  /* 2 words, sums of weight cos(a) and weight sin(a), a = 2 pi z / box edge, each in units of
     2^-sum_bits(n_total) */
  TALLY_CENTRE,
  TALLY_PROFILE, /* profile_words(profile, types) words: counts and dipole axes by bin */
  /* stress_words(bins) words, from which observe/stress_profile.h makes pressure profiles. Walks
     the neighbour lists, and so needs lists and halo of the present positions, as they are after
     the force calls of a step; no force call has to compute anything for it */
  TALLY_STRESS
};
struct tally {
  enum tally_quantity quantity;
  int n;
  const struct profile *profile; /* NULL for TALLY_SUMS */
};

struct backend;
struct coupling_params;

/* Steps that follow on each other and differ in their number only, apart from a coupling before the
   first and energies of the last. */
struct step_batch {
  int64_t steps;
  const struct coupling_params *coupling; /* before the first step; NULL: none is due */
  int flags;                              /* enum force_flags of the last step; of the others 0 */
};

/* Operations of backends that work asynchronously: the calls of a step enqueue work and return. The
   host may submit steps while the device computes earlier ones. Once lists have expired, the
   kernels of later steps are no-ops until drain is called (md/run.c). */
struct async_ops {
  void (*bins_wait)(struct backend *b); /* backend_bins_wait */
  /* Enqueues, after the first half of a step, the copy that gather then waits for. */
  void (*gather_begin)(struct backend *b, int n, const int64_t *id);
  /* Enqueues, after the halo exchange, a search for unlisted pairs inside the cutoff: pairs of a
     displaced bead and a bead that was closer than reach (nm) to it when the lists were built. If
     it finds one, the lists expire at this step. Runs concurrently with the forces. then: written
     when the search has ended; NULL: nothing is. */
  void (*search_unlisted)(struct backend *b, double reach, const struct device_signal *then);
  /* Called after the reduction over ranks whether lists have expired has been enqueued, with one
     rank after the search: the next step waits for the result. With early_notify of struct backend
     it enqueues a notification of the host whether the lists hold at this step, which arrives long
     before the step is complete. */
  void (*lists_agreed)(struct backend *b);
  /* Waits until the device has begun the last submitted step, or, with early_notify, until the
     notification of that step has arrived. Returns 1 if lists have expired at this or an earlier
     step. */
  int (*poll_expired)(struct backend *b);
  /* Waits for all submitted work. Returns -1 if the lists held; then out, if not NULL, receives the
     sums of this rank. Otherwise returns the first step whose lists had expired: later kernels were
     no-ops, and this step still needs new lists, forces and its second half kick. Status 5 if a
     halo message was lost. */
  int64_t (*drain)(struct backend *b, struct sums *out);
  /* As drain if lists are known to have expired, but does not wait: coupling_state then does not
     either, and the build that the caller begins is checked on the device. If it fails, later
     kernels are no-ops as if these lists had expired too. -1: only drain will do. */
  int64_t (*resume)(struct backend *b);

  /* Thermostat and barostat on the device. coupling_sums enqueues the sums of the present state and
     returns their address in device memory; the transport then reduces them over ranks. couple
     enqueues the computation of the next step's scaling, of the box and of the thresholds of the
     lists from these sums; if they overflow, later kernels are no-ops as if lists had expired.
     coupling_state waits and returns the result. */
  struct sums *(*coupling_sums)(struct backend *b);
  void (*couple)(struct backend *b, const struct coupling_params *how);
  void (*coupling_state)(struct backend *b, struct coupling_state *now);

  /* A batch of steps, submitted at once by batch_launch. m: the parameters of the first. If
     batch_begin returns 1, the caller makes the calls of the batch before batch_launch; they are
     captured, not run. If it returns 0, the capture of an earlier batch of the same kind is used.
     On one rank only; may be NULL. */
  int (*batch_begin)(struct backend *b, const struct integrate_params *m,
                     const struct step_batch *batch);
  void (*batch_launch)(struct backend *b);
};

/* Operations of backends that can minimise energies. */
struct minimise_ops {
  /* A copy of positions and orientations of owned beads, and back. Restoring needs a halo exchange
     afterwards. */
  void (*save_positions)(struct backend *b);
  void (*restore_positions)(struct backend *b);
  /* Moves owned beads along their force by min(step |f|, limit) nm, and turns them about their
     torque likewise; beads whose force is not finite along the direction that body_part gives them.
     step: nm^2 mol/kJ. */
  void (*descend)(struct backend *b, double step, double limit);
  /* The largest force on an owned bead (kJ/mol/nm; infinite if one is not finite) that no
     constraint takes up, and of the beads that feel it the one with the smallest id. Waits. */
  double (*largest_force)(struct backend *b, int64_t *id);
};

/* Coordinates and biases on them (model/bias.h). Where the configuration has some, force adds their
   forces, and with flags their energy and virial, of the state that solve has set last. */
struct bias_ops {
  /* Enqueues sums over the owned beads of the present positions, which are those of a step: of the
     groups and places of slots, bias_place_words, or then, where coordinates have some, the
     moments, bias_moment_words. Returns them: host memory, or device memory with async_ops; the
     transport then adds them up over ranks. solve enqueues what follows: values, forces on the
     groups, and the hill that is due, which each solve adds again: a step is solved once. Where no
     hill is due, as in minimisations, all may be called again. */
  int64_t *(*sum)(struct backend *b, int64_t step);
  int64_t *(*sum_moments)(struct backend *b, int64_t step);
  void (*solve)(struct backend *b, int64_t step);
  /* With constraints. hold: after the drift of the step that m describes, and sum of its end:
     enqueues the corrections of the constraints, and moves the beads. sum_motion: after the second
     half kick: as sum, MOTION_WORDS of each group. settle enqueues what follows: the forces of the
     constraints, and, if moves is 1, the change of the momenta. */
  void (*hold)(struct backend *b, const struct integrate_params *m);
  int64_t *(*sum_motion)(struct backend *b, int64_t step);
  void (*settle)(struct backend *b, int64_t step, int moves);
  /* The state that the next solve continues, the parameters of biases, which replicas exchange, and
     the nodes of the grid of hills with the hills of that state (struct hill_store); NULL: there is
     no grid. */
  void (*load)(struct backend *b, const struct bias_state *before, const double *node);
  /* Copies the state of a step, the last that was solved, and the rows of every
     set->rows_every-th step from `first` to that step to row. Waits. */
  void (*fetch)(struct backend *b, int64_t step, struct bias_state *now, int64_t first,
                double *row);
  /* Copies n hills from number `first`, which are among the last HILLS_RECENT. Waits. */
  void (*fetch_hills)(struct backend *b, int64_t first, int64_t n, struct hill *to);
};

struct backend_ops {
  const char *name;
  /* Finds out whether the backend works on this machine. The caller has set out to zero. */
  void (*probe)(struct backend_probe *out);
  struct backend *(*create)(const struct backend_config *c);
  void (*destroy)(struct backend *b);
  /* Names backend, kernels and device: states with the same text continue with the same bits. Valid
     until destroy. */
  const char *(*describe)(const struct backend *b);

  /* Copies owned beads (MIGRATE fields of model/bead_fields.h, and ids) from and to host arrays.
     Clusters (model/cluster.h) must be whole: all of their beads on one rank. load replaces all
     beads. store waits for the device, and skips arrays that are NULL. */
  void (*load)(struct backend *b, int n, const int64_t *id, const struct beads *from);
  void (*store)(struct backend *b, int64_t *id, struct beads *to);
  /* now: the present box and the other results of couplings. build_box: of the list build, nm. */
  void (*set_box)(struct backend *b, const struct coupling_state *now, const double build_box[BOX]);

  /* List build, in this order. build_begin copies positions to build positions, unless keep is set
     (a restart uses the build positions of the state). The other calls work on build positions. */
  void (*build_begin)(struct backend *b, int keep);
  /* How far a bead of a cluster is from the lead bead of it along an axis, at most, in units of
     2^-32 of the box edge. Waits for the device. */
  int64_t (*extent)(struct backend *b, int axis);
  /* Adds the number of owned beads in each bin of domain_bin along the axis of a cut to
     count[bins]. */
  void (*histogram)(struct backend *b, const struct domain *d, int cut, int bins, int64_t *count);
  /* pack_migrants removes the beads that this rank no longer owns; the rank that owns the lead
     bead of a cluster owns all of it. Returns their packed records, in the order of the ranks that
     own them now, in memory that is valid until the next call. count[d->n_ranks]: how many go to
     each rank; *record: bytes of a record. unpack_migrants adds n records of this format to the
     owned beads. If there is a channel, records are in device memory, and packing and unpacking are
     enqueued in its stream. Between pack_migrants and sort only unpack_migrants may be called.
     count and record are valid on return. */
  const void *(*pack_migrants)(struct backend *b, const struct domain *d, int64_t *count,
                               int *record);
  void (*unpack_migrants)(struct backend *b, const void *record, int64_t n);
  /* Sorts the owned beads by cell and id, for lists of this radius (nm), and clears the halo. */
  void (*sort)(struct backend *b, double radius);
  /* Selects the owned beads that each peer of d needs in its halo; count[d->n_peers]. */
  void (*halo_select)(struct backend *b, const struct domain *d, struct halo_count *count);
  /* Bytes of a halo message with n beads. */
  int64_t (*halo_bytes)(struct backend *b, enum halo_message message, struct halo_count n);
  /* Pack the messages for all peers of the last halo_select into buffers of the transport, and
     unpack those from them. Buffers are device memory if there is a channel; the work is then
     enqueued in its stream: then is written when all is packed, and what until describes is waited
     for before anything is unpacked. n[peers]: beads in the messages, read for HALO_BUILD only. */
  void (*halo_pack)(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                    const struct device_signal *then);
  void (*halo_unpack)(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                      const struct halo_count *n, const struct device_wait *until);
  /* The rest of a build: cells, neighbour lists, partners of bonded terms, interior and boundary.
     Waits for the device. Status 3 if b->checks find a broken state. */
  void (*build)(struct backend *b, const struct build_params *p);
  /* After build: the number of listed pairs that were closer than `built` at the build, and are now
     at least `now` apart (nm), each counted by both of its beads. Both lengths are those of the
     list with the largest cutoff; for other lists `built` is smaller in the ratio of the cutoffs,
     and `now` by their difference. Waits for the device. */
  int64_t (*count_apart)(struct backend *b, double built, double now);

  /* A step: see struct integrate_params. Status 3 if a bead moves too far; an
     asynchronous backend reports that when the host next waits. Clusters keep the lengths of their
     constraints, and sites their places; after the second half no momentum changes a length. */
  void (*integrate_first_half)(struct backend *b, const struct integrate_params *m);
  /* Sets the squares of the two largest displacements of owned beads since the build, measured in
     the box of the build, nm2; 0 for beads that are not there. largest[0] >= largest[1]; a backend
     with async_ops sets both to the largest. Waits for the device. */
  void (*displacement2)(struct backend *b, double largest[2]);
  /* After the halo exchange: 1 if an owned bead whose displacement (squared, nm2) is more than
     above2 is now inside the cutoff of a bead that the lists lack, and that was closer than reach
     (nm) to it at the build. above2 < 0: of all beads. NULL: with async_ops, see there. */
  int (*find_unlisted)(struct backend *b, double above2, double reach);
  /* Forces and torques of the interior, of the boundary or of all owned beads. flags: enum
     force_flags; sums are cleared by FORCE_INTERIOR and FORCE_ALL, and FORCE_BOUNDARY adds to them.
     Forces on virtual sites go to their parents in the call for the boundary or for all. */
  void (*force)(struct backend *b, enum force_beads beads, int flags);
  void (*integrate_second_half)(struct backend *b, double dt); /* half kick; dt: of the step, ps */
  /* Sets bin[what->n] (host memory) to the sums that enum tally_quantity describes. With async_ops,
     bin is complete after backend_bins_wait, TALLY_SUMS at once; what->profile is read before it
     returns. */
  void (*accumulate)(struct backend *b, const struct tally *what, int64_t *bin);

  /* Positions of beads by their ids, after the first half of a step: sets position[n][3], in units
     of 2^-32 of the box vectors, of those that this rank owns, 0 for the others, and box (nm).
     Waits. With async_ops of the last gather_begin; returns 0 if lists had expired before this
     step, whose positions then mean nothing; else 1. */
  int (*gather)(struct backend *b, int n, const int64_t *id, uint32_t *position, double box[BOX]);
  /* After the forces of all beads: adds applied forces to those of owned beads, on virtual sites to
     those of their parents. flags: of the force call; with any, and where sums is 1, adds their
     energy and virial to the sums. */
  void (*apply)(struct backend *b, const struct applied_forces *a, int flags, int sums);

  /* The work that external fields which change in time have done on the owned beads of this rank
     since it was created, up to a step, whose forces are complete; and half of that of the step
     before the first forces. In units of WORK_WORDS. Waits. */
  void (*external_work)(struct backend *b, int64_t step, int64_t word[WORK_WORDS]);
  /* Copies forces (kJ/mol/nm) and torques (kJ/mol) of owned beads to host arrays [n][3]. Waits. */
  void (*forces)(struct backend *b, double *force, double *torque);
  /* Sets out[MEMORY_USES_MOST] to the uses of memory, and returns their number. */
  int (*memory)(struct backend *b, struct memory_use *out);

  const struct async_ops *async;       /* NULL: the backend is synchronous */
  const struct minimise_ops *minimise; /* NULL: the backend cannot minimise */
  const struct bias_ops *bias;
};

struct backend {
  const struct backend_ops *ops;
  int n, n_halo;          /* owned beads, and beads in the halo */
  int interior, boundary; /* owned beads all of whose partners are owned, and the others */
  int64_t n_listed;       /* entries of the neighbour lists, padding included */
  int threads;            /* that share the loops of this rank on the CPU; 0 on GPUs */
  int lost;               /* 1 if the last build lacked a partner: see build_params.may_widen */
  int early_notify; /* 1: lists_agreed notifies the host; the same on all ranks. Needs async_ops */
  /* NULL: buffers of halo messages and migrants are host memory. Else they are device memory. With
     async_ops, flag_local is the first step at which this rank found its lists expired, and
     flag_global that of all ranks (0: none; without a reduction on the device that of this rank);
     while flag_global is set, kernels are no-ops. */
  struct device_channel *channel;
  /* Written by md/neighbor.c: of list builds. */
  int64_t step;       /* of the state that lists are built for; for messages */
  struct clock clock; /* of that state, and its time step, ps: the times of later states */
  double dt;
  enum build_checks checks;
};

/* Waits until the bins of all calls of accumulate are complete. */
static inline void backend_bins_wait(struct backend *b)
{
  if (b->ops->async) b->ops->async->bins_wait(b);
}

/* The sums of the present state on this rank, host memory. */
static inline void backend_sums(struct backend *b, struct sums *out)
{
  const struct tally what = {TALLY_SUMS, (int)(sizeof *out / sizeof(int64_t)), NULL};
  b->ops->accumulate(b, &what, (int64_t *)out);
}

struct ranks;
/* Prints the backends of this program and whether they work here, a line each, to stdout. Local. */
void backend_list(void);
/* 1 if a run with this choice takes GPUs where there are some. Local. */
int backend_wants_gpu(int choice);
/* The chosen backend (BACKEND_... of param.h), or for BACKEND_AUTO the first that works on all
   ranks. Status 2 with the reason if it does not work on all ranks. Collective. */
const struct backend_ops *backend_choose(int choice, const struct ranks *r);

#endif
