/* Boxes that are not rectangular: what they are, and how copies of them make one that is. See
   gromacs_box.h. */
#include "io/foreign/gromacs_box.h"

#include <math.h>
#include <stdio.h>

#include "base/axis.h"

/* Limits of edges, nm; of the difference to a whole number, since vectors are rounded in files. */
#define EDGE_LEAST 0.01
#define EDGE_MOST 1e6
#define ROUNDING 2e-3

enum { COPIES_MOST = 6 };

static int is_whole(double x)
{
  return fabs(x - round(x)) < ROUNDING;
}

/* The copies along the second and the third vector with which the lattice of the box has a
   rectangular cell: 1, or 0 if that needs too many. Vectors are as in GROMACS: the first along x,
   the second in the xy plane. */
static int find_copies(const double v[3][3], int n[2])
{
  if (v[0][1] != 0 || v[0][2] != 0 || v[1][2] != 0) return 0;
  if (!(v[0][0] > 0 && v[1][1] > 0 && v[2][2] > 0)) return 0;
  for (n[0] = 1; n[0] <= COPIES_MOST && !is_whole(n[0] * v[1][0] / v[0][0]); n[0]++)
    ;
  for (n[1] = 1; n[1] <= COPIES_MOST; n[1]++) {
    const double second = n[1] * v[2][1] / v[1][1];
    if (is_whole(second) && is_whole((n[1] * v[2][0] - round(second) * v[1][0]) / v[0][0])) break;
  }
  return n[0] <= COPIES_MOST && n[1] <= COPIES_MOST;
}

/* What the copies are of. */
static const char *shape_of(const int n[2], int known)
{
  if (known && n[0] == 2 && n[1] == 1) return "as of hexagonal prisms";
  if (known && n[0] == 1 && n[1] == 2) return "as of rhombic dodecahedra";
  if (known && n[0] == 3 && n[1] == 2) return "as of truncated octahedra";
  return "triclinic";
}

const char *gromacs_box_edges(const double v[3][3], double edge[3], char why[GROMACS_BOX_WHY])
{
  int n[2], tilted = 0;
  for (int i = 0; i < 3; i++) {
    edge[i] = v[i][i];
    for (int d = 0; d < 3; d++)
      tilted |= i != d && v[i][d] != 0;
  }
  for (int d = 0; d < 3; d++)
    if (!(edge[d] >= EDGE_LEAST && edge[d] <= EDGE_MOST)) {
      snprintf(why, GROMACS_BOX_WHY, "box: an edge of %g nm along %c: expected %g to %g", edge[d],
               axis_name(d), EDGE_LEAST, EDGE_MOST);
      return why;
    }
  if (!tilted) return NULL;
  const int known = find_copies(v, n);
  const int used = snprintf(
      why, GROMACS_BOX_WHY,
      "the box is not rectangular, but %s (vectors %g %g %g, %g %g %g, %g %g %g): others than "
      "rectangular boxes are not implemented. ",
      shape_of(n, known), v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0], v[2][1],
      v[2][2]);
  if (known)
    snprintf(why + used, GROMACS_BOX_WHY - (size_t)used,
             "%d copies of it are a rectangular one: gmx genconf -f CONF.gro -nbox 1 %d %d -o "
             "copies.gro; gmx editconf -f copies.gro -noc -box %g %g %g -o rectangular.gro; write "
             "the lines of [ molecules ] %d times. Or make the system in a rectangular box (insane "
             "-pbc rectangular)",
             n[0] * n[1], n[0], n[1], v[0][0], n[0] * v[1][1], n[1] * v[2][2], n[0] * n[1]);
  else
    snprintf(why + used, GROMACS_BOX_WHY - (size_t)used,
             "Make the system in a rectangular box (gmx editconf -bt triclinic -angles 90 90 90 "
             "before gmx solvate, insane -pbc rectangular)");
  return why;
}
