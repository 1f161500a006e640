/* Reading of untrusted HDF5 files: see h5_read.h. */
#define H5Dread_chunk_vers 1 /* that of HDF5 1.10, which HDF5 2 has beside another one */
#include "io/h5_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/log.h"
#include "input/yaml_tree.h"
#include "io/h5.h"

void h5_reader_fail(struct h5_reader *in, const char *format, ...)
{
  if (in->error[0]) return;
  va_list args;
  va_start(args, format);
  vsnprintf(in->error, sizeof in->error, format, args);
  va_end(args);
}

/* Records a system error, if the errno of a failed call is one. Returns 1 if so. */
static int fail_system(struct h5_reader *in, const char *name, int number)
{
  static const int damage[] = {0, EINVAL, EOVERFLOW, EFBIG, ENOENT, EEXIST};
  for (size_t k = 0; k < sizeof damage / sizeof *damage; k++)
    if (number == damage[k]) return 0;
  if (!in->error[0]) in->os_error = number;
  h5_reader_fail(in, "%s%s%s", name, name[0] ? ": " : "", strerror(number));
  return 1;
}

void h5_reader_damaged(struct h5_reader *in, const char *name)
{
  char reason[256];
  if (fail_system(in, name, h5_reason(reason, sizeof reason))) return;
  h5_reader_fail(in, "%s cannot be %s: the file is damaged (%s)", name[0] ? name : "it",
                 in->writes ? "changed" : "read", reason);
}

/* Opens the file and reads its first byte, because HDF5 reports a file that the system does not let
   us read as damaged. */
static int opens(struct h5_reader *in)
{
  char byte;
  int file = open(in->path, O_RDONLY | O_CLOEXEC);
  int good = file >= 0 && pread(file, &byte, 1, 0) >= 0;
  if (!good && !fail_system(in, "", errno)) h5_reader_fail(in, "%s", strerror(errno));
  if (file >= 0) close(file);
  return good;
}

void h5_reader_open(struct h5_reader *in, const char *path)
{
  memset(in, 0, sizeof *in);
  in->id = -1;
  in->path = path;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLset_loading_state(0); /* never load filter plugins that a file asks for */
  struct stat about;
  if (stat(path, &about) || access(path, R_OK)) {
    in->os_error = errno;
    h5_reader_fail(in, "%s", strerror(errno));
    return;
  }
  if (!S_ISREG(about.st_mode)) {
    h5_reader_fail(in, "it is not a file");
    return;
  }
  in->bytes = about.st_size;
  if (!opens(in)) return;
  const htri_t is_hdf5 = H5Fis_hdf5(path);
  char reason[256];
  if (is_hdf5 <= 0) {
    char text[FILE_KIND_TEXT];
    if (is_hdf5 < 0 && fail_system(in, "", h5_reason(reason, sizeof reason))) return;
    const char *other = file_kind_other(path, FILE_HDF5, "an HDF5 file", text);
    h5_reader_fail(in, "%s",
                   other       ? other
                   : in->bytes ? "it is not an HDF5 file, as states and trajectories are"
                               : "it is empty");
    return;
  }
  in->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (in->id < 0) {
    if (fail_system(in, "", h5_reason(reason, sizeof reason))) return;
    h5_reader_fail(in, "the HDF5 file is truncated or damaged (%s)", reason);
  }
}

void h5_file_close(hid_t file, const char *path)
{
  char reason[256];
  if (file < 0 || H5Fclose(file) >= 0) return;
  h5_reason(reason, sizeof reason);
  die(STATUS_IO, "cannot close '%s': H5Fclose failed (%s); see that the disk works and has room",
      path, reason);
}

void h5_reader_close(struct h5_reader *in)
{
  h5_file_close(in->id, in->path);
  in->id = -1;
}

void h5_reader_require_ok(const struct h5_reader *in, const struct ranks *r)
{
  int64_t failed = in->error[0] ? r->rank : r->size;
  ranks_min_int64(r, &failed, 1);
  if (failed == r->size) return;
  if (failed == r->rank)
    die(STATUS_IO, "cannot %s '%s': %s", in->writes ? "write" : "read", in->path, in->error);
  ranks_barrier(r); /* the rank that failed ends this one */
}

int h5_reader_all_ok(const struct h5_reader *in, const struct ranks *r, char *why, int size)
{
  snprintf(why, (size_t)size, "%s", in->error);
  int agreed = ranks_agree(r, !in->error[0], why, size);
  ranks_broadcast(r, why, size);
  return agreed;
}

