/* Hosts that run ahead: the schedule with a backend that does nothing once the lists have ended, as
   a GPU does, and ranks that agree on it, against the plain schedule: the same states, reports and
   builds. */
#include "agree.h"

#include <stdio.h>
#include <string.h>

#include "param.h"
#include "sample.h"
#include "sim.h"
#include "step.h"

extern const struct backend_ops backend_cpu;
static struct ranks ranks;

enum { WATERS = 512, STEPS = 130, REPORT = 20 };

/* ASKED: ranks do not agree by themselves, so that hosts ask in each step. */
enum mode { PLAIN, AHEAD, ASKED, MODES };

/* Of this rank; what a GPU would have in its memory. */
static struct {
  uint64_t ended, stopped;
  int idle, pending; /* the last move did nothing; something may have ended, and nobody looked */
  int64_t backs, replays;
  int64_t learned, replayed; /* steps; 0: none */
  struct move move;
} device;

static void kick_drift(struct backend *b, const struct move *m)
{
  device.pending = 1;
  device.idle = device.stopped != 0;
  if (device.idle) return;
  backend_cpu.kick_drift(b, m);
  device.move = *m;
  if (!(backend_cpu.displacement2(b) <= m->ends2))
    *(m->ask ? &device.ended : &device.stopped) = (uint64_t)m->step + 1;
}

/* Of those beyond, any is said to have met another. */
static void watch(struct backend *b, double reach)
{
  (void)reach;
  if (device.stopped == 0 && !(backend_cpu.displacement2(b) <= device.move.expires2))
    *(device.move.ask ? &device.ended : &device.stopped) = (uint64_t)device.move.step + 1;
}

static void force(struct backend *b, enum force_part part, int want)
{
  if (device.stopped == 0) backend_cpu.force(b, part, want);
}

static void kick(struct backend *b, double dt)
{
  if (device.stopped == 0) backend_cpu.kick(b, dt);
}

static int64_t settle(struct backend *b, struct sums *out)
{
  int64_t stopped = (int64_t)device.stopped;
  device.pending = 0;
  device.ended = device.stopped = 0;
  device.backs += stopped > 0;
  if (stopped > 0) return stopped;
  if (out) backend_cpu.sums(b, out);
  return -1;
}

static int ended(struct backend *b)
{
  (void)b;
  return device.idle;
}

static int record(struct backend *b, const struct move *m, int64_t steps)
{
  (void)b;
  device.move = *m;
  device.replayed = device.learned;
  device.learned = steps;
  return device.replayed == 0;
}

static void replay(struct backend *b)
{
  struct move m = device.move;
  for (int64_t k = 0; k < device.replayed; k++) {
    kick_drift(b, &m);
    watch(b, 0);
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

static void sums(struct backend *b, struct sums *out)
{
  assert_false(device.pending);
  backend_cpu.sums(b, out);
}

static void store(struct backend *b, int64_t *id, struct beads *to)
{
  assert_false(device.pending);
  backend_cpu.store(b, id, to);
}

static void words_agree(struct transport *t)
{
  int64_t said = (int64_t)*t->said;
  ranks_max_int64(&ranks, &said, 1);
  if (said > (int64_t)*t->heard) *t->heard = (uint64_t)said;
}

static void put_ahead(struct sim *s, enum mode mode)
{
  static struct backend_ops backend;
  static struct transport_ops transport;
  memset(&device, 0, sizeof device);
  backend = backend_cpu;
  backend.kick_drift = kick_drift;
  backend.force = force;
  backend.watch = watch;
  backend.kick = kick;
  backend.settle = settle;
  backend.ended = ended;
  backend.record = record;
  backend.replay = replay;
  backend.build_begin = build_begin;
  backend.sums = sums;
  backend.store = store;
  s->backend->ops = &backend;
  if (ranks.size == 1 || mode == ASKED) return;
  transport = *s->transport.ops;
  transport.agree = words_agree;
  s->transport.ops = &transport;
  s->transport.said = &device.ended;
  s->transport.heard = &device.stopped;
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

static struct trace walk(const char *const how[3], enum mode mode)
{
  struct trace t;
  char text[4][64], *settings[7];
  memset(&t, 0, sizeof t);
  snprintf(text[3], sizeof text[3], "run.steps=%d", STEPS);
  for (int k = 0; k < 3; k++)
    snprintf(text[k], sizeof text[k], "%s", how[k]);
  for (int k = 0; k < 4; k++)
    settings[k] = text[k];
  char more[3][64] = {"parallel.backend=cpu", "neighbor.skin=0.15", "output.energies_every=20"};
  for (int k = 0; k < 3; k++)
    settings[4 + k] = more[k];
  struct params *p = params_load(NULL, 7, settings);
  struct sim *s = sim_create(&ranks, p, t.end = start());
  if (mode != PLAIN) put_ahead(s, mode);
  while (t.end->step < STEPS) {
    step_advance(s);
    if (t.end->step % REPORT) continue;
    AGREE(&ranks, s->settled);
    t.potential[t.end->step / REPORT] = s->now.potential;
    t.pressure[t.end->step / REPORT] = observe_trace(s->now.pressure);
  }
  AGREE(&ranks, s->settled && t.end->step == STEPS && t.end->builds > 3);
  sim_collect(s, SIM_ALL_FIELDS);
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

static const char *const ways[][3] = {
    {"thermostat.type=none", "barostat.type=none", "parallel.graph=yes"},
    {"thermostat.type=langevin", "barostat.type=none", "parallel.graph=yes"},
    {"thermostat.type=langevin", "barostat.type=none", "parallel.graph=no"},
    {"thermostat.type=bussi", "barostat.type=none", "parallel.graph=yes"},
    {"thermostat.type=bussi", "barostat.type=crescale", "parallel.graph=yes"},
};

static void ahead_is_not_else(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    struct trace plain = walk(ways[k], PLAIN);
    for (enum mode mode = AHEAD; mode < MODES; mode++) {
      struct trace ahead = walk(ways[k], mode);
      AGREE(&ranks, states_agree(plain.end, ahead.end));
      AGREE(&ranks, !memcmp(plain.potential, ahead.potential, sizeof plain.potential));
      AGREE(&ranks, !memcmp(plain.pressure, ahead.pressure, sizeof plain.pressure));
      AGREE(&ranks, mode == ASKED || device.backs > 3);
      AGREE(&ranks, (device.replays > 3) == (ranks.size == 1 && k != 2 && k != 4));
      system_destroy(ahead.end);
    }
    system_destroy(plain.end);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ahead_is_not_else)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ranks_close(&ranks);
  return failed;
}
