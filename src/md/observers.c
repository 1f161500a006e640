#include "md/observers.h"

#include "md/sampling.h"
#include "md/thermo_observer.h"

int observers_due(const struct sim *s, const struct due *d)
{
  return thermo_due(s, d) || sampling_due(s, d->step);
}

int observers_force_flags(const struct sim *s, const struct due *d)
{
  return d->report || sampling_needs(s, d->step, NEEDS_ENERGIES) ? FORCE_ENERGY : 0;
}

int observers_need_sums(const struct sim *s, const struct due *d)
{
  return thermo_due(s, d);
}

void observers_visit(struct sim *s, struct sums *sums)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  if (sums || thermo_due(s, &due)) thermo_visit(s, sums);
  if (sampling_due(s, due.step)) sampling_visit(s);
}
