/* Every form of external field: force and torque are the slopes of the energy, a field without
   parameters exerts none, and what counts in the virial is the slope by the box. Ranges of ids. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "pair/external_body.h"
#include "tests/support/unit.h"

enum { SHAPES = 200 };

/* Numbers at random in (-1, 1), by a count that goes on. */
static double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(7, count++, 0, RNG_BUILD).word[0] + 0.5) / 2147483648.0 - 1;
}

/* The place of a field along an axis, fraction of the box: its parameter x, y or z of unit box;
   without one the middle. */
static double place_of(int form, const double *value, int axis)
{
  const struct form_parameter *p = external_form_info[form].parameter;
  for (int k = 0; p[k].name; k++)
    if (strcmp(p[k].unit, "box") == 0 && p[k].name[0] == "xyz"[axis] && !p[k].name[1])
      return value[k];
  return 0.5;
}

/* A bead in the second image along each edge, away from where the nearest image changes. */
static struct external_bead random_bead(int form, const double *value)
{
  struct external_bead b;
  memset(&b, 0, sizeof b);
  for (int k = 0; k < 3; k++) {
    b.box[k] = 5 + k;
    b.place[k] = place_of(form, value, k) + 0.4 * random_number();
    b.place[k] -= floor(b.place[k]);
    b.r[k] = (b.place[k] + 1) * b.box[k];
    b.dipole[k] = random_number();
  }
  b.charge = random_number();
  return b;
}

static void random_values(int form, double *value)
{
  const struct form_parameter *p = external_form_info[form].parameter;
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    value[k] = 0.5;
  for (int k = 0; p[k].name; k++) {
    const double low = fmax(p[k].low, -20), high = fmin(p[k].high, 20);
    value[k] = low + 0.5 * (random_number() + 1) * (high - low);
  }
}

static void move(struct external_bead *b, int k, double by)
{
  b->place[k] += by / b->box[k];
  b->r[k] += by;
}

/* Turns the dipole by a small angle about axis k. */
static void turn(struct external_bead *b, int k, double angle)
{
  const int l = (k + 1) % 3, m = (k + 2) % 3;
  const double x = b->dipole[l], y = b->dipole[m];
  b->dipole[l] = x * cos(angle) - y * sin(angle);
  b->dipole[m] = x * sin(angle) + y * cos(angle);
}

static void assert_slope(int form, const double *value, const struct external_bead *at, double want,
                         void (*change)(struct external_bead *, int, double), int k)
{
  const double h = 1e-5;
  struct external_bead up = *at, down = *at;
  change(&up, k, h);
  change(&down, k, -h);
  const double slope =
      (external_evaluate(form, value, &up).u - external_evaluate(form, value, &down).u) / (2 * h);
  assert_true(fabs(slope + want) < 1e-6 * (1000 + fabs(want)));
}

static void slopes(void **state)
{
  (void)state;
  for (int form = 0; form < EXTERNALS; form++) {
    double largest = 0;
    for (int n = 0; n < SHAPES; n++) {
      double value[EXTERNAL_PARAMETERS_MOST];
      random_values(form, value);
      const struct external_bead b = random_bead(form, value);
      const struct external_value v = external_evaluate(form, value, &b);
      for (int k = 0; k < 3; k++) {
        assert_slope(form, value, &b, v.f[k], move, k);
        assert_slope(form, value, &b, v.t[k], turn, k);
        largest = fmax(largest, fabs(v.f[k]));
      }
    }
    assert_true(largest > 1);
  }
}

/* A field of the default values does nothing: users set what differs from it. */
static void presets(void **state)
{
  (void)state;
  for (int form = 0; form < EXTERNALS; form++) {
    const struct form_parameter *p = external_form_info[form].parameter;
    double value[EXTERNAL_PARAMETERS_MOST] = {0};
    int n = 0;
    for (; p[n].name; n++)
      value[n] = p[n].preset;
    assert_in_range(n, 1, EXTERNAL_PARAMETERS_MOST);
    const struct external_bead b = random_bead(form, value);
    const struct external_value v = external_evaluate(form, value, &b);
    assert_true(v.u == 0 && v.f[0] == 0 && v.f[1] == 0 && v.f[2] == 0);
  }
}

/* Stretches an edge of the box, and with it the place of the bead. */
static void widen(struct external_bead *b, int k, double by)
{
  b->box[k] *= 1 + by;
  b->r[k] *= 1 + by;
}

/* What counts in the virial is the slope of the energy by the box. Forms that belong to something
   fixed outside the box do not count: their arm is 0. */
static void virial(void **state)
{
  (void)state;
  for (int form = 0; form < EXTERNALS; form++) {
    const int counts = form != EXTERNAL_force && form != EXTERNAL_electric;
    double largest = 0;
    for (int n = 0; n < SHAPES; n++) {
      double value[EXTERNAL_PARAMETERS_MOST];
      random_values(form, value);
      const struct external_bead b = random_bead(form, value);
      const struct external_value v = external_evaluate(form, value, &b);
      for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fabs(v.arm[k] * v.f[k]));
        if (counts) assert_slope(form, value, &b, v.arm[k] * v.f[k], widen, k);
      }
    }
    assert_int_equal(largest > 1, counts);
  }
}

static void nearest_image(void **state)
{
  (void)state;
  const double value[EXTERNAL_PARAMETERS_MOST] = {0, 0, 10, 0.5, 0.5, 0.95};
  struct external_bead b = {{4, 4, 4}, {0, 0, 0.05}, {0, 0, 0.2}, 0, {0, 0, 0}};
  const struct external_value v = external_evaluate(EXTERNAL_restraint, value, &b);
  assert_true(fabs(v.f[2] + 10 * 0.4) < 1e-9 && fabs(v.u - 0.5 * 10 * 0.4 * 0.4) < 1e-9);
  assert_true(v.f[0] == 0 && v.f[1] == 0);
}

static void ranges(void **state)
{
  (void)state;
  const int64_t range[3][2] = {{2, 4}, {7, 7}, {10, INT64_C(1) << 33}};
  const int64_t in[] = {2, 3, 4, 7, 10, 11, INT64_C(1) << 33};
  const int64_t out[] = {1, 5, 6, 8, 9, (INT64_C(1) << 33) + 1};
  for (size_t k = 0; k < sizeof in / sizeof in[0]; k++)
    assert_true(ranges_have(range, 3, in[k]));
  for (size_t k = 0; k < sizeof out / sizeof out[0]; k++)
    assert_false(ranges_have(range, 3, out[k]));
  assert_false(ranges_have(range, 0, 2));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes),        cmocka_unit_test(presets), cmocka_unit_test(virial),
      cmocka_unit_test(nearest_image), cmocka_unit_test(ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
