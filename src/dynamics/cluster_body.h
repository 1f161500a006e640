/* Motion of the beads of a cluster, on host and device, in double: velocity Verlet with constraints
   (SHAKE and RATTLE in matrix form: Ciccotti and Ryckaert, Comput. Phys. Rep. 4, 345, 1986;
   Andersen, J. Comput. Phys. 52, 24, 1983), with noise g-BAOAB (Leimkuhler and Matthews, Proc. R.
   Soc. A 472, 20160138, 2016), and virtual sites.

   The equations of the constraints are those of cluster_equations.h. Lengths are found by
   iterations with their matrix, whose rate of convergence is the square of the angle that the
   cluster turns by in a step. */
#ifndef CLUSTER_BODY_H
#define CLUSTER_BODY_H

#include "dynamics/cluster_equations.h"

#define CLUSTER_TOLERANCE 1e-10 /* of squares of lengths, relative */
enum { CLUSTER_ITERATIONS = 50, CLUSTER_NEWTON = 20 };

/* out += factor times the sum of multiplier and reference vector over the constraints of a bead. */
HD void cluster_pull(const struct cluster *c, int bead, double factor, double out[3])
{
  const struct cluster_type *t = c->type;
  for (int e = t->row[bead]; e < t->row[bead + 1]; e++) {
    const int k = t->incident[e] / 2;
    const double sign = t->incident[e] % 2 ? -factor : factor;
    vec3d_add(sign * c->multiplier[k], c->vector + 3 * k, out);
  }
}

/* RATTLE: projects the momenta so that they change no length. The reference vectors must be the
   present ones. */
HD void cluster_project(const struct cluster *c)
{
  const struct cluster_type *t = c->type;
  for (int k = c->lanes.lane; k < t->n_constraints; k += c->lanes.n) {
    const int a = t->constraint[k].bead[0], b = t->constraint[k].bead[1];
    double speed = 0;
    for (int d = 0; d < 3; d++)
      speed += c->vector[3 * k + d] *
               (c->body[a].p[d] * t->inverse_mass[a] - c->body[b].p[d] * t->inverse_mass[b]);
    c->multiplier[k] = speed;
  }
  cluster_solve(c);
  for (int i = c->lanes.lane; i < t->n_beads; i += c->lanes.n)
    cluster_pull(c, i, -1, c->body[i].p);
  cluster_sync(c);
}

/* Sets the right-hand sides of the next iteration. 0 if every length is right. */
HD int cluster_lacks(const struct cluster *c)
{
  int wrong = 0;
  for (int k = c->lanes.lane; k < c->type->n_constraints; k += c->lanes.n) {
    const double length = c->type->constraint[k].length;
    double v[3];
    const double lack = cluster_lack(c, k, v);
    wrong |= !(fabs(lack) <= CLUSTER_TOLERANCE * length * length);
    c->multiplier[k] = 0.5 * lack;
  }
  return cluster_any(c, wrong);
}

HD void cluster_correct(const struct cluster *c)
{
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n)
    cluster_pull(c, i, c->type->inverse_mass[i], c->move + 3 * i);
  cluster_sync(c);
}

/* Solves for the multipliers with the matrix of the present vectors and those of reference, by
   elimination. */
