/* Degrees of freedom that constraints take from beads, against the projector onto the constrained
   directions made by orthogonalisation, and against what is known of single constraints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "input/forcefield_file.h"
#include "observe/cluster_freedom.h"
#include "tests/support/unit.h"

enum { TEXT = 20000, BEADS = 120, CONSTRAINTS = 192 };

static const char head[] =
    "format: 1\nname: t\ncutoff: 1\ntypes: {A: {mass: 10}, B: {mass: 45}, C: {mass: 72}, S: {mass: "
    "0}}\npair: {lj: {truncation: cut, mixing: geometric}, electrostatics: {truncation: none}, "
    "table: [[A, A, {epsilon: 1, sigma: 0.3}], [B, B, {epsilon: 1, sigma: 0.3}], [C, C, {epsilon: "
    "1, sigma: 0.3}], [S, S, {epsilon: 1, sigma: 0.3}]]}\nmolecules:\n  M:\n";

/* A cluster of a molecule with these beads, constraints and sites. */
static struct forcefield *molecule(const char *beads, const char *rest)
{
  char *text = alloc_array(TEXT, 1);
  snprintf(text, TEXT, "%s    beads: [%s]\n%s\n", head, beads, rest);
  struct forcefield *ff = forcefield_parse(text, "ff.yaml");
  free(text);
  assert_int_equal(ff->n_clusters, 1);
  return ff;
}

static void draw_vectors(const struct cluster_type *t, int draw, int flat, double (*vector)[3])
{
  double x[BEADS][4];
  for (int b = 0; b < t->n_beads; b++) {
    rng_uniform((uint64_t)draw, 0, (uint64_t)b, RNG_START, x[b]);
    if (flat) x[b][2] = 0.5;
  }
  for (int c = 0; c < t->n_constraints; c++)
    for (int d = 0; d < 3; d++)
      vector[c][d] = x[t->constraint[c].bead[0]][d] - x[t->constraint[c].bead[1]][d];
}

/* Gram-Schmidt, twice: taken[bead] is the sum of the squares of the components there. */
static int expect(const struct cluster_type *t, const double (*vector)[3], double *taken)
{
  static double basis[CONSTRAINTS][3 * BEADS];
  const int n = 3 * t->n_beads;
  int rank = 0;
  memset(taken, 0, (size_t)t->n_beads * sizeof *taken);
  for (int c = 0; c < t->n_constraints; c++) {
    double *row = basis[rank], before = 0, norm = 0;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int e = 0; e < 2; e++)
      for (int d = 0; d < 3; d++) {
        const int bead = t->constraint[c].bead[e];
        row[3 * bead + d] = (e ? -1 : 1) * vector[c][d] * sqrt(t->inverse_mass[bead]);
      }
    for (int k = 0; k < n; k++)
      before += row[k] * row[k];
    for (int turn = 0; turn < 2; turn++)
      for (int r = 0; r < rank; r++) {
        double along = 0;
        for (int k = 0; k < n; k++)
          along += basis[r][k] * row[k];
        for (int k = 0; k < n; k++)
          row[k] -= along * basis[r][k];
      }
    for (int k = 0; k < n; k++)
      norm += row[k] * row[k];
    if (norm < 1e-12 * before) continue;
    for (int k = 0; k < n; k++)
      row[k] /= sqrt(norm);
    rank++;
    for (int k = 0; k < n; k++)
      taken[k / 3] += row[k] * row[k];
  }
  return rank;
}

static void agrees(const char *beads, const char *rest, int flat, int independent)
{
  struct forcefield *ff = molecule(beads, rest);
  const struct cluster_type *t = &ff->cluster[0];
  struct observable o = {0};
  struct cluster_freedom *c = cluster_freedom_create(&o, ff);
  double vector[CONSTRAINTS][3], want[BEADS], sum = 0;
  for (int draw = 0; draw < 20; draw++) {
    draw_vectors(t, draw, flat, vector);
    const double *got = cluster_freedom_taken(c, 0, (const double(*)[3])vector);
    assert_int_equal(expect(t, (const double(*)[3])vector, want), independent);
    sum = 0;
    for (int b = 0; b < t->n_beads; b++) {
      assert_true(fabs(got[b] - want[b]) < 1e-8);
      sum += got[b];
    }
    assert_true(fabs(sum - independent) < 1e-8);
  }
  observable_free(&o);
  forcefield_destroy(ff);
}

