/* Shared by the kernels that move beads: their argument, loads and stores of a bead, and what they
   report of it. */
#ifndef MOTION_CUDA_CUH
#define MOTION_CUDA_CUH

#include <math.h>

#include "cuda/lists/clusters.h"
#include "cuda/lists/sort.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"

template <typename Real> struct axis_vector {
  Real u[3], q;
};

/* Argument of these kernels. Arrays as in struct gpu_arrays, with owned beads first. */
struct motion {
  int n, parity;
  double pending_kick; /* ps; gpu_clock.pending_kick */
  const int *lead;     /* struct gpu_clusters; NULL: no bead moves with a cluster */
  struct beads beads;
  const int64_t *id;
  const struct cuda_type *types;
  struct bead_record *record;
  void *axis[PAIR_AXES_MOST];
  const double *force, *torque;
  const unsigned char *team;        /* team_byte; NULL: 0 for all beads */
  int frozen;                       /* struct gpu_teams */
  double h[BOX];                    /* nm; box of the build / 2^32 */
  const struct coupling_state *now; /* in the report */
  struct cuda_report *report;
  struct cuda_progress *progress;
  int *displaced; /* beads for the search for unlisted pairs */
};

static inline struct motion motion_of(const struct gpu *c)
{
  struct motion m;
  m.n = c->base.n;
  m.parity = c->clock->parity;
  m.pending_kick = 0;
  m.lead = c->clusters->lead;
  m.beads = c->arrays->beads;
  m.id = c->arrays->id;
  m.types = c->types->type;
  m.record = c->arrays->record;
  for (int k = 0; k < PAIR_AXES_MOST; k++)
    m.axis[k] = c->arrays->axis[k];
  m.force = c->arrays->force;
  m.torque = c->arrays->torque;
  m.team = c->teams->of_bead;
  m.frozen = c->teams->frozen;
  torus_units(c->reports->build_box, m.h);
  m.now = &c->reports->device->box.now;
  m.report = c->reports->device;
  m.progress = c->reports->progress;
  m.displaced = c->sorting->value; /* free between builds */
  return m;
}

/* EARLY 1, here and below: loads from the L2 cache, for a kernel that is chained to forces: they
   have begun after the step before has ended, but L1 may hold older values. */
template <int EARLY = 0, typename Word> DEVICE Word word_load(const Word *from)
{
  return EARLY ? __ldcg(from) : *from;
}

template <int EARLY = 0> DEVICE void three_load(const double *from, int64_t i, double to[3])
{
  for (int k = 0; k < 3; k++)
    to[k] = word_load<EARLY>(from + 3 * i + k);
}

DEVICE void three_store(double *to, int64_t i, const double from[3])
{
  for (int k = 0; k < 3; k++)
    to[3 * i + k] = from[k];
}

template <int EARLY = 0> DEVICE void turn_load(const double *orientation, int64_t i, double q[4])
{
  const double2 a = word_load<EARLY>((const double2 *)orientation + 2 * i),
                b = word_load<EARLY>((const double2 *)orientation + 2 * i + 1);
  q[0] = a.x;
  q[1] = a.y;
  q[2] = b.x;
  q[3] = b.y;
}

DEVICE void turn_store(double *orientation, int64_t i, const double q[4])
{
  ((double2 *)orientation)[2 * i] = make_double2(q[0], q[1]);
  ((double2 *)orientation)[2 * i + 1] = make_double2(q[2], q[3]);
}

/* Loads force and torque of a bead; the torque is 0 if it does not rotate. */
template <int EARLY = 0>
DEVICE void body_forces_load(const struct motion &m, int64_t i, int turns, struct body *b)
{
  three_load<EARLY>(m.force, i, b->force);
  for (int k = 0; k < 3; k++)
    b->torque[k] = 0;
  if (turns) three_load<EARLY>(m.torque, i, b->torque);
}

/* Loads a bead, but not force and torque. If it does not rotate, the angular momentum is set to 0,
   and the orientation is not set. FREEZES 0: no bead is frozen. */
template <int FREEZES = 0, int EARLY = 0>
DEVICE void body_state_load(const struct motion &m, int64_t i, int turns, struct body *b)
{
  three_load<EARLY>(m.beads.momentum, i, b->p);
  const unsigned char byte = m.team ? m.team[i] : 0;
  b->team = (int16_t)team_number(byte);
  b->frozen = (int16_t)(FREEZES ? team_frozen(byte) : 0);
  for (int k = 0; k < 3; k++) {
    b->x[k] = word_load<EARLY>(m.beads.position + 3 * i + k);
    b->image[k] = 0; /* its change in this step, mostly 0 */
    b->residual[k] = word_load<EARLY>(m.beads.residual + 3 * i + k);
    b->j[k] = 0;
  }
  if (!turns) return;
  turn_load<EARLY>(m.beads.orientation, i, b->q);
  three_load<EARLY>(m.beads.angular_momentum, i, b->j);
}

/* Loads a bead with force and torque. */
template <int FREEZES = 0, int EARLY = 0>
DEVICE void body_load(const struct motion &m, int64_t i, int turns, struct body *b)
{
  body_state_load<FREEZES, EARLY>(m, i, turns, b);
  body_forces_load<EARLY>(m, i, turns, b);
}

