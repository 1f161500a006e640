/* The domain decomposition, on host and device: which rank owns a point, and which other ranks need
   a copy of a bead there. A plain value that can be copied and passed to kernels.

   The box is cut into slabs along two axes. Each rank owns the region where a slab of one cut and a
   slab of the other cross: a column, or a slab where one of the cuts makes one slab only.
   mpi/domain/regions.h chooses the bounds. Peers are distinct ranks: a rank that is a neighbour on
   several sides is listed once and gets each bead once. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdint.h>

#include "base/hd.h"

enum { CUTS = 2, PEERS_MOST = 8 };

/* [low, high) of a box edge, in units of 2^-32 of it. */
struct domain_range {
  uint64_t low, high;
};

/* The cut of the box along an axis into n slabs. */
struct domain_cut {
  int axis, n;
  uint64_t width; /* of the halo, in the units of a range. Owned beads of a cluster lie outside
                     `own` by less than this */
  struct domain_range own;
  const uint64_t *bound; /* [n + 1]: slab k is [bound[k], bound[k + 1]). Borrowed; in the memory of
                            the caller of domain_owner, host or device */
};

/* Rank r has slab r / cut[1].n of the first cut and slab r % cut[1].n of the second. */
struct domain {
  int rank, n_ranks;
  int n_peers, peer[PEERS_MOST]; /* ranks whose halo may overlap the domain of this one */
  struct domain_cut cut[CUTS];
  struct domain_range of_peer[PEERS_MOST][CUTS];
};

/* 1 if the rank is a peer of this one. */
HD int domain_has_peer(const struct domain *d, int rank)
{
  for (int k = 0; k < d->n_peers; k++)
    if (d->peer[k] == rank) return 1;
  return 0;
}

/* 1 if this rank owns the point x (units of 2^-32 of the box edges). */
HD int domain_is_own(const struct domain *d, const int32_t x[3])
{
  int own = 1;
  for (int c = 0; c < CUTS; c++) {
    const uint64_t at = (uint32_t)x[d->cut[c].axis];
    own &= at >= d->cut[c].own.low && at < d->cut[c].own.high;
  }
  return own;
}

/* The slab of a cut that has the coordinate at. Reads bound. */
HD int domain_slab(const struct domain_cut *cut, uint64_t at)
{
  int low = 0, high = cut->n;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (at >= cut->bound[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The rank that owns the point x. Reads bound. */
HD int domain_owner(const struct domain *d, const int32_t x[3])
{
  int rank = 0;
  for (int c = 0; c < CUTS; c++)
    rank = rank * d->cut[c].n + domain_slab(&d->cut[c], (uint32_t)x[d->cut[c].axis]);
  return rank;
}

/* 1 if the point x is in the domain of peer[k] or in its halo. */
HD int domain_is_near(const struct domain *d, int k, const int32_t x[3])
{
  int near = 1;
  for (int c = 0; c < CUTS; c++) {
    const struct domain_range of = d->of_peer[k][c];
    const uint64_t width = d->cut[c].width;
    const uint32_t above = (uint32_t)x[d->cut[c].axis] - (uint32_t)(of.low - width);
    near &= above <= of.high - of.low + 2 * width;
  }
  return near;
}

/* The same domain with peer k as its only one, so that kernels need no indexed array. */
HD struct domain domain_with_peer(const struct domain *d, int k)
{
  struct domain one = *d;
  one.n_peers = 1;
  one.peer[0] = d->peer[k];
  for (int c = 0; c < CUTS; c++)
    one.of_peer[0][c] = d->of_peer[k][c];
  return one;
}

/* The range [low, high) of an axis that contains the beads of this rank and of its halo, in units
   of 2^-32 of the box edge. If it crosses a face of the box, low is negative or high above 2^32.
   Returns 0 if it is the whole axis. */
HD int domain_extent(const struct domain *d, int axis, int64_t *low, int64_t *high)
{
  for (int c = 0; c < CUTS; c++) {
    const struct domain_cut *cut = &d->cut[c];
    if (cut->n < 2 || cut->axis != axis) continue;
    *low = (int64_t)cut->own.low - (int64_t)cut->width;
    *high = (int64_t)cut->own.high + (int64_t)cut->width;
    return 1;
  }
  return 0;
}

/* The bin of the point x, of n equal bins along the axis of a cut, for load balancing. */
HD int domain_bin(const struct domain *d, int cut, const int32_t x[3], int n)
{
  return (int)((uint64_t)(uint32_t)x[d->cut[cut].axis] * (uint64_t)n >> 32);
}

#endif
