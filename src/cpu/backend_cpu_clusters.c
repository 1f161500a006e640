/* Clusters of the CPU backend: loops over cluster_body.h. */
#include <math.h>
#include <string.h>

#include "backend/cluster_stress.h"
#include "cpu/backend_cpu.h"

/* What a loop over clusters has. */
struct work {
  struct cpu *c;
  const struct integrate_params *m;
  double h;                        /* ps */
  int energy, keeps;               /* cpu_clusters_spread */
  const struct cluster_stress *to; /* [threads] */
  double step, limit;              /* cpu_clusters_descend */
};

/* Ends the program: a constraint of cluster k cannot be solved. */
static void refuse(const struct cpu *c, int k, const struct cluster *work, int64_t step)
{
  const struct offender_state s = cpu_offender(c, step);
  const int *bead = c->clusters->bead + c->clusters->row[k];
  double length = 0;
  const struct cluster_constraint *to = &work->type->constraint[cluster_worst(work, &length)];
  offender_constraint(&s, c->id[bead[to->bead[0]]], c->id[bead[to->bead[1]]], length, to->length);
}

static struct cluster load(const struct cpu *c, int thread, int k)
{
  const struct cluster out =
      clusters_load(c->clusters, thread, k, &c->beads, c->force, c->torque, c->box);
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

/* A loop over the clusters. Returns the first that failed, or their number. */
static int loop(struct work *o, parallel_body *body)
{
  return o->c->clusters ? cpu_loop(o->c, o->c->clusters->n, LEAST_CLUSTERS, body, o) : 0;
}

/* 1 if a cluster could be moved, and no bead of it moved too far. */
static int move(const struct work *o, const struct cluster *work, int k)
{
  const struct cpu *c = o->c;
  const struct cluster_ids id = {c->id, c->clusters->bead + c->clusters->row[k]};
  int good = cluster_move(work, &id, o->m, &o->m->scaling, o->m->step, 0);
  for (int i = 0; i < work->type->n_beads; i++)
    good &= work->moved2[i] <= o->m->max_displacement * o->m->max_displacement;
  return good;
}

static int move_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  struct cpu *c = o->c;
  for (int k = begin; k < end; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, thread, k);
    if (!move(o, &work, k)) return k;
    clusters_store(c->clusters, &work, k, &c->beads);
  }
  return end;
}

void cpu_clusters_move(struct cpu *c, const struct integrate_params *m)
{
  struct work o = {.c = c, .m = m};
  const int k = loop(&o, move_chunk);
  if (!c->clusters || k == c->clusters->n) return;
  const struct cluster work = load(c, 0, k);
  const int *bead = c->clusters->bead + c->clusters->row[k];
  move(&o, &work, k);
  for (int i = 0; i < work.type->n_beads; i++) {
    if (work.moved2[i] <= m->max_displacement * m->max_displacement) continue;
    const struct offender_state s = cpu_offender(c, m->step + 1);
    offender_moved(&s, c->id[bead[i]], sqrt(work.moved2[i]), work.body[i].force);
  }
  refuse(c, k, &work, m->step + 1);
}

static int kick_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  struct cpu *c = o->c;
  for (int k = begin; k < end; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, thread, k);
    cluster_kick(&work, o->h);
    clusters_store(c->clusters, &work, k, &c->beads);
  }
  return end;
}

void cpu_clusters_kick(struct cpu *c, double h)
{
  struct work o = {.c = c, .h = h};
  loop(&o, kick_chunk);
}

static int spread_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  struct cpu *c = o->c;
  struct sums *s = &c->part[thread].sums;
  const double scale = o->energy ? (double)(INT64_C(1) << sum_bits(c->config.n_total)) : 0;
  for (int k = begin; k < end; k++) {
    const struct cluster_keep keep = {c->site_force, c->clusters->bead + c->clusters->row[k]};
    if (c->clusters->ff->cluster[c->clusters->type[k]].n_sites == 0) continue;
    const struct cluster work = load(c, thread, k);
    cluster_spread(&work, scale, s->word + SUM_VIRIAL, &s->overflow, &s->magnitude,
                   o->energy && o->keeps ? &keep : NULL);
    forces_store(c, k, &work);
  }
  return end;
}

void cpu_clusters_spread(struct cpu *c, int energy, int keeps)
{
  struct work o = {.c = c, .energy = energy, .keeps = keeps};
  loop(&o, spread_chunk);
}

static int sums_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  struct cpu *c = o->c;
  struct sums *s = &c->part[thread].sums;
  const struct cluster_words to = {s->word + SUM_VIRIAL, s->word + SUM_INSIDE,
                                   (double)(INT64_C(1) << sum_bits(c->config.n_total)),
                                   &s->overflow, &s->magnitude};
  for (int k = begin; k < end; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, thread, k);
    cluster_add_sums(&work, &to);
  }
  return end;
}

void cpu_clusters_sums(struct cpu *c)
{
  struct work o = {.c = c};
  loop(&o, sums_chunk);
}

static int stress_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  const struct cluster_stress *to = &o->to[thread];
  struct cpu *c = o->c;
  for (int k = begin; k < end; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, thread, k);
    const int *bead = c->clusters->bead + c->clusters->row[k];
    for (int s = 0; s < work.type->n_sites; s++) {
      const int m = work.type->site[s].bead;
      memcpy(work.body[m].force, c->site_force + 3 * (int64_t)bead[m], sizeof work.body[m].force);
    }
    cluster_add_stress(&work, to, to->bins.array + (int64_t)STRESS_ARRAYS * to->bins.bins);
  }
  return end;
}

void cpu_clusters_stress(struct cpu *c, const struct cluster_stress *to)
{
  struct work o = {.c = c, .to = to};
  loop(&o, stress_chunk);
}

static int relax_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  struct cpu *c = o->c;
  for (int k = begin; k < end; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, thread, k);
    for (int i = 0; i < work.type->n_beads; i++)
      body_part(&work.body[i], c->id[clusters_lead(c->clusters, k)]);
    cluster_balance(&work, 0);
    for (int i = 0; i < work.type->n_beads; i++)
      cluster_pull(&work, i, -1, work.body[i].force);
    forces_store(c, k, &work);
  }
  return end;
}

void cpu_clusters_relax(struct cpu *c)
{
  struct work o = {.c = c};
  loop(&o, relax_chunk);
}

/* 1 if the constraints of a cluster could be kept. */
static int descend(const struct work *o, const struct cluster *work)
{
  const double *box = o->c->box;
  for (int i = 0; i < work->type->n_beads; i++) {
    struct body there = work->body[i];
    body_descend(&there, work->inertia[i], box, o->step, o->limit);
    body_vector(&there, &work->body[i], box, work->move + 3 * i);
    memcpy(work->body[i].q, there.q, sizeof there.q);
  }
  return cluster_move_constrained(work);
}

static int descend_chunk(void *of, int begin, int end, int thread)
{
  const struct work *o = of;
  struct cpu *c = o->c;
  for (int k = begin; k < end; k++) {
    if (is_frozen(c, k)) continue;
    const struct cluster work = load(c, thread, k);
    if (!descend(o, &work)) return k;
    cluster_place_sites(&work);
    clusters_store(c->clusters, &work, k, &c->beads);
  }
  return end;
}

void cpu_clusters_descend(struct cpu *c, double step, double limit)
{
  struct work o = {.c = c, .step = step, .limit = limit};
  const int k = loop(&o, descend_chunk);
  if (!c->clusters || k == c->clusters->n) return;
  const struct cluster work = load(c, 0, k);
  descend(&o, &work);
  refuse(c, k, &work, c->base.step);
}
