/* The topology in device memory, and bonded terms of the owned beads with local indices. */
#ifndef BONDED_CUDA_H
#define BONDED_CUDA_H

#include "cuda/runtime/gpu.h"
#include "pair/bonded_entry.h"

BEGIN_C

/* Written by lists/topology.c. */
struct gpu_topology {
  unsigned forms; /* bits of the forms of bonded types */
  int apart;      /* 1: a kernel of their own, not part of the passes */
  double *rest;   /* length at rest of each bonded type, nm, or 0: forcefield_rest */
  int *term_start, *exclude_start; /* NULL: no bead has a bonded environment */
  struct topology_term *term;      /* types are numbered among those of all sections */
  int64_t *exclude;
  struct anchors anchors; /* arrays are device memory */
  unsigned char *lipid;   /* of an environment: struct backend_config; NULL: all are of lipids */
};

void cuda_topology_open(struct gpu *c);

/* The local index of each id that this rank has, owned or halo; device memory. One rank: a table
   of all ids. Several: a hash table with open addressing, so that its memory follows what the rank
   holds and not the whole system. */
enum { ID_INDEX_BITS = 28 }; /* of the index in a slot; the id has the others */
struct cuda_ids {
  int64_t n_total;
  int *index;     /* [n_total + 1] */
  uint64_t *slot; /* [mask + 1], a power of 2: id and index; ID_FREE */
  uint64_t mask;
  int64_t room; /* bytes */
};
#define ID_FREE UINT64_MAX

/* Written by lists/partners.cu. */
struct gpu_bonded {
  struct cuda_ids ids;
  struct bonded_entry *entry;
  int *row; /* [owned + 1] into entry */
};

void cuda_bonded_open(struct gpu *c);
/* The table from ids to local indices. */
void cuda_ids_set(struct gpu *c);
/* In a stream: the entries of bonded terms of the owned beads. Reports broken ones and partners
   not found. */
void cuda_partners_find(struct gpu *c, const struct build_params *params, cudaStream_t stream);
/* Reads their number from the report on the host. 1 if there was not room for them: now there is,
   and the build must be repeated. */
int cuda_partners_read(struct gpu *c);

END_C

#endif
