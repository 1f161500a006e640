/* What a compute backend must do. A backend holds the beads of one rank: the owned ones, sorted by
   cell then id at every list build, and copies (halo) of those that its neighbours own; forces,
   lists and integration work on them. Kernels run on the host (cpu) or on the rank's GPU (cuda).

   To add one: a file with a struct backend_ops, and a line in the registry of backend.c. The order
   of calls is the schedule in step.c; test_backend compares any two backends op by op. */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdint.h>

#include "dynamics/integrate_params.h"
#include "model/forcefield.h"
#include "model/sums.h"
#include "model/system.h"

enum { PEERS = 2 }; /* ranks that share a face; one when there are two ranks, none for one */

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

struct backend;
struct coupling_params;

struct backend_ops {
  const char *name;
  /* 1 if it can work here; else 0 and why. Local answer. */
  int (*usable)(char *why, int size);
  void (*devices)(void); /* prints those it sees, a line each; NULL: none of its own */
  int (*level)(void);    /* highest instruction set; ranks take the minimum */
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
  void (*histogram)(struct backend *b, int axis, int bins, int64_t *count);
  /* Takes out the beads outside the slab of rank: packed records for each rank, in their order; in
     the memory that halo buffers are in, as those of append. Then only append and sort follow. On a
     device all this is in the order of stream, and append and sort follow what is there. */
  const void *(*pack_migrants)(struct backend *b, int axis, int size, const uint64_t *bound,
                               int rank, int64_t *count, int *record);
  void (*unpack_migrants)(struct backend *b, const void *record, int64_t n);
  void (*sort)(struct backend *b, double radius);
  /* Chooses the owned beads within width of the slab [bound[r], bound[r + 1]) of each peer r. */
  void (*halo_select)(struct backend *b, int axis, const uint64_t *bound, int peers,
                      const int *peer, uint64_t width, struct halo_count *count);
  int (*halo_record)(struct backend *b); /* bytes of a record at a build */
  void (*halo_pack_build)(struct backend *b, int k, void *buffer);
  /* Peer after peer. */
  void (*halo_unpack_build)(struct backend *b, int k, const void *buffer, struct halo_count n);
  /* The rest of a build: cells, neighbour lists of this radius, bonded partners, interior and
     boundary. reach < 0: no audit; else counts pairs inside reach now (the cutoff) that were beyond
     old_radius in old_box at the build before. */
  void (*build)(struct backend *b, double radius, double reach, double old_radius,
                const double old_box[3]);
  void (*audit)(struct backend *b, struct audit *out);

  /* Thermostat and barostat on the device, from the sums of now. couple_begin: these, in memory of
     the device, for a transport to add over ranks. couple: what they lead to, for the next move;
     where they do not fit, what follows does nothing, as if lists had ended. coupled: waits, and
     tells what has become of the box. NULL: the host does it, and moves bring the factors. */
  struct sums *(*couple_begin)(struct backend *b);
  void (*couple)(struct backend *b, const struct coupling_params *how);
  void (*coupled)(struct backend *b, struct coupling_state *now);

  /* A step. */
  void (*kick_drift)(struct backend *b, const struct integrate_params *m);
  double (*displacement2)(struct backend *b); /* square of the largest since the build, in its
                                                 box; nm2 */
  /* After the halo: looks for pairs inside the cutoff that lists lack, of beads that were less than
     reach (nm) apart when the lists were built; where there is one, the lists end as by a move.
     Goes on beside the forces. NULL: lists end by displacements alone; else there are settle and
     couple too. */
  void (*watch)(struct backend *b, double reach);
  /* NULL: every call above is done when it returns. Else steps may be begun while the device is at
     earlier ones, and what follows a move that ends the lists does nothing. Waits; the step that
     this move began with plus one, whose forces and second kick are missing, or -1, and then the
     sums of now where out is not NULL. */
  int64_t (*settle)(struct backend *b, struct sums *out);
  /* Where prompt is set: once the step is known to all to end the lists or not, and long before it
     is over, the host is told. */
  void (*tell)(struct backend *b);
  /* With settle: waits until the device has come to the last move; 1 where that does nothing. Or,
     where prompt is set: until the host is told of that step; 1 where the lists have ended. */
  int (*ended)(struct backend *b);
  /* With settle, of one rank, or NULL: so many steps that begin with this move and differ in
     nothing but their number are begun at once by replay. 1 where their calls must be made between
     the two, to be learned. */
  int (*record)(struct backend *b, const struct integrate_params *m, int64_t steps);
  void (*replay)(struct backend *b);
  int64_t (*halo_bytes)(struct backend *b, struct halo_count n); /* of a message of a step */
  void (*halo_pack)(struct backend *b, int k, void *buffer);
  void (*halo_unpack)(struct backend *b, int k, const void *buffer);
  void (*force)(struct backend *b, enum force_part part, int want);
  void (*kick)(struct backend *b, double dt);
  /* Kinetic sums of now, with the energies and virial of the last force call that wanted them. */
  void (*sums)(struct backend *b, struct sums *out);

  /* Minimiser. */
  void (*save_positions)(struct backend *b);
  void (*restore_positions)(struct backend *b);
  /* Moves along the force by min(step |f|, limit) nm, turns along the torque likewise. */
  void (*descend)(struct backend *b, double step, double limit);
  double (*largest_force)(struct backend *b, int64_t *id);
  /* Forces and torques of owned beads, host arrays [n][3]. */
  void (*forces)(struct backend *b, double *force, double *torque);
  int (*memory)(struct backend *b, struct memory_part *out); /* [MEMORY_PARTS_MOST]; how many */
};

struct backend {
  const struct backend_ops *ops;
  int n, n_halo;          /* owned, copies */
  int interior, boundary; /* owned beads with and without all partners owned */
  int64_t n_listed;       /* entries of the neighbour lists, padding included */
  int64_t step;           /* of the state that lists are built for */
  int checks;             /* of builds: enum build_checks */
  /* On a device, or NULL: called with of after each wait for it, before anything that came of a
     message is taken for right or wrong. */
  void (*waited)(void *of);
  void *of;
  int prompt;        /* of every rank, and with settle; see tell */
  int64_t on_device; /* 1: halo buffers are device memory */
  void *stream;      /* then: the queue that packs and unpacks them */
  /* And, if it has settle, words of that memory: the step plus one whose move ended the lists, by
     what this rank knows; the same, agreed among ranks, from which on nothing is done. 0: none. */
  uint64_t *ended, *stopped;
};

struct ranks;
/* A line each: which backends this program has, and whether they work here; to stdout. */
void backend_list(void);
/* The backend of that name, or for BACKEND_AUTO the first that works on all ranks; status 2 with
   the reason. Collective. */
const struct backend_ops *backend_choose(int choice, const struct ranks *r);

#endif
