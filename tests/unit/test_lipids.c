/* Which molecules are lipids, by default and by the run file; whether lipids are a flat bilayer,
   for membranes of many shapes; areas of Voronoi cells against a count of lattice points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "input/run_lists.h"
#include "molecules/flatness.h"
#include "observe/neighbours.h"
#include "tests/support/unit.h"

static const char types[] = "format: 1\n"
                            "name: test\n"
                            "cutoff: 1.1\n"
                            "exclude: [1-2]\n"
                            "types:\n"
                            "  N: {mass: 72}\n"
                            "  Qp: {mass: 72, charge: 1}\n"
                            "  Qm: {mass: 72, charge: -1}\n"
                            "  D: {mass: 72, dipole: 0.04, inertia: [9, 9, 0]}\n"
                            "  P: {mass: 72, charge: -0.7}\n"
                            "pair:\n"
                            "  lj: {truncation: cut, mixing: geometric}\n"
                            "  electrostatics: {truncation: shifted_force}\n"
                            "  table:\n"
                            "    - [N, N, {epsilon: 1, sigma: 0.4}]\n"
                            "    - [Qp, Qp, {epsilon: 1, sigma: 0.4}]\n"
                            "    - [Qm, Qm, {epsilon: 1, sigma: 0.4}]\n"
                            "    - [D, D, {epsilon: 1, sigma: 0.4}]\n"
                            "    - [P, P, {epsilon: 1, sigma: 0.4}]\n"
                            "bonds: {b: {form: harmonic, k: 1000, r0: 0.4}}\n"
                            "molecules:\n";

/* A molecule: types and names of its beads (names NULL: those of the types); bonds "chain", or
   pairs; what stands after them; the names of the heads if it is a lipid by default, else NULL. */
static const struct sort {
  const char *name, *beads, *names, *bonds, *more, *heads;
} sorts[] = {
    /* Lipids of Martini and of insane. */
    {"POPC", "[Qp, Qm, N, N, N, N, N, N, N, N]",
     "[NC3, PO4, GL1, GL2, C1A, D2A, C3A, C1B, C2B, C3B]",
     "[1, 2], [2, 3], [3, 4], [3, 5], [5, 6], [6, 7], [4, 8], [8, 9], [9, 10]", "", "PO4"},
    {"POPS", "[N, Qm, N, N, N, N, N, N]", "[CNO, PO4, GL1, GL2, C1A, C2A, C1B, C2B]",
     "[1, 2], [2, 3], [3, 4], [3, 5], [5, 6], [4, 7], [7, 8]", "", "PO4"},
    {"PIP2", "[N, N, N, Qm, Qm, Qm, N, N, N, N, N, N]",
     "[C1, C2, C3, PO4, P1, P2, GL1, GL2, C1A, C2A, C1B, C2B]",
     "[1, 2], [1, 3], [2, 3], [1, 4], [2, 5], [3, 6], [4, 7], [7, 8], [7, 9], [9, 10], [8, 11], "
     "[11, 12]",
     "", "PO4"},
    {"CDL", "[N, Qm, N, N, N, Qm, N, N, N]",
     "[GL0, PO41, GL11, C1A1, C2A1, PO42, GL12, C1A2, C2A2]",
     "[1, 2], [2, 3], [3, 4], [4, 5], [1, 6], [6, 7], [7, 8], [8, 9]", "", "PO41 PO42"},
    {"CHOL", "[N, N, N, N, N, N, N, N]", "[ROH, R1, R2, R3, R4, R5, C1, C2]", "chain", "", "ROH"},
    {"GM1", "[Qm, N, N, N, N, N, N, N]", "[GM17, GM1, GM2, AM1, AM2, T1A, C2A, C1B]",
     "[1, 2], [2, 3], [3, 4], [4, 5], [4, 6], [6, 7], [5, 8]", "", "AM1"},
    {"DDAG", "[N, N, N, N]", "[GL1, GL2, C1A, C1B]", "[1, 2], [1, 3], [2, 4]", "", "GL1"},
    {"SDS", "[Qm, N, N, N]", "[SO3, C1, C2, C3]", "chain", "", "SO3"},
    {"DTAB", "[Qp, N, N, N]", "[NC3, C1, C2, C3]", "chain", "", "NC3"},
    /* ELBA: head and esters are charges and dipoles; brahms; a lipid of three beads. */
    {"DOPC", "[Qp, P, D, D, N, N, D, N, N]", NULL,
     "[1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [3, 7], [7, 8], [8, 9]", "", "P"},
    {"ETHER", "[Qp, Qm, D, N, N, N, N]", NULL, "[1, 2], [2, 3], [3, 4], [4, 5], [3, 6], [6, 7]", "",
     "Qp Qm D"},
    {"TINY", "[Qp, N, N]", NULL, "chain", "", "Qp"},
    /* No lipids: waters, ions, solvents, sugars, proteins, nucleic acids. */
    {"PW", "[N, Qp, Qm]", "[W, WP, WM]", "[1, 2], [1, 3]", "", NULL},
    {"PWH", "[N, Qp, Qm, Qp, Qm]", NULL, "[1, 2], [1, 3], [1, 4], [1, 5]", "", NULL},
    {"SPC", "[Qm, Qp, Qp]", "[OW, HW1, HW2]", "[1, 2], [1, 3]", "", NULL},
    {"NACL", "[Qp, Qm]", NULL, "chain", "", NULL},
    {"BENZ", "[N, N, N]", "[R1, R2, R3]", "[1, 2], [2, 3], [1, 3]", "", NULL},
    {"PHENOLATE", "[Qm, N, N]", NULL, "[1, 2], [2, 3], [1, 3]", "", NULL},
    {"HEXANE", "[N, N]", "[C1, C2]", "chain", "", NULL},
    {"GLUC", "[N, N, N]", "[B1, B2, B3]", "chain", "", NULL},
    {"PEPTIDE", "[N, Qp, N, N]", "[BB, SC1, X, Y]", "chain", "", NULL},
    {"PLAIN", "[N, N, N, N]", NULL, "chain", ", residues: [[ALA, 1, 1], [TRP, 2, 3]]", NULL},
    {"ANCHORED", "[N, P, N, N, N]", NULL, "chain", ", residues: [[GLY, 1, 1], [LIP, 2, 2]]", NULL},
    {"CHARGED", "[Qp, N, N, N, N, N, N, N, Qm, N, N]", NULL, "chain", "", NULL},
    {"DNA", "[Qm, N, N, N]", NULL, "chain", ", residues: [[DA, 1, 1], [DT, 2, 3]]", NULL},
    {"LEU", "[Qp, N, N]", NULL, "chain", "", NULL},
};
enum { SORTS = sizeof sorts / sizeof sorts[0] };