HD void cluster_solve_newton(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  double *a = c->matrix, *x = c->multiplier;
  cluster_sync(c);
  if (c->sparse) {
    cluster_refer_newton_sparse(c);
    cluster_solve_sparse(c);
    return;
  }
  for (int k = c->lanes.lane; k < n; k += c->lanes.n) {
    double v[3];
    cluster_lack(c, k, v);
    for (int l = 0; l < n; l++) {
      const double shared = cluster_shared(c->type, k, l);
      a[k * n + l] = shared != 0 ? shared * vec3d_dot(v, c->vector + 3 * l) : 0;
    }
  }
  cluster_sync(c);
  for (int j = 0; j < n; j++) {
    const double pivot = a[j * n + j];
    const int skip = !(fabs(pivot) > CLUSTER_PIVOT * cluster_diagonal(c, j));
    for (int i = c->lanes.lane; i < n && !skip; i += c->lanes.n) {
      if (i == j) continue;
      const double factor = a[i * n + j] / pivot;
      for (int k = j + 1; k < n; k++)
        a[i * n + k] -= factor * a[j * n + k];
      x[i] -= factor * x[j];
    }
    cluster_sync(c);
    if (skip && c->lanes.lane == 0) a[j * n + j] = 0;
    cluster_sync(c);
  }
  for (int i = c->lanes.lane; i < n; i += c->lanes.n)
    x[i] = a[i * n + i] != 0 ? x[i] / a[i * n + i] : 0;
  cluster_sync(c);
}

/* The constraint whose length is most wrong, and that length, nm. */
HD int cluster_worst(const struct cluster *c, double *length)
{
  int worst = 0;
  double most = -1;
  for (int k = 0; k < c->type->n_constraints; k++) {
    double v[3];
    const double wrong = fabs(cluster_lack(c, k, v)) / c->type->constraint[k].length;
    if (wrong <= most) continue;
    most = wrong;
    worst = k;
    *length = sqrt(vec3d_dot(v, v));
  }
  return worst;
}

/* SHAKE: corrects the moves along the reference vectors until every length is right. 0 if that
   fails. */
HD int cluster_shake(const struct cluster *c)
{
  for (int k = 0; k < CLUSTER_ITERATIONS + CLUSTER_NEWTON; k++) {
    if (!cluster_lacks(c)) return 1;
    if (k < CLUSTER_ITERATIONS)
      cluster_solve(c);
    else
      cluster_solve_newton(c);
    cluster_correct(c);
  }
  return !cluster_lacks(c);
}

/* Moves the beads by c->move, corrected by cluster_shake, without changing momenta. 0 if that
   fails. */
HD int cluster_move_constrained(const struct cluster *c)
{
  int bad = 0;
  cluster_refer(c);
  if (!cluster_shake(c)) return 0;
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n)
    bad |= !(body_shift(&c->body[i], c->move + 3 * i, c->box) < (double)INFINITY);
  cluster_sync(c);
  return !cluster_any(c, bad);
}

/* Moves the beads of an unconstrained state so that every length is right. 0 if that fails. */
HD int cluster_restore(const struct cluster *c)
{
  for (int i = c->lanes.lane; i < 3 * c->type->n_beads; i += c->lanes.n)
    c->move[i] = 0;
  return cluster_move_constrained(c);
}

/* Sets c->move to the positions of the beads relative to their centre of mass, nm. */
HD void cluster_arms(const struct cluster *c)
{
  const struct cluster_type *t = c->type;
  double mass = 0, centre[3] = {0, 0, 0};
  for (int d = 0; d < 3 && c->lanes.lane == 0; d++)
    c->move[d] = 0;
  for (int k = 0; k < t->n_beads - 1 && c->lanes.lane == 0; k++) {
    const int to = t->walk[2 * k], from = t->walk[2 * k + 1];
    double v[3];
    body_vector(&c->body[to], &c->body[from], c->box, v);
    for (int d = 0; d < 3; d++)
      c->move[3 * to + d] = c->move[3 * from + d] + v[d];
  }
  cluster_sync(c);
  for (int i = 0; i < t->n_beads; i++) {
    mass += c->inertia[i]->mass;
    vec3d_add(c->inertia[i]->mass, c->move + 3 * i, centre);
  }
  cluster_sync(c);
  for (int i = c->lanes.lane; i < t->n_beads; i += c->lanes.n)
    vec3d_add(-1 / mass, centre, c->move + 3 * i);
  cluster_sync(c);
}

