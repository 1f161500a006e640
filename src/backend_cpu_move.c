/* Integration, sums and the minimiser's moves of the cpu backend: loops over integrate_body.h. */
#include <math.h>
#include <string.h>

#include "backend_cpu.h"
#include "integrate_body.h"
#include "log.h"

static struct cpu *of(struct backend *b)
{
  return (struct cpu *)b;
}

void cpu_derive(struct cpu *c)
{
  for (int i = 0; i < c->base.n; i++) {
    memcpy(c->record[i].x, c->beads.position + 3 * (int64_t)i, sizeof c->record[i].x);
    c->record[i].type = c->beads.type[i];
  }
  c->kernel->axes(c->model, 0, c->base.n, c->record, c->beads.orientation, c->axis);
}

static void kick_one(const struct cpu *c, int i, double h)
{
  const struct cpu_type *type = &c->type[c->beads.type[i]];
  const double *f = c->force + 3 * (int64_t)i;
  double *p = c->beads.momentum + 3 * (int64_t)i;
  for (int k = 0; k < 3; k++)
    p[k] += h * f[k];
  if (type->inverse_inertia[0] > 0)
    rotation_kick(c->beads.orientation + 4 * (int64_t)i, c->beads.angular_momentum + 3 * (int64_t)i,
                  type->inverse_inertia, c->torque + 3 * (int64_t)i, h);
}

static void noise_one(const struct cpu *c, int i, const struct move *m, double decay)
{
  const struct cpu_type *type = &c->type[c->beads.type[i]];
  double rest = (1 - decay * decay) * m->kT, s = sqrt(rest * type->mass), turn[3];
  const double push[3] = {s, s, s};
  langevin_noise(c->beads.momentum + 3 * (int64_t)i, decay, push, m->seed, (uint64_t)m->step,
                 (uint64_t)c->id[i], RNG_LANGEVIN);
  if (!(type->inverse_inertia[0] > 0)) return;
  for (int k = 0; k < 3; k++)
    turn[k] = sqrt(rest * type->inertia[k]);
  langevin_noise(c->beads.angular_momentum + 3 * (int64_t)i, decay, turn, m->seed,
                 (uint64_t)m->step, (uint64_t)c->id[i], RNG_LANGEVIN_ROT);
}

/* Drift and free rotation for a time h; the square of the distance. */
static double drift_one(const struct cpu *c, int i, double h)
{
  const struct cpu_type *type = &c->type[c->beads.type[i]];
  const double *p = c->beads.momentum + 3 * (int64_t)i;
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    double d = h * p[k] * type->inverse_mass, fraction = d / c->box[k];
    d2 += d * d;
    if (!(fabs(fraction) < 0.25)) return INFINITY;
    drift_position(&c->beads.position[3 * (int64_t)i + k], &c->beads.residual[3 * (int64_t)i + k],
                   &c->beads.image[3 * (int64_t)i + k], fraction);
  }
  if (type->inverse_inertia[0] > 0)
    rotation_free(c->beads.orientation + 4 * (int64_t)i, c->beads.angular_momentum + 3 * (int64_t)i,
                  type->inverse_inertia, h);
  return d2;
}

static void prepare_one(const struct cpu *c, int i, const struct move *m)
{
  double *p = c->beads.momentum + 3 * (int64_t)i, *j = c->beads.angular_momentum + 3 * (int64_t)i;
  double mass = c->type[c->beads.type[i]].mass;
  for (int k = 0; k < 3; k++) {
    p[k] = m->scale * p[k] - mass * m->shift[k];
    j[k] *= m->scale;
  }
}

static void move_one(const struct cpu *c, int i, const struct move *m, double decay)
{
  double *p = c->beads.momentum + 3 * (int64_t)i, d2;
  prepare_one(c, i, m);
  kick_one(c, i, 0.5 * m->dt);
  for (int k = 0; k < 3; k++)
    p[k] /= m->stretch[k];
  if (m->noise) {
    d2 = drift_one(c, i, 0.5 * m->dt);
    noise_one(c, i, m, decay);
    d2 = fmax(d2, drift_one(c, i, 0.5 * m->dt));
  } else {
    d2 = drift_one(c, i, m->dt);
  }
  if (!(d2 <= m->limit * m->limit))
    die(STATUS_NUMERIC,
        "bead %lld moved by %g nm in step %lld (force %g %g %g kJ/mol/nm): the simulation has "
        "blown "
        "up; start from a minimised state or take a smaller run.dt",
        (long long)c->id[i], sqrt(d2), (long long)m->step + 1, c->force[3 * (int64_t)i],
        c->force[3 * (int64_t)i + 1], c->force[3 * (int64_t)i + 2]);
}

