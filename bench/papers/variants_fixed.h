/* Takes the place of base/real.h: numbers in fixed point, integers of FIXED_BITS bits (32 or 64) in
   units of 2^-FIXED_PLACES. Sums are those of integers and wrap around. Products have twice the
   bits and are rounded to the nearest unit, ties upwards. 1 / sqrt(x) alone is formed in float. */
#ifndef REAL_H
#define REAL_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

#define FIXED static __host__ __device__ __forceinline__
#define MEMBER __host__ __device__ __forceinline__

template <int BITS> struct fixed_words;
template <> struct fixed_words<32> {
  typedef int32_t word;
  typedef uint32_t modulo;
  typedef int64_t product;
};
template <> struct fixed_words<64> {
  typedef int64_t word;
  typedef uint64_t modulo;
  typedef __int128 product;
};

typedef fixed_words<FIXED_BITS>::word fixed_word;
typedef fixed_words<FIXED_BITS>::modulo fixed_modulo;
typedef fixed_words<FIXED_BITS>::product fixed_product;

/* A template, so that units of other places have another type to the linker. */
template <int BITS, int PLACES> struct fixed_number {
  fixed_word word;

  fixed_number() = default;
  MEMBER constexpr fixed_number(int v) : word((fixed_word)((fixed_modulo)v << PLACES)) {}
  MEMBER constexpr fixed_number(double v)
      : word((fixed_word)(v * (double)(INT64_C(1) << PLACES) + (v < 0 ? -0.5 : 0.5)))
  {
  }
  MEMBER explicit operator double() const
  {
    return (double)word * (1.0 / (double)(INT64_C(1) << PLACES));
  }
  MEMBER explicit operator int() const { return (int)(double)*this; }
};

typedef fixed_number<FIXED_BITS, FIXED_PLACES> real;

#define R(x) ((real)(x))

FIXED real fixed_of(fixed_word word)
{
  real v;
  v.word = word;
  return v;
}

/* a b 2^-places, rounded. */
FIXED fixed_word fixed_multiplied(fixed_word a, fixed_word b, int places)
{
  const fixed_product half = (fixed_product)1 << (places - 1);
  return (fixed_word)(((fixed_product)a * b + half) >> places);
}

FIXED real operator+(real a, real b)
{
  return fixed_of((fixed_word)((fixed_modulo)a.word + (fixed_modulo)b.word));
}

FIXED real operator-(real a, real b)
{
  return fixed_of((fixed_word)((fixed_modulo)a.word - (fixed_modulo)b.word));
}

FIXED real operator-(real a)
{
  return fixed_of((fixed_word)(0 - (fixed_modulo)a.word));
}

FIXED real operator*(real a, real b)
{
  return fixed_of(fixed_multiplied(a.word, b.word, FIXED_PLACES));
}

/* Of terms that water does not have. */
FIXED real operator/(real a, real b)
{
  return real((double)a / (double)b);
}

FIXED real &operator+=(real &a, real b)
{
  return a = a + b;
}

FIXED real &operator-=(real &a, real b)
{
  return a = a - b;
}

FIXED real &operator*=(real &a, real b)
{
  return a = a * b;
}

FIXED bool operator<(real a, real b)
{
  return a.word < b.word;
}

FIXED bool operator>(real a, real b)
{
  return a.word > b.word;
}

FIXED bool operator>=(real a, real b)
{
  return a.word >= b.word;
}

FIXED real real_choose(int take, real a, real b)
{
  return take ? a : b;
}

FIXED real real_max(real a, real b)
{
  return a > b ? a : b;
}

FIXED real real_min(real a, real b)
{
  return a < b ? a : b;
}

FIXED real real_rsqrt(real x)
{
  const float scale = (float)(INT64_C(1) << FIXED_PLACES), v = (float)x.word / scale;
#ifdef __CUDA_ARCH__
  const float root = rsqrtf(v);
#else
  const float root = 1.0f / sqrtf(v);
#endif
  return fixed_of((fixed_word)llrintf(root * scale));
}

FIXED real real_sqrt(real x)
{
  return x * real_rsqrt(x);
}

FIXED real real_fma(real a, real b, real c)
{
  return a * b + c;
}

/* The factor of real_length: a box in cutoffs. */
FIXED real real_length_factor(double box)
{
  return real(box);
}

/* A difference of positions in units of the box / 2^32, in cutoffs. */
FIXED real real_length(int32_t difference, real factor)
{
  return fixed_of(fixed_multiplied(difference, factor.word, 32));
}

#ifdef __CUDACC__
/* The value of the lane whose number differs in the bits of mask. */
static __device__ __forceinline__ real real_exchange(real v, int mask)
{
  return fixed_of(__shfl_xor_sync(~0u, v.word, mask));
}
#endif

#endif
