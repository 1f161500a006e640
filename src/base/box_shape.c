/* See box_shape.h. */
#include "base/box_shape.h"

#include <math.h>
#include <stdio.h>

#include "base/portable.h"
#include "base/units.h"
#include "base/vec3d.h"

struct box_cell box_cell_of(const double box[BOX])
{
  struct box_cell c;
  double v[9];
  box_rows(box, v);
  for (int k = 0; k < 3; k++)
    c.length[k] = sqrt(vec3d_dot(v + 3 * k, v + 3 * k));
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double dot = vec3d_dot(v + 3 * i, v + 3 * j);
    const double cosine = dot / (c.length[i] * c.length[j]),
                 sine = sqrt((1 - cosine) * (1 + cosine));
    c.angle[k] = dot == 0 ? 90 : portable_atan2(sine, cosine) * (180 / UNITS_PI);
  }
  return c;
}

/* The name of the shape of an oblique box, in the settings that GROMACS and insane write. */
static const char *shape_of(const struct box_cell *c)
{
  enum { SHAPES = 6 };
  static const struct {
    const char *name;
    int equal; /* lengths: the first 2, or all 3 */
    double angle[3];
  } shape[SHAPES] = {{"hexagonal", 2, {90, 90, 60}},
                     {"hexagonal", 2, {90, 90, 120}},
                     {"rhombic dodecahedron", 3, {60, 60, 90}},
                     {"rhombic dodecahedron", 3, {60, 60, 60}},
                     {"truncated octahedron", 3, {70.528779366, 109.471220634, 70.528779366}},
                     {"truncated octahedron", 3, {109.471220634, 109.471220634, 109.471220634}}};
  const double slack = 0.02, most = 1e-3; /* degrees, of a length; files have few digits */
  for (int k = 0; k < SHAPES; k++) {
    int fits = 1;
    for (int d = 0; d < 3; d++)
      fits &= fabs(c->angle[d] - shape[k].angle[d]) < slack;
    for (int d = 1; d < shape[k].equal; d++)
      fits &= fabs(c->length[d] / c->length[0] - 1) < most;
    if (fits) return shape[k].name;
  }
  return "triclinic";
}

static int put(char text[BOX_TEXT], int n, char style, int digits, double value, const char *after)
{
  const size_t room = (size_t)(BOX_TEXT - n);
  return n + (style == 'f' ? snprintf(text + n, room, "%.*f%s", digits, value, after)
                           : snprintf(text + n, room, "%.*g%s", digits, value, after));
}

const char *box_text(const double box[BOX], char style, int digits, char text[BOX_TEXT])
{
  static const char *const sign[3] = {" x ", " x ", " nm"};
  int n = 0;
  if (!box_is_oblique(box)) {
    for (int k = 0; k < 3; k++)
      n = put(text, n, style, digits, box[k], sign[k]);
    return text;
  }
  double v[9];
  const struct box_cell c = box_cell_of(box);
  box_rows(box, v);
  for (int k = 0; k < 9; k++) {
    if (k % 3 == 0) n += snprintf(text + n, (size_t)(BOX_TEXT - n), "%s(", k ? ", " : "");
    n = put(text, n, style, digits, v[k], k % 3 < 2 ? " " : ")");
  }
  snprintf(text + n, (size_t)(BOX_TEXT - n),
           " nm: %s, lengths %.6g %.6g %.6g nm, angles %.6g %.6g %.6g", shape_of(&c), c.length[0],
           c.length[1], c.length[2], c.angle[0], c.angle[1], c.angle[2]);
  return text;
}
