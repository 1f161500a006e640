#include "io/h5md/values.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"

/* The nearest multiple of the precision; of wrapped coordinates inside the box. */
static double rounded(const struct trajectory_source *from, double x, double edge)
{
  const double step = from->precision, near = step * rint(x / step);
  return from->positions == POSITIONS_WRAPPED && near >= edge ? step * floor(x / step) : near;
}

static void position_of(const struct trajectory_source *from, int64_t bead, double value[3])
{
  const struct system *s = from->system;
  system_get_position(s, bead, from->positions == POSITIONS_UNWRAPPED, value);
  for (int d = 0; d < 3 && from->shift; d++)
    value[d] += from->shift[bead][d] * s->box[d];
  for (int d = 0; d < 3 && from->precision > 0; d++)
    value[d] = rounded(from, value[d], s->box[d]);
}

/* The numbers of an element of a bead. */
static void value_of(const struct trajectory_source *from, int element, int64_t bead,
                     double value[ELEMENT_COMPONENTS])
{
  static const double unit[4] = {1, 0, 0, 0};
  const struct system *s = from->system;
  const struct ff_type *type = &s->ff->type[s->beads.type[bead]];
  const double *orientation = s->beads.orientation + 4 * bead;
  int rotates = type->inertia[0] + type->inertia[1] + type->inertia[2] > 0;
  double scale = 1;
  if (element == ELEMENT_POSITION) {
    position_of(from, bead, value);
  } else if (element == ELEMENT_VELOCITY) {
    memcpy(value, &s->beads.momentum[3 * bead], 3 * sizeof *value);
    scale = type->mass > 0 ? 1 / type->mass : 0; /* virtual sites have neither */
  } else if (element == ELEMENT_FORCE) {
    memcpy(value, from->force[bead], 3 * sizeof *value);
  } else if (element == ELEMENT_QUATERNION) {
    memcpy(value, rotates ? orientation : unit, sizeof unit);
  } else {
    rotation_axis(orientation, value);
    scale = element == ELEMENT_DIPOLE ? type->dipole : rotates;
  }
  for (int d = 0; d < trajectory_element[element].components; d++)
    value[d] *= scale;
}

/* Box crossings: unwrapped position = position of the file + image x edge. */
static void images(const struct trajectory_source *from, int32_t *out)
{
  for (int64_t k = 0; k < from->selection->n; k++) {
    int64_t bead = selection_bead(from->selection, k);
    for (int d = 0; d < 3; d++)
      out[3 * k + d] =
          from->system->beads.image[3 * bead + d] - (from->shift ? from->shift[bead][d] : 0);
  }
}

void trajectory_values(const struct trajectory_source *from, int element, void *out)
{
  float *number = out;
  int components = trajectory_element[element].components;
  if (element == ELEMENT_IMAGE) {
    images(from, out);
    return;
  }
  for (int64_t k = 0; k < from->selection->n; k++) {
    double value[ELEMENT_COMPONENTS] = {0};
    value_of(from, element, selection_bead(from->selection, k), value);
    for (int d = 0; d < components; d++)
      number[components * k + d] = (float)value[d];
  }
}
