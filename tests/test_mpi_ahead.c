/* Hosts that run ahead: the schedule with a backend that does nothing once the lists have ended and
   couples by itself, as a GPU does, and ranks that agree on it, against the plain schedule: the
   same states, reports and builds. */
#include "agree.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "death.h"
#include "input/param.h"
#include "md/coupling.h"
#include "md/listcheck.h"
#include "md/neighbor.h"
#include "md/observer.h"
#include "md/simulation.h"
#include "md/snapshot.h"
#include "md/step.h"
#include "sample.h"

extern const struct backend_ops backend_cpu;
static struct ranks ranks;

enum { WATERS = 512, STEPS = 130, REPORT = 20 };

/* PROMPT: hosts are told in each step whether lists hold. ASKED: ranks do not agree by themselves,
   so that hosts ask in each step and add sums. */
enum mode { PLAIN, AHEAD, PROMPT, ASKED, MODES };

/* Of this rank; what a GPU would have in its memory. */
static struct {
  uint64_t ended, stopped;
  int idle, pending; /* the last move did nothing; something may have ended, and nobody looked */
  int told;          /* of what was found in the last step */
  int64_t backs, replays;
  int64_t learned, replayed; /* steps; 0: none */
  struct integrate_params move;
  struct sums sums;
  struct coupling_state now;
  int64_t couplings, broken; /* done; the step whose sums are said not to fit, or 0 */
  int64_t observed;          /* the last step whose sums the host took */
  int unseen;                /* the last one has not been looked at */
} device;

static void integrate_first_half(struct backend *b, const struct integrate_params *m)
{
  device.pending = 1;
  device.told = 0;
  device.idle = device.stopped != 0;
  assert_false(device.idle && b->early_notify && device.now.overflow == 0);
  if (device.idle) return;
  device.move = *m;
  if (m->coupled) device.move.scaling = device.now.scaling;
  backend_cpu.integrate_first_half(b, &device.move);
  if (!(backend_cpu.displacement2(b) <= device.now.rebuild_above2))
    *(m->reduce_expired ? &device.ended : &device.stopped) = (uint64_t)m->step + 1;
}

/* Of those beyond, any is said to have met another. */
static void search_unlisted(struct backend *b, double reach)
{
  (void)reach;
  if (device.stopped == 0 && !(backend_cpu.displacement2(b) <= device.now.search_above2))
    *(device.move.reduce_expired ? &device.ended : &device.stopped) =
        (uint64_t)device.move.step + 1;
}

static void force(struct backend *b, enum force_part part, int flags)
{
  if (device.stopped == 0) backend_cpu.force(b, part, flags);
}

static void kick(struct backend *b, double dt)
{
  if (device.stopped == 0) backend_cpu.integrate_second_half(b, dt);
}

static void set_box(struct backend *b, const struct coupling_state *now, const double build_box[3])
{
  assert_memory_equal(now->box, device.now.box, sizeof now->box);
  assert_true(now->work == device.now.work && !device.unseen);
  device.now = *now;
  backend_cpu.set_box(b, now, build_box);
}

static void cpu_sums_of(struct backend *b, struct sums *out)
{
  const struct bins what = {BINS_SUMS, (int)(sizeof *out / sizeof(int64_t)), NULL};
  backend_cpu.accumulate(b, &what, (int64_t *)out);
}

static struct sums *coupling_sums(struct backend *b)
{
  if (device.stopped == 0) cpu_sums_of(b, &device.sums);
  return &device.sums;
}

static void couple(struct backend *b, const struct coupling_params *how)
{
  (void)b;
  device.pending = 1;
  if (device.stopped) return;
  if (how->step == device.broken) device.sums.overflow = 3;
  couple_apply(how, &device.sums, &device.now);
  if (device.now.overflow) device.stopped = (uint64_t)how->step;
  device.couplings++;
  device.unseen = 1;
}

static void coupling_state(struct backend *b, struct coupling_state *now)
{
  (void)b;
  *now = device.now;
  device.pending = device.unseen = 0;
}

