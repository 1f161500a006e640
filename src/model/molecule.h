/* Recognition of the molecules of a system. */
#ifndef MOLECULE_H
#define MOLECULE_H

#include "model/system.h"

/* Sets `molecule` and `molecule_type` of all beads. Connected sets of beads get numbers from 1, in
   the order of their lowest ids. A set with the types and bonded terms of a molecule of the
   force field, in any order of ids, gets that type, others -1. Single beads of no known type get
   number 0. Local: s must hold the whole system. order: NULL or room for s->n; receives the bead
   indices molecule by molecule, known molecules in the order of the force field. Returns the number
   of known molecules whose beads are not consecutive in that order. */
int64_t molecule_find_all(struct system *s, int64_t *order);

#endif
