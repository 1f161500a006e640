#include "md/coupling.h"

#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "md/exchange.h"
#include "md/listcheck.h"
#include "md/observers.h"

struct coupling_params coupling_rules(const struct params *p, int64_t step, double time)
{
  const struct due due = schedule_due(p, step);
  struct coupling_params c;
  memset(&c, 0, sizeof c);
  c.step = step;
  c.thermostat = due.thermostat ? p->thermostat_type : THERMOSTAT_NONE;
  c.barostat = due.barostat ? p->barostat_type : BAROSTAT_NONE;
  c.probe = due.probe;
  c.momentum = due.momentum;
  c.n_baths = c.n_teams = c.n_groups = 1;
  c.bath[0].temperature = c.temperature = ramp_at(&p->thermostat_temperature, time);
  c.bath[0].tau = p->thermostat_tau;
  c.thermostat_time = (double)p->thermostat_every * p->run_dt;
  c.barostat_time = (double)p->barostat_every * p->run_dt;
  c.barostat_tau = p->barostat_tau;
  c.coupling_mode = p->barostat_coupling;
  c.pressure = ramp_at(&p->barostat_pressure, time);
  c.tension = ramp_at(&p->barostat_surface_tension, time);
  memcpy(c.compressibility, p->barostat_compressibility, sizeof c.compressibility);
  return c;
}

/* If several baths must not change the total momentum, each scales the motion relative to its own
   centre of mass. The motion of these centres relative to each other is scaled as one more bath,
   whose temperature and relaxation time are means over the baths, weighted by their shares of that
   motion in equilibrium. */
static void baths_set(const struct sim *s, struct coupling_params *c)
{
  const struct teams *t = &s->teams;
  const int apart = s->n_baths > 1 && s->momentum_is_constant && t->momentum == 0;
  for (int k = 0; k < s->n_baths; k++) {
    const struct heat_bath *b = &s->bath[k];
    const double rest = 1 - b->mass / s->mass, share = rest / (s->n_baths - 1);
    const double temperature = ramp_at(&b->temperature, s->system->clock.time);
    c->bath[k] = (struct bath_params){temperature, b->tau, b->dof, b->mass};
    if (!apart) continue;
    c->bath[k].dof -= 3 * rest;
    c->centres.temperature += share * temperature;
    c->centres.tau += share * b->tau;
  }
  if (apart) c->centres.dof = 3 * (s->n_baths - 1);
  c->n_teams = t->n;
  c->n_groups = t->n_groups;
  memcpy(c->team, t->team, sizeof c->team);
  memcpy(c->group_mass, t->mass, sizeof c->group_mass);
}

/* The parameters of the couplings that are due after the present step. */
static struct coupling_params coupling_params_of(const struct sim *s)
{
  const struct system *y = s->system;
  struct coupling_params c = coupling_rules(s->params, y->clock.step, y->clock.time);
  c.seed = y->clock.seed;
  c.n_baths = s->n_baths;
  baths_set(s, &c);
  exchange_set_coupling(s, &c);
  c.dof = s->dof;
  c.mass = s->mass;
  c.bits = s->bits;
  c.cutoff = s->cutoff;
  c.margin = s->list_margin;
  c.reach[0] = listcheck_radius(s);
  c.reach[1] = listcheck_halo_width(s);
  memcpy(c.build_box, y->lists.box, sizeof c.build_box);
  return c;
}

struct coupling_state coupling_state_of(const struct sim *s)
{
  const struct coupling_params how = coupling_params_of(s);
  struct coupling_state now = coupling_state_start(s->system->box);
  now.work = s->system->run.conserved_work;
  couple_list_thresholds(&how, &now);
  return now;
}

void coupling_fetch(struct sim *s)
{
  const struct async_ops *async = s->backend->ops->async;
  struct coupling_state now;
  if (!async) return;
  async->coupling_state(s->backend, &now);
  transport_check(&s->transport);
  thermo_refuse_overflow(now.step, now.overflow);
  system_set_box(s->system, now.box);
  run_record_set_work(&s->system->run, now.work);
}

/* Status 3 if the barostat scales a box edge by too much at once. couple_apply is the same check on
   the device, reported as an overflow. */
static void refuse_stretch(const struct sim *s, const double stretch[3])
{
  const struct params *p = s->params;
  for (int k = 0; k < 3; k++)
    if (!couple_is_valid_stretch(stretch[k]))
      die_all(STATUS_NUMERIC,
              "step %lld: the barostat multiplies the box edge along %c by %g at once; the target "
              "is %g bar (1 bar = 100000 Pa) and the pressure is %.6g bar: check units and "
              "overlaps, or take a larger barostat.tau",
              (long long)s->system->clock.step, axis_name(k), stretch[k],
              ramp_at(&p->barostat_pressure, s->system->clock.time),
              tensor_trace(s->thermo.pressure));
}

static void couple_on_host(struct sim *s, const struct coupling_params *how,
                           struct integrate_params *m)
{
  struct system *y = s->system;
  struct thermo o = s->thermo;
  double work = couple_exchange(how, &o);
  work += couple_factors(how, &o, y->box, &m->scaling);
  run_record_set_work(&y->run, y->run.conserved_work + work);
  refuse_stretch(s, m->scaling.stretch);
  system_scale_box(y, m->scaling.stretch);
  const struct coupling_state now = coupling_state_of(s);
  s->backend->ops->set_box(s->backend, &now, y->lists.box);
}

void coupling_enqueue(struct sim *s, const struct coupling_params *how)
{
  struct backend *b = s->backend;
  if (couple_measures(how)) {
    struct sums *sums = b->ops->async->coupling_sums(b);
    transport_sum(&s->transport, (int64_t *)sums, sums_words(s->teams.n));
  }
  b->ops->async->couple(b, how);
}

int coupling_params_due(const struct sim *s, struct coupling_params *how)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  const int is_due = due_coupling(&due) || exchange_couples(s);
  if (is_due) *how = coupling_params_of(s);
  return is_due;
}

void coupling_apply(struct sim *s, struct integrate_params *m)
{
  struct coupling_params how;
  if (!coupling_params_due(s, &how)) return;
  if (!s->backend->ops->async) {
    couple_on_host(s, &how, m);
    return;
  }
  coupling_enqueue(s, &how);
  m->coupled = 1;
  coupling_fetch(s);
}
