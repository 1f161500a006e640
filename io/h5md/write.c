/* Writing of H5MD trajectories: see write.h. All ranks extend the datasets by a frame, write it and
   flush. Step and time are written last, so that an incomplete frame is not counted. */
#include "io/h5md/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "io/backup.h"
#include "io/disk.h"
#include "io/foreign/psf.h"
#include "io/h5.h"
#include "io/h5md/check.h"
#include "io/h5md/content.h"
#include "io/h5md/repair.h"
#include "io/h5md/undo.h"
#include "io/run_id.h"
#include "io/xmf.h"
#include "molecules/whole.h"

struct trajectory {
  struct h5_file file;
  struct trajectory_layout layout;
  struct h5_series
      *series; /* of trajectory_series; path is empty where the file does not have it */
  int n_series;
  int64_t *index_in_run; /* of each value of observables in those of the run; -1: NaN */
  double *value;         /* of a frame */
  struct selection selection;
  const struct lipids *lipids; /* borrowed */
  struct whole *whole;         /* positions: whole; else NULL */
  uint64_t row[CHECKSUMS];     /* checksums of the current frame, of this rank's beads */
  int64_t frames, last_step;
  char *path;
  void *buffer;      /* one element of a frame */
  struct undo *undo; /* rank 0; NULL: there is nothing yet that could be lost */
  struct xmf *xmf;
};

/* Files */

/* Lists the datasets. */
static void list_series(struct trajectory *t)
{
  t->n_series = trajectory_series_count(&t->layout);
  free(t->series);
  t->series = alloc_array(t->n_series, sizeof *t->series);
  for (int k = 0; k < t->n_series; k++)
    if (!trajectory_series(&t->layout, t->selection.total, k, &t->series[k]))
      t->series[k].path[0] = 0;
}

static void reopen(struct trajectory *t, const struct ranks *r)
{
  h5_append(&t->file, r, t->path);
  for (int k = 0; k < t->n_series; k++)
    if (t->series[k].path[0]) h5_series_open(&t->file, &t->series[k]);
}

static void close_series(struct trajectory *t)
{
  for (int k = 0; k < t->n_series; k++)
    if (t->series[k].path[0]) H5(&t->file, H5Dclose, t->series[k].set);
  h5_close(&t->file);
}

/* The group of a dataset gets links to step and time. */
static void link_step_time(struct trajectory *t, const char *path)
{
  static const int series[] = {SERIES_STEP, SERIES_TIME};
  static const char *const name[] = {"step", "time"};
  for (int k = 0; k < 2; k++) {
    char link[96];
    snprintf(link, sizeof link, "%.*s/%s", (int)(strrchr(path, '/') - path), path, name[k]);
    H5(&t->file, H5Lcreate_hard, t->file.id, t->series[series[k]].path, t->file.id, link,
       H5P_DEFAULT, H5P_DEFAULT);
  }
}

/* Units go to the file first: trajectory_find_heap. */
static void create_series(struct trajectory *t)
{
  const struct h5_file *f = &t->file;
  const int columns = trajectory_checksum_columns(t->layout.elements);
  char text[128];
  for (int k = 0; k < t->n_series; k++) {
    const int packed = t->layout.precision > 0 && k >= SERIES_ELEMENT && k < SERIES_OBSERVED;
    if (t->series[k].path[0]) h5_series_create(f, &t->series[k], packed);
  }
  for (int k = SERIES_EDGES; k < t->n_series; k++)
    if (t->series[k].path[0] && k != SERIES_CHECKSUMS && k != SERIES_ELEMENT + ELEMENT_POSITION)
      link_step_time(t, t->series[k].path);
  snprintf(text, sizeof text,
           "a row a frame: position, image, velocity, dipole, orientation, clock, guard%s%s%s",
           columns > CHECKSUM_QUATERNION ? ", quaternion" : "",
           columns > CHECKSUM_FORCE ? ", force" : "",
           columns > CHECKSUM_OBSERVED ? ", observables" : "");
  h5_attribute_text(f, t->series[SERIES_CHECKSUMS].set, "description", text);
}

/* Computes the checksum of the fixed parts of the new, closed file as they are read back, opens the
   file for frames, and stores the checksum in it. */
