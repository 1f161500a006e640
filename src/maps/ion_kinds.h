/* Kinds of ions and how many there are of each: given, to neutralise, or to a concentration. A kind
   is a molecule of one charged bead. Local; all ranks with the same arguments. Wrong arguments end
   the program with STATUS_INPUT. */
#ifndef ION_KINDS_H
#define ION_KINDS_H

#include <stdint.h>

#include "model/forcefield.h"

enum { ION_KINDS_MOST = 16 };
#define IONS_PER_MOLAR 0.602214076 /* particles per nm3 at 1 mol/l */

struct ion_kind {
  int molecule, type; /* indices of the force field */
  double charge;      /* e */
  int64_t n;
};

struct ion_kinds {
  int n;
  struct ion_kind kind[ION_KINDS_MOST]; /* all of one sign, then all of the other */
};

/* A charge in units of 1e-6 e, in which sums of charges are exact. */
int64_t ion_charge(double q);
/* 1 if the force field has a molecule of each name in "NAME,NAME" or "NAME:N,NAME:N". */
int ion_names_known(const struct forcefield *ff, const char *text);

/* What a text says, of a net charge (1e-6 e) and a volume (nm3).
   IONS_ADD: NAME:N,NAME:N. The sign of the first comes first.
   IONS_NEUTRALISE: NAME,NAME: ions of the sign opposite to the net charge until it is 0.
   IONS_CONCENTRATION: MOL_PER_L:CATION,ANION or MOL_PER_L:ANION,CATION: neutralises, and adds the
   nearest number of formula units of the salt in the volume. Counter ions come first; cations where
   the net charge is 0. */
enum ions_wanted { IONS_ADD, IONS_NEUTRALISE, IONS_CONCENTRATION };
struct ion_kinds ion_kinds_of(const struct forcefield *ff, enum ions_wanted which, const char *text,
                              int64_t net, double volume);
/* The net charge of the ions, 1e-6 e. */
int64_t ion_kinds_charge(const struct ion_kinds *k);

#endif
