/* Kernels of one set of pair terms in one precision. The compile line (cuda/local.mk) gives the
   precision (PRECISION), the name of the set (FORCE_SET) and its terms (PAIR_ONLY), and includes
   the headers of these terms. No other term is compiled here, so that a change of its formula does
   not compile this again. */
#include "pair/pair_terms.h"

/* Calls of terms that are not of the set: never reached, but every call needs a function. */
#define TERM(geometry, name, ...)                                                                  \
  template <class... ARGUMENTS> HD void pair_##name##_add(ARGUMENTS...)                            \
  {                                                                                                \
    static_assert(sizeof...(ARGUMENTS) == 0 || !((PAIR_ONLY)&PAIR_BIT(name)),                      \
                  "the header of this term was not included");                                     \
  }
#include "pair/pair_list.h"
#undef TERM

#include "cuda/step/force_rows.cuh"
#include "cuda/step/stress_rows.cuh"

extern "C" const struct force_set FORCE_SET_NAME(FORCE_SET, PRECISION) = {
    PAIR_ONLY, force_launch<(PAIR_ONLY)>, stress_launch<(PAIR_ONLY)>};
