/* Checksums of a trajectory. Dataset TRAJECTORY_CHECKSUMS has a row for each frame,
   [frames][1][trajectory_checksum_columns]: the checksum of each element, and of the values of
   observables (0 if the file does not have them), of step, time and edges (CHECKSUM_INDEX), and of
   the row itself (CHECKSUM_ROW). In memory a row has CHECKSUMS columns, and those that the file
   lacks are 0. Its attribute "fixed" holds the checksum of everything that frames do not change
   (groups, types, sizes, attributes, fixed datasets), and address, size and checksum of HDF5's
   global heap, which holds the unit strings. HDF5 1.10 may crash on a damaged heap, so it is
   checked first. Rows are written once and in place, so a killed job does not damage earlier ones.
 */
#ifndef TRAJECTORY_CHECK_H
#define TRAJECTORY_CHECK_H

#include "io/h5_read.h"
#include "io/h5md/check_fixed.h"
#include "io/h5md/scan.h"

/* Checksum of n rows of an element of a frame, from row `first` (counted from 0). */
uint64_t trajectory_checksum(int element, int64_t first, int64_t n, const void *data);
/* Fills CHECKSUM_INDEX and CHECKSUM_ROW of a row whose elements are set. elements: those of the
   file. */
void trajectory_checksum_row(int elements, int64_t frame, int64_t step, double time,
                             const double edges[9], uint64_t row[CHECKSUMS]);

/* The functions below are local. Errors go to the reader and name the frame, counted from 0, and
   the element. */

/* Checks steps, times, edges and checksum rows of `frames` frames from frame `first`. */
void trajectory_check_index(struct h5_reader *in, const struct trajectory_index *c, int64_t first,
                            int64_t frames);
/* Reads rows first ... first + n - 1 (counted from 0) of a frame and computes their checksums.
   data: NULL, or for each element a buffer that receives them. */
void trajectory_checksum_frame(struct h5_reader *in, int elements, int64_t frame, int64_t first,
                               int64_t n, char *const *data, uint64_t row[CHECKSUMS]);
/* Compares the checksums of a complete frame with the row in the file. */
void trajectory_compare_checksums(struct h5_reader *in, int elements, int64_t frame,
                                  const uint64_t row[CHECKSUMS]);
/* Checks the chunk index of the datasets that have frames: a share of them for each rank. */
void trajectory_check_chunks(struct h5_reader *in, const struct trajectory_index *c, int rank,
                             int ranks);
/* Checks all but the frames, and the last of these. */
void trajectory_check_last(struct h5_reader *in, const struct trajectory_index *c);
/* Reads and checks the whole file. Needs little memory: 16 bytes per frame, and a buffer of fixed
   size. */
void trajectory_check_all(struct h5_reader *in, const struct trajectory_index *c);

#endif
