#include "md/run.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "md/box.h"
#include "md/coupling.h"
#include "md/listcheck.h"
#include "md/observers.h"
#include "md/output.h"
#include "md/performance.h"
#include "md/pipeline.h"
#include "md/sampling.h"
#include "md/schedule.h"
#include "md/step.h"
#include "md/stop.h"
#include "md/verify.h"
#include "mpi/comm/heartbeat.h"

/* The parameters of the step that begins with the present state, without scaling. */
static struct integrate_params integrate_params_of(const struct sim *s)
{
  const struct params *p = s->params;
  struct integrate_params m;
  memset(&m, 0, sizeof m);
  m.dt = p->run_dt;
  m.scaling = scaling_none();
  m.noise = p->thermostat_type == THERMOSTAT_LANGEVIN;
  for (int k = 0; k < s->n_baths; k++) {
    m.bath[k].decay = m.noise ? exp(-m.dt / s->bath[k].tau) : 1;
    m.bath[k].kT = UNITS_BOLTZMANN * s->bath[k].temperature;
  }
  m.seed = s->system->clock.seed;
  m.step = s->system->clock.step;
  m.box_changes = p->barostat_type != BAROSTAT_NONE;
  m.max_displacement = fmax(s->system->lists.skin, 0.01 * s->cutoff);
  m.list_expiry = s->list_expiry;
  m.search_reach = s->list_expiry == EXPIRY_SEARCH ? listcheck_halo_width(s) : 0;
  return m;
}

/* Couplings first: their scaling of the present state is part of the next step. Then the step.
   pipeline_submit does both without waiting; otherwise the step is complete when it returns. */
void run_advance(struct sim *s)
{
  struct integrate_params m = integrate_params_of(s);
  timers_switch(&s->timers, TIMER_couple);
  if (s->runs_ahead) {
    pipeline_submit(s, &m);
    if (pipeline_must_drain(s)) pipeline_drain(s);
  } else {
    coupling_apply(s, &m);
    step_enqueue(s, &m);
    timers_switch(&s->timers, TIMER_couple);
    observers_visit(s, NULL);
  }
  timers_switch(&s->timers, TIMER_other);
}

/* If a barostat has shrunk the box to nearly too small for lists or regions, or clusters have
   become too long for regions, writes a checkpoint and ends the program with status 2. */
static void box_keep(struct sim *s, struct output *o)
{
  const double scale = 0.99, *box = s->system->box;
  const long long step = s->system->clock.step;
  const int changes = s->params->barostat_type != BAROSTAT_NONE || s->extent > 0;
  if (!changes || s->in_flight) return;
  const enum box_fit fit = box_fit_of(s, scale);
  if (fit == BOX_FITS) return;
  output_checkpoint(o);
  if (fit == BOX_EDGE_SHORT)
    die_all(
        STATUS_INPUT,
        "step %lld: the box has shrunk to %.4g x %.4g x %.4g nm, nearly twice the list radius of "
        "%.4g nm or the longest constraint (%.4g nm): the checkpoint is written; a smaller "
        "neighbor.skin or a larger system is needed",
        step, box[0], box[1], box[2], listcheck_radius(s), s->longest_constraint);
  char why[REGIONS_TEXT];
  box_explain_regions(s, scale, why);
  die_all(STATUS_INPUT,
          "step %lld: the box is %.4g x %.4g x %.4g nm now, and %s; the checkpoint is written",
          step, box[0], box[1], box[2], why);
}

/* 1 if a stop is requested and the state of the present step is complete. */
static int stops(struct sim *s, struct stop_clock *c, double started)
{
  return !s->in_flight &&
         stop_requested(s->ranks, c, s->system->clock.step, started, s->params->run_max_hours);
}

int run_all(struct sim *s, int append)
{
  const struct params *p = s->params;
  const int64_t first = s->system->clock.step;
  if (!append && first == 0 && s->system->run.n_accumulated == 0) sampling_now(s);
  struct output *o = output_open(s, append);
  struct stop_clock last = {0, 0, 0};
  int status = STATUS_DONE;
  if (!append && first < p->run_steps) output_checkpoint(o);
  timers_start(&s->timers);
  double started = ranks_time();
  stop_await_steps();
  while (s->system->clock.step < p->run_steps) {
    heartbeat_step_begin(s->ranks);
    run_advance(s);
    heartbeat_step_end(s->ranks);
    if (schedule_due(p, s->system->clock.step).verify) verify_forces(s);
    output_step(o);
    box_keep(s, o);
    if (stops(s, &last, started)) {
      status = s->system->clock.step < p->run_steps ? STATUS_STOPPED : STATUS_DONE;
      break;
    }
  }
  stop_run_ends();
  timers_switch(&s->timers, TIMER_output);
  output_checkpoint(o);
  timers_switch(&s->timers, TIMER_other);
  double seconds = ranks_time() - started;
  output_close(o);
  if (s->system->clock.step > first) performance_report(s, s->system->clock.step - first, seconds);
  if (status == STATUS_STOPPED)
    info("stopped at step %lld of %lld; the same command %scontinues",
         (long long)s->system->clock.step, (long long)p->run_steps,
         strcmp(p->restart, "auto") ? "with --restart=auto " : "");
  else
    info("done: step %lld of %lld", (long long)s->system->clock.step, (long long)p->run_steps);
  return status;
}
