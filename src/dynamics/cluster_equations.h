/* The equations of the constraints of a cluster, on host and device, in double: coupled linear
   equations for the multipliers along the reference vectors d_k, those of the constraints before
   the move. Their matrix A_kl = (d_k . d_l) times the inverse masses of the beads that k and l
   share is factored as L D L^T; constraints that follow from others have no pivot and no
   multiplier. The equations of a large cluster are in cluster_sparse.h.

   Lanes share the rows of the matrix, the constraints and the beads. No operation depends on their
   number. */
#ifndef CLUSTER_EQUATIONS_H
#define CLUSTER_EQUATIONS_H

#include "dynamics/cluster_sparse.h"

enum { CLUSTER_FEW = 4 }; /* constraints whose equations each lane solves by itself, in registers */

/* The member `shared` of constraints k and l of a type with a full matrix, 1/amu. */
HD double cluster_shared(const struct cluster_type *t, int k, int l)
{
  return t->shared[k * t->n_constraints + l];
}

/* The diagonal element of constraint k before elimination, from its reference vector. */
HD double cluster_diagonal(const struct cluster *c, int k)
{
  return cluster_shared(c->type, k, k) * vec3d_dot(c->vector + 3 * k, c->vector + 3 * k);
}

/* cluster_decompose of at most CLUSTER_FEW constraints: each lane has the whole matrix in
   registers, so that none waits for another. The same operations in the same order. */
HD void cluster_decompose_few(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  double a[CLUSTER_FEW][CLUSTER_FEW], factor[CLUSTER_FEW] = {0}, least[CLUSTER_FEW];
  UNROLL
  for (int i = 0; i < CLUSTER_FEW; i++) {
    UNROLL
    for (int k = 0; k <= i; k++)
      a[i][k] = i < n ? c->matrix[i * n + k] : 0;
    least[i] = CLUSTER_PIVOT * a[i][i];
  }
  cluster_sync(c);
  UNROLL
  for (int j = 0; j < CLUSTER_FEW; j++) {
    const double pivot = a[j][j];
    const int skip = !(pivot > least[j]);
    UNROLL
    for (int i = j + 1; i < CLUSTER_FEW; i++) {
      factor[i] = skip ? 0 : a[i][j] / pivot;
      UNROLL
      for (int k = j + 1; k <= i; k++)
        if (!skip) a[i][k] -= factor[i] * a[k][j];
    }
    UNROLL
    for (int i = j + 1; i < CLUSTER_FEW; i++)
      a[i][j] = factor[i];
    if (skip) a[j][j] = 0;
  }
  UNROLL
  for (int i = 0; i < CLUSTER_FEW; i++)
    UNROLL
  for (int k = 0; k <= i; k++)
    if (i < n && c->lanes.lane == 0) c->matrix[i * n + k] = a[i][k];
  cluster_sync(c);
}

/* L D L^T of the matrix, in place. A pivot that is too small and its column become 0. */
HD void cluster_decompose(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  double *a = c->matrix;
  if (n <= CLUSTER_FEW) {
    cluster_decompose_few(c);
    return;
  }
  for (int j = 0; j < n; j++) {
    const double pivot = a[j * n + j];
    const int skip = !(pivot > CLUSTER_PIVOT * cluster_diagonal(c, j));
    for (int i = j + 1 + c->lanes.lane; i < n && !skip; i += c->lanes.n) {
      const double factor = a[i * n + j] / pivot;
      for (int k = j + 1; k <= i; k++)
        a[i * n + k] -= factor * a[k * n + j];
    }
    cluster_sync(c);
    for (int i = j + 1 + c->lanes.lane; i < n; i += c->lanes.n)
      a[i * n + j] = skip ? 0 : a[i * n + j] / pivot;
    if (skip && c->lanes.lane == 0) a[j * n + j] = 0;
    cluster_sync(c);
  }
}

/* Makes the present vectors the reference vectors, and factors their matrix. */
HD void cluster_refer(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  for (int k = c->lanes.lane; k < n; k += c->lanes.n)
    cluster_vector(c, k, c->vector + 3 * k);
  cluster_sync(c);
  if (c->sparse) {
    cluster_refer_sparse(c);
    return;
  }
  for (int k = c->lanes.lane; k < n; k += c->lanes.n)
    for (int l = 0; l <= k; l++) {
      const double shared = cluster_shared(c->type, k, l);
      c->matrix[k * n + l] =
          shared != 0 ? shared * vec3d_dot(c->vector + 3 * k, c->vector + 3 * l) : 0;
    }
  cluster_sync(c);
  cluster_decompose(c);
}

/* cluster_solve of at most CLUSTER_FEW constraints, in the same way. */
HD void cluster_solve_few(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  double a[CLUSTER_FEW][CLUSTER_FEW], x[CLUSTER_FEW];
  UNROLL
  for (int i = 0; i < CLUSTER_FEW; i++) {
    x[i] = i < n ? c->multiplier[i] : 0;
    UNROLL
    for (int k = 0; k <= i; k++)
      a[i][k] = i < n ? c->matrix[i * n + k] : 0;
  }
  cluster_sync(c);
  UNROLL
  for (int j = 0; j < CLUSTER_FEW; j++)
    UNROLL
  for (int i = j + 1; i < CLUSTER_FEW; i++)
    if (i < n) x[i] -= a[i][j] * x[j];
  UNROLL
  for (int i = 0; i < CLUSTER_FEW; i++)
    x[i] = a[i][i] > 0 ? x[i] / a[i][i] : 0;
  UNROLL
  for (int j = CLUSTER_FEW - 1; j > 0; j--)
    UNROLL
  for (int i = 0; i < j; i++)
    if (j < n) x[i] -= a[j][i] * x[j];
  UNROLL
  for (int i = 0; i < CLUSTER_FEW; i++)
    if (i < n && c->lanes.lane == 0) c->multiplier[i] = x[i];
  cluster_sync(c);
}

/* Solves for the multipliers in place: c->multiplier holds the right-hand side before. */
HD void cluster_solve(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  const double *a = c->matrix;
  double *x = c->multiplier;
  cluster_sync(c);
  if (c->sparse) {
    cluster_solve_sparse(c);
    return;
  }
  if (n <= CLUSTER_FEW) {
    cluster_solve_few(c);
    return;
  }
  for (int j = 0; j < n; j++) {
    for (int i = j + 1 + c->lanes.lane; i < n; i += c->lanes.n)
      x[i] -= a[i * n + j] * x[j];
    cluster_sync(c);
  }
  for (int i = c->lanes.lane; i < n; i += c->lanes.n)
    x[i] = a[i * n + i] > 0 ? x[i] / a[i * n + i] : 0;
  cluster_sync(c);
  for (int j = n - 1; j > 0; j--) {
    for (int i = c->lanes.lane; i < j; i += c->lanes.n)
      x[i] -= a[j * n + i] * x[j];
    cluster_sync(c);
  }
}

#endif
