/* The coefficients of a force field in the working precision of the unit that includes this. */
#ifndef MODEL_BODY_H
#define MODEL_BODY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/portable.h"
#include "base/units.h"
#include "pair/model.h"
#include "pair/pair_gb.h"
#include "pair/pair_lj.h"
#include "pair/pair_modifier.h"
#include "pair/pair_soft.h"
#include "pair/pair_sticky.h"

/* The number of pieces of the tables before one. */
static int pieces_before(const struct forcefield *ff, const struct tabulated *t)
{
  int n = 0;
  for (const struct tabulated *before = ff->table; before < t; before++)
    n += before->n;
  return n;
}

static void model_bonded(struct model *m, const struct forcefield *ff)
{
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < ff->bonded[s].n; k++) {
      const struct ff_bonded *from = &ff->bonded[s].type[k];
      const struct tabulated *t = forcefield_bonded_table(ff, from);
      const double unit = s == SECTION_bond ? 1 : UNITS_PI / 180;
      struct bonded_coef *to = &m->bonded[forcefield_bonded(ff, s, k)];
      *to = bonded_coef_of(from->form, from->value);
      if (t) bonded_place_table(to->c, pieces_before(ff, t), t->n, unit * t->start, unit * t->step);
    }
}

static void coefs_gb(struct pair_coef *c, const struct pair_pass *pass, const struct forcefield *ff,
                     const struct model *m, int i, int j)
{
  const struct ff_pair *pair = &ff->pair[i * ff->n_types + j];
  struct pair_gb_body body[2];
  for (int k = 0; k < 2; k++) {
    const int type = k ? j : i;
    const int sphere = ff->type[type].kappa == 0;
    body[k].sigma = ff->pair[type * (ff->n_types + 1)].sigma;
    body[k].kappa = sphere ? 1 : ff->type[type].kappa;
    body[k].kappa_prime = sphere ? 1 : ff->type[type].kappa_prime;
    body[k].unit = sphere ? 0 : (double)m->axis_inverse[type];
  }
  pair_gb_set(&c->gb, &body[0], &body[1], pair->sigma / pass->cutoff, pair->epsilon, ff->gb_mu);
}

static void coefs_sticky(struct pair_coef *c, const struct pair_pass *pass,
                         const struct forcefield *ff, const struct model *m, int i, int j)
{
  const struct ff_sticky *s = &ff->pair[i * ff->n_types + j].sticky;
  const double v0[2] = {s->v0, s->v0_prime}, rc = pass->cutoff;
  const double on[2] = {s->lower / rc, s->lower_prime / rc};
  const double end[2] = {s->upper / rc, s->upper_prime / rc};
  if (forcefield_is_sticky(ff, i, j))
    pair_sticky_set(&c->sticky, v0, s->w0, on, end, (double)m->axis_inverse[i],
                    (double)m->axis_inverse[j]);
}

static void coefs_tabulated(struct pair_coef *c, const struct pair_pass *pass,
                            const struct forcefield *ff, int i, int j)
{
  const struct tabulated *t = forcefield_table(ff, i, j);
  if (t)
    pair_tabulated_set(&c->tabulated, pieces_before(ff, t), t->n, t->start / pass->cutoff,
                       t->step / pass->cutoff);
}

/* The soft distance is for pairs that have no Lennard-Jones at one end of lambda, as in GROMACS. */
static void coefs_soft(struct pair_coef *c, const struct pair_pass *pass,
                       const struct forcefield *ff, const struct soft_core *s, int i, int j)
{
  const struct ff_pair *pair = &ff->pair[i * ff->n_types + j];
  const double scale = pair_charge_scale(UNITS_COULOMB, pass->cutoff);
  const int both = pair->epsilon > 0 && soft_core_has(s, 0, 0) && soft_core_has(s, 0, 1);
  const double least = s->soft_charges ? s->sigma : 0;
  const double soft = pair->epsilon > 0 ? fmax(pair->sigma, least) : s->sigma;
  pair_soft_set(&c->soft, pair->epsilon, pair->sigma / pass->cutoff, both ? 0 : soft / pass->cutoff,
                scale * ff->type[i].charge * (scale * ff->type[j].charge));
}

/* The coefficients of types i and j, of the families that a pass reads. */
static void coefs_set(struct pair_coef *c, const struct pair_pass *pass,
                      const struct forcefield *ff, const struct model *m, int i, int j)
{
  const struct ff_pair *pair = &ff->pair[i * ff->n_types + j];
  if (pass->set & pair_family_terms(PAIR_FAMILY_lj))
    pair_lj_set(&c->lj, pair->epsilon, pair->sigma / pass->cutoff);
  if (pass->set & pair_family_terms(PAIR_FAMILY_gb)) coefs_gb(c, pass, ff, m, i, j);
  if (pass->set & pair_family_terms(PAIR_FAMILY_shape))
    pair_shape_set(&c->shape, ff->type[i].dipole != 0, ff->type[j].dipole != 0);
  if (pass->set & pair_family_terms(PAIR_FAMILY_sticky)) coefs_sticky(c, pass, ff, m, i, j);
  if (pass->set & pair_family_terms(PAIR_FAMILY_tabulated)) coefs_tabulated(c, pass, ff, i, j);
}

