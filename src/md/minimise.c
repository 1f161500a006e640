#include "md/minimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/torus.h"
#include "input/run_lists.h"
#include "io/state.h"
#include "md/biases.h"
#include "md/enforce.h"
#include "md/neighbor.h"
#include "md/observers.h"
#include "md/output.h"
#include "md/simulation.h"
#include "md/snapshot.h"
#include "mpi/domain/halo.h"

enum { REPORTS = 10 };

#define STEP_LEAST 1e-14 /* nm per kJ/mol/nm */
/* The first step, and that of all moves while the energy is infinite, which no move can be judged
   by: bonds of 5e4 kJ/mol/nm2 still relax with it. */
#define STEP_FIRST 1e-5
/* A state is kept when its largest force is less than this part of that of the state kept before.
 */
#define KEEP 0.8
/* Beads fall into each other if the largest force is so many times that of the state kept, for so
   many steps, or until no move lowers the energy. Beads that begin too close can have such forces
   for a few steps. */
#define COLLAPSE 1e3
enum { COLLAPSE_STEPS = 50 };

enum {
  MOVED_FIELDS =
      1 << FIELD_position | 1 << FIELD_residual | 1 << FIELD_image | 1 << FIELD_orientation
};

struct minimise_result {
  int64_t steps;
  double before, after; /* potential energy, kJ/mol; before may be infinite */
  double first_force;   /* largest force at the start, kJ/mol/nm */
  double largest_force; /* the same of the result */
  int64_t bead;         /* id of the bead with the largest force */
  int stopped;          /* 1: a stop was requested; the rest is not set */
};

/* The bead of the largest value of all ranks, of beads of equal values the first. Sets *value. */
static int64_t bead_of_largest(const struct ranks *r, int64_t bead, double *value)
{
  const double mine = *value;
  ranks_max_double(r, value, 1);
  if (mine != *value) bead = INT64_MAX;
  ranks_min_int64(r, &bead, 1);
  return bead;
}

/* The largest force of all ranks and the bead that feels it. */
static double largest_force(struct sim *s, int64_t *bead)
{
  double largest = s->backend->ops->minimise->largest_force(s->backend, bead);
  *bead = bead_of_largest(s->ranks, *bead, &largest);
  return largest;
}

static void forces_now(struct sim *s)
{
  biases_apply(s);
  s->backend->ops->force(s->backend, FORCE_ALL, FORCE_ENERGY);
}

static double energy_now(struct sim *s)
{
  forces_now(s);
  thermo_update(s);
  return s->thermo.potential;
}

/* Builds new lists if the next trial move, of at most limit, could displace a bead too far for the
   present ones. */
static void lists_keep(struct sim *s, double limit)
{
  double d2[2];
  s->backend->ops->displacement2(s->backend, d2);
  ranks_max_double(s->ranks, d2, 1);
  if (sqrt(d2[0]) + limit < 0.5 * s->system->lists.skin) return;
  neighbor_build(s, 0);
  forces_now(s);
}

static void halo_refresh(struct sim *s)
{
  halo_start(&s->transport, s->backend);
  halo_finish(&s->transport, s->backend);
}

/* Moves all beads, and back if that raises the energy. 1 if it does not. */
static int trial(struct sim *s, double step, double limit, double *energy)
{
  lists_keep(s, limit);
  s->backend->ops->minimise->save_positions(s->backend);
  s->backend->ops->minimise->descend(s->backend, step, limit);
  halo_refresh(s);
  const double now = energy_now(s);
  if (now < *energy || !isfinite(*energy)) {
    *energy = now;
    return 1;
  }
  s->backend->ops->minimise->restore_positions(s->backend);
  halo_refresh(s);
  forces_now(s);
  return 0;
}

/* The state that s->system holds: the start, or a later one with a smaller largest force. */
struct kept {
  double energy, force;
  int64_t bead;
};

/* The bead nearest to `first`, over all ranks, by the positions of the backend: the partner where
   two beads fall into each other. Collective. */
