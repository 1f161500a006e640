/* Reading of frames: see read.h. */
#include "io/h5md/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "io/h5md/check.h"

/* The index */

/* Compares the sizes of a series with those that it should have, and counts its frames. */
static void scan_series(struct h5_reader *in, struct trajectory_index *c, int k)
{
  struct h5_series s;
  int64_t size[3];
  if (!trajectory_series(&c->layout, c->n, k, &s)) return;
  h5_sizes(in, s.path, s.datatype, h5_series_dimensions(&s), size);
  if (s.components && !in->error[0] && (size[1] != s.rows || size[2] != s.components))
    h5_reader_fail(in, "dataset %s has frames of %lld x %lld numbers, not %lld x %d", s.path,
                   (long long)size[1], (long long)size[2], (long long)s.rows, s.components);
  if (size[0] < c->frames) c->frames = size[0];
  if (size[0] > c->rows) c->rows = size[0];
}

/* Only the last frame can be incomplete; then its step is not larger than the one before. */
static void read_steps(struct h5_reader *in, struct trajectory_index *c)
{
  if (!in->error[0] && c->frames > in->bytes / 16)
    h5_reader_fail(in, "it claims to hold %lld frames", (long long)c->frames);
  if (in->error[0]) return;
  c->step = alloc_array(c->frames, sizeof *c->step);
  c->time = alloc_array(c->frames, sizeof *c->time);
  trajectory_get(in, &c->layout, SERIES_STEP, 0, c->frames, c->step);
  trajectory_get(in, &c->layout, SERIES_TIME, 0, c->frames, c->time);
  int64_t last = c->frames - 1;
  if (last >= 0 && c->step[last] <= (last > 0 ? c->step[last - 1] : -1)) c->frames = last;
}

/* Positions and selection; files without these entries hold all beads, wrapped. */
static void scan_content(struct h5_reader *in, struct trajectory_index *c)
{
  c->layout.positions = POSITIONS_WRAPPED;
  if (h5_exists(in, TRAJECTORY_POSITIONS)) {
    char *word = h5_get_text(in, TRAJECTORY_POSITIONS);
    int found = word ? word_list_find(CHOICES_TEXT(POSITIONS_CHOICES), word) : 0;
    if (found < 0)
      h5_reader_fail(in, "its positions are '%.20s', which this version does not know", word);
    else
      c->layout.positions = (enum trajectory_positions)found;
    free(word);
  }
  if (h5_exists(in, TRAJECTORY_PRECISION)) {
    h5_expect_rows(in, TRAJECTORY_PRECISION, 'd', 1, 1);
    h5_get(in, TRAJECTORY_PRECISION, 'd', 0, 1, &c->layout.precision);
    if (!in->error[0] && !(c->layout.precision > 0 && c->layout.precision < HUGE_VAL))
      h5_reader_fail(in, "its precision is %g nm: the file is damaged", c->layout.precision);
  }
  if (!h5_exists(in, TRAJECTORY_SELECTION)) return;
  c->selection = h5_get_text(in, TRAJECTORY_SELECTION);
  h5_expect_rows(in, TRAJECTORY_SYSTEM_BEADS, 'l', 1, 1);
  h5_get(in, TRAJECTORY_SYSTEM_BEADS, 'l', 0, 1, &c->n_system);
}

static void scan_elements(struct h5_reader *in, struct trajectory_index *c)
{
  const struct trajectory_layout all = {.elements = ~0};
  struct h5_series s;
  int64_t size[3];
  for (int k = 0; k < ELEMENTS; k++) {
    const int optional =
        k > ELEMENT_IMAGE || (k == ELEMENT_IMAGE && c->layout.positions == POSITIONS_UNWRAPPED);
    trajectory_series(&all, 0, SERIES_ELEMENT + k, &s);
    if (!optional || h5_exists(in, s.path)) c->layout.elements |= 1 << k;
    if (k == ELEMENT_POSITION) h5_sizes(in, s.path, s.datatype, 3, size);
    if (k == ELEMENT_POSITION) c->n = size[1];
  }
}

