#include "observe/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/version.h"
#include "io/h5.h"
#include "io/h5_read.h"
#include "io/path_check.h"

#define H5_SUFFIX ".observables.h5"

static void results_from(const void *argument, const double *mean, double *result)
{
  observable_results(argument, mean, result);
}

/* The autocorrelation time of a mean from its error: error^2 = variance/n (1 + 2 tau/interval). */
static double time_of(const struct observable *o, const struct blocks *b, int value, double error)
{
  const double interval = (double)o->every * o->about->dt;
  const double naive = blocks_variance(b, value) / (double)b->samples;
  if (!(naive > 0) || isnan(error)) return (double)NAN;
  return fmax(error * error / naive - 1, 0) / 2 * interval;
}

static void times_set(const struct observable *o, const struct blocks *b, struct observe_results *r)
{
  for (int k = 0; k < o->results; k++)
    r->time[k] = (double)NAN;
  for (int t = 0; t < o->tables; t++)
    for (int c = 0; c < o->table[t].columns; c++) {
      const int value = o->table[t].column[c].value;
      const double *at = observe_column_of(o, r->error, t, c);
      double *to = observe_column_of(o, r->time, t, c);
      for (int k = 0; value >= 0 && k < o->table[t].rows; k++)
        to[k] = time_of(o, b, value + k, at[k]);
    }
}

/* Rows of a table with an axis, without the last ones that have no value. */
static int rows_of(const struct observable *o, int t, double *value)
{
  const struct observe_table *table = &o->table[t];
  int rows = table->rows;
  for (int empty = 1; table->axis && rows > 1; rows--) {
    for (int c = 0; c < table->columns; c++)
      empty &= isnan(observe_column_of(o, value, t, c)[rows - 1]) != 0;
    if (!empty) break;
  }
  return rows;
}

static void results_open(const struct observable *o, struct observe_results *r)
{
  r->value = alloc_array(o->results, sizeof *r->value);
  r->error = alloc_array(o->results, sizeof *r->error);
  r->time = alloc_array(o->results, sizeof *r->time);
  r->rows = alloc_array(o->tables, sizeof *r->rows);
}

void observe_results_of(const struct observable *o, const double *saved, int64_t n,
                        struct observe_results *out)
{
  struct observable copy = *o;
  copy.kept = NULL;
  copy.n_kept = 0;
  copy.last = NULL;
  blocks_open(&copy.blocks, o->values);
  if (!observable_load(&copy, saved, n)) die(STATUS_IO, "results of %s are damaged", o->name);
  results_open(o, out);
  out->samples = copy.blocks.samples;
  out->first_step = copy.first_step;
  out->last_step = copy.last_step;
  double *mean = alloc_array(o->values, sizeof *mean);
  blocks_mean(&copy.blocks, mean);
  observable_results(&copy, mean, out->value);
  out->flat = o->flat_grid ? mean[o->values - 1] : 1;
  blocks_errors(&copy.blocks, results_from, &copy, o->results, out->error);
  times_set(o, &copy.blocks, out);
  for (int t = 0; t < o->tables; t++)
    out->rows[t] = rows_of(o, t, out->value);
  free(mean);
  blocks_close(&copy.blocks);
  free(copy.kept);
}

void observe_results_free(struct observe_results *r)
{
  free(r->value);
  free(r->error);
  free(r->time);
  free(r->rows);
}

static void put_column(const struct h5_file *f, hid_t group, const char *name, const char *suffix,
                       const char *unit, int rows, const double *data)
{
  char full[OBSERVE_NAME + 8];
  snprintf(full, sizeof full, "%s%s", name, suffix);
  struct h5_table table = {full, unit, NULL, 'd', 1, rows};
  h5_put_rank0(f, group, &table, data);
}

static void put_axis(const struct h5_file *f, hid_t group, const struct observable *o, int t,
                     int rows, double *value)
{
  const struct observe_table *table = &o->table[t];
  if (!table->axis) {
    h5_put_text(f, group, "label", "what the rows are", rows, OBSERVE_NAME,
                (const char *)table->label);
    return;
  }
  put_column(f, group, "axis", "", table->axis_unit, rows, observe_axis_of(o, value, t));
  hid_t set = H5(f, H5Dopen2, group, "axis", H5P_DEFAULT);
  h5_attribute_text(f, set, "name", table->axis);
  H5(f, H5Dclose, set);
}

static void put_table(const struct h5_file *f, hid_t parent, const struct observable *o, int t,
                      const struct observe_results *r)
{
  const struct observe_table *table = &o->table[t];
  hid_t group = h5_group(f, parent, table->name);
  const int rows = r->rows[t];
  put_axis(f, group, o, t, rows, r->value);
  for (int c = 0; c < table->columns; c++) {
    const struct observe_column *column = &table->column[c];
    put_column(f, group, column->name, "", column->unit, rows,
               observe_column_of(o, r->value, t, c));
    put_column(f, group, column->name, "_error", column->unit, rows,
               observe_column_of(o, r->error, t, c));
    put_column(f, group, column->name, "_time", "ps", rows, observe_column_of(o, r->time, t, c));
  }
  H5(f, H5Gclose, group);
}