/* The velocity of the centre of mass, nm/ps. */
HD void cluster_velocity(const struct cluster *c, double v[3])
{
  double mass = 0;
  v[0] = v[1] = v[2] = 0;
  for (int i = 0; i < c->type->n_beads; i++) {
    mass += c->inertia[i]->mass;
    vec3d_add(1, c->body[i].p, v);
  }
  for (int d = 0; d < 3; d++)
    v[d] /= mass;
}

/* Completes a scaling of the box by `stretch`, which has scaled the positions of all beads:
   restores the positions relative to the centre of mass, and divides the momentum of the centre of
   mass by stretch. 0 if a bead moves too far. */
HD int cluster_stretch(const struct cluster *c, const double stretch[3])
{
  double v[3], shift[3];
  int bad = 0;
  cluster_arms(c);
  cluster_velocity(c, v);
  cluster_sync(c);
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n) {
    for (int d = 0; d < 3; d++) {
      const double change = 1 / stretch[d] - 1;
      c->body[i].p[d] += c->inertia[i]->mass * (change * v[d]);
      shift[d] = change * c->move[3 * i + d];
    }
    bad |= !(body_shift(&c->body[i], shift, c->box) < (double)INFINITY);
  }
  cluster_sync(c);
  return !cluster_any(c, bad);
}

/* Constrained drift and free rotation for a time h, ps. referred: 1 if the reference vectors are
   the present ones already. 0 if constraints fail. */
HD int cluster_drift(const struct cluster *c, double h, int referred)
{
  const struct cluster_type *t = c->type;
  if (!referred) cluster_refer(c);
  cluster_project(c);
  for (int i = c->lanes.lane; i < t->n_beads; i += c->lanes.n)
    for (int d = 0; d < 3; d++)
      c->move[3 * i + d] = h * c->body[i].p[d] * t->inverse_mass[i];
  cluster_sync(c);
  const int good = cluster_shake(c);
  for (int i = c->lanes.lane; i < t->n_beads; i += c->lanes.n) {
    struct body *b = &c->body[i];
    if (!(t->inverse_mass[i] > 0)) continue;
    for (int d = 0; d < 3; d++)
      b->p[d] += (c->move[3 * i + d] - h * b->p[d] * t->inverse_mass[i]) * c->inertia[i]->mass / h;
    c->moved2[i] = fmax(c->moved2[i], body_shift(b, c->move + 3 * i, c->box));
    body_spin(b, c->inertia[i], h);
  }
  cluster_sync(c);
  return good;
}

/* Moves the sites to the positions that their parents give, parents first. */
HD void cluster_place_sites(const struct cluster *c)
{
  const struct cluster_type *t = c->type;
  const int together = t->sites_apart ? t->n_sites : 1;
  for (int first = 0; first < t->n_sites; first += together) {
    for (int k = first + c->lanes.lane; k < first + together; k += c->lanes.n) {
      const struct site_view w = {&t->site[k], c->body, c->box};
      c->moved2[w.site->bead] = site_place(&w);
    }
    cluster_sync(c);
  }
}

/* The shares of the parents of site k in the force on it, [n][3], kJ/mol/nm. */
HD double *cluster_shares(const struct cluster *c, int k)
{
  return c->move + 3 * (c->type->site[k].from - c->type->parent);
}

/* Adds the shares to the forces on the parents: of all sites, the last one first, or, if sites are
   parents of sites, of site end - 1 alone. */
HD void cluster_add_shares(const struct cluster *c, int end)
{
  const struct cluster_type *t = c->type;
  for (int i = c->lanes.lane; t->sites_apart && i < t->n_beads; i += c->lanes.n)
    for (int r = t->role_row[i]; r < t->role_row[i + 1]; r++)
      vec3d_add(1, c->move + 3 * t->role[r], c->body[i].force);
  for (int j = c->lanes.lane; !t->sites_apart && j < t->site[end - 1].n; j += c->lanes.n)
    vec3d_add(1, cluster_shares(c, end - 1) + 3 * j, c->body[t->site[end - 1].from[j]].force);
}

