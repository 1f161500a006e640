/* Sums whose value does not depend on the order of their parts: integers. Those that feed back into
   the motion are single 64-bit words with a quantum fixed by the number of beads; reported energies
   are two words. A part that does not fit is counted in overflow, never wrapped. */
#ifndef SUMS_H
#define SUMS_H

#include <math.h>
#include <stdint.h>

#include "energy.h"
#include "hd.h"

/* Symmetric tensor: xx yy zz xy xz yz; full tensor: row by row. */
enum sum_word {
  SUM_KINETIC,                    /* p_a p_b / m, 6 words: twice the kinetic energy */
  SUM_ROTATION = SUM_KINETIC + 6, /* sum of j_k^2 / I_k: twice the rotational energy */
  SUM_MOMENTUM,                   /* 3 words */
  SUM_VIRIAL = SUM_MOMENTUM + 3,  /* r_a f_b, 9 words */
  SUM_WORDS = SUM_VIRIAL + 9
};

struct sums {
  int64_t word[SUM_WORDS];
  int64_t energy[ENERGIES][2]; /* low 32 bits (unsigned), high part */
  int64_t overflow;            /* parts that did not fit */
};

enum { SUM_ENERGY_BITS = 34 }; /* binary places of an energy in kJ/mol */

/* Binary places of the words: room for 2^20 kJ/mol a bead on average. */
static inline int sum_bits(int64_t n_total)
{
  int log2 = 0;
  while (log2 < 40 && (INT64_C(1) << log2) < n_total)
    log2++;
  return 42 - log2;
}

/* v in units of 2^-bits; scale = 2^bits. */
HD int64_t sum_fixed(double v, double scale, int64_t *overflow)
{
  double x = v * scale;
  if (!(fabs(x) < 2.0e18)) {
    *overflow += 1;
    return 0;
  }
#ifdef __CUDA_ARCH__
  return __double2ll_rn(x);
#else
  return (int64_t)nearbyint(x);
#endif
}

HD void sum_add_energy(struct sums *s, int channel, double v)
{
  int64_t x = sum_fixed(v, (double)(INT64_C(1) << SUM_ENERGY_BITS), &s->overflow);
  s->energy[channel][0] += x & INT64_C(0xffffffff);
  s->energy[channel][1] += x >> 32;
}

HD double sum_energy(const struct sums *s, int channel)
{
  return ((double)s->energy[channel][1] * 4294967296.0 + (double)s->energy[channel][0]) /
         (double)(INT64_C(1) << SUM_ENERGY_BITS);
}

HD double sum_word(const struct sums *s, int word, int bits)
{
  return ldexp((double)s->word[word], -bits);
}

#endif
