/* One bead in a step, in double on host and device: the order of kick, drift and noise; the moves
   of the minimiser; the kinetic sums. Backends load and store the beads. */
#ifndef MOVE_BODY_H
#define MOVE_BODY_H

#include "base/torus.h"
#include "dynamics/integrate_body.h"
#include "dynamics/integrate_params.h"
#include "model/forcefield.h"
#include "model/sums.h"

/* Inertial properties of a type; the inverse of 0 is 0. */
struct body_type {
  double mass, inverse_mass, inertia[3], inverse_inertia[3];
};

struct body {
  double p[3], j[3], q[4]; /* momentum; angular momentum in the body frame; quaternion */
  double force[3], torque[3];
  int32_t x[3], image[3];
  uint32_t residual[3];
  int bath; /* of its momenta: index into scaling.scale and integrate_params.bath */
};

static inline struct body_type body_type_of(const struct ff_type *from)
{
  struct body_type t;
  t.mass = from->mass;
  t.inverse_mass = from->mass > 0 ? 1 / from->mass : 0;
  for (int k = 0; k < 3; k++) {
    t.inertia[k] = from->inertia[k];
    t.inverse_inertia[k] = from->inertia[k] > 0 ? 1 / from->inertia[k] : 0;
  }
  return t;
}

HD int body_turns(const struct body_type *t)
{
  return t->inverse_inertia[0] > 0;
}

HD void body_kick(struct body *b, const struct body_type *t, double h)
{
  for (int k = 0; k < 3; k++)
    b->p[k] += h * b->force[k];
  if (body_turns(t)) rotation_kick(b->q, b->j, t->inverse_inertia, b->torque, h);
}

/* Noise of a momentum and of an angular momentum, of the heat bath of the bead. step: number of the
   state before. */
HD void noise_push(double p[3], double mass, const struct bath_noise *bath, uint64_t seed,
                   int64_t step, int64_t id)
{
  const double s = sqrt((1 - bath->decay * bath->decay) * bath->kT * mass), push[3] = {s, s, s};
  langevin_noise(p, bath->decay, push, seed, (uint64_t)step, (uint64_t)id, RNG_LANGEVIN);
}

HD void noise_turn(double j[3], const double inertia[3], const struct bath_noise *bath,
                   uint64_t seed, int64_t step, int64_t id)
{
  const double rest = (1 - bath->decay * bath->decay) * bath->kT;
  double turn[3];
  for (int k = 0; k < 3; k++)
    turn[k] = sqrt(rest * inertia[k]);
  langevin_noise(j, bath->decay, turn, seed, (uint64_t)step, (uint64_t)id, RNG_LANGEVIN_ROT);
}

HD void body_noise(struct body *b, const struct body_type *t, const struct integrate_params *m,
                   int64_t step, int64_t id)
{
  noise_push(b->p, t->mass, &m->bath[b->bath], m->seed, step, id);
  if (body_turns(t)) noise_turn(b->j, t->inertia, &m->bath[b->bath], m->seed, step, id);
}

/* Moves a bead by d, nm. Returns the square of the distance, nm2; infinity if it exceeds half of
   the box. */
HD double body_shift(struct body *b, const double d[3], const double box[3])
{
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    double fraction = d[k] / box[k];
    d2 += d[k] * d[k];
    if (!(fabs(fraction) < 0.5)) return (double)INFINITY;
    drift_position(&b->x[k], &b->residual[k], &b->image[k], fraction);
  }
  return d2;
}

/* Free rotation for a time h. */
HD void body_spin(struct body *b, const struct body_type *t, double h)
{
  if (body_turns(t)) rotation_free(b->q, b->j, t->inverse_inertia, h);
}

/* Drift and free rotation for a time h. Returns as body_shift. */
HD double body_drift(struct body *b, const struct body_type *t, const double box[3], double h)
{
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = h * b->p[k] * t->inverse_mass;
  const double d2 = body_shift(b, d, box);
  if (d2 < (double)INFINITY) body_spin(b, t, h);
  return d2;
}

