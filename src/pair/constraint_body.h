/* Constraints of distances between centres of groups (pair/bias_body.h), as both backends solve
   them: SHAKE after the drift of a step, RATTLE after its second half kick (Andersen, J. Comput.
   Phys. 52, 24, 1983), and the constraint forces of the state. One thread does it for all groups.
   The mobility of the centres does not change, so constraints that share groups are solved together
   with a matrix of their directions. dynamics/hold_body.h moves the beads. */
#ifndef CONSTRAINT_BODY_H
#define CONSTRAINT_BODY_H

#include "pair/bias_body.h"

#define CONSTRAINT_WANTED 1e-12 /* nm: Newton's iteration ends here */
#define CONSTRAINT_HELD 1e-10   /* nm: what a state fulfils */
#define CONSTRAINT_NEAR 0.01    /* nm: from where the start of a run is moved there */
#define CONSTRAINT_STILL 1e-9   /* nm/ps: the same for velocities */
#define CONSTRAINT_STIFF 1e5    /* kJ/mol/nm2: constraints in minimisations */
#define CONSTRAINT_ALIKE 1e-8   /* pivots of dependent constraints, relative */
enum { CONSTRAINT_ROUNDS = 30 };

/* Quanta of velocity (nm/ps) and acceleration (nm/ps2) in the sums of a group. */
#define VELOCITY_QUANTUM 0x1p-40
#define ACCELERATION_QUANTUM 0x1p-32

/* Of all constraints of a run. */
struct constraint_work {
  int n;
  double vector[CONSTRAINTS_MOST][3], slope[CONSTRAINTS_MOST][3]; /* of the coordinate */
  double matrix[CONSTRAINTS_MOST][CONSTRAINTS_MOST], x[CONSTRAINTS_MOST];
  double lack[CONSTRAINTS_MOST]; /* nm, or nm/ps: what was missing before */
  double pivot;                  /* the smallest of the last solution, relative */
};

HD void constraint_begin(const struct bias_set *s, struct constraint_work *w)
{
  w->n = s->n_constraints;
  w->pivot = 1;
  for (int a = 0; a < CONSTRAINTS_MOST; a++) {
    w->x[a] = w->lack[a] = 0;
    for (int d = 0; d < 3; d++)
      w->vector[a][d] = w->slope[a][d] = 0;
    for (int b = 0; b < CONSTRAINTS_MOST; b++)
      w->matrix[a][b] = 0;
  }
}

HD const struct bias *constraint_bias(const struct bias_set *s, int a)
{
  return &s->bias[s->constraint[a]];
}

HD const struct coordinate *constraint_coordinate(const struct bias_set *s, int a)
{
  return &s->coordinate[constraint_bias(s, a)->coordinate];
}

/* Its place at a step, nm. */
HD double constraint_place(const struct bias_set *s, int a, int64_t step)
{
  double p[BIAS_PARAMETERS_MOST];
  bias_parameters(constraint_bias(s, a), bias_time(s, step), p);
  return p[0];
}

/* Sets w->x to the solution for the right-hand sides there, by elimination with pivots. */
HD void constraint_solve(struct constraint_work *w)
{
  double(*m)[CONSTRAINTS_MOST] = w->matrix;
  const int n = w->n;
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(m[i][i]));
  w->pivot = 1;
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(m[i][j]) > fabs(m[best][j])) best = i;
    for (int k = 0; k < n && best != j; k++) {
      const double kept = m[j][k];
      m[j][k] = m[best][k];
      m[best][k] = kept;
    }
    const double kept = w->x[j];
    w->x[j] = w->x[best];
    w->x[best] = kept;
    w->pivot = fmin(w->pivot, largest > 0 ? fabs(m[j][j]) / largest : 0);
    for (int i = j + 1; i < n; i++) {
      const double factor = m[i][j] / m[j][j];
      for (int k = j; k < n; k++)
        m[i][k] -= factor * m[j][k];
      w->x[i] -= factor * w->x[j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      w->x[i] -= m[i][k] * w->x[k];
    w->x[i] /= m[i][i];
  }
}