static void check_selection(struct h5_reader *in, const struct trajectory_index *c)
{
  if (!c->selection) return;
  h5_expect_rows(in, TRAJECTORY_ID, 'l', 1, c->n);
  if (!in->error[0] && (c->n_system < c->n || c->n < 1))
    h5_reader_fail(in, "its frames hold %lld of %lld beads", (long long)c->n,
                   (long long)c->n_system);
}

/* Returns the number of frames. */
static int64_t scan_observable(struct h5_reader *in, struct trajectory_observed *o)
{
  char path[96];
  int64_t size[2];
  h5_sizes(in, trajectory_observed_path(o, "value", path), 'd', 2, size);
  if (size[1] < 1) h5_reader_fail(in, "dataset %s has no numbers in a frame", path);
  o->values = size[1];
  o->options = h5_get_text(in, trajectory_observed_path(o, "options", path));
  o->columns = h5_get_text(in, trajectory_observed_path(o, "columns", path));
  return size[0];
}

static void scan_observed(struct h5_reader *in, struct trajectory_layout *to)
{
  struct trajectory_observed_list *l = &to->observed;
  char(*name)[H5_NAME];
  const int n = h5_get_names(in, TRAJECTORY_OBSERVED_NAMES, &name);
  l->one = alloc_array(n, sizeof *l->one);
  for (int k = 0; k < n && !in->error[0]; k++) {
    struct trajectory_observed *o = &l->one[l->n++];
    memcpy(o->name, name[k], sizeof o->name);
    if (scan_observable(in, o) > 0 &&
        trajectory_observed_count(l) > in->bytes / (int64_t)sizeof(double))
      h5_reader_fail(in, "%s claims more numbers than fit into the file", TRAJECTORY_OBSERVED);
  }
  if (l->n) to->elements |= HAS_OBSERVED;
  free(name);
}

void trajectory_scan(struct h5_reader *in, struct trajectory_index *c)
{
  memset(c, 0, sizeof *c);
  c->frames = INT64_MAX;
  if (!in->error[0] && !h5_exists(in, TRAJECTORY_GROUP))
    h5_reader_fail(in, "it is an HDF5 file, but no trajectory of lamella");
  if (!in->error[0] && !h5_exists(in, TRAJECTORY_CHECKSUMS))
    h5_reader_fail(in, "it has no checksums: a version before 0.1 wrote it");
  scan_content(in, c);
  scan_elements(in, c);
  scan_observed(in, &c->layout);
  for (int k = 0; k < trajectory_series_count(&c->layout); k++)
    scan_series(in, c, k);
  if (!c->selection) c->n_system = c->n;
  check_selection(in, c);
  read_steps(in, c);
  if (in->error[0]) c->frames = 0;
}

/* Frames */

