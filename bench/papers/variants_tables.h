/* Frames in the types of one kind of arithmetic, and the pairs of beads, on the host and in
 * kernels. */
#ifndef VARIANTS_TABLES_H
#define VARIANTS_TABLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variants.h"
#include "variants_real.h"
#include "variants_sums.h"

#include "base/units.h"
#include "pair/force_body.h"
#include "pair/pair_lj.h"

enum { SET_DIPOLES = PAIR_BIT(lj_switch) | PAIR_BIT(dd_switch), SET_STICKY = PAIR_BIT(sticky) };
/* Tables are read 16 bytes at a time: a chunk. */
enum { CHUNK_REALS = 16 / (int)sizeof(real) };

/* The coefficients that forces of a set of terms read, of one pair of types. */
HD int coefficient_is_held(unsigned set, int use, unsigned terms)
{
  return use == PAIR_USE_force && (set & terms) != 0;
}

HD int coefficient_reals(unsigned set)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  n += coefficient_is_held(set, PAIR_USE_##use, pair_family_terms(PAIR_FAMILY_##family));
#include "pair/pair_list.h"
#undef COEF
  return n;
}

HD int coefficient_chunks(unsigned set)
{
  return (coefficient_reals(set) + CHUNK_REALS - 1) / CHUNK_REALS;
}

