/* Integration, kinetic sums and minimiser moves of the CPU backend: loops over move_body.h. */
#include <math.h>
#include <string.h>

#include "cpu/backend_cpu.h"

static const struct body_type *type_of(const struct cpu *c, int64_t i)
{
  return &c->inertia[c->beads.type[i]];
}

static struct move_job move_job_of(const struct cpu *c)
{
  return (struct move_job){.n = c->base.n,
                           .beads = c->beads,
                           .inertia = c->inertia,
                           .force = c->force,
                           .torque = c->torque,
                           .team = c->team,
                           .frozen = teams_frozen(c->config.teams),
                           .member = c->clusters ? c->clusters->member : NULL,
                           .id = c->id,
                           .box = BOX_COPY(c->box)};
}

/* Moves the beads that are in no cluster. */
static void beads_move(struct cpu *c, const struct integrate_params *m)
{
  const struct move_job job = move_job_of(c);
  const int i = c->kernel->move(&job, m);
  if (i == job.n) return;
  const struct offender_state s = cpu_offender(c, m->step + 1);
  struct body b = body_load(&c->beads, c->force, c->torque, i);
  if (c->team) body_set_team(&b, c->team[i]);
  const double d2 = body_move(&b, type_of(c, i), m, &m->scaling, c->box, box_is_oblique(c->box),
                              m->step, c->id[i]);
  offender_moved(&s, c->id[i], sqrt(d2), b.force);
}

void cpu_integrate_first_half(struct backend *b, const struct integrate_params *m)
{
  struct cpu *c = cpu_of(b);
  beads_move(c, m);
  cpu_clusters_move(c, m);
  cpu_moved(c);
  c->step = m->step + 1;
}

void cpu_displacement2(struct backend *b, double largest[2])
{
  memcpy(largest, cpu_of(b)->displacement2, 2 * sizeof *largest);
}

void cpu_integrate_second_half(struct backend *b, double dt)
{
  struct cpu *c = cpu_of(b);
  const struct move_job job = move_job_of(c);
  c->kernel->kick(&job, 0.5 * dt);
  cpu_clusters_kick(c, 0.5 * dt);
}

void cpu_sums(struct backend *b, struct sums *out)
{
  struct cpu *c = cpu_of(b);
  double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  *out = c->sums;
  for (int k = 0; k < SUM_VIRIAL; k++)
    out->word[k] = 0;
  for (int64_t i = 0; i < b->n; i++)
    body_sums(c->beads.momentum + 3 * i, c->beads.angular_momentum + 3 * i, type_of(c, i), scale,
              out->word, &out->overflow, &out->magnitude);
  for (int64_t i = 0; c->team && c->config.teams->n > 1 && i < b->n; i++)
    body_team_sums(c->beads.momentum + 3 * i, c->beads.angular_momentum + 3 * i, type_of(c, i),
                   scale, out->team[team_number(c->team[i])], &out->overflow, &out->magnitude);
  cpu_clusters_sums(c, scale, out);
  cpu_bias_sums(c, scale, out);
}

void cpu_save_positions(struct backend *b)
{
  struct cpu *c = cpu_of(b);
  beads_free(&c->saved);
  beads_reserve(&c->saved, MIGRATE, 0, b->n);
  cpu_beads_copy(&c->saved, &c->beads, b->n);
}

void cpu_restore_positions(struct backend *b)
{
  struct cpu *c = cpu_of(b);
  cpu_beads_copy(&c->beads, &c->saved, b->n);
  cpu_moved(c);
}

void cpu_descend(struct backend *b, double step, double limit)
{
  struct cpu *c = cpu_of(b);
  for (int i = 0; i < b->n; i++) {
    if (cpu_in_cluster(c, i)) continue;
    struct body body = body_load(&c->beads, c->force, c->torque, i);
    if (c->team) body_set_team(&body, c->team[i]);
    body_part(&body, c->id[i]);
    if (body.frozen) body_hold_force(&body);
    body_descend(&body, type_of(c, i), c->box, step, limit);
    body_store(&body, &c->beads, i);
  }
  cpu_clusters_relax(c);
  cpu_clusters_descend(c, step, limit);
  cpu_moved(c);
}
