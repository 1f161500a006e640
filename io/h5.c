/* Parallel HDF5 for writing: see h5.h. */
#include "io/h5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "io/disk.h"
#include "mpi/comm/implementation.h"
#include "mpi/comm/ranks_mpi.h"

/* Elements of a chunk of a table. Checksums are of whole chunks: the rank that writes one holds it
   twice, with what other ranks sent for it. Larger chunks are not written faster. */
enum { CHUNK = 1 << 17 };
enum { FRAME_CHUNK = 1 << 20 }; /* rows of a chunk of a frame */
enum { DEFLATE = 1 };           /* level; higher ones take longer for 4 % less */

/* Bytes that a rank holds at a time of what it collects from others for the file. Open MPI takes 32
   MB if nothing is said, and is slower with them. */
#define COLLECTED "2097152"

/* The HDF5 call that this thread is in: MPI gives an error handler no argument. */
static _Thread_local struct {
  const struct h5_file *file;
  const char *function;
} call;

struct reason {
  const char *text;
  int number;
};

/* HDF5 passes the innermost error first. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *e, void *reason)
{
  struct reason *r = reason;
  const char *number = e->desc ? strstr(e->desc, "errno = ") : NULL;
  if (n == 0 && e->desc) r->text = e->desc;
  if (number && !r->number) r->number = atoi(number + 8);
  return 0;
}

int h5_reason(char *text, size_t bytes)
{
  struct reason r = {"no reason given", 0};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &r);
  size_t n = strnlen(r.text, bytes - 1);
  memcpy(text, r.text, n);
  text[n] = 0;
  return r.number;
}

static _Noreturn void fail(const struct h5_file *f, const char *function, const char *reason)
{
  if (f->temporary) unlink(f->path);
  die(STATUS_IO,
      "cannot write '%s': %s failed (%s); see that the disk has room and the folder is writable. "
      "Files and frames that were finished before are whole",
      f->path, function, reason);
}

void h5_begin(const struct h5_file *f, const char *function)
{
  call.file = f;
  call.function = function;
  ranks_file_begin(f->ranks, f->path);
}

hid_t h5_check(const struct h5_file *f, hid_t result, const char *function)
{
  char reason[256];
  ranks_file_end(f->ranks);
  if (result >= 0) return result;
  h5_reason(reason, sizeof reason);
  fail(f, function, reason);
}

/* The error handler of MPI-IO. The last error of the system is the reason, unless MPI found it. */
static void io_failed(MPI_File *file, int *code, ...)
{
  const int why = errno;
  char text[MPI_MAX_ERROR_STRING] = "", reason[MPI_MAX_ERROR_STRING + 256];
  int bytes;
  (void)file;
  MPI_Error_string(*code, text, &bytes);
  snprintf(reason, sizeof reason, "%s%s%s", why ? strerror(why) : "", why ? "; " : "", text);
  fail(call.file, call.function, reason);
}

/* Lets io_failed handle the errors of an open file. */
static void watch(const struct h5_file *f, hid_t access)
{
  void *handle; /* MPI_File * */
  MPI_Errhandler handler;
  H5(f, H5Fget_vfd_handle, f->id, access, &handle);
  MPI_File_create_errhandler(io_failed, &handler);
  MPI_File_set_errhandler(*(MPI_File *)handle, handler);
  MPI_Errhandler_free(&handler);
}

/* In memory, or in files. */
static hid_t type_of(char datatype, int memory)
{
  switch (datatype) {
  case 'i':
    return memory ? H5T_NATIVE_INT32 : H5T_STD_I32LE;
  case 'u':
    return memory ? H5T_NATIVE_UINT32 : H5T_STD_U32LE;
  case 'l':
    return memory ? H5T_NATIVE_INT64 : H5T_STD_I64LE;
  case 'w':
    return memory ? H5T_NATIVE_UINT64 : H5T_STD_U64LE;
  case 'f':
    return memory ? H5T_NATIVE_FLOAT : H5T_IEEE_F32LE;
  default:
    return memory ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE;
  }
}

hid_t h5_type_file(char datatype)
{
  return type_of(datatype, 0);
}

hid_t h5_type_memory(char datatype)
{
  return type_of(datatype, 1);
}

/* A path as MPI-IO takes it; to be freed. */
static char *mpi_path(const char *path)
{
  const char *prefix = implementation()->file_system;
  return path_with(prefix && strchr(path, ':') ? prefix : "", path);
}

