/* List builds on the GPU: sorting, cells, neighbour lists, bonded entries, work orders, and the
   search for unlisted pairs. Functions enqueue their work in streams.main unless their comment says
   otherwise (cuda/runtime/gpu.h). */
#ifndef LISTS_CUDA_H
#define LISTS_CUDA_H

#include "cuda/runtime/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sort.cu: cuda_drop_migrated removes the rows of beads that have migrated; cuda_sort sorts the
   owned beads. */
void cuda_drop_migrated(struct gpu *c);
void cuda_sort(struct backend *b, double radius);
/* Sorts owned and halo beads into cells; after cuda_sort. */
void cuda_cells(struct gpu *c);
/* The columns of the present domain. */
struct cuda_held cuda_held(const struct gpu *c);
/* Reports two beads at one point, in a stream; after cuda_cells. */
void cuda_points_check(struct gpu *c, cudaStream_t stream);

/* columns.cu: begin copies build positions to old positions, and positions to build positions.
   gather reorders the beads: the k-th becomes c->sorting.order[k]. pack copies n beads as records
   to c->halo.migrants and sets their ids to 0. unpack copies n records to beads first, first + 1,
   ... */
void cuda_columns_begin(struct gpu *c);
void cuda_columns_gather(struct gpu *c, int n);
void cuda_columns_pack(struct gpu *c, int n, const int *index);
void cuda_columns_unpack(struct gpu *c, int n, int first, const void *record);

/* list.cu: builds the neighbour lists; after cuda_cells and cuda_ids_set. */
void cuda_lists_build(struct gpu *c);

/* partners.cu: the table from ids to local indices, which the others read. */
void cuda_ids_set(struct gpu *c);
/* In a stream: the entries of bonded terms of the owned beads. Reports broken ones and partners
   not found. */
void cuda_partners_find(struct gpu *c, const struct build_params *params, cudaStream_t stream);
/* In a stream: the work order of each list, by group. */
void cuda_work_orders_set(struct gpu *c, cudaStream_t stream);
/* After the lists are built: reorders the work orders so that neighbours have lists of equal
   length. */
void cuda_work_orders_balance(struct gpu *c);
/* Copies the sizes of the work orders from the report, for launches. */
void cuda_work_orders_read(struct gpu *c);

/* cluster_table.cu: copies the cluster types to the device, and frees them. */
void cuda_clusters_open(struct gpu *c);
void cuda_clusters_close(struct gpu *c);
/* Finds the clusters of the owned beads, after cuda_ids_set; counts them in the report. */
void cuda_clusters_find(struct gpu *c);
/* Reads their numbers from the report on the host. 1 if the arrays were too small: they have been
   enlarged, and the search must be repeated. */
int cuda_clusters_read(struct gpu *c);
int64_t cuda_extent(struct backend *b, int axis);

/* build.c */
/* Finds the clusters of beads that were loaded. Waits. */
void cuda_clusters_load(struct gpu *c);
void cuda_build_begin(struct backend *b, int keep);
void cuda_build(struct backend *b, const struct build_params *p, struct audit *out);

/* search.cu */
void cuda_search_unlisted(struct backend *b, double reach, const struct device_signal *then);
void cuda_lists_agreed(struct backend *b);
/* Points the search of a step in a captured batch at the lists of the present build. m: the
   parameters of the batch; parity: of the step; n, exec: the search and its graph. */
void cuda_search_renew(struct gpu *c, const struct integrate_params *m, int parity,
                       struct graph_node *n, cudaGraphExec_t exec);

#ifdef __cplusplus
}
#endif

#endif
