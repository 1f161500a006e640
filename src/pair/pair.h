/* The interaction of a pair: the sum of the terms of a set. A set is a bit mask that is constant in
   every kernel, so that the terms outside it, and the loads of axes they would need, vanish. */
#ifndef PAIR_H
#define PAIR_H

#include "model/energy.h"
#include "pair/pair_list.h"
#include "pair/pair_terms.h"

/* Coefficients of a pair of types: those that do not come with the beads' charges and axes. */
struct pair_coef {
  struct pair_lj lj;
};

#define PAIR_AXIS_point 0u
#define PAIR_AXIS_axis 1u

/* The terms that read axes. */
enum {
  PAIR_AXIS_TERMS = 0u
#define TERM(kind, name, ...) | PAIR_AXIS_##kind << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
};

/* Slopes of the terms of a set together, and the energy of each channel. */
struct pair_value {
  struct pair_slope slope;
  real energy[ENERGIES];
};

HD struct pair_value pair_evaluate(unsigned set, struct pair_coef c, struct pair_arg p)
{
  const real none = R(-0.0); /* what a compiler may leave out of a sum */
  struct pair_value value = {{none, none, none, none, none}, {0}};
  struct pair_slope *v = &value.slope;
  (void)c;
#define TERM(kind, name, channel, smooth, call)                                                    \
  if (set & PAIR_BIT(name)) {                                                                      \
    v->u = 0;                                                                                      \
    call;                                                                                          \
    value.energy[ENERGY_##channel] += v->u;                                                        \
  }
#include "pair/pair_list.h"
#undef TERM
  return value;
}

/* The arguments at separation r (in cutoffs) between axes ui and uj. self: the bead itself, which
   pads lists: outside the cutoff. axes is a constant. */
HD struct pair_arg pair_arguments(struct vec3 r, struct vec3 ui, struct vec3 uj, real qi, real qj,
                                  int self, int axes)
{
  struct pair_arg p;
  real s = vec3_dot(r, r);
  s = self ? R(1) : s;
  p.inside = s < R(1) ? R(1) : R(0);
  p.s = s < R(1) ? s : R(1);
  p.ir = real_rsqrt(p.s);
  p.qi = qi;
  p.qj = qj;
  p.a = p.b = p.c = 0;
  if (axes) {
    p.a = vec3_dot(ui, r);
    p.b = vec3_dot(uj, r);
    p.c = vec3_dot(ui, uj);
  }
  return p;
}

#endif
