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
  return (struct move_job){.beads = c->beads,
                           .inertia = c->inertia,
                           .force = c->force,
                           .torque = c->torque,
                           .team = c->team,
                           .frozen = teams_frozen(c->config.teams),
                           .member = c->clusters ? c->clusters->member : NULL,
                           .id = c->id,
                           .box = BOX_COPY(c->box)};
}

struct motion {
  struct cpu *c;
  struct move_job job;
  const struct integrate_params *m;
  double h; /* ps, of half a kick */
};

/* The beads of clusters are moved later. */
static int move_chunk(void *of, int begin, int end, int thread)
{
  const struct motion *o = of;
  const int far = o->c->kernel->move(&o->job, o->m, begin, end);
  if (far == end && !o->c->clusters) cpu_moved_part(o->c, begin, end, thread);
  return far;
}

/* Ends the program: bead i moves too far. */
static void refuse(struct cpu *c, const struct integrate_params *m, int i)
{
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
  struct motion o = {.c = c, .job = move_job_of(c), .m = m};
  cpu_moved_begin(c);
  const int far = cpu_loop(c, b->n, LEAST_MOVES, move_chunk, &o);
  if (far < b->n) refuse(c, m, far);
  cpu_moved_end(c);
  cpu_clusters_move(c, m);
  if (c->clusters) cpu_moved(c);
  c->step = m->step + 1;
}

void cpu_displacement2(struct backend *b, double largest[2])
{
  memcpy(largest, cpu_of(b)->displacement2, 2 * sizeof *largest);
}

static int kick_chunk(void *of, int begin, int end, int thread)
{
  const struct motion *o = of;
  (void)thread;
  o->c->kernel->kick(&o->job, o->h, begin, end);
  return end;
}

void cpu_integrate_second_half(struct backend *b, double dt)
{
  struct cpu *c = cpu_of(b);
  struct motion o = {.c = c, .job = move_job_of(c), .h = 0.5 * dt};
  cpu_loop(c, b->n, LEAST_MOVES, kick_chunk, &o);
  cpu_clusters_kick(c, 0.5 * dt);
}

static int sums_chunk(void *of, int begin, int end, int thread)
{
  struct cpu *c = of;
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  struct sums *s = &c->part[thread].sums;
  for (int64_t i = begin; i < end; i++)
    body_sums(c->beads.momentum + 3 * i, c->beads.angular_momentum + 3 * i, type_of(c, i), scale,
              s->word, &s->overflow, &s->magnitude);
  for (int64_t i = begin; c->team && c->config.teams->n > 1 && i < end; i++)
    body_team_sums(c->beads.momentum + 3 * i, c->beads.angular_momentum + 3 * i, type_of(c, i),
                   scale, s->team[team_number(c->team[i])], &s->overflow, &s->magnitude);
  return end;
}

void cpu_sums(struct backend *b, struct sums *out)
{
  struct cpu *c = cpu_of(b);
  *out = c->sums;
  for (int k = 0; k < SUM_VIRIAL; k++)
    out->word[k] = 0;
  cpu_sums_begin(c);
  cpu_loop(c, b->n, LEAST_MOVES, sums_chunk, c);
  cpu_clusters_sums(c);
  cpu_sums_end(c, out);
  cpu_bias_sums(c, (double)(INT64_C(1) << sum_bits(c->config.n_total)), out);
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

struct descent {
  struct cpu *c;
  double step, limit;
};

static int descend_chunk(void *of, int begin, int end, int thread)
{
  const struct descent *o = of;
  struct cpu *c = o->c;
  (void)thread;
  for (int i = begin; i < end; i++) {
    if (cpu_in_cluster(c, i)) continue;
    struct body body = body_load(&c->beads, c->force, c->torque, i);
    if (c->team) body_set_team(&body, c->team[i]);
    body_part(&body, c->id[i]);
    if (body.frozen) body_hold_force(&body);
    body_descend(&body, type_of(c, i), c->box, o->step, o->limit);
    body_store(&body, &c->beads, i);
  }
  return end;
}

void cpu_descend(struct backend *b, double step, double limit)
{
  struct cpu *c = cpu_of(b);
  struct descent o = {c, step, limit};
  cpu_loop(c, b->n, LEAST_MOVES, descend_chunk, &o);
  cpu_clusters_relax(c);
  cpu_clusters_descend(c, step, limit);
  cpu_moved(c);
}
