/* Going on with a trajectory: see repair.h. */
#include "io/h5md/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "input/yaml_tree.h"
#include "io/backup.h"
#include "io/disk.h"
#include "io/h5.h"
#include "io/h5md/check.h"
#include "io/h5md/read.h"
#include "io/h5md/undo.h"

/* Surplus frames */

static void shrink_dataset(struct h5_reader *in, hid_t set, int64_t frames)
{
  hsize_t size[3] = {0, 0, 0};
  hid_t space = H5Dget_space(set);
  int good = space >= 0 && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  size[0] = (hsize_t)frames;
  if (!good || H5Dset_extent(set, size) < 0) h5_reader_damaged(in, "the index of its frames");
  if (space >= 0) H5Sclose(space);
}

/* Opens dataset k of those that have frames; -1: the file does not have it, or an error in the
   reader. */
static hid_t open_series(struct h5_reader *in, hid_t file, const struct trajectory_index *c, int k)
{
  struct h5_series s;
  if (!trajectory_series(&c->layout, c->n, k, &s)) return -1;
  hid_t set = H5Dopen2(file, s.path, H5P_DEFAULT);
  if (set < 0) h5_reader_damaged(in, s.path);
  return set;
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
static void keep_index(struct h5_reader *in, const struct trajectory_index *c, const char *run)
{
  struct undo *undo = undo_create(in->path, run);
  hid_t file = open_file(in, H5F_ACC_RDONLY);
  for (int k = 0; k < trajectory_series_count(&c->layout) && !in->error[0]; k++) {
    hid_t set = open_series(in, file, c, k);
    if (set < 0) continue;
    undo_watch(undo, set);
    H5Dclose(set);
  }
  h5_file_close(file, in->path);
  if (!in->error[0]) undo_keep(undo, c->frames);
  undo_destroy(undo);
}

/* Removes surplus frames in one process, steps first: an HDF5 error is then an answer, and not the
   end of all ranks. */
static void remove_frames(struct h5_reader *in, const struct trajectory_index *c, const char *run)
{
  in->writes = access(in->path, W_OK) != 0;
  if (in->writes) {
    in->os_error = errno;
    h5_reader_fail(in, "%s", strerror(errno));
  } else {
    keep_index(in, c, run);
  }
  if (in->error[0]) return;
  in->writes = 1;
  hid_t file = open_file(in, H5F_ACC_RDWR);
  for (int k = 0; k < trajectory_series_count(&c->layout) && !in->error[0]; k++) {
    hid_t set = open_series(in, file, c, k);
    if (set < 0) continue;
    shrink_dataset(in, set, c->frames);
    H5Dclose(set);
  }
  h5_file_close(file, in->path);
}

/* What the file holds */

/* Ends the run if the system did not let a rank read or write the file. */
static void require_allowed(const struct h5_reader *in, const struct ranks *r)
{
  struct h5_reader fatal = *in;
  if (!in->os_error) fatal.error[0] = 0;
  h5_reader_require_ok(&fatal, r);
}

/* Turns the error of any rank into a reason to begin a new file. Collective. */
static void agree_on_damage(const struct ranks *r, struct h5_reader *in,
                            struct trajectory_past *past)
{
  require_allowed(in, r);
  snprintf(past->reason, sizeof past->reason, "%s%s%.480s", past->copy ? "it is truncated" : "",
           past->copy && in->error[0] ? "; " : "", in->error);
  past->damaged = !ranks_agree(r, !in->error[0], past->reason, sizeof past->reason);
  in->error[0] = 0;
}

/* Says where the file differs from what the run asks for. */
static void say_differences(const char *path, const struct trajectory_layout *file,
                            const struct trajectory_layout *run)
{
  static const char *const word[] = {POSITIONS_CHOICES(CHOICE_WORD)};
  for (int k = 0; k < ELEMENTS; k++)
    if (k != ELEMENT_IMAGE && (file->elements ^ run->elements) >> k & 1)
      warn("'%s' goes on %s the element %s, as it began", path,
           file->elements >> k & 1 ? "with" : "without", trajectory_element[k].name);
  if (file->positions != run->positions)
    warn("'%s' goes on with %s positions, as it began", path, word[file->positions]);
  if (file->precision == run->precision) return;
  if (file->precision > 0)
    warn("'%s' goes on with positions rounded to %g nm, as it began", path, file->precision);
  else
    warn("'%s' goes on with positions as floats, as it began", path);
}

static void observed_agree(const char *path, const struct trajectory_observed_list *file,
                           const struct trajectory_observed_list *run)
{
  int64_t first;
  for (int k = 0; k < run->n; k++) {
    const struct trajectory_observed *now = &run->one[k],
                                     *was = trajectory_observed_find(file, now->name, &first);
    if (!was)
      warn("'%s' goes on without the observable %s in its frames, as it began", path, now->name);
    else if (was->values != now->values || !yaml_mean_same(was->options, now->options) ||
             strcmp(was->columns, now->columns) != 0)
      die_all(STATUS_INPUT,
              "observe: '%s' in the frames of '%s' is '%s', and '%s' now: give it the former "
              "options, or another name with 'name:'",
              now->name, path, was->options, now->options);
  }
  for (int k = 0; k < file->n; k++)
    if (!trajectory_observed_find(run, file->one[k].name, &first))
      warn("'%s' goes on with the observable %s in its frames, as it began, but the run does not "
           "measure it with 'frames: yes': its values will be NaN",
           path, file->one[k].name);
}

/* Replaces the selection of the run by that of the file. */
static void keep_selection(const struct ranks *r, const struct system *s, struct h5_reader *in,
                           const struct trajectory_index *c, struct selection *selection)
{
  const char *file = c->selection ? c->selection : "";
  if (strcmp(file, selection->text) != 0)
    warn("'%s' goes on with %s%s, as it began", in->path, file[0] ? "the selection " : "all beads",
         file);
  selection_close(selection);
  trajectory_index_held(in, c, s, selection, r);
}

static void require_system(struct h5_reader *in, const struct trajectory_index *c, int64_t n_total,
                           int64_t n)
{
  if (!in->error[0] && (c->n_system != n_total || c->n != n))
    h5_reader_fail(in,
                   "it belongs to another system, of %lld beads and not %lld; move it away, or "
                   "choose another output.prefix",
                   (long long)(c->n_system != n_total ? c->n_system : c->n),
                   (long long)(c->n_system != n_total ? n_total : n));
}

/* All ranks scan the file. Rank 0 checks its index. */
static void read_past(const struct ranks *r, const struct system *s, int64_t step,
                      struct h5_reader *in, struct selection *selection,
                      struct trajectory_layout *layout, struct trajectory_past *past)
{
  struct trajectory_index *c = &past->index;
  h5_reader_open(in, in->path);
  trajectory_scan(in, c);
  agree_on_damage(r, in, past);
  if (past->damaged) {
    h5_reader_close(in);
    trajectory_index_free(c);
    c->layout = *layout;
    return;
  }
  say_differences(in->path, &c->layout, layout);
  keep_selection(r, s, in, c, selection);
  require_system(in, c, s->n_total, selection->total);
  h5_reader_require_ok(in, r);
  if (r->rank == 0) trajectory_check_index(in, c, 0, c->frames);
  h5_reader_close(in);
  agree_on_damage(r, in, past);
  if (!past->damaged && c->rows > c->frames)
    info("the last frame of '%s' was not finished, and is taken off", in->path);
  while (!past->damaged && c->frames > 0 && c->step[c->frames - 1] > step)
    c->frames--;
  observed_agree(in->path, &c->layout.observed, &layout->observed);
  trajectory_observed_free(&layout->observed);
  *layout = c->layout;
}

/* Frames that are read before a job goes on: as many of the last ones as have CHECKED_BYTES, at
   most CHECKED_MOST, and at least one. */
enum { CHECKED_BYTES = 1 << 28, CHECKED_MOST = 1000 };

static int64_t first_checked(const struct trajectory_index *c)
{
  const int64_t bytes = (int64_t)trajectory_frame_bytes(c->layout.elements, c->n, 0);
  int64_t frames = CHECKED_BYTES / bytes < CHECKED_MOST ? CHECKED_BYTES / bytes : CHECKED_MOST;
  if (frames < 1) frames = 1;
  return c->frames > frames ? c->frames - frames : 0;
}

/* Checks the file, but only the last of the frames that are kept. */
static void check_kept(const struct ranks *r, const char *path, struct trajectory_past *past)
{
  struct h5_reader in;
  h5_reader_open(&in, path);
  trajectory_check(r, &in, &past->index, first_checked(&past->index));
  h5_reader_close(&in);
  agree_on_damage(r, &in, past);
}

int trajectory_read_whole(const struct ranks *r, struct h5_reader *in,
                          const struct trajectory_index *c, int64_t frame,
                          const struct selection *selection, char *const *data, double edges[9],
                          double *observed)
{
  trajectory_check_frame(r, in, c, frame, selection->first, selection->n, data, observed);
  trajectory_get(in, &c->layout, SERIES_EDGES, frame, 1, edges);
  int64_t good = !in->error[0];
  require_allowed(in, r);
  in->error[0] = 0;
  ranks_min_int64(r, &good, 1);
  return (int)good;
}

/* Files that are shorter than they should be */

/* The length that a file should have by its superblock (version 0, 2 or 3 of the HDF5 format), if
   it is shorter; else 0. A damaged superblock is not believed. */
static int64_t wanted_length(int file)
{
  struct stat about;
  unsigned char head[64];
  int64_t length;
  if (fstat(file, &about) || pread(file, head, sizeof head, 0) != sizeof head) return 0;
  if (memcmp(head, "\211HDF\r\n\032\n", 8) != 0 || (head[8] != 0 && head[8] != 2 && head[8] != 3))
    return 0;
  memcpy(&length, head + (head[8] == 0 ? 40 : 28), sizeof length);
  return length > about.st_size && length / 2 <= about.st_size + (1 << 20) ? length : 0;
}

/* 0 or errno. */
static int copy_bytes(int from, int to)
{
  enum { PIECE_BYTES = 1 << 22 };
  char *data = alloc_array(PIECE_BYTES, 1);
  ssize_t n, written = 0;
  while ((n = read(from, data, PIECE_BYTES)) > 0 && written >= 0)
    for (ssize_t at = 0; at < n && written >= 0; at += written)
      written = write(to, data + at, (size_t)(n - at));
  const int failed = n < 0 || written < 0 ? errno : 0;
  free(data);
  return failed;
}

/* The copy; NULL: the file has the length that it should have, or cannot be read. */
static char *copy_lengthened(const char *path)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  const int64_t length = file >= 0 ? wanted_length(file) : 0;
  char *copy = length > 0 ? path_with(path, ".tmp") : NULL;
  if (copy) {
    disk_require(path, "a copy of it", (double)length);
    FILE *out = path_create(copy);
    int failed = out ? copy_bytes(file, fileno(out)) : errno;
    if (!failed && ftruncate(fileno(out), length)) failed = errno;
    if (out && fclose(out) && !failed) failed = errno;
    if (failed) die(STATUS_IO, "cannot write '%s': %s", copy, strerror(failed));
  }
  if (file >= 0) close(file);
  return copy;
}

