/* The matrix A_kl = (d_k . d_l) times the inverse masses of the beads that constraints k and l
   share is factored as L D L^T; the trace of a bead is a sum over the entries of the inverse of A
   for its constraints. Only those entries of the inverse are computed that lie in the envelope of
   the matrix (Takahashi, Fagan and Chen 1973). The order of Cuthill and McKee keeps it narrow: time
   and memory grow in proportion to the length of a chain. */
#include "observe/cluster_freedom.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3d.h"

/* Least pivot of an independent constraint, of its diagonal. Others follow from those before. */
#define PIVOT 1e-10

/* Of a cluster type: its constraints in the order of the matrix. Row i has the columns first[i] ...
   i, which begin at entry start[i]. */
struct envelope {
  const struct cluster_type *type;
  int *at;                   /* [n_constraints] the row of a constraint */
  int *first, *last, *start; /* last: the last row that has column i */
};

struct cluster_freedom {
  int n;
  struct envelope *envelope;                /* [n] cluster types of the force field */
  double *matrix, *diagonal, *work, *taken; /* room for the largest */
};

/* The sign of the vector of a constraint at one of its ends, an entry of `incident`. */
static int sign_of(int e)
{
  return e % 2 ? -1 : 1;
}

/* Appends the constraints that are connected with one, by increasing distance, to order[n]; returns
   how many there are then. seen[constraint] is set to `mark`. */
static int breadth_first(const struct cluster_type *t, int from, int mark, int *seen, int *order,
                         int n)
{
  int head = n;
  order[n++] = from;
  seen[from] = mark;
  for (; head < n; head++)
    for (int e = 0; e < 2; e++) {
      const int bead = t->constraint[order[head]].bead[e];
      for (int q = t->row[bead]; q < t->row[bead + 1]; q++) {
        const int other = t->incident[q] / 2;
        if (seen[other] == mark) continue;
        seen[other] = mark;
        order[n++] = other;
      }
    }
  return n;
}

/* Sets the rows of the constraints: those of each connected part from one of its ends on. */
static void order_constraints(const struct cluster_type *t, int *at)
{
  int *order = alloc_array(t->n_constraints, sizeof *order), n = 0;
  int *seen = alloc_array(t->n_constraints, sizeof *seen);
  for (int k = 0; k < t->n_constraints; k++) {
    if (seen[k]) continue;
    const int end = breadth_first(t, k, 1, seen, order, n);
    n = breadth_first(t, order[end - 1], 2, seen, order, n);
  }
  for (int i = 0; i < n; i++)
    at[order[i]] = i;
  free(order);
  free(seen);
}

static struct envelope envelope_of(struct observable *o, const struct cluster_type *t)
{
  const int n = t->n_constraints;
  struct envelope e;
  e.type = t;
  e.at = observe_memory(o, n, sizeof *e.at);
  e.first = observe_memory(o, n, sizeof *e.first);
  e.last = observe_memory(o, n, sizeof *e.last);
  e.start = observe_memory(o, n + 1, sizeof *e.start);
  order_constraints(t, e.at);
  for (int i = 0; i < n; i++)
    e.first[i] = e.last[i] = i;
  for (int b = 0; b < t->n_beads; b++)
    for (int p = t->row[b]; p < t->row[b + 1]; p++)
      for (int q = t->row[b]; q < t->row[b + 1]; q++) {
        const int i = e.at[t->incident[p] / 2], j = e.at[t->incident[q] / 2];
        if (j < e.first[i]) e.first[i] = j;
      }
  for (int i = 0; i < n; i++) {
    e.start[i + 1] = e.start[i] + i - e.first[i] + 1;
    for (int j = e.first[i]; j < i; j++)
      e.last[j] = i;
  }
  return e;
}

struct cluster_freedom *cluster_freedom_create(struct observable *o, const struct forcefield *ff)
{
  struct cluster_freedom *c = observe_memory(o, 1, sizeof *c);
  int entries = 0, constraints = 0, beads = 0;
  c->n = ff->n_clusters;
  c->envelope = observe_memory(o, c->n, sizeof *c->envelope);
  for (int k = 0; k < c->n; k++) {
    const struct cluster_type *t = &ff->cluster[k];
    c->envelope[k] = envelope_of(o, t);
    if (c->envelope[k].start[t->n_constraints] > entries)
      entries = c->envelope[k].start[t->n_constraints];
    if (t->n_constraints > constraints) constraints = t->n_constraints;
    if (t->n_beads > beads) beads = t->n_beads;
  }
  c->matrix = observe_memory(o, entries, sizeof *c->matrix);
  c->diagonal = observe_memory(o, constraints, sizeof *c->diagonal);
  c->work = observe_memory(o, constraints, sizeof *c->work);
  c->taken = observe_memory(o, beads, sizeof *c->taken);
  return c;
}

