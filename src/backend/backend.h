/* What a compute backend must do. A backend holds the beads of one rank: the owned ones, sorted by
   cell then id at every list build, and copies (halo) of those that its neighbours own; forces,
   lists and integration work on them. Kernels run on the host (cpu) or on the rank's GPU (cuda).

   To add one: a file with a struct backend_ops, and a line in the registry of backend.c. The order
   of calls is that of src/md/step.c; tests/test_backend_cuda.c compares two backends operation by
   operation. */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdint.h>

#include "backend/device_channel.h"
#include "backend/domain.h"
#include "dynamics/integrate_params.h"
#include "model/forcefield.h"
#include "model/sums.h"
#include "model/system.h"

/* Halo messages: of a list build, with all that lists and forces need of a bead; of a step, with
   what has changed of the same beads since: positions, and axes of oriented beads. */
enum halo_kind { HALO_STEP, HALO_BUILD };

/* Beads of a halo message, and how many of them have an axis that goes with it. */
struct halo_count {
  int64_t beads, oriented;
};

/* What a build refuses, with status 3, by build positions. */
enum build_checks {
  CHECK_BONDS,  /* two beads on one point; bonds that are too long; partners of a bond or an angle
                   beyond the list radius: the same on any number of ranks */
  CHECK_REACH,  /* two beads on one point; partners beyond the halo */
  CHECK_NOTHING /* lists alone are wanted, and no forces */
};

enum force_flags { FORCE_ENERGY = 1 }; /* energies and virial beside the forces */

enum force_part { FORCE_INTERIOR, FORCE_BOUNDARY, FORCE_ALL };

/* What a backend finds on a machine. */
struct backend_probe {
  int usable;
  char why[256];      /* not */
  int level;          /* highest instruction set of the cpu kernels; ranks take the minimum */
  char devices[1024]; /* those it sees, a line each */
};

struct backend_config {
  int precision; /* enum of param.h */
  int level;     /* instruction set of the cpu kernels: the least of all ranks */
  int device;    /* node-local rank */
  int ranks;     /* of all nodes */
  int64_t n_total;
  double partners; /* expected in the list of a bead, for estimates of memory; 0: not known */
  const struct forcefield *ff;
  const struct topology *topology;
  const char *prefix; /* of the file that the state around an offender goes to; NULL: none */
};

struct audit {
  int64_t missed; /* pairs (each counted from both sides) that the old list left out */
  double force;   /* largest force left out, kJ/mol/nm */
};

/* What memory is held for: a name that stays, and bytes. */
enum { MEMORY_PARTS_MOST = 64 };
struct memory_part {
  const char *name;
  int64_t bytes;
};

/* What a list build needs to know. */
struct build_params {
  double radius;      /* nm; lists hold every pair closer than that */
  double audit_reach; /* nm; < 0: no audit. Else pairs are counted that are inside this reach now,
                         and were beyond old_radius in old_box at the build before */
  double old_radius, old_box[3]; /* nm */
};

/* What accumulate adds up: n 64-bit words of fixed point. */
enum bins_kind { BINS_SUMS };
struct bins {
  enum bins_kind kind;
  int n;
};

struct backend;
struct coupling_params;

/* Of backends on devices that work asynchronously: the calls of a step return before they are done,
   in the order of a queue. The host may submit steps while the device is at earlier ones; once
   lists have expired, kernels of later steps are no-ops (pipeline.h). */
struct async_ops {
  /* After the halo exchange: searches for pairs inside the cutoff that the lists lack, among
     displaced beads and beads that were less than reach (nm) from them when the lists were built.
     If it finds one, the lists have expired at this step. Runs at the same time as forces. */
  void (*search_unlisted)(struct backend *b, double reach);
  /* Where early_notify is set: tells the host, as soon as all ranks know and long before the step
     is over, whether the lists hold in this step. */
  void (*notify_host)(struct backend *b);
  /* Waits until the device has begun the last submitted step, or, with early_notify, until the host
     was told of that step. 1: lists have expired, and later kernels are no-ops. */
  int (*poll_expired)(struct backend *b);
  /* Waits for all submitted work. Returns -1 if the lists held; then out, if not NULL, receives the
     sums. Otherwise returns the first step whose lists had expired: later kernels were no-ops, and
     this step still needs new lists, forces and its second half kick. */
  int64_t (*drain)(struct backend *b, struct sums *out);

  /* Thermostat and barostat on the device. coupling_sums: the sums of the present state, in memory
     of the device, which a transport adds over ranks. couple: from these, the scaling of the next
     step, box and thresholds of the lists; if sums do not fit, later kernels are no-ops as if lists
     had expired. coupling_state: waits, and returns box and work. */
  struct sums *(*coupling_sums)(struct backend *b);
  void (*couple)(struct backend *b, const struct coupling_params *how);
  void (*coupling_state)(struct backend *b, struct coupling_state *now);

  /* Of one rank, or NULL: a batch of steps that begin with m and differ in nothing but their
     number, submitted at once by batch_launch. batch_begin returns 1 where the calls of these steps
     must be made between the two, to be recorded. */
  int (*batch_begin)(struct backend *b, const struct integrate_params *m, int64_t steps);
  void (*batch_launch)(struct backend *b);
};