int h5_exists(struct h5_reader *in, const char *name)
{
  char path[256];
  size_t length = strlen(name);
  if (in->error[0] || length >= sizeof path) return 0;
  for (size_t at = 1; at <= length; at++) {
    if (name[at] && name[at] != '/') continue;
    H5L_info_t link;
    memcpy(path, name, at);
    path[at] = 0;
    htri_t exists = H5Lexists(in->id, path, H5P_DEFAULT);
    if (exists < 0 || (exists > 0 && H5Lget_info(in->id, path, &link, H5P_DEFAULT) < 0))
      h5_reader_damaged(in, path);
    if (exists <= 0 || in->error[0]) return 0;
    if (link.type != H5L_TYPE_HARD) return 0;
  }
  return 1;
}

static hid_t open_set(struct h5_reader *in, const char *name)
{
  if (in->error[0]) return -1;
  if (!h5_exists(in, name)) {
    h5_reader_fail(in, "dataset %s is missing", name);
    return -1;
  }
  hid_t set = H5Dopen2(in->id, name, H5P_DEFAULT);
  if (set < 0) h5_reader_damaged(in, name);
  return set;
}

/* Neither virtual nor external, nor inside its header (compact): the program writes no such ones,
   and HDF5 1.10 reads past the end of a compact one that a damaged header makes. */
int h5_is_plain(hid_t set)
{
  hid_t list = H5Dget_create_plist(set);
  H5D_layout_t layout = H5Pget_layout(list);
  int external = H5Pget_external_count(list);
  H5Pclose(list);
  return (layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) && external == 0;
}

static int has_type(hid_t set, hid_t wanted)
{
  hid_t type = H5Dget_type(set);
  int same = type >= 0 && H5Tequal(type, wanted) > 0;
  H5Tclose(type);
  return same;
}

static const char *datatype_name(char datatype)
{
  static const char letters[] = "iulwfd";
  static const char *const names[] = {"int32", "uint32", "int64", "uint64", "float", "double"};
  return names[strchr(letters, datatype) - letters];
}

void h5_sizes(struct h5_reader *in, const char *name, char datatype, int dimensions, int64_t *size)
{
  for (int d = 0; d < dimensions; d++)
    size[d] = 0;
  hid_t set = open_set(in, name);
  if (set < 0) return;
  hid_t space = H5Dget_space(set);
  hsize_t extent[H5S_MAX_RANK] = {0};
  if (!has_type(set, h5_type_file(datatype)) || !h5_is_plain(set))
    h5_reader_fail(in, "dataset %s does not hold little-endian %s numbers", name,
                   datatype_name(datatype));
  else if (H5Sget_simple_extent_ndims(space) != dimensions)
    h5_reader_fail(in, "dataset %s has %d dimensions, not %d", name,
                   H5Sget_simple_extent_ndims(space), dimensions);
  else if (H5Sget_simple_extent_dims(space, extent, NULL) < 0)
    h5_reader_damaged(in, name);
  for (int d = 0; d < dimensions && !in->error[0]; d++) {
    if (extent[d] > INT64_MAX / 2)
      h5_reader_fail(in, "dataset %s is impossibly large", name);
    else
      size[d] = (int64_t)extent[d];
  }
  H5Sclose(space);
  H5Dclose(set);
}

/* Does a filter other than Fletcher32 change the size of the stored data? */
static int is_packed(hid_t list)
{
  unsigned flags, values[1];
  size_t n_values = 0;
  for (int k = 0; k < H5Pget_nfilters(list); k++)
    if (H5Pget_filter2(list, (unsigned)k, &flags, &n_values, values, 0, NULL, NULL) !=
        H5Z_FILTER_FLETCHER32)
      return 1;
  return 0;
}

/* Is all data in the file, in chunks no larger than the file? HDF5 returns fill values for missing
   data, and allocates memory for whole chunks. */
static int is_complete(struct h5_reader *in, const char *name, int64_t rows_bytes)
{
  hsize_t chunk[H5S_MAX_RANK];
  hid_t set = open_set(in, name);
  if (set < 0) return 0;
  hid_t list = H5Dget_create_plist(set), type = H5Dget_type(set);
  double piece = (double)H5Tget_size(type);
  int n = H5Pget_layout(list) == H5D_CHUNKED ? H5Pget_chunk(list, H5S_MAX_RANK, chunk) : 0;
  for (int d = 0; d < n; d++)
    piece *= (double)chunk[d];
  int64_t stored = (int64_t)H5Dget_storage_size(set), least = is_packed(list) ? 1 : rows_bytes;
  H5Tclose(type);
  H5Pclose(list);
  H5Dclose(set);
  return stored >= least && (n == 0 || piece <= (double)in->bytes);
}

