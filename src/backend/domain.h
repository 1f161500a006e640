/* Which rank owns a point, and which other ranks need a copy of a bead there: the decomposition of
   space as backends and transports are told of it, on host and device. A value: it is copied, and
   passed to kernels.

   This one cuts the box into slabs along an axis, rank after rank (mpi/domain/slab.h chooses the
   bounds). Another decomposition changes the fields below "slabs" and the functions, and fills in
   as many peers as there are. Peers are different ranks: one that is needed on both sides of a rank
   stands in the list once, and gets each bead once. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdint.h>

#include "base/hd.h"

enum { PEERS_MOST = 8 }; /* as many as a rectangle has around it */

/* [low, high) of a box edge, in units of 2^-32 of it. */
struct domain_range {
  uint64_t low, high;
};

struct domain {
  int rank, n_ranks;
  int n_peers, peer[PEERS_MOST]; /* ranks whose halo may reach into the domain of this one */
  /* Slabs. */
  int axis;
  uint64_t width; /* of the halo, in the units of a range */
  struct domain_range own, of_peer[PEERS_MOST];
  const uint64_t *bound; /* [n_ranks + 1]: of rank r from bound[r] to bound[r + 1]. Borrowed, in the
                            memory of whoever asks for owners */
};

/* Is this rank the owner of the point x, in fractions of the box? */
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

/* Is the point x inside the region of peer[k] widened by the halo? */
HD int domain_is_near(const struct domain *d, int k, const int32_t x[3])
{
  const struct domain_range *of = &d->of_peer[k];
  const uint32_t above = (uint32_t)x[d->axis] - (uint32_t)(of->low - d->width);
  return above <= of->high - of->low + 2 * d->width;
}

/* The same domain with peer k alone, as peer 0: kernels that ask for one peer index no array. */
HD struct domain domain_with_peer(const struct domain *d, int k)
{
  struct domain one = *d;
  one.n_peers = 1;
  one.peer[0] = d->peer[k];
  one.of_peer[0] = d->of_peer[k];
  return one;
}

/* The part [low, high) of an axis in which the beads of this rank and of its halo lie, in units of
   2^-32 of the box edge, low below zero or high beyond the edge where it crosses a face of the box.
   0: the whole axis. */
HD int domain_extent(const struct domain *d, int axis, int64_t *low, int64_t *high)
{
  if (d->n_ranks < 2 || d->axis != axis) return 0;
  *low = (int64_t)d->own.low - (int64_t)d->width;
  *high = (int64_t)d->own.high + (int64_t)d->width;
  return 1;
}

/* In which of n equal bins, along the axis in which the load is balanced, the point x lies. */
HD int domain_bin(const struct domain *d, const int32_t x[3], int n)
{
  return (int)((uint64_t)(uint32_t)x[d->axis] * (uint64_t)n >> 32);
}

#endif
