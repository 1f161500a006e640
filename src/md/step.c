/* The order of a step, and nothing else. Reports and files are the caller's, between steps. */
#include "md/step.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "mpi/domain/halo.h"
#include "mpi/domain/migrate.h"

int step_report_due(const struct params *p, int64_t step)
{
  return p->output_energies_every > 0 && step % p->output_energies_every == 0;
}

int step_want(const struct sim *s, int64_t step)
{
  return step_report_due(s->params, step) || couple_needs_virial(s->params, step) ? FORCE_ENERGY
                                                                                  : 0;
}

static int interval_due(const struct sim *s, int64_t step)
{
  return s->params->neighbor_rebuild == REBUILD_INTERVAL &&
         step - s->system->build_step >= s->params->neighbor_every;
}

static int watches(const struct sim *s)
{
  return s->params->neighbor_rebuild == REBUILD_EXACT && s->backend->ops->watch;
}

/* By how much the halo is wider than the list radius: beads that have come further than lists allow
   are looked at one by one, which takes all that they may have met. */
static double halo_more(const struct sim *s)
{
  return watches(s) ? 0.5 * s->system->skin : 0;
}

double step_halo(const struct sim *s)
{
  return s->system->ff->cutoff + s->system->skin + halo_more(s);
}

/* The square of the displacement up to which lists hold. */
static double lists_hold(const struct sim *s)
{
  const struct system *y = s->system;
  return couple_displacement2(y->ff->cutoff, y->ff->cutoff + y->skin, y->box, y->build_box);
}

static struct coupling_params coupling_of(const struct sim *s)
{
  const struct system *y = s->system;
  struct coupling_params c = couple_rules(s->params, y->step);
  c.seed = y->seed;
  c.dof = s->dof;
  c.mass = s->mass;
  c.bits = s->bits;
  c.cutoff = y->ff->cutoff;
  c.reach[0] = y->ff->cutoff + y->skin;
  c.reach[1] = step_halo(s);
  memcpy(c.build_box, y->build_box, sizeof c.build_box);
  return c;
}

static struct coupling_state coupled_of(const struct sim *s)
{
  const struct coupling_params how = coupling_of(s);
  struct coupling_state now = coupling_state_start(s->system->box);
  now.work = s->system->conserved_work;
  couple_list_thresholds(&how, &now);
  return now;
}

/* What has become of the system by couplings of the device. */
static void coupled_take(struct sim *s)
{
  struct coupling_state now;
  if (!s->backend->ops->couple) return;
  s->backend->ops->coupled(s->backend, &now);
  transport_check(&s->transport);
  sim_refuse_overflow(now.step, now.overflow);
  memcpy(s->system->box, now.box, sizeof now.box);
  s->system->conserved_work = now.work;
}

/* What the device flags in couple_apply. */
static void refuse_stretch(const struct sim *s, const double stretch[3])
{
  const struct params *p = s->params;
  for (int k = 0; k < 3; k++)
    if (!couple_stretches(stretch[k]))
      die_all(STATUS_NUMERIC,
              "step %lld: the barostat multiplies the box edge along %c by %g at once; the target "
              "is %g bar (1 bar = 100000 Pa) and the pressure is %.6g bar: see to units and "
              "overlaps, or take a larger barostat.tau",
              (long long)s->system->step, "xyz"[k], stretch[k], p -> barostat_pressure,
              observe_trace(s->now.pressure));
}

static void couple_on_host(struct sim *s, struct integrate_params *m)
{
  const struct coupling_params how = coupling_of(s);
  struct system *y = s->system;
  y->conserved_work += couple_factors(&how, &s->now, y->box, &m->scaling);
  refuse_stretch(s, m->scaling.stretch);
  for (int k = 0; k < 3; k++)
    y->box[k] *= m->scaling.stretch[k];
}

static void couple_on_device(struct sim *s, struct integrate_params *m)
{
  const struct coupling_params how = coupling_of(s);
  struct backend *b = s->backend;
  struct sums *sums = b->ops->couple_begin(b);
  transport_sum(&s->transport, (int64_t *)sums, (int)(sizeof *sums / sizeof(int64_t)));
  b->ops->couple(b, &how);
  m->coupled = 1;
}

static struct integrate_params move_of(const struct sim *s)
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
  m.limit = fmax(s->system->skin, 0.01 * s->system->ff->cutoff);
  m.end = p->neighbor_rebuild == REBUILD_INTERVAL ? LISTS_COUNTED
          : watches(s)                            ? LISTS_WATCHED
                                                  : LISTS_ASKED;
  return m;
}

