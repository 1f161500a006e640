/* Biases as both backends evaluate them. Centres of groups are exact: weights are integers, and
   weight times displacement, from a reference point that is near the centre, is summed in two
   64-bit words a component. So a centre depends neither on the order of beads, nor on the ranks
   that have them, nor on the reference. */
#ifndef BIAS_BODY_H
#define BIAS_BODY_H

#include "base/units.h"
#include "model/sums.h"
#include "pair/contacts_body.h"
#include "pair/coordinate_body.h"
#include "pair/hills_body.h"

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

/* Its energy is that of the hills, hill_energy. */
HD struct bias_value bias_metadynamics(const struct bias *b, const double *p, double x)
{
  const struct bias_value none = {0, 0};
  (void)b;
  (void)p;
  (void)x;
  return none;
}

/* Held by pair/constraint_body.h. */
HD struct bias_value bias_constraint(const struct bias *b, const double *p, double x)
{
  const struct bias_value none = {0, 0};
  (void)b;
  (void)p;
  (void)x;
  return none;
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

/* Box / 2^32; 15/32 of the box. Beads that are farther from the reference may soon be nearer to
   another image of it. */
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

/* Adds weight times value to three words: digits of 32 bits, of which the first two are not
   negative in one addend. */
HD void moment_add(int64_t value, int32_t weight, int64_t *low, int64_t *middle, int64_t *high)
{
  const int64_t mask = INT64_C(0xffffffff), lower = weight * (value & mask),
                upper = weight * (value >> 32);
  *low += lower & mask;
  *middle += (lower >> 32) + (upper & mask);
  *high += upper >> 32;
}

/* Such a sum / total, rounded down, by long division: 64 binary digits of a quotient whose
   dividend is at most total 2^63 in size. total: at most 2^62. */
HD uint64_t moment_mean(int64_t low, int64_t middle, int64_t high, int64_t total)
{
  middle += low >> 32;
  high += middle >> 32;
  const uint64_t digits = (uint64_t)middle << 32 | (uint64_t)(low & INT64_C(0xffffffff));
  uint64_t rest = (uint64_t)(high < 0 ? high + total : high), quotient = 0;
  for (int bit = 63; bit >= 0; bit--) {
    rest = 2 * rest + (digits >> bit & 1);
    quotient *= 2;
    if (rest < (uint64_t)total) continue;
    rest -= (uint64_t)total;
    quotient++;
  }
  return quotient;
}

/* Adds a bead at x (box / 2^32) to the sums of a group, whose place was `place` before, along the
   box vectors that are read. residual: the digits below, box / 2^64; NULL: they are left out. */
HD void centre_add(const int32_t x[3], const uint32_t *residual, const uint64_t place[3], int reads,
                   int32_t weight, int64_t word[CENTRE_WORDS])
{
  int wide = 0;
  for (int k = 0; k < 3; k++) {
    if (!(reads >> k & 1)) continue;
    const int32_t d = torus_difference(x[k], (int32_t)centre_reference(place[k]));
    moment_add((int64_t)((uint64_t)(int64_t)d << 32 | (residual ? residual[k] : 0)), weight,
               &word[CENTRE_FINE + k], &word[2 * k], &word[2 * k + 1]);
    wide |= d > CENTRE_REACH_MOST || d < -CENTRE_REACH_MOST;
  }
  word[CENTRE_WIDE] += wide;
}

/* The place of a centre along an axis, box / 2^64 rounded down. */
HD uint64_t centre_place(const int64_t word[CENTRE_WORDS], int axis, int64_t total,
                         const uint64_t before[3])
{
  return ((uint64_t)centre_reference(before[axis]) << 32) +
         moment_mean(word[CENTRE_FINE + axis], word[2 * axis], word[2 * axis + 1], total);
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

/* 1 if its moments are sums over the beads of its last group. */
HD int coordinate_of_beads(const struct coordinate *c)
{
  return c->n_moments > 0 && c->kind != COORDINATE_contacts;
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

/* Sets what forces on beads read of a coordinate that is of beads, and that biases act on. */
HD void bead_work_set(const struct bias_set *s, int k, const struct bias_state *now,
                      const double box[BOX], struct coordinate_work *w)
{
  const struct coordinate *c = &s->coordinate[k];
  if (!coordinate_of_beads(c) || now->pull[k] == 0) return;
  coordinate_work_set(s, k, now, box, w);
  for (int j = 0; j < c->n_moments; j++)
    w->moment[j] = now->moment[k][j];
}

/* Adds the forces of the groups of a mask on a bead of a type at x (box/2^32). work:
   [n_coordinates], of bead_work_set; NULL: no coordinate has moments. weight: [n_centres][types].
 */
HD void centre_force_add(const struct bias_set *s, const struct bias_state *now,
                         const struct coordinate_work *work, const int32_t *weight, int types,
                         uint32_t mask, int type, const int32_t x[3], double f[3])
{
  for (int k = 0; k < s->n_centres; k++) {
    if (!(mask >> k & 1)) continue;
    const double share = (double)weight[k * types + type] / (double)s->total[k];
    for (int d = 0; d < 3; d++)
      f[d] += share * now->centre_force[k][d];
  }
  for (int k = 0; work && k < s->n_coordinates; k++) {
    const struct coordinate *c = &s->coordinate[k];
    const int centre = c->n_centres > 0 ? c->centre[c->n_centres - 1] : 0;
    if (!coordinate_of_beads(c) || now->pull[k] == 0 || !(mask >> centre & 1)) continue;
    const double part = (double)weight[centre * types + type] / CENTRE_WEIGHT;
    double g[3];
    coordinate_bead_slope(c, &work[k], now->value[k], x, part, g);
    for (int d = 0; d < 3; d++)
      f[d] += now->pull[k] * g[d];
  }
}

/* The state of a step */

HD double bias_time(const struct bias_set *s, int64_t step)
{
  return clock_time(&s->clock, step, s->dt);
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

/* Hills. That of a step depends on its complete state, so the next step deposits it. */

/* 1 if `step`, which follows the state before, deposits the hill of that state. */
HD int hill_is_due(const struct bias_set *s, const struct bias_state *before, int64_t step)
{
  return s->hills.n > 0 && before->step > 0 && before->step + 1 == step &&
         before->step % s->hills.every == 0;
}

HD struct hill hill_of(const struct bias_set *s, const struct bias_state *before)
{
  const struct hill_grid *g = &s->hills;
  double p[BIAS_PARAMETERS_MOST];
  struct hill h;
  h.time = bias_time(s, before->step);
  bias_parameters(&s->bias[g->bias], h.time, p);
  h.factor = p[1];
  h.height = hill_height(p[0], p[1], UNITS_BOLTZMANN * p[2], before->energy[g->bias]);
  for (int k = 0; k < HILL_AXES_MOST; k++) {
    h.place[k] = k < g->n ? before->value[g->axis[k].coordinate] : 0;
    h.width[k] = k < g->n ? g->axis[k].width : 0;
  }
  return h;
}

/* Adds the hill that is due to the nodes: thread t of n does a part; afterwards one thread calls
   hill_keep. Returns 1 if one is due. */
HD int hill_deposit(const struct bias_set *s, const struct hill_store *to,
                    const struct bias_state *before, int64_t step, int t, int n)
{
  if (!hill_is_due(s, before, step)) return 0;
  const struct hill h = hill_of(s, before);
  hill_add(&s->hills, &h, to->node, t, n);
  return 1;
}

HD void hill_keep(const struct bias_set *s, const struct hill_store *to,
                  const struct bias_state *before)
{
  to->recent[before->hills % HILLS_RECENT] = hill_of(s, before);
}

HD void hill_places(const struct bias_set *s, const struct bias_state *of, double x[HILL_AXES_MOST])
{
  for (int k = 0; k < s->hills.n; k++)
    x[k] = of->value[s->hills.axis[k].coordinate];
}

/* Adds energy and forces of the hills, and the work of one that has come: the mean of its energy at
   the values before and after. */
HD void hills_apply(const struct bias_set *s, const struct hill_store *from,
                    const struct bias_state *before, struct bias_state *now)
{
  const struct hill_grid *g = &s->hills;
  double x[HILL_AXES_MOST], f[HILL_AXES_MOST], u;
  hill_places(s, now, x);
  const int outside = hill_energy(g, from->node, NULL, x, &u, f);
  if (outside && !now->outside) {
    now->outside_step = now->step;
    now->outside = outside;
  }
  now->energy[g->bias] = u;
  now->force[g->bias] = f[0];
  now->potential += u;
  for (int k = 0; k < g->n; k++)
    now->pull[g->axis[k].coordinate] += f[k];
  now->hills = before->hills + hill_is_due(s, before, now->step);
  if (now->hills == before->hills) return;
  const struct hill *h = &from->recent[before->hills % HILLS_RECENT];
  hill_energy(g, NULL, h, x, &u, f);
  now->work[g->bias] += 0.5 * u;
  hill_places(s, before, x);
  hill_energy(g, NULL, h, x, &u, f);
  now->work[g->bias] += 0.5 * u;
}

/* Sets energy, force, place and work of bias k at a step. */
HD void bias_apply(const struct bias_set *s, int k, int64_t step, const struct bias_state *before,
                   struct bias_state *now)
{
  const struct bias *b = &s->bias[k];
  const double x = now->value[b->coordinate];
  double p[BIAS_PARAMETERS_MOST], old[BIAS_PARAMETERS_MOST];
  bias_parameters(b, bias_time(s, step), p);
  const double stiff[2] = {s->stiffness, p[0]};
  const struct bias_value v = b->kind == BIAS_constraint && s->stiffness > 0
                                  ? bias_umbrella(b, stiff, x)
                                  : bias_evaluate(b, p, x);
  now->energy[k] = v.u;
  now->force[k] = b->kind == BIAS_constraint && !(s->stiffness > 0) ? before->force[k] : v.f;
  now->edge[k] = 0;
  for (int j = BIAS_PARAMETERS_MOST - 1; j >= 0; j--)
    if (b->places >> j & 1 && isfinite(p[j])) now->edge[k] = p[j];
  now->work[k] = before->work[k];
  if (b->moves && before->step + 1 == step) {
    bias_parameters(b, bias_time(s, before->step), old);
    now->work[k] += bias_work(b, p, old, x, before->value[b->coordinate]);
  }
}

/* The same of all biases: thread t of n does a part. */
HD void biases_evaluate(const struct bias_set *s, int64_t step, const struct bias_state *before,
                        struct bias_state *now, int t, int n)
{
  for (int k = t; k < s->n_biases; k += n)
    bias_apply(s, k, step, before, now);
}

/* The force of bias k along its coordinate; none of a constraint that is held. */
HD double bias_pull(const struct bias_set *s, int k, const struct bias_state *now)
{
  return s->bias[k].kind == BIAS_constraint && !(s->stiffness > 0) ? 0 : now->force[k];
}

/* Sets the value of coordinate k, and *w. word: of its moments. */
HD void coordinate_set(const struct bias_set *s, int k, const int64_t *word, const double box[BOX],
                       const struct bias_state *before, struct bias_state *now,
                       struct coordinate_work *w)
{
  const struct coordinate *c = &s->coordinate[k];
  const double scale = coordinate_of_beads(c) ? s->moment_scale : c->contacts.scale;
  coordinate_work_set(s, k, now, box, w);
  for (int d = 0; d < 3; d++)
    w->followed[d] = before->followed[k][d];
  for (int j = 0; j < c->n_moments; j++)
    w->moment[j] = now->moment[k][j] = (double)word[j] / scale;
  coordinate_evaluate(c, w);
  now->value[k] = w->value;
  for (int d = 0; d < 3; d++)
    now->followed[k][d] = w->followed[d];
}

/* Adds the forces of the biases on coordinate k to its groups. */
HD void coordinate_push(const struct bias_set *s, int k, const struct coordinate_work *w,
                        struct bias_state *now)
{
  const struct coordinate *c = &s->coordinate[k];
  for (int j = 0; j < c->n_centres; j++)
    for (int d = 0; d < 3; d++)
      now->centre_force[c->centre[j]][d] += now->pull[k] * w->slope[j][d];
  for (int a = 0; a < 9; a++)
    now->virial[a] += now->pull[k] * w->strain[a];
}

/* The words of the moments of coordinate k. */
HD const int64_t *moment_words(const struct bias_set *s, int k, const int64_t *word)
{
  return word + bias_place_words(s) + s->coordinate[k].first_moment;
}

/* Sets *now, whose places are set, of a step, from its words and the state before: that of the step
   before, or an earlier one of the same step, from which history is taken as it is. After
   coordinate_set of all coordinates, to work, then biases_evaluate, and the hill that is due.
   Called twice it gives the same. */
HD void bias_solve(const struct bias_set *s, const int64_t *word, int64_t step,
                   const struct hill_store *hills, const struct coordinate_work *work,
                   const struct bias_state *before, struct bias_state *now)
{
  now->step = step;
  now->wide_step = before->wide_step;
  now->wide = before->wide;
  now->outside_step = before->outside_step;
  now->outside = before->outside;
  now->potential = 0;
  for (int a = 0; a < 9; a++)
    now->virial[a] = 0;
  for (int k = 0; k < s->n_centres; k++) {
    for (int d = 0; d < 3; d++)
      now->centre_force[k][d] = 0;
    if (now->wide || word[CENTRE_WORDS * k + CENTRE_WIDE] == 0) continue;
    now->wide_step = step;
    now->wide = 1 + k;
  }
  for (int k = 0; k < s->n_coordinates; k++) {
    now->pull[k] = 0;
    if (now->wide || !contacts_too_far(&s->coordinate[k], work[k].box)) continue;
    now->wide_step = step;
    now->wide = WIDE_CONTACTS + k;
  }
  for (int k = 0; k < s->n_biases; k++) {
    now->potential += now->energy[k];
    now->pull[s->bias[k].coordinate] += bias_pull(s, k, now);
  }
  if (hills->node) hills_apply(s, hills, before, now);
  for (int k = 0; k < s->n_coordinates; k++)
    coordinate_push(s, k, &work[k], now);
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
  for (int k = 0; k < s->n_constraints; k++)
    row[s->n_coordinates + BIAS_NUMBERS * s->n_biases + k] =
        now->force_steps > 0 ? now->force_sum[k] / (double)now->force_steps
                             : now->force[s->constraint[k]];
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
