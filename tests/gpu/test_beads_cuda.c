/* The cuda backend against the cpu backend with several neighbour lists: soft sticky dipole water,
   Gay-Berne ellipsoids, spheres, and a mixture of seven types. Lists are also compared with every
   pair. Skipped where there is no GPU. */
#include "config.h"

#ifdef HAVE_CUDA
#include "tests/support/membrane_cuda.h"

#include "base/rng.h"
#include "input/forcefield_file.h"
#include "model/place.h"

/* Q has a charge, D a dipole, P nothing, W is water, E an ellipsoid, F an ellipsoid with a dipole,
   S a sphere. */
static const char text[] =
    "format: 1\n"
    "name: mixture\n"
    "cutoff: 1.2\n"
    "types:\n"
    "  Q: {mass: 40, charge: 0.3}\n"
    "  D: {mass: 40, inertia: [0.8, 0.8, 0], dipole: 0.04}\n"
    "  P: {mass: 40}\n"
    "  W: {mass: 18.0153, inertia: [0.017696, 0.006145, 0.011550], dipole: 0.0489}\n"
    "  E: {mass: 50, inertia: [0.6, 0.6, 0], shape: {kappa: 1.7, kappa_prime: 3}}\n"
    "  F: {mass: 50, inertia: [0.6, 0.6, 0], dipole: 0.02, shape: {kappa: 1.5, kappa_prime: 5}}\n"
    "  S: {mass: 40}\n"
    "pair:\n"
    "  lj: {truncation: stoddard_ford, mixing: lorentz_berthelot}\n"
    "  electrostatics: {truncation: shifted_force}\n"
    "  gay_berne: {mu: 2, nu: 1}\n"
    "  table:\n"
    "    - [Q, Q, {epsilon: 1, sigma: 0.3}]\n"
    "    - [D, D, {epsilon: 1, sigma: 0.3}]\n"
    "    - [P, P, {epsilon: 1, sigma: 0.3}]\n"
    "    - [W, W, {epsilon: 0.636, sigma: 0.3051}]\n"
    "    - [E, E, {epsilon: 1, sigma: 0.2}]\n"
    "    - [F, F, {epsilon: 1, sigma: 0.22}]\n"
    "    - [S, S, {epsilon: 1.5, sigma: 0.28}]\n"
    "  sticky:\n"
    "    - [W, W, {v0: 15.5996, w0: 0.07715, switch: [0.275, 0.335], "
    "switch_prime: [0.275, 0.400]}]\n"
    "  classes:\n"
    "    - {types: [W], cutoff: 0.9, switch_from: 0.765, lj: {truncation: switch}, "
    "electrostatics: {truncation: switch}}\n"
    "    - {types: [P], with: [S], cutoff: 1.0}\n"
    "    - {types: [Q], with: [P], cutoff: 0.95}\n"
    "    - {types: [E], with: [S], cutoff: 1.05}\n"
    "molecules:\n"
    "  Q: {beads: [Q]}\n"
    "  D: {beads: [D]}\n"
    "  P: {beads: [P]}\n"
    "  W: {beads: [W]}\n"
    "  E: {beads: [E]}\n"
    "  F: {beads: [F]}\n"
    "  S: {beads: [S]}\n";

/* A system: the types of consecutive sites of a simple cubic lattice, repeated. */
static const struct mix {
  const char *name, *types;
  int lists, classes;
} mixes[] = {
    {"water", "W", 2, 1},
    {"ellipsoids", "EF", 1, 1},
    {"spheres", "S", 1, 1},
    {"spheres of two kinds", "PS", 2, 2},
    {"water and dipoles", "WWD", 3, 2},
    {"mixture", "WQWDWPWEWFWS", 7, 7},
};

enum { EDGE = 11, SITES = EDGE * EDGE * EDGE, CHANGE = 13 };

static struct system *system_of(const struct mix *m)
{
  const double spacing = 0.36, jitter = 0.02;
  struct forcefield *ff = forcefield_parse(text, "mixture");
  struct system *s = system_create(SITES, 0, 1, ff);
  const int types = (int)strlen(m->types);
  for (int d = 0; d < 3; d++)
    s->box[d] = spacing * EDGE;
  s->clock.seed = 5;
  for (int k = 0; k < SITES; k++) {
    const char name[] = {m->types[(k + k / CHANGE) % types], 0};
    double u[4], x[3] = {k % EDGE, (k / EDGE) % EDGE, k / (EDGE * EDGE)};
    rng_uniform(3, 0, (uint64_t)k, RNG_BUILD, u);
    for (int d = 0; d < 3; d++)
      x[d] = spacing * (x[d] + 0.5) + jitter * (2 * u[d] - 1);
    system_set_position(s, k, x);
    s->beads.molecule_type[k] = forcefield_molecule(ff, name);
    s->beads.type[k] = ff->molecule[s->beads.molecule_type[k]].bead[0];
    s->beads.molecule[k] = k + 1;
    place_random_orientation(s, k);
  }
  return s;
}

