/* Is a file a complete state file, from which a simulation can go on? See state_check.h. */
#include "io/state_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/state_applied.h"
#include "io/state_layout.h"
#include "io/state_topology.h"

int state_version(struct h5_reader *in)
{
  int version = 0;
  return h5_get_attribute(in, "/", "format_version", 'i', 1, &version) ? version : 0;
}

void state_check_format(struct h5_reader *in)
{
  char format[64] = "";
  int complete = 0;
  if (in->error[0]) return;
  if (!h5_get_attribute_text(in, "/", "format", format, sizeof format) ||
      strcmp(format, STATE_FORMAT) != 0) {
    h5_reader_fail(in, "%s",
                   h5_exists(in, "h5md") ? "it is an H5MD trajectory; a state file is wanted"
                   : !strcmp(format, "lamella observables")
                       ? "it has results of observables, as the tables PREFIX.NAME.TABLE.csv do; "
                         "a state file is wanted"
                       : "it is an HDF5 file, but no state file of lamella");
    return;
  }
  const int version = state_version(in);
  if (version != STATE_FORMAT_VERSION && version != STATE_FORMAT_OBLIQUE)
    h5_reader_fail(in, "its format version is %d, and this program reads %d and %d%s", version,
                   STATE_FORMAT_VERSION, STATE_FORMAT_OBLIQUE,
                   version > STATE_FORMAT_OBLIQUE ? ": a newer version of lamella wrote it" : "");
  if (!h5_get_attribute(in, "/", "complete", 'i', 1, &complete) || complete != 1)
    h5_reader_fail(in, "it was not written to its end (no complete mark)");
}

int64_t state_check_sizes(struct h5_reader *in)
{
  int64_t n = 0, bytes = 0;
  char name[64];
  const int oblique = state_version(in) == STATE_FORMAT_OBLIQUE;
  for (int k = 0; k < STATE_ITEMS; k++)
    if (oblique >= state_item[k].oblique)
      h5_expect_rows(in, state_item[k].name, state_item[k].datatype, 1, state_item[k].rows);
  h5_get(in, state_item[0].name, 'l', 0, 1, &n);
  if (!in->error[0] && n < 1) h5_reader_fail(in, "it claims to hold %lld beads", (long long)n);
  for (int k = 0; k < FIELDS; k++) {
    const struct field_info *info = &field_info[k];
    if (!(info->flags & (STATE | STATIC))) continue;
    state_field_name(k, name);
    h5_expect_rows(in, name, info->datatype, info->components, n);
    bytes += (int64_t)field_bytes(k);
  }
  if (!in->error[0] && n > in->bytes / bytes)
    h5_reader_fail(in, "it claims to hold %lld beads, more than fit into its %lld bytes",
                   (long long)n, (long long)in->bytes);
  const struct state_rows rows = state_topology_rows(in);
  struct h5_table table[STATE_TABLES];
  state_tables(&rows, table);
  for (int k = 0; k < STATE_TABLES; k++)
    if (table[k].rows >= 0)
      h5_expect_rows(in, table[k].name, table[k].datatype, table[k].components, table[k].rows);
  return in->error[0] ? 0 : n;
}

/* with_data 0: without the numbers. */
static void read_one(struct h5_reader *in, const char *group, int with_data, struct accumulated *o)
{
  char name[96];
  state_accumulated_name(group, o->name, "options", name);
  o->options = h5_get_text(in, name);
  state_accumulated_name(group, o->name, "values", name);
  o->n = h5_rows(in, name, 'd', 1);
  if (in->error[0] || !with_data) return;
  o->data = alloc_array(o->n, sizeof *o->data);
  h5_get(in, name, 'd', 0, o->n, o->data);
}

/* Those of a group. Returns their number. */
static int read_kept(struct h5_reader *in, const char *group, int with_data,
                     struct accumulated **all)
{
  char(*name)[H5_NAME], names[96];
  state_accumulated_name(group, "", "names", names);
  const int n = h5_get_names(in, names, &name);
  *all = alloc_array(n, sizeof **all);
  for (int k = 0; k < n; k++) {
    memcpy((*all)[k].name, name[k], H5_NAME);
    read_one(in, group, with_data, &(*all)[k]);
  }
  free(name);
  return n;
}

void state_accumulated_read(struct h5_reader *in, const struct ranks *r, struct run_record *run)
{
  struct accumulated *all;
  const int observed = read_kept(in, STATE_OBSERVED, r->rank == 0, &all);
  run_record_set_accumulated(run, observed, all);
  const int forces = read_kept(in, STATE_FORCES, 1, &all);
  run_record_set_forces(run, forces, all);
}

/* Checks the ranges of a selection, and gives them to the record. */
static void keep_one(struct h5_reader *in, struct run_record *run, const char *text, int64_t n,
                     const int64_t (*id)[2], int64_t beads)
{
  for (int64_t k = 0; k < n; k++)
    if (id[k][0] < 1 || id[k][1] < id[k][0] || id[k][1] > beads ||
        (k > 0 && id[k][0] <= id[k - 1][1])) {
      h5_reader_fail(in, "range %lld of the selection %.100s is beads %lld to %lld", (long long)k,
                     text, (long long)id[k][0], (long long)id[k][1]);
      return;
    }
  run_record_keep(run, text, n, id);
}

