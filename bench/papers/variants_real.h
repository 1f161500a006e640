/* The type real of one kind of arithmetic, chosen by macros of the compiler's command line:
   FIXED_BITS and FIXED_PLACES   fixed point, variants_fixed.h
   REAL_DOUBLE                   double
   ROUNDED                       float with the intrinsics __fadd_rn, __fmul_rn, __fdiv_rn and
                                 __fsqrt_rn: every operation rounded, none fused
   none of them                  float */
#ifndef VARIANTS_REAL_H
#define VARIANTS_REAL_H

#include <math.h>
#include <stdint.h>

#ifdef FIXED_PLACES
#include "variants_fixed.h"
#else

/* Read by kernels only: base/real.h calls these two functions where __CUDA_ARCH__ is defined. */
#ifdef ROUNDED
#define fmaf(a, b, c) __fadd_rn(__fmul_rn(a, b), c)
#define rsqrtf(x) __fdiv_rn(1.0f, __fsqrt_rn(x))
#endif
#include "base/real.h"

HD real real_length_factor(double box)
{
  return R(box / 4294967296.0);
}

HD real real_length(int32_t difference, real factor)
{
  return R(difference) * factor;
}

static __device__ __forceinline__ real real_exchange(real v, int mask)
{
  return __shfl_xor_sync(~0u, v, mask);
}
#endif

#endif