static hid_t access_list(const struct h5_file *f)
{
  hid_t list = H5(f, H5Pcreate, H5P_FILE_ACCESS);
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "cb_buffer_size", COLLECTED);
  H5(f, H5Pset_fapl_mpio, list, ranks_comm(f->ranks), hints);
  MPI_Info_free(&hints);
  return list;
}

void h5_create(struct h5_file *f, const struct ranks *r, const char *path, enum h5_format format)
{
  memset(f, 0, sizeof *f);
  f->path = path;
  f->ranks = r;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t list = access_list(f);
  H5F_libver_t version = format == H5_CHECKED ? H5F_LIBVER_V110 : H5F_LIBVER_V18;
  H5(f, H5Pset_libver_bounds, list, version, H5F_LIBVER_V110);
  char *named = mpi_path(path);
  f->id = H5(f, H5Fcreate, named, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  free(named);
  watch(f, list);
  H5(f, H5Pclose, list);
}

void h5_create_temporary(struct h5_file *f, const struct ranks *r, const char *path,
                         const char *what, double bytes)
{
  if (r->rank == 0) {
    disk_require(path, what, bytes);
    FILE *file = path_create(path);
    if (!file) die(STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
    fclose(file);
  }
  ranks_barrier(r);
  h5_create(f, r, path, H5_CHECKED);
  f->temporary = 1;
}

void h5_append(struct h5_file *f, const struct ranks *r, const char *path)
{
  memset(f, 0, sizeof *f);
  f->path = path;
  f->ranks = r;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t list = access_list(f);
  char *named = mpi_path(path);
  f->id = H5(f, H5Fopen, named, H5F_ACC_RDWR, list);
  free(named);
  watch(f, list);
  H5(f, H5Pclose, list);
}

void h5_flush(const struct h5_file *f)
{
  H5(f, H5Fflush, f->id, H5F_SCOPE_GLOBAL);
}

void h5_close(struct h5_file *f)
{
  H5(f, H5Fclose, f->id);
  f->id = -1;
}

hid_t h5_group(const struct h5_file *f, hid_t parent, const char *name)
{
  return H5(f, H5Gcreate2, parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t text_type(const struct h5_file *f, size_t bytes)
{
  hid_t type = H5(f, H5Tcopy, H5T_C_S1);
  H5(f, H5Tset_size, type, bytes);
  return type;
}

/* n: numbers; 0: one, as a scalar. */
static void put_attribute(const struct h5_file *f, hid_t object, const char *name, hid_t in_file,
                          hid_t in_memory, int n, const void *value)
{
  hsize_t size = (hsize_t)n;
  hid_t space = n ? H5(f, H5Screate_simple, 1, &size, NULL) : H5(f, H5Screate, H5S_SCALAR);
  hid_t a = H5(f, H5Acreate2, object, name, in_file, space, H5P_DEFAULT, H5P_DEFAULT);
  H5(f, H5Awrite, a, in_memory, value);
  H5(f, H5Aclose, a);
  H5(f, H5Sclose, space);
}

void h5_attribute(const struct h5_file *f, hid_t object, const char *name, char datatype, int n,
                  const void *value)
{
  put_attribute(f, object, name, h5_type_file(datatype), h5_type_memory(datatype), n, value);
}

void h5_attribute_text(const struct h5_file *f, hid_t object, const char *name, const char *text)
{
  hid_t type = text_type(f, strlen(text) + 1);
  put_attribute(f, object, name, type, type, 0, text);
  H5(f, H5Tclose, type);
}

static void put_unit(const struct h5_file *f, hid_t object, const char *unit)
{
  hid_t type = text_type(f, f->variable_units ? H5T_VARIABLE : strlen(unit) + 1);
  put_attribute(f, object, "unit", type, type, 0, f->variable_units ? (const void *)&unit : unit);
  H5(f, H5Tclose, type);
}

static hsize_t smaller(hsize_t a, hsize_t b)
{
  return a < b ? a : b;
}

/* Elements of a chunk along a dimension: at most `room`, and such that the last chunk is nearly
   full, since files hold whole chunks. */
static hsize_t chunk_edge(hsize_t size, hsize_t room)
{
  if (size == 0) return room;
  const hsize_t chunks = (size + room - 1) / room;
  return (size + chunks - 1) / chunks;
}

/* Creates a dataset of fixed size, with its attributes. Chunks and checksums need at least one
   element. */
static hid_t create_set(const struct h5_file *f, hid_t group, const struct h5_table *t, hid_t type,
                        int dimensions, const hsize_t *size)
{
  hid_t space = H5(f, H5Screate_simple, dimensions, size, NULL);
  hid_t list = H5(f, H5Pcreate, H5P_DATASET_CREATE);
  if (size[0] > 0) {
    hsize_t chunk[3], room = CHUNK; /* elements of the dimensions that are left */
    for (int d = dimensions - 1; d >= 0; d--) {
      chunk[d] = chunk_edge(size[d], room);
      room = room / chunk[d] > 0 ? room / chunk[d] : 1;
    }
    H5(f, H5Pset_chunk, list, dimensions, chunk);
    H5(f, H5Pset_fletcher32, list);
  }
  H5(f, H5Pset_fill_time, list, H5D_FILL_TIME_NEVER);
  hid_t set = H5(f, H5Dcreate2, group, t->name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5(f, H5Pclose, list);
  H5(f, H5Sclose, space);
  if (t->unit) put_unit(f, set, t->unit);
  if (t->text) h5_attribute_text(f, set, "description", t->text);
  return set;
}

/* Writes a block; ranks without rows take part with an empty selection. Collective. */
static void write_block(const struct h5_file *f, hid_t set, hid_t type, int dimensions,
                        const hsize_t *start, const hsize_t *count, const void *data)
{
  hsize_t elements = 1;
  for (int d = 0; d < dimensions; d++)
    elements *= count[d];
  hid_t space = H5(f, H5Dget_space, set);
  hid_t memory = H5(f, H5Screate_simple, dimensions, count, NULL);
  if (elements > 0) {
    H5(f, H5Sselect_hyperslab, space, H5S_SELECT_SET, start, NULL, count, NULL);
  } else {
    H5(f, H5Sselect_none, space);
    H5(f, H5Sselect_none, memory);
  }
  hid_t transfer = H5(f, H5Pcreate, H5P_DATASET_XFER);
  H5(f, H5Pset_dxpl_mpio, transfer, H5FD_MPIO_COLLECTIVE);
  H5(f, H5Dwrite, set, type, memory, space, transfer, data);
  H5(f, H5Pclose, transfer);
  H5(f, H5Sclose, memory);
  H5(f, H5Sclose, space);
}

void h5_put(const struct h5_file *f, hid_t group, const struct h5_table *t, int64_t first,
            int64_t n, const void *data)
{
  hsize_t size[2] = {(hsize_t)t->rows, (hsize_t)t->components};
  hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)n, size[1]};
  int dimensions = t->components > 1 ? 2 : 1;
  hid_t set = create_set(f, group, t, h5_type_file(t->datatype), dimensions, size);
  if (t->rows > 0) write_block(f, set, h5_type_memory(t->datatype), dimensions, start, count, data);
  H5(f, H5Dclose, set);
}

void h5_put_planes(const struct h5_file *f, hid_t group, const struct h5_table *t,
                   const int64_t size[3], int64_t first, int64_t n, const void *data)
{
  const hsize_t extent[3] = {(hsize_t)size[0], (hsize_t)size[1], (hsize_t)size[2]};
  hid_t set = create_set(f, group, t, h5_type_file(t->datatype), 3, extent);
  const int64_t plane = size[1] * size[2], bytes = (int64_t)H5Tget_size(h5_type_file(t->datatype));
  int64_t step = 1 + H5_PLANES / (plane * bytes + 1), most = n;
  ranks_max_int64(f->ranks, &most, 1);
  for (int64_t at = 0; at < most; at += step) {
    const int64_t left = n - at < 0 ? 0 : n - at, planes = left < step ? left : step;
    hsize_t start[3] = {(hsize_t)(first + n - left), 0, 0};
    hsize_t count[3] = {(hsize_t)planes, extent[1], extent[2]};
    write_block(f, set, h5_type_memory(t->datatype), 3, start, count,
                (const char *)data + (n - left) * plane * bytes);
  }
  H5(f, H5Dclose, set);
}

void h5_put_rank0(const struct h5_file *f, hid_t group, const struct h5_table *t, const void *data)
{
  h5_put(f, group, t, 0, f->ranks->rank == 0 ? t->rows : 0, data);
}

void h5_put_text(const struct h5_file *f, hid_t group, const char *name, const char *description,
                 int64_t rows, size_t stride, const char *text)
{
  hsize_t size = (hsize_t)rows, start = 0, count = f->ranks->rank == 0 ? size : 0;
  hid_t type = text_type(f, stride);
  const struct h5_table table = {.name = name};
  hid_t set = create_set(f, group, &table, type, 1, &size);
  h5_attribute_text(f, set, "unit", "text");
  h5_attribute_text(f, set, "description", description);
  write_block(f, set, type, 1, &start, &count, text);
  H5(f, H5Dclose, set);
  H5(f, H5Tclose, type);
}

void h5_put_line(const struct h5_file *f, const char *path, const char *description,
                 const char *text)
{
  if (text) h5_put_text(f, f->id, path, description, 1, strlen(text) + 1, text);
}

void h5_put_names(const struct h5_file *f, const char *path, const char *description, int n,
                  size_t stride, const char *name)
{
  char *text = alloc_array(n, stride + 1);
  for (int k = 0; k < n; k++)
    strcat(strcat(text, k ? "\n" : ""), name + (size_t)k * stride);
  if (n > 0) h5_put_line(f, path, description, text);
  free(text);
}

int h5_series_dimensions(const struct h5_series *s)
{
  return s->components ? 3 : s->rows ? 2 : 1;
}

/* Small frames share a chunk, large ones are split. A packed frame has chunks of its own: a chunk
   whose bytes change would move in the file, and what a kill leaves of it would be an earlier
   frame. */
static void series_chunk(const struct h5_series *s, int packed, hsize_t chunk[3])
{
  const hsize_t rows = (hsize_t)s->rows, components = (hsize_t)s->components;
  const hsize_t frame = (rows ? rows : 1) * (components ? components : 1);
  chunk[0] = packed ? 1 : smaller(frame < 1024 ? 1024 / frame : 1, 1024);
  chunk[1] = packed ? chunk_edge(rows, H5_PACKED) : rows ? smaller(rows, FRAME_CHUNK) : 1;
  chunk[2] = packed ? 1 : components;
}

void h5_series_create(const struct h5_file *f, struct h5_series *s, int packed)
{
  const hsize_t size[3] = {0, (hsize_t)s->rows, (hsize_t)s->components};
  const hsize_t limit[3] = {H5S_UNLIMITED, size[1], size[2]};
  const int dimensions = h5_series_dimensions(s);
  hsize_t chunk[3];
  series_chunk(s, packed, chunk);
  hid_t space = H5(f, H5Screate_simple, dimensions, size, limit);
  hid_t list = H5(f, H5Pcreate, H5P_DATASET_CREATE), links = H5(f, H5Pcreate, H5P_LINK_CREATE);
  H5(f, H5Pset_create_intermediate_group, links, 1);
  H5(f, H5Pset_chunk, list, dimensions, chunk);
  H5(f, H5Pset_fill_time, list, H5D_FILL_TIME_NEVER);
  if (packed) {
    H5(f, H5Pset_shuffle, list);
    H5(f, H5Pset_deflate, list, DEFLATE);
  }
  s->set =
      H5(f, H5Dcreate2, f->id, s->path, h5_type_file(s->datatype), space, links, list, H5P_DEFAULT);
  H5(f, H5Pclose, links);
  H5(f, H5Pclose, list);
  H5(f, H5Sclose, space);
  if (s->unit) put_unit(f, s->set, s->unit);
}

const char *h5_packed_refusal(void)
{
#if H5_VERSION_GE(1, 10, 2)
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 && H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0)
    return NULL;
  return "this HDF5 was built without deflate";
#else
  return "this HDF5 cannot compress what several ranks write; 1.10.2 and later can";
#endif
}

void h5_series_open(const struct h5_file *f, struct h5_series *s)
{
  s->set = H5(f, H5Dopen2, f->id, s->path, H5P_DEFAULT);
}

void h5_series_resize(const struct h5_file *f, const struct h5_series *s, int64_t frames)
{
  hsize_t size[3] = {(hsize_t)frames, (hsize_t)s->rows, (hsize_t)s->components};
  H5(f, H5Dset_extent, s->set, size);
}

void h5_series_write(const struct h5_file *f, const struct h5_series *s, int64_t frame,
                     int64_t first, int64_t n, const void *data)
{
  hsize_t start[3] = {(hsize_t)frame, (hsize_t)first, 0};
  hsize_t count[3] = {n > 0, (hsize_t)n, (hsize_t)s->components};
  write_block(f, s->set, h5_type_memory(s->datatype), h5_series_dimensions(s), start, count, data);
}
