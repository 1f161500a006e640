#include "md/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/units.h"
#include "md/biases.h"
#include "md/coupling.h"
#include "md/exchange.h"
#include "md/fields.h"
#include "md/listcheck.h"
#include "md/observers.h"
#include "md/output.h"
#include "md/partition.h"
#include "md/performance.h"
#include "md/plumed.h"
#include "md/schedule.h"
#include "md/simulation.h"
#include "md/snapshot.h"
#include "md/step.h"
#include "md/stop.h"
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
  for (int k = 0; k < s->teams.n; k++) {
    const struct heat_bath *b = &s->bath[s->teams.team[k].bath];
    m.bath[k].decay = m.noise ? portable_exp(-m.dt / b->tau) : 1;
    m.bath[k].kT = UNITS_BOLTZMANN * ramp_at(&b->temperature, s->system->clock.time);
  }
  m.seed = s->system->clock.seed;
  m.step = s->system->clock.step;
  m.box_changes = p->barostat_type != BAROSTAT_NONE;
  m.max_displacement = fmax(s->system->lists.skin, 0.01 * s->cutoff);
  m.list_expiry = s->list_expiry;
  m.search_reach = s->list_expiry == EXPIRY_SEARCH ? listcheck_halo_width(s) : 0;
  return m;
}

/* The pipeline: submitting steps without waiting for them, if s->runs_ahead, that is on backends
   with async_ops that search for unlisted pairs, if the transport reduces on the device. When the
   lists of any rank expire at a step, the kernels of later steps are no-ops; the host finds out
   when it drains the pipeline, and resumes from that step. Small systems on one rank are submitted
   as batches of steps (CUDA graphs). */

/* DEFER_STEPS: after a sample the device first gets a step and then a batch to compute while
   the host works on the sample. */
enum { BATCH_STEPS = 4, DEFER_STEPS = 2 };

/* What a batch has besides plain steps. */
enum batch_extra { EXTRA_COUPLING = 1, EXTRA_VIRIAL = 2, EXTRA_ENERGY = 4 };

static int extras_of(const struct step_batch *batch)
{
  const int sums = batch->flags == FORCE_ENERGY   ? EXTRA_ENERGY
                   : batch->flags == FORCE_VIRIAL ? EXTRA_VIRIAL
                                                  : 0;
  return (batch->coupling ? EXTRA_COUPLING : 0) | sums;
}

/* Finds what to submit: a coupling if one is due now (its parameters go to *coupling), then up to
   `most` steps. The batch ends where another coupling is due, or sums or the state are needed. */
static struct step_batch batch_next(const struct sim *s, int64_t most,
                                    struct coupling_params *coupling)
{
  struct step_batch batch = {0, NULL, 0};
  struct due due;
  if (coupling_params_due(s, coupling)) batch.coupling = coupling;
  do {
    batch.steps++;
    due = schedule_due(s->params, s->system->clock.step + batch.steps);
    batch.flags = due_force_flags(&due) | observers_force_flags(s, &due);
  } while (batch.steps < most && !due_coupling(&due) && !batch.flags && !observers_due(s, &due) &&
           !due_state(&due, s->state_every, box_is_tight(s)));
  return batch;
}

/* 1 if the noise of later steps is that of another temperature. The temperatures of couplings are
   in device memory. */
static int noise_changes(const struct sim *s)
{
  int changes = 0;
  for (int k = 0; k < s->n_baths && s->params->thermostat_type == THERMOSTAT_LANGEVIN; k++)
    changes |= !ramp_is_constant(&s->bath[k].temperature, s->system->clock.time);
  return changes;
}

/* 1 if steps are submitted in batches, whose steps have the same parameters. Only after the second
   list build: a graph can be captured only when all kernels of a plain step have been loaded. Not
   with early_notify: such long steps gain nothing. */
static int has_batches(const struct sim *s)
{
  return s->params->parallel_graph && !s->plumed && s->ranks->size == 1 &&
         !s->backend->early_notify && s->backend->ops->async->batch_begin && s->builds >= 2 &&
         !noise_changes(s);
}

/* The calls of a batch. m: the parameters of its first step. */
static void batch_enqueue(struct sim *s, struct integrate_params *m, const struct step_batch *batch)
{
  const int64_t last = m->step + batch->steps;
  m->coupled = batch->coupling != NULL;
  if (batch->coupling) coupling_enqueue(s, batch->coupling);
  for (; m->step < last; m->step++, m->coupled = 0)
    step_enqueue(s, m);
}

/* Submits a batch at once. Where none of its kind has been submitted, the backend captures its
   calls as a graph. */
static void batch_submit(struct sim *s, struct integrate_params *m, const struct step_batch *batch)
{
  const struct async_ops *async = s->backend->ops->async;
  const int64_t last = m->step + batch->steps;
  m->coupled = batch->coupling != NULL;
  timers_switch(&s->timers, TIMER_move);
  if (async->batch_begin(s->backend, m, batch)) batch_enqueue(s, m, batch);
  async->batch_launch(s->backend);
  clock_advance(&s->system->clock, last, s->params->run_dt);
}

