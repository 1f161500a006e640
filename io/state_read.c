/* State file, reading: sizes before memory, then values, each mistake with its place. */
#include "state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5_read.h"
#include "log.h"
#include "state_check.h"
#include "state_layout.h"
#include "state_topology.h"

#define BOX_LEAST 1e-3 /* nm */
#define BOX_MOST 1e9
#define SPEED_MOST 1e6 /* nm/ps; light has 3e5 */
#define SPIN_MOST 1e9  /* rad/ps */

static int is_edge(double box)
{
  return box >= BOX_LEAST && box <= BOX_MOST;
}

static void read_items(struct h5_reader *in, struct system *s)
{
  int version = state_version(in);
  for (int k = 0; k < STATE_ITEMS; k++)
    if (state_item[k].since <= version)
      h5_get(in, state_item[k].name, state_item[k].kind, 0, state_item[k].rows,
             (char *)s + state_item[k].offset);
  if (version < 2) system_reset_clock(s);
  for (int d = 0; d < 3 && !in->error[0]; d++) {
    double box = s->box[d], build = s->build_box[d];
    if (!is_edge(box))
      h5_reader_fail(in, "box edge %c is %g nm", "xyz"[d], box);
    else if (s->build_step >= 0 && !is_edge(build))
      h5_reader_fail(in, "box edge %c of the neighbour list is %g nm", "xyz"[d], build);
  }
  if (in->error[0]) return;
  if (s->step < 0 || s->step > INT64_MAX / 2)
    h5_reader_fail(in, "its step is %lld", (long long)s->step);
  if (s->build_step > s->step)
    h5_reader_fail(in, "its neighbour list is of step %lld, and its step is %lld",
                   (long long)s->build_step, (long long)s->step);
  if (!isfinite(s->time)) h5_reader_fail(in, "its time is %g ps", s->time);
  if (!isfinite(s->conserved_work)) h5_reader_fail(in, "its conserved_work is not a number");
  if (!(isfinite(s->skin) && s->skin >= 0)) h5_reader_fail(in, "its skin is %g nm", s->skin);
  if (s->builds < 0 || s->missed < 0 || s->worst_build < 0 || !(s->missed_force >= 0))
    h5_reader_fail(in, "one of its counters is negative");
}

/* Starts of slots: from 0, never falling, to the last row. */
static void check_starts(struct h5_reader *in, const char *name, const int *start, int n_slots,
                         int64_t end)
{
  int good = start[0] == 0 && start[n_slots] == end;
  for (int k = 0; k < n_slots; k++)
    good = good && start[k] <= start[k + 1];
  if (!good) h5_reader_fail(in, "dataset %s does not lead from 0 to %lld", name, (long long)end);
}

static void check_terms(struct h5_reader *in, const struct topology *t, int64_t terms,
                        const struct forcefield *ff)
{
  for (int64_t k = 0; k < terms && !in->error[0]; k++) {
    const struct topology_term *term = &t->term[k];
    int bond = term->kind == TOPOLOGY_BOND;
    int types = bond ? ff->n_bonds : ff->n_angles;
    if (term->kind != TOPOLOGY_BOND && term->kind != TOPOLOGY_ANGLE)
      h5_reader_fail(in, "row %lld of topology has kind %d", (long long)k, term->kind);
    else if (term->type < 0 || term->type >= types)
      h5_reader_fail(in, "row %lld of topology has %s type %d, and the force field has %d",
                     (long long)k, bond ? "bond" : "angle", term->type, types);
    else if (term->role < 0 || term->role > 2 - bond)
      h5_reader_fail(in, "row %lld of topology has role %d", (long long)k, term->role);
  }
}

static void read_topology(struct h5_reader *in, struct system *s)
{
  struct topology *t = &s->topology;
  int64_t starts = h5_rows(in, STATE_TERM_START, 'i', 1);
  int64_t terms = h5_rows(in, STATE_TERM_KIND, 'i', 1);
  int64_t excluded = h5_rows(in, STATE_EXCLUDE, 'l', 1);
  if (!in->error[0] &&
      (starts < 1 || starts > INT32_MAX || terms > INT32_MAX || excluded > INT32_MAX))
    h5_reader_fail(in, "its topology has %lld slots", (long long)starts - 1);
  if (in->error[0]) return;
  t->n_slots = (int)starts - 1;
  t->term_start = alloc_array(starts, sizeof *t->term_start);
  t->exclude_start = alloc_array(starts, sizeof *t->exclude_start);
  t->term = alloc_array(terms, sizeof *t->term);
  t->exclude = alloc_array(excluded, sizeof *t->exclude);
  int32_t *member = alloc_array(terms, 3 * sizeof *member);
  int64_t *partner = alloc_array(terms, 2 * sizeof *partner);
  h5_get(in, STATE_TERM_START, 'i', 0, starts, t->term_start);
  h5_get(in, STATE_EXCLUDE_START, 'i', 0, starts, t->exclude_start);
  h5_get(in, STATE_EXCLUDE, 'l', 0, excluded, t->exclude);
  h5_get(in, STATE_TERM_KIND, 'i', 0, terms, member);
  h5_get(in, STATE_TERM_TYPE, 'i', 0, terms, member + terms);
  h5_get(in, STATE_TERM_ROLE, 'i', 0, terms, member + 2 * terms);
  h5_get(in, STATE_TERM_PARTNER, 'l', 0, terms, partner);
  for (int64_t k = 0; k < terms; k++) {
    struct topology_term term = {member[k],
                                 member[terms + k],
                                 member[2 * terms + k],
                                 0,
                                 {partner[2 * k], partner[2 * k + 1]}};
    t->term[k] = term;
  }
  free(member);
  free(partner);
  if (in->error[0]) return;
  check_starts(in, STATE_TERM_START, t->term_start, t->n_slots, terms);
  check_starts(in, STATE_EXCLUDE_START, t->exclude_start, t->n_slots, excluded);
  check_terms(in, t, terms, s->ff);
  if (!in->error[0]) state_topology_check_slots(in, s);
}

