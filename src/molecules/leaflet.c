/* Leaflets of lipids: see leaflet.h. The beads of a molecule, which may lie in the blocks of
   several ranks, are sent to the rank of its number. */
#include "molecules/leaflet.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* A bead of what may be a lipid; after that a bead and its leaflet. */
struct sent {
  int64_t id;
  int32_t molecule, molecule_type, type, env, leaflet, position[3];
};

static int compare_molecules(const void *pa, const void *pb)
{
  const struct sent *a = pa, *b = pb;
  if (a->molecule != b->molecule) return a->molecule < b->molecule ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

static int compare_ids(const void *pa, const void *pb)
{
  const struct sent *a = pa, *b = pb;
  return (a->id > b->id) - (a->id < b->id);
}

static int may_be_lipid(const struct system *s, const struct lipids *l, int64_t k)
{
  const int type = s->beads.molecule_type[k];
  return s->beads.molecule[k] > 0 && (type < 0 || l->type[type].is_lipid);
}

/* The beads of the molecules whose numbers are this rank's, sorted by molecule and id. Collective.
 */
static struct sent *molecules_gather(const struct ranks *r, const struct system *s,
                                     const struct lipids *l, int64_t *received)
{
  int64_t most = 0, n = 0;
  for (int64_t k = 0; k < s->n; k++) {
    if (s->beads.molecule[k] > most) most = s->beads.molecule[k];
    n += may_be_lipid(s, l, k);
  }
  ranks_max_int64(r, &most, 1);
  struct sent *send = alloc_array(n, sizeof *send);
  int64_t *count = alloc_array(r->size, sizeof *count);
  n = 0;
  for (int64_t k = 0; k < s->n; k++) {
    if (!may_be_lipid(s, l, k)) continue;
    const int32_t *x = s->beads.position + 3 * k;
    send[n++] = (struct sent){s->first + k,      s->beads.molecule[k],   s->beads.molecule_type[k],
                              s->beads.type[k],  s->beads.bonded_env[k], 0,
                              {x[0], x[1], x[2]}};
    count[s->beads.molecule[k] * (int64_t)r->size / (most + 1)]++;
  }
  qsort(send, (size_t)n, sizeof *send, compare_molecules);
  struct sent *got = ranks_exchange(r, sizeof *got, send, count, NULL, received);
  qsort(got, (size_t)*received, sizeof *got, compare_molecules);
  free(count);
  free(send);
  return got;
}

/* Room for a molecule. */
struct room {
  int32_t *type, *env, *position;
  int64_t *id;
  char *mark;
  double (*x)[3];
};

static struct room room_make(int64_t n)
{
  const struct room room = {alloc_array(n, sizeof *room.type),
                            alloc_array(n, sizeof *room.env),
                            alloc_array(3 * n, sizeof *room.position),
                            alloc_array(n, sizeof *room.id),
                            alloc_array(n, 1),
                            alloc_array(n, sizeof *room.x)};
  return room;
}

static void room_free(struct room *room)
{
  free(room->type);
  free(room->env);
  free(room->position);
  free(room->id);
  free(room->mark);
  free(room->x);
}

/* Sets *p to how a molecule of n beads stands. Returns 0 if it is no lipid. */
static int pose_of(const struct system *s, const struct lipids *l, const struct sent *bead, int n,
                   struct room *room, struct lipid_pose *p)
{
  int headed;
  const struct molecule_beads m = {n, bead[0].molecule_type, room->type, room->env, room->id};
  for (int k = 0; k < n; k++) {
    room->type[k] = bead[k].type;
    room->env[k] = bead[k].env;
    room->id[k] = bead[k].id;
    memcpy(room->position + 3 * k, bead[k].position, sizeof bead[k].position);
  }
  if (!lipids_mark(l, &s->topology, &m, room->mark, &headed)) return 0;
  *p = lipid_pose(s->ff, &s->topology, &m, room->mark, room->position, s->box, room->x);
  return 1;
}

/* Sets the leaflets of n beads, and pose[] of the lipids; returns how many these are. */
static int64_t poses_find(const struct system *s, const struct lipids *l, struct sent *bead,
                          int64_t n, struct lipid_pose *pose)
{
  int64_t lipids = 0, end;
  struct room room = room_make(n);
  for (int64_t first = 0; first < n; first = end) {
    for (end = first; end < n && bead[end].molecule == bead[first].molecule; end++)
      continue;
    if (!pose_of(s, l, bead + first, (int)(end - first), &room, &pose[lipids])) continue;
    for (int64_t k = first; k < end; k++)
      bead[k].leaflet = pose[lipids].leaflet;
    lipids++;
  }
  room_free(&room);
  return lipids;
}

static enum flatness flatness_find(const struct ranks *r, const struct system *s, int64_t all,
                                   const struct lipid_pose *pose, int64_t n)
{
  const int grid = flatness_grid(all), words = flatness_words(grid);
  int64_t *word = alloc_array(words, sizeof *word);
  for (int64_t k = 0; k < n; k++)
    flatness_add(grid, &pose[k], word);
  ranks_sum_int64(r, word, words);
  const enum flatness found = flatness_of(grid, word, s->box);
  free(word);
  return found;
}

/* Sends the leaflets of n beads to the ranks that have them in their blocks. Collective. */
static int32_t *leaflets_return(const struct ranks *r, const struct system *s, struct sent *bead,
                                int64_t n)
{
  int64_t *count = alloc_array(r->size, sizeof *count), received;
  int32_t *leaflet = alloc_array(s->n, sizeof *leaflet);
  qsort(bead, (size_t)n, sizeof *bead, compare_ids);
  for (int64_t k = 0; k < n; k++)
    count[system_rank_of(s->n_total, r->size, bead[k].id)]++;
  struct sent *got = ranks_exchange(r, sizeof *got, bead, count, NULL, &received);
  for (int64_t k = 0; k < received; k++)
    leaflet[got[k].id - s->first] = got[k].leaflet;
  free(got);
  free(count);
  return leaflet;
}

int32_t *leaflets_find(const struct ranks *r, const struct system *s, const struct lipids *l,
                       int64_t *lipids, enum flatness *flat)
{
  int64_t n;
  struct sent *bead = molecules_gather(r, s, l, &n);
  struct lipid_pose *pose = alloc_array(n, sizeof *pose);
  const int64_t own = poses_find(s, l, bead, n, pose);
  *lipids = own;
  ranks_sum_int64(r, lipids, 1);
  *flat = l->is_flat ? FLAT : flatness_find(r, s, *lipids, pose, own);
  int32_t *leaflet = leaflets_return(r, s, bead, n);
  free(pose);
  free(bead);
  return leaflet;
}