static int64_t nearest_bead(struct sim *s, int64_t first)
{
  struct system *y = s->system;
  const size_t bytes = (size_t)(3 * y->n) * sizeof *y->beads.position;
  int32_t *kept = alloc_array(3 * y->n, sizeof *kept);
  int64_t at[3] = {0}, id = INT64_MAX;
  double units[BOX], nearest = -HUGE_VAL; /* squares of distances, negative */
  memcpy(kept, y->beads.position, bytes);
  snapshot_collect(s, 1 << FIELD_position);
  for (int d = 0; d < 3 && first >= y->first && first < y->first + y->n; d++)
    at[d] = y->beads.position[3 * (first - y->first) + d];
  ranks_sum_int64(s->ranks, at, 3);
  torus_units(y->box, units);
  const int32_t here[3] = {(int32_t)at[0], (int32_t)at[1], (int32_t)at[2]};
  for (int64_t k = 0; k < y->n; k++) {
    const double far = -torus_distance2(y->beads.position + 3 * k, here, units);
    if (y->first + k == first || !(far > nearest)) continue;
    nearest = far;
    id = y->first + k;
  }
  memcpy(y->beads.position, kept, bytes);
  free(kept);
  return bead_of_largest(s->ranks, id, &nearest);
}

/* Reports the two beads that fall into each other. Ends with STATUS_NUMERIC if no state was better
   than the start. */
static void report_collapse(struct sim *s, const struct kept *best, struct minimise_result *out)
{
  const int64_t second = nearest_bead(s, out->bead);
  /* The bead of the largest force may be one that a bond to the first of the two pulls. */
  const int64_t first = nearest_bead(s, second);
  const char *const why =
      "their potential has no minimum at a distance, as of two opposite charges that no repulsion "
      "keeps apart";
  if (!(best->force < out->first_force))
    die_all(STATUS_NUMERIC,
            "minimise: cannot go on: beads %lld and %lld fall into each other (largest force %.4g "
            "kJ/mol/nm after %lld steps, %.4g at the start): %s. Separate them, or go without "
            "minimise",
            (long long)first, (long long)second, out->largest_force, (long long)out->steps,
            out->first_force, why);
  warn("minimise: beads %lld and %lld fall into each other (largest force %.4g kJ/mol/nm): %s. The "
       "state before, with the smallest largest force, is kept",
       (long long)first, (long long)second, out->largest_force, why);
}

/* c: as minimise_run; NULL: nothing stops it. */
static void descend(struct sim *s, const struct minimise_options *o, struct stop_clock *c,
                    struct minimise_result *out)
{
  double limit = 0.15 * s->system->lists.skin, step = STEP_FIRST, energy = out->before;
  if (o->displacement > 0) limit = fmin(limit, o->displacement);
  int64_t report = o->max_steps / REPORTS > 0 ? o->max_steps / REPORTS : 1;
  struct kept best = {out->before, largest_force(s, &out->bead), 0};
  best.bead = out->bead;
  out->first_force = best.force;
  int large = 0; /* steps in a row with forces as of beads that fall into each other */
  for (out->steps = 0;; out->steps++) {
    out->largest_force = largest_force(s, &out->bead);
    large = isfinite(energy) && out->largest_force > COLLAPSE * best.force ? large + 1 : 0;
    if (out->steps == o->max_steps || out->largest_force <= o->force || step < STEP_LEAST ||
        large == COLLAPSE_STEPS)
      break;
    out->stopped = c && stop_requested(s->ranks, c, out->steps, s->params->run_max_hours);
    if (out->stopped) return;
    if (out->largest_force < KEEP * best.force && out->steps > 0) {
      snapshot_collect(s, MOVED_FIELDS);
      best = (struct kept){energy, out->largest_force, out->bead};
    }
    if (out->steps % report == 0)
      info("minimise: step %lld, potential energy %.8g kJ/mol, largest force %.4g kJ/mol/nm (bead "
           "%lld)",
           (long long)out->steps, energy, out->largest_force, (long long)out->bead);
    step *= trial(s, step, limit, &energy) ? 1.2 : 0.5;
    if (!isfinite(energy)) step = STEP_FIRST;
  }
  out->after = energy;
  if (large == COLLAPSE_STEPS || (large && step < STEP_LEAST)) report_collapse(s, &best, out);
  if (out->largest_force <= o->force || (out->largest_force <= out->first_force && !large)) {
    snapshot_collect(s, MOVED_FIELDS);
    return;
  }
  out->after = best.energy;
  out->largest_force = best.force;
  out->bead = best.bead;
}

/* more: the key for more steps. */
static void say_result(const struct minimise_result *out, const struct minimise_options *o,
                       const char *more)
{
  info("minimise: %lld steps, potential energy %.8g -> %.8g kJ/mol, largest force %.4g kJ/mol/nm "
       "(bead %lld)",
       (long long)out->steps, out->before, out->after, out->largest_force, (long long)out->bead);
  if (out->largest_force > o->force)
    warn("minimise: not converged: the largest force is %.4g kJ/mol/nm (bead %lld), and "
         "minimise.force is %.4g%s%s",
         out->largest_force, (long long)out->bead, o->force,
         out->steps == o->max_steps ? "; give it a larger " : "",
         out->steps == o->max_steps ? more : "");
}

