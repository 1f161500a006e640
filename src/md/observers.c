#include "md/observers.h"

#include "md/sampling.h"
#include "md/thermo_observer.h"

static const struct observer *const observers[] = {&thermo_observer, &sampling_observer};
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

int observers_need_sums(const struct sim *s, const struct due *d)
{
  return thermo_observer.due(s, d);
}

void observers_visit(struct sim *s, struct sums *sums)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  for (int k = 0; k < OBSERVERS; k++) {
    if (observers[k] == &thermo_observer && sums)
      thermo_take(s, sums);
    else if (observers[k]->due(s, &due))
      observer_visit(s, observers[k]);
  }
}
