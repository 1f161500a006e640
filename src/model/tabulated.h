/* A tabulated pair potential: energies at distances as a file gives them, interpolated by the cubic
   spline whose slopes at the ends are minus the forces there. It is kept as cubic pieces of equal
   width, so that a kernel finds the piece of a distance by one multiplication. The force is minus
   the slope of the pieces. Host memory. */
#ifndef TABULATED_H
#define TABULATED_H

enum {
  TABULATED_NAME = 24, /* bytes of a name, with the terminating 0 */
  /* A table whose rows are unevenly spaced in r gets pieces as wide as its smallest spacing, but at
     most this number of pieces for each row */
  TABULATED_REFINED_MOST = 16
};

/* U = c[0] + c[1] t + c[2] t^2 + c[3] t^3, kJ/mol, t from 0 at its begin to 1 at its end. */
struct tabulated_piece {
  double c[4];
};

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
/* Sets the pieces. At least two rows. */
void tabulated_make(struct tabulated *t, const struct tabulated_rows *rows);
/* The force where the table ends, kJ/mol/nm. */
double tabulated_last_force(const struct tabulated *t);
/* 1 if two tables have the same pieces. */
int tabulated_equal(const struct tabulated *a, const struct tabulated *b);

#endif