void trajectory_reader_open(struct trajectory_reader *t, struct h5_reader *in)
{
  t->in = in;
  trajectory_scan(in, &t->index);
  if (!in->error[0]) trajectory_check_heap(in);
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

void trajectory_index_held(struct h5_reader *in, const struct trajectory_index *c,
                           const struct system *s, struct selection *held, const struct ranks *r)
{
  enum { PIECE = 1 << 20 }; /* rows read at a time */
  int64_t *piece, *own = NULL, n = 0, last = 0;
  if (!c->selection) {
    selection_open(held, r, s, NULL, "");
    return;
  }
  piece = alloc_array(PIECE, sizeof *piece);
  for (int64_t at = 0; at < c->n && !in->error[0]; at += PIECE) {
    const int64_t rows = c->n - at < PIECE ? c->n - at : PIECE;
    h5_get(in, TRAJECTORY_ID, 'l', at, rows, piece);
    for (int64_t k = 0; k < rows && !in->error[0]; last = piece[k++]) {
      if (piece[k] <= last)
        h5_reader_fail(in, "row %lld of %s does not stand in its order", (long long)(at + k),
                       TRAJECTORY_ID);
      if (piece[k] < s->first || piece[k] >= s->first + s->n) continue;
      own = extend_array(own, n, sizeof *own);
      own[n++] = piece[k];
    }
  }
  selection_open_ids(held, r, s, c->selection, n, own);
  free(own);
  free(piece);
}

void trajectory_reader_held(struct trajectory_reader *t, const struct system *s,
                            struct selection *held, const char *state, const struct ranks *r)
{
  struct h5_reader *in = t->in;
  trajectory_index_held(in, &t->index, s, held, r);
  const int64_t n = held->n;
  if (!in->error[0] && (t->index.n_system != s->n_total || t->index.n != held->total))
    h5_reader_fail(in,
                   "it has %lld of %lld beads, and the state '%s' has %lld: give a state of the "
                   "same run with --state",
                   (long long)t->index.n, (long long)t->index.n_system, state,
                   (long long)s->n_total);
  int32_t *type = alloc_array(n, sizeof *type);
  h5_expect_rows(in, TRAJECTORY_SPECIES, 'i', 1, t->index.n);
  if (!in->error[0]) h5_get(in, TRAJECTORY_SPECIES, 'i', held->first, n, type);
  for (int64_t k = 0; k < n && !in->error[0]; k++) {
    const int64_t bead = selection_bead(held, k);
    if (type[k] != s->beads.type[bead])
      h5_reader_fail(in,
                     "bead %lld is of type %d, and of type %d in the state '%s', which belongs to "
                     "another system: give a state of the same run with --state",
                     (long long)(s->first + bead), type[k], s->beads.type[bead], state);
  }
  free(type);
  h5_reader_require_ok(in, r);
}

void trajectory_reader_box(struct trajectory_reader *t, int64_t frame, double box[BOX])
{
  double edges[9] = {0};
  trajectory_get(t->in, &t->index.layout, SERIES_EDGES, frame, 1, edges);
  box_of_rows(edges, box);
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

/* By how many box vectors a position is outside the box. */
static void crossings(const double box[BOX], const double x[3], int32_t n[3])
{
  double f[3];
  box_fraction(box, x, f);
  for (int d = 0; d < 3; d++)
    n[d] = fabs(floor(f[d])) < 1 << 30 ? (int32_t)floor(f[d]) : 0; /* not finite: left as it is */
}

/* Positions as doubles, from those of the file, and their images; unwrapped ones follow a
   continuous path. */
static void positions_set(struct trajectory_frame *f, const float (*stored)[3],
                          enum trajectory_positions from, enum trajectory_positions how)
{
  int inside = from == POSITIONS_WRAPPED || how == POSITIONS_WHOLE; /* nothing to move */
  for (int64_t k = 0; k < f->n; k++) {
    int32_t crossed[3] = {0}, back[3], image[3];
    double *x = f->position[k];
    for (int d = 0; d < 3; d++)
      x[d] = (double)stored[k][d];
    if (!inside) crossings(f->box, x, crossed);
    for (int d = 0; d < 3; d++) {
      image[d] = from == POSITIONS_UNWRAPPED ? 0 : f->image[k][d];
      back[d] = -crossed[d];
      f->image[k][d] = (int32_t)((uint32_t)image[d] + (uint32_t)crossed[d]);
    }
    if (how == POSITIONS_UNWRAPPED) box_shift(f->box, image, x);
    if (how == POSITIONS_WRAPPED) box_shift(f->box, back, x);
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
  if (how == POSITIONS_WHOLE && c->layout.positions != how) {
    h5_reader_fail(in, "its positions are not whole molecules (output.frames_positions)");
    return;
  }
  frame_reserve(f, n, c->layout.elements);
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
  trajectory_checksum_frame(in, c->layout.elements, frame, first - 1, n, data, f->sum);
  if (!in->error[0] && n == c->n)
    trajectory_compare_checksums(in, c->layout.elements & ~HAS_OBSERVED, frame, f->sum);
  if (!in->error[0]) positions_set(f, (const float(*)[3])stored, c->layout.positions, how);
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
  if (r->rank == 0)
    trajectory_compare_checksums(t->in, t->index.layout.elements & ~HAS_OBSERVED, f->frame, sum);
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