static int beads_of(const struct sort *m)
{
  int n = 1;
  for (const char *at = m->beads; *at; at++)
    n += *at == ',';
  return n;
}

static struct forcefield *field(void)
{
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  fputs(types, f);
  for (int k = 0; k < SORTS; k++) {
    const struct sort *m = &sorts[k];
    fprintf(f, "  %s: {beads: %s, bonds: [", m->name, m->beads);
    if (!strcmp(m->bonds, "chain"))
      for (int b = 1; b < beads_of(m); b++)
        fprintf(f, "%s[b, %d, %d]", b > 1 ? ", " : "", b, b + 1);
    else
      for (const char *at = m->bonds; *at; at++)
        fprintf(f, *at == '[' ? "%cb, " : "%c", *at);
    fprintf(f, "]%s", m->more);
    if (m->names) fprintf(f, ", names: %s", m->names);
    fprintf(f, "}\n");
  }
  fprintf(f, "  LONG: {beads: [P");
  for (int k = 0; k < LIPID_BEADS_MOST; k++)
    fprintf(f, ", N");
  fprintf(f, "], bonds: [");
  for (int k = 1; k <= LIPID_BEADS_MOST; k++)
    fprintf(f, "%s[b, %d, %d]", k > 1 ? ", " : "", k, k + 1);
  fprintf(f, "]}\n");
  fclose(f);
  struct forcefield *ff = forcefield_parse(text, "test");
  free(text);
  return ff;
}

/* The names of the heads, separated by blanks. */
static void heads_of(const struct lipids *l, int molecule, char *text)
{
  const struct ff_molecule *m = &l->ff->molecule[molecule];
  text[0] = 0;
  for (int k = 0; k < m->n_beads; k++) {
    if (!(l->type[molecule].mark[k] & LIPID_HEAD)) continue;
    if (text[0]) strcat(text, " ");
    strcat(text, m->bead_name ? m->bead_name[k] : l->ff->type[m->bead[k]].name);
  }
}

