/* Working precision of pair and bonded arithmetic. A source file that includes this header is
   compiled twice: for float (mixed precision) and, with REAL_DOUBLE, for double. Types and
   functions with `real` may not be shared between translation units. */
#ifndef REAL_H
#define REAL_H

#include <math.h>

#include "base/hd.h"
#if defined(KERNEL_NAME) && !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
#define REAL_FMA_MISSING /* in loops over vectors, where a call of fma would be in the way */
#endif
#if defined(REAL_FMA_MISSING) && defined(REAL_DOUBLE)
#include "base/portable_fma.h"
#endif

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

/* 1 / x and, below, 1 / sqrt(x), exactly 1 for x = 1. On GPUs the float versions are one
   instruction each, with errors of at most 1 and 2 units in the last place. */
HD real real_inverse(real x)
{
#if defined(__CUDA_ARCH__) && !defined(REAL_DOUBLE)
  real r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return R(1) / x;
#endif
}

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

/* a if `first` is not 0, else b. In kernels by an instruction: of a choice between members of
   arrays nvcc makes one between their addresses, for which the arrays have to be in memory. */
HD real real_choose(int first, real a, real b)
{
#ifndef __CUDA_ARCH__
  return first ? a : b;
#else
  real r;
#ifdef REAL_DOUBLE
  asm("{.reg .pred p; setp.ne.s32 p, %3, 0; selp.f64 %0, %1, %2, p;}"
      : "=d"(r)
      : "d"(a), "d"(b), "r"(first));
#else
  asm("{.reg .pred p; setp.ne.s32 p, %3, 0; selp.f32 %0, %1, %2, p;}"
      : "=f"(r)
      : "f"(a), "f"(b), "r"(first));
#endif
  return r;
#endif
}

/* a b + c with one rounding. Formulas use it explicitly; contraction by the compiler is off, so
   that kernels with and without energies, and those of all instruction sets, give the same bits.
   Only the float kernels of processors without the instruction round twice: once would take 8 to 25
   times as long. */
HD real real_fma(real a, real b, real c)
{
#if !defined(REAL_FMA_MISSING) && defined(REAL_DOUBLE)
  return fma(a, b, c);
#elif !defined(REAL_FMA_MISSING)
  return fmaf(a, b, c);
#elif defined(REAL_DOUBLE)
  return portable_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/* 1 / sqrt(x) where 1 / x is known: there a root in place of a root and a division, but the
   instruction for it on GPUs in float. */
HD real real_rsqrt_known(real x, real inverse)
{
#if defined(__CUDA_ARCH__) && !defined(REAL_DOUBLE)
  (void)inverse;
  return rsqrtf(x);
#else
  (void)x;
  return real_sqrt(inverse);
#endif
}

/* The smaller of 1 and real_fma(a, b, c) >= 0: on GPUs in float one instruction. */
HD real real_fma_saturated(real a, real b, real c)
{
#if defined(__CUDA_ARCH__) && !defined(REAL_DOUBLE)
  real r;
  asm("fma.rn.ftz.sat.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
  return r;
#else
  const real x = real_fma(a, b, c);
  return x < R(1) ? x : R(1);
#endif
}

#endif
