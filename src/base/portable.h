/* Functions with the same bits on every machine, host and device: those of mathematical
   libraries differ in the last place from one processor and version to the next. Sums, products,
   quotients, roots and fma alone, which IEEE 754 rounds in one way, in a fixed order (contraction
   is off). In double. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hd.h"

/* The number with these bits, and the bits of a number. */
HD double portable_number(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

HD uint64_t portable_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* exp(x) within a unit in the last place; below 1e-300 it is 0. x is k log 2 + r, and exp r a
   series to r^14. */
HD_LONG double portable_exp(double x)
{
  if (!(x > -690)) return x != x ? x : 0;
  if (x > 709) return (double)INFINITY;
  const double k = floor(x * 1.4426950408889634 + 0.5);
  const double high = x - k * 0x1.62e42fefa38p-1, low = k * 0x1.ef35793c7673p-45;
  const double r = high - low, lost = (high - r) - low;
  double q = 1.0 / 87178291200.0;
  q = q * r + 1.0 / 6227020800.0;
  q = q * r + 1.0 / 479001600.0;
  q = q * r + 1.0 / 39916800.0;
  q = q * r + 1.0 / 3628800.0;
  q = q * r + 1.0 / 362880.0;
  q = q * r + 1.0 / 40320.0;
  q = q * r + 1.0 / 5040.0;
  q = q * r + 1.0 / 720.0;
  q = q * r + 1.0 / 120.0;
  q = q * r + 1.0 / 24.0;
  q = q * r + 1.0 / 6.0;
  q = q * r + 0.5;
  const double scale = portable_number((uint64_t)((int64_t)k + 1023) << 52);
  return (1.0 + (r + (r * r * q + lost))) * scale;
}

/* 1/3 + z/5 + z^2/7 ..., for z up to (3 - sqrt 8)^2: atanh(s) is s + s z times it, z = s^2. */
HD double portable_atanh_series(double z)
{
  double p = 1.0 / 21;
  p = p * z + 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  return p * z + 1.0 / 3;
}

/* log(x) within a unit in the last place. x is (1 + f) 2^e with 1 + f from 1/sqrt 2 to sqrt 2, and
   log(1 + f) = 2 atanh s = f - s (f - 2 s^2 (1/3 + s^2/5 ...)), s = f / (2 + f). */
HD_LONG double portable_log(double x)
{
  if (!(x > 0) || x - x != 0) return x == 0 ? -(double)INFINITY : x > 0 ? x : (double)NAN;
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    e -= 1;
  }
  const double f = m - 1, s = f / (2 + f), z = s * s;
  const double less = s * (f - 2 * z * portable_atanh_series(z));
  return (double)e * 0x1.62e42fefa38p-1 + (f - (less - (double)e * 0x1.ef35793c7673p-45));
}

/* exp(x) - 1 to four units in the last place, also for small x: Higham, Accuracy and Stability of
   Numerical Algorithms (2002), section 1.14.1. */
HD_LONG double portable_expm1(double x)
{
  const double u = portable_exp(x);
  if (u == 1) return x;
  return u - 1 == -1 || u - u != 0 ? u - 1 : (u - 1) * x / portable_log(u);
}

/* x to the n, rounded once in nearly every case: a product of |n| factors in pairs of doubles. */
HD_LONG double portable_power(double x, int n)
{
  double y = 1, low = 0, plain = 1;
  for (int k = 0; k < (n < 0 ? -n : n); k++) {
    const double p = y * x, lost = fma(y, x, -p) + low * x;
    y = p + lost;
    low = (p - y) + lost;
    plain *= x;
  }
  const double inverse = 1 / y;
  if (y - y != 0 || inverse - inverse != 0) return n < 0 ? 1 / plain : plain;
  return n < 0 ? inverse + inverse * (fma(-inverse, y, 1.0) - inverse * low) : y;
}

