/* Writing of H5MD trajectories: see trajectory.h. All ranks extend the datasets by a frame, write
   it and flush. Step and time are written last, so that an incomplete frame is not counted. */
#include "io/h5md/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "io/backup.h"
#include "io/disk.h"
#include "io/h5.h"
#include "io/h5_read.h"
#include "io/path.h"
#include "io/run_id.h"
#include "io/h5md/check.h"
#include "io/h5md/layout.h"
#include "io/h5md/observed.h"
#include "io/h5md/scan.h"
#include "io/h5md/repair.h"
#include "io/h5md/series.h"
#include "io/h5md/values.h"
#include "io/h5md/undo.h"
#include "io/whole.h"
#include "io/xmf.h"

struct trajectory {
  struct h5_file file;
  struct h5_series element[ELEMENTS], edges, step, time, sums;
  int elements; /* elements in the file, a bit each, and HAS_OBSERVED */
  struct trajectory_observed_list observed;
  struct h5_series *values; /* of the observables */
  int64_t *place;           /* of each value in those of the run; -1: NaN */
  double *value;            /* of a frame */
  enum trajectory_positions positions;
  double precision; /* nm; 0: positions are floats, and nothing is compressed */
  struct selection selection;
  const struct lipids *lipids; /* borrowed */
  struct whole *whole;         /* positions: whole; else NULL */
  int has_checksums;           /* 1: the file has checksums; those of earlier versions do not */
  uint64_t row[CHECKSUMS];     /* checksums of the current frame, of this rank's beads */
  int64_t frames, last_step;
  char *path;
  void *buffer;      /* one element of a frame */
  struct undo *undo; /* rank 0; NULL: there is nothing yet that could be lost */
  struct xmf *xmf;
};

/* The series of all elements, for operations on each of them. */
static int list_series(struct trajectory *t, struct h5_series *list[ELEMENTS + 4])
{
  int n = 0;
  for (int k = 0; k < ELEMENTS; k++)
    if (t->elements >> k & 1) list[n++] = &t->element[k];
  if (t->has_checksums) list[n++] = &t->sums;
  list[n++] = &t->edges;
  list[n++] = &t->step;
  list[n++] = &t->time;
  return n;
}

static void link_step_time(const struct h5_file *f, hid_t position, hid_t group)
{
  H5(f, H5Lcreate_hard, position, "step", group, "step", H5P_DEFAULT, H5P_DEFAULT);
  H5(f, H5Lcreate_hard, position, "time", group, "time", H5P_DEFAULT, H5P_DEFAULT);
}

