/* Lennard-Jones, shifted by its energy at the cutoff: U - U(1), with the force of plain truncation
   (potential-shift of GROMACS, the form of Martini). */
#ifndef PAIR_LJ_ENERGY_SHIFT_H
#define PAIR_LJ_ENERGY_SHIFT_H

#include "pair/pair_coef.h"
#include "pair/pair_sum.h"

HD void pair_lj_energy_shift_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3;
  v->u += real_fma(real_fma(c.a, q, -c.b), q, -(c.a - c.b));
  v->f += real_fma(c.a12, q, -c.b6) * (q * p.inside * i2);
}

#endif
