/* One-body terms: forces of the surroundings on a bead, after its bonded terms. */
#ifndef ONEBODY_H
#define ONEBODY_H

#include "model/energy.h"
#include "pair/onebody_list.h"
#include "pair/onebody_view.h"

enum onebody_term {
#define ONEBODY(name, ...) ONEBODY_##name,
#include "pair/onebody_list.h"
#undef ONEBODY
  ONEBODY_TERMS
};

/* Coefficients of the terms, and which of them act: bits of enum onebody_term. */
struct onebody_coef {
  unsigned set;
#define ONEBODY(name, ...) struct onebody_##name name;
#include "pair/onebody_list.h"
#undef ONEBODY
};

/* Bits of the energy channels of all terms. */
enum {
  ONEBODY_CHANNELS = 0u
#define ONEBODY(name, channel, ...) | 1u << ENERGY_##channel
#include "pair/onebody_list.h"
#undef ONEBODY
};

/* The energy channel of a term. */
HD int onebody_channel(int term)
{
#define ONEBODY(name, channel, ...)                                                                \
  if (term == ONEBODY_##name) return ENERGY_##channel;
#include "pair/onebody_list.h"
#undef ONEBODY
  (void)term;
  return 0;
}

/* Does its force count in the virial? */
HD int onebody_has_virial(int term)
{
#define ONEBODY(name, channel, virial, ...)                                                        \
  if (term == ONEBODY_##name) return virial;
#include "pair/onebody_list.h"
#undef ONEBODY
  (void)term;
  return 0;
}

HD struct onebody_sum onebody_evaluate(int term, const struct onebody_coef *c,
                                       const struct onebody_view *v)
{
  struct onebody_sum sum = {0, {0, 0, 0}, {0, 0, 0}}, *s = &sum;
  (void)term;
  (void)c;
  (void)v;
#define ONEBODY(name, channel, virial, call)                                                       \
  if (term == ONEBODY_##name) call;
#include "pair/onebody_list.h"
#undef ONEBODY
  return *s;
}

/* A coordinate, unwrapped, nm. */
HD double onebody_unwrapped(int32_t x, int32_t image, double box)
{
  return ((double)(uint32_t)x / 4294967296.0 + (double)image) * box;
}

#endif
