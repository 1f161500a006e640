/* Virtual sites on host and device: their positions, and the forces on their parents, which are the
   force on the site times the transposed Jacobian of its position. In double, from 64-bit
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

/* v = the vector from one bead of the cluster to the nearest image of another, nm. */
HD void site_arm(const struct site_view *w, int from, int to, double v[3])
{
  body_vector(&w->body[to], &w->body[from], w->box, v);
}

/* The same to the image for which v is nearest to `about`, nm: it may be longer than half of the
   box. */
HD void site_arm_about(const struct site_view *w, int from, int to, const double about[3],
                       double v[3])
{
  double rest[3], image[3];
  site_arm(w, from, to, v);
  for (int k = 0; k < 3; k++)
    rest[k] = about[k] - v[k];
  box_fraction(w->box, rest, image);
  for (int k = 0; k < 3; k++)
    image[k] = rint(image[k]);
  box_vector(w->box, image, rest);
  vec3d_add(1, rest, v);
}

/* For the forms with a distance: sets u to the vector along which the site lies from its first
   parent, nm, and returns the distance over the length of u. If u is 0, returns 0: the site is at
   its first parent. Parents are the images nearest to the first one. */
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

/* v less its part along u; u 0: v. Returns u.v / u^2. */
HD double site_part_across(const double u[3], double v[3])
{
  const double u2 = vec3d_dot(u, u), part = u2 > 0 ? vec3d_dot(u, v) / u2 : 0;
  vec3d_add(-part, u, v);
  return part;
}

HD double site_over_length(double value, const double v[3])
{
  const double v2 = vec3d_dot(v, v);
  return v2 > 0 ? value / sqrt(v2) : 0;
}

/* The vectors of above_plane between which its normal stands, and the normal, nm and nm2. */
HD void site_normal(const struct site_view *w, double u[3], double v[3], double normal[3])
{
  const struct ff_site *s = w->site;
  double r12[3], r13[3], r14[3];
  site_arm(w, s->from[0], s->from[1], r12);
  site_arm(w, s->from[0], s->from[2], r13);
  site_arm(w, s->from[0], s->from[3], r14);
  for (int d = 0; d < 3; d++) {
    u[d] = s->value[0] * r13[d] - r12[d];
    v[d] = s->value[1] * r14[d] - r12[d];
  }
  vec3d_cross(u, v, normal);
}

/* out = the vector from the first parent to a site of in_plane or above_plane, nm. Directions that
   are not defined are left out. */
HD void site_offset_plane(const struct site_view *w, double out[3])
{
  const struct ff_site *s = w->site;
  double u[3], v[3], n[3];
  if (s->form == SITE_above_plane) {
    site_normal(w, u, v, n);
    vec3d_add(site_over_length(s->value[2], n), n, out);
    return;
  }
  site_arm(w, s->from[0], s->from[1], u);
  site_arm(w, s->from[0], s->from[2], v);
  site_part_across(u, v);
  vec3d_add(site_over_length(s->value[0], u), u, out);
  vec3d_add(site_over_length(s->value[1], v), v, out);
}

/* out = the vector from the first parent to the site, nm. */
HD void site_offset(const struct site_view *w, double out[3])
{
  const struct ff_site *s = w->site;
  double u[3], v[3];
  out[0] = out[1] = out[2] = 0;
  if (s->form == SITE_in_plane || s->form == SITE_above_plane) {
    site_offset_plane(w, out);
    return;
  }
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

/* Moves the site to its position. Returns the square of the distance it has moved, nm2; infinity if
   the position is not finite or a thousand boxes away. */
HD double site_place(const struct site_view *w)
{
  struct body *b = &w->body[w->site->bead];
  const struct body old = *b, *parent = &w->body[w->site->from[0]];
  double offset[3], fraction[3], moved[3];
  site_offset(w, offset);
  box_fraction(w->box, offset, fraction);
  for (int k = 0; k < 3; k++) {
    const double edges = floor(fraction[k] + 0.5);
    if (!(fabs(fraction[k]) < 1000)) return (double)INFINITY;
    b->x[k] = parent->x[k];
    b->residual[k] = parent->residual[k];
    b->image[k] = parent->image[k] + (int32_t)edges;
    drift_position(&b->x[k], &b->residual[k], &b->image[k], fraction[k] - edges);
  }
  body_vector(b, &old, w->box, moved);
  return vec3d_dot(moved, moved);
}

/* The share of parent j in a force f on a site of in_plane: site_share (GROMACS manual, "Virtual
   interaction sites", 3fad, with r13 in place of r23). */
HD void site_share_in_plane(const struct site_view *w, int j, const double f[3], double out[3])
{
  const struct ff_site *s = w->site;
  double u[3], v[3], along[3], across[3];
  site_arm(w, s->from[0], s->from[1], u);
  site_arm(w, s->from[0], s->from[2], v);
  const double part = site_part_across(u, v), u2 = vec3d_dot(u, u);
  for (int k = 0; k < 3; k++)
    along[k] = across[k] = f[k];
  site_part_across(u, along);
  site_part_across(v, across); /* what turns v */
  const double by_v = site_over_length(s->value[1], v);
  const double turn = u2 > 0 ? by_v * vec3d_dot(u, across) / u2 : 0;
  site_part_across(u, across);
  vec3d_add(j == 1 ? -by_v * part : by_v, across, out);
  if (j > 1) return;
  vec3d_add(site_over_length(s->value[0], u), along, out);
  vec3d_add(-turn, v, out);
}

/* The same of above_plane (4fdn). */
HD void site_share_above_plane(const struct site_view *w, int j, const double f[3], double out[3])
{
  const double *value = w->site->value;
  double u[3], v[3], n[3], g[3] = {f[0], f[1], f[2]}, by_u[3], by_v[3];
  site_normal(w, u, v, n);
  site_part_across(n, g);
  vec3d_cross(v, g, by_u);
  vec3d_cross(g, u, by_v);
  const double scale = site_over_length(value[2], n);
  vec3d_add(scale * (j == 1 ? -1 : j == 2 ? value[0] : 0), by_u, out);
  vec3d_add(scale * (j == 1 ? -1 : j == 3 ? value[1] : 0), by_v, out);
}

/* out = the share of parent j > 0 in a force f on the site. The first parent gets the rest. */
HD void site_share(const struct site_view *w, int j, const double f[3], double out[3])
{
  const struct ff_site *s = w->site;
  double u[3], v[3];
  out[0] = out[1] = out[2] = 0;
  if (s->form == SITE_in_plane || s->form == SITE_above_plane) {
    s->form == SITE_in_plane ? site_share_in_plane(w, j, f, out)
                             : site_share_above_plane(w, j, f, out);
    return;
  }
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

/* Adds to virial the change of the sum of r_a f_b over the beads, kJ/mol, when a force f moves from
   the site to parent j. offset: from the first parent to the site, nm. */
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

/* Divides the force on the site among its parents: sets share[n][3], kJ/mol/nm, and the force on
   the site to 0. virial: set to the resulting change of the sum of r_a f_b over the beads, kJ/mol;
   or NULL. */
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