/* The entry of two rows, of which the larger has the smaller as a column. */
static double *entry(const struct cluster_freedom *c, const struct envelope *e, int i, int j)
{
  const int row = i > j ? i : j, column = i > j ? j : i;
  return &c->matrix[e->start[row] + column - e->first[row]];
}

static void fill(struct cluster_freedom *c, const struct envelope *e, const double (*vector)[3])
{
  const struct cluster_type *t = e->type;
  memset(c->matrix, 0, (size_t)e->start[t->n_constraints] * sizeof *c->matrix);
  for (int b = 0; b < t->n_beads; b++)
    for (int p = t->row[b]; p < t->row[b + 1]; p++)
      for (int q = t->row[b]; q <= p; q++) {
        const int f = t->incident[p], g = t->incident[q];
        *entry(c, e, e->at[f / 2], e->at[g / 2]) +=
            sign_of(f) * sign_of(g) * t->inverse_mass[b] * vec3d_dot(vector[f / 2], vector[g / 2]);
      }
}

/* Makes L, without its diagonal, and D of the matrix. Rows and columns of constraints that follow
   from others become 0. */
static void decompose(struct cluster_freedom *c, const struct envelope *e)
{
  for (int i = 0; i < e->type->n_constraints; i++) {
    double *row = c->matrix + e->start[i] - e->first[i], sum = row[i];
    for (int j = e->first[i]; j < i; j++) {
      const double *other = c->matrix + e->start[j] - e->first[j];
      const int from = e->first[i] > e->first[j] ? e->first[i] : e->first[j];
      for (int k = from; k < j; k++)
        row[j] -= row[k] * other[k];
    }
    for (int j = e->first[i]; j < i; j++) {
      const double factor = c->diagonal[j] > 0 ? row[j] / c->diagonal[j] : 0;
      sum -= factor * row[j];
      row[j] = factor;
    }
    c->diagonal[i] = sum > PIVOT * row[i] ? sum : 0;
    for (int j = e->first[i]; j < i && !(c->diagonal[i] > 0); j++)
      row[j] = 0;
  }
}

/* Replaces L by the entries of the inverse, column by column from the last. */
static void invert(struct cluster_freedom *c, const struct envelope *e)
{
  for (int i = e->type->n_constraints - 1; i >= 0; i--) {
    const int last = e->last[i];
    double sum = c->diagonal[i] > 0 ? 1 / c->diagonal[i] : 0;
    for (int j = i + 1; j <= last; j++) {
      c->work[j] = 0;
      for (int k = i + 1; k <= last && e->first[j] <= i; k++)
        if (e->first[k] <= i) c->work[j] -= *entry(c, e, k, i) * *entry(c, e, k, j);
    }
    for (int j = i + 1; j <= last; j++) {
      if (e->first[j] > i) continue;
      sum -= *entry(c, e, j, i) * c->work[j];
      *entry(c, e, j, i) = c->work[j];
    }
    *entry(c, e, i, i) = sum;
  }
}

const double *cluster_freedom_taken(struct cluster_freedom *c, int cluster,
                                    const double (*vector)[3])
{
  const struct envelope *e = &c->envelope[cluster];
  const struct cluster_type *t = e->type;
  fill(c, e, vector);
  decompose(c, e);
  invert(c, e);
  for (int b = 0; b < t->n_beads; b++) {
    c->taken[b] = 0;
    for (int p = t->row[b]; p < t->row[b + 1]; p++)
      for (int q = t->row[b]; q < t->row[b + 1]; q++) {
        const int f = t->incident[p], g = t->incident[q];
        c->taken[b] += sign_of(f) * sign_of(g) * t->inverse_mass[b] *
                       vec3d_dot(vector[f / 2], vector[g / 2]) *
                       *entry(c, e, e->at[f / 2], e->at[g / 2]);
      }
  }
  return c->taken;
}
