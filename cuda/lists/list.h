/* The neighbour lists of the plan, the order in which threads process the beads of each, and the
   search for pairs that they lack. */
#ifndef LIST_CUDA_H
#define LIST_CUDA_H

#include "cuda/lists/sort.h"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/report.h"
#include "cuda/runtime/streams.h"
#include "cuda/runtime/tuning.h"

BEGIN_C

/* Lengths of the parts of the list of a bead, in half rows: the last row of a part may have entries
   in its first half only. */
struct list_head {
  int halves[LIST_PARTS];
};

/* Rows of a part. */
HD int list_rows(int halves)
{
  return (halves + 1) / 2;
}

/* `lanes` threads share the list of a bead, which has room for most_rows rows of 4 lanes local
   indices. Rows of part 0 are stored from the first on, those of part 1 from the last backwards.
   Entry k of a part is in its row k / (4 lanes), lane k mod lanes, slot (k mod (4 lanes)) / lanes.
   Rows are filled up with the bead itself. */
struct cuda_list {
  int lanes, most_rows;
  struct list_head *head; /* [owned] device memory */
  int *index;             /* [owned][most_rows][lanes][4] device memory */
};
/* Written by lists/list.cu. */
struct gpu_lists {
  struct cuda_list of[PAIR_PASSES_MOST];
};

void cuda_lists_open(struct gpu *c);
/* Builds the neighbour lists; after cuda_cells and cuda_ids_set. */
void cuda_lists_build(struct gpu *c);
/* After cuda_report_read: 1 if a list was too short. The room has been raised, and the build must
   be repeated. */
int cuda_lists_read(struct gpu *c);

/* A place of a work order: a bead with the lengths of its list; 8 bytes, loaded as an int2. */
struct cuda_place {
  int bead; /* -1: none; then the others are not set */
  uint16_t halves[LIST_PARTS];
};

/* The order in which threads process the beads of a list: interior beads, then boundary beads, each
   sorted by interaction class, then list class. Beads whose list class has no partners in the list
   are left out. A group starts at a multiple of PLACES_ALIGN, so that no warp has beads of two
   classes. */
enum { PLACES_ALIGN = 128 };
struct work_order {
  int half, all;                    /* groups of the interior beads; 1: all beads are in the list */
  int n_places;                     /* at most */
  int group_first[GROUPS_MOST + 1]; /* [2 * half + 1] first place of each group; host memory */
  struct cuda_place *place;         /* [n_places] device memory */
};
/* Written by lists/work_order.cu. */
struct gpu_orders {
  struct work_order of[PAIR_PASSES_MOST]; /* of each list */
};

void cuda_orders_open(struct gpu *c);
/* Enqueues in `stream`: the work order of each list, by group. */
void cuda_orders_set(struct gpu *c, cudaStream_t stream);
/* After the lists: sorts work orders so that neighbouring places have lists of about equal
   length. */
void cuda_orders_balance(struct gpu *c);
/* Copies the sizes of the work orders from the report, for launches. */
void cuda_orders_read(struct gpu *c);

/* A search for unlisted pairs that no kernel does yet. Written by lists/search.cu. */
struct gpu_search {
  int waits;
  double reach; /* nm */
};
void cuda_search_open(struct gpu *c);
/* Launches the search that waits, if one does, in streams->side. */
void cuda_search_launch(struct gpu *c);
/* search.cu: operations of the backend. If cuda_step_links, the search waits: the pass over pairs
   does it (step/force_rows.cuh), or cuda_search_launch. */
int64_t cuda_count_apart(struct backend *b, double built, double now);
void cuda_search_unlisted(struct backend *b, double reach, const struct device_signal *then);
void cuda_lists_agreed(struct backend *b);
/* Updates the argument of the next search of a replayed graph to the present lists and box. m: the
   parameters of the batch; parity: of the step. */
void cuda_search_renew(struct gpu *c, const struct integrate_params *m, int parity);

/* 1 if the kernels of a step are linked, in small systems: the pass over pairs searches for
   unlisted pairs too and is chained to the integration, and that to the pass before (chain.cuh). On
   one rank with one list, without biases, in a rectangular box. */
static inline int cuda_step_links(const struct gpu *c)
{
  return c->device->chained && c->config.ranks == 1 && c->config.plan->n_passes == 1 &&
         c->base.n < LINKED_MOST && !c->base.early_notify && !c->biases &&
         !box_is_oblique(c->reports->build_box);
}

/* build_check.cu: after a build that the host does not wait for (cuda_resume): if no fault was
   found, and all arrays had room, lists hold again; else kernels remain no-ops until the host
   drains. */
void cuda_build_check(struct gpu *c);

/* By how much the radius of a list is smaller than the largest, nm. */
static inline double cuda_list_margin(const struct gpu *c, int list)
{
  return pair_margin(c->config.plan, c->config.ff, c->config.topology, list);
}

END_C

#endif