/* The lists ended with the move of this step: the rest of it, with new ones. */
static void finish_rebuilt(struct sim *s, int want)
{
  struct backend *b = s->backend;
  step_rebuild(s, 0);
  timers_switch(&s->timers, TIMER_force);
  b->ops->force(b, FORCE_ALL, want);
}

/* Have lists been found to have ended, on any rank? Where hosts run ahead, the devices agree on it,
   and what follows does nothing. */
static int watch(struct sim *s, int ahead)
{
  struct backend *b = s->backend;
  b->ops->watch(b, step_halo(s));
  if (ahead && s->ranks->size > 1) transport_allreduce_flag(&s->transport);
  if (ahead && b->prompt) b->ops->tell(b);
  if (ahead) return 0;
  int64_t step = b->ops->settle(b, NULL);
  ranks_max_int64(s->ranks, &step, 1);
  return step >= 0;
}

/* Forces after a move, every rank having decided from this step's own displacements whether its
   lists still hold; the decision travels while interior forces are computed. */
static void finish_decided(struct sim *s, int want, int ahead)
{
  struct backend *b = s->backend;
  int exact = s->params->neighbor_rebuild == REBUILD_EXACT && !ahead && !watches(s);
  int alone = s->ranks->size == 1, expired = 0;
  double hold = lists_hold(s);
  timers_switch(&s->timers, TIMER_halo);
  if (exact && alone) expired = !(b->ops->displacement2(b) <= hold);
  if (exact && !alone) ranks_max_start(s->ranks, b->ops->displacement2(b));
  if (watches(s) && alone) expired = watch(s, ahead);
  halo_start(&s->transport, b);
  timers_switch(&s->timers, TIMER_force);
  if (!expired) b->ops->force(b, FORCE_INTERIOR, want);
  timers_switch(&s->timers, TIMER_halo);
  if (exact && !alone) expired = !(ranks_max_finish(s->ranks) <= hold);
  halo_finish(&s->transport, b, !expired);
  if (watches(s) && !alone) expired = watch(s, ahead);
  if (expired) {
    finish_rebuilt(s, want);
  } else {
    timers_switch(&s->timers, TIMER_force);
    b->ops->force(b, FORCE_BOUNDARY, want);
  }
}

/* May steps be begun before it is known whether the lists hold? On devices that watch, and agree by
   themselves: there, what follows the step that ended the lists, on whichever rank, does nothing on
   all, until the hosts have looked. */
static int runs_ahead(const struct sim *s)
{
  return watches(s) && (s->ranks->size == 1 || s->transport.ops->allreduce_max);
}

static int divides(int64_t step, int64_t every)
{
  return every > 0 && step % every == 0;
}

enum { AHEAD_MOST = 100, TOGETHER = 4 };

/* May the box, as far as it is known, soon be too small for lists or slabs? Then it is looked at
   after every barostat, so that a state is saved before. */
static int box_is_tight(const struct sim *s)
{
  const struct system *y = s->system;
  const double part = 0.95, reach = y->ff->cutoff + y->skin;
  int tight = slab_most_ranks(step_halo(s), part * y->box[s->slab.axis]) < s->ranks->size;
  for (int k = 0; k < 3; k++)
    tight |= part * y->box[k] < 2 * reach;
  return tight;
}

/* Is the state of a step looked at, whatever its sums are? */
static int looked_at(const struct sim *s, int64_t step)
{
  const struct params *p = s->params;
  return step == p->run_steps || divides(step, AHEAD_MOST) ||
         divides(step, p->output_frames_every) || divides(step, p->output_checkpoint_every) ||
         divides(step, p->run_verify) || (couple_needs_virial(p, step) && box_is_tight(s));
}

/* Does the host take the sums of a step? Those that a device couples by only where a file may
   follow, which must not hold a state whose sums do not fit. */
static int observed(const struct sim *s, int64_t step)
{
  if (step_report_due(s->params, step)) return 1;
  return couple_due(s->params, step) && (!s->backend->ops->couple || looked_at(s, step));
}

/* Does anything need the state of a step? */
static int needed(const struct sim *s, int64_t step)
{
  return observed(s, step) || looked_at(s, step);
}

/* Steps that can be begun at once: they differ in nothing but their number, and while the first
   lists lasted every kernel of theirs was loaded. Long steps gain nothing. */