void state_kept_read(struct h5_reader *in, int64_t n, struct run_record *run)
{
  if (!h5_exists(in, STATE_KEPT_TEXTS)) return;
  char *texts = h5_get_text(in, STATE_KEPT_TEXTS), *rest = texts, *line;
  const int64_t selections = h5_rows(in, STATE_KEPT_COUNTS, 'l', 1),
                ranges = h5_rows(in, STATE_KEPT_IDS, 'l', 2);
  int64_t *count = alloc_array(selections, sizeof *count), at = 0, k = 0;
  int64_t(*id)[2] = alloc_array(ranges, sizeof *id);
  h5_get(in, STATE_KEPT_COUNTS, 'l', 0, selections, count);
  h5_get(in, STATE_KEPT_IDS, 'l', 0, ranges, id);
  for (; !in->error[0] && (line = strtok_r(rest, "\n", &rest)); k++) {
    if (k >= selections || count[k] < 0 || count[k] > ranges - at) break;
    keep_one(in, run, line, count[k], (const int64_t(*)[2])id + at, n);
    at += count[k];
  }
  if (!in->error[0] && (k != selections || at != ranges))
    h5_reader_fail(in, "the lists of the group %s do not belong together", STATE_KEPT);
  free(texts);
  free(count);
  free(id);
}

enum { PIECE = 1 << 18 }; /* rows read at a time */

static void read_through(struct h5_reader *in, const char *name, char datatype, int64_t rows,
                         double *buffer)
{
  for (int64_t at = 0; at < rows && !in->error[0]; at += PIECE)
    h5_get(in, name, datatype, at, rows - at < PIECE ? rows - at : PIECE, buffer);
}

void state_check_small(struct h5_reader *in, int64_t n)
{
  const struct state_rows rows = state_topology_rows(in);
  struct h5_table table[STATE_TABLES];
  state_tables(&rows, table);
  double *buffer = alloc_array(PIECE, 4 * sizeof *buffer);
  const int oblique = state_version(in) == STATE_FORMAT_OBLIQUE;
  for (int k = 0; k < STATE_ITEMS; k++)
    if (oblique >= state_item[k].oblique)
      read_through(in, state_item[k].name, state_item[k].datatype, state_item[k].rows, buffer);
  for (int k = 0; k < STATE_TABLES; k++)
    read_through(in, table[k].name, table[k].datatype, table[k].rows, buffer);
  free(buffer);
  static const char *const text[] = {STATE_RUN, STATE_INPUT, STATE_HISTORY, STATE_ENERGIES,
                                     STATE_CONTENTS};
  free(h5_get_text(in, STATE_FORCEFIELD));
  for (size_t k = 0; k < sizeof text / sizeof *text; k++)
    if (h5_exists(in, text[k])) free(h5_get_text(in, text[k]));
  const struct ranks alone = {.rank = 0, .size = 1};
  struct run_record observed = {0};
  state_accumulated_read(in, &alone, &observed);
  state_kept_read(in, n, &observed);
  run_record_free(&observed);
  state_applied_read(in, 0, NULL);
}

void state_check_data(struct h5_reader *in, int64_t n)
{
  double *buffer = alloc_array(PIECE, 4 * sizeof *buffer);
  state_check_small(in, n);
  for (int k = 0; k < FIELDS; k++) {
    char name[64];
    if (!(field_info[k].flags & (STATE | STATIC))) continue;
    state_field_name(k, name);
    read_through(in, name, field_info[k].datatype, n, buffer);
  }
  free(buffer);
}

/* Values */

#define BOX_LEAST 1e-3 /* nm */
#define BOX_MOST 1e9
#define BOX_TILT_MOST 100 /* edges */
#define SPEED_MOST 1e6    /* nm/ps; the speed of light is 3e5 */
#define SPIN_MOST 1e9     /* rad/ps */

static int is_edge(double box)
{
  return box >= BOX_LEAST && box <= BOX_MOST;
}