/* Stores a bead after a first half, but not its image counts. */
DEVICE void body_store_alone(const struct motion &m, int64_t i, int turns, const struct body *b)
{
  for (int k = 0; k < 3; k++) {
    m.beads.position[3 * i + k] = b->x[k];
    m.beads.residual[3 * i + k] = b->residual[k];
  }
  three_store(m.beads.momentum, i, b->p);
  if (!turns) return;
  three_store(m.beads.angular_momentum, i, b->j);
  turn_store(m.beads.orientation, i, b->q);
}

DEVICE void record_store(struct bead_record *record, int64_t i, const int32_t x[3], int type)
{
  ((int4 *)record)[i] = make_int4(x[0], x[1], x[2], type);
}

template <typename Real>
DEVICE void axis_put(void *axis, int64_t i, const double direction[3], Real scale, Real charge)
{
  axis_vector<Real> out;
  for (int k = 0; k < 3; k++)
    out.u[k] = scale * (Real)direction[k];
  out.q = charge;
  ((axis_vector<Real> *)axis)[i] = out;
}

/* The axis records of a bead (struct axis_record). q NULL: its orientation is not known here, only
   the charge. */
template <typename Real>
DEVICE void axis_store(const struct motion &m, int64_t i, const struct cuda_type *type,
                       const double *q)
{
  const Real s = (Real)type->axis_scale;
  double z[3] = {0, 0, 0}, x[3] = {0, 0, 0};
  if (q && s > 0) rotation_axis(q, z);
  axis_put<Real>(m.axis[0], i, z, s, (Real)type->charge);
  if (!m.axis[1]) return;
  if (q && s > 0) rotation_axis_x(q, x);
  axis_put<Real>(m.axis[1], i, x, (Real)1, (Real)0);
}

/* 1 if a bead moves with its cluster (clusters.cu), and not by itself. */
DEVICE int in_cluster(const struct motion &m, int64_t i)
{
  return m.lead && m.lead[i] >= 0;
}

/* 1 if bead i is frozen along an axis. */
DEVICE int is_frozen(const struct motion &m, int64_t i)
{
  return m.frozen && team_frozen(m.team[i]) != 0;
}

/* The second half kick of a bead, of h ps: changes its momentum and angular momentum, in memory and
   in b->p and b->j; b->j only if it rotates. */
DEVICE void kick_bead(const struct motion &m, int64_t i, double h, struct body *b)
{
  const struct cuda_type *t = &m.types[m.beads.type[i]];
  const int turns = body_turns(&t->body);
  three_load(m.beads.momentum, i, b->p);
  three_load(m.force, i, b->force);
  if (turns) {
    turn_load(m.beads.orientation, i, b->q);
    three_load(m.beads.angular_momentum, i, b->j);
    three_load(m.torque, i, b->torque);
  }
  body_kick(b, &t->body, h);
  if (m.frozen) {
    body_set_team(b, m.team[i]);
    body_hold(b);
  }
  three_store(m.beads.momentum, i, b->p);
  if (turns) three_store(m.beads.angular_momentum, i, b->j);
}

/* Reports a bead that has moved too far. The lists expire, too, so that later kernels are no-ops
   and the state is preserved until the host reads the report. */
static __device__ void fault_blown(const struct motion &m, int reduce, int64_t step, int64_t i,
                                   const struct body *b, double d2)
{
  struct cuda_fault *f = &m.report->blown;
  lists_expire(m.report, reduce, step);
  if (!fault_is_first(f)) return;
  f->bead = m.id[i];
  f->step = step;
  f->value[0] = sqrt(d2);
  for (int k = 0; k < 3; k++)
    f->value[1 + k] = b->force[k];
}

/* Squared displacement of a bead since the list build, nm2. OBLIQUE: of box_for. */
template <int OBLIQUE>
DEVICE double displacement2_of(const struct motion &m, const struct integrate_params &how,
                               int64_t i, const int32_t x[3])
{
  const int32_t *build = m.beads.build_position + 3 * i;
  const int32_t old[3] = {build[0], build[1], build[2]};
  double h[BOX];
  for (int k = 0; k < BOX; k++)
    h[k] = !OBLIQUE && k > 2 ? 0 : how.box_changes ? m.report->box.build[k] / TORUS_EDGE : m.h[k];
  return torus_distance2(x, old, h);
}

/* *begun: the number of the state that this first half starts from; *expired: as in the report.
   Returns 1 if lists expired before, and the first half must be a no-op. */
DEVICE int move_is_idle(const struct motion &m, int64_t *begun, uint64_t *expired)
{
  const volatile struct cuda_report *r = m.report;
  *expired = r->expired_agreed;
  *begun = r->begun[m.parity];
  return *expired && *expired != (uint64_t)*begun + 1;
}

/* Appends a bead that is displaced beyond search_above2 to the list of the search; beyond
   rebuild_above2 the lists expire. */
DEVICE void displaced_note(const struct motion &m, const struct integrate_params &how, int64_t i,
                           int64_t begun, double d2)
{
  if (d2 <= m.now->search_above2) return;
  if (d2 <= m.now->rebuild_above2)
    m.displaced[atomicAdd(&m.report->displaced[m.parity], 1u)] = (int)i;
  else
    lists_expire(m.report, how.reduce_expired, begun + 1);
}

#endif
