/* Bonded environments against lists gone through by hand, exclusions against distances in the graph
   of bonds (Floyd and Warshall), and equal environments for equal molecules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/forcefield_file.h"
#include "model/topology.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

/* Two types of bonds, an angle, a restraint, and a molecule: 0-1, 1-2, 1-3, 3-4 with two angles. */
static struct ff_bonded bonds[] = {{.name = "A", .form = FORM_bond_harmonic},
                                   {.name = "B", .form = FORM_bond_harmonic}};
static struct ff_bonded angles[] = {{.name = "bend", .form = FORM_angle_cosine_squared},
                                    {.name = "point", .form = FORM_angle_dipole}};
static int branch_bead[] = {0, 0, 0, 0, 0};
static struct ff_term branch_bond[] = {{0, {0, 1}}, {1, {1, 2}}, {1, {1, 3}}, {0, {3, 4}}};
static struct ff_term branch_angle[] = {{0, {0, 1, 2}}, {1, {3, 4}}};
static struct ff_molecule molecules[] = {
    {.name = "branch",
     .n_beads = 5,
     .bead = branch_bead,
     .bonded = {[SECTION_bond] = {4, branch_bond}, [SECTION_angle] = {2, branch_angle}}}};

static struct forcefield make_forcefield(int e12, int e13, int e14)
{
  return (struct forcefield){.name = "test",
                             .exclude = {e12, e13, e14},
                             .bonded = {[SECTION_bond] = {2, bonds}, [SECTION_angle] = {2, angles}},
                             .n_molecules = 1,
                             .molecule = molecules};
}

static void add_lists(struct topology *t, const struct forcefield *ff, int64_t n, int64_t n_bonds,
                      const struct bonded_ids *bond, int64_t n_angles,
                      const struct bonded_ids *angle, int32_t *env)
{
  const struct bonded_terms terms[SECTIONS] = {
      [SECTION_bond] = {n_bonds, bond}, [SECTION_angle] = {n_angles, angle}};
  topology_add_lists(t, ff, n, NULL, terms, env);
}

static int has_term(const struct topology *t, int env, int section, int type, int role, int64_t a,
                    int64_t b)
{
  int found = 0;
  for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++) {
    const struct topology_term *m = &t->term[k];
    found += m->section == section && m->type == type && m->role == role && m->partner[0] == a &&
             m->partner[1] == b;
  }
  return found;
}

static int count_terms(const struct topology *t, int env)
{
  return t->term_start[env + 1] - t->term_start[env];
}

static void molecule_by_hand(void **state)
{
  (void)state;
  struct forcefield ff = make_forcefield(1, 0, 0);
  struct topology t = {0};
  assert_int_equal(topology_add_molecule(&t, &ff, 0), 0);
  assert_int_equal(topology_add_molecule(&t, &ff, 0), 5);
  assert_int_equal(t.n_envs, 10);
  const int count[] = {2, 4, 2, 3, 2};
  for (int k = 0; k < 10; k++)
    assert_int_equal(count_terms(&t, k), count[k % 5]);
  for (int first = 0; first < 10; first += 5) {
    assert_true(has_term(&t, first, SECTION_bond, 0, 0, 1, 0));
    assert_true(has_term(&t, first, SECTION_angle, 0, 0, 1, 2));
    assert_true(has_term(&t, first + 1, SECTION_bond, 0, 1, -1, 0));
    assert_true(has_term(&t, first + 1, SECTION_bond, 1, 0, 1, 0));
    assert_true(has_term(&t, first + 1, SECTION_bond, 1, 0, 2, 0));
    assert_true(has_term(&t, first + 1, SECTION_angle, 0, 1, -1, 1));
    assert_true(has_term(&t, first + 2, SECTION_bond, 1, 1, -1, 0));
    assert_true(has_term(&t, first + 2, SECTION_angle, 0, 2, -2, -1));
    assert_true(has_term(&t, first + 3, SECTION_bond, 1, 1, -2, 0));
    assert_true(has_term(&t, first + 3, SECTION_bond, 0, 0, 1, 0));
    assert_true(has_term(&t, first + 3, SECTION_angle, 1, 0, 1, 0));
    assert_true(has_term(&t, first + 4, SECTION_bond, 0, 1, -1, 0));
    assert_true(has_term(&t, first + 4, SECTION_angle, 1, 1, -1, 0));
    const int64_t *e = t.exclude + t.exclude_start[first + 1];
    assert_int_equal(t.exclude_start[first + 2] - t.exclude_start[first + 1], 3);
    assert_true(e[0] == -1 && e[1] == 1 && e[2] == 2);
  }
  topology_free(&t);
}

