/* External fields as both backends evaluate them, in double. */
#ifndef EXTERNAL_BODY_H
#define EXTERNAL_BODY_H

#include <math.h>

#include "base/torus.h"
#include "base/units.h"
#include "model/external.h"
#include "pair/bead_record.h"

/* What a formula reads and returns. */
struct external_bead {
  double box[BOX];  /* nm */
  double place[3];  /* position in the box, fractions of its vectors */
  double r[3];      /* unwrapped position, nm */
  double charge;    /* e */
  double dipole[3]; /* e nm, laboratory frame */
};

struct external_value {
  double u;    /* kJ/mol */
  double f[3]; /* force, kJ/mol/nm */
  double t[3]; /* torque, kJ/mol, laboratory frame */
  /* nm: arm_a f_b counts in the virial. The vector that scales with the box while the energy
     follows; 0 for the force of something that is fixed in space, which is no part of the pressure
     of the system. */
  double arm[3];
};

HD struct external_value external_nothing(void)
{
  const struct external_value v = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  return v;
}

/* A constant force: U = -f . r of the unwrapped position. value: f, kJ/mol/nm. */
HD struct external_value external_force(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  for (int k = 0; k < 3; k++) {
    v.f[k] = value[k];
    v.u -= value[k] * b->r[k];
  }
  return v;
}

/* A uniform electric field E on charges and dipoles: U = -E . (q r + m), r the unwrapped position.
   The force is q E and the torque m x E. value: E, V/nm. */
HD struct external_value external_electric(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double e[3]; /* kJ/mol/nm/e */
  for (int k = 0; k < 3; k++) {
    e[k] = UNITS_VOLT * value[k];
    v.f[k] = b->charge * e[k];
    v.u -= e[k] * (b->charge * b->r[k] + b->dipole[k]);
  }
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    v.t[k] = b->dipole[l] * e[m] - b->dipole[m] * e[l];
  }
  return v;
}

/* A harmonic restraint to a point, a line or a plane: U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d the
   vector from a place in the box to the nearest image of the bead. One constant alone restrains to
   a plane, two to a line. The place is given in fractions of the box and scales with it, and so
   does d, which is the arm of the virial. value: k, kJ/mol/nm2; place, fraction of the box
   edges. */
HD struct external_value external_restraint(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double away[3];
  for (int k = 0; k < 3; k++) {
    const double d = b->place[k] - value[3 + k];
    away[k] = d - floor(d + 0.5);
  }
  box_vector(b->box, away, v.arm);
  for (int k = 0; k < 3; k++) {
    v.f[k] = -value[k] * v.arm[k];
    v.u += 0.5 * value[k] * v.arm[k] * v.arm[k];
  }
  return v;
}

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
                                         const double box[BOX], struct external_type type,
                                         const double axis[3])
{
  struct external_bead b;
  double unwrapped[3];
  for (int k = 0; k < 3; k++) {
    b.place[k] = torus_fraction(record->x[k]);
    unwrapped[k] = b.place[k] + (double)image[k];
    b.dipole[k] = type.dipole * axis[k];
  }
  for (int k = 0; k < BOX; k++)
    b.box[k] = box[k];
  box_vector(box, unwrapped, b.r);
  b.charge = type.charge;
  return b;
}

#endif