void state_values_check(struct h5_reader *in, const struct system *s)
{
  for (int d = 0; d < 3 && !in->error[0]; d++) {
    double box = s->box[d], build = s->lists.box[d];
    if (!is_edge(box))
      h5_reader_fail(in, "box edge %c is %g nm", "xyz"[d], box);
    else if (s->lists.step >= 0 && !is_edge(build))
      h5_reader_fail(in, "box edge %c of the neighbour list is %g nm", "xyz"[d], build);
  }
  for (int k = 3; k < BOX && !in->error[0]; k++) {
    const double most = BOX_TILT_MOST * s->box[k == 5];
    if (!(fabs(s->box[k]) <= most && fabs(s->lists.box[k]) <= 2 * most))
      h5_reader_fail(in, "the tilt of its box is %g nm, beside an edge of %g nm", s->box[k],
                     s->box[k == 5]);
  }
  if (in->error[0]) return;
  if (s->clock.step < 0 || s->clock.step > INT64_MAX / 2)
    h5_reader_fail(in, "its step is %lld", (long long)s->clock.step);
  if (s->lists.step > s->clock.step)
    h5_reader_fail(in, "its neighbour list is of step %lld, and its step is %lld",
                   (long long)s->lists.step, (long long)s->clock.step);
  if (s->clock.origin_step < 0 || s->clock.origin_step > INT64_MAX / 2 ||
      !isfinite(s->clock.origin_time))
    h5_reader_fail(in, "its time is counted from step %lld, %g ps", (long long)s->clock.origin_step,
                   s->clock.origin_time);
  if (!isfinite(s->clock.time)) h5_reader_fail(in, "its time is %g ps", s->clock.time);
  if (!isfinite(s->run.conserved_work)) h5_reader_fail(in, "its conserved_work is not a number");
  if (!(isfinite(s->lists.skin) && s->lists.skin >= 0))
    h5_reader_fail(in, "its skin is %g nm", s->lists.skin);
  if (s->run.builds < 0) h5_reader_fail(in, "its number of list builds is negative");
}

void state_values_items(struct h5_reader *in, struct system *s)
{
  struct system stored = {0};
  const int oblique = state_version(in) == STATE_FORMAT_OBLIQUE;
  for (int k = 0; k < STATE_ITEMS; k++)
    if (oblique >= state_item[k].oblique)
      h5_get(in, state_item[k].name, state_item[k].datatype, 0, state_item[k].rows,
             (char *)&stored + state_item[k].offset);
  system_set_box(s, stored.box);
  clock_restore(&s->clock, &stored.clock);
  list_build_restore(&s->lists, &stored.lists);
  run_record_restore_numbers(&s->run, &stored.run);
  state_values_check(in, s);
}

static void check_partner(struct h5_reader *in, const struct system *s, int64_t id, int64_t partner)
{
  /* 1 <= id + partner <= n_total, without overflow. */
  if (partner < 1 - id || partner > s->n_total - id)
    h5_reader_fail(in, "bead %lld is bonded to a bead that does not exist", (long long)id);
}

static void check_env(struct h5_reader *in, const struct system *s, int64_t id, int env)
{
  const struct topology *t = &s->topology;
  if (env < 0) return;
  for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++)
    for (int j = 0; j < t->term[k].beads - 1; j++)
      check_partner(in, s, id, t->term[k].partner[j]);
  for (int k = t->exclude_start[env]; k < t->exclude_start[env + 1]; k++)
    check_partner(in, s, id, t->exclude[k]);
}

static int all_finite(const double *value, int n)
{
  for (int k = 0; k < n; k++)
    if (!isfinite(value[k])) return 0;
  return 1;
}

static int is_too_fast(const struct system *s, int64_t k)
{
  const struct ff_type *type = &s->ff->type[s->beads.type[k]];
  for (int d = 0; d < 3; d++) {
    double spin = fabs(s->beads.angular_momentum[3 * k + d]);
    if (fabs(s->beads.momentum[3 * k + d]) > SPEED_MOST * type->mass) return 1;
    if (type->inertia[d] > 0 && spin > SPIN_MOST * type->inertia[d]) return 1;
  }
  return 0;
}

void state_values_bead(struct h5_reader *in, const struct system *s, int64_t k)
{
  const struct beads *b = &s->beads;
  const struct forcefield *ff = s->ff;
  const double *q = &b->orientation[4 * k];
  long long id = (long long)(s->first + k);
  double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (b->type[k] < 0 || b->type[k] >= ff->n_types)
    h5_reader_fail(in, "bead %lld has type %d, and the force field has types 0 to %d", id,
                   b->type[k], ff->n_types - 1);
  else if (b->molecule_type[k] < -1 || b->molecule_type[k] >= ff->n_molecules || b->molecule[k] < 0)
    h5_reader_fail(in,
                   "bead %lld has molecule %d of type %d, and the force field has types 0 to %d",
                   id, b->molecule[k], b->molecule_type[k], ff->n_molecules - 1);
  else if (b->bonded_env[k] < -1 || b->bonded_env[k] >= s->topology.n_envs)
    h5_reader_fail(in, "bead %lld has slot %d, and the topology has %d", id, b->bonded_env[k],
                   s->topology.n_envs);
  else if (!all_finite(&b->momentum[3 * k], 3) || !all_finite(&b->angular_momentum[3 * k], 3))
    h5_reader_fail(in, "bead %lld has a momentum that is not a number", id);
  else if (is_too_fast(s, k))
    h5_reader_fail(in,
                   "bead %lld has an impossible momentum: it moves at more than %g nm/ps, or "
                   "turns at more than %g rad/ps",
                   id, SPEED_MOST, SPIN_MOST);
  else if (!(fabs(sqrt(norm) - 1) <= STATE_UNIT_ERROR))
    h5_reader_fail(in, "bead %lld has an orientation of length %.9g, not 1", id, sqrt(norm));
  else
    check_env(in, s, s->first + k, b->bonded_env[k]);
}
