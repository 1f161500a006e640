/* Clusters of the CPU backend: loops over cluster_body.h. */
#include <math.h>
#include <string.h>

#include "backend/cluster_stress.h"
#include "cpu/backend_cpu.h"

/* Ends the program: a constraint of cluster k cannot be solved. */
static void refuse(const struct cpu *c, int k, const struct cluster *work, int64_t step)
{
  const struct offender_state s = cpu_offender(c, step);
  const int *bead = c->clusters->bead + c->clusters->row[k];
  double length = 0;
  const struct cluster_constraint *to = &work->type->constraint[cluster_worst(work, &length)];
  offender_constraint(&s, c->id[bead[to->bead[0]]], c->id[bead[to->bead[1]]], length, to->length);
}

static struct cluster load(struct cpu *c, int k)
{
  const struct cluster out = clusters_load(c->clusters, k, &c->beads, c->force, c->torque, c->box);
  const int *bead = c->clusters->bead + c->clusters->row[k];
  for (int m = 0; m < out.type->n_beads && c->team; m++)
    body_set_team(&out.body[m], c->team[bead[m]]);
  return out;
}

/* 1 if the beads of cluster k are frozen: all are, along all axes (md/teams.c). */
static int is_frozen(const struct cpu *c, int k)
{
  return c->team && team_frozen(c->team[c->clusters->bead[c->clusters->row[k]]]) != 0;
}

static void forces_store(struct cpu *c, int k, const struct cluster *work)
{
  const int *bead = c->clusters->bead + c->clusters->row[k];
  for (int m = 0; m < work->type->n_beads; m++) {
    memcpy(c->force + 3 * (int64_t)bead[m], work->body[m].force, sizeof work->body[m].force);
    memcpy(c->torque + 3 * (int64_t)bead[m], work->body[m].torque, sizeof work->body[m].torque);
  }
}

void cpu_clusters_find(struct cpu *c)
{
  if (c->clusters) clusters_find(c->clusters, c->base.n, c->id, c->beads.bonded_env, &c->map);
}

void cpu_clusters_move(struct cpu *c, const struct integrate_params *m)
{
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, k);
    const int *bead = c->clusters->bead + c->clusters->row[k];
    const struct cluster_ids id = {c->id, bead};
    const int good = cluster_move(&work, &id, m, &m->scaling, m->step, 0);
    for (int i = 0; i < work.type->n_beads; i++) {
      if (work.moved2[i] <= m->max_displacement * m->max_displacement) continue;
      const struct offender_state s = cpu_offender(c, m->step + 1);
      offender_moved(&s, c->id[bead[i]], sqrt(work.moved2[i]), work.body[i].force);
    }
    if (!good) refuse(c, k, &work, m->step + 1);
    clusters_store(c->clusters, k, &c->beads);
  }
}

void cpu_clusters_kick(struct cpu *c, double h)
{
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, k);
    cluster_kick(&work, h);
    clusters_store(c->clusters, k, &c->beads);
  }
}

void cpu_clusters_spread(struct cpu *c, int energy, int keeps)
{
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    const struct cluster work = load(c, k);
    const struct cluster_keep keep = {c->site_force, c->clusters->bead + c->clusters->row[k]};
    if (work.type->n_sites == 0) continue;
    cluster_spread(&work, energy ? scale : 0, c->sums.word + SUM_VIRIAL, &c->sums.overflow,
                   &c->sums.magnitude, energy && keeps ? &keep : NULL);
    forces_store(c, k, &work);
  }
}

void cpu_clusters_sums(struct cpu *c, double scale, struct sums *out)
{
  const struct cluster_words to = {out->word + SUM_VIRIAL, out->word + SUM_INSIDE, scale,
                                   &out->overflow, &out->magnitude};
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, k);
    cluster_add_sums(&work, &to);
  }
}

void cpu_clusters_stress(struct cpu *c, const struct cluster_stress *to, int64_t *single)
{
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, k);
    const int *bead = c->clusters->bead + c->clusters->row[k];
    for (int s = 0; s < work.type->n_sites; s++) {
      const int m = work.type->site[s].bead;
      memcpy(work.body[m].force, c->site_force + 3 * (int64_t)bead[m], sizeof work.body[m].force);
    }
    cluster_add_stress(&work, to, single);
  }
}

void cpu_clusters_relax(struct cpu *c)
{
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, k);
    for (int i = 0; i < work.type->n_beads; i++)
      body_part(&work.body[i], c->id[clusters_lead(c->clusters, k)]);
    cluster_balance(&work, 0);
    for (int i = 0; i < work.type->n_beads; i++)
      cluster_pull(&work, i, -1, work.body[i].force);
    forces_store(c, k, &work);
  }
}

void cpu_clusters_descend(struct cpu *c, double step, double limit)
{
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, k);
    for (int i = 0; i < work.type->n_beads; i++) {
      struct body there = work.body[i];
      body_descend(&there, work.inertia[i], c->box, step, limit);
      body_vector(&there, &work.body[i], c->box, work.move + 3 * i);
      memcpy(work.body[i].q, there.q, sizeof there.q);
    }
    if (!cluster_move_constrained(&work)) refuse(c, k, &work, c->base.step);
    cluster_place_sites(&work);
    clusters_store(c->clusters, k, &c->beads);
  }
}
