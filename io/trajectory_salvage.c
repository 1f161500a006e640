#include "io/trajectory_salvage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/backup.h"
#include "io/path.h"
#include "io/trajectory_check.h"
#include "io/trajectory_observed.h"
#include "io/trajectory_series.h"

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
  char *aside = backup_link_damaged(path);
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
