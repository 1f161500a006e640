/* A tabulated potential of pairs or of bonded terms: energies at distances or angles as a file
   gives them, interpolated by cubics. It is kept as cubic pieces of equal width, so that a kernel
   finds the piece of a distance by one multiplication. The force is minus the slope of the pieces.
   Host memory. */
#ifndef TABULATED_H
#define TABULATED_H

#include "base/choices.h"

/* spline: of the energies, with slopes at the two ends that are minus the forces there. hermite: of
   energies and forces of each two rows, as GROMACS interpolates user tables. */
#define INTERPOLATION_CHOICES(C)                                                                   \
  C(INTERPOLATION_SPLINE, spline)                                                                  \
  C(INTERPOLATION_HERMITE, hermite)
enum tabulated_interpolation { INTERPOLATION_CHOICES(CHOICE_CONSTANT) };

enum {
  TABULATED_NAME = 24,           /* bytes of a name, with the terminating 0 */
  TABULATED_POTENTIALS_MOST = 3, /* beside each other in a file */
  /* A table whose rows are unevenly spaced in r gets pieces as wide as its smallest spacing, but at
     most this number of pieces for each row */
  TABULATED_REFINED_MOST = 16
};

/* U = c[0] + c[1] t + c[2] t^2 + c[3] t^3, kJ/mol, t from 0 at its begin to 1 at its end. */
struct tabulated_piece {
  double c[4];
};

/* Lengths in nm; of a table of angles degrees stand in their place. */
struct tabulated {
  char name[TABULATED_NAME];
  int n;              /* pieces */
  double start, step; /* nm: of the first row; width of a piece */
  double contact;     /* nm: where the energy first falls to 0, or start; the size of beads */
  struct tabulated_piece *piece;
};

/* Rows of a table, with r ascending: nm, kJ/mol, kJ/mol/nm. */
struct tabulated_rows {
  int n;
  double *r, *u, *f;
  int *line; /* of the file */
};

/* Where the table ends, nm. */
static inline double tabulated_end(const struct tabulated *t)
{
  return t->start + t->n * t->step;
}

/* The first row k whose forces contradict the energies: the mean force between rows k and k + 1 is
   not between f[k] and f[k + 1], give or take a tenth of the larger and what rounding of energies
   explains: 1e-5 of them, and 1e-4 of the depth of the well. -1: none. */
int tabulated_contradiction(const struct tabulated_rows *rows);
/* How far the forces of inner rows are from the slopes of the energies between their neighbours:
   sums of the differences over the mean of both sums; 2 for forces of the wrong sign or none. */
double tabulated_deviation(const struct tabulated_rows *rows);
/* 1 if the rows are equally spaced. */
int tabulated_is_even(const struct tabulated_rows *rows);
/* Sets the pieces. At least two rows; for INTERPOLATION_HERMITE they are equally spaced. */
void tabulated_make(struct tabulated *t, const struct tabulated_rows *rows,
                    enum tabulated_interpolation interpolation);
/* The forces where the table begins and ends, kJ/mol/nm. */
double tabulated_first_force(const struct tabulated *t);
double tabulated_last_force(const struct tabulated *t);
/* Where k times the energy is lowest, among the ends of pieces. */
double tabulated_lowest(const struct tabulated *t, double k);
/* 1 if two tables have the same pieces. */
int tabulated_equal(const struct tabulated *a, const struct tabulated *b);

#endif