HD struct pair_coef coefficients_read(unsigned set, const real *held)
{
  struct pair_coef c;
  int n = 0;
#define COEF(family, member, use)                                                                  \
  c.family.member = R(0);                                                                          \
  if (coefficient_is_held(set, PAIR_USE_##use, pair_family_terms(PAIR_FAMILY_##family)))           \
    c.family.member = held[n++];
#include "pair/pair_list.h"
#undef COEF
  return c;
}

static void coefficients_write(unsigned set, const struct pair_coef *c, real *held)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  if (coefficient_is_held(set, PAIR_USE_##use, pair_family_terms(PAIR_FAMILY_##family)))           \
    held[n++] = c->family.member;
#include "pair/pair_list.h"
#undef COEF
}

/* What beads bring to a pair. */
struct candidate {
  struct bead_record record;
  struct pair_bead bead;
};

/* Adds candidate j to the sums of bead i. SET is a constant. */
template <unsigned SET, int WITH_ENERGY>
HD void pair_add(struct bead_sums *sums, const struct pair_constants &constants,
                 const struct pair_coef &c, const real factor[3], const struct candidate &me,
                 const struct candidate &other, int self)
{
  const int axes = pair_set_axes(SET);
  real u = R(0);
  struct vec3 r =
      vec3_make(real_length(torus_difference(me.record.x[0], other.record.x[0]), factor[0]),
                real_length(torus_difference(me.record.x[1], other.record.x[1]), factor[1]),
                real_length(torus_difference(me.record.x[2], other.record.x[2]), factor[2]));
  const struct pair_arg p = pair_arguments(r, me.bead, other.bead, self, axes);
  const struct pair_value v = pair_evaluate(SET, constants, c, p);
  if (WITH_ENERGY)
    for (int k = 0; k < ENERGIES; k++)
      if (set_channels(SET) >> k & 1) u += v.energy[k];
  sums_add(sums, v.slope, u, r, me.bead, other.bead, axes);
}

/* Host memory: what kernels are given, in their types. */
struct tables {
  struct pair_constants constants;
  struct bead_record *record;
  struct axis_record *axis[2];
  real *coefficients[PASSES]; /* [n_types][n_types][chunks * CHUNK_REALS] */
  int chunks[PASSES];
};

static const unsigned set_of_pass[PASSES] = {SET_DIPOLES, SET_STICKY};

static void *filled(size_t count, size_t size)
{
  void *p = calloc(count + 1, size);
  if (!p) {
    fprintf(stderr, "variants: no memory for %zu bytes\n", count * size);
    exit(4);
  }
  return p;
}

/* The coefficients of two water beads, lengths in cutoffs of a pass. */
static struct pair_coef water_coefficients(const struct water_model *m, double cutoff, double unit)
{
  struct pair_coef c;
  const double v0[2] = {m->v0, m->v0_prime};
  const double on[2] = {m->on / cutoff, m->on_prime / cutoff};
  const double end[2] = {m->end / cutoff, m->end_prime / cutoff};
  memset((void *)&c, 0, sizeof c);
  pair_lj_set(&c.lj, m->epsilon, m->sigma / cutoff);
  pair_sticky_set(&c.sticky, v0, m->w0, on, end, unit, unit);
  return c;
}

static struct pair_constants water_constants(const struct water_model *m)
{
  struct pair_constants k;
  const double from = m->switch_from / m->cutoff;
  k.switch_from = R(from);
  k.switch_factor = R(pow(1 - from, -3));
  k.field = R(0.0);
  k.dipoles = R(1.0);
  k.gb_mu = k.gb_nu = 1;
  return k;
}

/* The length of the first axis of a water. */
static double axis_length(const struct frame *f)
{
  return pair_dipole_scale(UNITS_COULOMB, f->model.cutoff) * f->model.dipole;
}

static void beads_fill(struct tables *t, const struct frame *f)
{
  const double length = axis_length(f);
  for (int i = 0; i < f->n; i++) {
    t->record[i].type = f->type[i];
    for (int k = 0; k < 3; k++) {
      t->record[i].x[k] = f->x[3 * i + k];
      t->axis[0][i].u[k] = R(length * f->axis[0][3 * i + k]);
      t->axis[1][i].u[k] = R(f->axis[1][3 * i + k]);
    }
    t->axis[0][i].q = t->axis[1][i].q = R(0.0);
  }
}

static struct tables tables_create(const struct frame *f)
{
  struct tables t;
  const size_t pairs = (size_t)f->n_types * (size_t)f->n_types;
  const double length = axis_length(f);
  t.constants = water_constants(&f->model);
  t.record = (struct bead_record *)filled((size_t)f->n, sizeof *t.record);
  for (int a = 0; a < 2; a++)
    t.axis[a] = (struct axis_record *)filled((size_t)f->n, sizeof *t.axis[a]);
  beads_fill(&t, f);
  for (int p = 0; p < PASSES; p++) {
    const struct pair_coef c =
        water_coefficients(&f->model, f->list[p].cutoff, (double)R(1 / length));
    const size_t reals = (size_t)coefficient_chunks(set_of_pass[p]) * CHUNK_REALS;
    t.chunks[p] = coefficient_chunks(set_of_pass[p]);
    t.coefficients[p] = (real *)filled(pairs * reals, sizeof(real));
    for (size_t k = 0; k < pairs; k++)
      coefficients_write(set_of_pass[p], &c, t.coefficients[p] + k * reals);
  }
  return t;
}

static void tables_destroy(struct tables *t)
{
  free(t->record);
  for (int a = 0; a < 2; a++)
    free(t->axis[a]);
  for (int p = 0; p < PASSES; p++)
    free(t->coefficients[p]);
}

static struct candidate host_candidate(const struct tables *t, int i, int axes)
{
  struct candidate c;
  c.record = t->record[i];
  c.bead = bead_of(&t->axis[0][i], &t->axis[1][i], axes);
  return c;
}

/* The sums of a pass, added to those before it. */
template <unsigned SET>
static void host_pass(const struct frame *f, const struct tables *t, int pass, struct outcome *to)
{
  const struct full_list *list = &f->list[pass];
  const int axes = pair_set_axes(SET);
  const int reals = t->chunks[pass] * CHUNK_REALS;
  real factor[3];
  for (int k = 0; k < 3; k++)
    factor[k] = real_length_factor(f->box[k] / list->cutoff);
  to->energy[pass] = 0;
  for (int i = 0; i < f->n; i++) {
    const int32_t *index = list->index + (int64_t)i * list->most_rows * ROW;
    const struct candidate me = host_candidate(t, i, axes);
    struct bead_sums sums = sums_none();
    for (int k = 0; k < list->rows[i] * ROW; k++) {
      const struct candidate other = host_candidate(t, index[k], axes);
      const int types = me.record.type * f->n_types + other.record.type;
      pair_add<SET, 1>(&sums, t->constants,
                       coefficients_read(SET, t->coefficients[pass] + types * reals), factor, me,
                       other, index[k] == i);
      if (k % 4 == 3) sums_end_row(&sums);
    }
    const struct bead_total total = sums_total(sums, me.bead, axes);
    for (int k = 0; k < 3; k++) {
      to->force[3 * i + k] += total.force[k] / list->cutoff;
      to->torque[3 * i + k] += total.torque[k];
    }
    to->energy[pass] += 0.5 * total.energy;
  }
}

static void host(const struct frame *f, struct outcome *to)
{
  struct tables t = tables_create(f);
  memset(to->force, 0, 3 * (size_t)f->n * sizeof *to->force);
  memset(to->torque, 0, 3 * (size_t)f->n * sizeof *to->torque);
  host_pass<SET_DIPOLES>(f, &t, 0, to);
  host_pass<SET_STICKY>(f, &t, 1, to);
  tables_destroy(&t);
}

#endif
