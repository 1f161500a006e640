/* Values of a state file: see state_values.h. */
#include "io/state_values.h"

#include <math.h>

#include "io/state_layout.h"

#define BOX_LEAST 1e-3 /* nm */
#define BOX_MOST 1e9
#define SPEED_MOST 1e6 /* nm/ps; the speed of light is 3e5 */
#define SPIN_MOST 1e9  /* rad/ps */

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
  if (s->run.builds < 0 || s->run.missed < 0 || s->run.worst_build < 0 ||
      !(s->run.missed_force >= 0))
    h5_reader_fail(in, "one of its counters is negative");
}

void state_values_items(struct h5_reader *in, struct system *s)
{
  struct system stored = {0};
  for (int k = 0; k < STATE_ITEMS; k++)
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

/* Is any velocity or angular velocity unphysically large? */
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