/* An error if the file is too small for the dataset, or lacks parts of it. */
static void require_whole(struct h5_reader *in, const char *name, char datatype, int dimensions,
                          const int64_t *size)
{
  double bytes = (double)H5Tget_size(h5_type_file(datatype));
  for (int d = 0; d < dimensions; d++)
    bytes *= (double)size[d];
  if (in->error[0]) return;
  if (bytes > (double)in->bytes)
    h5_reader_fail(in, "dataset %s claims %lld rows, more than fit into %lld bytes of file", name,
                   (long long)size[0], (long long)in->bytes);
  else if (bytes > 0 && !is_complete(in, name, (int64_t)bytes))
    h5_reader_fail(in, "dataset %s has parts that are not in the file", name);
}

int64_t h5_rows(struct h5_reader *in, const char *name, char datatype, int components)
{
  int64_t size[2] = {0, 1};
  h5_sizes(in, name, datatype, components > 1 ? 2 : 1, size);
  if (!in->error[0] && size[1] != components)
    h5_reader_fail(in, "dataset %s has %lld components, not %d", name, (long long)size[1],
                   components);
  require_whole(in, name, datatype, 2, size);
  return in->error[0] ? 0 : size[0];
}

void h5_sizes_planes(struct h5_reader *in, const char *name, char datatype, int64_t size[3])
{
  h5_sizes(in, name, datatype, 3, size);
  require_whole(in, name, datatype, 3, size);
}

char h5_datatype(struct h5_reader *in, const char *name)
{
  hid_t set = h5_exists(in, name) ? open_set(in, name) : -1;
  char found = 0;
  if (set < 0) return 0;
  for (const char *datatype = "iulwfd"; *datatype; datatype++)
    if (has_type(set, h5_type_file(*datatype))) found = *datatype;
  H5Dclose(set);
  return found;
}

void h5_expect_rows(struct h5_reader *in, const char *name, char datatype, int components,
                    int64_t rows)
{
  int64_t found = h5_rows(in, name, datatype, components);
  if (!in->error[0] && found != rows)
    h5_reader_fail(in, "dataset %s has %lld rows, not %lld", name, (long long)found,
                   (long long)rows);
}

#if H5_VERSION_GE(1, 10, 3)
/* Is the chunk at a place of the grid in the file, and has it gone through all filters? 1 also if
   HDF5 fails, as it will when the data are read. The chunk is read, because for its mask of filters
   alone HDF5 1.10 goes through all chunks. */
static int is_filtered(const struct h5_reader *in, hid_t set, const hsize_t *at)
{
  hsize_t bytes = 0;
  uint32_t left_out = 0;
  if (H5Dget_chunk_storage_size(set, at, &bytes) < 0 || bytes > (hsize_t)in->bytes) return 1;
  if (bytes == 0) return 0;
  void *data = alloc_array((long long)bytes, 1);
  int failed = H5Dread_chunk(set, H5P_DEFAULT, at, &left_out, data) < 0;
  free(data);
  return failed || left_out == 0;
}
#endif

/* Are all chunks of a block in the file, and packed by all filters? HDF5 1.10 reads memory past the
   end of a packed chunk that a damaged index takes for one that is not, and returns any memory for
   one that is missing. 1 also if the dataset is not packed, or HDF5 cannot tell. */
static int is_packed_whole(const struct h5_reader *in, hid_t set, const hsize_t *start,
                           const hsize_t *count)
{
#if H5_VERSION_GE(1, 10, 3)
  hsize_t chunk[H5S_MAX_RANK], at[H5S_MAX_RANK];
  hid_t list = H5Dget_create_plist(set);
  int dimensions = is_packed(list) ? H5Pget_chunk(list, H5S_MAX_RANK, chunk) : 0, d;
  H5Pclose(list);
  for (d = 0; d < dimensions; d++)
    at[d] = start[d] - start[d] % chunk[d];
  do {
    if (dimensions > 0 && !is_filtered(in, set, at)) return 0;
    for (d = dimensions - 1; d >= 0; d--) {
      at[d] += chunk[d];
      if (at[d] < start[d] + count[d]) break;
      at[d] = start[d] - start[d] % chunk[d];
    }
  } while (d >= 0);
#else
  (void)in, (void)set, (void)start, (void)count;
#endif
  return 1;
}

/* Reads a block: start and count of the first dimensions, all of the others. */
static void get_block(struct h5_reader *in, const char *name, char datatype, int leading,
                      const hsize_t *from, const hsize_t *number, void *data)
{
  hid_t set = open_set(in, name);
  if (set < 0) return;
  hid_t space = H5Dget_space(set);
  hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
  int dimensions = H5Sget_simple_extent_dims(space, count, NULL);
  for (int d = 0; d < leading; d++) {
    start[d] = from[d];
    count[d] = number[d];
  }
  hid_t memory = H5Screate_simple(dimensions, count, NULL);
  if (!is_packed_whole(in, set, start, count))
    h5_reader_fail(in, "the index of %s does not agree with its chunks: the file is damaged", name);
  else if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
           H5Dread(set, h5_type_memory(datatype), memory, space, H5P_DEFAULT, data) < 0)
    h5_reader_damaged(in, name);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(set);
}

