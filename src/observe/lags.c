#include "observe/lags.h"

#include <string.h>

enum { FIRST = 16, NEXT = 8 }; /* frames of level 0, and of each further one */

static int level_of(int k)
{
  return k < FIRST - 1 ? 0 : 1 + (k - (FIRST - 1)) / NEXT;
}

/* Lag k in steps of its level. */
static int units_of(int k)
{
  return k < FIRST - 1 ? k + 1 : NEXT + (k - (FIRST - 1)) % NEXT;
}

int64_t lags_samples(int k)
{
  return (int64_t)units_of(k) << level_of(k);
}

double lags_time(const struct observable *o, int k)
{
  return (double)lags_samples(k) * (double)o->every * o->about->dt;
}

/* Where a level keeps frame i, counted in steps of the level. Level l > 0 keeps those that are 8
   ... 15 steps old; younger ones are still in the levels below. */
static int64_t place(int level, int64_t i)
{
  return level == 0 ? i % FIRST : FIRST + NEXT * (level - 1) + i % NEXT;
}

double *lags_add(struct observable *o, int64_t start, int64_t n)
{
  const int64_t now = o->blocks.samples;
  int levels = 1;
  while (levels < LAGS_LEVELS && (int64_t)NEXT << levels <= now)
    levels++;
  const int64_t room = start + n * (FIRST + NEXT * (levels - 1));
  if (o->n_kept < room) observable_keep(o, room);
  double *frame = o->kept + start;
  /* The frame that becomes 8 steps of a level old goes there from the level below. */
  for (int l = levels - 1; l > 0; l--)
    if (now % ((int64_t)1 << l) == 0)
      memcpy(frame + n * place(l, now >> l), frame + n * place(l - 1, now >> (l - 1)),
             (size_t)n * sizeof *frame);
  return frame + n * place(0, now);
}

const double *lags_origin(const struct observable *o, int64_t start, int64_t n, int k)
{
  const int64_t now = o->blocks.samples, lag = lags_samples(k);
  const int level = level_of(k);
  if (lag > now || now % ((int64_t)1 << level) != 0) return NULL;
  return o->kept + start + n * place(level, (now - lag) >> level);
}

int lags_known(const double *count)
{
  int n = LAGS;
  while (n > 0 && !(count[n - 1] > 0))
    n--;
  return n;
}
