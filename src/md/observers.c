#include "md/observers.h"

#include <math.h>

#include "base/log.h"
#include "md/partition.h"
#include "md/sampling.h"

/* Energies, virial and kinetic sums */

int thermo_due(const struct sim *s, const struct due *d)
{
  if (d->report || sampling_needs(s, d->step) & NEEDS_ENERGIES) return 1;
  return due_coupling_sums(d) && (!s->backend->ops->async || due_state(d, box_is_tight(s)));
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
  ranks_sum_int64(s->ranks, (int64_t *)sums, sums_words(HEAT_BATHS_MOST));
}

static int64_t thermo_set(struct sim *s, struct sums *sums)
{
  thermo_of(&s->thermo, sums, s->bits, s->system->box, s->dof, s->n_baths);
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
