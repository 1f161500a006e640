/* Clusters (model/cluster.h) of the owned beads, and their types in device memory. */
#ifndef CLUSTERS_CUDA_H
#define CLUSTERS_CUDA_H

#include "cuda/runtime/report.h"
#include "model/cluster.h"

BEGIN_C

/* Clusters of a size. */
struct gpu_clusters_of {
  int n, room;               /* clusters of the owned beads; clusters that entry has room for */
  int most_beads, most_work; /* of the types of this size: beads, and doubles to work with */
  int *entry;                /* [room][1 + most_beads]: type, then beads as local indices */
  double *work;              /* [room][most_work]; NULL: of small ones */
};

/* Written by lists/cluster_table.cu. */
struct gpu_clusters {
  int present; /* 1: some beads are in clusters; else all the rest is 0 */
  int sites;   /* 1: some cluster type has virtual sites */
  struct cluster_type *type;
  unsigned char *size_of;     /* of a type */
  int *cluster_of, *place_of; /* of a bonded environment */
  int *lead; /* local index of the lead bead of the cluster of a bead, or -1; NULL: no clusters */
  /* [owned][3]: forces on sites of the last call with energies; NULL: there are none */
  double *site_force;
  struct gpu_clusters_of of[CLUSTERS_SIZES];
};

void cuda_clusters_open(struct gpu *c);
/* Finds the clusters of the owned beads, after cuda_ids_set; counts them in the report. */
void cuda_clusters_find(struct gpu *c);
/* Reads their numbers from the report on the host. 1 if there was not room for them: now there is,
   and the search must be repeated. */
int cuda_clusters_read(struct gpu *c);
int64_t cuda_extent(struct backend *b, int axis);

END_C

#endif