/* Those of a molecule beside those of its bonds, each once; a bead without terms has them too. */
static void exclusions_of_molecule(void **state)
{
  (void)state;
  struct ff_exclusion pairs[] = {{0, 1}, {0, 4}, {1, 0}, {2, 5}, {4, 0}, {5, 2}};
  int bead[6] = {0};
  struct ff_molecule with_loose = molecules[0];
  with_loose.n_beads = 6;
  with_loose.bead = bead;
  with_loose.n_exclusions = 6;
  with_loose.exclusion = pairs;
  struct forcefield ff = make_forcefield(1, 0, 0);
  ff.molecule = &with_loose;
  struct topology t = {0};
  topology_add_molecule(&t, &ff, 0);
  static const int64_t want[] = {1, 4, -1, 1, 2, -1, 3, -2, 1, -4, -1, -3};
  static const int start[] = {0, 2, 5, 7, 9, 11, 12};
  assert_int_equal(t.n_envs, 6);
  assert_int_equal(count_terms(&t, 5), 0);
  assert_memory_equal(t.exclude_start, start, sizeof start);
  assert_memory_equal(t.exclude, want, sizeof want);
  topology_free(&t);
}

static const char charged[] =
    "format: 1\nname: charged\ncutoff: 1\n"
    "types: {P: {mass: 1, charge: 1}, N: {mass: 1, charge: -1}, C: {mass: 1}}\n"
    "pair:\n  lj: {truncation: cut, mixing: geometric}\n"
    "  electrostatics: {truncation: charge_reaction_field, epsilon_r: 2}\n"
    "  table: [[P, P, {epsilon: 1, sigma: 0.3}], [N, N, {epsilon: 1, sigma: 0.3}],\n"
    "    [C, C, {epsilon: 1, sigma: 0.3}]]\n"
    "  classes: [{types: [P], with: [N], electrostatics: {truncation: charge_reaction_field,\n"
    "    epsilon_r: 3, epsilon_rf: 7}}]\n"
    "bonds: {b: {form: harmonic, k: 1, r0: 0.3}}\n"
    "molecules: {M: {beads: [P, N, C, P], bonds: [[b, 1, 2], [b, 2, 3]],\n"
    "  exclusions: [[1, 3, 4], [2, 4]]}}\n";

/* A term for each excluded pair of charges, from both sides, of the type of its treatment. */
static void excluded_charges(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_parse(charged, "charged");
  struct topology t = {0};
  topology_add_molecule(&t, ff, 0);
  static const int count[] = {3, 4, 1, 2};
  assert_int_equal(ff->bonded[SECTION_excluded].n, 2);
  for (int k = 0; k < 4; k++)
    assert_int_equal(count_terms(&t, k), count[k]);
  assert_true(has_term(&t, 0, SECTION_excluded, 1, 0, 1, 0));
  assert_true(has_term(&t, 0, SECTION_excluded, 0, 0, 3, 0));
  assert_true(has_term(&t, 1, SECTION_excluded, 1, 1, -1, 0));
  assert_true(has_term(&t, 1, SECTION_excluded, 1, 0, 2, 0));
  assert_true(has_term(&t, 3, SECTION_excluded, 0, 1, -3, 0));
  assert_true(has_term(&t, 3, SECTION_excluded, 1, 1, -2, 0));
  topology_free(&t);
  forcefield_destroy(ff);
}

