/* Writing of state files: temporary file, flush, close, read back, rename. */
#include "io/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/text.h"
#include "base/version.h"
#include "io/h5.h"
#include "io/h5_read.h"
#include "io/state_applied.h"
#include "io/state_check.h"
#include "io/state_layout.h"

enum { PIECE = 1 << 16 }; /* rows compared at a time */

double state_bytes(const struct system *s, const struct run_record *run, const char *run_text)
{
  const struct topology *t = &s->topology;
  double bytes = (double)strlen(s->ff->text) + (run_text ? (double)strlen(run_text) : 0) +
                 (run->history ? (double)strlen(run->history) : 0);
  if (t->n_envs > 0)
    bytes += 20.0 * (double)t->anchors.n + 16.0 * t->n_envs + 28.0 * t->term_start[t->n_envs] +
             8.0 * t->exclude_start[t->n_envs];
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & (STATE | STATIC))
      bytes += (double)s->n_total * (double)field_bytes(f);
  for (int k = 0; k < run->n_accumulated; k++)
    bytes += 8.0 * (double)run->accumulated[k].n;
  for (int k = 0; k < run->n_forces; k++)
    bytes += 8.0 * (double)run->forces[k].n;
  for (int k = 0; k < run->n_kept; k++)
    bytes += 16.0 * (double)run->kept[k].n;
  return 1.02 * (bytes + 32.0 * (double)s->applied.n) + (1 << 20);
}

static void write_topology(const struct h5_file *f, const struct topology *t)
{
  static const int none[1] = {0};
  const int envs = t->n_envs, terms = envs ? t->term_start[envs] : 0;
  struct state_rows rows = {envs,         terms,          envs ? t->exclude_start[envs] : 0,
                            t->anchors.n, STATE_PARTNERS, topology_has_clusters(t)};
  for (int k = 0; k < terms; k++)
    if (t->term[k].beads - 1 > rows.columns) rows.columns = t->term[k].beads - 1;
  int32_t *member = alloc_array(terms, 3 * sizeof *member);
  int64_t *partner = alloc_array(terms, (size_t)rows.columns * sizeof *partner);
  for (int k = 0; k < terms; k++) {
    member[k] = t->term[k].section;
    member[terms + k] = t->term[k].type;
    member[2 * terms + k] = t->term[k].role;
    for (int p = 0; p < t->term[k].beads - 1; p++)
      partner[rows.columns * k + p] = t->term[k].partner[p];
  }
  const void *data[STATE_TABLES] = {envs ? t->term_start : none,
                                    member,
                                    member + terms,
                                    member + 2 * terms,
                                    partner,
                                    envs ? t->exclude_start : none,
                                    t->exclude,
                                    t->cluster,
                                    t->place,
                                    t->anchors.id,
                                    t->anchors.place};
  struct h5_table table[STATE_TABLES];
  state_tables(&rows, table);
  for (int k = 0; k < STATE_TABLES; k++)
    if (table[k].rows >= 0) h5_put_rank0(f, f->id, &table[k], data[k]);
  free(member);
  free(partner);
}

/* A group of the file with what is kept by names. */
struct kept_group {
  const char *name, *text, *names_text, *values_text;
  int n;
  const struct accumulated *one; /* [n] */
};

static void write_one(const struct h5_file *f, const struct kept_group *g,
                      const struct accumulated *o)
{
  char name[96], group[96];
  snprintf(group, sizeof group, "%s/%s", g->name, o->name);
  H5(f, H5Gclose, h5_group(f, f->id, group));
  state_accumulated_name(g->name, o->name, "options", name);
  h5_put_line(f, name, "kind and options", o->options);
  state_accumulated_name(g->name, o->name, "values", name);
  struct h5_table table = {name, "1", g->values_text, 'd', 1, o->n};
  h5_put_rank0(f, f->id, &table, o->data);
}

static void write_kept(const struct h5_file *f, const struct kept_group *g)
{
  char names[96];
  if (g->n == 0) return;
  hid_t group = h5_group(f, f->id, g->name);
  h5_attribute_text(f, group, "description", g->text);
  H5(f, H5Gclose, group);
  state_accumulated_name(g->name, "", "names", names);
  h5_put_names(f, names, g->names_text, g->n, sizeof *g->one, g->one->name);
  for (int k = 0; k < g->n; k++)
    write_one(f, g, &g->one[k]);
}

