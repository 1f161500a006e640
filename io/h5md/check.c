/* Checksums of a trajectory: see check.h. Checksums of the objects of the file are added, so their
   order does not matter. */
#include "io/h5md/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "io/checksum.h"
#include "io/h5.h"
#include "io/h5_index.h"

enum { PIECE = 1 << 18 }; /* beads read at a time */

uint64_t trajectory_checksum(int element, int64_t first, int64_t n, const void *data)
{
  return checksum_rows((uint64_t)trajectory_element[element].checksum + 1, first, n,
                       trajectory_element_bytes(element), data);
}

uint64_t trajectory_checksum_observed(const struct trajectory_observed_list *l, const double *value)
{
  return checksum_rows(CHECKSUM_OBSERVED + 1, 0, trajectory_observed_count(l), sizeof *value,
                       value);
}

void trajectory_checksum_row(int elements, int64_t frame, int64_t step, double time,
                             const double edges[9], uint64_t row[CHECKSUMS])
{
  int added = trajectory_checksum_columns(elements) - (CHECKSUM_ROW + 1);
  uint64_t h = checksum_update(CHECKSUM_INDEX + 1, &frame, sizeof frame);
  h = checksum_update(checksum_update(h, &step, sizeof step), &time, sizeof time);
  row[CHECKSUM_INDEX] = checksum_update(h, edges, 9 * sizeof *edges);
  h = checksum_update((uint64_t)frame, row, CHECKSUM_ROW * sizeof *row);
  if (added > 0) h = checksum_update(h, row + CHECKSUM_ROW + 1, (size_t)added * sizeof *row);
  row[CHECKSUM_ROW] = h;
}

static void fail_frame(struct h5_reader *in, int64_t frame, const char *what)
{
  h5_reader_fail(in,
                 "frame %lld (counted from 0): %s and checksum do not agree: the file is damaged",
                 (long long)frame, what);
}

/* row: as in the file. */
static void check_row(struct h5_reader *in, const struct trajectory_index *c, int64_t frame,
                      const double edges[9], const uint64_t *row)
{
  uint64_t now[CHECKSUMS] = {0};
  memcpy(now, row, (size_t)trajectory_checksum_columns(c->layout.elements) * sizeof *now);
  trajectory_checksum_row(c->layout.elements, frame, c->step[frame], c->time[frame], edges, now);
  if (now[CHECKSUM_INDEX] != row[CHECKSUM_INDEX])
    fail_frame(in, frame, "step, time, edges");
  else if (now[CHECKSUM_ROW] != row[CHECKSUM_ROW])
    fail_frame(in, frame, "checksums");
}

void trajectory_check_index(struct h5_reader *in, const struct trajectory_index *c, int64_t first,
                            int64_t frames)
{
  enum { ROWS = 1024 };
  if (in->error[0]) return;
  int64_t most = frames < ROWS ? frames : ROWS,
          columns = trajectory_checksum_columns(c->layout.elements);
  uint64_t *row = alloc_array(most * columns, sizeof *row);
  double(*edges)[9] = alloc_array(most, sizeof *edges);
  for (int64_t at = first; at < first + frames && !in->error[0]; at += ROWS) {
    int64_t n = first + frames - at < ROWS ? first + frames - at : ROWS;
    trajectory_get(in, &c->layout, SERIES_CHECKSUMS, at, n, row);
    trajectory_get(in, &c->layout, SERIES_EDGES, at, n, edges);
    for (int64_t k = 0; k < n && !in->error[0]; k++)
      check_row(in, c, at + k, edges[k], row + k * columns);
  }
  free(row);
  free(edges);
}

/* Reads an element of rows first ... first + n - 1 of a frame and returns their checksum. data:
   NULL, or receives them. */
