/* Molecules made whole: see whole.h. The tree is that of the shortest paths along connections from
   the first bead; of several parents the one with the lowest id counts (Bellman-Ford, in rounds
   over ranks). So the shifts do not depend on the number of ranks. */
#include "molecules/whole.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "molecules/remote.h"

/* A bead's molecule and its distance, in connections, from the first bead. */
struct node {
  int64_t first; /* id of the first bead */
  int64_t level;
};

struct whole {
  const struct ranks *ranks; /* borrowed */
  int64_t n, first_id;       /* of the block */
  struct node *node;         /* [n]; while trees are found */
  int64_t *parent;           /* [n]; id of the bead before it in the tree; 0: none, a first bead */
  int64_t *first;            /* [n]; as in node */
  int32_t (*shift)[3];       /* [n] */
  struct connections connections; /* while trees are found */
  struct remote parents;          /* parents on other ranks, in the order of remote_child */
  int64_t n_remote, *remote_child;
  int rounds; /* exchanges of an update: ranks that the longest path passes */
};

/* A parent's state as it is sent. */
struct carried {
  int32_t known, shift[3], position[3];
};

static int is_before(const struct node *a, const struct node *b)
{
  return a->first != b->first ? a->first < b->first : a->level < b->level;
}

/* Offers bead k to stand after its partner `id`, whose node is `from`. Returns 1 if that changes
 * it.
 */
static int offer(struct whole *w, int64_t k, int64_t id, const struct node *from)
{
  const struct node next = {from->first, from->level + 1};
  const int nearer = is_before(&next, &w->node[k]);
  if (!nearer && (is_before(&w->node[k], &next) || id >= w->parent[k])) return 0;
  w->node[k] = next;
  w->parent[k] = id;
  return 1;
}

/* Sets *differences to what the ids of the partners of a bead are more than its own; returns their
   number. */
static int partners_of(const struct whole *w, const struct system *s, int64_t k,
                       const int64_t **differences)
{
  const int env = s->beads.bonded_env[k], *start = w->connections.start;
  if (env < 0) return 0;
  *differences = w->connections.partner + start[env];
  return start[env + 1] - start[env];
}

static int is_inner(const struct whole *w, int64_t id)
{
  return id >= w->first_id && id < w->first_id + w->n;
}

/* Lists connections to beads of other ranks: bead of the block, and id. Returns their number. */
static int64_t list_outer(const struct whole *w, const struct system *s, int64_t **bead,
                          int64_t **id)
{
  int64_t n = 0;
  *bead = *id = NULL;
  for (int64_t k = 0; k < s->n; k++) {
    const int64_t *partner;
    const int partners = partners_of(w, s, k, &partner);
    for (int m = 0; m < partners; m++) {
      const int64_t other = s->first + k + partner[m];
      if (is_inner(w, other)) continue;
      *bead = extend_array(*bead, n, sizeof **bead);
      *id = extend_array(*id, n, sizeof **id);
      (*bead)[n] = k;
      (*id)[n++] = other;
    }
  }
  return n;
}

/* Passes nodes on inside the block, up and down its ids until nothing changes. */
static void spread(struct whole *w, const struct system *s)
{
  for (int changed = 1; changed;) {
    changed = 0;
    for (int64_t step = 0; step < 2 * s->n; step++) {
      const int64_t k = step < s->n ? step : 2 * s->n - 1 - step, *partner;
      const int partners = partners_of(w, s, k, &partner);
      for (int m = 0; m < partners; m++)
        if (is_inner(w, s->first + k + partner[m]))
          changed |= offer(w, k, s->first + k + partner[m], &w->node[k + partner[m]]);
    }
  }
}

/* Finds nodes and parents of all beads. */
static void find_nodes(struct whole *w, const struct system *s)
{
  int64_t *bead, *id, n = list_outer(w, s, &bead, &id), changes;
  struct remote outer;
  for (int64_t k = 0; k < s->n; k++)
    w->node[k].first = s->first + k;
  remote_open(&outer, w->ranks, s, id, n);
  struct node *answer = alloc_array(outer.n_asked, sizeof *answer);
  do {
    changes = 0;
    spread(w, s);
    for (int64_t k = 0; k < outer.n_asked; k++)
      answer[k] = w->node[outer.asked[k]];
    struct node *value = remote_fetch(&outer, answer, sizeof *value);
    for (int64_t k = 0; k < n; k++)
      changes |= offer(w, bead[k], id[k], &value[k]);
    free(value);
    ranks_max_int64(w->ranks, &changes, 1);
  } while (changes);
  remote_free(&outer);
  free(answer);
  free(bead);
  free(id);
}