static void write_accumulated(const struct h5_file *f, const struct run_record *run)
{
  const struct kept_group observed = {STATE_OBSERVED,
                                      "what observables have accumulated",
                                      "names of the observables, a line each",
                                      "sums of samples and of blocks",
                                      run->n_accumulated,
                                      run->accumulated};
  const struct kept_group forces = {STATE_FORCES,         "what forces of the run file keep",
                                    "names, a line each", "numbers of the steps before",
                                    run->n_forces,        run->forces};
  write_kept(f, &observed);
  write_kept(f, &forces);
}

static void write_selections(const struct h5_file *f, const struct run_record *run)
{
  if (run->n_kept == 0) return;
  int64_t *count = alloc_array(run->n_kept, sizeof *count), n = 0, (*id)[2];
  struct text_stream texts;
  FILE *out = text_begin(&texts);
  for (int k = 0; k < run->n_kept; k++) {
    fprintf(out, "%s\n", run->kept[k].text);
    n += count[k] = run->kept[k].n;
  }
  char *text = text_end(&texts);
  id = alloc_array(n, sizeof *id);
  n = 0;
  for (int k = 0; k < run->n_kept; n += count[k++])
    if (count[k] > 0) memcpy(id + n, run->kept[k].range, (size_t)count[k] * sizeof *id);
  hid_t group = h5_group(f, f->id, STATE_KEPT);
  h5_attribute_text(f, group, "description", "beads of selections, as they were at the start");
  H5(f, H5Gclose, group);
  const struct h5_table table[] = {
      {STATE_KEPT_COUNTS, "1", "ranges of ids of each selection", 'l', 1, run->n_kept},
      {STATE_KEPT_IDS, "1", "first and last bead number of each range", 'l', 2, n}};
  h5_put_line(f, STATE_KEPT_TEXTS, "selections, a line each", text);
  h5_put_rank0(f, f->id, &table[0], count);
  h5_put_rank0(f, f->id, &table[1], id);
  free(text);
  free(count);
  free(id);
}

static void write_groups(const struct h5_file *f, int with_run)
{
  static const char *const group[][2] = {
      {"system", "the whole"},
      {"counters", "of the whole run, over all its jobs"},
      {"neighbor_list", "the last neighbour list, from which a restart goes on"},
      {"beads", "one row a bead, in the order of bead numbers 1, 2, ..."},
      {"topology", "bonded environments (slots), shared by all equal beads"},
      {"forcefield", "the force field"},
      {"run", "where it comes from"}};
  for (size_t k = 0; k < sizeof group / sizeof *group - !with_run; k++) {
    hid_t id = h5_group(f, f->id, group[k][0]);
    h5_attribute_text(f, id, "description", group[k][1]);
    H5(f, H5Gclose, id);
  }
}

