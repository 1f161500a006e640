/* A backend that does nothing once the lists have ended and couples by itself, as a GPU does, and
   ranks that agree on it: for tests of hosts that run ahead. */
#ifndef AHEAD_H
#define AHEAD_H

#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/box.h"
#include "base/memory.h"
#include "cpu/backend_cpu.h"
#include "md/coupling.h"
#include "md/listcheck.h"
#include "md/simulation.h"
#include "tests/support/agree.h"

extern const struct backend_ops backend_cpu;
static struct ranks ranks;

/* PROMPT: hosts are told in each step whether lists hold. RESUME: on one rank they need not wait
   for list builds, of which the device refuses every third one. */
enum mode { PLAIN, AHEAD, PROMPT, RESUME, MODES };

/* Of this rank; what a GPU would have in its memory. */
static struct {
  uint64_t ended, stopped;
  int idle, pending; /* the last move did nothing; something may have ended, and nobody looked */
  int told;          /* of what was found in the last step */
  int64_t backs, replays;
  int resumes, resuming, refused; /* RESUME; since async_ops.resume; the last build was refused */
  int64_t resumed;                /* calls of resume that went on */
  int captured, replaying;        /* a batch has been captured; this one is replayed */
  struct step_batch batch;
  struct coupling_params coupling; /* of the batch */
  struct integrate_params move;
  struct sums sums;
  struct coupling_state now;
  int64_t couplings, broken; /* done; the step whose sums are said not to fit, or 0 */
  int64_t observed;          /* the last step whose sums the host took */
  int unseen;                /* the last one has not been looked at */
} device;

/* Of the two largest displacements devices know the first. */
static void largest_twice(struct backend *b, double largest2[2])
{
  backend_cpu.displacement2(b, largest2);
  largest2[1] = largest2[0];
}

static double largest_displacement2(struct backend *b)
{
  double largest2[2];
  backend_cpu.displacement2(b, largest2);
  return largest2[0];
}

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
  if (!(largest_displacement2(b) <= device.now.rebuild_above2))
    *(m->reduce_expired ? &device.ended : &device.stopped) = (uint64_t)m->step + 1;
}

/* Of those beyond, any is said to have met another. */
static void search_unlisted(struct backend *b, double reach, const struct device_signal *then)
{
  (void)reach;
  (void)then;
  if (device.stopped == 0 && !(largest_displacement2(b) <= device.now.search_above2))
    *(device.move.reduce_expired ? &device.ended : &device.stopped) =
        (uint64_t)device.move.step + 1;
}

static void force(struct backend *b, enum force_beads beads, int flags)
{
  if (device.stopped == 0) backend_cpu.force(b, beads, flags);
}

static void kick(struct backend *b, double dt)
{
  if (device.stopped == 0) backend_cpu.integrate_second_half(b, dt);
}

static void set_box(struct backend *b, const struct coupling_state *now,
                    const double build_box[BOX])
{
  assert_memory_equal(now->box, device.now.box, sizeof now->box);
  assert_true(now->work == device.now.work && !device.unseen);
  device.now = *now;
  backend_cpu.set_box(b, now, build_box);
}

static void cpu_sums_of(struct backend *b, struct sums *out)
{
  const struct tally what = {TALLY_SUMS, (int)(sizeof *out / sizeof(int64_t)), NULL};
  backend_cpu.accumulate(b, &what, (int64_t *)out);
}

static struct sums *coupling_sums(struct backend *b)
{
  if (device.stopped == 0) cpu_sums_of(b, &device.sums);
  return &device.sums;
}

static void couple(struct backend *b, const struct coupling_params *how)
{
  device.pending = 1;
  if (device.stopped) return;
  if (how->step == device.broken) device.sums.overflow = 3;
  couple_apply(how, &device.sums, &device.now);
  if (device.now.overflow) device.stopped = (uint64_t)how->step;
  const struct cpu *c = (const struct cpu *)b;
  const double build_box[BOX] = BOX_COPY(c->build_box);
  backend_cpu.set_box(b, &device.now, build_box);
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
  device.pending = device.refused = 0;
  device.ended = device.stopped = 0;
  device.backs += stopped > 0;
  if (stopped > 0) return stopped;
  if (out) cpu_sums_of(b, out);
  if (out) device.observed = device.move.step + 1;
  return -1;
}

static int64_t resume(struct backend *b)
{
  (void)b;
  if (!device.resumes || device.refused || device.stopped == 0 || ranks.size > 1) return -1;
  device.pending = 0;
  device.resuming = 1;
  device.backs++;
  device.resumed++;
  return (int64_t)device.stopped;
}

static void build(struct backend *b, const struct build_params *p)
{
  backend_cpu.build(b, p);
  if (!device.resuming) return;
  device.resuming = 0;
  device.refused = device.resumed % 3 == 0;
  if (!device.refused) device.ended = device.stopped = 0;
}

static void lists_agreed(struct backend *b)
{
  assert_false(device.told);
  device.told = b->early_notify;
}

static int poll_expired(struct backend *b)
{
  assert_true(device.told == b->early_notify);
  return b->early_notify ? device.stopped != 0 : device.idle;
}

