/* The interaction of a pair: the sum of the terms of a set. A set is a bit mask that is constant in
   every kernel, so that the terms outside it, and the loads of axes they would need, vanish. */
#ifndef PAIR_H
#define PAIR_H

#include "model/energy.h"
#include "pair/pair_sum.h"
#include "pair/pair_terms.h"
#ifndef PAIR_ONLY
#include "pair/pair_dd.h"
#include "pair/pair_gb.h"
#include "pair/pair_lj.h"
#include "pair/pair_qd.h"
#include "pair/pair_qq.h"
#include "pair/pair_soft.h"
#include "pair/pair_sticky.h"
#include "pair/pair_tabulated.h"
#endif

/* Slopes of the terms of a set together, and the energy of each channel. */
struct pair_value {
  struct pair_slope slope;
  real energy[ENERGIES];
};

HD struct pair_value pair_evaluate(unsigned set, struct pair_constants k, struct pair_coef c,
                                   struct pair_arg p)
{
  const real none = R(-0.0); /* what a compiler may leave out of a sum */
  struct pair_value value = {{none, none, none, none, none, none, none, none, none}, {0}};
  struct pair_slope *v = &value.slope;
  real *energy = value.energy;
  (void)energy;
  (void)c;
  (void)k;
#define TERM(geometry, name, channel, family, charges, smooth, call)                               \
  if (set & PAIR_BIT(name)) {                                                                      \
    v->u = 0;                                                                                      \
    call;                                                                                          \
    value.energy[ENERGY_##channel] += v->u;                                                        \
  }
#include "pair/pair_list.h"
#undef TERM
  return value;
}

/* The energy of a bead with a charge q in the reaction field of its own charge, which a set of
   terms leaves out of pairs: half of that of two such charges at one place
   (bonded_excluded_reaction_field). */
HD real pair_self(unsigned set, struct pair_constants k, real q)
{
  if (!(set & PAIR_FIELD_TERMS)) return 0;
  return R(-0.5) * k.charge_self * k.charges * (q * q);
}

#ifndef REAL_DOUBLE
/* In place of a smaller r.r, in float: r^-8 is still finite there, so that a pair without an
   interaction has none at any distance, and not 0 times infinity. Where terms are of points, the
   force of Lennard-Jones is finite too, so that a bead has none on itself (r = 0). */
HD real pair_least_s(unsigned set)
{
  return pair_set_axes(set) || (set & PAIR_BIT(tabulated)) ? R(4e-10) : R(1e-4);
}
#endif

/* s = r.r as terms read it. self: as below. In float kernels of GPUs with axes r itself tells what
   the index would: no bead is so near to another. */
HD real pair_clamped(real s, int self, unsigned set)
{
#if defined(__CUDA_ARCH__) && !defined(REAL_DOUBLE)
  if (pair_set_axes(set)) return s > pair_least_s(set) ? s : R(1);
#endif
  s = self ? R(1) : s;
#ifdef REAL_DOUBLE
  (void)set;
  return s;
#else
  return real_max(s, pair_least_s(set));
#endif
}

/* The arguments of bead i with j at separation r = r_i - r_j (in cutoffs). self: the bead itself,
   which pads lists: outside the cutoff. set is a constant: the terms. */
HD struct pair_arg pair_arguments(struct vec3 r, struct pair_bead i, struct pair_bead j, int self,
                                  unsigned set)
{
  const int axes = pair_set_axes(set);
  struct pair_arg p;
  real s = real_fma_saturated(r.z, r.z, real_fma(r.y, r.y, r.x * r.x));
  s = pair_clamped(s, self, set);
  p.inside = s < R(1) ? R(1) : R(0);
  p.s = s;
  p.i2 = real_inverse(p.s);
  p.ir = real_rsqrt_known(p.s, p.i2);
  p.qi = i.q;
  p.qj = j.q;
  p.a = p.b = p.c = p.xi = p.yi = p.xj = p.yj = 0;
  if (axes) {
    p.a = vec3_dot(i.u, r);
    p.b = vec3_dot(j.u, r);
    p.c = vec3_dot(i.u, j.u);
  }
  if (axes > 1) {
    p.xi = vec3_dot(i.x, r);
    p.yi = vec3_dot(i.y, r);
    p.xj = vec3_dot(j.x, r);
    p.yj = vec3_dot(j.y, r);
  }
  return p;
}

#endif
