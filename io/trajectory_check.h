/* Checksums of a trajectory. Dataset TRAJECTORY_SUMS has a row a frame, [frames][1][SUMS]: a sum of
   each element (0 where there is none), one of step, time and edges, and a guard of the row itself.
   Its attribute "fixed" is the sum of all that no frame changes: groups, types, sizes, attributes,
   fixed datasets; and place, size and sum of HDF5's global heap, which holds the units: HDF5 1.10
   may crash where that is damaged, so it is looked at first. Rows are written once and in place, so
   that a kill costs no older one. */
#ifndef TRAJECTORY_CHECK_H
#define TRAJECTORY_CHECK_H

#include "io/h5_read.h"
#include "io/trajectory_read.h"

enum { FIXED_SUM, FIXED_HEAP, FIXED_HEAP_BYTES, FIXED_HEAP_SUM, FIXED };

/* Sum of rows first (from 0) ... of an element of a frame. */
uint64_t trajectory_sum(int element, int64_t first, int64_t n, const void *data);
/* Fills the clock and the guard of a row whose elements are there. */
void trajectory_sum_row(int64_t frame, int64_t step, double time, const double edges[9],
                        uint64_t row[SUMS]);

/* Below, mistakes go to the reader and name the frame, from 0, and the element. Local. */

/* This part's share, of so many, of the sum of all that no frame changes. */
uint64_t trajectory_sum_fixed(struct h5_reader *in, int part, int parts);
/* Compares the whole sum with the one in the file. */
void trajectory_check_fixed(struct h5_reader *in, uint64_t sum);
/* What the attribute says. */
void trajectory_fixed(struct h5_reader *in, uint64_t fixed[FIXED]);
/* Finds the global heap of a new file: the members of fixed that are of it, 0 without a heap. */
void trajectory_find_heap(const char *path, uint64_t fixed[FIXED]);
/* Before trajectory_sum_fixed. */
void trajectory_check_heap(struct h5_reader *in);
/* Steps, times and edges of the first frames, and the rows of their checksums. */
void trajectory_check_clock(struct h5_reader *in, const struct trajectory_clock *c, int64_t first,
                            int64_t frames);
/* Sums of the beads first (from 0) ... first + n - 1 of a frame; data: NULL, or of each element 12
   bytes a bead, which get them. */
void trajectory_sum_frame(struct h5_reader *in, int elements, int64_t frame, int64_t first,
                          int64_t n, char *const *data, uint64_t row[SUMS]);
/* Compares the sums of a whole frame with the row in the file. */
void trajectory_check_sums(struct h5_reader *in, int elements, int64_t frame,
                           const uint64_t row[SUMS]);
/* Reads everything. Memory does not grow with the file, but for 16 bytes a frame. */
void trajectory_check_all(struct h5_reader *in, const struct trajectory_clock *c);

#endif