static int64_t together(const struct sim *s)
{
  const struct params *p = s->params;
  int64_t step = s->system->step;
  if (!p->parallel_graph || !runs_ahead(s) || s->ranks->size > 1 || s->backend->prompt ||
      !s->backend->ops->record || s->builds < 2)
    return 1;
  for (int k = 0; k < TOGETHER; k++)
    if (couple_due(p, step + k) || step_want(s, step + k + 1) || needed(s, step + k + 1)) return 1;
  return TOGETHER;
}

/* Waits for all that was begun, and observes it where that is asked for; or goes back to the step
   at which the lists ended, if they did. 1: that was not so. */
static int settle(struct sim *s, int observe)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  struct sums sums;
  timers_switch(&s->timers, TIMER_force);
  int64_t step = b->ops->settle(b, observe ? &sums : NULL);
  timers_switch(&s->timers, TIMER_couple);
  coupled_take(s);
  if (step < 0 && observe) sim_take_finite(s, &sums);
  if (step < 0) return 1;
  system_set_step(y, step, s->params->run_dt);
  finish_rebuilt(s, step_want(s, step));
  b->ops->kick(b, s->params->run_dt);
  return 0;
}

/* Everything of a step, or its beginning where the host runs ahead. */
static void one(struct sim *s, const struct integrate_params *m)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  int64_t next = y->step + 1;
  int want = step_want(s, next);
  timers_switch(&s->timers, TIMER_move);
  b->ops->kick_drift(b, m);
  system_set_step(y, next, s->params->run_dt);
  if (interval_due(s, next))
    finish_rebuilt(s, want);
  else
    finish_decided(s, want, runs_ahead(s));
  timers_switch(&s->timers, TIMER_move);
  b->ops->kick(b, m->dt);
}

static void several(struct sim *s, struct integrate_params *m, int64_t n)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  int64_t last = y->step + n;
  timers_switch(&s->timers, TIMER_move);
  if (b->ops->record(b, m, n))
    for (; m->step < last; m->step++)
      one(s, m);
  b->ops->replay(b);
  system_set_step(y, last, s->params->run_dt);
}

/* Factors of the move that begins with the present state. */
static void couple(struct sim *s, struct integrate_params *m)
{
  if (!couple_due(s->params, m->step)) return;
  if (!s->backend->ops->couple) {
    couple_on_host(s, m);
    return;
  }
  couple_on_device(s, m);
  if (!runs_ahead(s)) coupled_take(s);
}

void step_advance(struct sim *s)
{
  struct integrate_params m = move_of(s);
  int64_t n = together(s);
  int ahead = runs_ahead(s), done = 0;
  m.ask = ahead && s->ranks->size > 1;
  timers_switch(&s->timers, TIMER_couple);
  couple(s, &m);
  if (n > 1)
    several(s, &m, n);
  else
    one(s, &m);

  int64_t step = s->system->step;
  int observe = observed(s, step);
  timers_switch(&s->timers, TIMER_force);
  s->settled = !ahead || needed(s, step) || s->backend->ops->ended(s->backend);
  if (ahead && s->settled) done = settle(s, observe);
  timers_switch(&s->timers, TIMER_couple);
  if (!done && observe && s->system->step == step) sim_observe_finite(s);
  timers_switch(&s->timers, TIMER_other);
}

enum { CUTOFFS_MOST = 1 << 20 };

/* Positions are multiples of box / 2^32: of a 4096th of the cutoff at most (docs/decisions.md). */
static void refuse_large_box(const struct sim *s)
{
  const double cutoff = s->system->ff->cutoff;
  for (int k = 0; k < 3; k++)
    if (!(s->system->box[k] <= CUTOFFS_MOST * cutoff))
      die_all(
          STATUS_INPUT,
          "the box edge along %c is %.6g nm, more than 2^20 cutoffs (%.6g nm): positions, which "
          "are 32-bit fractions of the box, would be too coarse; take a smaller box",
          "xyz"[k], s -> system -> box[k], CUTOFFS_MOST *cutoff);
}

static void refuse_box(const struct sim *s, double reach)
{
  refuse_large_box(s);
  for (int k = 0; k < 3; k++)
    if (!(s->system->box[k] >= 2 * reach))
      die_all(
          STATUS_INPUT,
          "the box edge along %c is %.6g nm, less than twice the list radius (cutoff %.4g + skin "
          "%.4g nm): the minimum image would miss pairs; take a larger box or a smaller skin",
          "xyz"[k], s -> system -> box[k], s -> system -> ff -> cutoff, s -> system -> skin);
}

