#include "io/h5md/observed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "input/yaml_tree.h"
#include "io/checksum.h"

/* Lists */

int64_t trajectory_observed_count(const struct trajectory_observed_list *l)
{
  int64_t n = 0;
  for (int k = 0; k < l->n; k++)
    n += l->one[k].values;
  return n;
}

void trajectory_observed_copy(const struct trajectory_observed_list *from,
                              struct trajectory_observed_list *to)
{
  to->n = from->n;
  to->one = alloc_array(from->n, sizeof *to->one);
  for (int k = 0; k < from->n; k++) {
    to->one[k] = from->one[k];
    to->one[k].options = text_copy(from->one[k].options);
    to->one[k].columns = text_copy(from->one[k].columns);
  }
}

void trajectory_observed_free(struct trajectory_observed_list *l)
{
  for (int k = 0; k < l->n; k++) {
    free(l->one[k].options);
    free(l->one[k].columns);
  }
  free(l->one);
  memset(l, 0, sizeof *l);
}

static void broadcast_text(const struct ranks *r, char **text)
{
  int64_t bytes = r->rank == 0 ? (int64_t)strlen(*text) + 1 : 0;
  ranks_broadcast(r, &bytes, sizeof bytes);
  if (r->rank > 0) *text = alloc_array(bytes, 1);
  ranks_broadcast(r, *text, bytes);
}

void trajectory_observed_broadcast(const struct ranks *r, struct trajectory_observed_list *l)
{
  int64_t n = l->n;
  ranks_broadcast(r, &n, sizeof n);
  if (r->rank > 0) {
    trajectory_observed_free(l);
    l->n = (int)n;
    l->one = alloc_array(n, sizeof *l->one);
  }
  for (int k = 0; k < l->n; k++) {
    struct trajectory_observed *o = &l->one[k];
    ranks_broadcast(r, o->name, sizeof o->name);
    ranks_broadcast(r, &o->values, sizeof o->values);
    broadcast_text(r, &o->options);
    broadcast_text(r, &o->columns);
  }
}

/* The observable of a name, or NULL. first: receives the place of its first value. */
static const struct trajectory_observed *find(const struct trajectory_observed_list *l,
                                              const char *name, int64_t *first)
{
  *first = 0;
  for (int k = 0; k < l->n; k++) {
    if (!strcmp(l->one[k].name, name)) return &l->one[k];
    *first += l->one[k].values;
  }
  return NULL;
}

int64_t *trajectory_observed_places(const struct trajectory_observed_list *file,
                                    const struct trajectory_observed_list *run)
{
  int64_t *place = alloc_array(trajectory_observed_count(file), sizeof *place), at = 0;
  for (int k = 0; k < file->n; k++) {
    int64_t first;
    const int known = find(run, file->one[k].name, &first) != NULL;
    for (int64_t v = 0; v < file->one[k].values; v++)
      place[at++] = known ? first + v : -1;
  }
  return place;
}

void trajectory_observed_agree(const char *path, const struct trajectory_observed_list *file,
                               const struct trajectory_observed_list *run)
{
  int64_t first;
  for (int k = 0; k < run->n; k++) {
    const struct trajectory_observed *now = &run->one[k], *was = find(file, now->name, &first);
    if (!was)
      warn("'%s' goes on without the observable %s in its frames, as it began", path, now->name);
    else if (was->values != now->values || !yaml_mean_same(was->options, now->options) ||
             strcmp(was->columns, now->columns) != 0)
      die_all(STATUS_INPUT,
              "observe: '%s' in the frames of '%s' is '%s', and '%s' now: give it the former "
              "options, or another name with 'name:'",
              now->name, path, was->options, now->options);
  }
  for (int k = 0; k < file->n; k++)
    if (!find(run, file->one[k].name, &first))
      warn("'%s' goes on with the observable %s in its frames, as it began, but the run does not "
           "measure it with 'frames: yes': its values will be NaN",
           path, file->one[k].name);
}

/* Writing */

const char *trajectory_observed_path(const struct trajectory_observed *o, const char *dataset,
                                     char path[96])
{
  snprintf(path, 96, TRAJECTORY_OBSERVED "/%s/%s", o->name, dataset);
  return path;
}

static void put_text(const struct h5_file *f, const char *path, const char *description,
                     const char *text)
{
  h5_put_text(f, f->id, path, description, 1, strlen(text) + 1, text);
}

/* The names, a line each. Caller frees. */
static char *names_text(const struct trajectory_observed_list *l)
{
  char *text = alloc_array(l->n * (int64_t)sizeof l->one->name + 1, 1);
  for (int k = 0; k < l->n; k++) {
    if (k) strcat(text, "\n");
    strcat(text, l->one[k].name);
  }
  return text;
}

