/* What the beads of a cluster add to pressure profiles (observe/stress_profile.h), on host and
   device: the forces of constraints, along the lines that they keep; what a virtual site gives to
   the beads it is built on, along the lines from it to them; and the kinetic parts. All in double.
 */
#ifndef CLUSTER_STRESS_H
#define CLUSTER_STRESS_H

#include "backend/profile_body.h"
#include "dynamics/cluster_body.h"

/* The profile that a cluster adds to. */
struct cluster_stress {
  struct stress_bins bins;
  uint32_t centre;
  double half_step; /* ps, as in struct profile */
};

/* The height of a bead less that of another, nm: of the positions that bins are found from. */
HD double cluster_height(const struct cluster *c, int bead, int other)
{
  return (double)torus_difference(c->body[bead].x[2], c->body[other].x[2]) *
         (c->box[2] / TORUS_EDGE);
}

/* Adds the line from a bead to another. w: the components of r_a f_a. dz: cluster_height. */
HD void stress_line_add(const double w[STRESS_COMPONENTS], double dz, struct stress_ends *to)
{
  const int flat = dz < STRESS_FLAT && dz > -STRESS_FLAT;
  for (int k = 0; k < STRESS_COMPONENTS; k++) {
    if (flat)
      to->place[k] += 0.5 * w[k];
    else
      to->end[k] -= w[k] / dz;
    to->all[k] += 0.5 * w[k];
  }
}

HD struct stress_ends stress_ends_none(void)
{
  const struct stress_ends none = {{0, 0}, {0, 0}, {0, 0}};
  return none;
}

/* The ends of the constraints of a bead. */
HD struct stress_ends cluster_constraint_ends(const struct cluster *c, int bead)
{
  const struct cluster_type *t = c->type;
  struct stress_ends out = stress_ends_none();
  for (int e = t->row[bead]; e < t->row[bead + 1]; e++) {
    const int k = t->incident[e] / 2, other = t->constraint[k].bead[!(t->incident[e] % 2)];
    const double *v = c->vector + 3 * k, m = c->multiplier[k];
    const double w[STRESS_COMPONENTS] = {-0.5 * m * (v[0] * v[0] + v[1] * v[1]), -m * v[2] * v[2]};
    stress_line_add(w, cluster_height(c, bead, other), &out);
  }
  return out;
}

/* The ends at a bead of the lines between sites and the beads that they are built on, whose shares
   are in c->move. */
HD struct stress_ends cluster_site_ends(const struct cluster *c, int bead)
{
  const struct cluster_type *t = c->type;
  struct stress_ends out = stress_ends_none();
  for (int k = 0; k < t->n_sites; k++) {
    const struct ff_site *s = &t->site[k];
    const struct site_view view = {s, c->body, c->box};
    for (int j = 0; j < s->n; j++) {
      double r[3];
      if (s->bead != bead && s->from[j] != bead) continue;
      const double *f = cluster_shares(c, k) + 3 * j;
      const int other = s->bead == bead ? s->from[j] : s->bead;
      site_arm(&view, s->bead, s->from[j], r);
      const double w[STRESS_COMPONENTS] = {0.5 * (r[0] * f[0] + r[1] * f[1]), r[2] * f[2]};
      stress_line_add(w, cluster_height(c, bead, other), &out);
    }
  }
  return out;
}

/* Adds the ends of all beads of a contribution. */
HD void cluster_bin_ends(const struct cluster *c, const struct cluster_stress *s, int contribution,
                         int64_t *single)
{
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n) {
    const struct profile_place at = profile_place_of(c->body[i].x[2], s->centre, s->bins.bins);
    const struct stress_ends ends =
        contribution == STRESS_SITE ? cluster_site_ends(c, i) : cluster_constraint_ends(c, i);
    stress_bin_contribution(&s->bins, at, contribution, &ends, single);
    stress_bin_harasima(&s->bins, at, ends.all[STRESS_LATERAL], single);
  }
}

/* Adds the virial of the constraints with the present multipliers, times sign, to STRESS_EXCESS. */
HD void cluster_count_excess(const struct cluster *c, const struct cluster_stress *s, double sign,
                             int64_t *single)
{
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n) {
    const struct stress_ends ends = cluster_constraint_ends(c, i);
    for (int k = 0; k < STRESS_COMPONENTS; k++)
      sum_add(&single[STRESS_EXCESS + k],
              sum_addend(sign * ends.all[k], s->bins.scale, single + STRESS_OVERFLOW,
                         single + STRESS_MAGNITUDE));
  }
}

/* Adds the kinetic parts of the beads; c->move: the forces of constraints. */
HD void cluster_bin_motion(const struct cluster *c, const struct cluster_stress *s, int64_t *single)
{
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n) {
    const struct body *b = &c->body[i];
    double force[3];
    for (int d = 0; d < 3; d++)
      force[d] = b->force[d] + c->move[3 * i + d];
    const struct stress_motion move = {b->p, force, c->type->inverse_mass[i], s->half_step};
    stress_bin_motion(&s->bins, profile_place_of(b->x[2], s->centre, s->bins.bins), &move, single);
  }
}

/* Adds a cluster, whose forces on sites are those of cluster_keep. Changes its forces. */
HD void cluster_add_stress(const struct cluster *c, const struct cluster_stress *s, int64_t *single)
{
  const struct cluster_type *t = c->type;
  cluster_balance(c, 1);
  cluster_count_excess(c, s, -1, single);
  cluster_balance_carried(c, s->half_step);
  cluster_count_excess(c, s, 1, single);
  cluster_bin_ends(c, s, STRESS_CONSTRAINT, single);
  cluster_bin_motion(c, s, single);
  cluster_sync(c); /* the shares replace all of this */
  for (int k = c->lanes.lane; k < t->n_sites; k += c->lanes.n) {
    const struct site_view w = {&t->site[k], c->body, c->box};
    double virial[9];
    site_shares(&w, cluster_shares(c, k), virial);
  }
  cluster_sync(c);
  cluster_bin_ends(c, s, STRESS_SITE, single);
}

#endif
