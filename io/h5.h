/* Writing of HDF5 files in the few layouts of our files: tables whose rows are written in blocks by
   all ranks, series of frames, texts and attributes. All functions but h5_check, h5_reason and
   h5_type_* are collective; a failed call ends the program (see h5_check). Data are in host memory.
   Reading is local: h5_read.h. */
#ifndef H5_H
#define H5_H

#include <hdf5.h>
#include <stdint.h>

#include "mpi/comm/ranks.h"

/* Datatypes are letters, as in struct field_info: i int32, u uint32, l int64, w uint64, f
   float, d double; little-endian in files. */

struct h5_file {
  hid_t id;
  const char *path;
  const struct ranks *ranks;
  int temporary;      /* 1: a temporary file, removed when a write fails */
  int variable_units; /* 1: "unit" attributes as strings of variable length, which H5MD readers
                         require */
};

/* A dataset of rows x components numbers; with one component it has one dimension. */
struct h5_table {
  const char *name, *unit, *text; /* unit, text: attributes; NULL: none */
  char datatype;
  int components;
  int64_t rows;
};

/* A dataset with an entry for each frame: [frames][rows][components]; [frames][rows] where
   components is 0; [frames] where rows is 0 too. */
struct h5_series {
  char path[96];
  const char *unit; /* attribute; NULL: none */
  char datatype;
  int components;
  int64_t rows;
  hid_t set; /* while the file is open */
};

enum h5_format { H5_CHECKED /* HDF5 1.10: checksums on metadata */, H5_COMMON /* 1.8: H5MD */ };

void h5_create(struct h5_file *f, const struct ranks *r, const char *path, enum h5_format format);
/* Begins a temporary file (H5_CHECKED), if there is room for so many bytes of it. what: for the
   message that there is not ("a map"). */
void h5_create_temporary(struct h5_file *f, const struct ranks *r, const char *path,
                         const char *what, double bytes);
/* Opens an existing file for writing. */
void h5_append(struct h5_file *f, const struct ranks *r, const char *path);
/* Flushes the file to the disk. */
void h5_flush(const struct h5_file *f);
void h5_close(struct h5_file *f);

/* H5(f, H5Gclose, group) calls an HDF5 function and dies with STATUS_IO and HDF5's reason if it
   fails. A read or write that fails within it dies at once, on the rank where it failed: HDF5 would
   go on, and call MPI where the other ranks make other calls. After a failed write no rank may
   flush or close the file for the same reason; die() ends all ranks. */
#define H5(f, function, ...)                                                                       \
  (h5_begin(f, #function), h5_check(f, (hid_t)function(__VA_ARGS__), #function))
void h5_begin(const struct h5_file *f, const char *function);
hid_t h5_check(const struct h5_file *f, hid_t result, const char *function);
/* Stores the innermost reason of the last failed call in text. Returns the errno it contains, or
   0. */
int h5_reason(char *text, size_t bytes);

hid_t h5_type_file(char datatype);
hid_t h5_type_memory(char datatype);

hid_t h5_group(const struct h5_file *f, hid_t parent, const char *name);
/* Writes a table with Fletcher32 checksums. This rank writes the n rows from row `first` (counted
   from 0). */
void h5_put(const struct h5_file *f, hid_t group, const struct h5_table *table, int64_t first,
            int64_t n, const void *data);
enum { H5_PLANES = 1 << 28 }; /* bytes, see h5_put_planes */
/* Writes a dataset [size[0]][size[1]][size[2]]; of the table only name, unit, text and datatype
   count. This rank writes the n planes from plane `first`: H5_PLANES bytes of them at a time, or a
   plane if that is larger, of which HDF5 makes a copy for its checksums. */
void h5_put_planes(const struct h5_file *f, hid_t group, const struct h5_table *table,
                   const int64_t size[3], int64_t first, int64_t n, const void *data);
/* As h5_put; rank 0 has and writes all rows. */
void h5_put_rank0(const struct h5_file *f, hid_t group, const struct h5_table *table,
                  const void *data);
/* Writes a dataset of strings of fixed length, one per row, which are stride bytes apart in memory.
   Rank 0's data are written. */
void h5_put_text(const struct h5_file *f, hid_t group, const char *name, const char *description,
                 int64_t rows, size_t stride, const char *text);

/* The same with one string; nothing if it is NULL. */
void h5_put_line(const struct h5_file *f, const char *path, const char *description,
                 const char *text);

/* Names as lines of one text; nothing if there are none. stride: bytes from one to the next. */
void h5_put_names(const struct h5_file *f, const char *path, const char *description, int n,
                  size_t stride, const char *name);

int h5_series_dimensions(const struct h5_series *s); /* local */
/* Creates the dataset, and the groups of its path. packed: each component of up to H5_PACKED rows
   of a frame has a chunk, compressed without loss, by filters of HDF5's own that every reader has.
 */
void h5_series_create(const struct h5_file *f, struct h5_series *s, int packed);
void h5_series_open(const struct h5_file *f, struct h5_series *s);
enum { H5_PACKED = 1 << 16 };
/* Why packed series cannot be written here; NULL: they can. Local. */
const char *h5_packed_refusal(void);
void h5_series_resize(const struct h5_file *f, const struct h5_series *s, int64_t frames);
/* Writes the n rows from row `first` of a frame; other ranks write other rows. */
void h5_series_write(const struct h5_file *f, const struct h5_series *s, int64_t frame,
                     int64_t first, int64_t n, const void *data);

void h5_attribute_text(const struct h5_file *f, hid_t object, const char *name, const char *text);
/* Numbers; n = 0: one, as a scalar. */
void h5_attribute(const struct h5_file *f, hid_t object, const char *name, char datatype, int n,
                  const void *value);

#endif
