/* The periodic box: six numbers, nm, {ax, by, cz, bx, cx, cy}, for the vectors a = (ax, 0, 0), b =
   (bx, by, 0), c = (cx, cy, cz), as GROMACS and LAMMPS (lx, ly, lz, xy, xz, yz) have them. The last
   three are 0 in a rectangular box, where every function here gives the bits of the plain formula.
   Positions are fractions of the three vectors. Files are read with |bx| <= ax / 2, |cx| <= ax / 2,
   |cy| <= by / 2 (a thousandth more, for rounded numbers), which makes the distances between faces
   large. */
#ifndef BASE_BOX_H
#define BASE_BOX_H

#include <math.h>
#include <string.h>

#include "base/hd.h"

enum { BOX = 6 };

/* An initializer that copies a box. */
#define BOX_COPY(b)                                                                                \
  {                                                                                                \
    (b)[0], (b)[1], (b)[2], (b)[3], (b)[4], (b)[5]                                                 \
  }

HD int box_is_oblique(const double box[BOX])
{
  return box[3] != 0 || box[4] != 0 || box[5] != 0;
}

HD double box_volume(const double box[BOX])
{
  return box[0] * box[1] * box[2];
}

/* The vector, nm, of fractions f of the box vectors; and the fractions of a vector. */
HD void box_vector(const double box[BOX], const double f[3], double x[3])
{
  const double fx = f[0], fy = f[1], fz = f[2];
  x[0] = fx * box[0];
  x[1] = fy * box[1];
  x[2] = fz * box[2];
  if (!box_is_oblique(box)) return;
  x[0] += fy * box[3] + fz * box[4];
  x[1] += fz * box[5];
}

HD void box_fraction(const double box[BOX], const double x[3], double f[3])
{
  if (!box_is_oblique(box)) {
    for (int k = 0; k < 3; k++)
      f[k] = x[k] / box[k];
    return;
  }
  f[2] = x[2] / box[2];
  f[1] = (x[1] - f[2] * box[5]) / box[1];
  f[0] = (x[0] - (f[1] * box[3] + f[2] * box[4])) / box[0];
}

/* The vectors a, b, c as three rows of three numbers, nm, and the box of such rows. */
HD void box_rows(const double box[BOX], double row[9])
{
  row[0] = box[0], row[1] = 0, row[2] = 0;
  row[3] = box[3], row[4] = box[1], row[5] = 0;
  row[6] = box[4], row[7] = box[5], row[8] = box[2];
}

HD void box_of_rows(const double row[9], double box[BOX])
{
  box[0] = row[0], box[1] = row[4], box[2] = row[8];
  box[3] = row[3], box[4] = row[6], box[5] = row[7];
}

/* Adds whole numbers n of the vectors to x. */
HD void box_shift(const double box[BOX], const int n[3], double x[3])
{
  const double f[3] = {(double)n[0], (double)n[1], (double)n[2]};
  double move[3];
  box_vector(box, f, move);
  for (int k = 0; k < 3; k++)
    x[k] += move[k];
}

/* The distance of the opposite faces that vector k connects, nm: by 1 / (the length of the
   reciprocal vector k). The shortest way from a point to its image along k across the other two. */
HD double box_height(const double box[BOX], int k)
{
  const double u = box[3] / box[1], v = box[5] / box[2];
  const double w = (box[3] * box[5] - box[4] * box[1]) / (box[1] * box[2]);
  return k == 0 ? box[0] / sqrt(1 + u * u + w * w) : k == 1 ? box[1] / sqrt(1 + v * v) : box[2];
}

/* What box_height is called in messages, before "along x". */
HD const char *box_width_name(const double box[BOX])
{
  return box_is_oblique(box) ? "distance between opposite faces of the box" : "box edge";
}

/* The least of the three. The difference of fractions finds all pairs up to half of it. */
HD double box_least_height(const double box[BOX])
{
  return fmin(box_height(box, 0), fmin(box_height(box, 1), box_height(box, 2)));
}

/* An upper limit of the length of a vector whose fractions are at most 1, nm. */
HD double box_diagonal(const double box[BOX])
{
  const double x = box[0] + fabs(box[3]) + fabs(box[4]), y = box[1] + fabs(box[5]);
  return sqrt(x * x + y * y + box[2] * box[2]);
}

/* The least corner and the edges of the rectangular box around it, from the origin on, nm. */
HD void box_bounds(const double box[BOX], double low[3], double edge[3])
{
  low[0] = fmin(0.0, box[3]) + fmin(0.0, box[4]);
  low[1] = fmin(0.0, box[5]);
  low[2] = 0;
  edge[0] = box[0] + fabs(box[3]) + fabs(box[4]);
  edge[1] = box[1] + fabs(box[5]);
  edge[2] = box[2];
}

HD int box_whole_number(double ratio)
{
  return fabs(ratio) <= 0.5005 ? 0 : (int)round(ratio);
}

/* Subtracts whole vectors, so that the tilts are at most half of the edges: first times[0] of b
   from c, then times[1] of a from c, times[2] of a from b. The lattice of periodic images stays. */
HD void box_reduce(double box[BOX], int times[3])
{
  times[0] = box_whole_number(box[5] / box[1]);
  box[5] -= times[0] * box[1];
  box[4] -= times[0] * box[3];
  times[1] = box_whole_number(box[4] / box[0]);
  box[4] -= times[1] * box[0];
  times[2] = box_whole_number(box[3] / box[0]);
  box[3] -= times[2] * box[0];
}

/* The box with its x, y and z components multiplied by factors. */
HD void box_scale(double box[BOX], const double factor[3])
{
  for (int k = 0; k < 3; k++)
    box[k] *= factor[k];
  box[3] *= factor[0];
  box[4] *= factor[0];
  box[5] *= factor[1];
}

#endif
