#include "md/hills.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "input/yaml_tree.h"
#include "md/csv.h"
#include "pair/hills_body.h"

struct hill_log {
  struct hill *hill; /* [n], in order */
  int64_t n;
  int64_t first; /* step at which the job began */
};

static_assert(sizeof(struct hill) == HILL_NUMBERS * sizeof(double), "a row of the state file");

static const char record_name[] = "hills";

static const struct hill_grid *grid_of(const struct sim *s)
{
  return &s->biases->set.hills;
}

static const struct coordinate *coordinate_of(const struct sim *s, int axis)
{
  return &s->biases->set.coordinate[grid_of(s)->axis[axis].coordinate];
}

static int has_hills(const struct sim *s)
{
  return s->biases && grid_of(s)->n > 0;
}

/* The names of the coordinates, by which a record is known. */
static void names_of(const struct sim *s, char names[HILL_AXES_MOST * (BIAS_NAME + 1)])
{
  names[0] = 0;
  for (int k = 0; k < grid_of(s)->n; k++)
    sprintf(names + strlen(names), "%s%s", k ? " " : "", coordinate_of(s, k)->name);
}

/* Start */

/* The item of a name in a list of coordinates, as YAML text; "" if there is none. Caller frees. */
static char *item_text(const char *list, const char *name)
{
  struct error_list errors = {0};
  struct yaml_tree *t = yaml_parse(list, record_name, &errors);
  const int root = yaml_root(t);
  int item = 0;
  for (int k = 0; yaml_is_list(t, root) && k < yaml_count(t, root); k++)
    if (yaml_is_text(t, yaml_get(t, yaml_item(t, root, k), "name"), name))
      item = yaml_item(t, root, k);
  char *text = yaml_flow_text(t, item);
  yaml_destroy(t);
  error_list_free(&errors);
  return text;
}

/* Status 2 if a coordinate of the hills is not as it was when they were deposited: they would be
   those of another quantity. The same on all ranks. */
static void refuse_other_quantity(const struct sim *s)
{
  const struct accumulated *was = run_record_force(&s->system->run, "coordinates");
  for (int k = 0; was && k < grid_of(s)->n; k++) {
    const char *name = coordinate_of(s, k)->name;
    char *before = item_text(was->options, name), *now = item_text(s->params->coordinates, name);
    if (!yaml_mean_same(before, now))
      die_all(STATUS_INPUT,
              "%s: the run has hills of the coordinate '%s' as it was, %s, and now it is %s: go on "
              "with that, or begin a new run from the state",
              params_where(s->params, "coordinates", grid_of(s)->axis[k].coordinate), name, before,
              now);
    free(before);
    free(now);
  }
}

static void take_kept(struct sim *s, struct hill_log *l)
{
  char names[HILL_AXES_MOST * (BIAS_NAME + 1)];
  const struct accumulated *was = run_record_force(&s->system->run, record_name);
  if (!was) return;
  names_of(s, names);
  if (strcmp(was->options, names) != 0 || was->n % HILL_NUMBERS != 0)
    die_all(STATUS_INPUT,
            "biases: the run has hills of the coordinates '%s', and now metadynamics of '%s': go "
            "on with those, or begin a new run from the state",
            was->options, names);
  refuse_other_quantity(s);
  l->n = was->n / HILL_NUMBERS;
  l->hill = alloc_array(l->n, sizeof *l->hill);
  if (l->n) memcpy(l->hill, was->data, (size_t)l->n * sizeof *l->hill);
}

double *hills_start(struct sim *s, struct bias_state *now)
{
  if (!has_hills(s)) {
    if (run_record_force(&s->system->run, record_name))
      warn("the state has hills of metadynamics, which this job does not have: they are left out");
    return NULL;
  }
  const struct hill_grid *g = grid_of(s);
  struct hill_log *l = s->hills = alloc_array(1, sizeof *l);
  l->first = now->step;
  take_kept(s, l);
  double *node = alloc_array((long long)hill_nodes(g) * hill_node_values(g), sizeof *node);
  for (int64_t k = 0; k < l->n; k++)
    hill_add(g, &l->hill[k], node, 0, 1);
  now->hills = l->n;
  return node;
}

void hills_close(struct sim *s)
{
  if (s->hills) free(s->hills->hill);
  free(s->hills);
}

/* Steps */

