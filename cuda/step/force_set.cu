/* Kernels of one set of pair terms in one precision. The compile line (cuda/local.mk) defines the
   precision (PRECISION), the name of the set (FORCE_SET) and its terms (PAIR_ONLY), and includes
   the headers of these terms only, so that a change of another formula does not compile this
   again. */
#include "pair/pair_terms.h"

/* Stubs for terms that are not in the set: pair_evaluate names them, but never calls them. */
#define TERM(geometry, name, ...)                                                                  \
  template <class... ARGUMENTS> HD real pair_##name##_add(ARGUMENTS...)                            \
  {                                                                                                \
    static_assert(sizeof...(ARGUMENTS) == 0 || !((PAIR_ONLY)&PAIR_BIT(name)),                      \
                  "the header of this term was not included");                                     \
    return 0;                                                                                      \
  }
#include "pair/pair_list.h"
#undef TERM

#include "cuda/step/stress_rows.cuh"

extern "C" const struct force_set FORCE_SET_NAME(FORCE_SET, PRECISION) = {
    PAIR_ONLY, force_launch<(PAIR_ONLY)>, stress_launch<(PAIR_ONLY)>};
