/* Values of beads of other ranks: see remote.h. Requests are sorted by the rank that holds the
   bead, and replies come in the same order. */
#include "molecules/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void remote_to(struct remote *m, const struct ranks *r, const int *rank, int64_t n)
{
  int64_t *next = alloc_array(r->size, sizeof *next), at = 0;
  memset(m, 0, sizeof *m);
  m->ranks = r;
  m->n = n;
  m->order = alloc_array(n, sizeof *m->order);
  m->send = alloc_array(r->size, sizeof *m->send);
  m->receive = alloc_array(r->size, sizeof *m->receive);
  for (int64_t k = 0; k < n; k++)
    m->send[rank[k]]++;
  ranks_counts(r, m->send, m->receive);
  for (int p = 0; p < r->size; p++) {
    next[p] = at;
    at += m->send[p];
    m->n_asked += m->receive[p];
  }
  for (int64_t k = 0; k < n; k++)
    m->order[k] = next[rank[k]]++;
  free(next);
}

void remote_open(struct remote *m, const struct ranks *r, const struct system *s, const int64_t *id,
                 int64_t n)
{
  int *rank = alloc_array(n, sizeof *rank);
  for (int64_t k = 0; k < n; k++)
    rank[k] = system_rank_of(s->n_total, r->size, id[k]);
  remote_to(m, r, rank, n);
  free(rank);
  m->asked = remote_push(m, id, sizeof *id);
  for (int64_t k = 0; k < m->n_asked; k++)
    m->asked[k] -= s->first;
}

void *remote_fetch(const struct remote *m, const void *answer, size_t bytes)
{
  char *sorted = ranks_deliver(m->ranks, bytes, answer, m->receive, m->send);
  char *value = alloc_array(m->n, bytes);
  for (int64_t k = 0; k < m->n; k++)
    memcpy(value + (size_t)k * bytes, sorted + (size_t)m->order[k] * bytes, bytes);
  free(sorted);
  return value;
}

void *remote_push(const struct remote *m, const void *value, size_t bytes)
{
  char *sorted = alloc_array(m->n, bytes);
  for (int64_t k = 0; k < m->n; k++)
    memcpy(sorted + (size_t)m->order[k] * bytes, (const char *)value + (size_t)k * bytes, bytes);
  void *arrived = ranks_deliver(m->ranks, bytes, sorted, m->send, m->receive);
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