static int64_t drain(struct backend *b, struct sums *out)
{
  int64_t stopped = (int64_t)device.stopped;
  device.pending = 0;
  device.ended = device.stopped = 0;
  device.backs += stopped > 0;
  if (stopped > 0) return stopped;
  if (out) cpu_sums_of(b, out);
  if (out) device.observed = device.move.step + 1;
  return -1;
}

static void notify_host(struct backend *b)
{
  assert_true(b->early_notify);
  device.told = 1;
}

static int poll_expired(struct backend *b)
{
  assert_true(device.told == b->early_notify);
  return b->early_notify ? device.stopped != 0 : device.idle;
}

static int batch_begin(struct backend *b, const struct integrate_params *m, int64_t steps)
{
  (void)b;
  device.move = *m;
  device.replayed = device.learned;
  device.learned = steps;
  return device.replayed == 0;
}

static void batch_launch(struct backend *b)
{
  struct integrate_params m = device.move;
  for (int64_t k = 0; k < device.replayed; k++) {
    integrate_first_half(b, &m);
    search_unlisted(b, 0);
    force(b, FORCE_INTERIOR, 0);
    force(b, FORCE_BOUNDARY, 0);
    kick(b, m.dt);
    m.step++;
  }
  device.replays++;
}

static void build_begin(struct backend *b, int keep)
{
  assert_false(device.pending);
  backend_cpu.build_begin(b, keep);
}

static void accumulate(struct backend *b, const struct bins *what, int64_t *bin)
{
  assert_false(device.pending);
  backend_cpu.accumulate(b, what, bin);
}

static void store(struct backend *b, int64_t *id, struct beads *to)
{
  assert_false(device.pending);
  backend_cpu.store(b, id, to);
}

static void bins_wait(struct backend *b)
{
  (void)b;
}

static const struct async_ops async = {.bins_wait = bins_wait,
                                       .search_unlisted = search_unlisted,
                                       .notify_host = notify_host,
                                       .poll_expired = poll_expired,
                                       .drain = drain,
                                       .coupling_sums = coupling_sums,
                                       .couple = couple,
                                       .coupling_state = coupling_state,
                                       .batch_begin = batch_begin,
                                       .batch_launch = batch_launch};

static void words_agree(struct transport *t)
{
  int64_t largest = (int64_t)device.ended;
  (void)t;
  ranks_max_int64(&ranks, &largest, 1);
  if (largest > (int64_t)device.stopped) device.stopped = (uint64_t)largest;
}

static void words_sum(struct transport *t, int64_t *word, int n)
{
  assert_ptr_equal(word, &device.sums);
  ranks_sum_int64(t->ranks, word, n);
}

/* What sim_create has told the device. */
static struct coupling_state coupled_first(const struct sim *s)
{
  const struct system *y = s->system;
  struct coupling_params how = {.cutoff = y->ff->cutoff,
                                .reach = {y->ff->cutoff + y->skin, listcheck_halo_width(s)}};
  struct coupling_state now = coupling_state_start(y->box);
  memcpy(how.build_box, y->build_box, sizeof how.build_box);
  now.work = y->conserved_work;
  couple_list_thresholds(&how, &now);
  return now;
}

static void put_ahead(struct sim *s, enum mode mode)
{
  static struct backend_ops backend;
  static struct transport_ops transport;
  memset(&device, 0, sizeof device);
  backend = backend_cpu;
  backend.integrate_first_half = integrate_first_half;
  backend.force = force;
  backend.integrate_second_half = kick;
  backend.set_box = set_box;
  backend.build_begin = build_begin;
  backend.accumulate = accumulate;
  backend.store = store;
  backend.async = &async;
  s->backend->ops = &backend;
  s->backend->early_notify = mode == PROMPT;
  device.now = coupled_first(s);
  if (ranks.size == 1 || mode == ASKED) return;
  transport = *s->transport.ops;
  transport.allreduce_max = words_agree;
  transport.sum = words_sum;
  s->transport.ops = &transport;
}

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
  y->step = 0;
  y->build_step = -1;
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

