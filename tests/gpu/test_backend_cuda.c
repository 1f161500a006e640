/* The cuda backend against the cpu backend, op by op and over whole steps: the same lists, forces,
   energies and motion of a membrane. Skipped where there is no GPU. */
#include "config.h"

#ifdef HAVE_CUDA
#include "tests/support/membrane_cuda.h"

#include "base/units.h"
#include "input/param.h"
#include "md/run.h"
#include "md/simulation.h"
#include "md/snapshot.h"
#include "setup/build.h"

/* So few beads that consecutive ones of a column are more than half of the box apart. */
static const char gas[] = "forcefield: lj\n"
                          "lattice: {type: fcc, cells: [5, 5, 5], density: 0.1}\n";

static void lists(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  lists_compare(100);
  struct system *dense = membrane;
  struct build_spec *spec = spec_of(gas);
  membrane = lattice_build(&ranks, spec);
  list_build_set_skin(&membrane->lists, 0.2);
  lists_compare(12);
  system_destroy(membrane);
  build_spec_destroy(spec);
  membrane = dense;
}

static void forces_double(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  forces_compare(PRECISION_DOUBLE, 1e-11, 1e-12);
}

static void forces_mixed(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  forces_compare(PRECISION_MIXED, 1e-5, 1e-6);
}

/* As from 50,000 beads on; with bonded terms and exclusions. */
static void lanes(void **state)
{
  lanes_wanted = 4;
  lists(state);
  forces_double(state);
  forces_mixed(state);
}

static int lanes_end(void **state)
{
  (void)state;
  lanes_wanted = 0;
  return 0;
}

static void motion_compare(int noise)
{
  int64_t n = membrane->n;
  struct backend *a = make(&backend_cpu, PRECISION_DOUBLE);
  struct backend *b = make(&backend_cuda, PRECISION_DOUBLE);
  struct backend *both[2] = {a, b};
  struct coupling_state now = coupling_state_start(membrane->box);
  struct integrate_params m = {.dt = 0.01,
                               .scaling = {{1.01}, {{0.1, -0.2, 0.05}}, {1.001, 0.999, 1.002}},
                               .coupled = 1,
                               .noise = noise,
                               .bath = {{exp(-0.01 / 0.5), 310 * UNITS_BOLTZMANN}},
                               .seed = 5,
                               .step = 77,
                               .max_displacement = 0.2,
                               .list_expiry = EXPIRY_DISPLACEMENT};
  now.scaling = m.scaling;
  for (int k = 0; k < 3; k++)
    now.box[k] *= m.scaling.stretch[k];
  for (int k = 0; k < 2; k++) {
    both[k]->ops->force(both[k], FORCE_ALL, 0);
    both[k]->ops->set_box(both[k], &now, membrane->box); /* as a coupling leaves it */
    both[k]->ops->integrate_first_half(both[k], &m);
  }
  double moved[2], moved_cuda[2];
  a->ops->displacement2(a, moved);
  b->ops->displacement2(b, moved_cuda);
  close_to("displacement", moved_cuda, moved, 1, 1e-11);
  for (int k = 0; k < 2; k++)
    both[k]->ops->integrate_second_half(both[k], m.dt);
  struct rows x = rows_of(a), y = rows_of(b);
  double *p = alloc_array(3 * n, sizeof *p), *q = alloc_array(3 * n, sizeof *q);
  places(&x.beads, n, p);
  places(&y.beads, n, q);
  close_to("positions", q, p, 3 * n, 1e-12);
  close_to("momenta", y.beads.momentum, x.beads.momentum, 3 * n, 1e-11);
  close_to("angular momenta", y.beads.angular_momentum, x.beads.angular_momentum, 3 * n, 1e-11);
  close_to("orientations", y.beads.orientation, x.beads.orientation, 4 * n, 1e-12);
  free(p);
  free(q);
  rows_free(&x);
  rows_free(&y);
  a->ops->destroy(a);
  b->ops->destroy(b);
}

static void motion(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  motion_compare(0);
  motion_compare(1);
}

/* Every pair: has one met that was outside the list radius? And how far has a bead come? */
static int64_t lacking_all(const struct backend *b, double *moved2)
{
  const struct gpu *c = (const struct gpu *)b;
  const double cutoff = membrane->ff->cutoff, radius = cutoff + membrane->lists.skin;
  int32_t(*now)[3] = fetched_places(c->arrays->beads.position, b->n);
  int32_t(*then)[3] = fetched_places(c->arrays->beads.build_position, b->n);
  int64_t lacks = 0;
  *moved2 = 0;
  for (int i = 0; i < b->n; i++) {
    *moved2 = fmax(*moved2, apart2(now[i], then[i]));
    for (int j = 0; j < i; j++)
      lacks +=
          apart2(now[i], now[j]) < cutoff * cutoff && apart2(then[i], then[j]) > radius * radius;
  }
  free(now);
  free(then);
  return lacks;
}

