/* Where HDF5 keeps the index of a chunked dataset in the file: its check, and what changes there
   when chunks are added or removed. Local. */
#ifndef H5_INDEX_H
#define H5_INDEX_H

#include <hdf5.h>
#include <stdint.h>

struct h5_reader;

enum { H5_GRID_MOST = 4 }; /* dimensions */

/* A chunked dataset, as it is found in the file without HDF5. */
struct h5_grid {
  uint64_t header; /* its address */
  int dimensions;
  uint64_t size[H5_GRID_MOST];
  uint64_t chunk[H5_GRID_MOST + 1]; /* elements of a chunk; the last entry is bytes per element */
  uint64_t chunk_bytes;             /* in the file; 0: filters change them */
};

/* 0 if HDF5 cannot tell, or the dataset has no chunks. */
int h5_grid_get(hid_t set, struct h5_grid *g);

/* Checks the index of a chunked dataset (a version 1 B-tree): chunks must be those of its grid, in
   order, with all filters, the right sizes, and inside the file. Returns 1 also if there is no such
   index: newer kinds carry checksums. */
int h5_chunks_agree(struct h5_reader *in, hid_t set);

typedef void h5_visit(void *argument, uint64_t at, uint64_t bytes);

/* Visits the parts of an open file that HDF5 may overwrite when chunks from entry `first` of the
   first dimension on are added or removed: header and nodes of the index. Returns 0 if the index
   cannot be read, or has no chunk of the entry before `first`. */
int h5_grid_visit(const struct h5_grid *g, int file, int64_t file_bytes, int64_t first,
                  h5_visit *visit, void *argument);

#endif
