/* Positions as fixed-point fractions, blocks of ids, starting momenta; clock, record and copies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "input/forcefield_file.h"
#include "model/forcefield.h"
#include "model/system.h"
#include "tests/support/unit.h"

static struct system *box_of(int64_t n, int rank, int size)
{
  struct system *s = system_create(n, rank, size, forcefield_load("elba"));
  const double box[BOX] = {6.4, 1.0 / 3, 123.456};
  memcpy(s->box, box, sizeof box);
  return s;
}

static void round_trip(void **state)
{
  (void)state;
  struct system *s = box_of(1, 0, 1);
  const double edge[] = {0, 0.1, 0.5, 0.999999999999, 1, 1.5, -0.25, -1, 17.75, -33.3};
  for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) {
    double x[3], unwrapped[3], inside[3];
    for (int d = 0; d < 3; d++)
      x[d] = edge[k] * s->box[d];
    system_set_position(s, 0, x);
    system_get_position(s, 0, 1, unwrapped);
    system_get_position(s, 0, 0, inside);
    for (int d = 0; d < 3; d++) {
      assert_true(fabs(unwrapped[d] - x[d]) <= 4e-16 * fabs(x[d]) + 1e-17);
      assert_true(inside[d] >= 0 && inside[d] < s->box[d]);
      double boxes = (unwrapped[d] - inside[d]) / s->box[d];
      assert_true(fabs(boxes - round(boxes)) < 1e-13);
    }
  }
  system_destroy(s);
}

static void known_words(void **state)
{
  (void)state;
  struct system *s = box_of(1, 0, 1);
  double x[3] = {6, -1e-30, ldexp(128, -40)};
  s->box[0] = 8;
  s->box[2] = 128;
  system_set_position(s, 0, x);
  assert_int_equal((uint32_t)s->beads.position[0], 0xC0000000u);
  assert_int_equal(s->beads.residual[0], 0);
  assert_int_equal(s->beads.image[0], 0);
  /* Less than nothing by less than can be held is nothing, in the same image. */
  assert_int_equal(s->beads.position[1], 0);
  assert_int_equal(s->beads.image[1], 0);
  assert_int_equal(s->beads.position[2], 0);
  assert_int_equal(s->beads.residual[2], 1u << 24);
  system_destroy(s);
}

static void blocks(void **state)
{
  (void)state;
  const int64_t totals[] = {1, 5, 6, 7, 1000003};
  for (size_t k = 0; k < sizeof totals / sizeof *totals; k++)
    for (int size = 1; size <= 7; size++) {
      assert_int_equal(system_first(totals[k], 0, size), 1);
      assert_int_equal(system_first(totals[k], size, size), totals[k] + 1);
      for (int rank = 0; rank < size; rank++) {
        int64_t n = system_first(totals[k], rank + 1, size) - system_first(totals[k], rank, size);
        assert_true(n == totals[k] / size || n == totals[k] / size + 1);
      }
    }
}

static void empty_system(void **state)
{
  (void)state;
  struct system *s = box_of(5, 1, 2);
  assert_int_equal(s->first, 4);
  assert_int_equal(s->n, 2);
  assert_int_equal(s->lists.step, -1);
  for (int k = 0; k < 2; k++) {
    assert_true(s->beads.orientation[4 * k] == 1 && s->beads.orientation[4 * k + 3] == 0);
    assert_int_equal(s->beads.bonded_env[k], -1);
    assert_int_equal(s->beads.molecule_type[k], -1);
    assert_int_equal(s->beads.molecule[k], 0);
  }
  system_destroy(s);
  struct system *none = box_of(1, 1, 2);
  assert_int_equal(none->n, 0);
  system_destroy(none);
}

static void growth(void **state)
{
  (void)state;
  struct beads b = {0};
  beads_reserve(&b, MIGRATE, 0, 3);
  assert_null(b.molecule);
  b.momentum[8] = 5;
  beads_reserve(&b, MIGRATE, 3, 1000);
  assert_true(b.momentum[8] == 5);
  for (int k = 9; k < 3000; k++)
    assert_true(b.momentum[k] == 0);
  assert_ptr_equal(*beads_field(&b, FIELD_type), b.type);
  assert_string_equal(field_info[FIELD_momentum].unit, "amu nm ps-1");
  assert_int_equal(field_info[FIELD_residual].datatype, 'u');
  assert_int_equal(field_info[FIELD_orientation].bytes, 8);
  beads_free(&b);
  assert_null(b.momentum);
}

static void temperature(void **state)
{
  (void)state;
  enum { N = 40000 };
  struct system *s = box_of(N, 0, 1), *part = box_of(N, 2, 3);
  int water = forcefield_type(s->ff, "W");
  assert_true(water >= 0);
  s->clock.seed = part->clock.seed = 99;
  for (int64_t k = 0; k < s->n; k++)
    s->beads.type[k] = water;
  for (int64_t k = 0; k < part->n; k++)
    part->beads.type[k] = water;
  system_thermalise(s, 303);
  system_thermalise(part, 303);
  const struct ff_type *type = &s->ff->type[water];
  double move = 0, turn = 0, mixed = 0, spin[3] = {0};
  for (int64_t k = 0; k < s->n; k++)
    for (int d = 0; d < 3; d++) {
      double p = s->beads.momentum[3 * k + d], l = s->beads.angular_momentum[3 * k + d];
      move += p * p / type->mass;
      if (type->inertia[d] > 0) turn += l * l / type->inertia[d];
      mixed += p * l;
      spin[d] += fabs(l);
    }
  double kt = UNITS_BOLTZMANN * 303;
  assert_true(fabs(move / (3 * N * kt) - 1) < 5 * sqrt(2.0 / (3 * N)));
  assert_true(fabs(turn / (2 * N * kt) - 1) < 5 * sqrt(2.0 / (2 * N)));
  assert_true(fabs(mixed) < 5 * sqrt(2.0 * N * type->mass * type->inertia[0]) * kt);
  assert_true(spin[0] > 0 && spin[2] == 0);
  /* A block of another rank has the same beads. */
  assert_memory_equal(part->beads.momentum, &s->beads.momentum[3 * (part->first - 1)],
                      (size_t)part->n * 3 * sizeof(double));
  system_destroy(s);
  system_destroy(part);
}

