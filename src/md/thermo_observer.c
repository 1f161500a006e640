#include "md/thermo_observer.h"

#include <math.h>

#include "base/log.h"
#include "md/box.h"
#include "md/sampling.h"

/* Due at reports, and at couplings that the host computes. If the device computes couplings, due at
   those after which the state may be written to a file: a state whose sums overflow must not be
   written. */
static int due(const struct sim *s, const struct due *d)
{
  if (d->report || sampling_needs(s, d->step, NEEDS_ENERGIES)) return 1;
  return due_coupling_sums(d) && (!s->backend->ops->async || due_state(d, box_is_tight(s)));
}

static int force_flags(const struct sim *s, const struct due *d)
{
  return d->report || sampling_needs(s, d->step, NEEDS_ENERGIES) ? FORCE_ENERGY : 0;
}

static int bins(const struct sim *s)
{
  (void)s;
  return sums_words(HEAT_BATHS_MOST);
}

/* Carries from the low to the high word of every energy, so that sums over ranks cannot wrap. */
static void carry(struct sums *sums)
{
  for (int k = 0; k < ENERGIES; k++)
    sum_carry(sums->energy[k]);
}

static void accumulate(struct sim *s, int64_t *bin)
{
  struct sums *sums = (struct sums *)bin;
  backend_sums(s->backend, sums);
  carry(sums);
}

static int64_t thermo_set(struct sim *s, struct sums *sums)
{
  thermo_of(&s->thermo, sums, s->bits, s->system->box, s->dof, s->n_baths);
  s->thermo_step = s->system->clock.step;
  if (sum_overflow(sums)) s->thermo.potential = (double)INFINITY;
  return sum_overflow(sums);
}

static int64_t *take(struct sim *s, int64_t *bin)
{
  thermo_refuse_overflow(s->system->clock.step, thermo_set(s, (struct sums *)bin));
  return bin;
}

const struct observer thermo_observer = {.name = "energies",
                                         .timer = TIMER_couple,
                                         .due = due,
                                         .force_flags = force_flags,
                                         .bins = bins,
                                         .accumulate = accumulate,
                                         .take = take};

void thermo_take(struct sim *s, struct sums *sums)
{
  carry(sums);
  observer_sum(s, (int64_t *)sums, bins(s));
  take(s, (int64_t *)sums);
}

int64_t thermo_update(struct sim *s)
{
  struct sums sums;
  accumulate(s, (int64_t *)&sums);
  observer_sum(s, (int64_t *)&sums, bins(s));
  return thermo_set(s, &sums);
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
        "beads overlap, or molecules are broken; minimise the start or take a smaller run.dt",
        (long long)step, (long long)overflow);
}
