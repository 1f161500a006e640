/* Summary of a file: see info.h. */
#include "io/info.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "io/h5md/check.h"
#include "io/h5md/read.h"
#include "io/info_state.h"
#include "io/map_file.h"

/* Selection and positions, where they are not all beads, wrapped. */
static void print_content(const struct trajectory_index *c)
{
  static const char *const word[] = {POSITIONS_CHOICES(CHOICE_WORD)};
  char text[160];
  if (c->selection) {
    snprintf(text, sizeof text, "%.100s, of %lld beads", c->selection, (long long)c->n_system);
    info_row("selection", text);
  }
  if (c->layout.positions != POSITIONS_WRAPPED) info_row("positions", word[c->layout.positions]);
  if (c->layout.precision > 0) {
    snprintf(text, sizeof text, "%.7g nm, compressed", c->layout.precision);
    info_row("precision", text);
  }
}

/* Observables in the frames, each with the number of its values. */
static void print_observed(const struct trajectory_observed_list *l)
{
  char text[160] = "";
  for (int k = 0; k < l->n; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s (%lld)", k ? ", " : "",
             l->one[k].name, (long long)l->one[k].values);
  if (l->n) info_row("observables", text);
}

static int print_trajectory(struct h5_reader *in)
{
  char creator[64] = "?", version[64] = "?", text[160] = "", id[RUN_ID] = "";
  double box[3];
  struct trajectory_reader t;
  trajectory_reader_open(&t, in);
  const struct trajectory_index c = t.index;
  if (c.frames > 0) trajectory_reader_box(&t, c.frames - 1, box);
  h5_get_attribute_text(in, "h5md/creator", "name", creator, sizeof creator);
  h5_get_attribute_text(in, "h5md/creator", "version", version, sizeof version);
  trajectory_check(NULL, in, &c, 0);
  int cut = c.rows > c.frames;
  if (!in->error[0]) {
    text_print("%s: H5MD trajectory, %s\n", in->path,
               cut ? "its last frame cut short; a restart removes that" : "whole");
    snprintf(text, sizeof text, "%s %s", creator, version);
    info_row("written by", text);
    if (h5_get_attribute_text(in, TRAJECTORY_OWN, "run_id", id, sizeof id) && id[0])
      info_row("run", id);
    info_count("beads", c.n);
    print_content(&c);
    info_count("frames", c.frames);
    text[0] = 0;
    for (int k = 0; k < ELEMENTS; k++)
      if (c.layout.elements >> k & 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : "",
                 trajectory_element[k].name);
    info_row("elements", text);
    print_observed(&c.layout.observed);
  }
  if (!in->error[0] && !c.layout.has_checksums)
    info_row("checksums", "none: written by an earlier version");
  if (!in->error[0] && c.frames > 0) {
    int64_t last = c.frames - 1;
    snprintf(text, sizeof text, "%lld to %lld", (long long)c.step[0], (long long)c.step[last]);
    info_row("steps", text);
    snprintf(text, sizeof text, "%.10g to %.10g ps", c.time[0], c.time[last]);
    info_row("time", text);
    info_box(box);
  }
  trajectory_reader_close(&t);
  return cut ? STATUS_IO : STATUS_DONE;
}

static void print_map(struct h5_reader *in)
{
  struct map_grid g;
  struct map_about a;
  struct map_range range;
  char text[160], types[160];
  map_file_look(in, &g, &a, &range);
  if (in->error[0]) return;
  text_print("%s: map of the electrostatic potential, whole\n", in->path);
  snprintf(text, sizeof text, "%s, %s boundaries, %s sums, %s", a.method, a.boundary, a.sum,
           a.precision);
  info_row("method", text);
  snprintf(text, sizeof text, "%g nm", a.cutoff);
  if (a.cutoff > 0) info_row("cutoff", text);
  snprintf(text, sizeof text, "%g, by which the potential is divided", a.permittivity);
  info_row("permittivity", text);
  snprintf(types, sizeof types, "%.150s", a.types);
  info_row("sources", types);
  snprintf(text, sizeof text, "%d x %d x %d", g.n[0], g.n[1], g.n[2]);
  info_row("points", text);
  snprintf(text, sizeof text, "%.6g x %.6g x %.6g nm, from %.6g, %.6g, %.6g nm", g.spacing[0],
           g.spacing[1], g.spacing[2], g.origin[0], g.origin[1], g.origin[2]);
  info_row("spacing", text);
  info_count("frames", a.frames);
  snprintf(text, sizeof text, "%lld to %lld", (long long)a.first_step, (long long)a.last_step);
  info_row("steps", text);
  snprintf(text, sizeof text, "%.6g to %.6g, mean %.6g kJ/mol/e", range.least, range.most,
           range.mean);
  info_row("potential", text);
}

/* One if the file has results of observables. */
static int is_results(struct h5_reader *in)
{
  char format[64] = "";
  h5_get_attribute_text(in, "/", "format", format, sizeof format);
  return !strcmp(format, "lamella observables");
}

/* A row for each observable: kind, samples and their steps. */
static void print_results(struct h5_reader *in)
{
  char name[96], kind[64] = "", text[200] = "?";
  int64_t samples = 0, first = 0, last = 0;
  h5_get_attribute_text(in, "/", "program", text, sizeof text);
  text_print("%s: results of observables\n", in->path);
  info_row("written by", text);
  for (hsize_t k = 0; h5_link_name(in->id, k, name); k++) {
    if (!h5_get_attribute_text(in, name, "kind", kind, sizeof kind) ||
        !h5_get_attribute(in, name, "samples", 'l', 1, &samples) ||
        !h5_get_attribute(in, name, "first_step", 'l', 1, &first) ||
        !h5_get_attribute(in, name, "last_step", 'l', 1, &last))
      h5_reader_fail(in, "the observable %s has no kind, samples or steps", name);
    if (in->error[0]) return;
    snprintf(text, sizeof text, "%s%s%lld sample%s", strcmp(kind, name) ? kind : "",
             strcmp(kind, name) ? ", " : "", (long long)samples, samples == 1 ? "" : "s");
    if (samples > 0)
      snprintf(text + strlen(text), sizeof text - strlen(text), ", steps %lld to %lld",
               (long long)first, (long long)last);
    info_row(name, text);
  }
}

int info_print(const struct ranks *r, const char *path)
{
  struct h5_reader in = {.path = path, .id = -1};
  int64_t status = STATUS_DONE;
  if (r->rank == 0) {
    h5_reader_open(&in, path);
    if (h5_exists(&in, "h5md"))
      status = print_trajectory(&in);
    else if (map_file_is(&in))
      print_map(&in);
    else if (is_results(&in))
      print_results(&in);
    else
      info_state(&in);
    h5_reader_close(&in);
  }
  h5_reader_require_ok(&in, r);
  ranks_broadcast(r, &status, sizeof status);
  return (int)status;
}
