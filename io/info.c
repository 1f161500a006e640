/* What is in a file: see info.h. */
#include "info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5_read.h"
#include "log.h"
#include "state_check.h"
#include "state_layout.h"
#include "trajectory_layout.h"
#include "trajectory_read.h"

enum { PIECE = 1 << 18 }; /* rows read at a time */

static void print_row(const char *name, const char *value)
{
  printf("  %-14s%s\n", name, value);
}

static void print_box(const double box[3])
{
  char text[96];
  snprintf(text, sizeof text, "%.10g x %.10g x %.10g nm", box[0], box[1], box[2]);
  print_row("box", text);
}

static void print_count(const char *name, int64_t count)
{
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)count);
  print_row(name, text);
}

/* Molecules by type; count[n_molecules] holds beads without one. */
static void count_molecules(struct h5_reader *in, const struct forcefield *ff, int64_t n,
                            int64_t *count)
{
  char name[64];
  int32_t *kind = alloc_array(PIECE, sizeof *kind);
  state_field_name(FIELD_kind, name);
  for (int64_t at = 0; at < n && !in->error[0]; at += PIECE) {
    int64_t rows = n - at < PIECE ? n - at : PIECE;
    h5_get(in, name, 'i', at, rows, kind);
    for (int64_t k = 0; k < rows && !in->error[0]; k++) {
      if (kind[k] < -1 || kind[k] >= ff->n_molecules)
        h5_reader_fail(in, "bead %lld has molecule type %d, and the force field has %d",
                       (long long)(at + k + 1), kind[k], ff->n_molecules);
      else
        count[kind[k] < 0 ? ff->n_molecules : kind[k]]++;
    }
  }
  free(kind);
}

static void print_molecules(const struct forcefield *ff, const int64_t *count)
{
  printf("  %-14s", "molecules");
  const char *comma = "";
  for (int k = 0; k < ff->n_molecules; k++) {
    if (count[k] == 0) continue;
    printf("%s%s %lld", comma, ff->molecule[k].name,
           (long long)(count[k] / ff->molecule[k].n_beads));
    comma = ", ";
  }
  if (count[ff->n_molecules] > 0)
    printf("%s%lld beads in none", comma, (long long)count[ff->n_molecules]);
  printf("\n");
}

static void print_state(struct h5_reader *in)
{
  char program[64] = "?", git[64] = "?", text[160];
  struct system s = {0};
  state_check_format(in);
  int64_t n = state_check_sizes(in);
  state_check_data(in, n);
  char *yaml = h5_get_text(in, STATE_FORCEFIELD);
  if (in->error[0]) return;
  for (int k = 0; k < STATE_ITEMS; k++)
    h5_get(in, state_item[k].name, state_item[k].kind, 0, state_item[k].rows,
           (char *)&s + state_item[k].offset);
  struct forcefield *ff = forcefield_parse(yaml, in->path);
  int64_t *count = alloc_array(ff->n_molecules + 1, sizeof *count);
  memset(count, 0, (size_t)(ff->n_molecules + 1) * sizeof *count);
  count_molecules(in, ff, n, count);
  h5_get_attribute_text(in, "/", "program", program, sizeof program);
  h5_get_attribute_text(in, "/", "git", git, sizeof git);
  if (!in->error[0]) {
    printf("%s: state file, whole\n", in->path);
    snprintf(text, sizeof text, "%s (%s)", program, git);
    print_row("written by", text);
    print_count("beads", n);
    print_box(s.box);
    print_count("step", s.step);
    snprintf(text, sizeof text, "%.10g ps", s.time);
    print_row("time", text);
    snprintf(text, sizeof text, "%s %s", ff->name, ff->version);
    print_row("force field", text);
    print_molecules(ff, count);
  }
  free(count);
  free(yaml);
  forcefield_destroy(ff);
}

static int print_trajectory(struct h5_reader *in)
{
  char creator[64] = "?", version[64] = "?", text[160] = "";
  double box[9];
  struct trajectory_clock c;
  trajectory_look(in, &c);
  if (c.frames > 0) h5_get(in, TRAJECTORY_GROUP "/box/edges/value", 'd', c.frames - 1, 1, box);
  h5_get_attribute_text(in, "h5md/creator", "name", creator, sizeof creator);
  h5_get_attribute_text(in, "h5md/creator", "version", version, sizeof version);
  int cut = c.rows > c.frames;
  if (!in->error[0]) {
    printf("%s: H5MD trajectory, %s\n", in->path,
           cut ? "its last frame cut short; a restart removes that" : "whole");
    snprintf(text, sizeof text, "%s %s", creator, version);
    print_row("written by", text);
    print_count("beads", c.n);
    print_count("frames", c.frames);
    text[0] = 0;
    for (int k = 0; k < ELEMENTS; k++)
      if (c.elements >> k & 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : "",
                 trajectory_element[k].name);
    print_row("elements", text);
  }
  if (!in->error[0] && c.frames > 0) {
    int64_t last = c.frames - 1;
    snprintf(text, sizeof text, "%lld to %lld", (long long)c.step[0], (long long)c.step[last]);
    print_row("steps", text);
    snprintf(text, sizeof text, "%.10g to %.10g ps", c.time[0], c.time[last]);
    print_row("time", text);
    double edges[3] = {box[0], box[4], box[8]};
    print_box(edges);
  }
  free(c.step);
  free(c.time);
  return cut ? STATUS_IO : STATUS_DONE;
}

int info_print(const struct ranks *r, const char *path)
{
  struct h5_reader in = {.path = path, .id = -1};
  int64_t status = STATUS_DONE;
  if (r->rank == 0) {
    h5_reader_open(&in, path);
    if (h5_exists(&in, "h5md"))
      status = print_trajectory(&in);
    else
      print_state(&in);
    h5_reader_close(&in);
  }
  h5_reader_settle(&in, r);
  ranks_broadcast(r, &status, sizeof status);
  return (int)status;
}
