/* Helpers of the builders of starting configurations: orientations, exact fractional coordinates,
   evenly spread sites, permutations, checked counts. Results depend on seed and id only, not on the
   number of ranks. Local. */
#ifndef PLACE_H
#define PLACE_H

#include <stdint.h>

#include "model/system.h"

/* Quaternion of the shortest rotation that turns body z into the direction u (any length but 0). */
void place_orientation(const double u[3], double q[4]);
/* A uniformly random orientation of the bead with an id; each draw gives another. */
void place_draw_orientation(uint64_t seed, uint32_t draw, int64_t id, double q[4]);
/* Gives bead k of the block a uniformly random orientation (draw 0), if its type rotates. */
void place_random_orientation(struct system *s, int64_t k);
/* Sets one coordinate of bead k of the block to (whole + x) / parts of the box edge, where x in [0,
   1) is the fraction given by position and residual. Rounded down to 2^-64 of the edge. 0 < parts <
   2^31. */
void place_fraction(struct system *s, int64_t k, int axis, int64_t whole, int32_t position,
                    uint32_t residual, int64_t parts);

/* Coordinates (nm) of site k of count, spread evenly over a rectangle in staggered rows. Any count
   fills it. */
void place_in_layer(int64_t count, int64_t k, const double edge[2], double x[2]);
/* The same over a block, in layers of rows. */
void place_in_slab(int64_t count, int64_t k, const double edge[3], double x[3]);
/* Warns if neighbours of a type at distance r (nm) are so close that a run would blow up. where:
   names the density in the input file. */
void place_check_distance(const struct forcefield *ff, int type, double r, const char *where);
/* A random permutation of 0 ... count - 1 that needs no memory: where k goes. deck: selects one of
   several permutations of a seed. */
int64_t place_shuffled(int64_t count, int64_t k, uint64_t seed, uint64_t deck);

/* Converts a molecule number (from 1) to the type of the bead array. Dies with STATUS_INPUT if it
   does not fit. */
int32_t place_molecule_number(int64_t molecule);
/* a * b for counts >= 0. Dies with STATUS_INPUT above 2^62. what: unit in the message ("beads"). */
int64_t place_count_product(int64_t a, int64_t b, const char *what);

#endif