static void write_all(const struct h5_file *f, const struct system *s, const char *run_text)
{
  const int oblique = box_is_oblique(s->box);
  int version = oblique ? STATE_FORMAT_OBLIQUE : STATE_FORMAT_VERSION, complete = 1;
  h5_attribute_text(f, f->id, "format", STATE_FORMAT);
  h5_attribute(f, f->id, "format_version", 'i', 0, &version);
  h5_attribute_text(f, f->id, "program", "lamella " LAMELLA_VERSION);
  h5_attribute_text(f, f->id, "git", LAMELLA_GIT);
  h5_attribute_text(f, f->id, "kernel", s->run.kernel);
  h5_attribute_text(f, f->id, "run_id", s->run.id);
  write_groups(f, run_text || s->run.input || s->run.history);
  for (int k = 0; k < STATE_ITEMS; k++) {
    const struct state_item *item = &state_item[k];
    if (oblique < item->oblique) continue;
    struct h5_table table = {item->name, item->unit, item->text, item->datatype, 1, item->rows};
    h5_put_rank0(f, f->id, &table, (const char *)s + item->offset);
  }
  for (int k = 0; k < FIELDS; k++) {
    const struct field_info *info = &field_info[k];
    if (!(info->flags & (STATE | STATIC))) continue;
    char name[64];
    state_field_name(k, name);
    struct h5_table table = {name,           info->unit,       info->text,
                             info->datatype, info->components, s->n_total};
    h5_put(f, f->id, &table, s->first - 1, s->n, beads_array(&s->beads, k));
  }
  write_topology(f, &s->topology);
  h5_put_line(f, STATE_FORCEFIELD, "YAML text of the force field", s->ff->text);
  h5_put_line(f, STATE_RUN, "effective input of the job that wrote this file, YAML", run_text);
  if (run_text)
    h5_put_text(f, f->id, STATE_ENERGIES, "last line of the energies; empty: none; ?: unknown", 1,
                ENERGY_LINE, s->run.energy_line);
  h5_put_line(f, STATE_INPUT, "state file that the run began from", s->run.input);
  h5_put_line(f, STATE_HISTORY, "jobs of the run, and what changed between them", s->run.history);
  h5_put_line(f, STATE_CONTENTS, "fingerprints of files of the run file, and their names",
              s->run.contents);
  write_accumulated(f, &s->run);
  write_selections(f, &s->run);
  state_applied_write(f, s);
  h5_attribute(f, f->id, "complete", 'i', 0, &complete);
}

/* Every rank reads its rows back, with checksums, and compares them. */
static void verify(const struct ranks *r, const char *path, const struct system *s)
{
  struct h5_reader in;
  h5_reader_open(&in, path);
  for (int k = 0; k < FIELDS && !in.error[0]; k++) {
    const struct field_info *info = &field_info[k];
    if (!(info->flags & (STATE | STATIC))) continue;
    char name[64];
    state_field_name(k, name);
    size_t row = field_bytes(k);
    char *copy = alloc_array(PIECE, row);
    const char *data = beads_array(&s->beads, k);
    h5_expect_rows(&in, name, info->datatype, info->components, s->n_total);
    for (int64_t at = 0; at < s->n && !in.error[0]; at += PIECE) {
      int64_t n = s->n - at < PIECE ? s->n - at : PIECE;
      h5_get(&in, name, info->datatype, s->first - 1 + at, n, copy);
      if (!in.error[0] && memcmp(copy, data + (size_t)at * row, (size_t)n * row) != 0)
        h5_reader_fail(&in, "%s came back from the disk changed", name);
    }
    free(copy);
  }
  if (r->rank == 0) state_check_small(&in, s->n_total);
  h5_reader_close(&in);
  if (in.error[0]) unlink(path);
  h5_reader_require_ok(&in, r);
}

/* 1 if state_read would accept every number of the state and every bead of this rank's block; else
   0, and why. */
static int is_sound(const struct system *s, char *why, size_t size)
{
  struct h5_reader found = {0};
  state_values_check(&found, s);
  for (int64_t k = 0; k < s->n && !found.error[0]; k++)
    state_values_bead(&found, s, k);
  snprintf(why, size, "%s", found.error);
  return !found.error[0];
}

static void refuse_unfit(const struct ranks *r, const char *path, const struct system *s)
{
  char why[512] = "";
  if (ranks_agree(r, is_sound(s, why, sizeof why), why, sizeof why)) return;
  if (r->rank == 0)
    die(STATUS_NUMERIC,
        "step %lld: %s: such a state is not written to '%s', and what was there before stands",
        (long long)s->clock.step, why, path);
  ranks_barrier(r); /* rank 0 ends this one */
}

void state_write(const struct ranks *r, const char *path, const struct system *s,
                 const char *run_text)
{
  refuse_unfit(r, path, s);
  struct h5_file f;
  char *target = path_target(path), *temporary = path_with(target, ".tmp");
  char *previous = path_with(target, ".prev");
  h5_create_temporary(&f, r, temporary, "a state file", state_bytes(s, &s->run, run_text));
  write_all(&f, s, run_text);
  h5_flush(&f);
  h5_close(&f);
  ranks_barrier(r);
  verify(r, temporary, s);
  if (r->rank == 0) replace_file(temporary, target, previous);
  ranks_barrier(r);
  free(previous);
  free(temporary);
  free(target);
}
