#include "observe/subset.h"

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