static void deferred_samples(struct sim *s, int64_t steps)
{
  if (s->sampling) timers_switch(&s->timers, TIMER_observe);
  sampling_catch_up(s, steps);
}

/* Submits the couplings that are due after the present state and the step that begins with it, or a
   batch of steps. m: the parameters of the first. Advances the step of the system. Does not wait
   for the device. */
static void pipeline_submit(struct sim *s, struct integrate_params *m)
{
  struct coupling_params coupling;
  const int batches = has_batches(s);
  struct step_batch batch = batch_next(s, batches ? BATCH_STEPS : 1, &coupling);
  m->reduce_expired = s->ranks->size > 1;
  if (batches && !(extras_of(&batch) & ~s->extras_run)) {
    batch_submit(s, m, &batch);
  } else {
    if (batch.steps > 1) batch = batch_next(s, 1, &coupling);
    s->extras_run |= extras_of(&batch);
    batch_enqueue(s, m, &batch);
  }
  deferred_samples(s, DEFER_STEPS);
}

/* 1 if the state of the present step is needed. */
static int needs_state(const struct sim *s)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  return due_state(&due, s->state_every, box_is_tight(s)) || observers_due(s, &due) ||
         plumed_needs_state(s);
}

/* 1 if the state of the present step is needed or lists are known to have expired; the result is
   kept in s->in_flight. Waits until the device has begun the last submitted step, and so limits how
   far the host runs ahead. The same on all ranks. */
static int must_drain(struct sim *s)
{
  timers_switch(&s->timers, TIMER_wait);
  s->in_flight = !(needs_state(s) || s->backend->ops->async->poll_expired(s->backend));
  return !s->in_flight;
}

/* Sets the system back to the step at which lists had expired, builds them, and finishes it. If it
   is the step of the last build, that has failed on the device and is repeated. */
static void pipeline_go_back(struct sim *s, int64_t expired)
{
  clock_advance(&s->system->clock, expired, s->params->run_dt);
  s->repeats_build = expired == s->system->lists.step;
  step_resume(s);
  s->repeats_build = 0;
}

/* If lists have expired and nothing needs a state, goes on from that step without waiting, where
   the backend can, and returns 1. */
static int pipeline_resumed(struct sim *s)
{
  const int64_t expired = needs_state(s) ? -1 : s->backend->ops->async->resume(s->backend);
  if (expired < 0) return 0;
  timers_switch(&s->timers, TIMER_couple);
  coupling_fetch(s);
  pipeline_go_back(s, expired);
  s->in_flight = 1;
  return 1;
}

/* Waits for all submitted steps. If the lists had expired at an earlier step, sets the system back
   to it, builds lists and finishes that step. Then visits the observers that are due. */
static void pipeline_drain(struct sim *s)
{
  struct backend *b = s->backend;
  const struct due due = schedule_due(s->params, s->system->clock.step);
  struct sums sums, *out = NULL;
  if (thermo_due(s, &due)) out = &sums;
  deferred_samples(s, 0); /* before the next sample; the host would wait now */
  timers_switch(&s->timers, TIMER_wait);
  int64_t expired = b->ops->async->drain(b, out);
  timers_switch(&s->timers, TIMER_couple);
  coupling_fetch(s);
  if (expired >= 0) {
    pipeline_go_back(s, expired);
    out = NULL;
  }
  timers_switch(&s->timers, TIMER_couple);
  biases_fetch(s);
  fields_fetch(s);
  observers_visit(s, out);
}

/* Couplings first: their scaling of the present state is part of the next step. Then the step.
   pipeline_submit does both without waiting; otherwise the step is complete when it returns. */
void run_advance(struct sim *s)
{
  struct integrate_params m = integrate_params_of(s);
  timers_switch(&s->timers, TIMER_couple);
  if (s->runs_ahead) {
    pipeline_submit(s, &m);
    if (must_drain(s) && !pipeline_resumed(s)) pipeline_drain(s);
  } else {
    coupling_apply(s, &m);
    step_enqueue(s, &m);
    timers_switch(&s->timers, TIMER_couple);
    biases_fetch(s);
    fields_fetch(s);
    observers_visit(s, NULL);
  }
  timers_switch(&s->timers, TIMER_other);
}

/* The largest |a - b| over all ranks, or |a| if b is NULL. */
static double largest_of(const struct sim *s, const double *a, const double *b)
{
  double most = 0;
  for (int64_t k = 0; k < 3 * s->system->n; k++)
    most = fmax(most, fabs(b ? a[k] - b[k] : a[k]));
  ranks_max_double(s->ranks, &most, 1);
  return most;
}

