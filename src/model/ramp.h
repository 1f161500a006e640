/* A target that may change in time, such as the temperature of a heat bath: linear between points,
   constant before the first and after the last; or periodic, from 0 to the time of the last point
   again and again (annealing of GROMACS). A constant is one point. */
#ifndef RAMP_H
#define RAMP_H

#include <math.h>

#include "base/hd.h"

enum { RAMP_POINTS_MOST = 64 };

struct ramp {
  int n, periodic;               /* n: at least 1 */
  double time[RAMP_POINTS_MOST]; /* ps, ascending; two equal ones are a jump */
  double value[RAMP_POINTS_MOST];
};

static inline struct ramp ramp_constant(double value)
{
  struct ramp r = {1, 0, {0}, {value}};
  return r;
}

/* The value at a time. At a jump that before it. */
HD double ramp_at(const struct ramp *r, double time)
{
  const double last = r->time[r->n - 1];
  if (r->periodic) time -= floor(time / last) * last;
  if (time <= r->time[0]) return r->value[0];
  if (time >= last) return r->value[r->n - 1];
  int k = 1;
  while (time > r->time[k])
    k++;
  const double part = (time - r->time[k - 1]) / (r->time[k] - r->time[k - 1]);
  return (1 - part) * r->value[k - 1] + part * r->value[k];
}

/* That of its last point: where a ramp that is not periodic ends. */
static inline double ramp_last(const struct ramp *r)
{
  return r->value[r->n - 1];
}

static inline double ramp_largest(const struct ramp *r)
{
  double largest = r->value[0];
  for (int k = 1; k < r->n; k++)
    largest = fmax(largest, r->value[k]);
  return largest;
}

static inline double ramp_least(const struct ramp *r)
{
  double least = r->value[0];
  for (int k = 1; k < r->n; k++)
    least = fmin(least, r->value[k]);
  return least;
}

/* 1 if it is constant from a time on. */
static inline int ramp_is_constant(const struct ramp *r, double time)
{
  return r->n == 1 || (!r->periodic && time >= r->time[r->n - 1]);
}

static inline int ramp_same(const struct ramp *a, const struct ramp *b)
{
  int same = a->n == b->n && a->periodic == b->periodic;
  for (int k = 0; same && k < a->n; k++)
    same = a->time[k] == b->time[k] && a->value[k] == b->value[k];
  return same;
}

#endif
