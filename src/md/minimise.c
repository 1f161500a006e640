#include "md/minimise.h"

#include <math.h>

#include "base/log.h"
#include "md/enforce.h"
#include "md/neighbor.h"
#include "md/simulation.h"
#include "md/snapshot.h"
#include "md/thermo_observer.h"
#include "mpi/domain/halo.h"

enum { REPORTS = 10 };

/* The largest force of all ranks and the bead that feels it. */
static double largest_force(struct sim *s, int64_t *bead)
{
  double mine = s->backend->ops->minimise->largest_force(s->backend, bead), largest = mine;
  ranks_max_double(s->ranks, &largest, 1);
  int64_t id = mine == largest ? *bead : INT64_MAX;
  ranks_min_int64(s->ranks, &id, 1);
  *bead = id;
  return largest;
}

static double energy_now(struct sim *s)
{
  s->backend->ops->force(s->backend, FORCE_ALL, FORCE_ENERGY);
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
  if (sqrt(d2[0]) + limit < 0.5 * s->system->skin) return;
  neighbor_build(s, 0);
  energy_now(s);
}

static void halo_refresh(struct sim *s)
{
  halo_start(&s->transport, s->backend);
  halo_finish(&s->transport, s->backend);
}

static void trial(struct sim *s, double step, double limit)
{
  s->backend->ops->minimise->save_positions(s->backend);
  s->backend->ops->minimise->descend(s->backend, step, limit);
  halo_refresh(s);
}

static void descend(struct sim *s, const struct minimise_options *o, struct minimise_result *out)
{
  double limit = 0.15 * s->system->skin, step = 1e-5, energy = out->before;
  int64_t report = o->max_steps / REPORTS > 0 ? o->max_steps / REPORTS : 1;
  for (out->steps = 0; out->steps < o->max_steps; out->steps++) {
    out->largest_force = largest_force(s, &out->bead);
    if (out->largest_force <= o->force || step < 1e-14) break;
    if (out->steps % report == 0)
      info("minimise: step %lld, potential energy %.8g kJ/mol, largest force %.4g kJ/mol/nm (bead "
           "%lld)",
           (long long)out->steps, energy, out->largest_force, (long long)out->bead);
    lists_keep(s, limit);
    trial(s, step, limit);
    double now = energy_now(s);
    if (now < energy || !isfinite(energy)) {
      energy = now;
      step *= 1.2;
      continue;
    }
    step *= 0.5;
    s->backend->ops->minimise->restore_positions(s->backend);
    halo_refresh(s);
    energy_now(s);
  }
  out->after = energy;
  out->largest_force = largest_force(s, &out->bead);
}

struct minimise_result minimise_system(struct ranks *r, struct system *y,
                                       const struct minimise_options *o)
{
  struct params *p = sim_params_reference();
  struct minimise_result out = {0, 0, 0, 0, 0};
  double skin = y->skin;
  y->build_step = -1;
  enforce_system(r, y, ENFORCE_LENGTHS);
  struct sim *s = sim_create(r, p, y, CHECK_REACH);
  out.before = out.after = s->thermo.potential;
  descend(s, o, &out);
  snapshot_collect(s, 1u << FIELD_position | 1u << FIELD_residual | 1u << FIELD_image |
                          1u << FIELD_orientation);
  sim_destroy(s);
  params_destroy(p);
  y->build_step = -1;
  y->skin = skin;
  info("minimise: %lld steps, potential energy %.8g -> %.8g kJ/mol, largest force %.4g kJ/mol/nm "
       "(bead %lld)",
       (long long)out.steps, out.before, out.after, out.largest_force, (long long)out.bead);
  return out;
}