static uint64_t checksum_element(struct h5_reader *in, int element, int64_t frame, int64_t first,
                                 int64_t n, char *data)
{
  const struct trajectory_layout all = {.elements = ~0};
  struct h5_series s;
  const size_t bytes = trajectory_element_bytes(element);
  char *buffer = data ? NULL : alloc_array(n < PIECE ? n : PIECE, bytes);
  uint64_t sum = 0;
  trajectory_series(&all, n, SERIES_ELEMENT + element, &s);
  for (int64_t at = 0; at < n && !in->error[0]; at += PIECE) {
    int64_t rows = n - at < PIECE ? n - at : PIECE;
    char *to = data ? data + (size_t)at * bytes : buffer;
    h5_get_rows(in, s.path, s.datatype, frame, first + at, rows, to);
    sum += trajectory_checksum(element, first + at, rows, to);
  }
  free(buffer);
  return sum;
}

static void name_frame(struct h5_reader *in, int64_t frame)
{
  char reason[sizeof in->error];
  if (!in->error[0]) return;
  memcpy(reason, in->error, sizeof reason);
  in->error[0] = 0;
  h5_reader_fail(in, "frame %lld (counted from 0): %.400s", (long long)frame, reason);
}

void trajectory_checksum_frame(struct h5_reader *in, int elements, int64_t frame, int64_t first,
                               int64_t n, char *const *data, uint64_t row[CHECKSUMS])
{
  memset(row, 0, CHECKSUMS * sizeof *row);
  if (in->error[0]) return;
  for (int k = 0; k < ELEMENTS; k++)
    if (elements >> k & 1)
      row[trajectory_element[k].checksum] =
          checksum_element(in, k, frame, first, n, data ? data[k] : NULL);
  name_frame(in, frame);
}

/* Reads the values of observables and returns their checksum. value: NULL, or receives them. */
static uint64_t checksum_observed(struct h5_reader *in, const struct trajectory_layout *l,
                                  int64_t frame, double *value)
{
  double *data = alloc_array(trajectory_observed_count(&l->observed), sizeof *data), *to = data;
  if (in->error[0] || l->observed.n == 0) to = NULL;
  for (int k = 0; to && k < l->observed.n; to += l->observed.one[k++].values)
    trajectory_get(in, l, SERIES_OBSERVED + k, frame, 1, to);
  if (to) name_frame(in, frame);
  const uint64_t sum = trajectory_checksum_observed(&l->observed, data);
  if (value) memcpy(value, data, (size_t)(to ? to - data : 0) * sizeof *data);
  free(data);
  return sum;
}

void trajectory_compare_checksums(struct h5_reader *in, int elements, int64_t frame,
                                  const uint64_t row[CHECKSUMS])
{
  const struct trajectory_layout l = {.elements = elements};
  uint64_t wanted[CHECKSUMS];
  trajectory_get(in, &l, SERIES_CHECKSUMS, frame, 1, wanted);
  for (int k = 0; k <= ELEMENTS && !in->error[0]; k++) {
    const int observed = k == ELEMENTS;
    const int column = observed ? CHECKSUM_OBSERVED : trajectory_element[k].checksum;
    if (elements >> k & 1 && row[column] != wanted[column])
      fail_frame(in, frame, observed ? "values of the observables" : trajectory_element[k].name);
  }
}

void trajectory_check_frame(const struct ranks *r, struct h5_reader *in,
                            const struct trajectory_index *c, int64_t frame, int64_t first,
                            int64_t n, char *const *data, double *observed)
{
  uint64_t row[CHECKSUMS];
  const int head = !r || r->rank == 0, elements = c->layout.elements;
  if (head) trajectory_check_index(in, c, frame, 1);
  trajectory_checksum_frame(in, elements, frame, first, n, data, row);
  if (r) ranks_sum_int64(r, (int64_t *)row, CHECKSUMS);
  if (!head) return;
  row[CHECKSUM_OBSERVED] = checksum_observed(in, &c->layout, frame, observed);
  trajectory_compare_checksums(in, elements, frame, row);
}

