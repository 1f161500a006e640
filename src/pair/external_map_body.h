/* Maps of external fields: potential, gradient and second derivatives at a place of the box. */
#ifndef EXTERNAL_MAP_BODY_H
#define EXTERNAL_MAP_BODY_H

#include <math.h>

#include "base/box.h"
#include "model/external.h"

/* The four cubic B-splines that are not 0 at a point, their slopes and second derivatives, in units
   of the spacing, and the number of the first of them. */
struct external_spline {
  int first;
  double w[3][4];
};

HD struct external_spline external_spline_at(const struct external_map *m, int k, double place,
                                             double edge)
{
  struct external_spline s;
  double from; /* from point 0 on */
  if (m->fills[k]) {
    from = place - m->origin[k];
    from -= floor(from);
  } else { /* the image that is nearest to the middle of the map */
    from = place * edge - m->origin[k];
    from -= floor((from - 0.5 * (m->n[k] - 1) * m->spacing[k]) / edge + 0.5) * edge;
  }
  const double u = from / m->spacing[k], whole = floor(u), t = u - whole, o = 1 - t;
  s.first = (int)whole - 1;
  s.w[0][0] = o * o * o / 6;
  s.w[0][1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
  s.w[0][2] = (4 - 6 * o * o + 3 * o * o * o) / 6;
  s.w[0][3] = t * t * t / 6;
  s.w[1][0] = -0.5 * o * o;
  s.w[1][1] = 0.5 * t * (3 * t - 4);
  s.w[1][2] = -0.5 * o * (3 * o - 4);
  s.w[1][3] = 0.5 * t * t;
  s.w[2][0] = o;
  s.w[2][1] = 3 * t - 2;
  s.w[2][2] = 3 * o - 2;
  s.w[2][3] = t;
  return s;
}

/* A coefficient; 0 outside of the map. */
HD double external_coefficient(const struct external_map *m, const int point[3])
{
  int at[3];
  for (int k = 0; k < 3; k++) {
    at[k] = point[k];
    if (m->fills[k]) at[k] = ((at[k] % m->n[k]) + m->n[k]) % m->n[k];
    if (at[k] < 0 || at[k] >= m->n[k]) return 0;
  }
  return m->coefficient[((int64_t)at[2] * m->n[1] + at[1]) * m->n[0] + at[0]];
}

/* Potential, gradient and second derivatives xx, yy, zz, xy, xz, yz at a place of the box; by nm in
   a rectangular box. */
HD void external_map_at(const struct external_map *m, const double place[3], const double box[BOX],
                        double *potential, double g[3], double h[6])
{
  struct external_spline s[3];
  double all[10] = {0};
  for (int k = 0; k < 3; k++)
    s[k] = external_spline_at(m, k, place[k], box[k]);
  for (int n = 0; n < 64; n++) {
    const int i = n & 3, j = n >> 2 & 3, k = n >> 4;
    const int point[3] = {s[0].first + i, s[1].first + j, s[2].first + k};
    const double c = external_coefficient(m, point);
    const double yz = s[1].w[0][j] * s[2].w[0][k], xz = s[0].w[0][i] * s[2].w[0][k],
                 xy = s[0].w[0][i] * s[1].w[0][j];
    all[0] += c * s[0].w[0][i] * yz;
    all[1] += c * s[0].w[1][i] * yz;
    all[2] += c * s[1].w[1][j] * xz;
    all[3] += c * s[2].w[1][k] * xy;
    all[4] += c * s[0].w[2][i] * yz;
    all[5] += c * s[1].w[2][j] * xz;
    all[6] += c * s[2].w[2][k] * xy;
    all[7] += c * s[0].w[1][i] * s[1].w[1][j] * s[2].w[0][k];
    all[8] += c * s[0].w[1][i] * s[1].w[0][j] * s[2].w[1][k];
    all[9] += c * s[0].w[0][i] * s[1].w[1][j] * s[2].w[1][k];
  }
  double per[3]; /* points per nm */
  for (int k = 0; k < 3; k++)
    per[k] = 1 / (m->fills[k] ? m->spacing[k] * box[k] : m->spacing[k]);
  *potential = all[0];
  for (int k = 0; k < 3; k++) {
    g[k] = all[1 + k] * per[k];
    h[k] = all[4 + k] * per[k] * per[k];
  }
  h[3] = all[7] * per[0] * per[1];
  h[4] = all[8] * per[0] * per[2];
  h[5] = all[9] * per[1] * per[2];
}

#endif
