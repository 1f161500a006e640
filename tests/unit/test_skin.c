/* The cheapest skin against the cost of every skin, written out for one list. */
#include <math.h>

#include "md/skin.h"
#include "tests/support/unit.h"

static const double rc = 1.1, density = 9;

/* Cost of a step in microseconds for 1000 beads, whose lists of 0.2 nm have lasted 8 steps. */
static double cost(const struct skin_costs *c, double skin)
{
  const double entries = density * 4.18879020478639 * pow(rc + skin, 3);
  const double steps = 8 * pow(skin / 0.2, 1.35);
  return c->step + c->step_bead + c->step_entry * entries +
         (c->build + c->build_bead + c->build_entry * entries) / fmax(steps, 1);
}

static double cheapest(const struct skin_costs *c)
{
  const struct pair_plan plan = {.n_passes = 1, .pass = {{.cutoff = rc}}};
  return skin_cheapest(c, 1000, density, &plan, 0.2, 8, 0.05, 0.5);
}

static void is_the_lowest(void **state)
{
  (void)state;
  const struct skin_costs c = {14, 0.3, 0.3, 175, 0.7, 0.01};
  const double skin = cheapest(&c);
  assert_true(skin > 0.06 && skin < 0.49);
  for (double other = 0.05; other < 0.5; other += 0.01)
    assert_true(cost(&c, skin) <= cost(&c, other) + 1e-9);
}

static void follows_the_costs(void **state)
{
  (void)state;
  const struct skin_costs c = {14, 0.3, 0.3, 175, 0.7, 0.01};
  struct skin_costs builds = c, entries = c;
  builds.build *= 2;
  entries.step_entry *= 2;
  assert_true(cheapest(&builds) > cheapest(&c));
  assert_true(cheapest(&entries) < cheapest(&c));
}

static void stays_within_its_limits(void **state)
{
  (void)state;
  const struct skin_costs builds = {0, 0, 1e-9, 1, 0, 0}, entries = {0, 0, 1, 1e-9, 0, 0};
  assert_float_equal(cheapest(&builds), 0.5, 1e-12);
  assert_float_equal(cheapest(&entries), 0.05, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_the_lowest),
      cmocka_unit_test(follows_the_costs),
      cmocka_unit_test(stays_within_its_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