/* Checks the chunk indices of the datasets that have frames: a share of them for each rank. */
static void check_chunks(struct h5_reader *in, const struct trajectory_layout *l, int rank,
                         int ranks)
{
  struct h5_series s;
  for (int k = rank; k < trajectory_series_count(l) && !in->error[0]; k += ranks) {
    if (!trajectory_series(l, 0, k, &s)) continue;
    hid_t set = H5Dopen2(in->id, s.path, H5P_DEFAULT);
    if (set < 0 || !h5_chunks_agree(in, set))
      h5_reader_fail(in, "the index of %s does not agree with its chunks: the file is damaged",
                     s.path);
    if (set >= 0) H5Dclose(set);
  }
}

/* The fixed parts */

enum { DEEP = 16, PATH = 512, PIECE_BYTES = 1 << 24 };

struct walk {
  struct h5_reader *in;
  char path[PATH]; /* of the current object */
  int depth, rank, ranks;
  uint64_t sum;
};

/* Adds the checksum of a value that every rank reads; only rank 0 counts it. */
static void add(struct walk *w, const char *name, const void *data, size_t bytes)
{
  uint64_t h = checksum_update(1, w->path, strlen(w->path));
  h = checksum_update(checksum_update(h, name, strlen(name)), data, bytes);
  if (w->rank == 0) w->sum += h;
}

static void add_type(struct walk *w, const char *name, hid_t type, hid_t space)
{
  H5T_class_t class = H5Tget_class(type);
  hsize_t size[H5S_MAX_RANK] = {0}, most[H5S_MAX_RANK] = {0};
  int dimensions = H5Sget_simple_extent_dims(space, size, most), text = class == H5T_STRING;
  if (dimensions > 0 && most[0] == H5S_UNLIMITED) size[0] = 0;
  int64_t about[8] = {class,
                      (int64_t)H5Tget_size(type),
                      class == H5T_INTEGER || class == H5T_FLOAT ? H5Tget_order(type) : 0,
                      class == H5T_INTEGER ? H5Tget_sign(type) : 0,
                      text ? H5Tis_variable_str(type) : 0,
                      text ? H5Tget_cset(type) : 0,
                      text ? H5Tget_strpad(type) : 0,
                      dimensions};
  add(w, name, about, sizeof about);
  add(w, name, size, sizeof size);
  add(w, name, most, sizeof most);
}

static int add_texts(struct walk *w, const char *name, hid_t a, hid_t type, hid_t space, size_t n)
{
  char **text = alloc_array((long long)n, sizeof *text);
  int good = H5Aread(a, type, text) >= 0;
  for (size_t k = 0; k < n && good; k++)
    add(w, name, text[k] ? text[k] : "", text[k] ? strlen(text[k]) : 0);
  if (good) H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
  free(text);
  return good;
}

static int add_values(struct walk *w, const char *name, hid_t a, hid_t type, size_t bytes)
{
  char *value = alloc_array((long long)bytes, 1);
  int good = H5Aread(a, type, value) >= 0;
  if (good) add(w, name, value, bytes);
  free(value);
  return good;
}

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *walk)
{
  struct walk *w = walk;
  (void)info;
  if (strcmp(name, "fixed") == 0 && strcmp(w->path, "/" TRAJECTORY_CHECKSUMS) == 0) return 0;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  if (a < 0) return -1;
  hid_t type = H5Aget_type(a), space = H5Aget_space(a);
  hssize_t n = H5Sget_simple_extent_npoints(space);
  size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
  int good = type >= 0 && space >= 0 && n >= 0 && bytes > 0 &&
             (size_t)n <= (size_t)w->in->bytes / bytes + 1;
  if (good) add_type(w, name, type, space);
  if (good && H5Tis_variable_str(type) > 0)
    good = add_texts(w, name, a, type, space, (size_t)n);
  else if (good)
    good = add_values(w, name, a, type, (size_t)n * bytes);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  H5Aclose(a);
  return good ? 0 : -1;
}

/* Rows read at a time: those of a chunk, so that each chunk is read once. */
static hsize_t piece_rows(hid_t set, size_t row)
{
  hid_t list = H5Dget_create_plist(set);
  hsize_t chunk[H5S_MAX_RANK] = {1 << 16}, most = PIECE_BYTES / row + 1;
  if (H5Pget_layout(list) == H5D_CHUNKED) H5Pget_chunk(list, H5S_MAX_RANK, chunk);
  H5Pclose(list);
  return chunk[0] < most ? chunk[0] : most;
}

