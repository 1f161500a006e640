/* Results of kernels for the host: a report in device memory, which the host copies when it waits,
   and progress in pinned host memory, which it polls. Kernels read the box from the report too. */
#ifndef REPORT_CUDA_H
#define REPORT_CUDA_H

#include "backend/offender.h"
#include "base/box.h"
#include "cuda/runtime/beads.h"
#include "dynamics/integrate_params.h"

BEGIN_C

/* Groups of the work order of a list: interior and boundary beads, each by interaction class,
   and within it by list class. The beads that are not in this list are the last group of the
   interior and the last one of the boundary. GROUPS_MOST: their number for PAIR_CLASSES_MOST
   list classes. */
enum { GROUPS_MOST = 2 * (CLASSES * PAIR_CLASSES_MOST + 1) };
static_assert(GROUPS_MOST <= 256, "the number of a group is a byte");

/* Clusters (model/cluster.h) by size. A warp works on several small ones or on a large one, a block
   on one with sparse equations. The largest cluster doubles from each sparse size to the next, so
   that at most about half of the working memory is unused. */
enum cluster_size {
  CLUSTERS_SMALL,
  CLUSTERS_LARGE,
  CLUSTERS_SPARSE,
  CLUSTERS_SIZES = CLUSTERS_SPARSE + 4
};

/* An error found by a kernel, written by the first thread that finds one: ids of the beads, the
   step, and values for the message. */
struct cuda_fault {
  int found, pad;
  int64_t bead, other, step;
  double value[4];
};

/* The present box and other results of couplings, and the box of the list build, nm. With a
   barostat kernels read both here, so that launches stay the same from build to build and CUDA
   graphs can be replayed. */
struct cuda_box {
  struct coupling_state now;
  double build[BOX];
};

/* Results of kernels, in device memory; cuda_report_read copies them to the host. Squared lengths
   and forces are stored by ordered_bits, so that integer maxima work. */
struct cuda_report {
  /* The first step whose lists have expired (0: none): expired_local as found by this rank,
     expired_agreed as reduced over ranks. While expired_agreed is set, kernels are no-ops; the host
     resets both when it drains. */
  uint64_t expired_local, expired_agreed;
  int64_t begun[2];      /* state that a first half starts from, by the parity of its step */
  unsigned displaced[2]; /* beads displaced beyond search_above2, by parity of the step */
  unsigned ended[2];     /* [0]: counter of block_is_last, 0 between two kernels */
  struct cuda_box box;
  struct cuda_fault blown; /* a bead moved too far in a step */
  struct cuda_fault rigid; /* a constraint that cannot be solved */
  /* These and what follows are cleared before a build. */
  unsigned long long displacement2_bits[2]; /* largest squared displacement since the build, nm2, by
                                               parity of the step */
  struct cuda_fault broken, point; /* a bonded partner too far away or missing; two beads on one
                                      point */
  int group_end[PAIR_PASSES_MOST]
               [GROUPS_MOST];      /* number of beads up to the end of each group, by list */
  int most_rows[PAIR_PASSES_MOST]; /* rows of the longest list of a bead, by list */
  int bonded;                      /* bonded entries of the owned beads */
  int clusters[CLUSTERS_SIZES];    /* number, by size */
  /* By peer: beads selected for its halo, oriented ones among them, and axis records packed so
     far. */
  int sent[PEERS_MOST], oriented[PEERS_MOST], axes[PEERS_MOST];
  int64_t listed, apart; /* entries of lists, padded; pairs that cuda_count_apart counts */
};

/* The progress of the device, written by kernels into pinned host memory and polled by the host. */
struct cuda_progress {
  uint64_t begun_step;       /* number of the last step that the device has begun */
  uint64_t valid_step;       /* with early_notify: the last step whose lists are known to hold */
  uint64_t expired_agreed;   /* as in the report: not 0 if lists have expired */
  struct coupling_state now; /* of the state before the step at which they have, on one rank */
  uint64_t resumed, refused; /* number of the last build that cuda_build_check has ended with; 1:
                                that build has failed */
};

/* The report and the progress. Written by runtime/report.c; the device's report by kernels. */
struct gpu_reports {
  struct cuda_report *device, *host; /* host: pinned */
  struct cuda_progress *progress;    /* pinned */
  int outdated;     /* 1: the coupling state of device is newer than that of host */
  int no_wait;      /* 1: after cuda_resume: the host does not wait for the build that begins */
  uint64_t resumes; /* number of such builds */
  double build_box[BOX]; /* nm; of the last build or of the one that begins */
};

void cuda_report_open(struct gpu *c);
/* Waits for both streams and copies the report to the host. Status 3 if a bead has moved too far,
   status 5 if a halo message was lost. */
void cuda_report_read(struct gpu *c);
/* Clears the part of the device report that a build writes. */
void cuda_report_clear(struct gpu *c);
/* Sets outdated, after a coupling has been enqueued. */
void cuda_report_outdate(struct gpu *c);
/* After cuda_report_read: if lists have expired, clears that on the device, so that kernels work
   again, and returns the step; else 0. */
int64_t cuda_report_resume(struct gpu *c);

/* Ends what cuda_resume has begun: counts the build, whose number it returns, and clears no_wait.
 */
uint64_t cuda_report_next_build(struct gpu *c);

/* Operations of the backend. */
int64_t cuda_resume(struct backend *b);
void cuda_set_box(struct backend *b, const struct coupling_state *now, const double build_box[BOX]);
void cuda_coupling_state(struct backend *b, struct coupling_state *now);
void cuda_displacement2(struct backend *b, double largest[2]);
int cuda_poll_expired(struct backend *b);

/* The state of this rank for the file about an offender, in host memory that is never freed, since
   the program ends. Waits. */
struct offender_state cuda_offender(struct gpu *c, int64_t step);

END_C

#endif
