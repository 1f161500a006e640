/* Heights on a lattice of grid x grid cells of the box along its vectors a and b, and the power of
   their Fourier modes in rows of equal |n|^2, n the integer wave vector: each mode of the lattice
   with |n| <= grid/2 once, without n = 0. The wave vector of (n, m) is
   q = 2 pi (n/ax, (m - n bx/ax)/by). Where bx is more than a quarter of ax, |n|^2 = n^2 + m^2 - n m
   (+ n m where it is negative), which is proportional to q^2 in a hexagonal box; oblique planes
   leave out modes with a component of grid/2, which stands for two wave vectors. Arrays of the
   lattice are [x][y]. Host memory, local. */
#ifndef SPECTRUM_H
#define SPECTRUM_H

#include "observe/observable.h"

struct spectrum {
  int grid;
  int oblique, skew;     /* 1: bx is not 0; |n|^2 = nx^2 + ny^2 + skew nx ny */
  int rows;              /* by increasing |n|^2 */
  double *modes;         /* [rows] */
  int *row_of;           /* [grid^2/4 + 1]: row of |n|^2, -1: none */
  double *cosine, *sine; /* [grid][grid/2 + 1]: of 2 pi j k/grid */
};

/* In memory of the observable. */
void spectrum_open(struct spectrum *s, struct observable *o, int grid, const double box[BOX]);
/* Means of |q| over the modes of each row. */
void spectrum_q(const struct spectrum *s, const double box[BOX], double *q);
/* Means over the modes of each row of |h_q|^2, h_q = (area)^(1/2)/grid^2 sum h exp(-i q r). */
void spectrum_power(const struct spectrum *s, const double *h, double area, double *power);

/* Sets the cells that is_set[grid^2] does not name to the mean of their set side neighbours
   (periodic), in rounds: those that have such neighbours at the beginning of a round are set
   together. Changes is_set. Returns 0 if no cell is set. */
int spectrum_fill(int grid, double *h, char *is_set);

#endif