/* Adds this rank's rows of a fixed dataset, or a single value. */
static int add_data(struct walk *w, hid_t set, hid_t type, hid_t space)
{
  hsize_t size[H5S_MAX_RANK] = {1}, start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
  int dimensions = H5Sget_simple_extent_dims(space, size, NULL), good = 1;
  size_t row = H5Tget_size(type);
  for (int d = 1; d < dimensions; d++)
    row *= size[d];
  if (dimensions < 1) return 1; /* not a dataset of ours */
  if (row == 0 || size[0] == 0) return 1;
  if (row > (size_t)w->in->bytes || size[0] > (hsize_t)w->in->bytes / row) return 0;
  hsize_t piece = piece_rows(set, row), ranks = (hsize_t)w->ranks;
  hsize_t at = size[0] * (hsize_t)w->rank / ranks, end = size[0] * (hsize_t)(w->rank + 1) / ranks;
  uint64_t key = checksum_update(2, w->path, strlen(w->path));
  char *data = alloc_array((long long)piece, row);
  memcpy(count, size, sizeof count);
  for (; at < end && good; at += count[0]) {
    count[0] = end - at < piece ? end - at : piece;
    start[0] = at;
    hid_t memory = H5Screate_simple(dimensions, count, NULL);
    good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
           H5Dread(set, type, memory, space, H5P_DEFAULT, data) >= 0;
    H5Sclose(memory);
    if (good) w->sum += checksum_rows(key, (int64_t)at, (int64_t)count[0], row, data);
  }
  free(data);
  return good;
}

static int add_set(struct walk *w, hid_t set)
{
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  hsize_t size[H5S_MAX_RANK], most[H5S_MAX_RANK] = {0};
  int good = type >= 0 && space >= 0;
  if (good) add_type(w, "type", type, space);
  int series = good && H5Sget_simple_extent_dims(space, size, most) > 0 && most[0] == H5S_UNLIMITED;
  if (good && !series)
    good = H5Tis_variable_str(type) == 0 && h5_is_plain(set) && h5_chunks_agree(w->in, set) &&
           add_data(w, set, type, space);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return good;
}

static int walk_object(struct walk *w);

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *link, void *walk)
{
  struct walk *w = walk;
  size_t length = strlen(w->path);
  (void)group;
  add(w, name, &link->type, sizeof link->type);
  if (link->type != H5L_TYPE_HARD) return 0;
  if (w->depth == DEEP || length + strlen(name) + 2 > PATH) return -1;
  snprintf(w->path + length, PATH - length, "%s%s", length > 1 ? "/" : "", name);
  w->depth++;
  int good = walk_object(w);
  w->depth--;
  if (!good) return -1; /* on errors the path is kept for the message */
  w->path[length] = 0;
  return 0;
}

static int walk_object(struct walk *w)
{
  hid_t object = H5Oopen(w->in->id, w->path, H5P_DEFAULT);
  if (object < 0) return 0;
  H5I_type_t type = H5Iget_type(object);
  int64_t kind = type == H5I_GROUP ? 0 : type == H5I_DATASET ? 1 : 2;
  add(w, "kind", &kind, sizeof kind);
  int good = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, w) >= 0;
  if (good && kind == 0)
    good = H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, w) >= 0;
  if (good && kind == 1) good = add_set(w, object);
  H5Oclose(object);
  return good;
}

uint64_t trajectory_checksum_fixed(struct h5_reader *in, int rank, int ranks)
{
  struct walk w = {.in = in, .path = "/", .rank = rank, .ranks = ranks};
  if (in->error[0]) return 0;
  if (!walk_object(&w)) h5_reader_damaged(in, w.path);
  return w.sum;
}

