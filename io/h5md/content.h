/* What goes into a trajectory: the parts that frames do not change, and the numbers of a frame. */
#ifndef H5MD_CONTENT_H
#define H5MD_CONTENT_H

#include "io/h5md/layout.h"
#include "molecules/selection.h"

/* Writes the groups h5md, connectivity and parameters, the fixed datasets of the particles, and the
   texts of the observables. The datasets that have frames are there. lipids: NULL: no leaflets.
   Collective. */
void trajectory_write_fixed(const struct h5_file *f, const struct system *s,
                            const struct selection *selection, const struct lipids *lipids,
                            const struct trajectory_layout *l);

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
