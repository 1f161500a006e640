/* Hosts that run ahead: the schedule with a backend that does nothing once the lists have ended and
   couples by itself, as a GPU does, and ranks that agree on it, against the plain schedule: the
   same states, reports and builds. */
#include "tests/support/ahead.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "input/param.h"
#include "md/neighbor.h"
#include "md/observers.h"
#include "md/run.h"
#include "md/simulation.h"
#include "md/snapshot.h"
#include "tests/support/death.h"
#include "tests/support/sample.h"

enum { WATERS = 512, STEPS = 130, REPORT = 20 };

/* Waters on a lattice. */
static struct system *start(void)
{
  struct system *y = sample_system(&ranks, 0, WATERS);
  for (int64_t k = 0; k < y->n; k++) {
    int64_t m = y->first + k - 1;
    const double part[3] = {(double)(m % 8), (double)(m / 8 % 8), (double)(m / 64)};
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = (part[d] / 8 - 0.45) * y->box[d];
    system_set_position(y, k, x);
  }
  y->clock.step = 0;
  y->lists.step = -1;
  return y;
}

struct trace {
  struct system *end;
  double potential[STEPS / REPORT + 1], pressure[STEPS / REPORT + 1];
};

/* What is set beside the common; does one rank begin several steps at once? */
enum { SET = 6 };
struct way {
  char set[SET][40];
  int graphs;
};

static struct sim *begin(const struct way *way, const char *list, struct params **p,
                         struct system *y)
{
  char observe[400], text[SET + 4][40] = {"parallel.backend=cpu", "neighbor.skin=0.15",
                                          "output.energies_every=20"};
  char *settings[SET + 5];
  int n = 4;
  snprintf(text[3], sizeof text[3], "run.steps=%d", STEPS);
  for (int k = 0; k < SET && way->set[k][0]; k++)
    memcpy(text[n++], way->set[k], sizeof text[0]);
  for (int k = 0; k < n; k++)
    settings[k] = text[k];
  snprintf(observe, sizeof observe, "observe=%s", list);
  settings[n++] = observe;
  *p = params_load(NULL, n, settings);
  return sim_create(&ranks, *p, y, SIM_RUN);
}

static struct trace walk(const struct way *how, enum mode mode)
{
  struct trace t;
  struct params *p;
  memset(&t, 0, sizeof t);
  struct sim *s = begin(how, "[]", &p, t.end = start());
  if (mode == PLAIN)
    put_plain(s);
  else
    put_ahead(s, mode);
  while (t.end->clock.step < STEPS) {
    run_advance(s);
    if (t.end->clock.step % REPORT) continue;
    AGREE(&ranks, !s->in_flight);
    t.potential[t.end->clock.step / REPORT] = s->thermo.potential;
    t.pressure[t.end->clock.step / REPORT] = tensor_trace(s->thermo.pressure);
  }
  AGREE(&ranks, !s->in_flight && t.end->clock.step == STEPS && t.end->run.builds > 3);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  return t;
}

static int states_agree(struct system *a, struct system *b)
{
  int good = a->run.builds == b->run.builds && a->lists.step == b->lists.step &&
             !memcmp(a->box, b->box, sizeof a->box) &&
             a->run.conserved_work == b->run.conserved_work;
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & STATE)
      good &= !memcmp(*beads_field(&a->beads, f), *beads_field(&b->beads, f),
                      (size_t)a->n * (size_t)(field_info[f].components * field_info[f].bytes));
  return good;
}

static const struct way ways[] = {
    {{"thermostat.type=none", "parallel.graph=yes"}, 1},
    {{"thermostat.type=langevin", "parallel.graph=yes"}, 1},
    {{"thermostat.type=langevin", "parallel.graph=no"}, 0},
    {{"thermostat.type=bussi", "run.momentum_every=30"}, 1},
    {{"thermostat.type=bussi", "barostat.type=crescale"}, 1},
    {{"thermostat.type=berendsen", "thermostat.every=4", "barostat.type=berendsen",
      "barostat.every=6", "barostat.coupling=anisotropic", "run.momentum_every=7"},
     1},
    {{"thermostat.type=langevin", "barostat.type=crescale", "barostat.every=1", "barostat.tau=0.5"},
     1},
};

/* Is a mode tried with the case of this number? Each with each on up to two ranks; one of the two
   in turn on more, where only the messages are others. */
static int is_tried(enum mode mode, int number)
{
  return ranks.size <= 2 || (int)mode == AHEAD + number % 2;
}

