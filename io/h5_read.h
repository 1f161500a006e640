/* Reading of untrusted HDF5 files into host memory. Local unless said otherwise: no call waits for
   another rank, so a broken file cannot cause a hang. The first error is kept in the reader, and
   later calls do nothing, so callers check once. h5_reader_require_ok reports the error and ends
   all ranks. */
#ifndef H5_READ_H
#define H5_READ_H

#include <hdf5.h>
#include <stdint.h>

#include "mpi/comm/ranks.h"

struct h5_reader {
  hid_t id;
  const char *path;
  int64_t bytes; /* size of the file */
  int os_error;  /* errno if the system did not allow opening, reading or writing; else 0 */
  int writes;    /* the file is being changed, and errors are those of writing */
  char error[512];
};

void h5_reader_open(struct h5_reader *in, const char *path);
void h5_reader_close(struct h5_reader *in);
/* Closes a file that H5Fopen has opened. Dies with STATUS_IO if the system does not close it: HDF5
   would crash when the program ends. */
void h5_file_close(hid_t file, const char *path);
void h5_reader_fail(struct h5_reader *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Records that HDF5 failed on an object of a file it could open: damage, or os_error if the system
   did not let it read or write. */
void h5_reader_damaged(struct h5_reader *in, const char *name);
/* 1 if the data are in the file itself: neither virtual nor external. */
int h5_is_plain(hid_t set);
/* Returns if no rank has an error; else all ranks die with STATUS_IO and the error of the lowest
   rank that has one. Collective. */
void h5_reader_require_ok(const struct h5_reader *in, const struct ranks *r);

/* Returns 1 on all ranks if no rank has an error; else 0, and why receives the error of the lowest
   rank that has one, on all ranks. Collective. */
int h5_reader_all_ok(const struct h5_reader *in, const struct ranks *r, char *why, int size);

/* Is there an object at this path, reached by hard links only? */
int h5_exists(struct h5_reader *in, const char *name);
/* Stores the sizes of a dataset that must have the datatype (a letter, see h5.h) and number of
   dimensions. All are 0 after an error. */
void h5_sizes(struct h5_reader *in, const char *name, char datatype, int dimensions, int64_t *size);
/* Number of rows of a table as h5_put writes it; an error if the file is too small for them. */
int64_t h5_rows(struct h5_reader *in, const char *name, char datatype, int components);
void h5_expect_rows(struct h5_reader *in, const char *name, char datatype, int components,
                    int64_t rows);
/* The sizes of a dataset of three dimensions, as h5_put_planes writes it; an error if the file is
   too small for them. */
void h5_sizes_planes(struct h5_reader *in, const char *name, char datatype, int64_t size[3]);
/* The datatype of a dataset of numbers; 0 if there is no such dataset. */
char h5_datatype(struct h5_reader *in, const char *name);
/* Reads n entries along the first dimension. The sizes must have been checked with one of the
   functions above. */
void h5_get(struct h5_reader *in, const char *name, char datatype, int64_t first, int64_t n,
            void *data);
/* Reads n rows of an entry, from row `first` (counted from 0). */
void h5_get_rows(struct h5_reader *in, const char *name, char datatype, int64_t entry,
                 int64_t first, int64_t n, void *data);
/* Reads a dataset with one string of fixed length; NULL after an error. Caller frees. */
char *h5_get_text(struct h5_reader *in, const char *name);

enum { H5_NAME = 32 };
/* Reads a text of different names, a line each, which are parts of paths: h5_put_names. Returns
   their number; 0 if there is no such text, or after an error. Caller frees. */
int h5_get_names(struct h5_reader *in, const char *path, char (**name)[H5_NAME]);

/* Stores the name of link k of a group; 0 if there are fewer. */
int h5_link_name(hid_t group, hsize_t k, char name[96]);

/* Read an attribute of an object ("/": the root). Return 0, without an error, if it is missing or
   has another type. */
int h5_get_attribute(struct h5_reader *in, const char *object, const char *name, char datatype,
                     int n, void *value);
int h5_get_attribute_text(struct h5_reader *in, const char *object, const char *name, char *text,
                          size_t bytes);

#endif
