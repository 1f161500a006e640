/* Checksums of a trajectory: see trajectory_check.h. */
#include "io/h5md/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/checksum.h"
#include "io/h5md/observed.h"
#include "io/h5md/series.h"

enum { PIECE = 1 << 18 }; /* beads read at a time */

uint64_t trajectory_checksum(int element, int64_t first, int64_t n, const void *data)
{
  return checksum_rows((uint64_t)trajectory_element[element].checksum + 1, first, n,
                       trajectory_element_bytes(element), data);
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
  h5_reader_fail(in, "frame %lld (counted from 0): %s do not agree: the file is damaged",
                 (long long)frame, what);
}

/* Without checksums (files of earlier versions) only the order of steps can be checked. */
static void check_steps(struct h5_reader *in, const struct trajectory_index *c, int64_t first,
                        int64_t frames)
{
  for (int64_t k = first; k < first + frames; k++)
    if (c->step[k] <= (k > 0 ? c->step[k - 1] : -1))
      h5_reader_fail(in, "frame %lld (counted from 0) has step %lld: the file is damaged",
                     (long long)k, (long long)c->step[k]);
}

/* row: as in the file. */
static void check_row(struct h5_reader *in, const struct trajectory_index *c, int64_t frame,
                      const double edges[9], const uint64_t *row)
{
  uint64_t now[CHECKSUMS] = {0};
  memcpy(now, row, (size_t)trajectory_checksum_columns(c->elements) * sizeof *now);
  trajectory_checksum_row(c->elements, frame, c->step[frame], c->time[frame], edges, now);
  if (now[CHECKSUM_INDEX] != row[CHECKSUM_INDEX])
    fail_frame(in, frame, "step, time, edges and their checksum");
  else if (now[CHECKSUM_ROW] != row[CHECKSUM_ROW])
    fail_frame(in, frame, "its checksums and the sum of these");
}

void trajectory_check_index(struct h5_reader *in, const struct trajectory_index *c, int64_t first,
                            int64_t frames)
{
  enum { ROWS = 1024 };
  if (!c->has_checksums) check_steps(in, c, first, frames);
  if (!c->has_checksums || in->error[0]) return;
  int64_t most = frames < ROWS ? frames : ROWS, columns = trajectory_checksum_columns(c->elements);
  uint64_t *row = alloc_array(most * columns, sizeof *row);
  double(*edges)[9] = alloc_array(most, sizeof *edges);
  for (int64_t at = first; at < first + frames && !in->error[0]; at += ROWS) {
    int64_t n = first + frames - at < ROWS ? first + frames - at : ROWS;
    h5_get(in, TRAJECTORY_CHECKSUMS, 'w', at, n, row);
    trajectory_read_edges(in, at, n, edges);
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
  const size_t bytes = trajectory_element_bytes(element);
  char *buffer = data ? NULL : alloc_array(n < PIECE ? n : PIECE, bytes);
  uint64_t sum = 0;
  for (int64_t at = 0; at < n && !in->error[0]; at += PIECE) {
    int64_t rows = n - at < PIECE ? n - at : PIECE;
    char *to = data ? data + (size_t)at * bytes : buffer;
    trajectory_read_element(in, element, frame, first + at, rows, to);
    sum += trajectory_checksum(element, first + at, rows, to);
  }
  free(buffer);
  return sum;
}

void trajectory_checksum_frame(struct h5_reader *in, int elements, int64_t frame, int64_t first,
                               int64_t n, char *const *data, uint64_t row[CHECKSUMS])
{
  char reason[sizeof in->error];
  memset(row, 0, CHECKSUMS * sizeof *row);
  if (in->error[0]) return;
  for (int k = 0; k < ELEMENTS; k++)
    if (elements >> k & 1)
      row[trajectory_element[k].checksum] =
          checksum_element(in, k, frame, first, n, data ? data[k] : NULL);
  if (!in->error[0]) return;
  memcpy(reason, in->error, sizeof reason);
  in->error[0] = 0;
  h5_reader_fail(in, "frame %lld (counted from 0): %.400s", (long long)frame, reason);
}

void trajectory_compare_checksums(struct h5_reader *in, int elements, int64_t frame,
                                  const uint64_t row[CHECKSUMS])
{
  uint64_t wanted[CHECKSUMS];
  h5_get(in, TRAJECTORY_CHECKSUMS, 'w', frame, 1, wanted);
  for (int k = 0; k < ELEMENTS && !in->error[0]; k++) {
    const struct trajectory_element *e = &trajectory_element[k];
    if (elements >> k & 1 && row[e->checksum] != wanted[e->checksum])
      h5_reader_fail(in,
                     "frame %lld (counted from 0): %s does not agree with its checksum: the file "
                     "is damaged",
                     (long long)frame, e->name);
  }
}

static void check_chunks_of(struct h5_reader *in, const char *name)
{
  if (in->error[0]) return;
  hid_t set = H5Dopen2(in->id, name, H5P_DEFAULT);
  if (set < 0 || !h5_chunks_agree(in, set))
    h5_reader_fail(in, "the index of %s does not agree with its chunks: the file is damaged", name);
  if (set >= 0) H5Dclose(set);
}

void trajectory_check_chunks(struct h5_reader *in, const struct trajectory_index *c, int rank,
                             int ranks)
{
  char name[96];
  for (int k = 0; k < SERIES + c->observed.n; k++) {
    if (k % ranks != rank) continue;
    if (k == SERIES_CHECKSUMS && !c->has_checksums) continue;
    if (k < SERIES && k >= SERIES_ELEMENT && !(c->elements >> (k - SERIES_ELEMENT) & 1)) continue;
    check_chunks_of(
        in, k < SERIES ? trajectory_series(k, name)
                       : trajectory_observed_path(&c->observed.one[k - SERIES], "value", name));
  }
}

/* Everything but the frames. */
static void check_rest(struct h5_reader *in, const struct trajectory_index *c)
{
  if (c->has_checksums) trajectory_check_heap(in);
  const uint64_t fixed = trajectory_checksum_fixed(in, 0, 1);
  if (c->has_checksums) trajectory_check_fixed(in, fixed);
  trajectory_check_chunks(in, c, 0, 1);
}

static void check_frame(struct h5_reader *in, const struct trajectory_index *c, int64_t frame)
{
  uint64_t row[CHECKSUMS];
  trajectory_check_index(in, c, frame, 1);
  trajectory_checksum_frame(in, c->elements, frame, 0, c->n, NULL, row);
  if (c->has_checksums) trajectory_compare_checksums(in, c->elements, frame, row);
  trajectory_observed_check(in, &c->observed, frame, NULL);
}

void trajectory_check_last(struct h5_reader *in, const struct trajectory_index *c)
{
  check_rest(in, c);
  if (c->frames > 0 && !in->error[0]) check_frame(in, c, c->frames - 1);
}

void trajectory_check_all(struct h5_reader *in, const struct trajectory_index *c)
{
  check_rest(in, c);
  for (int64_t f = 0; f < c->frames && !in->error[0]; f++)
    check_frame(in, c, f);
}