static struct pair_piece *pieces_create(const struct forcefield *ff)
{
  const int n_pieces = pieces_before(ff, ff->table + ff->n_tables);
  struct pair_piece *piece = (struct pair_piece *)alloc_array(n_pieces, sizeof *piece);
  struct pair_piece *to = piece;
  for (int k = 0; k < ff->n_tables; k++)
    for (int n = 0; n < ff->table[k].n; n++, to++)
      for (int c = 0; c < 4; c++)
        to->c[c] = R(ff->table[k].piece[n].c[c]);
  return piece;
}

/* How the terms of a pass end that a treatment modifies. A field is set for all. */
static void constants_modify(struct pair_constants *k, const struct pair_pass *pass,
                             const struct ff_treatment *t)
{
  const double lj_from = t->lj_end.switch_from / pass->cutoff,
               lj_to = t->lj_end.cutoff / pass->cutoff;
  const double from = t->charge_end.switch_from / pass->cutoff,
               to = t->charge_end.cutoff / pass->cutoff;
  pair_modifier_set(&k->lj_end, lj_from, lj_to, t->lj == LJ_POTENTIAL_SWITCH);
  pair_modifier_set(&k->charge_end, from, to, 0);
  if (t->lj == LJ_FORCE_SWITCH) {
    k->lj12 = pair_power_switched(12, lj_from, lj_to, 1.0 / 12);
    k->lj6 = pair_power_switched(6, lj_from, lj_to, -1.0 / 6);
  } else if (t->lj == LJ_ENERGY_SHIFT) {
    k->lj12 = pair_power_shifted(12, lj_to, 1.0 / 12);
    k->lj6 = pair_power_shifted(6, lj_to, -1.0 / 6);
  }
  if (t->electrostatics == ELECTROSTATICS_CHARGE_FORCE_SWITCH)
    k->charge = pair_power_switched(1, from, to, 1);
  if (t->electrostatics != ELECTROSTATICS_CHARGE_REACTION_FIELD) return;
  k->charge_field = R(forcefield_charge_field(t) / (to * to * to));
  k->charge_self = to < 1 ? R((forcefield_charge_field(t) + 1) / to) : k->charge_field + R(1);
  k->charge.constant = -k->charge_self;
}

/* How much of Lennard-Jones (charges 0) or of charges there is: linear in lambda. */
static double soft_weight(const struct soft_core *s, int charges)
{
  const double lambda = charges ? s->charges : s->lambda;
  return soft_core_has(s, charges, 0) * (1 - lambda) + soft_core_has(s, charges, 1) * lambda;
}

static double soft_weight_slope(const struct soft_core *s, int charges)
{
  return soft_core_has(s, charges, 1) - soft_core_has(s, charges, 0);
}

/* beta grows with the distance in lambda from the end where the interaction is whole. */
static struct pair_coupling coupling_of(const struct soft_core *s, int charges)
{
  const double lambda = charges ? s->charges : s->lambda, slope = soft_weight_slope(s, charges);
  const double alpha = charges && !s->soft_charges ? 0 : s->alpha;
  const double off = slope < 0 ? lambda : 1 - lambda, sign = slope < 0 ? 1 : -1;
  const struct pair_coupling w = {R(soft_weight(s, charges)),
                                  R(portable_cbrt(alpha * portable_power(off, s->power))), R(slope),
                                  R(sign * alpha * s->power * portable_power(off, s->power - 1))};
  return w;
}

static void constants_set(struct pair_constants *k, const struct pair_pass *pass,
                          const struct forcefield *ff, const struct soft_core *s)
{
  const struct ff_treatment *t = &pass->treatment;
  const double from = t->switch_from / pass->cutoff;
  k->switch_from = R(from);
  k->switch_factor = R(portable_power(1 - from, -3));
  if (t->electrostatics == ELECTROSTATICS_REACTION_FIELD)
    k->field = R(2 * (t->permittivity - 1) / (2 * t->permittivity + 1));
  if (t->epsilon_r > 0) k->charges = R(pair_charge_field_factor(t->epsilon_r));
  constants_modify(k, pass, t);
  k->soft_lj = coupling_of(s, 0);
  k->soft_charge = coupling_of(s, 1);
  k->dipoles = R(
      t->electrostatics == ELECTROSTATICS_NONE ? 0 : portable_power(ff->cutoff / pass->cutoff, 3));
  k->gb_mu = ff->gb_mu;
  k->gb_nu = ff->gb_nu;
}

