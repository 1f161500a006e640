#include "mpi/domain/slab.h"

#include <math.h>
#include <stdlib.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/torus.h"

enum { BINS = 4096 };
static const uint64_t whole = UINT64_C(1) << 32;

void slab_create(struct slab *s, const struct ranks *r, int axis)
{
  s->axis = axis;
  s->width = s->thickness = 0;
  s->bound = alloc_array(r->size + 1, sizeof *s->bound);
  for (int k = 0; k <= r->size; k++)
    s->bound[k] = whole / (uint64_t)r->size * (uint64_t)k;
  s->bound[r->size] = whole;
}

void slab_destroy(struct slab *s)
{
  free(s->bound);
  s->bound = NULL;
}

static struct domain_range range_of(const struct slab *s, int rank)
{
  const struct domain_range range = {s->bound[rank], s->bound[rank + 1]};
  return range;
}

struct domain slab_domain(const struct slab *s, const struct ranks *r)
{
  struct domain d = {.rank = r->rank, .n_ranks = r->size, .axis = s->axis, .width = s->width};
  d.bound = s->bound;
  d.own = range_of(s, r->rank);
  d.n_peers = r->size == 1 ? 0 : r->size == 2 ? 1 : 2;
  d.peer[0] = (r->rank + r->size - 1) % r->size;
  d.peer[1] = (r->rank + 1) % r->size;
  for (int k = 0; k < d.n_peers; k++)
    d.of_peer[k] = range_of(s, d.peer[k]);
  return d;
}

/* Reach in units of 2^-32 of the edge, with a margin larger than the rounding of the pair tests. */
static uint64_t width_of(double reach, double length)
{
  return (uint64_t)ceil(reach / length * TORUS_EDGE * 1.00002) + 1;
}

int slab_most_ranks(double thickness, double length)
{
  uint64_t n = whole / width_of(thickness, length);
  return n < 1 ? 1 : n > 1000000 ? 1000000 : (int)n;
}

void slab_set_reach(struct slab *s, const struct ranks *r, double reach, double extent,
                    double length)
{
  const double thickness = reach + 2 * extent;
  s->width = width_of(reach + extent, length);
  s->thickness = width_of(thickness, length);
  int most = slab_most_ranks(thickness, length);
  if (r->size > most && r->size > 1)
    die_all(STATUS_INPUT,
            "%d ranks are too many: the box edge of %.4g nm along %c holds at most %d slabs of one "
            "halo (%.4g nm); use at most %d ranks, or parallel.axis",
            r->size, length, axis_name(s->axis), most, thickness, most);
}

/* Makes every slab at least as thick as that: a forward, then a backward pass. */
static void spread(uint64_t *bound, int size, uint64_t thickness)
{
  for (int k = 1; k < size; k++)
    if (bound[k] < bound[k - 1] + thickness) bound[k] = bound[k - 1] + thickness;
  for (int k = size - 1; k > 0; k--)
    if (bound[k] + thickness > bound[k + 1]) bound[k] = bound[k + 1] - thickness;
}

void slab_widen(struct slab *s, const struct ranks *r)
{
  spread(s->bound, r->size, s->thickness);
}

void slab_balance(struct slab *s, const struct ranks *r, struct backend *b)
{
  if (r->size == 1) return;
  int64_t *count = alloc_array(BINS, sizeof *count), total = 0, below = 0;
  const struct domain d = slab_domain(s, r);
  b->ops->histogram(b, &d, BINS, count);
  ranks_sum_int64(r, count, BINS);
  for (int k = 0; k < BINS; k++)
    total += count[k];
  int bin = 0;
  for (int k = 1; k < r->size; k++) {
    int64_t target = total / r->size * k;
    while (bin < BINS - 1 && below + count[bin] < target)
      below += count[bin++];
    double inside = count[bin] > 0 ? (double)(target - below) / (double)count[bin] : 0;
    s->bound[k] = (uint64_t)(((double)bin + inside) * ((double)whole / BINS));
  }
  spread(s->bound, r->size, s->thickness);
  free(count);
}