/* Sets the matrix of impulses along the slopes `along`: how they change the values. */
HD void constraint_matrix(const struct bias_set *s, const double along[][3],
                          struct constraint_work *w)
{
  for (int a = 0; a < w->n; a++)
    for (int b = 0; b < w->n; b++)
      w->matrix[a][b] =
          s->coupling[a][b] * (w->slope[a][0] * along[b][0] + w->slope[a][1] * along[b][1] +
                               w->slope[a][2] * along[b][2]);
}

/* Sets the vector of constraint a between the centres of a state, with the image that is nearest to
   that of another. */
HD void constraint_vector(const struct bias_set *s, int a, const struct bias_state *at,
                          const double box[BOX], const struct bias_state *follows, double d[3])
{
  const int of = constraint_bias(s, a)->coordinate;
  const struct coordinate *c = &s->coordinate[of];
  struct coordinate_work w;
  coordinate_work_set(s, of, at, box, &w);
  for (int k = 0; k < 3; k++)
    w.followed[k] = follows->followed[of][k];
  distance_vector(c, &w, d);
}

/* Adds factor times impulses x along slopes to what acts on the groups. */
HD void constraint_act(const struct bias_set *s, const struct constraint_work *w,
                       const double along[][3], double factor, double on[CENTRES_MOST][3])
{
  for (int a = 0; a < w->n; a++)
    for (int d = 0; d < 3; d++) {
      const int *centre = constraint_coordinate(s, a)->centre;
      on[centre[0]][d] += factor * w->x[a] * along[a][d];
      on[centre[1]][d] -= factor * w->x[a] * along[a][d];
    }
}

/* Adds what impulses x along slopes change in the difference of the centres of constraint a. */
HD void constraint_response(const struct bias_set *s, const struct constraint_work *w,
                            const double along[][3], int a, double difference[3])
{
  for (int b = 0; b < w->n; b++)
    for (int d = 0; d < 3; d++)
      difference[d] += s->coupling[a][b] * w->x[b] * along[b][d];
}

HD void constraint_nothing(const struct bias_set *s, struct bias_state *now)
{
  for (int k = 0; k < s->n_centres; k++)
    for (int d = 0; d < 3; d++)
      now->push[k][d] = now->kick[k][d] = 0;
}

/* Sets w->x to the pushes along the slopes `along`, amu nm, that take all values from those of
   w->vector to their places at a step. Returns -1, or the first constraint that fails: by more than
   `most` (nm) at first, or in the end. */
HD int constraint_shake(const struct bias_set *s, const double along[][3], double most,
                        int64_t step, struct constraint_work *w)
{
  double push[CONSTRAINTS_MOST], lack[CONSTRAINTS_MOST];
  for (int a = 0; a < CONSTRAINTS_MOST; a++)
    push[a] = lack[a] = 0;
  for (int round = 0;; round++) {
    double worst = 0;
    int first = 0;
    for (int a = 0; a < w->n; a++)
      w->x[a] = push[a];
    for (int a = 0; a < w->n; a++) {
      double d[3] = {w->vector[a][0], w->vector[a][1], w->vector[a][2]};
      constraint_response(s, w, along, a, d);
      lack[a] = constraint_place(s, a, step) -
                distance_value(constraint_coordinate(s, a), d, w->slope[a]);
      if (round == 0) w->lack[a] = lack[a];
      if (fabs(lack[a]) <= worst || isnan(worst)) continue;
      worst = fabs(lack[a]);
      first = a;
    }
    if (round == 0 && !(worst <= most)) return first;
    if (worst <= CONSTRAINT_WANTED || round == CONSTRAINT_ROUNDS)
      return worst <= CONSTRAINT_HELD ? -1 : first;
    for (int a = 0; a < w->n; a++)
      w->x[a] = lack[a];
    constraint_matrix(s, along, w);
    constraint_solve(w);
    for (int a = 0; a < w->n; a++)
      push[a] += w->x[a];
  }
}

/* Sets now->push and now->kick: from now->place, of the centres after the drift of a step of dt
   (ps) to those that the constraints ask for at its end, `step`, along their slopes before the
   drift. What the barostat has changed in the values is put right without momentum. most: nm, a
   larger correction fails. */