static void put_observable(const struct h5_file *f, const struct observable *o,
                           const struct observe_results *r)
{
  double flat = r->flat;
  const double interval = (double)o->every * o->about->dt;
  uint64_t number[5] = {(uint64_t)o->every, (uint64_t)o->from, (uint64_t)r->samples,
                        (uint64_t)r->first_step, (uint64_t)r->last_step};
  static const char *const name[] = {"every", "from", "samples", "first_step", "last_step"};
  hid_t group = h5_group(f, f->id, o->name);
  ranks_broadcast(f->ranks, number, sizeof number);
  ranks_broadcast(f->ranks, &flat, sizeof flat);
  ranks_broadcast(f->ranks, r->rows, o->tables * (int64_t)sizeof *r->rows);
  h5_attribute_text(f, group, "kind", o->kind->name);
  h5_attribute_text(f, group, "options", o->options);
  if (o->choices) h5_attribute_text(f, group, "choices", o->choices);
  h5_attribute(f, group, "interval", 'd', 0, &interval);
  if (o->flat_grid) h5_attribute(f, group, "flat", 'd', 0, &flat);
  for (int k = 0; k < 5; k++)
    h5_attribute(f, group, name[k], 'w', 1, &number[k]);
  for (int t = 0; t < o->tables; t++)
    put_table(f, group, o, t, r);
  H5(f, H5Gclose, group);
}

static void csv_number(FILE *f, double value)
{
  if (isnan(value))
    fprintf(f, ",");
  else
    fprintf(f, ",%.10g", value);
}

static void csv_table(FILE *f, const struct observable *o, int t, const struct observe_results *r)
{
  const struct observe_table *table = &o->table[t];
  if (table->axis)
    fprintf(f, "%s_%s", table->axis, table->axis_unit);
  else
    fprintf(f, "label");
  for (int c = 0; c < table->columns; c++)
    fprintf(f, ",%s,%s_error", table->column[c].name, table->column[c].name);
  for (int k = 0; k < r->rows[t]; k++) {
    if (table->axis)
      fprintf(f, "\n%.10g", observe_axis_of(o, r->value, t)[k]);
    else
      fprintf(f, "\n%s", table->label[k]);
    for (int c = 0; c < table->columns; c++) {
      csv_number(f, observe_column_of(o, r->value, t, c)[k]);
      csv_number(f, observe_column_of(o, r->error, t, c)[k]);
    }
  }
  fprintf(f, "\n");
}

/* Path of a table. Caller frees. */
static char *csv_path(const char *prefix, const struct observable *o, int t)
{
  char suffix[2 * OBSERVE_NAME + 8];
  snprintf(suffix, sizeof suffix, ".%s.%s.csv", o->name, o->table[t].name);
  return path_with(prefix, suffix);
}

/* The files of a set of results while they are temporary. */
struct pending {
  int n;
  char **temporary, **path; /* [n]; links are resolved */
};

/* Adds a file. Returns the name of its temporary one, which belongs to the list. */
static const char *pending_add(struct pending *p, const char *path)
{
  p->path = grow_array(p->path, p->n + 1, sizeof *p->path);
  p->temporary = grow_array(p->temporary, p->n + 1, sizeof *p->temporary);
  p->path[p->n] = path_target(path);
  p->temporary[p->n] = path_with(p->path[p->n], ".tmp");
  return p->temporary[p->n++];
}

/* Removes all temporary files and dies. */
static void pending_fail(const struct pending *p, const char *path, int why)
{
  for (int k = 0; k < p->n; k++)
    unlink(p->temporary[k]);
  die(STATUS_IO, "cannot write '%s': %s; the results that were there before stand", path,
      strerror(why));
}

/* Gives all files their names, the one that was added first last. */
static void pending_publish(const struct pending *p)
{
  for (int k = p->n - 1; k >= 0; k--)
    if (rename(p->temporary[k], p->path[k])) pending_fail(p, p->path[k], errno);
}

static void pending_free(struct pending *p)
{
  for (int k = 0; k < p->n; k++) {
    free(p->temporary[k]);
    free(p->path[k]);
  }
  free(p->temporary);
  free(p->path);
}

static void csv_write(struct pending *p, const char *prefix, const struct observable *o, int t,
                      const struct observe_results *r)
{
  char *path = csv_path(prefix, o, t);
  const char *temporary = pending_add(p, path);
  FILE *f = path_create(temporary);
  if (!f) pending_fail(p, temporary, errno);
  csv_table(f, o, t, r);
  const int failed = replace_finish(f);
  if (failed) pending_fail(p, temporary, failed);
  free(path);
}