/* Lists the beads whose parent is on another rank. */
static void list_remote(struct whole *w, const struct system *s)
{
  int64_t *id = NULL;
  for (int64_t k = 0; k < w->n; k++) {
    if (w->parent[k] == 0 || is_inner(w, w->parent[k])) continue;
    w->remote_child = extend_array(w->remote_child, w->n_remote, sizeof *w->remote_child);
    id = extend_array(id, w->n_remote, sizeof *id);
    w->remote_child[w->n_remote] = k;
    id[w->n_remote++] = w->parent[k];
  }
  remote_open(&w->parents, w->ranks, s, id, w->n_remote);
  free(id);
}

/* The shift of a bead that is at the minimum image of its parent. Positions are fractions of the
   box in units of 2^-32: their difference modulo 2^32 is the minimum image. */
static void shift_set(int32_t shift[3], const int32_t position[3], const int32_t parent[3],
                      const int32_t parent_shift[3])
{
  for (int d = 0; d < 3; d++) {
    uint32_t here = (uint32_t)position[d], before = (uint32_t)parent[d];
    int64_t way = (int64_t)(int32_t)(here - before), reached = (int64_t)before + way;
    shift[d] = parent_shift[d] + (reached < 0 ? -1 : reached > UINT32_MAX ? 1 : 0);
  }
}

/* Sets the shifts of beads whose parent in the block is known; most have one with a lower id.
   Returns how many beads lack one. */
static int64_t shift_inner(struct whole *w, const struct system *s, char *known)
{
  int64_t unknown = w->n, before;
  do {
    before = unknown;
    unknown = 0;
    for (int64_t k = 0; k < w->n; k++) {
      const int64_t j = w->parent[k] - w->first_id;
      if (known[k]) continue;
      known[k] = is_inner(w, w->parent[k]) && known[j];
      if (known[k])
        shift_set(w->shift[k], s->beads.position + 3 * k, s->beads.position + 3 * j, w->shift[j]);
      else
        unknown++;
    }
  } while (unknown > 0 && unknown < before);
  return unknown;
}

/* Sets the shifts of beads whose parent on another rank is known there. */
static void shift_outer(struct whole *w, const struct system *s, char *known)
{
  struct carried *answer = alloc_array(w->parents.n_asked, sizeof *answer);
  for (int64_t m = 0; m < w->parents.n_asked; m++) {
    int64_t k = w->parents.asked[m];
    answer[m].known = known[k] != 0;
    memcpy(answer[m].shift, w->shift[k], sizeof answer[m].shift);
    memcpy(answer[m].position, s->beads.position + 3 * k, sizeof answer[m].position);
  }
  struct carried *value = remote_fetch(&w->parents, answer, sizeof *value);
  for (int64_t m = 0; m < w->n_remote; m++) {
    int64_t k = w->remote_child[m];
    if (known[k] || !value[m].known) continue;
    shift_set(w->shift[k], s->beads.position + 3 * k, value[m].position, value[m].shift);
    known[k] = 1;
  }
  free(value);
  free(answer);
}

/* rounds < 0: as many as are needed, which are counted. */
static void shift_all(struct whole *w, const struct system *s, int rounds)
{
  char *known = alloc_array(w->n, 1);
  for (int64_t k = 0; k < w->n; k++)
    known[k] = w->parent[k] == 0;
  memset(w->shift, 0, (size_t)w->n * sizeof *w->shift);
  for (int done = 0;; done++) {
    int64_t unknown = shift_inner(w, s, known);
    if (rounds < 0) {
      ranks_max_int64(w->ranks, &unknown, 1);
      w->rounds = done;
    }
    if (rounds < 0 ? unknown == 0 : done == rounds) break;
    shift_outer(w, s, known);
  }
  free(known);
}

struct whole *whole_open(const struct ranks *r, const struct system *s, enum connected by)
{
  struct whole *w = alloc_array(1, sizeof *w);
  w->ranks = r;
  w->n = s->n;
  w->first_id = s->first;
  w->node = alloc_array(s->n, sizeof *w->node);
  w->parent = alloc_array(s->n, sizeof *w->parent);
  w->first = alloc_array(s->n, sizeof *w->first);
  w->shift = alloc_array(s->n, sizeof *w->shift);
  w->connections = connections_of(s->ff, &s->topology, by);
  find_nodes(w, s);
  connections_free(&w->connections);
  list_remote(w, s);
  for (int64_t k = 0; k < s->n; k++)
    w->first[k] = w->node[k].first;
  free(w->node);
  shift_all(w, s, -1);
  return w;
}

void whole_update(struct whole *w, const struct system *s)
{
  shift_all(w, s, w->rounds);
}

const int32_t (*whole_shift(const struct whole *w))[3]
{
  return (const int32_t(*)[3])w->shift;
}

const int64_t *whole_first(const struct whole *w)
{
  return w->first;
}

void whole_close(struct whole *w)
{
  if (!w) return;
  remote_free(&w->parents);
  free(w->parent);
  free(w->first);
  free(w->shift);
  free(w->remote_child);
  free(w);
}
