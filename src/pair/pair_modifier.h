/* Modified interactions of GROMACS (reference manual, "Modified non-bonded interactions"): a power
   r^-n becomes S(t) r^-n + d^3 (cubic + quartic d) + constant up to where it ends, d = r - from and
   at least 0. A force switch has S = 1 and numbers with which force and energy fall to 0; a
   potential switch has S = 1 - 10 t^3 + 15 t^4 - 6 t^5, t = d / width, and no numbers. */
#ifndef PAIR_MODIFIER_H
#define PAIR_MODIFIER_H

#include "base/portable.h"
#include "pair/pair_sum.h"

/* from, end: in cutoffs. */
static inline void pair_modifier_set(struct pair_modifier *m, double from, double end,
                                     int potential_switch)
{
  m->from = R(from);
  m->end2 = R(end * end);
  m->inverse_width = R(potential_switch ? 1 / (end - from) : 0);
}

/* factor times r^-n with a force that is switched between from and end. */
static inline struct pair_power pair_power_switched(int n, double from, double end, double factor)
{
  const double width = end - from, low = (n + 1) * from, size = n * portable_power(end, -(n + 2));
  const double cubic = size * ((n + 4) * end - low) / (3 * width * width);
  const double quartic = -size * ((n + 3) * end - low) / (4 * portable_power(width, 3));
  const double constant =
      -portable_power(end, -n) - portable_power(width, 3) * (cubic + quartic * width);
  const struct pair_power p = {R(factor * cubic), R(factor * quartic), R(factor * constant)};
  return p;
}

/* The same, shifted to 0 at its end by a constant. */
static inline struct pair_power pair_power_shifted(int n, double end, double factor)
{
  const struct pair_power p = {R(0), R(0), R(-factor * portable_power(end, -n))};
  return p;
}

/* A modifier at a pair. */
struct pair_modified {
  real within; /* 1 before the end, else 0 */
  real d;
  real s, slope; /* S, -S' / r */
};

HD struct pair_modified pair_modified_at(struct pair_modifier m, struct pair_arg p)
{
  struct pair_modified w;
  const real r = p.s * p.ir;
  w.within = p.s < m.end2 ? R(1) : R(0);
  w.d = r > m.from ? r - m.from : R(0);
  const real t = w.d * m.inverse_width, left = R(1) - t, left2 = left * left;
  w.s = left2 * left * real_fma(real_fma(R(6), t, R(3)), t, R(1));
  w.slope = R(30) * (t * t) * left2 * (m.inverse_width * p.ir);
  return w;
}

/* What is added to a power: energy, and force over r. */
HD real pair_power_energy(struct pair_power c, real d)
{
  return real_fma(d * d * d, real_fma(c.quartic, d, c.cubic), c.constant);
}

HD real pair_power_force(struct pair_power c, real d, real ir)
{
  return -(d * d) * real_fma(R(4) * c.quartic, d, R(3) * c.cubic) * ir;
}

#endif