/* Largest deviation that rounding explains, relative to the largest force, kJ/mol/nm. In single
   precision the ranges of Gay-Berne pairs lose digits by cancellation, the more the longer the
   ellipsoids are: deviations of 3e-5 were seen for a length of 3 widths, 1e-3 for 10. A pair next
   to a cutoff may count in one precision and not in the other. */
static double allowed(const struct sim *s, double largest)
{
  const struct forcefield *ff = s->system->ff;
  double kappa = 1;
  if (s->params->run_precision == PRECISION_DOUBLE) return 1e-9;
  for (int t = 0; t < ff->n_types; t++)
    if (s->plan.present[t]) kappa = fmax(kappa, ff->type[t].kappa);
  const double jump = pair_force_jump(&s->plan, ff);
  return 2e-5 * kappa * kappa + (largest > 0 ? jump / largest : 0);
}

/* Recomputes forces and torques of the present state on the CPU backend in double precision, with
   lists of its own, and logs the largest deviation relative to the largest force and torque. Status
   3 if it exceeds the rounding errors of the run's precision. */
static void verify_forces(struct sim *s)
{
  struct params *p = sim_params_reference();
  double *force, *torque, *force2, *torque2;
  params_set_real(p, "neighbor.skin", s->system->lists.skin);
  params_set_int(p, "parallel.axis", s->params->parallel_axis);
  params_set_int(p, "parallel.threads", s->params->parallel_threads);
  params_set_real(p, "run.dt", s->params->run_dt);
  params_set_text(p, "groups", s->params->groups);
  params_set_text(p, "fields", s->params->fields);
  params_set_text(p, "coordinates", s->params->coordinates);
  params_set_text(p, "biases", s->params->biases);
  params_set_text(p, "restraints", s->params->restraints);
  params_take(p, s->params, "soft_core");
  params_take(p, s->params, "thermostat");
  params_set_int(p, "run.replica", exchange_number(s));
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  snapshot_forces(s, &force, &torque);
  biases_save(s);
  struct system *copy = system_copy(s->system);
  list_build_forget(&copy->lists);
  struct sim *other = sim_create(s->ranks, p, copy, SIM_STATE);
  if (s->plumed) plumed_apply_again(other, 0);
  snapshot_forces(other, &force2, &torque2);
  double f = largest_of(s, force2, NULL), t = largest_of(s, torque2, NULL);
  double df = largest_of(s, force, force2) / (f > 0 ? f : 1);
  double dt = largest_of(s, torque, torque2) / (t > 0 ? t : 1);
  info("verify: step %lld: forces agree to %.2g, torques to %.2g of the largest",
       (long long)s->system->clock.step, df, dt);
  if (!(df <= allowed(s, f)) || !(dt <= allowed(s, 0)))
    die_all(STATUS_NUMERIC,
            "step %lld: forces deviate by %.3g and torques by %.3g of the largest from their "
            "recomputation (allowed %.3g): hardware or program is at fault; the last checkpoint "
            "stands",
            (long long)s->system->clock.step, df, dt, allowed(s, f));
  sim_destroy(other);
  system_destroy(copy);
  params_destroy(p);
  free(force);
  free(torque);
  free(force2);
  free(torque2);
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
  exchange_leave(s);
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

/* 1 if a stop is requested, the state of the present step is complete, and a checkpoint of it fits
   to the files of PLUMED. */
static int stops(struct sim *s, struct stop_clock *c)
{
  if (s->in_flight) return 0;
  const int stop = stop_requested(s->ranks, c, s->system->clock.step, s->params->run_max_hours);
  return plumed_stop(s, exchange_stop(s, stop));
}

int run_all(struct sim *s, int append, struct stop_clock *c)
{
  const struct params *p = s->params;
  const int64_t first = s->system->clock.step;
  fields_say(s);
  plumed_start(s);
  if (!append && first == 0 && s->system->run.n_accumulated == 0) sampling_now(s);
  exchange_start(s, append);
  struct output *o = output_open(s, append);
  int status = STATUS_DONE;
  if (!append && first < p->run_steps) output_checkpoint(o);
  timers_start(&s->timers);
  double started = ranks_time();
  stop_clock_begin(c);
  stop_await_steps();
  while (s->system->clock.step < p->run_steps) {
    exchange_attempt(s);
    heartbeat_step_begin(s->ranks);
    run_advance(s);
    heartbeat_step_end(s->ranks);
    if (schedule_due(p, s->system->clock.step).verify) verify_forces(s);
    output_step(o);
    box_keep(s, o);
    if (stops(s, c)) {
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
  exchange_say(s);
  if (s->system->clock.step > first) performance_report(s, s->system->clock.step - first, seconds);
  if (status == STATUS_STOPPED)
    info("stopped at step %lld of %lld; the same command %scontinues",
         (long long)s->system->clock.step, (long long)p->run_steps,
         strcmp(p->restart, "auto") ? "with --restart=auto " : "");
  else
    info("done: step %lld of %lld", (long long)s->system->clock.step, (long long)p->run_steps);
  return status;
}
