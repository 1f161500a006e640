/* The coefficients of a force field in the working precision of the unit that includes this. */
#ifndef MODEL_BODY_H
#define MODEL_BODY_H

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/units.h"
#include "pair/model.h"

static void model_bonded(struct model *m, const struct forcefield *ff)
{
  for (int k = 0; k < ff->n_bonds; k++) {
    m->bond[k].k = R(ff->bond[k].k);
    m->bond[k].r0 = R(ff->bond[k].r0);
  }
  for (int k = 0; k < ff->n_angles; k++) {
    m->angle[k].k = R(ff->angle[k].k);
    m->angle[k].cos0 = R(cos(ff->angle[k].theta0 * (UNITS_PI / 180)));
    m->angle[k].dipole = ff->angle[k].form == ANGLE_DIPOLE;
  }
}

/* The coefficients of each family, for a pass. */
static void coefs_set(struct pair_coef *c, const struct pair_pass *pass, const struct ff_pair *pair)
{
  pair_lj_set(&c->lj, pair->epsilon, pair->sigma / pass->cutoff);
}

static void model_passes(struct model *m, const struct forcefield *ff, const struct pair_plan *plan)
{
  const int n = ff->n_types;
  m->n_passes = plan->n_passes;
  for (int p = 0; p < m->n_passes; p++) {
    struct model_pass *pass = &m->pass[p];
    pass->plan = plan->pass[p];
    pass->pair = (struct pair_coef *)alloc_array((long long)n * n, sizeof *pass->pair);
    for (int k = 0; k < n * n; k++)
      coefs_set(&pass->pair[k], &pass->plan, &ff->pair[k]);
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

/* The one-body terms that act: none yet. */
static void onebody_set(struct onebody_coef *c)
{
  c->set = 0;
}

/* Host memory, without tables. */
static void *model_create(const struct forcefield *ff)
{
  const struct pair_plan plan = pair_plan_of(ff);
  struct model *m = (struct model *)alloc_array(1, sizeof *m);
  int n = ff->n_types;
  m->n_types = n;
  m->bond = (struct bond_coef *)alloc_array(ff->n_bonds, sizeof *m->bond);
  m->angle = (struct angle_coef *)alloc_array(ff->n_angles, sizeof *m->angle);
  m->axis_scale = (real *)alloc_array(n, sizeof *m->axis_scale);
  m->axis_inverse = (real *)alloc_array(n, sizeof *m->axis_inverse);
  m->charge = (real *)alloc_array(n, sizeof *m->charge);
  model_passes(m, ff, &plan);
  model_axes(m, ff, &plan);
  model_bonded(m, ff);
  onebody_set(&m->onebody);
  return m;
}

static void model_destroy(void *model)
{
  struct model *m = (struct model *)model;
  if (!m) return;
  for (int p = 0; p < m->n_passes; p++) {
    free(m->pass[p].pair);
    free(m->pass[p].table);
  }
  free(m->bond);
  free(m->angle);
  free(m->axis_scale);
  free(m->axis_inverse);
  free(m->charge);
  free(m);
}

#endif