/* Minimises with soft cores of all pairs at each lambda in turn, else as p says. Positions and
   orientations of the system change, and it has no lists then. c: as descend. */
static void soften(struct ranks *r, const struct params *p, struct system *y,
                   const struct minimise_options *o, struct stop_clock *c,
                   struct minimise_result *out)
{
  struct params *own = params_for_stage(p, p->stage);
  params_set_real(own, "soft_core.lambda_charges", (double)NAN);
  params_set_int(own, "soft_core.at_0", COUPLED_ALL);
  params_set_int(own, "soft_core.at_1", COUPLED_NONE);
  params_set_text(own, "soft_core.molecules", "[]");
  for (int k = 0; k < o->soft.n && !out->stopped; k++) {
    params_set_real(own, "soft_core.lambda", o->soft.lambda[k]);
    list_build_forget(&y->lists);
    struct sim *s = sim_create(r, own, y, SIM_MINIMISE);
    *out = (struct minimise_result){.before = s->thermo.potential, .after = s->thermo.potential};
    descend(s, o, c, out);
    sim_destroy(s);
    if (!out->stopped)
      info("minimise: soft cores at lambda %g: %lld steps, potential energy %.8g -> %.8g kJ/mol, "
           "largest force %.4g kJ/mol/nm",
           o->soft.lambda[k], (long long)out->steps, out->before, out->after, out->largest_force);
  }
  list_build_forget(&y->lists);
  params_destroy(own);
}

void minimise_system(struct ranks *r, struct system *y, const struct minimise_options *o)
{
  struct params *p = sim_params_reference();
  struct minimise_result out = {0};
  double skin = y->lists.skin;
  list_build_forget(&y->lists);
  enforce_system(r, y, ENFORCE_LENGTHS);
  soften(r, p, y, o, NULL, &out);
  struct sim *s = sim_create(r, p, y, SIM_MINIMISE);
  out.before = out.after = s->thermo.potential;
  descend(s, o, NULL, &out);
  sim_destroy(s);
  params_destroy(p);
  list_build_forget(&y->lists);
  list_build_set_skin(&y->lists, skin);
  say_result(&out, o, "minimise.max_steps");
}

struct params *minimise_params(const struct params *p, const struct system *y)
{
  struct params *own = params_for_stage(p, p->stage);
  params_set_int(own, "run.precision", PRECISION_DOUBLE);
  params_set_real(own, "neighbor.skin", (double)NAN);
  params_set_int(own, "thermostat.type", THERMOSTAT_NONE);
  params_set_int(own, "barostat.type", BAROSTAT_NONE);
  params_set_text(own, "observe", "[]");
  if (topology_has_clusters(&y->topology)) {
    params_set_int(own, "parallel.backend", BACKEND_CPU);
    params_set_text(own, "parallel.transport", "auto");
  }
  return own;
}

/* Lists and forces of the positions that the system has now. */
static void begin_again(struct sim *s)
{
  sim_load(s);
  neighbor_build(s, 0);
  energy_now(s);
}

int minimise_run(struct sim *s, const struct params *p, struct stop_clock *c)
{
  const struct minimise_options o = {
      .max_steps = p->minimise_steps,
      .force = p->minimise_force,
      .displacement = p->minimise_displacement > 0 ? p->minimise_displacement : 0,
      .soft = soft_lambdas_read(p)};
  struct system *y = s->system;
  struct minimise_result out = {0};
  stop_clock_begin(c);
  soften(s->ranks, s->params, y, &o, c, &out);
  if (o.soft.n > 0 && !out.stopped) begin_again(s);
  if (!out.stopped) {
    out.before = out.after = s->thermo.potential;
    descend(s, &o, c, &out);
  }
  if (out.stopped) {
    info("stopped in step %lld of the minimisation, which begins again at the next start",
         (long long)out.steps);
    return STATUS_STOPPED;
  }
  say_result(&out, &o, "minimise.steps");
  run_record_add(&y->run,
                 "minimised: %lld steps, potential energy %.8g -> %.8g kJ/mol, largest force %.4g "
                 "kJ/mol/nm",
                 (long long)out.steps, out.before, out.after, out.largest_force);
  list_build_forget(&y->lists);
  char *name = output_checkpoint_name(p->output_prefix), *text = params_text(p);
  state_write(s->ranks, name, y, text);
  free(text);
  free(name);
  return STATUS_DONE;
}
