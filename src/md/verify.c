#include "md/verify.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "md/simulation.h"
#include "md/snapshot.h"

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

void verify_forces(struct sim *s)
{
  struct params *p = sim_params_reference();
  double *force, *torque, *force2, *torque2;
  params_set_real(p, "neighbor.skin", s->system->lists.skin);
  params_set_int(p, "parallel.axis", s->params->parallel_axis);
  params_set_text(p, "fields", s->params->fields);
  snapshot_collect(s, SNAPSHOT_ALL_FIELDS);
  snapshot_forces(s, &force, &torque);
  struct system *copy = system_copy(s->system);
  list_build_forget(&copy->lists);
  struct sim *other = sim_create(s->ranks, p, copy, SIM_STATE);
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
