/* Sums whose value does not depend on the order of their parts: integers. Those that feed back into
   the motion are single 64-bit words with a quantum fixed by the number of beads; reported energies
   are two words. Nothing wraps unnoticed: a part that does not fit is counted in overflow, and the
   sizes of all parts of the words are added up in magnitude.

   Why magnitude tells: with N beads, N <= 2^SUM_BEADS_BITS, a word has 42 - log2 N binary places
   and at most N (1 + SUM_TERMS_MOST) < 2^7 N parts, and all words together have at most 2^10 N. A
   part counts with its size in units of 2^20 quanta, rounded down. So while magnitude is below
   2^42, the parts of a word add up to less than 2^20 (2^42 + 2^7 N) <= 2^63, whatever their signs.
   And as a part is below 2^30 kJ/mol, magnitude itself stays below 2^(30 + 42 - 20 + 10) = 2^62. */
#ifndef SUMS_H
#define SUMS_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "model/energy.h"

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
  int64_t magnitude;           /* of the parts of all words, in units of 2^20 quanta */
};

enum { SUM_ENERGY_BITS = 34 };                      /* binary places of an energy in kJ/mol */
enum { SUM_BEADS_BITS = 35, SUM_TERMS_MOST = 100 }; /* limits of a system: bonded terms of a bead */

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
  if (!(fabs(x) < 2.0e18 && fabs(v) < 1073741824.0)) {
    *overflow += 1;
    return 0;
  }
#ifdef __CUDA_ARCH__
  return __double2ll_rn(x);
#else
  return (int64_t)nearbyint(x);
#endif
}

/* A part of a word: in units of 2^-bits, with its size added to *magnitude. */
HD int64_t sum_part(double v, double scale, int64_t *overflow, int64_t *magnitude)
{
  int64_t x = sum_fixed(v, scale, overflow);
  *magnitude += (x < 0 ? -x : x) >> 20;
  return x;
}

/* What does not fit: parts, or, where these do, one for their sum. */
HD int64_t sum_overflow(const struct sums *s)
{
  return s->overflow ? s->overflow : !(s->magnitude < INT64_C(1) << 42);
}

/* The low word of an energy keeps its 32 bits; the rest goes to the high one. */
HD void sum_carry(int64_t energy[2])
{
  energy[1] += energy[0] >> 32;
  energy[0] &= INT64_C(0xffffffff);
}

HD void sum_add_energy(struct sums *s, int channel, double v)
{
  int64_t x = sum_fixed(v, (double)(INT64_C(1) << SUM_ENERGY_BITS), &s->overflow);
  s->energy[channel][0] += x & INT64_C(0xffffffff);
  s->energy[channel][1] += x >> 32;
  sum_carry(s->energy[channel]);
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