static void test_rule(void **state)
{
  (void)state;
  struct forcefield *ff = field();
  struct lipids *l = lipids_create(ff);
  char heads[256];
  for (int k = 0; k < SORTS; k++) {
    const int molecule = forcefield_molecule(ff, sorts[k].name);
    const int is_lipid = l->type[molecule].is_lipid;
    if (is_lipid != (sorts[k].heads != NULL)) fail_msg("%s: %d", sorts[k].name, is_lipid);
    if (!is_lipid) continue;
    heads_of(l, molecule, heads);
    assert_string_equal(heads, sorts[k].heads);
  }
  assert_false(l->type[forcefield_molecule(ff, "LONG")].is_lipid);
  lipids_destroy(l);
  forcefield_destroy(ff);
}

/* The same molecules without a type: by their beads and bonds alone, unless a name tells. */
static void test_without_type(void **state)
{
  (void)state;
  struct forcefield *ff = field();
  struct lipids *l = lipids_create(ff);
  static const char *const named[] = {"POPC", "TINY", "DOPC", "ETHER", "SDS",
                                      "PW",   "BENZ", "SPC",  "GLUC",  "CHARGED"};
  for (int k = 0; k < 10; k++) {
    const int molecule = forcefield_molecule(ff, named[k]);
    const struct ff_molecule *m = &ff->molecule[molecule];
    struct topology t = {0};
    int32_t env[LIPID_BEADS_MOST];
    int64_t id[LIPID_BEADS_MOST];
    char mark[LIPID_BEADS_MOST];
    int headed;
    const int first = topology_add_molecule(&t, ff, molecule);
    for (int b = 0; b < m->n_beads; b++) {
      env[b] = first + b;
      id[b] = 100 + b;
    }
    struct molecule_beads beads = {m->n_beads, -1, m->bead, env, NULL};
    for (int turn = 0; turn < 2; turn++) {
      const int found = lipids_mark(l, &t, &beads, mark, &headed);
      assert_int_equal(found, k < 5);
      if (found && !l->type[molecule].headed)
        assert_memory_equal(mark, l->type[molecule].mark, (size_t)m->n_beads);
      beads.id = id;
    }
    topology_free(&t);
  }
  lipids_destroy(l);
  forcefield_destroy(ff);
}

/* The text of the lipids of a run file. */
static void given(const char *run, const char *wanted)
{
  struct forcefield *ff = field();
  struct params *p = params_from_text(run);
  struct lipids *l = membrane_lipids_read(p, ff);
  int64_t *count = l->molecules = alloc_array(ff->n_molecules, sizeof *count);
  static const char *const present[] = {"POPC", "CHOL", "PW", "GLUC", "HEXANE"};
  for (int k = 0; k < 5; k++)
    count[forcefield_molecule(ff, present[k])] = k + 1;
  char *text = lipids_text(l);
  assert_string_equal(text, wanted);
  free(text);
  lipids_destroy(l);
  params_destroy(p);
  forcefield_destroy(ff);
}

static void test_given(void **state)
{
  (void)state;
  given("run: {steps: 1}", "{lipids: [POPC, CHOL], heads: {POPC: [PO4], CHOL: [ROH]}}");
  given("membrane: {lipids: [POPC]}", "{lipids: [POPC], heads: {POPC: [PO4]}}");
  given("membrane: {lipids: [GLUC, CHOL]}", "{lipids: [CHOL, GLUC], heads: {CHOL: [ROH]}}");
  given("membrane: {heads: {POPC: [NC3, PO4], GLUC: B2}}",
        "{lipids: [POPC, CHOL, GLUC], heads: {POPC: [NC3, PO4], CHOL: [ROH], GLUC: [B2]}}");
  /* What is printed reads back as the same. */
  given("membrane: {lipids: [CHOL, HEXANE], heads: {CHOL: [R1], HEXANE: [C2]}}",
        "{lipids: [CHOL, HEXANE], heads: {CHOL: [R1], HEXANE: [C2]}}");
}

/* Flat or not */

enum shape {
  PLANE,
  WAVES,
  THICK,
  BUCKLE,
  GENTLE,
  VESICLE,
  STACK,
  SIDEWAYS,
  DISC,
  ONE_SIDE,
  RANDOM
};

static double uniform(int k, int which)
{
  return rng_unit(rng_words(1, 0, (uint64_t)k, 0).word[which]);
}

static double normal(int k, int which)
{
  const struct rng_block w = rng_words(2, (uint64_t)which, (uint64_t)k, 0);
  return sqrt(-2 * log(rng_unit(w.word[0]))) * cos(2 * UNITS_PI * rng_unit(w.word[1]));
}

