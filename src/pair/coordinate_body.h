/* Coordinates as both backends evaluate them, in double: value, slopes by the centres of groups,
   and slope by the strain of the box. */
#ifndef COORDINATE_BODY_H
#define COORDINATE_BODY_H

#include <math.h>

#include "base/box.h"
#include "base/portable.h"
#include "base/torus.h"
#include "base/vec3d.h"
#include "model/bias.h"

/* What a kind reads and sets. */
struct coordinate_work {
  double box[BOX];                            /* nm */
  uint64_t place[COORDINATE_CENTRES_MOST][3]; /* of its centres, box / 2^64 */
  int64_t followed[3];                        /* struct bias_state */
  double moment[MOMENTS_MOST];                /* sums over beads, weights in units of the largest */
  double total;                               /* the weights of its last group in this unit */
  uint64_t middle[3]; /* of beads: the place that their nearest images are nearest to */
  double guide;       /* of a cylinder: nm, from centre 0 to it along the axis */
  double value;       /* nm or rad */
  double slope[COORDINATE_CENTRES_MOST][3]; /* of the value by each centre */
  double
      strain[9]; /* of the value, d x / d e_ab where the box and all positions r become r + e r */
};

/* The vector from centre b to the nearest image of centre a, nm; f: fractions of the box vectors.
 */
HD void coordinate_fraction(const struct coordinate_work *w, int a, int b, double f[3])
{
  for (int k = 0; k < 3; k++)
    f[k] = (double)(int64_t)(w->place[a][k] - w->place[b][k]) * 0x1p-64;
}

/* Adds whole turns to fractions, so that the difference is nearest to that of the step before. */
HD void coordinate_follow(struct coordinate_work *w, double f[3])
{
  for (int k = 0; k < 3; k++) {
    const int64_t now = (int64_t)floor(f[k] * TORUS_EDGE);
    const int64_t follows = w->followed[k] + torus_difference((int32_t)(uint32_t)now,
                                                              (int32_t)(uint32_t)w->followed[k]);
    f[k] += (double)(follows - now) / TORUS_EDGE;
    w->followed[k] = follows;
  }
}

/* Adds the derivative g of the value by the vector d from centre b to centre a. Components of d
   whose derivative is 0 are not used: along these axes a group may be as wide as the box. */
HD void coordinate_slope_add(struct coordinate_work *w, int a, int b, const double d[3],
                             const double g[3])
{
  for (int k = 0; k < 3; k++) {
    w->slope[a][k] += g[k];
    w->slope[b][k] -= g[k];
    for (int l = 0; l < 3; l++)
      w->strain[3 * k + l] += g[k] != 0 ? d[k] * g[l] : 0;
  }
}

/* The vector d from centre 1 to centre 0, nm. */
HD void distance_vector(const struct coordinate *c, struct coordinate_work *w, double d[3])
{
  double f[3];
  coordinate_fraction(w, 0, 1, f);
  if (c->follows) coordinate_follow(w, f);
  box_vector(w->box, f, d);
}

/* The component or length of d, and its slope g. At length 0 the slope is 0. */
HD double distance_value(const struct coordinate *c, const double d[3], double g[3])
{
  double value = 0;
  for (int k = 0; k < 3; k++)
    value += c->axis[k] * d[k] * (c->is_length ? d[k] : 1);
  if (c->is_length) value = sqrt(value);
  for (int k = 0; k < 3; k++)
    g[k] = !c->is_length ? c->axis[k] : value > 0 ? c->axis[k] * d[k] / value : 0;
  return value;
}

/* Of centre 0 from centre 1. */
HD void coordinate_distance(const struct coordinate *c, struct coordinate_work *w)
{
  double d[3], g[3];
  distance_vector(c, w, d);
  w->value = distance_value(c, d, g);
  coordinate_slope_add(w, 0, 1, d, g);
}

