/* Sums in fixed point (64-bit integers), whose value does not depend on the order of addition. On
   host and device. Sums that feed back into the motion are single 64-bit words; their quantum
   depends on the number of beads. Reported energies have two words. Overflow is detected: an
   addend that does not fit is counted in `overflow`, and the absolute values of all addends of the
   words are summed in `magnitude`.

   The bound on magnitude: with N <= 2^SUM_BEADS_BITS beads, a word has 42 - log2 N binary places
   and fewer than 2^7 N addends (passes, external fields and constraints of each bead, and bonded
   terms of all: the static assertion in cpu/force_cpu.c), and all words together have at most
   2^11 N addends.
   Each addend adds its size to magnitude in units of 2^20 quanta, rounded down. While magnitude is
   below 2^42, the addends of a word therefore add up to less than 2^20 (2^42 + 2^7 N) <= 2^63,
   whatever their signs. An addend is below 2^30 kJ/mol, so magnitude itself stays below
   2^(30 + 42 - 20 + 11) = 2^63. */
#ifndef SUMS_H
#define SUMS_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "model/energy.h"
#include "model/team.h"

/* Indices into struct sums.word. Symmetric tensors: xx yy zz xy xz yz. Full tensors: row by row. */
enum sum_word {
  SUM_KINETIC,                    /* p_a p_b / m, 6 words; the trace is twice the kinetic energy */
  SUM_ROTATION = SUM_KINETIC + 6, /* sum of j_k^2 / I_k: twice the rotational energy */
  SUM_MOMENTUM,                   /* 3 words */
  SUM_VIRIAL = SUM_MOMENTUM + 3,  /* r_a f_b, 9 words */
  SUM_INSIDE =
      SUM_VIRIAL +
      9, /* part of virial and kinetic tensor from motion and forces within clusters, 9 words */
  SUM_WORDS = SUM_INSIDE + 9
};
enum { TEAM_WORDS = 4 }; /* of a team: twice the energy of translation and rotation; momentum */

struct sums {
  int64_t word[SUM_WORDS];
  int64_t energy[ENERGIES][2];          /* low 32 bits (unsigned), high part */
  int64_t overflow;                     /* number of addends that did not fit */
  int64_t magnitude;                    /* sum of |addend| of all words, in units of 2^20 quanta */
  int64_t team[TEAMS_MOST][TEAM_WORDS]; /* with one team of all beads 0 */
};

/* How many 64-bit words of struct sums, from its start, are in use with so many teams. */
static inline int sums_words(int n_teams)
{
  const int spare = n_teams > 1 ? TEAMS_MOST - n_teams : TEAMS_MOST;
  return (int)(sizeof(struct sums) / sizeof(int64_t)) - spare * TEAM_WORDS;
}

enum { SUM_ENERGY_BITS = 34 }; /* binary places of an energy, kJ/mol */
enum { SUM_BEADS_BITS = 35 };  /* a system has at most 2^35 beads */
enum { SUM_TERMS_MEAN = 92 };  /* so many bonded terms a bead at most, averaged over all beads */

/* Binary places of the words for n_total beads: leaves room for 2^20 kJ/mol per bead on average. */
static inline int sum_bits(int64_t n_total)
{
  int log2 = 0;
  while (log2 < 40 && (INT64_C(1) << log2) < n_total)
    log2++;
  return 42 - log2;
}

/* The nearest integer of |x| < 2^62. */
HD int64_t sum_integer(double x)
{
#ifdef __CUDA_ARCH__
  return __double2ll_rn(x);
#else
  return (int64_t)nearbyint(x);
#endif
}

/* v in units of 2^-bits, to nearest; scale = 2^bits. Returns 0 and increments *overflow if |v| is
   2^30 or more, or the result does not fit. */
HD int64_t sum_fixed(double v, double scale, int64_t *overflow)
{
  double x = v * scale;
  if (!(fabs(x) < 2.0e18 && fabs(v) < 1073741824.0)) {
    *overflow += 1;
    return 0;
  }
  return sum_integer(x);
}

/* Like sum_fixed, and adds the size of the addend to *magnitude. */
HD int64_t sum_addend(double v, double scale, int64_t *overflow, int64_t *magnitude)
{
  int64_t x = sum_fixed(v, scale, overflow);
  *magnitude += (x < 0 ? -x : x) >> 20;
  return x;
}

/* Adds to a word, modulo 2^64: where a sum does not fit, sum_overflow says so. */
HD void sum_add(int64_t *word, int64_t addend)
{
  *word = (int64_t)((uint64_t)*word + (uint64_t)addend);
}

/* Number of addends that did not fit; if all fit, 1 if their sum may not, else 0. */
HD int64_t sum_overflow(const struct sums *s)
{
  return s->overflow ? s->overflow : !(s->magnitude < INT64_C(1) << 42);
}

/* Normalises an energy: the low word keeps 32 bits, the carry goes to the high word. */
HD void sum_carry(int64_t energy[2])
{
  energy[1] += energy[0] >> 32;
  energy[0] &= INT64_C(0xffffffff);
}

/* Adds v in units of 2^-bits to a sum of two words. */
HD void sum_add_wide(int64_t to[2], double v, int bits, int64_t *overflow)
{
  int64_t x = sum_fixed(v, (double)(INT64_C(1) << bits), overflow);
  to[0] += x & INT64_C(0xffffffff);
  to[1] += x >> 32;
  sum_carry(to);
}

/* Adds another such sum. */
static inline void sum_join_wide(int64_t to[2], const int64_t from[2])
{
  to[0] += from[0];
  to[1] += from[1];
  sum_carry(to);
}

/* The number that it stands for. */
HD double sum_wide(const int64_t sum[2], int bits)
{
  return ((double)sum[1] * 0x1p32 + (double)sum[0]) / (double)(INT64_C(1) << bits);
}

HD void sum_add_energy(struct sums *s, int channel, double v)
{
  sum_add_wide(s->energy[channel], v, SUM_ENERGY_BITS, &s->overflow);
}

/* Adds sums that others have made of other beads, as if all had been added to one. */
static inline void sums_join(struct sums *to, const struct sums *from)
{
  for (int k = 0; k < SUM_WORDS; k++)
    sum_add(&to->word[k], from->word[k]);
  for (int c = 0; c < ENERGIES; c++)
    sum_join_wide(to->energy[c], from->energy[c]);
  to->overflow += from->overflow;
  to->magnitude += from->magnitude;
  for (int k = 0; k < TEAMS_MOST; k++)
    for (int w = 0; w < TEAM_WORDS; w++)
      sum_add(&to->team[k][w], from->team[k][w]);
}

HD double sum_energy(const struct sums *s, int channel)
{
  return sum_wide(s->energy[channel], SUM_ENERGY_BITS);
}

/* The number that a word stands for. */
HD double sum_real(int64_t word, int bits)
{
  return ldexp((double)word, -bits);
}

HD double sum_word(const struct sums *s, int word, int bits)
{
  return sum_real(s->word[word], bits);
}

#endif
