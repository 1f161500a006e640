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

struct due schedule_due(const struct params *p, int64_t step)
{
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
      coupling_due(step, p->thermostat_every);
  d.probe = p->barostat_type == BAROSTAT_CRESCALE && schedule_divides(step, p->barostat_every);
  d.barostat = (p->barostat_type == BAROSTAT_BERENDSEN && coupling_due(step, p->barostat_every)) ||
               (p->barostat_type == BAROSTAT_CRESCALE && step > 0 &&
                schedule_divides(step - 1, p->barostat_every));
  d.momentum = coupling_due(step, p->run_momentum_every);
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

int due_state(const struct due *d, int box_is_tight)
{
  return d->frame || d->checkpoint || d->verify || d->last || d->exchange ||
         schedule_divides(d->step, STATE_EVERY) || ((d->barostat || d->probe) && box_is_tight);
}
