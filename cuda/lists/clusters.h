/* Clusters (model/cluster.h) of the owned beads, and their types in device memory. */
#ifndef CLUSTERS_CUDA_H
#define CLUSTERS_CUDA_H

#include "cuda/runtime/report.h"
#include "model/cluster.h"

BEGIN_C

/* The clusters of one enum cluster_size. */
struct gpu_clusters_of {
  int n, room;               /* clusters of the owned beads; clusters that entry has room for */
  int most_beads, most_work; /* largest type of this size: beads; doubles of working memory */
  int *entry;                /* [room][1 + most_beads]: type, then beads as local indices */
  double *work;              /* [room][most_work]; NULL: small ones work in shared memory */
};

/* Written by lists/cluster_table.cu. */
struct gpu_clusters {
  int sites;                  /* 1: some cluster type has virtual sites */
  struct cluster_type *type;  /* NULL: no bead is in a cluster, and all the rest is 0 */
  unsigned char *size_of;     /* [cluster types] enum cluster_size */
  int *cluster_of, *place_of; /* [environments] cluster type or -1; index of the bead in it */
  int *lead; /* [owned] local index of the lead bead of its cluster, or -1; NULL: no clusters */
  /* [owned][3] kJ/mol/nm: forces on virtual sites in the last force call with energies; NULL: no
     sites. */
  double *site_force;
  struct gpu_clusters_of of[CLUSTERS_SIZES];
};

void cuda_clusters_open(struct gpu *c);
/* Enqueues in `stream`: finds the clusters of the owned beads, after cuda_ids_set; counts them in
   the report. */
void cuda_clusters_find(struct gpu *c, cudaStream_t stream);
/* After cuda_report_read: 1 if an array was too small. It has been grown, and the search must be
   repeated. */
int cuda_clusters_read(struct gpu *c);
int64_t cuda_extent(struct backend *b, int axis);

END_C

#endif
