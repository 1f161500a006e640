/* What the sections of a LAMMPS data file say about the same atoms, joined. */
#ifndef LAMMPS_LINK_H
#define LAMMPS_LINK_H

#include "import/lammps_reader.h"

/* Sorts the atoms by id, gives them their velocities, and turns the ids in bonds and angles into
   places in the array. Ids that are missing, and atoms and velocities that are given twice, are
   mistakes. */
void lammps_link(struct lammps_reader *r);
/* Bonds or angles that are given twice, in whatever direction. one_way: by type, whether it is a
   restraint from the first atom to the second, with a dummy as the third; NULL for none. */
void lammps_find_twice(const struct lammps_file *f, int what, const char *one_way,
                       struct mistakes *m);

#endif