static struct sim *begin(const struct way *way, struct params **p, struct system *y)
{
  char text[SET + 4][40] = {"parallel.backend=cpu", "neighbor.skin=0.15",
                            "output.energies_every=20"};
  char *settings[SET + 4];
  int n = 4;
  snprintf(text[3], sizeof text[3], "run.steps=%d", STEPS);
  for (int k = 0; k < SET && way->set[k][0]; k++)
    memcpy(text[n++], way->set[k], sizeof text[0]);
  for (int k = 0; k < n; k++)
    settings[k] = text[k];
  *p = params_load(NULL, n, settings);
  return sim_create(&ranks, *p, y, CHECK_BONDS);
}

static struct trace walk(const struct way *how, enum mode mode)
{
  struct trace t;
  struct params *p;
  memset(&t, 0, sizeof t);
  struct sim *s = begin(how, &p, t.end = start());
  if (mode != PLAIN) put_ahead(s, mode);
  while (t.end->step < STEPS) {
    step_advance(s);
    if (t.end->step % REPORT) continue;
    AGREE(&ranks, s->drained);
    t.potential[t.end->step / REPORT] = s->observables.potential;
    t.pressure[t.end->step / REPORT] = observe_trace(s->observables.pressure);
  }
  AGREE(&ranks, s->drained && t.end->step == STEPS && t.end->builds > 3);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  return t;
}

static int states_agree(struct system *a, struct system *b)
{
  int good = a->builds == b->builds && a->build_step == b->build_step &&
             !memcmp(a->box, b->box, sizeof a->box) && a->conserved_work == b->conserved_work;
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
     0},
    {{"thermostat.type=langevin", "barostat.type=crescale", "barostat.every=1", "barostat.tau=0.5"},
     0},
};

static void ahead_is_not_else(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    struct trace plain = walk(&ways[k], PLAIN);
    for (enum mode mode = AHEAD; mode < MODES; mode++) {
      struct trace ahead = walk(&ways[k], mode);
      AGREE(&ranks, states_agree(plain.end, ahead.end));
      AGREE(&ranks, !memcmp(plain.potential, ahead.potential, sizeof plain.potential));
      AGREE(&ranks, !memcmp(plain.pressure, ahead.pressure, sizeof plain.pressure));
      AGREE(&ranks, mode == ASKED || device.backs > 3);
      AGREE(&ranks, (device.replays > 3) == (ranks.size == 1 && ways[k].graphs && mode != PROMPT));
      AGREE(&ranks, (device.couplings > 3) == (k > 2));
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
  struct sim *s = begin(&ways[4], &p, y);
  (void)argument;
  log_open(0, NULL); /* MPI cannot end a child */
  put_ahead(s, AHEAD);
  device.broken = 70;
  while (y->step < STEPS)
    step_advance(s);
}

static void sums_that_do_not_fit_end_it(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* no child may use MPI with others */
  assert_true(dies_saying(break_down, NULL, STATUS_NUMERIC,
                          "step 70: energies or virials are not finite or too large (3 parts"));
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
  struct sim *s = begin(&way, &p, y);
  put_ahead(s, AHEAD);
  while (y->step < STEPS) {
    step_advance(s);
    if (!s->drained || y->step % 10) continue;
    AGREE(&ranks, (device.observed == y->step) == (y->step % 50 == 0 || y->step == STEPS));
  }
  AGREE(&ranks, device.couplings == STEPS / 10 - 1);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  sim_destroy(s);
  params_destroy(p);
  system_destroy(y);
}

/* Is the state looked at after each barostat, and only then? */
static int barostats_are_seen(const char *skin)
{
  struct way way = {{"barostat.type=crescale", "barostat.every=7", "output.energies_every=0"}, 0};
  struct params *p;
  struct system *y = start();
  int all = 1;
  snprintf(way.set[3], sizeof way.set[3], "neighbor.skin=%s", skin);
  struct sim *s = begin(&way, &p, y);
  put_ahead(s, AHEAD);
  while (y->step < STEPS) {
    step_advance(s);
    if (y->step > 50) continue; /* lists end later */
    assert_true(y->step % 7 == 0 || !s->drained);
    if (y->step % 7 == 0) all &= s->drained;
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

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ahead_is_not_else), cmocka_unit_test(sums_that_do_not_fit_end_it),
      cmocka_unit_test(sums_are_seen_before_files), cmocka_unit_test(tight_boxes_are_looked_at)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ranks_close(&ranks);
  return failed;
}
