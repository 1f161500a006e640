#include "input/metadynamics.h"

#include <math.h>

#include "input/coordinate_find.h"
#include "input/param_choices.h"

enum { BINS_OF_WIDTH = 5 }; /* where no bins are given; at least 2 are needed */

/* Item k of a list, or, where there is one axis, a node that is no list of such items. */
static int of_axis(const struct yaml_tree *t, int node, int k, int is_list)
{
  return is_list ? yaml_item(t, node, k) : node;
}

/* The coordinates: one, or a list of one or two. Returns how many are known. */
static int read_coordinates(struct yaml_tree *t, int item, const struct bias_set *set,
                            struct hill_grid *g)
{
  const struct coordinate *c = set->coordinate;
  const int one = yaml_get(t, item, "coordinate"), many = yaml_get(t, item, "coordinates");
  const int node = many ? many : yaml_need(t, item, "coordinate");
  const int n = many ? yaml_expect_list(t, many, 1, HILL_AXES_MOST) : node != 0;
  int known = 0;
  if (one && many) yaml_add_error(t, one, "give either coordinate or coordinates");
  for (int k = 0; k < n && k < HILL_AXES_MOST; k++) {
    struct hill_axis *a = &g->axis[k];
    a->coordinate = coordinate_find(t, of_axis(t, node, k, many), set);
    if (a->coordinate < 0) continue;
    a->period = c[a->coordinate].period / c[a->coordinate].unit;
    known++;
  }
  if (n == 2 && known == 2 && g->axis[0].coordinate == g->axis[1].coordinate)
    yaml_add_error(t, many, "the two coordinates are one");
  return known == n ? n : 0;
}

static void read_width(struct yaml_tree *t, int node, struct hill_axis *a)
{
  a->width = yaml_real(t, node, 1, 1e-6, 1e6);
  if (a->period > 0 && a->width * sqrt(8 * HILL_CUT) > a->period)
    yaml_add_error(t, node, "hills would reach around the whole period: at most %.6g",
                   a->period / sqrt(8 * HILL_CUT));
}

/* The number of bins of an axis: as given, or from the width. */
static int read_bins(struct yaml_tree *t, int node, int item, double length, double width)
{
  const double least = ceil(2 * length / width);
  const double preset = fmin(fmax(ceil(BINS_OF_WIDTH * length / width), 2), HILL_NODES_MOST);
  const int bins = (int)yaml_int(t, node, (int64_t)preset, 2, HILL_NODES_MOST);
  if (bins < least && node)
    yaml_add_error(t, node,
                   "%d bins are too few for hills of width %.6g: at least %.0f, or none: then they "
                   "are a fifth of the width",
                   bins, width, least);
  else if (bins < least)
    yaml_add_error(t, item,
                   "%d bins, which is the most, are too few for hills of width %.6g: at least "
                   "%.0f; take wider hills, or a shorter grid",
                   bins, width, least);
  return bins;
}

/* [low, high, bins] of an axis whose width is known. Without it all of a period. */
static void read_axis(struct yaml_tree *t, int node, int item, struct hill_axis *a)
{
  const int n = node ? yaml_expect_list(t, node, 2, 3) : 0, errors = yaml_errors(t);
  if (node && n == 0) return;
  const double low = yaml_real(t, yaml_item(t, node, 0), -a->period / 2, -1e6, 1e6),
               high = yaml_real(t, yaml_item(t, node, 1), low + a->period, -1e6, 1e6);
  if (yaml_errors(t) > errors) return;
  if (!(high > low)) {
    yaml_add_error(t, node, "an axis of the grid is [LOW, HIGH], with LOW below HIGH");
    return;
  }
  if (a->period > 0 && fabs(high - low - a->period) > 1e-6 * a->period)
    yaml_add_error(t, node, "the coordinate is periodic: the grid is as long as its period, %.9g",
                   a->period);
  const double length = a->period > 0 ? a->period : high - low;
  const int bins = read_bins(t, yaml_item(t, node, 2), item, length, a->width);
  a->low = low;
  a->spacing = length / bins;
  a->nodes = a->period > 0 ? bins : bins + 1;
}

/* From the unit of files to that of the program. */
static void unit_set(struct hill_axis *a, double unit)
{
  a->low *= unit;
  a->spacing *= unit;
  a->period *= unit;
  a->width *= unit;
}

/* The temperature, if it is not given, is that of the thermostat. */
static void temperature_set(struct yaml_tree *t, int item, const struct params *p, struct bias *b)
{
  if (isinf(ramp_largest(&b->parameter[1])) || yaml_get(t, item, "temperature")) return;
  b->parameter[2] = p->thermostat_temperature;
  if (p->thermostat_type == THERMOSTAT_NONE || !(ramp_largest(&b->parameter[2]) > 0))
    yaml_add_error(t, item,
                   "bias_factor needs the temperature: give this bias temperature:, K, as the run "
                   "has no thermostat");
}

void metadynamics_read(struct yaml_tree *t, int item, const struct params *p, struct bias_set *set,
                       struct bias *b)
{
  struct hill_grid g = {0};
  const int width = yaml_need(t, item, "width"), errors = yaml_errors(t);
  b->coordinate = -1;
  g.bias = set->n_biases;
  g.every = yaml_int(t, yaml_need(t, item, "every"), 1, 1, INT64_MAX);
  temperature_set(t, item, p, b);
  const int n = read_coordinates(t, item, set, &g);
  if (n == 0) return;
  const int widths = yaml_is_list(t, width) || n > 1;
  if (widths && yaml_expect_list(t, width, n, n) != n) return;
  const int whole = g.axis[0].period > 0 && (n == 1 || g.axis[1].period > 0);
  const int grid = whole ? yaml_get(t, item, "grid") : yaml_need(t, item, "grid");
  const int axes = n > 1 || yaml_is_list(t, yaml_item(t, grid, 0));
  if (grid && axes && yaml_expect_list(t, grid, n, n) != n) return;
  for (int k = 0; k < n; k++) {
    read_width(t, of_axis(t, width, k, widths), &g.axis[k]);
    if (grid || whole) read_axis(t, of_axis(t, grid, k, axes), item, &g.axis[k]);
    unit_set(&g.axis[k], set->coordinate[g.axis[k].coordinate].unit);
  }
  g.n = n;
  const double nodes = (double)g.axis[0].nodes * (n > 1 ? g.axis[1].nodes : 1);
  if (nodes > HILL_NODES_MOST && yaml_errors(t) == errors)
    yaml_add_error(t, grid ? grid : item, "%.0f nodes: at most %d; take fewer bins, or wider hills",
                   nodes, HILL_NODES_MOST);
  if (set->hills.n)
    yaml_add_error(t, item,
                   "a run has one metadynamics, of one or two coordinates: this is a second");
  b->coordinate = g.axis[0].coordinate;
  set->hills = g;
}
