/* Values of beads of other ranks: see remote.h. Requests are sorted by the rank that holds the
   bead, and replies come in the same order. */
#include "molecules/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Fills send and order: a counting sort by rank. */
static void sort_by_rank(struct remote *m, const struct system *s, const int64_t *id)
{
  int size = m->ranks->size;
  int *rank = alloc_array(m->n, sizeof *rank);
  int64_t *next = alloc_array(size, sizeof *next), at = 0;
  for (int64_t k = 0; k < m->n; k++) {
    rank[k] = system_rank_of(s->n_total, size, id[k]);
    m->send[rank[k]]++;
  }
  for (int p = 0; p < size; p++) {
    next[p] = at;
    at += m->send[p];
  }
  for (int64_t k = 0; k < m->n; k++)
    m->order[k] = next[rank[k]]++;
  free(rank);
  free(next);
}

void remote_open(struct remote *m, const struct ranks *r, const struct system *s, const int64_t *id,
                 int64_t n)
{
  memset(m, 0, sizeof *m);
  m->ranks = r;
  m->n = n;
  m->order = alloc_array(n, sizeof *m->order);
  m->send = alloc_array(r->size, sizeof *m->send);
  m->receive = alloc_array(r->size, sizeof *m->receive);
  sort_by_rank(m, s, id);
  int64_t *sorted = alloc_array(n, sizeof *sorted);
  for (int64_t k = 0; k < n; k++)
    sorted[m->order[k]] = id[k];
  m->asked = ranks_exchange(r, sizeof *sorted, sorted, m->send, m->receive, &m->n_asked);
  for (int64_t k = 0; k < m->n_asked; k++)
    m->asked[k] -= s->first;
  free(sorted);
}

void *remote_fetch(const struct remote *m, const void *answer, size_t bytes)
{
  int64_t n;
  char *sorted = ranks_exchange(m->ranks, bytes, answer, m->receive, NULL, &n);
  char *value = alloc_array(m->n, bytes);
  for (int64_t k = 0; k < m->n; k++)
    memcpy(value + (size_t)k * bytes, sorted + (size_t)m->order[k] * bytes, bytes);
  free(sorted);
  return value;
}

void *remote_push(const struct remote *m, const void *value, size_t bytes)
{
  int64_t n;
  char *sorted = alloc_array(m->n, bytes);
  for (int64_t k = 0; k < m->n; k++)
    memcpy(sorted + (size_t)m->order[k] * bytes, (const char *)value + (size_t)k * bytes, bytes);
  void *arrived = ranks_exchange(m->ranks, bytes, sorted, m->send, NULL, &n);
  free(sorted);
  return arrived;
}

void remote_free(struct remote *m)
{
  free(m->order);
  free(m->send);
  free(m->receive);
  free(m->asked);
  memset(m, 0, sizeof *m);
}
