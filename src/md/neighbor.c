#include "md/neighbor.h"

#include <math.h>
#include <string.h>

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

/* One build with the present skin: domains, migration, cells, halo, lists. Sets p->radius. out: the
   audit of the previous lists, if p asks for one. The halo is as wide as the lists need, and is
   widened until it has the partners of all bonded terms. Its width changes no list and no force. */
static void build_once(struct sim *s, struct build_params *p, struct audit *out)
{
  struct backend *b = s->backend;
  struct system *y = s->system;
  const int bonded = topology_has_terms(&y->topology) && s->ranks->size > 1;
  double width;
  p->radius = listcheck_radius(s);
  p->term_length = 0.5 * box_least_height(y->lists.box);
  box_refuse(s);
  s->extent = extent_now(s, 0);
  do {
    width = fmax(listcheck_halo_width(s) + list_rounding(y->lists.box),
                 fmin(s->bonded_reach, halo_most(s, 1)));
    p->may_widen = bonded && width < halo_most(s, 1);
    reach_set(s, width);
    partition_balance(s);
    const struct domain domain = regions_domain(&s->regions, s->ranks);
    migrate_beads(&domain, &s->transport, b);
    b->ops->sort(b, p->radius);
    halo_build(&s->transport, &domain, b);
    b->ops->build(b, p, out);
    p->audit_reach = -1; /* has been done */
  } while (p->may_widen && halo_widened(s, width));
}

/* Adds the pairs that the previous lists missed to the counters of the system. 1 if they are more
   than neighbor.max_missed allows (pairs a build and million beads). */
static int audit_over(struct sim *s, struct audit a)
{
  struct system *y = s->system;
  double force = a.force;
  ranks_sum_int64(s->ranks, &a.missed, 1);
  ranks_max_double(s->ranks, &force, 1);
  a.missed /= 2;
  run_record_count_missed(&y->run, a.missed, force);
  double allowed = s->params->neighbor_max_missed;
  if (isnan(allowed)) allowed = s->smooth ? 10 : 0;
  return (double)a.missed > allowed * (double)y->n_total * 1e-6;
}

/* The parameters of the next build, with radius and box of the present lists for the audit. */
static struct build_params build_params_of(const struct sim *s)
{
  const struct system *y = s->system;
  struct build_params p = {.audit_reach = -1, .old_radius = listcheck_radius(s)};
  memcpy(p.old_box, y->lists.box, sizeof p.old_box);
  return p;
}

static void begin(struct sim *s, int keep, enum build_checks checks)
{
  struct backend *b = s->backend;
  const struct coupling_state now = coupling_state_of(s);
  b->ops->set_box(b, &now, s->system->lists.box);
  b->checks = checks;
  b->ops->build_begin(b, keep);
}

static void skin_grow(struct sim *s)
{
  struct system *y = s->system;
  list_build_set_skin(&y->lists, y->lists.skin + 0.01);
  warn("step %lld: lists had missed pairs (%lld in the run so far, largest force left out %.3g "
       "kJ/mol/nm): the skin grows to %.2f nm",
       (long long)y->clock.step, (long long)y->run.missed, y->run.missed_force, y->lists.skin);
}

void neighbor_build(struct sim *s, int keep)
{
  struct system *y = s->system;
  struct audit a = {0, 0};
  struct build_params p = build_params_of(s);
  timers_switch(&s->timers, TIMER_build);
  if (!keep && y->lists.step >= 0 && s->params->neighbor_rebuild == REBUILD_INTERVAL)
    p.audit_reach = s->cutoff;
  if (!keep) {
    skin_adapt(s);
    list_build_take(&y->lists, y->clock.step, y->box);
  }
  s->backend->step = y->clock.step;
  clock_copy(&s->backend->clock, &y->clock, s->params->run_dt);
  s->backend->dt = s->params->run_dt;
  begin(s, keep, s->checks);
  const int audited = p.audit_reach >= 0;
  build_once(s, &p, &a);
  if (audited && audit_over(s, a)) {
    skin_grow(s);
    build_once(s, &p, &a);
  }
  s->builds++;
  if (!keep) run_record_count_build(&y->run);
}

int64_t neighbor_count_unlisted(struct sim *s)
{
  const double rounding = 1e-6;
  struct system *y = s->system;
  struct audit a = {0, 0};
  struct build_params p = build_params_of(s);
  const struct list_build stored = y->lists;
  timers_switch(&s->timers, TIMER_build);
  list_build_take(&y->lists, stored.step, y->box);
  begin(s, 0, CHECK_NOTHING);
  p.audit_reach = (1 - rounding) * s->cutoff;
  build_once(s, &p, &a);
  list_build_restore(&y->lists, &stored);
  ranks_sum_int64(s->ranks, &a.missed, 1);
  return a.missed / 2;
}
