#include "molecules/flatness.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/portable.h"
#include "base/torus.h"
#include "base/units.h"

/* The bead to which the vector of bead k leads. */
static int parent_of(const struct forcefield *ff, const struct topology *t,
                     const struct molecule_beads *m, int k)
{
  const int env = m->env[k];
  for (int j = env < 0 ? 0 : t->term_start[env]; env >= 0 && j < t->term_start[env + 1]; j++) {
    if (!topology_joins(ff, &t->term[j]) || t->term[j].partner[0] >= 0) continue;
    const int partner = molecule_partner(m, k, t->term[j].partner[0]);
    if (partner >= 0) return partner;
  }
  return k - 1;
}

static void unfold(const struct forcefield *ff, const struct topology *t,
                   const struct molecule_beads *m, const int32_t *position, const double box[BOX],
                   double (*x)[3])
{
  double h[BOX], apart[3];
  torus_units(box, h);
  memset(x[0], 0, sizeof x[0]);
  for (int k = 1; k < m->n; k++) {
    const int j = parent_of(ff, t, m, k);
    torus_vector(position + 3 * k, position + 3 * j, h, apart);
    for (int d = 0; d < 3; d++)
      x[k][d] = x[j][d] + apart[d];
  }
}

/* The mean of the beads with a mark; if there are none, bead `standard`. */
static void mean_of(int n, double (*x)[3], const char *mark, int which, int standard,
                    double mean[3])
{
  int found = 0;
  memset(mean, 0, 3 * sizeof *mean);
  for (int k = 0; k < n; k++) {
    if (!(mark[k] & which)) continue;
    for (int d = 0; d < 3; d++)
      mean[d] += x[k][d];
    found++;
  }
  for (int d = 0; d < 3; d++)
    mean[d] = found ? mean[d] / found : x[standard][d];
}

struct lipid_pose lipid_pose(const struct forcefield *ff, const struct topology *t,
                             const struct molecule_beads *m, const char *mark,
                             const int32_t *position, const double box[BOX], double (*x)[3])
{
  struct lipid_pose p;
  double head[3], tail[3], along[3];
  unfold(ff, t, m, position, box, x);
  mean_of(m->n, x, mark, LIPID_HEAD, 0, head);
  mean_of(m->n, x, mark, LIPID_TAIL, m->n - 1, tail);
  memcpy(along, head, sizeof along);
  if (box_is_oblique(box)) {
    box_fraction(box, head, along);
    for (int d = 0; d < 3; d++)
      along[d] *= box[d];
  }
  for (int d = 0; d < 3; d++) {
    const double shift = along[d] * (TORUS_EDGE / box[d]);
    p.axis[d] = head[d] - tail[d];
    p.head[d] = (uint32_t)position[d] + (uint32_t)(int64_t)(shift < 0 ? shift - 0.5 : shift + 0.5);
  }
  p.leaflet = p.axis[2] > 0 ? 1 : -1;
  torus_lateral(box, p.head, p.head[2] / TORUS_EDGE, p.lateral);
  return p;
}

/* Words of a cell and leaflet: lipids, and sums of cosines and sines of the angles of their heads.
   After those of all cells of the upper and of the lower leaflet: the sum of cos^2 of the axes. */
enum { N, COS, SIN, CELL };

#define SCALE 1073741824.0 /* 2^30 */

int flatness_grid(int64_t lipids)
{
  const int grid = (int)sqrt((double)lipids / 8);
  return grid < 1 ? 1 : grid > 8 ? 8 : grid;
}

int flatness_words(int grid)
{
  return 2 * CELL * grid * grid + 1;
}

/* The words of the cell and leaflet of a lipid. */
static int cell_of(int grid, const struct lipid_pose *p)
{
  const int x = (int)((uint64_t)p->lateral[0] * (uint64_t)grid >> 32);
  const int y = (int)((uint64_t)p->lateral[1] * (uint64_t)grid >> 32);
  return CELL * ((p->leaflet < 0) * grid * grid + x * grid + y);
}

void flatness_add(int grid, const struct lipid_pose *p, int64_t *word)
{
  const int cells = grid * grid;
  const double *u = p->axis, r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const double angle = (double)p->head[2] * (2 * UNITS_PI / TORUS_EDGE);
  int64_t *cell = word + cell_of(grid, p);
  cell[N]++;
  cell[COS] += llrint(portable_cos(angle) * SCALE);
  cell[SIN] += llrint(portable_sin(angle) * SCALE);
  if (r2 > 0) word[CELL * 2 * cells] += llrint(u[2] * u[2] / r2 * SCALE);
}

/* Variance of heights (nm2) on a circle of circumference `edge`, from 1 - |mean of exp(i angle)|.
 */
