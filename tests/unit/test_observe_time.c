/* Observables of frames made by hand: straight motion, steady rotation, a lattice and given momenta
   have results that are known. An observable that is saved and loaded on the way goes on to the
   same bits. tests/mpi/test_mpi_observe.c does it on several ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "observe/correlation.h"
#include "observe/observable.h"
#include "tests/support/unit.h"

static const char field[] = "format: 1\nname: toy\ncutoff: 1.0\nexclude: [1-2]\n"
                            "types:\n"
                            "  P: {mass: 90, inertia: [2, 2, 0], dipole: 0.05}\n"
                            "  T: {mass: 45}\n"
                            "  W: {mass: 18}\n"
                            "pair:\n"
                            "  lj: {truncation: cut, mixing: geometric}\n"
                            "  electrostatics: {truncation: shifted_force}\n"
                            "  table:\n"
                            "    - [P, P, {epsilon: 1, sigma: 0.3}]\n"
                            "    - [T, T, {epsilon: 1, sigma: 0.3}]\n"
                            "    - [W, W, {epsilon: 1, sigma: 0.3}]\n"
                            "bonds: {one: {form: harmonic, k: 300, r0: 0.5}}\n"
                            "molecules:\n"
                            "  L: {beads: [P, T], bonds: [[one, 1, 2]]}\n"
                            "  W: {beads: [W]}\n";

/* Lipids on a square lattice of SIDE x SIDE in each leaflet, then water on a cubic lattice. */
enum { SIDE = 8, LIPIDS = 2 * SIDE * SIDE, WATERS = SIDE * SIDE * SIDE };
enum { BEADS = 2 * LIPIDS + WATERS, SAMPLES = 500 };
static const double SPACING = 0.5, BOND = 0.4;

static struct {
  struct ranks ranks;
  struct forcefield *ff;
  struct lipids *lipids;
  struct topology topology;
  struct observe_system about;
  struct system system; /* beads with types and molecule types only, for groups */
  struct observe_frame frame;
  int32_t position[3 * BEADS], image[3 * BEADS];
  double momentum[3 * BEADS], angular[3 * BEADS], orientation[4 * BEADS];
} w;

static void add_molecule(int type, int n, int env)
{
  struct share *s = &w.about.share;
  struct observe_molecule *m = &s->molecule[s->molecules];
  *m = (struct observe_molecule){.first = s->n, .n = n, .type = type};
  for (int k = 0; k < n; k++, s->n++) {
    s->type[s->n] = w.ff->molecule[type].bead[k];
    s->env[s->n] = env < 0 ? -1 : env + k;
    s->molecule_of[s->n] = s->molecules;
  }
  w.about.n_total = s->n;
  s->molecules++;
}

static int open_world(void **state)
{
  (void)state;
  struct observe_system *a = &w.about;
  w.ff = forcefield_parse(field, "field");
  const int lipid = forcefield_molecule(w.ff, "L"), water = forcefield_molecule(w.ff, "W");
  const int env = topology_add_molecule(&w.topology, w.ff, lipid);
  w.lipids = lipids_create(w.ff);
  w.lipids->is_flat = 1;
  *a = (struct observe_system){
      .ff = w.ff, .topology = &w.topology, .temperature = 300, .lipids = w.lipids};
  a->dt = 0.02;
  a->ranks = &w.ranks;
  struct share *s = &a->share;
  s->first = 1;
  s->type = alloc_array(BEADS, sizeof *s->type);
  s->env = alloc_array(BEADS, sizeof *s->env);
  s->molecule = alloc_array(BEADS, sizeof *s->molecule);
  s->molecule_of = alloc_array(BEADS, sizeof *s->molecule_of);
  for (int k = 0; k < LIPIDS; k++)
    add_molecule(lipid, 2, env);
  for (int k = 0; k < WATERS; k++)
    add_molecule(water, 1, -1);
  w.system = (struct system){.ff = w.ff, .n = s->n, .n_total = s->n, .first = s->first};
  w.system.beads.type = s->type;
  w.system.beads.molecule_type = alloc_array(BEADS, sizeof *w.system.beads.molecule_type);
  w.system.beads.molecule = alloc_array(BEADS, sizeof *w.system.beads.molecule);
  for (int k = 0; k < s->n; k++) {
    w.system.beads.molecule[k] = (int32_t)s->molecule_of[k] + 1;
    w.system.beads.molecule_type[k] = s->molecule[s->molecule_of[k]].type;
  }
  a->system = &w.system;
  for (int d = 0; d < 3; d++)
    a->box[d] = SIDE * SPACING;
  w.frame = (struct observe_frame){.centre = UINT32_C(1) << 31};
  memcpy(w.frame.box, a->box, sizeof a->box);
  w.frame.position = w.position;
  w.frame.image = w.image;
  w.frame.momentum = w.momentum;
  w.frame.angular_momentum = w.angular;
  w.frame.orientation = w.orientation;
  return 0;
}

