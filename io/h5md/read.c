#include "io/h5md/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/h5md/check.h"
#include "io/h5md/series.h"

void trajectory_reader_open(struct trajectory_reader *t, struct h5_reader *in)
{
  t->in = in;
  trajectory_scan(in, &t->index);
  if (!in->error[0] && t->index.has_checksums) trajectory_check_heap(in);
}

void trajectory_reader_close(struct trajectory_reader *t)
{
  trajectory_index_free(&t->index);
}

void trajectory_reader_warn(const struct trajectory_reader *t)
{
  if (t->index.rows > t->index.frames)
    warn(
        "the last frame of '%s' is not complete, and is left out: it is being written, its job was "
        "killed, or the file is damaged, which 'lamella info' tells",
        t->in->path);
}

void trajectory_reader_ids(struct trajectory_reader *t, int64_t first, int64_t n, int64_t *id)
{
  if (t->in->error[0]) return;
  if (first < 1 || n < 0 || first - 1 > t->index.n - n) {
    h5_reader_fail(t->in, "its frames have %lld beads, and not %lld from row %lld",
                   (long long)t->index.n, (long long)n, (long long)first);
    return;
  }
  if (t->index.selection) h5_get(t->in, TRAJECTORY_ID, 'l', first - 1, n, id);
  for (int64_t k = 0; k < n && !t->index.selection; k++)
    id[k] = first + k;
}

void trajectory_reader_require(struct trajectory_reader *t, const struct system *s,
                               const char *state, const struct ranks *r)
{
  struct h5_reader *in = t->in;
  if (t->index.n == s->n_total && !t->index.selection && h5_exists(in, TRAJECTORY_SPECIES)) {
    int32_t *type = alloc_array(s->n, sizeof *type);
    h5_expect_rows(in, TRAJECTORY_SPECIES, 'i', 1, t->index.n);
    if (!in->error[0]) h5_get(in, TRAJECTORY_SPECIES, 'i', s->first - 1, s->n, type);
    for (int64_t k = 0; k < s->n && !in->error[0]; k++)
      if (type[k] != s->beads.type[k])
        h5_reader_fail(
            in,
            "the state belongs to another system; give one of the same run: bead %lld is "
            "of type %d, in the state of type %d (counted from 0). State: '%s'",
            (long long)(s->first + k), type[k], s->beads.type[k], state);
    free(type);
  }
  h5_reader_require_ok(in, r);
}

void trajectory_reader_box(struct trajectory_reader *t, int64_t frame, double box[3])
{
  double edges[1][9] = {{0}};
  trajectory_read_edges(t->in, frame, 1, edges);
  for (int d = 0; d < 3; d++)
    box[d] = edges[0][4 * d];
}

static void frame_reserve(struct trajectory_frame *f, int64_t n, int elements)
{
  if (n > f->room) {
    f->room = n;
    f->position = grow_array(f->position, n, sizeof *f->position);
    f->image = grow_array(f->image, n, sizeof *f->image);
    for (int k = ELEMENT_VELOCITY; k < ELEMENTS; k++)
      if (f->value[k]) f->value[k] = grow_array(f->value[k], n, trajectory_element_bytes(k));
  }
  for (int k = ELEMENT_VELOCITY; k < ELEMENTS; k++) {
    const int wanted = elements >> k & 1;
    if (wanted && !f->value[k]) f->value[k] = alloc_array(f->room, trajectory_element_bytes(k));
    if (wanted) continue;
    free(f->value[k]);
    f->value[k] = NULL;
  }
}

/* By how many edges a coordinate is outside the box. */
static int32_t crossings(double x, double edge)
{
  double edges = floor(x / edge);
  return fabs(edges) < 1 << 30 ? (int32_t)edges : 0; /* not finite: left as it is */
}

/* Positions as doubles, from those of the file, and their images; unwrapped ones follow a
   continuous path. */
