/* The clusters of a rank on the host: which beads they have, and copies of these to work on. */
#ifndef CLUSTERS_H
#define CLUSTERS_H

#include "base/box.h"
#include "base/id_map.h"
#include "dynamics/cluster_body.h"
#include "dynamics/move_body.h"

/* Room for one cluster at work. */
struct cluster_desk {
  struct body *body;                     /* [beads of the largest type] */
  const struct body_type **bead_inertia; /* [the same] */
  double *work;
};

/* Cluster k is of type type[k], and its beads are bead[row[k] ... row[k + 1] - 1], local indices in
   the order of their places. Written by backend/clusters.c. */
struct clusters {
  const struct forcefield *ff; /* borrowed */
  const struct topology *topology;
  struct body_type *inertia; /* [types of the force field] */
  int n, room, bead_room;
  int *type, *row, *bead;
  unsigned char *member; /* [owned beads] 1: in a cluster */
  int member_room;
  int threads;
  struct cluster_desk *desk; /* [threads] */
};

/* NULL if no bead of the topology is in a cluster. threads: how many work on clusters at the same
   time. */
struct clusters *clusters_create(const struct forcefield *ff, const struct topology *t,
                                 int threads);
void clusters_destroy(struct clusters *c);
/* Finds the clusters of n beads, which must be whole, from their ids and bonded environments. map:
   the local index of at least these beads. */
void clusters_find(struct clusters *c, int n, const int64_t *id, const int32_t *env,
                   const struct id_map *map);
/* The local index of the lead bead of cluster k. */
static inline int clusters_lead(const struct clusters *c, int k)
{
  return c->bead[c->row[k] + c->ff->cluster[c->type[k]].lead];
}
/* Copies the beads of cluster k for a thread to work on; force [n][3] may be NULL. box: nm. */
struct cluster clusters_load(const struct clusters *c, int thread, int k, const struct beads *from,
                             const double *force, const double *torque, const double box[BOX]);
/* Copies them back, without forces. */
void clusters_store(const struct clusters *c, const struct cluster *work, int k,
                    const struct beads *to);

#endif
