/* Working precision of pair and bonded arithmetic, a property of the translation unit: a file that
   includes this is compiled once for float (mixed) and once for double (REAL_DOUBLE). Nothing that
   contains real crosses from one unit to another. */
#ifndef REAL_H
#define REAL_H

#include <math.h>

#include "base/hd.h"

#ifdef REAL_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#define R(x) ((real)(x))

HD real real_sqrt(real x)
{
#ifdef REAL_DOUBLE
  return sqrt(x);
#else
  return sqrtf(x);
#endif
}

/* 1 / sqrt(x), exactly 1 at 1. A GPU has an instruction for float (good to 2 units in the last
   place, and exact at 1). */
HD real real_rsqrt(real x)
{
#if defined(__CUDA_ARCH__) && !defined(REAL_DOUBLE)
  return rsqrtf(x);
#else
  return R(1) / real_sqrt(x);
#endif
}

HD real real_max(real a, real b)
{
  return a > b ? a : b;
}

HD real real_min(real a, real b)
{
  return a < b ? a : b;
}

/* a b + c, rounded once where the processor can: formulas say where they mean it, and contraction
   by the compiler is off, so kernels with and without energies give the same bits. */
HD real real_fma(real a, real b, real c)
{
#if defined(__CUDA_ARCH__) || defined(__FMA__)
#ifdef REAL_DOUBLE
  return fma(a, b, c);
#else
  return fmaf(a, b, c);
#endif
#else
  return a * b + c;
#endif
}

#endif
