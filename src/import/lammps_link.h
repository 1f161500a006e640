/* Resolves references between the sections of a LAMMPS data file. */
#ifndef LAMMPS_LINK_H
#define LAMMPS_LINK_H

#include "import/lammps_reader.h"

/* Sorts the atoms by id, assigns velocities to them, and replaces ids in bonds and angles by
   indices. Missing ids and atoms or velocities given twice are errors. */
void lammps_link(struct lammps_reader *r);
/* Adds an error for each bond or angle given twice, in either direction. one_way: [type] 1 if it is
   a dipole restraint from the first atom to the second, with a dummy third; NULL: none is. */
void lammps_find_duplicates(const struct lammps_file *f, int what, const char *one_way,
                            struct error_list *m);

#endif