/* The vector from centre b to the nearest image of centre a, nm. */
HD void coordinate_vector(const struct coordinate_work *w, int a, int b, double d[3])
{
  double f[3];
  coordinate_fraction(w, a, b, f);
  box_vector(w->box, f, d);
}

/* The angle between u and v, 0 to pi, and its slopes by both; 0 where they are parallel. */
HD double angle_between(const double u[3], const double v[3], double gu[3], double gv[3])
{
  double n[3];
  vec3d_cross(u, v, n);
  const double uu = vec3d_dot(u, u), vv = vec3d_dot(v, v), uv = vec3d_dot(u, v);
  const double sine = sqrt(vec3d_dot(n, n)); /* times both lengths */
  for (int k = 0; k < 3; k++) {
    gu[k] = sine > 0 ? (uv / uu * u[k] - v[k]) / sine : 0;
    gv[k] = sine > 0 ? (uv / vv * v[k] - u[k]) / sine : 0;
  }
  return portable_atan2(sine, uv);
}

HD void coordinate_angle(const struct coordinate *c, struct coordinate_work *w)
{
  const int four = c->n_centres == 4;
  const int end[2] = {four ? 1 : 0, four ? 3 : 2}, begin[2] = {four ? 0 : 1, four ? 2 : 1};
  double u[3], v[3], gu[3], gv[3];
  coordinate_vector(w, end[0], begin[0], u);
  coordinate_vector(w, end[1], begin[1], v);
  w->value = angle_between(u, v, gu, gv);
  coordinate_slope_add(w, end[0], begin[0], u, gu);
  coordinate_slope_add(w, end[1], begin[1], v, gv);
}

HD void coordinate_tilt(const struct coordinate *c, struct coordinate_work *w)
{
  double u[3], gu[3], axis[3];
  coordinate_vector(w, 1, 0, u);
  w->value = angle_between(u, c->axis, gu, axis);
  coordinate_slope_add(w, 1, 0, u, gu);
}

/* Of vectors a, b, c: the angle from the plane of a and b to that of b and c about b, as Blondel
   and Karplus (J. Comput. Chem. 17, 1132, 1996) differentiate it. */
HD void coordinate_dihedral(const struct coordinate *c, struct coordinate_work *w)
{
  const int apart = c->n_centres == 6 ? 2 : 1; /* from the beginning of a vector to the next */
  double d[3][3], g[3][3], m[3], n[3];
  for (int k = 0; k < 3; k++)
    coordinate_vector(w, apart * k + 1, apart * k, d[k]);
  vec3d_cross(d[0], d[1], m);
  vec3d_cross(d[1], d[2], n);
  const double bb = vec3d_dot(d[1], d[1]), mm = vec3d_dot(m, m), nn = vec3d_dot(n, n);
  const double length = sqrt(bb);
  const int bends = mm > 0 && nn > 0;
  const double from = bends ? length / mm : 0, to = bends ? length / nn : 0;
  const double turn_m = bends ? from * vec3d_dot(d[0], d[1]) / bb : 0;
  const double turn_n = bends ? to * vec3d_dot(d[2], d[1]) / bb : 0;
  w->value = portable_atan2(length * vec3d_dot(d[0], n), vec3d_dot(m, n));
  for (int k = 0; k < 3; k++) {
    g[0][k] = from * m[k];
    g[1][k] = -turn_m * m[k] - turn_n * n[k];
    g[2][k] = to * n[k];
  }
  for (int k = 0; k < 3; k++)
    coordinate_slope_add(w, apart * k + 1, apart * k, d[k], g[k]);
}

/* The component of the vector from centre 0 to centre 1 along that from centre 2 to centre 3; 0
   where that has no length. */
