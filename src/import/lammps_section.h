/* The sections of a LAMMPS data file. */
#ifndef LAMMPS_SECTION_H
#define LAMMPS_SECTION_H

#include "import/lammps_reader.h"

/* Reads all sections into the arrays of the file, which are allocated; the header of the first one
   is the current line. Atoms come in the order of the file, velocities and entries by id. 1 where
   every section has as many lines as the header promises. */
int lammps_section_read_all(struct lammps_reader *r);

#endif
