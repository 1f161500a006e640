/* For tests of bodies in boxes with equal edges. */
#ifndef APART_H
#define APART_H

#include "dynamics/move_body.h"

/* Component k of the vector from body b to the nearest image of body a, nm. edge: of the box, nm.
 */
static inline double body_difference(const struct body *a, const struct body *b, int k, double edge)
{
  const double box[BOX] = {edge, edge, edge};
  double v[3];
  body_vector(a, b, box, v);
  return v[k];
}

#endif
