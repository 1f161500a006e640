/* Contents of an existing trajectory: see trajectory_read.h. */
#include "io/h5md/scan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "io/h5.h"
#include "io/path.h"
#include "io/h5md/check.h"
#include "io/h5md/layout.h"
#include "io/h5md/observed.h"
#include "io/h5md/series.h"
#include "io/h5md/undo.h"

static void count_rows(struct trajectory_index *c, int64_t rows)
{
  if (rows < c->frames) c->frames = rows;
  if (rows > c->rows) c->rows = rows;
}

/* [frames][n][components] */
static void scan_element(struct h5_reader *in, struct trajectory_index *c, const char *name,
                         char datatype, int64_t n, int components)
{
  int64_t size[3];
  h5_sizes(in, name, datatype, 3, size);
  if (!in->error[0] && ((n >= 0 && size[1] != n) || size[2] != components))
    h5_reader_fail(in, "dataset %s has frames of %lld x %lld numbers, not %lld x %d", name,
                   (long long)size[1], (long long)size[2], (long long)n, components);
  if (n < 0) c->n = size[1];
  count_rows(c, size[0]);
}

/* Only the last frame can be incomplete; then its step is not larger than the one before. */
static void read_steps(struct h5_reader *in, struct trajectory_index *c)
{
  if (!in->error[0] && c->frames > in->bytes / 16)
    h5_reader_fail(in, "it claims to hold %lld frames", (long long)c->frames);
  if (in->error[0]) return;
  c->step = alloc_array(c->frames, sizeof *c->step);
  c->time = alloc_array(c->frames, sizeof *c->time);
  char path[96];
  h5_get(in, trajectory_series(SERIES_STEP, path), 'l', 0, c->frames, c->step);
  h5_get(in, trajectory_series(SERIES_TIME, path), 'd', 0, c->frames, c->time);
  int64_t last = c->frames - 1;
  if (last >= 0 && c->step[last] <= (last > 0 ? c->step[last - 1] : -1)) c->frames = last;
}

/* Positions and selection; files without these entries hold all beads, wrapped. */
static void scan_content(struct h5_reader *in, struct trajectory_index *c)
{
  c->positions = POSITIONS_WRAPPED;
  if (h5_exists(in, TRAJECTORY_POSITIONS)) {
    char *word = h5_get_text(in, TRAJECTORY_POSITIONS);
    int found = word ? word_list_find(CHOICES_TEXT(POSITIONS_CHOICES), word) : 0;
    if (found < 0)
      h5_reader_fail(in, "its positions are '%.20s', which this version does not know", word);
    else
      c->positions = (enum trajectory_positions)found;
    free(word);
  }
  if (h5_exists(in, TRAJECTORY_PRECISION)) {
    h5_expect_rows(in, TRAJECTORY_PRECISION, 'd', 1, 1);
    h5_get(in, TRAJECTORY_PRECISION, 'd', 0, 1, &c->precision);
    if (!in->error[0] && !(c->precision > 0 && c->precision < HUGE_VAL))
      h5_reader_fail(in, "its precision is %g nm: the file is damaged", c->precision);
  }
  if (!h5_exists(in, TRAJECTORY_SELECTION)) return;
  c->selection = h5_get_text(in, TRAJECTORY_SELECTION);
  h5_expect_rows(in, TRAJECTORY_SYSTEM_BEADS, 'l', 1, 1);
  h5_get(in, TRAJECTORY_SYSTEM_BEADS, 'l', 0, 1, &c->n_system);
}

/* 1 if a file may lack the element. */
static int is_optional(const struct trajectory_index *c, int element)
{
  return element > ELEMENT_IMAGE ||
         (element == ELEMENT_IMAGE && c->positions == POSITIONS_UNWRAPPED);
}

