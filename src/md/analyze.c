#include "md/analyze.h"

#include <math.h>

#include "base/integers.h"
#include "base/log.h"
#include "io/state.h"
#include "md/biases.h"
#include "md/neighbor.h"
#include "md/observers.h"
#include "md/simulation.h"
#include "model/place.h"

static int64_t frame_of(const char *option, int64_t given, int64_t most)
{
  if (given > most)
    die_all(STATUS_INPUT, "--%s=%lld: frames are counted from 1, and there are %lld", option,
            (long long)given, (long long)most);
  return given - 1;
}

void analyze_open(struct analyze_input *in, const struct ranks *r, const char *path,
                  const char *state, int64_t first, int64_t last)
{
  h5_reader_open(&in->file, path);
  trajectory_reader_open(&in->reader, &in->file);
  h5_reader_require_ok(&in->file, r);
  trajectory_reader_warn(&in->reader);
  const int64_t n = in->reader.index.frames;
  if (n == 0) die_all(STATUS_INPUT, "'%s' has no frames", path);
  in->range.first = frame_of("first", first ? first : 1, n);
  in->range.last = frame_of("last", last ? last : n, n);
  if (in->range.first > in->range.last)
    die_all(STATUS_INPUT, "--first=%lld is after --last=%lld: no frames", (long long)first,
            (long long)last);
  in->system = state_read(r, state);
  struct selection held;
  trajectory_reader_held(&in->reader, in->system, &held, state, r);
  selection_close(&held);
}

const char *analyze_standard(int64_t lipids)
{
  if (lipids > 0)
    return "[{membrane: {every: 1}}, {density: {every: 1}}, {order: {every: 1}}, "
           "{leaflets: {every: 1}}, {undulation: {every: 1}}, {msd: {every: 1}}]";
  return "[{density: {every: 1}}, {msd: {every: 1}}]";
}

void analyze_close(struct analyze_input *in)
{
  trajectory_reader_close(&in->reader);
  h5_reader_close(&in->file);
}

enum { ORIENTATION = 1 << ELEMENT_QUATERNION | 1 << ELEMENT_AXIS | 1 << ELEMENT_DIPOLE };

/* Status 2 if an observable has a need that only some elements of frames fulfil. */
static void require(const struct sim *s, const struct trajectory_reader *t, unsigned need,
                    int elements, const char *what, const char *advice)
{
  for (int k = 0; s->measured && k < s->measured->n; k++)
    if (s->measured->observable[k].needs & need && !(t->index.layout.elements & elements))
      die_all(STATUS_INPUT, "'%s' has no %s, which '%s' needs: %s", t->in->path, what,
              s->measured->observable[k].name, advice);
}

static void require_all(const struct sim *s, const struct trajectory_reader *t)
{
  if (t->index.n != s->system->n_total)
    die_all(STATUS_INPUT,
            "'%s' holds %lld beads and the state %lld: observables need all beads in the frames, "
            "and the state of the same run",
            t->in->path, (long long)t->index.n, (long long)s->system->n_total);
  require(s, t, NEEDS_VELOCITIES | NEEDS_MOMENTA, 1 << ELEMENT_VELOCITY,
          "velocities (particles/trajectory/velocity)", "write frames with output.velocities: 1");
  if (s->dof.rotation > 0)
    require(s, t, NEEDS_AXES | NEEDS_ORIENTATIONS, ORIENTATION,
            "orientations (dipole, axis or quaternion)", "leave the observable out");
}

static void set_orientation(const struct trajectory_frame *f, int64_t k, double q[4])
{
  static const int element[] = {ELEMENT_DIPOLE, ELEMENT_AXIS};
  const float *turn = f->value[ELEMENT_QUATERNION];
  q[0] = 1;
  q[1] = q[2] = q[3] = 0;
  if (turn) {
    double length = 0;
    for (int d = 0; d < 4; d++)
      length += (double)turn[4 * k + d] * (double)turn[4 * k + d];
    for (int d = 0; d < 4; d++)
      q[d] = (double)turn[4 * k + d] / sqrt(length);
    return;
  }
  for (int e = 0; e < 2; e++) {
    const float *value = f->value[element[e]] ? f->value[element[e]] + 3 * k : NULL;
    if (!value || (value[0] == 0 && value[1] == 0 && value[2] == 0)) continue;
    const double u[3] = {(double)value[0], (double)value[1], (double)value[2]};
    place_orientation(u, q);
  }
}

