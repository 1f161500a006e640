/* Counter-based random numbers on host and device: Philox 4x32-10 (Salmon et al., SC11, 2011). A
   number depends only on seed, step, bead id and stream, not on ranks, devices or the history of a
   run. */
#ifndef RNG_H
#define RNG_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
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
  RNG_BUILD_SHUFFLE
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

/* Four normal numbers with mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 610,
   1958). */
HD void rng_normal(uint64_t seed, uint64_t step, uint64_t id, uint32_t stream, double out[4])
{
  struct rng_block b = rng_words(seed, step, id, stream);
  for (int k = 0; k < 4; k += 2) {
    double r = sqrt(-2.0 * log(rng_unit(b.word[k]))),
           angle = 2.0 * UNITS_PI * rng_unit(b.word[k + 1]);
    out[k] = r * cos(angle);
    out[k + 1] = r * sin(angle);
  }
}

#endif