HD void constraint_hold(const struct bias_set *s, const double box[BOX], double dt, double most,
                        int64_t step, const struct bias_state *before, struct bias_state *now)
{
  double along[CONSTRAINTS_MOST][3];
  struct constraint_work w;
  constraint_begin(s, &w);
  now->broken = before->broken;
  now->broken_step = before->broken_step;
  constraint_nothing(s, now);
  for (int a = 0; a < w.n; a++) {
    constraint_vector(s, a, before, box, before, w.vector[a]);
    w.x[a] = constraint_place(s, a, step - 1) -
             distance_value(constraint_coordinate(s, a), w.vector[a], w.slope[a]);
  }
  for (int k = 0; k < 3 * CONSTRAINTS_MOST; k++)
    along[k / 3][k % 3] = w.slope[k / 3][k % 3];
  constraint_matrix(s, (const double(*)[3])along, &w);
  constraint_solve(&w);
  constraint_act(s, &w, (const double(*)[3])along, -1 / dt, now->kick);
  for (int a = 0; a < w.n; a++)
    constraint_vector(s, a, now, box, before, w.vector[a]);
  const int fails = constraint_shake(s, (const double(*)[3])along, most, step, &w);
  if (fails < 0) {
    constraint_act(s, &w, (const double(*)[3])along, 1, now->push);
    constraint_act(s, &w, (const double(*)[3])along, 1 / dt, now->kick);
    return;
  }
  constraint_nothing(s, now);
  if (now->broken) return;
  now->broken = 1 + fails;
  now->broken_step = step;
}

/* Velocities, accelerations and forces */

HD int64_t constraint_fixed(double v, double quantum)
{
  const double x = v / quantum;
  if (!(fabs(x) < 9.0e18)) return 0; /* a bead so fast ends the run elsewhere */
#ifdef __CUDA_ARCH__
  return __double2ll_rn(x);
#else
  return (int64_t)nearbyint(x);
#endif
}

/* Adds a bead of momentum p and force f to the sums of a group. */
HD void motion_add(const double p[3], const double f[3], double inverse_mass, int32_t weight,
                   int64_t word[MOTION_WORDS])
{
  for (int d = 0; d < 3; d++) {
    int64_t *v = word + 6 * d, *a = v + 3;
    moment_add(constraint_fixed(p[d] * inverse_mass, VELOCITY_QUANTUM), weight, &v[0], &v[1],
               &v[2]);
    moment_add(constraint_fixed(f[d] * inverse_mass, ACCELERATION_QUANTUM), weight, &a[0], &a[1],
               &a[2]);
  }
}

/* The difference of the mean velocities (acceleration 1: accelerations) of the two groups of
   constraint a. */
HD void motion_difference(const struct bias_set *s, int a, int acceleration, const int64_t *word,
                          double difference[3])
{
  const int *centre = constraint_coordinate(s, a)->centre;
  for (int d = 0; d < 3; d++) {
    double mean[2];
    for (int j = 0; j < 2; j++) {
      const int64_t *m = word + (int64_t)MOTION_WORDS * centre[j] + 6 * d + 3 * acceleration;
      mean[j] = (double)(int64_t)moment_mean(m[0], m[1], m[2], s->total[centre[j]]) *
                (acceleration ? ACCELERATION_QUANTUM : VELOCITY_QUANTUM);
    }
    difference[d] = mean[0] - mean[1];
  }
}

/* The second derivative of a length in time, where its vector d has the velocity v and does not
   accelerate: what the centripetal acceleration amounts to. 0 for a component. */
HD double constraint_bend(const struct coordinate *c, const double d[3], const double slope[3],
                          const double v[3])
{
  double across = 0, speed = 0, length = 0;
  for (int k = 0; k < 3 && c->is_length; k++) {
    across += c->axis[k] * v[k] * v[k];
    length += c->axis[k] * d[k] * d[k];
    speed += slope[k] * v[k];
  }
  return length > 0 ? (across - speed * speed) / sqrt(length) : 0;
}

