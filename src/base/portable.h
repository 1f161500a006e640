/* Functions with the same bits on every machine, host and device: those of mathematical
   libraries differ in the last place from one processor and version to the next. Sums, products,
   quotients and roots alone, which IEEE 754 rounds in one way, in a fixed order (contraction is
   off). In double. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hd.h"

/* exp(x) to about a unit in the last place; below 1e-300 it is 0. */
HD double portable_exp(double x)
{
  if (!(x > -690)) return x != x ? x : 0;
  if (x > 709) return (double)INFINITY;
  const double k = floor(x * 1.4426950408889634 + 0.5);
  const double r = fma(k, -1.9082149292705877e-10, fma(k, -0.69314718036912382, x));
  double sum = 1;
  for (int n = 14; n > 0; n--)
    sum = fma(sum, r / n, 1.0);
  return ldexp(sum, (int)k);
}

/* log(x) to about a unit in the last place. x is m 2^e with m from 1/sqrt 2 to sqrt 2, and log m =
   2 atanh s, s = (m - 1) / (m + 1), a series to s^21. */
HD double portable_log(double x)
{
  if (!(x > 0) || x - x != 0) return x == 0 ? -(double)INFINITY : x > 0 ? x : (double)NAN;
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    e -= 1;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  double p = 1.0 / 21;
  for (int n = 19; n >= 3; n -= 2)
    p = fma(p, z, 1.0 / n);
  return fma((double)e, 0x1.62e42fefa38p-1,
             2 * s + fma(2 * s, z * p, (double)e * 0x1.ef35793c7673p-45));
}

/* exp(x) - 1 to some units in the last place, also for small x: Higham, Accuracy and Stability of
   Numerical Algorithms (2002), section 1.14.1. */
HD double portable_expm1(double x)
{
  const double u = portable_exp(x);
  if (u == 1) return x;
  return u - 1 == -1 || u - u != 0 ? u - 1 : (u - 1) * x / portable_log(u);
}

/* x to the n by products: to |n| / 2 units in the last place. */
HD double portable_power(double x, int n)
{
  double y = 1;
  for (int k = 0; k < (n < 0 ? -n : n); k++)
    y *= x;
  return n < 0 ? 1 / y : y;
}

/* x to the y, x >= 0, to 2 + |y log x| units in the last place. */
HD double portable_pow(double x, double y)
{
  if (fabs(y) <= 64 && y == floor(y)) return portable_power(x, (int)y);
  return portable_exp(y * portable_log(x));
}

/* The cube root of x >= 0 to a unit in the last place. */
HD double portable_cbrt(double x)
{
  if (!(x > 0) || x - x != 0) return x;
  const double y = portable_exp(portable_log(x) / 3);
  return y - fma(y * y, y, -x) / (3 * (y * y));
}

/* Sine and cosine of x, |x| < 1e9, to about a unit in the last place of 1: series for an eighth of
   a turn to either side of the nearest quarter. */
HD void portable_turn(double x, double *sine, double *cosine)
{
  const double k = floor(x * 0.63661977236758134 + 0.5);
  const double r = fma(k, -6.123233995736766e-17, fma(k, -1.5707963267948966, x)), y = r * r;
  double p = 0, q = 0;
  for (int n = 17; n >= 3; n -= 2) {
    p = (1 - p * y) / (n * (n - 1.0));
    q = (1 - q * y) / ((n - 1.0) * (n - 2.0));
  }
  const double s = r - r * (y * p), c = 1 - y * q;
  const int quarter = (int)(k - 4 * floor(k * 0.25));
  const double along = quarter & 1 ? s : c, across = quarter & 1 ? c : s;
  *cosine = quarter == 1 || quarter == 2 ? -along : along;
  *sine = quarter >= 2 ? -across : across;
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

/* The angle of (x, y) from the x axis, in (-pi, pi], to about a unit in the last place; 0 for (0,
   0). atan t / t - 1 over t^2 by its series, for t <= tan(pi / 8). */
HD double portable_atan2(double y, double x)
{
  const double ax = fabs(x), ay = fabs(y), large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  const double ratio = large > 0 ? small / large : 0;
  const int turned = ratio > 0.41421356237309503;
  const double t = turned ? (ratio - 1) / (ratio + 1) : ratio, z = t * t;
  double sum = 0;
  for (int k = 20; k >= 1; k--)
    sum = fma(sum, -z, -1.0 / (2 * k + 1));
  double angle = fma(t * z, sum, t);
  if (turned) angle += 0.78539816339744831;
  if (ay > ax) angle = 1.5707963267948966 - angle;
  if (x < 0) angle = 3.1415926535897931 - angle;
  return y < 0 ? -angle : angle;
}

#endif
