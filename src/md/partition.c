#include "md/partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/text.h"
#include "md/listcheck.h"
#include "md/skin.h"

#define TIGHT 0.95 /* the box is tight unless it fits when its edges are multiplied by this */
enum { CUTOFFS_MOST = 1 << 20 };

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

/* Finds the cheapest grid whose regions have at least this thickness (nm) in the present box, its
   edges times scale. Returns 0 if there is none. */
static int grid_fits(const struct sim *s, const struct region_choice *choice, double thickness,
                     double scale, int n[CUTS])
{
  struct region_choice c = *choice;
  c.thickness = thickness;
  for (int k = 0; k < BOX; k++)
    c.box[k] *= scale;
  regions_choose(&c, s->ranks->size, n);
  return regions_load(&c, n).fits;
}

/* Prefers a grid whose regions have room for clusters in any conformation and, with a barostat, in
   a smaller box; otherwise takes one with room for the present conformations. Returns 0 if there is
   none. */
static int grid_choose(const struct sim *s, const struct region_choice *choice, int n[CUTS])
{
  const double shrunk = s->params->barostat_type == BAROSTAT_NONE ? 1 : 0.95;
  const double ever = fmax(skin_widest_halo(s) + 2 * s->cluster_bound, choice->thickness);
  return grid_fits(s, choice, ever, shrunk, n) || grid_fits(s, choice, ever, 1, n) ||
         grid_fits(s, choice, choice->thickness, shrunk, n) ||
         grid_fits(s, choice, choice->thickness, 1, n);
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
  partition_balance_next(s);
}

void partition_balance_next(struct sim *s)
{
  s->balance_build = -1;
}

void partition_balance(struct sim *s)
{
  const int64_t every = s->params->parallel_balance_every;
  if (s->balance_build < 0 || (every > 0 && s->builds >= s->balance_build + every)) {
    regions_balance(&s->regions, s->ranks, s->backend);
    s->balance_build = s->builds;
  } else {
    regions_widen(&s->regions);
  }
}

int partition_change(struct sim *s, double reach, double extent)
{
  struct region_choice choice = choice_of(s);
  int n[CUTS];
  char *before = partition_name(s);
  const int axis = s->regions.cut[0].axis;
  choice.reach = reach + extent;
  choice.thickness = reach + 2 * extent;
  memcpy(choice.box, s->system->lists.box, sizeof choice.box);
  const int fits = grid_choose(s, &choice, n);
  if (fits) {
    regions_destroy(&s->regions);
    regions_create(&s->regions, axis, n);
    const struct domain domain = regions_domain(&s->regions, s->ranks);
    transport_close(&s->transport);
    transport_open(&s->transport, s->ranks, s->params->parallel_transport, &domain,
                   s->backend->channel);
    partition_balance_next(s);
    char *after = partition_name(s);
    info("step %lld: regions of the grid of ranks %s are too thin now; the run goes on with %s",
         (long long)s->system->clock.step, before, after);
    free(after);
  }
  free(before);
  return fits;
}

void partition_print(const struct sim *s)
{
  const struct region_choice choice = choice_of(s);
  const int size = s->ranks->size;
  for (int slabs = 1; slabs <= size; slabs++) {
    const int n[CUTS] = {size / slabs, slabs};
    if (size % slabs) continue;
    const struct region_load load = regions_load(&choice, n);
    const char *taken = slabs == s->regions.cut[1].n ? ": taken" : "";
    char grid[40];
    snprintf(grid, sizeof grid, "%d along %c, %d along %c", n[0], axis_name(s->regions.cut[0].axis),
             n[1], axis_name(s->regions.cut[1].axis));
    if (load.fits)
      info("ranks %s: each has about %.0f beads and copies of %.0f of other ranks (halo), and "
           "exchanges with %d rank%s%s",
           grid, load.own, load.halo, load.peers, load.peers == 1 ? "" : "s", taken);
    else
      info("ranks %s: regions would be thinner than %.4g nm, and so are not possible%s", grid,
           choice.thickness, taken);
  }
}

