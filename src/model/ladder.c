#include "model/ladder.h"

#include <math.h>
#include <string.h>

#include "base/portable.h"
#include "base/rng.h"

/* The end that counts of a replica that comes to a rung: the last one only after the first. */
static int end_of(const struct ladder *l, int rung, int was)
{
  return rung == 0 ? 0 : rung == l->n - 1 && was != NO_END ? 1 : was;
}

void ladder_begin(struct ladder *l, int n)
{
  memset(l, 0, sizeof *l);
  l->n = n;
  for (int k = 0; k < n; k++) {
    l->rung[k] = k;
    l->end[k] = end_of(l, k, NO_END);
  }
}

void ladder_count_anew(struct ladder *l)
{
  for (int k = 0; k < l->n; k++) {
    l->end[k] = end_of(l, l->rung[k], NO_END);
    l->trips[k] = l->tried[k] = l->accepted[k] = 0;
  }
}

int ladder_replica(const struct ladder *l, int rung)
{
  int k = 0;
  while (l->rung[k] != rung)
    k++;
  return k;
}

/* A replica comes to a rung. A trip is complete where it began. */
static void come(struct ladder *l, int replica, int rung)
{
  const int was = l->end[replica], now = end_of(l, rung, was);
  l->rung[replica] = rung;
  l->end[replica] = now;
  if (was == 1 && now == 0) l->trips[replica]++;
}

/* The replicas of rungs k and k + 1 exchange these, or not: eq. 8 of Sugita and Okamoto, in reduced
   energies. */
static void exchange(struct ladder *l, int k, const struct rng_block *random,
                     const struct reduced_energies *u, double *chance)
{
  const int low = ladder_replica(l, k), high = ladder_replica(l, k + 1);
  const double gain = (u[low].own - u[low].above) + (u[high].own - u[high].below);
  *chance = gain >= 0 ? 1 : portable_exp(gain);
  l->tried[k]++;
  if (!(gain >= 0 || rng_log(random->word[0]) < gain)) return;
  l->accepted[k]++;
  come(l, low, k + 1);
  come(l, high, k);
}

void ladder_attempt(struct ladder *l, int64_t number, uint64_t seed, int64_t step,
                    const struct reduced_energies *u, double *chance)
{
  for (int k = 0; k < l->n - 1; k++) {
    const struct rng_block random = rng_words(seed, (uint64_t)step, (uint64_t)k, RNG_EXCHANGE);
    chance[k] = (double)NAN;
    if (k % 2 == number % 2) exchange(l, k, &random, u, &chance[k]);
  }
}

void ladder_save(const struct ladder *l, double *to)
{
  for (int k = 0; k < l->n; k++) {
    *to++ = l->rung[k];
    *to++ = l->end[k];
    *to++ = (double)l->trips[k];
    *to++ = (double)l->tried[k];
    *to++ = (double)l->accepted[k];
  }
}

/* 1 for a whole number from `least` to `most`. */
static int is_whole(double x, double least, double most)
{
  return x >= least && x <= most && x == floor(x);
}

int ladder_restore(struct ladder *l, const double *from)
{
  char has[RUNGS_MOST] = {0};
  int good = 1;
  for (int k = 0; k < l->n && good; k++) {
    const double *of = from + (size_t)LADDER_NUMBERS * (size_t)k;
    good = is_whole(of[0], 0, l->n - 1) && is_whole(of[1], NO_END, 1) && !has[(int)of[0]];
    for (int j = 2; j < LADDER_NUMBERS; j++)
      good &= is_whole(of[j], 0, 0x1p52);
    if (good) has[(int)of[0]] = 1;
  }
  for (int k = 0; k < l->n && good; k++) {
    const double *of = from + (size_t)LADDER_NUMBERS * (size_t)k;
    l->rung[k] = (int)of[0];
    l->end[k] = (int)of[1];
    l->trips[k] = (int64_t)of[2];
    l->tried[k] = (int64_t)of[3];
    l->accepted[k] = (int64_t)of[4];
  }
  return good;
}
