/* The coefficients of a force field in the working precision of the unit that includes this. */
#ifndef MODEL_BODY_H
#define MODEL_BODY_H

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/units.h"
#include "pair/model.h"

static unsigned terms_of(const struct forcefield *ff)
{
  static const unsigned lj[] = {PAIR_BIT(lj_cut), PAIR_BIT(lj_force_shift),
                                PAIR_BIT(lj_stoddard_ford)};
  unsigned terms = lj[ff->truncation];
  int charged = 0, dipolar = 0;
  for (int t = 0; t < ff->n_types; t++) {
    if (ff->type[t].charge != 0) charged = 1;
    if (ff->type[t].dipole != 0) dipolar = 1;
  }
  if (ff->electrostatics == ELECTROSTATICS_NONE) return terms;
  if (charged) terms |= PAIR_BIT(qq);
  if (dipolar) terms |= PAIR_BIT(dd);
  if (charged && dipolar) terms |= PAIR_BIT(qd);
  return terms;
}

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

/* Host memory, without lj_table. terms: bits of pair_terms.h that the force field needs. */
static void *model_create(const struct forcefield *ff, unsigned *terms)
{
  struct model *m = (struct model *)alloc_array(1, sizeof *m);
  int n = ff->n_types;
  m->cutoff = ff->cutoff;
  m->n_types = n;
  m->pair = (struct pair_coef *)alloc_array((long long)n * n, sizeof *m->pair);
  m->bond = (struct bond_coef *)alloc_array(ff->n_bonds, sizeof *m->bond);
  m->angle = (struct angle_coef *)alloc_array(ff->n_angles, sizeof *m->angle);
  m->axis_scale = (real *)alloc_array(n, sizeof *m->axis_scale);
  m->axis_inverse = (real *)alloc_array(n, sizeof *m->axis_inverse);
  m->charge = (real *)alloc_array(n, sizeof *m->charge);
  for (int k = 0; k < n * n; k++)
    pair_lj_set(&m->pair[k].lj, ff->pair[k].epsilon, ff->pair[k].sigma / ff->cutoff);
  double charge = pair_charge_scale(UNITS_COULOMB, ff->cutoff);
  double dipole = pair_dipole_scale(UNITS_COULOMB, ff->cutoff);
  for (int t = 0; t < n; t++) {
    double s = dipole * ff->type[t].dipole;
    m->axis_scale[t] = R(s);
    m->axis_inverse[t] = s > 0 ? R(1 / s) : R(0);
    m->charge[t] = R(charge * ff->type[t].charge);
  }
  model_bonded(m, ff);
  *terms = terms_of(ff);
#define SET(bits)                                                                                  \
  if (!m->set && !(*terms & ~(bits))) m->set = (bits);
  PAIR_SETS(SET)
#undef SET
  return m;
}

static void model_destroy(void *model)
{
  struct model *m = (struct model *)model;
  if (!m) return;
  free(m->pair);
  free(m->lj_table);
  free(m->bond);
  free(m->angle);
  free(m->axis_scale);
  free(m->axis_inverse);
  free(m->charge);
  free(m);
}

#endif
