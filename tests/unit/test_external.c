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

/* Numbers at random in (low, high). */
static double random_between(double low, double high)
{
  return low + 0.5 * (random_number() + 1) * (high - low);
}

static const struct external_map no_map;
/* The map of beads of all tests: periodic along x and y, with an end along z. */
enum { POINTS = 6 * 5 * 7 };
static double coefficient[POINTS];
static const struct external_map map = {
    {6, 5, 7}, {1, 1, 0}, {0.3, -0.2, 5.2}, {1.0 / 6, 1.0 / 5, 0.5}, coefficient, 0};

static int fill_map(void **state)
{
  (void)state;
  for (int k = 0; k < POINTS; k++)
    coefficient[k] = 50 * random_number();
  return 0;
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
  b.map = &map;
  b.c6 = random_between(0, 0.1);
  b.c12 = random_between(0, 0.003);
  if (external_parameter(form, "low") >= 0) { /* Lennard-Jones: 0.4 nm from planes, or more */
    const double near = external_parameter(form, "epsilon") >= 0 ? 0.08 : -0.08;
    const int axis = (int)value[0];
    b.place[axis] = random_between(value[1] + near, value[2] - near);
    b.place[axis] -= floor(b.place[axis]);
    b.r[axis] = (b.place[axis] + 1) * b.box[axis];
  }
  return b;
}

static void random_values(int form, double *value)
{
  const struct form_parameter *p = external_form_info[form].parameter;
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    value[k] = 0.5;
  for (int k = 0; p[k].name; k++) {
    value[k] = random_between(fmax(p[k].low, -20), fmin(p[k].high, 20));
    if (strchr(p[k].unit, '|')) value[k] = floor(random_between(p[k].low, p[k].high + 1));
    if (strcmp(p[k].unit, "nm") == 0) value[k] = random_between(fmax(p[k].low, 0.3), 0.45);
    if (strcmp(p[k].name, "low") == 0) value[k] = random_between(0, 0.1);
    if (strcmp(p[k].name, "high") == 0) value[k] = random_between(0.8, 1);
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
    struct external_bead b = random_bead(form, value);
    b.c6 = b.c12 = 0;
    b.map = &no_map;
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
        const double w = external_virial(&v, k, k);
        largest = fmax(largest, fabs(w));
        if (counts && (form != EXTERNAL_map || map.fills[k]))
          assert_slope(form, value, &b, w, widen, k);
      }
    }
    assert_int_equal(largest > 1, counts);
  }
}

static void nearest_image(void **state)
{
  (void)state;
  const double value[EXTERNAL_PARAMETERS_MOST] = {0, 0, 10, 0.5, 0.5, 0.95};
  const struct external_bead b = {.box = {4, 4, 4}, .place = {0, 0, 0.05}, .r = {0, 0, 0.2}};
  const struct external_value v = external_evaluate(EXTERNAL_restraint, value, &b);
  assert_true(fabs(v.f[2] + 10 * 0.4) < 1e-9 && fabs(v.u - 0.5 * 10 * 0.4 * 0.4) < 1e-9);
  assert_true(v.f[0] == 0 && v.f[1] == 0);
}

/* Planes at 0.2 and 1.1 of an edge of 5 nm: what is between 0.1 and 0.2 is behind one of them. */
static void planes(void **state)
{
  (void)state;
  const double value[EXTERNAL_PARAMETERS_MOST] = {1, 0.2, 1.1, 0, 100};
  const double at[] = {0.21, 0.9, 0.05, 0.13, 0.16}, want[] = {0, 0, 0, -15, 20};
  for (int k = 0; k < 5; k++) {
    const struct external_bead b = {.box = {4, 5, 6}, .place = {0.13, at[k], 0.13}};
    const struct external_value v = external_evaluate(EXTERNAL_wall_harmonic, value, &b);
    assert_true(fabs(v.f[1] - want[k]) < 1e-9 && v.f[0] == 0 && v.f[2] == 0);
    assert_true(fabs(v.u - want[k] * want[k] / 200) < 1e-9);
    double one[EXTERNAL_PARAMETERS_MOST];
    memcpy(one, value, sizeof one);
    for (one[3] = 1; one[3] <= 2; one[3]++) /* only the plane that it is behind acts */
      assert_true(external_evaluate(EXTERNAL_wall_harmonic, one, &b).f[1] ==
                  ((one[3] == 1) == (v.f[1] > 0) ? v.f[1] : 0));
  }
}

/* Up to `linear` from a plane the force stays; at the plane it is infinite without. */
static void linear(void **state)
{
  (void)state;
  for (int form = EXTERNAL_wall_9_3; form <= (int)EXTERNAL_wall_12_6; form++) {
    double value[EXTERNAL_PARAMETERS_MOST] = {2, 0, 0.5, 0, 1, 0.5, 0, 0.4, 2};
    struct external_bead b = {.box = {4, 4, 4}, .place = {0, 0, 0.1}};
    const struct external_value at = external_evaluate(form, value, &b);
    b.place[2] = 0.95;
    const struct external_value behind = external_evaluate(form, value, &b);
    assert_true(at.f[2] > 1 && fabs(behind.f[2] - at.f[2]) < 1e-2 * at.f[2]);
    assert_true(fabs(behind.u - at.u - 0.6 * at.f[2]) < 1e-2 * at.f[2]);
    value[7] = 0;
    assert_true(external_evaluate(form, value, &b).u > 1e300);
  }
}

