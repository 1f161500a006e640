/* Replication: see replicate.h. Positions are exact fractions of the new box. */
#include "setup/replicate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/place.h"
#include "molecules/whole.h"

struct system *replicate_gather(const struct ranks *r, const struct system *s)
{
  struct system *whole = NULL;
  if (r->rank == 0) {
    whole = system_create(s->n_total, 0, 1, NULL);
    system_copy_state(whole, s);
    topology_copy(&whole->topology, &s->topology);
  }
  for (int f = 0; f < FIELDS; f++) {
    int64_t bytes = (int64_t)field_bytes(f), total;
    void *all = ranks_gather(r, beads_array(&s->beads, f), bytes * s->n, &total);
    if (r->rank == 0) system_set_beads(whole, f, all);
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

/* Gives all ranks the topology of rank 0 (from) without anchors, and these too if asked. */
static void broadcast_topology(const struct ranks *r, const struct topology *from, int anchors,
                               struct topology *t)
{
  int64_t n[4] = {0}; /* environments, terms, excluded partners, anchors */
  if (r->rank == 0) {
    topology_copy(t, from);
    if (!anchors) topology_forget_anchors(t);
    n[0] = t->n_envs;
    n[1] = t->n_envs ? t->term_start[t->n_envs] : 0;
    n[2] = t->n_envs ? t->exclude_start[t->n_envs] : 0;
    n[3] = t->anchors.n;
  }
  ranks_broadcast(r, n, sizeof n);
  if (n[0] == 0) return;
  if (r->rank != 0) {
    topology_reserve(t, (int)n[0], n[1], n[2]);
    topology_reserve_anchors(t, n[3]);
  }
  ranks_broadcast(r, t->term_start, (n[0] + 1) * (int64_t)sizeof *t->term_start);
  ranks_broadcast(r, t->exclude_start, (n[0] + 1) * (int64_t)sizeof *t->exclude_start);
  ranks_broadcast(r, t->term, n[1] * (int64_t)sizeof *t->term);
  ranks_broadcast(r, t->exclude, n[2] * (int64_t)sizeof *t->exclude);
  ranks_broadcast(r, t->cluster, n[0] * (int64_t)sizeof *t->cluster);
  ranks_broadcast(r, t->place, n[0] * (int64_t)sizeof *t->place);
  ranks_broadcast(r, t->anchors.id, n[3] * (int64_t)sizeof *t->anchors.id);
  ranks_broadcast(r, t->anchors.place, n[3] * (int64_t)sizeof *t->anchors.place);
}

/* The numbers of a system that its copy begins with. */
struct head {
  int64_t n_total;
  double skin, work, box[BOX];
  struct clock clock;
};

/* Everything but the beads. times: see box_reduce. Collective. */
static struct system *create_copy(const struct ranks *r, const struct system *whole, int64_t copies,
                                  const int count[3], struct forcefield *ff, int times[3])
{
  struct head head = {0};
  if (r->rank == 0) {
    head = (struct head){.n_total = whole->n_total,
                         .skin = whole->lists.skin,
                         .work = whole->run.conserved_work,
                         .clock = whole->clock};
    memcpy(head.box, whole->box, sizeof head.box);
    if (copies > 1) {
      head.work = 0;
      clock_set(&head.clock, 0, 0);
    }
  }
  ranks_broadcast(r, &head, sizeof head);
  struct system *s =
      system_create(place_count_product(head.n_total, copies, "beads"), r->rank, r->size, ff);
  broadcast_topology(r, whole ? &whole->topology : NULL, copies == 1, &s->topology);
  clock_restore(&s->clock, &head.clock);
  clock_reset_origin(&s->clock);
  list_build_set_skin(&s->lists, head.skin);
  run_record_set_work(&s->run, head.work);
  for (int d = 0; d < BOX; d++)
    head.box[d] *= count[d < 3 ? d : d == 3 ? 1 : 2]; /* vectors: base/box.h */
  times[0] = times[1] = times[2] = 0;
  if (copies > 1) box_reduce(head.box, times);
  system_set_box(s, head.box);
  return s;
}

int64_t largest_molecule(const struct beads *b, int64_t n)
{
  int64_t most = 0;
  for (int64_t k = 0; k < n; k++)
    if (b->molecule[k] > most) most = b->molecule[k];
  return most;
}

/* How many beads of the k-th rank's block are in a copy. */
static int64_t beads_of_copy(const struct ranks *r, const struct system *s, int64_t n, int64_t copy,
                             int k)
{
  return ids_shared(system_first(s->n_total, k, r->size) - 1,
                    system_first(s->n_total, k + 1, r->size) - 1, copy * n, (copy + 1) * n);
}

/* Sets the rows of the block to those of the beads that they are copies of. original: n rows, on
   rank 0. No rank gets more rows than it has. Collective. */
static void send_rows(const struct ranks *r, const struct system *s, void *original, int64_t n,
                      size_t bytes, char *rows)
{
  const int64_t copies = s->n_total / n;
  if (copies >= r->size) {
    char *all = broadcast_array(r, original, n, bytes);
    for (int64_t k = 0; k < s->n; k++)
      memcpy(rows + (size_t)k * bytes, all + (size_t)((s->first - 1 + k) % n) * bytes, bytes);
    if (all != original) free(all);
    return;
  }
  int64_t *count = alloc_array(r->size, sizeof *count), received;
  for (int64_t copy = 0; copy < copies; copy++) {
    for (int k = 0; k < r->size && r->rank == 0; k++)
      count[k] = beads_of_copy(r, s, n, copy, k);
    char *got = ranks_exchange(r, bytes, original, count, NULL, &received);
    memcpy(rows, got, (size_t)received * bytes);
    rows += (size_t)received * bytes;
    free(got);
  }
  free(count);
}

/* Adds a multiple of one coordinate of bead k to another, in fractions of the box: exactly. */
static void add_coordinate(struct system *s, int64_t k, int to, int from, int times)
{
  const struct beads *b = &s->beads;
  const int64_t i = 3 * k + to, j = 3 * k + from, m = times;
  const int64_t low = b->residual[i] + m * b->residual[j];
  const int64_t high =
      (uint32_t)b->position[i] + m * (uint32_t)b->position[j] + (low >> 32); /* carry */
  b->residual[i] = (uint32_t)low;
  b->position[i] = (int32_t)(uint32_t)high;
  b->image[i] += (int32_t)(m * b->image[j] + (high >> 32));
}

/* Moves the copied beads to the boxes of their copies: each bead to the box image in which what
   bonded terms join is together, and the first bead of that stays. times: of create_copy. */
static void spread_copies(const struct ranks *r, struct system *s, int64_t n_molecules, int64_t n,
                          const int count[3], const int times[3])
{
  struct whole *whole = whole_open(r, s, BY_TERMS);
  const int32_t(*shift)[3] = whole_shift(whole);
  ranks_broadcast(r, &n_molecules, sizeof n_molecules);
  place_molecule_number(place_count_product(n_molecules, s->n_total / n, "molecules"));
  for (int64_t k = 0; k < s->n; k++) {
    const int64_t copy = (s->first + k - 1) / n;
    int64_t cell = copy;
    for (int d = 0; d < 3; d++) {
      place_fraction(s, k, d, cell % count[d] + shift[k][d], s->beads.position[3 * k + d],
                     s->beads.residual[3 * k + d], count[d]);
      cell /= count[d];
    }
    add_coordinate(s, k, 1, 2, times[0]);
    add_coordinate(s, k, 0, 2, times[1]);
    add_coordinate(s, k, 0, 1, times[2]);
    if (s->beads.molecule[k] > 0) s->beads.molecule[k] += (int32_t)(copy * n_molecules);
  }
  whole_close(whole);
}

struct system *replicate_whole(const struct ranks *r, const struct system *whole,
                               const int count[3], struct forcefield *ff)
{
  int64_t copies = 1, n = r->rank == 0 ? whole->n : 0;
  for (int d = 0; d < 3; d++)
    copies = place_count_product(copies, count[d], "copies");
  ranks_broadcast(r, &n, sizeof n);
  int times[3];
  struct system *s = create_copy(r, whole, copies, count, ff, times);
  if (n == 0) return s;
  for (int f = 0; f < FIELDS; f++)
    if (f != FIELD_build_position)
      send_rows(r, s, r->rank == 0 ? beads_array(&whole->beads, f) : NULL, n, field_bytes(f),
                beads_array(&s->beads, f));
  memset(s->beads.build_position, 0, 3 * (size_t)s->n * sizeof *s->beads.build_position);
  if (copies > 1)
    spread_copies(r, s, r->rank == 0 ? largest_molecule(&whole->beads, n) : 0, n, count, times);
  return s;
}
