/* a b + c with one rounding in double, for processors that have no such instruction, in operations
   that their vector units have: the same bits as fma. */
#ifndef PORTABLE_FMA_H
#define PORTABLE_FMA_H

#include <stdint.h>
#include <string.h>

#include "base/hd.h"

/* s + lost, which is no double, rounded so that the last bit of s is 1: then a second rounding, to
   fewer bits, is that of the sum. lost: at most half a unit in the last place of s; 0 or NaN: s. */
HD double portable_odd(double s, double lost)
{
  const double one =
      lost != 0 ? 0x1p-1074 : 0; /* the integer 1: gcc makes vectors of this choice */
  uint64_t bits, sign, some;
  memcpy(&bits, &s, sizeof bits);
  memcpy(&sign, &lost, sizeof sign);
  memcpy(&some, &one, sizeof some);
  const uint64_t step = ~bits & some, down = (bits ^ sign) >> 63;
  bits += step - ((step & down) << 1);
  memcpy(&s, &bits, sizeof s);
  return s;
}

/* What rounding has left out of s = a + b (Knuth). */
HD double portable_sum_lost(double a, double b, double s)
{
  const double d = s - a;
  return (a - (s - d)) + (b - d);
}

/* Boldo and Melquiond, IEEE Trans. Comput. 57, 462, 2008. The same bits as fma where the last place
   of a b is above 1e-307, and numbers are below 1e300. */
#ifndef __CUDACC__
#pragma omp declare simd notinbranch
#endif
HD_LONG double portable_fma(double a, double b, double c)
{
  const double split = 0x1p27 + 1; /* Dekker, Numer. Math. 18, 224, 1971 */
  const double sa = split * a, sb = split * b, ah = sa - (sa - a), bh = sb - (sb - b), al = a - ah,
               bl = b - bh;
  const double p = a * b, lost = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  const double t = c + lost, v = p + t;
  const double rest = portable_sum_lost(c, lost, t), other = portable_sum_lost(p, t, v),
               r = rest + other;
  const double sum = v + portable_odd(r, portable_sum_lost(rest, other, r));
  return sum - sum == 0 ? sum : p + c;
}

#endif