/* The copy on all ranks; NULL: the file is long enough. */
static char *lengthen(const struct ranks *r, const char *path)
{
  char *copy = r->rank == 0 ? copy_lengthened(path) : NULL;
  int64_t any = copy != NULL;
  ranks_broadcast(r, &any, sizeof any);
  return any && !copy ? path_with(path, ".tmp") : copy;
}

/* New files */

char *trajectory_new_name(const char *path)
{
  return path_with(path, ".new");
}

static void rename_to(const char *written, const char *path)
{
  if (rename(written, path))
    die(STATUS_IO, "cannot rename '%s' to '%s': %s", written, path, strerror(errno));
}

void trajectory_replace(const char *path, const char *written, const struct trajectory_past *past,
                        int64_t frames)
{
  undo_remove(path);
  char *aside = backup_link_damaged(path);
  rename_to(written, path);
  warn("'%s' cannot be continued (%s), perhaps after a kill in the middle of a write: it is '%s' "
       "now, and a new one has %lld of its %lld frames, those that could be read",
       path, past->reason, aside, (long long)frames, (long long)past->index.frames);
  free(aside);
}

/* trajectory_replace with the copy, in which all frames that are kept are whole. */
static void replace_by_copy(const char *path, const struct trajectory_past *past)
{
  char *written = trajectory_new_name(path);
  undo_remove(past->copy);
  rename_to(past->copy, written);
  trajectory_replace(path, written, past, past->index.frames);
  free(written);
}

