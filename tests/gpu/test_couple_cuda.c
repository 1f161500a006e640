/* Thermostat and barostat on the device against the same on the host, for sums of a membrane.
   Skipped where there is no GPU. */
#include "config.h"

#ifdef HAVE_CUDA
#include "tests/support/membrane_cuda.h"

#include "dynamics/couple_body.h"

static struct coupling_params coupling_of(int thermostat, int barostat, int mode, int64_t step)
{
  struct coupling_params how = {.step = step,
                                .seed = 31,
                                .thermostat = thermostat,
                                .barostat = barostat,
                                .momentum = step % 2 == 0 || (!thermostat && !barostat),
                                .coupling_mode = mode,
                                .temperature = 340,
                                .thermostat_time = 0.1,
                                .barostat_time = 0.1,
                                .barostat_tau = 5,
                                .pressure = 20,
                                .tension = 300,
                                .compressibility = {4.6e-5, 4.6e-5, 3e-5},
                                .dof = {3 * (double)membrane->n - 3, 2 * (double)membrane->n},
                                .mass = 40 * (double)membrane->n,
                                .bits = sum_bits(membrane->n_total),
                                .cutoff = membrane->ff->cutoff,
                                .reach = {membrane->ff->cutoff + membrane->lists.skin,
                                          membrane->ff->cutoff + 1.5 * membrane->lists.skin}};
  how.n_baths = how.n_teams = how.n_groups = 1;
  how.group_mass[0][0] = how.group_mass[0][1] = how.group_mass[0][2] = how.mass;
  how.bath[0] = (struct bath_params){340, 0.5, how.dof.translation + how.dof.rotation, 0};
  memcpy(how.build_box, membrane->box, sizeof how.build_box);
  return how;
}

static void doubles_agree(const double *a, const double *b, int n)
{
  for (int k = 0; k < n; k++)
    if (!(fabs(a[k] - b[k]) <= 1e-12 * fmax(fabs(b[k]), 1)))
      fail_msg("number %d: %.17g on the device, %.17g on the host", k, a[k], b[k]);
}

/* The same coupling of the same sums on the device and here. */
static void coupling_compare(struct backend *b, const struct coupling_params *how)
{
  struct coupling_state here = coupling_state_start(membrane->box), there;
  struct thermo o;
  struct sums sums;
  here.work = -3;
  here.search_above2 = here.rebuild_above2 = 1;
  backend_sums(b, &sums);
  b->ops->set_box(b, &here, membrane->box);
  struct sums *added = b->ops->async->coupling_sums(b);
  assert_ptr_equal(added, ((struct gpu *)b)->sums->all);
  b->ops->async->couple(b, how);
  couple_apply(how, &sums, &here);
  b->ops->async->coupling_state(b, &there);
  assert_true(there.step == how->step && there.overflow == 0);
  doubles_agree(there.scaling.scale, here.scaling.scale, TEAMS_MOST);
  doubles_agree(there.scaling.shift[0], here.scaling.shift[0], 3 * TEAMS_MOST);
  doubles_agree(there.scaling.stretch, here.scaling.stretch, 3);
  doubles_agree(there.box, here.box, 3);
  doubles_agree(&there.search_above2, &here.search_above2, 1);
  doubles_agree(&there.rebuild_above2, &here.rebuild_above2, 1);
  thermo_of(&o, &sums, how->bits, membrane->box, how->dof, how->n_teams);
  assert_true(fabs(there.work - here.work) <= 1e-12 * o.kinetic); /* what is left of such numbers */
  assert_true(here.scaling.scale[0] != 1 || how->thermostat == THERMOSTAT_NONE);
  assert_true(here.box[2] != membrane->box[2] || how->barostat == BAROSTAT_NONE);
}

static void couplings(void **state)
{
  static const int thermostat[] = {THERMOSTAT_NONE, THERMOSTAT_BERENDSEN, THERMOSTAT_BUSSI};
  (void)state;
  if (!has_gpu()) skip();
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  int64_t step = 0;
  b->ops->force(b, FORCE_ALL, FORCE_ENERGY);
  for (int t = 0; t < 3; t++)
    for (int barostat = BAROSTAT_NONE; barostat <= BAROSTAT_CRESCALE; barostat++)
      for (int mode = 0; mode <= COUPLING_CONSTANT_AREA; mode++)
        for (int k = 0; k < 6; k++) {
          struct coupling_params how = coupling_of(thermostat[t], barostat, mode, ++step);
          if (k == 5) how.bath[0].dof = 2; /* draws of their own */
          how.probe = k % 2 && barostat == BAROSTAT_CRESCALE;
          coupling_compare(b, &how);
        }
  b->ops->destroy(b);
}

/* Sums that do not fit: nothing is changed by the coupling or after it, and the host learns of it
   when it settles. */
static void couplings_refused(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  struct coupling_state first = coupling_state_start(membrane->box), now;
  struct coupling_params how = coupling_of(THERMOSTAT_BUSSI, BAROSTAT_CRESCALE, 0, 10);
  struct integrate_params m = {
      .dt = 0.01, .coupled = 1, .max_displacement = 0.2, .step = 10, .list_expiry = EXPIRY_SEARCH};
  const int64_t parts = 7;
  first.search_above2 = first.rebuild_above2 = INFINITY;
  b->ops->set_box(b, &first, membrane->box);
  b->ops->force(b, FORCE_ALL, FORCE_ENERGY);
  struct rows before = rows_of(b);
  struct gpu *c = gpu_of(b);
  CUDA(cudaMemcpyAsync(&c->sums->forces->overflow, &parts, sizeof parts, cudaMemcpyHostToDevice,
                       c->streams->main));
  b->ops->async->coupling_sums(b);
  b->ops->async->couple(b, &how);
  b->ops->integrate_first_half(b, &m);
  assert_true(b->ops->async->poll_expired(b));
  assert_int_equal(b->ops->async->drain(b, NULL), 10);
  b->ops->async->coupling_state(b, &now);
  assert_true(now.step == 10 && now.overflow == parts);
  assert_memory_equal(now.box, first.box, sizeof now.box);
  struct rows after = rows_of(b);
  assert_memory_equal(before.beads.position, after.beads.position, (size_t)membrane->n * 12);
  assert_memory_equal(before.beads.momentum, after.beads.momentum, (size_t)membrane->n * 24);
  rows_free(&before);
  rows_free(&after);
  b->ops->destroy(b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(couplings),
                                     cmocka_unit_test(couplings_refused)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, prepare, finish);
  return ranks_close(&ranks, failed);
}
#else
#include "tests/support/without_cuda.h"
#endif