HD void coordinate_projection(const struct coordinate *c, struct coordinate_work *w)
{
  double d[3], axis[3], g[2][3];
  (void)c;
  coordinate_vector(w, 1, 0, d);
  coordinate_vector(w, 3, 2, axis);
  const double length = sqrt(vec3d_dot(axis, axis));
  w->value = length > 0 ? vec3d_dot(d, axis) / length : 0;
  for (int k = 0; k < 3; k++) {
    g[0][k] = length > 0 ? axis[k] / length : 0;
    g[1][k] = length > 0 ? (d[k] - w->value * axis[k] / length) / length : 0;
  }
  coordinate_slope_add(w, 1, 0, d, g[0]);
  coordinate_slope_add(w, 3, 2, axis, g[1]);
}

HD void coordinate_area(const struct coordinate *c, struct coordinate_work *w)
{
  (void)c;
  w->value = w->box[0] * w->box[1];
  w->strain[0] = w->strain[4] = w->value;
}

HD void coordinate_volume(const struct coordinate *c, struct coordinate_work *w)
{
  (void)c;
  w->value = box_volume(w->box);
  w->strain[0] = w->strain[4] = w->strain[8] = w->value;
}

/* The vector from w->middle to a bead at x (box/2^32), nm. */
HD void bead_vector(const struct coordinate_work *w, const int32_t x[3], double d[3])
{
  double f[3];
  for (int k = 0; k < 3; k++)
    f[k] = (double)(int64_t)(((uint64_t)(uint32_t)x[k] << 32) - w->middle[k]) * 0x1p-64;
  box_vector(w->box, f, d);
}

/* Sets what coordinate_moments and coordinate_bead_slope read, from the centres: the middle is the
   centre; in a cylinder the place on its axis at the height of centre 1. */
HD void coordinate_begin(const struct coordinate *c, struct coordinate_work *w)
{
  double d[3], f[3];
  for (int k = 0; k < 3; k++)
    w->middle[k] = w->place[0][k];
  if (c->kind != COORDINATE_cylinder) return;
  coordinate_vector(w, 1, 0, d);
  w->guide = vec3d_dot(c->axis, d);
  for (int k = 0; k < 3; k++)
    d[k] = w->guide * c->axis[k];
  box_fraction(w->box, d, f);
  for (int k = 0; k < 3; k++)
    w->middle[k] += (uint64_t)(int64_t)((f[k] - floor(f[k] + 0.5)) * 0x1p63) * 2;
}

/* Moments: xx, yy, zz, xy, xz, yz of the vectors from the centre. */
HD void coordinate_gyration(const struct coordinate *c, struct coordinate_work *w)
{
  const double *m = w->moment;
  const double tensor[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
  (void)c;
  w->value = sqrt((m[0] + m[1] + m[2]) / w->total);
  for (int a = 0; a < 9; a++)
    w->strain[a] = w->value > 0 ? tensor[a] / (w->total * w->value) : 0;
}

/* A bead in the cylinder: where it is from centre 0, along the axis and across, and its factor and
   the slope of that, which is gradient times across. */
struct cylinder_bead {
  double along, across[3], factor, gradient;
};

HD struct cylinder_bead cylinder_bead_of(const struct coordinate *c,
                                         const struct coordinate_work *w, const int32_t x[3])
{
  struct cylinder_bead b;
  double d[3], r2 = 0;
  bead_vector(w, x, d);
  const double along = vec3d_dot(c->axis, d);
  for (int k = 0; k < 3; k++) {
    b.across[k] = d[k] - along * c->axis[k];
    r2 += b.across[k] * b.across[k];
  }
  const double inside = 1 - r2 / (c->radius * c->radius);
  b.along = along + w->guide;
  b.factor = inside > 0 ? inside * inside : 0;
  b.gradient = inside > 0 ? -4 * inside / (c->radius * c->radius) : 0;
  return b;
}

/* Moments of a bead: factor, factor along; gradient across, gradient across along, factor across
   (3 each); gradient across across, the same times along (6 each); gradient across along^2 (3). */
HD void cylinder_moments(const struct cylinder_bead *b, double *m)
{
  m[0] = b->factor;
  m[1] = b->factor * b->along;
  for (int k = 0; k < 3; k++) {
    const double turned = b->gradient * b->across[k];
    m[2 + k] = turned;
    m[5 + k] = turned * b->along;
    m[8 + k] = b->factor * b->across[k];
    m[23 + k] = turned * b->along * b->along;
  }
  for (int a = 0, at = 11; a < 3; a++)
    for (int k = a; k < 3; k++, at++) {
      m[at] = b->gradient * b->across[a] * b->across[k];
      m[at + 6] = m[at] * b->along;
    }
}

/* Value: minus the mean place of the beads along the axis, seen from centre 0. */
HD void coordinate_cylinder(const struct coordinate *c, struct coordinate_work *w)
{
  const double *m = w->moment, *axis = c->axis;
  const double in = m[0] > 0 ? 1 / m[0] : 0, mean = m[1] * in;
  w->value = -mean;
  for (int k = 0; k < 3; k++)
    w->slope[0][k] = axis[k] * m[0] * in + (m[5 + k] - mean * m[2 + k]) * in;
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < 3; k++) {
      const int low = a < k ? a : k, high = a < k ? k : a;
      const int at = 11 + low * (5 - low) / 2 + high;
      w->strain[3 * a + k] = -in * ((m[8 + a] + m[1] * axis[a]) * axis[k] + m[at + 6] -
                                    mean * m[at] + axis[a] * (m[23 + k] - mean * m[5 + k]));
    }
}