static void ahead_is_not_else(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    struct trace plain = walk(&ways[k], PLAIN);
    for (enum mode mode = AHEAD; mode < MODES; mode++) {
      if (!is_tried(mode, (int)k)) continue;
      struct trace ahead = walk(&ways[k], mode);
      AGREE(&ranks, states_agree(plain.end, ahead.end));
      AGREE(&ranks, !memcmp(plain.potential, ahead.potential, sizeof plain.potential));
      AGREE(&ranks, !memcmp(plain.pressure, ahead.pressure, sizeof plain.pressure));
      AGREE(&ranks, device.backs > 3);
      AGREE(&ranks, (device.replays > 3) == (ranks.size == 1 && ways[k].graphs && mode != PROMPT));
      AGREE(&ranks, (device.couplings > 3) == (k > 2));
      AGREE(&ranks, (device.resumed > 3) == (ranks.size == 1 && mode == RESUME));
      system_destroy(ahead.end);
    }
    system_destroy(plain.end);
  }
}

/* Sums that do not fit, found by the device while the host runs ahead: the end, in the same words
   and with the same step as elsewhere. */
static void break_down(void *argument)
{
  struct params *p;
  struct system *y = start();
  struct sim *s = begin(&ways[4], "[]", &p, y);
  (void)argument;
  log_open(0, 1, NULL); /* MPI cannot end a child */
  put_ahead(s, AHEAD);
  device.broken = 71;
  while (y->clock.step < STEPS)
    run_advance(s);
}

static void sums_that_do_not_fit_end_it(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* no child may use MPI with others */
  assert_true(dies_saying(break_down, NULL, STATUS_NUMERIC,
                          "step 71: energies or virials are not finite or too large (3 addends"));
}

/* A state whose sums lead to a coupling, and may not fit, is not saved before they are looked at;
   elsewhere the host leaves them on the device. */
static void sums_are_seen_before_files(void **state)
{
  (void)state;
  const struct way way = {{"thermostat.type=bussi", "thermostat.every=10",
                           "output.checkpoint_every=25", "output.energies_every=0"},
                          0};
  struct params *p;
  struct system *y = start();
  struct sim *s = begin(&way, "[]", &p, y);
  put_ahead(s, AHEAD);
  while (y->clock.step < STEPS) {
    run_advance(s);
    if (s->in_flight || y->clock.step % 10) continue;
    AGREE(&ranks, (device.observed == y->clock.step) ==
                      (y->clock.step % 50 == 0 || y->clock.step == STEPS));
  }
  AGREE(&ranks, device.couplings == STEPS / 10 - 1);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  system_destroy(y);
}

/* Is the state looked at after each move of the box, and only then? */
static int barostats_are_seen(const char *skin)
{
  struct way way = {{"barostat.type=crescale", "barostat.every=7", "output.energies_every=0"}, 0};
  struct params *p;
  struct system *y = start();
  int all = 1;
  snprintf(way.set[3], sizeof way.set[3], "neighbor.skin=%s", skin);
  struct sim *s = begin(&way, "[]", &p, y);
  put_ahead(s, AHEAD);
  while (y->clock.step < STEPS) {
    run_advance(s);
    if (y->clock.step > 50) continue; /* lists end later */
    assert_true(y->clock.step % 7 <= 1 || s->in_flight);
    if (y->clock.step % 7 <= 1) all &= !s->in_flight;
  }
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  system_destroy(y);
  return all;
}

static void tight_boxes_are_looked_at(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* slabs would be too thin for the wider skin */
  assert_false(barostats_are_seen("1.2"));
  assert_true(barostats_are_seen("1.4"));
}

/* Samples that rank 0 takes later are those that it takes at once: what checkpoints and frames hold
   of them at any step. */
static const char *const lists[] = {
    "[{density: {every: 1, bins: 20, frames: yes}}, {msd: {every: 5}}]",
    "[{density: {every: 3, bins: 20}}, {potential: {every: 7, bins: 9}}, {rotation: {every: 3}}, "
    "{rdf: {every: 6, pairs: [[W, W]], range: 1, bins: 20}}, "
    "{temperature: {every: 4, frames: yes}}]",
    "[{pressure: {every: 19, bins: 11, frames: yes}}, {density: {every: 13, bins: 5}}]"};
enum { LISTS = sizeof lists / sizeof lists[0], VALUES = 256 };

static uint64_t mixed(uint64_t before, const double *value, int64_t n)
{
  uint64_t word;
  for (int64_t k = 0; k < n; k++) {
    memcpy(&word, &value[k], sizeof word);
    before = (before ^ word) * UINT64_C(1099511628211);
  }
  return before;
}

