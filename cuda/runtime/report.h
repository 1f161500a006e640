/* What kernels tell the host: a report in device memory, which the host copies where it waits, and
   progress in pinned memory, which it polls. The report holds the box too: kernels read it there.
 */
#ifndef REPORT_CUDA_H
#define REPORT_CUDA_H

#include "backend/offender.h"
#include "cuda/runtime/beads.h"
#include "dynamics/integrate_params.h"

BEGIN_C

/* Groups of beads in the work order of a list: interior and boundary beads, each by interaction
   class, and within it by list class. Beads without a list of this pass are the last group of the
   interior and the last one of the boundary. GROUPS_MOST: the number with the most list classes. */
enum { GROUPS_MOST = 2 * (CLASSES * PAIR_CLASSES_MOST + 1) };
static_assert(GROUPS_MOST <= 256, "the number of a group is a byte");

/* Clusters (model/cluster.h) by their size. A warp works on several small ones, or on a large one,
   a block on one with sparse equations. Of these each size has up to twice the beads of the one
   before, so that no more than half of its memory is idle. */
enum cluster_size {
  CLUSTERS_SMALL,
  CLUSTERS_LARGE,
  CLUSTERS_SPARSE,
  CLUSTERS_SIZES = CLUSTERS_SPARSE + 4
};

/* An error found by a kernel: the bead and values for the message. Set by the first thread that
   finds one. */
struct cuda_fault {
  int found, pad;
  int64_t bead, other, step;
  double value[4];
};

/* The present box with the other results of couplings, and the box of the list build, nm. If the
   box changes, kernels read both from here, so that launches do not change from build to build and
   CUDA graphs can be used again. */
struct cuda_box {
  struct coupling_state now;
  double build[3];
};

/* Results of kernels for the host, in device memory; cuda_report_read copies it. Squared lengths
   and forces are stored as the bits of a double that is not negative: their order as integers is
   that of the numbers. */
struct cuda_report {
  /* The first step whose lists have expired (0: none): expired_local as found by this rank,
     expired_agreed as reduced over ranks. While expired_agreed is set, kernels are no-ops; the host
     resets both when it drains. */
  uint64_t expired_local, expired_agreed;
  int64_t begun[2]; /* the step that the next first half begins, by its parity */
  unsigned long long displacement2_bits[2]; /* the largest since the build, by parity of the step */
  unsigned displaced[2];                    /* number of beads beyond search_above2, by parity */
  unsigned ended[2]; /* [0]: blocks that have ended (block_is_last), 0 between two kernels */
  struct cuda_box box;
  struct cuda_fault blown;
  struct cuda_fault rigid;         /* beads of a constraint that cannot be solved */
  struct cuda_fault broken, point; /* this and the rest: of a build */
  int group_end[PAIR_PASSES_MOST]
               [GROUPS_MOST];      /* ends of the groups of each work order, in beads */
  int most_rows[PAIR_PASSES_MOST]; /* of a bead */
  int bonded;
  int clusters[CLUSTERS_SIZES];
  /* By peer: beads selected for its halo, the oriented ones of these, and axes packed so far. */
  int sent[PEERS_MOST], oriented[PEERS_MOST], axes[PEERS_MOST];
  int64_t listed, missed;
  unsigned long long missed_force;
};

/* The progress of the device, written by kernels into pinned host memory and polled by the host. */
struct cuda_progress {
  uint64_t begun_step;     /* the last step that the device has begun */
  uint64_t valid_step;     /* with early_notify: the last step whose lists are known to hold */
  uint64_t expired_agreed; /* as in the report: not 0 if lists have expired */
};

/* Written by runtime/report.c; the device's report by kernels. */
struct gpu_reports {
  struct cuda_report *device, *host; /* host: pinned */
  struct cuda_progress *progress;    /* pinned */
  int outdated;                      /* 1: the device has a newer coupling state than host */
  double build_box[3];               /* nm; of the last build or of the one that begins */
};

void cuda_report_open(struct gpu *c);
/* Waits for both streams and copies the report to the host. Status 3 if a bead has moved too far,
   status 5 if a halo message was lost. */
void cuda_report_read(struct gpu *c);
/* Clears what a build reports. */
void cuda_report_clear(struct gpu *c);
/* A coupling has been enqueued, which changes the box. */
void cuda_report_outdate(struct gpu *c);
/* If the report on the host has a step whose lists had expired, returns it and lets kernels work
   again; else 0. */
int64_t cuda_report_resume(struct gpu *c);

/* Operations of the backend. */
void cuda_set_box(struct backend *b, const struct coupling_state *now, const double build_box[3]);
void cuda_coupling_state(struct backend *b, struct coupling_state *now);
void cuda_displacement2(struct backend *b, double largest[2]);
int cuda_poll_expired(struct backend *b);

/* The state of this rank for the file about an offender, in host memory that is never freed, since
   the program ends. Waits. */
struct offender_state cuda_offender(struct gpu *c, int64_t step);

END_C

#endif