static void check_selection(struct h5_reader *in, const struct trajectory_index *c)
{
  if (!c->selection) return;
  h5_expect_rows(in, TRAJECTORY_ID, 'l', 1, c->n);
  if (!in->error[0] && (c->n_system < c->n || c->n < 1))
    h5_reader_fail(in, "its frames hold %lld of %lld beads", (long long)c->n,
                   (long long)c->n_system);
}

static void scan_observed(struct h5_reader *in, struct trajectory_index *c)
{
  int64_t *rows = NULL;
  if (c->has_checksums) trajectory_observed_scan(in, &c->observed, &rows);
  if (c->observed.n) c->elements |= HAS_OBSERVED;
  for (int k = 0; rows && k < c->observed.n; k++)
    count_rows(c, rows[k]);
  free(rows);
}

void trajectory_scan(struct h5_reader *in, struct trajectory_index *c)
{
  memset(c, 0, sizeof *c);
  c->frames = INT64_MAX;
  int64_t rows = 0;
  char path[96];
  if (!in->error[0] && !h5_exists(in, TRAJECTORY_GROUP))
    h5_reader_fail(in, "it is an HDF5 file, but no trajectory of lamella");
  scan_content(in, c);
  for (int k = 0; k < ELEMENTS; k++) {
    trajectory_series(SERIES_ELEMENT + k, path);
    if (is_optional(c, k) && !h5_exists(in, path)) continue;
    c->elements |= 1 << k;
    scan_element(in, c, path, trajectory_element[k].datatype, k == ELEMENT_POSITION ? -1 : c->n,
                 trajectory_element[k].components);
  }
  scan_element(in, c, trajectory_series(SERIES_EDGES, path), 'd', 3, 3);
  c->has_checksums = h5_exists(in, TRAJECTORY_CHECKSUMS);
  scan_observed(in, c);
  if (c->has_checksums)
    scan_element(in, c, TRAJECTORY_CHECKSUMS, 'w', 1, trajectory_checksum_columns(c->elements));
  h5_sizes(in, trajectory_series(SERIES_STEP, path), 'l', 1, &rows);
  count_rows(c, rows);
  h5_sizes(in, trajectory_series(SERIES_TIME, path), 'd', 1, &rows);
  count_rows(c, rows);
  if (!c->selection) c->n_system = c->n;
  check_selection(in, c);
  read_steps(in, c);
  if (in->error[0]) c->frames = 0;
}

void trajectory_index_free(struct trajectory_index *c)
{
  free(c->selection);
  free(c->step);
  free(c->time);
  trajectory_observed_free(&c->observed);
  memset(c, 0, sizeof *c);
}

/* Opens dataset k of those that have frames; -1: the file does not have it, or an error in the
   reader. Observables follow the others. */
static hid_t open_series(struct h5_reader *in, hid_t file, const struct trajectory_resume *past,
                         int k)
{
  char name[96];
  if (k == SERIES_CHECKSUMS && !past->has_checksums) return -1;
  if (k < SERIES && k >= SERIES_ELEMENT && !(past->elements >> (k - SERIES_ELEMENT) & 1)) return -1;
  if (k < SERIES)
    trajectory_series(k, name);
  else
    trajectory_observed_path(&past->observed.one[k - SERIES], "value", name);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) h5_reader_damaged(in, name);
  return set;
}

static void shrink_dataset(struct h5_reader *in, hid_t set, int64_t frames)
{
  hsize_t size[3] = {0, 0, 0};
  hid_t space = H5Dget_space(set);
  int good = space >= 0 && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  size[0] = (hsize_t)frames;
  if (!good || H5Dset_extent(set, size) < 0) h5_reader_damaged(in, "the index of its frames");
  if (space >= 0) H5Sclose(space);
}

static hid_t open_file(struct h5_reader *in, unsigned mode)
{
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(list, 0, 1); /* others may read it; PREFIX.lock keeps jobs apart */
#endif
  hid_t file = H5Fopen(in->path, mode, list);
  if (file < 0) h5_reader_damaged(in, "");
  H5Pclose(list);
  return file;
}