/* A reproducible shuffle. */
static uint32_t next_random(uint32_t *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

enum { COPIES = 20000, LOOSE = 7 };

/* Copies of the molecule after some loose beads, every list in another order and direction. */
static void make_copies(struct bonded_ids *bond, struct bonded_ids *angle, uint32_t *seed)
{
  for (int c = 0; c < COPIES; c++) {
    int64_t first = 1 + LOOSE + 5 * (int64_t)c;
    for (int k = 0; k < 4; k++) {
      const int *b = branch_bond[k].bead;
      int turn = (int)(next_random(seed) & 1);
      bond[4 * c + k] =
          (struct bonded_ids){branch_bond[k].type, {first + b[turn], first + b[1 - turn]}};
    }
    for (int k = 0; k < 2; k++) {
      const int *a = branch_angle[k].bead;
      int turn = k == 0 && (next_random(seed) & 1);
      angle[2 * c + k] = (struct bonded_ids){
          branch_angle[k].type, {first + a[turn ? 2 : 0], first + a[1], first + a[turn ? 0 : 2]}};
    }
  }
  for (uint32_t k = 4 * COPIES - 1; k > 0; k--) {
    uint32_t other = next_random(seed) % (k + 1);
    struct bonded_ids b = bond[k];
    bond[k] = bond[other];
    bond[other] = b;
  }
  for (uint32_t k = 2 * COPIES - 1; k > 0; k--) {
    uint32_t other = next_random(seed) % (k + 1);
    struct bonded_ids a = angle[k];
    angle[k] = angle[other];
    angle[other] = a;
  }
}

static void equal_molecules_share(void **state)
{
  (void)state;
  struct forcefield ff = make_forcefield(1, 1, 1);
  struct topology t = {0}, template = {0}, copy;
  int64_t n = LOOSE + 5 * COPIES;
  struct bonded_ids *bond = calloc(4 * COPIES, sizeof *bond);
  struct bonded_ids *angle = calloc(2 * COPIES, sizeof *angle);
  int32_t *env = calloc((size_t)n, sizeof *env);
  uint32_t seed = 1;
  make_copies(bond, angle, &seed);
  add_lists(&t, &ff, n, 4 * COPIES, bond, 2 * COPIES, angle, env);
  assert_int_equal(t.n_envs, 5);
  for (int64_t k = 0; k < n; k++) {
    if (k < LOOSE)
      assert_int_equal(env[k], -1);
    else
      assert_int_equal(env[k], env[LOOSE + (k - LOOSE) % 5]);
  }
  /* A second call finds the environments of the first, a molecule's are the same, a copy equals. */
  add_lists(&t, &ff, n, 4 * COPIES, bond, 2 * COPIES, angle, env);
  assert_int_equal(t.n_envs, 5);
  topology_add_molecule(&template, &ff, 0);
  for (int k = 0; k < 5; k++) {
    int a = env[LOOSE + k];
    assert_int_equal(count_terms(&t, a), count_terms(&template, k));
    assert_memory_equal(t.term + t.term_start[a], template.term + template.term_start[k],
                        (size_t)count_terms(&t, a) * sizeof *t.term);
    int n_exclude = template.exclude_start[k + 1] - template.exclude_start[k];
    assert_int_equal(t.exclude_start[a + 1] - t.exclude_start[a], n_exclude);
    assert_memory_equal(t.exclude + t.exclude_start[a],
                        template.exclude + template.exclude_start[k],
                        (size_t)n_exclude * sizeof *t.exclude);
  }
  topology_copy(&copy, &t);
  assert_int_equal(copy.n_envs, 5);
  assert_memory_equal(copy.term, t.term, (size_t)t.term_start[5] * sizeof *t.term);
  topology_free(&copy);
  topology_free(&template);
  topology_free(&t);
  free(bond);
  free(angle);
  free(env);
}

enum { NODES = 60, EDGES = 70 };

static void exclusions_are_graph_distances(void **state)
{
  (void)state;
  for (int flags = 0; flags < 8; flags++) {
    struct forcefield ff = make_forcefield(flags & 1, flags >> 1 & 1, flags >> 2 & 1);
    struct bonded_ids bond[EDGES];
    struct topology t = {0};
    int32_t env[NODES];
    uint32_t seed = 17;
    int distance[NODES][NODES];
    for (int i = 0; i < NODES; i++)
      for (int j = 0; j < NODES; j++)
        distance[i][j] = i == j ? 0 : NODES;
    for (int e = 0; e < EDGES; e++) {
      uint32_t i = next_random(&seed) % NODES;
      uint32_t j = (i + 1 + next_random(&seed) % (NODES - 1)) % NODES;
      bond[e] = (struct bonded_ids){(int32_t)(next_random(&seed) & 1), {1 + i, 1 + j}};
      distance[i][j] = distance[j][i] = 1;
    }
    for (int k = 0; k < NODES; k++)
      for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
          if (distance[i][k] + distance[k][j] < distance[i][j])
            distance[i][j] = distance[i][k] + distance[k][j];
    add_lists(&t, &ff, NODES, EDGES, bond, 0, NULL, env);
    for (int i = 0; i < NODES; i++) {
      int at = env[i] < 0 ? 0 : t.exclude_start[env[i]], count = 0;
      for (int j = 0; j < NODES; j++) {
        int d = distance[i][j];
        if (d < 1 || d > 3 || !ff.exclude[d - 1]) continue;
        assert_int_equal(t.exclude[at + count], j - i);
        count++;
      }
      if (env[i] >= 0) assert_int_equal(t.exclude_start[env[i] + 1] - at, count);
    }
    topology_free(&t);
  }
}

struct lists {
  struct bonded_ids bond[2];
  struct bonded_ids angle[2];
};

static void add_bad(void *argument)
{
  struct lists *l = argument;
  struct forcefield ff = make_forcefield(1, 0, 0);
  struct topology t = {0};
  int32_t env[4];
  add_lists(&t, &ff, 4, 2, l->bond, 2, l->angle, env);
}

static void mistakes_are_named(void **state)
{
  (void)state;
  const struct lists good = {{{0, {1, 2}}, {1, {2, 3}}}, {{0, {1, 2, 3}}, {1, {1, 2, 2}}}};
  struct lists l = good;
  char message[256];
  assert_int_equal(death_of(add_bad, &l, message, sizeof message), 0);
  l.bond[1].id[1] = 5;
  assert_true(dies_saying(add_bad, &l, 2, "bond 2: bead 5 does not exist"));
  l.bond[1].id[1] = 0;
  assert_true(dies_saying(add_bad, &l, 2, "bond 2: bead 0 does not exist"));
  l.bond[1].id[1] = 2;
  assert_true(dies_saying(add_bad, &l, 2, "bond 2: bead 2 is its own partner"));
  l = good;
  l.bond[0].type = 2;
  assert_true(dies_saying(add_bad, &l, 2, "bond 1: type 3"));
  l = good;
  l.angle[0].id[2] = 1;
  assert_true(dies_saying(add_bad, &l, 2, "angle 1: bead 1 is its own partner"));
  l = good;
  l.angle[1].id[1] = -1;
  assert_true(dies_saying(add_bad, &l, 2, "angle 2: bead -1 does not exist"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(molecule_by_hand),
      cmocka_unit_test(exclusions_of_molecule),
      cmocka_unit_test(excluded_charges),
      cmocka_unit_test(equal_molecules_share),
      cmocka_unit_test(exclusions_are_graph_distances),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