/* Bytes of a heap that are in use: header, objects, and the header of the free space. */
static uint64_t heap_used(const char *heap, uint64_t most)
{
  uint64_t size, at = 16;
  memcpy(&size, heap + 8, 8);
  if (size < most) most = size;
  while (at + 16 <= most) {
    uint16_t number;
    uint64_t bytes;
    memcpy(&number, heap + at, 2);
    memcpy(&bytes, heap + at + 8, 8);
    if (number == 0) return at + 16;
    if (bytes > most) return 0;
    at += 16 + (bytes + 7) / 8 * 8;
  }
  return most;
}

/* Reads bytes of a file; those past its end are 0. Caller frees. */
static char *read_raw(const char *path, uint64_t at, uint64_t bytes)
{
  char *data = alloc_array((long long)bytes, 1);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  memset(data, 0, bytes);
  if (file >= 0 && pread(file, data, bytes, (off_t)at) < 0) memset(data, 0, bytes);
  if (file >= 0) close(file);
  return data;
}

enum { HEAP_FIRST = 1 << 20 }; /* bytes searched: units come before data */

void trajectory_find_heap(const char *path, uint64_t fixed[FIXED])
{
  char *data = read_raw(path, 0, HEAP_FIRST);
  fixed[FIXED_HEAP] = fixed[FIXED_HEAP_BYTES] = fixed[FIXED_HEAP_SUM] = 0;
  for (uint64_t at = 0; at + 32 < HEAP_FIRST; at += 8) {
    if (memcmp(data + at, "GCOL\1", 5) != 0) continue;
    uint64_t used = heap_used(data + at, HEAP_FIRST - at);
    fixed[FIXED_HEAP] = at;
    fixed[FIXED_HEAP_BYTES] = used;
    fixed[FIXED_HEAP_SUM] = checksum_update(3, data + at, used);
    break;
  }
  free(data);
}

static void read_fixed(struct h5_reader *in, uint64_t fixed[FIXED])
{
  memset(fixed, 0, FIXED * sizeof *fixed);
  if (!h5_get_attribute(in, TRAJECTORY_CHECKSUMS, "fixed", 'w', FIXED, fixed))
    h5_reader_fail(in, "the checksum of its fixed parts cannot be read: the file is damaged");
}

static void compare_fixed(struct h5_reader *in, uint64_t sum)
{
  uint64_t fixed[FIXED];
  read_fixed(in, fixed);
  if (!in->error[0] && sum != fixed[FIXED_SUM])
    h5_reader_fail(in, "groups, attributes or fixed datasets do not agree with their checksum: the "
                       "file is damaged");
}

void trajectory_check_heap(struct h5_reader *in)
{
  uint64_t fixed[FIXED];
  read_fixed(in, fixed);
  uint64_t bytes = fixed[FIXED_HEAP_BYTES];
  if (in->error[0] || bytes == 0) return;
  if (bytes > HEAP_FIRST || fixed[FIXED_HEAP] > HEAP_FIRST) {
    h5_reader_fail(in, "its checksums name a heap that is none of ours: the file is damaged");
    return;
  }
  char *data = read_raw(in->path, fixed[FIXED_HEAP], bytes);
  if (checksum_update(3, data, bytes) != fixed[FIXED_HEAP_SUM])
    h5_reader_fail(in, "attributes (HDF5's global heap) do not agree with their checksum: the file "
                       "is damaged");
  free(data);
}

void trajectory_check(const struct ranks *r, struct h5_reader *in, const struct trajectory_index *c,
                      int64_t from)
{
  const int rank = r ? r->rank : 0, size = r ? r->size : 1;
  const int64_t first = c->n / size * rank, n = rank == size - 1 ? c->n - first : c->n / size;
  trajectory_check_heap(in);
  uint64_t fixed = trajectory_checksum_fixed(in, rank, size);
  check_chunks(in, &c->layout, rank, size);
  if (r) ranks_sum_int64(r, (int64_t *)&fixed, 1);
  if (rank == 0) compare_fixed(in, fixed);
  for (int64_t frame = from; frame < c->frames; frame++)
    trajectory_check_frame(r, in, c, frame, first, n, NULL, NULL);
}