/* Where cluster_spread copies the forces on sites, including those from sites whose parents they
   are: of bead k of the cluster to force[bead[k]]. */
struct cluster_keep {
  double *force; /* [beads][3] */
  const int *bead;
};

/* Moves the forces on sites to their parents, the last site first. scale: 2^sum_bits to add the
   change of the virial to `word`; 0: not. keep: NULL: no copy. */
HD void cluster_spread(const struct cluster *c, double scale, int64_t word[9], int64_t *overflow,
                       int64_t *magnitude, const struct cluster_keep *keep)
{
  const struct cluster_type *t = c->type;
  const int together = t->sites_apart ? t->n_sites : 1;
  for (int end = t->n_sites; end > 0; end -= together) {
    const int first = end - together;
    for (int k = first + c->lanes.lane; k < end; k += c->lanes.n) {
      const struct site_view w = {&t->site[k], c->body, c->box};
      double virial[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
      for (int d = 0; d < 3 && keep; d++)
        keep->force[3 * (int64_t)keep->bead[w.site->bead] + d] = w.body[w.site->bead].force[d];
      site_shares(&w, cluster_shares(c, k), scale > 0 ? virial : NULL);
      for (int d = 0; d < 9 && scale > 0; d++)
        sum_add(&word[d], sum_addend(virial[d], scale, overflow, magnitude));
    }
    cluster_sync(c);
    cluster_add_shares(c, end);
    cluster_sync(c);
  }
}

/* The ids of the beads of a cluster: of bead k all[bead[k]]. */
struct cluster_ids {
  const int64_t *all;
  const int *bead;
};

/* First half of a step: see body_move, whose parameters it has; c->box is the box after scaling.
   referred: 1 right after cluster_kick. 0 if constraints fail. The squares of the distances that
   the beads have moved are in c->moved2. */
HD int cluster_move(const struct cluster *c, const struct cluster_ids *id,
                    const struct integrate_params *m, const struct scaling *scaling, int64_t step,
                    int referred)
{
  const struct cluster_type *t = c->type;
  int good = 1;
  for (int i = c->lanes.lane; i < t->n_beads; i += c->lanes.n) {
    c->moved2[i] = 0;
    if (t->inverse_mass[i] > 0) body_push(&c->body[i], c->inertia[i], m, scaling);
  }
  cluster_sync(c);
  if (scaling &&
      (scaling->stretch[0] != 1 || scaling->stretch[1] != 1 || scaling->stretch[2] != 1)) {
    good = cluster_stretch(c, scaling->stretch);
    referred = 0;
  }
  for (int drift = 0; good && drift < (m->noise ? 2 : 1); drift++) {
    for (int i = c->lanes.lane; drift && i < t->n_beads; i += c->lanes.n)
      if (t->inverse_mass[i] > 0)
        body_noise(&c->body[i], c->inertia[i], m, step, id->all[id->bead[i]]);
    cluster_sync(c);
    good = cluster_drift(c, m->noise ? 0.5 * m->dt : m->dt, referred && !drift);
  }
  cluster_place_sites(c);
  return good;
}

/* Half a kick at the end of a step; h: its length, ps. */
HD void cluster_kick(const struct cluster *c, double h)
{
  const struct cluster_type *t = c->type;
  for (int i = c->lanes.lane; i < t->n_beads; i += c->lanes.n)
    if (t->inverse_mass[i] > 0) body_kick(&c->body[i], c->inertia[i], h);
  cluster_sync(c);
  cluster_refer(c);
  cluster_project(c);
}

/* Solves the equations of cluster_balance with the present reference vectors. h, ps: 0, or half a
   step: then the squares of relative velocities are means of those half a step before and after,
   which the constraint forces in c->move change too. */
HD void cluster_find_forces(const struct cluster *c, int momenta, double h)
{
  const struct cluster_type *t = c->type;
  for (int k = c->lanes.lane; k < t->n_constraints; k += c->lanes.n) {
    const int a = t->constraint[k].bead[0], b = t->constraint[k].bead[1];
    const double ma = t->inverse_mass[a], mb = t->inverse_mass[b];
    double sum = 0;
    for (int d = 0; d < 3; d++) {
      const double speed = c->body[a].p[d] * ma - c->body[b].p[d] * mb;
      const double push = c->body[a].force[d] * ma - c->body[b].force[d] * mb;
      sum += c->vector[3 * k + d] * push;
      if (momenta) sum += speed * speed;
      if (!(h > 0)) continue;
      const double kick = h * (push + (c->move[3 * a + d] * ma - c->move[3 * b + d] * mb));
      sum += kick * kick;
    }
    c->multiplier[k] = sum;
  }
  cluster_solve(c);
}

/* Sets the multipliers of the constraint forces: the force on the first bead of constraint k is
   -multiplier[k] vector[k]. momenta: 1 includes the centripetal forces; 0: as if the beads were at
   rest. */
HD void cluster_balance(const struct cluster *c, int momenta)
{
  cluster_refer(c);
  cluster_find_forces(c, momenta, 0);
}

/* Sets the multipliers of the constraint forces of the discrete trajectory: with the momenta half a
   step (h, ps) before and after, which these forces change too, the drifts of both steps keep the
   lengths, |d(t - 2h)| = |d(t)| = |d(t + 2h)|. The reference vectors must be the present ones.
   Iterates from the multipliers of cluster_balance; each iteration reduces the error by the square
   of the angle that the cluster turns by in a step. Leaves the constraint forces in c->move. */
HD void cluster_balance_carried(const struct cluster *c, double h)
{
  enum { ROUNDS = 2 };
  for (int round = 0; round <= ROUNDS; round++) {
    for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n) {
      for (int d = 0; d < 3; d++)
        c->move[3 * i + d] = 0;
      cluster_pull(c, i, -1, c->move + 3 * i);
    }
    cluster_sync(c);
    if (round < ROUNDS && h > 0) cluster_find_forces(c, 1, h);
  }
}