/* Of what a frame holds, mixed with what was there before; on rank 0. */
static uint64_t held_by_frame(const struct sim *s, uint64_t all)
{
  double value[VALUES] = {0};
  sampling_catch_up(s, 0);
  if (ranks.rank == 0) measured_frames_values(s->measured, value);
  return mixed(all, value, VALUES);
}

/* The same of a checkpoint. */
static uint64_t held_by_checkpoint(const struct sim *s, uint64_t all)
{
  struct run_record saved = {0};
  sampling_catch_up(s, 0);
  measured_save(s->measured, s->ranks, &saved);
  for (int k = 0; k < saved.n_accumulated && ranks.rank == 0; k++)
    all = mixed(all, saved.accumulated[k].data, saved.accumulated[k].n);
  run_record_free(&saved);
  return all;
}

/* A frame or a checkpoint, two steps each in turn, so that neither finds the samples that the other
   has waited for; both at the last step. */
static uint64_t held(const struct sim *s, int64_t step)
{
  uint64_t all = 1;
  if (step == STEPS || step / 2 % 2 == 0) all = held_by_frame(s, all);
  if (step == STEPS || step / 2 % 2 == 1) all = held_by_checkpoint(s, all);
  return all;
}

/* Sets all[step] at the multiples of so many steps at which the state is complete, and at the last.
 */
static void sample(const struct way *how, int list, enum mode mode, int every,
                   uint64_t all[STEPS + 1])
{
  struct params *p;
  struct system *y = start();
  struct sim *s = begin(how, lists[list], &p, y);
  if (mode == PLAIN)
    put_plain(s);
  else
    put_ahead(s, mode);
  sampling_now(s);
  memset(all, 0, (STEPS + 1) * sizeof *all);
  while (y->clock.step < STEPS) {
    run_advance(s);
    if (!s->in_flight && (y->clock.step % every == 0 || y->clock.step == STEPS))
      all[y->clock.step] = held(s, y->clock.step);
  }
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  system_destroy(y);
}

/* Each list in each way, in one of the modes: any two of list, way and mode meet. */
static void samples_taken_later_are_the_same(void **state)
{
  static const int way[] = {0, 2, 5};
  uint64_t plain[STEPS + 1], ahead[STEPS + 1];
  (void)state;
  for (int w = 0; w < 3; w++)
    for (int l = 0; l < LISTS; l++) {
      sample(&ways[way[w]], l, PLAIN, 1, plain);
      for (enum mode mode = AHEAD; mode < MODES; mode++) {
        if ((int)mode != AHEAD + (w + l) % 3) continue;
        sample(&ways[way[w]], l, mode, mode == PROMPT ? 6 : 1, ahead);
        for (int k = 0; k <= STEPS; k++)
          AGREE(&ranks, !ahead[k] || ahead[k] == plain[k]);
        AGREE(&ranks, ahead[STEPS] != 0);
      }
    }
}

/* The same state one step on, at the step of this number. */
static struct system *step_from(int64_t number)
{
  const struct way langevin = {{"thermostat.type=langevin"}, 0};
  struct params *p;
  struct system *y = start();
  y->clock.step = number;
  struct sim *s = begin(&langevin, "[]", &p, y);
  run_advance(s);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  return y;
}

/* The noise of Langevin dynamics is a function of the whole number of the step. */
static void noise_does_not_repeat(void **state)
{
  (void)state;
  const int64_t number[] = {1, 2, 101, 1001, 1025, 65537, 1 + (INT64_C(1) << 32)};
  const size_t n = sizeof number / sizeof number[0];
  struct system *one = step_from(1);
  for (size_t k = 0; k < n; k++) {
    struct system *other = step_from(number[k]);
    const size_t bytes = 3 * (size_t)one->n * sizeof *one->beads.momentum;
    AGREE(&ranks, other->n == one->n);
    AGREE(&ranks, (k == 0) == !memcmp(one->beads.momentum, other->beads.momentum, bytes));
    system_destroy(other);
  }
  system_destroy(one);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ahead_is_not_else),
                                     cmocka_unit_test(sums_that_do_not_fit_end_it),
                                     cmocka_unit_test(sums_are_seen_before_files),
                                     cmocka_unit_test(samples_taken_later_are_the_same),
                                     cmocka_unit_test(tight_boxes_are_looked_at),
                                     cmocka_unit_test(noise_does_not_repeat)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