static void write_fixed_checksum(struct trajectory *t, const struct ranks *r)
{
  struct h5_reader in;
  ranks_barrier(r);
  h5_reader_open(&in, t->path);
  uint64_t fixed[FIXED] = {trajectory_checksum_fixed(&in, r->rank, r->size)};
  h5_reader_close(&in);
  h5_reader_require_ok(&in, r);
  ranks_sum_int64(r, (int64_t *)fixed, 1);
  if (r->rank == 0) trajectory_find_heap(t->path, fixed);
  ranks_broadcast(r, fixed, sizeof fixed);
  reopen(t, r);
  h5_attribute(&t->file, t->series[SERIES_CHECKSUMS].set, "fixed", 'w', FIXED, fixed);
  h5_flush(&t->file);
}

/* Upper bound. */
static double frame_bytes(const struct trajectory *t, int64_t beads)
{
  return trajectory_frame_bytes(t->layout.elements, beads,
                                trajectory_observed_count(&t->layout.observed));
}

/* Upper bound: fixed parts, in which a bead has up to two bonds in three datasets, and a first
   frame. */
static double create_bytes(const struct trajectory *t, const struct system *s)
{
  double beads = (double)s->n_total, text = (double)strlen(s->ff->text);
  for (int k = 0; k < t->layout.observed.n; k++)
    text += 8192.0 + (double)strlen(t->layout.observed.one[k].columns);
  return 160.0 * beads + text + frame_bytes(t, s->n_total) + (1 << 17);
}

static void create(struct trajectory *t, const struct ranks *r, const struct system *s)
{
  if (r->rank == 0) {
    backup_previous(t->path);
    undo_remove(t->path);
    /* On a full disk HDF5 hangs if the write of one rank fails and that of another does not. */
    disk_require(t->path, "a trajectory", create_bytes(t, s));
  }
  ranks_barrier(r);
  h5_create(&t->file, r, t->path, H5_COMMON);
  t->file.variable_units = 1;
  list_series(t);
  create_series(t);
  trajectory_write_fixed(&t->file, s, &t->selection, t->lipids, &t->layout);
  close_series(t);
  write_fixed_checksum(t, r);
}

/* Before each frame: what it changes is kept, and the space is checked, because MPI-IO may not
   report a write that failed. */
static void begin_frame(const struct trajectory *t)
{
  if (t->file.ranks->rank == 0)
    disk_require(t->path, "a frame", frame_bytes(t, t->selection.total) + (1 << 20));
  if (t->undo) undo_keep(t->undo, t->frames);
  ranks_barrier(t->file.ranks);
}

/* Frames that follow are added to a file that must not lose those it has. */
static void open_undo(struct trajectory *t, const struct ranks *r, const char *run)
{
  if (r->rank > 0) return;
  t->undo = undo_create(t->path, run);
  for (int k = 0; k < t->n_series; k++)
    if (t->series[k].path[0]) undo_watch(t->undo, t->series[k].set);
}

static void append(struct trajectory *t, int series, int64_t first, int64_t n, const void *data)
{
  h5_series_resize(&t->file, &t->series[series], t->frames + 1);
  h5_series_write(&t->file, &t->series[series], t->frames, first, n, data);
}

/* Appends one element of this rank's beads. */
static void append_element(struct trajectory *t, int element, const void *data)
{
  int64_t first = t->selection.first, n = t->selection.n;
  t->row[trajectory_element[element].checksum] = trajectory_checksum(element, first, n, data);
  append(t, SERIES_ELEMENT + element, first, n, data);
}

/* Appends the values of observables, which rank 0 has, checksums, edges, time and step. */
static void end_frame(struct trajectory *t, const double *value, const double edges[9], double time,
                      int64_t step)
{
  const int head = t->file.ranks->rank == 0; /* writes it */
  const double *from = value;
  for (int k = SERIES_OBSERVED; k < t->n_series; from += t->series[k++].rows)
    append(t, k, 0, head ? t->series[k].rows : 0, from);
  t->row[CHECKSUM_OBSERVED] = head ? trajectory_checksum_observed(&t->layout.observed, value) : 0;
  ranks_sum_int64(t->file.ranks, (int64_t *)t->row, CHECKSUMS);
  trajectory_checksum_row(t->layout.elements, t->frames, step, time, edges, t->row);
  append(t, SERIES_CHECKSUMS, 0, head, t->row);
  append(t, SERIES_EDGES, 0, 3 * head, edges);
  append(t, SERIES_TIME, 0, head, &time);
  append(t, SERIES_STEP, 0, head, &step);
  h5_flush(&t->file);
  t->frames++;
  t->last_step = step;
  if (t->xmf) xmf_add(t->xmf, time);
}