static void set_bead(const struct trajectory_frame *f, int64_t k, struct system *y)
{
  const struct beads *b = &y->beads;
  const float *velocity = f->value[ELEMENT_VELOCITY];
  const double mass = y->ff->type[b->type[k]].mass;
  system_set_position(y, k, f->position[k]);
  set_orientation(f, k, b->orientation + 4 * k);
  for (int d = 0; d < 3; d++) {
    b->momentum[3 * k + d] = velocity ? mass * (double)velocity[3 * k + d] : 0;
    b->angular_momentum[3 * k + d] = 0;
  }
}

void analyze_read_frame(const struct ranks *r, struct trajectory_reader *t, int64_t frame,
                        struct system *y)
{
  struct trajectory_frame f = {0};
  trajectory_frame_read(t, frame, y->first, y->n, POSITIONS_UNWRAPPED, &f);
  trajectory_frame_verify(t, &f, r);
  system_set_box(y, f.box);
  clock_set(&y->clock, f.step, f.time);
  list_build_forget(&y->lists);
  for (int64_t k = 0; k < y->n; k++)
    set_bead(&f, k, y);
  trajectory_frame_free(&f);
}

static int64_t common_multiple(int64_t a, int64_t b)
{
  const int64_t divisor = common_divisor(a, b), parts = divisor > 0 ? a / divisor : a;
  return b > 0 && parts > INT64_MAX / b ? INT64_MAX : parts * b;
}

/* For frames that are `steps` apart: observables are sampled at steps that are multiples of both
   `steps` and their `every`, if that is given. Returns 0 if an observable would be sampled at none
   of the n steps. */
static int set_interval(struct measured *m, int64_t steps, int64_t n, const int64_t *step)
{
  int all = 1;
  for (int k = 0; k < m->n; k++) {
    struct observable *o = &m->observable[k];
    int found = 0;
    o->every = o->every_is_given ? common_multiple(o->every, steps) : steps;
    for (int64_t j = 0; j < n; j++)
      found |= observable_due(&m->observable[k], step[j]);
    all &= found;
  }
  return all;
}

/* 1 if frames a and b are one sampling interval of the observable apart, in steps and in time. */
static int is_even(const struct observable *o, const int64_t *step, const double *time, int64_t a,
                   int64_t b)
{
  const double interval = (double)o->every * o->about->dt;
  return step[b] - step[a] == o->every && fabs(time[b] - time[a] - interval) <= 1e-6 * interval;
}

/* The first observable that needs equal intervals between its frames and does not have them; NULL:
   none. */
static const char *who_is_uneven(const struct measured *m, int64_t n, const int64_t *step,
                                 const double *time)
{
  for (int k = 0; k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    int64_t before = -1;
    for (int64_t j = 0; o->kind->even && j < n; j++) {
      if (!observable_due(o, step[j])) continue;
      if (before >= 0 && !is_even(o, step, time, before, j)) return o->name;
      before = j;
    }
  }
  return NULL;
}

/* The greatest common divisor of the steps between successive frames. */
static int64_t interval_of(const int64_t *step, int64_t n)
{
  int64_t all = 0;
  for (int64_t k = 1; k < n; k++)
    all = common_divisor(all, step[k] - step[k - 1]);
  return all > 0 ? all : 1;
}

static void sample(struct sim *s)
{
  if (sampling_needs(s, s->system->clock.step) & (NEEDS_FORCES | NEEDS_ENERGIES)) {
    neighbor_build(s, 0);
    s->backend->ops->force(s->backend, FORCE_ALL, FORCE_ENERGY);
    thermo_require_finite(s);
  }
  if (sampling_needs(s, s->system->clock.step) & NEEDS_COORDINATES) biases_measure(s);
  sampling_now(s);
}

void analyze_frames(struct sim *s, struct analyze_input *in)
{
  struct trajectory_reader *t = &in->reader;
  const struct analyze_range range = in->range;
  const int64_t n = range.last - range.first + 1, *step = t->index.step + range.first;
  require_all(s, t);
  if (!set_interval(s->measured, interval_of(step, n), n, step))
    die_all(STATUS_INPUT,
            "observe: an observable has no frame: its samples are at multiples of 'every' from the "
            "step 'from' on, and the frames of '%s' at steps %lld to %lld, %lld apart",
            t->in->path, (long long)step[0], (long long)step[n - 1],
            (long long)interval_of(step, n));
  const char *uneven = who_is_uneven(s->measured, n, step, t->index.time + range.first);
  if (uneven)
    die_all(STATUS_INPUT,
            "observe: '%s' needs frames that are equally far apart in time, and those of '%s' are "
            "not: choose frames with --first and --last, or larger intervals with 'every'",
            uneven, t->in->path);
  measured_without_rotation(s->measured);
  for (int64_t k = range.first; k <= range.last; k++) {
    if (!sampling_needs(s, t->index.step[k])) continue;
    analyze_read_frame(s->ranks, t, k, s->system);
    sim_load(s);
    sample(s);
  }
}
