/* What builders of starting configurations share: orientations, exact fractions of the box, evenly
   spread sites, shuffles. All of it depends on seed and id only, so not on the number of ranks. */
#ifndef PLACE_H
#define PLACE_H

#include <stdint.h>

#include "model/system.h"

/* The shortest rotation that takes body z to the direction u, of any length but 0. */
void place_orientation(const double u[3], double q[4]);
/* A uniformly random orientation for bead k of the block, if its type rotates. */
void place_random_orientation(struct system *s, int64_t k);
/* Sets one coordinate of bead k of the block to (whole + x) / parts of the box, x the fraction
   that position and residual hold; exact but for rounding down to 2^-64. 0 < parts < 2^31. */
void place_fraction(struct system *s, int64_t k, int axis, int64_t whole, int32_t position,
                    uint32_t residual, int64_t parts);

/* Site k of count, spread evenly over a rectangle in staggered rows: any count fills it. */
void place_in_layer(int64_t count, int64_t k, const double edge[2], double x[2]);
/* Site k of count, spread evenly over a block in layers of rows. */
void place_in_slab(int64_t count, int64_t k, const double edge[3], double x[3]);
/* Where card k of count lies in a shuffled deck: a permutation that needs no memory. */
int64_t place_shuffled(int64_t count, int64_t k, uint64_t seed, uint64_t deck);

/* The number of a molecule, from 1, as beads carry it; dies where there are too many. */
int32_t place_molecule(int64_t molecule);
/* a * b, of counts that are not negative; dies where 2^62 is not enough. what: "beads". */
int64_t place_multiply(int64_t a, int64_t b, const char *what);

#endif