/* Lipid k of a shape: its head, nm from the middle of the box, and the normal that its axis has on
   average. Two of three lipids of the vesicle are outside. */
static void place(enum shape shape, int k, const double box[BOX], double x[3], double u[3])
{
  const double side = k % 2 ? 1 : -1, a = uniform(k, 0) - 0.5, b = uniform(k, 1) - 0.5;
  const double wave = 2 * UNITS_PI * a, q = 2 * UNITS_PI / box[0];
  const double part[] = {[WAVES] = 0.02, [BUCKLE] = 0.3, [GENTLE] = 0.15, [RANDOM] = 0};
  const double amplitude = part[shape] * box[0];
  const double slope = -amplitude * q * sin(wave), length = sqrt(1 + slope * slope);
  u[0] = -side * slope / length;
  u[1] = 0;
  u[2] = side / length;
  x[0] = a * box[0];
  x[1] = b * box[1];
  x[2] = amplitude * cos(wave) + side * (shape == THICK ? 2.6 : 2);
  for (int d = 0; d < 3; d++)
    x[d] += shape == BUCKLE && d < 2 ? 2 * u[d] : 0;
  if (shape == STACK) x[2] += k % 4 < 2 ? 4 : -4;
  if (shape == ONE_SIDE) u[2] = 1;
  if (shape == DISC) {
    x[0] *= 0.5;
    x[1] *= 0.5;
  }
  if (shape == SIDEWAYS) {
    const double turned[3] = {x[2], x[1], x[0]}, axis[3] = {u[2], u[1], u[0]};
    memcpy(x, turned, sizeof turned);
    memcpy(u, axis, sizeof axis);
  }
  if (shape == VESICLE || shape == RANDOM) {
    const double z = 2 * uniform(k, 2) - 1, r = sqrt(1 - z * z);
    const double v[3] = {r * cos(wave), r * sin(wave), z},
                 radius = k % 3 ? 0.45 : 0.45 - 4 / box[0];
    for (int d = 0; d < 3; d++) {
      u[d] = k % 3 ? v[d] : -v[d];
      x[d] = radius * box[0] * v[d];
    }
  }
  for (int d = 0; d < 3 && shape == RANDOM; d++)
    x[d] = (uniform(k, d) - 0.5) * box[d];
}

/* Axes are those of a fluid, about 35 degrees around the normal; heads are 0.35 nm around their
   heights, and the bilayer is anywhere along z. */
static enum flatness flatness_at(enum shape shape, int lipids, double edge, double height,
                                 double middle)
{
  const double box[BOX] = {edge, edge, height};
  const int grid = flatness_grid(lipids);
  int64_t *word = alloc_array(flatness_words(grid), sizeof *word);
  for (int k = 0; k < lipids; k++) {
    struct lipid_pose p;
    double x[3], u[3];
    place(shape, k, box, x, u);
    for (int d = 0; d < 3; d++) {
      p.axis[d] = u[d] + 0.45 * normal(k, d);
      x[d] += (d == 2 ? middle + 0.35 * normal(k, 3) : 0);
      p.head[d] = (uint32_t)(int64_t)llrint(x[d] / box[d] * 4294967296.0);
    }
    memcpy(p.lateral, p.head, sizeof p.lateral);
    p.leaflet = p.axis[2] > 0 ? 1 : -1;
    if (shape == ONE_SIDE) p.leaflet = 1;
    flatness_add(grid, &p, word);
  }
  const enum flatness found = flatness_of(grid, word, box);
  free(word);
  return found;
}

static void test_flat(void **state)
{
  (void)state;
  static const int lipids[] = {32, 128, 512, 2048, 20000};
  for (int n = 0; n < 5; n++)
    for (int k = 0; k < 4; k++) {
      const double edge = sqrt(0.65 * lipids[n] / 2), height = fmax(9, edge), at = 2.9 * k;
      assert_int_equal(flatness_at(PLANE, lipids[n], edge, height, at), FLAT);
      assert_int_equal(flatness_at(THICK, lipids[n], edge, height, at), FLAT);
      assert_int_equal(flatness_at(WAVES, lipids[n], edge, height, at), FLAT);
    }
}

