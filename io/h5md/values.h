/* The numbers of a frame. */
#ifndef TRAJECTORY_VALUES_H
#define TRAJECTORY_VALUES_H

#include "io/h5md/layout.h"
#include "molecules/selection.h"

/* What a frame is made of. */
struct trajectory_source {
  const struct system *system;
  const struct selection *selection;
  enum trajectory_positions positions;
  double precision;          /* nm; positions are rounded to multiples of it; 0: to floats */
  const int32_t (*shift)[3]; /* positions: whole: of whole_shift; else NULL */
  const double (*force)[3]; /* of the beads of the block, kJ/mol/nm; NULL: the file has no forces */
};

/* Writes an element of this rank's selected beads to out, as the file has it. Local. */
void trajectory_values(const struct trajectory_source *from, int element, void *out);

#endif
