#include "md/observers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/log.h"
#include "md/biases.h"
#include "md/partition.h"
#include "md/snapshot.h"
#include "observe/planes.h"

struct sampling {
  int64_t after, next; /* no sample is due at a step above `after` and below `next` */
  /* The state of the last step with samples: each rank has the beads of its share
     (observe/species.h). Arrays are used again at the next such step. */
  struct observe_frame frame;
  struct beads beads;     /* of the share, in order of id */
  struct snapshot own;    /* of the beads that this rank owns */
  int64_t centre_word[2]; /* of TALLY_CENTRE */
  struct thermo state;    /* energies and pressure, if they are needed */
  double coordinate[COORDINATES_MOST];
  int64_t *word; /* sums over ranks at the step of the frame; NULL: none yet */
  int deferred;  /* 1: their samples have not been taken yet */
};

struct sampling *sampling_create(void)
{
  struct sampling *m = alloc_array(1, sizeof *m);
  m->after = m->next = -1;
  return m;
}

void sampling_destroy(struct sampling *m)
{
  if (!m) return;
  beads_free(&m->beads);
  snapshot_free(&m->own);
  free(m->word);
  free(m);
}

/* Samples of observables: the state of a step */

static unsigned fields_of(unsigned needs)
{
  unsigned fields = 0;
  if (needs & NEEDS_POSITIONS) fields |= 1u << FIELD_position | 1u << FIELD_image;
  if (needs & NEEDS_MOMENTA) fields |= 1u << FIELD_momentum | 1u << FIELD_angular_momentum;
  if (needs & NEEDS_ORIENTATIONS) fields |= 1u << FIELD_orientation;
  return fields;
}

/* Sends the fields of all beads to the ranks that have them in their share. */
static void deliver(struct sim *s, unsigned fields)
{
  struct sampling *m = s->sampling;
  const struct share *share = &s->measured->about.share;
  for (int f = 0; f < FIELDS; f++) {
    void **array = beads_field(&m->beads, f);
    if (fields >> f & 1u && !*array) *array = alloc_array(share->n, (unsigned long)field_bytes(f));
  }
  snapshot_take(s, fields, &m->own);
  snapshot_deliver_within(&m->own, s->ranks, share->border, s->system->clock.step, &m->beads, NULL);
}

/* The circular mean of z over the beads of lipids, weighted by mass; without lipids the middle of
   the box. Profiles of a single rank do not need it on the host, which then does not wait. */
static void set_centre(struct sim *s, int on_host)
{
  const struct observe_frame none = {0};
  struct sampling *m = s->sampling;
  const struct profile how = planes_profile(&s->measured->about, &none, 1, 0);
  const struct tally what = {TALLY_CENTRE, 2, &how};
  s->backend->ops->accumulate(s->backend, &what, m->centre_word);
  if (s->ranks->size == 1 && s->backend->ops->async && !on_host) {
    m->frame.centre_word = m->centre_word;
    return;
  }
  backend_bins_wait(s->backend);
  ranks_sum_int64(s->ranks, m->centre_word, 2);
  m->frame.centre = centre_of_words(m->centre_word);
}

/* Sets what the needs (enum observe_needs) name of the present state. Collective. */
static void set_frame(struct sim *s, unsigned needs)
{
  struct sampling *m = s->sampling;
  struct observe_frame *f = &m->frame;
  const unsigned fields = fields_of(needs);
  memset(f, 0, sizeof *f);
  f->step = s->system->clock.step;
  f->time = s->system->clock.time;
  memcpy(f->box, s->system->box, sizeof f->box);
  f->backend = s->backend;
  if (needs & NEEDS_CENTRE) set_centre(s, fields != 0);
  if (fields) deliver(s, fields);
  f->position = m->beads.position;
  f->image = m->beads.image;
  f->momentum = m->beads.momentum;
  f->angular_momentum = m->beads.angular_momentum;
  f->orientation = m->beads.orientation;
  biases_values(s, m->coordinate);
  if (needs & NEEDS_COORDINATES) f->coordinate = m->coordinate;
  m->state = s->thermo;
  if (needs & NEEDS_ENERGIES) f->state = &m->state;
}

/* When they are due */

/* The first step after `step` at which an observable is due. */
static int64_t next_due(const struct measured *m, int64_t step)
{
  int64_t next = INT64_MAX;
  for (int k = 0; k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    const int64_t from = step + 1 > o->from ? step + 1 : o->from;
    const int64_t rest = from % o->every, wait = rest ? o->every - rest : 0;
    if (wait < INT64_MAX - from && from + wait < next) next = from + wait;
  }
  return next;
}

/* 1 if an observable is due at a step. Asked for several times in each step, so the steps without
   samples are remembered. */
static int sampling_due(const struct sim *s, int64_t step)
{
  struct sampling *m = s->sampling;
  if (!s->measured || (step > m->after && step < m->next)) return 0;
  if (step == m->next) return 1;
  m->after = step;
  m->next = next_due(s->measured, step);
  for (int k = 0; k < s->measured->n; k++)
    if (observable_due(&s->measured->observable[k], step)) return 1;
  return 0;
}

unsigned sampling_needs(const struct sim *s, int64_t step)
{
  unsigned needs = 0;
  if (!sampling_due(s, step)) return 0;
  for (int k = 0; k < s->measured->n; k++) {
    const struct observable *o = &s->measured->observable[k];
    if (observable_due(o, step)) needs |= o->needs;
  }
  return needs;
}