static int close_world(void **state)
{
  (void)state;
  free(w.system.beads.molecule);
  free(w.system.beads.molecule_type);
  share_free(&w.about.share);
  lipids_destroy(w.lipids);
  topology_free(&w.topology);
  forcefield_destroy(w.ff);
  return 0;
}

/* x in fractions of the box, unwrapped. */
static void put(int bead, const double x[3])
{
  for (int d = 0; d < 3; d++) {
    const double whole = floor(x[d]);
    w.image[3 * bead + d] = (int32_t)whole;
    w.position[3 * bead + d] = (int32_t)(uint32_t)((x[d] - whole) * 4294967296.0);
  }
}

/* Where beads are at rest, in fractions of the box. */
static void lattice(int bead, double x[3])
{
  const int lipid = bead < 2 * LIPIDS, k = lipid ? bead / 2 % (SIDE * SIDE) : bead - 2 * LIPIDS;
  const double height = BOND / (SIDE * SPACING);
  x[0] = (k % SIDE + 0.25) / SIDE;
  x[1] = (k / SIDE % SIDE + 0.25) / SIDE;
  x[2] = (k / SIDE / SIDE + 0.25) / SIDE;
  if (!lipid) return;
  const int upper = bead / 2 < SIDE * SIDE;
  x[2] = 0.5 + (upper ? 1 : -1) * (bead % 2 ? 0.01 : 0.01 + height);
}

static struct observable *create(const char *list)
{
  struct error_list errors = {0};
  struct yaml_tree *t = yaml_parse(list, "list", &errors);
  int n;
  struct observable *o = observables_create(t, yaml_root(t), &w.about, &n);
  error_list_check(&errors);
  yaml_destroy(t);
  assert_int_equal(n, 1);
  return o;
}

static void take(struct observable *o)
{
  int64_t *word = alloc_array(o->words, sizeof *word);
  o->kind->collect(o, &w.frame, word);
  observable_take(o, &w.frame, word);
  free(word);
}

static double *results_of(const struct observable *o)
{
  double *mean = alloc_array(o->values, sizeof *mean);
  double *result = alloc_array(o->results, sizeof *result);
  blocks_mean(&o->blocks, mean);
  observable_results(o, mean, result);
  free(mean);
  return result;
}

static void near(double got, double want, double bound)
{
  if (!(fabs(got - want) <= bound)) fail_msg("%.12g instead of %.12g", got, want);
}

/* Velocities, fractions of the box per sample: of the molecule, and of all of its leaflet. */
static double velocity(int molecule, int d)
{
  const double drift = molecule < LIPIDS / 2 ? 0.01 : -0.02;
  return 1e-3 * sin(1.7 * molecule + d) + drift * (d + 1);
}

static void move(int sample, int shrinks)
{
  for (int bead = 0; bead < BEADS; bead++) {
    const int molecule = bead < 2 * LIPIDS ? bead / 2 : bead - LIPIDS;
    double x[3];
    lattice(bead, x);
    for (int d = 0; d < 3; d++)
      x[d] += shrinks ? 5 : velocity(molecule, d) * sample;
    put(bead, x);
  }
  for (int d = 0; d < 3; d++)
    w.frame.box[d] = w.about.box[d] * (shrinks ? 1 - 0.001 * sample : 1);
}

/* The mean square over the lipids of velocity less its mean in the leaflet, (nm per sample)^2. */
static double spread(int d)
{
  double sum = 0;
  for (int leaflet = 0; leaflet < 2; leaflet++) {
    double mean = 0, square = 0;
    for (int k = leaflet * LIPIDS / 2; k < (leaflet + 1) * LIPIDS / 2; k++) {
      mean += velocity(k, d) / (LIPIDS / 2);
      square += velocity(k, d) * velocity(k, d) / (LIPIDS / 2);
    }
    sum += 0.5 * (square - mean * mean);
  }
  return sum * w.about.box[d] * w.about.box[d];
}

