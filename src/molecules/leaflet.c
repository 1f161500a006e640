/* Leaflets of lipids: see leaflet.h. The beads of a molecule, which may lie in the blocks of
   several ranks, are sent to the rank of its number, and leaflets back in the order of the beads.
 */
#include "molecules/leaflet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "molecules/remote.h"

/* A bead of what may be a lipid. */
struct leaflet_bead {
  int64_t id, at; /* at: index in the order in which the beads came */
  int32_t molecule, molecule_type, type, env, position[3];
};

static int compare(const void *pa, const void *pb)
{
  const struct leaflet_bead *a = pa, *b = pb;
  if (a->molecule != b->molecule) return a->molecule < b->molecule ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

void leaflet_beads_add(struct leaflet_beads *b, const struct system *s, const struct lipids *l)
{
  for (int64_t k = 0; k < s->n; k++) {
    const int type = s->beads.molecule_type[k];
    if (s->beads.molecule[k] <= 0 || (type >= 0 && !l->type[type].is_lipid)) continue;
    const int32_t *x = s->beads.position + 3 * k;
    b->bead = extend_array(b->bead, b->n, sizeof *b->bead);
    b->bead[b->n] = (struct leaflet_bead){s->first + k,         b->n,
                                          s->beads.molecule[k], s->beads.molecule_type[k],
                                          s->beads.type[k],     s->beads.bonded_env[k],
                                          {x[0], x[1], x[2]}};
    b->n++;
  }
}

/* The lipids of some beads. */
struct poses {
  int64_t n;
  struct lipid_pose *pose; /* [n] */
  int *type;               /* [n]: molecule types; -1: unknown */
  int32_t *leaflet;        /* [beads], in the order in which these came; 0: no lipid */
};

/* Frees the beads. */
static struct poses poses_find(const struct system *s, const struct lipids *l,
                               struct leaflet_beads *b)
{
  const int64_t n = b->n;
  struct poses p = {0, alloc_array(n, sizeof *p.pose), alloc_array(n, sizeof *p.type),
                    alloc_array(n, sizeof *p.leaflet)};
  const struct leaflet_bead *bead = b->bead;
  int32_t *type = alloc_array(n, sizeof *type), *env = alloc_array(n, sizeof *env);
  int32_t(*position)[3] = alloc_array(n, sizeof *position);
  int64_t *id = alloc_array(n, sizeof *id);
  char *mark = alloc_array(n, 1);
  double(*x)[3] = alloc_array(n, sizeof *x);
  int headed;
  if (n > 0) qsort(b->bead, (size_t)n, sizeof *bead, compare);
  for (int64_t first = 0, end; first < n; first = end) {
    for (end = first; end < n && bead[end].molecule == bead[first].molecule; end++) {
      type[end - first] = bead[end].type;
      env[end - first] = bead[end].env;
      id[end - first] = bead[end].id;
      memcpy(position[end - first], bead[end].position, sizeof *position);
    }
    const struct molecule_beads m = {(int)(end - first), bead[first].molecule_type, type, env, id};
    if (!lipids_mark(l, &s->topology, &m, mark, &headed)) continue;
    p.pose[p.n] = lipid_pose(s->ff, &s->topology, &m, mark, position[0], s->box, x);
    for (int64_t k = first; k < end; k++)
      p.leaflet[bead[k].at] = p.pose[p.n].leaflet;
    p.type[p.n++] = bead[first].molecule_type;
  }
  free(type);
  free(env);
  free(position);
  free(id);
  free(mark);
  free(x);
  free(b->bead);
  *b = (struct leaflet_beads){0};
  return p;
}

static void poses_free(struct poses *p)
{
  free(p->pose);
  free(p->type);
  free(p->leaflet);
}

/* Each lipid of the system on one rank. leaflet: NULL, or [n] of the block, 0. Collective. */
static struct poses poses_exchange(const struct ranks *r, const struct system *s,
                                   const struct lipids *l, int32_t *leaflet)
{
  struct leaflet_beads own = {0}, came;
  struct remote m;
  int64_t most = 0;
  leaflet_beads_add(&own, s, l);
  int *rank = alloc_array(own.n, sizeof *rank);
  for (int64_t k = 0; k < own.n; k++)
    if (own.bead[k].molecule > most) most = own.bead[k].molecule;
  ranks_max_int64(r, &most, 1);
  for (int64_t k = 0; k < own.n; k++)
    rank[k] = (int)(own.bead[k].molecule * (int64_t)r->size / (most + 1));
  remote_to(&m, r, rank, own.n);
  came.n = m.n_asked;
  came.bead = remote_push(&m, own.bead, sizeof *own.bead);
  for (int64_t k = 0; k < came.n; k++)
    came.bead[k].at = k;
  struct poses p = poses_find(s, l, &came);
  int32_t *answer = leaflet ? remote_fetch(&m, p.leaflet, sizeof *answer) : NULL;
  for (int64_t k = 0; answer && k < own.n; k++)
    leaflet[own.bead[k].id - s->first] = answer[k];
  remote_free(&m);
  free(answer);
  free(own.bead);
  free(rank);
  return p;
}

/* r NULL: the poses are those of all lipids; local. */
static enum flatness flatness_find(const struct ranks *r, const struct system *s,
                                   const struct lipids *l, int64_t all, const struct poses *p)
{
  if (l->is_flat) return FLAT;
  const int grid = flatness_grid(all), words = flatness_words(grid);
  int64_t *word = alloc_array(words, sizeof *word);
  for (int64_t k = 0; k < p->n; k++)
    flatness_add(grid, &p->pose[k], word);
  if (r) ranks_sum_int64(r, word, words);
  const enum flatness found = flatness_of(grid, word, s->box);
  free(word);
  return found;
}

int32_t *leaflets_find(const struct ranks *r, const struct system *s, const struct lipids *l,
                       int64_t *lipids, enum flatness *flat)
{
  int32_t *leaflet = alloc_array(s->n, sizeof *leaflet);
  struct poses p = poses_exchange(r, s, l, leaflet);
  *lipids = p.n;
  ranks_sum_int64(r, lipids, 1);
  *flat = flatness_find(r, s, l, *lipids, &p);
  poses_free(&p);
  return leaflet;
}

int64_t leaflet_beads_judge(struct leaflet_beads *b, const struct system *s, const struct lipids *l,
                            enum flatness *flat)
{
  struct poses p = poses_find(s, l, b);
  *flat = flatness_find(NULL, s, l, p.n, &p);
  poses_free(&p);
  return p.n;
}

/* Where the molecules of a type are */

/* Sums over the molecules of a type: how many, cos^2 between their axes and z, how many stand in
   the layer, how many are between the heads. */
enum { MOLECULES, COS2, STANDING, BETWEEN, SUMS };

#define COS2_SCALE 1048576.0

/* The molecules of all types that have marks, lipids or not. */
struct census {
  struct poses of;      /* on this rank */
  int64_t (*sum)[SUMS]; /* [molecule types], over all ranks */
};

static struct census census_make(const struct ranks *r, const struct system *s,
                                 const struct lipids *l)
{
  const int types = s->ff->n_molecules;
  struct lipids marked = *l;
  marked.type = alloc_array(types, sizeof *marked.type);
  for (int k = 0; k < types; k++) {
    marked.type[k] = l->type[k];
    marked.type[k].is_lipid = l->type[k].mark != NULL;
  }
  struct census c = {poses_exchange(r, s, &marked, NULL), alloc_array(types, sizeof *c.sum)};
  free(marked.type);
  for (int64_t k = 0; k < c.of.n; k++) {
    const double *u = c.of.pose[k].axis, r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    if (c.of.type[k] < 0) continue;
    c.sum[c.of.type[k]][MOLECULES]++;
    if (r2 > 0) c.sum[c.of.type[k]][COS2] += llrint(u[2] * u[2] / r2 * COS2_SCALE);
  }
  ranks_sum_int64(r, c.sum[0], (int)SUMS * types);
  return c;
}

/* Which types tell where the layer is: upright ones with heads that are sure, in this order. */
enum guides { PHOSPHATES, LIPIDS, ALL_HEADS, GUIDES };

static int is_guide(const struct lipids *l, const struct census *c, int molecule, enum guides which)
{
  if (molecule < 0) return 0;
  const struct lipid_type *type = &l->type[molecule];
  const int64_t *sum = c->sum[molecule];
  const int sure = which == ALL_HEADS    ? type->is_lipid || type->is_odd
                   : which == PHOSPHATES ? type->is_lipid && type->headed
                                         : type->is_lipid;
  return sure && sum[MOLECULES] > 0 &&
         (double)sum[COS2] >= 0.45 * COS2_SCALE * (double)sum[MOLECULES];
}

/* The sums of flatness.h over the guides; NULL if they are no flat bilayer. Caller frees. */
static int64_t *layer_find(const struct census *c, const struct ranks *r, const struct system *s,
                           const struct lipids *l, enum guides which, int *grid)
{
  int64_t all = 0;
  for (int k = 0; k < s->ff->n_molecules; k++)
    all += is_guide(l, c, k, which) ? c->sum[k][MOLECULES] : 0;
  if (all == 0) return NULL;
  *grid = flatness_grid(all);
  const int words = flatness_words(*grid);
  int64_t *word = alloc_array(words, sizeof *word);
  for (int64_t k = 0; k < c->of.n; k++)
    if (is_guide(l, c, c->of.type[k], which)) flatness_add(*grid, &c->of.pose[k], word);
  ranks_sum_int64(r, word, words);
  if (flatness_of(*grid, word, s->box) == FLAT) return word;
  free(word);
  return NULL;
}

/* Counts the molecules that stand in the layer: with the head, which points away from the tails,
   within a third of the thickness (1 to 1.5 nm) of the heads of that leaflet. Returns 0 if there is
   no flat bilayer. */
static int census_place(struct census *c, const struct ranks *r, const struct system *s,
                        const struct lipids *l)
{
  const int types = s->ff->n_molecules;
  const double edge = s->box[2];
  int grid = 1;
  int64_t *word = NULL, (*here)[SUMS] = alloc_array(types, sizeof *here);
  for (enum guides which = PHOSPHATES; !word && which < GUIDES; which++)
    word = layer_find(c, r, s, l, which, &grid);
  const double thick = word ? flatness_thickness(grid, word, edge) : 0;
  const double near = fmin(fmax(thick / 3, 1), 1.5);
  for (int64_t k = 0; word && k < c->of.n; k++) {
    const struct lipid_pose *p = &c->of.pose[k];
    const double middle = p->head[2] / TORUS_EDGE - 0.5 * p->axis[2] / edge;
    if (c->of.type[k] < 0) continue;
    here[c->of.type[k]][STANDING] += flatness_offset(grid, word, p, edge) <= near;
    here[c->of.type[k]][BETWEEN] += flatness_rise(grid, word, -1, middle, edge) <= thick;
  }
  ranks_sum_int64(r, here[0], (int)SUMS * types);
  for (int k = 0; k < types; k++) {
    c->sum[k][STANDING] = here[k][STANDING];
    c->sum[k][BETWEEN] = here[k][BETWEEN];
  }
  const int found = word != NULL;
  free(here);
  free(word);
  return found;
}

char *leaflets_stand(const struct ranks *r, const struct system *s, const struct lipids *l)
{
  struct census c = census_make(r, s, l);
  const int found = census_place(&c, r, s, l);
  char *place = alloc_array(s->ff->n_molecules, 1);
  for (int k = 0; k < s->ff->n_molecules; k++) {
    const int64_t *sum = c.sum[k], n = sum[MOLECULES];
    const int stands = l->type[k].is_lipid || l->type[k].is_odd ? 2 * sum[STANDING] >= n : 0;
    place[k] = n == 0                  ? PLACE_NONE
               : !found                ? PLACE_UNKNOWN
               : stands                ? PLACE_STANDING
               : 2 * sum[BETWEEN] >= n ? PLACE_BETWEEN
                                       : PLACE_OUTSIDE;
  }
  free(c.sum);
  poses_free(&c.of);
  return place;
}
