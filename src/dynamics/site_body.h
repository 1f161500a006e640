/* Virtual sites on host and device: their place, and the forces that the beads they are built on
   get of a force on a site, which are the transposed slope of the place. In double, from 64-bit
   positions. The forms: model/site_list.h. */
#ifndef SITE_BODY_H
#define SITE_BODY_H

#include "base/vec3d.h"
#include "dynamics/move_body.h"
#include "model/cluster.h"

/* A site in its cluster: the beads of the cluster, and the box, nm. */
struct site_view {
  const struct ff_site *site;
  struct body *body;
  const double *box;
};

/* v = the way from one bead of the cluster to another, nearest images, nm. */
HD void site_arm(const struct site_view *w, int from, int to, double v[3])
{
  for (int k = 0; k < 3; k++)
    v[k] = body_difference(&w->body[to], &w->body[from], k, w->box[k]);
}

/* The same, where the way is about `about`, nm: it may be longer than half of the box. */
HD void site_arm_about(const struct site_view *w, int from, int to, const double about[3],
                       double v[3])
{
  site_arm(w, from, to, v);
  for (int k = 0; k < 3; k++)
    v[k] += rint((about[k] - v[k]) / w->box[k]) * w->box[k];
}

/* The vector that the site lies along, and value over its length, for the forms with a distance. A
   vector of length 0 has no direction: the site is then where its first parent is. The parents are
   the images that are nearest to the first. */
HD double site_direction(const struct site_view *w, double u[3])
{
  const struct ff_site *s = w->site;
  double r23[3], about[3], length2;
  site_arm(w, s->from[0], s->from[1], u);
  if (s->form == SITE_plane_distance) {
    site_arm(w, s->from[0], s->from[2], about);
    vec3d_add(-1, u, about);
    site_arm_about(w, s->from[1], s->from[2], about, r23);
    vec3d_add(s->value[0], r23, u);
  }
  length2 = vec3d_dot(u, u);
  return length2 > 0 ? s->value[s->form == SITE_plane_distance] / sqrt(length2) : 0;
}

/* The place of a site less that of its first parent, nm. */
HD void site_offset(const struct site_view *w, double out[3])
{
  const struct ff_site *s = w->site;
  double u[3], v[3];
  out[0] = out[1] = out[2] = 0;
  if (s->form == SITE_distance || s->form == SITE_plane_distance) {
    const double along = site_direction(w, u);
    vec3d_add(along, u, out);
    return;
  }
  for (int j = 1; j < s->n; j++) {
    site_arm(w, s->from[0], s->from[j], v);
    vec3d_add(s->value[s->form == SITE_centre ? j : j - 1], v, out);
  }
  if (s->form != SITE_out_of_plane) return;
  site_arm(w, s->from[0], s->from[1], u);
  site_arm(w, s->from[0], s->from[2], v);
  double normal[3];
  vec3d_cross(u, v, normal);
  vec3d_add(s->value[2], normal, out);
}

/* Moves the site to its place. Returns the square of the distance it has moved, nm2; infinity if
   that is no place: not finite, or a thousand boxes away. */
HD double site_place(const struct site_view *w)
{
  struct body *b = &w->body[w->site->bead];
  const struct body old = *b, *parent = &w->body[w->site->from[0]];
  double offset[3], d2 = 0;
  site_offset(w, offset);
  for (int k = 0; k < 3; k++) {
    const double fraction = offset[k] / w->box[k], edges = floor(fraction + 0.5);
    if (!(fabs(fraction) < 1000)) return (double)INFINITY;
    b->x[k] = parent->x[k];
    b->residual[k] = parent->residual[k];
    b->image[k] = parent->image[k] + (int32_t)edges;
    drift_position(&b->x[k], &b->residual[k], &b->image[k], fraction - edges);
    const double d = body_difference(b, &old, k, w->box[k]);
    d2 += d * d;
  }
  return d2;
}

/* out = the force on parent j, but not the first, of a force f on the site. */
HD void site_share(const struct site_view *w, int j, const double f[3], double out[3])
{
  const struct ff_site *s = w->site;
  double u[3], v[3];
  out[0] = out[1] = out[2] = 0;
  if (s->form == SITE_distance || s->form == SITE_plane_distance) {
    const double along = site_direction(w, u), length2 = vec3d_dot(u, u);
    const double weight = s->form == SITE_distance ? 1 : j == 1 ? 1 - s->value[0] : s->value[0];
    if (!(length2 > 0)) return;
    vec3d_add(weight * along, f, out);
    vec3d_add(-weight * along * vec3d_dot(u, f) / length2, u, out);
    return;
  }
  vec3d_add(s->value[s->form == SITE_centre ? j : j - 1], f, out);
  if (s->form != SITE_out_of_plane) return;
  site_arm(w, s->from[0], s->from[3 - j], u);
  if (j == 1)
    vec3d_cross(u, f, v);
  else
    vec3d_cross(f, u, v);
  vec3d_add(s->value[2], v, out);
}

/* Adds to virial what a force on parent j that a site gives away adds to the sum of r_a f_b over
   the beads, kJ/mol. offset: of the site from the first parent. */
HD void site_add_virial(const struct site_view *w, int j, const double offset[3], const double f[3],
                        double virial[9])
{
  const struct ff_site *s = w->site;
  double about[3], arm[3];
  site_arm(w, s->from[0], s->from[j], about);
  vec3d_add(-1, offset, about);
  site_arm_about(w, s->bead, s->from[j], about, arm);
  for (int k = 0; k < 9; k++)
    virial[k] += arm[k / 3] * f[k % 3];
}

/* Sets share [n][3] to the forces that the parents of the site get of the force on it, kJ/mol/nm,
   and that to 0. virial: NULL, or what it adds to the sum of r_a f_b over the beads, kJ/mol. */
HD void site_shares(const struct site_view *w, double *share, double virial[9])
{
  const struct ff_site *s = w->site;
  struct body *b = w->body;
  double f[3], rest[3], given[3], offset[3];
  for (int k = 0; virial && k < 9; k++)
    virial[k] = 0;
  if (virial) site_offset(w, offset);
  for (int k = 0; k < 3; k++) {
    f[k] = rest[k] = b[s->bead].force[k];
    b[s->bead].force[k] = b[s->bead].torque[k] = 0;
  }
  for (int j = s->n - 1; j >= 0; j--) {
    for (int k = 0; k < 3; k++)
      given[k] = rest[k];
    if (j > 0) site_share(w, j, f, given);
    vec3d_add(-1, given, rest);
    if (virial) site_add_virial(w, j, offset, given, virial);
    for (int k = 0; k < 3; k++)
      share[3 * j + k] = given[k];
  }
}

#endif
