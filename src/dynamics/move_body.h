/* Motion of one bead in a step, in double on host and device: half kicks, drift in fixed-point
   coordinates, free rotation and Langevin noise, and their order; the moves of the minimiser; the
   kinetic sums. Velocity Verlet with the rotation splitting of Dullweber, Leimkuhler and McLachlan
   (J. Chem. Phys. 107, 5840, 1997) for quaternions; with noise BAOAB (Leimkuhler and Matthews,
   Appl. Math. Res. Express 2013, 34; for rigid bodies Davidchack, Ouldridge and Tretyakov, J. Chem.
   Phys. 142, 144114, 2015). Backends load and store the beads. */
#ifndef MOVE_BODY_H
#define MOVE_BODY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hd.h"
#include "base/rng.h"
#include "base/rotation.h"
#include "base/torus.h"
#include "dynamics/integrate_params.h"
#include "model/sums.h"
#include "model/system.h"

/* Rotates a linear body about its angular momentum j, of length size, by an angle of which s and c
   are sine and cosine of the half. */
HD void rotation_linear_by(double q[4], const double j[3], double size, double s, double c)
{
  double a = s * j[0] / size, b = s * j[1] / size, w = q[0], x = q[1], y = q[2], z = q[3];
  q[0] = w * c - x * a - y * b;
  q[1] = w * a + x * c - z * b;
  q[2] = w * b + y * c + z * a;
  q[3] = z * c + x * b - y * a;
  rotation_normalise(q);
}

/* Free rotation of a linear body (no inertia about z, j_z = 0) for a time h. Exact: a rotation
   about the constant j. */
HD void rotation_free_linear(double q[4], const double j[3], double inverse_inertia, double h)
{
  double size = sqrt(j[0] * j[0] + j[1] * j[1]), s, c;
  if (!(size > 0)) return;
  rotation_sincos(0.5 * h * size * inverse_inertia, &s, &c);
  rotation_linear_by(q, j, size, s, c);
}

/* Free rotation for a time h. inverse_inertia 0: no rotation about that axis. */
HD void rotation_free(double q[4], double j[3], const double inverse_inertia[3], double h)
{
  double ix = inverse_inertia[0], iy = inverse_inertia[1], iz = inverse_inertia[2];
  if (!(iz > 0)) {
    rotation_free_linear(q, j, ix, h);
    return;
  }
  rotation_turn(q, j, 0, 0.5 * h * j[0] * ix);
  rotation_turn(q, j, 1, 0.5 * h * j[1] * iy);
  rotation_turn(q, j, 2, h * j[2] * iz);
  rotation_turn(q, j, 1, 0.5 * h * j[1] * iy);
  rotation_turn(q, j, 0, 0.5 * h * j[0] * ix);
  rotation_normalise(q);
}

/* j += h torque (laboratory frame), about the axes that have inertia. */
HD void rotation_kick(const double q[4], double j[3], const double inverse_inertia[3],
                      const double torque[3], double h)
{
  double body[3];
  rotation_to_body(q, torque, body);
  for (int k = 0; k < 3; k++)
    if (inverse_inertia[k] > 0) j[k] += h * body[k];
}

/* d times 2^64 to the nearest integer, |d| < 1/2. On the host by additions that round, which every
   vector unit has, of the upper and the lower half. */
HD int64_t drift_steps(double d)
{
#ifdef __CUDA_ARCH__
  return __double2ll_rn(d * 18446744073709551616.0);
#else
  const double to_integer = 6755399441055744.0; /* 1.5 2^52: sums with it are integers */
  const double upper = d * 4294967296.0, high = (upper + to_integer) - to_integer,
               sum[3] = {to_integer, upper + to_integer,
                         (upper - high) * 4294967296.0 + to_integer};
  int64_t bits[3];
  memcpy(bits, sum, sizeof bits);
  return (int64_t)(((uint64_t)(bits[1] - bits[0]) << 32) + (uint64_t)(bits[2] - bits[0]));
#endif
}

/* Moves one coordinate by d, a fraction of the box edge with |d| < 1/2. 64-bit fixed point that
   wraps by overflow; crossings are counted in *image. */
HD void drift_position(int32_t *position, uint32_t *residual, int32_t *image, double d)
{
  const uint64_t x = (uint64_t)(uint32_t)*position << 32 | *residual;
  const int64_t step = drift_steps(d);
  const uint64_t y = x + (uint64_t)step;
  *image += (step > 0 && y < x) - (step < 0 && y > x);
  *position = (int32_t)(uint32_t)(y >> 32);
  *residual = (uint32_t)y;
}

