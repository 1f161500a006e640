/* Counter-based random numbers on host and device: Philox 4x32-10 (Salmon et al., SC11, 2011). A
   number depends only on seed, step, bead id and stream, not on ranks, devices or the history of a
   run. */
#ifndef RNG_H
#define RNG_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "base/portable.h"
#include "base/units.h"

/* What the numbers are for. Do not reorder or insert: trajectories depend on the values. */
enum rng_stream {
  RNG_START,    /* starting momenta */
  RNG_LANGEVIN, /* translation */
  RNG_LANGEVIN_ROT,
  RNG_BUSSI,
  RNG_CRESCALE,
  RNG_BUILD, /* starting configurations */
  RNG_BUILD_ORIENTATION,
  RNG_BUILD_SHUFFLE,
  RNG_EXCHANGE /* of replicas */
};

struct rng_block {
  uint32_t word[4];
};

HD struct rng_block rng_philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0,
                               uint32_t k1)
{
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)p1;
    c3 = (uint32_t)p0;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  struct rng_block b;
  b.word[0] = c0;
  b.word[1] = c1;
  b.word[2] = c2;
  b.word[3] = c3;
  return b;
}

/* One block of Philox. Of the 128-bit counter the step takes 56 bits, the id 64, the stream 8; the
   key is the seed. */
HD struct rng_block rng_words(uint64_t seed, uint64_t step, uint64_t id, uint32_t stream)
{
  return rng_philox((uint32_t)step, ((uint32_t)(step >> 32) & 0xffffffu) | stream << 24,
                    (uint32_t)id, (uint32_t)(id >> 32), (uint32_t)seed, (uint32_t)(seed >> 32));
}

/* Maps 32 bits to a uniform number in (0, 1). */
HD double rng_unit(uint32_t word)
{
  return ((double)word + 0.5) * 0x1p-32;
}

HD void rng_uniform(uint64_t seed, uint64_t step, uint64_t id, uint32_t stream, double out[4])
{
  struct rng_block b = rng_words(seed, step, id, stream);
  for (int k = 0; k < 4; k++)
    out[k] = rng_unit(b.word[k]);
}

/* An integer below 2^52 as a number, exactly. */
HD double rng_whole(uint64_t n)
{
  return portable_number(n | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* The logarithm of rng_unit(word) to 4e-16 of it. rng_unit is m 2^e with m from 1/sqrt 2 to sqrt 2,
   and log m = 2 atanh s, s = (m - 1) / (m + 1), a series to s^21. The exponent e is
   that of rng_whole(word) + 0.5, which is 2^32 rng_unit(word), less 32 and its bias of 1023. */
HD double rng_log(uint32_t word)
{
  const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  const uint64_t bits = portable_bits(rng_whole(word) + 0.5);
  const double twice =
      portable_number((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000));
  const int above = twice > 0x1.6a09e667f3bcdp0;
  const double m = above ? 0.5 * twice : twice,
               e = rng_whole(bits >> 52) - (above ? 1054.0 : 1055.0);
  const double s = (m - 1) / (m + 1), z = s * s;
  return e * ln2_high + (2 * s + (2 * s * (z * portable_atanh_series(z)) + e * ln2_low));
}

/* Sine and cosine of 2 pi rng_unit(word), to 2e-16: series for an eighth of a turn to either side
   of the nearest quarter. */
HD void rng_turn(uint32_t word, double *sine, double *cosine)
{
  const uint32_t shifted = word + 0x20000000u, quarter = shifted >> 30;
  const double x = (rng_whole(shifted & 0x3fffffffu) - 536870911.5) * (2 * UNITS_PI * 0x1p-32);
  portable_eighth(x, sine, cosine);
  portable_quarters(quarter, sine, cosine);
}

/* Four normal numbers with mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 610, 1958).
   They do not depend on the mathematical library, and the compiler can vectorise loops. */
HD void rng_normal(uint64_t seed, uint64_t step, uint64_t id, uint32_t stream, double out[4])
{
  struct rng_block b = rng_words(seed, step, id, stream);
  for (int k = 0; k < 4; k += 2) {
    const double r = sqrt(-2.0 * rng_log(b.word[k]));
    double sine, cosine;
    rng_turn(b.word[k + 1], &sine, &cosine);
    out[k] = r * cosine;
    out[k + 1] = r * sine;
  }
}

#endif
