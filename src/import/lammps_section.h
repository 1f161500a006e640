/* Reading of the sections of a LAMMPS data file. */
#ifndef LAMMPS_SECTION_H
#define LAMMPS_SECTION_H

#include "import/lammps_reader.h"

/* Reads all sections into the arrays of r->file, which are allocated; the current line is the
   header of the first section. Atoms are stored in the order of the file, velocities and entries
   refer to ids. Returns 1 if every section has as many lines as the header promises. */
int lammps_section_read_all(struct lammps_reader *r);

#endif
