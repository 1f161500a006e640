/* Reading HDF5 files that nobody vouches for. Local to a rank: nothing here waits for another, so a
   broken file cannot hang. The first mistake is kept, and every later call does nothing, so that
   callers look once; h5_reader_settle ends all ranks with one message. */
#ifndef H5_READ_H
#define H5_READ_H

#include <hdf5.h>
#include <stdint.h>

#include "mpi/comm/ranks.h"

struct h5_reader {
  hid_t id;
  const char *path;
  int64_t bytes; /* size of the file */
  int os_error;  /* errno of a file that the system did not let be opened or read; else 0 */
  char error[512];
};

void h5_reader_open(struct h5_reader *in, const char *path);
void h5_reader_close(struct h5_reader *in);
void h5_reader_fail(struct h5_reader *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* HDF5 has failed on an object of a file that it could open: damage, or os_error where the system
   did not let it read. */
void h5_reader_damaged(struct h5_reader *in, const char *name);
/* Numbers inside the file itself: not virtual, not external. */
int h5_is_plain(hid_t set);
/* Does the index of a chunked dataset (a B-tree of version 1) name chunks of its grid, in order,
   each with all its filters, the size that follows from them, and bytes inside the file? 1 also
   where there is no such index: newer kinds carry checksums. h5_index.c. */
int h5_chunks_agree(struct h5_reader *in, hid_t set);
/* Status 4 with the mistake of the lowest rank that has one. Collective. */
void h5_reader_settle(const struct h5_reader *in, const struct ranks *r);

/* 1 where no rank has a mistake; else 0, and why gets that of the lowest rank, on all. Collective.
 */
int h5_reader_agree(const struct h5_reader *in, const struct ranks *r, char *why, int size);

/* Is there an object at this path, every link to it a plain one? */
int h5_exists(struct h5_reader *in, const char *name);
/* Sizes of a dataset of numbers of a kind (h5.h) and of so many dimensions. All are 0 after a
   mistake. */
void h5_sizes(struct h5_reader *in, const char *name, char kind, int dimensions, int64_t *size);
/* Rows of a table as h5_put writes it, not more than the file's size allows. */
int64_t h5_rows(struct h5_reader *in, const char *name, char kind, int components);
void h5_expect_rows(struct h5_reader *in, const char *name, char kind, int components,
                    int64_t rows);
/* n entries along the first dimension. Sizes are known to be right: one of the above was called. */
void h5_get(struct h5_reader *in, const char *name, char kind, int64_t first, int64_t n,
            void *data);
/* Rows first (from 0) ... of an entry. */
void h5_get_part(struct h5_reader *in, const char *name, char kind, int64_t entry, int64_t first,
                 int64_t n, void *data);
/* A string of fixed length, the only one of its dataset; NULL after a mistake. Caller frees. */
char *h5_get_text(struct h5_reader *in, const char *name);

/* Attributes; object "/" is the root. A missing one or another type gives 0, no mistake. */
int h5_get_attribute_int(struct h5_reader *in, const char *object, const char *name, int *value);
int h5_get_attribute_text(struct h5_reader *in, const char *object, const char *name, char *text,
                          size_t bytes);

#endif
