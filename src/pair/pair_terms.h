/* The pair terms as numbers and bits, for code that holds no formula. Nothing here depends on
   precision. */
#ifndef PAIR_TERMS_H
#define PAIR_TERMS_H

#include "base/hd.h"
#include "model/bonded_form.h"

enum pair_term {
#define TERM(geometry, name, ...) PAIR_##name,
#include "pair/pair_list.h"
#undef TERM
  PAIR_TERMS
};

#define PAIR_BIT(name) (1u << PAIR_##name)

/* Axes that a term of a geometry reads, each in an array of axis records of its own. */
enum {
  PAIR_AXES_point = 0,
  PAIR_AXES_axis = 1,
  PAIR_AXES_shape = 1,
  PAIR_AXES_body = 2,
  PAIR_AXES_MOST = 2
};

/* Geometries of which a term is 0 where a bead has neither axis nor charge. */
enum { PAIR_NEEDS_point = 0, PAIR_NEEDS_axis = 1, PAIR_NEEDS_shape = 0, PAIR_NEEDS_body = 1 };

enum pair_family {
  PAIR_FAMILY_none,
#define FAMILY(name) PAIR_FAMILY_##name,
#include "pair/pair_list.h"
#undef FAMILY
  PAIR_FAMILIES
};

/* The members of all families, in the order of the list. */
enum pair_coef_member {
#define COEF(family, member, use) PAIR_COEF_##family##_##member,
#include "pair/pair_list.h"
#undef COEF
  PAIR_COEFS
};

enum { PAIR_USE_energy, PAIR_USE_force };

/* Sets of terms. */
enum {
  /* that read an axis of each bead: */
  PAIR_AXIS_TERMS = 0u
#define TERM(geometry, name, ...) | (unsigned)(PAIR_AXES_##geometry > 0) << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
  ,
  /* and are 0 for a bead that has none, and no charge, */
  PAIR_POLAR_TERMS = 0u
#define TERM(geometry, name, ...) | (unsigned)(PAIR_NEEDS_##geometry) << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
  ,
  /* that read all three axes, */
  PAIR_BODY_TERMS = 0u
#define TERM(geometry, name, ...) | (unsigned)(PAIR_AXES_##geometry > 1) << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
  ,
  /* the charge of one or both, */
  PAIR_CHARGE_TERMS = 0u
#define TERM(geometry, name, channel, family, charges, ...)                                        \
  | (unsigned)((charges) > 0) << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
  ,
  /* are 0 unless both beads have a charge, */
  PAIR_TWO_CHARGE_TERMS = 0u
#define TERM(geometry, name, channel, family, charges, ...)                                        \
  | (unsigned)((charges) == 2) << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
  ,
  /* and those that vanish at the cutoff with their slopes. */
  PAIR_SMOOTH_TERMS = 0u
#define TERM(geometry, name, channel, family, charges, smooth, call) | (smooth + 0u) << PAIR_##name
#include "pair/pair_list.h"
#undef TERM
};

/* The terms of charges that may be in a reaction field, with excluded charges. */
#define PAIR_FIELD_TERMS (PAIR_BIT(qq_reaction_field) | PAIR_BIT(qq_modified) | PAIR_BIT(soft_qq))

/* Axes of a bead that the terms of a set read: none, the first, or all three (2). */
HD int pair_set_axes(unsigned set)
{
  return set & PAIR_BODY_TERMS ? 2 : (set & PAIR_AXIS_TERMS) != 0;
}

/* Arrays of axis records that hold them: the first holds charges too. */
HD int pair_set_records(unsigned set)
{
  return set & PAIR_BODY_TERMS ? 2 : (set & (PAIR_AXIS_TERMS | PAIR_CHARGE_TERMS)) != 0;
}

/* The terms of a set that are not 0 for all pairs of a bead. charge, axis: whether it has these. */
HD unsigned pair_set_of_bead(unsigned set, int charge, int axis)
{
  const unsigned none = (unsigned)PAIR_CHARGE_TERMS | (unsigned)PAIR_POLAR_TERMS;
  return charge || axis ? set : set & ~none;
}

/* Bits of the bonded forms that GPUs evaluate with a last pass over pairs with these terms. */
HD uint64_t pair_set_bonded(unsigned set)
{
  const uint64_t excluded = BONDED_FORM(excluded_reaction_field);
  return BONDED_IN_PASSES | (set & PAIR_FIELD_TERMS ? excluded : 0);
}

/* The terms that read the coefficients of a family (enum pair_family). */
HD unsigned pair_family_terms(int family)
{
  unsigned terms = 0;
#define TERM(geometry, name, channel, of, ...)                                                     \
  if (family == PAIR_FAMILY_##of) terms |= PAIR_BIT(name);
#include "pair/pair_list.h"
#undef TERM
  return terms;
}

#endif
