/* Groups of beads: random selections of random systems against an evaluation of each bead by
   itself, the same on any number of ranks; what is kept of the start; mistakes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/torus.h"
#include "input/forcefield_file.h"
#include "input/group_reader.h"
#include "input/run_lists.h"
#include "molecules/group_find.h"
#include "molecules/leaflet.h"
#include "mpi/comm/ranks_mpi.h"
#include "tests/support/agree.h"
#include "tests/support/death.h"

static const char field[] =
    "{format: 1, name: test, cutoff: 1.1, exclude: [1-2], types: {A: {mass: 72}, B: {mass: 72}, "
    "C: {mass: 72}, D: {mass: 72}}, pair: {lj: {truncation: cut, mixing: geometric}, "
    "electrostatics: {truncation: none}, table: [[A, A, {epsilon: 1, sigma: 0.4}], [B, B, "
    "{epsilon: 1, sigma: 0.4}], [C, C, {epsilon: 1, sigma: 0.4}], [D, D, {epsilon: 1, sigma: "
    "0.4}]]}, bonds: {b: {form: harmonic, k: 1000, r0: 0.4}}, molecules: {LIP: {beads: [A, B, C, "
    "C], names: [PO4, GL1, C1A, C2A], bonds: [[b, 1, 2], [b, 2, 3], [b, 3, 4]]}, PRO: {beads: [B, "
    "B, "
    "D, D, A, D], names: [BB, SC1, BB, SC1, BB, SC2], residues: [[TRP, 23, 1], [LYS, 24, 3], [TRP, "
    "31, 5]]}, W: {beads: [D]}}}";
static const char named[] =
    "membrane: {flat: yes}\n"
    "groups: {solute: {molecules: PRO}, 'tails': {names: [C1A, C2A], not: {types: [B]}}, outer: "
    "{any: [{leaflet: upper}, inner, {ids: [[3, 9], 2]}]}, inner: {not: solute, region: {z: [1, "
    "2.5]}}}\n";

static struct ranks ranks, alone = {.size = 1, .local_size = 1};
static struct params *params;
static char index_path[64];

static double uniform(uint64_t seed, uint64_t count)
{
  return ((double)rng_words(seed, count, 0, RNG_BUILD).word[0] + 0.5) / 4294967296.0;
}

static uint64_t drawn;

static int draw(int n)
{
  return (int)(uniform(99, drawn++) * n);
}

/* Molecules at random, LIP most, and beads of none; rectangular and oblique boxes. */
static struct system *random_system(const struct ranks *r, uint64_t seed)
{
  enum { MOLECULES = 60 };
  struct forcefield *ff = forcefield_parse(field, "test");
  int kind[MOLECULES], env[3];
  int64_t n = 0, id = 1;
  for (int k = 0; k < MOLECULES; k++) {
    const double u = uniform(seed, (uint64_t)k);
    kind[k] = u < 0.4 ? 0 : u < 0.5 ? 1 : u < 0.8 ? 2 : -1;
    n += kind[k] < 0 ? 1 : ff->molecule[kind[k]].n_beads;
  }
  struct system *s = system_create(n, r->rank, r->size, ff);
  const double box[BOX] = {4, 5, 6, seed % 2 ? 1.5 : 0, seed % 2 ? -1 : 0, seed % 2 ? 2 : 0};
  system_set_box(s, box);
  for (int k = 0; k < 3; k++)
    env[k] = topology_add_molecule(&s->topology, ff, k);
  for (int m = 0; m < MOLECULES; m++) {
    const int beads = kind[m] < 0 ? 1 : ff->molecule[kind[m]].n_beads;
    for (int i = 0; i < beads; i++, id++) {
      const int64_t k = id - s->first;
      double x[3];
      if (k < 0 || k >= s->n) continue;
      for (int d = 0; d < 3; d++)
        x[d] = 6 * uniform(seed + 1000, (uint64_t)(3 * id + d));
      system_set_position(s, k, x);
      s->beads.type[k] = kind[m] < 0 ? (m % 4) : ff->molecule[kind[m]].bead[i];
      s->beads.molecule[k] = kind[m] < 0 ? 0 : m + 1;
      s->beads.molecule_type[k] = kind[m];
      s->beads.bonded_env[k] = kind[m] < 0 ? -1 : env[kind[m]] + i;
    }
  }
  return s;
}

/* Each bead by itself, from the text of the selection and the whole system */

