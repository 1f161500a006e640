/* Sorting beads into cells, and the columns of their arrays. */
#ifndef SORT_CUDA_H
#define SORT_CUDA_H

#include "backend/grid.h"
#include "cuda/runtime/beads.h"

BEGIN_C

/* An entry of sorted beads: the local index, above it the list class of the bead, and in the
   highest bit the part of lists that it belongs to. */
enum {
  LIST_PARTS = 2, /* of a bead's list, by the class of the partners: rows grow from both ends */
  PART_SHIFT = 31,
  CLASS_SHIFT = 28,
  SORTED_BEAD = (1 << CLASS_SHIFT) - 1 /* the bits of the index */
};
static_assert(LIST_PARTS <= 1 << (32 - PART_SHIFT), "the part of a sorted bead has its own bits");
static_assert(PAIR_CLASSES_MOST <= 1 << (PART_SHIFT - CLASS_SHIFT), "so has its list class");

/* The columns of cells that this rank has beads in, and so has in its table: n[k] columns along
   axis k (x and y) from first[k] on, continued across the face of the box. */
struct cuda_held {
  int first[2], n[2];
};

/* Beads in the order of cells. Written by lists/sort.cu. */
struct gpu_sorting {
  struct grid grid;
  struct domain domain;     /* of the last build, without bounds; all zero with one rank */
  int received[PEERS_MOST]; /* halo beads from each peer, by cell and id: one after the other */
  int coarse;  /* 1: cells are wider than for the radius, and may contain any number of beads */
  int counted; /* 1: owned beads were sorted by counting, which leaves the table of their cells */
  struct bead_record *sorted; /* build position and local index, in the order of cells, with
                                 the part of the lists above it */
  uint64_t *key, *key_sorted;
  int *value, *order;
  unsigned char *group, *group_sorted;
  int *flag;  /* 1 for a bead of the boundary */
  int *start; /* into sorted: [columns of the grid that are held][cells along z + 1] */
};

/* Bits of the numbers 0 ... most. */
static inline int bits_for(int64_t most)
{
  int bits = 1;
  while (bits < 63 && most >> bits)
    bits++;
  return bits;
}

void cuda_sorting_open(struct gpu *c);
/* Sets the grid, for lists of this radius (nm), and forgets the halo; then cuda_sort sorts the
   owned beads. */
void cuda_grid_set(struct gpu *c, double radius);
void cuda_sort(struct gpu *c);
/* Removes the rows of beads that have migrated. */
void cuda_drop_migrated(struct gpu *c);
/* The domain of the build that begins, and how many beads have come from a peer of it. */
void cuda_domain_set(struct gpu *c, const struct domain *d);
void cuda_received(struct gpu *c, int peer, int n);
/* Sorts owned and halo beads into cells; after cuda_sort. */
void cuda_cells(struct gpu *c);
struct cuda_held cuda_held(const struct gpu *c);
/* Reports two beads at one point, in a stream; after cuda_cells. */
void cuda_points_check(struct gpu *c, cudaStream_t stream);

/* columns.cu: begin copies build positions to old positions, and positions to build positions.
   gather reorders the beads: the k-th becomes sorting->order[k]. pack copies n beads as records and
   sets their ids to 0. unpack copies n records to beads first, first + 1, ... */
void cuda_columns_begin(struct gpu *c);
void cuda_columns_gather(struct gpu *c, int n);
void cuda_columns_pack(struct gpu *c, int n, const int *index, uint32_t *record);
void cuda_columns_unpack(struct gpu *c, int n, int first, const void *record);

/* cub.cu: replaces each of n values by the sum of those before it. */
void cuda_sum_before(struct gpu *c, int *value, int n, cudaStream_t stream);
/* Sort the numbers 0 ... n - 1 in sorting->value by their keys, or groups, which have so many bits,
   into sorting->order; equal ones keep their order. */
void cuda_sort_keys(struct gpu *c, int n, int bits, cudaStream_t stream);
void cuda_sort_groups(struct gpu *c, int n, int bits, cudaStream_t stream);
/* Selects the owned beads that the only peer of a domain needs in its halo, in ascending order, and
   counts them; out and count are device memory. */
void cuda_select_near(struct gpu *c, const struct domain *domain, int *out, int *count);

END_C

#endif
