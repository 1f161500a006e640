/* See gromacs_box.h. */
#include "io/foreign/gromacs_box.h"

#include <math.h>
#include <stdio.h>

#include "base/axis.h"

/* Limits of edges, nm. */
#define EDGE_LEAST 0.01
#define EDGE_MOST 1e6

/* Subtracts whole numbers of one vector, so that component k is at most half of its diagonal. */
static void reduce(double from[3], const double v[3], int k)
{
  const double times = round(from[k] / v[k]);
  for (int d = 0; d < 3; d++)
    from[d] -= times * v[d];
}

const char *gromacs_box_read(const double v[3][3], double box[BOX], char why[GROMACS_BOX_WHY])
{
  double a[3] = {v[0][0], 0, 0}, b[3] = {v[1][0], v[1][1], 0}, c[3] = {v[2][0], v[2][1], v[2][2]};
  for (int d = 0; d < 3; d++)
    if (!(v[d][d] >= EDGE_LEAST && v[d][d] <= EDGE_MOST)) {
      snprintf(why, GROMACS_BOX_WHY, "box: an edge of %g nm along %c: expected %g to %g", v[d][d],
               axis_name(d), EDGE_LEAST, EDGE_MOST);
      return why;
    }
  if (v[0][1] != 0 || v[0][2] != 0 || v[1][2] != 0 || !(fabs(b[0]) <= EDGE_MOST) ||
      !(fabs(c[0]) <= EDGE_MOST) || !(fabs(c[1]) <= EDGE_MOST)) {
    snprintf(
        why, GROMACS_BOX_WHY,
        "box: the vectors are %g %g %g, %g %g %g, %g %g %g; expected the first along x and the "
        "second in the xy plane, as gmx editconf writes them",
        v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0], v[2][1], v[2][2]);
    return why;
  }
  reduce(c, b, 1);
  reduce(c, a, 0);
  reduce(b, a, 0);
  const double out[BOX] = {a[0], b[1], c[2], b[0], c[0], c[1]};
  memcpy(box, out, sizeof out);
  return NULL;
}