/* Moments: pair/contacts_body.h. */
HD void coordinate_contacts(const struct coordinate *c, struct coordinate_work *w)
{
  const double *m = w->moment;
  const double tensor[9] = {m[1], m[4], m[5], m[4], m[2], m[6], m[5], m[6], m[3]};
  (void)c;
  w->value = m[0];
  for (int a = 0; a < 9; a++)
    w->strain[a] = tensor[a];
}

/* The terms of a bead in the moments of a coordinate. */
HD void coordinate_moments(const struct coordinate *c, const struct coordinate_work *w,
                           const int32_t x[3], double m[MOMENTS_MOST])
{
  if (c->kind == COORDINATE_gyration) {
    double d[3];
    bead_vector(w, x, d);
    for (int k = 0; k < 3; k++)
      m[k] = d[k] * d[k];
    m[3] = d[0] * d[1];
    m[4] = d[0] * d[2];
    m[5] = d[1] * d[2];
  } else {
    const struct cylinder_bead b = cylinder_bead_of(c, w, x);
    cylinder_moments(&b, m);
  }
}

/* The slope of the value by the place of a bead of the last group, beside that by the centres.
   weight: in units of the largest. */
HD void coordinate_bead_slope(const struct coordinate *c, const struct coordinate_work *w,
                              double value, const int32_t x[3], double weight, double g[3])
{
  if (c->kind == COORDINATE_gyration) {
    double d[3];
    bead_vector(w, x, d);
    for (int k = 0; k < 3; k++)
      g[k] = value > 0 ? weight * d[k] / (w->total * value) : 0;
  } else {
    const struct cylinder_bead b = cylinder_bead_of(c, w, x);
    const double part = w->moment[0] > 0 ? -weight / w->moment[0] : 0;
    for (int k = 0; k < 3; k++)
      g[k] = part * (b.factor * c->axis[k] + b.gradient * b.across[k] * (b.along + value));
  }
}

/* Sets value, slopes and strain. */
HD void coordinate_evaluate(const struct coordinate *c, struct coordinate_work *w)
{
  w->value = 0;
  for (int k = 0; k < COORDINATE_CENTRES_MOST; k++)
    for (int d = 0; d < 3; d++)
      w->slope[k][d] = 0;
  for (int a = 0; a < 9; a++)
    w->strain[a] = 0;
#define COORDINATE(kind_, ...)                                                                     \
  if (c->kind == COORDINATE_##kind_) coordinate_##kind_(c, w);
#include "model/coordinate_list.h"
}

#endif