struct minimise_ops {
  void (*save_positions)(struct backend *b);
  void (*restore_positions)(struct backend *b);
  /* Moves along the force by min(step |f|, limit) nm, turns along the torque likewise. */
  void (*descend)(struct backend *b, double step, double limit);
  double (*largest_force)(struct backend *b, int64_t *id); /* kJ/mol/nm, and whose it is */
};

struct backend_ops {
  const char *name;
  /* Looks for what it needs on this machine. Local answer. */
  void (*probe)(struct backend_probe *out);
  struct backend *(*create)(const struct backend_config *c);
  void (*destroy)(struct backend *b);
  const char *(*describe)(const struct backend *b);

  /* Owned beads from and to host arrays (MIGRATE fields and ids). load replaces all. */
  void (*load)(struct backend *b, int n, const int64_t *id, const struct beads *from);
  void (*store)(struct backend *b, int64_t *id, struct beads *to);
  /* The present box, with what else couplings change; that of the lists. */
  void (*set_box)(struct backend *b, const struct coupling_state *now, const double build_box[3]);

  /* List build, in this order. begin copies positions to build positions unless keep is set (a
     restart builds from those in the state). Everything after works on build positions. */
  void (*build_begin)(struct backend *b, int keep);
  /* Adds the owned beads to the counts of bins along the axis of d in which load is balanced. */
  void (*histogram)(struct backend *b, const struct domain *d, int bins, int64_t *count);
  /* Removes the beads that this rank no longer owns. Returns their records, packed by the rank that
     owns them now, in memory of the backend that is valid until the next call; count[d->n_ranks]:
     how many go to each rank; record: bytes of one. Records are in device memory if there is a
     channel; there, packing and unpacking are in the order of its stream. Between pack_migrants and
     sort come only calls of unpack_migrants. */
  const void *(*pack_migrants)(struct backend *b, const struct domain *d, int64_t *count,
                               int *record);
  void (*unpack_migrants)(struct backend *b, const void *record, int64_t n);
  void (*sort)(struct backend *b, double radius);
  /* Chooses the owned beads that each peer of d needs in its halo; count[d->n_peers]. */
  void (*halo_select)(struct backend *b, const struct domain *d, struct halo_count *count);
  /* Bytes of a halo message of n beads. */
  int64_t (*halo_bytes)(struct backend *b, enum halo_kind kind, struct halo_count n);
  /* The message for peer k of the last halo_select, into and out of a buffer of the transport: in
     device memory if there is a channel. Peers are packed and unpacked in ascending order. n is
     read for HALO_BUILD only: steps bring the beads of the last build. */
  void (*halo_pack)(struct backend *b, enum halo_kind kind, int k, void *buffer);
  void (*halo_unpack)(struct backend *b, enum halo_kind kind, int k, const void *buffer,
                      struct halo_count n);
  /* The rest of a build: cells, neighbour lists, bonded partners, interior and boundary. out: what
     the list before had missed, where p asks for that. */
  void (*build)(struct backend *b, const struct build_params *p, struct audit *out);

  /* A step. */
  void (*integrate_first_half)(struct backend *b, const struct integrate_params *m);
  double (*displacement2)(struct backend *b); /* square of the largest since the build, in its
                                                 box; nm2 */
  void (*force)(struct backend *b, enum force_part part, int want);
  void (*integrate_second_half)(struct backend *b, double dt); /* ps; half a kick */
  /* Adds what this rank holds of the present state to fixed-point bins, host memory, which are
     cleared first. BINS_SUMS: struct sums, the kinetic sums of now with the energies and virial of
     the last force call that wanted them. */
  void (*accumulate)(struct backend *b, const struct bins *what, int64_t *bin);

  /* Forces and torques of owned beads, host arrays [n][3]. */
  void (*forces)(struct backend *b, double *force, double *torque);
  int (*memory)(struct backend *b, struct memory_part *out); /* [MEMORY_PARTS_MOST]; how many */

  const struct async_ops *async;       /* NULL: every call above is done when it returns */
  const struct minimise_ops *minimise; /* NULL: cannot minimise */
};

struct backend {
  const struct backend_ops *ops;
  int n, n_halo;          /* owned, copies */
  int interior, boundary; /* owned beads with and without all partners owned */
  int64_t n_listed;       /* entries of the neighbour lists, padding included */
  int64_t step;           /* of the state that lists are built for */
  int checks;             /* of builds: enum build_checks */
  int early_notify;       /* of every rank, and with async_ops: see notify_host */
  /* NULL: halo and migration buffers are host memory. Else they are device memory; with async_ops,
     its flags are the first step whose lists have expired, by what this rank knows, and the same of
     all ranks, after which kernels are no-ops. 0: none. */
  struct device_channel *channel;
};

/* The sums of the present state on this rank, host memory. */
static inline void backend_sums(struct backend *b, struct sums *out)
{
  const struct bins what = {BINS_SUMS, (int)(sizeof *out / sizeof(int64_t))};
  b->ops->accumulate(b, &what, (int64_t *)out);
}

struct ranks;
/* A line each: which backends this program has, and whether they work here; to stdout. */
void backend_list(void);
/* The backend of that name, or for BACKEND_AUTO the first that works on all ranks; status 2 with
   the reason. Collective. */
const struct backend_ops *backend_choose(int choice, const struct ranks *r);

#endif