/* Writes the undo file. This comes before the file is opened for writing, by which HDF5 changes the
   superblock. */
static void keep_index(struct h5_reader *in, const struct trajectory_resume *past, const char *run)
{
  struct undo *undo = undo_create(in->path, run);
  hid_t file = open_file(in, H5F_ACC_RDONLY);
  for (int k = 0; k < SERIES + past->observed.n && !in->error[0]; k++) {
    hid_t set = open_series(in, file, past, k);
    if (set < 0) continue;
    undo_watch(undo, set);
    H5Dclose(set);
  }
  h5_file_close(file, in->path);
  if (!in->error[0]) undo_keep(undo, past->frames);
  undo_destroy(undo);
}

/* Removes surplus frames in one process, steps first: an HDF5 error is then an answer, and not the
   end of all ranks. */
static void remove_frames(struct h5_reader *in, const struct trajectory_resume *past,
                          const char *run)
{
  in->writes = access(in->path, W_OK) != 0;
  if (in->writes) {
    in->os_error = errno;
    h5_reader_fail(in, "%s", strerror(errno));
  } else {
    keep_index(in, past, run);
  }
  if (in->error[0]) return;
  in->writes = 1;
  hid_t file = open_file(in, H5F_ACC_RDWR);
  for (int k = 0; k < SERIES + past->observed.n && !in->error[0]; k++) {
    hid_t set = open_series(in, file, past, k);
    if (set < 0) continue;
    shrink_dataset(in, set, past->frames);
    H5Dclose(set);
  }
  h5_file_close(file, in->path);
}

/* Turns damage into a reason to begin a new file. Errors that end the run stay in the reader:
   another system, or a file that the system does not let us read. */
static void note_damage(struct h5_reader *in, struct trajectory_resume *past)
{
  if (!in->error[0] || in->os_error) return;
  snprintf(past->reason, sizeof past->reason, "%s", in->error);
  in->error[0] = 0;
  past->damaged = 1;
}

/* Rank 0: what the file holds. */
static void scan_past(struct h5_reader *in, struct trajectory_index *c,
                      struct trajectory_resume *past)
{
  trajectory_scan(in, c);
  note_damage(in, past);
  past->step = c->step;
  past->time = c->time;
  if (past->damaged || in->error[0]) return;
  for (int k = 0; k < ELEMENTS; k++)
    if (k != ELEMENT_IMAGE && (c->elements ^ past->elements) >> k & 1)
      warn("'%s' goes on %s the element %s, as it began", in->path,
           c->elements >> k & 1 ? "with" : "without", trajectory_element[k].name);
  if (c->positions != past->positions) {
    static const char *const word[] = {POSITIONS_CHOICES(CHOICE_WORD)};
    warn("'%s' goes on with %s positions, as it began", in->path, word[c->positions]);
  }
  if (c->precision != past->precision && c->precision > 0)
    warn("'%s' goes on with positions rounded to %g nm, as it began", in->path, c->precision);
  if (c->precision != past->precision && !(c->precision > 0))
    warn("'%s' goes on with positions as floats, as it began", in->path);
  past->elements = c->elements;
  past->precision = c->precision;
  past->positions = c->positions;
  past->has_checksums = c->has_checksums;
  trajectory_observed_free(&past->observed);
  trajectory_observed_copy(&c->observed, &past->observed);
}

/* Sends the names of the file's selection, which rank 0 has, to all ranks. Caller frees. */
static char *broadcast_names(const struct ranks *r, const char *names)
{
  int64_t bytes = names ? (int64_t)strlen(names) + 1 : 1;
  ranks_broadcast(r, &bytes, sizeof bytes);
  char *copy = alloc_array(bytes, 1);
  if (names && r->rank == 0) memcpy(copy, names, (size_t)bytes);
  ranks_broadcast(r, copy, bytes);
  return copy;
}

