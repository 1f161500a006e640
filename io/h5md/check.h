/* Checksums of a trajectory. Dataset TRAJECTORY_CHECKSUMS has a row for each frame,
   [frames][1][trajectory_checksum_columns]: the checksum of each element, and of the values of
   observables (0 if the file does not have them), of step, time and edges (CHECKSUM_INDEX), and of
   the row itself (CHECKSUM_ROW). In memory a row has CHECKSUMS columns, and those that the file
   lacks are 0. Its attribute "fixed" holds the checksum of everything that frames do not change
   (the path of every group, types, sizes, attributes, fixed datasets), and address, size and
   checksum of HDF5's global heap, which holds the unit strings. HDF5 1.10 may crash on a damaged
   heap, so it is checked first. Rows are written once and in place, so a killed job does not damage
   earlier ones.

   Functions are local unless they have an argument r. Errors go to the reader and name the frame,
   counted from 0, and the element. */
#ifndef H5MD_CHECK_H
#define H5MD_CHECK_H

#include "io/h5md/layout.h"

/* Checksum of n rows of an element of a frame, from row `first` (counted from 0); of all values of
   observables of a frame. */
uint64_t trajectory_checksum(int element, int64_t first, int64_t n, const void *data);
uint64_t trajectory_checksum_observed(const struct trajectory_observed_list *l,
                                      const double *value);
/* Fills CHECKSUM_INDEX and CHECKSUM_ROW of a row whose elements are set. elements: those of the
   file. */
void trajectory_checksum_row(int elements, int64_t frame, int64_t step, double time,
                             const double edges[9], uint64_t row[CHECKSUMS]);

/* Checks steps, times, edges and checksum rows of `frames` frames from frame `first`. */
void trajectory_check_index(struct h5_reader *in, const struct trajectory_index *c, int64_t first,
                            int64_t frames);
/* Reads rows first ... first + n - 1 (counted from 0) of a frame and computes their checksums.
   data: NULL, or for each element a buffer that receives them. */
void trajectory_checksum_frame(struct h5_reader *in, int elements, int64_t frame, int64_t first,
                               int64_t n, char *const *data, uint64_t row[CHECKSUMS]);
/* Compares the checksums of these elements of a complete frame with the row in the file. */
void trajectory_compare_checksums(struct h5_reader *in, int elements, int64_t frame,
                                  const uint64_t row[CHECKSUMS]);
/* Reads and checks a frame; each rank reads n rows from row `first` (counted from 0), together all.
   data: as above. observed: NULL, or receives the values of observables, on rank 0. r: NULL: one
   process, which reads all. Collective. */
void trajectory_check_frame(const struct ranks *r, struct h5_reader *in,
                            const struct trajectory_index *c, int64_t frame, int64_t first,
                            int64_t n, char *const *data, double *observed);
/* Reads and checks everything but the frames before frame `from`; each rank a share. r: NULL: one
   process. Needs little memory: a buffer of fixed size. Collective. */
void trajectory_check(const struct ranks *r, struct h5_reader *in, const struct trajectory_index *c,
                      int64_t from);

enum { FIXED_SUM, FIXED_HEAP, FIXED_HEAP_BYTES, FIXED_HEAP_SUM, FIXED };
/* Contribution of rank `rank` of `ranks` to the checksum of everything that frames do not
   change. */
uint64_t trajectory_checksum_fixed(struct h5_reader *in, int rank, int ranks);
/* Finds the global heap of a new file and sets the FIXED_HEAP... entries; 0 if it has none. */
void trajectory_find_heap(const char *path, uint64_t fixed[FIXED]);
/* Compares the global heap with its checksum. Call before trajectory_checksum_fixed. */
void trajectory_check_heap(struct h5_reader *in);

#endif
