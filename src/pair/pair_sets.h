/* Sets of pair terms with a kernel of their own, smallest first; a pass takes the first that
   suffices. SET(name, bits): the name is that of its terms, joined. Each is compiled as units of
   its own for GPUs: cuda/local.mk reads these rows, one a line, for their terms. */
#ifndef PAIR_SETS_H
#define PAIR_SETS_H

#include "pair/pair_terms.h"

#define PAIR_SETS(SET)                                                                             \
  SET(lj_cut, PAIR_BIT(lj_cut))                                                                    \
  SET(lj_force_shift, PAIR_BIT(lj_force_shift))                                                    \
  SET(lj_stoddard_ford, PAIR_BIT(lj_stoddard_ford))                                                \
  SET(lj_energy_shift, PAIR_BIT(lj_energy_shift))                                                  \
  SET(lj_energy_shift_qq_reaction_field, PAIR_BIT(lj_energy_shift) | PAIR_BIT(qq_reaction_field))  \
  SET(lj_cut_qq_reaction_field, PAIR_BIT(lj_cut) | PAIR_BIT(qq_reaction_field))                    \
  SET(lj_stoddard_ford_dd, PAIR_BIT(lj_stoddard_ford) | PAIR_BIT(dd))                              \
  SET(lj_stoddard_ford_qq_qd_dd,                                                                   \
      PAIR_BIT(lj_stoddard_ford) | PAIR_BIT(qq) | PAIR_BIT(qd) | PAIR_BIT(dd))                     \
  SET(lj_cut_qq_qd_dd, PAIR_BIT(lj_cut) | PAIR_BIT(qq) | PAIR_BIT(qd) | PAIR_BIT(dd))              \
  SET(lj_force_shift_qq_qd_dd,                                                                     \
      PAIR_BIT(lj_force_shift) | PAIR_BIT(qq) | PAIR_BIT(qd) | PAIR_BIT(dd))                       \
  SET(lj_switch_dd_switch, PAIR_BIT(lj_switch) | PAIR_BIT(dd_switch))                              \
  SET(gb, PAIR_BIT(gb))                                                                            \
  SET(gb_qq_qd_shape_dd_shape,                                                                     \
      PAIR_BIT(gb) | PAIR_BIT(qq) | PAIR_BIT(qd_shape) | PAIR_BIT(dd_shape))                       \
  SET(sticky, PAIR_BIT(sticky))                                                                    \
  SET(tabulated, PAIR_BIT(tabulated))                                                              \
  SET(lj_modified_qq_modified, PAIR_BIT(lj_modified) | PAIR_BIT(qq_modified))                      \
  SET(soft_lj_soft_qq, PAIR_BIT(soft_lj) | PAIR_BIT(soft_qq))

#endif
