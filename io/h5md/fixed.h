/* Writing of the parts of a trajectory that frames do not change. */
#ifndef H5MD_FIXED_H
#define H5MD_FIXED_H

#include "io/h5md/layout.h"

/* Writes the groups h5md, connectivity and parameters, the fixed datasets of the particles, and the
   texts of the observables. The datasets that have frames are there. lipids: NULL: no leaflets.
   Collective. */
void trajectory_write_fixed(const struct h5_file *f, const struct system *s,
                            const struct selection *selection, const struct lipids *lipids,
                            const struct trajectory_layout *l);

#endif