/* The box */

int box_short_axis(const double box[BOX], double radius)
{
  for (int k = 0; k < 3; k++)
    if (!(box_height(box, k) >= 2 * radius)) return k;
  return -1;
}

/* Upper bound, nm, of the distance between a bead and the lead bead of its cluster along a cut axis
   at the next list build: that of the last build plus what the two beads can have moved. It depends
   on the last list build alone, so that a continued run ends at the same step as an uninterrupted
   one. */
static double extent_next(const struct sim *s)
{
  return fmin(s->extent + listcheck_halo_width(s) - s->cutoff, s->cluster_bound);
}

/* The least thickness of a region at the next list build, nm. */
static double thickness_of(const struct sim *s)
{
  return listcheck_halo_width(s) + 2 * extent_next(s);
}

int box_grid_is_free(const struct sim *s)
{
  return !strcmp(s->params->parallel_grid, "auto");
}

static void scaled_box(const struct sim *s, double scale, double box[BOX])
{
  for (int k = 0; k < BOX; k++)
    box[k] = scale * s->system->box[k];
}

long long box_most_ranks(const struct sim *s)
{
  return regions_most_ranks(thickness_of(s), s->system->box);
}

void box_explain_regions(const struct sim *s, double scale, char text[REGIONS_TEXT])
{
  double box[BOX];
  scaled_box(s, scale, box);
  regions_explain(&s->regions, thickness_of(s), box, text);
}

enum box_fit box_fit_of(const struct sim *s, double scale)
{
  double box[BOX];
  scaled_box(s, scale, box);
  if (box_short_axis(box, fmax(listcheck_radius(s), s->longest_constraint)) >= 0)
    return BOX_EDGE_SHORT;
  const double thickness = thickness_of(s);
  const int other = box_grid_is_free(s) && regions_fit_somehow(s->ranks->size, thickness, box);
  return other || regions_thin_cut(&s->regions, thickness, box) < 0 ? BOX_FITS : BOX_REGIONS_THIN;
}

int box_is_tight(const struct sim *s)
{
  return box_fit_of(s, TIGHT) != BOX_FITS;
}

/* Positions are multiples of box / 2^32; with this limit that is at most 1/4096 of the cutoff
   (docs/decisions.md). */
static void refuse_large(const struct sim *s)
{
  const double *box = s->system->box;
  for (int k = 0; k < 3; k++)
    if (!(box[k] <= CUTOFFS_MOST * s->cutoff))
      die_all(
          STATUS_INPUT,
          "the box edge along %c is %.6g nm, more than 2^20 cutoffs (%.6g nm): positions, which "
          "are 32-bit fractions of the box, would be too coarse; take a smaller box",
          axis_name(k), box[k], CUTOFFS_MOST * s->cutoff);
}

void box_refuse(const struct sim *s)
{
  const double *box = s->system->box;
  const int k = box_short_axis(box, listcheck_radius(s));
  const int held = box_short_axis(box, s->longest_constraint);
  const char *width = box_width_name(box);
  refuse_large(s);
  if (held >= 0)
    die_all(STATUS_INPUT,
            "the %s along %c is %.6g nm, less than twice the longest constraint (%.6g nm), whose "
            "beads would be held at their nearest images: take a larger box",
            width, axis_name(held), box_height(box, held), s->longest_constraint);
  if (k >= 0)
    die_all(STATUS_INPUT,
            "the %s along %c is %.6g nm, less than twice the list radius (cutoff %.4g + skin "
            "%.4g nm): the minimum image would miss pairs; take a larger box%s",
            width, axis_name(k), box_height(box, k), s->cutoff, s->system->lists.skin,
            box_height(box, k) > 2 * s->cutoff ? " or a smaller skin" : "");
}