/* Replaces the selection of the run by that of the file. Errors go to the reader of rank 0. */
static void keep_selection(const struct ranks *r, const struct system *s, struct h5_reader *in,
                           const struct trajectory_index *c, struct selection *selection)
{
  char why[256];
  char *names = broadcast_names(r, c->selection), *text = selection_text(s->ff, names, why, 256);
  if (!text) {
    if (!in->error[0])
      h5_reader_fail(in, "it belongs to another system; of the beads in its frames, %s", why);
  } else if (strcmp(text, selection->text) != 0) {
    if (r->rank == 0)
      warn("'%s' goes on with %s%s, as it began", in->path,
           text[0] ? "the selection " : "all beads", text);
    selection_close(selection);
    selection_open(selection, r, s, text);
  }
  free(names);
  free(text);
}

/* Rank 0: compares the numbers of beads, checks the index and counts the frames that stay. */
static void check_past(struct h5_reader *in, const struct trajectory_index *c, int64_t n_total,
                       int64_t n, int64_t step, struct trajectory_resume *past)
{
  if (!in->error[0] && (c->n_system != n_total || c->n != n))
    h5_reader_fail(in,
                   "it belongs to another system, of %lld beads and not %lld; move it away, or "
                   "choose another output.prefix",
                   (long long)(c->n_system != n_total ? c->n_system : c->n),
                   (long long)(c->n_system != n_total ? n_total : n));
  if (in->error[0]) return;
  past->frames = c->frames;
  trajectory_check_index(in, c, 0, c->frames);
  note_damage(in, past);
  if (past->damaged) return;
  if (c->rows > c->frames)
    info("the last frame of '%s' was not finished, and is taken off", in->path);
  while (past->frames > 0 && c->step[past->frames - 1] > step)
    past->frames--;
}

/* Scans and checks the file, and sends what was found to all ranks. */
static void read_past(const struct ranks *r, const struct system *s, int64_t step,
                      struct h5_reader *in, struct selection *selection,
                      struct trajectory_resume *past)
{
  struct trajectory_index c = {0};
  if (r->rank == 0) {
    h5_reader_open(in, in->path);
    scan_past(in, &c, past);
  }
  h5_reader_require_ok(in, r);
  int64_t damaged = past->damaged;
  ranks_broadcast(r, &damaged, sizeof damaged);
  if (!damaged) keep_selection(r, s, in, &c, selection);
  if (r->rank == 0 && !damaged) check_past(in, &c, s->n_total, selection->total, step, past);
  if (r->rank == 0) h5_reader_close(in);
  h5_reader_require_ok(in, r);
  free(c.selection);
  trajectory_observed_free(&c.observed);
  trajectory_observed_broadcast(r, &past->observed);
  int64_t message[5] = {past->frames, past->elements, past->damaged, past->has_checksums,
                        past->positions};
  ranks_broadcast(r, message, sizeof message);
  ranks_broadcast(r, &past->precision, sizeof past->precision);
  past->frames = message[0];
  past->elements = (int)message[1];
  past->damaged = (int)message[2];
  past->has_checksums = (int)message[3];
  past->positions = (enum trajectory_positions)message[4];
}

/* Frames that are read before a job goes on: as many of the last ones as have CHECKED_BYTES, at
   most CHECKED_MOST, and at least one. */
enum { CHECKED_BYTES = 1 << 28, CHECKED_MOST = 1000 };

static int64_t first_checked(const struct trajectory_resume *past, int64_t n)
{
  int64_t bytes = 1, frames;
  for (int k = 0; k < ELEMENTS; k++)
    if (past->elements >> k & 1) bytes += n * (int64_t)trajectory_element_bytes(k);
  frames = CHECKED_BYTES / bytes < CHECKED_MOST ? CHECKED_BYTES / bytes : CHECKED_MOST;
  if (frames < 1) frames = 1;
  return past->frames > frames ? past->frames - frames : 0;
}

