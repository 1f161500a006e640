/* What an existing trajectory holds: see trajectory_read.h. */
#include "trajectory_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5.h"
#include "log.h"
#include "trajectory_layout.h"

const char *trajectory_series(int series, char path[96])
{
  static const char *const first[] = {[SERIES_STEP] = "position/step",
                                      [SERIES_TIME] = "position/time",
                                      [SERIES_EDGES] = "box/edges/value"};
  if (series < SERIES_ELEMENT)
    snprintf(path, 96, TRAJECTORY_GROUP "/%s", first[series]);
  else
    snprintf(path, 96, TRAJECTORY_GROUP "/%s/value",
             trajectory_element[series - SERIES_ELEMENT].name);
  return path;
}

static void count_rows(struct trajectory_clock *c, int64_t rows)
{
  if (rows < c->frames) c->frames = rows;
  if (rows > c->rows) c->rows = rows;
}

/* [frames][n][3] */
static void look_element(struct h5_reader *in, struct trajectory_clock *c, const char *name,
                         char kind, int64_t n)
{
  int64_t size[3];
  h5_sizes(in, name, kind, 3, size);
  if (!in->error[0] && ((n >= 0 && size[1] != n) || size[2] != 3))
    h5_reader_fail(in, "dataset %s has frames of %lld x %lld numbers, not %lld x 3", name,
                   (long long)size[1], (long long)size[2], (long long)n);
  if (n < 0) c->n = size[1];
  count_rows(c, size[0]);
}

/* Frames end where steps stop to increase: what follows was never finished. */
static void read_clock(struct h5_reader *in, struct trajectory_clock *c)
{
  if (!in->error[0] && c->frames > in->bytes / 16)
    h5_reader_fail(in, "it claims to hold %lld frames", (long long)c->frames);
  if (in->error[0]) return;
  c->step = alloc_array(c->frames, sizeof *c->step);
  c->time = alloc_array(c->frames, sizeof *c->time);
  char path[96];
  h5_get(in, trajectory_series(SERIES_STEP, path), 'l', 0, c->frames, c->step);
  h5_get(in, trajectory_series(SERIES_TIME, path), 'd', 0, c->frames, c->time);
  for (int64_t k = 0; k < c->frames; k++)
    if (c->step[k] < (k > 0 ? c->step[k - 1] + 1 : 0)) c->frames = k;
}

void trajectory_look(struct h5_reader *in, struct trajectory_clock *c)
{
  memset(c, 0, sizeof *c);
  c->frames = INT64_MAX;
  int64_t rows = 0;
  char path[96];
  if (!in->error[0] && !h5_exists(in, TRAJECTORY_GROUP))
    h5_reader_fail(in, "it is an HDF5 file, but no trajectory of lamella");
  for (int k = 0; k < ELEMENTS; k++) {
    trajectory_series(SERIES_ELEMENT + k, path);
    if (k > ELEMENT_IMAGE && !h5_exists(in, path)) continue;
    c->elements |= 1 << k;
    look_element(in, c, path, trajectory_element[k].kind, k == ELEMENT_POSITION ? -1 : c->n);
  }
  look_element(in, c, trajectory_series(SERIES_EDGES, path), 'd', 3);
  h5_sizes(in, trajectory_series(SERIES_STEP, path), 'l', 1, &rows);
  count_rows(c, rows);
  h5_sizes(in, trajectory_series(SERIES_TIME, path), 'd', 1, &rows);
  count_rows(c, rows);
  read_clock(in, c);
  if (in->error[0]) c->frames = 0;
}

/* 1, or the reason why not. */
static int set_cut(hid_t file, const char *name, int64_t frames, char *reason, size_t bytes)
{
  hsize_t size[3] = {0, 0, 0};
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  int good = set >= 0 && space >= 0 && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  size[0] = (hsize_t)frames;
  good = good && H5Dset_extent(set, size) >= 0;
  if (!good) h5_reason(reason, bytes);
  if (space >= 0) H5Sclose(space);
  return set >= 0 && H5Dclose(set) >= 0 && good;
}

/* Takes off the frames that are too many, steps first, by one process: what HDF5 cannot do is then
   an answer, not the end of all ranks. */
static int cut(const char *path, struct trajectory_past *past)
{
  char path_in[96];
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(list, 0, 1); /* others may look at it; PREFIX.lock keeps jobs apart */
#endif
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, list);
  int good = file >= 0;
  if (!good) h5_reason(past->reason, sizeof past->reason);
  H5Pclose(list);
  for (int k = 0; k < SERIES && good; k++)
    if (k < SERIES_ELEMENT || past->elements >> (k - SERIES_ELEMENT) & 1)
      good = set_cut(file, trajectory_series(k, path_in), past->frames, past->reason,
                     sizeof past->reason);
  if (file >= 0) good &= H5Fclose(file) >= 0;
  return good;
}

static void look_back(const char *path, int64_t n, int64_t step, struct h5_reader *in,
                      struct trajectory_past *past)
{
  const int velocity = 1 << ELEMENT_VELOCITY;
  struct trajectory_clock c;
  h5_reader_open(in, path);
  trajectory_look(in, &c);
  past->damaged = in->error[0] != 0;
  snprintf(past->reason, sizeof past->reason, "%s", in->error);
  in->error[0] = 0;
  if (!past->damaged && (c.n != n || (c.elements | velocity) != (past->elements | velocity)))
    h5_reader_fail(in,
                   "it belongs to another system, of %lld beads and not %lld; move it away, or "
                   "choose another output.prefix",
                   (long long)c.n, (long long)n);
  h5_reader_close(in);
  past->step = c.step;
  past->time = c.time;
  if (past->damaged || in->error[0]) return;
  if ((c.elements ^ past->elements) & velocity)
    warn("'%s' goes on %s velocities, as it began", path,
         c.elements & velocity ? "with" : "without");
  past->elements = c.elements;
  while (c.frames > 0 && c.step[c.frames - 1] > step)
    c.frames--;
  past->frames = c.frames;
  past->damaged = !cut(path, past);
}

void trajectory_past(const struct ranks *r, const char *path, int64_t n, int64_t step, int elements,
                     struct trajectory_past *past)
{
  struct h5_reader in = {.path = path};
  memset(past, 0, sizeof *past);
  past->elements = elements;
  if (r->rank == 0) look_back(path, n, step, &in, past);
  h5_reader_settle(&in, r);
  int64_t message[3] = {past->frames, past->elements, past->damaged};
  ranks_broadcast(r, message, sizeof message);
  past->frames = message[0];
  past->elements = (int)message[1];
  past->damaged = (int)message[2];
  past->last_step = past->step && past->frames > 0 ? past->step[past->frames - 1] : -1;
  ranks_broadcast(r, &past->last_step, sizeof past->last_step);
}
