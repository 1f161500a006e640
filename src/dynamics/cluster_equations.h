/* A cluster at work, on host and device, in double: its arrays, the threads that share them, the
   vectors of its constraints, and the equations of the constraints. These are coupled linear
   equations for the multipliers along the reference vectors d_k, those of the constraints before
   the move. Their matrix A_kl = (d_k . d_l) times the inverse masses of the beads that k and l
   share is factored as L D L^T; constraints that follow from others have no pivot and no
   multiplier. That of a large cluster is sparse (model/cluster_pattern.c) and factored as L U,
   level by level.

   Lanes share the rows of the matrix, the columns and entries of a level, the constraints and the
   beads. No operation depends on their number. */
#ifndef CLUSTER_EQUATIONS_H
#define CLUSTER_EQUATIONS_H

#include "base/box.h"
#include "dynamics/site_body.h"

#define CLUSTER_PIVOT 1e-10 /* least pivot of independent constraints, over the diagonal */

/* Threads that work on one cluster: on the host one, on GPUs some of a warp, whose bits mask has,
   or those of a block. */
struct cluster_lanes {
  int lane, n;
  unsigned mask;
  int block;
};

/* A cluster at work. The arrays may be used by all lanes. */
struct cluster {
  const struct cluster_type *type;
  struct body *body;                    /* [n_beads] */
  const struct body_type **inertia;     /* [n_beads] */
  double *move;                         /* [n_beads][3] displacements, nm */
  double *moved2;                       /* [n_beads] squares of distances moved in the step, nm2 */
  double *vector, *matrix, *multiplier; /* [n_constraints] [3], [n_constraints], 1 */
  double box[BOX];                      /* nm */
  struct cluster_lanes lanes;
  int sparse; /* 1: the matrix has the pattern of the type */
};

/* The size of the arrays from `move` on, in doubles. While forces on sites are spread, these arrays
   hold the shares of the parents. */
HD int cluster_room(const struct cluster_type *t)
{
  const int n = t->n_constraints;
  const int matrix = t->pattern.n_levels > 0 ? n + 2 * t->pattern.n_entries : n * n;
  const int motion = 4 * t->n_beads + 4 * n + matrix;
  const int shares = 3 * t->n_parents;
  return shares > motion ? shares : motion;
}

HD void cluster_set_room(struct cluster *c, double *room)
{
  const int n = c->type->n_constraints;
  c->move = room;
  c->moved2 = c->move + 3 * c->type->n_beads;
  c->vector = c->moved2 + c->type->n_beads;
  c->multiplier = c->vector + 3 * n;
  c->matrix = c->multiplier + n;
}

/* Barrier: afterwards all lanes see what any lane has written before. */
HD void cluster_sync(const struct cluster *c)
{
#ifdef __CUDA_ARCH__
  if (c->lanes.block)
    __syncthreads();
  else
    __syncwarp(c->lanes.mask);
#else
  (void)c;
#endif
}

/* 1 if the flag of some lane is set. */
HD int cluster_any(const struct cluster *c, int flag)
{
#ifdef __CUDA_ARCH__
  return c->lanes.block ? __syncthreads_or(flag) : __any_sync(c->lanes.mask, flag);
#else
  (void)c;
  return flag;
#endif
}

/* The vector of constraint k now, nm. */
HD void cluster_vector(const struct cluster *c, int k, double v[3])
{
  const int *bead = c->type->constraint[k].bead;
  body_vector(&c->body[bead[0]], &c->body[bead[1]], c->box, v);
}

/* The vector of constraint k after the moves, nm; returns by how much its square is less than that
   of the length, nm2. */
HD double cluster_lack(const struct cluster *c, int k, double v[3])
{
  const struct cluster_constraint *to = &c->type->constraint[k];
  for (int d = 0; d < 3; d++)
    v[d] = c->vector[3 * k + d] + (c->move[3 * to->bead[0] + d] - c->move[3 * to->bead[1] + d]);
  return to->length * to->length - vec3d_dot(v, v);
}

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