/* Steps of two lengths, and back, as where the lists of steps that were submitted had expired. */
static void clock_goes(void **state)
{
  (void)state;
  struct clock c, stored;
  clock_begin(&c, 7);
  clock_advance(&c, 100, 0.01);
  assert_true(c.step == 100 && fabs(c.time - 1) < 1e-15 && c.seed == 7);
  clock_reset_origin(&c);
  clock_advance(&c, 150, 0.02);
  assert_true(c.step == 150 && fabs(c.time - 2) < 1e-15);
  clock_advance(&c, 125, 0.02);
  assert_true(c.step == 125 && fabs(c.time - 1.5) < 1e-15);
  stored = c;
  clock_begin(&c, 8);
  assert_true(c.step == 0 && c.time == 0 && c.origin_step == 0 && c.origin_time == 0);
  clock_restore(&c, &stored);
  clock_advance(&c, 150, 0.02);
  assert_true(c.seed == 7 && fabs(c.time - 2) < 1e-15);
}

/* Gives every value that a file of a state has one that depends on k. */
static void set_all(struct system *s, int k)
{
  const double box[BOX] = {3 + k, 4 + k, 5 + k};
  struct accumulated *a = calloc(1, sizeof *a);
  system_set_box(s, box);
  clock_set(&s->clock, 10 + k, 0.5 * k);
  list_build_take(&s->lists, 5 + k, box);
  list_build_set_skin(&s->lists, 0.1 * k);
  run_record_set_id(&s->run, k ? "b" : "a");
  run_record_set_input(&s->run, k ? "b.h5" : "a.h5", 11 + (uint64_t)k);
  run_record_add(&s->run, "line %d", k);
  run_record_count_build(&s->run);
  run_record_set_energy_line(&s->run, k ? "1," : "0,");
  run_record_set_accumulated(&s->run, 1, a);
  s->beads.momentum[0] = k;
  s->beads.type[0] = k;
}

/* A copy has what was there, whatever happens to the original afterwards or to its memory, and
   takes the rest of a later state but not the beads. */
static void copies(void **state)
{
  (void)state;
  struct system *s = box_of(3, 0, 1);
  topology_reserve(&s->topology, 1, 1, 0);
  set_all(s, 0);
  struct system *copy = system_copy(s);
  set_all(s, 1);
  assert_true(copy->n == 3 && copy->first == 1 && copy->n_total == 3 && copy->box[2] == 5);
  assert_true(copy->clock.step == 10 && copy->lists.step == 5 && copy->lists.skin == 0);
  assert_true(copy->run.builds == 1 && copy->run.input_hash == 11);
  assert_string_equal(copy->run.history, "line 0\n");
  assert_string_equal(copy->run.input, "a.h5");
  assert_string_equal(copy->run.energy_line, "0,");
  assert_true(copy->run.n_accumulated == 0 && !copy->run.accumulated);
  assert_true(copy->beads.momentum[0] == 0 && copy->beads.type[0] == 0);
  assert_true(copy->topology.n_envs == 1 && copy->topology.term_start != s->topology.term_start);
  system_copy_state(copy, s);
  assert_string_equal(copy->run.history, "line 0\nline 1\n");
  assert_string_equal(copy->run.id, "b");
  assert_int_equal(copy->run.builds, 2);
  assert_true(copy->clock.step == 11 && copy->box[2] == 6 && copy->beads.momentum[0] == 0);
  system_destroy(s);
  assert_string_equal(copy->run.input, "b.h5");
  assert_true(copy->ff->n_types > 0);
  system_destroy(copy);
}

/* A run begins: nothing is left of the one before but what computed the state. */
static void run_begins(void **state)
{
  (void)state;
  struct system *s = box_of(1, 0, 1);
  set_all(s, 1);
  run_record_set_kernel(&s->run, "cpu");
  run_record_set_work(&s->run, 3);
  run_record_begin(&s->run, "new.h5", 5);
  assert_true(s->run.input_hash == 5 && !s->run.history && !s->run.id[0] && !s->run.energy_line[0]);
  assert_true(s->run.builds == 0 && s->run.conserved_work == 0 && s->run.n_accumulated == 0);
  assert_string_equal(s->run.input, "new.h5");
  assert_string_equal(s->run.kernel, "cpu");
  system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),   cmocka_unit_test(known_words), cmocka_unit_test(blocks),
      cmocka_unit_test(empty_system), cmocka_unit_test(growth),      cmocka_unit_test(temperature),
      cmocka_unit_test(clock_goes),   cmocka_unit_test(copies),      cmocka_unit_test(run_begins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
