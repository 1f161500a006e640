#include "md/enforce.h"

#include <stdlib.h>

#include "backend/clusters.h"
#include "base/axis.h"
#include "base/log.h"
#include "molecules/whole_block.h"

/* Brings all constraints of a cluster, from any start, to within a thousandth of their lengths, one
   constraint after the other: each moves its two beads by half of its error, along its present
   direction. */
static void approach(const struct cluster *c)
{
  enum { ROUNDS = 2000, ROUNDS_A_BEAD = 100 };
  const int n = c->type->n_constraints, rounds = ROUNDS + ROUNDS_A_BEAD * c->type->n_beads;
  const double near = 1e-3;
  int wrong = 1;
  for (int i = 0; i < 3 * c->type->n_beads; i++)
    c->move[i] = 0;
  cluster_refer(c);
  for (int round = 0; wrong && round < rounds; round++) {
    wrong = 0;
    for (int k = 0; k < n; k++) {
      const struct cluster_constraint *to = &c->type->constraint[k];
      double v[3];
      cluster_lack(c, k, v);
      const double length = sqrt(vec3d_dot(v, v));
      if (!(length > 0)) continue;
      vec3d_add(0.5 * (to->length / length - 1), v, c->move + 3 * to->bead[0]);
      vec3d_add(-0.5 * (to->length / length - 1), v, c->move + 3 * to->bead[1]);
      wrong |= fabs(length - to->length) > near * to->length;
    }
  }
  for (int i = 0; i < c->type->n_beads; i++)
    body_shift(&c->body[i], c->move + 3 * i, c->box);
}

/* Moves the beads of a cluster to the lengths of its constraints. 0 if that fails. */
static int restore(const struct cluster *c)
{
  if (cluster_restore(c)) return 1;
  approach(c);
  return cluster_restore(c);
}

/* Ends the program: constraints of cluster k, as it is in the state, cannot be solved. */
static void refuse(struct clusters *c, int k, const struct whole_block *w, const double box[BOX])
{
  const struct cluster there = clusters_load(c, 0, k, &w->beads, NULL, NULL, box);
  double length = 0;
  cluster_refer(&there);
  for (int i = 0; i < 3 * there.type->n_beads; i++)
    there.move[i] = 0;
  const struct cluster_constraint *to = &there.type->constraint[cluster_worst(&there, &length)];
  const int *bead = c->bead + c->row[k];
  die(STATUS_NUMERIC,
      "the constraints of the cluster of beads %lld and %lld cannot be solved from the positions "
      "of the state: there these two are %.6g nm apart, and the constraint is %.6g nm; see whether "
      "the positions belong to the force field",
      (long long)w->id[bead[to->bead[0]]], (long long)w->id[bead[to->bead[1]]], length, to->length);
}

/* Status 2 if constraints connect a bead of a cluster with its own periodic image: a closed path
   along constraints then crosses the box. Constraints whose lengths add up to less than the
   distance between its faces cannot do that: then the beads of the state are far from where
   constraints hold them. */
static void refuse_image(const struct cluster *c, const int64_t *id, const int *bead)
{
  const struct cluster_type *t = c->type;
  int64_t(*at)[3] = alloc_array(t->n_beads, sizeof *at);
  double length = 0; /* of all constraints, nm */
  for (int k = 0; k < t->n_constraints; k++)
    length += t->constraint[k].length;
  for (int k = 0; k < t->n_beads - 1; k++)
    for (int d = 0; d < 3; d++) {
      const int next = t->walk[2 * k], last = t->walk[2 * k + 1];
      at[next][d] = at[last][d] + torus_difference(c->body[next].x[d], c->body[last].x[d]);
    }
  for (int k = 0; k < t->n_constraints; k++)
    for (int d = 0; d < 3; d++) {
      const int a = t->constraint[k].bead[0], b = t->constraint[k].bead[1];
      if (length < 0.9 * box_height(c->box, d) ||
          at[a][d] - at[b][d] == torus_difference(c->body[a].x[d], c->body[b].x[d]))
        continue;
      die(STATUS_INPUT,
          "beads %lld and %lld: constraints connect their molecule across the box along %c with "
          "its own image, and the constraints of such a molecule cannot be solved. Use bonds in "
          "their place, or a larger box in which it ends",
          (long long)id[bead[a]], (long long)id[bead[b]], axis_name(d));
    }
  free(at);
}

static void enforce_all(struct clusters *c, struct whole_block *w, const double box[BOX],
                        enum enforce what)
{
  for (int k = 0; k < c->n; k++) {
    const struct cluster work = clusters_load(c, 0, k, &w->beads, NULL, NULL, box);
    refuse_image(&work, w->id, c->bead + c->row[k]);
    if (what == ENFORCE_LENGTHS && !restore(&work)) refuse(c, k, w, box);
    if (what != ENFORCE_SITES) {
      cluster_refer(&work);
      cluster_project(&work);
    }
    cluster_place_sites(&work);
    for (int i = 0; i < work.type->n_beads; i++)
      for (int d = 0; d < 3 && !(work.type->inverse_mass[i] > 0); d++)
        work.body[i].p[d] = 0;
    clusters_store(c, &work, k, &w->beads);
  }
}

struct clusters *enforce_clusters_find(const struct ranks *r, const struct system *s,
                                       struct whole_block *w)
{
  struct clusters *c = clusters_create(s->ff, &s->topology, 1);
  struct id_map map = {0};
  if (!c) return NULL;
  whole_block_open(w, r, s);
  id_map_reset(&map, (int)w->n);
  for (int64_t k = 0; k < w->n; k++)
    id_map_put(&map, w->id[k], (int)k);
  clusters_find(c, (int)w->n, w->id, w->beads.bonded_env, &map);
  id_map_free(&map);
  return c;
}

void enforce_system(const struct ranks *r, struct system *s, enum enforce what)
{
  struct whole_block w;
  struct clusters *c = enforce_clusters_find(r, s, &w);
  if (!c) return;
  enforce_all(c, &w, s->box, what);
  whole_block_return(&w, s);
  whole_block_close(&w);
  clusters_destroy(c);
}
