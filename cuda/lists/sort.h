/* Beads sorted into cells, and their arrays as words. */
#ifndef SORT_CUDA_H
#define SORT_CUDA_H

#include "backend/grid.h"
#include "cuda/runtime/beads.h"

BEGIN_C

/* Member type of sorted beads: local index, above it the list class, and in the highest bit the
   part of the lists that the bead is in as a partner. */
enum {
  LIST_PARTS = 2, /* parts of a list, by class of the partners: from its start, and from its end */
  PART_SHIFT = 31,
  CLASS_SHIFT = 28,
  SORTED_BEAD = (1 << CLASS_SHIFT) - 1 /* the bits of the index */
};
static_assert(LIST_PARTS <= 1 << (32 - PART_SHIFT), "the part of a sorted bead has its own bits");
static_assert(PAIR_CLASSES_MOST <= 1 << (PART_SHIFT - CLASS_SHIFT), "so has its list class");

/* The columns of cells that the domain and halo of this rank touch, which are in its table: n[k]
   along axis k (x, y) from first[k] on, wrapping around the box. */
struct cuda_held {
  int first[2], n[2];
};

/* Beads in the order of cells. Written by lists/sort.cu. */
struct gpu_sorting {
  struct grid grid;
  struct domain domain;     /* of the last build, without cut[].bound; all zero with one rank */
  int received[PEERS_MOST]; /* number of halo beads from each peer, which follow each other, each by
                               cell and id */
  int coarse;               /* 1: cells are wider than usual, and may contain any number of beads */
  int counted; /* 1: owned beads were sorted by counting, which leaves the table of their cells */
  int is_new;  /* 1: the present positions become those of the build when beads are sorted */
  struct bead_record *sorted; /* in the order of cells: build position, and type as above */
  uint64_t *key, *key_sorted; /* sort keys: cell, id; before and after */
  int *value, *order; /* indices to sort; sorted. Between builds value has displaced beads */
  unsigned char *group, *group_sorted; /* groups of a work order, before and after sorting */
  int *flag;                           /* [owned] 1: boundary bead */
  int *start; /* [columns held][cells along z + 1] first bead of each cell, index into sorted */
  int *count; /* [2][cells] while beads are counted: beads in the cell; 1 + the last of them */
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
/* Begins a build, with the present positions, or with keep 1 with those of the build before. */
void cuda_sorting_begin(struct gpu *c, int keep);
/* Sets the grid for lists of this radius (nm), and n_halo to 0. cuda_sort: sorts the owned
   beads. */
void cuda_grid_set(struct gpu *c, double radius);
void cuda_sort(struct gpu *c);
/* Removes migrated beads from the arrays, and sorts the others by cell and id. */
void cuda_drop_migrated(struct gpu *c);
/* Note the domain of the build that begins, and the number of beads that a peer of it has sent. */
void cuda_domain_set(struct gpu *c, const struct domain *d);
void cuda_received(struct gpu *c, int peer, int n);
/* Sorts owned and halo beads into cells; after cuda_sort. On one rank sets the map of ids too. */
void cuda_cells(struct gpu *c);
struct cuda_held cuda_held(const struct gpu *c);
/* Enqueues in `stream`: reports two beads on one point; after cuda_cells. */
void cuda_points_check(struct gpu *c, cudaStream_t stream);

/* arrays.cu: gather reorders the beads: the k-th becomes sorting->order[k]. pack copies n beads as
   records and sets their ids to 0. unpack copies n records to beads first, first + 1, ... */
void cuda_arrays_gather(struct gpu *c, int n);
void cuda_arrays_pack(struct gpu *c, int n, const int *index, uint32_t *record);
void cuda_arrays_unpack(struct gpu *c, int n, int first, const void *record);

/* cub.cu: exclusive prefix sum of n values, device memory. Up to SUM_FEW_MOST one kernel, without
   memory for scratch, that may be chained. */
enum { SUM_THREADS = 1024, SUM_FEW_MOST = 64 * SUM_THREADS };
void cuda_sum_before(struct gpu *c, const int *from, int *to, int n, cudaStream_t stream);
/* Stable radix sorts of n values in sorting->value by sorting->key, or group, of `bits` bits, into
   sorting->order. */
void cuda_sort_keys(struct gpu *c, int n, int bits, cudaStream_t stream);
void cuda_sort_groups(struct gpu *c, int n, int bits, cudaStream_t stream);
/* Selects the owned beads that the only peer of a domain needs in its halo, in ascending order, and
   counts them; out and count are device memory. */
void cuda_select_near(struct gpu *c, const struct domain *domain, int *out, int *count);

END_C

#endif
