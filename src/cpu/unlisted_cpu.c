/* The search of the CPU backend for unlisted pairs inside the cutoff. Each displaced bead is
   compared with the beads that were near it at the build. Every rank decides a pair alike: by build
   positions, present positions and classes. */
#include <string.h>

#include "backend/list_test.h"
#include "cpu/backend_cpu.h"
#include "cpu/cells_reach.h"
#include "input/param.h"

struct unlisted {
  const struct cpu *c;
  double built[BOX], now[BOX]; /* nm a unit of positions */
  double reach;                /* nm; at the build, of pairs that are looked at */
  double least2;               /* square of the radius of the narrowest list, nm2 */
  double radius2[PAIR_PASSES_MOST], cutoff2[PAIR_PASSES_MOST]; /* by list, nm2 */
  /* In double precision (coarse 1) a list has the pairs that its test keeps (list_test.h). */
  int coarse, oblique;
  float test2[PAIR_PASSES_MOST];
  struct list_metric metric;
  double above2; /* square of the displacement of beads that are looked at, nm2 */
};

/* 1 if a list has pairs of the types of two beads, lacks those that were so far apart at the build,
   and its cutoff is larger than their present distance. built2: square, nm2. */
static int is_lacking(const struct unlisted *u, int i, int j, double built2)
{
  const struct bead_record *record = u->c->record;
  const struct pair_plan *plan = u->c->config.plan;
  if (built2 < u->least2 || built2 >= u->reach * u->reach) return 0;
  const int32_t *place = u->c->grid_position;
  const float test2 = u->coarse ? list_apart2(&u->metric, u->oblique, place + 3 * (int64_t)j,
                                              place + 3 * (int64_t)i)
                                : 0;
  const double now2 = torus_distance2(record[i].x, record[j].x, u->now);
  const unsigned mine = plan->class_of[record[i].type], other = plan->class_of[record[j].type];
  for (int l = 0; l < plan->n_passes; l++)
    if (built2 >= u->radius2[l] && !(u->coarse && test2 < u->test2[l]) && now2 < u->cutoff2[l] &&
        (plan->pass[l].all || plan->pass[l].partners[mine] >> other & 1u))
      return 1;
  return 0;
}

/* 1 if a list lacks a pair of bead i. Cells are selected in single precision: with a margin no bead
   is left out by rounding. */
static int bead_lacks(const struct unlisted *u, int i, const struct reach_room *room)
{
  const struct cells *cells = &u->c->cells;
  const int32_t *position = u->c->grid_position, *at = position + 3 * (int64_t)i;
  const double radius = u->reach * CELLS_MARGIN;
  struct points one;
  memcpy(one.low, at, sizeof one.low);
  memcpy(one.high, at, sizeof one.high);
  const int runs = runs_near(cells, &one, radius, (float)(radius * radius), room);
  for (int r = 0; r < runs; r++)
    for (int k = room->run[r].begin; k < room->run[r].end; k++) {
      const int j = cells->order[k];
      if (is_lacking(u, i, j, torus_distance2(at, position + 3 * (int64_t)j, u->built))) return 1;
    }
  return 0;
}

/* Lists contain every pair closer than their radius. Pairs at a cutoff count as inside, as single
   precision may take them so. */
static void lists_set(struct unlisted *u)
{
  const struct cpu *c = u->c;
  const struct pair_plan *plan = c->config.plan;
  u->coarse = c->config.precision == PRECISION_DOUBLE;
  u->oblique = box_is_oblique(c->build_box);
  u->metric = list_metric_of(c->build_box);
  u->least2 = c->list_radius * c->list_radius;
  for (int l = 0; l < plan->n_passes; l++) {
    const double radius = c->list_radius - pair_margin(plan, c->config.ff, c->config.topology, l);
    u->radius2[l] = radius * radius;
    u->test2[l] = list_radius2(c->build_box, radius);
    u->cutoff2[l] = plan->pass[l].cutoff * plan->pass[l].cutoff * 1.000001;
    u->least2 = fmin(u->least2, u->radius2[l]);
  }
}

/* A bead fails if a list lacks a pair of it. */
static int unlisted_chunk(void *of, int begin, int end, int thread)
{
  const struct unlisted *u = of;
  const struct cpu *c = u->c;
  struct reach_room room = {.x = NULL};
  int i = begin;
  (void)thread;
  for (; i < end; i++) {
    if (!(torus_distance2(c->record[i].x, c->grid_position + 3 * (int64_t)i, u->built) > u->above2))
      continue;
    if (!room.x) room = reach_room_make(&c->cells.grid, u->reach * CELLS_MARGIN);
    if (bead_lacks(u, i, &room)) break;
  }
  reach_room_free(&room);
  return i;
}

int cpu_find_unlisted(struct backend *b, double above2, double reach)
{
  const struct cpu *c = cpu_of(b);
  struct unlisted u = {.c = c, .reach = reach, .above2 = above2};
  torus_units(c->build_box, u.built);
  torus_units(c->box, u.now);
  lists_set(&u);
  return cpu_loop(c, b->n, LEAST_FORCES, unlisted_chunk, &u) < b->n;
}
