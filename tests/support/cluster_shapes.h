/* Clusters of tests: in shapes, with sites, at a random place of a box. */
#ifndef CLUSTER_SHAPES_H
#define CLUSTER_SHAPES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dynamics/cluster_body.h"
#include "input/forcefield_file.h"
#include "tests/support/unit.h"

enum { TEXT = 200000, MOST = CLUSTER_BEADS_MOST + 1, PAIRS = 3 * MOST };
#define EDGE 7.0 /* of the box, nm */

/* Numbers at random in (0, 1), by a count that goes on. */
static inline double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(11, count++, 0, RNG_BUILD).word[0] + 0.5) / 4294967296.0;
}

/* A cluster in a shape: beads, and pairs of them at the distance they have there. */
struct shape {
  int n, pairs, pair[PAIRS][2];
  double x[MOST][3];
};

struct test_cluster {
  struct forcefield *ff;
  struct cluster c;
  struct body body[MOST];
  struct body_type type[MOST];
  const struct body_type *inertia[MOST];
  double *room;
};

static inline void shape_pair(struct shape *s, int a, int b)
{
  s->pair[s->pairs][0] = a;
  s->pair[s->pairs++][1] = b;
}

/* Random places, each at least 0.25 nm from the one before it. */
static inline struct shape shape_of(int n)
{
  struct shape s = {.n = n};
  for (int k = 1; k < n; k++)
    for (int d = 0; d < 3; d++)
      s.x[k][d] = s.x[k / 3][d] + (random_number() < 0.5 ? -1 : 1) * (0.15 + 0.3 * random_number());
  return s;
}

enum { CHAIN, TRIANGLE, TETRAHEDRON, K5, FLAT, LADDER, TREE, PAIR, SHAPES };

static inline struct shape shape_named(int name)
{
  static const int size[SHAPES] = {9, 3, 4, 5, 4, 16, 43, 2};
  struct shape s = shape_of(size[name]);
  for (int a = 0; a < s.n; a++)
    for (int b = a + 1; b < s.n; b++) {
      const int all = name == TRIANGLE || name == TETRAHEDRON || name == K5 || name == PAIR;
      const int near = (name == CHAIN && b == a + 1) || (name == TREE && a == b / 3) ||
                       (name == LADDER && b <= a + 3) || (name == FLAT && b != a + 3);
      if (all || near) shape_pair(&s, a, b);
    }
  for (int k = 0; name == FLAT && k < s.n; k++)
    s.x[k][2] = 0;
  return s;
}

static inline double distance(const struct shape *s, int a, int b)
{
  double r2 = 0;
  for (int d = 0; d < 3; d++)
    r2 += (s->x[a][d] - s->x[b][d]) * (s->x[a][d] - s->x[b][d]);
  return sqrt(r2);
}

/* A force field with one molecule; sites: the YAML text of the entries of `sites`. */
static inline struct forcefield *field_of(const struct shape *s, const char *sites, int n_sites)
{
  char *text = alloc_array(TEXT, 1);
  size_t n =
      (size_t)snprintf(text, TEXT,
                       "format: 1\nname: t\ncutoff: 1\ntypes:\n  A: {mass: 72}\n  B: {mass: "
                       "36}\n  S: {mass: 0}\npair:\n  lj: {truncation: cut, mixing: "
                       "geometric}\n  electrostatics: {truncation: none}\n  table:\n    - "
                       "[A, A, {epsilon: 1, sigma: 0.3}]\n    - [B, B, {epsilon: 1, sigma: "
                       "0.3}]\n    - [S, S, {epsilon: 1, sigma: 0.3}]\nmolecules:\n  M:\n    "
                       "beads: [");
  for (int k = 0; k < s->n + n_sites; k++)
    n += (size_t)snprintf(text + n, TEXT - n, "%s%s", k ? ", " : "",
                          k >= s->n ? "S"
                          : k % 3   ? "A"
                                    : "B");
  n += (size_t)snprintf(text + n, TEXT - n, "]\n    constraints: [");
  for (int k = 0; k < s->pairs; k++)
    n += (size_t)snprintf(text + n, TEXT - n, "%s[%d, %d, %.17g]", k ? ", " : "", s->pair[k][0] + 1,
                          s->pair[k][1] + 1, distance(s, s->pair[k][0], s->pair[k][1]));
  snprintf(text + n, TEXT - n, "]\n    sites: [%s]\n", sites);
  struct forcefield *ff = forcefield_parse(text, "test.yaml");
  free(text);
  return ff;
}

static inline void body_put(struct body *b, const double x[3])
{
  for (int d = 0; d < 3; d++) {
    const double fraction = x[d] / EDGE - floor(x[d] / EDGE);
    const uint64_t fixed = (uint64_t)ldexp(fraction, 63) << 1;
    b->x[d] = (int32_t)(uint32_t)(fixed >> 32);
    b->residual[d] = (uint32_t)fixed;
  }
}

/* The cluster at a random place of the box, with random momenta and forces. */
static inline void cluster_open(struct test_cluster *t, const struct shape *s, const char *sites,
                                int n_sites)
{
  double at[3];
  memset(t, 0, sizeof *t);
  t->ff = field_of(s, sites, n_sites);
  assert_int_equal(t->ff->n_clusters, 1);
  t->room = alloc_array(cluster_room(t->ff->cluster), sizeof *t->room);
  t->c = (struct cluster){.type = t->ff->cluster,
                          .body = t->body,
                          .inertia = t->inertia,
                          .box = {EDGE, EDGE, EDGE},
                          .lanes = {0, 1, 1, 0},
                          .sparse = t->ff->cluster->pattern.n_levels > 0};
  cluster_set_room(&t->c, t->room);
  for (int d = 0; d < 3; d++)
    at[d] = EDGE * random_number();
  for (int k = 0; k < t->ff->molecule->n_beads; k++) {
    t->type[k] = body_type_of(&t->ff->type[t->ff->molecule->bead[k]]);
    t->inertia[k] = &t->type[k];
    const double x[3] = {at[0] + s->x[k][0], at[1] + s->x[k][1], at[2] + s->x[k][2]};
    body_put(&t->body[k], x);
    for (int d = 0; d < 3; d++) {
      t->body[k].p[d] = 25 * (2 * random_number() - 1) * (t->type[k].mass > 0);
      t->body[k].force[d] = 300 * (2 * random_number() - 1);
    }
  }
}

static inline void cluster_close(struct test_cluster *t)
{
  free(t->room);
  forcefield_destroy(t->ff);
}

/* Adds the momentum, angular momentum and kinetic energy of a bead at r to out[7]. */
static inline void motion_add(double *out, const double r[3], const struct body *b,
                              double inverse_mass)
{
  double turn[3];
  for (int d = 0; d < 3; d++) {
    out[d] += b->p[d];
    out[6] += 0.5 * b->p[d] * b->p[d] * inverse_mass;
  }
  vec3d_cross(r, b->p, turn);
  for (int d = 0; d < 3; d++)
    out[3 + d] += turn[d];
}

#endif
