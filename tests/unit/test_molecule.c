/* Molecules as graphs: found in any order of ids, and not where one bond or angle is another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/forcefield_file.h"
#include "model/molecule.h"
#include "tests/support/unit.h"

/* A star of nine equal arms, in one of which the angle is another; a ring; its mirror image by the
   types of bonds; a chain of equal beads. */
static const char text[] =
    "{format: 1, name: test, cutoff: 1, types: {A: {mass: 1}}, pair: {lj: {truncation: cut}, "
    "table: [[A, A, {epsilon: 1, sigma: 1}]]}, "
    "bonds: {a: {form: harmonic, k: 1, r0: 1}, b: {form: harmonic, k: 2, r0: 1}}, "
    "angles: {p: {form: cosine_squared, k: 1, theta0: 90}, "
    "q: {form: cosine_squared, k: 2, theta0: 90}}, molecules: {"
    "star: {beads: [A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A], bonds: ["
    "[a, 1, 2], [a, 2, 3], [a, 1, 4], [a, 4, 5], [a, 1, 6], [a, 6, 7], [a, 1, 8], [a, 8, 9], "
    "[a, 1, 10], [a, 10, 11], [a, 1, 12], [a, 12, 13], [a, 1, 14], [a, 14, 15], [a, 1, 16], "
    "[a, 16, 17], [a, 1, 18], [a, 18, 19]], angles: [[p, 1, 2, 3], [p, 1, 4, 5], [p, 1, 6, 7], "
    "[p, 1, 8, 9], [p, 1, 10, 11], [p, 1, 12, 13], [p, 1, 14, 15], [p, 1, 16, 17], "
    "[q, 1, 18, 19]]}, "
    "ring: {beads: [A, A, A, A, A, A], bonds: [[a, 1, 2], [a, 2, 3], [b, 3, 4], [a, 4, 5], "
    "[b, 5, 6], [b, 6, 1]], angles: [[p, 1, 2, 3], [q, 3, 4, 5]]}, "
    "other: {beads: [A, A, A, A, A, A], bonds: [[a, 1, 2], [a, 2, 3], [b, 3, 4], [b, 4, 5], "
    "[a, 5, 6], [b, 6, 1]], angles: [[p, 1, 2, 3], [q, 3, 4, 5]]}, "
    "chain: {beads: [A, A, A, A, A], bonds: [[a, 1, 2], [a, 2, 3], [a, 3, 4], [a, 4, 5]]}}}";

static uint32_t seed = 7;

static int random_below(int n)
{
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)n);
}

/* One molecule with shuffled ids: bead k of it has id[k]. change: its last angle is of another
   type, or, without angles, its last bond. Reversed at random, as files may have them. */
static struct system *create(int molecule, int change, int64_t *id)
{
  struct system *s = system_create(1, 0, 1, forcefield_parse(text, "text"));
  const struct ff_molecule *m = &s->ff->molecule[molecule];
  int n = m->n_beads;
  struct forcefield *ff = s->ff;
  s->ff = NULL;
  system_destroy(s);
  s = system_create(n, 0, 1, ff);
  struct bonded_ids entry[SECTIONS][32];
  struct bonded_terms terms[SECTIONS];
  for (int k = 0; k < n; k++)
    id[k] = k + 1;
  for (int k = n - 1; k > 0; k--) {
    int other = random_below(k + 1);
    int64_t keep = id[k];
    id[k] = id[other];
    id[other] = keep;
  }
  for (int section = 0; section < SECTIONS; section++) {
    const struct ff_terms *from = &m->bonded[section];
    terms[section] = (struct bonded_terms){from->n, entry[section]};
    for (int k = 0; k < from->n; k++) {
      const int beads = forcefield_form(ff, section, from->term[k].type)->beads;
      int turn = random_below(2);
      entry[section][k].type = from->term[k].type;
      for (int b = 0; b < beads; b++)
        entry[section][k].id[turn ? beads - 1 - b : b] = id[from->term[k].bead[b]];
    }
  }
  const int last = m->bonded[SECTION_angle].n ? SECTION_angle : SECTION_bond;
  if (change) entry[last][m->bonded[last].n - 1].type ^= 1;
  topology_add_lists(&s->topology, s->ff, n, NULL, terms, s->beads.bonded_env);
  return s;
}

static void any_order_of_ids(void **state)
{
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    int64_t id[32], order[32];
    struct system *s = create(trial % 4, 0, id);
    const struct ff_molecule *m = &s->ff->molecule[trial % 4];
    int moved = 0, seen[32] = {0};
    int64_t n_moved = molecule_find_all(s, order);
    for (int k = 0; k < m->n_beads; k++) {
      assert_int_equal(s->beads.molecule_type[k], trial % 4);
      assert_false(seen[order[k]]++);
      moved |= order[k] != k;
    }
    assert_int_equal(n_moved, moved);
    /* Bonds of the force field join what is in that order. */
    for (int k = 0; k < m->bonded[SECTION_bond].n; k++) {
      const struct ff_term *bond = &m->bonded[SECTION_bond].term[k];
      int64_t i = order[bond->bead[0]], j = order[bond->bead[1]];
      int env = s->beads.bonded_env[i], found = 0;
      for (int t = s->topology.term_start[env]; t < s->topology.term_start[env + 1]; t++) {
        const struct topology_term *term = &s->topology.term[t];
        found |=
            term->section == SECTION_bond && i + term->partner[0] == j && term->type == bond->type;
      }
      assert_true(found);
    }
    system_destroy(s);
  }
}

static void another_molecule(void **state)
{
  (void)state;
  for (int trial = 0; trial < 40; trial++) {
    int64_t id[32];
    struct system *s = create(trial % 4, 1, id);
    assert_int_equal(molecule_find_all(s, NULL), 0);
    for (int k = 0; k < s->n; k++)
      assert_int_equal(s->beads.molecule_type[k], -1);
    system_destroy(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order_of_ids),
      cmocka_unit_test(another_molecule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
