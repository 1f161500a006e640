#include "md/partition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/text.h"
#include "md/skin.h"

/* Nanoseconds of a step for each bead of the halo (packing, sending, unpacking, and its share of
   list builds) and for each message (docs/decisions.md). Only their ratio counts. */
static const double cpu_bead = 40, cpu_message = 3000, device_bead = 3, device_message = 8000;

static struct region_choice choice_of(const struct sim *s)
{
  const struct system *y = s->system;
  const int device = s->backend->channel != NULL;
  const double halo = skin_widest_halo(s);
  struct region_choice c = {.reach = halo + s->cluster_reach,
                            .thickness = halo + 2 * s->cluster_reach,
                            .axis = s->params->parallel_axis == AXIS_Y,
                            .n_total = y->n_total,
                            .bead = device ? device_bead : cpu_bead,
                            .message = device ? device_message : cpu_message};
  memcpy(c.box, y->box, sizeof c.box);
  return c;
}

/* Reads a grid such as 4x2, ranks along x and along y: 1 if it is one. */
static int grid_read(const char *text, int *x, int *y)
{
  int length = 0;
  return sscanf(text, "%7dx%7d%n", x, y, &length) == 2 && text[length] == 0 && *x > 0 && *y > 0;
}

long long partition_ranks(const char *grid)
{
  int x, y;
  return grid_read(grid, &x, &y) ? (long long)x * y : 0;
}

char *partition_name(const struct sim *s)
{
  const struct region_cut *cut = s->regions.cut;
  const int first = cut[0].axis;
  char name[40];
  snprintf(name, sizeof name, "%dx%d", cut[first].n, cut[!first].n);
  return text_copy(name);
}

/* Under a barostat a grid is chosen that also fits a smaller box, if there is one: a run whose box
   shrinks ends where its grid no longer fits, and would choose the same one again. */
static void grid_choose(const struct sim *s, const struct region_choice *choice, int n[CUTS])
{
  const double shrunk = 0.95;
  struct region_choice small = *choice;
  for (int k = 0; k < 3; k++)
    small.box[k] *= shrunk;
  regions_choose(&small, s->ranks->size, n);
  if (s->params->barostat_type == BAROSTAT_NONE || !regions_load(&small, n).fits)
    regions_choose(choice, s->ranks->size, n);
}

void partition_create(struct sim *s)
{
  const char *text = s->params->parallel_grid;
  const struct region_choice choice = choice_of(s);
  const int size = s->ranks->size;
  int along[2], n[CUTS];
  if (!strcmp(text, "auto")) {
    grid_choose(s, &choice, n);
  } else if (!grid_read(text, &along[0], &along[1])) {
    die_all(STATUS_INPUT,
            "parallel.grid is '%s': write auto, or ranks along x and along y, such as 4x2", text);
  } else if (partition_ranks(text) != size) {
    die_all(STATUS_INPUT,
            "parallel.grid %s is for %lld ranks, and there are %d: take as many, or parallel.grid: "
            "auto, which fits any number",
            text, partition_ranks(text), size);
  } else {
    n[0] = along[choice.axis];
    n[1] = along[choice.axis == 0];
  }
  regions_create(&s->regions, choice.axis, n);
}

void partition_print(const struct sim *s)
{
  const struct region_choice choice = choice_of(s);
  const int size = s->ranks->size;
  for (int slabs = 1; slabs <= size; slabs++) {
    const int n[CUTS] = {size / slabs, slabs};
    if (size % slabs) continue;
    const struct region_load load = regions_load(&choice, n);
    const char *taken = slabs == s->regions.cut[1].n ? "taken" : "";
    char grid[40];
    snprintf(grid, sizeof grid, "%d along %c, %d along %c", n[0], axis_name(s->regions.cut[0].axis),
             n[1], axis_name(s->regions.cut[1].axis));
    if (load.fits)
      info("ranks %s: %.0f beads and %.0f of the halo each, %d peers %s", grid, load.own, load.halo,
           load.peers, taken);
    else
      info("ranks %s: regions thinner than %.4g nm %s", grid, choice.thickness, taken);
  }
}
