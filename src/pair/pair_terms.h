/* The pair terms as numbers and bits, for code that holds no formula. */
#ifndef PAIR_TERMS_H
#define PAIR_TERMS_H

enum pair_term {
#define TERM(kind, name, ...) PAIR_##name,
#include "pair/pair_list.h"
#undef TERM
  PAIR_TERMS
};

#define PAIR_BIT(name) (1u << PAIR_##name)

/* Term sets with a kernel of their own, smallest first; a run takes the first that suffices. */
#define PAIR_SETS(SET)                                                                             \
  SET(PAIR_BIT(lj_cut))                                                                            \
  SET(PAIR_BIT(lj_force_shift))                                                                    \
  SET(PAIR_BIT(lj_stoddard_ford))                                                                  \
  SET(PAIR_BIT(lj_stoddard_ford) | PAIR_BIT(dd))                                                   \
  SET(PAIR_BIT(lj_stoddard_ford) | PAIR_BIT(qq) | PAIR_BIT(qd) | PAIR_BIT(dd))                     \
  SET(PAIR_BIT(lj_cut) | PAIR_BIT(qq) | PAIR_BIT(qd) | PAIR_BIT(dd))                               \
  SET(PAIR_BIT(lj_force_shift) | PAIR_BIT(qq) | PAIR_BIT(qd) | PAIR_BIT(dd))

#endif
