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

static void print_content(const struct trajectory_index *c)
{
  static const char *const word[] = {POSITIONS_CHOICES(CHOICE_WORD)};
  if (c->selection)
    info_row("selection", "%.100s, of %lld beads", c->selection, (long long)c->n_system);
  if (c->layout.positions != POSITIONS_WRAPPED)
    info_row("positions", "%s", word[c->layout.positions]);
  if (c->layout.precision > 0) info_row("precision", "%.7g nm, compressed", c->layout.precision);
}

static void print_observed(const struct trajectory_observed_list *l)
{
  char text[160] = "";
  for (int k = 0; k < l->n; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s (%lld)", k ? ", " : "",
             l->one[k].name, (long long)l->one[k].values);
  if (l->n) info_row("observables", "%s", text);
}

static int print_trajectory(struct h5_reader *in)
{
  char creator[64] = "?", version[64] = "?", text[160] = "";
  double box[BOX];
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
    info_row("written by", "%s %s", creator, version);
    info_run(in, TRAJECTORY_OWN);
    info_count("beads", c.n);
    print_content(&c);
    info_count("frames", c.frames);
    for (int k = 0; k < ELEMENTS; k++)
      if (c.layout.elements >> k & 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : "",
                 trajectory_element[k].name);
    info_row("elements", "%s", text);
    print_observed(&c.layout.observed);
  }
  if (!in->error[0] && c.frames > 0) {
    int64_t last = c.frames - 1;
    info_row("steps", "%lld to %lld", (long long)c.step[0], (long long)c.step[last]);
    info_row("time", "%.10g to %.10g ps", c.time[0], c.time[last]);
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
  map_file_look(in, &g, &a, &range);
  if (in->error[0]) return;
  text_print("%s: map of the electrostatic potential, whole\n", in->path);
  info_row("method", "%s, %s boundaries, %s sums, %s", a.method, a.boundary, a.sum, a.precision);
  if (a.cutoff > 0) info_row("cutoff", "%g nm", a.cutoff);
  info_row("permittivity", "%g, by which the potential is divided", a.permittivity);
  info_row("sources", "%.150s", a.types);
  info_row("points", "%d x %d x %d", g.n[0], g.n[1], g.n[2]);
  info_row("spacing", "%.6g x %.6g x %.6g nm, from %.6g, %.6g, %.6g nm", g.spacing[0], g.spacing[1],
           g.spacing[2], g.origin[0], g.origin[1], g.origin[2]);
  info_count("frames", a.frames);
  info_row("steps", "%lld to %lld", (long long)a.first_step, (long long)a.last_step);
  info_row("potential", "%.6g to %.6g, mean %.6g kJ/mol/e", range.least, range.most, range.mean);
}

static void print_results(struct h5_reader *in)
{
  char name[96], kind[64] = "", text[200] = "?";
  int64_t samples = 0, first = 0, last = 0;
  h5_get_attribute_text(in, "/", "program", text, sizeof text);
  text_print("%s: results of observables\n", in->path);
  info_row("written by", "%s", text);
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
    info_row(name, "%s", text);
  }
}

int info_print(const struct ranks *r, const char *path)
{
  struct h5_reader in = {.path = path, .id = -1};
  int64_t status = STATUS_DONE;
  if (r->rank == 0) {
    char format[64] = "";
    h5_reader_open(&in, path);
    h5_get_attribute_text(&in, "/", "format", format, sizeof format);
    if (h5_exists(&in, "h5md"))
      status = print_trajectory(&in);
    else if (!strcmp(format, MAP_FILE_FORMAT))
      print_map(&in);
    else if (!strcmp(format, "lamella observables"))
      print_results(&in);
    else
      info_state(&in);
    h5_reader_close(&in);
  }
  h5_reader_require_ok(&in, r);
  ranks_broadcast(r, &status, sizeof status);
  return (int)status;
}