/* For each system: makes it, calls a function, and destroys it. */
static void each(void function(const struct mix *m))
{
  if (!has_gpu()) skip();
  for (size_t k = 0; k < sizeof mixes / sizeof mixes[0]; k++) {
    const struct minimise_options options = {.max_steps = 300, .force = 1000};
    print_message("%s\n", mixes[k].name);
    membrane = system_of(&mixes[k]);
    minimise_system(&ranks, membrane, &options);
    system_thermalise(membrane, 300);
    list_build_set_skin(&membrane->lists, 0.2);
    function(&mixes[k]);
    system_destroy(membrane);
    membrane = NULL;
  }
}

static int is_listed(const struct pair_plan *p, int list, int i, int j)
{
  const int32_t *type = membrane->beads.type;
  return (int)(p->pass[list].partners[p->class_of[type[i]]] >> p->class_of[type[j]] & 1u);
}

/* Every pair of a list, by build positions, with both beads in turn; by how much its radius is
   more. */
static struct pair *pairs_all(const struct pair_plan *p, int list, double more, int64_t *n)
{
  const int32_t(*x)[3] = (const int32_t(*)[3])membrane->beads.position;
  const double radius = p->pass[list].cutoff + membrane->lists.skin + more;
  struct pair *out = NULL;
  for (int fill = 0; fill < 2; fill++) {
    if (fill) out = alloc_array(*n + 1, sizeof *out);
    *n = 0;
    for (int i = 0; i < SITES; i++)
      for (int j = 0; j < SITES; j++) {
        if (i == j || !is_listed(p, list, i, j) || apart2(x[i], x[j]) >= radius * radius) continue;
        if (fill) out[*n] = (struct pair){{i + 1, j + 1}};
        ++*n;
      }
  }
  return out;
}

static void lists_all(const struct mix *m)
{
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  const struct pair_plan *plan = ((const struct gpu *)b)->config.plan;
  assert_int_equal(plan->n_passes, m->lists);
  assert_int_equal(plan->n_classes, m->classes);
  for (int l = 0; l < plan->n_passes; l++) {
    int64_t n, least, most;
    struct pair *p = pairs_cuda(b, l, &n), *low = pairs_all(plan, l, -1e-6, &least),
                *high = pairs_all(plan, l, 1e-5, &most);
    print_message("list %d: %lld pairs\n", l, (long long)n);
    assert_true(least > 0);
    assert_int_equal(lacking(low, least, p, n), 0);
    assert_int_equal(lacking(p, n, high, most), 0);
    free(p);
    free(low);
    free(high);
  }
  b->ops->destroy(b);
  lists_compare(10);
}

static void lists(void **state)
{
  (void)state;
  each(lists_all);
}

static void double_all(const struct mix *m)
{
  (void)m;
  forces_compare(PRECISION_DOUBLE, 1e-10, 1e-11);
}

static void mixed_all(const struct mix *m)
{
  (void)m;
  forces_compare(PRECISION_MIXED, 3e-5, 3e-6);
}

static void forces_double(void **state)
{
  (void)state;
  each(double_all);
}

static void forces_mixed(void **state)
{
  (void)state;
  each(mixed_all);
}

/* Interior beads and boundary beads together have the forces of all beads. */
static void parts_all(const struct mix *m)
{
  const size_t bytes = 3 * sizeof(double) * SITES;
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  (void)m;
  assert_true(b->interior == SITES && b->boundary == 0);
  b->ops->force(b, FORCE_ALL, 0);
  struct rows x = rows_of(b);
  CUDA(cudaMemset(((struct gpu *)b)->arrays->force, -1, bytes));
  b->ops->force(b, FORCE_INTERIOR, 0);
  b->ops->force(b, FORCE_BOUNDARY, 0);
  struct rows y = rows_of(b);
  assert_memory_equal(x.force, y.force, bytes);
  assert_memory_equal(x.torque, y.torque, bytes);
  rows_free(&x);
  rows_free(&y);
  b->ops->destroy(b);
}

static void parts(void **state)
{
  (void)state;
  each(parts_all);
}

/* A few steps without list builds. */
static void steps_all(const struct mix *m)
{
  const int64_t n = membrane->n;
  struct backend *both[2] = {make(&backend_cpu, PRECISION_DOUBLE),
                             make(&backend_cuda, PRECISION_DOUBLE)};
  double *at[2];
  struct rows end[2];
  (void)m;
  for (int k = 0; k < 2; k++) {
    struct integrate_params how = {.dt = 0.001,
                                   .scaling = {{1}, {{0, 0, 0}}, {1, 1, 1}},
                                   .max_displacement = 0.2,
                                   .list_expiry = EXPIRY_DISPLACEMENT};
    both[k]->ops->force(both[k], FORCE_ALL, 0);
    for (; how.step < 20; how.step++) {
      both[k]->ops->integrate_first_half(both[k], &how);
      both[k]->ops->force(both[k], FORCE_ALL, 0);
      both[k]->ops->integrate_second_half(both[k], how.dt);
    }
    end[k] = rows_of(both[k]);
    at[k] = alloc_array(3 * n, sizeof *at[k]);
    places(&end[k].beads, n, at[k]);
  }
  close_to("positions", at[1], at[0], 3 * n, 1e-9);
  close_to("momenta", end[1].beads.momentum, end[0].beads.momentum, 3 * n, 1e-8);
  close_to("orientations", end[1].beads.orientation, end[0].beads.orientation, 4 * n, 1e-8);
  for (int k = 0; k < 2; k++) {
    free(at[k]);
    rows_free(&end[k]);
    both[k]->ops->destroy(both[k]);
  }
}

