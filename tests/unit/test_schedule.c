/* What is due at each step of a run, counted out. */
#include "backend/backend.h"
#include "base/integers.h"
#include "md/schedule.h"
#include "tests/support/unit.h"

static void counted_out(void **state)
{
  (void)state;
  struct params *p = params_load(NULL, 9,
                                 (char *[]){"run.steps=24", "run.verify=12", "run.momentum_every=5",
                                            "output.energies_every=6", "output.frames_every=8",
                                            "output.checkpoint_every=0", "thermostat.type=bussi",
                                            "thermostat.every=3", "barostat.type=crescale"});
  const int64_t barostat = p->barostat_every;
  for (int64_t step = 0; step <= 24; step++) {
    const struct due d = schedule_due(p, step);
    assert_int_equal(d.step, step);
    assert_int_equal(d.report, step % 6 == 0);
    assert_int_equal(d.frame, step % 8 == 0);
    assert_int_equal(d.checkpoint, 0);
    assert_int_equal(d.verify, step % 12 == 0);
    assert_int_equal(d.last, step == 24);
    assert_int_equal(d.thermostat, step > 1 && step % 3 == 1); /* as crescale */
    assert_int_equal(d.probe, step % barostat == 0);
    assert_int_equal(d.barostat, step > 0 && step % barostat == 1);
    assert_int_equal(d.momentum, step > 1 && step % 5 == 1);
    assert_int_equal(due_coupling_sums(&d), d.thermostat || d.barostat || d.momentum);
    assert_int_equal(due_coupling(&d), d.thermostat || d.barostat || d.momentum || d.probe);
    assert_int_equal(due_force_flags(&d), step % 6 == 0 ? FORCE_ENERGY
                                          : d.barostat  ? FORCE_VIRIAL
                                                        : 0);
    assert_int_equal(due_state(&d, STATE_EVERY, 0), step % 8 == 0 || step % 12 == 0);
    assert_int_equal(due_state(&d, STATE_EVERY, 1),
                     step % 8 == 0 || step % 12 == 0 || d.barostat || d.probe);
  }
  params_destroy(p);
}

/* Langevin noise belongs to the integrator, and nothing of it is due. */
static void nothing_for_langevin(void **state)
{
  (void)state;
  struct params *p = params_load(NULL, 2, (char *[]){"run.steps=24", "thermostat.type=langevin"});
  for (int64_t step = 0; step <= 24; step++) {
    const struct due d = schedule_due(p, step);
    assert_false(d.thermostat || d.barostat);
    assert_int_equal(d.last, step == 24);
  }
  assert_true(due_state(&(struct due){.step = 300}, STATE_EVERY, 0) &&
              !due_state(&(struct due){.step = 301}, STATE_EVERY, 0));
  assert_true(schedule_due(p, 24).last &&
              due_state(&(struct due){.step = 24, .last = 1}, STATE_EVERY, 0));
  params_destroy(p);
}

static void divisors(void **state)
{
  (void)state;
  assert_int_equal(common_divisor(12, 18), 6);
  assert_int_equal(common_divisor(7, 0), 7);
  assert_true(schedule_divides(0, 3) && schedule_divides(9, 3));
  assert_false(schedule_divides(8, 3) || schedule_divides(9, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(counted_out),
                                     cmocka_unit_test(nothing_for_langevin),
                                     cmocka_unit_test(divisors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
