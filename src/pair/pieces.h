/* The pieces of tables (model/tabulated.h) as kernels read them, and the energy there, for host and
   device. */
#ifndef PIECES_H
#define PIECES_H

#include "base/real.h"

/* U = c[0] + c[1] t + c[2] t^2 + c[3] t^3, kJ/mol, t from 0 to 1. */
struct pair_piece {
  real c[4];
};

struct piece_value {
  real u, slope; /* kJ/mol; by the place in pieces */
};

/* At a place x, in pieces from the begin of a table: pieces are those of all tables, of which it
   has so many from the first on. Below its begin the slope stays what it is there. within: 0 beyond
   its end, where what is returned means nothing. */
HD struct piece_value pieces_at(const struct pair_piece *all, real first, real pieces, real x,
                                int within)
{
  const real last = pieces - R(1), place = x < last ? x : last;
  const int n = within && place > R(0) ? (int)place : 0;
  const struct pair_piece *piece = all + ((int)first + n);
  const real t = x - R(n), curved = x >= R(0) ? R(1) : R(0);
  const real c1 = piece->c[1], c2 = curved * piece->c[2], c3 = curved * piece->c[3];
  const struct piece_value v = {real_fma(real_fma(real_fma(c3, t, c2), t, c1), t, piece->c[0]),
                                real_fma(real_fma(R(3) * c3, t, R(2) * c2), t, c1)};
  return v;
}

#endif
