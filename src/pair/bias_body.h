/* Biases as both backends evaluate them. Centres of groups are exact: weights are integers, and
   weight times displacement, from a reference point that is near the centre, is summed in two
   64-bit words a component. So a centre depends neither on the order of beads, nor on the ranks
   that have them, nor on the reference. */
#ifndef BIAS_BODY_H
#define BIAS_BODY_H

#include "model/sums.h"
#include "pair/coordinate_body.h"

/* Kinds */

struct bias_value {
  double u, f; /* kJ/mol; -dU/dx */
};

/* x less whole periods, nearest to 0. */
HD double bias_nearest(double x, double period)
{
  return period > 0 ? x - period * floor(x / period + 0.5) : x;
}

/* U = k (x - at)^2 / 2. */
HD struct bias_value bias_umbrella(const struct bias *b, const double *p, double x)
{
  const double d = bias_nearest(x - p[1], b->period);
  const struct bias_value v = {0.5 * p[0] * d * d, -p[0] * d};
  return v;
}

/* U = -force x. */
HD struct bias_value bias_constant_force(const struct bias *b, const double *p, double x)
{
  (void)b;
  const struct bias_value v = {-p[0] * x, p[0]};
  return v;
}

/* U = k d^2 / 2, d the distance from the interval [low, high], which may be open at one end. */
HD struct bias_value bias_flat_bottom(const struct bias *b, const double *p, double x)
{
  const int has_low = isfinite(p[1]), has_high = isfinite(p[2]), both = has_low && has_high;
  const double middle = both ? 0.5 * (p[1] + p[2]) : has_low ? p[1] : p[2];
  const double half = both ? 0.5 * (p[2] - p[1]) : 0, away = bias_nearest(x - middle, b->period);
  double d = 0;
  if (has_low && away < -half) d = away + half;
  if (has_high && away > half) d = away - half;
  const struct bias_value v = {0.5 * p[0] * d * d, -p[0] * d};
  return v;
}

/* U = scale times the cubic of a piece; beyond the ends along the slopes there. */
HD struct bias_value bias_table(const struct bias *b, const double *p, double x)
{
  const double middle = b->table_start + 0.5 * b->n_pieces * b->table_step;
  const double place =
      bias_nearest(x / b->unit - middle, b->period / b->unit) / b->table_step + 0.5 * b->n_pieces;
  const double inside = fmin(fmax(place, 0.0), (double)b->n_pieces);
  const int k = (int)fmin(floor(inside), (double)(b->n_pieces - 1));
  const double *c = b->piece[k].c, t = inside - k;
  const double slope = (3 * c[3] * t + 2 * c[2]) * t + c[1];
  const double u = ((c[3] * t + c[2]) * t + c[1]) * t + c[0] + slope * (place - inside);
  const struct bias_value v = {p[0] * u, -p[0] * slope / (b->table_step * b->unit)};
  return v;
}

