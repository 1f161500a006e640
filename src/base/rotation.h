/* Rotations as unit quaternions, scalar first, that take the body frame to the laboratory; in
   double, with the same bits on host and device. */
#ifndef ROTATION_H
#define ROTATION_H

#include <math.h>

#include "base/hd.h"
#include "base/portable.h"

/* sin and cos of |x| up to 1/2: a polynomial with the same bits on host and device. */
HD void rotation_sincos_small(double x, double *s, double *c)
{
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

/* The same for any x, by portable_turn beyond that. */
HD void rotation_sincos(double x, double *s, double *c)
{
  if (fabs(x) > 0.5) {
    portable_turn(x, s, c);
  } else {
    rotation_sincos_small(x, s, c);
  }
}

/* Rotates the body about its own axis k by an angle of which s and c are sine and cosine of the
   half: q <- q (c, s e_k). The angular momentum j, constant in the laboratory, is expressed in the
   rotated frame. */
HD void rotation_turn_by(double q[4], double j[3], int k, double s, double c)
{
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

/* The same by the angle phi. */
HD void rotation_turn(double q[4], double j[3], int k, double phi)
{
  double s, c;
  rotation_sincos(0.5 * phi, &s, &c);
  rotation_turn_by(q, j, k, s, c);
}

HD void rotation_normalise(double q[4])
{
  double n = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++)
    q[k] *= n;
}

/* Rotates a vector from the laboratory into the body frame. */
HD void rotation_to_body(const double q[4], const double v[3], double out[3])
{
  double w = q[0], x = -q[1], y = -q[2], z = -q[3];
  double tx = 2.0 * (y * v[2] - z * v[1]), ty = 2.0 * (z * v[0] - x * v[2]),
         tz = 2.0 * (x * v[1] - y * v[0]);
  out[0] = v[0] + w * tx + (y * tz - z * ty);
  out[1] = v[1] + w * ty + (z * tx - x * tz);
  out[2] = v[2] + w * tz + (x * ty - y * tx);
}

/* The body z axis in the laboratory frame. */
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

#endif