/* Where the sums of a cluster go, of 9 words each. */
struct cluster_words {
  int64_t *virial, *inside;
  double scale; /* 2^sum_bits */
  int64_t *overflow, *magnitude;
};

/* Adds the virial of the constraint forces to `virial`, and the part of virial and kinetic tensor
   from forces and motion within the cluster to `inside`. */
HD void cluster_add_sums(const struct cluster *c, const struct cluster_words *to)
{
  double v[3];
  cluster_balance(c, 1);
  for (int k = c->lanes.lane; k < c->type->n_constraints; k += c->lanes.n) {
    const double *r = c->vector + 3 * k;
    for (int d = 0; d < 9; d++) {
      const int64_t x = sum_addend(-c->multiplier[k] * r[d / 3] * r[d % 3], to->scale, to->overflow,
                                   to->magnitude);
      sum_add(&to->virial[d], x);
      sum_add(&to->inside[d], x);
    }
  }
  cluster_arms(c);
  cluster_velocity(c, v);
  for (int i = c->lanes.lane; i < c->type->n_beads; i += c->lanes.n) {
    const struct body *b = &c->body[i];
    double u[3];
    for (int d = 0; d < 3; d++)
      u[d] = b->p[d] - c->inertia[i]->mass * v[d];
    for (int d = 0; d < 9; d++)
      sum_add(&to->inside[d], sum_addend(c->move[3 * i + d / 3] * b->force[d % 3] +
                                             u[d / 3] * u[d % 3] * c->type->inverse_mass[i],
                                         to->scale, to->overflow, to->magnitude));
  }
}

#endif
