#include "md/field_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/dx.h"
#include "io/h5_read.h"
#include "io/map_file.h"
#include "md/fingerprint.h"

/* Solves c[k - 1] + 4 c[k] + c[k + 1] = d[k] in place, with 0 before the first and after the last,
   and `end` in place of 4 for these two. work: [n]. */
static void solve(double *d, int n, double end, double *work)
{
  double pivot = end;
  d[0] /= pivot;
  for (int k = 1; k < n; k++) {
    work[k] = 1 / pivot;
    pivot = (k < n - 1 ? 4 : end) - work[k];
    d[k] = (d[k] - d[k - 1]) / pivot;
  }
  for (int k = n - 2; k >= 0; k--)
    d[k] -= work[k + 1] * d[k + 1];
}

/* The same where the last and the first are neighbours (Sherman and Morrison). */
static void solve_periodic(double *d, int n, double *work, double *corner)
{
  if (n <= 2) {
    const double sum = n == 2 ? d[0] + d[1] : 0;
    for (int k = 0; k < n; k++)
      d[k] = n == 1 ? d[k] / 6 : (3 * d[k] - sum) / 6;
    return;
  }
  memset(corner, 0, (size_t)n * sizeof *corner);
  corner[0] = corner[n - 1] = 1;
  solve(d, n, 3, work);
  solve(corner, n, 3, work);
  const double part = (d[0] + d[n - 1]) / (1 + corner[0] + corner[n - 1]);
  for (int k = 0; k < n; k++)
    d[k] -= part * corner[k];
}

/* Values become coefficients, along one direction after the other. */
static void make_coefficients(const struct external_map *m, double *value)
{
  const int64_t step[3] = {1, m->n[0], (int64_t)m->n[0] * m->n[1]};
  const int64_t all = step[2] * m->n[2];
  for (int d = 0; d < 3; d++) {
    const int n = m->n[d];
    double *line = alloc_array(3LL * n, sizeof *line);
    for (int64_t start = 0; start < all; start++) {
      if (start / step[d] % n != 0) continue;
      for (int k = 0; k < n; k++)
        line[k] = 6 * value[start + k * step[d]];
      if (m->fills[d])
        solve_periodic(line, n, line + n, line + 2 * n);
      else
        solve(line, n, 4, line + n);
      for (int k = 0; k < n; k++)
        value[start + k * step[d]] = line[k];
    }
    free(line);
  }
}

/* Rank 0: the values of a file; NULL: why. */
static double *read_file(const char *path, struct map_grid *g, char why[DX_WHY])
{
  struct h5_reader in;
  const size_t n = strlen(path);
  if (n > 3 && !strcmp(path + n - 3, ".dx")) return dx_read(path, g, why);
  h5_reader_open(&in, path);
  double *value = map_file_values(&in, g);
  snprintf(why, DX_WHY, "%.200s", in.error);
  h5_reader_close(&in);
  return value;
}

static uint64_t content_of(const struct map_grid *g, const double *value)
{
  const int64_t n = (int64_t)g->n[0] * g->n[1] * g->n[2];
  uint64_t hash = fingerprint_bytes(0, g->n, sizeof g->n);
  hash = fingerprint_bytes(hash, g->spacing, sizeof g->spacing);
  hash = fingerprint_bytes(hash, g->origin, sizeof g->origin);
  return fingerprint_bytes(hash, value, (size_t)n * sizeof *value);
}

/* By how much the points of a map that fills an edge may be longer or shorter than it. */
#define STRETCH_MOST 0.1

/* Where points lie along an axis of the box. */
static void place(struct external_map *m, int k, const struct map_grid *g, const double box[BOX],
                  const char *name, const char *path)
{
  const double length = g->n[k] * g->spacing[k], edge = box[k];
  if (g->spacing[k] < 1e-6 || fabs(g->origin[k]) > 1e6)
    die_all(STATUS_INPUT,
            "%s: '%s' has points along %c from %g nm on, %g nm apart: expected -1e6 to 1e6 nm, and "
            "at least 1e-6 nm",
            name, path, axis_name(k), g->origin[k], g->spacing[k]);
  m->n[k] = g->n[k];
  if (m->fills[k]) {
    m->spacing[k] = 1.0 / g->n[k];
    m->origin[k] = g->origin[k] / length;
  } else {
    m->spacing[k] = g->spacing[k];
    m->origin[k] = g->origin[k];
  }
  if (m->fills[k] ? fabs(length - edge) <= STRETCH_MOST * edge : length <= edge) return;
  die_all(
      STATUS_INPUT,
      "%s: '%s' has %d points along %c, %g nm apart, in all %g nm, and the box edge is %g nm: %s",
      name, path, g->n[k], axis_name(k), g->spacing[k], length, edge,
      m->fills[k] ? "it does not fill it: `fills` says which edges it fills"
                  : "it is larger than the box");
}

struct external_map field_map_read(const struct ranks *r, const char *name, const char *path,
                                   int fills, const double box[BOX])
{
  struct external_map m = {{0}, {0}, {0}, {0}, NULL, 0};
  struct map_grid g = {{0}, {0}, {0}, 0, 0, 0};
  char why[DX_WHY] = "";
  double *value = NULL;
  if (box_is_oblique(box))
    die_all(STATUS_INPUT, "%s: maps are for rectangular boxes, and this one is oblique", name);
  if (r->rank == 0) value = read_file(path, &g, why);
  ranks_broadcast(r, why, sizeof why);
  if (why[0] || (r->rank == 0 && !value))
    die_all(STATUS_INPUT, "%s: cannot read the map '%s': %s", name, path, why);
  ranks_broadcast(r, &g, sizeof g);
  const int64_t n = (int64_t)g.n[0] * g.n[1] * g.n[2];
  if (!value) value = alloc_array(n, sizeof *value);
  ranks_broadcast(r, value, n * (int64_t)sizeof *value);
  for (int64_t k = 0; k < n; k++)
    if (!isfinite(value[k]))
      die_all(STATUS_INPUT, "%s: '%s' has a value that is no number", name, path);
  for (int k = 0; k < 3; k++) {
    m.fills[k] = fills >> k & 1;
    place(&m, k, &g, box, name, path);
  }
  m.content = content_of(&g, value);
  make_coefficients(&m, value);
  m.coefficient = value;
  return m;
}
