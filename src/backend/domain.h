/* The domain decomposition, on host and device: which rank owns a point, and which other ranks need
   a copy of a bead there. A plain value that can be copied and passed to kernels.

   The box is cut into slabs along one axis, in the order of ranks; mpi/domain/slab.h chooses the
   bounds. Another decomposition changes the fields below "Slabs" and the functions, and sets as
   many peers as it needs. Peers are distinct ranks: a rank that is a neighbour on both sides is
   listed once and gets each bead once. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdint.h>

#include "base/hd.h"

enum { PEERS_MOST = 8 }; /* as in a decomposition along two axes */

/* [low, high) of a box edge, in units of 2^-32 of it. */
struct domain_range {
  uint64_t low, high;
};

struct domain {
  int rank, n_ranks;
  int n_peers, peer[PEERS_MOST]; /* ranks whose halo may overlap the domain of this one */
  /* Slabs. */
  int axis;
  uint64_t width; /* of the halo, in the units of a range. Owned beads of clusters may be outside of
                     own, but they are in the halo too, and so in the extent */
  struct domain_range own, of_peer[PEERS_MOST];
  const uint64_t *bound; /* [n_ranks + 1]: rank r has [bound[r], bound[r + 1]). Borrowed; in the
                            memory of the caller of domain_owner, host or device */
};

/* 1 if this rank owns the point x (units of 2^-32 of the box edges). */
HD int domain_is_own(const struct domain *d, const int32_t x[3])
{
  const uint64_t at = (uint32_t)x[d->axis];
  return at >= d->own.low && at < d->own.high;
}

/* The rank that owns the point x. Reads bound. */
HD int domain_owner(const struct domain *d, const int32_t x[3])
{
  const uint64_t at = (uint32_t)x[d->axis];
  int low = 0, high = d->n_ranks;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (at >= d->bound[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* 1 if the point x is in the domain of peer[k] or in its halo. */
HD int domain_is_near(const struct domain *d, int k, const int32_t x[3])
{
  const struct domain_range *of = &d->of_peer[k];
  const uint32_t above = (uint32_t)x[d->axis] - (uint32_t)(of->low - d->width);
  return above <= of->high - of->low + 2 * d->width;
}

/* The same domain with peer k as its only one, so that kernels need no indexed array. */
HD struct domain domain_with_peer(const struct domain *d, int k)
{
  struct domain one = *d;
  one.n_peers = 1;
  one.peer[0] = d->peer[k];
  one.of_peer[0] = d->of_peer[k];
  return one;
}

/* The range [low, high) of an axis that contains the beads of this rank and of its halo, in units
   of 2^-32 of the box edge. If it crosses a face of the box, low is negative or high above 2^32.
   Returns 0 if it is the whole axis. */
HD int domain_extent(const struct domain *d, int axis, int64_t *low, int64_t *high)
{
  if (d->n_ranks < 2 || d->axis != axis) return 0;
  *low = (int64_t)d->own.low - (int64_t)d->width;
  *high = (int64_t)d->own.high + (int64_t)d->width;
  return 1;
}

/* The bin of the point x, of n equal bins along the axis of load balancing. */
HD int domain_bin(const struct domain *d, const int32_t x[3], int n)
{
  return (int)((uint64_t)(uint32_t)x[d->axis] * (uint64_t)n >> 32);
}

#endif
