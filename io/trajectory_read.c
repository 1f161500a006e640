/* What an existing trajectory holds: see trajectory_read.h. */
#include "trajectory_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "trajectory_layout.h"

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
  h5_get(in, TRAJECTORY_GROUP "/position/step", 'l', 0, c->frames, c->step);
  h5_get(in, TRAJECTORY_GROUP "/position/time", 'd', 0, c->frames, c->time);
  for (int64_t k = 0; k < c->frames; k++)
    if (c->step[k] < (k > 0 ? c->step[k - 1] + 1 : 0)) c->frames = k;
}

void trajectory_look(struct h5_reader *in, struct trajectory_clock *c)
{
  memset(c, 0, sizeof *c);
  c->frames = INT64_MAX;
  int64_t rows = 0;
  if (!in->error[0] && !h5_exists(in, TRAJECTORY_GROUP))
    h5_reader_fail(in, "it is an HDF5 file, but no trajectory of lamella");
  for (int k = 0; k < ELEMENTS; k++) {
    char name[96];
    snprintf(name, sizeof name, TRAJECTORY_GROUP "/%s/value", trajectory_element[k].name);
    if (k > ELEMENT_IMAGE && !h5_exists(in, name)) continue;
    c->elements |= 1 << k;
    look_element(in, c, name, trajectory_element[k].kind, k == ELEMENT_POSITION ? -1 : c->n);
  }
  look_element(in, c, TRAJECTORY_GROUP "/box/edges/value", 'd', 3);
  h5_sizes(in, TRAJECTORY_GROUP "/position/step", 'l', 1, &rows);
  count_rows(c, rows);
  h5_sizes(in, TRAJECTORY_GROUP "/position/time", 'd', 1, &rows);
  count_rows(c, rows);
  read_clock(in, c);
  if (in->error[0]) c->frames = 0;
}

int64_t trajectory_frames(const struct ranks *r, const char *path, int64_t n, int64_t step,
                          int *elements, int64_t *last_step, double **time)
{
  const int velocity = 1 << ELEMENT_VELOCITY;
  struct h5_reader in = {.path = path};
  struct trajectory_clock c = {0};
  if (r->rank == 0) {
    h5_reader_open(&in, path);
    trajectory_look(&in, &c);
    if (!in.error[0] && (c.n != n || (c.elements | velocity) != (*elements | velocity)))
      h5_reader_fail(&in,
                     "it belongs to another system, of %lld beads and not %lld; move it away, or "
                     "choose another output.prefix",
                     (long long)c.n, (long long)n);
    h5_reader_close(&in);
    if ((c.elements ^ *elements) & velocity)
      warn("'%s' goes on %s velocities, as it began", path,
           c.elements & velocity ? "with" : "without");
    while (c.frames > 0 && c.step[c.frames - 1] > step)
      c.frames--;
  }
  h5_reader_settle(&in, r);
  int64_t message[3] = {c.frames, c.elements, c.frames > 0 ? c.step[c.frames - 1] : -1};
  ranks_broadcast(r, message, sizeof message);
  *elements = (int)message[1];
  *last_step = message[2];
  *time = c.time;
  free(c.step);
  return message[0];
}
