#include "md/observer.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "md/pipeline.h"
#include "md/sampling.h"
#include "md/schedule.h"

/* Energies, virial, kinetic sums */

/* Due at reports, and at couplings that the host computes. If the device computes couplings, due at
   those after which the state may be written to a file: a state whose sums overflow must not be
   written. */
static int energies_due(const struct sim *s, const struct due *d)
{
  if (d->report || sampling_needs(s, d->step, NEEDS_ENERGIES)) return 1;
  return due_coupling(d) && (!s->backend->ops->async || pipeline_state_needed(s, d));
}

static int energies_flags(const struct sim *s, const struct due *d)
{
  return d->report || sampling_needs(s, d->step, NEEDS_ENERGIES) ? FORCE_ENERGY : 0;
}

static int energies_bins(const struct sim *s)
{
  (void)s;
  return (int)(sizeof(struct sums) / sizeof(int64_t));
}

/* Carries from the low to the high word of every energy, so that sums over ranks cannot wrap. */
static void energies_carry(struct sums *sums)
{
  for (int k = 0; k < ENERGIES; k++)
    sum_carry(sums->energy[k]);
}

static void energies_accumulate(struct sim *s, int64_t *bin)
{
  struct sums *sums = (struct sums *)bin;
  backend_sums(s->backend, sums);
  energies_carry(sums);
}

static int64_t energies_set(struct sim *s, struct sums *sums)
{
  thermo_of(&s->thermo, sums, s->bits, s->system->box, s->dof);
  s->thermo_step = s->system->step;
  if (sum_overflow(sums)) s->thermo.potential = (double)INFINITY;
  return sum_overflow(sums);
}

static int64_t *energies_take(struct sim *s, int64_t *bin)
{
  thermo_refuse_overflow(s->system->step, energies_set(s, (struct sums *)bin));
  return bin;
}

static const struct observer energies = {.name = "energies",
                                         .timer = TIMER_couple,
                                         .due = energies_due,
                                         .force_flags = energies_flags,
                                         .bins = energies_bins,
                                         .accumulate = energies_accumulate,
                                         .take = energies_take};

/* The list of observers. */
static const struct observer *const observers[] = {&energies, &sampling_observer};
enum { OBSERVERS = sizeof observers / sizeof observers[0] };

int observers_due(const struct sim *s, const struct due *d)
{
  for (int k = 0; k < OBSERVERS; k++)
    if (observers[k]->due(s, d)) return 1;
  return 0;
}

int observers_force_flags(const struct sim *s, const struct due *d)
{
  int flags = 0;
  for (int k = 0; k < OBSERVERS; k++)
    if (observers[k]->due(s, d)) flags |= observers[k]->force_flags(s, d);
  return flags;
}

static void merge(struct sim *s, int64_t *bin, int n)
{
  transport_check(&s->transport);
  if (n) ranks_sum_int64(s->ranks, bin, n);
}

void observer_visit(struct sim *s, const struct observer *o)
{
  int n = o->bins(s);
  timers_switch(&s->timers, o->timer);
  int64_t *bin = alloc_array(n, sizeof *bin);
  o->accumulate(s, bin);
  merge(s, bin, n);
  free(o->take(s, bin));
}

int observers_need_sums(const struct sim *s, const struct due *d)
{
  return energies_due(s, d);
}

/* The same from sums of this rank that the host has already. */
static void energies_take_local(struct sim *s, struct sums *sums)
{
  energies_carry(sums);
  merge(s, (int64_t *)sums, energies_bins(s));
  energies_take(s, (int64_t *)sums);
}

void observers_visit(struct sim *s, struct sums *sums)
{
  const struct due due = schedule_due(s->params, s->system->step);
  for (int k = 0; k < OBSERVERS; k++) {
    if (observers[k] == &energies && sums)
      energies_take_local(s, sums);
    else if (observers[k]->due(s, &due))
      observer_visit(s, observers[k]);
  }
}

int64_t thermo_update(struct sim *s)
{
  struct sums sums;
  energies_accumulate(s, (int64_t *)&sums);
  merge(s, (int64_t *)&sums, energies_bins(s));
  return energies_set(s, &sums);
}

void thermo_require_finite(struct sim *s)
{
  thermo_refuse_overflow(s->system->step, thermo_update(s));
}

void thermo_refuse_overflow(int64_t step, int64_t overflow)
{
  if (overflow)
    die_all(
        STATUS_NUMERIC,
        "step %lld: energies or virials are not finite or too large (%lld parts, or their sum): "
        "beads overlap, or molecules are broken; minimise the start or take a smaller run.dt",
        (long long)step, (long long)overflow);
}