HD struct bias_value bias_evaluate(const struct bias *b, const double *p, double x)
{
  const struct bias_value none = {0, 0};
#define BIAS(name, ...)                                                                            \
  if (b->kind == BIAS_##name) return bias_##name(b, p, x);
#include "model/bias_list.h"
  return none;
}

/* Parameters at a time, ps, in the units of the program. */
HD void bias_parameters(const struct bias *b, double time, double p[BIAS_PARAMETERS_MOST])
{
  for (int k = 0; k < BIAS_PARAMETERS_MOST; k++)
    p[k] = b->places >> k & 1 ? b->unit * (ramp_at(&b->parameter[k], time) + b->rate * time)
                              : ramp_at(&b->parameter[k], time);
}

/* Centres */

/* Box / 2^32; a bead as far from the reference is nearly half the box away, and on its way to be
   taken for another image. */
enum { CENTRE_REACH_MOST = 15 << 27 };

/* The bits of the groups that a bead is in. */
HD uint32_t centre_mask(const struct bead_set *set, int n, int type, int64_t id)
{
  uint32_t mask = 0;
  for (int k = 0; k < n; k++)
    if (bead_set_has(&set[k], type, id)) mask |= UINT32_C(1) << k;
  return mask;
}

/* The reference of sums of the next step. */
HD uint32_t centre_reference(uint64_t place)
{
  return (uint32_t)(place >> 32);
}

/* Adds a bead at x (box / 2^32) to the sums of a group, whose place was `place` before, along the
 * box vectors that are read. */
HD void centre_add(const int32_t x[3], const uint64_t place[3], int reads, int32_t weight,
                   int64_t word[CENTRE_WORDS])
{
  int wide = 0;
  for (int k = 0; k < 3; k++) {
    if (!(reads >> k & 1)) continue;
    const int32_t d = torus_difference(x[k], (int32_t)centre_reference(place[k]));
    const int64_t moment = (int64_t)weight * d;
    word[2 * k] += moment & INT64_C(0xffffffff);
    word[2 * k + 1] += moment >> 32;
    wide |= d > CENTRE_REACH_MOST || d < -CENTRE_REACH_MOST;
  }
  word[CENTRE_WORDS - 1] += wide;
}

/* The place from that before: reference + sum / total, box / 2^64 rounded down, by long division:
   64 binary digits of a quotient whose dividend, sum, is at most total 2^31 in size. total: at most
   2^62. */
HD uint64_t centre_place(const int64_t word[2], int64_t total, uint64_t before)
{
  const int64_t high = word[1] + (word[0] >> 32);
  const uint64_t low = (uint64_t)word[0] << 32;
  uint64_t rest = (uint64_t)(high < 0 ? high + total : high), quotient = 0;
  for (int bit = 63; bit >= 0; bit--) {
    rest = 2 * rest + (low >> bit & 1);
    quotient *= 2;
    if (rest < (uint64_t)total) continue;
    rest -= (uint64_t)total;
    quotient++;
  }
  return ((uint64_t)centre_reference(before) << 32) + quotient;
}

/* Sets what a coordinate reads beside its moments and its image. */
HD void coordinate_work_set(const struct bias_set *s, int k, const struct bias_state *now,
                            const double box[BOX], struct coordinate_work *w)
{
  const struct coordinate *c = &s->coordinate[k];
  for (int d = 0; d < BOX; d++)
    w->box[d] = box[d];
  for (int j = 0; j < c->n_centres; j++)
    for (int d = 0; d < 3; d++)
      w->place[j][d] = now->place[c->centre[j]][d];
  w->guide = 0;
  if (c->n_moments == 0) return;
  w->total = (double)s->total[c->centre[c->n_centres - 1]] / CENTRE_WEIGHT;
  coordinate_begin(c, w);
}

/* Adds the moments of a bead, in fixed point, to word[n_moments] of a coordinate. weight: that of
   its last group. */
HD void moments_add(const struct bias_set *s, int k, const struct coordinate_work *w,
                    const int32_t x[3], int32_t weight, int64_t *word)
{
  const struct coordinate *c = &s->coordinate[k];
  const double scale = s->moment_scale / CENTRE_WEIGHT * weight;
  double m[MOMENTS_MOST];
  coordinate_moments(c, w, x, m);
  for (int j = 0; j < c->n_moments; j++)
    word[j] += sum_integer(m[j] * scale);
}

/* Adds the forces of the groups of a mask on a bead of a type at x (box/2^32). weight:
   [n_centres][types]. */
HD void centre_force_add(const struct bias_set *s, const struct bias_state *now,
                         const double box[BOX], const int32_t *weight, int types, uint32_t mask,
                         int type, const int32_t x[3], double f[3])
{
  for (int k = 0; k < s->n_centres; k++) {
    if (!(mask >> k & 1)) continue;
    const double share = (double)weight[k * types + type] / (double)s->total[k];
    for (int d = 0; d < 3; d++)
      f[d] += share * now->centre_force[k][d];
  }
  for (int k = 0; s->n_moments && k < s->n_coordinates; k++) {
    const struct coordinate *c = &s->coordinate[k];
    const int centre = c->n_centres > 0 ? c->centre[c->n_centres - 1] : 0;
    if (c->n_moments == 0 || now->pull[k] == 0 || !(mask >> centre & 1)) continue;
    const double part = (double)weight[centre * types + type] / CENTRE_WEIGHT;
    struct coordinate_work w;
    double g[3];
    coordinate_work_set(s, k, now, box, &w);
    for (int j = 0; j < c->n_moments; j++)
      w.moment[j] = now->moment[k][j];
    coordinate_bead_slope(c, &w, now->value[k], x, part, g);
    for (int d = 0; d < 3; d++)
      f[d] += now->pull[k] * g[d];
  }
}

/* The state of a step */

HD double bias_time(const struct bias_set *s, int64_t step)
{
  return s->origin_time + (double)(step - s->origin_step) * s->dt;
}

/* The work that the change of parameters from step n - 1 to n does on the system: the mean of that
   at the values before and after. */
HD double bias_work(const struct bias *b, const double *p, const double *before, double x,
                    double x_before)
{
  double work = 0;
  work += bias_evaluate(b, p, x).u - bias_evaluate(b, before, x).u;
  work += bias_evaluate(b, p, x_before).u - bias_evaluate(b, before, x_before).u;
  return 0.5 * work;
}

/* Sets energy, force, place and work of bias k, and returns its force along the coordinate. */
HD double bias_apply(const struct bias_set *s, int k, const struct bias_state *before,
                     struct bias_state *now)
{
  const struct bias *b = &s->bias[k];
  const double x = now->value[b->coordinate];
  double p[BIAS_PARAMETERS_MOST], old[BIAS_PARAMETERS_MOST];
  bias_parameters(b, bias_time(s, now->step), p);
  const struct bias_value v = bias_evaluate(b, p, x);
  now->energy[k] = v.u;
  now->force[k] = v.f;
  now->edge[k] = 0;
  for (int j = BIAS_PARAMETERS_MOST - 1; j >= 0; j--)
    if (b->places >> j & 1 && isfinite(p[j])) now->edge[k] = p[j];
  now->work[k] = before->work[k];
  if (b->moves && before->step + 1 == now->step) {
    bias_parameters(b, bias_time(s, before->step), old);
    now->work[k] += bias_work(b, p, old, x, before->value[b->coordinate]);
  }
  now->potential += v.u;
  return v.f;
}

/* Sets the value of coordinate k, and adds the forces of its biases. word: of its moments. */
HD void coordinate_apply(const struct bias_set *s, int k, const int64_t *word,
                         const double box[BOX], const struct bias_state *before,
                         struct bias_state *now)
{
  const struct coordinate *c = &s->coordinate[k];
  struct coordinate_work w;
  double force = 0;
  coordinate_work_set(s, k, now, box, &w);
  for (int d = 0; d < 3; d++)
    w.followed[d] = before->followed[k][d];
  for (int j = 0; j < c->n_moments; j++)
    w.moment[j] = now->moment[k][j] = (double)word[j] / s->moment_scale;
  coordinate_evaluate(c, &w);
  now->value[k] = w.value;
  for (int d = 0; d < 3; d++)
    now->followed[k][d] = w.followed[d];
  for (int j = 0; j < s->n_biases; j++)
    if (s->bias[j].coordinate == k) force += bias_apply(s, j, before, now);
  now->pull[k] = force;
  for (int j = 0; j < c->n_centres; j++)
    for (int d = 0; d < 3; d++)
      now->centre_force[c->centre[j]][d] += force * w.slope[j][d];
  for (int a = 0; a < 9; a++)
    now->virial[a] += force * w.strain[a];
}

/* Sets *now, whose places are set, of a step, from its words and the state before: that of the step
   before, or an earlier one of the same step, from which history is taken as it is. Called twice it
   gives the same. */
HD void bias_solve(const struct bias_set *s, const int64_t *word, const double box[BOX],
                   int64_t step, const struct bias_state *before, struct bias_state *now)
{
  now->step = step;
  now->wide_step = before->wide_step;
  now->wide = before->wide;
  now->potential = 0;
  for (int a = 0; a < 9; a++)
    now->virial[a] = 0;
  for (int k = 0; k < s->n_centres; k++) {
    for (int d = 0; d < 3; d++)
      now->centre_force[k][d] = 0;
    if (now->wide || word[CENTRE_WORDS * k + CENTRE_WORDS - 1] == 0) continue;
    now->wide_step = step;
    now->wide = 1 + k;
  }
  for (int k = 0; k < s->n_coordinates; k++)
    coordinate_apply(s, k, word + bias_centre_words(s) + s->coordinate[k].first_moment, box, before,
                     now);
}

/* Writes a row for files, in their units. */
HD void bias_row_set(const struct bias_set *s, const struct bias_state *now, double *row)
{
  for (int k = 0; k < s->n_coordinates; k++)
    row[k] = now->value[k] / s->coordinate[k].unit;
  for (int k = 0; k < s->n_biases; k++) {
    double *to = row + s->n_coordinates + BIAS_NUMBERS * k;
    to[0] = now->energy[k];
    to[1] = now->force[k];
    to[2] = now->edge[k] / s->bias[k].unit;
    to[3] = now->work[k];
  }
}

/* Where the row of a step stands, if it has one; else NULL. row: [BIAS_ROWS] rows. */
HD double *bias_row(const struct bias_set *s, int64_t step, double *row)
{
  if (s->rows_every == 0 || step % s->rows_every != 0) return NULL;
  return row + step / s->rows_every % BIAS_ROWS * bias_row_length(s);
}

/* Adds energy and virial. scale: 2^sum_bits. */
HD void bias_sums_add(const struct bias_state *now, double scale, struct sums *sums)
{
  sum_add_energy(sums, ENERGY_bias, now->potential);
  for (int a = 0; a < 9; a++)
    sum_add(&sums->word[SUM_VIRIAL + a],
            sum_addend(now->virial[a], scale, &sums->overflow, &sums->magnitude));
}

#endif