void trajectory_find_name(const struct ranks *r, const char *path)
{
  char *written = trajectory_new_name(path);
  if (r->rank == 0 && !path_exists(path) && path_exists(written)) {
    rename_to(written, path);
    warn("'%s' was still called '%s', and has its name now", path, written);
  }
  free(written);
  ranks_barrier(r);
}

/* 1 if the file is good, or the system does not let us read it, which is said later. */
static int is_whole(const char *path)
{
  struct h5_reader in;
  struct trajectory_index c;
  h5_reader_open(&in, path);
  trajectory_scan(&in, &c);
  trajectory_check(NULL, &in, &c, c.frames > 0 ? c.frames - 1 : 0);
  h5_reader_close(&in);
  trajectory_index_free(&c);
  return !in.error[0] || in.os_error;
}

void trajectory_clean(const struct ranks *r, const char *path, const char *run)
{
  char *written = trajectory_new_name(path), *copy = path_with(path, ".tmp");
  trajectory_find_name(r, path);
  if (r->rank == 0) {
    unlink(written);
    unlink(copy);
    if (undo_exists(path, run) && path_exists(path) && !is_whole(path)) {
      undo_apply(path);
      info("'%s' was left in the middle of a write: it is what it was before the last frame", path);
    }
    undo_remove(path);
  }
  ranks_barrier(r);
  free(written);
  free(copy);
}

void trajectory_resume(const struct ranks *r, const char *path, const struct system *s,
                       int64_t step, struct selection *selection, struct trajectory_layout *layout,
                       struct trajectory_past *past)
{
  memset(past, 0, sizeof *past);
  past->copy = lengthen(r, path);
  struct h5_reader in = {.path = past->copy ? past->copy : path, .id = -1};
  read_past(r, s, step, &in, selection, layout, past);
  if (!past->damaged) check_kept(r, in.path, past);
  if (!past->damaged) {
    if (r->rank == 0) remove_frames(&in, &past->index, s->run.id);
    agree_on_damage(r, &in, past);
  }
  if (!past->copy) return;
  if (!past->damaged && r->rank == 0) replace_by_copy(path, past);
  ranks_barrier(r);
}

void trajectory_past_free(const struct ranks *r, struct trajectory_past *past)
{
  if (past->copy && r->rank == 0) unlink(past->copy);
  free(past->copy);
  memset(&past->index.layout, 0, sizeof past->index.layout);
  trajectory_index_free(&past->index);
}
