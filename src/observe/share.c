#include "observe/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "molecules/bead_place.h"
#include "molecules/remote.h"

/* What a share keeps of a bead. */
struct bead {
  int64_t id;
  int32_t type, env, molecule, molecule_type;
};

/* Where a molecule begins. */
struct start {
  int64_t id;
  int32_t molecule;
};

/* Sets the borders: each block begins with the first molecule that begins in it. */
static void borders_set(struct share *s, const struct ranks *r, const struct system *y)
{
  int64_t bytes, at = 0;
  const int32_t *molecule = y->beads.molecule;
  const int64_t before = bead_place_before(r, y);
  while (before > 0 && at < y->n && molecule[at] != 0 && molecule[at] == molecule[0])
    at++;
  const int64_t first = r->rank == 0 ? 1 : at < y->n ? y->first + at : -1;
  s->border = ranks_allgather(r, &first, sizeof first, &bytes);
  s->border = grow_array(s->border, r->size + 1, sizeof *s->border);
  s->border[r->size] = y->n_total + 1;
  for (int k = r->size - 1; k > 0; k--)
    if (s->border[k] < 0) s->border[k] = s->border[k + 1];
  s->first = s->border[r->rank];
  s->n = s->border[r->rank + 1] - s->first;
}

/* The beads of this rank's share, in order of id. The caller frees them. */
static struct bead *beads_exchange(const struct share *s, const struct ranks *r,
                                   const struct system *y)
{
  struct bead *send = alloc_array(y->n, sizeof *send);
  int64_t *count = alloc_array(r->size, sizeof *count), received;
  for (int64_t k = 0; k < y->n; k++) {
    send[k] = (struct bead){y->first + k, y->beads.type[k], y->beads.bonded_env[k],
                            y->beads.molecule[k], y->beads.molecule_type[k]};
    count[system_rank_within(s->border, r->size, send[k].id)]++;
  }
  /* Blocks and shares are both in order of id, so what comes in the order of ranks is too. */
  struct bead *got = ranks_exchange(r, sizeof *got, send, count, NULL, &received);
  free(count);
  free(send);
  return got;
}

static void molecules_list(struct share *s, const struct bead *bead)
{
  s->molecule = alloc_array(s->n, sizeof *s->molecule);
  s->molecule_of = alloc_array(s->n, sizeof *s->molecule_of);
  for (int64_t k = 0; k < s->n; k++) {
    const int32_t number = bead[k].molecule;
    if (k == 0 || number == 0 || number != bead[k - 1].molecule)
      s->molecule[s->molecules++] = (struct observe_molecule){k, 0, bead[k].molecule_type};
    s->molecule[s->molecules - 1].n++;
    s->molecule_of[k] = s->molecules - 1;
  }
}

/* Status 2 if a molecule begins twice. Each rank checks a range of the numbers. */
static void refuse_scattered(const struct share *s, const struct ranks *r, const struct bead *bead)
{
  int64_t most = 0, id = INT64_MAX;
  struct start *own = alloc_array(s->molecules, sizeof *own);
  int *rank = alloc_array(s->molecules, sizeof *rank);
  struct remote m;
  for (int64_t k = 0; k < s->n; k++)
    if (bead[k].molecule > most) most = bead[k].molecule;
  ranks_max_int64(r, &most, 1);
  for (int64_t k = 0; k < s->molecules; k++) {
    const struct bead *b = &bead[s->molecule[k].first];
    own[k] = (struct start){b->id, b->molecule};
    rank[k] = (int)(b->molecule * (int64_t)r->size / (most + 1));
  }
  remote_to(&m, r, rank, s->molecules);
  struct start *start = remote_push(&m, own, sizeof *own);
  const int64_t least = r->rank * (most + 1) / r->size;
  char *seen = alloc_array((most + 1) / r->size + 2, 1);
  for (int64_t k = 0; k < m.n_asked; k++) {
    char *is_seen = &seen[start[k].molecule - least];
    if (*is_seen && start[k].molecule && start[k].id < id) id = start[k].id;
    *is_seen = 1;
  }
  remote_free(&m);
  free(seen);
  free(start);
  free(rank);
  free(own);
  ranks_min_int64(r, &id, 1);
  if (id < INT64_MAX)
    die_all(STATUS_INPUT,
            "bead %lld belongs to a molecule that has beads elsewhere: observables of molecules "
            "need their beads one after the other; import the system with beads in the order of "
            "molecules",
            (long long)id);
}

void share_create(struct share *s, const struct ranks *r, const struct system *y)
{
  borders_set(s, r, y);
  struct bead *bead = beads_exchange(s, r, y);
  s->type = alloc_array(s->n, sizeof *s->type);
  s->env = alloc_array(s->n, sizeof *s->env);
  for (int64_t k = 0; k < s->n; k++) {
    s->type[k] = bead[k].type;
    s->env[k] = bead[k].env;
  }
  molecules_list(s, bead);
  refuse_scattered(s, r, bead);
  free(bead);
}

void share_free(struct share *s)
{
  free(s->border);
  free(s->type);
  free(s->env);
  free(s->molecule);
  free(s->molecule_of);
}

int64_t share_sum(const struct ranks *r, int64_t n, int64_t *before)
{
  if (before) *before = ranks_before(r, n);
  ranks_sum_int64(r, &n, 1);
  return n;
}
