/* The passes of a force computation: a set of pair terms, and a neighbour list of the pairs that
   have them, within the cutoff of the terms and the skin. Pass and list have one number. Which
   records a pass gathers follows from the geometries of its terms (pair_list.h). Nothing here
   depends on precision.

   Bead types that interact alike, as far as lists are concerned, form a list class. A list contains
   the pairs of some classes, within its cutoff and the skin. The force of a bead is stored by the
   first pass that its class takes part in; later passes add to it, in their order; its bonded terms
   follow the last one.

   With soft cores (model/soft_core.h) the pairs of coupled types are a group of their own, so that
   others have the passes that they have without.

   The plan leaves out what the bead types that are present do not need, so that a system of water
   alone runs the passes and terms of water alone, whatever else its force field describes.

   To add a pass: a group of pairs in in_group, terms_of and group_add of pair_pass.c, and its
   coefficients in model_body.h. */
#ifndef PAIR_PASS_H
#define PAIR_PASS_H

#include "model/forcefield.h"
#include "model/soft_core.h"
#include "model/topology.h"

enum { PAIR_PASSES_MOST = 12, PAIR_CLASSES_MOST = 8 };

struct pair_pass {
  unsigned set; /* one of PAIR_SETS */
  struct ff_treatment treatment;
  /* nm; the unit of length of its terms. The radius of its list is cutoff + skin. */
  double cutoff;
  double sigma; /* nm; the smallest of its pairs with an epsilon; infinite if there are none */
  /* Its pairs: bit j of partners[i] is set for the pairs of beads of list class i with beads of
     list class j. Symmetric. */
  unsigned partners[PAIR_CLASSES_MOST];
  int all; /* 1: its list contains all pairs of beads within the radius */
};

struct pair_plan {
  unsigned terms;       /* that are needed */
  int n_passes, n_axes; /* n_axes: arrays of axis records, 1 or 2 */
  struct pair_pass pass[PAIR_PASSES_MOST];
  char present[FF_TYPES_MOST]; /* 1: beads of a type may be there */
  int n_classes;
  unsigned char class_of[FF_TYPES_MOST]; /* list class of a type */
  /* Of a class: the passes that its beads take part in. Every class takes part in one. */
  int first_pass[PAIR_CLASSES_MOST], last_pass[PAIR_CLASSES_MOST];
  struct soft_core soft; /* of which pairs, and how */
};

#ifdef __cplusplus
extern "C" {
#endif

/* present[type]: 1 if the system has beads of a type; NULL: it may have any. */
struct pair_plan pair_plan_of(const struct forcefield *ff, const char *present);
/* The same with soft cores. */
struct pair_plan pair_plan_soft(const struct forcefield *ff, const char *present,
                                const struct soft_core *soft);
/* The smallest cutoff of a pass, nm. */
double pair_smallest_cutoff(const struct pair_plan *p);
/* The range that cells, lists and the halo of a system have to cover, nm: the largest cutoff of a
   list; with bonded terms, whose partners must be in the halo, the cutoff of the force field. */
double pair_range(const struct pair_plan *p, const struct forcefield *ff, const struct topology *t);
/* By how much the cutoff of a pass is less than that range, nm. */
double pair_margin(const struct pair_plan *p, const struct forcefield *ff, const struct topology *t,
                   int pass);
/* The beads expected within a radius (nm) of a bead, and in all lists of a bead. density: 1/nm3. */
double pair_partners_within(double radius, double density);
double pair_partners(const struct pair_plan *p, double skin, double density);
/* In double precision, which has the same bits on all backends: the partial sums of the force on a
   bead, and the part of the lists that beads of a type are in as partners, 0 or 1. Charged ones are
   apart, so that kernels may leave charges out of pairs with others. */
enum { PAIR_PARTIAL_SUMS = 8 };
int pair_list_part(const struct pair_plan *p, const struct forcefield *ff, int type);
/* 1 if a class takes part in a pass. */
int pair_class_listed(const struct pair_plan *p, int pass, int class_of_bead);
/* 1 where pair or bonded terms read an axis of beads of a type: its axis records are derived, and
   sent with the halo. */
int pair_oriented(const struct pair_plan *p, const struct forcefield *ff, int type);
/* The largest force of Lennard-Jones or a table at a cutoff between beads that may be there,
   kJ/mol/nm: what rounding of a distance next to the cutoff can change where forces do not vanish
   there; else 0. */
double pair_force_jump(const struct pair_plan *p, const struct forcefield *ff);

#ifdef __cplusplus
}
#endif

#endif