static void test_straight_motion(void **state)
{
  (void)state;
  struct observable *o = create("- msd: {every: 5}");
  for (int k = 0; k < SAMPLES; k++) {
    move(k, 0);
    take(o);
  }
  double *r = results_of(o), *lag = observe_axis_of(o, r, 0), *lateral = lag + LAGS;
  int known = 0;
  for (int k = 0; k < LAGS; k++) {
    const double n = (double)lags_samples(k);
    near(lag[k], n * 5 * w.about.dt, 1e-9);
    if (n >= SAMPLES) {
      assert_true(isnan(lateral[k]));
      continue;
    }
    known = k;
    near(lateral[k] / (n * n), spread(0) + spread(1), 1e-9);
    near(lateral[LAGS + k] / (n * n), spread(2), 1e-9);
    near(lateral[2 * LAGS + k] / (n * n), spread(0) + spread(1) + spread(2), 1e-9);
  }
  assert_int_equal(lags_samples(known), 480);
  assert_true(*observe_column_of(o, r, 1, 0) > 0);
  free(r);
  observables_destroy(o, 1);
}

/* Molecules that move with the box do not diffuse. */
static void test_shrinking_box(void **state)
{
  (void)state;
  struct observable *o = create("- msd: {molecules: [W, L]}");
  for (int k = 0; k < 50; k++) {
    move(k, 1);
    take(o);
  }
  double *r = results_of(o);
  for (int table = 0; table < 2; table++)
    near(observe_column_of(o, r, table, 2)[20], 0, 1e-12);
  free(r);
  observables_destroy(o, 1);
}

static void turn(int sample)
{
  for (int bead = 0; bead < BEADS; bead++) {
    const double angle = 0.01 * sample + bead; /* about x */
    double *q = w.orientation + 4 * bead;
    q[0] = cos(angle / 2);
    q[1] = sin(angle / 2);
    q[2] = q[3] = 0;
  }
}

static void test_rotation(void **state)
{
  (void)state;
  struct observable *o = create("- rotation: {every: 10}");
  assert_int_equal(o->tables, 2); /* of P alone, and times */
  for (int k = 0; k < SAMPLES; k++) {
    turn(k);
    take(o);
  }
  double *r = results_of(o), *first = observe_column_of(o, r, 0, 0);
  for (int k = 0; k < LAGS && lags_samples(k) < SAMPLES; k++) {
    const double c = cos(0.01 * (double)lags_samples(k));
    near(first[k], c, 1e-9);
    near(first[LAGS + k], 1.5 * c * c - 0.5, 1e-9);
  }
  /* The integral of cos(x) to 1.6, the first lag where it is below 0.05 (1.52 is not). */
  near(*observe_column_of(o, r, 1, 0), sin(1.6) / 0.01 * 10 * w.about.dt, 0.02);
  free(r);
  observables_destroy(o, 1);
}

/* Coordination up to a distance. */
static double around(const struct observable *o, double *r, int table, double distance)
{
  const double *axis = observe_axis_of(o, r, table);
  int k = 0;
  while (k + 1 < o->table[table].rows && axis[k] < distance)
    k++;
  return observe_column_of(o, r, table, 1)[k];
}

