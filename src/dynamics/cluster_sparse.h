/* The equations of the constraints of a large cluster, on host and device: cluster_equations.h with
   a sparse matrix (model/cluster_pattern.c), which is factored as L U, level by level. Lanes share
   the columns and entries of a level. No operation depends on their number. */
#ifndef CLUSTER_SPARSE_H
#define CLUSTER_SPARSE_H

#include "dynamics/cluster_view.h"

/* The parts of c->matrix: the diagonal of U, and by entry L_ij and U_ji. */
struct cluster_factors {
  double *pivot, *lower, *upper;
};

HD struct cluster_factors cluster_factors_of(const struct cluster *c)
{
  struct cluster_factors f;
  f.pivot = c->matrix;
  f.lower = f.pivot + c->type->n_constraints;
  f.upper = f.lower + c->type->pattern.n_entries;
  return f;
}

/* a less the sum of L_ik U_kj over the columns k that rows i and j of the pattern share. */
HD double cluster_reduced(const struct cluster *c, const struct cluster_factors *f, double a, int i,
                          int j)
{
  const struct cluster_pattern *p = &c->type->pattern;
  int of_i = p->row[i], of_j = p->row[j];
  while (of_i < p->row[i + 1] && of_j < p->row[j + 1]) {
    const int first = p->in_row[of_i], second = p->in_row[of_j];
    const int way = p->column_of[first] - p->column_of[second];
    if (way == 0) a -= f->lower[first] * f->upper[second];
    of_i += way <= 0;
    of_j += way >= 0;
  }
  return a;
}

/* Factors the matrix in place. symmetric: 0: upper and lower half differ. A pivot that is too small
   and its column and row become 0. */
HD void cluster_factor(const struct cluster *c, int symmetric)
{
  const struct cluster_pattern *p = &c->type->pattern;
  const struct cluster_factors f = cluster_factors_of(c);
  for (int l = 0; l < p->n_levels; l++) {
    const int first = p->column[p->level[l]], end = p->column[p->level[l + 1]];
    for (int k = p->level[l] + c->lanes.lane; k < p->level[l + 1]; k += c->lanes.n) {
      const double *v = c->vector + 3 * k;
      const double pivot = cluster_reduced(c, &f, f.pivot[k], k, k);
      const double size = symmetric ? pivot : fabs(pivot);
      f.pivot[k] = size > CLUSTER_PIVOT * c->type->shared[k] * vec3d_dot(v, v) ? pivot : 0;
    }
    for (int e = first + c->lanes.lane; e < end; e += c->lanes.n) {
      const int i = p->row_of[e], j = p->column_of[e];
      f.upper[e] = cluster_reduced(c, &f, f.upper[e], j, i);
      f.lower[e] = symmetric ? f.upper[e] : cluster_reduced(c, &f, f.lower[e], i, j);
    }
    cluster_sync(c);
    for (int e = first + c->lanes.lane; e < end; e += c->lanes.n) {
      const double pivot = f.pivot[p->column_of[e]];
      f.lower[e] = pivot != 0 ? f.lower[e] / pivot : 0;
      if (pivot == 0) f.upper[e] = 0;
    }
    cluster_sync(c);
  }
}

/* The matrix of the vectors of reference, factored. */
HD void cluster_refer_sparse(const struct cluster *c)
{
  const struct cluster_pattern *p = &c->type->pattern;
  const struct cluster_factors f = cluster_factors_of(c);
  const double *shared = c->type->shared, *v = c->vector;
  const int n = c->type->n_constraints;
  for (int k = c->lanes.lane; k < n; k += c->lanes.n)
    f.pivot[k] = shared[k] * vec3d_dot(v + 3 * k, v + 3 * k);
  for (int e = c->lanes.lane; e < p->n_entries; e += c->lanes.n)
    f.lower[e] = f.upper[e] =
        shared[n + e] * vec3d_dot(v + 3 * p->row_of[e], v + 3 * p->column_of[e]);
  cluster_sync(c);
  cluster_factor(c, 1);
}

/* The matrix of the present vectors and those of reference, factored. */
HD void cluster_refer_newton_sparse(const struct cluster *c)
{
  const struct cluster_pattern *p = &c->type->pattern;
  const struct cluster_factors f = cluster_factors_of(c);
  const double *shared = c->type->shared;
  const int n = c->type->n_constraints;
  double v[3];
  for (int k = c->lanes.lane; k < n; k += c->lanes.n) {
    cluster_lack(c, k, v);
    f.pivot[k] = shared[k] * vec3d_dot(v, c->vector + 3 * k);
  }
  for (int e = c->lanes.lane; e < p->n_entries; e += c->lanes.n) {
    const int i = p->row_of[e], j = p->column_of[e];
    cluster_lack(c, i, v);
    f.lower[e] = shared[n + e] * vec3d_dot(v, c->vector + 3 * j);
    cluster_lack(c, j, v);
    f.upper[e] = shared[n + e] * vec3d_dot(v, c->vector + 3 * i);
  }
  cluster_sync(c);
  cluster_factor(c, 0);
}

/* Solves for the multipliers in place: c->multiplier holds the right-hand side before. */
HD void cluster_solve_sparse(const struct cluster *c)
{
  const struct cluster_pattern *p = &c->type->pattern;
  const struct cluster_factors f = cluster_factors_of(c);
  double *x = c->multiplier;
  for (int l = 0; l < p->n_levels; l++) {
    for (int k = p->level[l] + c->lanes.lane; k < p->level[l + 1]; k += c->lanes.n)
      for (int r = p->row[k]; r < p->row[k + 1]; r++)
        x[k] -= f.lower[p->in_row[r]] * x[p->column_of[p->in_row[r]]];
    cluster_sync(c);
  }
  for (int l = p->n_levels - 1; l >= 0; l--) {
    for (int k = p->level[l] + c->lanes.lane; k < p->level[l + 1]; k += c->lanes.n) {
      for (int e = p->column[k]; e < p->column[k + 1]; e++)
        x[k] -= f.upper[e] * x[p->row_of[e]];
      x[k] = f.pivot[k] != 0 ? x[k] / f.pivot[k] : 0;
    }
    cluster_sync(c);
  }
}

#endif