struct whole {
  const struct system *s;
  const int32_t *leaflet;
};

static int holds(struct yaml_tree *t, int node, const struct whole *w, int64_t k);

/* 1 if a name is that of a node, or in its list. */
static int listed(struct yaml_tree *t, int node, const char *name)
{
  if (!yaml_is_list(t, node)) return yaml_is_text(t, node, name);
  for (int k = 0; k < yaml_count(t, node); k++)
    if (yaml_is_text(t, yaml_item(t, node, k), name)) return 1;
  return 0;
}

/* Name and residue of a bead: its number in its molecule is found from the beads before it. */
static int is_labelled(struct yaml_tree *t, int node, const struct whole *w, int64_t k, int residue)
{
  const struct system *s = w->s;
  const int type = s->beads.molecule_type[k];
  static const char *const name[][6] = {
      {"PO4", "GL1", "C1A", "C2A"}, {"BB", "SC1", "BB", "SC1", "BB", "SC2"}, {"D"}};
  static const struct {
    const char *name;
    int number;
  } of[] = {{"TRP", 23}, {"TRP", 23}, {"LYS", 24}, {"LYS", 24}, {"TRP", 31}, {"TRP", 31}};
  int at = 0;
  while (type >= 0 && k > at && s->beads.molecule[k - at - 1] == s->beads.molecule[k])
    at++;
  if (type < 0) return listed(t, node, s->ff->type[s->beads.type[k]].name);
  if (!residue) return listed(t, node, name[type][at]);
  if (listed(t, node, type == 1 ? of[at].name : s->ff->molecule[type].name)) return 1;
  for (int i = 0; type == 1 && i < yaml_count(t, node); i++) {
    const int item = yaml_item(t, node, i), pair = yaml_is_list(t, item);
    const int low = atoi(yaml_text(t, pair ? yaml_item(t, item, 0) : item, ""));
    const int high = atoi(yaml_text(t, pair ? yaml_item(t, item, 1) : item, ""));
    if (of[at].number >= low && of[at].number <= high) return 1;
  }
  return 0;
}

static int in_ids(struct yaml_tree *t, int node, int64_t id)
{
  const int n = yaml_count(t, node);
  int64_t value[2];
  int lists = 0, found = 0;
  for (int k = 0; k < n; k++)
    lists |= yaml_is_list(t, yaml_item(t, node, k));
  if (!yaml_is_list(t, node)) return id == atoll(yaml_text(t, node, ""));
  if (n == 2 && !lists) {
    for (int k = 0; k < 2; k++)
      value[k] = atoll(yaml_text(t, yaml_item(t, node, k), ""));
    return id >= value[0] && id <= value[1];
  }
  for (int k = 0; k < n; k++) {
    const int item = yaml_item(t, node, k);
    found |= in_ids(t, item, id);
  }
  return found;
}

/* Some image of the bead lies within; along axes that are not named only that in the box. */
static int in_region(struct yaml_tree *t, int node, const struct whole *w, int64_t k)
{
  static const char *const axis[] = {"x", "y", "z"};
  double low[3], high[3], x[3], f[3];
  int span[3], n[3];
  for (int d = 0; d < 3; d++) {
    const int at = yaml_get(t, node, axis[d]);
    low[d] = at ? atof(yaml_text(t, yaml_item(t, at, 0), "")) : -1e9;
    high[d] = at ? atof(yaml_text(t, yaml_item(t, at, 1), "")) : 1e9;
    span[d] = at ? 6 : 0;
  }
  for (n[0] = -span[0]; n[0] <= span[0]; n[0]++)
    for (n[1] = -span[1]; n[1] <= span[1]; n[1]++)
      for (n[2] = -span[2]; n[2] <= span[2]; n[2]++) {
        int inside = 1;
        for (int d = 0; d < 3; d++)
          f[d] = (double)(uint32_t)w->s->beads.position[3 * k + d] / TORUS_EDGE + n[d];
        box_vector(w->s->box, f, x);
        for (int d = 0; d < 3; d++)
          inside &= x[d] >= low[d] && x[d] < high[d];
        if (inside) return 1;
      }
  return 0;
}

static int in_named(const char *name, const struct whole *w, int64_t k)
{
  struct error_list m = {0};
  struct yaml_tree *t = yaml_parse(named, "named", &m);
  const int found = holds(t, yaml_get(t, yaml_get(t, yaml_root(t), "groups"), name), w, k);
  yaml_destroy(t);
  return found;
}