/* Copies the complete frames of a damaged file, up to a step, to a new one. */
static void copy_frames(struct trajectory *t, const struct ranks *r, const char *path,
                        const struct trajectory_index *c, int64_t last_step)
{
  struct h5_reader in;
  char *data[ELEMENTS] = {NULL};
  double edges[9] = {0};
  for (int k = 0; k < ELEMENTS; k++)
    if (c->layout.elements >> k & 1)
      data[k] = alloc_array(t->selection.n, trajectory_element_bytes(k));
  h5_reader_open(&in, path);
  for (int64_t frame = 0; frame < c->frames; frame++) {
    const int64_t step = c->step[frame];
    if (step <= t->last_step || step > last_step ||
        !trajectory_read_whole(r, &in, c, frame, &t->selection, data, edges, t->value))
      continue;
    begin_frame(t);
    for (int k = 0; k < ELEMENTS; k++)
      if (data[k]) append_element(t, k, data[k]);
    end_frame(t, t->value, edges, c->time[frame], step);
    c->time[t->frames - 1] = c->time[frame]; /* of the new file */
  }
  h5_reader_close(&in);
  for (int k = 0; k < ELEMENTS; k++)
    free(data[k]);
}

/* Continues with a new file that holds the complete frames of a damaged one. */
static void restart_in_new_file(struct trajectory *t, const struct ranks *r, const struct system *s,
                                const struct trajectory_past *past, int64_t last_step)
{
  char *path = t->path;
  t->path = trajectory_new_name(path);
  info("'%s' cannot be continued (%s): up to %lld frames are copied to a new one", path,
       past->reason, (long long)past->index.frames);
  if (r->rank == 0) {
    unlink(t->path);
    disk_require(path, "a copy of its frames",
                 (double)past->index.frames * frame_bytes(t, t->selection.total) +
                     100.0 * (double)t->selection.total);
  }
  create(t, r, s);
  copy_frames(t, r, past->copy ? past->copy : path, &past->index, last_step);
  if (r->rank == 0) trajectory_replace(path, t->path, past, t->frames);
  free(t->path);
  t->file.path = t->path = path;
}

/* Rank 0 looks; all ranks get the answer. */
static int64_t file_exists(const struct ranks *r, const char *path)
{
  int64_t exists = r->rank == 0 && path_exists(path);
  ranks_broadcast(r, &exists, sizeof exists);
  return exists;
}

int trajectory_exists(const struct ranks *r, const char *prefix)
{
  char *name = path_with(prefix, ".h5md"), *path = path_target(name);
  int64_t exists = file_exists(r, path);
  free(name);
  free(path);
  return (int)exists;
}

/* Writes the PSF unless it exists, and the .xmf of the frames so far. */
static void open_psf_and_xmf(struct trajectory *t, const struct ranks *r, const char *prefix,
                             const struct system *s, int exists, const double *time)
{
  char *psf = path_with(prefix, ".psf"), *xmf = path_with(prefix, ".xmf");
  char *name = path_with(prefix, ".h5md");
  if (exists && file_exists(r, psf))
    run_id_require_beads(r, psf, t->selection.total);
  else
    psf_write(r, psf, s, &t->selection);
  if (r->rank == 0) {
    int dipole = t->layout.elements >> ELEMENT_DIPOLE & 1,
        axis = t->layout.elements >> ELEMENT_AXIS & 1;
    int vector = dipole ? ELEMENT_DIPOLE : ELEMENT_AXIS;
    t->xmf = xmf_open(xmf, name, t->selection.total,
                      dipole || axis ? trajectory_element[vector].name : NULL);
    for (int64_t k = 0; time && k < t->frames; k++)
      xmf_add(t->xmf, time[k]);
  }
  free(psf);
  free(xmf);
  free(name);
}

double trajectory_check_request(const struct system *s, const struct trajectory_request *want)
{
  const int64_t beads = want->select[0] ? want->beads->n : s->n_total;
  const char *why = want->precision > 0 ? h5_packed_refusal() : NULL;
  if (why) die_all(STATUS_INPUT, "output.frames_precision: %s; set it to 0", why);
  return XMF_FRAME_BYTES + trajectory_frame_bytes(trajectory_elements(s->ff, want), beads,
                                                  trajectory_observed_count(&want->observed));
}