/* The first batch is captured: its calls are done at once. Others are replayed. */
static int batch_begin(struct backend *b, const struct integrate_params *m,
                       const struct step_batch *batch)
{
  (void)b;
  device.move = *m;
  device.batch = *batch;
  if (batch->coupling) device.coupling = *batch->coupling;
  device.replaying = device.captured;
  device.captured = 1;
  return !device.replaying;
}

static void batch_launch(struct backend *b)
{
  struct integrate_params m = device.move;
  if (device.replaying && device.batch.coupling) {
    coupling_sums(b);
    couple(b, &device.coupling);
  }
  for (int64_t k = 1; device.replaying && k <= device.batch.steps; k++, m.step++) {
    const int flags = k == device.batch.steps ? device.batch.flags : 0;
    integrate_first_half(b, &m);
    search_unlisted(b, 0, NULL);
    force(b, FORCE_INTERIOR, flags);
    force(b, FORCE_BOUNDARY, flags);
    kick(b, m.dt);
    m.coupled = 0;
  }
  device.replays++;
}

static void build_begin(struct backend *b, int keep)
{
  assert_false(device.pending);
  backend_cpu.build_begin(b, keep);
}

/* Words come with bins_wait; until then only the device knows their centre. */
static struct {
  int64_t *bin, *word, centre[2];
  int n;
} late[32];
static int n_late;
static uint32_t device_centre;
static const int64_t *device_centre_word; /* the caller's words, of which it is */

static void accumulate(struct backend *b, const struct tally *what, int64_t *bin)
{
  assert_false(device.pending);
  if (what->quantity == TALLY_SUMS) {
    backend_cpu.accumulate(b, what, bin);
    return;
  }
  struct profile p = *what->profile;
  struct tally how = *what;
  how.profile = &p;
  assert_true(n_late < 32);
  late[n_late].bin = bin;
  late[n_late].n = what->n;
  late[n_late].word = alloc_array(what->n, sizeof *bin);
  if (p.centre_word) {
    assert_true(ranks.size == 1 && what->quantity != TALLY_CENTRE);
    assert_ptr_equal(p.centre_word, device_centre_word);
    p.centre = device_centre;
    p.centre_word = NULL;
  }
  backend_cpu.accumulate(b, &how, late[n_late].word);
  if (what->quantity == TALLY_CENTRE) {
    device_centre = centre_of_words(late[n_late].word);
    device_centre_word = bin;
  }
  n_late++;
}

static void store(struct backend *b, int64_t *id, struct beads *to)
{
  assert_false(device.pending);
  backend_cpu.store(b, id, to);
}

static void bins_wait(struct backend *b)
{
  (void)b;
  for (int k = 0; k < n_late; k++) {
    memcpy(late[k].bin, late[k].word, (size_t)late[k].n * sizeof(int64_t));
    free(late[k].word);
  }
  n_late = 0;
}

static const struct async_ops async = {.bins_wait = bins_wait,
                                       .search_unlisted = search_unlisted,
                                       .lists_agreed = lists_agreed,
                                       .poll_expired = poll_expired,
                                       .drain = drain,
                                       .resume = resume,
                                       .coupling_sums = coupling_sums,
                                       .couple = couple,
                                       .coupling_state = coupling_state,
                                       .batch_begin = batch_begin,
                                       .batch_launch = batch_launch};

static struct {
  int64_t flag;
  int open;
} agreement;

static void agree_start(struct transport *t)
{
  (void)t;
  assert_false(agreement.open);
  agreement.flag = (int64_t)device.ended;
  agreement.open = 1;
}

static void agree_finish(struct transport *t)
{
  int64_t largest = agreement.flag;
  (void)t;
  assert_true(agreement.open);
  agreement.open = 0;
  ranks_max_int64(&ranks, &largest, 1);
  if (largest > (int64_t)device.stopped) device.stopped = (uint64_t)largest;
}

static void words_sum(struct transport *t, int64_t *word, int n)
{
  assert_ptr_equal(word, &device.sums);
  assert_false(agreement.open);
  ranks_sum_int64(t->ranks, word, n);
}

/* What sim_create has told the device. */
static struct coupling_state coupled_first(const struct sim *s)
{
  const struct system *y = s->system;
  struct coupling_params how = {.cutoff = y->ff->cutoff,
                                .reach = {y->ff->cutoff + y->lists.skin, listcheck_halo_width(s)}};
  struct coupling_state now = coupling_state_start(y->box);
  memcpy(how.build_box, y->lists.box, sizeof how.build_box);
  now.work = y->run.conserved_work;
  couple_list_thresholds(&how, &now);
  return now;
}

/* The CPU, with lists that end when those of the device do. */
static void put_plain(struct sim *s)
{
  static struct backend_ops backend;
  backend = backend_cpu;
  backend.displacement2 = largest_twice;
  s->backend->ops = &backend;
  s->list_expiry = EXPIRY_DISPLACEMENT;
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
  backend.build = build;
  backend.accumulate = accumulate;
  backend.store = store;
  backend.async = &async;
  s->backend->ops = &backend;
  s->backend->early_notify = mode == PROMPT;
  device.resumes = mode == RESUME;
  if (ranks.size > 1) {
    transport = *s->transport.ops;
    transport.flag_send = agree_start;
    transport.flag_finish = agree_finish;
    transport.sum = words_sum;
    s->transport.ops = &transport;
  }
  listcheck_choose(s);
  device.now = coupled_first(s);
}

#endif
