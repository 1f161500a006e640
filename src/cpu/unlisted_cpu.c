/* The search of the CPU backend for unlisted pairs inside the cutoff. Each displaced bead is
   compared with the beads that were near it at the build. Every rank decides a pair alike: by build
   positions, present positions and classes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "cpu/backend_cpu.h"
#include "cpu/near.h"

struct unlisted {
  struct cpu *c;
  const int *displaced;
  double built[3], now[3]; /* nm a unit of positions */
  double least;            /* radius of the narrowest list, nm */
  double radius2[PAIR_PASSES_MOST], cutoff2[PAIR_PASSES_MOST]; /* by list, nm2 */
  int found;
};

/* 1 if a list has pairs of the types of two beads, lacks those that were so far apart at the build,
   and its cutoff is larger than their present distance. Squares, nm2. */
static int is_lacking(const struct unlisted *u, int i, int j, double built2, double now2)
{
  const struct pair_plan *plan = u->c->config.plan;
  const unsigned mine = plan->class_of[u->c->record[i].type],
                 other = plan->class_of[u->c->record[j].type];
  for (int l = 0; l < plan->n_passes; l++)
    if (built2 >= u->radius2[l] && now2 < u->cutoff2[l] &&
        (plan->pass[l].all || plan->pass[l].partners[mine] >> other & 1u))
      return 1;
  return 0;
}

static void bead_compare(void *context, int64_t point, int n, const int *bead)
{
  struct unlisted *u = context;
  const struct cpu *c = u->c;
  const int i = u->displaced[point];
  const int32_t *at = c->grid_position + 3 * (int64_t)i;
  for (int k = 0; k < n && !u->found; k++) {
    const int j = bead[k];
    const double built2 = torus_distance2(at, c->grid_position + 3 * (int64_t)j, u->built);
    const double now2 = torus_distance2(c->record[i].x, c->record[j].x, u->now);
    u->found = is_lacking(u, i, j, built2, now2);
  }
}

/* Lists contain every pair closer than their radius. Pairs at a cutoff count as inside, as single
   precision may take them so. */
static void lists_set(struct unlisted *u)
{
  const struct cpu *c = u->c;
  const struct pair_plan *plan = c->config.plan;
  u->least = c->list_radius;
  for (int l = 0; l < plan->n_passes; l++) {
    const double radius = c->list_radius - pair_margin(plan, c->config.ff, c->config.topology, l);
    u->radius2[l] = radius * radius;
    u->cutoff2[l] = plan->pass[l].cutoff * plan->pass[l].cutoff * 1.000001;
    u->least = radius < u->least ? radius : u->least;
  }
}

int cpu_find_unlisted(struct backend *b, double above2, double reach)
{
  struct cpu *c = (struct cpu *)b;
  struct unlisted u = {.c = c};
  int *displaced = alloc_array(b->n, sizeof *displaced), n = 0;
  torus_units(c->build_box, u.built);
  torus_units(c->box, u.now);
  lists_set(&u);
  for (int i = 0; i < b->n; i++) {
    displaced[n] = i;
    n += torus_distance2(c->record[i].x, c->grid_position + 3 * (int64_t)i, u.built) > above2;
  }
  int32_t *point = alloc_array(3LL * n, sizeof *point);
  for (int k = 0; k < n; k++)
    memcpy(point + 3 * (int64_t)k, c->grid_position + 3 * (int64_t)displaced[k], 3 * sizeof *point);
  u.displaced = displaced;
  search_near(&c->cells, u.least, reach, n, point, bead_compare, &u);
  free(point);
  free(displaced);
  return u.found;
}