static void positions_set(struct trajectory_frame *f, const float (*stored)[3],
                          enum trajectory_positions from, enum trajectory_positions how)
{
  int inside = from == POSITIONS_WRAPPED || how == POSITIONS_WHOLE; /* nothing to move */
  for (int64_t k = 0; k < f->n; k++)
    for (int d = 0; d < 3; d++) {
      double x = (double)stored[k][d], edge = f->box[d];
      int32_t image = from == POSITIONS_UNWRAPPED ? 0 : f->image[k][d];
      int32_t crossed = inside ? 0 : crossings(x, edge);
      if (how == POSITIONS_UNWRAPPED) x += (double)image * edge;
      if (how == POSITIONS_WRAPPED) x -= (double)crossed * edge;
      f->position[k][d] = x;
      f->image[k][d] = (int32_t)((uint32_t)image + (uint32_t)crossed);
    }
}

void trajectory_frame_read(struct trajectory_reader *t, int64_t frame, int64_t first, int64_t n,
                           enum trajectory_positions how, struct trajectory_frame *f)
{
  const struct trajectory_index *c = &t->index;
  struct h5_reader *in = t->in;
  if (in->error[0]) return;
  if (frame < 0 || frame >= c->frames || first < 1 || n < 0 || first - 1 > c->n - n) {
    h5_reader_fail(
        in, "it has %lld frames of %lld beads, and not %lld beads from %lld of frame %lld",
        (long long)c->frames, (long long)c->n, (long long)n, (long long)first, (long long)frame);
    return;
  }
  if (how == POSITIONS_WHOLE && c->positions != how) {
    h5_reader_fail(in, "its positions are not whole molecules (output.frames_positions)");
    return;
  }
  frame_reserve(f, n, c->elements);
  f->frame = frame;
  f->step = c->step[frame];
  f->time = c->time[frame];
  f->first = first;
  f->n = n;
  float(*stored)[3] = alloc_array(n, sizeof *stored);
  char *data[ELEMENTS] = {[ELEMENT_POSITION] = (char *)stored, [ELEMENT_IMAGE] = (char *)f->image};
  for (int k = ELEMENT_VELOCITY; k < ELEMENTS; k++)
    data[k] = (char *)f->value[k];
  trajectory_reader_box(t, frame, f->box);
  trajectory_check_index(in, c, frame, 1);
  trajectory_checksum_frame(in, c->elements, frame, first - 1, n, data, f->sum);
  if (!in->error[0] && c->has_checksums && n == c->n)
    trajectory_compare_checksums(in, c->elements, frame, f->sum);
  if (!in->error[0]) positions_set(f, (const float(*)[3])stored, c->positions, how);
  free(stored);
}

/* Adds to the error of a frame what to do. */
static void advise(struct h5_reader *in)
{
  const size_t used = strlen(in->error);
  if (used == 0 || in->os_error) return;
  snprintf(
      in->error + used, sizeof in->error - used,
      "; lamella convert --from, --to and lamella analyze or map --first, --last (counted from 1) "
      "read the other frames");
}

void trajectory_frame_verify(struct trajectory_reader *t, const struct trajectory_frame *f,
                             const struct ranks *r)
{
  uint64_t sum[CHECKSUMS];
  memcpy(sum, f->sum, sizeof sum);
  advise(t->in);
  h5_reader_require_ok(t->in, r);
  ranks_sum_int64(r, (int64_t *)sum, CHECKSUMS);
  if (r->rank == 0 && t->index.has_checksums)
    trajectory_compare_checksums(t->in, t->index.elements, f->frame, sum);
  advise(t->in);
  h5_reader_require_ok(t->in, r);
}

void trajectory_frame_free(struct trajectory_frame *f)
{
  free(f->position);
  free(f->image);
  for (int k = 0; k < ELEMENTS; k++)
    free(f->value[k]);
  memset(f, 0, sizeof *f);
}
