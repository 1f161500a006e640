/* A box in the words of people and of crystallography. Local. */
#ifndef BASE_BOX_SHAPE_H
#define BASE_BOX_SHAPE_H

#include "base/box.h"

/* Lengths of the vectors a, b, c, nm, and angles, degrees: alpha of b and c, beta of a and c, gamma
   of a and b. */
struct box_cell {
  double length[3], angle[3];
};
struct box_cell box_cell_of(const double box[BOX]);

enum { BOX_TEXT = 512 };

/* "6 x 6 x 9 nm", or the vectors of an oblique box with its shape, lengths and angles. Numbers are
   printed as %.*g (style 'g') or %.*f (style 'f') with so many digits. Returns text. */
const char *box_text(const double box[BOX], char style, int digits, char text[BOX_TEXT]);

#endif