/* The index file has a group `odd` of the odd numbers below 40. */
static int key_holds(struct yaml_tree *t, const char *key, int node, const struct whole *w,
                     int64_t k)
{
  const struct system *s = w->s;
  const int molecule = s->beads.molecule_type[k];
  int any = 0;
  if (!strcmp(key, "types")) return listed(t, node, s->ff->type[s->beads.type[k]].name);
  if (!strcmp(key, "molecules"))
    return molecule >= 0 && listed(t, node, s->ff->molecule[molecule].name);
  if (!strcmp(key, "names")) return is_labelled(t, node, w, k, 0);
  if (!strcmp(key, "residues")) return is_labelled(t, node, w, k, 1);
  if (!strcmp(key, "ids")) return in_ids(t, node, k + 1);
  if (!strcmp(key, "leaflet")) return w->leaflet[k] == (yaml_is_text(t, node, "upper") ? 1 : -1);
  if (!strcmp(key, "region")) return in_region(t, node, w, k);
  if (!strcmp(key, "ndx")) return k < 40 && k % 2 == 0;
  if (!strcmp(key, "not")) return !holds(t, node, w, k);
  if (!strcmp(key, "group")) return in_named(yaml_text(t, node, ""), w, k);
  for (int i = 0; i < yaml_count(t, node); i++)
    any |= holds(t, yaml_item(t, node, i), w, k);
  return any;
}

static int holds(struct yaml_tree *t, int node, const struct whole *w, int64_t k)
{
  if (!yaml_is_map(t, node)) return in_named(yaml_text(t, node, ""), w, k);
  for (int i = 0; i < yaml_count(t, node); i++)
    if (!key_holds(t, yaml_key(t, node, i), yaml_item(t, node, i), w, k)) return 0;
  return 1;
}

/* Selections at random */

static void put(FILE *f, int depth, int64_t n);

static void put_key(FILE *f, const char *key, int depth, int64_t n)
{
  static const char *const words[][4] = {
      {"types: [A]", "types: [C, D]", "types: B", "types: [D]"},
      {"molecules: [LIP]", "molecules: PRO", "molecules: [W, LIP]", "molecules: [PRO, W]"},
      {"residues: [TRP]", "residues: [23, LIP]", "residues: [[24, 31]]",
       "residues: [LYS, [31, 40], W]"},
      {"names: [PO4, BB]", "names: C1A", "names: [SC1, D]", "names: [A, GL1]"},
      {"group: solute", "group: tails", "group: outer", "group: inner"}};
  const int a = 1 + draw((int)n), b = a + draw((int)(n - a) + 1);
  for (int k = 0; k < 5; k++)
    if (!strncmp(words[k][0], key, strlen(key))) fputs(words[k][draw(4)], f);
  if (!strcmp(key, "ids")) {
    static const char *const form[] = {"ids: [%d, %d]", "ids: [[%d, %d]]", "ids: [%d, [%d, 30], 7]",
                                       "ids: [%d, %d, 1]"};
    fprintf(f, form[b > 30 ? 0 : draw(4)], a, b);
  }
  if (!strcmp(key, "leaflet")) fputs(draw(2) ? "leaflet: upper" : "leaflet: lower", f);
  if (!strcmp(key, "region"))
    fprintf(f, draw(2) ? "region: {z: [%g, %g], x: [-1, 2.25]}" : "region: {y: [%g, %g]}",
            0.25 * (a % 30) - 3, 0.25 * (a % 30) - 2 + draw(3));
  if (!strcmp(key, "ndx")) fprintf(f, "ndx: {file: %s, group: Odd}", index_path);
  if (!strcmp(key, "not")) fputs("not: ", f), put(f, depth + 1, n);
  if (!strcmp(key, "any")) {
    fputs("any: [", f);
    for (int k = 0, parts = 1 + draw(3); k < parts; k++) {
      if (k) fputs(", ", f);
      put(f, depth + 1, n);
    }
    fputs("]", f);
  }
}

/* A selection of one to three keys. */
static void put(FILE *f, int depth, int64_t n)
{
  static const char *const key[] = {"types",   "molecules", "residues", "names", "group", "ids",
                                    "leaflet", "region",    "ndx",      "not",   "any"};
  const int most = depth < 3 ? 11 : 9, first = draw(most), keys = 1 + draw(3);
  if (depth > 0 && draw(8) == 0) {
    fputs("solute", f);
    return;
  }
  fputs("{", f);
  for (int k = 0; k < keys; k++) {
    if (k) fputs(", ", f);
    put_key(f, key[(first + 4 * k) % most], depth, n);
  }
  fputs("}", f);
}

