/* The matrix A_kl = (d_k . d_l) times the inverse masses of the beads that constraints k and l
   share is factored as L D L^T; the trace of a bead is a sum over the entries of the inverse of A
   for its constraints. Of the inverse only those entries are computed that the factors have
   (Takahashi, Fagan and Chen 1973). */
#include "observe/cluster_freedom.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3d.h"

/* Least pivot of an independent constraint, of its diagonal. Others follow from those before. */
#define PIVOT 1e-10

/* The entries below the diagonal of a cluster type, as in struct cluster_pattern. */
struct columns {
  const struct cluster_type *type;
  const int *column, *row_of;
};

struct cluster_freedom {
  struct columns *columns;                 /* [cluster types of the force field] */
  double *entry, *diagonal, *work, *taken; /* room for the largest */
};

/* The sign of the vector of a constraint at one of its ends, an entry of `incident`. */
static int sign_of(int e)
{
  return e % 2 ? -1 : 1;
}

static struct columns columns_of(struct observable *o, const struct cluster_type *t)
{
  const int n = t->n_constraints;
  if (t->pattern.n_levels) return (struct columns){t, t->pattern.column, t->pattern.row_of};
  int *column = observe_memory(o, n + 1, sizeof *column);
  int *row_of = observe_memory(o, n * (n - 1) / 2, sizeof *row_of);
  for (int k = 0, e = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++)
      row_of[e++] = i;
    column[k + 1] = e;
  }
  return (struct columns){t, column, row_of};
}

struct cluster_freedom *cluster_freedom_create(struct observable *o, const struct forcefield *ff)
{
  struct cluster_freedom *f = observe_memory(o, 1, sizeof *f);
  int entries = 0, constraints = 0, beads = 0;
  f->columns = observe_memory(o, ff->n_clusters, sizeof *f->columns);
  for (int k = 0; k < ff->n_clusters; k++) {
    const struct cluster_type *t = &ff->cluster[k];
    f->columns[k] = columns_of(o, t);
    if (f->columns[k].column[t->n_constraints] > entries)
      entries = f->columns[k].column[t->n_constraints];
    if (t->n_constraints > constraints) constraints = t->n_constraints;
    if (t->n_beads > beads) beads = t->n_beads;
  }
  f->entry = observe_memory(o, entries, sizeof *f->entry);
  f->diagonal = observe_memory(o, constraints, sizeof *f->diagonal);
  f->work = observe_memory(o, constraints, sizeof *f->work);
  f->taken = observe_memory(o, beads, sizeof *f->taken);
  return f;
}

/* The entry of two constraints, which the factors have. */
static double *entry_of(const struct cluster_freedom *f, const struct columns *c, int i, int j)
{
  const int row = i > j ? i : j, column = i > j ? j : i, last = c->column[column + 1] - 1;
  int e = c->column[column] + row - column - 1; /* if the column is full, else later */
  if (row == column) return &f->diagonal[row];
  if (e > last) e = last;
  while (c->row_of[e] > row)
    e--;
  return &f->entry[e];
}

static void fill(struct cluster_freedom *f, const struct columns *c, const double (*vector)[3])
{
  const int n = c->type->n_constraints, full = c->type->pattern.n_levels == 0;
  const double *shared = c->type->shared;
  for (int k = 0; k < n; k++) {
    f->diagonal[k] = shared[full ? k * n + k : k] * vec3d_dot(vector[k], vector[k]);
    f->work[k] = f->diagonal[k];
    for (int e = c->column[k]; e < c->column[k + 1]; e++)
      f->entry[e] =
          shared[full ? k * n + c->row_of[e] : n + e] * vec3d_dot(vector[k], vector[c->row_of[e]]);
  }
}

/* Makes L, without its diagonal, and D of the matrix, whose diagonal is in `work`. Columns of
   constraints that follow from others become 0. */
static void decompose(struct cluster_freedom *f, const struct columns *c)
{
  for (int k = 0; k < c->type->n_constraints; k++) {
    const int end = c->column[k + 1];
    const double pivot = f->diagonal[k] > PIVOT * f->work[k] ? f->diagonal[k] : 0;
    f->diagonal[k] = pivot;
    for (int p = c->column[k]; p < end; p++) {
      const double factor = pivot > 0 ? f->entry[p] / pivot : 0;
      for (int q = p; q < end && factor != 0; q++)
        *entry_of(f, c, c->row_of[q], c->row_of[p]) -= factor * f->entry[q];
      f->entry[p] = factor;
    }
  }
}

/* Replaces L and D by the entries of the inverse, column by column from the last. */
static void invert(struct cluster_freedom *f, const struct columns *c)
{
  for (int k = c->type->n_constraints - 1; k >= 0; k--) {
    const int first = c->column[k], end = c->column[k + 1];
    if (f->diagonal[k] > 0) f->diagonal[k] = 1 / f->diagonal[k];
    memset(f->work, 0, (size_t)(end - first) * sizeof *f->work);
    for (int q = first; q < end; q++)
      for (int p = first; p < end && f->entry[q] != 0; p++)
        f->work[p - first] -= f->entry[q] * *entry_of(f, c, c->row_of[p], c->row_of[q]);
    for (int p = first; p < end; p++) {
      f->diagonal[k] -= f->entry[p] * f->work[p - first];
      f->entry[p] = f->work[p - first];
    }
  }
}

const double *cluster_freedom_taken(struct cluster_freedom *f, int cluster,
                                    const double (*vector)[3])
{
  const struct columns *c = &f->columns[cluster];
  const struct cluster_type *t = c->type;
  fill(f, c, vector);
  decompose(f, c);
  invert(f, c);
  for (int b = 0; b < t->n_beads; b++) {
    f->taken[b] = 0;
    for (int p = t->row[b]; p < t->row[b + 1]; p++)
      for (int q = t->row[b]; q < t->row[b + 1]; q++) {
        const int i = t->incident[p], j = t->incident[q];
        f->taken[b] += sign_of(i) * sign_of(j) * t->inverse_mass[b] *
                       vec3d_dot(vector[i / 2], vector[j / 2]) * *entry_of(f, c, i / 2, j / 2);
      }
  }
  return f->taken;
}