void observe_results_check(const struct ranks *r, const char *prefix, const struct observable *o,
                           int n)
{
  for (int k = 0; r->rank == 0 && k < n; k++)
    for (int t = 0; t < o[k].tables; t++) {
      char *path = csv_path(prefix, &o[k], t);
      path_check_text(path);
      free(path);
    }
  ranks_barrier(r);
}

static void h5_write(const struct ranks *r, const char *temporary, const char *run,
                     const struct observable *o, int n, const struct observe_results *now)
{
  struct h5_file f;
  const int version = 1;
  h5_create(&f, r, temporary, H5_CHECKED);
  f.temporary = 1;
  h5_attribute_text(&f, f.id, "format", "lamella observables");
  h5_attribute(&f, f.id, "format_version", 'i', 0, &version);
  h5_attribute_text(&f, f.id, "program", "lamella " LAMELLA_VERSION);
  h5_attribute_text(&f, f.id, "run_id", run);
  char *lipids = n > 0 ? lipids_text(o[0].about->lipids) : NULL;
  if (lipids) h5_attribute_text(&f, f.id, "membrane", lipids);
  free(lipids);
  for (int k = 0; k < n; k++)
    put_observable(&f, &o[k], &now[k]);
  h5_flush(&f);
  h5_close(&f);
  ranks_barrier(r);
}

void observe_results_write(const struct ranks *r, const char *prefix, const char *run,
                           const struct observable *o, int n, double *const *saved,
                           const int64_t *length)
{
  char *path = path_with(prefix, H5_SUFFIX);
  struct pending files = {0};
  struct observe_results *now = alloc_array(n, sizeof *now);
  for (int k = 0; k < n; k++)
    if (r->rank == 0)
      observe_results_of(&o[k], saved[k], length[k], &now[k]);
    else
      results_open(&o[k], &now[k]);
  h5_write(r, pending_add(&files, path), run, o, n, now);
  for (int k = 0; r->rank == 0 && k < n; k++)
    for (int t = 0; t < o[k].tables; t++)
      csv_write(&files, prefix, &o[k], t, &now[k]);
  if (r->rank == 0) pending_publish(&files);
  ranks_barrier(r);
  pending_free(&files);
  for (int k = 0; k < n; k++)
    observe_results_free(&now[k]);
  free(now);
  free(path);
}

/* 1 if a group of the file of results is of these samples. */
static int is_current(struct h5_reader *in, const struct observable *o)
{
  int64_t samples = 0, last = 0;
  const int known = h5_exists(in, o->name) &&
                    h5_get_attribute(in, o->name, "samples", 'l', 1, &samples) &&
                    h5_get_attribute(in, o->name, "last_step", 'l', 1, &last);
  return known && samples == o->blocks.samples && last == o->last_step;
}

/* Rank 0. */
static void copy_file(const char *from, const char *to)
{
  char part[1 << 16];
  size_t n;
  FILE *in = fopen(from, "rb");
  if (!in) die(STATUS_IO, "cannot copy '%s' to '%s': %s", from, to, strerror(errno));
  struct replacement out = replacement_open(to);
  while ((n = fread(part, 1, sizeof part, in)) > 0 && fwrite(part, 1, n, out.out) == n)
    continue;
  if (ferror(in)) {
    unlink(out.temporary);
    die(STATUS_IO, "cannot read '%s'", from);
  }
  fclose(in);
  replacement_close(&out);
}

void observe_results_copy(const struct ranks *r, const char *prefix, int64_t step)
{
  char *path = path_with(prefix, H5_SUFFIX), suffix[80];
  snprintf(suffix, sizeof suffix, ".until_%" PRId64 ".observables.h5", step);
  char *copy = path_with(prefix, suffix);
  if (r->rank == 0) copy_file(path, copy);
  info("observe: '%s' keeps the results until step %" PRId64, copy, step);
  ranks_barrier(r);
  free(copy);
  free(path);
}

int observe_results_are_current(const struct ranks *r, const char *prefix, const char *run,
                                const struct observable *o, int n)
{
  struct h5_reader in;
  char was[64] = "", *path = path_with(prefix, H5_SUFFIX);
  int64_t current = 1;
  if (r->rank == 0) {
    h5_reader_open(&in, path);
    current = h5_get_attribute_text(&in, "/", "run_id", was, sizeof was) && !strcmp(was, run);
    for (int k = 0; k < n && current; k++) {
      current = is_current(&in, &o[k]);
      for (int t = 0; t < o[k].tables && current; t++) {
        char *table = csv_path(prefix, &o[k], t);
        current = path_exists(table);
        free(table);
      }
    }
    current = current && !in.error[0];
    h5_reader_close(&in);
  }
  free(path);
  ranks_broadcast(r, &current, sizeof current);
  return (int)current;
}
