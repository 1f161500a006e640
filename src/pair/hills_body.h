/* Hills of metadynamics as both backends evaluate them, in double. A hill is a Gaussian that ends
   where it is 0,
     h (exp(-s) - exp(-c)) / (1 - exp(-c)) for s < c = 6.25, s = sum over the axes of (x - place)^2
   / (2 width^2), as PLUMED has it since version 2.8 ("stretched-gaussian"). At the nodes of the
   grid the sum of hills and its slopes are exact; between them it is the cubic, with two axes
   bicubic, Hermite interpolant, and forces are the slopes of that. */
#ifndef HILLS_BODY_H
#define HILLS_BODY_H

#include <math.h>

#include "base/portable.h"
#include "model/hills.h"

/* x - place, of a periodic axis to the nearest image. */
HD double hill_difference(const struct hill_axis *a, double x, double place)
{
  const double d = x - place;
  return a->period > 0 ? d - a->period * floor(d / a->period + 0.5) : d;
}

/* The values of a hill at node i, j: energy and slopes, as in struct hill_store. */
HD void hill_at_node(const struct hill_grid *g, const struct hill *h, int i, int j, double v[4])
{
  const double end = portable_exp(-HILL_CUT), scale = h->height / (1 - end);
  double s = 0, slope[HILL_AXES_MOST] = {0, 0};
  for (int k = 0; k < g->n; k++) {
    const struct hill_axis *a = &g->axis[k];
    const double x = a->low + (k ? j : i) * a->spacing;
    const double z = hill_difference(a, x, h->place[k]) / h->width[k];
    s += 0.5 * z * z;
    slope[k] = -z / h->width[k];
  }
  const double e = s < HILL_CUT ? scale * portable_exp(-s) : 0;
  v[0] = s < HILL_CUT ? e - scale * end : 0;
  v[1] = e * slope[0];
  v[2] = e * slope[1];
  v[3] = v[2] * slope[0];
}

/* Nodes of an axis. */
struct hill_range {
  int first, n;
};

/* The nodes along axis k that a hill can reach. On a periodic axis `first` may be any image. */
HD struct hill_range hill_reach(const struct hill_grid *g, const struct hill *h, int k)
{
  const struct hill_axis *a = &g->axis[k];
  const double way = h->width[k] * sqrt(2 * HILL_CUT), most = a->nodes;
  double low = ceil((h->place[k] - way - a->low) / a->spacing);
  double n = floor((h->place[k] + way - a->low) / a->spacing) - low + 1;
  if (a->period > 0) {
    low -= most * floor(low / most);
    n = fmin(n, most);
  } else {
    const double end = fmin(low + n, most);
    low = fmax(low, 0.0);
    n = end - low;
  }
  const struct hill_range r = {(int)fmin(low, most), (int)fmax(n, 0.0)};
  return r;
}

/* Adds a hill to the nodes: thread t of n does a part of them. */
HD void hill_add(const struct hill_grid *g, const struct hill *h, double *node, int t, int n)
{
  const struct hill_range x = hill_reach(g, h, 0);
  struct hill_range y = {0, 1};
  if (g->n > 1) y = hill_reach(g, h, 1);
  const int values = hill_node_values(g);
  for (int m = t; m < x.n * y.n; m += n) {
    const int i = (x.first + m % x.n) % g->axis[0].nodes;
    const int j = g->n > 1 ? (y.first + m / x.n) % g->axis[1].nodes : 0;
    double v[4], *to = node + (int64_t)values * (i + (int64_t)j * g->axis[0].nodes);
    hill_at_node(g, h, i, j, v);
    for (int k = 0; k < values; k++)
      to[k] += v[k];
  }
}

/* Where a value is between two nodes of an axis, and with which weights their energies [.][0] and
   slopes [.][1] enter energy and slope. */
struct hill_weights {
  int node[2];
  double value[2][2], slope[2][2];
};

/* Returns 1 if x is outside the axis; the weights are those of its end then. */
HD int hill_weights_set(const struct hill_axis *a, double x, struct hill_weights *w)
{
  double f = (x - a->low) / a->spacing;
  const double most = a->period > 0 ? a->nodes : a->nodes - 1;
  if (a->period > 0) f -= most * floor(f / most);
  const int outside = !(f >= 0 && f <= most);
  f = fmax(0.0, fmin(f, most));
  const double cell = fmin(floor(f), most - 1), t = f - cell;
  w->node[0] = (int)cell;
  w->node[1] = ((int)cell + 1) % a->nodes;
  w->value[1][0] = t * t * (3 - 2 * t);
  w->value[0][0] = 1 - w->value[1][0];
  w->value[0][1] = a->spacing * t * (1 - t) * (1 - t);
  w->value[1][1] = a->spacing * t * t * (t - 1);
  w->slope[1][0] = outside ? 0 : 6 * t * (1 - t) / a->spacing;
  w->slope[0][0] = -w->slope[1][0];
  w->slope[0][1] = outside ? 0 : (1 - t) * (1 - 3 * t);
  w->slope[1][1] = outside ? 0 : t * (3 * t - 2);
  return outside;
}

/* The interpolated energy at x, and the force along each axis, of the sum of hills at the nodes;
   h not NULL: of this hill alone, the change that hill_add makes. Returns 1 + the first axis that x
   is outside of: the energy is that at its end, with no force. 0: none. */
HD int hill_energy(const struct hill_grid *g, const double *node, const struct hill *h,
                   const double x[HILL_AXES_MOST], double *energy, double force[HILL_AXES_MOST])
{
  struct hill_weights w[HILL_AXES_MOST];
  int outside = 0, k = g->n;
  do {
    k--;
    if (hill_weights_set(&g->axis[k], x[k], &w[k])) outside = 1 + k;
  } while (k > 0);
  *energy = force[0] = force[1] = 0;
  for (int c = 0; c < 1 << g->n; c++) {
    const int a = c & 1, b = c >> 1, i = w[0].node[a], j = g->n > 1 ? w[1].node[b] : 0;
    const int64_t at = (int64_t)hill_node_values(g) * (i + (int64_t)j * g->axis[0].nodes);
    double own[4];
    if (h) hill_at_node(g, h, i, j, own);
    for (int m = 0; m < hill_node_values(g); m++) {
      const int p = m & 1, q = m >> 1;
      const double value = h ? own[m] : node[at + m], wy = g->n > 1 ? w[1].value[b][q] : 1;
      *energy += value * w[0].value[a][p] * wy;
      force[0] -= value * w[0].slope[a][p] * wy;
      if (g->n > 1) force[1] -= value * w[0].value[a][p] * w[1].slope[b][q];
    }
  }
  return outside;
}

/* The height of a hill where the energy of those before is `energy`; tempered by a factor, at kT.
 */
HD double hill_height(double height, double factor, double kT, double energy)
{
  return isfinite(factor) ? height * portable_exp(-energy / ((factor - 1) * kT)) : height;
}

#endif