static struct h5_series create_one(const struct h5_file *f, hid_t parent,
                                   const struct trajectory_observed *o)
{
  char path[96];
  hid_t group = h5_group(f, parent, o->name);
  const struct h5_series value = h5_series_create(f, group, "value", 'd', o->values, 0, NULL);
  H5(f, H5Lcreate_hard, f->id, TRAJECTORY_GROUP "/position/step", group, "step", H5P_DEFAULT,
     H5P_DEFAULT);
  H5(f, H5Lcreate_hard, f->id, TRAJECTORY_GROUP "/position/time", group, "time", H5P_DEFAULT,
     H5P_DEFAULT);
  H5(f, H5Gclose, group);
  put_text(f, trajectory_observed_path(o, "options", path), "kind and options", o->options);
  put_text(f, trajectory_observed_path(o, "columns", path),
           "what the values are: lines of fields between tabs, the first the names of the fields",
           o->columns);
  return value;
}

void trajectory_observed_create(const struct h5_file *f, const struct trajectory_observed_list *l,
                                struct h5_series *series)
{
  if (l->n == 0) return;
  char *names = names_text(l);
  hid_t group = h5_group(f, f->id, TRAJECTORY_OBSERVED);
  for (int k = 0; k < l->n; k++)
    series[k] = create_one(f, group, &l->one[k]);
  H5(f, H5Gclose, group);
  put_text(f, TRAJECTORY_OBSERVED_NAMES, "names of the observables in the frames, a line each",
           names);
  free(names);
}

void trajectory_observed_open(const struct h5_file *f, const struct trajectory_observed_list *l,
                              struct h5_series *series)
{
  char path[96];
  for (int k = 0; k < l->n; k++)
    series[k] = h5_series_open(f, f->id, trajectory_observed_path(&l->one[k], "value", path), 'd',
                               l->one[k].values, 0);
}

static uint64_t checksum_of(const struct trajectory_observed_list *l, const double *value)
{
  return checksum_rows(CHECKSUM_OBSERVED + 1, 0, trajectory_observed_count(l), sizeof *value,
                       value);
}

uint64_t trajectory_observed_append(const struct h5_file *f,
                                    const struct trajectory_observed_list *l,
                                    const struct h5_series *series, int64_t frame,
                                    const double *value)
{
  const int head = f->ranks->rank == 0;
  const double *from = value;
  for (int k = 0; k < l->n; k++) {
    h5_series_resize(f, &series[k], frame + 1);
    h5_series_write(f, &series[k], frame, 0, head ? l->one[k].values : 0, from);
    if (head) from += l->one[k].values;
  }
  return head ? checksum_of(l, value) : 0;
}

/* Reading */

static int is_name(const char *name)
{
  return name[0] && strlen(name) < sizeof((struct trajectory_observed *)0)->name &&
         !strpbrk(name, "/.");
}

/* Returns the number of frames. */
static int64_t scan_one(struct h5_reader *in, struct trajectory_observed *o)
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

void trajectory_observed_scan(struct h5_reader *in, struct trajectory_observed_list *l,
                              int64_t **rows)
{
  int64_t first;
  *rows = NULL;
  if (!h5_exists(in, TRAJECTORY_OBSERVED_NAMES)) return;
  char *names = h5_get_text(in, TRAJECTORY_OBSERVED_NAMES), *rest = names;
  for (char *name; rest && (name = strsep(&rest, "\n")) && !in->error[0];) {
    if (!is_name(name) || find(l, name, &first)) {
      h5_reader_fail(in, "%s has the name '%.40s'", TRAJECTORY_OBSERVED_NAMES, name);
      break;
    }
    l->one = grow_array(l->one, l->n + 1, sizeof *l->one);
    *rows = grow_array(*rows, l->n + 1, sizeof **rows);
    struct trajectory_observed *o = &l->one[l->n++];
    memset(o, 0, sizeof *o);
    snprintf(o->name, sizeof o->name, "%s", name);
    const int64_t frames = (*rows)[l->n - 1] = scan_one(in, o);
    if (frames > 0 && trajectory_observed_count(l) > in->bytes / (int64_t)sizeof(double))
      h5_reader_fail(in, "%s claims more numbers than fit into the file", TRAJECTORY_OBSERVED);
  }
  free(names);
}

void trajectory_observed_check(struct h5_reader *in, const struct trajectory_observed_list *l,
                               int64_t frame, double *value)
{
  uint64_t wanted[CHECKSUMS] = {0};
  char path[96];
  int64_t at = 0;
  if (l->n == 0 || in->error[0]) return;
  double *data = alloc_array(trajectory_observed_count(l), sizeof *data);
  for (int k = 0; k < l->n; at += l->one[k++].values)
    h5_get(in, trajectory_observed_path(&l->one[k], "value", path), 'd', frame, 1, data + at);
  h5_get(in, TRAJECTORY_CHECKSUMS, 'w', frame, 1, wanted);
  if (in->error[0]) {
    char reason[sizeof in->error];
    memcpy(reason, in->error, sizeof reason);
    in->error[0] = 0;
    h5_reader_fail(in, "frame %lld (counted from 0): %.400s", (long long)frame, reason);
  } else if (checksum_of(l, data) != wanted[CHECKSUM_OBSERVED]) {
    h5_reader_fail(in,
                   "frame %lld (counted from 0): the values of observables do not agree with their "
                   "checksum: the file is damaged",
                   (long long)frame);
  } else if (value) {
    memcpy(value, data, (size_t)at * sizeof *data);
  }
  free(data);
}
