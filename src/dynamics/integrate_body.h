/* Motion of one bead, in double on host and device: half kicks, drift in fixed-point coordinates,
   free rotation and Langevin noise. Velocity Verlet with the rotation splitting of Dullweber,
   Leimkuhler and McLachlan (J. Chem. Phys. 107, 5840, 1997) for quaternions; with noise BAOAB
   (Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34; for rigid bodies Davidchack,
   Ouldridge and Tretyakov, J. Chem. Phys. 142, 144114, 2015). */
#ifndef INTEGRATE_BODY_H
#define INTEGRATE_BODY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hd.h"
#include "base/rng.h"
#include "base/rotation.h"

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

#endif
