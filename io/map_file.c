/* HDF5 files of maps: see map_file.h. Written to a temporary file, flushed, and renamed. */
#include "io/map_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/units.h"
#include "base/version.h"
#include "io/h5.h"
#include "io/h5_read.h"

static const char unit[] = "kJ/mol/e";

static void write_attributes(const struct h5_file *f, const struct map_grid *g,
                             const struct map_about *a)
{
  const int version = MAP_FILE_VERSION;
  const double volts = 1 / UNITS_VOLT;
  h5_attribute_text(f, f->id, "format", MAP_FILE_FORMAT);
  h5_attribute(f, f->id, "format_version", 'i', 0, &version);
  h5_attribute_text(f, f->id, "program", "lamella " LAMELLA_VERSION);
  h5_attribute_text(f, f->id, "git", LAMELLA_GIT);
  h5_attribute_text(f, f->id, "unit", unit);
  h5_attribute(f, f->id, "volt_per_unit", 'd', 0, &volts);
  h5_attribute_text(f, f->id, "length_unit", "nm");
  h5_attribute_text(f, f->id, "time_unit", "ps");
  h5_attribute(f, f->id, "origin", 'd', 3, g->origin);
  h5_attribute(f, f->id, "spacing", 'd', 3, g->spacing);
  h5_attribute(f, f->id, "box", 'd', 3, a->box);
  if (box_is_oblique(a->box)) h5_attribute(f, f->id, "tilt", 'd', 3, a->box + 3);
  h5_attribute_text(f, f->id, "method", a->method);
  h5_attribute(f, f->id, "cutoff", 'd', 0, &a->cutoff);
  h5_attribute(f, f->id, "relative_permittivity", 'd', 0, &a->permittivity);
  h5_attribute_text(f, f->id, "boundary", a->boundary);
  h5_attribute_text(f, f->id, "sum", a->sum);
  h5_attribute_text(f, f->id, "precision", a->precision);
  h5_attribute_text(f, f->id, "types", a->types);
  h5_attribute(f, f->id, "frames", 'l', 0, &a->frames);
  h5_attribute(f, f->id, "first_step", 'l', 0, &a->first_step);
  h5_attribute(f, f->id, "last_step", 'l', 0, &a->last_step);
  h5_attribute(f, f->id, "first_time", 'd', 0, &a->first_time);
  h5_attribute(f, f->id, "last_time", 'd', 0, &a->last_time);
}

static void write_values(const struct h5_file *f, const struct map_grid *g, const char *name,
                         const char *text, const void *value)
{
  const struct h5_table table = {
      .name = name, .unit = unit, .text = text, .datatype = g->bytes == 4 ? 'f' : 'd'};
  const int64_t size[3] = {g->n[2], g->n[1], g->n[0]};
  h5_put_planes(f, f->id, &table, size, g->first, g->count, value);
}

double map_file_copy(double values, double plane)
{
  return fmin(values, fmax(H5_PLANES, plane));
}

void map_file_write(const struct ranks *r, const char *path, const struct map_grid *g,
                    const struct map_about *about, const void *potential, const void *deviation)
{
  const int complete = 1;
  const double values = (double)g->n[0] * g->n[1] * g->n[2] * (deviation ? 2 : 1);
  char *target = path_target(path), *temporary = path_with(target, ".tmp");
  struct h5_file f;
  h5_create_temporary(&f, r, temporary, "a map", 1.02 * values * g->bytes + (1 << 20));
  write_attributes(&f, g, about);
  write_values(&f, g, "potential", "mean over the frames, [z][y][x]", potential);
  if (deviation)
    write_values(&f, g, "deviation", "standard deviation over the frames, [z][y][x]", deviation);
  h5_attribute(&f, f.id, "complete", 'i', 0, &complete);
  h5_flush(&f);
  h5_close(&f);
  ranks_barrier(r);
  if (r->rank == 0) replace_file(temporary, target, NULL);
  ranks_barrier(r);
  free(temporary);
  free(target);
}