static void model_passes(struct model *m, const struct forcefield *ff, const struct pair_plan *plan)
{
  const int n = ff->n_types;
  m->n_passes = plan->n_passes;
  for (int p = 0; p < m->n_passes; p++) {
    struct model_pass *pass = &m->pass[p];
    pass->number = p;
    pass->set = plan->pass[p].set;
    pass->cutoff = plan->pass[p].cutoff;
    for (int k = 0; k < plan->n_classes; k++) {
      pass->classes |= (unsigned)pair_class_listed(plan, p, k) << k;
      pass->own |= plan->pass[p].partners[k] & 1u << k;
    }
    constants_set(&pass->constants, &plan->pass[p], ff, &plan->soft);
    pass->constants.piece = m->piece;
    pass->pair = (struct pair_coef *)alloc_array((long long)n * n, sizeof *pass->pair);
    for (int k = 0; k < n * n; k++) {
      coefs_set(&pass->pair[k], &plan->pass[p], ff, m, k / n, k % n);
      if (pass->set & pair_family_terms(PAIR_FAMILY_soft))
        coefs_soft(&pass->pair[k], &plan->pass[p], ff, &plan->soft, k / n, k % n);
    }
  }
}

/* Excluded charges, and a charge in its own field, are those of two coupled beads: their energies
   are the product of charges that are scaled so. A part that vanishes at this lambda, but not at
   others, is so small that forces do not show it: then the slope follows from the energy too. */
static void model_couple(struct model *m, const struct forcefield *ff, const struct soft_core *s)
{
  const double slope = soft_weight_slope(s, 1), weight = soft_weight(s, 1);
  const double part = slope != 0 ? fmax(weight, 1e-12) : weight;
  if (!s->on) return;
  m->charge_slope = (real *)alloc_array(ff->n_types, sizeof *m->charge_slope);
  for (int t = 0; t < ff->n_types; t++) {
    if (!s->coupled[t]) continue;
    m->charge[t] *= R(sqrt(part));
    m->charge_slope[t] = R(slope != 0 ? slope / part : 0);
  }
}

/* Axis records: a type that has an axis but no dipole has one of length 1. */
static void model_axes(struct model *m, const struct forcefield *ff, const struct pair_plan *plan)
{
  double charge = pair_charge_scale(UNITS_COULOMB, ff->cutoff);
  double dipole = pair_dipole_scale(UNITS_COULOMB, ff->cutoff);
  for (int t = 0; t < ff->n_types; t++) {
    double s = ff->type[t].dipole != 0 ? dipole * ff->type[t].dipole : 1;
    if (!pair_oriented(plan, ff, t)) s = 0;
    m->axis_scale[t] = R(s);
    m->axis_inverse[t] = s > 0 ? R(1 / s) : R(0);
    m->charge[t] = R(charge * ff->type[t].charge);
  }
}

/* Host memory, without tables. */
static void *model_create(const struct forcefield *ff, const struct pair_plan *plan)
{
  struct model *m = (struct model *)alloc_array(1, sizeof *m);
  int n = ff->n_types;
  m->n_types = n;
  m->bonded =
      (struct bonded_coef *)alloc_array(forcefield_bonded(ff, SECTIONS, 0), sizeof *m->bonded);
  m->axis_scale = (real *)alloc_array(n, sizeof *m->axis_scale);
  m->axis_inverse = (real *)alloc_array(n, sizeof *m->axis_inverse);
  m->charge = (real *)alloc_array(n, sizeof *m->charge);
  m->list_class = (unsigned char *)alloc_array(n, 1);
  if (ff->n_tables > 0) m->piece = pieces_create(ff);
  memcpy(m->list_class, plan->class_of, (size_t)n);
  memcpy(m->first_pass, plan->first_pass, sizeof m->first_pass);
  memcpy(m->last_pass, plan->last_pass, sizeof m->last_pass);
  model_axes(m, ff, plan);
  model_couple(m, ff, &plan->soft);
  model_passes(m, ff, plan);
  model_bonded(m, ff);
  return m;
}

static void model_destroy(void *model)
{
  struct model *m = (struct model *)model;
  if (!m) return;
  for (int p = 0; p < m->n_passes; p++) {
    free(m->pass[p].pair);
    free(m->pass[p].table);
    free(m->pass[p].set_of);
  }
  free(m->piece);
  free(m->list_class);
  free(m->bonded);
  free(m->axis_scale);
  free(m->axis_inverse);
  free(m->charge);
  free(m->charge_slope);
  free(m);
}

#endif
