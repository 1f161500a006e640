/* The order of operations of a step: velocity Verlet with neighbour lists and a halo exchange.
   step_advance is the entry; step_enqueue is one step. Reports and files are written by the caller
   between steps (output.h). */
#include "md/step.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "md/coupling.h"
#include "md/listcheck.h"
#include "md/neighbor.h"
#include "md/observer.h"
#include "md/pipeline.h"
#include "md/schedule.h"
#include "mpi/domain/halo.h"

/* Forces of the interior beads, which need no halo, of the boundary beads, or of all. */
static void force(struct sim *s, enum force_part part, int flags)
{
  timers_switch(&s->timers, TIMER_force);
  s->backend->ops->force(s->backend, part, flags);
}

/* Whether the forces of the present step come with energies and virial. */
static int force_flags(const struct sim *s)
{
  const struct due due = schedule_due(s->params, s->system->step);
  return due_force_flags(&due) | observers_force_flags(s, &due);
}

/* The rest of a step whose lists have expired, up to its forces: new lists, all forces. */
static void rebuild_and_force(struct sim *s)
{
  neighbor_build(s, 0);
  force(s, FORCE_ALL, force_flags(s));
}

/* Pending scaling of momenta; half kick; pending scaling of the box; drift and rotation, with
   Langevin noise. Afterwards the system is at step m->step + 1. */
static void integrate_first_half(struct sim *s, const struct integrate_params *m)
{
  timers_switch(&s->timers, TIMER_move);
  s->backend->ops->integrate_first_half(s->backend, m);
  system_set_step(s->system, m->step + 1, s->params->run_dt);
}

/* Half kick with the new forces. */
static void integrate_second_half(struct sim *s)
{
  timers_switch(&s->timers, TIMER_move);
  s->backend->ops->integrate_second_half(s->backend, s->params->run_dt);
}

/* One step. Interior forces are computed while the halo messages are under way. */
void step_enqueue(struct sim *s, const struct integrate_params *m)
{
  integrate_first_half(s, m);
  const int flags = force_flags(s);
  int expired = listcheck_begin(s);
  if (!expired) {
    timers_switch(&s->timers, TIMER_halo);
    halo_start(&s->transport, s->backend);
    force(s, FORCE_INTERIOR, flags);
    timers_switch(&s->timers, TIMER_halo);
    halo_finish(&s->transport, s->backend);
    expired = listcheck_end(s); /* 0 with the pipeline, which finds out later: step_resume */
  }
  if (expired)
    rebuild_and_force(s);
  else
    force(s, FORCE_BOUNDARY, flags);
  integrate_second_half(s);
}

void step_resume(struct sim *s)
{
  rebuild_and_force(s);
  integrate_second_half(s);
}

/* The parameters of the step that begins with the present state, without scaling. */
static struct integrate_params integrate_params_of(const struct sim *s)
{
  const struct params *p = s->params;
  struct integrate_params m;
  memset(&m, 0, sizeof m);
  m.dt = p->run_dt;
  m.scaling = scaling_none();
  m.noise = p->thermostat_type == THERMOSTAT_LANGEVIN;
  m.tau = p->thermostat_tau;
  m.kT = UNITS_BOLTZMANN * p->thermostat_temperature;
  m.seed = s->system->seed;
  m.step = s->system->step;
  m.box_changes = p->barostat_type != BAROSTAT_NONE;
  m.max_displacement = fmax(s->system->skin, 0.01 * s->cutoff);
  m.list_expiry = listcheck_policy(s);
  return m;
}

/* Couplings first: their scaling of the present state is part of the next step. Then the step,
   either submitted without waiting for it, or complete when it returns. */
void step_advance(struct sim *s)
{
  struct integrate_params m = integrate_params_of(s);
  timers_switch(&s->timers, TIMER_couple);
  coupling_apply(s, &m);
  if (pipeline_is_used(s)) {
    pipeline_submit(s, &m);
    if (pipeline_must_drain(s)) pipeline_drain(s);
  } else {
    step_enqueue(s, &m);
    timers_switch(&s->timers, TIMER_couple);
    observers_visit(s, NULL);
  }
  timers_switch(&s->timers, TIMER_other);
}