void h5_get(struct h5_reader *in, const char *name, char datatype, int64_t first, int64_t n,
            void *data)
{
  hsize_t start = (hsize_t)first, count = (hsize_t)n;
  if (n > 0) get_block(in, name, datatype, 1, &start, &count, data);
}

void h5_get_rows(struct h5_reader *in, const char *name, char datatype, int64_t entry,
                 int64_t first, int64_t n, void *data)
{
  hsize_t start[2] = {(hsize_t)entry, (hsize_t)first}, count[2] = {1, (hsize_t)n};
  if (n > 0) get_block(in, name, datatype, 2, start, count, data);
}

char *h5_get_text(struct h5_reader *in, const char *name)
{
  hid_t set = open_set(in, name);
  if (set < 0) return NULL;
  char *text = NULL;
  hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  size_t bytes = H5Tget_size(type);
  if (bytes > YAML_TEXT_MAX) {
    h5_reader_fail(in, "dataset %s claims a text of %.4g MB, and the limit is %d MB", name,
                   1e-6 * (double)bytes, YAML_TEXT_MAX >> 20);
  } else if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
             !h5_is_plain(set) || H5Sget_simple_extent_npoints(space) != 1 ||
             (int64_t)bytes > in->bytes) {
    h5_reader_fail(in, "dataset %s is not one string of fixed length", name);
  } else {
    text = alloc_array((int64_t)bytes + 1, 1);
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) h5_reader_damaged(in, name);
    text[bytes] = 0;
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  if (!in->error[0]) return text;
  free(text);
  return NULL;
}

static int is_new_name(const char *name, char (*known)[H5_NAME], int n)
{
  for (int k = 0; k < n; k++)
    if (!strcmp(known[k], name)) return 0;
  return name[0] && strlen(name) < H5_NAME && !strpbrk(name, "/.");
}

int h5_get_names(struct h5_reader *in, const char *path, char (**name)[H5_NAME])
{
  char *text = h5_exists(in, path) ? h5_get_text(in, path) : NULL, *rest = text;
  int n = 0;
  *name = NULL;
  for (char *one; !in->error[0] && rest && (one = strsep(&rest, "\n"));) {
    if (!is_new_name(one, *name, n)) h5_reader_fail(in, "%s has the name '%.40s'", path, one);
    *name = extend_array(*name, n, H5_NAME);
    snprintf((*name)[n++], H5_NAME, "%s", one);
  }
  free(text);
  return in->error[0] ? 0 : n;
}

/* The attribute of an object, or -1. */
static hid_t open_attribute(struct h5_reader *in, const char *object, const char *name)
{
  if (in->error[0]) return -1;
  if (strcmp(object, "/") != 0 && !h5_exists(in, object)) return -1;
  if (H5Aexists_by_name(in->id, object, name, H5P_DEFAULT) <= 0) return -1;
  return H5Aopen_by_name(in->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
}

/* Reads an attribute of n values of the type class in the memory type; a text has the size of that.
 */
static int get_attribute(struct h5_reader *in, const char *object, const char *name,
                         H5T_class_t class, hid_t memory, int n, void *value)
{
  hid_t a = open_attribute(in, object, name);
  if (a < 0) return 0;
  hid_t space = H5Aget_space(a), type = H5Aget_type(a);
  int good = H5Sget_simple_extent_npoints(space) == n && H5Tget_class(type) == class;
  if (good && class == H5T_STRING) {
    H5Tset_cset(memory, H5Tget_cset(type));
    good = H5Tis_variable_str(type) == 0;
  }
  good = good && H5Aread(a, memory, value) >= 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(a);
  return good;
}

int h5_get_attribute(struct h5_reader *in, const char *object, const char *name, char datatype,
                     int n, void *value)
{
  const H5T_class_t class = datatype == 'd' || datatype == 'f' ? H5T_FLOAT : H5T_INTEGER;
  return get_attribute(in, object, name, class, h5_type_memory(datatype), n, value);
}

int h5_get_attribute_text(struct h5_reader *in, const char *object, const char *name, char *text,
                          size_t bytes)
{
  hid_t memory = H5Tcopy(H5T_C_S1);
  H5Tset_size(memory, bytes);
  int good = get_attribute(in, object, name, H5T_STRING, memory, 1, text);
  H5Tclose(memory);
  return good;
}

int h5_link_name(hid_t group, hsize_t k, char name[96])
{
  H5G_info_t about;
  if (H5Gget_info(group, &about) < 0 || k >= about.nlinks) return 0;
  return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, 96, H5P_DEFAULT) > 0;
}