/* Coordinate k of bead a less that of bead b, nearest images, nm. edge: of the box, nm. */
HD double body_difference(const struct body *a, const struct body *b, int k, double edge)
{
  const uint64_t at = (uint64_t)(uint32_t)a->x[k] << 32 | a->residual[k];
  const uint64_t from = (uint64_t)(uint32_t)b->x[k] << 32 | b->residual[k];
  return (double)(int64_t)(at - from) * (edge / 18446744073709551616.0);
}

/* The scaling of the last coupling, and half a kick. scaling: NULL for none. */
HD void body_push(struct body *b, const struct body_type *t, const struct integrate_params *m,
                  const struct scaling *scaling)
{
  for (int k = 0; scaling && k < 3; k++) {
    b->p[k] = scaling->scale[b->bath] * b->p[k] - t->mass * scaling->shift[b->bath][k];
    b->j[k] *= scaling->scale[b->bath];
  }
  body_kick(b, t, 0.5 * m->dt);
}

/* First half of a step. scaling: NULL for none. box: after scaling. step: m->step, or the device's
   own count. Returns the square of the distance moved, nm2; in a blow-up it is not <=
   max_displacement^2 (it may be NaN). */
HD double body_move(struct body *b, const struct body_type *t, const struct integrate_params *m,
                    const struct scaling *scaling, const double box[3], int64_t step, int64_t id)
{
  body_push(b, t, m, scaling);
  for (int k = 0; scaling && k < 3; k++)
    b->p[k] /= scaling->stretch[k];
  if (!m->noise) return body_drift(b, t, box, m->dt);
  double d2 = body_drift(b, t, box, 0.5 * m->dt);
  body_noise(b, t, m, step, id);
  return fmax(d2, body_drift(b, t, box, 0.5 * m->dt));
}

/* Steepest descent step of the minimiser: moves by min(step |f|, limit) nm along the force, and
   rotates about the torque by min(100 step |t|, 20 limit) radians. Three rotations in succession
   approximate the rotation vector well enough. */
HD void body_descend(struct body *b, const struct body_type *t, const double box[3], double step,
                     double limit)
{
  const double *f = b->force;
  double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
  if (size > 0 && size < HUGE_VAL) {
    double d = fmin(step * size, limit) / size;
    for (int k = 0; k < 3; k++)
      drift_position(&b->x[k], &b->residual[k], &b->image[k], d * f[k] / box[k]);
  }
  if (!body_turns(t)) return;
  double turn[3], none[3] = {0, 0, 0};
  rotation_to_body(b->q, b->torque, turn);
  size = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
  if (!(size > 0 && size < HUGE_VAL)) return;
  double angle = fmin(step * 100 * size, limit * 20);
  for (int k = 0; k < 3; k++)
    if (t->inverse_inertia[k] > 0) rotation_turn(b->q, none, k, angle * turn[k] / size);
}

/* Adds kinetic energy tensor, rotation and momentum of a bead to the words before SUM_VIRIAL. */
HD void body_sums(const double p[3], const double j[3], const struct body_type *t, double scale,
                  int64_t word[SUM_VIRIAL], int64_t *overflow, int64_t *magnitude)
{
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double turn = 0;
  for (int k = 0; k < 6; k++)
    sum_add(&word[SUM_KINETIC + k],
            sum_addend(p[row[k]] * p[column[k]] * t->inverse_mass, scale, overflow, magnitude));
  for (int k = 0; k < 3; k++) {
    sum_add(&word[SUM_MOMENTUM + k], sum_addend(p[k], scale, overflow, magnitude));
    turn += j[k] * j[k] * t->inverse_inertia[k];
  }
  sum_add(&word[SUM_ROTATION], sum_addend(turn, scale, overflow, magnitude));
}

/* Adds the motion of a bead to the words of its heat bath. */
HD void body_bath_sums(const double p[3], const double j[3], const struct body_type *t,
                       double scale, int64_t word[BATH_WORDS], int64_t *overflow,
                       int64_t *magnitude)
{
  double motion = 0;
  for (int k = 0; k < 3; k++) {
    motion += p[k] * p[k] * t->inverse_mass + j[k] * j[k] * t->inverse_inertia[k];
    sum_add(&word[1 + k], sum_addend(p[k], scale, overflow, magnitude));
  }
  sum_add(&word[0], sum_addend(motion, scale, overflow, magnitude));
}

#endif
