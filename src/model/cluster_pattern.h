/* The order in which the constraints of a large cluster are eliminated, and the entries that the
   factors of their matrix then have. */
#ifndef CLUSTER_PATTERN_H
#define CLUSTER_PATTERN_H

#include "model/cluster.h"

/* Sorts the constraints of a cluster type and sets its pattern. Both depend on the constraints and
   their order alone. */
void cluster_pattern_set(struct cluster_type *t);
void cluster_pattern_free(struct cluster_pattern *p);

#endif
