/* Replication: see replicate.h. Positions are exact fractions of the new box. */
#include "setup/replicate.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/place.h"

struct system *replicate_gather(const struct ranks *r, const struct system *s)
{
  struct system *whole = NULL;
  if (r->rank == 0) {
    whole = alloc_array(1, sizeof *whole);
    *whole = *s;
    whole->ff = NULL;
    whole->input = whole->run_text = whole->history = NULL;
    whole->accumulated = NULL; /* a larger system has other averages */
    whole->n_accumulated = 0;
    whole->first = 1;
    whole->n = s->n_total;
    memset(&whole->beads, 0, sizeof whole->beads);
    topology_copy(&whole->topology, &s->topology);
  }
  struct beads own = s->beads;
  for (int f = 0; f < FIELDS; f++) {
    int64_t bytes = (int64_t)field_bytes(f), total;
    void *all = ranks_gather(r, *beads_field(&own, f), bytes * s->n, &total);
    if (r->rank == 0) *beads_field(&whole->beads, f) = all;
  }
  return whole;
}

/* Rank 0 passes an array, the others get a new one. */
static void *broadcast_array(const struct ranks *r, void *array, int64_t count, size_t size)
{
  if (r->rank != 0) array = alloc_array(count, size);
  ranks_broadcast(r, array, count * (int64_t)size);
  return array;
}

static void broadcast_topology(const struct ranks *r, struct topology *t)
{
  ranks_broadcast(r, &t->n_envs, sizeof t->n_envs);
  if (t->n_envs == 0) return;
  int n = t->n_envs;
  t->term_start = broadcast_array(r, t->term_start, (int64_t)n + 1, sizeof *t->term_start);
  t->exclude_start = broadcast_array(r, t->exclude_start, (int64_t)n + 1, sizeof *t->exclude_start);
  t->term = broadcast_array(r, t->term, t->term_start[n], sizeof *t->term);
  t->exclude = broadcast_array(r, t->exclude, t->exclude_start[n], sizeof *t->exclude);
  t->cluster = broadcast_array(r, t->cluster, n, sizeof *t->cluster);
  t->place = broadcast_array(r, t->place, n, sizeof *t->place);
  t->anchors.id = broadcast_array(r, t->anchors.id, t->anchors.n, sizeof *t->anchors.id);
  t->anchors.place = broadcast_array(r, t->anchors.place, t->anchors.n, sizeof *t->anchors.place);
}

/* Everything but the beads. Collective. */
static struct system *create_copy(const struct ranks *r, const struct system *whole, int64_t copies,
                                  const int count[3], struct forcefield *ff)
{
  struct system head = {0};
  if (r->rank == 0) {
    head = *whole;
    topology_copy(&head.topology, &whole->topology);
    if (copies > 1) topology_forget_anchors(&head.topology);
  }
  /* Numbers are sent as they are; pointers are replaced below. */
  struct topology topology = head.topology;
  ranks_broadcast(r, &head, sizeof head);
  broadcast_topology(r, &topology);
  struct system *s =
      system_create(place_count_product(head.n_total, copies, "beads"), r->rank, r->size, ff);
  s->topology = topology;
  s->step = copies == 1 ? head.step : 0;
  s->time = copies == 1 ? head.time : 0;
  system_reset_clock(s);
  s->seed = head.seed;
  s->skin = head.skin;
  s->conserved_work = copies == 1 ? head.conserved_work : 0;
  for (int d = 0; d < 3; d++)
    s->box[d] = head.box[d] * count[d];
  return s;
}

static int64_t max_molecule(const struct beads *b, int64_t n)
{
  int64_t most = 0;
  for (int64_t k = 0; k < n; k++)
    if (b->molecule[k] > most) most = b->molecule[k];
  return most;
}

/* For each bead, the box image in which its molecule is whole: bonded beads are nearest images of
   each other, and the first bead of a molecule stays. */
static int32_t *find_shifts(const struct beads *b, const struct topology *t, int64_t n)
{
  int32_t *shift = alloc_array(n, 3 * sizeof *shift);
  int64_t *queue = alloc_array(n, sizeof *queue);
  char *visited = alloc_array(n, 1);
  for (int64_t first = 0; first < n; first++) {
    int64_t found = 0;
    if (visited[first] || b->bonded_env[first] < 0) continue;
    visited[first] = 1;
    queue[found++] = first;
    for (int64_t q = 0; q < found; q++) {
      int64_t i = queue[q];
      int env = b->bonded_env[i];
      for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++)
        for (int p = 0; p < 2; p++) {
          int64_t j = i + t->term[k].partner[p];
          if (visited[j]) continue;
          for (int d = 0; d < 3; d++) {
            uint32_t xi = (uint32_t)b->position[3 * i + d], xj = (uint32_t)b->position[3 * j + d];
            int64_t near = (int64_t)xi + (int32_t)(xj - xi);
            shift[3 * j + d] = shift[3 * i + d] + (int32_t)((near - (int64_t)xj) / (1LL << 32));
          }
          visited[j] = 1;
          queue[found++] = j;
        }
    }
  }
  free(queue);
  free(visited);
  return shift;
}

/* Copies bead `from` of the original to bead k of the block. */
static void copy_bead(struct system *s, int64_t k, struct beads *old, int64_t from)
{
  for (int f = 0; f < FIELDS; f++) {
    size_t bytes = field_bytes(f);
    memcpy((char *)*beads_field(&s->beads, f) + (size_t)k * bytes,
           (char *)*beads_field(old, f) + (size_t)from * bytes, bytes);
  }
  memset(s->beads.build_position + 3 * k, 0, 3 * sizeof *s->beads.build_position);
}

static void fill_copies(struct system *s, struct beads *old, int64_t n, const int count[3])
{
  if (n == 0) return;
  int32_t *shift = find_shifts(old, &s->topology, n);
  int64_t n_molecules = max_molecule(old, n), copies = s->n_total / n;
  place_molecule_number(place_count_product(n_molecules, copies, "molecules"));
  for (int64_t k = 0; k < s->n; k++) {
    int64_t id = s->first + k, copy = (id - 1) / n, from = (id - 1) % n, cell = copy;
    copy_bead(s, k, old, from);
    if (copies == 1) continue;
    for (int d = 0; d < 3; d++) {
      place_fraction(s, k, d, cell % count[d] + shift[3 * from + d], old->position[3 * from + d],
                     old->residual[3 * from + d], count[d]);
      cell /= count[d];
    }
    if (s->beads.molecule[k] > 0) s->beads.molecule[k] += (int32_t)(copy * n_molecules);
  }
  free(shift);
}

struct system *replicate_whole(const struct ranks *r, const struct system *whole,
                               const int count[3], struct forcefield *ff)
{
  int64_t copies = 1, n = r->rank == 0 ? whole->n : 0;
  for (int d = 0; d < 3; d++)
    copies = place_count_product(copies, count[d], "copies");
  ranks_broadcast(r, &n, sizeof n);
  struct system *s = create_copy(r, whole, copies, count, ff);
  struct beads old = {0};
  for (int f = 0; f < FIELDS; f++) {
    int64_t bytes = (int64_t)field_bytes(f);
    void **array = beads_field(&old, f);
    if (r->rank == 0) {
      struct beads own = whole->beads;
      *array = *beads_field(&own, f);
    }
    *array = broadcast_array(r, *array, n, (size_t)bytes);
  }
  fill_copies(s, &old, n, count);
  if (r->rank != 0) beads_free(&old);
  return s;
}
