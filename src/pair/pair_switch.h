/* A cubic switching function S that takes terms to 0 at the cutoff: S = 1 below r_on and
   (1 - r)^2 (1 + 2 r - 3 r_on) / (1 - r_on)^3 above. */
#ifndef PAIR_SWITCH_H
#define PAIR_SWITCH_H

#include "base/real.h"

struct pair_switch {
  real s, d; /* S, -S' / r */
};

/* The function between on and end of a distance r, factor = (end - on)^-3. */
HD struct pair_switch pair_switch_at(real r, real ir, real on, real end, real factor)
{
  struct pair_switch w;
  real x = r > on ? r : on;
  x = x < end ? x : end;
  real left = end - x;
  w.s = (left * left) * (real_fma(R(2), x, real_fma(R(-3), on, end)) * factor);
  w.d = R(6) * (left * (x - on)) * (factor * ir);
  return w;
}

#endif
