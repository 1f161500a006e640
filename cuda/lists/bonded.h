/* The topology in device memory, and bonded terms of the owned beads with local indices. */
#ifndef BONDED_CUDA_H
#define BONDED_CUDA_H

#include "cuda/runtime/gpu.h"
#include "pair/bead_record.h"

BEGIN_C

/* Written by lists/topology.c. */
struct gpu_topology {
  uint64_t forms; /* bits of the forms of bonded types */
  int apart;      /* 1: bonded terms have a kernel of their own; 0: part of the passes */
  double *rest;   /* forcefield_rest: length at rest of each bonded type, nm, or 0 */
  int *term_start, *exclude_start; /* [environments + 1]; NULL: no environments */
  struct topology_term *term;      /* type: index among the bonded types of all sections */
  int64_t *exclude;                /* excluded partners: id less that of the bead */
  struct anchors anchors;          /* arrays are device memory */
  unsigned char *lipid; /* [environments] of struct backend_config; NULL: all are of lipids */
};

void cuda_topology_open(struct gpu *c);

/* The map from the ids of owned and halo beads to local indices, in device memory. One rank: an
   array over all ids. Several: a hash table with open addressing, whose size follows the beads of
   the rank and not of the system. */
enum { ID_INDEX_BITS = 28 }; /* bits of the index in a slot; the id is above them */
struct cuda_ids {
  int64_t n_total;
  int *index;     /* [n_total + 1] by id; one rank */
  uint64_t *slot; /* [mask + 1], a power of 2: id and index, or ID_FREE; several ranks */
  uint64_t mask;
};
#define ID_FREE UINT64_MAX

/* Written by lists/partners.cu. */
struct gpu_bonded {
  struct cuda_ids ids;
  struct bonded_entry *entry; /* bonded terms of the owned beads, bead by bead */
  int *row;                   /* [owned + 1] entries of bead i: row[i] ... row[i + 1] - 1 */
};

void cuda_bonded_open(struct gpu *c);
/* Sets ids for the present beads. cuda_ids_index only returns the array that a kernel then fills;
   NULL: there is none. */
void cuda_ids_set(struct gpu *c);
int *cuda_ids_index(struct gpu *c);
/* Enqueues in `stream`: sets entry and row. Partners that are not on this rank or too far away go
   to the report (broken). */
void cuda_partners_find(struct gpu *c, const struct build_params *params, cudaStream_t stream);
/* After cuda_report_read: 1 if entry was too small. It has been grown, and the build must be
   repeated. */
int cuda_partners_read(struct gpu *c);

END_C

#endif
