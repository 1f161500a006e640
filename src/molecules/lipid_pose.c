#include "molecules/lipid_pose.h"

#include <string.h>

#include "base/torus.h"

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
                   const struct molecule_beads *m, const int32_t *position, const double box[3],
                   double (*x)[3])
{
  memset(x[0], 0, sizeof x[0]);
  for (int k = 1; k < m->n; k++) {
    const int j = parent_of(ff, t, m, k);
    for (int d = 0; d < 3; d++) {
      const uint32_t apart = (uint32_t)position[3 * k + d] - (uint32_t)position[3 * j + d];
      x[k][d] = x[j][d] + (double)(int32_t)apart * (box[d] / TORUS_EDGE);
    }
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
                             const int32_t *position, const double box[3], double (*x)[3])
{
  struct lipid_pose p;
  double head[3], tail[3];
  unfold(ff, t, m, position, box, x);
  mean_of(m->n, x, mark, LIPID_HEAD, 0, head);
  mean_of(m->n, x, mark, LIPID_TAIL, m->n - 1, tail);
  for (int d = 0; d < 3; d++) {
    const double shift = head[d] * (TORUS_EDGE / box[d]);
    p.axis[d] = head[d] - tail[d];
    p.head[d] = (uint32_t)position[d] + (uint32_t)(int64_t)(shift < 0 ? shift - 0.5 : shift + 0.5);
  }
  p.leaflet = p.axis[2] > 0 ? 1 : -1;
  return p;
}
