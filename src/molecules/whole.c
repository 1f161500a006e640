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
  struct node *node;         /* [n] */
  int64_t *parent;           /* [n]; id of the bead before it in the tree; 0: none, a first bead */
  int64_t *first;            /* [n]; as in node */
  int32_t (*shift)[3];       /* [n] */
  /* Beads that have a parent, in the order of levels; then those whose parent is remote. */
  int64_t n_order, *order;
  struct connections connections; /* while nodes are found */
  struct remote parents;          /* remote parents, in the order of remote_child */
  int64_t n_remote, *remote_child;
  int rounds; /* exchanges of an update: ranks that the longest path passes */
};

/* A parent's state as it is sent. */
struct carried {
  int32_t known, shift[3], position[3];
};

/* Beads of the block whose node changed and has not been passed on. */
struct queue {
  int64_t *bead, head, used, room; /* a ring */
  char *waits;                     /* [n] */
};

static void queue_push(struct queue *q, int64_t k)
{
  if (q->waits[k]) return;
  q->waits[k] = 1;
  q->bead[(q->head + q->used++) % q->room] = k;
}

static int64_t queue_pop(struct queue *q)
{
  int64_t k = q->bead[q->head];
  q->head = (q->head + 1) % q->room;
  q->used--;
  q->waits[k] = 0;
  return k;
}

static int is_before(const struct node *a, const struct node *b)
{
  return a->first != b->first ? a->first < b->first : a->level < b->level;
}

/* Offers bead k a place after its partner `id`, whose node is `from`. */
static void offer(struct whole *w, struct queue *q, int64_t k, int64_t id, const struct node *from)
{
  struct node next = {from->first, from->level + 1};
  if (is_before(&next, &w->node[k])) {
    w->node[k] = next;
    w->parent[k] = id;
    queue_push(q, k);
  } else if (!is_before(&w->node[k], &next) && id < w->parent[k]) {
    w->parent[k] = id;
  }
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

/* Passes nodes on inside the block until nothing changes. */
static void spread(struct whole *w, struct queue *q, const struct system *s)
{
  while (q->used > 0) {
    const int64_t k = queue_pop(q), *partner;
    const int partners = partners_of(w, s, k, &partner);
    for (int m = 0; m < partners; m++)
      if (is_inner(w, s->first + k + partner[m]))
        offer(w, q, k + partner[m], s->first + k, &w->node[k]);
  }
}

/* Finds nodes and parents of all beads. */
static void find_nodes(struct whole *w, const struct system *s)
{
  struct queue q = {.room = s->n + 1};
  int64_t *bead, *id, n = list_outer(w, s, &bead, &id), changes;
  struct remote outer;
  q.bead = alloc_array(q.room, sizeof *q.bead);
  q.waits = alloc_array(s->n, 1);
  for (int64_t k = 0; k < s->n; k++) {
    w->node[k].first = s->first + k;
    if (s->beads.bonded_env[k] >= 0) queue_push(&q, k);
  }
  remote_open(&outer, w->ranks, s, id, n);
  struct node *answer = alloc_array(outer.n_asked, sizeof *answer);
  do {
    spread(w, &q, s);
    for (int64_t k = 0; k < outer.n_asked; k++)
      answer[k] = w->node[outer.asked[k]];
    struct node *value = remote_fetch(&outer, answer, sizeof *value);
    for (int64_t k = 0; k < n; k++)
      offer(w, &q, bead[k], id[k], &value[k]);
    free(value);
    changes = q.used;
    ranks_max_int64(w->ranks, &changes, 1);
  } while (changes > 0);
  remote_free(&outer);
  free(answer);
  free(bead);
  free(id);
  free(q.bead);
  free(q.waits);
}

/* Sorts the beads with a parent by level, and lists those whose parent is remote. */
static void order_beads(struct whole *w, const struct system *s)
{
  int64_t most = 0, *at, remote = 0;
  for (int64_t k = 0; k < w->n; k++)
    if (w->node[k].level > most) most = w->node[k].level;
  at = alloc_array(most + 2, sizeof *at);
  for (int64_t k = 0; k < w->n; k++) {
    at[w->node[k].level + 1]++;
    if (w->parent[k] != 0 && !is_inner(w, w->parent[k])) w->n_remote++;
  }
  at[1] = 0; /* first beads are not in the list */
  for (int64_t l = 1; l <= most + 1; l++)
    at[l] += at[l - 1];
  w->n_order = at[most + 1];
  w->order = alloc_array(w->n_order, sizeof *w->order);
  w->remote_child = alloc_array(w->n_remote, sizeof *w->remote_child);
  int64_t *id = alloc_array(w->n_remote, sizeof *id);
  for (int64_t k = 0; k < w->n; k++) {
    if (w->parent[k] == 0) continue;
    w->order[at[w->node[k].level]++] = k;
    if (is_inner(w, w->parent[k])) continue;
    w->remote_child[remote] = k;
    id[remote++] = w->parent[k];
  }
  remote_open(&w->parents, w->ranks, s, id, w->n_remote);
  free(id);
  free(at);
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

/* Sets the shifts of beads whose parent in the block is known. Returns how many beads lack one. */
static int64_t shift_inner(struct whole *w, const struct system *s, char *known)
{
  int64_t unknown = 0;
  for (int64_t m = 0; m < w->n_order; m++) {
    int64_t k = w->order[m], j = w->parent[k] - w->first_id;
    if (known[k]) continue;
    if (is_inner(w, w->parent[k]) && known[j]) {
      shift_set(w->shift[k], s->beads.position + 3 * k, s->beads.position + 3 * j, w->shift[j]);
      known[k] = 1;
    } else {
      unknown++;
    }
  }
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
  order_beads(w, s);
  for (int64_t k = 0; k < s->n; k++)
    w->first[k] = w->node[k].first;
  free(w->node);
  w->node = NULL;
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
  free(w->node);
  free(w->parent);
  free(w->first);
  free(w->shift);
  free(w->order);
  free(w->remote_child);
  free(w);
}
