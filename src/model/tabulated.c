#include "model/tabulated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int tabulated_contradiction(const struct tabulated_rows *rows)
{
  double depth = 0;
  for (int k = 0; k < rows->n; k++)
    depth = fmax(depth, -rows->u[k]);
  for (int k = 0; k + 1 < rows->n; k++) {
    const double *u = rows->u + k, *f = rows->f + k, width = rows->r[k + 1] - rows->r[k];
    const double most = fmax(fabs(f[0]), fabs(f[1])), mean = (u[0] - u[1]) / width;
    const double rounding = 1e-5 * fmax(fabs(u[0]), fabs(u[1])) + 1e-4 * depth;
    const double slack = 0.1 * most + rounding / width;
    if (!(mean >= fmin(f[0], f[1]) - slack && mean <= fmax(f[0], f[1]) + slack)) return k;
  }
  return -1;
}

double tabulated_deviation(const struct tabulated_rows *rows)
{
  double differences = 0, sizes = 0;
  for (int k = 1; k + 1 < rows->n; k++) {
    const double *u = rows->u + k, *r = rows->r + k;
    const double mean = (u[-1] - u[1]) / (r[1] - r[-1]);
    differences += fabs(rows->f[k] - mean);
    sizes += fabs(rows->f[k]) + fabs(mean);
  }
  return sizes > 0 ? 2 * differences / sizes : 0;
}

/* The slopes dU/dr of the cubic spline through n points, with those at the ends given: the
   tridiagonal system of continuous second derivatives, solved by elimination. */
static void spline_slopes(int n, const double *r, const double *u, double first, double last,
                          double *slope)
{
  double *above = alloc_array(n, sizeof *above);
  slope[0] = first;
  slope[n - 1] = last;
  for (int k = 1; k < n - 1; k++) {
    const double left = 1 / (r[k] - r[k - 1]), right = 1 / (r[k + 1] - r[k]);
    const double known = 3 * ((u[k] - u[k - 1]) * left * left + (u[k + 1] - u[k]) * right * right);
    const double pivot = 2 * (left + right) - left * above[k - 1];
    above[k] = right / pivot;
    slope[k] = (known - left * slope[k - 1]) / pivot;
  }
  for (int k = n - 2; k > 0; k--)
    slope[k] -= above[k] * slope[k + 1];
  free(above);
}

/* The cubic with energies u[0], u[1] and slopes d[0], d[1] at the ends of an interval. */
static struct tabulated_piece piece_of(const double u[2], const double d[2], double width)
{
  const double rise = u[1] - u[0], a = width * d[0], b = width * d[1];
  const struct tabulated_piece p = {{u[0], a, 3 * rise - 2 * a - b, a + b - 2 * rise}};
  return p;
}

static double piece_energy(const struct tabulated_piece *p, double t)
{
  return ((p->c[3] * t + p->c[2]) * t + p->c[1]) * t + p->c[0];
}

int tabulated_is_even(const struct tabulated_rows *rows)
{
  const double step = (rows->r[rows->n - 1] - rows->r[0]) / (rows->n - 1);
  for (int k = 0; k < rows->n; k++)
    if (fabs(rows->r[k] - (rows->r[0] + k * step)) > 0.01 * step) return 0;
  return 1;
}

/* The number of pieces of a table. */
static int pieces_of(const struct tabulated_rows *rows)
{
  const double range = rows->r[rows->n - 1] - rows->r[0];
  double least = range;
  if (tabulated_is_even(rows)) return rows->n - 1;
  for (int k = 0; k + 1 < rows->n; k++)
    least = fmin(least, rows->r[k + 1] - rows->r[k]);
  return (int)fmin(ceil(range / least), (double)TABULATED_REFINED_MOST * rows->n);
}

/* Energies at the ends of n pieces of equal width. */
static void resample(const struct tabulated_rows *rows, int n, const double *r, double *u)
{
  double *slope = alloc_array(rows->n, sizeof *slope);
  int at = 0;
  spline_slopes(rows->n, rows->r, rows->u, -rows->f[0], -rows->f[rows->n - 1], slope);
  for (int k = 0; k <= n; k++) {
    while (at + 2 < rows->n && rows->r[at + 1] <= r[k])
      at++;
    const double width = rows->r[at + 1] - rows->r[at];
    const struct tabulated_piece p = piece_of(rows->u + at, slope + at, width);
    u[k] = piece_energy(&p, (r[k] - rows->r[at]) / width);
  }
  free(slope);
}

static double contact_of(const struct tabulated *t)
{
  for (int k = 0; k < t->n; k++)
    if (t->piece[k].c[0] <= 0) return t->start + k * t->step;
  return tabulated_end(t);
}

/* The spline of the energies. */
static void make_spline(struct tabulated *t, const struct tabulated_rows *rows)
{
  const int last = rows->n - 1, n = t->n;
  double *r = alloc_array(n + 1, sizeof *r), *u = alloc_array(n + 1, sizeof *u);
  double *slope = alloc_array(n + 1, sizeof *slope);
  for (int k = 0; k <= n; k++)
    r[k] = k < n ? t->start + k * t->step : rows->r[last];
  if (tabulated_is_even(rows))
    memcpy(u, rows->u, ((size_t)n + 1) * sizeof *u);
  else
    resample(rows, n, r, u);
  spline_slopes(n + 1, r, u, -rows->f[0], -rows->f[last], slope);
  for (int k = 0; k < n; k++)
    t->piece[k] = piece_of(u + k, slope + k, t->step);
  free(r);
  free(u);
  free(slope);
}

void tabulated_make(struct tabulated *t, const struct tabulated_rows *rows,
                    enum tabulated_interpolation interpolation)
{
  t->n = pieces_of(rows);
  t->start = rows->r[0];
  t->step = (rows->r[rows->n - 1] - rows->r[0]) / t->n;
  t->piece = alloc_array(t->n, sizeof *t->piece);
  if (interpolation == INTERPOLATION_SPLINE) make_spline(t, rows);
  for (int k = 0; interpolation == INTERPOLATION_HERMITE && k < t->n; k++) {
    const double slope[2] = {-rows->f[k], -rows->f[k + 1]};
    t->piece[k] = piece_of(rows->u + k, slope, rows->r[k + 1] - rows->r[k]);
  }
  t->contact = contact_of(t);
}

double tabulated_first_force(const struct tabulated *t)
{
  return -t->piece[0].c[1] / t->step;
}

double tabulated_last_force(const struct tabulated *t)
{
  const double *c = t->piece[t->n - 1].c;
  return -(3 * c[3] + 2 * c[2] + c[1]) / t->step;
}

double tabulated_lowest(const struct tabulated *t, double k)
{
  double least = k * piece_energy(&t->piece[t->n - 1], 1), at = tabulated_end(t);
  for (int n = t->n - 1; n >= 0; n--)
    if (k * t->piece[n].c[0] <= least) {
      least = k * t->piece[n].c[0];
      at = t->start + n * t->step;
    }
  return at;
}

int tabulated_equal(const struct tabulated *a, const struct tabulated *b)
{
  if (a->n != b->n || a->start != b->start || a->step != b->step) return 0;
  for (int k = 0; k < a->n; k++)
    for (int c = 0; c < 4; c++)
      if (a->piece[k].c[c] != b->piece[k].c[c]) return 0;
  return 1;
}