static void test_lattice(void **state)
{
  (void)state;
  move(0, 0);
  struct observable *o = create("- rdf: {pairs: [[W, W], [P, T], [P, P]], range: 1.1, bins: 100}");
  take(o);
  double *r = results_of(o);
  near(around(o, r, 0, 0.55), 6, 1e-12);
  near(around(o, r, 0, 0.75), 18, 1e-12);
  near(around(o, r, 0, 0.90), 26, 1e-12);
  /* g is the count over the pairs of 512 with 511 in the volume. */
  const double edge[2] = {45 * 0.011, 46 * 0.011};
  const double shell = 4.0 / 3 * UNITS_PI * (pow(edge[1], 3) - pow(edge[0], 3));
  near(observe_column_of(o, r, 0, 0)[45], 6 * 64 / (511 * shell), 1e-9);
  near(around(o, r, 1, 0.42), 0, 1e-12); /* bonded */
  /* Tails of both leaflets: 1 at 0.48, 4 at 0.64, 4 at 0.69. */
  near(around(o, r, 1, 0.65), 5, 1e-12);
  near(around(o, r, 1, 0.70), 9, 1e-12);
  free(r);
  observables_destroy(o, 1);
  o = create("- rdf: {pairs: [[P, P], [P, T]], range: 1.3, bins: 100, in_plane: yes}");
  take(o);
  r = results_of(o);
  near(around(o, r, 0, 0.55), 4, 1e-12);
  near(around(o, r, 0, 0.75), 8, 1e-12);
  near(around(o, r, 1, 0.10), 0, 1e-12); /* bonded */
  near(around(o, r, 1, 0.55), 4, 1e-12);
  free(r);
  observables_destroy(o, 1);
}

/* Momenta of given size along z in turn, all beads drifting along x. */
static void test_temperature(void **state)
{
  (void)state;
  struct observable *o = create("- temperature");
  const double kT = UNITS_BOLTZMANN * 300;
  double mass = 0, lipids = LIPIDS * 135.0;
  for (int bead = 0; bead < BEADS; bead++) {
    const double m = w.ff->type[w.about.share.type[bead]].mass, sign = bead / 2 % 2 ? 1 : -1;
    w.momentum[3 * bead] = 0.7 * m;
    w.momentum[3 * bead + 1] = 0;
    w.momentum[3 * bead + 2] = sign * sqrt(3 * m * kT);
    w.angular[3 * bead] = w.angular[3 * bead + 1] = bead < 2 * LIPIDS ? sqrt(2 * kT) : 0;
    mass += m;
  }
  take(o);
  double *r = results_of(o);
  const double centre = pow(sqrt(90) + sqrt(45), 2) / 135; /* both beads move the same way */
  near(observe_column_of(o, r, 1, 0)[0], 300 * 2 * LIPIDS / (2 * LIPIDS - lipids / mass), 1e-4);
  near(observe_column_of(o, r, 1, 1)[0], 300, 1e-4);
  near(observe_column_of(o, r, 1, 2)[0], 300 * centre * LIPIDS / (LIPIDS - lipids / mass), 1e-4);
  near(observe_column_of(o, r, 0, 1)[0], 300, 1e-4);
  assert_true(isnan(observe_column_of(o, r, 0, 1)[1]));
  near(observe_column_of(o, r, 2, 0)[0], 300.0 * BEADS / (BEADS - 1), 1e-4);
  const double freedom = 3.0 * (BEADS - 1) + 2.0 * LIPIDS;
  near(observe_column_of(o, r, 2, 2)[0], 300 * (3.0 * BEADS + 2.0 * LIPIDS) / freedom, 1e-4);
  free(r);
  observables_destroy(o, 1);
}

/* Save and load at some samples, then the same bits as without. */
static void test_continued(void **state)
{
  (void)state;
  static const char *const list[] = {"- msd: {molecules: [L, W]}", "- rotation", "- temperature",
                                     "- rdf: {pairs: [[P, P]], range: 1}"};
  for (int which = 0; which < 4; which++) {
    struct observable *whole = create(list[which]), *part = create(list[which]);
    for (int k = 0; k < 150; k++) {
      int64_t n, m;
      move(k, 0);
      turn(k);
      take(whole);
      take(part);
      if (k % 23 != 5 && k != 149) continue;
      double *saved = observable_save(part, &n), *all = observable_save(whole, &m);
      assert_int_equal(n, m);
      assert_memory_equal(saved, all, (size_t)n * sizeof *saved);
      observables_destroy(part, 1);
      part = create(list[which]);
      assert_true(observable_load(part, saved, n));
      free(saved);
      free(all);
    }
    observables_destroy(whole, 1);
    observables_destroy(part, 1);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_motion), cmocka_unit_test(test_shrinking_box),
      cmocka_unit_test(test_rotation),        cmocka_unit_test(test_lattice),
      cmocka_unit_test(test_temperature),     cmocka_unit_test(test_continued),
  };
  ranks_open(&w.ranks, &argc, &argv);
  const int failed = cmocka_run_group_tests(tests, open_world, close_world);
  return ranks_close(&w.ranks, failed);
}
