#include "io/trajectory_salvage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/backup.h"
#include "io/path.h"
#include "io/trajectory_check.h"

void salvage_open(struct salvage *v, const struct ranks *r, const struct system *s,
                  const char *path, const struct trajectory_past *past)
{
  memset(v, 0, sizeof *v);
  v->ranks = r;
  v->system = s;
  v->past = past;
  for (int k = 0; k < ELEMENTS; k++)
    if (past->elements >> k & 1) v->data[k] = alloc_array(s->n, 12);
  h5_reader_open(&v->in, path);
}

/* What rank 0 found in the file, on all ranks. */
static void take_clock(struct salvage *v, int64_t frame)
{
  if (v->ranks->rank == 0) {
    v->step = v->past->step[frame];
    v->time = v->past->time[frame];
  }
  ranks_broadcast(v->ranks, &v->step, sizeof v->step);
  ranks_broadcast(v->ranks, &v->time, sizeof v->time);
}

/* Reads this rank's beads of a frame. Do all ranks have theirs, and do checksums agree? An error of
   the system ends the program. */
static int is_whole(struct salvage *v, int64_t frame)
{
  const struct trajectory_past *past = v->past;
  struct h5_reader *in = &v->in;
  uint64_t row[SUMS];
  trajectory_sum_frame(in, past->elements, frame, v->system->first - 1, v->system->n, v->data, row);
  trajectory_read_edges(in, frame, 1, &v->edges);
  ranks_sum_int64(v->ranks, (int64_t *)row, ELEMENTS);
  if (v->ranks->rank == 0 && past->sums) {
    struct trajectory_clock c = {.step = past->step, .time = past->time, .sums = 1};
    trajectory_check_clock(in, &c, frame, 1);
    trajectory_check_sums(in, past->elements, frame, row);
  }
  struct h5_reader fatal = *in;
  int64_t good = !in->error[0];
  if (!in->os_error) fatal.error[0] = 0;
  h5_reader_settle(&fatal, v->ranks);
  in->error[0] = 0;
  ranks_min_int64(v->ranks, &good, 1);
  return (int)good;
}

int salvage_next(struct salvage *v)
{
  while (v->next < v->past->frames) {
    int64_t frame = v->next++;
    take_clock(v, frame);
    if (is_whole(v, frame)) return 1;
  }
  return 0;
}

void salvage_close(struct salvage *v)
{
  h5_reader_close(&v->in);
  for (int k = 0; k < ELEMENTS; k++)
    free(v->data[k]);
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

char *salvage_replace(const char *path, const char *written)
{
  char *aside = backup_link(path);
  take_name(written, path);
  return aside;
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
