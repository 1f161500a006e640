#include "md/box.h"

#include <math.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "md/listcheck.h"
#include "mpi/domain/regions.h"

#define TIGHT 0.95 /* the box is tight unless it fits when its edges are multiplied by this */
enum { CUTOFFS_MOST = 1 << 20 };

int box_short_axis(const double box[3], double radius)
{
  for (int k = 0; k < 3; k++)
    if (!(box[k] >= 2 * radius)) return k;
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

static void scaled_box(const struct sim *s, double scale, double box[3])
{
  for (int k = 0; k < 3; k++)
    box[k] = scale * s->system->box[k];
}

long long box_most_ranks(const struct sim *s)
{
  return regions_most_ranks(thickness_of(s), s->system->box);
}

void box_explain_regions(const struct sim *s, double scale, char text[REGIONS_TEXT])
{
  double box[3];
  scaled_box(s, scale, box);
  regions_explain(&s->regions, thickness_of(s), box, text);
}

enum box_fit box_fit_of(const struct sim *s, double scale)
{
  double box[3];
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
  refuse_large(s);
  if (held >= 0)
    die_all(
        STATUS_INPUT,
        "the box edge along %c is %.6g nm, less than twice the longest constraint (%.6g nm), whose "
        "beads would be held at their nearest images: take a larger box",
        axis_name(held), box[held], s->longest_constraint);
  if (k >= 0)
    die_all(STATUS_INPUT,
            "the box edge along %c is %.6g nm, less than twice the list radius (cutoff %.4g + skin "
            "%.4g nm): the minimum image would miss pairs; take a larger box or a smaller skin",
            axis_name(k), box[k], s->cutoff, s->system->lists.skin);
}
