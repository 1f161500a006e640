/* See gromacs_box.h. */
#include "io/foreign/gromacs_box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/axis.h"
#include "base/box_shape.h"
#include "base/log.h"

/* Limits of edges, nm. */
#define EDGE_LEAST 0.01
#define EDGE_MOST 1e6

const char *gromacs_box_read(const double v[3][3], const char *path, double box[BOX],
                             char why[GROMACS_BOX_WHY])
{
  const double out[BOX] = {v[0][0], v[1][1], v[2][2], v[1][0], v[2][0], v[2][1]};
  int times[3];
  for (int d = 0; d < 3; d++)
    if (!(v[d][d] >= EDGE_LEAST && v[d][d] <= EDGE_MOST)) {
      snprintf(why, GROMACS_BOX_WHY, "box: an edge of %g nm along %c: expected %g to %g", v[d][d],
               axis_name(d), EDGE_LEAST, EDGE_MOST);
      return why;
    }
  if (v[0][1] != 0 || v[0][2] != 0 || v[1][2] != 0 || !(fabs(out[3]) <= EDGE_MOST) ||
      !(fabs(out[4]) <= EDGE_MOST) || !(fabs(out[5]) <= EDGE_MOST)) {
    snprintf(
        why, GROMACS_BOX_WHY,
        "box: the vectors are %g %g %g, %g %g %g, %g %g %g; expected the first along x and the "
        "second in the xy plane, as gmx editconf writes them",
        v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0], v[2][1], v[2][2]);
    return why;
  }
  char text[BOX_TEXT];
  for (int k = 0; k < BOX; k++)
    box[k] = out[k] + 0.0; /* no -0 */
  box_reduce(box, times);
  if (times[0] || times[1] || times[2])
    info("%s: the box vectors are longer than necessary; the same lattice has the box %s", path,
         box_text(box, 'g', 6, text));
  return NULL;
}
