/* Spectra of the undulations of height and thickness of a bilayer, and its bending rigidity after
   Helfrich, <|h_q|^2> = kT/(kappa q^4) (Z. Naturforsch. C 28, 693, 1973). The heights of the heads
   of each leaflet are averaged in the cells of a lattice; empty cells take the mean of their side
   neighbours (spectrum.h). height: half the sum of the lattices of both leaflets; thickness: half
   their difference. A sample in which a leaflet has no lipid makes the results NaN. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/portable.h"
#include "base/units.h"
#include "observe/bilayer.h"
#include "observe/spectrum.h"

struct undulation {
  struct bilayer bilayer;
  struct spectrum spectrum;
  double fit_to; /* 1/nm */
};

/* Words: sums of heights in the cells of the upper leaflet and of the lower one, then the numbers
   of lipids. Values: powers of height, of thickness, and q, by row. */
#define HEIGHT_SCALE 1073741824.0 /* 2^30 a nm */

void observe_undulation_open(struct observable *o, struct yaml_tree *t, int options)
{
  struct undulation *u = o->own = observe_memory(o, 1, sizeof *u);
  bilayer_open(&u->bilayer, o, t, options);
  const int grid = (int)yaml_int(t, yaml_get(t, options, "grid"), 32, 4, 256);
  u->fit_to = yaml_real(t, yaml_get(t, options, "fit_to"), 1.0, YAML_POSITIVE, 1e3);
  observable_chose(o, "grid: %d", grid);
  observable_chose(o, "fit_to: %g", u->fit_to);
  observable_chose(o, "temperature: %g", o->about->temperature);
  spectrum_open(&u->spectrum, o, grid, o->about->box);
  const int rows = u->spectrum.rows;
  o->words = (int64_t)4 * grid * grid;
  observable_add_table(o, "spectrum", "q", "nm-1", rows);
  observable_add_column(o, "height", "nm4", OBSERVE_NEXT);
  observable_add_column(o, "thickness", "nm4", OBSERVE_NEXT);
  o->values += rows;
  observable_add_table(o, "bending", NULL, NULL, 1);
  observable_add_column(o, "rigidity", "kJ mol-1", OBSERVE_DERIVED);
  observable_add_column(o, "rigidity_kT", "kT", OBSERVE_DERIVED);
}

void observe_undulation_collect(const struct observable *o, const struct observe_frame *f,
                                int64_t *word)
{
  const struct undulation *u = o->own;
  const int grid = u->spectrum.grid, cells = grid * grid;
  const struct bilayer_lipid *p = bilayer_poses(&u->bilayer, o, f, observe_flat_words(o, word));
  for (int64_t k = 0; k < u->bilayer.lipids; k++) {
    const int x = (int)((uint64_t)p[k].lateral[0] * (uint64_t)grid >> 32);
    const int y = (int)((uint64_t)p[k].lateral[1] * (uint64_t)grid >> 32);
    const int at = (p[k].pose.leaflet < 0 ? cells : 0) + x * grid + y;
    word[at] += llrint(p[k].height * HEIGHT_SCALE);
    word[2 * cells + at]++;
  }
}

/* The lattice of a leaflet, h[cells], from its sums of heights and numbers of lipids. Returns 0 if
   it has none. */
static int lattice_of(int grid, const int64_t *height, const int64_t *lipids, double *h)
{
  const int cells = grid * grid;
  char *is_set = alloc_array(cells, 1);
  for (int k = 0; k < cells; k++) {
    is_set[k] = lipids[k] > 0;
    h[k] = lipids[k] ? (double)height[k] / HEIGHT_SCALE / (double)lipids[k] : 0;
  }
  const int filled = spectrum_fill(grid, h, is_set);
  free(is_set);
  return filled;
}

void observe_undulation_sample(struct observable *o, const struct observe_frame *f,
                               const int64_t *word, double *value)
{
  const struct undulation *u = o->own;
  const struct spectrum *s = &u->spectrum;
  const int cells = s->grid * s->grid;
  const double area = f->box[0] * f->box[1];
  double *upper = alloc_array(cells, sizeof *upper), *lower = alloc_array(cells, sizeof *lower);
  int filled = lattice_of(s->grid, word, word + 2 * cells, upper);
  filled &= lattice_of(s->grid, word + cells, word + 3 * cells, lower);
  for (int k = 0; k < cells; k++) {
    const double height = (upper[k] + lower[k]) / 2, thickness = (upper[k] - lower[k]) / 2;
    upper[k] = height;
    lower[k] = thickness;
  }
  spectrum_power(s, upper, area, value);
  spectrum_power(s, lower, area, value + s->rows);
  spectrum_q(s, f->box, value + 2 * s->rows);
  for (int k = 0; k < 2 * s->rows && !filled; k++)
    value[k] = (double)NAN;
  free(upper);
  free(lower);
}

/* kappa/kT: least squares of log(<|h_q|^2> q^4) = log(kT/kappa) over the rows with q <= fit_to,
   weighted by their modes; NaN without such rows. */
static double rigidity_of(const struct undulation *u, const double *height, const double *q)
{
  double sum = 0, weight = 0;
  for (int k = 0; k < u->spectrum.rows; k++) {
    if (!(q[k] <= u->fit_to)) continue;
    sum += u->spectrum.modes[k] * portable_log(height[k] * q[k] * q[k] * q[k] * q[k]);
    weight += u->spectrum.modes[k];
  }
  return weight > 0 ? portable_exp(-sum / weight) : (double)NAN;
}

void observe_undulation_derive(const struct observable *o, const double *mean, double *result)
{
  const struct undulation *u = o->own;
  const int rows = u->spectrum.rows;
  const double *q = mean + 2 * rows, rigidity = rigidity_of(u, mean, q);
  memcpy(observe_axis_of(o, result, 0), q, (size_t)rows * sizeof *q);
  *observe_column_of(o, result, 1, 0) = rigidity * UNITS_BOLTZMANN * o->about->temperature;
  *observe_column_of(o, result, 1, 1) = rigidity;
}