static void read_attributes(struct h5_reader *in, struct map_grid *g, struct map_about *a)
{
  char format[32];
  int version = 0, complete = 0;
  if (!h5_get_attribute_text(in, "/", "format", format, sizeof format) ||
      strcmp(format, MAP_FILE_FORMAT) != 0)
    h5_reader_fail(in, "it is not a map of lamella");
  else if (!h5_get_attribute(in, "/", "format_version", 'i', 1, &version) ||
           version != MAP_FILE_VERSION)
    h5_reader_fail(in, "it has version %d of the format, and this program reads version %d",
                   version, MAP_FILE_VERSION);
  else if (!h5_get_attribute(in, "/", "complete", 'i', 1, &complete) || complete != 1)
    h5_reader_fail(in, "it was not written to its end");
  int good = h5_get_attribute(in, "/", "origin", 'd', 3, g->origin) &&
             h5_get_attribute(in, "/", "spacing", 'd', 3, g->spacing) &&
             h5_get_attribute(in, "/", "box", 'd', 3, a->box) &&
             h5_get_attribute_text(in, "/", "method", a->method, sizeof a->method) &&
             h5_get_attribute(in, "/", "cutoff", 'd', 1, &a->cutoff) &&
             h5_get_attribute(in, "/", "relative_permittivity", 'd', 1, &a->permittivity) &&
             h5_get_attribute_text(in, "/", "boundary", a->boundary, sizeof a->boundary) &&
             h5_get_attribute_text(in, "/", "sum", a->sum, sizeof a->sum) &&
             h5_get_attribute_text(in, "/", "precision", a->precision, sizeof a->precision) &&
             h5_get_attribute_text(in, "/", "types", a->types, sizeof a->types) &&
             h5_get_attribute(in, "/", "frames", 'l', 1, &a->frames) &&
             h5_get_attribute(in, "/", "first_step", 'l', 1, &a->first_step) &&
             h5_get_attribute(in, "/", "last_step", 'l', 1, &a->last_step) &&
             h5_get_attribute(in, "/", "first_time", 'd', 1, &a->first_time) &&
             h5_get_attribute(in, "/", "last_time", 'd', 1, &a->last_time);
  if (!good) h5_reader_fail(in, "attributes of a map are missing or of another type");
  for (int k = 0; k < 3; k++)
    if (good && !(isfinite(g->origin[k]) && isfinite(g->spacing[k]) && g->spacing[k] > 0))
      h5_reader_fail(in, "origin or spacing is impossible");
}

static void read_sizes(struct h5_reader *in, struct map_grid *g, char *datatype)
{
  int64_t size[3] = {0};
  *datatype = h5_datatype(in, "potential");
  if (*datatype != 'f' && *datatype != 'd')
    h5_reader_fail(in, "dataset potential of float or double numbers is missing");
  else
    h5_sizes_planes(in, "potential", *datatype, size);
  for (int k = 0; k < 3; k++) {
    if (!in->error[0] && (size[k] < 1 || size[k] > INT32_MAX))
      h5_reader_fail(in, "dataset potential has a size of %lld", (long long)size[k]);
    g->n[2 - k] = in->error[0] ? 0 : (int)size[k];
  }
  g->bytes = *datatype == 'f' ? 4 : 8;
  g->count = g->n[2];
}

/* Widens the range and adds to the sum of the values of some planes. */
static void range_add(const void *value, char datatype, int64_t n, struct map_range *range)
{
  for (int64_t k = 0; k < n; k++) {
    const double v =
        datatype == 'f' ? (double)((const float *)value)[k] : ((const double *)value)[k];
    range->least = fmin(range->least, v);
    range->most = fmax(range->most, v);
    range->mean += v;
  }
}

void map_file_look(struct h5_reader *in, struct map_grid *g, struct map_about *about,
                   struct map_range *range)
{
  enum { PLANES = 8 };
  char datatype;
  memset(g, 0, sizeof *g);
  memset(about, 0, sizeof *about);
  *range = (struct map_range){HUGE_VAL, -HUGE_VAL, 0};
  read_attributes(in, g, about);
  read_sizes(in, g, &datatype);
  const int64_t plane = (int64_t)g->n[0] * g->n[1];
  void *value = alloc_array(PLANES * plane, (unsigned long)g->bytes);
  for (int z = 0; z < g->n[2] && !in->error[0]; z += PLANES) {
    const int count = g->n[2] - z < PLANES ? g->n[2] - z : PLANES;
    h5_get(in, "potential", datatype, z, count, value);
    if (!in->error[0]) range_add(value, datatype, count * plane, range);
  }
  range->mean /= (double)plane * g->n[2];
  free(value);
}

double *map_file_values(struct h5_reader *in, struct map_grid *g)
{
  struct map_about about;
  char datatype;
  memset(g, 0, sizeof *g);
  read_attributes(in, g, &about);
  read_sizes(in, g, &datatype);
  const double points = (double)g->n[0] * g->n[1] * g->n[2];
  if (!in->error[0] && points > MAP_POINTS_MOST)
    h5_reader_fail(in, "it has %.4g points; at most %d can be read", points, MAP_POINTS_MOST);
  if (in->error[0]) return NULL;
  const int64_t n = (int64_t)points;
  double *value = alloc_array(n, sizeof *value);
  h5_get(in, "potential", datatype, 0, g->n[2], value);
  for (int64_t k = n - 1; k >= 0 && datatype == 'f'; k--) {
    float narrow;
    memcpy(&narrow, (const char *)value + k * (int64_t)sizeof narrow, sizeof narrow);
    value[k] = (double)narrow;
  }
  if (!in->error[0]) return value;
  free(value);
  return NULL;
}