/* Sets now->kick to the impulses that leave each constraint the velocity of its place, then w->x to
   the forces along the constraints, kJ/mol/nm, with which their values have no acceleration. */
HD void constraint_rattle(const struct bias_set *s, const int64_t *word, const double box[BOX],
                          struct bias_state *now, struct constraint_work *w)
{
  double push[CONSTRAINTS_MOST], v[3];
  constraint_begin(s, w);
  constraint_nothing(s, now);
  for (int a = 0; a < w->n; a++) {
    double speed = 0;
    constraint_vector(s, a, now, box, now, w->vector[a]);
    (void)distance_value(constraint_coordinate(s, a), w->vector[a], w->slope[a]);
    motion_difference(s, a, 0, word, v);
    for (int d = 0; d < 3; d++)
      speed += w->slope[a][d] * v[d];
    w->x[a] = w->lack[a] =
        (constraint_place(s, a, now->step) - constraint_place(s, a, now->step - 1)) / s->dt - speed;
  }
  constraint_matrix(s, (const double(*)[3])w->slope, w);
  constraint_solve(w);
  constraint_act(s, w, (const double(*)[3])w->slope, 1, now->kick);
  for (int a = 0; a < w->n; a++) {
    double acceleration[3];
    motion_difference(s, a, 0, word, v);
    constraint_response(s, w, (const double(*)[3])w->slope, a, v);
    motion_difference(s, a, 1, word, acceleration);
    push[a] = -constraint_bend(constraint_coordinate(s, a), w->vector[a], w->slope[a], v);
    for (int d = 0; d < 3; d++)
      push[a] -= w->slope[a][d] * acceleration[d];
  }
  for (int a = 0; a < w->n; a++)
    w->x[a] = push[a];
  constraint_matrix(s, (const double(*)[3])w->slope, w);
  constraint_solve(w);
}

/* Notes the force of constraint a: in the sum since the last row, and the work of its place. */
HD void constraint_note(const struct bias_set *s, int a, double force,
                        const struct bias_state *before, struct bias_state *now)
{
  const int k = s->constraint[a], is_next = before->step + 1 == now->step;
  const int begins = s->rows_every > 0 && before->step % s->rows_every == 0;
  now->force[k] = is_next || !before->knows_forces ? force : before->force[k];
  now->force_sum[a] = before->force_sum[a];
  now->force_steps = before->force_steps;
  if (!is_next) return;
  now->force_sum[a] = (begins ? 0 : before->force_sum[a]) + now->force[k];
  now->force_steps = (begins ? 0 : before->force_steps) + 1;
  now->work[k] = before->work[k] +
                 0.5 * (before->force[k] + now->force[k]) *
                     (constraint_place(s, a, now->step) - constraint_place(s, a, before->step));
}

/* Completes *now, which bias_solve has set, after the second half kick: from the sums of velocities
   and accelerations, MOTION_WORDS of each group. Then now->kick is due, but not at the start of a
   job: its state has had it. */
HD void constraint_settle(const struct bias_set *s, const int64_t *word, const double box[BOX],
                          const struct bias_state *before, struct bias_state *now)
{
  struct constraint_work w;
  constraint_rattle(s, word, box, now, &w);
  for (int k = 0; k < 9; k++)
    now->held_virial[k] = 0;
  for (int a = 0; a < w.n; a++) {
    constraint_note(s, a, w.x[a], before, now);
    for (int k = 0; k < 9; k++)
      if (w.slope[a][k / 3] != 0)
        now->held_virial[k] +=
            now->force[s->constraint[a]] * w.vector[a][k / 3] * w.slope[a][k % 3];
  }
  now->knows_forces = 1;
}

/* Adds the virial. scale: 2^sum_bits. */
HD void constraint_sums_add(const struct bias_state *now, double scale, struct sums *sums)
{
  for (int a = 0; a < 9; a++)
    sum_add(&sums->word[SUM_VIRIAL + a],
            sum_addend(now->held_virial[a], scale, &sums->overflow, &sums->magnitude));
}

#endif
