/* Motion of one bead, in double on host and device: half kicks, drift on the integer torus, free
   rotation and Langevin noise. Velocity-Verlet with the rotation splitting of Dullweber, Leimkuhler
   and McLachlan (J. Chem. Phys. 107, 5840, 1997) in quaternions; with noise, BAOAB (Leimkuhler and
   Matthews, 2013; Davidchack, Ouldridge and Tretyakov, 2015 for bodies). */
#ifndef INTEGRATE_BODY_H
#define INTEGRATE_BODY_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "base/rng.h"

/* sin and cos of a small angle; plain multiplications and additions up to 1/2, the library beyond.
 */
HD void rotation_sincos(double x, double *s, double *c)
{
  if (fabs(x) > 0.5) {
    *s = sin(x);
    *c = cos(x);
    return;
  }
  double y = x * x, p = 1.0 / 6227020800.0, q = -1.0 / 87178291200.0;
  p = p * y - 1.0 / 39916800.0;
  p = p * y + 1.0 / 362880.0;
  p = p * y - 1.0 / 5040.0;
  p = p * y + 1.0 / 120.0;
  p = p * y - 1.0 / 6.0;
  *s = x + x * (y * p);
  q = q * y + 1.0 / 479001600.0;
  q = q * y - 1.0 / 3628800.0;
  q = q * y + 1.0 / 40320.0;
  q = q * y - 1.0 / 720.0;
  q = q * y + 1.0 / 24.0;
  *c = (1.0 - 0.5 * y) + (y * y) * q;
}

/* Turns the body by the angle phi about its own axis k: q <- q (cos phi/2, sin phi/2 e_k), and the
   angular momentum j, which stays the same in the laboratory, in the turned frame. */
HD void rotation_turn(double q[4], double j[3], int k, double phi)
{
  double s, c;
  rotation_sincos(0.5 * phi, &s, &c);
  int a = (k + 1) % 3, b = (k + 2) % 3;
  double w = q[0], x = q[1 + k], y = q[1 + a], z = q[1 + b];
  q[0] = c * w - s * x;
  q[1 + k] = c * x + s * w;
  q[1 + a] = c * y + s * z;
  q[1 + b] = c * z - s * y;
  double cf = 1.0 - 2.0 * s * s, sf = 2.0 * s * c, ja = j[a], jb = j[b];
  j[a] = cf * ja + sf * jb;
  j[b] = cf * jb - sf * ja;
}

HD void rotation_normalise(double q[4])
{
  double n = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++)
    q[k] *= n;
}

/* Free rotation of a body without inertia about z, j_z = 0: exact, a turn about j, which stays. */
HD void rotation_free_linear(double q[4], const double j[3], double inverse_inertia, double h)
{
  double size = sqrt(j[0] * j[0] + j[1] * j[1]), s, c;
  if (!(size > 0)) return;
  rotation_sincos(0.5 * h * size * inverse_inertia, &s, &c);
  double a = s * j[0] / size, b = s * j[1] / size, w = q[0], x = q[1], y = q[2], z = q[3];
  q[0] = w * c - x * a - y * b;
  q[1] = w * a + x * c - z * b;
  q[2] = w * b + y * c + z * a;
  q[3] = z * c + x * b - y * a;
  rotation_normalise(q);
}

/* Free rotation for a time h; a moment of inertia 0 stands for no rotation about that axis, with
   inverse 0. */
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

/* A laboratory vector in the body frame. */
HD void rotation_to_body(const double q[4], const double v[3], double out[3])
{
  double w = q[0], x = -q[1], y = -q[2], z = -q[3];
  double tx = 2.0 * (y * v[2] - z * v[1]), ty = 2.0 * (z * v[0] - x * v[2]),
         tz = 2.0 * (x * v[1] - y * v[0]);
  out[0] = v[0] + w * tx + (y * tz - z * ty);
  out[1] = v[1] + w * ty + (z * tx - x * tz);
  out[2] = v[2] + w * tz + (x * ty - y * tx);
}

/* Body z in the laboratory. */
HD void rotation_axis(const double q[4], double z[3])
{
  z[0] = 2.0 * (q[1] * q[3] + q[0] * q[2]);
  z[1] = 2.0 * (q[2] * q[3] - q[0] * q[1]);
  z[2] = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
}

/* Body x in the laboratory. */
HD void rotation_axis_x(const double q[4], double x[3])
{
  x[0] = 1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]);
  x[1] = 2.0 * (q[1] * q[2] + q[0] * q[3]);
  x[2] = 2.0 * (q[1] * q[3] - q[0] * q[2]);
}

/* j += h torque, about the axes that have inertia. */
HD void rotation_kick(const double q[4], double j[3], const double inverse_inertia[3],
                      const double torque[3], double h)
{
  double body[3];
  rotation_to_body(q, torque, body);
  for (int k = 0; k < 3; k++)
    if (inverse_inertia[k] > 0) j[k] += h * body[k];
}

/* Moves a position by d (a fraction of the box, |d| < 1/2): 64-bit fixed point that wraps by
   overflow, with the crossings counted. */
HD void drift_position(int32_t *position, uint32_t *residual, int32_t *image, double d)
{
  uint64_t x = (uint64_t)(uint32_t)*position << 32 | *residual;
#ifdef __CUDA_ARCH__
  int64_t step = __double2ll_rn(d * 18446744073709551616.0);
#else
  int64_t step = (int64_t)nearbyint(d * 18446744073709551616.0);
#endif
  uint64_t y = x + (uint64_t)step;
  if (step > 0 && y < x) *image += 1;
  if (step < 0 && y > x) *image -= 1;
  *position = (int32_t)(uint32_t)(y >> 32);
  *residual = (uint32_t)y;
}

/* v <- c v + sigma_k xi: the exact Ornstein-Uhlenbeck step of three components. */
HD void langevin_noise(double v[3], double c, const double sigma[3], uint64_t seed, uint64_t step,
                       uint64_t id, uint32_t stream)
{
  double xi[4];
  rng_normal(seed, step, id, stream, xi);
  for (int k = 0; k < 3; k++)
    v[k] = c * v[k] + sigma[k] * xi[k];
}

#endif
