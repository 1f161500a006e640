/* The box vectors of GROMACS files as edges of a rectangular box. Local. */
#ifndef GROMACS_BOX_H
#define GROMACS_BOX_H

enum { GROMACS_BOX_WHY = 800 };

/* Sets the edges (nm) of a box whose vectors are the rows of v, and returns NULL; or returns why,
   which says what the box is and what to do. */
const char *gromacs_box_edges(const double v[3][3], double edge[3], char why[GROMACS_BOX_WHY]);

#endif
