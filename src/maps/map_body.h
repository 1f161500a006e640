/* What a source adds to the potential at a point, for the host and for CUDA kernels, in working
   precision. Lengths are in units of the cutoff (MAP_DIRECT: 1 nm), potentials in kJ/mol/e. Amounts
   of sources are scaled once (map_amount_of), so that no constant is left in the formulas:
     MAP_DIRECT       q / r            p.d / r^3
     MAP_CUTOFF       q (1 - s)^2 / r  p.d (1 - s)(1 + 3 s) / r^3, s = r^2
     MAP_FORCE_FIELD  the pair terms of the force field, pair_qq.h and pair_qd.h, for a charge of 1
   The last two are exactly 0 at s = 1, to which s is clamped. */
#ifndef MAP_BODY_H
#define MAP_BODY_H

#include "base/torus.h"
#include "base/units.h"
#include "base/vec.h"
#include "maps/map.h"
#include "pair/pair_qd.h"
#include "pair/pair_qq.h"

/* Constants of a job. */
struct map_constants {
  real h[3];  /* a unit of the torus */
  real least; /* square of MAP_NEAREST */
  double charge, dipole;
};

struct map_amount {
  real q;
  struct vec3 p;
};

static inline struct map_constants map_constants_of(const struct map_job *job)
{
  const double unit = job->method == MAP_DIRECT ? 1 : job->cutoff;
  struct map_constants c;
  for (int k = 0; k < 3; k++)
    c.h[k] = R(job->torus.edge[k] / TORUS_EDGE / unit);
  c.least = R(MAP_NEAREST / unit * (MAP_NEAREST / unit));
  c.charge = map_coulomb(job) / unit / (job->method == MAP_FORCE_FIELD ? 3 : 1);
  c.dipole = map_coulomb(job) / (unit * unit);
  return c;
}

HD struct map_amount map_amount_of(const struct map_source *s, struct map_constants c)
{
  struct map_amount a;
  a.q = R(c.charge * s->q);
  a.p = vec3_make(R(c.dipole * s->p[0]), R(c.dipole * s->p[1]), R(c.dipole * s->p[2]));
  return a;
}

/* A difference point - source of one coordinate on the torus. */
HD real map_difference(int32_t point, int32_t source, real h)
{
  return R(torus_difference(point, source)) * h;
}

/* s = d.d, along = p.d, d = point - source. dipoles: whether there are any; it and the method are
   constants of a kernel. */
HD real map_value(int method, int dipoles, real s, real q, real along, real least)
{
  s = real_max(s, least);
  if (method != MAP_DIRECT) s = real_min(s, R(1));
  const real ir = real_rsqrt(s), i2 = ir * ir;
  if (method == MAP_FORCE_FIELD) {
    struct pair_slope v = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    const struct pair_arg p = {s, i2, ir, R(1), R(0), along, R(0), R(1), R(0), 0, 0, 0, 0};
    pair_qq_add(q, p, &v);
    if (dipoles) pair_qd_add(p, &v);
    return v.u;
  }
  const real t = R(1) - s;
  real sum = method == MAP_DIRECT ? q : q * t;
  if (dipoles && method == MAP_DIRECT) sum = real_fma(along, i2, sum);
  if (dipoles && method == MAP_CUTOFF) sum = real_fma(along * i2, real_fma(R(3), s, R(1)), sum);
  return method == MAP_DIRECT ? ir * sum : (t * ir) * sum;
}

/* A sum of contributions; lost: what its rounding has left out (Kahan). */
struct map_sum {
  real sum, lost;
};

HD struct map_sum map_sum_add(struct map_sum t, real value, int compensated)
{
  struct map_sum next;
  const real y = compensated ? value - t.lost : value;
  next.sum = t.sum + y;
  next.lost = compensated ? (next.sum - t.sum) - y : t.lost;
  return next;
}

#endif
