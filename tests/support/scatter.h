/* Random water beads handed to cpu backends: those of a rank, and all of them at once. */
#ifndef SCATTER_H
#define SCATTER_H

#include "tests/support/agree.h"

#include <string.h>

#include "cpu/backend_cpu.h"
#include "input/param.h"
#include "mpi/domain/halo.h"
#include "mpi/domain/migrate.h"
#include "mpi/domain/regions.h"
#include "tests/support/sample.h"

/* Grids of ranks: slabs along x, slabs along y, columns (slabs where the number of ranks is odd).
 */
enum { SCATTER_GRIDS = 3 };

static inline void scatter_regions(struct regions *g, const struct ranks *r, int grid)
{
  const int parts = grid == 2 && r->size % 2 == 0 ? 2 : 1, n[CUTS] = {r->size / parts, parts};
  regions_create(g, grid == 1, n);
}

/* Is a point inside the region of a rank, or no further than so many widths of the halo from it? */
static inline int scatter_is_inside(const struct regions *g, int rank, const int32_t x[3], int halo)
{
  int inside = 1;
  for (int c = 0; c < CUTS; c++) {
    const struct region_cut *cut = &g->cut[c];
    const int part = c ? rank % cut->n : rank / g->cut[1].n;
    const uint64_t low = cut->bound[part], high = cut->bound[part + 1],
                   width = halo ? cut->width : 0;
    const uint32_t at = (uint32_t)x[cut->axis], below = (uint32_t)low - at,
                   above = at - (uint32_t)high;
    inside &= (at >= low && at < high) || (halo && (below <= width || above <= width));
  }
  return inside;
}

/* The first transport that carries host memory between these ranks. */
static inline void scatter_transport(struct transport *t, const struct ranks *r,
                                     const struct regions *g)
{
  const struct domain d = regions_domain(g, r);
  transport_open(t, r, "auto", &d, NULL);
}

/* Blocks of ids, as after reading a file. level: of the kernels. */
static inline struct backend *scatter_load_as(struct system *s, int precision, int level)
{
  const struct ranks alone = {.size = 1};
  const struct backend_ops *ops = backend_choose(BACKEND_CPU, &alone);
  static struct pair_plan plan;
  struct backend_config config;
  memset(&config, 0, sizeof config);
  plan = pair_plan_of(s->ff, NULL);
  config.plan = &plan;
  config.precision = precision;
  config.level = level;
  config.n_total = s->n_total;
  config.ff = s->ff;
  config.topology = &s->topology;
  struct backend *b = ops->create(&config);
  int64_t *id = calloc((size_t)s->n + 1, sizeof *id);
  for (int64_t k = 0; k < s->n; k++)
    id[k] = s->first + k;
  ops->load(b, (int)s->n, id, &s->beads);
  const struct coupling_state now = coupling_state_start(s->box);
  ops->set_box(b, &now, s->box);
  ops->build_begin(b, 0);
  free(id);
  return b;
}

static inline struct backend *scatter_load(struct system *s)
{
  return scatter_load_as(s, PRECISION_MIXED, force_kernel_level());
}

static inline const struct cpu *scatter_cpu(const struct backend *b)
{
  return (const struct cpu *)b;
}

/* Sends beads home and builds halo and lists. */
static inline void scatter_build(struct regions *g, struct transport *t, struct backend *b,
                                 double radius)
{
  const struct domain d = regions_domain(g, t->ranks);
  migrate_beads(&d, t, b);
  b->ops->sort(b, radius);
  halo_build(t, &d, b);
  const struct build_params lists = {.radius = radius, .term_length = radius};
  b->ops->build(b, &lists);
}

#endif
