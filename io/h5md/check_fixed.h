/* Checksum of everything in a trajectory that frames do not change, and of HDF5's global heap:
   trajectory_check.h. Functions are local; errors go to the reader. */
#ifndef TRAJECTORY_FIXED_H
#define TRAJECTORY_FIXED_H

#include "io/h5_read.h"

enum { FIXED_SUM, FIXED_HEAP, FIXED_HEAP_BYTES, FIXED_HEAP_SUM, FIXED };

/* Contribution of rank `rank` of `ranks` to the checksum of everything that frames do not
   change. */
uint64_t trajectory_checksum_fixed(struct h5_reader *in, int rank, int ranks);
/* Compares the sum over all ranks with the one in the file. */
void trajectory_check_fixed(struct h5_reader *in, uint64_t sum);
/* Reads the attribute "fixed". */
void trajectory_read_fixed(struct h5_reader *in, uint64_t fixed[FIXED]);
/* Finds the global heap of a new file and sets the FIXED_HEAP... entries; 0 if it has none. */
void trajectory_find_heap(const char *path, uint64_t fixed[FIXED]);
/* Compares the global heap with its checksum. Call before trajectory_checksum_fixed. */
void trajectory_check_heap(struct h5_reader *in);

#endif
