#include "md/schedule.h"

#include <string.h>

#include "backend/backend.h"

int schedule_divides(int64_t step, int64_t every)
{
  return every > 0 && step % every == 0;
}

/* The sums of the start of a run are not used. */
static int coupling_due(int64_t step, int64_t every)
{
  return step > 0 && schedule_divides(step, every);
}

/* crescale moves a part of the way at a multiple of its interval and measures the pressure one step
   later: the thermostat acts there too, so that one sum over all beads serves both,
   and momentum is removed there. */
struct due schedule_due(const struct params *p, int64_t step)
{
  const int is_crescale = p->barostat_type == BAROSTAT_CRESCALE;
  const int64_t coupled = step - is_crescale;
  struct due d;
  memset(&d, 0, sizeof d);
  d.step = step;
  d.report = schedule_divides(step, p->output_energies_every);
  d.frame = schedule_divides(step, p->output_frames_every);
  d.checkpoint = schedule_divides(step, p->output_checkpoint_every);
  d.verify = schedule_divides(step, p->run_verify);
  d.last = step == p->run_steps;
  d.exchange = coupling_due(step, p->exchange_every);
  d.thermostat =
      (p->thermostat_type == THERMOSTAT_BERENDSEN || p->thermostat_type == THERMOSTAT_BUSSI) &&
      coupling_due(coupled, p->thermostat_every);
  d.probe = is_crescale && schedule_divides(step, p->barostat_every);
  d.barostat = (p->barostat_type == BAROSTAT_BERENDSEN && coupling_due(step, p->barostat_every)) ||
               (is_crescale && coupled >= 0 && schedule_divides(coupled, p->barostat_every));
  d.momentum = coupling_due(coupled, p->run_momentum_every);
  return d;
}

int due_coupling(const struct due *d)
{
  return due_coupling_sums(d) || d->probe;
}

int due_coupling_sums(const struct due *d)
{
  return d->thermostat || d->barostat || d->momentum;
}

int due_force_flags(const struct due *d)
{
  return d->report || d->exchange ? FORCE_ENERGY : d->barostat ? FORCE_VIRIAL : 0;
}

int due_state(const struct due *d, int64_t every, int box_is_tight)
{
  return d->frame || d->checkpoint || d->verify || d->last || d->exchange ||
         schedule_divides(d->step, every) || ((d->barostat || d->probe) && box_is_tight);
}