static void refuse_outside(const struct sim *s, const struct bias_state *now)
{
  if (!now->outside) return;
  const int k = (int)now->outside - 1;
  const struct hill_axis *a = &grid_of(s)->axis[k];
  const double unit = coordinate_of(s, k)->unit;
  const int begins = now->outside_step == s->hills->first;
  die_all(begins ? STATUS_INPUT : STATUS_NUMERIC,
          "step %lld: coordinate '%s' %s the grid of the metadynamics, %.6g to %.6g: %stake a "
          "larger grid, or keep the coordinate inside by a wall (a bias of kind flat_bottom)",
          (long long)now->outside_step, coordinate_of(s, k)->name,
          begins ? "is outside of" : "has left", a->low / unit,
          (a->low + (a->nodes - 1) * a->spacing) / unit,
          begins ? "" : "the last checkpoint stands; ");
}

void hills_fetch(struct sim *s, const struct bias_state *now)
{
  struct hill_log *l = s->hills;
  if (!l) return;
  const int64_t n = now->hills - l->n;
  if (n > 0) {
    l->hill = grow_array(l->hill, now->hills, sizeof *l->hill);
    s->backend->ops->bias->fetch_hills(s->backend, l->n, n, l->hill + l->n);
    l->n = now->hills;
  }
  refuse_outside(s, now);
}

int hills_save(const struct sim *s, struct accumulated *to)
{
  const struct hill_log *l = s->hills;
  if (!l || l->n == 0) return 0;
  char names[HILL_AXES_MOST * (BIAS_NAME + 1)];
  names_of(s, names);
  memset(to, 0, sizeof *to);
  strcpy(to->name, record_name);
  to->options = text_copy(names);
  to->n = l->n * HILL_NUMBERS;
  to->data = alloc_array(to->n, sizeof *to->data);
  memcpy(to->data, l->hill, (size_t)l->n * sizeof *l->hill);
  return 1;
}

/* The file */

struct hill_file {
  const struct sim *sim;
  FILE *file; /* NULL: this rank writes none */
  char *name;
  const char *checkpoint;
  int64_t n; /* hills in the file */
};

double hill_file_line_bytes(const struct sim *s)
{
  enum { NUMBER = 20 }; /* bytes of a number and its space */
  return has_hills(s) ? NUMBER * (3.0 + 2 * grid_of(s)->n) : 0;
}

static void failed(const struct hill_file *f)
{
  csv_failed(f->name, f->checkpoint);
}

static void write_head(const struct hill_file *f)
{
  const struct hill_grid *g = grid_of(f->sim);
  fputs("#! FIELDS time", f->file);
  for (int k = 0; k < g->n; k++)
    fprintf(f->file, " %s", coordinate_of(f->sim, k)->name);
  for (int k = 0; k < g->n; k++)
    fprintf(f->file, " sigma_%s", coordinate_of(f->sim, k)->name);
  fputs(" height biasf\n#! SET multivariate false\n#! SET kerneltype stretched-gaussian\n",
        f->file);
  for (int k = 0; k < g->n; k++) {
    const char *name = coordinate_of(f->sim, k)->name;
    const double half = g->axis[k].period / 2;
    if (half > 0)
      fprintf(f->file, "#! SET min_%s %.17g\n#! SET max_%s %.17g\n", name, -half, name, half);
  }
}

/* Tempered heights are those of minus the free energy, and -1 stands for not tempered, as in
   PLUMED. */
static void write_hill(const struct hill_file *f, const struct hill *h)
{
  const struct hill_grid *g = grid_of(f->sim);
  const int tempered = isfinite(h->factor);
  fprintf(f->file, "%.10g", h->time);
  for (int k = 0; k < g->n; k++)
    fprintf(f->file, " %.17g", h->place[k]);
  for (int k = 0; k < g->n; k++)
    fprintf(f->file, " %.12g", h->width[k]);
  fprintf(f->file, " %.17g %.12g\n", tempered ? h->height * h->factor / (h->factor - 1) : h->height,
          tempered ? h->factor : -1);
}

struct hill_file *hill_file_open(const struct sim *s, const char *checkpoint)
{
  struct hill_file *f = alloc_array(1, sizeof *f);
  *f = (struct hill_file){s, NULL, path_with(s->params->output_prefix, ".hills"), checkpoint, 0};
  if (!has_hills(s) || s->ranks->rank != 0) return f;
  f->file = fopen(f->name, "w");
  if (!f->file) failed(f);
  write_head(f);
  hill_file_write(f);
  if (fflush(f->file)) failed(f);
  return f;
}

void hill_file_write(struct hill_file *f)
{
  if (!f->file || f->n == f->sim->hills->n) return;
  for (; f->n < f->sim->hills->n; f->n++)
    write_hill(f, &f->sim->hills->hill[f->n]);
  if (fflush(f->file) || ferror(f->file)) failed(f);
}

void hill_file_sync(const struct hill_file *f)
{
  if (f->file && fsync(fileno(f->file)) && errno != EINVAL) failed(f);
}

void hill_file_close(struct hill_file *f)
{
  if (f->file && fclose(f->file)) failed(f);
  free(f->name);
  free(f);
}