/* Lists end in the step in which two beads meet that they lack, and in no step before. */
static void meetings(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  const double skin = membrane->lists.skin, far = 0.5 * skin, most = 1.5 * skin;
  struct coupling_state now = coupling_state_start(membrane->box);
  struct integrate_params m = {.dt = 0.01, .max_displacement = skin, .list_expiry = EXPIRY_SEARCH};
  int64_t stopped = -1, lacks = 0, looked = 0;
  double moved2 = 0;
  now.search_above2 = far * far;
  now.rebuild_above2 = most * most;
  b->ops->set_box(b, &now, membrane->box);
  b->ops->force(b, FORCE_ALL, 0);
  for (; stopped < 0 && m.step < 100; m.step++) {
    b->ops->integrate_first_half(b, &m);
    b->ops->async->search_unlisted(b, membrane->ff->cutoff + skin + 2 * (most - far), NULL);
    b->ops->force(b, FORCE_ALL, 0);
    stopped = b->ops->async->drain(b, NULL);
    lacks = lacking_all(b, &moved2);
    assert_int_equal(stopped > 0, lacks > 0);
    looked += moved2 > far * far;
    if (stopped < 0) b->ops->integrate_second_half(b, m.dt);
  }
  print_message("%lld steps, %lld with beads beyond, %g nm at most, %lld pairs\n",
                (long long)m.step, (long long)looked, sqrt(moved2), (long long)lacks);
  assert_true(stopped == m.step && looked > 2);
  b->ops->destroy(b);
}

/* Takes the beads outside the second of three slabs out of a backend, and puts them back. */
static void cross(struct backend *b, const uint64_t bound[4], int64_t count[3], int64_t *kept)
{
  int record;
  static const uint64_t whole[] = {0, UINT64_C(1) << 32};
  const struct domain d = {
      .rank = 1,
      .n_ranks = 3,
      .cut = {{.n = 3, .own = {bound[1], bound[2]}, .bound = bound},
              {.axis = 1, .n = 1, .own = {whole[0], whole[1]}, .bound = whole}}};
  const void *leaving = b->ops->pack_migrants(b, &d, count, &record);
  *kept = b->n;
  b->ops->unpack_migrants(b, leaving, count[0] + count[2]);
  b->ops->sort(b, 1.4);
}

/* As many leave as on the CPU: some, none, or all of them; and they come back whole. */
static void crossings(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  const uint64_t whole = UINT64_C(1) << 32, third = whole / 3;
  const uint64_t bound[][4] = {{0, third, 2 * third, whole},
                               {0, third / 10, whole, whole},
                               {0, third, third + third / 10, whole},
                               {0, 0, whole, whole},
                               {0, third, third, whole}};
  struct backend *a = make(&backend_cpu, PRECISION_MIXED);
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  struct rows before = rows_of(b);
  for (size_t k = 0; k < sizeof bound / sizeof bound[0]; k++) {
    int64_t count[2][3], kept[2];
    cross(a, bound[k], count[0], &kept[0]);
    cross(b, bound[k], count[1], &kept[1]);
    assert_memory_equal(count[0], count[1], sizeof count[0]);
    assert_true(kept[0] == kept[1] && b->n == membrane->n);
    struct rows after = rows_of(b);
    for (int f = 0; f < FIELDS; f++)
      if (field_info[f].flags & MIGRATE)
        assert_memory_equal(*beads_field(&before.beads, f), *beads_field(&after.beads, f),
                            (size_t)(b->n * field_info[f].components * field_info[f].bytes));
    rows_free(&after);
  }
  rows_free(&before);
  a->ops->destroy(a);
  b->ops->destroy(b);
}

/* Positions after some steps with list builds; the system is left as it was. */
static void walk(const char *backend, const char *const how[2], int steps, double *out)
{
  char name[64], length[64], set[2][64];
  snprintf(name, sizeof name, "parallel.backend=%s", backend);
  snprintf(length, sizeof length, "run.steps=%d", steps);
  for (int k = 0; k < 2; k++)
    snprintf(set[k], sizeof set[k], "%s", how[k]);
  char *settings[] = {name, length, "run.precision=double", "run.dt=0.005", set[0], set[1]};
  struct params *p = params_load(NULL, 6, settings);
  struct system *copy = system_copy(membrane);
  list_build_forget(&copy->lists);
  clock_begin(&copy->clock, 0);
  struct sim *s = sim_create(&ranks, p, copy, SIM_RUN);
  while (copy->clock.step < steps)
    run_advance(s);
  assert_true(s->builds > 1);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  places(&copy->beads, copy->n, out);
  sim_destroy(s);
  params_destroy(p);
  system_destroy(copy);
}

static void walks(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  const char *const ways[][2] = {{"thermostat.type=langevin", "barostat.type=none"},
                                 {"thermostat.type=bussi", "barostat.type=crescale"}};
  int64_t n = 3 * membrane->n;
  double *a = alloc_array(n, sizeof *a), *b = alloc_array(n, sizeof *b);
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    walk("cpu", ways[k], 50, a);
    walk("cuda", ways[k], 50, b);
    close_to(ways[k][0], b, a, n, 1e-9);
    walk("cuda", ways[k], 50, a);
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
  }
  free(a);
  free(b);
}

/* What backends allocate they free, each 6 MB and more: twenty of them leave the memory of the
   device as the first has left it. */
static void memory_freed(void **state)
{
  size_t before = 0, after = 0, all;
  (void)state;
  if (!has_gpu()) skip();
  for (int k = 0; k <= 20; k++) {
    struct backend *b = make(&backend_cuda, PRECISION_MIXED);
    b->ops->force(b, FORCE_ALL, FORCE_ENERGY);
    b->ops->async->drain(b, NULL);
    b->ops->destroy(b);
    CUDA(cudaMemGetInfo(k == 0 ? &before : &after, &all));
  }
  assert_true(before < after + (size_t)(32 << 20));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists),        cmocka_unit_test(forces_double),
      cmocka_unit_test(forces_mixed), cmocka_unit_test_teardown(lanes, lanes_end),
      cmocka_unit_test(meetings),     cmocka_unit_test(motion),
      cmocka_unit_test(crossings),    cmocka_unit_test(walks),
      cmocka_unit_test(memory_freed)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, prepare, finish);
  return ranks_close(&ranks, failed);
}
#else
#include "tests/support/without_cuda.h"
#endif
