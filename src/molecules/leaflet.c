/* Leaflets of lipids: see leaflet.h. The beads of a molecule, which may lie in the blocks of
   several ranks, are sent to the rank of its number, and leaflets back in the order of the beads.
 */
#include "molecules/leaflet.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A bead of what may be a lipid. */
struct leaflet_bead {
  int64_t id, at; /* at: index in the order in which the beads came */
  int32_t molecule, molecule_type, type, env, position[3];
};

/* Beads of whole molecules, as arrays. */
struct arrays {
  int32_t *type, *env, *position; /* [n], [n], [n][3] */
  int64_t *id;
};

static int compare(const void *pa, const void *pb)
{
  const struct leaflet_bead *a = pa, *b = pb;
  if (a->molecule != b->molecule) return a->molecule < b->molecule ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

static int may_be_lipid(const struct system *s, const struct lipids *l, int64_t k)
{
  const int type = s->beads.molecule_type[k];
  return s->beads.molecule[k] > 0 && (type < 0 || l->type[type].is_lipid);
}

void leaflet_beads_add(struct leaflet_beads *b, const struct system *s, const struct lipids *l)
{
  for (int64_t k = 0; k < s->n; k++) {
    if (!may_be_lipid(s, l, k)) continue;
    const int32_t *x = s->beads.position + 3 * k;
    b->bead = extend_array(b->bead, b->n, sizeof *b->bead);
    b->bead[b->n] = (struct leaflet_bead){s->first + k,         b->n,
                                          s->beads.molecule[k], s->beads.molecule_type[k],
                                          s->beads.type[k],     s->beads.bonded_env[k],
                                          {x[0], x[1], x[2]}};
    b->n++;
  }
}

/* The beads of the block that may be of lipids, sorted by molecule and id. count[]: those for each
   rank. Collective. */
static struct leaflet_beads beads_list(const struct ranks *r, const struct system *s,
                                       const struct lipids *l, int64_t *count)
{
  struct leaflet_beads own = {0};
  int64_t most = 0;
  leaflet_beads_add(&own, s, l);
  for (int64_t k = 0; k < own.n; k++)
    if (own.bead[k].molecule > most) most = own.bead[k].molecule;
  ranks_max_int64(r, &most, 1);
  for (int64_t k = 0; k < own.n; k++)
    count[own.bead[k].molecule * (int64_t)r->size / (most + 1)]++;
  if (own.n > 0) qsort(own.bead, (size_t)own.n, sizeof *own.bead, compare);
  return own;
}

static struct arrays arrays_of(const struct leaflet_bead *bead, int64_t n)
{
  struct arrays a = {alloc_array(n, sizeof *a.type), alloc_array(n, sizeof *a.env),
                     alloc_array(n, 3 * sizeof *a.position), alloc_array(n, sizeof *a.id)};
  for (int64_t k = 0; k < n; k++) {
    a.type[k] = bead[k].type;
    a.env[k] = bead[k].env;
    a.id[k] = bead[k].id;
    memcpy(a.position + 3 * k, bead[k].position, sizeof bead[k].position);
  }
  return a;
}

/* Sets leaflet[at] of n beads, and pose[] of the lipids; returns how many these are. */
static int64_t poses_find(const struct system *s, const struct lipids *l,
                          const struct leaflet_bead *bead, int64_t n, struct lipid_pose *pose,
                          int32_t *leaflet)
{
  int64_t lipids = 0, end;
  int headed;
  const struct arrays a = arrays_of(bead, n);
  char *mark = alloc_array(n, 1);
  double(*x)[3] = alloc_array(n, sizeof *x);
  for (int64_t first = 0; first < n; first = end) {
    for (end = first; end < n && bead[end].molecule == bead[first].molecule; end++)
      continue;
    const struct molecule_beads m = {(int)(end - first), bead[first].molecule_type, a.type + first,
                                     a.env + first, a.id + first};
    if (!lipids_mark(l, &s->topology, &m, mark, &headed)) continue;
    pose[lipids] = lipid_pose(s->ff, &s->topology, &m, mark, a.position + 3 * first, s->box, x);
    for (int64_t k = first; k < end; k++)
      leaflet[bead[k].at] = pose[lipids].leaflet;
    lipids++;
  }
  free(a.type);
  free(a.env);
  free(a.position);
  free(a.id);
  free(mark);
  free(x);
  return lipids;
}

/* r NULL: the poses are those of all lipids; local. */
static enum flatness flatness_find(const struct ranks *r, const struct system *s, int64_t all,
                                   const struct lipid_pose *pose, int64_t n)
{
  const int grid = flatness_grid(all), words = flatness_words(grid);
  int64_t *word = alloc_array(words, sizeof *word);
  for (int64_t k = 0; k < n; k++)
    flatness_add(grid, &pose[k], word);
  if (r) ranks_sum_int64(r, word, words);
  const enum flatness found = flatness_of(grid, word, s->box);
  free(word);
  return found;
}

int32_t *leaflets_find(const struct ranks *r, const struct system *s, const struct lipids *l,
                       int64_t *lipids, enum flatness *flat)
{
  int64_t *out = alloc_array(r->size, sizeof *out), *in = alloc_array(r->size, sizeof *in), n;
  const struct leaflet_beads own = beads_list(r, s, l, out);
  struct leaflet_bead *bead = ranks_exchange(r, sizeof *bead, own.bead, out, in, &n);
  for (int64_t k = 0; k < n; k++)
    bead[k].at = k;
  qsort(bead, (size_t)n, sizeof *bead, compare);
  struct lipid_pose *pose = alloc_array(n, sizeof *pose);
  int32_t *found = alloc_array(n, sizeof *found), *leaflet = alloc_array(s->n, sizeof *leaflet);
  const int64_t lipids_here = poses_find(s, l, bead, n, pose, found);
  *lipids = lipids_here;
  ranks_sum_int64(r, lipids, 1);
  *flat = l->is_flat ? FLAT : flatness_find(r, s, *lipids, pose, lipids_here);
  int32_t *answer = ranks_deliver(r, sizeof *answer, found, in, out);
  for (int64_t k = 0; k < own.n; k++)
    leaflet[own.bead[k].id - s->first] = answer[k];
  free(out);
  free(in);
  free(own.bead);
  free(bead);
  free(pose);
  free(found);
  free(answer);
  return leaflet;
}

int64_t leaflet_beads_judge(struct leaflet_beads *b, const struct system *s, const struct lipids *l,
                            enum flatness *flat)
{
  struct lipid_pose *pose = alloc_array(b->n, sizeof *pose);
  int32_t *leaflet = alloc_array(b->n, sizeof *leaflet);
  if (b->n > 0) qsort(b->bead, (size_t)b->n, sizeof *b->bead, compare);
  const int64_t lipids = poses_find(s, l, b->bead, b->n, pose, leaflet);
  *flat = l->is_flat ? FLAT : flatness_find(NULL, s, lipids, pose, lipids);
  free(pose);
  free(leaflet);
  free(b->bead);
  *b = (struct leaflet_beads){0};
  return lipids;
}
