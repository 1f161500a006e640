#include "model/bead_group.h"

int bead_choice_has(const struct bead_choice *c, const struct chosen_bead *b)
{
  switch (c->kind) {
  case CHOOSE_ALL_OF:
    for (int k = 0; k < c->n; k++)
      if (!bead_choice_has(&c->part[k], b)) return 0;
    return 1;
  case CHOOSE_ANY_OF:
  case CHOOSE_NONE_OF:
    for (int k = 0; k < c->n; k++)
      if (bead_choice_has(&c->part[k], b)) return c->kind == CHOOSE_ANY_OF;
    return c->kind == CHOOSE_NONE_OF;
  case CHOOSE_TYPES:
    return c->in[b->type];
  case CHOOSE_MOLECULES:
    return b->molecule_type >= 0 && c->in[b->molecule_type];
  case CHOOSE_PLACES:
    return c->in[b->molecule_type < 0 || b->place < 0 ? b->type
                                                      : c->first[b->molecule_type] + b->place];
  default:
    return ranges_have((const int64_t(*)[2])c->range, c->n_ranges, b->id);
  }
}

int bead_choice_depends(const struct bead_choice *c)
{
  int depends = c->kind > CHOOSE_IDS;
  for (int k = 0; k < c->n; k++)
    depends |= bead_choice_depends(&c->part[k]);
  return depends;
}

void bead_choice_free(struct bead_choice *c)
{
  for (int k = 0; k < c->n; k++)
    bead_choice_free(&c->part[k]);
  free(c->part);
  free(c->in);
  free(c->first);
  free(c->range);
  free(c->file);
  free(c->name);
  free(c->text);
}

void bead_group_free(struct bead_group *g)
{
  bead_choice_free(&g->choice);
  free(g->origin);
  free(g->path);
  free(g->type);
  free(g->range);
}

static int compare_ranges(const void *pa, const void *pb)
{
  const int64_t *a = pa, *b = pb;
  return (a[0] > b[0]) - (a[0] < b[0]);
}

int ranges_join(int64_t (*range)[2], int64_t n)
{
  int left = 0;
  if (n > 0) qsort(range, (size_t)n, sizeof *range, compare_ranges);
  for (int64_t k = 0; k < n; k++) {
    const int64_t first = range[k][0], last = range[k][1];
    if (left > 0 && range[left - 1][1] + 1 >= first) {
      if (range[left - 1][1] < last) range[left - 1][1] = last;
    } else {
      range[left][0] = first;
      range[left++][1] = last;
    }
  }
  return left;
}
