#include "dynamics/couple.h"

#include <string.h>

static int every(int64_t step, int64_t interval)
{
  return step > 0 && interval > 0 && step % interval == 0;
}

static int thermostat_due(const struct params *p, int64_t step)
{
  return (p->thermostat_type == THERMOSTAT_BERENDSEN || p->thermostat_type == THERMOSTAT_BUSSI) &&
         every(step, p->thermostat_every);
}

int couple_needs_virial(const struct params *p, int64_t step)
{
  return p->barostat_type != BAROSTAT_NONE && every(step, p->barostat_every);
}

int couple_due(const struct params *p, int64_t step)
{
  return thermostat_due(p, step) || couple_needs_virial(p, step) ||
         every(step, p->run_momentum_every);
}

struct coupling_params couple_rules(const struct params *p, int64_t step)
{
  struct coupling_params c;
  memset(&c, 0, sizeof c);
  c.step = step;
  c.thermostat = thermostat_due(p, step) ? p->thermostat_type : THERMOSTAT_NONE;
  c.barostat = couple_needs_virial(p, step) ? p->barostat_type : BAROSTAT_NONE;
  c.momentum = every(step, p->run_momentum_every);
  c.temperature = p->thermostat_temperature;
  c.thermostat_time = (double)p->thermostat_every * p->run_dt;
  c.thermostat_tau = p->thermostat_tau;
  c.barostat_time = (double)p->barostat_every * p->run_dt;
  c.barostat_tau = p->barostat_tau;
  c.edges = p->barostat_coupling;
  c.pressure = p->barostat_pressure;
  c.tension = p->barostat_surface_tension;
  c.compressibility = p->barostat_compressibility;
  return c;
}