/* Ramps, waves and pulses of a field in time. */
static void times(void **state)
{
  (void)state;
  double value[EXTERNAL_PARAMETERS_MOST];
  struct ramp ramp[EXTERNAL_PARAMETERS_MOST];
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    ramp[k] = ramp_constant(k == 2 ? 7 : 0);
  external_values_at(EXTERNAL_electric, ramp, 123.4, value);
  assert_true(value[2] == 7);
  ramp[3] = ramp_constant(0.5); /* omega */
  ramp[4] = ramp_constant(90);
  external_values_at(EXTERNAL_electric, ramp, 3, value);
  assert_true(fabs(value[2] + 7 * sin(1.5)) < 1e-12 && value[0] == 0);
  ramp[5] = ramp_constant(2); /* t0 */
  ramp[6] = ramp_constant(3); /* sigma */
  external_values_at(EXTERNAL_voltage, ramp, 3, value);
  assert_true(fabs(value[2] + 7 * sin(0.5) * exp(-1.0 / 18)) < 1e-12);
  const struct ramp rise = {2, 0, {10, 20}, {1, 3}};
  ramp[1] = rise;
  external_values_at(EXTERNAL_force, ramp, 15, value);
  assert_true(value[1] == 2);
}

/* A ramp that goes through these values at steps 9, 10 and 11 of 0.5 ps. */
static void ramps_through(struct external_moment *want, int form, struct ramp *ramp)
{
  for (int t = 0; t < EXTERNAL_TIMES; t++)
    random_values(form, want->value[t]);
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++) {
    const int turns = form == EXTERNAL_electric || form == EXTERNAL_voltage;
    struct ramp r = {3, 0, {4.5, 5, 5.5}, {0, 0, 0}};
    for (int t = 0; t < EXTERNAL_TIMES; t++) {
      if (k > 2 && turns) want->value[t][k] = 0; /* no wave */
      r.value[t] = want->value[t][k];
    }
    ramp[k] = r;
  }
}

/* Of every form: half of the change of the energy from the step before, and half of that to the
   next one. */
static void work(void **state)
{
  (void)state;
  const struct clock clock = {.origin_step = 4, .origin_time = 2};
  for (int form = 0; form < EXTERNALS; form++) {
    struct external_moment want, m;
    struct ramp ramp[EXTERNAL_PARAMETERS_MOST];
    double largest = 0;
    for (int n = 0; n < SHAPES; n++) {
      struct external_work w = {{0}, {0}, 0}, after, again;
      ramps_through(&want, form, ramp);
      external_moment_set(&m, form, ramp, &clock, 10, 0.5);
      assert_memory_equal(m.value, want.value, sizeof m.value);
      assert_true(m.changes);
      const struct external_bead b = random_bead(form, m.value[EXTERNAL_NOW]);
      double u[EXTERNAL_TIMES];
      for (int t = 0; t < EXTERNAL_TIMES; t++)
        u[t] = external_evaluate(form, m.value[t], &b).u;
      external_work_add(&w, EXTERNAL_ALL, form, &m, &b, u[1]);
      external_work_add(&w, EXTERNAL_ALL, form, &m, &b, u[1]);
      assert_true(fabs(sum_wide(w.done, WORK_BITS) - (u[1] - u[0])) < 1e-9 * (1 + fabs(u[1])));
      external_work_begin(&w, &after);
      external_work_begin(&w, &again);
      assert_memory_equal(&after, &again, sizeof after);
      assert_true(fabs(sum_wide(after.done, WORK_BITS) - (u[2] - u[0])) < 1e-9 * (1 + fabs(u[2])));
      assert_true(after.next[0] == 0 && after.next[1] == 0 && after.overflow == 0);
      largest = fmax(largest, fabs(u[2] - u[0]));
    }
    assert_true(largest > 1);
  }
}

/* Nothing is added where no value changes; what is not finite is counted. */
static void work_ends(void **state)
{
  (void)state;
  const struct clock clock = {0};
  struct ramp ramp[EXTERNAL_PARAMETERS_MOST];
  struct external_moment m;
  struct external_work w = {{0}, {0}, 0};
  const struct external_bead b = {.box = {4, 4, 4}, .place = {0.25, 0.25, 0.25}};
  const double value[EXTERNAL_PARAMETERS_MOST] = {2, 0.2, 0.9, 0, 1, 0.5, 0, 0, 1};
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    ramp[k] = ramp_constant(value[k]);
  const struct ramp low = {2, 0, {0, 1}, {0.2, 0.3}};
  ramp[1] = low;
  external_moment_set(&m, EXTERNAL_wall_9_3, ramp, &clock, 12, 0.1);
  assert_false(m.changes);
  external_work_add(&w, EXTERNAL_ALL, EXTERNAL_wall_9_3, &m, &b, HUGE_VAL);
  assert_true(w.done[0] == 0 && w.overflow == 0);
  external_moment_set(&m, EXTERNAL_wall_9_3, ramp, &clock, 10, 0.1); /* the plane has passed it */
  external_work_add(&w, EXTERNAL_ALL, EXTERNAL_wall_9_3, &m, &b, HUGE_VAL);
  assert_int_equal(w.overflow, 2);
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
      cmocka_unit_test(nearest_image), cmocka_unit_test(ranges),  cmocka_unit_test(planes),
      cmocka_unit_test(linear),        cmocka_unit_test(times),   cmocka_unit_test(work),
      cmocka_unit_test(work_ends),
  };
  return cmocka_run_group_tests(tests, fill_map, NULL);
}