/* x to the y, x >= 0, to 2 + 2 |y log x| units in the last place. */
HD_LONG double portable_pow(double x, double y)
{
  if (fabs(y) <= 64 && y == floor(y)) return portable_power(x, (int)y);
  return portable_exp(y * portable_log(x));
}

/* The cube root of x >= 0, rounded once in nearly every case: a step of Newton's with the remainder
   in pairs of doubles. */
HD_LONG double portable_cbrt(double x)
{
  if (!(x > 0) || x - x != 0) return x;
  const double y = portable_exp(portable_log(x) / 3), y2 = y * y;
  return y - (fma(y2, y, -x) + fma(y, y, -y2) * y) / (3 * y2);
}

/* Sine and cosine for an eighth of a turn to either side of 0, to 2e-16: series. */
HD void portable_eighth(double x, double *sine, double *cosine)
{
  const double y = x * x;
  double p = 1.0 / 355687428096000.0, q = 1.0 / 20922789888000.0;
  p = p * y - 1.0 / 1307674368000.0;
  p = p * y + 1.0 / 6227020800.0;
  p = p * y - 1.0 / 39916800.0;
  p = p * y + 1.0 / 362880.0;
  p = p * y - 1.0 / 5040.0;
  p = p * y + 1.0 / 120.0;
  p = p * y - 1.0 / 6.0;
  q = q * y - 1.0 / 87178291200.0;
  q = q * y + 1.0 / 479001600.0;
  q = q * y - 1.0 / 3628800.0;
  q = q * y + 1.0 / 40320.0;
  q = q * y - 1.0 / 720.0;
  q = q * y + 1.0 / 24.0;
  *sine = x + x * (y * p);
  *cosine = (1.0 - 0.5 * y) + (y * y) * q;
}

/* Of x + quarter turns, from sine and cosine of x. */
HD void portable_quarters(unsigned quarter, double *sine, double *cosine)
{
  const double along = quarter & 1u ? *sine : *cosine, across = quarter & 1u ? *cosine : *sine;
  *cosine = quarter == 1u || quarter == 2u ? -along : along;
  *sine = quarter >= 2u ? -across : across;
}

/* Sine and cosine of x, |x| < 1e9, to two units in the last place. */
HD_LONG void portable_turn(double x, double *sine, double *cosine)
{
  const double k = floor(x * 0.63661977236758134 + 0.5);
  portable_eighth(fma(k, -6.123233995736766e-17, fma(k, -1.5707963267948966, x)), sine, cosine);
  portable_quarters((unsigned)(k - 4 * floor(k * 0.25)), sine, cosine);
}

HD double portable_cos(double x)
{
  double sine, cosine;
  portable_turn(x, &sine, &cosine);
  return cosine;
}

HD double portable_sin(double x)
{
  double sine, cosine;
  portable_turn(x, &sine, &cosine);
  return sine;
}

/* The angle of (x, y) from the x axis, in (-pi, pi], to three units in the last place; 0 for
   (0, 0). Of t <= tan(pi / 8) a series in t^2. */
HD_LONG double portable_atan2(double y, double x)
{
  const double ax = fabs(x), ay = fabs(y), large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  if (x != x || y != y) return x + y;
  const double ratio = large > 0 ? small / large : 0;
  const int turned = ratio > 0.41421356237309503;
  const double t = turned ? (small - large) / (small + large) : ratio, z = t * t;
  double sum = 0;
  UNROLL
  for (int k = 20; k >= 1; k--)
    sum = (1.0 / (2 * k + 1) - sum) * z;
  double angle = t - t * sum;
  if (turned) angle += 0.78539816339744831;
  if (ay > ax) angle = 1.5707963267948966 - angle;
  if (x < 0) angle = 3.1415926535897931 - angle;
  return y < 0 ? -angle : angle;
}

/* The least n with 2^n >= x, for x > 0. */
HD int portable_binary_places(double x)
{
  int e;
  return frexp(x, &e) == 0.5 ? e - 1 : e;
}

#endif