/* The group of a text in a system. Caller frees. */
static struct bead_group found(const struct ranks *r, struct system *s, const char *text)
{
  struct error_list m = {0};
  struct bead_group g = {0};
  struct yaml_tree *t = yaml_parse(text, "text", &m);
  struct lipids *l = membrane_lipids_read(params, s->ff);
  lipids_include(l, 0);
  bead_group_read(t, yaml_root(t), params, s->ff, s->n_total, &g);
  error_list_check(&m);
  group_find(&g, r, s, l, &m);
  AGREE(&ranks, m.count == 0 || (m.count == 1 && g.n == 0));
  error_list_free(&m);
  yaml_destroy(t);
  lipids_destroy(l);
  return g;
}

/* The same beads as one by one, and the same arrays as on one rank. */
static void compare(struct system *all, struct system *mine, const char *text,
                    const struct whole *w)
{
  struct error_list m = {0};
  struct yaml_tree *t = yaml_parse(text, "text", &m);
  struct bead_group here = found(&ranks, mine, text), want = found(&alone, all, text);
  const struct bead_set set = bead_group_set(&here);
  int64_t n = 0, wrong = 0;
  for (int64_t k = 0; k < all->n; k++) {
    const int in = holds(t, yaml_root(t), w, k);
    n += in;
    wrong += bead_set_has(&set, all->beads.type[k], k + 1) != in;
  }
  if (wrong) fprintf(stderr, "%s: %lld beads are wrong\n", text, (long long)wrong);
  AGREE(&ranks, wrong == 0 && n == here.n && n == want.n);
  AGREE(&ranks,
        here.n_ranges == want.n_ranges && !memcmp(here.type, want.type, (size_t)all->ff->n_types));
  AGREE(&ranks, here.n_ranges == 0 ||
                    !memcmp(here.range, want.range, (size_t)here.n_ranges * sizeof *here.range));
  bead_group_free(&here);
  bead_group_free(&want);
  yaml_destroy(t);
}

static void test_random(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    struct system *mine = random_system(&ranks, seed), *all = random_system(&alone, seed);
    struct lipids *l = membrane_lipids_read(params, all->ff);
    int64_t lipids;
    enum flatness flat;
    lipids_include(l, 0);
    struct whole w = {all, leaflets_find(&alone, all, l, &lipids, &flat)};
    for (int k = 0; k < 60; k++) {
      struct text_stream text;
      put(text_begin(&text), 0, all->n);
      char *selection = text_end(&text);
      compare(all, mine, selection, &w);
      free(selection);
    }
    free((void *)w.leaflet);
    lipids_destroy(l);
    system_destroy(mine);
    system_destroy(all);
  }
}

/* Types alone, and beads of one molecule type by names, need a single range. */
static void test_few_ranges(void **state)
{
  (void)state;
  static const char *const text[] = {"{types: [C]}", "{names: [C1A, C2A]}",
                                     "{types: [A, B, C, D]}"};
  struct system *s = random_system(&ranks, 3);
  for (int k = 0; k < 3; k++) {
    struct bead_group g = found(&ranks, s, text[k]);
    AGREE(&ranks, k == 1 || g.n_ranges == 1);
    bead_group_free(&g);
  }
  system_destroy(s);
}

/* Positions and file of the start are no longer there: the record has what they gave. */
static void test_kept(void **state)
{
  (void)state;
  char *text = text_format("{any: [{leaflet: upper}, {ndx: {file: '%s', group: odd}}, {region: {z: "
                           "[1, 2]}}]}",
                           index_path);
  struct system *first = random_system(&ranks, 5), *later = random_system(&ranks, 5);
  struct bead_group a = found(&ranks, first, text);
  run_record_copy(&later->run, &first->run);
  for (int64_t k = 0; k < 3 * later->n; k++)
    later->beads.position[k] ^= 0x55555555;
  if (ranks.rank == 0) unlink(index_path);
  ranks_barrier(&ranks);
  struct bead_group b = found(&ranks, later, text);
  AGREE(&ranks, first->run.n_kept == 3 && later->run.n_kept == 3);
  AGREE(&ranks, a.n > 0 && a.n == b.n && a.n_ranges == b.n_ranges);
  AGREE(&ranks, !memcmp(a.range, b.range, (size_t)a.n_ranges * sizeof *a.range));
  bead_group_free(&a);
  bead_group_free(&b);
  system_destroy(first);
  system_destroy(later);
  free(text);
}