static double variance_of(double loss, double edge)
{
  const double radius = edge / (2 * UNITS_PI);
  return loss < 1 ? -2 * portable_log(1 - loss) * radius * radius : (double)INFINITY;
}

static double length_of(const double *sum)
{
  return sqrt(sum[COS] * sum[COS] + sum[SIN] * sum[SIN]) / SCALE;
}

/* The sums of a leaflet, and the losses of its cells, weighted by their lipids. */
static double leaflet_add(int cells, const int64_t *word, double sum[CELL])
{
  double loss = 0;
  for (int c = 0; c < cells; c++, word += CELL) {
    const double cell[CELL] = {(double)word[N], (double)word[COS], (double)word[SIN]};
    for (int k = 0; k < CELL; k++)
      sum[k] += cell[k];
    loss += cell[N] - length_of(cell);
  }
  return sum[N] > 0 ? loss / sum[N] : 0;
}

static int filled_cells(int cells, const int64_t *word)
{
  int filled = 0;
  for (int c = 0; c < cells; c++)
    filled += word[CELL * c + N] + word[CELL * (cells + c) + N] > 0;
  return filled;
}

enum flatness flatness_of(int grid, const int64_t *word, const double box[BOX])
{
  const int cells = grid * grid;
  const double limit = 0.4 * 0.4 + 0.06 * 0.06 * box[0] * box[1];
  double local = 0, between = 0, n = 0;
  for (int leaflet = 0; leaflet < 2; leaflet++) {
    double sum[CELL] = {0};
    const double here = variance_of(leaflet_add(cells, word + CELL * leaflet * cells, sum), box[2]);
    if (sum[N] == 0) return ONE_LEAFLET;
    const double all = variance_of(1 - length_of(sum) / sum[N], box[2]);
    local = fmax(local, here);
    between = fmax(between, isinf(here) ? 0 : all - here);
    n += sum[N];
  }
  if (3 * filled_cells(cells, word) < 2 * cells) return GAPS;
  if ((double)word[CELL * 2 * cells] / SCALE < 0.45 * n) return TILTED;
  if (local > 1) return LAYERED;
  return between > limit ? CURVED : FLAT;
}

/* How far a point at a fraction of the edge is above the mean of heads, nm, from 0 to the edge. */
static double rise_of(const double sum[CELL], double fraction, double edge)
{
  const double turns = fraction - portable_atan2(sum[SIN], sum[COS]) / (2 * UNITS_PI);
  return edge * (turns - floor(turns));
}

double flatness_rise(int grid, const int64_t *word, int leaflet, double fraction, double edge)
{
  const int cells = grid * grid;
  double sum[CELL] = {0};
  leaflet_add(cells, word + (leaflet > 0 ? 0 : CELL * cells), sum);
  return rise_of(sum, fraction, edge);
}

double flatness_offset(int grid, const int64_t *word, const struct lipid_pose *p, double edge)
{
  const int64_t *cell = word + cell_of(grid, p);
  const double sum[CELL] = {(double)cell[N], (double)cell[COS], (double)cell[SIN]};
  const double fraction = (double)p->head[2] / TORUS_EDGE;
  const double rise = cell[N] > 0 ? rise_of(sum, fraction, edge)
                                  : flatness_rise(grid, word, p->leaflet, fraction, edge);
  return fmin(rise, edge - rise);
}

double flatness_thickness(int grid, const int64_t *word, double edge)
{
  double sum[CELL] = {0};
  leaflet_add(grid * grid, word, sum);
  return flatness_rise(grid, word, -1, portable_atan2(sum[SIN], sum[COS]) / (2 * UNITS_PI), edge);
}

const char *flatness_text(enum flatness f)
{
  static const char layered[] =
      "heads of a leaflet are at several heights, as in a vesicle, in two bilayers without "
      "output.bilayers: 2, or where some per cent of the lipids are in the water";
  static const char *const text[] = {
      [FLAT] = "they are one",
      [ONE_LEAFLET] = "all have their heads on the same side",
      [GAPS] = "they leave more than a third of the plane empty, as a micelle, a disc or a vesicle",
      [TILTED] = "their axes are not along z, as in a vesicle, or where the normal is x or y",
      [LAYERED] = layered,
      [CURVED] = "the membrane is curved, as a buckle"};
  return text[f];
}

const char *flatness_area(enum flatness f, int64_t lipids, int bilayers, const double box[BOX],
                          char text[FLATNESS_AREA])
{
  if (f != FLAT)
    snprintf(text, FLATNESS_AREA, "none: the lipids are no flat bilayer (%s)", flatness_text(f));
  else
    snprintf(text, FLATNESS_AREA,
             "%.4f nm2 per lipid of a leaflet (area of the box x %d leaflets / %" PRId64 " lipids)",
             2 * bilayers * box[0] * box[1] / (double)lipids, 2 * bilayers, lipids);
  return text;
}