/* Checks a frame; each rank reads n of its rows, from row `first`. */
static void check_share(const struct ranks *r, struct h5_reader *in,
                        const struct trajectory_resume *past, int64_t frame, int64_t first,
                        int64_t n)
{
  uint64_t row[CHECKSUMS];
  trajectory_checksum_frame(in, past->elements, frame, first, n, NULL, row);
  ranks_sum_int64(r, (int64_t *)row, CHECKSUMS);
  if (r->rank > 0) return;
  trajectory_compare_checksums(in, past->elements, frame, row);
  trajectory_observed_check(in, &past->observed, frame, NULL);
}

/* Checks what trajectory_check_all does, but only the last of the frames that are kept; each rank a
   share. */
static void check_kept(const struct ranks *r, const char *path, int64_t n,
                       struct trajectory_resume *past)
{
  struct h5_reader in;
  const struct trajectory_index c = {
      .elements = past->elements, .has_checksums = 1, .observed = past->observed};
  int64_t first = n / r->size * r->rank, end = r->rank == r->size - 1 ? n : first + n / r->size;
  h5_reader_open(&in, path);
  trajectory_check_heap(&in);
  uint64_t fixed = trajectory_checksum_fixed(&in, r->rank, r->size);
  trajectory_check_chunks(&in, &c, r->rank, r->size);
  ranks_sum_int64(r, (int64_t *)&fixed, 1);
  if (r->rank == 0) trajectory_check_fixed(&in, fixed);
  for (int64_t k = first_checked(past, n); k < past->frames; k++)
    check_share(r, &in, past, k, first, end - first);
  h5_reader_close(&in);
  int good = !in.error[0];
  struct h5_reader fatal = in;
  if (!in.os_error) fatal.error[0] = 0;
  h5_reader_require_ok(&fatal, r);
  snprintf(past->reason, sizeof past->reason, "%s", in.error);
  past->damaged = !ranks_agree(r, good, past->reason, sizeof past->reason);
}

/* 1 if the file is good, or the system does not let us read it, which is said later. */
static int is_whole(const char *path)
{
  struct h5_reader in;
  struct trajectory_index c;
  h5_reader_open(&in, path);
  trajectory_scan(&in, &c);
  if (!in.error[0]) trajectory_check_last(&in, &c);
  h5_reader_close(&in);
  trajectory_index_free(&c);
  return !in.error[0] || in.os_error;
}

void trajectory_undo(const struct ranks *r, const char *path, const char *run)
{
  if (r->rank == 0) {
    if (undo_exists(path, run) && path_exists(path) && !is_whole(path)) {
      undo_apply(path);
      info("'%s' was left in the middle of a write: it is what it was before the last frame", path);
    }
    undo_remove(path);
  }
  ranks_barrier(r);
}

void trajectory_resume(const struct ranks *r, const char *path, const struct system *s,
                       int64_t step, struct selection *selection, struct trajectory_resume *past)
{
  struct h5_reader in = {.path = path, .id = -1};
  struct trajectory_observed_list wanted;
  trajectory_observed_copy(&past->observed, &wanted);
  read_past(r, s, step, &in, selection, past);
  trajectory_observed_agree(path, &past->observed, &wanted);
  trajectory_observed_free(&wanted);
  if (past->has_checksums && !past->damaged) check_kept(r, path, selection->total, past);
  if (r->rank == 0 && !past->damaged) {
    remove_frames(&in, past, s->run.id);
    note_damage(&in, past);
  }
  h5_reader_require_ok(&in, r);
  int64_t damaged = past->damaged;
  ranks_broadcast(r, &damaged, sizeof damaged);
  past->damaged = (int)damaged;
  past->last_step = past->step && past->frames > 0 ? past->step[past->frames - 1] : -1;
  ranks_broadcast(r, &past->last_step, sizeof past->last_step);
}
