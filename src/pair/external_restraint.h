/* A harmonic restraint to a point, a line or a plane: U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d the
   vector from a place in the box to the nearest image of the bead. One constant alone restrains to
   a plane, two to a line. The place is given in fractions of the box and scales with it, and so
   does d, which is the arm of the virial. */
#ifndef EXTERNAL_RESTRAINT_H
#define EXTERNAL_RESTRAINT_H

#include <math.h>

#include "pair/external_bead.h"

/* value: k, kJ/mol/nm2; place, fraction of the box edges. */
HD struct external_value external_restraint(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  for (int k = 0; k < 3; k++) {
    double d = b->place[k] - value[3 + k];
    d = (d - floor(d + 0.5)) * b->box[k];
    v.f[k] = -value[k] * d;
    v.u += 0.5 * value[k] * d * d;
    v.arm[k] = d;
  }
  return v;
}

#endif
