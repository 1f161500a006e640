#include "observe/items.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void items_open(struct items *s, const struct ranks *r, int groups, const int64_t *n, int width)
{
  int64_t bytes;
  memset(s, 0, sizeof *s);
  s->ranks = r;
  s->groups = groups;
  s->width = width;
  s->first = alloc_array(groups + 1, sizeof *s->first);
  if (groups > 0) memcpy(s->first + 1, n, (size_t)groups * sizeof *n);
  s->count = ranks_gather(r, s->first + 1, groups * (int64_t)sizeof *n, &bytes);
  for (int g = 0; g < groups; g++)
    s->n += n[g];
  ranks_sum_int64(r, s->first + 1, groups);
  for (int g = 0; g < groups; g++)
    s->first[g + 1] += s->first[g];
  s->all = s->first[groups];
  s->own = alloc_array(s->n * width, sizeof *s->own);
}

void items_gather(struct items *s)
{
  const size_t item = (size_t)s->width * sizeof *s->own;
  int64_t bytes;
  int64_t *got = ranks_gather(s->ranks, s->own, s->n * (int64_t)item, &bytes);
  free(s->whole);
  s->whole = got;
  if (!got || s->groups == 1) return;
  /* From the order of ranks to that of groups. */
  int64_t *next = alloc_array(s->groups, sizeof *next), *from = got;
  memcpy(next, s->first, (size_t)s->groups * sizeof *next);
  s->whole = alloc_array(s->all * s->width, sizeof *s->whole);
  for (int r = 0; r < s->ranks->size; r++)
    for (int g = 0; g < s->groups; g++) {
      const int64_t n = s->count[r * s->groups + g];
      memcpy(s->whole + next[g] * s->width, from, (size_t)n * item);
      from += n * s->width;
      next[g] += n;
    }
  free(next);
  free(got);
}

void items_close(struct items *s)
{
  free(s->first);
  free(s->own);
  free(s->whole);
  free(s->count);
}
