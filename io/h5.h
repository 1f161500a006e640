/* HDF5 in the few shapes that our files have: tables of rows that ranks write in blocks, series of
   frames, texts and attributes. Writing is collective, and a failed call ends the program: see
   h5_check. Reading (h5_read.h) is local and reports. */
#ifndef H5_H
#define H5_H

#include <hdf5.h>
#include <stdint.h>

#include "mpi/comm/ranks.h"

/* Numbers are of one kind, a letter as in struct field_info: i int32, u uint32, l int64, w uint64,
   f float, d double; little-endian in files. */

struct h5_file {
  hid_t id;
  const char *path;
  const struct ranks *ranks;
  int temporary;      /* removed when a write fails */
  int variable_units; /* "unit" as a string of variable length, which H5MD readers insist on */
};

/* rows x components numbers; one component makes a dataset of one dimension. */
struct h5_table {
  const char *name, *unit, *text; /* NULL: no such attribute */
  char kind;
  int components;
  int64_t rows;
};

/* [frames][rows][components], or [frames] where components is 0. */
struct h5_series {
  hid_t set;
  char kind;
  int components;
  int64_t rows;
};

enum h5_format { H5_CHECKED /* HDF5 1.10: checksums on metadata */, H5_COMMON /* 1.8: H5MD */ };

void h5_create(struct h5_file *f, const struct ranks *r, const char *path, enum h5_format format);
void h5_append(struct h5_file *f, const struct ranks *r, const char *path); /* an existing file */
void h5_flush(const struct h5_file *f);                                     /* to the disk */
void h5_close(struct h5_file *f);

/* H5(f, H5Gclose, group): the result, or status 4 with HDF5's own reason. After a failed write no
   rank may flush or close, that can hang for ever; die() ends all. */
#define H5(f, function, ...) h5_check(f, (hid_t)function(__VA_ARGS__), #function)
hid_t h5_check(const struct h5_file *f, hid_t result, const char *function);
/* The innermost reason of the last failed call; and the errno in it, 0 where there is none. */
int h5_reason(char *text, size_t bytes);

hid_t h5_type_file(char kind);
hid_t h5_type_memory(char kind);

hid_t h5_group(const struct h5_file *f, hid_t parent, const char *name);
/* A checksummed dataset; this rank's rows are first (from 0), first + 1 ... */
void h5_put(const struct h5_file *f, hid_t group, const struct h5_table *table, int64_t first,
            int64_t n, const void *data);
/* The same from rank 0 alone. */
void h5_put_all(const struct h5_file *f, hid_t group, const struct h5_table *table,
                const void *data);
/* Strings of fixed length, one a row; names lie stride bytes apart. Rank 0's count. */
void h5_put_text(const struct h5_file *f, hid_t group, const char *name, const char *description,
                 int64_t rows, size_t stride, const char *text);

struct h5_series h5_series_create(const struct h5_file *f, hid_t group, const char *name, char kind,
                                  int64_t rows, int components, const char *unit);
struct h5_series h5_series_open(const struct h5_file *f, hid_t group, const char *name, char kind,
                                int64_t rows, int components);
void h5_series_resize(const struct h5_file *f, const struct h5_series *s, int64_t frames);
/* Writes rows first ... of a frame; the other ranks write the rest. */
void h5_series_write(const struct h5_file *f, const struct h5_series *s, int64_t frame,
                     int64_t first, int64_t n, const void *data);

void h5_attribute_text(const struct h5_file *f, hid_t object, const char *name, const char *text);
void h5_attribute_unit(const struct h5_file *f, hid_t object, const char *unit);
/* Unsigned numbers of 64 bits. */
void h5_attribute_words(const struct h5_file *f, hid_t object, const char *name, int n,
                        const uint64_t *value);
void h5_attribute_int(const struct h5_file *f, hid_t object, const char *name, int n,
                      const int *value);

#endif