static void create_box(struct trajectory *t, hid_t particles, hid_t position)
{
  const struct h5_file *f = &t->file;
  static const int dimension = 3;
  hsize_t three = 3;
  hid_t box = h5_group(f, particles, "box"), edges = h5_group(f, box, "edges");
  hid_t type = H5(f, H5Tcopy, H5T_C_S1), space = H5(f, H5Screate_simple, 1, &three, NULL);
  h5_attribute_int(f, box, "dimension", 1, &dimension);
  H5(f, H5Tset_size, type, sizeof "periodic");
  hid_t a = H5(f, H5Acreate2, box, "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5(f, H5Awrite, a, type, "periodic\0periodic\0periodic");
  H5(f, H5Aclose, a);
  H5(f, H5Sclose, space);
  H5(f, H5Tclose, type);
  t->edges = h5_series_create(f, edges, "value", 'd', 3, 3, "nm");
  link_step_time(f, position, edges);
  H5(f, H5Gclose, edges);
  H5(f, H5Gclose, box);
}

static void create_elements(struct trajectory *t, hid_t particles)
{
  const struct h5_file *f = &t->file;
  struct h5_series (*create)(const struct h5_file *, hid_t, const char *, char, int64_t, int,
                             const char *) =
      t->precision > 0 ? h5_series_create_packed : h5_series_create;
  hid_t position = -1;
  for (int k = 0; k < ELEMENTS; k++) {
    const struct trajectory_element *e = &trajectory_element[k];
    if (!(t->elements >> k & 1)) continue;
    hid_t group = h5_group(f, particles, e->name);
    t->element[k] =
        create(f, group, "value", e->datatype, t->selection.total, e->components, e->unit);
    if (k == ELEMENT_POSITION) {
      position = group;
      t->step = h5_series_create(f, group, "step", 'l', 0, 0, NULL);
      t->time = h5_series_create(f, group, "time", 'd', 0, 0, "ps");
    } else {
      link_step_time(f, position, group);
      H5(f, H5Gclose, group);
    }
  }
  create_box(t, particles, position);
  H5(f, H5Gclose, position);
}

static struct h5_series open_series(const struct trajectory *t, int series, char datatype,
                                    int64_t rows, int components)
{
  char path[96];
  return h5_series_open(&t->file, t->file.id, trajectory_series(series, path), datatype, rows,
                        components);
}

/* Opens the datasets of an existing file. */
static void reopen(struct trajectory *t, const struct ranks *r)
{
  h5_append(&t->file, r, t->path);
  for (int k = 0; k < ELEMENTS; k++) {
    const struct trajectory_element *e = &trajectory_element[k];
    if (t->elements >> k & 1)
      t->element[k] =
          open_series(t, SERIES_ELEMENT + k, e->datatype, t->selection.total, e->components);
  }
  if (t->has_checksums)
    t->sums = open_series(t, SERIES_CHECKSUMS, 'w', 1, trajectory_checksum_columns(t->elements));
  trajectory_observed_open(&t->file, &t->observed, t->values);
  t->edges = open_series(t, SERIES_EDGES, 'd', 3, 3);
  t->step = open_series(t, SERIES_STEP, 'l', 0, 0);
  t->time = open_series(t, SERIES_TIME, 'd', 0, 0);
}

/* Creates the dataset of checksums, and an attribute that write_fixed_checksum fills. */
static void create_checksums(struct trajectory *t)
{
  const struct h5_file *f = &t->file;
  int columns = trajectory_checksum_columns(t->elements);
  char text[128];
  t->sums = h5_series_create(f, f->id, TRAJECTORY_CHECKSUMS, 'w', 1, columns, NULL);
  snprintf(text, sizeof text,
           "a row a frame: position, image, velocity, dipole, orientation, clock, guard%s%s%s",
           columns > CHECKSUM_QUATERNION ? ", quaternion" : "",
           columns > CHECKSUM_FORCE ? ", force" : "",
           columns > CHECKSUM_OBSERVED ? ", observables" : "");
  h5_attribute_text(f, t->sums.set, "description", text);
}

static void close_series(struct trajectory *t)
{
  struct h5_series *list[ELEMENTS + 4];
  int n = list_series(t, list);
  for (int k = 0; k < n; k++)
    H5(&t->file, H5Dclose, list[k]->set);
  for (int k = 0; k < t->observed.n; k++)
    H5(&t->file, H5Dclose, t->values[k].set);
  h5_close(&t->file);
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
  h5_attribute_words(&t->file, t->sums.set, "fixed", FIXED, fixed);
  h5_flush(&t->file);
}

/* Upper bound. */
static double frame_bytes(const struct trajectory *t, int64_t beads)
{
  return trajectory_frame_bytes(t->elements, beads, trajectory_observed_count(&t->observed));
}

/* Upper bound: fixed parts, in which a bead has up to two bonds in three datasets, and a first
   frame. */
static double create_bytes(const struct trajectory *t, const struct system *s)
{
  double beads = (double)s->n_total, text = (double)strlen(s->ff->text);
  for (int k = 0; k < t->observed.n; k++)
    text += 8192.0 + (double)strlen(t->observed.one[k].columns);
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
  hid_t all = h5_group(&t->file, t->file.id, "particles");
  hid_t particles = h5_group(&t->file, all, "trajectory");
  create_elements(t, particles);
  trajectory_write_fixed(&t->file, particles, s, &t->selection, t->lipids, t->positions,
                         t->precision);
  trajectory_observed_create(&t->file, &t->observed, t->values);
  create_checksums(t);
  H5(&t->file, H5Gclose, particles);
  H5(&t->file, H5Gclose, all);
  t->has_checksums = 1;
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
  struct h5_series *list[ELEMENTS + 4];
  const int n = list_series(t, list);
  if (r->rank > 0) return;
  t->undo = undo_create(t->path, run);
  for (int k = 0; k < n; k++)
    undo_watch(t->undo, list[k]->set);
  for (int k = 0; k < t->observed.n; k++)
    undo_watch(t->undo, t->values[k].set);
}

static void append(struct trajectory *t, const struct h5_series *series, int64_t first, int64_t n,
                   const void *data)
{
  h5_series_resize(&t->file, series, t->frames + 1);
  h5_series_write(&t->file, series, t->frames, first, n, data);
}

/* Appends one element of this rank's beads. */
static void append_element(struct trajectory *t, int element, const void *data)
{
  int64_t first = t->selection.first, n = t->selection.n;
  t->row[trajectory_element[element].checksum] = trajectory_checksum(element, first, n, data);
  append(t, &t->element[element], first, n, data);
}

/* Appends the values of observables, which rank 0 has. */
static void append_observed(struct trajectory *t, const double *value)
{
  t->row[CHECKSUM_OBSERVED] =
      trajectory_observed_append(&t->file, &t->observed, t->values, t->frames, value);
}

static void append_checksums(struct trajectory *t, const double edges[9], double time, int64_t step)
{
  if (!t->has_checksums) return;
  ranks_sum_int64(t->file.ranks, (int64_t *)t->row, CHECKSUMS);
  trajectory_checksum_row(t->elements, t->frames, step, time, edges, t->row);
  append(t, &t->sums, 0, t->file.ranks->rank == 0, t->row);
}

/* Appends edges, checksums, time and step: the same on all ranks. */
static void append_step_time(struct trajectory *t, const double edges[9], double time, int64_t step)
{
  int head = t->file.ranks->rank == 0; /* writes it */
  append_checksums(t, edges, time, step);
  append(t, &t->edges, 0, 3 * head, edges);
  append(t, &t->time, 0, head, &time);
  append(t, &t->step, 0, head, &step);
  h5_flush(&t->file);
  t->frames++;
  t->last_step = step;
  if (t->xmf) xmf_add(t->xmf, time);
}

/* Copies the complete frames of a damaged file, up to a step, to a new one. */
static void copy_frames(struct trajectory *t, const struct ranks *r, const char *path,
                        const struct trajectory_resume *past, int64_t last_step)
{
  struct salvage v;
  salvage_open(&v, r, &t->selection, path, past);
  while (salvage_next(&v)) {
    if (v.step <= t->last_step || v.step > last_step) continue;
    begin_frame(t);
    for (int k = 0; k < ELEMENTS; k++)
      if (v.data[k]) append_element(t, k, v.data[k]);
    append_observed(t, v.observed);
    append_step_time(t, v.edges, v.time, v.step);
    if (r->rank == 0) past->time[t->frames - 1] = v.time; /* of the new file */
  }
  salvage_close(&v);
}

/* Continues with a new file that holds the complete frames of a damaged one, read `from` it or its
   copy (trajectory_salvage.h). */
static void restart_in_new_file(struct trajectory *t, const struct ranks *r, const struct system *s,
                                const struct trajectory_resume *past, int64_t last_step,
                                const char *from)
{
  char *path = t->path;
  t->path = salvage_name(path);
  info("'%s' cannot be continued (%s): up to %lld frames are copied to a new one", path,
       past->reason, (long long)past->frames);
  if (r->rank == 0) {
    unlink(t->path);
    disk_require(path, "a copy of its frames",
                 (double)past->frames * frame_bytes(t, t->selection.total) +
                     100.0 * (double)t->selection.total);
  }
  create(t, r, s);
  copy_frames(t, r, from, past, last_step);
  if (r->rank == 0) salvage_replace(path, t->path, past, t->frames);
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
    int dipole = t->elements >> ELEMENT_DIPOLE & 1, axis = t->elements >> ELEMENT_AXIS & 1;
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

double trajectory_check_request(const struct ranks *r, const struct system *s,
                                const struct trajectory_request *want)
{
  struct selection selection;
  selection_open_named(&selection, r, s, want->select);
  const int64_t beads = selection.total;
  selection_close(&selection);
  const char *why = want->precision > 0 ? h5_packed_refusal() : NULL;
  if (why) die_all(STATUS_INPUT, "output.frames_precision: %s; set it to 0", why);
  return XMF_FRAME_BYTES + trajectory_frame_bytes(trajectory_elements(s->ff, want), beads,
                                                  trajectory_observed_count(&want->observed));
}

/* Takes over the list of the file. run: the list of this job. */
static void open_observed(struct trajectory *t, const struct trajectory_observed_list *file,
                          const struct trajectory_observed_list *run)
{
  t->observed = *file;
  t->values = alloc_array(file->n, sizeof *t->values);
  t->place = trajectory_observed_places(file, run);
  t->value = alloc_array(trajectory_observed_count(file), sizeof *t->value);
}

struct trajectory *trajectory_open(const struct ranks *r, const char *prefix,
                                   const struct system *s, int64_t restart_step,
                                   const struct trajectory_request *want)
{
  struct trajectory *t = alloc_array(1, sizeof *t);
  char *name = path_with(prefix, ".h5md");
  t->path = path_target(name);
  free(name);
  t->last_step = -1;
  struct trajectory_resume past = {.elements = trajectory_elements(s->ff, want),
                                   .positions = want->positions,
                                   .precision = trajectory_step(want->precision)};
  trajectory_observed_copy(&want->observed, &past.observed);
  selection_open_named(&t->selection, r, s, want->select);
  t->lipids = want->lipids;
  if (restart_step >= 0) salvage_clean(r, t->path, s->run.id);
  int exists = restart_step >= 0 && file_exists(r, t->path);
  char *copy = exists ? salvage_lengthen(r, t->path) : NULL;
  const char *from = copy ? copy : t->path;
  if (exists) trajectory_resume(r, from, s, restart_step, &t->selection, &past);
  if (copy) salvage_say_truncated(&past);
  t->elements = past.elements;
  t->positions = past.positions;
  t->precision = past.precision;
  t->buffer = alloc_array(t->selection.n, ELEMENT_COMPONENTS * sizeof(float));
  open_observed(t, &past.observed, &want->observed);
  if (t->positions == POSITIONS_WHOLE) t->whole = whole_open(r, s);
  if (past.damaged) {
    restart_in_new_file(t, r, s, &past, restart_step, from);
  } else if (exists) {
    if (copy) salvage_take_copy(r, t->path, copy, &past);
    t->frames = past.frames;
    t->last_step = past.last_step;
    t->has_checksums = past.has_checksums;
    reopen(t, r);
  } else {
    create(t, r, s);
  }
  if (copy && r->rank == 0) unlink(copy);
  free(copy);
  open_undo(t, r, s->run.id);
  open_psf_and_xmf(t, r, prefix, s, exists, past.time);
  free(past.time);
  free(past.step);
  return t;
}

int trajectory_has(const struct trajectory *t)
{
  return t->elements;
}

/* The values of the file's observables, from those of the run. */
static void set_values(struct trajectory *t, const double *run)
{
  const int64_t n = trajectory_observed_count(&t->observed);
  if (t->file.ranks->rank != 0) return;
  for (int64_t k = 0; k < n; k++)
    t->value[k] = t->place[k] < 0 ? (double)NAN : run[t->place[k]];
}

void trajectory_write(struct trajectory *t, const struct system *s, const double (*force)[3],
                      const double *observed)
{
  struct trajectory_source from = {s, &t->selection, t->positions, t->precision, NULL, force};
  if (s->clock.step <= t->last_step) return;
  begin_frame(t);
  if (t->whole) {
    whole_update(t->whole, s);
    from.shift = whole_shift(t->whole);
  }
  double edges[9] = {s->box[0], 0, 0, 0, s->box[1], 0, 0, 0, s->box[2]};
  for (int k = 0; k < ELEMENTS; k++) {
    if (!(t->elements >> k & 1)) continue;
    trajectory_values(&from, k, t->buffer);
    append_element(t, k, t->buffer);
  }
  set_values(t, observed);
  append_observed(t, t->value);
  append_step_time(t, edges, s->clock.time, s->clock.step);
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
  trajectory_observed_free(&t->observed);
  free(t->values);
  free(t->place);
  free(t->value);
  free(t->buffer);
  free(t->path);
  free(t);
}