static void check_partner(struct h5_reader *in, const struct system *s, int64_t id, int64_t partner)
{
  /* Without overflow: 1 <= id + partner <= n_total. */
  if (partner < 1 - id || partner > s->n_total - id)
    h5_reader_fail(in, "bead %lld is bonded to a bead that does not exist", (long long)id);
}

static void check_slot(struct h5_reader *in, const struct system *s, int64_t id, int slot)
{
  const struct topology *t = &s->topology;
  if (slot < 0) return;
  for (int k = t->term_start[slot]; k < t->term_start[slot + 1]; k++)
    for (int j = 0; j < (t->term[k].kind == TOPOLOGY_BOND ? 1 : 2); j++)
      check_partner(in, s, id, t->term[k].partner[j]);
  for (int k = t->exclude_start[slot]; k < t->exclude_start[slot + 1]; k++)
    check_partner(in, s, id, t->exclude[k]);
}

static int all_finite(const double *value, int n)
{
  for (int k = 0; k < n; k++)
    if (!isfinite(value[k])) return 0;
  return 1;
}

/* Is any velocity or angular velocity beyond all sense? */
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

static void check_bead(struct h5_reader *in, const struct system *s, int64_t k)
{
  const struct beads *b = &s->beads;
  const struct forcefield *ff = s->ff;
  const double *q = &b->orientation[4 * k];
  long long id = (long long)(s->first + k);
  double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (b->type[k] < 0 || b->type[k] >= ff->n_types)
    h5_reader_fail(in, "bead %lld has type %d, and the force field has types 0 to %d", id,
                   b->type[k], ff->n_types - 1);
  else if (b->kind[k] < -1 || b->kind[k] >= ff->n_molecules || b->molecule[k] < 0)
    h5_reader_fail(in,
                   "bead %lld has molecule %d of type %d, and the force field has types 0 to %d",
                   id, b->molecule[k], b->kind[k], ff->n_molecules - 1);
  else if (b->slot[k] < -1 || b->slot[k] >= s->topology.n_slots)
    h5_reader_fail(in, "bead %lld has slot %d, and the topology has %d", id, b->slot[k],
                   s->topology.n_slots);
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
    check_slot(in, s, s->first + k, b->slot[k]);
}

static void read_beads(struct h5_reader *in, struct system *s)
{
  for (int k = 0; k < FIELDS; k++) {
    if (!(field_info[k].flags & (STATE | STATIC))) continue;
    char name[64];
    state_field_name(k, name);
    h5_get(in, name, field_info[k].kind, s->first - 1, s->n, *beads_field(&s->beads, k));
  }
  for (int64_t k = 0; k < s->n && !in->error[0]; k++)
    check_bead(in, s, k);
}

static void read_texts(struct h5_reader *in, struct system *s)
{
  if (!h5_get_attribute_text(in, "/", "kernel", s->kernel, sizeof s->kernel)) s->kernel[0] = 0;
  if (h5_exists(in, STATE_RUN)) s->run_text = h5_get_text(in, STATE_RUN);
  if (h5_exists(in, STATE_INPUT)) s->input = h5_get_text(in, STATE_INPUT);
  if (h5_exists(in, STATE_HISTORY)) s->history = h5_get_text(in, STATE_HISTORY);
}

struct system *state_try(const struct ranks *r, const char *path, struct state_refusal *why)
{
  struct h5_reader in;
  struct system *s = NULL;
  char origin[256];
  memset(why, 0, sizeof *why);
  h5_reader_open(&in, path);
  if (in.os_error) why->trouble = in.os_error == ENOENT ? STATE_MISSING : STATE_WITHHELD;
  state_check_format(&in);
  int64_t n = state_check_sizes(&in);
  char *text = h5_get_text(&in, STATE_FORCEFIELD);
  if (h5_reader_agree(&in, r, why->reason, sizeof why->reason)) {
    snprintf(origin, sizeof origin, "state file %s", path);
    s = system_create(n, r->rank, r->size, forcefield_parse(text, origin));
    read_items(&in, s);
    read_texts(&in, s);
    read_topology(&in, s);
    read_beads(&in, s);
    state_topology_check_terms(&in, r, s);
  }
  free(text);
  if (s && !h5_reader_agree(&in, r, why->reason, sizeof why->reason)) {
    system_destroy(s);
    s = NULL;
  }
  h5_reader_close(&in);
  if (!s && !why->trouble) why->trouble = STATE_UNUSABLE;
  ranks_max_int64(r, &why->trouble, 1);
  return s;
}

struct system *state_read(const struct ranks *r, const char *path)
{
  struct state_refusal why;
  struct system *s = state_try(r, path, &why);
  if (!s) die_all(STATUS_IO, "cannot read '%s': %s", path, why.reason);
  return s;
}