/* Taking them */

static int words_of(const struct measured *m, int64_t step)
{
  int64_t words = 0;
  for (int k = 0; k < m->n; k++)
    if (observable_due(&m->observable[k], step)) words += m->observable[k].words;
  return (int)words;
}

static void accumulate(struct sim *s, int64_t *bin)
{
  const struct measured *m = s->measured;
  const int64_t step = s->system->clock.step;
  set_frame(s, sampling_needs(s, step));
  for (int k = 0; k < m->n; k++) {
    struct observable *o = &m->observable[k];
    if (!observable_due(o, step)) continue;
    o->kind->collect(o, &s->sampling->frame, bin);
    bin += o->words;
  }
  backend_bins_wait(s->backend);
}

/* Accumulates what the observables need that are due at the present step, and keeps the sums over
   ranks. If the host runs ahead, rank 0 takes the samples from them while the device computes the
   next steps. */
static void sampling_visit(struct sim *s)
{
  struct sampling *m = s->sampling;
  const int64_t step = s->system->clock.step;
  const int words = words_of(s->measured, step);
  timers_switch(&s->timers, TIMER_observe);
  int64_t *bin = alloc_array(words, sizeof *bin);
  accumulate(s, bin);
  transport_check(&s->transport);
  if (words) ranks_sum_int64(s->ranks, bin, words);
  free(m->word);
  m->word = bin;
  m->deferred = 1;
  if (!s->runs_ahead || step == s->params->run_steps) sampling_catch_up(s, 0);
}

void sampling_catch_up(const struct sim *s, int64_t steps)
{
  struct sampling *m = s->sampling;
  if (!m || !m->deferred || s->system->clock.step < m->frame.step + steps) return;
  const int64_t *word = m->word;
  m->deferred = 0;
  for (int k = 0; k < s->measured->n && s->ranks->rank == 0; k++) {
    struct observable *o = &s->measured->observable[k];
    if (!observable_due(o, m->frame.step)) continue;
    observable_take(o, &m->frame, word);
    word += o->words;
  }
}

void sampling_now(struct sim *s)
{
  if (sampling_due(s, s->system->clock.step)) sampling_visit(s);
  sampling_catch_up(s, 0);
}

/* Energies, virial and kinetic sums */

int thermo_due(const struct sim *s, const struct due *d)
{
  if (d->report || d->exchange || sampling_needs(s, d->step) & NEEDS_ENERGIES) return 1;
  return due_coupling_sums(d) &&
         (!s->backend->ops->async || due_state(d, s->state_every, box_is_tight(s)));
}

/* Carries from the low to the high word of every energy, so that sums over ranks cannot wrap. */
static void carry(struct sums *sums)
{
  for (int k = 0; k < ENERGIES; k++)
    sum_carry(sums->energy[k]);
}

/* Adds the sums of the ranks up. */
static void reduce(struct sim *s, struct sums *sums)
{
  carry(sums);
  transport_check(&s->transport);
  ranks_sum_int64(s->ranks, (int64_t *)sums, sums_words(TEAMS_MOST));
}

static int64_t thermo_set(struct sim *s, struct sums *sums)
{
  thermo_of(&s->thermo, sums, s->bits, s->system->box, s->dof, s->teams.n);
  s->thermo_step = s->system->clock.step;
  if (sum_overflow(sums)) s->thermo.potential = (double)INFINITY;
  return sum_overflow(sums);
}

/* Sets s->thermo to that of the present state. sums: those of this rank if the host has them
   already, else NULL. Ends with status 3 if they overflow. */
static void thermo_visit(struct sim *s, struct sums *sums)
{
  struct sums own;
  timers_switch(&s->timers, TIMER_couple);
  if (!sums) backend_sums(s->backend, sums = &own);
  reduce(s, sums);
  thermo_refuse_overflow(s->system->clock.step, thermo_set(s, sums));
}

int64_t thermo_update(struct sim *s)
{
  struct sums sums;
  backend_sums(s->backend, &sums);
  reduce(s, &sums);
  return thermo_set(s, &sums);
}

double thermo_potential(struct sim *s)
{
  struct sums sums;
  struct thermo now;
  backend_sums(s->backend, &sums);
  reduce(s, &sums);
  thermo_refuse_overflow(s->system->clock.step, sum_overflow(&sums));
  thermo_of(&now, &sums, s->bits, s->system->box, s->dof, s->teams.n);
  return now.potential;
}

void thermo_require_finite(struct sim *s)
{
  thermo_refuse_overflow(s->system->clock.step, thermo_update(s));
}

void thermo_refuse_overflow(int64_t step, int64_t overflow)
{
  if (overflow)
    die_all(
        STATUS_NUMERIC,
        "step %lld: energies or virials are not finite or too large (%lld addends, or their sum): "
        "beads overlap, molecules are broken, or restricted angles are straight; minimise the "
        "start or take a smaller run.dt",
        (long long)step, (long long)overflow);
}

/* All observers */

int observers_due(const struct sim *s, const struct due *d)
{
  return thermo_due(s, d) || sampling_due(s, d->step);
}

int observers_force_flags(const struct sim *s, const struct due *d)
{
  return d->report || sampling_needs(s, d->step) & NEEDS_ENERGIES ? FORCE_ENERGY : 0;
}

void observers_visit(struct sim *s, struct sums *sums)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  if (sums || thermo_due(s, &due)) thermo_visit(s, sums);
  if (sampling_due(s, due.step)) sampling_visit(s);
}
