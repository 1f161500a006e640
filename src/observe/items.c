#include "observe/items.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void items_open(struct items *s, struct observable *o, int groups, const int64_t *n, int width)
{
  const struct ranks *r = o->about->ranks;
  int64_t bytes;
  memset(s, 0, sizeof *s);
  s->ranks = r;
  s->groups = groups;
  s->width = width;
  s->first = observe_memory(o, groups + 1, sizeof *s->first);
  s->count = observe_memory(o, r->rank ? 0 : (int64_t)r->size * groups, sizeof *s->count);
  int64_t *count = ranks_gather(r, n, groups * (int64_t)sizeof *n, &bytes);
  if (count) memcpy(s->count, count, (size_t)bytes);
  free(count);
  for (int g = 0; g < groups; g++) {
    s->first[g + 1] = n[g];
    s->n += n[g];
  }
  ranks_sum_int64(r, s->first + 1, groups);
  for (int g = 0; g < groups; g++)
    s->first[g + 1] += s->first[g];
  s->all = s->first[groups];
  s->own = observe_memory(o, s->n * width, sizeof *s->own);
  s->whole = observe_memory(o, r->rank ? 0 : s->all * width, sizeof *s->whole);
}

void items_gather(struct items *s)
{
  const size_t item = (size_t)s->width * sizeof *s->own;
  int64_t bytes, *got = ranks_gather(s->ranks, s->own, s->n * (int64_t)item, &bytes);
  int64_t *from = got, *next = alloc_array(s->groups, sizeof *next);
  if (s->groups) memcpy(next, s->first, (size_t)s->groups * sizeof *next);
  /* From the order of ranks to that of groups. */
  for (int r = 0; got && r < s->ranks->size; r++)
    for (int g = 0; g < s->groups; g++) {
      const int64_t n = s->count[r * s->groups + g];
      memcpy(s->whole + next[g] * s->width, from, (size_t)n * item);
      from += n * s->width;
      next[g] += n;
    }
  free(next);
  free(got);
}

/* 1 if thing k of n is in the subset: thing j of the subset is thing floor(j n/size) of all. */
static int is_in_subset(int64_t n, int64_t k)
{
  const int64_t size = n < SUBSET_MOST ? n : SUBSET_MOST, j = (k * size + n - 1) / n;
  return j < size && j * n / size == k;
}

int64_t subset_count(const struct observable *o, int64_t n, subset_member *of, int type)
{
  int64_t found = 0;
  for (int64_t k = 0; k < n; k++)
    found += of(o, type, k) != LISTED_NOT;
  return share_sum(o->about->ranks, found, NULL);
}

int64_t *subset_list(struct observable *o, int64_t n, subset_member *of, int type, int64_t *listed)
{
  int64_t equal = 0, before, *list = NULL;
  for (int64_t k = 0; k < n; k++)
    equal += of(o, type, k) == LISTED_IN_SUBSET;
  const int64_t all = share_sum(o->about->ranks, equal, &before);
  /* First their number, then the list. */
  for (int pass = 0; pass < 2; pass++) {
    int64_t at = before;
    if (pass) list = observe_memory(o, *listed, sizeof *list);
    *listed = 0;
    for (int64_t k = 0; k < n; k++) {
      const enum subset_member is = of(o, type, k);
      if (is == LISTED_NOT || (is == LISTED_IN_SUBSET && !is_in_subset(all, at++))) continue;
      if (pass) list[*listed] = k;
      (*listed)++;
    }
  }
  return list;
}
