#include "md/neighbor.h"

#include <math.h>

#include "base/log.h"
#include "base/torus.h"
#include "md/coupling.h"
#include "md/listcheck.h"
#include "md/partition.h"
#include "md/skin.h"
#include "mpi/domain/halo.h"
#include "mpi/domain/migrate.h"

#define HALO_GROWTH 1.25 /* widens a halo that lacks partners of bonded terms */

/* By how much the radius of device lists may exceed the list radius, nm: devices test coordinates
   without their last 7 bits, with a margin for the rounding. The halo is wider by as much, so that
   a list does not depend on the number of ranks. */
static double list_rounding(const double box[BOX])
{
  return box_diagonal(box) * 0x1p-24;
}

/* The widest halo, nm, that the regions of the present grid of ranks can have; any: that regions of
   any grid can have, if the run may change the grid. */
static double halo_most(const struct sim *s, int any)
{
  const double *box = s->system->lists.box;
  const double here = regions_most_reach(&s->regions, s->extent, box);
  if (!any || !box_grid_is_free(s)) return here;
  return fmax(here, regions_widest_reach(s->ranks->size, s->extent, box));
}

/* The largest distance, nm, of a bead from the lead bead of its cluster along a cut axis; all:
   along any axis that another grid may cut. Collective. */
static double extent_now(const struct sim *s, int all)
{
  double most = 0;
  if (s->ranks->size == 1 || !topology_has_clusters(&s->system->topology)) return 0;
  for (int c = 0; c < CUTS; c++) {
    const struct region_cut *cut = &s->regions.cut[c];
    if (cut->n == 1 && !all) continue;
    int64_t extent = s->backend->ops->extent(s->backend, cut->axis);
    ranks_max_int64(s->ranks, &extent, 1);
    most =
        fmax(most, (double)(extent + 1) / TORUS_EDGE * box_height(s->system->lists.box, cut->axis));
  }
  return most;
}

/* Sets the width of the halo around owned beads, nm; beads of clusters may be outside of the
   region. If regions are too thin for that, changes the grid of ranks if it may and another one
   fits; else status 2. Collective. */
static void reach_set(struct sim *s, double width)
{
  const double *box = s->system->lists.box;
  const int thin = regions_thin_cut(&s->regions, width + 2 * s->extent, box) >= 0;
  if (thin && box_grid_is_free(s)) {
    const double extent = extent_now(s, 1);
    if (partition_change(s, width, extent)) s->extent = extent;
  }
  regions_set_reach(&s->regions, width, s->extent, box);
}

/* If a rank lacks a partner of a bonded term, widens the halo and returns 1. Collective. */
static int halo_widened(struct sim *s, double width)
{
  int64_t lost = s->backend->lost;
  ranks_max_int64(s->ranks, &lost, 1);
  if (!lost) return 0;
  s->bonded_reach = fmin(HALO_GROWTH * width, halo_most(s, !(width < halo_most(s, 0))));
  warn("step %lld: beads of a bonded term are more than %.4g nm apart: the halo grows to %.4g nm",
       (long long)s->system->clock.step, width, s->bonded_reach);
  return 1;
}

/* One build with the present skin: domains, migration, cells, halo, lists. The halo is as wide as
   the lists need, and is widened until it has the partners of all bonded terms. Its width changes
   no list and no force. */
static void build_once(struct sim *s)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  const int bonded = topology_has_terms(&y->topology) && s->ranks->size > 1;
  struct build_params p = {.radius = listcheck_radius(s),
                           .term_length = 0.5 * box_least_height(y->lists.box)};
  double width;
  box_refuse(s);
  s->extent = extent_now(s, 0);
  do {
    width = fmax(listcheck_halo_width(s) + list_rounding(y->lists.box),
                 fmin(s->bonded_reach, halo_most(s, 1)));
    p.may_widen = bonded && width < halo_most(s, 1);
    reach_set(s, width);
    partition_balance(s);
    const struct domain domain = regions_domain(&s->regions, s->ranks);
    migrate_beads(&domain, &s->transport, b);
    b->ops->sort(b, p.radius);
    halo_build(&s->transport, &domain, b);
    b->ops->build(b, &p);
  } while (p.may_widen && halo_widened(s, width));
}

static void begin(struct sim *s, const struct coupling_state *now, int keep,
                  enum build_checks checks)
{
  struct backend *b = s->backend;
  b->ops->set_box(b, now, s->system->lists.box);
  b->checks = checks;
  b->ops->build_begin(b, keep);
}

void neighbor_build(struct sim *s, int keep)
{
  struct system *y = s->system;
  timers_switch(&s->timers, TIMER_build);
  if (!keep) {
    skin_adapt(s);
    list_build_take(&y->lists, y->clock.step, y->box);
  }
  s->backend->step = y->clock.step;
  clock_copy(&s->backend->clock, &y->clock, s->params->run_dt);
  s->backend->dt = s->params->run_dt;
  const struct coupling_state now = coupling_state_of(s);
  begin(s, &now, keep, s->checks);
  build_once(s);
  s->builds++;
  if (!keep && !s->repeats_build) run_record_count_build(&y->run);
}

int64_t neighbor_count_unlisted(struct sim *s)
{
  const double rounding = 1e-6;
  struct system *y = s->system;
  const struct list_build stored = y->lists;
  const struct coupling_state built = coupling_state_start(stored.box);
  timers_switch(&s->timers, TIMER_build);
  list_build_take(&y->lists, stored.step, y->box);
  begin(s, &built, 1, CHECK_NOTHING);
  build_once(s);
  list_build_restore(&y->lists, &stored);
  int64_t unlisted =
      s->backend->ops->count_apart(s->backend, (1 - rounding) * s->cutoff, listcheck_radius(s));
  ranks_sum_int64(s->ranks, &unlisted, 1);
  return unlisted / 2;
}