/* By how much more than their radius lists may hold: devices test coordinates without their last 7
   bits, and allow for as much. The order of a list must not depend on which of these beads a halo
   has. */
static double list_rounding(const double box[3])
{
  return sqrt(box[0] * box[0] + box[1] * box[1] + box[2] * box[2]) * 0x1p-24;
}

/* One build of a given skin. reach >= 0: pairs closer than that which the lists of old_radius in
   old_box had left out go to out. */
static void build_once(struct sim *s, double old_radius, const double old_box[3], double reach,
                       struct audit *out)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  double radius = y->ff->cutoff + y->skin;
  refuse_box(s, radius);
  slab_set_reach(&s->slab, s->ranks, step_halo(s) + list_rounding(y->build_box),
                 y->build_box[s->slab.axis]);
  int64_t every = s->params->parallel_balance_every;
  if (s->balanced < 0 || (every > 0 && s->builds >= s->balanced + every)) {
    slab_balance(&s->slab, s->ranks, b);
    s->balanced = s->builds;
  } else {
    slab_widen(&s->slab, s->ranks);
  }
  const struct domain domain = slab_domain(&s->slab, s->ranks);
  migrate_beads(&domain, &s->transport, b);
  b->ops->sort(b, radius);
  halo_build(&s->transport, &domain, b);
  b->ops->build(b, radius, reach, old_radius, old_box);
  if (reach >= 0) b->ops->audit(b, out);
}

static int audit_over(struct sim *s, struct audit a)
{
  struct system *y = s->system;
  double force = a.force;
  ranks_sum_int64(s->ranks, &a.missed, 1);
  ranks_max_double(s->ranks, &force, 1);
  a.missed /= 2;
  y->missed += a.missed;
  if (a.missed > y->worst_build) y->worst_build = a.missed;
  if (force > y->missed_force) y->missed_force = force;
  double allowed = s->params->neighbor_max_missed;
  if (isnan(allowed)) allowed = s->smooth ? 10 : 0;
  return (double)a.missed > allowed * (double)y->n_total * 1e-6;
}

void step_rebuild(struct sim *s, int keep)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  struct audit a = {0, 0};
  int audit = !keep && y->build_step >= 0 && s->params->neighbor_rebuild == REBUILD_INTERVAL;
  double old_radius = y->ff->cutoff + y->skin, old_box[3];
  timers_switch(&s->timers, TIMER_build);
  memcpy(old_box, y->build_box, sizeof old_box);
  if (!keep) {
    memcpy(y->build_box, y->box, sizeof y->build_box);
    y->build_step = y->step;
  }
  const struct coupling_state now = coupled_of(s);
  b->step = y->step;
  b->ops->set_box(b, &now, y->build_box);
  b->ops->build_begin(b, keep);
  build_once(s, old_radius, old_box, audit ? y->ff->cutoff : -1, &a);
  if (audit && audit_over(s, a)) {
    y->skin += 0.01;
    warn("step %lld: lists had missed pairs (%lld in the run so far, largest force left out %.3g "
         "kJ/mol/nm): the skin grows to %.2f nm",
         (long long)y->step, (long long)y->missed, y->missed_force, y->skin);
    build_once(s, old_radius, old_box, -1, &a);
  }
  s->builds++;
  y->builds += !keep;
}

int64_t step_lists_lack(struct sim *s)
{
  const double rounding = 1e-6;
  struct system *y = s->system;
  struct audit a = {0, 0};
  const struct coupling_state now = coupled_of(s);
  const int checks = s->backend->checks;
  double stored[3];
  timers_switch(&s->timers, TIMER_build);
  memcpy(stored, y->build_box, sizeof stored);
  memcpy(y->build_box, y->box, sizeof y->build_box);
  s->backend->ops->set_box(s->backend, &now, y->build_box);
  s->backend->ops->build_begin(s->backend, 0);
  s->backend->checks = CHECK_NOTHING;
  build_once(s, y->ff->cutoff + y->skin, stored, (1 - rounding) * y->ff->cutoff, &a);
  s->backend->checks = checks;
  memcpy(y->build_box, stored, sizeof y->build_box);
  ranks_sum_int64(s->ranks, &a.missed, 1);
  return a.missed / 2;
}