static void shapes(void **state)
{
  (void)state;
  agrees("A, C", "    constraints: [[1, 2, 0.3]]", 0, 1);
  agrees("A, C, B", "    constraints: [[3, 2, 0.3], [1, 2, 0.3]]", 0, 2);
  agrees("A, C, B", "    constraints: [[1, 2, 0.3], [2, 3, 0.3], [1, 3, 0.3]]", 0, 3);
  agrees("A, B, C, A, S",
         "    constraints: [[1, 2, 0.3], [2, 3, 0.3], [3, 4, 0.3], [4, 1, 0.3], [1, 3, 0.4]]\n"
         "    sites: [{bead: 5, form: linear, from: [1, 3], a: 0.3}]",
         0, 5);
  agrees(
      "A, B, C, B, B, C",
      "    constraints: [[1, 2, 0.3], [2, 3, 0.3], [3, 4, 0.3], [4, 5, 0.3], [5, 6, 0.3], [6, 1, "
      "0.3]]",
      0, 6);
  /* more constraints than are independent: of five beads with all, and of four in a plane */
  agrees(
      "A, B, C, B, A",
      "    constraints: [[1, 2, 0.3], [1, 3, 0.3], [1, 4, 0.3], [1, 5, 0.3], [2, 3, 0.3], [2, 4, "
      "0.3], [2, 5, 0.3], [3, 4, 0.3], [3, 5, 0.3], [4, 5, 0.3]]",
      0, 9);
  agrees(
      "A, B, C, B",
      "    constraints: [[1, 2, 0.3], [1, 3, 0.3], [1, 4, 0.3], [2, 3, 0.3], [2, 4, 0.3], [3, 4, "
      "0.3]]",
      1, 5);
  /* parts that only a site connects */
  agrees("A, C, C, B, S",
         "    constraints: [[1, 2, 0.3], [3, 4, 0.3]]\n"
         "    sites: [{bead: 5, form: centre, from: [1, 2, 3, 4], weights: [1, 1, 1, 1]}]",
         0, 2);
}

/* A backbone, whose beads each have one beside them: constraints of the backbone stand first. */
static void long_chain(void **state)
{
  (void)state;
  enum { N = 60 };
  char beads[4 * 2 * N], rest[20 * 2 * N + 40];
  int used = 0, n = snprintf(rest, sizeof rest, "    constraints: [[1, 2, 0.3]");
  for (int k = 0; k < 2 * N; k++)
    used +=
        snprintf(beads + used, sizeof beads - (size_t)used, "%s%c", k ? ", " : "", "ACB"[k % 3]);
  for (int k = 2; k < N; k++)
    n += snprintf(rest + n, sizeof rest - (size_t)n, ", [%d, %d, 0.3]", k, k + 1);
  for (int k = 1; k <= N; k++)
    n += snprintf(rest + n, sizeof rest - (size_t)n, ", [%d, %d, 0.3]", k, k + N);
  snprintf(rest + n, sizeof rest - (size_t)n, "]");
  agrees(beads, rest, 0, 2 * N - 1);
}

/* A constraint takes from a bead what the mass of the other is of both. */
static void single(void **state)
{
  (void)state;
  struct forcefield *ff = molecule("A, C", "    constraints: [[1, 2, 0.3]]");
  struct observable o = {0};
  struct cluster_freedom *c = cluster_freedom_create(&o, ff);
  const double vector[1][3] = {{0.1, -0.2, 0.2}};
  const double *got = cluster_freedom_taken(c, 0, vector);
  assert_true(fabs(got[0] - 72.0 / 82) < 1e-14);
  assert_true(fabs(got[1] - 10.0 / 82) < 1e-14);
  observable_free(&o);
  forcefield_destroy(ff);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(long_chain),
                                     cmocka_unit_test(single)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
