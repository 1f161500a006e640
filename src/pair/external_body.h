/* External fields as both backends evaluate them, in double. */
#ifndef EXTERNAL_BODY_H
#define EXTERNAL_BODY_H

#include "base/torus.h"
#include "model/external.h"
#include "pair/bead_record.h"
#include "pair/external_headers.h"

/* A field as kernels read it. Memory of the backend. */
struct external_kernel {
  int form;
  double value[EXTERNAL_PARAMETERS_MOST];
  struct bead_set group;
};

/* The charge (e) and the length of the dipole (e nm) of a bead type. */
struct external_type {
  double charge, dipole;
};

HD struct external_value external_evaluate(int form, const double *value,
                                           const struct external_bead *b)
{
#define EXTERNAL(name, ...)                                                                        \
  if (form == EXTERNAL_##name) return external_##name(value, b);
#include "model/external_list.h"
#undef EXTERNAL
  return external_nothing();
}

/* axis: the direction of the dipole, a unit vector of the laboratory frame. */
HD struct external_bead external_bead_of(const struct bead_record *record, const int32_t image[3],
                                         const double box[3], struct external_type type,
                                         const double axis[3])
{
  struct external_bead b;
  for (int k = 0; k < 3; k++) {
    b.box[k] = box[k];
    b.place[k] = torus_fraction(record->x[k]);
    b.r[k] = (b.place[k] + (double)image[k]) * box[k];
    b.dipole[k] = type.dipole * axis[k];
  }
  b.charge = type.charge;
  return b;
}

#endif