/* v <- c v + sigma_k xi: the exact solution of the Ornstein-Uhlenbeck process for three
   components. */
HD void langevin_noise(double v[3], double c, const double sigma[3], uint64_t seed, uint64_t step,
                       uint64_t id, uint32_t stream)
{
  double xi[4];
  rng_normal(seed, step, id, stream, xi);
  for (int k = 0; k < 3; k++)
    v[k] = c * v[k] + sigma[k] * xi[k];
}

/* Inertial properties of a type; the inverse of 0 is 0. */
struct body_type {
  double mass, inverse_mass, inertia[3], inverse_inertia[3];
};

struct body {
  double p[3], j[3], q[4]; /* momentum; angular momentum in the body frame; quaternion */
  double force[3], torque[3];
  int32_t x[3], image[3];
  uint32_t residual[3];
  int16_t team;   /* index into scaling.scale and integrate_params.bath */
  int16_t frozen; /* bit d: along axis d */
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

/* Bead i of host arrays, of team 0 and not frozen. force and torque: [n][3]; NULL: 0. */
static inline struct body body_load(const struct beads *from, const double *force,
                                    const double *torque, int64_t i)
{
  struct body b;
  memset(&b, 0, sizeof b);
  memcpy(b.p, from->momentum + 3 * i, sizeof b.p);
  memcpy(b.j, from->angular_momentum + 3 * i, sizeof b.j);
  memcpy(b.q, from->orientation + 4 * i, sizeof b.q);
  memcpy(b.x, from->position + 3 * i, sizeof b.x);
  memcpy(b.image, from->image + 3 * i, sizeof b.image);
  memcpy(b.residual, from->residual + 3 * i, sizeof b.residual);
  if (force) memcpy(b.force, force + 3 * i, sizeof b.force);
  if (torque) memcpy(b.torque, torque + 3 * i, sizeof b.torque);
  return b;
}

/* Without the forces. */
static inline void body_store(const struct body *b, const struct beads *to, int64_t i)
{
  memcpy(to->momentum + 3 * i, b->p, sizeof b->p);
  memcpy(to->angular_momentum + 3 * i, b->j, sizeof b->j);
  memcpy(to->orientation + 4 * i, b->q, sizeof b->q);
  memcpy(to->position + 3 * i, b->x, sizeof b->x);
  memcpy(to->image + 3 * i, b->image, sizeof b->image);
  memcpy(to->residual + 3 * i, b->residual, sizeof b->residual);
}

HD int body_turns(const struct body_type *t)
{
  return t->inverse_inertia[0] > 0;
}

/* byte: team_byte. */
HD void body_set_team(struct body *b, unsigned char byte)
{
  b->team = (int16_t)team_number(byte);
  b->frozen = (int16_t)team_frozen(byte);
}

/* Takes away the momentum along axes along which a bead is frozen. */
HD void body_hold(struct body *b)
{
  for (int k = 0; k < 3; k++) {
    if (b->frozen >> k & 1) b->p[k] = 0;
    if (b->frozen == FROZEN_WHOLLY) b->j[k] = 0;
  }
}

/* The same of its force. */
HD void body_hold_force(struct body *b)
{
  for (int k = 0; k < 3; k++) {
    if (b->frozen >> k & 1) b->force[k] = 0;
    if (b->frozen == FROZEN_WHOLLY) b->torque[k] = 0;
  }
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
  noise_push(b->p, t->mass, &m->bath[b->team], m->seed, step, id);
  if (body_turns(t)) noise_turn(b->j, t->inertia, &m->bath[b->team], m->seed, step, id);
}

/* Moves a bead by d, nm. Returns the square of the distance, nm2; infinity if it exceeds half of
   the box. oblique: box_is_oblique, or a constant 0 in kernels for rectangular boxes. */
HD double body_shift_in(struct body *b, const double d[3], const double box[BOX], int oblique)
{
  double fraction[3], d2 = 0;
  if (oblique) box_fraction(box, d, fraction);
  for (int k = 0; k < 3; k++) {
    d2 += d[k] * d[k];
    if (!oblique) fraction[k] = d[k] / box[k];
    if (!(fabs(fraction[k]) < 0.5)) return (double)INFINITY;
    drift_position(&b->x[k], &b->residual[k], &b->image[k], fraction[k]);
  }
  return d2;
}

HD double body_shift(struct body *b, const double d[3], const double box[BOX])
{
  return body_shift_in(b, d, box, box_is_oblique(box));
}

/* Free rotation for a time h. */
HD void body_spin(struct body *b, const struct body_type *t, double h)
{
  if (body_turns(t)) rotation_free(b->q, b->j, t->inverse_inertia, h);
}

/* Drift and free rotation for a time h. Returns as body_shift. */
HD double body_drift(struct body *b, const struct body_type *t, const double box[BOX], int oblique,
                     double h)
{
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = h * b->p[k] * t->inverse_mass;
  const double d2 = body_shift_in(b, d, box, oblique);
  if (d2 < (double)INFINITY && b->frozen != FROZEN_WHOLLY) body_spin(b, t, h);
  return d2;
}

/* v = the vector from bead b to the nearest image of bead a, nm. */
HD void body_vector(const struct body *a, const struct body *b, const double box[BOX], double v[3])
{
  double unit[BOX], difference[3];
  for (int k = 0; k < BOX; k++)
    unit[k] = box[k] / 18446744073709551616.0;
  for (int k = 0; k < 3; k++) {
    const uint64_t at = (uint64_t)(uint32_t)a->x[k] << 32 | a->residual[k];
    const uint64_t from = (uint64_t)(uint32_t)b->x[k] << 32 | b->residual[k];
    difference[k] = (double)(int64_t)(at - from);
  }
  box_vector(unit, difference, v);
}

/* The scaling of the last coupling, and half a kick. scaling: NULL for none. */
HD void body_push(struct body *b, const struct body_type *t, const struct integrate_params *m,
                  const struct scaling *scaling)
{
  for (int k = 0; scaling && k < 3; k++) {
    b->p[k] = scaling->scale[b->team] * b->p[k] - t->mass * scaling->shift[b->team][k];
    b->j[k] *= scaling->scale[b->team];
  }
  body_kick(b, t, 0.5 * m->dt);
}

/* First half of a step. scaling: NULL for none. box: after scaling. step: m->step, or the device's
   own count. Returns the square of the distance moved, nm2; in a blow-up it is not <=
   max_displacement^2 (it may be NaN). */
HD double body_move(struct body *b, const struct body_type *t, const struct integrate_params *m,
                    const struct scaling *scaling, const double box[BOX], int oblique, int64_t step,
                    int64_t id)
{
  body_push(b, t, m, scaling);
  if (b->frozen) body_hold(b);
  for (int k = 0; scaling && k < 3; k++)
    b->p[k] /= scaling->stretch[k];
  if (!m->noise) return body_drift(b, t, box, oblique, m->dt);
  double d2 = body_drift(b, t, box, oblique, 0.5 * m->dt);
  body_noise(b, t, m, step, id);
  if (b->frozen) body_hold(b);
  return fmax(d2, body_drift(b, t, box, oblique, 0.5 * m->dt));
}

/* For the minimiser: a force that is not finite, as on beads at one point, becomes a large one
   along a direction that depends on the id alone, so that these beads part. */
HD void body_part(struct body *b, int64_t id)
{
  double direction[4];
  if (b->force[0] * b->force[0] + b->force[1] * b->force[1] + b->force[2] * b->force[2] < HUGE_VAL)
    return;
  rng_normal(0, 0, (uint64_t)id, RNG_BUILD, direction);
  for (int k = 0; k < 3; k++)
    b->force[k] = 1e12 * direction[k];
}

/* Steepest descent step of the minimiser: moves by min(step |f|, limit) nm along the force, and
   rotates about the torque by min(100 step |t|, 20 limit) radians. Three rotations in succession
   approximate the rotation vector well enough. */
HD void body_descend(struct body *b, const struct body_type *t, const double box[BOX], double step,
                     double limit)
{
  const double *f = b->force;
  double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
  if (size > 0 && size < HUGE_VAL) {
    const double d = fmin(step * size, limit) / size, move[3] = {d * f[0], d * f[1], d * f[2]};
    double fraction[3];
    box_fraction(box, move, fraction);
    for (int k = 0; k < 3; k++)
      drift_position(&b->x[k], &b->residual[k], &b->image[k], fraction[k]);
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

/* Adds the motion of a bead to the words of its team. */
HD void body_team_sums(const double p[3], const double j[3], const struct body_type *t,
                       double scale, int64_t word[TEAM_WORDS], int64_t *overflow,
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