/* Where each value of the file is among the values of the run; -1: not there. Caller frees. */
static int64_t *find_values(const struct trajectory_observed_list *file,
                            const struct trajectory_observed_list *run)
{
  int64_t *index = alloc_array(trajectory_observed_count(file), sizeof *index), at = 0;
  for (int k = 0; k < file->n; k++) {
    int64_t first;
    const int known = trajectory_observed_find(run, file->one[k].name, &first) != NULL;
    for (int64_t v = 0; v < file->one[k].values; v++)
      index[at++] = known ? first + v : -1;
  }
  return index;
}

struct trajectory *trajectory_open(const struct ranks *r, const char *prefix,
                                   const struct system *s, int64_t restart_step,
                                   const struct trajectory_request *want)
{
  struct trajectory *t = alloc_array(1, sizeof *t);
  struct trajectory_past past = {.damaged = 0};
  char *name = path_with(prefix, ".h5md");
  t->path = path_target(name);
  free(name);
  t->last_step = -1;
  t->lipids = want->lipids;
  trajectory_layout_of(&t->layout, s->ff, want);
  selection_open(&t->selection, r, s, want->beads, want->select);
  if (restart_step >= 0) trajectory_clean(r, t->path, s->run.id);
  const int exists = restart_step >= 0 && file_exists(r, t->path);
  if (exists) trajectory_resume(r, t->path, s, restart_step, &t->selection, &t->layout, &past);
  t->buffer = alloc_array(t->selection.n, ELEMENT_COMPONENTS * sizeof(float));
  t->index_in_run = find_values(&t->layout.observed, &want->observed);
  t->value = alloc_array(trajectory_observed_count(&t->layout.observed), sizeof *t->value);
  if (t->layout.positions == POSITIONS_WHOLE) t->whole = whole_open(r, s, BY_BONDS);
  if (past.damaged) {
    restart_in_new_file(t, r, s, &past, restart_step);
  } else if (exists) {
    t->frames = past.index.frames;
    if (t->frames > 0) t->last_step = past.index.step[t->frames - 1];
    list_series(t);
    reopen(t, r);
  } else {
    create(t, r, s);
  }
  open_undo(t, r, s->run.id);
  open_psf_and_xmf(t, r, prefix, s, exists, past.index.time);
  trajectory_past_free(r, &past);
  return t;
}

int trajectory_has(const struct trajectory *t)
{
  return t->layout.elements;
}

/* The values of the file's observables, from those of the run. */
static void set_values(struct trajectory *t, const double *run)
{
  const int64_t n = trajectory_observed_count(&t->layout.observed);
  if (t->file.ranks->rank != 0) return;
  for (int64_t k = 0; k < n; k++)
    t->value[k] = t->index_in_run[k] < 0 ? (double)NAN : run[t->index_in_run[k]];
}

void trajectory_write(struct trajectory *t, const struct system *s, const double (*force)[3],
                      const double *observed)
{
  struct trajectory_source from = {s,    &t->selection, t->layout.positions, t->layout.precision,
                                   NULL, force};
  if (s->clock.step <= t->last_step) return;
  begin_frame(t);
  if (t->whole) {
    whole_update(t->whole, s);
    from.shift = whole_shift(t->whole);
  }
  double edges[9];
  box_rows(s->box, edges);
  for (int k = 0; k < ELEMENTS; k++) {
    if (!(t->layout.elements >> k & 1)) continue;
    trajectory_values(&from, k, t->buffer);
    append_element(t, k, t->buffer);
  }
  set_values(t, observed);
  end_frame(t, t->value, edges, s->clock.time, s->clock.step);
}

void trajectory_close(struct trajectory *t)
{
  if (!t) return;
  const struct ranks *r = t->file.ranks;
  close_series(t);
  ranks_barrier(r);
  if (t->undo) undo_remove(t->path);
  undo_destroy(t->undo);
  xmf_close(t->xmf);
  selection_close(&t->selection);
  whole_close(t->whole);
  trajectory_observed_free(&t->layout.observed);
  free(t->series);
  free(t->index_in_run);
  free(t->value);
  free(t->buffer);
  free(t->path);
  free(t);
}