static void read_all(void *text)
{
  struct forcefield *ff = forcefield_parse(field, "test");
  FILE *f = fopen(index_path, "w");
  fputs(text, f);
  fclose(f);
  struct params *p = params_load(index_path, 0, NULL);
  int n;
  named_groups_destroy(named_groups_read(p, ff, 100, &n), n);
}

static void test_mistakes(void **state)
{
  (void)state;
  static char *const wrong[][2] = {{"groups:\n  a: {types: [Q]}",
                                    ":2: groups.a.types[1]: the force field has no bead type 'Q'; "
                                    "it has A, B, C, D"},
                                   {"groups:\n  a: {molecules: [LIPP]}", "did you mean 'LIP'?"},
                                   {"groups:\n  a: {names: [BBB]}", "no bead name 'BBB'"},
                                   {"groups:\n  a: {residues: [99]}", "residue of that number"},
                                   {"groups:\n  a: {residues: [ALA]}", "no residue 'ALA'"},
                                   {"groups:\n  a: {types: []}", "the list is empty"},
                                   {"groups:\n  a: {ids: [9, 3]}", "is less than 9"},
                                   {"groups:\n  a: {ids: [1, 101]}", "is more than 100"},
                                   {"groups:\n  a: {ids: [[1, 2, 3]]}", "3 items"},
                                   {"groups:\n  a: {leaflet: middle}", "is none of upper|lower"},
                                   {"groups:\n  a: {region: {z: [2, 1]}}", "is empty"},
                                   {"groups:\n  a: {region: {}}", "along which axis"},
                                   {"groups:\n  a: {region: {w: [1, 2]}}", "unknown key 'w'"},
                                   {"groups:\n  a: {ndx: {file: x}}", "'group' is missing"},
                                   {"groups:\n  a: {any: []}", "at least 1"},
                                   {"groups:\n  a: {type: [A]}", "did you mean 'types'?"},
                                   {"groups:\n  a: [A]", "write {key: value"},
                                   {"groups:\n  a: b\n  c: a", "no group 'b'; there are a, c"},
                                   {"groups:\n  a: {not: b}\n  b: {any: [a]}", "is made of itself"},
                                   {"groups:\n  a: a", "is made of itself"},
                                   {"groups:\n  a: {any: [LIP]}", "write {molecules: [LIP]}"},
                                   {"groups:\n  a: {any: [A]}", "write {types: [A]}"},
                                   {"groups:\n  a: {any: [7]}", "{ids: 7}"},
                                   {"groups:\n  a: {ids: 1-12}", "several are [FIRST, LAST]"},
                                   {"groups:\n  a b: {types: [A]}", "a name has at most"},
                                   {"groups: 3", "write {key: value"},
                                   {"groups:\n  a: ''", "a name is missing"},
                                   {"groups:\n  a:", "a value is missing"}};
  if (ranks.size > 1) return; /* they end the program */
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_true(dies_saying(read_all, wrong[k][0], 2, wrong[k][1]));
  assert_true(
      dies_saying(read_all, "groups:\n  a: {types: [Q]}\n  b: {ids: 101}", 2, ":3: groups.b.ids"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_few_ranges),
      cmocka_unit_test(test_kept),
      cmocka_unit_test(test_mistakes),
  };
  ranks_open(&ranks, &argc, &argv);
  ranks_mpi_create(&alone, MPI_COMM_SELF);
  params = params_parse(named, "named");
  snprintf(index_path, sizeof index_path, "/tmp/lamella_groups_%d.ndx", (int)getpid());
  ranks_broadcast(&ranks, index_path, sizeof index_path);
  if (ranks.rank == 0) {
    FILE *f = fopen(index_path, "w");
    fputs("[ System ]\n1 2 3\n[ odd ] ; a comment\n", f);
    for (int k = 1; k < 40; k += 2)
      fprintf(f, "%d%s", k, k % 10 == 1 ? "\n" : " ");
    fclose(f);
  }
  ranks_barrier(&ranks);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (ranks.rank == 0) unlink(index_path);
  params_destroy(params);
  ranks_mpi_destroy(&alone);
  return ranks_close(&ranks, failed);
}
