#include "io/h5md/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "io/backup.h"
#include "io/disk.h"
#include "io/path.h"

#include "io/h5md/check.h"
#include "io/h5md/observed.h"
#include "io/h5md/series.h"
#include "io/h5md/undo.h"

void salvage_open(struct salvage *v, const struct ranks *r, const struct selection *selection,
                  const char *path, const struct trajectory_resume *past)
{
  memset(v, 0, sizeof *v);
  v->ranks = r;
  v->selection = selection;
  v->past = past;
  for (int k = 0; k < ELEMENTS; k++)
    if (past->elements >> k & 1)
      v->data[k] = alloc_array(selection->n, trajectory_element_bytes(k));
  v->observed = alloc_array(trajectory_observed_count(&past->observed), sizeof *v->observed);
  h5_reader_open(&v->in, path);
}

/* Sends step and time, which rank 0 has, to all ranks. */
static void broadcast_step_time(struct salvage *v, int64_t frame)
{
  if (v->ranks->rank == 0) {
    v->step = v->past->step[frame];
    v->time = v->past->time[frame];
  }
  ranks_broadcast(v->ranks, &v->step, sizeof v->step);
  ranks_broadcast(v->ranks, &v->time, sizeof v->time);
}

/* Reads this rank's beads of a frame. 1 if all ranks could read theirs and checksums agree. System
   errors end the program. */
static int is_whole(struct salvage *v, int64_t frame)
{
  const struct trajectory_resume *past = v->past;
  struct h5_reader *in = &v->in;
  uint64_t row[CHECKSUMS];
  trajectory_checksum_frame(in, past->elements, frame, v->selection->first, v->selection->n,
                            v->data, row);
  trajectory_read_edges(in, frame, 1, &v->edges);
  ranks_sum_int64(v->ranks, (int64_t *)row, CHECKSUMS);
  if (v->ranks->rank == 0 && past->has_checksums) {
    struct trajectory_index c = {
        .elements = past->elements, .step = past->step, .time = past->time, .has_checksums = 1};
    trajectory_check_index(in, &c, frame, 1);
    trajectory_compare_checksums(in, past->elements, frame, row);
    trajectory_observed_check(in, &past->observed, frame, v->observed);
  }
  struct h5_reader fatal = *in;
  int64_t good = !in->error[0];
  if (!in->os_error) fatal.error[0] = 0;
  h5_reader_require_ok(&fatal, v->ranks);
  in->error[0] = 0;
  ranks_min_int64(v->ranks, &good, 1);
  return (int)good;
}

int salvage_next(struct salvage *v)
{
  while (v->next < v->past->frames) {
    int64_t frame = v->next++;
    broadcast_step_time(v, frame);
    if (is_whole(v, frame)) return 1;
  }
  return 0;
}

void salvage_close(struct salvage *v)
{
  h5_reader_close(&v->in);
  for (int k = 0; k < ELEMENTS; k++)
    free(v->data[k]);
  free(v->observed);
}

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

char *salvage_lengthen(const struct ranks *r, const char *path)
{
  char *copy = r->rank == 0 ? copy_lengthened(path) : NULL;
  int64_t any = copy != NULL;
  ranks_broadcast(r, &any, sizeof any);
  return any && !copy ? path_with(path, ".tmp") : copy;
}

char *salvage_name(const char *path)
{
  return path_with(path, ".new");
}

static void take_name(const char *written, const char *path)
{
  if (rename(written, path))
    die(STATUS_IO, "cannot rename '%s' to '%s': %s", written, path, strerror(errno));
}

void salvage_replace(const char *path, const char *written, const struct trajectory_resume *past,
                     int64_t frames)
{
  undo_remove(path);
  char *aside = backup_link_damaged(path);
  take_name(written, path);
  warn("'%s' cannot be continued (%s), perhaps after a kill in the middle of a write: it is '%s' "
       "now, and a new one has %lld of its %lld frames, those that could be read",
       path, past->reason, aside, (long long)frames, (long long)past->frames);
  free(aside);
}

void salvage_say_truncated(struct trajectory_resume *past)
{
  char reason[sizeof past->reason];
  memcpy(reason, past->reason, sizeof reason);
  snprintf(past->reason, sizeof past->reason, "it is truncated%s%.480s", reason[0] ? "; " : "",
           reason);
}

void salvage_take_copy(const struct ranks *r, const char *path, const char *copy,
                       const struct trajectory_resume *past)
{
  if (r->rank == 0) {
    char *written = salvage_name(path);
    undo_remove(copy);
    take_name(copy, written);
    salvage_replace(path, written, past, past->frames);
    free(written);
  }
  ranks_barrier(r);
}

void salvage_resume(const struct ranks *r, const char *path)
{
  char *written = salvage_name(path);
  if (r->rank == 0 && !path_exists(path) && path_exists(written)) {
    take_name(written, path);
    warn("'%s' was still called '%s', and has its name now", path, written);
  }
  free(written);
  ranks_barrier(r);
}

void salvage_clean(const struct ranks *r, const char *path, const char *run)
{
  char *written = salvage_name(path), *copy = path_with(path, ".tmp");
  salvage_resume(r, path);
  if (r->rank == 0) {
    unlink(written);
    unlink(copy);
  }
  trajectory_undo(r, path, run);
  free(written);
  free(copy);
}