static void moved_update(struct cpu *c)
{
  double h[3], largest = 0;
  for (int k = 0; k < 3; k++)
    h[k] = c->build_box[k] / 4294967296.0;
  for (int64_t i = 0; i < c->base.n; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
      uint32_t d =
          (uint32_t)c->beads.position[3 * i + k] - (uint32_t)c->beads.build_position[3 * i + k];
      double x = (double)(int32_t)d * h[k];
      d2 += x * x;
    }
    if (d2 > largest) largest = d2;
  }
  c->moved = sqrt(largest);
}

void cpu_kick_drift(struct backend *b, const struct move *m)
{
  struct cpu *c = of(b);
  double decay = m->noise ? exp(-m->dt / m->tau) : 1;
  for (int k = 0; k < 3; k++)
    c->box[k] *= m->stretch[k];
  for (int i = 0; i < b->n; i++)
    move_one(c, i, m, decay);
  cpu_derive(c);
  moved_update(c);
}

double cpu_displacement(struct backend *b)
{
  return of(b)->moved;
}

void cpu_kick(struct backend *b, double dt)
{
  for (int i = 0; i < b->n; i++)
    kick_one(of(b), i, 0.5 * dt);
}

void cpu_sums(struct backend *b, struct sums *out)
{
  struct cpu *c = of(b);
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  *out = c->sums;
  for (int k = 0; k < SUM_VIRIAL; k++)
    out->word[k] = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const struct cpu_type *type = &c->type[c->beads.type[i]];
    const double *p = c->beads.momentum + 3 * i, *j = c->beads.angular_momentum + 3 * i;
    double turn = 0;
    for (int k = 0; k < 6; k++)
      out->word[SUM_KINETIC + k] +=
          sum_fixed(p[row[k]] * p[column[k]] * type->inverse_mass, scale, &out->overflow);
    for (int k = 0; k < 3; k++) {
      out->word[SUM_MOMENTUM + k] += sum_fixed(p[k], scale, &out->overflow);
      turn += j[k] * j[k] * type->inverse_inertia[k];
    }
    out->word[SUM_ROTATION] += sum_fixed(turn, scale, &out->overflow);
  }
}

void cpu_mark(struct backend *b)
{
  struct cpu *c = of(b);
  beads_free(&c->marked);
  beads_reserve(&c->marked, MIGRATE, 0, b->n);
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    size_t bytes = (size_t)b->n * (size_t)(field_info[f].components * field_info[f].bytes);
    if (bytes) memcpy(*beads_field(&c->marked, f), *beads_field(&c->beads, f), bytes);
  }
}

void cpu_revert(struct backend *b)
{
  struct cpu *c = of(b);
  static const int moved[] = {FIELD_position, FIELD_residual, FIELD_image, FIELD_orientation};
  for (size_t k = 0; k < sizeof moved / sizeof moved[0]; k++) {
    int f = moved[k];
    size_t bytes = (size_t)b->n * (size_t)(field_info[f].components * field_info[f].bytes);
    if (bytes) memcpy(*beads_field(&c->beads, f), *beads_field(&c->marked, f), bytes);
  }
  cpu_derive(c);
  moved_update(c);
}

/* A turn by the vector angle (body frame): three turns in succession are enough downhill. */
static void turn_one(const struct cpu *c, int i, double step, double limit)
{
  const struct cpu_type *type = &c->type[c->beads.type[i]];
  double *q = c->beads.orientation + 4 * (int64_t)i, body[3], none[3] = {0, 0, 0};
  if (!(type->inverse_inertia[0] > 0)) return;
  rotation_to_body(q, c->torque + 3 * (int64_t)i, body);
  double size = sqrt(body[0] * body[0] + body[1] * body[1] + body[2] * body[2]);
  if (!(size > 0) || !isfinite(size)) return;
  double angle = fmin(step * size, limit);
  for (int k = 0; k < 3; k++)
    if (type->inverse_inertia[k] > 0) rotation_turn(q, none, k, angle * body[k] / size);
}

void cpu_descend(struct backend *b, double step, double limit)
{
  struct cpu *c = of(b);
  for (int i = 0; i < b->n; i++) {
    const double *f = c->force + 3 * (int64_t)i;
    double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (size > 0 && isfinite(size)) {
      double d = fmin(step * size, limit) / size;
      for (int k = 0; k < 3; k++)
        drift_position(&c->beads.position[3 * (int64_t)i + k],
                       &c->beads.residual[3 * (int64_t)i + k], &c->beads.image[3 * (int64_t)i + k],
                       d * f[k] / c->box[k]);
    }
    /* Turning uses the same numbers per radian as moving per nm, within a wider limit. */
    turn_one(c, i, step * 100, limit * 20);
  }
  cpu_derive(c);
  moved_update(c);
}