static void test_not_flat(void **state)
{
  (void)state;
  static const int lipids[] = {200, 700, 3000};
  for (int n = 0; n < 3; n++)
    for (int k = 0; k < 4; k++) {
      const double edge = sqrt(0.65 * lipids[n] / 2), high = fmax(16, 2 * edge), at = 3.7 * k;
      static const enum shape shapes[] = {BUCKLE, GENTLE, STACK, SIDEWAYS, DISC, ONE_SIDE, RANDOM};
      for (int j = 0; j < 7; j++)
        if (flatness_at(shapes[j], lipids[n], edge, high, at) == FLAT)
          fail_msg("shape %d of %d lipids is flat", shapes[j], lipids[n]);
      assert_int_not_equal(flatness_at(VESICLE, lipids[n], edge + 6, edge + 6, at), FLAT);
    }
  assert_int_equal(flatness_at(ONE_SIDE, 200, 8, 16, 0), ONE_LEAFLET);
  assert_int_equal(flatness_at(DISC, 700, 15, 16, 0), GAPS);
  assert_int_equal(flatness_at(RANDOM, 700, 15, 16, 0), TILTED);
  assert_int_equal(flatness_at(STACK, 700, 15, 16, 0), LAYERED);
  assert_int_equal(flatness_at(GENTLE, 200, 8, 16, 0), CURVED);
}

/* Areas */

/* Lattice points of each type that are nearest to its points, by trying all. */
static void count_points(const struct neighbours *s, int side, double *area)
{
  for (int leaflet = 0; leaflet < 2; leaflet++)
    for (int i = 0; i < side * side; i++) {
      const double x[2] = {(i / side + 0.5) / side, (i % side + 0.5) / side};
      double best = INFINITY;
      int type = 0;
      for (int64_t k = 0; k < s->all; k++) {
        double r2 = INFINITY;
        for (int image = 0; image < 25; image++) {
          const double u = (double)s->lipid[k].x[0] / 4294967296.0 - x[0] + image % 5 - 2;
          const double v = (double)s->lipid[k].x[1] / 4294967296.0 - x[1] + image / 5 - 2;
          r2 = fmin(r2, pow(u * s->box[0] + v * s->box[2], 2) + pow(v * s->box[1], 2));
        }
        if ((s->lipid[k].x[2] != 0) != leaflet || r2 >= best) continue;
        best = r2;
        type = s->lipid[k].type;
      }
      area[type] += s->box[0] * s->box[1] / side / side;
    }
}

/* lean: bx over ax, of an oblique plane. */
static void areas_of(int n, double lx, double ly, double lean, int lattice)
{
  enum { SIDE = 150 };
  struct neighbour *lipid = alloc_array(n, sizeof *lipid);
  const struct neighbours s = {n, lipid, 0, n, 3, 1, {lx, ly, lean * lx}};
  int64_t area[3] = {0};
  double counted[3] = {0};
  for (int k = 0; k < n; k++) {
    const double x = lattice ? (k / 2 % 4) / 4.0 : uniform(k, 0);
    const double y = lattice ? (k / 8) / 4.0 : uniform(k, 1);
    lipid[k] =
        (struct neighbour){{(uint32_t)(int64_t)(x * 4294967296.0),
                            (uint32_t)(int64_t)(y * 4294967296.0), k % 2 ? LOWER_LEAFLET : 0},
                           k / 2 % 3,
                           k};
  }
  voronoi_areas(&s, area);
  if (lattice) {
    for (int k = 0; k < 3; k++)
      assert_true(fabs(ldexp((double)area[k], -VORONOI_BITS) - (k ? 10 : 12) * lx * ly / 16) <
                  1e-6);
  } else {
    count_points(&s, SIDE, counted);
    for (int k = 0; k < 3; k++)
      if (fabs(ldexp((double)area[k], -VORONOI_BITS) - counted[k]) > 0.01 * lx * ly)
        fail_msg("%d points: %g, counted %g", n, ldexp((double)area[k], -VORONOI_BITS), counted[k]);
  }
  const double all = ldexp((double)(area[0] + area[1] + area[2]), -VORONOI_BITS);
  assert_true(fabs(all - 2 * lx * ly) < 1e-6);
  free(lipid);
}

static void test_areas(void **state)
{
  (void)state;
  areas_of(32, 4, 3, 0, 1);
  for (int k = -2; k <= 2; k++) {
    const double lean = k / 4.0;
    areas_of(2, 4, 3, lean, 0); /* one of each leaflet: all of the plane */
    areas_of(5, 3, 7, lean, 0);
    areas_of(20, 9, 2, lean, 0);
    areas_of(120, 6, 5, lean, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule),     cmocka_unit_test(test_without_type),
      cmocka_unit_test(test_given),    cmocka_unit_test(test_flat),
      cmocka_unit_test(test_not_flat), cmocka_unit_test(test_areas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