static void steps(void **state)
{
  (void)state;
  each(steps_all);
}

/* Pairs inside the cutoff of a list that were outside its radius at the build. */
static int64_t unlisted(const struct backend *b)
{
  const struct gpu *c = (const struct gpu *)b;
  const struct pair_plan *plan = c->config.plan;
  int32_t(*now)[3] = fetched_places(c->arrays->beads.position, b->n);
  int32_t(*then)[3] = fetched_places(c->arrays->beads.build_position, b->n);
  int64_t *id = fetched(c->arrays->id, b->n * (int64_t)sizeof *id), found = 0;
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < i; j++)
      for (int l = 0; l < plan->n_passes; l++) {
        const double cutoff = plan->pass[l].cutoff, radius = cutoff + membrane->lists.skin;
        found += is_listed(plan, l, (int)id[i] - 1, (int)id[j] - 1) &&
                 apart2(now[i], now[j]) < cutoff * cutoff &&
                 apart2(then[i], then[j]) > radius * radius;
      }
  free(now);
  free(then);
  free(id);
  return found;
}

/* Lists end in the step in which two beads meet that one of them lacks, and in no step before. */
static void meetings_all(const struct mix *m)
{
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  const double skin = membrane->lists.skin, far = 0.5 * skin, most = 1.5 * skin;
  struct coupling_state now = coupling_state_start(membrane->box);
  struct integrate_params how = {
      .dt = 0.005, .max_displacement = skin, .list_expiry = EXPIRY_SEARCH};
  int64_t stopped = -1, lacks = 0;
  (void)m;
  now.search_above2 = far * far;
  now.rebuild_above2 = most * most;
  b->ops->set_box(b, &now, membrane->box);
  b->ops->force(b, FORCE_ALL, 0);
  for (; stopped < 0 && how.step < 200; how.step++) {
    b->ops->integrate_first_half(b, &how);
    b->ops->async->search_unlisted(b, range_of_lists() + skin + 2 * (most - far), NULL);
    b->ops->force(b, FORCE_ALL, 0);
    stopped = b->ops->async->drain(b, NULL);
    lacks = unlisted(b);
    assert_int_equal(stopped > 0, lacks > 0);
    if (stopped < 0) b->ops->integrate_second_half(b, how.dt);
  }
  print_message("%lld steps, %lld pairs\n", (long long)how.step, (long long)lacks);
  assert_true(stopped == how.step);
  b->ops->destroy(b);
}

static void meetings(void **state)
{
  (void)state;
  each(meetings_all);
}

/* The pairs that have left the cutoff after a few steps. */
static void apart_all(const struct mix *m)
{
  const double cutoff = range_of_lists();
  const struct backend_ops *const ops[2] = {&backend_cpu, &backend_cuda};
  int64_t found[2];
  (void)m;
  for (int k = 0; k < 2; k++) {
    struct backend *b = make(ops[k], PRECISION_DOUBLE);
    struct integrate_params how = {.dt = 0.001,
                                   .scaling = {{1}, {{0, 0, 0}}, {1, 1, 1}},
                                   .max_displacement = membrane->lists.skin,
                                   .list_expiry = EXPIRY_DISPLACEMENT};
    b->ops->force(b, FORCE_ALL, 0);
    for (; how.step < 20; how.step++) {
      b->ops->integrate_first_half(b, &how);
      b->ops->force(b, FORCE_ALL, 0);
      b->ops->integrate_second_half(b, how.dt);
    }
    found[k] = b->ops->count_apart(b, cutoff, cutoff);
    b->ops->destroy(b);
  }
  print_message("%lld pairs\n", (long long)found[1]);
  assert_true(found[0] > 0);
  assert_int_equal(found[1], found[0]);
}

static void apart(void **state)
{
  (void)state;
  each(apart_all);
}

static int lanes_end(void **state)
{
  (void)state;
  lanes_wanted = 0;
  return 0;
}

/* The other tests have the lanes of systems of fewer than 50,000 beads: 2 for sticky pairs, 8 else.
 */
static void lanes(void **state)
{
  (void)state;
  for (lanes_wanted = 2; lanes_wanted <= 4; lanes_wanted += 2) {
    print_message("%d lanes\n", lanes_wanted);
    each(lists_all);
    each(double_all);
    each(mixed_all);
    each(parts_all);
    each(steps_all);
    each(apart_all);
    each(meetings_all);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists),        cmocka_unit_test(forces_double),
      cmocka_unit_test(forces_mixed), cmocka_unit_test(parts),
      cmocka_unit_test(steps),        cmocka_unit_test(apart),
      cmocka_unit_test(meetings),     cmocka_unit_test_teardown(lanes, lanes_end)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
#else
#include "tests/support/without_cuda.h"
#endif
