#include "md/skin.h"

#include <math.h>

#include "base/log.h"
#include "base/portable.h"
#include "md/listcheck.h"
#include "mpi/domain/regions.h"
#include "pair/pair_terms.h"

/* The life of lists grows as this power of the skin: 1 for straight motion, 2 for diffusion. */
#define LIFE_POWER 1.35
enum { SKIN_TRIALS = 200, FIRST_BUILD = 8 };

double skin_cheapest(const struct skin_costs *c, int64_t n_beads, double density,
                     const struct pair_plan *plan, double now, double steps, double least,
                     double most)
{
  double best = least, lowest = (double)INFINITY;
  for (int k = 0; k <= SKIN_TRIALS; k++) {
    const double skin = least + (most - least) * k / SKIN_TRIALS;
    const double entries = pair_partners(plan, skin, density), n = 1e-3 * (double)n_beads;
    const double step = c->step + n * (c->step_bead + c->step_entry * entries);
    const double build = c->build + n * (c->build_bead + c->build_entry * entries);
    const double cost = step + build / fmax(steps * portable_pow(skin / now, LIFE_POWER), 1);
    if (cost < lowest) {
      lowest = cost;
      best = skin;
    }
  }
  return best;
}

/* 1 if the skin is that for GPUs: in double precision on all backends, whose lists are the same. */
static int is_wide(const struct sim *s, const struct backend_ops *ops)
{
  return ops->async || s->params->run_precision == PRECISION_DOUBLE;
}

/* Costs of the GPU backend, fitted to rates of Martini, ELBA, Lennard-Jones and SSD systems of
   7,000 to 2,000,000 beads on an H200 (docs/decisions.md, Neighbour lists). Those of the CPU are
   estimates from the phases of one run; only their ratios matter. Entries of lists whose terms read
   axes cost more; so do those of double precision. */
static struct skin_costs costs_of(const struct sim *s, const struct backend_ops *ops)
{
  const int wide = is_wide(s, ops);
  const struct skin_costs gpu = {14, 0.3, 0.0022, 175, 0.73, 0.0095};
  const struct skin_costs cpu = {0, 100, 1.2, 0, 200, 1.8};
  const int axes = (s->plan.terms & PAIR_AXIS_TERMS) != 0;
  struct skin_costs c = wide ? gpu : cpu;
  if (axes) c.step_entry *= 1.8;
  if (s->params->run_precision == PRECISION_DOUBLE) c.step_entry *= 2;
  return c;
}

/* The widest skin that `auto` chooses, nm: at most 0.4 cutoffs, and a quarter of what the shortest
   box edge exceeds two cutoffs by. */
static double skin_widest(const struct sim *s)
{
  const double room = box_least_height(s->system->box) - 2 * s->cutoff;
  return fmin(0.4 * s->cutoff, 0.25 * room);
}

/* The first skin of `auto`, nm: near the best one for lipids and water at steps of 10 to 20 fs. In
   a small box at least a twelfth of the cutoff, as long as twice the list radius fits. */
static double skin_guess(const struct sim *s, const struct backend_ops *ops)
{
  const double least = box_least_height(s->system->box);
  double fraction = 1.0 / 6;
  if (is_wide(s, ops) && s->system->n_total < 50000) fraction = 0.25;
  const double skin = fmin(fraction * s->cutoff, skin_widest(s));
  return fmax(fmax(skin, fmin(s->cutoff / 12, 0.45 * (least - 2 * s->cutoff))), 0);
}

/* 1 if the skin is adapted during the run. */
static int adapts(const struct sim *s)
{
  return isnan(s->params->neighbor_skin);
}

double skin_first(const struct sim *s, const struct backend_ops *ops)
{
  return adapts(s) ? skin_guess(s, ops) : s->params->neighbor_skin;
}

/* 1 for 8, 16, 32, ... */
static int is_trial(int64_t build)
{
  return build >= FIRST_BUILD && (build & (build - 1)) == 0;
}

void skin_adapt(struct sim *s)
{
  struct system *y = s->system;
  const double steps = (double)(y->clock.step - y->lists.step), most = skin_widest(s);
  const double least = fmin(0.05 * s->cutoff, most);
  if (!adapts(s) || y->lists.step < 0 || steps < 1 || !is_trial(y->run.builds) ||
      !(y->lists.skin > 0 && least > 0))
    return;
  const struct skin_costs costs = costs_of(s, s->backend->ops);
  const double skin = skin_cheapest(&costs, y->n_total, system_density(y), &s->plan, y->lists.skin,
                                    steps, least, most);
  list_build_set_skin(&y->lists, skin);
}

double skin_widest_halo(const struct sim *s)
{
  return listcheck_halo_of(s, adapts(s) ? skin_widest(s) : s->system->lists.skin);
}

void skin_refuse_ranks(const struct sim *s)
{
  const double *box = s->system->box;
  const double thickness = skin_widest_halo(s) + 2 * s->cluster_reach;
  char why[REGIONS_TEXT];
  if (regions_thin_cut(&s->regions, thickness, box) < 0) return;
  regions_explain(&s->regions, thickness, box, why);
  if (!adapts(s)) die_all(STATUS_INPUT, "%s", why);
  die_all(STATUS_INPUT,
          "neighbor.skin: auto may take up to %.3g nm, and %s; or give a number for "
          "neighbor.skin",
          skin_widest(s), why);
}
