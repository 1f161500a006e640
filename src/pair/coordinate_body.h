/* Coordinates as both backends evaluate them, in double: value, slopes by the centres of groups,
   and slope by the strain of the box. */
#ifndef COORDINATE_BODY_H
#define COORDINATE_BODY_H

#include <math.h>

#include "base/box.h"
#include "base/torus.h"
#include "model/bias.h"

/* What a kind reads and sets. */
struct coordinate_work {
  double box[BOX];                            /* nm */
  uint64_t place[COORDINATE_CENTRES_MOST][3]; /* of its centres, box / 2^64 */
  int64_t followed[3];                        /* struct bias_state */
  double value;                               /* nm or rad */
  double slope[COORDINATE_CENTRES_MOST][3];   /* of the value by each centre */
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

/* Adds the slope g by the vector d from centre b to centre a. Of d only the axes count along which
   its slope is not 0: others may be those of groups that are as wide as the box. */
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

/* Of centre 0 from centre 1. At length 0 the slope is 0. */
HD void coordinate_distance(const struct coordinate *c, struct coordinate_work *w)
{
  double f[3], d[3], g[3];
  coordinate_fraction(w, 0, 1, f);
  if (c->follows) coordinate_follow(w, f);
  box_vector(w->box, f, d);
  for (int k = 0; k < 3; k++)
    w->value += c->axis[k] * d[k] * (c->is_length ? d[k] : 1);
  if (c->is_length) w->value = sqrt(w->value);
  for (int k = 0; k < 3; k++)
    g[k] = !c->is_length ? c->axis[k] : w->value > 0 ? c->axis[k] * d[k] / w->value : 0;
  coordinate_slope_add(w, 0, 1, d, g);
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
