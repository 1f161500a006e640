/* The box vectors of GROMACS files. Local. */
#ifndef GROMACS_BOX_H
#define GROMACS_BOX_H

#include "base/box.h"

enum { GROMACS_BOX_WHY = 400 };

/* Sets the box whose vectors are the rows of v, nm, and returns NULL; or returns why there is no
   such box. Tilts of more than half an edge are reduced (base/box.h), with a message about the file
   `path`. */
const char *gromacs_box_read(const double v[3][3], const char *path, double box[BOX],
                             char why[GROMACS_BOX_WHY]);

#endif
