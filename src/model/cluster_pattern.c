/* The order of elimination: see cluster.h. A level is a set of constraints of which none
   acts on another in what is left of the matrix, those with few neighbours first: a chain of n
   constraints has about log2 n levels and 2 n entries (cyclic reduction). */
#include "model/cluster.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

enum { WORD = 64 };

/* What is left of the matrix: constraint k acts on the constraints whose bits row k has. */
struct remainder {
  int n, words;
  uint64_t *bits;   /* [n][words] */
  int *degree;      /* neighbours of a constraint; -1: it is eliminated */
  char *touched;    /* 1: a neighbour is of this level */
  int *order, done; /* constraints in the order of elimination */
};

static void connect(struct remainder *r, int k, int l)
{
  r->bits[(int64_t)k * r->words + l / WORD] |= UINT64_C(1) << l % WORD;
}

static int is_connected(const struct remainder *r, int k, int l)
{
  return (int)(r->bits[(int64_t)k * r->words + l / WORD] >> l % WORD & 1);
}

static int count(const struct remainder *r, int k)
{
  int n = 0;
  for (int w = 0; w < r->words; w++)
    n += __builtin_popcountll(r->bits[(int64_t)k * r->words + w]);
  return n;
}

static void open(struct remainder *r, const struct cluster_type *t)
{
  r->n = t->n_constraints;
  r->words = (r->n + WORD - 1) / WORD;
  r->bits = alloc_array((long long)r->n * r->words, sizeof *r->bits);
  r->degree = alloc_array(r->n, sizeof *r->degree);
  r->touched = alloc_array(r->n, 1);
  r->order = alloc_array(r->n, sizeof *r->order);
  r->done = 0;
  for (int k = 0; k < r->n; k++) {
    const int *a = t->constraint[k].bead;
    for (int l = 0; l < r->n; l++) {
      const int *b = t->constraint[l].bead;
      if (l != k && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]))
        connect(r, k, l);
    }
    r->degree[k] = count(r, k);
  }
}

static void shut(struct remainder *r)
{
  free(r->bits);
  free(r->degree);
  free(r->touched);
  free(r->order);
}

/* Eliminates constraint k, and connects its neighbours. Its row keeps them. */
static void eliminate(struct remainder *r, int k)
{
  const uint64_t *mine = r->bits + (int64_t)k * r->words;
  r->order[r->done++] = k;
  r->degree[k] = -1;
  for (int l = 0; l < r->n; l++) {
    if (r->degree[l] < 0 || !is_connected(r, k, l)) continue;
    uint64_t *other = r->bits + (int64_t)l * r->words;
    for (int w = 0; w < r->words; w++)
      other[w] |= mine[w];
    other[k / WORD] &= ~(UINT64_C(1) << k % WORD);
    other[l / WORD] &= ~(UINT64_C(1) << l % WORD);
    r->touched[l] = 1;
  }
}

/* Eliminates a level: constraints with at most 2 d + 2 neighbours, where d is the least number of
   neighbours, those with the fewest first. */
static void eliminate_level(struct remainder *r)
{
  int least = r->n;
  for (int k = 0; k < r->n; k++) {
    r->touched[k] = 0;
    if (r->degree[k] >= 0 && r->degree[k] < least) least = r->degree[k];
  }
  for (int degree = least; degree <= 2 * least + 2; degree++)
    for (int k = 0; k < r->n; k++)
      if (r->degree[k] == degree && !r->touched[k]) eliminate(r, k);
  for (int k = 0; k < r->n; k++)
    if (r->touched[k]) r->degree[k] = count(r, k);
}

/* Sets the entries from what the rows had when they were eliminated. */
static void set_entries(struct cluster_pattern *p, const struct remainder *r)
{
  const int n = r->n;
  p->column = alloc_array(n + 1, sizeof *p->column);
  p->row = alloc_array(n + 1, sizeof *p->row);
  for (int c = 0; c < n; c++)
    p->column[c + 1] = p->column[c] + count(r, r->order[c]);
  p->n_entries = p->column[n];
  p->row_of = alloc_array(p->n_entries, sizeof *p->row_of);
  p->column_of = alloc_array(p->n_entries, sizeof *p->column_of);
  p->in_row = alloc_array(p->n_entries, sizeof *p->in_row);
  for (int c = 0, e = 0; c < n; c++)
    for (int l = c + 1; l < n; l++) {
      if (!is_connected(r, r->order[c], r->order[l])) continue;
      p->row_of[e] = l;
      p->column_of[e++] = c;
      p->row[l + 1]++;
    }
  for (int k = 0; k < n; k++)
    p->row[k + 1] += p->row[k];
  int *next = alloc_array(n, sizeof *next);
  for (int e = 0; e < p->n_entries; e++)
    p->in_row[p->row[p->row_of[e]] + next[p->row_of[e]]++] = e;
  free(next);
}

void cluster_pattern_set(struct cluster_type *t)
{
  struct cluster_pattern *p = &t->pattern;
  struct remainder r;
  open(&r, t);
  while (r.done < r.n) {
    p->level = grow_array(p->level, p->n_levels + 2, sizeof *p->level);
    p->level[p->n_levels++] = r.done;
    eliminate_level(&r);
    p->level[p->n_levels] = r.done;
  }
  set_entries(p, &r);
  struct cluster_constraint *sorted = alloc_array(r.n, sizeof *sorted);
  for (int k = 0; k < r.n; k++)
    sorted[k] = t->constraint[r.order[k]];
  free(t->constraint);
  t->constraint = sorted;
  shut(&r);
}

void cluster_pattern_free(struct cluster_pattern *p)
{
  free(p->level);
  free(p->column);
  free(p->row_of);
  free(p->column_of);
  free(p->row);
  free(p->in_row);
}
